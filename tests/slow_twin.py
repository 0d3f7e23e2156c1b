"""What the kernel must give, in a few obvious lines: every set is counted by looking at every row."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Itemset = frozenset[str]


def frequent(rows: Iterable[Iterable[str]], min_support: int) -> dict[Itemset, int]:
    """Return every non-empty frequent itemset with its support."""
    sets = [frozenset(row) for row in rows]
    items = sorted(frozenset().union(*sets)) if sets else []
    found: dict[Itemset, int] = {}
    for length in range(1, len(items) + 1):
        level = {
            frozenset(chosen): sum(row.issuperset(chosen) for row in sets) for chosen in combinations(items, length)
        }
        level = {itemset: support for itemset, support in level.items() if support >= min_support}
        if not level:
            break
        found |= level
    return found


def closed(found: dict[Itemset, int]) -> dict[Itemset, int]:
    """Keep the itemsets that no larger one of the same support contains."""
    return {x: s for x, s in found.items() if not any(x < y and s == t for y, t in found.items())}


def maximal(found: dict[Itemset, int]) -> dict[Itemset, int]:
    """Keep the itemsets that no larger one contains."""
    return {x: s for x, s in found.items() if not any(x < y for y in found)}


def mined(rows: Iterable[Iterable[str]], min_support: int, target: str) -> dict[Itemset, int]:
    """Return what `mine` must return."""
    found = frequent(rows, min_support)
    return {"all": dict, "closed": closed, "maximal": maximal}[target](found)

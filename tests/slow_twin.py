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


def frequent_by_levels(rows: Iterable[Iterable[str]], min_support: int) -> dict[Itemset, int]:
    """Return the same for larger data: a set is counted by the rows that hold its parts, level by level."""
    holders: dict[str, set[int]] = {}
    for number, row in enumerate(rows):
        for label in row:
            holders.setdefault(label, set()).add(number)
    level = {frozenset({label}): tids for label, tids in holders.items() if len(tids) >= min_support}
    found: dict[Itemset, int] = {}
    while level:
        found |= {itemset: len(tids) for itemset, tids in level.items()}
        larger: dict[Itemset, set[int]] = {}
        for itemset, tids in level.items():
            for label, others in holders.items():
                if label > max(itemset) and len(both := tids & others) >= min_support:
                    larger[itemset | {label}] = both
        level = larger
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

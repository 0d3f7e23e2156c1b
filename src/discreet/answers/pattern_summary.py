"""The few patterns out of many that a summary shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.answers.answer import TextTable
from discreet.wording import ROWS, Unit, counted, itemset_text, number, percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.patterns.patternset import PatternSet

__all__ = ["first_line", "pattern_sizes", "pattern_table", "telling_patterns"]

SHOWN = 10
"""Lines of evidence; the rest is for a file."""

_LOOKED_AT = 5000  # of the best patterns, to find SHOWN that differ from each other


def first_line(found: PatternSet, unit: Unit = ROWS) -> str:
    """Return how many itemsets there are, and in how many rows each occurs."""
    kind = "" if found.target == "all" else f"{found.target} "
    length = "" if found.max_length is None else f" of at most {counted(found.max_length, 'item')}"
    share = f" ({percent(found.min_support, found.n)})" if found.min_support <= found.n else ""
    where = f"in at least {number(found.min_support)} of {unit.counted(found.n)}{share}"
    if len(found) == 0:
        return f"No itemset{length} occurs {where}"
    verb = "occurs" if len(found) == 1 else "occur"
    return f"{counted(len(found), kind + 'itemset')}{length} {verb} {where}"


def telling_patterns(found: PatternSet, item_supports: NDArray[np.int64]) -> tuple[list[int], NDArray[np.int64]]:
    """Return the most informative patterns, best first, and the number of rows of each expected by chance.

    A combination is informative if many more rows contain it than if its items were independent; one that shares half
    of its items with a better one adds little. This is for display only: nothing is decided by it.
    """
    shares = np.log(np.maximum(item_supports, 1) / max(found.n, 1))
    by_chance = np.rint(np.exp(np.add.reduceat(shares[found.items], found.offsets[:-1])) * found.n).astype(np.int64)
    several = np.flatnonzero(found.itemsets.lengths > 1)
    surplus = found.supports[several] - by_chance[several]
    best = several[np.argsort(-surplus, kind="stable")[:_LOOKED_AT]].tolist()
    chosen: dict[int, set[int]] = {}
    for pattern in best:
        items = set(_items(found, pattern))
        if all(2 * len(items & other) < min(len(items), len(other)) for other in chosen.values()):
            chosen[pattern] = items
        if len(chosen) == SHOWN:
            break
    return list(chosen), by_chance


def pattern_table(found: PatternSet, item_supports: NDArray[np.int64], width: int) -> TextTable:
    """Return the most informative patterns, in `width` columns; if all are single items, the most frequent ones."""
    chosen, by_chance = telling_patterns(found, item_supports)
    widest = max((len(number(int(support))) for support in found.supports[chosen]), default=0)
    room = width - len("    ") - max(widest, len("rows")) - len("  by chance  ")
    if not chosen:
        frequent = np.argsort(-found.supports, kind="stable")[:SHOWN].tolist()
        single = [(number(int(found.supports[each])), _text(found, each, room)) for each in frequent]
        return TextTable("The most frequent items", ("rows", "items"), single)
    lines = [
        (number(int(found.supports[each])), number(int(by_chance[each])), _text(found, each, room)) for each in chosen
    ]
    title = "The most telling combinations, in more rows than chance would give"
    return TextTable(title, ("rows", "by chance", "items"), lines)


def _items(found: PatternSet, pattern: int) -> list[int]:
    items: list[int] = found.itemsets[pattern].tolist()
    return items


def _text(found: PatternSet, pattern: int, room: int) -> str:
    return itemset_text([found.vocabulary[item] for item in _items(found, pattern)], room)


def pattern_sizes(found: PatternSet) -> str:
    """Return how many itemsets there are of each size."""
    counts = np.bincount(found.itemsets.lengths)
    present = np.flatnonzero(counts).tolist()
    sizes = [f"{number(int(counts[size]))} with {size}" for size in present]
    if len(sizes) > SHOWN:
        rest = int(counts[present[SHOWN - 1 :]].sum())
        sizes = [*sizes[: SHOWN - 1], f"{number(rest)} with {present[SHOWN - 1]} to {present[-1]}"]
    return f"By number of items: {', '.join(sizes)}."

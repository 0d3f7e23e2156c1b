"""Choose which items the attacker examines together, most promising first.

Problem      the more items a window has, the more follows, and the more it costs: choose a few items at a time.
Method       all items, if they are few. Then values that exclude each other, with what they occur with; unions of two
             maximal itemsets, since they constrain each other through the items they share; the smallest unpublished
             itemsets, with maximal ones around them; and all windows of five items. For conclusions, those of them
             that have a sensitive item, and such an item with any few others.
Promises     no window in the list contains another; the order depends on the publication alone.
Cost         pairs of maximal itemsets, of which the first `_MOST_PAIRS` are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from discreet.channels.knowledge import Knowledge

__all__ = ["WIDEST", "Windows", "choose_windows", "whole_window", "windows_around"]

WIDEST = 16
"""The most items in a window of the kernel."""

_FEW_ITEMS = 12
"""Up to this many items form a single window."""

_UNION = 9
_SMALL = 5
_MOST_PAIRS = 400
"""The most maximal itemsets for which all pairs are joined."""

_MOST_SMALL = 21_000
_MOST_BORDER = 5_000


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows in order; `whole` is whether the first one holds all items; `left_out` counts those not even listed."""

    itemsets: Itemsets
    whole: bool
    left_out: int


def whole_window(known: Knowledge) -> Windows | None:
    """Return all items as one window, if they are few."""
    items = known.items
    if not 0 < len(items) <= _FEW_ITEMS:
        return None
    return Windows(_as_itemsets([tuple(items.tolist())]), whole=True, left_out=0)


def choose_windows(
    known: Knowledge, maximal: Itemsets, border: Itemsets | None = None, *, everything: bool = False
) -> Windows:
    """Return windows of some of the items; with `everything`, all windows of five items, whatever they cost.

    `maximal` are the maximal published itemsets, `border` the smallest unpublished ones.
    """
    items = known.items
    chosen = _Chosen()
    chosen.add_all(_values(known, maximal))
    sets = sorted({frozenset(itemset.tolist()) for itemset in maximal}, key=_order)
    left_out = 0
    if len(sets) <= _MOST_PAIRS:
        chosen.add_all(_unions(sets))
    else:
        left_out += comb(len(sets), 2)
    if border is not None:
        chosen.add_all(_border(border, sets))
    small = comb(len(items), _SMALL)
    if small <= _MOST_SMALL or everything:
        chosen.add_small(items.tolist(), min(_SMALL, len(items)))
    else:
        left_out += small
    return Windows(_as_itemsets(chosen.listed), whole=False, left_out=left_out)


def windows_around(
    known: Knowledge,
    maximal: Itemsets,
    border: Itemsets | None = None,
    *,
    sensitive: NDArray[np.bool_],
    quasi: NDArray[np.bool_],
) -> Windows:
    """Return windows with a sensitive item in each; `quasi` are the items that groups are made of."""
    items = known.items.tolist()
    private = frozenset(item for item in items if sensitive[item])
    chosen = _Chosen()
    chosen.add_all(window for window in _values(known, maximal) if window & private)
    sets = sorted({frozenset(itemset.tolist()) for itemset in maximal}, key=_order)
    holding = [one for one in sets if one & private]
    left_out = 0
    if len(holding) * len(sets) <= _MOST_PAIRS**2 // 2:
        chosen.add_all(_unions(holding, sets))
    else:
        left_out += len(holding) * len(sets)
    if border is not None:
        chosen.add_all(window for window in _border(border, sets) if window & private)
    around = [item for item in items if quasi[item]]
    few = min(_SMALL - 1, len(around))
    while few and len(private) * comb(len(around), few) > _MOST_SMALL:
        left_out += len(private) * comb(len(around), few)
        few -= 1
    chosen.add_around(private, around, few)
    chosen.listed.sort(key=len)  # small ones first: most of what there is to conclude takes few items
    return Windows(_as_itemsets(chosen.listed), whole=False, left_out=left_out)


class _Chosen:
    """Windows chosen so far, none of which is within an earlier one."""

    def __init__(self) -> None:
        self.listed: list[tuple[int, ...]] = []
        self.holders: dict[int, list[int]] = {}

    def add_all(self, windows: Iterable[frozenset[int]]) -> None:
        """Add the windows that are not within an earlier one."""
        for window in windows:
            bits = sum(1 << item for item in window)
            rarest = min((self.holders.get(item, []) for item in window), key=len, default=[])
            if 1 < len(window) <= WIDEST and not any(bits & other == bits for other in rarest):
                self.listed.append(tuple(sorted(window)))
                for item in window:
                    self.holders.setdefault(item, []).append(bits)

    def add_small(self, items: list[int], length: int) -> None:
        """Add all windows of a length that are not within an earlier one."""
        covered = {some for window in self.listed for some in combinations(window, length)}
        self.listed += [some for some in combinations(items, length) if some not in covered]

    def add_around(self, private: frozenset[int], items: list[int], length: int) -> None:
        """Add windows of one private item and so many others, all that are not within an earlier one."""
        for item in sorted(private) if length else ():
            covered = {
                some
                for window in self.listed
                if item in window
                for some in combinations([each for each in window if each not in private], length)
            }
            self.listed += [tuple(sorted((item, *some))) for some in combinations(items, length) if some not in covered]


def _order(items: frozenset[int]) -> tuple[int, list[int]]:
    return len(items), sorted(items)


def _unions(sets: list[frozenset[int]], others: list[frozenset[int]] | None = None) -> Iterator[frozenset[int]]:
    """Yield the unions of two maximal itemsets, larger ones first because they cover the smaller."""
    pairs = combinations(sets, 2) if others is None else product(sets, others)
    unions = {one | other for one, other in pairs}
    small = [union for union in unions if len(union) <= _UNION]
    yield from sorted(small, key=lambda union: (-len(union), sorted(union)))


def _values(known: Knowledge, maximal: Itemsets) -> Iterator[frozenset[int]]:
    """Yield the published values of each set of exclusive items, alone and with each maximal itemset that has one."""
    published = set(known.items.tolist())
    sets = [frozenset(items.tolist()) & published for items in known.exclusive]
    sets = [values for values in sets if len(values) > 1]
    windows = {
        values | frozenset(maximal[number].tolist())
        for values in sets
        for number in range(min(len(maximal), _MOST_PAIRS))
    }
    fitting = [window for window in windows if len(window) <= _FEW_ITEMS]
    yield from sorted(fitting, key=lambda window: (-len(window), sorted(window)))
    yield from sets
    yield from (one | other for one, other in combinations(sets, 2) if len(one | other) <= _FEW_ITEMS)


def _border(border: Itemsets, sets: list[frozenset[int]]) -> Iterator[frozenset[int]]:
    """Yield the smallest unpublished sets, each with maximal itemsets that contain all but one of its items."""
    holders: dict[int, set[int]] = {}
    for number, one in enumerate(sets):
        for item in one if len(one) <= _UNION else ():  # others make the window too wide
            holders.setdefault(item, set()).add(number)
    for number in range(min(len(border), _MOST_BORDER)):
        full = border[number].tolist()
        window = frozenset(full)
        for left in full:
            rest = [item for item in full if item != left]
            if not rest:
                continue
            around = set.intersection(*(holders.get(item, set()) for item in rest))
            wider = [window | sets[one] for one in around]
            window = min((one for one in wider if len(one) <= _UNION), key=_order, default=window)
        yield window


def _as_itemsets(windows: list[tuple[int, ...]]) -> Itemsets:
    lengths = [len(window) for window in windows]
    items = [item for window in windows for item in window]
    return Itemsets(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), np.array(items, np.int32))

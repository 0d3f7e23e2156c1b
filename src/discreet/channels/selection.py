"""Some itemsets of a collection: those that are kept, of which every subset is kept as well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.collection import Collection
    from discreet.itemsets import Itemsets
    from discreet.patterns.patternset import PatternSet

__all__ = ["Selection", "chosen"]


class Selection:
    """All itemsets of a collection, and which of them are kept; a superset of a withheld one is withheld.

    `every` are the itemsets, in canonical order, and `kept` says for each of them whether it is kept.
    """

    def __init__(self, collection: Collection) -> None:
        self.every = collection.everything
        self.kept = np.ones(len(self.every), bool)
        self._less = _kernel.one_item_less(self.every.itemsets, len(self.every.vocabulary))

    @property
    def patterns(self) -> PatternSet:
        """The itemsets that are kept, as a selection."""
        return chosen(self.every, self.kept)

    def withhold(self, flags: NDArray[np.bool_]) -> None:
        """Withhold some itemsets, and with them all their supersets."""
        self.kept = ~self.above(~self.kept | flags)

    def withhold_largest_in(self, items: list[int], *, holding: int | None = None) -> frozenset[int]:
        """Withhold the kept itemset with fewest other items and most of these; return it, empty if there is none.

        `holding` is an item that it must have.
        """
        itemsets = self.every.itemsets
        shared = itemsets.keeping(np.isin(itemsets.items, items)).lengths
        asked = shared > 0 if holding is None else itemsets.keeping(itemsets.items == holding).lengths > 0
        listed = np.flatnonzero(self.kept & asked)
        if not len(listed):
            return frozenset()
        outside = (itemsets.lengths - shared)[listed]
        best = listed[np.lexsort((self.every.supports[listed], -shared[listed], outside))[0]]
        self.withhold(np.arange(len(self.kept)) == best)
        return frozenset(itemsets[int(best)].tolist())

    def withhold_siblings(self, wanted: NDArray[np.bool_], exclusive: Itemsets) -> None:
        """Withhold all items of an exclusive set of which one of the wanted items is not kept at all.

        Otherwise who has none of the values of a column that are left would be known to have the one that is not.
        """
        itemsets = self.every.itemsets
        lost = wanted.copy()
        lost[itemsets.items[np.repeat(self.kept, itemsets.lengths)]] = False
        for items in exclusive:
            if lost[items].any():
                self.withhold(itemsets.keeping(np.isin(itemsets.items, items)).lengths > 0)

    def above(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return these itemsets and all their supersets."""
        above = flags.copy()
        for first, last, _ in self.every.itemsets.by_length():
            above[first:last] |= self.any_smaller(above, first, last)
        return above

    def any_smaller(self, flags: NDArray[np.bool_], first: int, last: int) -> NDArray[np.bool_]:
        """Return for each itemset of one length whether some itemset of one item less has the flag."""
        offsets = self.every.itemsets.offsets
        smaller = self._less[offsets[first] : offsets[last]].reshape(last - first, -1)
        return np.asarray(((smaller >= 0) & flags[np.maximum(smaller, 0)]).any(axis=1))


def chosen(patterns: PatternSet, mask: NDArray[np.bool_]) -> PatternSet:
    """Return some of the patterns, as a selection."""
    numbers = np.flatnonzero(mask)
    itemsets = patterns.itemsets.select(numbers)
    return replace(patterns, itemsets=itemsets, supports=patterns.supports[numbers], target="selected", max_length=None)

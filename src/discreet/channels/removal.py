"""Name the columns or items whose removal opens most, where hardly anything can be published unchanged.

Problem      given closed itemsets and k, find few columns (or items, if there are no columns) without which the lowest
             support with no channel falls far.
Method       a value that all rows have but 1 to k-1 is a channel by itself at every support that it reaches, so its
             column must go: all of these first. Then greedily: among the columns of the channels that stand just below
             the lowest support, the one whose removal lowers it most; until the wanted support is reached.
Promises     without the columns named, the support named is the lowest with no channel, from that of the itemsets up,
             and an itemset reaches it.
Cost         one projection of the itemsets and one trade-off for each column tried; a budget of itemsets ends the
             search, so that it takes seconds at most.
Departures   the choice is greedy: other columns, or fewer, may open as much.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.collection import Collection, collection_of
from discreet.channels.detection import channels_of_patterns
from discreet.channels.exclusive import column_of
from discreet.channels.quasi_identifiers import keep_items
from discreet.channels.tradeoff import tradeoff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.patterns.patternset import PatternSet

__all__ = ["Removal", "find_removal", "opens_little"]

_MOST_NAMED = 12
"""The most columns or items that are named."""

_MOST_TRIED = 4
"""How many of them are tried at each step."""

_BUDGET = 1_500_000
"""How many itemsets may be projected in all."""


@dataclass(frozen=True, slots=True, eq=False)
class Removal:
    """What to leave out, and what that opens.

    names       columns, or items if `columns` is false
    support     the lowest support with no channel without them
    left        the itemsets without them
    """

    names: tuple[str, ...]
    columns: bool
    support: int
    left: Collection


def opens_little(lowest: int | None, n: int) -> bool:
    """Return whether a lowest safe support is as good as none: at least 95 % of all rows."""
    return lowest is None or 20 * lowest >= 19 * n


def find_removal(collection: Collection, *, k: int, lowest: int | None, columns: Sequence[str]) -> Removal | None:
    """Return what to leave out, of the table's columns if there are any; None if nothing helps.

    `lowest` is the lowest safe support as things are, None if there is none.
    """
    if collection.kind == "incomplete" or not collection.counted or collection.patterns.n < k:
        return None
    start = replace(collection, patterns=collection.closed, kind="closed", said=True)
    search = _Search(start, k, start.patterns.n + 1 if lowest is None else lowest, columns)
    search.leave_out_necessary()
    while search.step():
        pass
    return search.found


class _Search:
    """The greedy search: what is left out so far, and what remains."""

    def __init__(self, start: Collection, k: int, lowest: int, columns: Sequence[str]) -> None:
        self._start, self._k = start, k
        self._names, self._of = _groups(start.patterns, columns)
        self._columns = frozenset(columns)
        self._out: list[int] = []
        self._left = start
        self._spent = 0
        self._lowest = self._first = lowest
        self.found: Removal | None = None

    def leave_out_necessary(self) -> None:
        """Leave out whatever has a value that all rows have but 1 to k-1."""
        patterns = self._start.single_items
        rare = patterns.n - patterns.supports
        items = patterns.items[(rare > 0) & (rare < self._k)]
        groups = np.unique(self._of[items]).tolist()
        if 0 < len(groups) <= _MOST_NAMED:
            self._take(groups, *self._without(groups))

    def step(self) -> bool:
        """Leave out one more; return whether that helped and more may."""
        if not self._out:
            self._lowest = self._lowest_of(self._start)
        if len(self._out) >= _MOST_NAMED or self._lowest <= self._start.patterns.min_support:
            return False
        tried = []
        for group in self._candidates():
            if self._spent > _BUDGET:
                break
            tried.append((*self._without([group]), group))
        if not tried:
            return False
        lowest, left, group = min(tried, key=lambda each: each[0])
        self._take([group], lowest, left)
        return True

    def _take(self, groups: list[int], lowest: int, left: Collection) -> None:
        self._out += groups
        self._lowest, self._left = lowest, left
        before = self._first if self.found is None else self.found.support
        if len(left.patterns) and lowest < before and lowest <= int(left.patterns.supports.max()):
            names = sorted(self._names[group] for group in self._out)
            self.found = Removal(tuple(names), self._columns.issuperset(names), lowest, left)

    def _without(self, groups: list[int]) -> tuple[int, Collection]:
        self._spent += len(self._left.patterns)
        left = keep_items(self._left, ~np.isin(self._of, groups))
        return self._lowest_of(left), left

    def _lowest_of(self, collection: Collection) -> int:
        self._spent += len(collection.patterns)
        least = collection.patterns.min_support
        lowest = tradeoff(collection.patterns, min_support=[least], k=[self._k]).lowest[self._k]
        return collection.patterns.n + 1 if lowest is None else lowest

    def _candidates(self) -> list[int]:
        """Return what occurs in most of the channels just below the lowest support with none."""
        just_below = collection_of(self._left.at_support(max(1, self._lowest - 1)))
        channels = channels_of_patterns(just_below, k=self._k, method="auto", all_channels=False)
        fulls = channels.fulls
        everywhere = self._start.single_items
        constant = np.zeros(len(self._of), bool)
        constant[everywhere.items[everywhere.supports == everywhere.n]] = True
        pairs = np.unique(np.stack([fulls.owners, self._of[fulls.items]])[:, ~constant[fulls.items]], axis=1)
        weight = np.bincount(channels.which, minlength=len(fulls))[pairs[0]]
        tally = np.bincount(pairs[1], weight, minlength=len(self._names))
        return [group for group in np.argsort(-tally, kind="stable")[:_MOST_TRIED].tolist() if tally[group]]


def _groups(patterns: PatternSet, columns: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the columns, with items of none by themselves, and for each item the number of its column."""
    known = frozenset(columns)
    names = [column_of(label, known) or label for label in patterns.vocabulary]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return list(numbers), np.array([numbers[name] for name in names], np.int64)

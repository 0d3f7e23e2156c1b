"""A published collection of itemsets as an auditor sees it: its kind, and what can be computed from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet import _kernel
from discreet.channels.channel import maximal_itemsets
from discreet.errors import DataError, param
from discreet.itemsets import Itemsets
from discreet.patterns.counted_patterns import CountedPatterns
from discreet.patterns.expansion import expand_closed
from discreet.patterns.imported_patterns import ImportedPatterns
from discreet.patterns.patternset import PatternSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "MORE_THAN_ANY",
    "MOST_COMPARED",
    "Collection",
    "CollectionKind",
    "can_be_closed",
    "collection_of",
    "lists_every_subset",
]

CollectionKind = Literal["all", "closed", "incomplete"]
"""All frequent itemsets down to a threshold, the closed ones among them, or neither."""

_ROOM = 1 << 40
"""Added to the supports, it is more rows than any k."""

MORE_THAN_ANY = 1 << 60
"""Stands for a number of rows that nobody knows where only its size matters: no share of it is large."""

_MOST_EXPANDED = 2_000_000
"""Larger collections are not expanded to all their itemsets."""

MOST_COMPARED = 20_000
"""Up to this size, all pairs of itemsets are compared to find out whether a collection is one of closed itemsets."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Itemsets with supports. Use `kind` here, not `patterns.target`.

    `said` is whether the source stated the kind; otherwise it was inferred. If the number of rows is not known,
    `counted` is False and `patterns.n` is larger than any number of rows that hold one of the items.
    """

    patterns: PatternSet
    kind: CollectionKind
    said: bool
    counted: bool = True

    @cached_property
    def closed(self) -> PatternSet:
        """The closed itemsets."""
        if self.kind == "closed":
            return self.patterns
        less = self._less
        supports = self.patterns.supports
        longer = np.repeat(supports, self.patterns.itemsets.lengths)
        inner = less >= 0
        not_closed = np.zeros(len(supports), bool)
        not_closed[less[inner][supports[less[inner]] == longer[inner]]] = True
        return self._select(np.flatnonzero(~not_closed), "closed")

    @cached_property
    def maximal(self) -> Itemsets:
        """The maximal itemsets; the empty itemset if there is no other."""
        if self.kind != "all" or not len(self.patterns):
            return maximal_itemsets(self.patterns)
        covered = np.zeros(len(self.patterns), bool)
        covered[self._less[self._less >= 0]] = True
        chosen = np.flatnonzero(~covered)
        return self.patterns.itemsets.select(chosen)

    @cached_property
    def everything(self) -> PatternSet:
        """All frequent itemsets; of a selection that lists every subset, what it lists."""
        if self.kind == "all" or (self.kind == "incomplete" and not (self._less == _NOT_LISTED).any()):
            return self.patterns
        return expand_closed(self.closed, max_patterns=_MOST_EXPANDED)

    @property
    def if_not_whole(self) -> Collection | None:
        """What this is if it cannot be what it was taken for; None if the source says what it is, or nothing is left.

        What looked like all itemsets may be cut off at its longest length, what looked like the closed ones lacks some.
        """
        if self.said or self.kind == "incomplete":
            return None
        if self.kind == "closed":
            return replace(self, kind="incomplete")
        longest = int(self.patterns.itemsets.lengths.max(initial=0))
        return None if self.patterns.max_length else replace(self, patterns=replace(self.patterns, max_length=longest))

    def at_support(self, support: int) -> PatternSet:
        """Return the itemsets of at least this support, as a collection of the same kind."""
        target: Literal["all", "closed", "selected"] = "selected" if self.kind == "incomplete" else self.kind
        chosen = self._select(np.flatnonzero(self.patterns.supports >= support), target)
        return replace(chosen, min_support=support)

    def support_of(self, items: NDArray[np.int32]) -> int:
        """Return the support of a set of frequent items, 0 if no itemset of the collection contains it."""
        if not len(items):
            return self.patterns.n
        if isinstance(self.patterns, CountedPatterns):
            return self.patterns.support_in_rows(items)
        closed = self.closed if self.kind != "incomplete" else self.patterns
        counts = closed.itemsets.keeping(np.isin(closed.items, items)).lengths
        return int(closed.supports[counts == len(items)].max(initial=0))

    @property
    def highest_support(self) -> int:
        """The highest support of an itemset; 0 if there is none."""
        if isinstance(self.patterns, CountedPatterns):
            return int(self.patterns.rows.item_supports().max())
        return int(self.patterns.supports.max(initial=0))

    @cached_property
    def single_items(self) -> PatternSet:
        """The frequent items, each with the support of the smallest closed itemset that contains it."""
        patterns = self.patterns
        supports = np.zeros(len(patterns.vocabulary), np.int64)
        np.maximum.at(supports, patterns.items, np.repeat(patterns.supports, patterns.itemsets.lengths))
        items = np.flatnonzero(supports).astype(np.int32)
        return PatternSet.unchecked(
            itemsets=Itemsets.from_lengths(np.ones(len(items), np.int64), items),
            supports=supports[items],
            vocabulary=patterns.vocabulary,
            n=patterns.n,
            min_support=patterns.min_support,
            target="all",
            max_length=1,
        )

    @cached_property
    def _less(self) -> NDArray[np.int32]:
        return _kernel.one_item_less(self.patterns.itemsets, len(self.patterns.vocabulary))

    def _select(self, numbers: NDArray[np.int64], target: Literal["all", "closed", "selected"]) -> PatternSet:
        return PatternSet.unchecked(
            itemsets=self.patterns.itemsets.select(numbers),
            supports=self.patterns.supports[numbers],
            vocabulary=self.patterns.vocabulary,
            n=self.patterns.n,
            min_support=self.patterns.min_support,
            target=target,
        )


def collection_of(source: PatternSet | ImportedPatterns, *, without_n: bool = False) -> Collection:
    """Determine the kind of a collection; one that does not say n is refused unless it may be `without_n`.

    Shares that do not say it are then those of the least number of rows.

    A collection that claims to be closed, and has no length limit, is believed. So is one that claims to be a
    selection, which is incomplete. Any other is "all" if no itemset lacks a subset. It is "closed" if the source claims
    nothing, every intersection of two itemsets is listed, and every larger itemset is rarer. Otherwise it is
    incomplete.
    """
    if without_n and isinstance(source, ImportedPatterns):
        source = replace(source, n_is_least=False)
    if without_n and isinstance(source, ImportedPatterns) and source.n is None:
        least_n = 2 * int(source.supports.sum()) + _ROOM
        return replace(collection_of(replace(source, n=least_n)), counted=False)
    claimed = source.target if isinstance(source, PatternSet) else source.kind
    patterns = source if isinstance(source, PatternSet) else _as_patternset(source)
    if claimed == "closed" and patterns.max_length is None:
        return Collection(patterns, "closed", said=True)
    if isinstance(source, PatternSet):  # imported patterns were checked when they were read
        _check_order(patterns)
    if claimed not in ("maximal", "selected") and lists_every_subset(patterns):
        capped_closed = claimed == "closed" and patterns.max_length is not None
        if not capped_closed:
            return Collection(patterns, "all", said=claimed == "all")
    if claimed == "unknown" and len(patterns) <= MOST_COMPARED and can_be_closed(patterns):
        return Collection(replace(patterns, target="closed"), "closed", said=False)
    return Collection(patterns, "incomplete", said=claimed != "unknown")


_NOT_LISTED = -1


def _as_patternset(given: ImportedPatterns) -> PatternSet:
    if given.n is None:
        raise DataError(f"the patterns do not say how many rows they come from; give {param('n')}")
    return given.to_patternset("all" if given.kind == "unknown" else given.kind)


def _check_order(patterns: PatternSet) -> None:
    """Refuse a collection in which a larger itemset has more rows than a smaller one."""
    wrong = _kernel.find_contradiction(
        patterns.itemsets, patterns.supports, patterns.supports, len(patterns.vocabulary)
    )
    if wrong is not None:
        raise DataError(
            "the supports contradict each other: no data set can have them, because an itemset of "
            f"{patterns.itemsets.lengths[wrong[0]]} items has more rows than one of its subsets; "
            "check how the patterns were made"
        )


def lists_every_subset(patterns: PatternSet) -> bool:
    """Return whether every subset of a listed itemset is listed, but the empty one, whose support is n."""
    less = _kernel.one_item_less(patterns.itemsets, len(patterns.vocabulary))
    return not (less == _NOT_LISTED).any()


def can_be_closed(patterns: PatternSet) -> bool:
    """Return whether the collection is closed under intersection, as any complete set of closed itemsets is."""
    return bool(_kernel.closed_under_intersection(patterns.itemsets, patterns.supports, len(patterns.vocabulary)))

"""Find the kinds of rows that are possible under given supports.

Problem      given a complete collection of itemsets, find which kinds of rows (sets of published items) can occur in a
             data set with these supports, each never or at least k times, and how often.
Method       within a maximal itemset M the supports determine how many rows contain I and nothing else of M. A kind
             can be I on M only if that number is not 0, and occurs at most that often. Kinds are assembled from such
             groups, one maximal itemset after another.
Promises     every kind that can occur is among them, unless there are too many and some are cut.
Cost         maximal itemsets times kinds times the groups that fit one.
Names        kind -> a set of published items, as the bits of an int;  groups[M][I] -> f_I^M, the rows that are I on M.
Reference    atzori2008, for f_I^M
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.collection import collection_of
from discreet.channels.detection import groups_within
from discreet.channels.grouping import EVERY_SIZE
from discreet.errors import DataError
from discreet.itemsets import Itemsets
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from discreet.patterns.patternset import PatternSet

__all__ = ["Problem", "as_bits", "as_rows", "problem_of", "put_together"]

_MOST_GROUPS = 5_000
"""The most groups of rows within maximal itemsets; larger problems are not tried."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What is published, with itemsets as bits; a row contains at most one item of each `exclusive` itemset."""

    patterns: PatternSet
    k: int
    maximal: list[int]
    groups: list[dict[int, int]]
    exclusive: list[int]

    @cached_property
    def equations(self) -> dict[tuple[int, int], int]:
        """The numbers of the equations: one for each group on the first maximal itemset that contains it."""
        found = [
            (target, group)
            for target, groups in enumerate(self.groups)
            for group in groups
            if all(group & ~earlier for earlier in self.maximal[:target])
        ]
        return {each: number for number, each in enumerate(found)}

    @cached_property
    def order(self) -> list[int]:
        """The maximal itemsets, ordered so that each shares the most items with those before it."""
        left, seen, order = list(range(len(self.maximal))), 0, []
        while left:
            shared = {each: (self.maximal[each] & seen).bit_count() for each in left}
            best = max(left, key=lambda each: (shared[each], -len(self.groups[each]), -each))
            left.remove(best)
            order.append(best)
            seen |= self.maximal[best]
        return order

    def published(self, items: int) -> bool:
        """Return whether this is a frequent itemset."""
        return any(not items & ~each for each in self.maximal)

    def allowed(self, kind: int) -> bool:
        """Return whether a row may contain these items."""
        return all((kind & each).bit_count() <= 1 for each in self.exclusive)

    def limit(self, kind: int) -> int:
        """Return how often a kind can occur; 0 if that is less than k."""
        most = min(groups.get(kind & each, 0) for each, groups in zip(self.maximal, self.groups, strict=True))
        if most >= self.patterns.min_support and not self.published(kind):
            most = self.patterns.min_support - 1
        return most if most >= self.k and self.allowed(kind) else 0


def problem_of(patterns: PatternSet, k: int, exclusive: list[int]) -> Problem | None:
    """Return the problem; None if it has no solution or is too large, or if the collection is incomplete."""
    try:
        collection = collection_of(patterns)
        if collection.kind == "incomplete":
            return None
        maximal = collection.maximal
        found = groups_within(collection, maximal, below=EVERY_SIZE)
    except DataError:
        return None  # the supports contradict each other
    if len(found.counts) > _MOST_GROUPS or found.counts.min(initial=k) < k:
        return None
    groups: list[dict[int, int]] = [{} for _ in range(len(maximal))]
    for number, (target, count) in enumerate(zip(found.targets.tolist(), found.counts.tolist(), strict=True)):
        groups[target][as_bits(found.bases[number].tolist())] = count
    return Problem(patterns, k, [as_bits(maximal[each].tolist()) for each in range(len(maximal))], groups, exclusive)


def put_together(
    problem: Problem, worth: Mapping[tuple[int, int], float], costs: Mapping[int, float], *, most: int, cut: bool
) -> dict[int, float] | None:
    """Assemble kinds from groups, one maximal itemset after another, each kind with its worth.

    If there are more than `most`, those worth the most are kept if the others may be `cut`; otherwise None is returned.
    """
    kinds, seen = {0: 0.0}, 0
    scarce = problem.patterns.min_support <= problem.k
    for target in problem.order:
        items = problem.maximal[target]
        fitting: dict[int, list[tuple[int, float]]] = {}
        for group in problem.groups[target]:
            fitting.setdefault(group & seen, []).append((group, worth.get((target, group), 0.0)))
        decided = [(each, cost) for each, cost in costs.items() if each & ~seen and not each & ~(seen | items)]
        longer: dict[int, float] = {}
        for kind, value in kinds.items():
            for group, more in fitting.get(kind & items, ()):
                both = kind | group
                if both == kind or (problem.allowed(both) and not (scarce and not problem.published(both))):
                    longer[both] = value + more + sum(cost for each, cost in decided if not each & ~both)
        seen |= items
        if len(longer) > most:
            if not cut:
                return None
            longer = dict(sorted(longer.items(), key=lambda each: (-each[1], each[0]))[:most])
        kinds = longer
    return kinds


def as_bits(items: Iterable[int]) -> int:
    """Return an itemset as the bits of an int.

    >>> as_bits([0, 3])
    9
    """
    return sum(1 << item for item in items)


def as_rows(kinds: Mapping[int, int], problem: Problem) -> Transactions:
    """Return kinds of rows as weighted rows, shortest first."""
    vocabulary = problem.patterns.vocabulary
    listed = [([item for item in range(len(vocabulary)) if kind >> item & 1], weight) for kind, weight in kinds.items()]
    listed.sort(key=lambda each: (len(each[0]), each[0]))
    weights = np.array([weight for _, weight in listed], np.int64)
    return Transactions(Itemsets.of(items for items, _ in listed), vocabulary, weights)

"""Find the association rules in a collection of frequent itemsets.

Problem      given all frequent itemsets and a least confidence, return every rule X -> Y with X and Y disjoint and not
             empty, X u Y frequent, and sup(X u Y) / sup(X) at least that confidence.
Method       agrawal1994, section 3: consequents grow by one item at a time, because moving an item from the antecedent
             to the consequent never raises the confidence. Many itemsets are grown at once, as arrays.
Promises     exactly the rules of the definition; confidence is compared in whole numbers; the order is that of
             antecedents, then consequents, however the work was split.
Cost         one look-up per item of the collection, then one table access per candidate rule.
Departures   a table lists which itemset is left when one item is dropped from another, so an antecedent's support is
           found without hashing. Closed itemsets are first expanded to all (see `expansion`), because a rule's
           three supports may belong to itemsets that are not closed.
Names        X, Y -> antecedent, consequent;  X u Y -> whole.
Reference    Agrawal and Srikant, Fast Algorithms for Mining Association Rules (VLDB 1994).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError, TooManyPatterns, param
from discreet.patterns.expansion import expand_closed
from discreet.patterns.ruleset import RuleSet
from discreet.thresholds import Share, ShareLike

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.patterns.patternset import PatternSet

    Numbers = NDArray[np.int64]

__all__ = ["rules"]

_EMPTY = -1
"""The number of the empty itemset, which is not listed."""

_MOST_CANDIDATES = 1 << 21
"""Rules per batch: tens of megabytes."""


def rules(patterns: PatternSet, *, min_confidence: ShareLike, max_rules: int = 20_000_000) -> RuleSet:
    """Return every association rule among the itemsets with a confidence of at least `min_confidence`.

    Parameters
    ----------
    patterns : PatternSet
        All frequent itemsets, or the closed ones without a cap on their length. Maximal itemsets lack the supports that
        confidence needs.
    min_confidence : str, float or Fraction
        A share: "60%", 0.6, Fraction(3, 5).
    max_rules : int, default 20,000,000
        How many rules are too many.

    Returns
    -------
    RuleSet
        The rules, with exact counts.

    Raises
    ------
    ParameterError
        A parameter has an unusable value, or the patterns are not all or closed itemsets.
    DataError
        The patterns lack itemsets that the rules need.
    TooManyPatterns
        There are more than `max_rules` rules.

    Examples
    --------
    >>> import discreet
    >>> found = discreet.PatternSet.from_itemsets([("a", 3), ("b", 2), ("ab", 2)], n=4, min_support=2)
    >>> for rule in discreet.rules(found, min_confidence="60%"):
    ...     print(*rule.antecedent, "->", *rule.consequent, rule.confidence)
    a -> b 2/3
    b -> a 1
    """
    least = Share.parse(min_confidence, parameter="min_confidence")
    if patterns.target == "maximal" or (patterns.target == "closed" and patterns.max_length is not None):
        raise ParameterError(
            f"{patterns.target} itemsets {'under a cap ' if patterns.max_length else ''}do not give the supports that "
            f'rules need; mine with target "all", or "closed" without {param("max_length")}',
            parameter="patterns",
        )
    every = expand_closed(patterns) if patterns.target == "closed" else patterns
    family = _family(every)
    needed = _needed_supports(every.supports, least)
    wholes, antecedents, consequents = _grow_consequents(every, family, needed, max_rules)
    order = np.lexsort([consequents, antecedents])
    wholes, antecedents, consequents = wholes[order], antecedents[order], consequents[order]
    return RuleSet(
        antecedents=every.itemsets.select(antecedents),
        consequents=every.itemsets.select(consequents),
        supports=every.supports[wholes],
        antecedent_supports=every.supports[antecedents],
        consequent_supports=every.supports[consequents],
        vocabulary=every.vocabulary,
        n=every.n,
        min_support=every.min_support,
        min_confidence=least,
    )


def _needed_supports(supports: Numbers, least: Fraction) -> Numbers:
    """Return for each itemset, as an antecedent, the least support of a rule: ceil(least * support), exactly."""
    distinct, which = np.unique(supports, return_inverse=True)
    needed = [-(-least.numerator * support // least.denominator) for support in distinct.tolist()]
    return np.array(needed, np.int64)[which]


@dataclass(frozen=True, slots=True)
class _Family:
    """The parents and children of itemsets.

    `keys` identify each itemset by its parent (itself without its last item) and that last item; they ascend because
    the itemsets are in canonical order. `dropped`, parallel to the items, is the itemset left without that item.
    """

    keys: Numbers
    dropped: Numbers
    labels: int

    def child(self, parent: Numbers, item: NDArray[np.int32]) -> Numbers:
        """Return the itemsets `parent + item`, for items beyond the parents' own."""
        key = _key(parent, item, self.labels)
        return np.searchsorted(self.keys, key)


def _key(parent: Numbers, item: NDArray[np.int32], labels: int) -> Numbers:
    return (parent + 1) * labels + item


def _family(patterns: PatternSet) -> _Family:
    labels = len(patterns.vocabulary)
    keys = np.zeros(len(patterns), np.int64)
    dropped = np.full(len(patterns.items), _EMPTY, np.int64)
    for first, last, matrix in patterns.itemsets.by_length():
        shorter = _Family(keys[:first], dropped, labels)
        parent = _parents(shorter, matrix)
        table = dropped[patterns.offsets[first] : patterns.offsets[last]].reshape(matrix.shape)
        table[:, -1] = parent
        for column in range(matrix.shape[1] - 1):
            cousin = dropped[patterns.offsets[parent] + column]
            table[:, column] = _listed(shorter, cousin, matrix[:, -1])
        keys[first:last] = _key(parent, matrix[:, -1], labels)
    return _Family(keys, dropped, labels)


def _parents(shorter: _Family, matrix: NDArray[np.int32]) -> Numbers:
    """Return the number of each set without its last item; adjacent sets mostly share it, so each is looked up once."""
    prefixes = matrix[:, :-1]
    new = np.ones(len(matrix), bool)
    new[1:] = (prefixes[1:] != prefixes[:-1]).any(axis=1)
    parent = np.full(int(new.sum()), _EMPTY, np.int64)
    for column in prefixes[new].T:
        parent = _listed(shorter, parent, column)
    return np.asarray(parent[np.cumsum(new) - 1])


def _listed(family: _Family, parent: Numbers, item: NDArray[np.int32]) -> Numbers:
    """Return the itemsets `parent + item`, which must be listed."""
    found = family.child(parent, item)
    inside = found < len(family.keys)
    if not (inside.all() and np.array_equal(family.keys[found], _key(parent, item, family.labels))):
        raise DataError(
            'these are not all frequent itemsets: a part of one is not listed; mine with target "all", or say "closed"'
        )
    return found


def _grow_consequents(
    patterns: PatternSet, family: _Family, needed: Numbers, max_rules: int
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the itemset numbers of each rule's whole, antecedent and consequent."""
    found: list[tuple[Numbers, Numbers, Numbers]] = []
    count = 0
    for start in _seeds(patterns):
        waiting = [start]
        while waiting:
            grown = waiting.pop()
            if len(grown.whole) > 1 and grown.candidates(patterns) > _MOST_CANDIDATES:
                waiting.extend(grown.halves())
                continue
            grown = grown.extended(patterns, family, needed)
            if not len(grown.whole):
                continue
            waiting.append(grown)
            found.append((grown.whole, grown.antecedent, grown.consequent))
            count += len(grown.whole)
            if count > max_rules:
                raise TooManyPatterns(
                    f"more than {max_rules:,} rules hold at this confidence; raise {param('min_confidence')} or "
                    f"{param('min_support')}",
                    found=count,
                    min_support=patterns.min_support,
                )
    nothing = np.zeros(0, np.int64)
    whole, antecedent, consequent = (np.concatenate([nothing, *(block[part] for block in found)]) for part in range(3))
    return whole, antecedent, consequent


def _seeds(patterns: PatternSet) -> Iterator[_Rules]:
    """Yield blocks of itemsets of at least two items, with an empty consequent."""
    first = int(np.searchsorted(patterns.itemsets.lengths, 2))
    for start in range(first, len(patterns), 1 << 16):
        whole = np.arange(start, min(start + (1 << 16), len(patterns)))
        nothing = np.full(len(whole), _EMPTY, np.int64)
        yield _Rules(whole=whole, antecedent=whole, consequent=nothing, last=nothing, size=0)


@dataclass(frozen=True, slots=True)
class _Rules:
    """Rules with `size` items in the consequent; `last` is the position in the whole of the consequent's last item."""

    whole: Numbers
    antecedent: Numbers
    consequent: Numbers
    last: Numbers
    size: int

    def candidates(self, patterns: PatternSet) -> int:
        """Return how many rules these yield with one more item in the consequent."""
        return int((self._length(patterns) - 1 - self.last).sum())

    def _length(self, patterns: PatternSet) -> Numbers:
        return patterns.offsets[self.whole + 1] - patterns.offsets[self.whole]

    def halves(self) -> tuple[_Rules, _Rules]:
        """Split into two."""
        middle = len(self.whole) // 2
        return self._part(slice(None, middle)), self._part(slice(middle, None))

    def _part(self, rows: slice) -> _Rules:
        return _Rules(self.whole[rows], self.antecedent[rows], self.consequent[rows], self.last[rows], self.size)

    def extended(self, patterns: PatternSet, family: _Family, needed: Numbers) -> _Rules:
        """Move one more item, beyond the last one, to the consequent, and keep the rules that reach the confidence."""
        length = self._length(patterns)
        choices = np.where(length > self.size + 1, length - 1 - self.last, 0)  # the antecedent keeps at least one item
        origin = np.repeat(np.arange(len(self.whole)), choices)
        step = np.arange(len(origin)) - np.repeat(np.cumsum(choices) - choices, choices)
        place = self.last[origin] + 1 + step
        # In the antecedent the item is `size` positions earlier: that many items before it have left.
        antecedent = family.dropped[patterns.offsets[self.antecedent[origin]] + place - self.size]
        whole = self.whole[origin]
        holds = patterns.supports[whole] >= needed[antecedent]
        origin, place, whole, antecedent = origin[holds], place[holds], whole[holds], antecedent[holds]
        item = patterns.items[patterns.offsets[whole] + place]
        return _Rules(whole, antecedent, family.child(self.consequent[origin], item), place, self.size + 1)

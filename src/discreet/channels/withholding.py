"""Withhold as few itemsets as needed, so that no conclusion about a sensitive item follows from the others.

Problem      given a complete collection that is safe for k, the sensitive items and rho, choose itemsets to leave out
             so that no conclusion of rho or more follows from what is left (see `conclusions`).
Method       an itemset of quasi-identifiers J and one sensitive item s must go if some group of J reaches rho: with all
             its subsets published, the group could be counted. Those itemsets are found level by level, for the share
             of a group is a mean of the shares of its finer groups, so every larger J has such a group as well. All
             supersets go with them, since a superset is a lower bound. What still follows by bounds is withheld
             greedily: of the listed itemsets with s within the conclusion's items the longest, until nothing is found.
             Then what was withheld for bounds is given back where nothing follows with it. At the end, if all itemsets
             with s went, those with items that exclude s go as well: who has none of the values of a column that are
             left would be known to have s.
Promises     an audit of what is published, from that list alone, finds no group of 1 to k-1 rows and no conclusion. The
             supports that are published are the true ones. If nothing was found, nothing is withheld, and the
             collection stays complete. It always ends: without any itemset with s, nothing about s follows.
Cost         one solution of the groups of each itemset with a sensitive item, and an attack for each round.
Departures   what is left is `selected`: of an unlisted itemset a reader knows nothing, neither that it is rare nor that
             it was withheld. A reader who knows this method can suspect more: see docs/sensitive-items.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, StepBudget, check_steps
from discreet.channels.audit import audit
from discreet.channels.collection import Collection, collection_of
from discreet.channels.conclusions import Asked, conclusions_beyond, targets_reached
from discreet.channels.exclusive import Exclusive, exclusive_in_patterns
from discreet.channels.knowledge import Knowledge
from discreet.channels.selection import Selection, chosen
from discreet.errors import DataError, NotSafe
from discreet.patterns.patternset import trimmed

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.conclusions import Conclusions
    from discreet.channels.exclusive_names import Named
    from discreet.patterns.patternset import PatternSet
    from discreet.thresholds import ShareLike
    from discreet.transactions.shapes.cell_rules import Names

__all__ = ["Withheld", "withhold"]

_AT_ONCE = 50
"""How many conclusions by bounds are treated before it is looked again."""

_TRIES = 40
"""How often it is tried to give itemsets back."""


@dataclass(frozen=True, eq=False)
class Withheld:
    """What may be published, and, for the owner alone, what was withheld and why.

    patterns    what may be published: the given patterns, or all frequent itemsets but those withheld
    withheld    the itemsets that were withheld, with their supports
    before      the audit of the given patterns, with the conclusions that followed from them
    proof       the audit of `patterns`, from their list alone: no small group, and no conclusion
    """

    patterns: PatternSet
    withheld: PatternSet = field(repr=False)
    before: Audit = field(repr=False)
    proof: Audit = field(repr=False)


def withhold(
    patterns: PatternSet,
    *,
    k: int,
    sensitive: Names | frozenset[str],
    rho: ShareLike,
    quasi_identifiers: Names | frozenset[str] | None = None,
    exclusive: Named | Exclusive | None = None,
    attack_steps: StepBudget = DEFAULT_ATTACK_STEPS,
    ignore_unknown: bool = False,
) -> Withheld:
    """Return the patterns without what tells about sensitive items; NotSafe if they are not safe for k.

    The parameters are those of `audit`; the patterns are all frequent itemsets, or the closed ones.

    >>> from discreet.patterns.patternset import PatternSet
    >>> found = PatternSet.from_itemsets([("a", 10), ("s", 10), ("as", 8)], n=20, min_support=2)
    >>> done = withhold(found, k=2, sensitive="s", rho="0.6")
    >>> [sorted(itemset) for itemset, _ in done.patterns], done.patterns.target, done.proof.safe
    ([['a'], ['s']], 'selected', True)
    """
    steps = check_steps(attack_steps)
    apart = exclusive if isinstance(exclusive, Exclusive) else exclusive_in_patterns(patterns, exclusive)
    judge = partial(
        audit,
        k=k,
        sensitive=sensitive,
        rho=rho,
        quasi_identifiers=quasi_identifiers,
        exclusive=apart,
        attack_steps=attack_steps,
        ignore_unknown=ignore_unknown,
    )
    before = judge(patterns)
    if not before.groups_safe:
        raise NotSafe("a group of 1 to k-1 rows follows from the patterns; make them safe with block first")
    collection = collection_of(patterns)
    if collection.kind == "incomplete" or before.asked is None:
        raise DataError("only all frequent itemsets, or all closed ones, can have some withheld")
    if before.safe:
        return Withheld(patterns, chosen(patterns, np.zeros(len(patterns), bool)), before, before)
    work = _Withholding(collection, before.asked, apart, steps)
    work.hide_counted()
    while found := work.bounded():
        work.hide_bounded(found)
    work.give_back()
    work.withhold_siblings(work.asked.sensitive_in(work.every.vocabulary), work.apart)
    published = work.patterns
    proof = judge(published)
    if not proof.safe:
        raise NotSafe("what is left still tells too much; raise rho, or leave the sensitive items out")
    # without labels that occur only in withheld itemsets
    return Withheld(trimmed(published), chosen(work.every, ~work.kept), before, proof)


class _Withholding(Selection):
    """The itemsets of a collection that are kept, so that no conclusion follows."""

    def __init__(self, collection: Collection, asked: Asked, exclusive: Exclusive, steps: int | None) -> None:
        super().__init__(collection)
        self.collection, self.asked, self.steps = collection, asked, steps
        self.apart = exclusive.itemsets(self.every.vocabulary)
        self.needed = self.kept  # those whose groups reach rho must stay withheld

    def hide_counted(self) -> None:
        """Withhold every itemset with a group that reaches rho, level by level, and all supersets."""
        itemsets, vocabulary = self.every.itemsets, self.every.vocabulary
        sensitive, quasi = self.asked.sensitive_in(vocabulary), self.asked.quasi_in(vocabulary)
        gone = np.zeros(len(itemsets), bool)
        for first, last, matrix in itemsets.by_length():
            level = self.any_smaller(gone, first, last)
            private = sensitive[matrix]
            asked = (private.sum(axis=1) == 1) & (private | quasi[matrix]).all(axis=1) & ~level
            numbers = np.flatnonzero(asked)
            if len(numbers):
                items = matrix[numbers][private[numbers]].astype(np.int32)
                targets = itemsets.select(first + numbers)
                level[numbers[targets_reached(self.collection, targets, items, self.asked.rho)]] = True
            gone[first:last] = level
        self.kept = self.needed = ~gone

    def bounded(self) -> Conclusions:
        """Return what still follows by bounds from what is kept."""
        here = Collection(self.patterns, "incomplete", said=True)
        known = Knowledge.of(here, self.apart)
        return conclusions_beyond(known, self.asked, maximal=here.maximal, steps=self.steps)

    def hide_bounded(self, found: Conclusions) -> None:
        """Withhold for each of the surest conclusions the longest itemset with its item among its items."""
        hidden: list[frozenset[int]] = []
        for number in range(min(len(found), _AT_ONCE)):
            item = int(found.items[number])
            inside = {item, *found.present[number].tolist(), *found.absent[number].tolist()}
            if any(one <= inside for one in hidden):
                continue
            hidden.append(self.withhold_largest_in(sorted(inside), holding=item))

    def give_back(self) -> None:
        """Publish again what was withheld for bounds, as long as nothing follows with it."""
        left = _TRIES
        waiting = [np.flatnonzero(self.needed & ~self.kept)]
        while waiting and left:
            some = waiting.pop()
            before = self.kept.copy()
            self.kept[some] = True
            self.kept &= ~self.above(~self.kept)
            if (self.kept == before).all():
                continue
            left -= 1
            if self.bounded():
                self.kept = before
                if len(some) > 1:
                    waiting += [some[len(some) // 2 :], some[: len(some) // 2]]

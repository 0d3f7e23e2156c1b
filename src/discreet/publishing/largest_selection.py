"""The largest selection from a release that is safe together with earlier ones: what to publish next month.

Problem      given patterns that are safe by themselves, but not together with earlier ones, choose as many of their
             itemsets as possible so that they are.
Method       an itemset must go if a group of its items differs by 1 to k-1 rows from that of an earlier release: with
             all its subsets listed, the difference could be counted. All of these are found at once, and all supersets
             go with them. What the attacker still finds in all releases together is treated one group at a time: the
             largest listed itemset within its items goes, until nothing is found.
Promises     what is returned is safe together with the earlier releases, by the same audit that refuses a release. It
             lists every subset of what it lists, with the same supports. The first step withholds no more than it must;
             the second is greedy.
Departures   what is left is `selected`: of an unlisted itemset a reader knows nothing.
Reference    atzori2008, section 9   (docs/guarantees.md, "ledger")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Required, TypedDict

import numpy as np

from discreet.channels.collection import collection_of
from discreet.channels.selection import Selection, chosen
from discreet.errors import NotSafe, UnsafeTogether
from discreet.patterns.patternset import trimmed
from discreet.publishing.earlier_releases import NewRelease, audit_together, find_clash, must_go

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from discreet.channels.conclusions import Asked
    from discreet.channels.exclusive import Exclusive
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.ledger_entries import Entry

__all__ = ["Fitted", "TogetherKeywords", "fit_together", "largest_selection", "publishable_itemsets"]

_MOST_ROUNDS = 100
"""How many groups of the attacker are treated."""


class TogetherKeywords(TypedDict, total=False):
    """Keywords of `audit_together`: what it has to know of a release besides its patterns."""

    k: Required[int]
    fingerprint: Required[str | None]
    exclusive: Exclusive
    quasi_identifiers: tuple[str, ...] | None
    asked: Asked | None
    rows_left: bool
    rows_added: bool


class Fitted(NamedTuple):
    """Patterns that are safe together with earlier releases, and, for the owner alone, what was withheld for that."""

    patterns: PatternSet
    withheld: PatternSet | None


def fit_together(patterns: PatternSet, earlier: Sequence[Entry], **about: Unpack[TogetherKeywords]) -> Fitted:
    """Return the patterns if they are safe together with earlier releases, else their largest selection that is.

    `about` are the keywords of `audit_together`; UnsafeTogether is raised if there is no such selection.
    """
    try:
        audit_together(patterns, earlier, **about)
    except UnsafeTogether:
        left = largest_selection(patterns, earlier, NewRelease(**about))
        if left is None:
            raise
        return Fitted(left, _without(patterns, left))
    return Fitted(patterns, None)


def publishable_itemsets(
    patterns: PatternSet, earlier: Sequence[Entry], **about: Unpack[TogetherKeywords]
) -> int | None:
    """Return how many itemsets the largest selection has; None if there is none, or it is too much to decide."""
    try:
        left = largest_selection(patterns, earlier, NewRelease(**about))
    except NotSafe:
        return None
    return None if left is None else len(left)


def _without(patterns: PatternSet, left: PatternSet) -> PatternSet:
    every = collection_of(patterns).everything
    place = np.array([every.vocabulary.positions[label] for label in left.vocabulary], np.int32)
    listed = every.itemsets.supports_in(left.itemsets.canonical(place), left.supports, len(every.vocabulary))
    return chosen(every, listed == 0)


def largest_selection(patterns: PatternSet, earlier: Sequence[Entry], new: NewRelease) -> PatternSet | None:
    """Return what of the patterns is safe together with earlier ones; None if nothing is left, or n itself tells."""
    selection = Selection(collection_of(patterns))
    wrong = must_go(selection.every, earlier, new)
    if wrong is None:
        return None
    selection.withhold(wrong)
    for _ in range(_MOST_ROUNDS):
        left = trimmed(selection.patterns)
        if not len(left):
            return None
        clash, _ = find_clash(left, earlier, new)
        if clash is None:
            asked, vocabulary = new.asked_with(earlier), selection.every.vocabulary
            if asked is not None:
                selection.withhold_siblings(asked.sensitive_in(vocabulary), new.exclusive.itemsets(vocabulary))
            left = trimmed(selection.patterns)
            return left if len(left) else None
        positions, told = selection.every.vocabulary.positions, clash.conclusion
        holding = None if told is None else positions.get(told.conclusion.item)
        about = clash.full if told is None else clash.full | {told.conclusion.item}
        items = [positions[label] for label in about if label in positions]
        if not selection.withhold_largest_in(items, holding=holding):
            return None
    return None

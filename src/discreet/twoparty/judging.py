"""Look at what was opened before anything is written: on each side, alone, from what both know.

Problem      given the opened itemsets and supports, decide whether they can be what the protocol gives, and leave out
             what an attacker could still combine to a small group.
Method       an audit of the released itemsets (`channels.audit`). The protocols rule out channels, and IC-SAPM leaves
             others possible: groups that follow by bounds, across the border. So a channel, supports that no data set
             can have, and any group at all after DkA-SAPM, whose rows are k-anonymous, mean that the partner, or
             either program, did not follow the protocol. A group across the border does not: for each, the largest
             released itemset of its items is withheld, with all that contain it, until none is found. A group that
             only whole rows can settle, and that the attacker's steps do not suffice to settle, is withheld like one
             that was found: supports that are lies can make it as hard as anyone likes.
Promises     both sides withhold the same: the rule is deterministic and uses what both have, and both know which items
             exclude each other (`exclusive_items`). What is left has no channel, lists every subset of what it lists,
             and the attacker finds no group in it.
Cost         an audit for each budget of steps up to the one that leaves nothing out, and one more for each round of
             withholding; `MOST_STEPS` in all, after which nothing is released.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.channels.attacker import DEFAULT_ATTACK_STEPS
from discreet.channels.audit import Audit, audit
from discreet.channels.channel import maximal_itemsets
from discreet.channels.collection import Collection
from discreet.channels.grouping import groups_of_patterns
from discreet.channels.selection import Selection, chosen
from discreet.errors import DataError, ProtocolViolation, param
from discreet.patterns.patternset import trimmed
from discreet.stages import share_of
from discreet.twoparty.exclusive_items import exclusive_of_both
from discreet.twoparty.steps import Conversation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from discreet.channels.exclusive import Exclusive
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.joint_patterns import JointPatterns
    from discreet.twoparty.steps import Steps

__all__ = ["MOST_STEPS", "Judgement", "judge"]

_BUDGETS: Final = (1_000, 10_000, DEFAULT_ATTACK_STEPS)
"""The attacker's steps: what it finds soon is withheld before it searches for longer."""
MOST_STEPS: Final = 10 * DEFAULT_ATTACK_STEPS
"""The steps of all audits of a look together: more than honest results take, and the same on both sides."""


class Judgement(Conversation["tuple[JointPatterns, Audit]"]):
    """One party's look at a result, after each has named which of its released items exclude each other."""

    def __init__(self, found: JointPatterns, rows: Transactions) -> None:
        """Prepare to judge what was found over these rows and the partner's; nothing is sent yet."""
        super().__init__(_judge_together(found, rows))


def judge(found: JointPatterns, exclusive: Exclusive) -> tuple[JointPatterns, Audit]:
    """Return what may be released, and its audit; raise ProtocolViolation if it cannot be a result."""
    with _impossible_refused():
        patterns = found.patterns
        if len(patterns):
            targets = maximal_itemsets(patterns)
            small = groups_of_patterns(patterns.itemsets, patterns.supports, patterns.n, targets, below=found.k)
            _refuse(len(small.counts) > 0, found.k)
        if not len(patterns):
            return found, audit(patterns, k=found.k, exclusive=exclusive)
        selection = Selection(Collection(patterns, "incomplete", said=True))
        left, look = patterns, _Look(found.k, exclusive)
        for steps in _BUDGETS:
            while not (seen := look.audit(left, steps)).safe or (steps == _BUDGETS[-1] and _unsettled(seen)):
                _refuse(found.protocol == "dka-sapm" and not seen.safe, found.k)
                _withhold(selection, seen)
                left = trimmed(selection.patterns)
            if seen.attack is None or seen.attack.complete or not (seen.attack.left_out or _unsettled(seen)):
                break  # more steps show nothing else
    if selection.kept.all():
        return found, seen
    after = chosen(selection.every, ~selection.kept)
    names = tuple(tuple(each) for each in after.itemsets.labels(after.vocabulary.labels))
    return replace(found, patterns=trimmed(selection.patterns), withheld_after=names), seen


class _Look:
    """The audits of one look, which take so many steps together at most."""

    def __init__(self, k: int, exclusive: Exclusive) -> None:
        self._k, self._exclusive = k, exclusive
        self._left = MOST_STEPS

    def audit(self, patterns: PatternSet, steps: int) -> Audit:
        self._left -= steps
        if self._left < 0:
            raise ProtocolViolation(
                f"what may be published was not settled in {MOST_STEPS:,} steps; nothing was kept: the partner's "
                f"program or rows are in doubt, or a higher {param('min_support')} on both sides is needed"
            )
        progress = share_of(f"looking at what may be published, in up to {steps:,} steps")
        return audit(patterns, k=self._k, exclusive=self._exclusive, attack_steps=steps, progress=progress)


def _unsettled(seen: Audit) -> bool:
    return seen.attack is not None and len(seen.attack.unsettled) > 0


def _refuse(wrong: bool, k: int) -> None:
    if wrong:
        raise ProtocolViolation(
            f"a group of fewer than {k} people follows from the supports that were opened, which the protocol rules "
            "out; nothing was kept, and the partner's program is in doubt"
        )


@contextmanager
def _impossible_refused() -> Iterator[None]:
    try:
        yield
    except DataError as error:
        raise ProtocolViolation(
            "no data set can have the supports that were opened; nothing was kept, and the partner's program or rows "
            "are in doubt"
        ) from error


def _judge_together(found: JointPatterns, rows: Transactions) -> Steps[tuple[JointPatterns, Audit]]:
    return judge(found, (yield from exclusive_of_both(found, rows)))


def _withhold(selection: Selection, seen: Audit) -> None:
    """Withhold for each group the largest itemset within its items, unless one that went is within them already."""
    positions = selection.every.vocabulary.positions
    gone: list[frozenset[int]] = []
    for labels in _groups(seen):
        inside = {positions[label] for label in labels}
        if not any(each <= inside for each in gone):
            gone.append(selection.withhold_largest_in(sorted(inside)))


def _groups(seen: Audit) -> Iterator[Iterable[str]]:
    """Yield the items of each group that was found, smallest groups first; if none was, of those left unsettled."""
    if seen.attack is not None and seen.safe:
        unsettled = seen.attack.unsettled
        yield from unsettled.select(np.argsort(unsettled.lengths, kind="stable")).labels(
            seen.attack.known.vocabulary.labels
        )
        return
    groups = seen.border if seen.border is not None and len(seen.border) else seen.channels
    for number in groups.smallest_first().tolist():
        yield groups[number].full

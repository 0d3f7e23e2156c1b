"""The owner's report: what was found, what was changed, what it cost. Not for release.

It says in plain words everything that the public report must not: the channels, worst first, with the sums that a
stranger could do; the rows they expose; supports before and after; the measures of atzori2008, section 8.1; the
trade-off with the chosen point. Every printed page says that it is not for release.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from discreet.answers.small_groups import entailed_groups, smallest_groups
from discreet.channels.distortion import count_itemsets
from discreet.errors import InternalFault
from discreet.publishing.charts import tradeoff_figure
from discreet.publishing.page import filled, page
from discreet.publishing.tables import BrowsingTable, Changes, Counts, Items, Shares, largest
from discreet.transactions.vocabulary import in_order
from discreet.wording import counted, number, percent, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.answers.small_groups import Group
    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.audiences import OwnerStory

__all__ = ["owner_report"]

_GROUPS_TOLD = 40
_SUMS_TOLD = 10
_BEYOND_TOLD = 10
_VIRTUAL_TOLD = 50


def owner_report(story: OwnerStory) -> str:
    """Return the page as HTML: the same story gives the same bytes."""
    before, blocked = story.before, story.blocked
    n, sigma = before.n or 0, before.min_support or 0
    changes = _Changes.of(before, blocked) if blocked is not None and blocked.distortion.rows else None
    chosen = (sigma, before.k)
    body = filled(
        "owner.html",
        source=story.source,
        bundle=story.bundle,
        n_before=number(n),
        sigma=number(sigma),
        share=percent(sigma, n) if sigma <= n else "more than there are",
        k=number(before.k),
        found_tone="promised" if before.safe else "danger",
        found_word="safe as it was" if before.safe else "not safe",
        found=_found(before),
        changed_word="nothing" if changes is None else changes.in_a_word,
        changed="The patterns are published as they were mined." if changes is None else changes.summary,
        published=_published(story),
        groups=next(iter(smallest_groups(before, _GROUPS_TOLD)), None),
        sums_told=_SUMS_TOLD,
        beyond=_beyond(before),
        beyond_in_all=len(before.border or ()),
        exposed=before.exposed_rows or 0,
        exposed_rows=story.exposed_rows,
        runs=_runs(story.exposed_rows),
        blocked=blocked,
        raised=blocked is not None and blocked.min_support != blocked.asked_support,
        changes=changes,
        tradeoff=story.tradeoff,
        tradeoff_figure=None if story.tradeoff is None else tradeoff_figure(story.tradeoff, chosen=chosen),
        command=shlex.join(story.command),
        policy=story.policy,
        verify=shlex.join(["discreet", "verify", story.bundle]),
        version=story.published.version,
    )
    title = f"Not for release: the owner's report on {story.bundle}"
    return page(title=title, body=body, styles=("page.css", "owner.css"), script="tables.js")


def _found(before: Audit) -> str:
    rows = f"{number(before.n or 0)} rows"
    if before.safe:
        return f"No group of fewer than {number(before.k)} of {rows} was found to follow from the patterns as mined."
    across = len(before.border or ())
    parts = []
    if len(before.channels):
        parts.append(
            f"{counted(len(before.channels), 'channel singles', 'channels single')} out fewer than "
            f"{number(before.k)} of {rows}; {counted(before.exposed_rows or 0, 'row is', 'rows are')} exposed"
        )
    if across:
        parts.append(
            f"{counted(across, 'small group follows', 'small groups follow')} for items that are not published together"
        )
    return f"{', and '.join(parts)}."


def _published(story: OwnerStory) -> str:
    patterns, k = story.published.patterns, story.published.k
    proved = (
        " It is proved that none follows: a data set was found that agrees with all that is published, and in which "
        f"every kind of row occurs not at all or at least {number(k)} times."
        if story.published.proved
        else ""
    )
    return (
        f"{counted(len(patterns), 'pattern')} of {number(patterns.n)} rows. An audit of these patterns alone, by "
        f"another method than the first, found no group of fewer than {number(k)}.{proved}"
    )


def _beyond(before: Audit) -> list[Group]:
    """Return the smallest groups that the attacker found."""
    attack = before.attack
    return [] if attack is None else entailed_groups(attack, attack.groups.smallest_first()[:_BEYOND_TOLD].tolist())


@dataclass(frozen=True, eq=False, kw_only=True)
class _Changes:
    """What blocking changed, and what that cost."""

    in_a_word: str
    summary: str
    virtual_rows: list[list[str]]
    closed: int
    stayed: int
    lost: int
    table: BrowsingTable | None
    measures: list[tuple[str, str]]

    @classmethod
    def of(cls, before: Audit, blocked: Blocked) -> _Changes:
        closed, cost, known = _frequent(before, blocked.min_support), blocked.distortion, blocked.patterns.vocabulary
        total = count_itemsets(closed) + 1  # including the empty one
        some = number(int(cost.changed * total))
        added = blocked.method == "additive"
        after = _supports_after(closed, blocked)
        return cls(
            in_a_word=f"{counted(cost.rows, 'row')} {'added virtually' if added else 'left out'}",
            summary=f"{some} of {counted(total, 'support')} changed, by {share(cost.worst)} at most and "
            f"{share(cost.average)} on average. The number of rows went from {number(blocked.n_before)} to "
            f"{number(blocked.n_after)}.",
            virtual_rows=[in_order(merge.base, known) for merge in blocked.merged[:_VIRTUAL_TOLD]],
            closed=len(closed),
            stayed=int(np.count_nonzero(after == closed.supports)),
            lost=int(np.count_nonzero(after == 0)),
            table=_before_and_after(closed, after) if len(closed) else None,
            measures=[
                ("Rows added virtually" if added else "Rows left out", number(cost.rows)),
                ("Itemsets whose support changed", f"{some} of {number(total)} ({share(cost.changed)})"),
                ("Change of a support on average", share(cost.average)),
                ("Largest change of a support", share(cost.worst)),
            ],
        )


def _frequent(before: Audit, least: int) -> PatternSet:
    """Return the original closed itemsets with enough rows; the requested support may have been below k."""
    if before.collection is None:
        raise InternalFault("an owner's report needs the patterns as they were")
    closed = before.collection.closed
    kept = np.flatnonzero(closed.supports >= least)
    itemsets = closed.itemsets.select(kept)
    return replace(closed, itemsets=itemsets, supports=closed.supports[kept], min_support=least)


def _before_and_after(closed: PatternSet, after: NDArray[np.int64]) -> BrowsingTable:
    changes = after - closed.supports
    kept = largest(np.abs(changes))
    before = closed.supports[kept]
    change = Changes("Change", changes[kept])
    return BrowsingTable(
        "Supports before and after, those that changed most first",
        (
            Items("Items", closed.vocabulary, closed.itemsets.select(kept)),
            Counts("Before", before),
            Counts("After", after[kept]),
            change,
            Shares("Relative", change, before),
        ),
        by=change,
    )


def _supports_after(closed: PatternSet, blocked: Blocked) -> NDArray[np.int64]:
    """Return the current supports of the original closed itemsets; 0 if they are no longer frequent."""
    now = blocked.patterns
    labels = len(closed.vocabulary)
    after = closed.itemsets.supports_in(now.itemsets, now.supports, labels)
    unlisted = np.flatnonzero(after == 0)  # no longer frequent, or no longer closed
    if len(unlisted):
        rows = blocked.witness
        counts = closed.itemsets.select(unlisted).count_in(rows.itemsets, rows.weights, labels)
        after[unlisted] = np.where(counts >= blocked.min_support, counts, 0)
    return after


def _runs(numbers: tuple[int, ...]) -> str:
    """Return ascending numbers with consecutive ones as ranges.

    >>> _runs((1, 2, 3, 7, 1200))
    '1 to 3, 7, 1200'
    """
    words = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        first, *others = [value for _, value in run]
        words.append(f"{first} to {others[-1]}" if others else str(first))
    return ", ".join(words)

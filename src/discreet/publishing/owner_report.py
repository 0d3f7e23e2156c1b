"""The owner's report: what was found, what was changed, what it cost. Not for release.

It says in plain words everything that the public report must not: the channels, worst first, with the sums that a
stranger could do; the rows they expose; supports before and after; the measures of atzori2008, section 8.1; the
trade-off with the chosen point. Every printed page says that it is not for release.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from discreet.answers.answer import Listing
from discreet.answers.conclusion_words import conclusions_told, surest_conclusions
from discreet.answers.small_groups import entailed_groups, smallest_groups
from discreet.channels.distortion import count_itemsets
from discreet.publishing.charts import tradeoff_figure
from discreet.publishing.page import filled, page
from discreet.publishing.tables import BrowsingTable, Changes, Counts, Items, Shares, largest
from discreet.transactions.vocabulary import in_order
from discreet.wording import counted, number, percent, share, sizes_below

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
    changes = _Changes.of(blocked) if blocked is not None and blocked.distortion.rows else None
    chosen = (sigma, before.k)
    withheld = None if before.rho is None else story.withheld
    packed = story.bundle.endswith(".zip")
    body = filled(
        "owner.html",
        source=story.source,
        bundle=story.bundle,
        packed=packed,
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
        concluded=_concluded(before),
        rho=before.rho,
        withheld=withheld,
        withheld_table=None if withheld is None or not len(withheld) else _withheld_table(withheld),
        apart=story.apart,
        apart_table=None if story.apart is None else _withheld_table(story.apart),
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
        notes=story.notes,
        verify=shlex.join(["discreet", "verify", "public" if packed else story.bundle]),
        version=story.published.version,
    )
    title = f"Not for release: the owner's report on {story.bundle}"
    return page(title=title, body=body, styles=("page.css", "owner.css"), script="tables.js")


def _found(before: Audit) -> str:
    rows = f"{number(before.n or 0)} rows"
    told = conclusions_told(before)
    if before.safe:
        also = f", and {told}," if told else ""
        return (
            f"No group of fewer than {number(before.k)} of {rows}{also} was found to follow from the patterns as mined."
        )
    across = len(before.border or ())
    parts = []
    if before.small_groups:
        exposed = before.exposed_rows or 0
        by_channels = f" ({counted(len(before.channels), 'channel')})" if len(before.channels) else ""
        parts.append(
            f"{number(exposed)} of {rows} {'is' if exposed == 1 else 'are'} in a group of {sizes_below(before.k)} that "
            f"anyone can compute{by_channels}"
        )
    if across:
        parts.append(
            f"{counted(across, 'small group follows', 'small groups follow')} for items that are not published together"
        )
    if before.conclusions:
        parts.append(f"{told} {'follows' if len(before.conclusions) == 1 else 'follow'}")
    return f"{', and '.join(parts)}."


def _concluded(before: Audit) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the surest conclusions about sensitive items, in words, under titles."""
    told = surest_conclusions(before, _GROUPS_TOLD)
    return [(listing.title, list(listing.entries)) for listing in told if isinstance(listing, Listing)]


def _withheld_table(withheld: PatternSet) -> BrowsingTable:
    kept = largest(withheld.supports)
    return BrowsingTable(
        "Itemsets that were withheld",
        (
            Items("Items", withheld.vocabulary, withheld.itemsets.select(kept)),
            Counts("Support", withheld.supports[kept]),
        ),
    )


def _published(story: OwnerStory) -> str:
    patterns, k, told = story.published.patterns, story.published.k, story.published.conclusions
    also = "" if told is None else f", and no conclusion about a sensitive item of {share(told.rho)} or more"
    proved = (
        " It is proved that none follows: a data set was found that agrees with all that is published, and in which "
        f"every kind of row occurs not at all or at least {number(k)} times."
        if story.published.proved
        else ""
    )
    return (
        f"{counted(len(patterns), 'pattern')} of {number(patterns.n)} rows. An audit of these patterns alone, by "
        f"another method than the first, found no group of fewer than {number(k)}{also}.{proved}"
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
    def of(cls, blocked: Blocked) -> _Changes:
        closed, after, cost = blocked.change.closed, blocked.change.supports, blocked.distortion
        total = count_itemsets(closed) + 1  # including the empty one
        some = number(int(cost.changed * total))
        added = blocked.method == "additive"
        return cls(
            in_a_word=f"{counted(cost.rows, 'row')} {'added virtually' if added else 'left out'}",
            summary=f"{some} of {counted(total, 'support')} changed, by {share(cost.worst)} at most and "
            f"{share(cost.average)} on average. The number of rows went from {number(blocked.n_before)} to "
            f"{number(blocked.n_after)}.",
            virtual_rows=[in_order(merge.base, closed.vocabulary) for merge in blocked.merged[:_VIRTUAL_TOLD]],
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

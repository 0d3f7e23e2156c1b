"""The owner's report: what was found, what was changed, what it cost. Not for release.

It tells in plain words all that the public report must not: the channels, worst first, with the sums a stranger would
have done; the rows they expose; supports before and after; the measures of atzori2008, section 8.1; the trade-off with
the chosen point. Every printed page says that it is not for release.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.distortion import count_itemsets
from discreet.errors import InternalFault
from discreet.publishing.channel_words import and_more, channels_in_words
from discreet.publishing.charts import tradeoff_figure
from discreet.publishing.page import filled, itemset, page, plain_table, text
from discreet.publishing.tables import Changes, Counts, Items, Shares, browsing_table, largest
from discreet.wording import counted, number, percent, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.channels.tradeoff import Tradeoff
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.audiences import OwnerStory

__all__ = ["owner_report"]

_VIRTUAL_TOLD = 50


def owner_report(story: OwnerStory) -> str:
    """Return the page as HTML: the same story, the same bytes."""
    before = story.before
    n, sigma = before.n or 0, before.min_support or 0
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
        published=_published(story),
        groups=f"<p>{_found(before)}</p>\n{channels_in_words(story)}",
        tradeoff=_NO_TRADEOFF if story.tradeoff is None else _tradeoff(story.tradeoff, (sigma, before.k)),
        command=shlex.join(story.command),
        verify=shlex.join(["discreet", "verify", story.bundle]),
        version=story.published.version,
        **_changed(before, story.blocked),
    )
    title = f"Not for release: the owner's report on {story.bundle}"
    return page(title=title, body=body, styles=("page.css", "owner.css"), script="tables.js")


_NO_TRADEOFF = "<p>No other supports were looked at.</p>\n"
_UNCHANGED = {
    "changed_word": "nothing",
    "changed": "The patterns are published as they were mined.",
    "danger": (
        "Nothing was changed here, and that, too, must not be told: who says so once tells by silence the next time "
        "that something was (Atzori and others 2008, section 7.2)."
    ),
    "changes": "<p>Nothing: the published supports are those of the data.</p>\n",
    "cost": "<p>Nothing: no support changed and no row was added or left out.</p>\n",
}
_WHY = (
    "Blocking protects people only as long as nobody knows what was changed. All of it stands on this page, and far "
    "less is enough: two harmless looking figures, how many supports changed and by how much at most, can leave one "
    "possible answer, from which every small group comes back (Atzori and others 2008, section 7.2)."
)


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


def _changed(before: Audit, blocked: Blocked | None) -> dict[str, str]:
    """Return what the page says of what was changed, or that nothing was."""
    if blocked is None:
        return _UNCHANGED
    if not blocked.distortion.rows:
        return _UNCHANGED | {"changes": f"{_raised_support(blocked)}{_UNCHANGED['changes']}"}
    closed = _frequent(before, blocked.min_support)
    rows = counted(blocked.distortion.rows, "row")
    return {
        "changed_word": f"{rows} added virtually" if blocked.method == "additive" else f"{rows} left out",
        "changed": _summary(closed, blocked),
        "danger": _WHY,
        "changes": _changes(closed, blocked),
        "cost": _cost(closed, blocked),
    }


def _frequent(before: Audit, least: int) -> PatternSet:
    """Return the closed itemsets before that had enough rows; the support asked for may have been below k."""
    if before.collection is None:
        raise InternalFault("an owner's report needs the patterns as they were")
    closed = before.collection.closed
    kept = np.flatnonzero(closed.supports >= least)
    itemsets = closed.itemsets.select(kept)
    return replace(closed, itemsets=itemsets, supports=closed.supports[kept], min_support=least)


def _itemsets_changed(closed: PatternSet, blocked: Blocked) -> tuple[int, int]:
    """Return how many itemsets have another support now, and how many there were, the empty one among them."""
    total = count_itemsets(closed) + 1
    return int(blocked.distortion.changed * total), total


def _summary(closed: PatternSet, blocked: Blocked) -> str:
    some, total = _itemsets_changed(closed, blocked)
    return (
        f"{number(some)} of {counted(total, 'support')} changed, by {share(blocked.distortion.worst)} at most and "
        f"{share(blocked.distortion.average)} on average. The number of rows went from {number(blocked.n_before)} to "
        f"{number(blocked.n_after)}."
    )


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


def _changes(closed: PatternSet, blocked: Blocked) -> str:
    how = _virtual_rows(blocked) if blocked.method == "additive" else _rows_left_out(blocked)
    return f"{_raised_support(blocked)}{how}{_before_and_after(closed, blocked) if len(closed) else ''}"


def _raised_support(blocked: Blocked) -> str:
    if blocked.min_support == blocked.asked_support:
        return ""
    return (
        f"<p>The support asked for, {number(blocked.asked_support)}, was raised to {number(blocked.min_support)}: "
        "an itemset of fewer than <i>k</i> rows is itself a small group.</p>\n"
    )


def _virtual_rows(blocked: Blocked) -> str:
    """Say which rows were added, as if people had them."""
    k = number(blocked.k)
    place = blocked.patterns.vocabulary.positions
    shown = "".join(
        f"<li>{k} rows with {itemset(sorted(merge.base, key=place.__getitem__)) or 'no item at all'}</li>\n"
        for merge in blocked.merged[:_VIRTUAL_TOLD]
    )
    return (
        f"<p>Supports were raised as if these rows had been in the data (method additive): each itemset gained {k} for "
        f"every line below that contains it.</p>\n<ul>\n{shown}</ul>\n{and_more(len(blocked.merged), _VIRTUAL_TOLD)}"
    )


def _rows_left_out(blocked: Blocked) -> str:
    return (
        f"<p>{counted(blocked.distortion.rows, 'row was', 'rows were')} left out, and the rest mined anew (method "
        f"suppressive). All supports are those of {counted(blocked.n_after, 'row')}.</p>\n"
    )


def _before_and_after(closed: PatternSet, blocked: Blocked) -> str:
    after = _supports_after(closed, blocked)
    changes = after - closed.supports
    stayed = int(np.count_nonzero(changes == 0))
    lost = int(np.count_nonzero(after == 0))
    gone = f" {counted(lost, 'itemset is', 'itemsets are')} no longer published: support 0 below." if lost else ""
    kept = largest(np.abs(changes))
    before = closed.supports[kept]
    change = Changes("Change", changes[kept])
    return (
        f"<p>Of {counted(len(closed), 'closed itemset')}, {number(len(closed) - stayed)} changed and {number(stayed)} "
        f"did not.{gone}</p>\n"
    ) + browsing_table(
        "Supports before and after, those that changed most first",
        Items("Items", closed.vocabulary, closed.itemsets.select(kept)),
        Counts("Before", before),
        Counts("After", after[kept]),
        change,
        Shares("Relative", change, before),
        by=change,
        rest="The page's script shows the others.",
    )


def _supports_after(closed: PatternSet, blocked: Blocked) -> NDArray[np.int64]:
    """Return the supports now of the itemsets that were closed before; 0 where they are no longer frequent."""
    now = blocked.patterns
    labels = len(closed.vocabulary)
    after = closed.itemsets.supports_in(now.itemsets, now.supports, labels)
    unlisted = np.flatnonzero(after == 0)  # no longer frequent, or no longer closed
    if len(unlisted):
        rows = blocked.witness
        counts = closed.itemsets.select(unlisted).count_in(rows.itemsets, rows.weights, labels)
        after[unlisted] = np.where(counts >= blocked.min_support, counts, 0)
    return after


def _tradeoff(found: Tradeoff, chosen: tuple[int, int]) -> str:
    said = "".join(f"<p>{text(sentence)}.</p>\n" for sentence in found.sentences)
    return f"{said}{tradeoff_figure(found, chosen=chosen)}"


def _cost(closed: PatternSet, blocked: Blocked) -> str:
    some, total = _itemsets_changed(closed, blocked)
    cost = blocked.distortion
    rows = [
        ("Rows added virtually" if blocked.method == "additive" else "Rows left out", number(cost.rows)),
        ("Itemsets whose support changed", f"{number(some)} of {number(total)} ({share(cost.changed)})"),
        ("Change of a support on average", share(cost.average)),
        ("Largest change of a support", share(cost.worst)),
    ]
    table = plain_table("The four measures of Atzori and others (2008), section 8.1", ("Measure", "Value"), rows)
    return (
        "<p>Over all frequent itemsets, the empty one among them (its support is the number of rows). Each change is "
        "relative to the support before; an itemset that is no longer frequent counts as changed by all of it.</p>\n"
        f"{table}"
    )

"""The owner's report: what was found, what was changed, what it cost. Not for release.

It tells in plain words all that the public report must not: the channels, worst first, with the sums a stranger would
have done; the rows they expose; supports before and after; the measures of atzori2008, section 8.1; the trade-off with
the chosen point. Every printed page says that it is not for release.
"""

from __future__ import annotations

import shlex
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.arithmetic import sum_behind
from discreet.channels.distortion import count_itemsets
from discreet.publishing.charts import tradeoff_figure
from discreet.publishing.page import filled, itemset, page, plain_table, text
from discreet.publishing.tables import Changes, Counts, Items, Shares, browsing_table, largest
from discreet.wording import counted, number, percent

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.channels.channel import Channels
    from discreet.channels.tradeoff import Tradeoff
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.published import OwnerStory

__all__ = ["owner_report"]

_GROUPS_TOLD = 40
_SUMS_TOLD = 10
_BORDER_TOLD = 10
_VIRTUAL_TOLD = 50
_MOST_TERMS = 8
"""Sums of more terms than this are not spelled out."""


def owner_report(story: OwnerStory) -> str:
    """Return the page as HTML: the same story, the same bytes."""
    before, published = story.before, story.published
    n, sigma = before.n or 0, before.min_support or 0
    body = filled(
        "owner.html",
        source=text(story.source),
        bundle=text(story.bundle),
        n_before=number(n),
        sigma=number(sigma),
        share=percent(sigma, n) if sigma <= n else "more than there are",
        k=number(before.k),
        below=number(before.k - 1),
        found_tone="promised" if before.safe else "danger",
        found_word="safe as it was" if before.safe else "not safe",
        found=_found(before),
        changed_word="nothing" if story.blocked is None else _rows_changed(story.blocked),
        changed="The patterns are published as they were mined."
        if story.blocked is None
        else _changed(before, story.blocked),
        published=_published(story),
        danger=_WHY_NOTHING if story.blocked is None else _WHY,
        groups=_groups(story),
        changes=_UNCHANGED if story.blocked is None else _changes(before, story.blocked),
        cost=_NO_COST if story.blocked is None else _cost(before, story.blocked),
        tradeoff=_NO_TRADEOFF if story.tradeoff is None else _tradeoff(story.tradeoff, (sigma, before.k)),
        command=text(shlex.join(story.command)),
        verify=text(shlex.join(["discreet", "verify", story.bundle])),
        version=text(published.version),
    )
    title = f"Not for release: the owner's report on {story.bundle}"
    return page(title=title, body=body, styles=("page.css", "owner.css"), script="tables.js")


_WHY = (
    "Blocking protects people only as long as nobody knows what was changed. All of it stands on this page, and far "
    "less is enough: two harmless looking figures, how many supports changed and by how much at most, can leave one "
    "possible answer, from which every small group comes back (Atzori and others 2008, section 7.2)."
)
_WHY_NOTHING = (
    "Nothing was changed here, and that, too, must not be told: who says so once tells by silence the next time that "
    "something was (Atzori and others 2008, section 7.2)."
)
_UNCHANGED = "<p>Nothing: the published supports are those of the data.</p>\n"
_NO_COST = "<p>Nothing: no support changed and no row was added or left out.</p>\n"
_NO_TRADEOFF = "<p>No other supports were looked at.</p>\n"


def _found(before: Audit) -> str:
    rows = f"{number(before.n or 0)} rows"
    if before.safe:
        return (
            f"No group of 1 to {number(before.k - 1)} of {rows} could be computed from the patterns as they were mined."
        )
    across = len(before.border or ())
    parts = []
    if len(before.channels):
        verb = "singles" if len(before.channels) == 1 else "single"
        parts.append(
            f"{counted(len(before.channels), 'channel')} {verb} out fewer than {number(before.k)} of {rows}; "
            f"{counted(before.exposed_rows or 0, 'row is', 'rows are')} exposed"
        )
    if across:
        parts.append(
            f"{counted(across, 'small group follows', 'small groups follow')} for itemsets that are not published"
        )
    return f"{', and '.join(parts)}."


def _rows_changed(blocked: Blocked) -> str:
    rows = blocked.distortion.rows
    if blocked.method == "additive":
        return f"{counted(rows, 'row')} added virtually" if rows else "nothing"
    return f"{counted(rows, 'row')} left out" if rows else "nothing"


def _itemsets_changed(before: Audit, blocked: Blocked) -> tuple[int, int]:
    """Return how many itemsets have another support now, and how many there were, the empty one among them."""
    total = count_itemsets(before.collection.closed) + 1 if before.collection is not None else 0
    return int(blocked.distortion.changed * total), total


def _changed(before: Audit, blocked: Blocked) -> str:
    some, total = _itemsets_changed(before, blocked)
    if not some:
        return "There was nothing to block: no support changed."
    return (
        f"{number(some)} of {counted(total, 'support')} changed, by {_share(blocked.distortion.worst)} at most and "
        f"{_share(blocked.distortion.average)} on average. The number of rows went from {number(blocked.n_before)} to "
        f"{number(blocked.n_after)}."
    )


def _published(story: OwnerStory) -> str:
    patterns, k = story.published.patterns, story.published.k
    return (
        f"{counted(len(patterns), 'pattern')} of {number(patterns.n)} rows. An audit of these patterns alone, by "
        f"another method than the first, found no group of 1 to {number(k - 1)}."
    )


def _share(value: Fraction) -> str:
    return percent(value.numerator, value.denominator)


def _groups(story: OwnerStory) -> str:
    """Return the channels in sentences, worst first, with the sums, and the rows they expose."""
    before = story.before
    parts = []
    if before.safe:
        parts.append(f"<p>{_found(before)}</p>\n")
    if len(before.channels):
        worst = before.channels.smallest_first()[:_GROUPS_TOLD].tolist()
        told = "".join(
            f"<li>{_sentence(before.channels, one)}{_sum(before, one) if place < _SUMS_TOLD else ''}</li>\n"
            for place, one in enumerate(worst)
        )
        parts.append(
            "<p>Whoever has the patterns as they were mined can compute these groups, the smallest first, by adding "
            f'and subtracting supports.</p>\n<ol class="groups">\n{told}</ol>\n'
            f"{_rest(len(before.channels), _GROUPS_TOLD)}"
        )
    if before.border is not None and len(before.border):
        worst = before.border.smallest_first()[:_BORDER_TOLD].tolist()
        told = "".join(f"<li>{_sentence(before.border, one)}</li>\n" for one in worst)
        parts.append(
            "<h3>Across the border</h3>\n<p>These follow for itemsets that would not have been published: fewer than "
            f"{number(before.min_support or 0)} rows hold each, and no group can have less than no rows, which leaves "
            f'no other numbers.</p>\n<ol class="groups">\n{told}</ol>\n{_rest(len(before.border), _BORDER_TOLD)}'
        )
    if story.exposed_rows:
        parts.append(_exposed(story))
    return "".join(parts)


def _rest(count: int, told: int) -> str:
    return f'<p class="note">… and {number(count - told)} more.</p>\n' if count > told else ""


def _sentence(channels: Channels, place: int) -> str:
    """Say in words whom a channel singles out."""
    channel = channels[place]
    order = channels.labels(channels.fulls[int(channels.which[place])])
    have = [label for label in order if label in channel.base]
    lack = [label for label in order if label not in channel.base]
    low, high = channel.low, channel.high
    rows = f"<strong>{counted(low, 'row')}</strong>" if low == high else f"<strong>{low:,} to {high:,} rows</strong>"
    one = low == high == 1
    if not have and not lack:
        return f"{rows} {'is' if one else 'are'} all there are"
    words = [f"{'has' if one else 'have'} {itemset(have)}"] if have else []
    if lack:
        verb = "" if have else "has " if one else "have "
        words.append(f"{verb}{'not' if have and len(lack) == 1 else 'none of'} {itemset(lack)}")
    return f"{rows} {' and '.join(words)}"


def _sum(found: Audit, place: int) -> str:
    """Return the sum that a stranger would do, where it is short, one support on each line."""
    terms = sum_behind(found, place, most=_MOST_TERMS)
    if terms is None:
        return ""
    base = terms[0].items
    lines: list[str] = []
    for term in terms:
        sign = "−" if term.minus else "+" if lines else ""
        more = [label for label in term.items if label not in base]
        have = (
            f"{'also ' if base else ''}have {itemset(more)}" if more else f"have {itemset(base)}" if base else "in all"
        )
        lines.append(f"<span>{sign} {number(term.support)}</span><span>{have}</span>\n")
    lines.append(f"<b>= {number(int(found.channels.lows[place]))}</b><span>have nothing else of these</span>\n")
    return f'\n<div class="sum">\n{"".join(lines)}</div>\n'


def _exposed(story: OwnerStory) -> str:
    exposed, named = story.before.exposed_rows or 0, story.exposed_rows
    which = "They are" if len(named) >= exposed else f"The first {number(len(named))} are"
    return (
        f"<h3>The rows they expose</h3>\n<p>{counted(exposed, 'row')} of {number(story.before.n or 0)} "
        f"{'is' if exposed == 1 else 'are'} in at least one of these groups. {which}, counted from 1 in the data:</p>\n"
        f'<p class="numbers">{_runs(named)}</p>\n'
    )


def _runs(numbers: tuple[int, ...]) -> str:
    """Return ascending numbers with neighbours drawn together.

    >>> _runs((1, 2, 3, 7, 1200))
    '1 to 3, 7, 1200'
    """
    words = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        first, *others = [value for _, value in run]
        words.append(f"{first} to {others[-1]}" if others else str(first))
    return ", ".join(words)


def _changes(before: Audit, blocked: Blocked) -> str:
    how = _virtual_rows(blocked) if blocked.method == "additive" else _rows_left_out(blocked)
    raised = ""
    if blocked.min_support != blocked.asked_support:
        raised = (
            f"<p>The support asked for, {number(blocked.asked_support)}, was raised to {number(blocked.min_support)}: "
            "an itemset of fewer than <i>k</i> rows is itself a small group.</p>\n"
        )
    table = _before_and_after(before.collection.closed, blocked) if before.collection is not None else ""
    return f"{how}{raised}{table}"


def _virtual_rows(blocked: Blocked) -> str:
    """Say which rows were added, as if people had them."""
    if not blocked.merged:
        return "<p>There was nothing to block.</p>\n"
    k = number(blocked.k)
    shown = "".join(
        f"<li>{k} rows with {itemset(sorted(merge.base)) if merge.base else 'no item at all'}</li>\n"
        for merge in blocked.merged[:_VIRTUAL_TOLD]
    )
    return (
        f"<p>Supports were raised as if these rows had been in the data (method additive): each itemset gained {k} for "
        f"every line below that contains it.</p>\n<ul>\n{shown}</ul>\n{_rest(len(blocked.merged), _VIRTUAL_TOLD)}"
    )


def _rows_left_out(blocked: Blocked) -> str:
    return (
        f"<p>{counted(blocked.distortion.rows, 'row was', 'rows were')} left out, and the rest mined anew (method "
        f"suppressive). All supports are those of {counted(blocked.n_after, 'row')}.</p>\n"
    )


def _before_and_after(closed: PatternSet, blocked: Blocked) -> str:
    if not len(closed):
        return ""
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
        Items("Items", closed.vocabulary, *_kernel.select_rows(closed.offsets, closed.items, kept)),
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
    after = _kernel.find_supports(
        closed.offsets, closed.items, now.offsets, now.items, now.supports, len(closed.vocabulary)
    ).copy()
    unlisted = np.flatnonzero(after == 0)  # no longer frequent, or no longer closed
    if len(unlisted):
        rows = blocked.witness
        counts = _kernel.count_supersets(
            *_kernel.select_rows(closed.offsets, closed.items, unlisted),
            rows.offsets,
            rows.items,
            rows.weights,
            len(closed.vocabulary),
        )
        after[unlisted] = np.where(counts >= blocked.min_support, counts, 0)
    return after


def _tradeoff(found: Tradeoff, chosen: tuple[int, int]) -> str:
    said = "".join(f"<p>{text(sentence)}.</p>\n" for sentence in found.sentences)
    return f"{said}{tradeoff_figure(found, chosen=chosen)}"


def _cost(before: Audit, blocked: Blocked) -> str:
    some, total = _itemsets_changed(before, blocked)
    cost = blocked.distortion
    rows = [
        ("Rows added virtually" if blocked.method == "additive" else "Rows left out", number(cost.rows)),
        ("Itemsets whose support changed", f"{number(some)} of {number(total)} ({_share(cost.changed)})"),
        ("Change of a support on average", _share(cost.average)),
        ("Largest change of a support", _share(cost.worst)),
    ]
    table = plain_table("The four measures of Atzori and others (2008), section 8.1", ("Measure", "Value"), rows)
    return (
        "<p>Over all frequent itemsets, the empty one among them (its support is the number of rows). Each change is "
        "relative to the support before; an itemset that is no longer frequent counts as changed by all of it.</p>\n"
        f"{table}"
    )

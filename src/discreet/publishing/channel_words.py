"""Channels in plain words, for the owner's page: whom they single out, by which sum, and in which rows."""

from __future__ import annotations

from itertools import groupby
from math import lcm
from typing import TYPE_CHECKING

from discreet.channels.derivation import MINUS, MOST_FIGURES, bounds_of, deduce, parts_of, sum_behind
from discreet.publishing.page import itemset
from discreet.wording import counted, number

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.channel import Channels
    from discreet.channels.derivation import Bound, Part
    from discreet.publishing.audiences import OwnerStory

__all__ = ["and_more", "channels_in_words", "group_in_words", "sum_in_words"]

_GROUPS_TOLD = 40
_SUMS_TOLD = 10
_BORDER_TOLD = 10
_MOST_TERMS = 8
"""Sums of more terms than this are not spelled out."""


def channels_in_words(story: OwnerStory) -> str:
    """Return the channels in sentences, worst first, with the sums, and the rows they expose."""
    before = story.before
    parts = []
    if len(before.channels):
        worst = before.channels.smallest_first()[:_GROUPS_TOLD].tolist()
        told = "".join(
            f"<li>{group_in_words(before.channels, one)}"
            f"{sum_in_words(before, one) if place < _SUMS_TOLD else ''}</li>\n"
            for place, one in enumerate(worst)
        )
        parts.append(
            "<p>Whoever has the patterns as they were mined can compute these groups, the smallest first, by adding "
            f'and subtracting supports.</p>\n<ol class="groups">\n{told}</ol>\n'
            f"{and_more(len(before.channels), _GROUPS_TOLD)}"
        )
    parts += _beyond_the_published(before)
    if story.exposed_rows:
        parts.append(_exposed(story))
    return "".join(parts)


def _beyond_the_published(before: Audit) -> list[str]:
    """Return the groups that the attacker found, in sentences, with the sums that bound them."""
    if before.attack is None or not len(before.attack.groups):
        return []
    groups = before.attack.groups
    worst = groups.smallest_first()[:_BORDER_TOLD]
    told = []
    for one, proof in zip(worst.tolist(), deduce(before.attack, worst), strict=True):
        bounds = bounds_of(proof, int(groups.lows[one]), int(groups.highs[one]))
        told.append(f"<li>{group_in_words(groups, one)}{''.join(map(_bound_in_words, bounds))}</li>\n")
    words = (
        "<h3>Beyond what is published together</h3>\n<p>These follow for items that would not have been published "
        "together: in every data set that has the published supports, the number of such rows lies within the bounds. "
        "Each bound is a sum of published figures, which anyone can redo.</p>\n"
    )
    return [f'{words}<ol class="groups">\n{"".join(told)}</ol>\n{and_more(len(groups), _BORDER_TOLD)}']


def _bound_in_words(bound: Bound) -> str:
    """Return the sum behind a bound, one part on each line, with which rows each part counts."""
    if bound.figures is None or len(bound.figures) > MOST_FIGURES:
        return f"<p>{bound.text()}</p>\n"
    parts = parts_of(bound.figures, differences=bound.side != "exactly")
    lines = "".join(
        f"<span>{part.text().removeprefix('+ ') if place == 0 else part.text()}</span><span>{_whose(part)}</span>\n"
        for place, part in enumerate(parts)
    )
    below = lcm(*(figure.times.denominator for figure in bound.figures))
    shared = "" if below == 1 else f", divided by {below}"
    said = f"<b>= {bound.result}</b><span>{bound.side} that many{shared}</span>"
    return f'\n<div class="sum bound">\n{lines}{said}\n</div>\n'


def _whose(part: Part) -> str:
    """Say which rows a part of a sum counts."""
    if part.whole.items is None:
        return f"at most have an itemset that is not published: the threshold {MINUS} 1"
    have = f"have {itemset(part.whole.items)}" if part.whole.items else ""
    if part.less is None or part.less.items is None:
        return have or "in all"
    lack = itemset([label for label in part.less.items if label not in (part.whole.items or ())])
    return f"{have} and not {lack}" if have else f"do not have {lack}"


def and_more(count: int, told: int) -> str:
    """Say how many there are beyond those that were told."""
    return f'<p class="note">… and {number(count - told)} more.</p>\n' if count > told else ""


def group_in_words(channels: Channels, place: int) -> str:
    """Say in words whom a channel singles out."""
    channel = channels[place]
    order = channels.labels(channels.fulls[int(channels.which[place])])
    have = [label for label in order if label in channel.base]
    lack = [label for label in order if label not in channel.base]
    low, high = channel.low, channel.high
    to = "or" if high == low + 1 else "to"
    rows = f"<strong>{counted(low, 'row') if low == high else f'{low:,} {to} {high:,} rows'}</strong>"
    one = low == high == 1
    if not have and not lack:
        return f"{rows} {'is' if one else 'are'} all there are"
    words = [f"{'has' if one else 'have'} {itemset(have)}"] if have else []
    if lack:
        verb = "" if have else "has " if one else "have "
        words.append(f"{verb}{'not' if have and len(lack) == 1 else 'none of'} {itemset(lack)}")
    return f"{rows} {' and '.join(words)}"


def sum_in_words(found: Audit, place: int) -> str:
    """Return the sum that a stranger would do, where it is short, one support on each line."""
    terms = sum_behind(found, place, most=_MOST_TERMS)
    if terms is None:
        return ""
    base = terms[0].items
    lines: list[str] = []
    for term in terms:
        sign = "−" if term.minus else "+" if lines else ""
        more = [label for label in term.items if label not in base]
        if more:
            have = f"{'also ' if base else ''}have {itemset(more)}"
        else:
            have = f"have {itemset(base)}" if base else "in all"
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

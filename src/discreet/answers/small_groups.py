"""Groups of rows that follow from published figures, each with the sums that disclose it.

Figures come with the itemsets whose supports they are, so that anyone can look them up and redo the sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.channels.derivation import Bound, bounds_of, deduce, figures_of, sum_behind, sum_text
from discreet.wording import ROWS, Unit, counted, itemset_text, label_text, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from discreet.channels.attacker import Attack
    from discreet.channels.audit import Audit
    from discreet.channels.channel import Channels

__all__ = [
    "SHOWN",
    "Group",
    "GroupList",
    "entailed_groups",
    "group_at",
    "group_text",
    "groups_beyond",
    "proof_text",
    "smallest_group",
    "smallest_groups",
]

SHOWN = 5
"""How many groups are shown in words; --json lists them all."""

_MOST_TERMS = 8
"""Longer sums of a channel are not spelled out."""

_CHAINED = 4
"""How many labels are joined by "and"; beyond that a list reads better."""

_LOOKED_AT = 200
"""How many groups are searched for different ones."""


@dataclass(frozen=True, slots=True)
class Group:
    """`low` to `high` rows that have some items and lack others, and the sums that prove it."""

    low: int
    high: int
    have: tuple[str, ...]
    lack: tuple[str, ...]
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupList:
    """Some groups under a title, and how many more there are."""

    title: str
    groups: tuple[Group, ...]
    more: int
    unit: Unit = ROWS


def group_at(channels: Channels, place: int, bounds: tuple[Bound, ...] = ()) -> Group:
    """Return the group of a channel, by its number."""
    channel = channels[place]
    order = channels.labels(channels.fulls[int(channels.which[place])])
    have, lack = (tuple(label for label in order if (label in channel.base) is held) for held in (True, False))
    return Group(channel.low, channel.high, have, lack, bounds)


def _computed(found: Audit, place: int) -> Group:
    """Return the group of a channel with its sum, if that is short."""
    terms = sum_behind(found, place, most=_MOST_TERMS)
    rows = int(found.channels.lows[place])
    return group_at(found.channels, place, () if terms is None else (Bound("exactly", rows, figures_of(terms)),))


def entailed_groups(attack: Attack, places: Sequence[int]) -> list[Group]:
    """Return groups that the attacker found with the sums that bound them."""
    groups = attack.groups
    return [
        group_at(groups, place, bounds_of(proof, int(groups.lows[place]), int(groups.highs[place])))
        for place, proof in zip(places, deduce(attack, places), strict=True)
    ]


def smallest_groups(found: Audit, shown: int = SHOWN) -> list[GroupList]:
    """Return the smallest groups of the channels, if there are any."""
    channels = found.channels
    if not len(channels):
        return []
    groups = tuple(_computed(found, place) for place in channels.smallest_first()[:shown].tolist())
    what = "rules" if found.from_rules else "patterns"
    title = f"The smallest groups anyone can compute from these {what}:"
    return [GroupList(title, groups, len(channels) - len(groups), found.unit)]


def groups_beyond(found: Audit, shown: int = SHOWN - 2) -> list[GroupList]:
    """Return the smallest groups over items that are not published together, if there are any."""
    if found.attack is None or not len(found.attack.groups):
        return []
    count = len(found.attack.groups)
    groups = tuple(entailed_groups(found.attack, _different(found.attack.groups, shown)))
    more = "more " if len(found.channels) else ""
    verb = "follows" if count == 1 else "follow"
    title = f"{counted(count, f'{more}group')} {verb} for items that are not published together:"
    return [GroupList(title, groups, count - len(groups), found.unit)]


def _different(groups: Channels, shown: int) -> list[int]:
    """Return the smallest groups, without those that must be the same rows as an earlier one."""
    chosen: list[int] = []
    for index in groups.smallest_first()[:_LOOKED_AT].tolist():
        group = groups[index]
        same = (groups[one] for one in chosen)
        if not any(one.implied_by(group) and (one.low, one.high) == (group.low, group.high) for one in same):
            chosen.append(index)
        if len(chosen) == shown:
            break
    return chosen


def smallest_group(found: Audit) -> str:
    """Return the smallest group that follows from an audit that is not safe, and why."""
    channels, border = found.channels, found.border
    if found.attack is None or border is None or not len(border) or _least(channels.highs) <= _least(border.highs):
        group = _computed(found, int(channels.smallest_first()[0]))
    else:
        (group,) = entailed_groups(found.attack, [int(border.smallest_first()[0])])
    text = group_text(group.have, group.lack, group.low, group.high)
    return f"{text}: {proof_text(group.bounds)}" if group.bounds else text


def _least(highs: Iterable[int]) -> float:
    return min(highs, default=float("inf"))


def group_text(
    have: Sequence[str],
    lack: Sequence[str],
    low: int,
    high: int,
    of: str = "",
    *,
    unit: Unit = ROWS,
    short: bool = False,
) -> str:
    """Return a sentence on how many rows have some items and lack others; `of` says which rows are meant.

    With `short`, labels are shortened to fit on a line.

    >>> group_text(["a", "c"], ["b"], 1, 1, " of release 1"), group_text([], ["a", "b"], 2, 3)
    ('1 row of release 1 has a and c, and not b', '2 or 3 rows have none of a, b')
    """
    low = max(low, 0)
    few = number(low) if low == high else f"{number(low)} {'or' if high == low + 1 else 'to'} {number(high)}"
    rows, has, are = (
        (f"1 {unit.singular}{of}", "has", "is") if few == "1" else (f"{few} {unit.plural}{of}", "have", "are")
    )
    if not have and not lack:
        return f"{rows} {are} all there are"
    name = label_text if short else one_line
    if not have:
        return f"{rows} {has} none of {_listed(lack, short=short)}"
    if len(have) == 1:
        items = name(have[0])
    elif short and len(have) > _CHAINED:
        items = itemset_text(have)
    else:
        items = f"{', '.join(map(name, have[:-1]))} and {name(have[-1])}"
    if not lack:
        return f"{rows} {has} {items}"
    absent = f"not {name(lack[0])}" if len(lack) == 1 else f"none of {_listed(lack, short=short)}"
    return f"{rows} {has} {items}, and {absent}"


def _listed(labels: Sequence[str], *, short: bool) -> str:
    return itemset_text(labels) if short else ", ".join(map(one_line, labels))


def proof_text(bounds: Iterable[Bound], names: Mapping[str, str] | None = None) -> str:
    """Return the sums behind a group; `names` are descriptions of markers.

    >>> from fractions import Fraction
    >>> from discreet.channels.derivation import Figure
    >>> proof_text([Bound("at least", 2, (Figure(Fraction(1), ("a",), 5), Figure(Fraction(-1), ("a", "b"), 3)))])
    'at least sup(a) − sup(a, b) = 5 − 3 = 2'
    """

    def support(items: tuple[str, ...]) -> str:
        words = [*(one_line(item) for item in items if item not in (names or {}))]
        where = "".join(f" {word}" for item, word in (names or {}).items() if item in items)
        return f"sup({', '.join(words)}){where}" if words else f"n{where}"

    parts = []
    for bound in bounds:
        spelled = None if bound.figures is None else sum_text(bound.figures, name=support)
        side = "" if bound.side == "exactly" else f"{bound.side} "
        numbers = bound.text().removeprefix(side)
        parts.append(bound.text() if spelled is None else f"{side}{spelled} = {numbers}")
    return ", ".join(parts)

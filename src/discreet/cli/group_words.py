"""Groups that can be computed, in sentences, each with the sum that gives it away."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from discreet.channels.audit import Audit
    from discreet.channels.channel import Channels
    from discreet.channels.derivation import Bound

__all__ = ["SHOWN", "beyond_the_published", "worst_groups"]

SHOWN = 5
"""Groups that are told in words; --json lists them all."""

_TERMS = 8
"""Sums of a channel with more terms than this are not spelled out."""

_LOOKED_AT = 200
"""Groups among which different ones are looked for."""

_SENTENCE, _SUM = 2, 4
"""How far sentences are indented, and the sums below them."""


def worst_groups(found: Audit, shown: int = SHOWN) -> RenderableType:
    """Return the smallest groups in sentences, with the sums that give them away."""
    from discreet.channels.derivation import Bound, figures_of, sum_behind

    channels = found.channels
    told: list[tuple[int, tuple[Bound, ...]]] = []
    for index in channels.smallest_first()[:shown].tolist():
        terms = sum_behind(found, index, most=_TERMS)
        rows = int(channels.lows[index])
        told.append((index, () if terms is None else (Bound("exactly", rows, figures_of(terms)),)))
    what = "rules" if found.from_rules else "patterns"
    return _list(channels, told, f"The smallest groups anyone can compute from these {what}:")


def beyond_the_published(found: Audit, shown: int = SHOWN - 2) -> list[RenderableType]:
    """Return the smallest groups over items that are not published together, with the sums that bound them."""
    from discreet.channels.derivation import bounds_of, deduce
    from discreet.wording import counted

    if found.attack is None or not len(found.attack.groups):
        return []
    groups = found.attack.groups
    worst = _different(groups, shown)
    told = [
        (index, bounds_of(proof, int(groups.lows[index]), int(groups.highs[index])))
        for index, proof in zip(worst, deduce(found.attack, worst), strict=True)
    ]
    more = "more " if len(found.channels) else ""
    verb = "follows" if len(groups) == 1 else "follow"
    count = counted(len(groups), f"{more}group")
    return [_list(groups, told, f"{count} {verb} for items that are not published together:")]


def _different(groups: Channels, shown: int) -> list[int]:
    """Return the smallest groups, without those that must be the same rows as one before."""
    chosen: list[int] = []
    for index in groups.smallest_first()[:_LOOKED_AT].tolist():
        group = groups[index]
        same = (groups[one] for one in chosen)
        if not any(one.implied_by(group) and (one.low, one.high) == (group.low, group.high) for one in same):
            chosen.append(index)
        if len(chosen) == shown:
            break
    return chosen


def _list(channels: Channels, told: list[tuple[int, tuple[Bound, ...]]], title: str) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding

    from discreet.cli.screen import paragraph
    from discreet.wording import number

    lines: list[RenderableType] = [paragraph(title)]
    for place, (index, bounds) in enumerate(told):
        lines.append(Padding(paragraph(_sentence(channels, index)), (0, 0, 0, _SENTENCE)))
        lines += [Padding(paragraph(_arithmetic(bound, named=place == 0)), (0, 0, 0, _SUM)) for bound in bounds]
    if len(channels) > len(told):
        rest = f"… and {number(len(channels) - len(told))} more (--json lists them all)"
        lines.append(Padding(paragraph(rest), (0, 0, 0, _SENTENCE)))
    return Group(*lines)


def _sentence(channels: Channels, index: int) -> str:
    """Say in words whom a channel singles out."""
    from discreet.wording import itemset_text, label_text

    channel = channels[index]
    order = channels.labels(channels.fulls[int(channels.which[index])])
    have = [label for label in order if label in channel.base]
    none_of = [label for label in order if label not in channel.base]
    few = _range(max(channel.low, 0), channel.high)
    rows = f"{few} {'row has' if few == '1' else 'rows have'}"
    if not have and not none_of:
        return f"{few} {'row is' if few == '1' else 'rows are'} all there are"
    if not have:
        return f"{rows} none of {itemset_text(none_of)}"
    if not none_of:
        return f"{rows} {_joined(have)}"
    lack = f"not {label_text(none_of[0])}" if len(none_of) == 1 else f"none of {itemset_text(none_of)}"
    return f"{rows} {_joined(have)}, and {lack}"


def _range(low: int, high: int) -> str:
    from discreet.wording import number

    if low == high:
        return number(low)
    return f"{number(low)} {'or' if high == low + 1 else 'to'} {number(high)}"


def _joined(labels: list[str]) -> str:
    from discreet.wording import itemset_text, label_text

    if len(labels) == 1:
        return label_text(labels[0])
    if len(labels) > 4:  # noqa: PLR2004 - a list reads better than a long chain
        return itemset_text(labels)
    return f"{', '.join(label_text(label) for label in labels[:-1])} and {label_text(labels[-1])}"


def _arithmetic(bound: Bound, *, named: bool) -> str:
    """Spell a sum out; with `named` and where there is room, with whose support each number is."""
    from discreet.channels.derivation import MOST_FIGURES
    from discreet.cli.screen import screen_width

    text = bound.text(elsewhere="--json has it")
    if not named or bound.figures is None or len(bound.figures) > MOST_FIGURES:
        return text
    side = "" if bound.side == "exactly" else f"{bound.side} "
    names = f"{side}{bound.sum_text(_support_of)}"
    numbers = f"= {bound.sum_text()} = {bound.result}"
    room = screen_width() - 2 - _SUM
    if len(names) > room:
        return text
    return f"{names} {numbers}" if len(names) + 1 + len(numbers) <= room else f"{names}\n{numbers}"


def _support_of(items: tuple[str, ...]) -> str:
    from discreet.wording import label_text

    if not items:
        return "n"
    labels = [label_text(label) for label in items]
    return f"sup({(', ' if any(' ' in label for label in labels) else ' ').join(labels)})"

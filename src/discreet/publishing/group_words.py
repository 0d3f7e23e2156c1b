"""Which group follows from published figures, and the arithmetic behind it, in a sentence of plain text.

Figures are told with the itemsets that they are the supports of, so that anyone can look them up and redo the sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.channels.derivation import Bound, bounds_of, deduce, figures_of, sum_behind, sum_text
from discreet.wording import number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from discreet.channels.answer import Audit

__all__ = ["group_text", "proof_text", "smallest_group"]

_MOST_TERMS = 8
"""Sums of a channel with more terms than this are not spelled out."""


def smallest_group(found: Audit) -> str:
    """Say of an audit that is not safe which group is the smallest that follows, and why."""
    channels, border = found.channels, found.border
    bounds: tuple[Bound, ...] = ()
    if found.attack is None or border is None or not len(border) or _least(channels.highs) <= _least(border.highs):
        groups, place = channels, int(channels.smallest_first()[0])
        terms = sum_behind(found, place, most=_MOST_TERMS)
        if terms is not None:
            bounds = (Bound("exactly", int(groups.lows[place]), figures_of(terms)),)
    else:
        groups, place = border, int(border.smallest_first()[0])
        (proof,) = deduce(found.attack, [place])
        bounds = bounds_of(proof, int(groups.lows[place]), int(groups.highs[place]))
    group = groups[place]
    order = groups.labels(groups.fulls[int(groups.which[place])])
    have, lack = ([label for label in order if (label in group.base) is held] for held in (True, False))
    text = group_text(have, lack, group.low, group.high)
    return f"{text}: {proof_text(bounds)}" if bounds else text


def _least(highs: Iterable[int]) -> float:
    return min(highs, default=float("inf"))


def group_text(have: Sequence[str], lack: Sequence[str], low: int, high: int, of: str = "") -> str:
    """Say how many rows have some items and lack others; `of` says which rows are spoken of.

    >>> group_text(["a", "c"], ["b"], 1, 1, " of release 1"), group_text([], ["a", "b"], 2, 3)
    ('1 row of release 1 has a and c, and not b', '2 or 3 rows have none of a, b')
    """
    few = number(low) if low == high else f"{number(low)} {'or' if high == low + 1 else 'to'} {number(high)}"
    rows = f"{few} {'row' if high == 1 else 'rows'}{of}"
    if not have and not lack:
        return f"{rows} {'is' if high == 1 else 'are'} all there are"
    rows += " has" if high == 1 else " have"
    held, lacked = [one_line(label) for label in have], ", ".join(one_line(label) for label in lack)
    if not held:
        return f"{rows} none of {lacked}"
    items = " and ".join([", ".join(held[:-1]), held[-1]] if len(held) > 1 else held)
    return f"{rows} {items}, and {'not' if len(lack) == 1 else 'none of'} {lacked}" if lacked else f"{rows} {items}"


def proof_text(bounds: Iterable[Bound], names: Mapping[str, str] | None = None) -> str:
    """Return the sums behind a group; `names` are words for items that stand for something else.

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

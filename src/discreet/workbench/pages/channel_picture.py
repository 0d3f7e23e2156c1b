"""A channel as a picture: the sets between its base and its full set, with their supports, as in atzori2008, Figure 2.

Sets that are added are dark; sets that are subtracted are light and dashed, and also have signs. Items are lettered,
because labels may be long; the legend names them.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from discreet.publishing.page import item, itemset, text
from discreet.wording import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.channels.derivation import Term

__all__ = ["channel_picture"]

_WIDE, _HIGH, _BETWEEN, _GAP = 84, 42, 46, 12


def channel_picture(terms: Sequence[Term], group: int) -> str:
    """Return the picture of the sum `terms`, whose value is `group`, and a legend for its letters."""
    base = terms[0].items
    full = max(terms, key=lambda term: len(term.items)).items
    letters = {label: chr(ord("a") + place) for place, label in enumerate(each for each in full if each not in base)}
    levels: list[list[tuple[frozenset[str], Term]]] = [[] for _ in range(len(letters) + 1)]
    for term in terms:
        added = frozenset(letters[label] for label in term.items if label in letters)
        levels[len(added)].append((added, term))
    widest = max(map(len, levels))
    width = widest * (_WIDE + _GAP)
    height = len(levels) * (_HIGH + _BETWEEN) - _BETWEEN + 2
    place = {
        added: (
            width / 2 + (number_ - (len(level) - 1) / 2) * (_WIDE + _GAP),
            1 + (len(levels) - 1 - row) * (_HIGH + _BETWEEN),
        )
        for row, level in enumerate(levels)
        for number_, (added, _) in enumerate(level)
    }
    lines = "".join(
        f'<line x1="{place[low][0]:.0f}" y1="{place[low][1]:.0f}" x2="{place[high][0]:.0f}" '
        f'y2="{place[high][1] + _HIGH:.0f}"/>'
        for low, high in combinations(sorted(place, key=len), 2)
        if len(high) == len(low) + 1 and low < high
    )
    boxes = "".join(_box(added, term, place[added], bool(base)) for level in levels for added, term in level)
    described = f"The lattice of a channel: {len(terms)} supports that give {number(group)}"
    legend = "".join(f"<li><b>{letter}</b> {item(label)}</li>" for label, letter in letters.items())
    common = f"<li><b>B</b> {itemset(base)}</li>" if base else ""
    return (
        f'<svg class="lattice" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="{described}">{lines}{boxes}</svg>'
        f'<p class="arithmetic">{_arithmetic(terms)} = <b>{number(group)}</b></p>'
        f'<ul class="letters">{common}{legend}</ul>'
    )


def _box(added: frozenset[str], term: Term, at: tuple[float, float], based: bool) -> str:
    names = "".join(sorted(added))
    name = ("B" if based else "") + (("+" if based else "") + names if names else "") or "∅"
    x, y = at
    kind = "minus" if term.minus else "plus"
    sign = "−" if term.minus else "+"
    return (
        f'<g class="{kind}"><title>{text(", ".join(term.items)[:400] or "all rows")}</title>'
        f'<rect x="{x - _WIDE / 2:.0f}" y="{y:.0f}" width="{_WIDE}" height="{_HIGH}" rx="6"/>'
        f'<text class="name" x="{x:.0f}" y="{y + 17:.0f}">{name}</text>'
        f'<text class="count" x="{x:.0f}" y="{y + 34:.0f}">{sign} {number(term.support)}</text></g>'
    )


def _arithmetic(terms: Sequence[Term]) -> str:
    parts = [f"{'−' if term.minus else '+'} {number(term.support)}" for term in terms]
    return " ".join(parts).removeprefix("+ ")

"""A channel as a picture: the sets between its base and its full set, with their supports, as in atzori2008, Figure 2.

Sets that are added are dark; sets that are subtracted are light and dashed, and also have signs. Items are lettered,
because labels may be long; the legend names them.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from discreet.workbench.pages.page_kit import part

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
            width / 2 + (at - (len(level) - 1) / 2) * (_WIDE + _GAP),
            1 + (len(levels) - 1 - row) * (_HIGH + _BETWEEN),
        )
        for row, level in enumerate(levels)
        for at, (added, _) in enumerate(level)
    }
    boxes = [
        {
            "term": term,
            "title": ", ".join(term.items)[:400] or "all rows",
            "name": _name(added, based=bool(base)),
            "x": round(place[added][0]),
            "left": round(place[added][0] - _WIDE / 2),
            "y": place[added][1],
        }
        for level in levels
        for added, term in level
    ]
    lines = [
        (round(place[low][0]), place[low][1], round(place[high][0]), place[high][1] + _HIGH)
        for low, high in combinations(sorted(place, key=len), 2)
        if len(high) == len(low) + 1 and low < high
    ]
    drawn = {"width": width, "height": height, "box_width": _WIDE, "box_height": _HIGH, "boxes": boxes, "lines": lines}
    return part("lattice", drawn | {"group": group, "base": base, "letters": letters})


def _name(added: frozenset[str], *, based: bool) -> str:
    letters = "".join(sorted(added))
    return "+".join([*(["B"] if based else []), *([letters] if letters else [])]) or "∅"

"""Drawings as SVG: axes, lines, marks and words, placed in whole by this module and filled into a template.

A drawing has no script and fetches nothing. Places are rounded to a hundredth of a pixel, and ticks are computed in
fractions, so that the same numbers give the same bytes on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from discreet.publishing.page import part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = [
    "COLOURS",
    "DASHES",
    "MARKS",
    "Axis",
    "Drawing",
    "Element",
    "Frame",
    "curve",
    "linear",
    "logarithmic",
    "mark",
    "rule",
    "svg_of",
    "words",
]

# Colours that colour-blind readers can distinguish, dark enough for paper; dashes and marks encode the same without
# colour. Their numbers have no common divisor, so that combinations repeat late.
COLOURS = ("#0072b2", "#d55e00", "#00805e", "#aa3377", "#8a6a00", "#555555")
DASHES = ((), (7, 3), (2, 2), (9, 3, 2, 3), (12, 4))
MARKS = {
    "circle": "",
    "square": "M-3.4-3.4H3.4V3.4H-3.4Z",
    "triangle-up": "M0-4.2L4.2 3.6H-4.2Z",
    "diamond": "M0-4.8L4 0L0 4.8L-4 0Z",
    "cross": "M-1.5-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
    "triangle-down": "M0 4.2L-4.2-3.6H4.2Z",
    "triangle-right": "M4.2 0L-3.6-4.2V4.2Z",
}
"""Outlines around 0, 0 by name; a circle has an element of its own."""

_SMALL = 12
_TICK = 5
_LINE = 16
"""Pixels from one line of words to the next."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of numbers, where its ticks are, and what is written at each."""

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    symmetric_log: bool = False

    def at(self, value: float) -> float:
        """Return how far along the axis a value is, from 0 to 1."""
        if self.symmetric_log:
            return math.log1p(value) / math.log1p(self.high)
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5


def linear(title: str, low: float, high: float, *, whole: bool = False, most: int = 10) -> Axis:
    """Return a linear axis with at most about `most` ticks at round numbers; `whole` ones if it counts.

    >>> [words for _, words in linear("share", 0.0, 2.4).ticks]
    ['0.0', '0.5', '1.0', '1.5', '2.0']
    """
    step, decimals = _step(Fraction(high) - Fraction(low), most, whole=whole)
    first, last = math.ceil(Fraction(low) / step), math.floor(Fraction(high) / step)
    ticks = tuple((float(place * step), f"{float(place * step):,.{decimals}f}") for place in range(first, last + 1))
    return Axis(title, low, high, ticks)


def _step(span: Fraction, most: int, *, whole: bool) -> tuple[Fraction, int]:
    """Return the distance of ticks, 1, 2 or 5 times a power of ten, and the decimals that its multiples have."""
    least = span / most
    if not least:
        return Fraction(1), 0
    power, decimals = Fraction(1), 0
    while power > least and not whole:
        power, decimals = power / 10, decimals + 1
    while power * 10 <= least:
        power, decimals = power * 10, max(0, decimals - 1)
    times = next(times for times in (1, 2, 5, 10) if power * times >= least)
    return power * times, max(0, decimals - 1) if times == 10 else decimals  # noqa: PLR2004 - the next power


def logarithmic(title: str, high: int) -> Axis:
    """Return an axis from 0 to above `high` that is logarithmic above 1, with ticks at 0 and the powers of ten.

    Where these are few there are ticks at twice and five times them, too, so that the highest part has one.
    """
    tens = [10**power for power in range(len(str(high)))]
    between = (1, 2, 5) if len(tens) <= _FEW_DECADES else (1,)
    ticks = [0, *(digit * ten for ten in tens for digit in between if digit * ten <= high)]
    return Axis(title, 0, 1.2 * high, tuple((tick, f"{tick:,}") for tick in ticks), symmetric_log=True)


_FEW_DECADES = 4


@dataclass(frozen=True, slots=True)
class Element:
    """An element of SVG: its name, its attributes, the words in it, and those that a pointer above it shows."""

    tag: str
    attributes: Mapping[str, float | str]
    words: str = ""
    told: str = ""


@dataclass(slots=True)
class Drawing:
    """Shapes in groups, on a ground. It grows downwards: `height` is what its parts have taken so far."""

    width: int
    height: float = 8
    ground: str | None = None
    groups: list[tuple[str, list[Element]]] = field(default_factory=list)

    def group(self, name: str, shapes: list[Element]) -> None:
        """Add shapes that have the same style."""
        if shapes:
            self.groups.append((name, shapes))

    def lines(self, name: str, lines: Sequence[str], **look: float | str) -> None:
        """Add lines of words below what is there."""
        size = cast("float", look.setdefault("font-size", _SMALL))
        shapes = []
        for line in lines:
            self.height += _LINE + size - _SMALL
            shapes.append(words(8, self.height - 4, line, **look))
        self.group(name, shapes)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where in a drawing a chart is, and its axes; `down` is None if lines are named instead of measured."""

    left: float
    top: float
    width: float
    height: float
    across: Axis
    down: Axis | None = None

    def x(self, value: float) -> float:
        """Return the place of a value across."""
        return self.left + self.width * self.across.at(value)

    def y(self, value: float) -> float:
        """Return the place of a value on the axis at the left."""
        if self.down is None:
            raise ValueError("lines that are named have places of their own")
        return self.top + self.height * (1 - self.down.at(value))

    def draw(self, drawing: Drawing, names: Sequence[tuple[float, str]] = (), title: str = "") -> None:
        """Draw grid, ticks, words and titles of both axes; `names` are those of lines, and their places."""
        bottom, right = self.top + self.height, self.left + self.width
        ups = [(self.x(value), text) for value, text in self.across.ticks]
        levels = list(names) if self.down is None else [(self.y(value), text) for value, text in self.down.ticks]
        side = title if self.down is None else self.down.title
        drawing.group(
            "grid",
            [_line(x, self.top, x, bottom, "#e4e4e4") for x, _ in ups]
            + [_line(self.left, y, right, y, "#e4e4e4") for y, _ in levels],
        )
        drawing.group(
            "axis",
            [_line(self.left, bottom, right, bottom, "#666"), _line(self.left, self.top, self.left, bottom, "#666")]
            + [_line(x, bottom, x, bottom + _TICK, "#666") for x, _ in ups]
            + [_line(self.left - _TICK, y, self.left, y, "#666") for y, _ in levels],
        )
        middle = self.top + self.height / 2
        drawing.group(
            "words",
            [words(x, bottom + 18, text, **{"text-anchor": "middle"}) for x, text in ups]
            + [words(self.left - 9, y + 4, text, **{"text-anchor": "end"}) for y, text in levels if text]
            + [words(self.left + self.width / 2, bottom + 38, self.across.title, **{"text-anchor": "middle"})]
            + ([words(14, middle, side, **_turned(14, middle))] if side else []),
        )


def _turned(x: float, y: float) -> dict[str, str]:
    return {"text-anchor": "middle", "transform": f"rotate(-90 {_round(x)} {_round(y)})"}


def words(x: float, y: float, text: str, **look: float | str) -> Element:
    """Return words at a place."""
    return Element("text", {"x": x, "y": y, **look}, words=text)


def mark(name: str, x: float, y: float, colour: str, told: str = "") -> Element:
    """Return a mark at a point, with the numbers it stands for."""
    if name == "circle":
        return Element("circle", {"cx": x, "cy": y, "r": 3.8, "fill": colour}, told=told)
    place = f"translate({_round(x)} {_round(y)})"
    return Element("path", {"d": MARKS[name], "transform": place, "fill": colour}, told=told)


def curve(points: Sequence[tuple[float, float]], colour: str, dash: Sequence[int] = ()) -> Element:
    """Return a line through points."""
    path = "M" + "L".join(f"{_round(x)} {_round(y)}" for x, y in points)
    look: dict[str, float | str] = {"d": path, "fill": "none", "stroke": colour, "stroke-width": 1.8}
    return Element("path", look | ({"stroke-dasharray": " ".join(map(str, dash))} if dash else {}))


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, **look: float | str) -> Element:
    return Element("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": colour, **look})


def rule(x1: float, x2: float, y: float, colour: str, dash: Sequence[int]) -> Element:
    """Return a dashed line across."""
    return _line(x1, y, x2, y, colour, **{"stroke-dasharray": " ".join(map(str, dash))})


def svg_of(drawing: Drawing, *, title: str, description: str, name: str = "chart") -> str:
    """Return a drawing as SVG, with a title and a description for screen readers.

    Drawings in one page need different names.
    """
    groups = [
        (name, [(s.tag, {key: _round(value) for key, value in s.attributes.items()}, s.words, s.told) for s in shapes])
        for name, shapes in drawing.groups
    ]
    size = (_round(drawing.width), _round(drawing.height))
    return str(part("drawing", size, drawing.ground, groups, name, title, description))


def _round(value: float | str) -> str:
    """Return a place with at most two decimals.

    >>> _round(12.0), _round(0.125), _round(-0.001), _round("none")
    ('12', '0.12', '0', 'none')
    """
    if isinstance(value, str):
        return value
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text

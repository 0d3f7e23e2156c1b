"""Charts: trade-offs, loss over rho, ways to publish, and patterns by length, as SVG or as a page.

A chart becomes an SVG on a white background, for print, or an HTML page with the same drawing, which also supports dark
screens. Neither contains a script, nor any data except the numbers shown. The same chart gives the same bytes. Each
mark says its numbers to a pointer above it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from discreet.errors import OutputError
from discreet.publishing.drawing import (
    COLOURS,
    DASHES,
    MARKS,
    Axis,
    Drawing,
    Element,
    Frame,
    curve,
    linear,
    logarithmic,
    mark,
    rule,
    svg_of,
    words,
)
from discreet.publishing.page import filled, page, part
from discreet.tables.whole import check_output, whole_file
from discreet.wording import counted, number, share

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from discreet.channels.tradeoff import Tradeoff
    from discreet.microdata.comparison import Comparison, Way
    from discreet.microdata.noisy_ways import NoisyWay
    from discreet.patterns.patternset import PatternSet
    from discreet.uncertainty.loss_curve import LossCurve

__all__ = [
    "check_chart_file",
    "comparison_chart",
    "comparison_lines",
    "comparison_svg",
    "loss_chart",
    "loss_figure",
    "pattern_chart",
    "pattern_figure",
    "tradeoff_chart",
    "tradeoff_figure",
    "tradeoff_page",
    "write_comparison_chart",
    "write_loss_chart",
    "write_tradeoff_chart",
]

SUFFIXES = (".svg", ".html")
WIDTH, HEIGHT = 640, 340

_LEFT = 78
"""Pixels at the left of a chart, for the axis and its title."""
_LEGEND = 76
_BELOW = 48
"""Pixels below a chart, for the axis and its title."""

_LINEAR_UP_TO = 50
"""Few channels can be read on a linear scale; many need one that shows both 1 and 100,000, and 0."""

_SOURCE = (
    "Counted with discreet, in all of the {n} rows. Maximal inference channels as in Atzori, Bonchi, Giannotti, "
    "Pedreschi (2008)."
)


def check_chart_file(path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Refuse a file that no chart can be written to, before any work is done for it."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise OutputError(f"{path} has no suffix of a chart; name it .svg or .html")
    return check_output(path, force=force)


def write_tradeoff_chart(found: Tradeoff, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Draw a trade-off into an .svg or .html file, written atomically."""
    target = check_chart_file(path, force=force)
    if target.suffix.lower() == ".svg":
        text = svg_of(tradeoff_chart(found), title=found.sentences[-1], description=_description(found))
    else:
        text = tradeoff_page(found)
    _write(text, target, force=force)


def write_loss_chart(found: LossCurve, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Draw the loss over rho into an .svg or .html file, written atomically."""
    target = check_chart_file(path, force=force)
    first, *others = found.sentences
    if target.suffix.lower() == ".svg":
        text = svg_of(loss_chart(found), title=first, description=_loss_description(found))
    else:
        body = filled("tradeoff.html", sentences=[first, *others], figure=loss_figure(found))
        text = page(title=first, body=body)
    _write(text, target, force=force)


def _write(text: str, target: Path, *, force: bool) -> None:
    with whole_file(target, force=force) as temporary:
        temporary.write_bytes(text.encode())


def pattern_figure(patterns: PatternSet) -> Markup:
    """Return the patterns by length and support as a figure of a page; empty if there are no patterns."""
    if not len(patterns):
        return Markup()
    lengths, counts = np.unique(patterns.itemsets.lengths, return_counts=True)
    listed = ", ".join(
        f"{count:,} of {length:,}" for length, count in zip(lengths.tolist(), counts.tolist(), strict=True)
    )
    title = "Patterns by number of items and share of rows"
    low, high = (100 * int(end) / patterns.n for end in (patterns.supports.min(), patterns.supports.max()))
    description = f"Number of patterns by number of items: {listed}. Their shares go from {low:.3g} to {high:.3g} %."
    svg = svg_of(pattern_chart(patterns), title=title, description=description, name="patterns-by-length")
    return part("figure", "by-length", Markup(svg), _BY_LENGTH)  # noqa: S704 - drawn here


_BY_LENGTH = (
    "Each dot stands for the patterns of that many items and about that share of rows; the larger, the more patterns. "
    "At the right, how many there are of that length."
)
_BINS = 48
_STEP = 34
"""Pixels for each number of items."""
_LARGEST = 520
"""Square pixels of the largest dot."""
_FEW = 10
"""The least number of patterns that the largest dot stands for: a single one stays a small dot."""


def pattern_chart(patterns: PatternSet) -> Drawing:
    """Return how many patterns there are by length and share of rows."""
    lengths = patterns.itemsets.lengths
    shares = 100 * patterns.supports / max(patterns.n, 1)
    low, high = float(shares.min()), float(shares.max())
    width = (high - low) / _BINS or 1.0
    places = np.minimum(((shares - low) / width).astype(np.int64), _BINS - 1)
    cells, counts = np.unique(np.stack([lengths, places], axis=1), axis=0, return_counts=True)
    each, totals = np.unique(lengths, return_counts=True)
    drawing = Drawing(_LEFT + WIDTH + _LEGEND)
    across = linear(f"share of {patterns.n:,} rows, %", *_room(low, high))
    frame = Frame(_LEFT, drawing.height, WIDTH, _STEP * len(each), across)
    levels = {length: frame.top + _STEP * (place + 0.5) for place, length in enumerate(each.tolist())}
    frame.draw(drawing, [(y, f"{length:,}") for length, y in levels.items()], "number of items")
    full = max(int(counts.max()), _FEW)
    dots = []
    for (length, place), count in zip(cells.tolist(), counts.tolist(), strict=True):
        share_here = low + (place + 0.5) * width
        look = {"cx": frame.x(share_here), "cy": levels[length], "r": math.sqrt(_LARGEST * count / full / math.pi)}
        told = f"{counted(count, 'pattern')} of {counted(length, 'item')}, about {share_here:.4g} % of rows"
        dots.append(Element("circle", {**look, "fill": COLOURS[0], "fill-opacity": 0.75}, told=told))
    drawing.group("marks", dots)
    right = _LEFT + WIDTH + 10
    sums = zip(levels.values(), totals.tolist(), strict=True)
    drawing.group("words", [words(right, y + 4, f"{total:,}") for y, total in sums])
    drawing.height = frame.top + frame.height + _BELOW
    return drawing


def _room(low: float, high: float) -> tuple[float, float]:
    """Return an axis of shares with some margin around the outermost dots, but none below 0 or above 100."""
    room = (high - low) / 20 or 1.0
    return max(0.0, low - room), min(100.0, high + room)


def tradeoff_chart(
    found: Tradeoff, *, ground: str | None = "white", titled: bool = True, chosen: tuple[int, int] | None = None
) -> Drawing:
    """Return channels against support, one curve for each k.

    The point of a `chosen` support and k, one of those computed, has a ring around it.
    """
    drawing = Drawing(_LEFT + WIDTH + _LEGEND, ground=ground)
    if titled:
        _title(drawing, [*reversed(found.sentences), _CHANNEL])
    points = _points(found)
    shares = [_share(found, support) for _, support in points]
    across = linear(f"minimum support, % of {found.n:,} rows", *_spread(min(shares), max(shares)))
    frame = Frame(_LEFT, drawing.height, WIDTH, HEIGHT, across, _channel_axis(int(found.channels.max(initial=0))))
    frame.draw(drawing)
    ks = found.ks.tolist()
    looks = {k: _look(place) for place, k in enumerate(ks)}
    places = {
        (k, support): (frame.x(_share(found, support)), frame.y(channels)) for (k, support), channels in points.items()
    }
    drawing.group("marks", [_curve_of(k, places, looks[k]) for k in ks])
    dots = []
    for (k, support), channels in points.items():
        colour, _, name = looks[k]
        told = f"k = {k:,}, support {number(support)}: {counted(channels, 'channel')}"
        dots.append(mark(name, *places[k, support], colour, told))
    drawing.group("marks", dots)
    if chosen is not None:
        _ring(drawing, *places[chosen[1], chosen[0]])
    # In the order of the curves: the largest k, which has the most channels, at the top.
    _legend(drawing, frame, "k", [(f"{k:,}", looks[k]) for k in reversed(ks)])
    drawing.height = max(frame.top + HEIGHT + _BELOW, frame.top + 22 * (len(ks) + 1))
    if titled:
        small: dict[str, float | str] = {"font-size": 10, "fill": "#555"}
        drawing.lines("words", [_SOURCE.format(n=f"{found.n:,}")], **small)
        drawing.height += 8
    return drawing


_CHANNEL = (
    "A channel is a group of 1 to k − 1 rows that can be computed from the itemsets published. What follows for other "
    "itemsets, beyond the border, is not counted."
)
CurveStyle = tuple[str, Sequence[int], str]
"""Colour, dash and mark of a curve."""


def _look(place: int) -> CurveStyle:
    names = list(MARKS)
    return COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)], names[place % len(names)]


def _curve_of(k: int, places: dict[tuple[int, int], tuple[float, float]], look: CurveStyle) -> Element:
    colour, dash, _ = look
    return curve([place for (of, _), place in places.items() if of == k], colour, dash)


def _spread(low: float, high: float) -> tuple[float, float]:
    """Return a range with some margin around its ends, or around a single number."""
    room = (high - low) / 50 or max(abs(low) / 10, 1.0)
    return max(0.0, low - room), high + room


def _legend(drawing: Drawing, frame: Frame, title: str, entries: Sequence[tuple[str, CurveStyle]]) -> None:
    """Draw the mark of each curve with its name, at the right of a chart."""
    right = frame.left + frame.width + 16
    levels = [frame.top + 22 * (place + 1) for place in range(len(entries))]
    symbols = [mark(look[2], right + 5, y, look[0]) for y, (_, look) in zip(levels, entries, strict=True)]
    names = [words(right + 16, y + 4, name) for y, (name, _) in zip(levels, entries, strict=True)]
    drawing.group("legend", symbols)
    drawing.group("words", [words(right, frame.top + 4, title), *names] if title else names)


def _ring(drawing: Drawing, x: float, y: float) -> None:
    """Draw a ring around the chosen point, and its label."""
    look: dict[str, float | str] = {"cx": x, "cy": y, "r": 10, "fill": "none", "stroke": "#555555", "stroke-width": 2}
    drawing.group("ring", [Element("circle", look)])
    drawing.group("words", [words(x + 15, y - 9, "chosen", **{"font-weight": "bold"})])


def tradeoff_figure(found: Tradeoff, *, chosen: tuple[int, int] | None = None) -> Markup:
    """Return the curves, with the chosen point if there is one, as a figure of a page, and their numbers below."""
    svg = svg_of(
        tradeoff_chart(found, ground=None, titled=False, chosen=chosen),
        title=found.sentences[-1],
        description=_description(found),
    )
    caption = f"{_CHANNEL} {_SOURCE.format(n=f'{found.n:,}')}"
    return part("figure", "curves", Markup(svg), caption) + _table(found)  # noqa: S704 - drawn here


def tradeoff_page(found: Tradeoff) -> str:
    """Return a page with the chart, the sentence it shows, and its numbers as a table."""
    body = filled("tradeoff.html", sentences=found.sentences[::-1], figure=tradeoff_figure(found))
    return page(title=found.sentences[-1], body=body)


def _table(found: Tradeoff) -> Markup:
    """Return the numbers behind the curves."""
    heads = ["Support", "Rows", "Closed itemsets", *(f"k = {k:,}" for k in found.ks.tolist())]
    rows = zip(found.min_supports.tolist(), found.closed.tolist(), found.channels.tolist(), strict=True)
    lines = [
        [f"{_share(found, support):.3g} %", *(number(value) for value in (support, closed, *channels))]
        for support, closed, channels in rows
    ]
    return part("plain_table", "Channels at each support, for each k", heads, lines)


def _share(found: Tradeoff, support: int) -> float:
    return 100 * support / max(found.n, 1)


def _points(found: Tradeoff) -> dict[tuple[int, int], int]:
    """Return the channels by k and support, including the supports where a curve reaches zero between two of them."""
    points = {
        (k, support): channels
        for support, row in zip(found.min_supports.tolist(), found.channels.tolist(), strict=True)
        for k, channels in zip(found.ks.tolist(), row, strict=True)
    }
    last = int(found.min_supports[-1])
    points |= {(k, lowest): 0 for k, lowest in found.lowest.items() if lowest is not None and lowest <= last}
    return dict(sorted(points.items()))


def _channel_axis(most: int) -> Axis:
    if most <= _LINEAR_UP_TO:
        return linear("channels", 0, max(most, 1), whole=True)
    return logarithmic("channels (logarithmic above 1)", most)


def _title(drawing: Drawing, sentences: Sequence[str]) -> None:
    """Write what a chart shows above it."""
    first, *below = sentences
    large: dict[str, float | str] = {"font-size": 15, "font-weight": "bold"}
    drawing.lines("words", textwrap.wrap(first, 88), **large)
    drawing.lines("words", [line for each in below for line in textwrap.wrap(each, 110)], fill="#444")
    drawing.height += 16


def _description(found: Tradeoff) -> str:
    """Return in words what the curves show."""
    ends = [
        f"at {_share(found, int(found.min_supports[row])):.3g} % there are "
        + ", ".join(
            f"{c:,} for k = {k:,}" for k, c in zip(found.ks.tolist(), found.channels[row].tolist(), strict=True)
        )
        for row in dict.fromkeys((0, len(found.min_supports) - 1))
    ]
    curves = "one curve" if len(found.ks) == 1 else f"a curve for each of {len(found.ks)} values of k"
    others = "".join(f" {sentence}." for sentence in found.sentences[-2::-1])
    return f"Channels against minimum support, {curves}: {'; '.join(ends)}.{others}"


# ---------------------------------------------------------------------------------------------------- loss over rho


def loss_chart(found: LossCurve, *, ground: str | None = "white", titled: bool = True) -> Drawing:
    """Return the loss against rho, with that of dropping every sensitive item."""
    drawing = Drawing(_LEFT + WIDTH + 24, ground=ground)
    if titled:
        _title(drawing, [*found.sentences, _LOSS])
    points = [(100 * float(each.rho), 100 * float(each.information_loss)) for each in found.points]
    whole = 100 * float(found.simple_loss)
    most = max(whole, *(lost for _, lost in points))
    across = linear("rho, %: nobody may be so sure of a sensitive item", 0, 100)
    frame = Frame(_LEFT, drawing.height, WIDTH, HEIGHT, across, linear("information lost, %", 0, max(1.0, 1.1 * most)))
    frame.draw(drawing)
    y = frame.y(whole)
    drawing.group("marks", [rule(_LEFT, _LEFT + WIDTH, y, COLOURS[-1], DASHES[1])])
    drawing.group("words", [words(_LEFT + 4, y - 5, "every sensitive item dropped", fill=COLOURS[-1])])
    drawing.group("marks", [curve([(frame.x(rho), frame.y(lost)) for rho, lost in points], COLOURS[0])])
    drawing.group(
        "marks",
        [
            mark("circle", frame.x(rho), frame.y(lost), COLOURS[0], f"rho {rho:.4g} %: {lost:.4g} % lost")
            for rho, lost in points
        ],
    )
    drawing.height = frame.top + HEIGHT + _BELOW
    return drawing


_LOSS = "Information loss as in Cao, Karras, Raïssi, Tan (2010). For the owner of the rows alone."


def loss_figure(found: LossCurve) -> Markup:
    """Return the curve as a figure of a page, and its numbers below."""
    svg = svg_of(
        loss_chart(found, ground=None, titled=False),
        title=found.sentences[0],
        description=_loss_description(found),
        name="loss",
    )
    heads, lines = found.table
    table = part("plain_table", "What is lost and what is left at each rho", heads, lines)
    return part("figure", "loss-over-rho", Markup(svg), _LOSS) + table  # noqa: S704 - drawn here


def _loss_description(found: LossCurve) -> str:
    """Return in words what the curve shows."""
    heads, lines = found.table
    told = "; ".join(f"{heads[0]} {line[0]}: {line[1]} lost" for line in lines)
    return f"Information lost against rho: {told}."


# ---------------------------------------------------------------------------------------------------- ways to publish


def write_comparison_chart(found: Comparison, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Draw what each way to publish keeps and how far it is off into an .svg or .html file, written atomically."""
    target = check_chart_file(path, force=force)
    if target.suffix.lower() == ".svg":
        text = svg_of(comparison_chart(found), title=found.sentence, description=_comparison_description(found))
    else:
        body = filled("tradeoff.html", sentences=[found.sentence], figure=_comparison_figure(found))
        text = page(title=found.sentence, body=body)
    _write(text, target, force=force)


def comparison_chart(found: Comparison, *, ground: str | None = "white", titled: bool = True) -> Drawing:
    """Return the ways to publish: itemsets kept and invented, and errors of supports."""
    ways = found.measured
    left = 30 + 7 * max((len(way.name) for way in ways), default=0)
    half = WIDTH // 2
    drawing = Drawing(left + 2 * (half + 24) + 2 * _LEGEND, ground=ground)
    if titled:
        _title(drawing, [found.sentence, _COMPARED])
    high = max((way.kept + way.invented for way in ways), default=0)
    counts = linear(f"itemsets, of {number(found.itemsets)}", 0, max(high, 1), whole=True, most=6)
    bars = Frame(left, drawing.height, half, _WAY * len(ways), counts)
    levels = [bars.top + _WAY * (place + 0.5) for place in range(len(ways))]
    bars.draw(drawing, [(y, way.name) for y, way in zip(levels, ways, strict=True)])
    worst = max((100 * float(way.worst) for way in ways), default=0.0)
    title = "relative error of supports, %; what is lost counts 100"
    dots = Frame(left + half + _LEGEND + 24, drawing.height, half, bars.height, linear(title, 0, max(worst, 1), most=6))
    dots.draw(drawing, [(y, "") for y in levels])
    drawing.group("marks", [shape for y, way in zip(levels, ways, strict=True) for shape in _bars(bars, y, way)])
    drawing.group(
        "marks",
        [
            mark(look[2], dots.x(100 * float(value)), y, look[0], f"{way.name}: {share(value)} {which}")
            for y, way in zip(levels, ways, strict=True)
            for (which, look), value in zip(_ERRORS, (way.average, way.worst), strict=True)
        ],
    )
    _legend(drawing, bars, "", [("kept", (COLOURS[0], (), "square")), ("invented", (COLOURS[1], (), "square"))])
    _legend(drawing, dots, "", _ERRORS)
    drawing.height = bars.top + max(bars.height, 44) + _BELOW
    return drawing


_WAY = 26
"""Pixels for each way."""
_ERRORS: list[tuple[str, CurveStyle]] = [
    ("average", (COLOURS[2], (), "circle")),
    ("worst", (COLOURS[3], (), "diamond")),
]


def _bars(frame: Frame, y: float, way: Way | NoisyWay) -> Iterator[Element]:
    """Return the bars of one way, one behind the other."""
    start = 0
    for what, count, colour in (("kept", way.kept, COLOURS[0]), ("invented", way.invented, COLOURS[1])):
        x, end = frame.x(start), frame.x(start + count)
        look: dict[str, float | str] = {"x": x, "y": y - 7, "width": end - x, "height": 14, "fill": colour}
        yield Element("rect", look, told=f"{way.name}: {number(count)} {what}")
        start += count


_COMPARED = "For the owner of the rows alone. Ways with noise (dp) have other figures in every run."


def _comparison_figure(found: Comparison) -> Markup:
    """Return the chart as a figure of a page, and below it the numbers, and what each way promises against whom."""
    table = part(
        "plain_table", "What each way keeps, how far it is off, and what it promises", *comparison_lines(found)
    )
    figure = part("figure", "curves ways-to-publish", Markup(comparison_svg(found)), _COMPARED)  # noqa: S704 - drawn here
    return figure + table


def comparison_svg(found: Comparison) -> str:
    """Return the chart for a page, which has a ground and a title of its own."""
    return svg_of(
        comparison_chart(found, ground=None, titled=False),
        title=found.sentence,
        description=_comparison_description(found),
        name="ways",
    )


def comparison_lines(found: Comparison) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the numbers of each way, and what it promises against whom: the heads of a table, and its lines."""
    heads = ("way", "kept", "lost", "invented", "average error", "worst error", "what it promises", "against whom")
    lines = [
        (
            way.name,
            *map(number, (way.kept, way.lost, way.invented)),
            *map(share, (way.average, way.worst)),
            way.promise,
            way.against,
        )
        for way in found.measured
    ]
    return heads, lines


def _comparison_description(found: Comparison) -> str:
    """Return in words what the chart shows."""
    told = "; ".join(
        f"{way.name}: {number(way.kept)} kept, {number(way.invented)} invented, off by {share(way.average)} on average "
        f"and {share(way.worst)} at worst"
        for way in found.measured
    )
    return f"Ways to publish {number(found.itemsets)} itemsets: {told}."

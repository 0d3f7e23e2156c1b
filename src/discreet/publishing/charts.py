"""Charts: Vega-Lite made with Altair, drawn by vl-convert without a browser or a network.

A chart becomes an SVG on a white background, for print, or an HTML page with the same drawing, which also supports dark
screens. Neither contains a script, nor any data except the numbers shown. The same chart gives the same bytes.

Only this module uses Altair and vl-convert.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from discreet.errors import OutputError
from discreet.publishing.page import filled, page, part
from discreet.tables.whole import check_output, whole_file
from discreet.wording import number

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import altair as alt

    from discreet.channels.tradeoff import Tradeoff
    from discreet.patterns.patternset import PatternSet

__all__ = [
    "COLOURS",
    "DASHES",
    "MARKS",
    "check_chart_file",
    "pattern_chart",
    "pattern_figure",
    "svg_of",
    "tradeoff_chart",
    "tradeoff_figure",
    "tradeoff_page",
    "write_tradeoff_chart",
]

SUFFIXES = (".svg", ".html")
WIDTH, HEIGHT = 640, 340

# Colours that colour-blind readers can distinguish, dark enough for paper; dashes and marks encode the same without
# colour. Their numbers have no common divisor, so that combinations repeat late.
COLOURS = ("#0072b2", "#d55e00", "#00805e", "#aa3377", "#8a6a00", "#555555")
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [12, 4])
MARKS = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")

_AXIS: dict[str, Any] = {
    "gridColor": "#e4e4e4",
    "domainColor": "#666",
    "tickColor": "#666",
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
    "titlePadding": 8,
}

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
        text = svg_of(tradeoff_chart(found), title=found.sentences[0], description=_description(found))
    else:
        text = tradeoff_page(found)
    with whole_file(target, force=force) as temporary:
        temporary.write_bytes(text.encode())


def svg_of(chart: dict[str, Any], *, title: str, description: str, name: str = "chart") -> str:
    """Return a Vega-Lite chart as SVG, with a title and a description for screen readers.

    Charts in one page need different names.
    """
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(chart)
    head, rest = re.split(r"(?<=>)", svg, maxsplit=1)
    named = head.replace("<svg ", f'<svg role="img" aria-labelledby="{name}-title {name}-description" ', 1)
    return f"{named}{part('svg_words', name, title, description)}{rest}\n"


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
_FEW = 10
"""The least number of patterns that the largest dot stands for: a single one stays a small dot."""


def pattern_chart(patterns: PatternSet) -> dict[str, Any]:
    """Return how many patterns there are by length and share of rows, as a Vega-Lite specification."""
    import altair as alt

    lengths = patterns.itemsets.lengths
    shares = 100 * patterns.supports / max(patterns.n, 1)
    low, high = float(shares.min()), float(shares.max())
    width = (high - low) / _BINS or 1.0
    places = np.minimum(((shares - low) / width).astype(np.int64), _BINS - 1)
    cells, counts = np.unique(np.stack([lengths, places], axis=1), axis=0, return_counts=True)
    dots = [
        {"items": length, "share": round(low + (place + 0.5) * width, 4), "patterns": count}
        for (length, place), count in zip(cells.tolist(), counts.tolist(), strict=True)
    ]
    most = int(counts.max())
    each, totals = np.unique(lengths, return_counts=True)
    sums = [
        {"items": length, "total": f"{total:,}"} for length, total in zip(each.tolist(), totals.tolist(), strict=True)
    ]
    down = alt.Y("items:O", title="number of items", axis=alt.Axis(labelAngle=0, grid=True))
    drawn = (
        alt.Chart({"values": dots})
        .mark_circle(opacity=0.75)
        .encode(
            x=alt.X(
                "share:Q",
                title=f"share of {patterns.n:,} rows, %",
                scale=alt.Scale(domain=_room(low, high), nice=False),
                axis=alt.Axis(tickCount=10, labelOverlap=True),
            ),
            y=down,
            size=alt.Size("patterns:Q", scale=alt.Scale(domain=[0, max(most, _FEW)], range=[0, 520]), legend=None),
        )
    )
    beside = (
        alt.Chart({"values": sums})
        .mark_text(align="left", dx=10, fontSize=12)
        .encode(x=alt.value(WIDTH), y=down, text="total:N")
    )
    chart: Any = (
        alt.layer(drawn, beside)
        .properties(width=WIDTH, height=alt.Step(34), background="transparent")
        .configure(font="Helvetica, Arial, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(**_AXIS)
    )
    spec: dict[str, Any] = chart.to_dict()
    return spec


def _room(low: float, high: float) -> list[float]:
    """Return an axis of shares with some margin around the outermost dots, but none below 0 or above 100."""
    room = (high - low) / 20 or 1.0
    return [max(0.0, low - room), min(100.0, high + room)]


def tradeoff_chart(
    found: Tradeoff, *, ground: str = "white", titled: bool = True, chosen: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Return channels against support, one curve for each k, as a Vega-Lite specification.

    The point of a `chosen` support and k, one of those computed, has a ring around it.
    """
    import altair as alt

    names = [f"{k:,}" for k in reversed(found.ks.tolist())]  # the legend in the order of the curves: most at the top
    order = range(len(names) - 1, -1, -1)

    def told_apart_by(field: Any, values: Sequence[Any], **options: Any) -> Any:  # Altair's own classes
        cycle = [values[number % len(values)] for number in order]
        return field("k:N", title="k", scale=alt.Scale(domain=names, range=cycle), sort=None, **options)

    across = alt.Scale(zero=False, nice=False, padding=12)
    curve = alt.Chart({"values": _points(found)}).encode(
        x=alt.X("support:Q", title=f"minimum support, % of {found.n:,} rows", scale=across),
        y=_channel_axis(int(found.channels.max(initial=0))),
        color=told_apart_by(alt.Color, COLOURS),
    )
    lines = curve.mark_line(strokeWidth=1.8).encode(strokeDash=told_apart_by(alt.StrokeDash, DASHES, legend=None))
    dots = curve.mark_point(filled=True, size=44, opacity=1).encode(
        shape=told_apart_by(alt.Shape, MARKS), tooltip=["support:Q", "rows:Q", "k:N", "channels:Q"]
    )
    parts: list[alt.Chart] = [lines, dots]
    parts += _ring(found, chosen) if chosen is not None else []
    if titled:
        source = alt.Chart({"values": [{}]}).mark_text(align="left", baseline="top", fontSize=10, color="#555")
        parts.append(
            source.encode(x=alt.value(0), y=alt.value(HEIGHT + 48), text=alt.value(_SOURCE.format(n=f"{found.n:,}")))
        )
    chart: Any = alt.layer(*parts).properties(width=WIDTH, height=HEIGHT, background=ground)
    if titled:
        chart = chart.properties(title=_title(found))
    # The legend shows colours and marks; Vega would drop it if it were merged with that of the dashes.
    chart = (
        chart.resolve_legend(strokeDash="independent")
        .configure(font="Helvetica, Arial, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(**_AXIS)
        .configure_legend(
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal", symbolSize=70, symbolStrokeWidth=0
        )
        .configure_title(anchor="start", fontSize=15, subtitleFontSize=12, subtitleColor="#444", offset=14)
    )
    spec: dict[str, Any] = chart.to_dict()
    return spec


def _ring(found: Tradeoff, chosen: tuple[int, int]) -> list[alt.Chart]:
    """Return a ring around the chosen point, and its label."""
    import altair as alt

    support, k = chosen
    here = [point for point in _points(found) if (point["rows"], point["k"]) == (support, f"{k:,}")]
    at = alt.Chart({"values": [point | {"word": "chosen"} for point in here]}).encode(x="support:Q", y="channels:Q")
    ring = at.mark_point(size=320, strokeWidth=2, color="#555555", opacity=1)
    word = at.mark_text(align="left", dx=15, dy=-9, fontSize=12, fontWeight="bold").encode(text="word:N")
    return [ring, word]


def tradeoff_figure(found: Tradeoff, *, chosen: tuple[int, int] | None = None) -> Markup:
    """Return the curves, with the chosen point if there is one, as a figure of a page, and their numbers below."""
    svg = svg_of(
        tradeoff_chart(found, ground="transparent", titled=False, chosen=chosen),
        title=found.sentences[0],
        description=_description(found),
    )
    caption = _SOURCE.format(n=f"{found.n:,}")
    return part("figure", "curves", Markup(svg), caption) + _table(found)  # noqa: S704 - drawn here


def tradeoff_page(found: Tradeoff) -> str:
    """Return a page with the chart, the sentence it shows, and its numbers as a table."""
    body = filled("tradeoff.html", sentences=found.sentences, figure=tradeoff_figure(found))
    return page(title=found.sentences[0], body=body)


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


def _points(found: Tradeoff) -> list[dict[str, Any]]:
    """Return the points of the curves, including those where a curve reaches zero between two of them."""
    points = {
        (k, support): channels
        for support, row in zip(found.min_supports.tolist(), found.channels.tolist(), strict=True)
        for k, channels in zip(found.ks.tolist(), row, strict=True)
    }
    last = int(found.min_supports[-1])
    points |= {(k, lowest): 0 for k, lowest in found.lowest.items() if lowest is not None and lowest <= last}
    return [
        {"k": f"{k:,}", "support": _share(found, support), "rows": support, "channels": points[k, support]}
        for k, support in sorted(points)
    ]


def _channel_axis(most: int) -> alt.Y:
    import altair as alt

    if most <= _LINEAR_UP_TO:
        scale = alt.Scale(domain=[0, max(most, 1)], nice=True)
        return alt.Y("channels:Q", title="channels", scale=scale, axis=alt.Axis(format=",d", tickMinStep=1))
    tens = [10**power for power in range(len(str(most)))]
    return alt.Y(
        "channels:Q",
        title="channels (logarithmic above 1)",
        scale=alt.Scale(type="symlog", domain=[0, 1.2 * most]),
        axis=alt.Axis(format=",d", values=[0, *tens]),
    )


def _title(found: Tradeoff) -> alt.TitleParams:
    import altair as alt

    first, *others = found.sentences
    below = [*others, "A channel is a group of 1 to k − 1 rows that can be computed from the itemsets published."]
    return alt.TitleParams(
        text=textwrap.wrap(first, 88), subtitle=[line for sentence in below for line in textwrap.wrap(sentence, 110)]
    )


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
    others = "".join(f" {sentence}." for sentence in found.sentences[1:])
    return f"Channels against minimum support, {curves}: {'; '.join(ends)}.{others}"

"""Draw the curves of Figures 3 to 7 of atzori2008: python -m benchmarks.figures OUTDIR [--small].

- Figure 3: what the condensed representation saves: maximal against all channels, and the time of each method
- Figure 4: maximal channels against support
- Figure 5: what merging saves: virtual rows per channel, by the paper's order and by our search, in units of k
- Figure 6: the four measures of distortion, additive and suppressive
- Figure 7: run time of mining, detecting and blocking together

OUTDIR gets an SVG for each, and points.csv with every point. The paper's kosarak is larger than the prefix used here.
`python -m benchmarks.papers` (`make papers`) draws those of every paper.
"""

from __future__ import annotations

import csv
import re
import sys
import textwrap
import time
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.cases import best_of, data_folder
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.channels.tradeoff import tradeoff
from discreet.errors import NotSafe, TooManyPatterns
from discreet.publishing.drawing import COLOURS, DASHES, MARKS
from discreet.transactions.generate import quest
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from discreet.channels.blocking import Blocked
    from discreet.transactions.transactions import Transactions

__all__ = [
    "Figure",
    "Point",
    "draw",
    "figures",
    "main",
    "ranges",
    "read_points",
    "svg_of",
    "write_figures",
    "write_points",
]

KS = (5, 10, 25, 50)
DETECTING_K = 10
"""Figure 3's: the time does not depend on it."""

_TITLE, _ROOM = 40, 30
"""Characters of a title for each panel across, and space at the right: fonts differ in width."""

PATIENCE = 3
"""Seconds: a method that took longer at one support is not timed at lower ones."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A data set, and the supports (in per cent) looked at: those of Figures 4 to 7, and of Figure 3."""

    data: str
    supports: tuple[float, ...]
    detecting: tuple[float, ...]
    patience: float = PATIENCE


_MUSHROOM = (20, 25, 30, 35, 40, 45, 50, 55, 60, 70)
GRIDS = (
    Grid("mushroom", _MUSHROOM, _MUSHROOM, patience=600),  # the largest ratio of Figure 3 is at 20 %
    Grid("kosarak_first36682", (0.6, 0.8, 1, 1.5, 2, 3, 5), (0.6, 0.8, 1, 1.5, 2, 3, 5)),
    Grid("retail", (0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2), (0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2)),
)
QUICK = (
    Grid("mushroom", (25, 40, 55, 60), (20, 40, 60)),
    Grid("kosarak_first36682", (0.6, 1, 3), (0.6, 1, 3)),
    Grid("retail", (0.3, 0.8, 2), (0.3, 0.8, 2)),
)
SMALL = (Grid("generated", (5, 10, 20), (5, 10, 20)),)


@dataclass(frozen=True, slots=True)
class Point:
    """One point of one curve."""

    figure: int
    data: str
    measure: str
    series: str
    k: int
    support: float
    value: float
    low: float | None = None  # with `high`, the ends of what several draws gave; `value` is then their median
    high: float | None = None


def ranges(draws: Sequence[Sequence[Point]]) -> list[Point]:
    """Return one point for the same of all draws: the median, with the smallest and the largest value."""
    values: dict[Point, list[float]] = {}
    for points in draws:
        for point in points:
            values.setdefault(replace(point, value=0), []).append(point.value)
    return [replace(point, value=median(found), low=min(found), high=max(found)) for point, found in values.items()]


@dataclass(frozen=True, slots=True)
class Figure:
    """What a chart says above its panels and below its axis, and which of its measures span powers of ten.

    Where the axis has no order, as that of draws, points are not `joined` by lines.
    """

    title: str
    wide: tuple[str, ...] = ()
    axis: str = "minimum support, %"
    joined: bool = True


FIGURES = {
    3: Figure("Figure 3: maximal channels say the same in fewer", ("channels", "seconds")),
    4: Figure("Figure 4: channels against support", ("channels",)),
    5: Figure("Figure 5: rows to add, in units of k, without merging and with it", ("rows / k",)),
    6: Figure("Figure 6: what blocking costs", ("rows",)),
    7: Figure("Figure 7: seconds to mine, detect and block", ("seconds",)),
}
MEASURES = {"rows": "rows", "changed": "changed, %", "average": "average, %", "worst": "worst, %"}


def figures(folder: Path, *, small: bool = False, quick: bool = False) -> list[Point]:
    """Compute all points, write them, and draw every figure."""
    grids = SMALL if small else QUICK if quick else GRIDS
    points = [point for grid in grids for point in _points(grid)]
    write_figures(folder, FIGURES, points)
    return points


def write_figures(folder: Path, drawn: Mapping[int, Figure], points: Sequence[Point]) -> None:
    """Write the points of some figures, and a drawing of each."""
    write_points(folder / "points.csv", points)
    for number, figure in drawn.items():
        chart = draw(figure, [point for point in points if point.figure == number])
        svg = svg_of(chart, figure.title, f"The points are in points.csv, figure {number}.")
        (folder / f"figure-{number}.svg").write_text(svg, encoding="utf-8")


def svg_of(chart: Any, title: str, description: str) -> str:
    """Return a chart of Altair's as SVG, drawn without a browser, with a title for screen readers."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(chart.to_dict())
    head, rest = re.split(r"(?<=>)", svg, maxsplit=1)
    words = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    named = head.replace("<svg ", '<svg role="img" ', 1)
    return f"{named}{words}{rest}\n"


def write_points(path: Path, points: Iterable[Point]) -> None:
    """Write points as CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Point.__slots__)
        writer.writerows(map(astuple, points))


def read_points(path: Path) -> list[Point]:
    """Return points that were written."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Point(int(line["figure"]), line["data"], line["measure"], line["series"], int(line["k"]), *numbers)
            for line in csv.DictReader(file)
            for numbers in [[float(line[name]) for name in ("support", "value", "low", "high") if line[name]]]
        ]


def _points(grid: Grid) -> Iterator[Point]:
    rows = _load(grid.data)
    yield from _detection(grid, rows)
    yield from _channels(grid, rows)
    yield from _blocking(grid, rows)


def _load(name: str) -> Transactions:
    if name == "generated":
        return quest(rows=2000, items=20, mean_length=6, pattern_length=3, patterns=20, seed=1)
    return read(data_folder() / f"{name}.dat.gz")


def _share(percent: float) -> str:
    return f"{percent:g}%"


def _detection(grid: Grid, rows: Transactions) -> Iterator[Point]:
    methods = ["direct", "closed", "projection", "auto"]
    for support in sorted(grid.detecting, reverse=True):
        asked = {"k": DETECTING_K, "min_support": _share(support), "border": False}

        def point(measure: str, series: str, value: float, at: float = support) -> Point:
            return Point(3, grid.data, measure, series, DETECTING_K, at, value)

        yield point("channels", "maximal", len(audit(rows, **asked).channels))
        with suppress(TooManyPatterns):  # the curve of all channels starts where they can be listed
            yield point("channels", "all", len(audit(rows, all_channels=True, **asked).channels))
        for method in tuple(methods):
            start = time.perf_counter()
            try:
                audit(rows, method=method, **asked)
            except TooManyPatterns:
                methods.remove(method)  # only the direct method lists all itemsets
                continue
            seconds = time.perf_counter() - start
            if seconds < 1:
                seconds = min(seconds, best_of(partial(audit, rows, method=method, **asked), 4))
            yield point("seconds", method, seconds)
            if seconds > grid.patience:
                methods.remove(method)


def _channels(grid: Grid, rows: Transactions) -> Iterator[Point]:
    found = tradeoff(rows, min_support=[_share(support) for support in grid.supports], k=list(KS))
    for support, counts in zip(grid.supports, found.channels.tolist(), strict=True):
        for k, count in zip(KS, counts, strict=True):
            yield Point(4, grid.data, "channels", "maximal", k, support, count)


def _blocking(grid: Grid, rows: Transactions) -> Iterator[Point]:
    for support in grid.supports:
        for k in KS:
            for method in ("additive", "suppressive"):
                start = time.perf_counter()
                try:
                    done = block(rows, k=k, min_support=_share(support), method=method, border=False)
                except NotSafe:
                    continue  # nothing may be published: no point
                seconds = time.perf_counter() - start
                yield Point(7, grid.data, "seconds", method, k, support, seconds)
                yield from _costs(grid, done, support)


def _costs(grid: Grid, done: Blocked, support: float) -> Iterator[Point]:
    for field, measure in MEASURES.items():
        value = getattr(done.distortion, field)
        shown = value if field == "rows" else 100 * float(value)
        yield Point(6, grid.data, measure, done.method, done.k, support, shown)
    if done.method == "additive":
        merging = {
            "none": done.channels_before,
            "paper": (done.plain_rows or 0) // done.k,
            "best": done.distortion.rows // done.k,
        }
        for series, count in merging.items():
            yield Point(5, grid.data, "rows / k", series, done.k, support, count)


def draw(figure: Figure, points: Sequence[Point]) -> Any:  # one of Altair's chart classes
    """Return a chart with a panel for each measure (down) and each data set (across)."""
    import altair as alt

    measures, sets = _distinct(p.measure for p in points), _distinct(p.data for p in points)
    # One colour for each name in the whole figure: its panels share the legend.
    series, ks = _distinct(p.series for p in points), _distinct(str(p.k) for p in points)
    rows = [
        alt.hconcat(
            *(
                _panel(figure, [p for p in points if (p.measure, p.data) == (measure, name)], series, ks)
                for name in sets
            )
        )
        for measure in measures
    ]
    title = textwrap.wrap(figure.title, _TITLE * len(sets))
    return (
        alt.vconcat(*rows, title=title, background="white", padding={"left": 5, "top": 5, "bottom": 5, "right": _ROOM})
        .configure(font="Helvetica, Arial, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(gridColor="#e4e4e4", domainColor="#666", tickColor="#666")
        .configure_title(anchor="start", fontSize=13)
    )


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _panel(figure: Figure, points: Sequence[Point], series: list[str], ks: list[str]) -> Any:
    """Return one panel: a colour for each k where there are several, else for each series; dashes for the series."""
    import altair as alt

    if not points:  # nothing could be published or listed for this data set
        return alt.Chart(alt.Data(values=[])).mark_point()
    coloured, names = ("k", ks) if len(ks) > 1 else ("series", series)
    measure = points[0].measure
    data = alt.Data(values=[{name: getattr(p, name) for name in Point.__slots__} | {"k": str(p.k)} for p in points])

    def told_apart_by(channel: Any, field: str, domain: list[str], values: Sequence[Any]) -> Any:
        scale = alt.Scale(domain=domain, range=[values[place % len(values)] for place in range(len(domain))])
        return channel(f"{field}:N", title=field, scale=scale, sort=None)

    several = (
        {"strokeDash": told_apart_by(alt.StrokeDash, "series", series, [dash or (1, 0) for dash in DASHES])}
        if len(series) > 1
        else {}
    )
    curve = alt.Chart(data).encode(
        x=alt.X("support:Q", title=figure.axis, scale=alt.Scale(zero=False), axis=_whole_steps(points))
        if figure.joined
        else alt.X("support:O", title=figure.axis, axis=alt.Axis(format="d", labelAngle=0)),
        y=alt.Y("value:Q", title=measure, scale=_scale(figure, measure, points)),
        color=told_apart_by(alt.Color, coloured, names, COLOURS),
    )
    lines = curve.mark_line(strokeWidth=1.6).encode(**several)
    dots = curve.mark_point(filled=True, size=28, opacity=1).encode(
        shape=told_apart_by(alt.Shape, coloured, names, list(MARKS))
    )
    layers = [lines, dots] if figure.joined else [dots]
    if points[0].low is not None:
        ends = alt.Y("low:Q", title=measure, scale=_scale(figure, measure, points))
        layers.insert(0, curve.mark_rule(strokeWidth=4, opacity=0.3).encode(y=ends, y2="high:Q"))
    return alt.layer(*layers).properties(width=250, height=170, title=points[0].data)


def _whole_steps(points: Sequence[Point]) -> Any:
    """Return an axis without ticks between whole numbers, where all points are at such."""
    import altair as alt

    return alt.Axis(tickMinStep=1) if all(p.support == int(p.support) for p in points) else alt.Axis()


def _scale(figure: Figure, measure: str, points: Sequence[Point]) -> Any:
    import altair as alt

    if measure not in figure.wide:
        return alt.Scale(domainMin=0)
    if all((p.value if p.low is None else p.low) > 0 for p in points):
        return alt.Scale(type="log")
    return alt.Scale(type="symlog", domain=[0, max(1, *(p.value if p.high is None else p.high for p in points))])


def main() -> None:
    """Draw into the folder that is named."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 1:
        raise SystemExit("usage: python -m benchmarks.figures OUTDIR [--small]")
    start, folder, small = time.perf_counter(), Path(words[0]), "--small" in sys.argv
    print(f"{len(figures(folder, small=small)):,} points in {time.perf_counter() - start:.0f} s, drawn into {words[0]}")


if __name__ == "__main__":
    main()

"""Draw the curves of Figures 5 to 11 of oliveira2002: python -m benchmarks.hiding_figures OUTDIR [--small].

- Figure 5: hiding failure and misses cost against the disclosure threshold, for all four algorithms
- Figures 6 to 9: the same for Naïve, MinFIA, MaxFIA and IGA at several supports
- Figure 10: how many items are removed
- Figure 11: seconds of the processor against rows and against restrictive patterns, reading and writing included as in
  the paper
- Figure 12, not in the paper: misses cost and items removed for ten draws of ten restrictive patterns that share items,
  and for ten that need not, when nothing may stay and when 60 % may; on 20,000 of the rows

OUTDIR gets an SVG for each, points.csv with every point, patterns.txt with the restrictive patterns of Figures 5 to 10
and 11A, and draws.md with the ranges of Figure 12.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from itertools import cycle, islice, product
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.figures import Figure, Point, write_figures
from benchmarks.hiding_data import grown_rows, paper_rows, restrictive_patterns
from discreet.hiding.hide import hide
from discreet.transactions.reading import read
from discreet.transactions.rewriting import rewrite
from discreet.transactions.writing import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from discreet.transactions.transactions import Transactions

__all__ = ["FIGURES", "hiding_figures", "main"]

METHODS = {"naive": "Naïve", "minfia": "MinFIA", "maxfia": "MaxFIA", "iga": "IGA"}
SHARING = {"hubs": 3, "seed": 6}
"""Ten patterns that share items, chosen among eight draws (Figure 12 has them) as the one in which IGA removes
little more than half as many items as MinFIA, as the paper reports."""
MISSES, REMOVED = "misses cost, %", "items removed, %"

FIGURES = {
    5: Figure("Figure 5: what may stay against what is hidden, at 10 %", axis="disclosure threshold, %"),
    **{
        number: Figure(f"Figure {number}: {name} at several supports", axis="disclosure threshold, %")
        for number, name in zip(range(6, 10), METHODS.values(), strict=True)
    },
    10: Figure("Figure 10: items removed", axis="disclosure threshold, %"),
    11: Figure("Figure 11: seconds of the processor to read, hide and write", axis="A: thousands of rows; B: patterns"),
    12: Figure("Figure 12: misses cost and items removed, by draw of the patterns", axis="draw", joined=False),
}


class _Sizes:
    """How much is computed."""

    def __init__(self, *, small: bool, quick: bool = False) -> None:
        self.rows = 300 if small else 10_000 if quick else 100_000
        self.support = 25 if small else 10
        self.supports = (25, 30) if small else (10, 20) if quick else (10, 15, 20, 25)
        self.thresholds = (0, 50, 100) if small else (0, 25, 50, 75, 100) if quick else tuple(range(0, 101, 10))
        self.drawn_thresholds = (0, 50) if small else (0, 60)
        self.draws = 2 if small else 3 if quick else 10
        self.drawn_rows = 300 if small else 5_000 if quick else 20_000
        self.grown = (300, 600) if small else (5_000, 10_000) if quick else (20_000, 40_000, 60_000, 80_000, 100_000)
        self.patterns = (2, 4) if small else (2, 6, 10) if quick else (2, 4, 6, 8, 10)


def hiding_figures(folder: Path, *, small: bool = False, quick: bool = False) -> list[Point]:
    """Compute all points, write them, and draw every figure."""
    sizes = _Sizes(small=small, quick=quick)
    rows = paper_rows(sizes.rows)
    patterns = restrictive_patterns(rows, **SHARING)
    points = [
        *_threshold_points(rows, patterns, sizes),
        *_support_points(rows, patterns, sizes),
        *_time_points(rows, sizes),
        *_draw_points(rows, sizes),
    ]
    write_figures(folder, FIGURES, points)
    (folder / "patterns.txt").write_text("".join(f"{' '.join(pattern)}\n" for pattern in patterns), encoding="utf-8")
    (folder / "draws.md").write_text("".join(f"{line}\n" for line in _ranges(points)), encoding="utf-8")
    return points


def _ranges(points: Sequence[Point]) -> Iterator[str]:
    """Write Figure 12 as a table: the smallest value, the median and the largest, and who has how often the lowest."""
    yield f"| | {' | '.join(METHODS.values())} |"
    yield "| --- " * (1 + len(METHODS)) + "|"
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for point in points:
        if point.figure == 12:  # noqa: PLR2004
            found.setdefault((point.measure, point.data), {}).setdefault(point.series, []).append(point.value)
    for (measure, panel), series in found.items():
        cells = (f"{min(all_):.1f}, {median(all_):.1f}, {max(all_):.1f}" for all_ in series.values())
        yield f"| {measure}: {panel} | {' | '.join(cells)} |"
        lowest = [min(draw) for draw in zip(*series.values(), strict=True)]
        wins = (sum(value == low for value, low in zip(all_, lowest, strict=True)) for all_ in series.values())
        yield f"| … lowest of the four, of {len(lowest)} draws | {' | '.join(map(str, wins))} |"


def _point(figure: int, panel: str, series: str, *, at: float, value: float, measure: str = "%") -> Point:
    return Point(figure, panel, measure, series, 0, at, value)


def _threshold_points(rows: Transactions, patterns: Sequence[list[str]], sizes: _Sizes) -> Iterator[Point]:
    for method, name in METHODS.items():
        for threshold in sizes.thresholds:
            done = hide(
                rows, restrict=patterns, method=method, disclosure=f"{threshold}%", min_support=f"{sizes.support}%"
            )
            for measure in ("hiding_failure", "misses_cost"):
                value = 100 * float(getattr(done.side_effects, measure))
                yield _point(5, measure.replace("_", " "), name, at=threshold, value=value)
            yield _point(10, "items removed", name, at=threshold, value=100 * float(done.dissimilarity))


def _support_points(rows: Transactions, patterns: Sequence[list[str]], sizes: _Sizes) -> Iterator[Point]:
    for number, method in zip(range(6, 10), METHODS, strict=True):
        for support in sizes.supports:
            for threshold in sizes.thresholds:
                done = hide(
                    rows, restrict=patterns, method=method, disclosure=f"{threshold}%", min_support=f"{support}%"
                )
                for measure in ("hiding_failure", "misses_cost"):
                    value = 100 * float(getattr(done.side_effects, measure))
                    yield _point(number, measure.replace("_", " "), f"{support} %", at=threshold, value=value)


def _time_points(rows: Transactions, sizes: _Sizes) -> Iterator[Point]:
    few = restrictive_patterns(rows, **SHARING)
    many = restrictive_patterns(rows, lengths=tuple(islice(cycle((2, 3, 4, 5)), max(sizes.patterns))))
    with tempfile.TemporaryDirectory(prefix="discreet-bench-") as folder:
        for count in sizes.grown:
            path = Path(folder) / f"{count}.dat"
            write(grown_rows(rows, count), path)
            for method, name in METHODS.items():
                seconds = _processor_seconds(partial(_whole_job, path, few, method))
                yield _point(11, "A: rows", name, at=count / 1000, value=seconds, measure="seconds")
        for count in sizes.patterns:
            for method, name in METHODS.items():
                seconds = _processor_seconds(partial(_whole_job, path, many[:count], method))
                yield _point(11, "B: patterns", name, at=count, value=seconds, measure="seconds")


def _processor_seconds(job: Callable[[], object]) -> float:
    """Return the least time of the processor, which the paper measures and other work leaves alone, of three runs."""

    def once() -> float:
        start = time.process_time()
        job()
        return time.process_time() - start

    return min(once() for _ in range(3))


def _whole_job(path: Path, patterns: Sequence[list[str]], method: str) -> None:
    done = hide(read(path), restrict=patterns, method=method)
    rewrite(
        done.rows,
        path.with_suffix(".out.dat"),
        source=path,
        removed_from=done.removed_from,
        removed=done.removed,
        as_read=True,
        force=True,
    )


def _draw_points(rows: Transactions, sizes: _Sizes) -> Iterator[Point]:
    some = rows.select(np.arange(sizes.drawn_rows))
    for panel, hubs in (("sharing items", 3), ("one by one", 0)):
        draws = 0
        seed = 0
        while draws < sizes.draws:
            seed += 1
            try:
                patterns = restrictive_patterns(rows, hubs=hubs, seed=seed)
            except ValueError:
                continue  # the items drawn are in no ten patterns of these lengths
            draws += 1
            for threshold, (method, name) in product(sizes.drawn_thresholds, METHODS.items()):
                done = hide(
                    some, restrict=patterns, method=method, disclosure=f"{threshold}%", min_support=f"{sizes.support}%"
                )
                what = f"{panel}, ψ = {threshold} %"
                misses, removed = 100 * float(done.side_effects.misses_cost), 100 * float(done.dissimilarity)
                yield _point(12, what, name, at=draws, value=misses, measure=MISSES)
                yield _point(12, what, name, at=draws, value=removed, measure=REMOVED)


def main() -> None:
    """Draw into the folder that is named."""
    words = [word for word in sys.argv[1:] if word != "--small"]
    if len(words) != 1:
        raise SystemExit("usage: python -m benchmarks.hiding_figures OUTDIR [--small]")
    start = time.perf_counter()
    points = hiding_figures(Path(words[0]), small="--small" in sys.argv)
    print(f"{len(points):,} points in {time.perf_counter() - start:.0f} s, drawn into {words[0]}")


if __name__ == "__main__":
    main()

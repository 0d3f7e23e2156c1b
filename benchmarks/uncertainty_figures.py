"""Draw the curves of Figures 5 to 11 of cao2010: python -m benchmarks.uncertainty_figures OUTDIR [--small].

- Figure 5: loss and time on three data sets, here against the longest row that is let in (the paper: 5)
- Figure 6: against the number of rows, shortest rows first
- Figure 7: against rho; Figure 8: against the fan-out; Figure 9: against the share of sensitive items
- Figure 10: against the number of items
- Figure 11: against randomizing (select-a-size), by number of rows (beta = rho) and by rho (beta = 1 - rho)

Everything is done for ten draws of the sensitive items: curves are those of the medians, with a bar from the smallest
value to the largest. OUTDIR gets an SVG for each figure, points.csv with every point, losses.md with the table of
Figure 5, claims.md: what the paper says about each figure, and in how many draws it holds here; and the points of each
draw, from which a run that was stopped goes on. BMS-POS could not be had; 20,000 rows of its shape are generated in its
place. The default method, which the paper does not have, is in Figure 5, with two seconds of the processor each time.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np

from benchmarks.cases import data_folder
from benchmarks.figures import Figure, Point, ranges, read_points, write_figures, write_points
from benchmarks.findings import Case
from discreet.itemsets import Itemsets
from discreet.transactions.generate import skewed
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.uncertainty import time_budget
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.hierarchy import hierarchy_of_all
from discreet.uncertainty.perturb import perturb
from discreet.uncertainty.sensitive_items import draw_sensitive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = ["Claim", "claims", "main", "uncertainty_figures"]

POS = "BMS-POS, generated"
LOSS, SECONDS = "information loss, %", "seconds"
BY_ROWS, BY_RHO = "loss by rows, %", "loss by rho, %"
PAPERS = ("simple", "suppress", "tdcontrol")
METHODS = (*PAPERS, "best")
RHO, SHARE, FANOUT = Fraction(1, 2), "40%", 4
SHORT = 5
"""Items in the longest row of most of the paper's experiments."""

SECONDS_OF_BEST = 2.0
SLICE = 20_000
"""Rows that are randomized at a time: randomized rows are long."""

FIGURES = {
    5: Figure("Figure 5: loss and time by the longest row that is let in", (SECONDS,), "longest row"),
    6: Figure("Figure 6: loss and time by the number of rows, shortest first", (SECONDS,), "rows, thousands"),
    7: Figure("Figure 7: loss and time by rho", (SECONDS,), "rho"),
    8: Figure("Figure 8: loss and time by the fan-out of the hierarchy", (SECONDS,), "fan-out"),
    9: Figure("Figure 9: loss and time by the share of sensitive items", (SECONDS,), "sensitive items, %"),
    10: Figure("Figure 10: loss and time by the number of items", (SECONDS,), "items"),
    11: Figure("Figure 11: loss against that of randomizing", (), "rows, thousands (above); rho (below)"),
}


@dataclass(frozen=True, slots=True)
class Grid:
    """How large the experiments are."""

    draws: int
    sets: tuple[str, ...]
    pos: tuple[int, int, int]  # rows, items, longest row
    caps: tuple[int, ...]
    searched: tuple[int, ...]  # those that the default method is tried with
    prefixes: tuple[float, ...]
    shorter: float  # the part of the rows, shortest first, that Figures 7 to 10 look at
    rhos: tuple[Fraction, ...]
    fanouts: tuple[int, ...]
    shares: tuple[int, ...]
    items: tuple[float, ...]


FULL = Grid(
    draws=10,
    sets=("BMS-WebView-1", "BMS-WebView-2_spmf"),
    pos=(20_000, 1657, 164),
    caps=(3, SHORT, 8, 12, 10_000),
    searched=(SHORT, 10_000),
    prefixes=(0.194, 0.388, 0.582, 0.776, 0.97, 0.9998),
    shorter=300_000 / 515_597,
    rhos=tuple(Fraction(tenth, 10) for tenth in (2, 3, 4, 5, 6, 7, 8, 9)),
    fanouts=(2, 4, 6, 8, 10),
    shares=(10, 20, 30, 40, 50, 60),
    items=(0.2, 0.4, 0.6, 0.8, 1),
)
QUICK = Grid(
    draws=2,
    sets=("BMS-WebView-1",),
    pos=(4_000, 400, 40),
    caps=(3, SHORT, 10_000),
    searched=(SHORT,),
    prefixes=(0.388, 0.776, 0.9998),
    shorter=0.6,
    rhos=(Fraction(3, 10), Fraction(5, 10), Fraction(8, 10)),
    fanouts=(2, 4, 8),
    shares=(10, 30, 50),
    items=(0.4, 0.7, 1),
)
SMALL = Grid(
    draws=2,
    sets=(),
    pos=(400, 30, 12),
    caps=(3, SHORT, 10_000),
    searched=(SHORT, 10_000),
    prefixes=(0.5, 1),
    shorter=0.6,
    rhos=(Fraction(3, 10), Fraction(7, 10)),
    fanouts=(2, 4),
    shares=(20, 40),
    items=(0.5, 1),
)


def uncertainty_figures(folder: Path, *, small: bool = False, quick: bool = False) -> list[Point]:
    """Compute all points of all draws, write them, draw every figure, and say which claims hold."""
    grid = SMALL if small else QUICK if quick else FULL
    rows, items, longest = grid.pos
    pos = skewed(rows=rows, items=items, mean_length=6.5 if items > 100 else 4, max_length=longest, seed=1)  # noqa: PLR2004
    sets = {POS: pos} | {name.partition("_")[0]: _public(name) for name in grid.sets}
    chance = _kept(folder / "randomized.csv", partial(_randomized_points, grid, pos))
    seeds = range(1, grid.draws + 1)
    papers = [_kept(folder / f"draw-{seed}.csv", partial(_points, grid, sets, seed)) for seed in seeds]
    ours = [_kept(folder / f"best-{seed}.csv", partial(_best_points, grid, sets, seed)) for seed in seeds]
    draws = [[*chance, *theirs, *found] for theirs, found in zip(papers, ours, strict=True)]
    points = ranges(draws)
    write_figures(folder, FIGURES, points)
    lines = [f"| {claim.figure} | {claim.says} | {claim.found(draws)} |" for claim in claims()]
    head = ["# What cao2010 says of its figures", "", "| figure | claim | here |", "| --- | --- | --- |"]
    (folder / "claims.md").write_text("\n".join([*head, *lines, ""]), encoding="utf-8")
    (folder / "losses.md").write_text("\n".join([*_table(draws), ""]), encoding="utf-8")
    return points


def _table(draws: Sequence[Sequence[Point]]) -> Iterator[str]:
    """Write the losses of Figure 5 as a table: median and range, and in how many draws TDControl is below Simple."""
    yield f"| rows | longest row | {' | '.join(f'`{method}`' for method in METHODS)} | `tdcontrol` below `simple` |"
    yield "| --- " * (3 + len(METHODS)) + "|"
    each = [
        {(p.data, p.support, p.series): p.value for p in points if (p.figure, p.measure) == (5, LOSS)}
        for points in draws
    ]
    for data, longest in dict.fromkeys((data, longest) for data, longest, _ in each[0]):
        cells = []
        for method in METHODS:
            found = [losses[data, longest, method] for losses in each if (data, longest, method) in losses]
            cells.append(f"{median(found):.1f} % ({min(found):.1f} to {max(found):.1f})" if found else "")
        below = sum(losses[data, longest, "tdcontrol"] < losses[data, longest, "simple"] for losses in each)
        yield f"| {data} | {longest:.0f} | {' | '.join(cells)} | {below} of {len(each)} |"


# ---------------------------------------------------------------------------------------------------- points


def _kept(path: Path, compute: Callable[[], Iterable[Point]]) -> list[Point]:
    """Compute points and write them, or read them if they were written before."""
    if not path.exists():
        write_points(path, list(compute()))
    return read_points(path)


def _randomized_points(grid: Grid, pos: Transactions) -> Iterator[Point]:
    """Yield the points of select-a-size, which knows no sensitive items."""
    for prefix in _prefixes(grid, pos):
        yield from _randomized(POS, BY_ROWS, len(prefix) / 1000, prefix, RHO)
    for rho in grid.rhos:
        yield from _randomized(POS, BY_RHO, float(rho), _at_most(pos, SHORT), 1 - rho)


def _prefixes(grid: Grid, pos: Transactions) -> Iterator[Transactions]:
    """Yield growing parts of the rows, shortest first."""
    by_length = np.argsort(pos.itemsets.lengths, kind="stable")
    for part in grid.prefixes:
        yield _chosen(pos, by_length[: int(part * len(pos))])


def _best_points(grid: Grid, sets: Mapping[str, Transactions], seed: int) -> Iterator[Point]:
    """Yield the points of the default method."""
    for name, every in reversed(sets.items()):
        for cap in grid.searched:
            yield from _measured(5, name, min(cap, _longest(every)), _at_most(every, cap), ("best",), seed=seed)


def _points(grid: Grid, sets: Mapping[str, Transactions], seed: int) -> Iterator[Point]:
    for name, every in sets.items():
        for cap in grid.caps:
            short = _at_most(every, cap)
            yield from _measured(5, name, min(cap, _longest(every)), short, PAPERS, seed=seed)
    pos = sets[POS]
    for prefix in _prefixes(grid, pos):
        yield from _measured(6, POS, len(prefix) / 1000, prefix, PAPERS, seed=seed)
        yield _loss(11, POS, BY_ROWS, "tdcontrol", len(prefix) / 1000, _run(prefix, "tdcontrol", seed=seed)[0])
    by_length = np.argsort(pos.itemsets.lengths, kind="stable")
    shorter, shortest = _chosen(pos, by_length[: int(grid.shorter * len(pos))]), _at_most(pos, SHORT)
    for rho in grid.rhos:
        yield from _measured(7, POS, float(rho), shorter, PAPERS, seed=seed, rho=rho)
        yield _loss(11, POS, BY_RHO, "tdcontrol", float(rho), _run(shortest, "tdcontrol", seed=seed, rho=rho)[0])
    for fanout in grid.fanouts:
        yield from _measured(8, POS, fanout, shorter, PAPERS, seed=seed, fanout=fanout)
    for share in grid.shares:
        yield from _measured(9, POS, share, shorter, PAPERS, seed=seed, share=f"{share}%")
    for part in grid.items:
        some = draw_sensitive(shorter.vocabulary, Fraction(part).limit_denominator(10), seed=seed)
        fewer = _with_items(shorter, some)
        yield from _measured(10, POS, len(fewer.vocabulary), fewer, PAPERS, seed=seed)


def _public(name: str) -> Transactions:
    return read(data_folder() / f"{name}.dat.gz")


def _longest(rows: Transactions) -> int:
    return int(rows.itemsets.lengths.max())


def _chosen(rows: Transactions, places: np.ndarray) -> Transactions:
    return rows.select(np.sort(places))


def _at_most(rows: Transactions, cap: int) -> Transactions:
    return _chosen(rows, np.flatnonzero(rows.itemsets.lengths <= cap))


def _with_items(rows: Transactions, labels: Sequence[str]) -> Transactions:
    """Return the rows with these items alone, and a vocabulary of no others."""
    number = {label: place for place, label in enumerate(labels)}
    new = np.array([number.get(label, -1) for label in rows.vocabulary], np.int32)
    kept = new[rows.items] >= 0
    before = np.concatenate([[0], np.cumsum(kept)])
    return Transactions.from_codes(Itemsets(before[rows.offsets], new[rows.items[kept]]), list(labels))


def _measured(
    figure: int, data: str, across: float, rows: Transactions, methods: Sequence[str], **settings: object
) -> Iterator[Point]:
    for method in methods:
        loss, seconds = _run(rows, method, **settings)
        yield _loss(figure, data, LOSS, method, across, loss)
        yield Point(figure, data, SECONDS, method, 0, across, max(seconds, 1e-3))


def _run(
    rows: Transactions, method: str, *, seed: int, rho: Fraction = RHO, share: str = SHARE, fanout: int = FANOUT
) -> tuple[Fraction, float]:
    sensitive = draw_sensitive(rows.vocabulary, share, seed=seed)
    start = time.perf_counter()
    limit = SECONDS_OF_BEST if method == "best" else None
    with patch.object(time_budget, "time", SimpleNamespace(monotonic=time.process_time)):  # whatever else runs
        done = anonymize(rows, rho=rho, sensitive=sensitive, fanout=fanout, method=method, time_limit=limit)  # type: ignore[arg-type]
    return done.information_loss, time.perf_counter() - start


def _loss(figure: int, data: str, measure: str, series: str, across: float, loss: Fraction) -> Point:  # noqa: PLR0917
    return Point(figure, data, measure, series, 0, across, 100 * float(loss))


def _randomized(data: str, measure: str, across: float, rows: Transactions, beta: Fraction) -> Iterator[Point]:
    """Yield the loss of select-a-size; rows are randomized in slices, because they grow long."""
    tree = hierarchy_of_all(rows, None, FANOUT)
    lost = Fraction(0)
    for first in range(0, len(rows), SLICE):
        part = _chosen(rows, np.arange(first, min(first + SLICE, len(rows))))
        lost += perturb(part, beta=beta, hierarchy=tree, seed=first).information_loss * len(part.items)
    yield _loss(11, data, measure, "select-a-size", across, lost / len(rows.items))


# ---------------------------------------------------------------------------------------------------- claims


@dataclass(frozen=True, slots=True)
class Claim:
    """What the paper says of a figure, and how to see it in the points."""

    figure: int
    says: str
    cases: Callable[[Sequence[Point]], list[Case]]

    def found(self, draws: Sequence[Sequence[Point]]) -> str:
        """Say in how many draws the claim holds, and in how many of all cases."""
        each = [
            [case.holds for case in self.cases([point for point in points if point.figure == self.figure])]
            for points in draws
        ]
        held, cases = sum(map(sum, each)), sum(map(len, each))
        whole = sum(map(all, each))
        if held == cases:
            return "holds" if cases else "not looked at"
        return f"{'holds in part' if held else 'fails'}: {whole} of {len(each)} draws, {held} of {cases} cases"


def claims() -> list[Claim]:
    """Return the paper's sentences about its results, as comparisons of curves."""
    below, falls, rises = _below, _trend(-1), _trend(1)
    short = {"where": lambda point: point.support == SHORT}
    long = {"where": lambda point: point.support > SHORT}
    return [
        Claim(5, "rows of at most 5 items: TDControl loses less than Simple", below("tdcontrol", "simple", **short)),
        Claim(5, "the same for longer rows", below("tdcontrol", "simple", **long)),
        Claim(5, "SuppressControl loses more than Simple", below("simple", "suppress", **short)),
        Claim(5, "TDControl is faster than SuppressControl", below("tdcontrol", "suppress", SECONDS)),
        Claim(5, "(ours) the default never loses more than Simple", below("best", "simple", or_equal=True)),
        Claim(6, "TDControl keeps its advantage over Simple", below("tdcontrol", "simple")),
        Claim(6, "the loss of TDControl grows with the rows", rises("tdcontrol")),
        Claim(6, "so does that of SuppressControl", rises("suppress")),
        Claim(6, "time grows with the rows", rises("tdcontrol", SECONDS)),
        Claim(7, "the loss of TDControl falls as rho grows", falls("tdcontrol")),
        Claim(7, "so does that of SuppressControl", falls("suppress")),
        Claim(7, "time grows with rho", rises("tdcontrol", SECONDS)),
        Claim(7, "TDControl loses least", below("tdcontrol", "simple")),
        Claim(8, "a smaller fan-out tends to keep more (ends compared)", _ends("tdcontrol", LOSS, 1)),
        Claim(8, "a larger fan-out tends to be faster (ends compared)", _ends("tdcontrol", SECONDS, -1)),
        Claim(9, "the loss of TDControl grows with the share", rises("tdcontrol")),
        Claim(9, "time grows with the share", rises("tdcontrol", SECONDS)),
        Claim(9, "TDControl loses less than Simple", below("tdcontrol", "simple")),
        Claim(10, "the loss of TDControl grows with the items", rises("tdcontrol")),
        Claim(10, "time grows with the items", rises("tdcontrol", SECONDS)),
        Claim(10, "TDControl loses less than Simple", below("tdcontrol", "simple")),
        Claim(11, "by rows: TDControl loses less than select-a-size", below("tdcontrol", "select-a-size", BY_ROWS)),
        Claim(11, "by rho: TDControl loses less than select-a-size", below("tdcontrol", "select-a-size", BY_RHO)),
        Claim(11, "the loss of select-a-size falls as rho grows", falls("select-a-size", BY_RHO)),
    ]


def _below(
    low: str,
    high: str,
    measure: str = LOSS,
    *,
    where: Callable[[Point], bool] = lambda _: True,
    or_equal: bool = False,
) -> Callable[[Sequence[Point]], list[Case]]:
    def cases(points: Sequence[Point]) -> list[Case]:
        value = {(p.data, p.support, p.series): p.value for p in points if p.measure == measure and where(p)}
        return [
            Case(one, value[data, at, high], low, high, f"{data}, at {at:g}", "<=" if or_equal else "<")
            for (data, at, series), one in value.items()
            if series == low
        ]

    return cases


def _trend(sign: int) -> Callable[..., Callable[[Sequence[Point]], list[Case]]]:
    """Return a maker of claims about neighbouring points of a curve."""

    def claim(series: str, measure: str = LOSS) -> Callable[[Sequence[Point]], list[Case]]:
        return lambda points: [_step(*pair, sign) for pair in pairwise(_curve(points, series, measure))]

    return claim


def _ends(series: str, measure: str, sign: int) -> Callable[[Sequence[Point]], list[Case]]:
    def cases(points: Sequence[Point]) -> list[Case]:
        curve = _curve(points, series, measure)
        return [_step(curve[0], curve[-1], sign)]

    return cases


def _curve(points: Sequence[Point], series: str, measure: str) -> list[tuple[float, float]]:
    return sorted((p.support, p.value) for p in points if (p.series, p.measure) == (series, measure))


def _step(before: tuple[float, float], after: tuple[float, float], sign: int) -> Case:
    """Return that a curve does not fall between two points, or with a negative sign, that it does not rise."""
    (first, low), (second, high) = (before, after) if sign > 0 else (after, before)
    return Case(low, high, f"at {first:g}", f"at {second:g}")


def main() -> None:
    """Draw into the folder that is named."""
    words = [word for word in sys.argv[1:] if word != "--small"]
    if len(words) != 1:
        raise SystemExit("usage: python -m benchmarks.uncertainty_figures OUTDIR [--small]")
    start = time.perf_counter()
    points = uncertainty_figures(Path(words[0]), small="--small" in sys.argv)
    print(f"{len(points):,} points in {time.perf_counter() - start:.0f} s, drawn into {words[0]}")


if __name__ == "__main__":
    main()

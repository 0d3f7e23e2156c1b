"""Draw Figures 5 to 12 of waim2008: python -m benchmarks.detection_figures OUTDIR [--small].

- Figures 5 and 6: seconds to find the maximal channels of mushroom and chess, against support, k = 30
- Figures 7 and 8: how many there are
- Figures 9 and 10: the same seconds against k, at 15 % and 80 %
- Figures 11 and 12: how many there are

Series: OICD as printed (inclusion-exclusion over every pair, supports at hand), PMICD (projection), both in NumPy;
and OICD as we do it, by a triangular system, and groups of rows shared by all targets, both in the kernel. Seconds
are those of the processor, without mining, as in the paper.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import data_folder
from benchmarks.figures import Figure, Point, write_figures
from discreet.channels.grouping import groups_of_patterns, groups_of_rows
from discreet.channels.projection import project_rows
from discreet.patterns.mining import mine
from discreet.transactions.generate import quest
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.transactions import Transactions

__all__ = ["FIGURES", "detection_figures", "main", "oicd_as_printed"]

K = 30
PRINTED, PMICD, OURS, SHARED = "OICD as printed", "PMICD", "OICD, triangular", "groups of rows, shared"
PATIENCE = 20.0
"""Seconds of the processor: the printed way is not tried again at a lower support once it took longer."""

FIGURES = {
    5: Figure("Figure 5: seconds to find maximal channels, mushroom", ("seconds",)),
    6: Figure("Figure 6: seconds to find maximal channels, chess", ("seconds",)),
    7: Figure("Figure 7: maximal channels, mushroom"),
    8: Figure("Figure 8: maximal channels, chess"),
    9: Figure("Figure 9: seconds against k, mushroom at 15 %", ("seconds",), "k"),
    10: Figure("Figure 10: seconds against k, chess at 80 %", ("seconds",), "k"),
    11: Figure("Figure 11: maximal channels against k, mushroom at 15 %", (), "k"),
    12: Figure("Figure 12: maximal channels against k, chess at 80 %", (), "k"),
}
SUPPORTS = {"mushroom": (25, 20, 15, 10), "chess": (90, 85, 80, 75)}
FIXED = {"mushroom": 15, "chess": 80}
KS = (10, 15, 20, 25, 30, 35, 40, 45, 50)


def detection_figures(folder: Path, *, small: bool = False, quick: bool = False) -> list[Point]:
    """Compute all points, write them, and draw every figure."""
    points = []
    for place, (name, supports) in enumerate(SUPPORTS.items()):
        rows = (
            quest(rows=200, items=12, mean_length=6, pattern_length=3, patterns=8, seed=place) if small else _load(name)
        )
        chosen = (50, 30) if small else supports[: 3 if quick else 4]
        fixed = 30 if small else FIXED[name]
        points += list(_by_support(5 + place, name, rows, chosen))
        points += list(_by_k(9 + place, name, rows, fixed, KS[::4] if small or quick else KS))
    write_figures(folder, FIGURES, points)
    return points


def _load(name: str) -> Transactions:
    return read(data_folder() / f"{name}.dat.gz")


def _by_support(figure: int, name: str, rows: Transactions, supports: tuple[int, ...]) -> Iterator[Point]:
    ways = _ways()
    for support in supports:
        closed, maximal = _mined(rows, support)
        for series, way in list(ways.items()):
            seconds, count = _timed(way, rows, closed, maximal, K)
            yield Point(figure, name, "seconds", series, K, support, seconds)
            yield Point(figure + 2, name, "maximal channels", series, K, support, count)
            if series == PRINTED and seconds > PATIENCE:
                del ways[series]


def _by_k(figure: int, name: str, rows: Transactions, support: int, ks: tuple[int, ...]) -> Iterator[Point]:
    closed, maximal = _mined(rows, support)
    for k in ks:
        for series, way in _ways().items():
            if series == PRINTED and k != ks[0]:
                continue  # its sums are the same for every k, and take long
            seconds, count = _timed(way, rows, closed, maximal, k)
            yield Point(figure, name, "seconds", series, 0, k, seconds)
            yield Point(figure + 2, name, "maximal channels", series, 0, k, count)


def _mined(rows: Transactions, support: int) -> tuple[PatternSet, PatternSet]:
    share = f"{support}%"
    return mine(rows, min_support=share), mine(rows, min_support=share, target="maximal")


def _ways() -> dict[str, Callable[[Transactions, PatternSet, PatternSet, int], int]]:
    return {
        PRINTED: lambda _, closed, maximal, k: oicd_as_printed(closed, maximal, k),
        PMICD: lambda rows, _, maximal, k: len(project_rows(rows, maximal.itemsets, below=k).counts),
        OURS: lambda _, closed, maximal, k: len(
            groups_of_patterns(closed.itemsets, closed.supports, closed.n, maximal.itemsets, below=k).counts
        ),
        SHARED: lambda rows, _, maximal, k: len(groups_of_rows(rows, maximal.itemsets, below=k).counts),
    }


def _timed(
    way: Callable[[Transactions, PatternSet, PatternSet, int], int],
    rows: Transactions,
    closed: PatternSet,
    maximal: PatternSet,
    k: int,
) -> tuple[float, int]:
    start = time.process_time()
    count = way(rows, closed, maximal, k)
    return max(time.process_time() - start, 1e-4), count


def oicd_as_printed(closed: PatternSet, maximal: PatternSet, k: int) -> int:
    """Return how many maximal channels Algorithm 2 of atzori2008 finds, summing up to 2^|J| supports."""
    found = 0
    bases, supports = list(closed.itemsets), closed.supports.tolist()
    for target in maximal.itemsets:
        inside, table = _supports_within(target, bases, supports, closed.n)
        for base in inside:
            free = [1 << place for place in range(len(target)) if not base >> place & 1]
            found += 0 < _alternating_sum(table, base, free) < k
    return found


def _supports_within(
    target: NDArray[np.int32], bases: list[NDArray[np.int32]], supports: list[int], n: int
) -> tuple[set[int], NDArray[np.int64]]:
    """Return the closed itemsets within a target, as bits, and the support of each of its subsets."""
    place = {item: 1 << number for number, item in enumerate(target.tolist())}
    table = np.zeros(1 << len(target), np.int64)
    table[0] = n
    inside = {0}
    for base, support in zip(bases, supports, strict=True):
        part = sum(place.get(item, 0) for item in base.tolist())
        table[part] = max(table[part], support)
        if part.bit_count() == len(base):
            inside.add(part)
    cells = table.reshape((2,) * len(target))
    for axis in range(len(target)):  # a subset has the largest support of what holds it
        low, high = np.take(cells, 0, axis), np.take(cells, 1, axis)
        cells = np.stack([np.maximum(low, high), high], axis)
    return inside, np.ascontiguousarray(cells).ravel()


def _alternating_sum(table: NDArray[np.int64], base: int, free: list[int]) -> int:
    places, signs = np.array([base]), np.array([1])
    for bit in free:
        places, signs = np.concatenate([places, places + bit]), np.concatenate([signs, -signs])
    return int((table[places] * signs).sum())


def main() -> None:
    """Draw into the folder that is named."""
    words = [word for word in sys.argv[1:] if word != "--small"]
    if len(words) != 1:
        raise SystemExit("usage: python -m benchmarks.detection_figures OUTDIR [--small]")
    start = time.perf_counter()
    points = detection_figures(Path(words[0]), small="--small" in sys.argv)
    print(f"{len(points):,} points in {time.perf_counter() - start:.0f} s, drawn into {words[0]}")


if __name__ == "__main__":
    main()

"""Draw Figures 1 and 2 of jiang2006: python -m benchmarks.twoparty_figures OUTDIR [--small].

- Figure 1 (a, b): the share of frequent itemsets that DkA-SAPM (clearing rows unseen, and in rounds) and IC-SAPM lose,
  against support, for several k
- Figure 1 (c): the average distortion of both, an itemset that is lost counting as one of support 0
- Figure 2: how many encryptions the paper's IC-SAPM needs, with the calls of Secure_COM that pruning leaves

OUTDIR gets an SVG for each, and points.csv with every point. Columns are dealt alternately (section 5). The protocols
run on the plaintext engine: the results are the same, and figures of results are what is drawn.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import data_folder
from benchmarks.figures import Figure, Point, write_figures
from benchmarks.twoparty import dealt, mine_together
from discreet.patterns.mining import mine
from discreet.transactions.generate import quest
from discreet.transactions.reading import read
from tests.twoparty_plaintext import TrustedParty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.transactions.transactions import Transactions
    from discreet.twoparty.agreement import Protocol

__all__ = ["figures", "main"]

SUPPORTS = (35, 40, 45, 50, 55, 60, 70, 80, 90)
KS = (2, 10, 25, 50, 100)
SERIES: tuple[tuple[str, Protocol, bool], ...] = (
    ("ic-sapm", "ic-sapm", False),
    ("dka-sapm", "dka-sapm", False),
    ("dka-sapm, iterated", "dka-sapm", True),
)
FIGURES = {
    1: Figure("Figure 1: what the two protocols lose"),
    2: Figure("Figure 2: encryptions that the paper's IC-SAPM needs", ("encryptions",)),
}


def figures(folder: Path, *, small: bool = False, quick: bool = False) -> list[Point]:
    """Compute all points, write them, and draw both figures."""
    if small:
        rows = quest(rows=300, items=12, mean_length=6, pattern_length=3, patterns=8, seed=1)
        points = list(_points("generated", rows, supports=(20, 30, 40), ks=(2, 5)))
    else:
        supports, ks = ((45, 55, 70), (2, 10, 50)) if quick else (SUPPORTS, KS)
        points = list(_points("mushroom", read(data_folder() / "mushroom.dat.gz"), supports=supports, ks=ks))
    write_figures(folder, FIGURES, points)
    return points


def _points(data: str, rows: Transactions, *, supports: tuple[int, ...], ks: tuple[int, ...]) -> Iterator[Point]:
    for support in supports:
        before = mine(rows, min_support=f"{support}%", target="all")
        halves = dealt(rows, before.min_support)
        supports_before = dict(before)
        for k in ks:
            for series, protocol, iterate in SERIES:
                engine = TrustedParty().start_engine
                result = mine_together(
                    halves, protocol, before.min_support, k, iterate=iterate, judged=False, start_engine=engine
                ).result
                after = dict(result.patterns)
                changes = [1 - after.get(itemset, 0) / count for itemset, count in supports_before.items()]
                lost = 100 * (1 - len(after) / len(before))
                yield Point(1, data, "lost, %", series, k, support, lost)
                yield Point(1, data, "average distortion, %", series, k, support, 100 * sum(changes) / len(changes))
                if protocol == "ic-sapm" and result.encryptions is not None:
                    yield Point(2, data, "encryptions", protocol, k, support, result.encryptions)


def main() -> None:
    """Draw into the folder that is named."""
    words = [word for word in sys.argv[1:] if word != "--small"]
    if len(words) != 1:
        raise SystemExit("usage: python -m benchmarks.twoparty_figures OUTDIR [--small]")
    start = time.perf_counter()
    points = figures(Path(words[0]), small="--small" in sys.argv)
    print(f"{len(points):,} points in {time.perf_counter() - start:.0f} s, drawn into {words[0]}")


if __name__ == "__main__":
    main()

"""How time and memory grow: python -m benchmarks.growth OUTDIR [--small] draws a picture for each quantity.

Every point is measured in a process of its own: the processor time of the work, all threads together, and how far the
process grew meanwhile. Generating the rows is not counted. OUTDIR gets growth-*.svg and points.csv; docs/growth keeps
those that docs/growth.md shows.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.figures import svg_of
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.patterns.mining import mine
from discreet.publishing.drawing import COLOURS, MARKS
from discreet.transactions.generate import quest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from discreet.transactions.transactions import Transactions

__all__ = ["CURVES", "Curve", "Measured", "draw", "grow", "main", "measure"]

SHOPPING = {"rows": 100_000, "items": 1000, "mean_length": 10, "pattern_length": 4, "patterns": 500, "seed": 1}
DENSE = {"rows": 20_000, "items": 60, "mean_length": 20, "pattern_length": 10, "patterns": 30, "seed": 1}
SHOPPING_SUPPORT = "1%"
DENSE_SUPPORT = "20%"
K = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """One point: the quantity as it was in the data, processor seconds, and megabytes that the process grew by."""

    curve: str
    series: str
    at: float
    seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity that grows: the values asked for (`small` ones for tests), and the work that is measured at each.

    `jobs` prepare the work at a value. The work returns the quantity where only the result tells it, else None.
    """

    title: str
    axis: str
    asked: tuple[float, ...]
    small: tuple[float, ...]
    jobs: dict[str, Callable[[float], Callable[[], float | None]]]


def _shopping(**changed: float) -> Transactions:
    return quest(**(SHOPPING | changed))  # type: ignore[arg-type]


def _with(parameter: str, work: Callable[[Transactions], object], value: float) -> Callable[[], None]:
    rows = _shopping(**{parameter: int(value)})
    return lambda: _forget(work(rows))


def _forget(_: object) -> None:
    """Forget a result: it does not tell the quantity."""


def _mining(rows: Transactions) -> object:
    return mine(rows, min_support=SHOPPING_SUPPORT)


def _auditing(rows: Transactions) -> object:
    return audit(rows, k=K, min_support=SHOPPING_SUPPORT, border=False)


def _of_shopping(parameter: str) -> dict[str, Callable[[float], Callable[[], float | None]]]:
    return {"mine": partial(_with, parameter, _mining), "audit": partial(_with, parameter, _auditing)}


def _listed(target: str, percent: float) -> Callable[[], float]:
    rows = quest(**DENSE)  # type: ignore[arg-type]
    return lambda: len(mine(rows, min_support=f"{percent:g}%", target=target))  # type: ignore[arg-type]


def _audit_per_maximal(percent: float) -> Callable[[], float]:
    rows = quest(**DENSE)  # type: ignore[arg-type]
    maximal = len(mine(rows, min_support=f"{percent:g}%", target="maximal"))

    def work() -> float:
        audit(rows, k=K, min_support=f"{percent:g}%", border=False)
        return maximal

    return work


def _audit_at(k: float) -> Callable[[], None]:
    rows = quest(**DENSE)  # type: ignore[arg-type]
    return lambda: _forget(audit(rows, k=int(k), min_support=DENSE_SUPPORT, border=False))


def _block_at(k: float) -> Callable[[], None]:
    rows = quest(**DENSE)  # type: ignore[arg-type]
    return lambda: _forget(block(rows, k=int(k), min_support=DENSE_SUPPORT, method="additive", border=False))


def _attack(steps: float) -> Callable[[], float]:
    # An audit that has found channels already does not go on to the attacker.
    patterns = block(_shopping(), k=K, min_support=SHOPPING_SUPPORT, method="additive", border=False).patterns

    def work() -> float:
        found = audit(patterns, k=K, attack_steps=int(steps)).attack
        return 0 if found is None else found.looked_at

    return work


CURVES = {
    "rows": Curve("Rows", "rows", (10_000, 30_000, 100_000, 300_000, 1_000_000), (200, 400), _of_shopping("rows")),
    "items": Curve("Items", "items", (50, 100, 300, 1000, 3000, 10_000, 100_000), (20, 40), _of_shopping("items")),
    "itemsets": Curve(
        "Itemsets",
        "itemsets listed",
        (40, 30, 20, 15, 10, 7, 5, 3),
        (60, 50),
        {name: partial(_listed, name) for name in ("all", "closed", "maximal")},
    ),
    "maximal": Curve(
        "Maximal itemsets",
        "maximal itemsets",
        (40, 35, 30, 20, 15, 10, 7, 5, 3),
        (60, 50),
        {"audit": _audit_per_maximal},
    ),
    "row-length": Curve(
        "Row length", "items in a row, on average", (5, 10, 20, 30, 40), (3, 4), _of_shopping("mean_length")
    ),
    "k": Curve("k", "k", (2, 5, 10, 25, 50, 100, 250), (2, 3), {"audit": _audit_at, "block": _block_at}),
    "windows": Curve(
        "Windows of the attacker",
        "windows examined",
        (1000, 3000, 10_000, 20_000, 40_000),
        (10, 20),
        {"audit": _attack},
    ),
}


def measure(curve: str, series: str, value: float) -> Measured:
    """Measure one point, in this process, which should be a fresh one."""
    work = CURVES[curve].jobs[series](value)
    before = _forget_peak()
    start = time.process_time()
    at = work()
    seconds = time.process_time() - start
    return Measured(curve, series, value if at is None else at, seconds, max(0, _status("VmHWM") - before) / 1e6)


def _forget_peak() -> int:
    """Let the peak of this process begin anew, and return the bytes it has now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def _measure_apart(curve: str, series: str, value: float) -> Measured:
    command = [sys.executable, "-m", "benchmarks.growth", "--point", curve, series, str(value)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Measured(**json.loads(done.stdout))


def grow(folder: Path, *, small: bool = False) -> list[Measured]:
    """Measure every point, write them, and draw every picture."""
    take = measure if small else _measure_apart
    points = [
        take(name, series, value)
        for name, curve in CURVES.items()
        for series in curve.jobs
        for value in (curve.small if small else curve.asked)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "points.csv", points)
    for name, curve in CURVES.items():
        chart = draw(curve, [point for point in points if point.curve == name])
        svg = svg_of(chart, f"{curve.title}: processor seconds and memory", f"The points are in points.csv, {name}.")
        (folder / f"growth-{name}.svg").write_text(svg, encoding="utf-8")
    return points


def _write(path: Path, points: Iterable[Measured]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Measured.__slots__)
        for point in points:
            curve, series, at, seconds, megabytes = astuple(point)
            writer.writerow((curve, series, f"{at:.0f}", f"{seconds:.4f}", f"{megabytes:.2f}"))


def draw(curve: Curve, points: Sequence[Measured]) -> Any:  # one of Altair's chart classes
    """Return two panels side by side, processor time and memory, both in powers of ten."""
    import altair as alt

    series = list(curve.jobs)
    data = alt.Data(
        values=[
            # An axis in powers of ten has no zero.
            {"series": p.series, "at": p.at, "seconds": max(p.seconds, 0.001), "megabytes": max(p.megabytes, 0.1)}
            for p in points
            if p.at > 0
        ]
    )
    # The few lines of a grid that are needed: an axis in powers of ten would draw nine for each.
    steps = [factor * 10.0**power for power in range(-4, 9) for factor in (1, 3)]

    def panel(field: str, title: str) -> Any:
        shown = alt.Chart(data).encode(
            x=alt.X("at:Q", title=curve.axis, scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", values=steps)),
            y=alt.Y(f"{field}:Q", title=title, scale=alt.Scale(type="log"), axis=alt.Axis(format="~g", values=steps)),
            color=alt.Color("series:N", title=None, scale=alt.Scale(domain=series, range=COLOURS[: len(series)])),
        )
        marks = alt.Shape("series:N", title=None, scale=alt.Scale(domain=series, range=list(MARKS)[: len(series)]))
        dots = shown.mark_point(filled=True, size=28, opacity=1).encode(shape=marks)
        return alt.layer(shown.mark_line(strokeWidth=1.6), dots).properties(width=250, height=170)

    return (
        alt.hconcat(panel("seconds", "processor seconds"), panel("megabytes", "MB more"))
        .properties(title=curve.title, background="white")
        .configure(font="Helvetica, Arial, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(gridColor="#e4e4e4", domainColor="#666", tickColor="#666")
        .configure_title(anchor="start", fontSize=13)
    )


def main() -> None:
    """Draw into the folder that is named, or measure the one point that is."""
    if sys.argv[1:2] == ["--point"]:
        curve, series, value = sys.argv[2:]
        print(json.dumps(dict(zip(Measured.__slots__, astuple(measure(curve, series, float(value))), strict=True))))
        return
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 1:
        raise SystemExit("usage: python -m benchmarks.growth OUTDIR [--small]")
    start = time.perf_counter()
    points = grow(Path(words[0]), small="--small" in sys.argv)
    print(f"{len(points):,} points in {time.perf_counter() - start:.0f} s, drawn into {words[0]}")


if __name__ == "__main__":
    main()

"""What a benchmark case is, and how it is timed."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Case", "Outcome", "best_of", "data_folder", "run"]


@dataclass(frozen=True, slots=True)
class Case:
    """Something of ours against something of a peer's, on the same data, doing the same job.

    `prepare` makes the inputs (untimed) and returns the two jobs; a case without a peer just reports its time. `least`
    is the ratio (peer's time over ours) that we promise; it is reported, never asserted.
    """

    name: str
    prepare: Callable[[], tuple[Callable[[], object], Callable[[], object] | None]]
    peer: str = ""
    least: float | None = None
    repeats: int = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """Best times in seconds."""

    case: Case
    ours: float
    peer: float | None

    @property
    def ratio(self) -> float | None:
        """How many times longer the peer took."""
        return None if self.peer is None else self.peer / self.ours

    def line(self) -> str:
        """Write one row of the table."""
        time_of = f"{self.ours * 1000:,.1f} ms"
        if self.ratio is None:
            return f"| {self.case.name} | {time_of} | | | |"
        promised = f"{self.case.least:g}×" if self.case.least else ""
        peer = f"{self.case.peer} {self.ratio * self.ours * 1000:,.1f} ms"
        return f"| {self.case.name} | {time_of} | {peer} | {self.ratio:.1f}× | {promised} |"


def best_of(job: Callable[[], object], repeats: int) -> float:
    """Return the best time of a few runs: the others measure the machine's other work."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        best = min(best, time.perf_counter() - start)
    return best


def run(case: Case, *, repeats: int | None = None) -> Outcome:
    """Time both sides in turns."""
    ours, peer = case.prepare()
    times = repeats or case.repeats
    mine = best_of(ours, times)
    theirs = None if peer is None else best_of(peer, max(1, times // 2))
    return Outcome(case, min(mine, best_of(ours, times)), theirs)


def data_folder() -> Path:
    """Return the folder of public data sets."""
    return Path(os.environ.get("DISCREET_DATA") or Path(__file__).parents[2] / "shared" / "data")

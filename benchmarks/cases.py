"""What a benchmark case is, and how it is timed."""

from __future__ import annotations

import json
import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FALLEN_BEHIND", "KEPT", "Case", "Kept", "Outcome", "best_of", "data_folder", "read_kept", "run"]

FALLEN_BEHIND = 0.2
"""How much worse than what was kept is too much."""

KEPT = Path(__file__).parent / "results" / "kept.json"
"""The figures that were kept last."""

Kept = dict[str, float]


@dataclass(frozen=True, slots=True)
class Case:
    """Something of ours against something of a peer's, on the same data, doing the same job.

    `prepare` makes the inputs (untimed) and returns the two jobs; a case without a peer just reports its time. `least`
    is the ratio (peer's time over ours) that we promise, `goal` the one that we aim at, `goal_seconds` the time and
    `goal_megabytes` the memory of ours; they are reported, never asserted.
    """

    name: str
    prepare: Callable[[], tuple[Callable[[], object], Callable[[], object] | None]]
    peer: str = ""
    least: float | None = None
    repeats: int = 5
    goal: float | None = None
    goal_seconds: float | None = None
    goal_megabytes: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Best times in seconds, and how far the process has grown at most, in megabytes."""

    case: Case
    ours: float
    peer: float | None
    megabytes: float = 0.0

    @property
    def ratio(self) -> float | None:
        """How many times longer the peer took."""
        return None if self.peer is None else self.peer / self.ours

    def goal(self) -> str:
        """Write what we aim at, and what was reached of it."""
        case, goals = self.case, []
        if case.goal is not None:
            goals.append(f"{case.goal:g}×" + (" missed" if (self.ratio or 0) < case.goal else ""))
        if case.goal_seconds is not None:
            goals.append(f"{case.goal_seconds:g} s" + (" missed" if self.ours > case.goal_seconds else ""))
        if case.goal_megabytes is not None:
            missed = " missed" if self.megabytes > case.goal_megabytes else ""
            goals.append(f"{case.goal_megabytes:g} MB, now {self.megabytes:,.0f}{missed}")
        return "; ".join(goals)

    def fell_behind(self, kept: Kept | None) -> bool:
        """Whether it is worse by more than a fifth than what was kept: by ratio, or by time where there is no peer."""
        if kept is None:
            return False
        if self.ratio is not None and kept.get("ratio") is not None:
            return self.ratio < kept["ratio"] / (1 + FALLEN_BEHIND)
        return self.ours > kept["seconds"] * (1 + FALLEN_BEHIND)

    def line(self, kept: Kept | None = None) -> str:
        """Write one row of the table."""
        case = self.case
        peer = "" if self.peer is None else f"{case.peer} {self.peer * 1000:,.1f} ms"
        ratio = "" if self.ratio is None else f"{self.ratio:.1f}×"
        promised = f"{case.least:g}×" if case.least and self.ratio is not None else ""
        last = "" if kept is None else f"{kept['seconds'] * 1000:,.1f} ms"
        if kept is not None and kept.get("ratio") is not None:
            last += f", {kept['ratio']:.1f}×"
        mark = "fell behind" if self.fell_behind(kept) else ""
        cells = (case.name, f"{self.ours * 1000:,.1f} ms", peer, ratio, promised, self.goal(), last, mark)
        return f"| {' | '.join(cells)} |"

    def kept(self) -> Kept:
        """Return what is kept of it."""
        figures: Kept = {"seconds": round(self.ours, 6)}
        return figures if self.ratio is None else figures | {"ratio": round(self.ratio, 3)}


def best_of(job: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the best time of a few runs: the others measure the machine's other work."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        job()
        best = min(best, clock() - start)
    return best


def read_kept() -> dict[str, Kept]:
    """Return the figures that were kept last, by case."""
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def run(case: Case, *, repeats: int | None = None, clock: Callable[[], float] = time.perf_counter) -> Outcome:
    """Time both sides in turns."""
    ours, peer = case.prepare()
    times = repeats or case.repeats
    mine = best_of(ours, times, clock)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    theirs = None if peer is None else best_of(peer, max(1, times // 2), clock)
    return Outcome(case, min(mine, best_of(ours, times, clock)), theirs, megabytes)


def data_folder() -> Path:
    """Return the folder of public data sets."""
    return Path(os.environ.get("DISCREET_DATA") or Path(__file__).parents[2] / "shared" / "data")

"""A progress bar for long work: on a terminal, on standard error, and only after two seconds."""

from __future__ import annotations

import sys
import time
from bisect import bisect_left
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

from discreet.stages import heard_by
from discreet.wording import number, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress

__all__ = ["Pace", "auditing_note", "patience_note", "progress_bar"]

PATIENCE = 2.0
"""How many seconds people wait without wondering."""


@contextmanager
def progress_bar(
    doing: str, *, unit: str, quiet: bool = False, steady: bool = True
) -> Iterator[Callable[[float, int], None] | None]:
    """Yield a function to be called with (share done, number found), or None if nobody would see the bar.

    `steady` says that the share grows with the time, so that the time left can be shown. Mining has no such share: what
    lies below an itemset is unknown until it is searched.
    """
    if not _seen(quiet=quiet):
        yield None
        return
    bar = _Bar(doing, unit, steady=steady)
    try:
        with heard_by(bar.say):
            yield bar.report
    finally:
        bar.stop()


@contextmanager
def patience_note(
    doing: str, *, unit: str = "steps", quiet: bool = False
) -> Iterator[Callable[[float, int], None] | None]:
    """Show what takes long, with the stage that the work says it is in; the note disappears when the work ends.

    Yields a function as `progress_bar` does, for work that may report its progress: then the bar replaces the note.
    """
    if not _seen(quiet=quiet):
        yield None
        return
    bar, note = _Bar(doing, unit), _Note(one_line(doing))

    def report(done: float, found: int) -> None:
        if time.monotonic() - bar.start >= PATIENCE:
            note.stop()
            bar.report(done, found)

    try:
        with heard_by(note.say):
            yield report
    finally:
        note.stop()
        bar.stop()


@contextmanager
def auditing_note(*, quiet: bool, in_spark: bool) -> Iterator[Callable[[float, int], None] | None]:
    """Show the share of an audit that is done; in Spark, the stages and how many of the tasks are done."""
    if in_spark:
        with patience_note("Auditing", quiet=quiet):
            yield None
        return
    with progress_bar("Auditing", unit="steps", quiet=quiet, steady=False) as report:
        yield report


def _seen(*, quiet: bool) -> bool:
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


class _Note:
    """A line that appears after `PATIENCE`, until it is stopped; it follows the stages of the work."""

    def __init__(self, doing: str) -> None:
        self._doing, self._text = doing, f"{doing} …"
        self._width, self._stopped, self._lock = 0, False, Lock()
        self._timer = Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._timer.start()

    def say(self, stage: str, done: float | None) -> None:
        """Show the stage, and how much of it is done if that is known."""
        text = f"{_with_stage(self._doing, stage, done)} …"
        with self._lock:
            if text != self._text:
                self._text = text
                if self._width:
                    self._write()

    def _show(self) -> None:
        with self._lock:
            if not self._stopped:
                self._write()

    def _write(self) -> None:
        back = "\r" if self._width else ""
        print(f"{back}{self._text:<{self._width}}", end="", file=sys.stderr, flush=True)  # noqa: T201
        self._width = max(self._width, len(self._text))

    def stop(self) -> None:
        self._timer.cancel()
        self._timer.join()
        with self._lock:
            self._stopped = True
            if self._width:
                print(f"\r{' ' * self._width}\r", end="", file=sys.stderr, flush=True)  # noqa: T201
                self._width = 0


class _Bar:
    """The bar, created on the first report after `PATIENCE`."""

    def __init__(self, doing: str, unit: str, *, steady: bool = True) -> None:
        self._doing, self._unit = doing, unit
        self._pace = Pace() if steady else None
        self.start = time.monotonic()
        self._progress: Progress | None = None
        self._lock = Lock()
        self._stopped = False

    def say(self, stage: str, done: float | None) -> None:
        """Show the stage in front of the bar, until the whole work reports again."""
        if time.monotonic() - self.start >= PATIENCE and not self._stopped:
            bar = self._shown()
            bar.update(bar.task_ids[0], description=_with_stage(self._doing, stage, done), refresh=True)

    def report(self, done: float, found: int) -> None:
        elapsed = time.monotonic() - self.start
        left = None if self._pace is None else self._pace.left(elapsed, done)
        if elapsed < PATIENCE or self._stopped:
            return
        rate = int(found / elapsed)
        bar = self._shown()
        bar.update(
            bar.task_ids[0],
            description=self._doing,
            completed=done,
            found=f"{number(found)} {self._unit}",
            rate=f"{number(rate)}/s",
            left="" if left is None else _as_clock(left),
            refresh=True,
        )

    def _shown(self) -> Progress:
        """Return the bar, begun by the first that reports: another thread may watch the work."""
        with self._lock:
            if self._progress is None:
                self._progress = self._begin()
            return self._progress

    def _begin(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TaskProgressColumn(),
            *(TextColumn(f"{{task.fields[{name}]}}") for name in ("found", "rate", "left")),
            console=Console(stderr=True),
            auto_refresh=False,
            transient=True,
        )
        progress.start()
        progress.add_task(self._doing, total=1.0, found="", rate="", left="")
        return progress

    def stop(self) -> None:
        self._stopped = True
        if self._progress is not None:
            self._progress.stop()


def _with_stage(doing: str, stage: str, done: float | None) -> str:
    share = "" if done is None else f", {int(100 * done)} %"
    return f"{doing}: {one_line(stage)}{share}"


def _as_clock(left: float) -> str:
    seconds = int(left)
    return f"{seconds // 60}:{seconds % 60:02d} left" if seconds < 36_000 else "hours left"  # noqa: PLR2004 - ten hours


class Pace:
    """Estimates how long work still takes, from the share of it that is done by now, unless that grew unevenly.

    A share that grows with the time had half of its present value after half of the time. Where it had not, the
    time left does not follow from it, and no estimate is better than a wrong one.

    Examples
    --------
    >>> pace = Pace()
    >>> [pace.left(elapsed, done) for elapsed, done in ((1, 0.05), (2, 0.1), (4, 0.2), (30, 0.3))]
    [None, 18.0, 16.0, None]
    """

    def __init__(self) -> None:
        """Start at nothing."""
        self._elapsed, self._done = [0.0], [0.0]

    def left(self, elapsed: float, done: float) -> float | None:
        """Return the seconds left, None if there is no estimate."""
        if done > self._done[-1]:
            self._elapsed.append(elapsed)
            self._done.append(done)
        if not _LEAST_SHARE <= done <= 1:
            return None
        after = bisect_left(self._done, done / 2)
        half = done / 2 - self._done[after - 1]
        between = half / (self._done[after] - self._done[after - 1])
        middle = self._elapsed[after - 1] + between * (self._elapsed[after] - self._elapsed[after - 1])
        if not elapsed * (0.5 - _UNEVEN) <= middle <= elapsed * (0.5 + _UNEVEN):
            return None
        return elapsed / done - elapsed


_LEAST_SHARE = 0.1
"""No time left is shown before so much is done."""

_UNEVEN = 0.15
"""How far from half of the time half of the share may be reached."""

"""How many of Spark's tasks are done, while a job runs."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from discreet.stages import share_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["task_share", "telling_tasks"]

_BETWEEN = 0.5
"""Seconds between two looks."""


@contextmanager
def telling_tasks(session: Any) -> Iterator[None]:  # a session of PySpark's, or of Spark Connect, which has no tracker
    """Report the share of tasks that are done in Spark's present stages, if anybody listens."""
    report = share_of("tasks in Spark")
    if report is None:
        yield
        return
    over = Event()
    watcher = Thread(target=_watch, args=(session, report, over), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch(session: Any, report: Callable[[float, int], object], over: Event) -> None:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        tracker = session.sparkContext.statusTracker()
        while not over.wait(_BETWEEN):
            share = task_share(tracker)
            if share is not None:
                report(share, 0)
    except (Py4JError, PySparkException, ConnectionError):
        return  # the job itself says what went wrong


def task_share(tracker: Any) -> float | None:  # PySpark's StatusTracker
    """Return the share of tasks that are done, of all tasks in stages that are running; None if there are none."""
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    running = [stage for stage in stages if stage is not None]  # one may have ended meanwhile
    every = sum(stage.numTasks for stage in running)
    return sum(stage.numCompletedTasks for stage in running) / every if every else None

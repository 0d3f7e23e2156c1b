"""What each way to publish costs at a point, exact or with noise: compared when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.workbench.jobs.comparing import compare_ways
from discreet.workbench.jobs.process import Job
from discreet.workbench.tasks.task import Result

if TYPE_CHECKING:
    from discreet.microdata.comparison import Comparison
    from discreet.workbench.tasks.point import Point
    from discreet.workbench.tasks.publish import PublishTask

__all__ = ["ComparedWays"]


class ComparedWays:
    """The last comparison of a task, and the point that it is about."""

    def __init__(self, task: PublishTask) -> None:
        self._task = task
        self.found: Result[Comparison, Point] | None = None

    @property
    def stale(self) -> bool:
        """Whether the comparison shown is about another point than the present one."""
        return self.found is not None and not self.found.answers(self._task.point)

    def start(self) -> None:
        """Compare all ways at the present point, in a process of its own."""
        task, at = self._task, self._task.point

        def take(found: Comparison) -> None:
            self.found = Result(found, at)

        if task.rows is not None:
            task.workspace.start(Job("Comparing all ways", compare_ways, task.rows, *at, then=take))

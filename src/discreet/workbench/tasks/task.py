"""What the tasks have in common: a workspace to work on, and results that know which request they answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from discreet.workbench.jobs.process import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from discreet.workbench.jobs.rows_cache import RowsFile
    from discreet.workbench.workspace import Workspace

__all__ = ["Result", "Task"]

Value = TypeVar("Value")
Request = TypeVar("Request")


@dataclass(frozen=True, slots=True, eq=False)
class Result(Generic[Value, Request]):
    """The result of a job, and the request that it answers; it is stale once the request changes."""

    value: Value
    of: Request

    def answers(self, request: Request) -> bool:
        """Return whether this is the answer to a request."""
        return self.of == request


class Task:
    """One of the four tasks on a workspace. New rows get a new task, so a late result belongs to the old one."""

    link = ""
    """The prefix of the links to its files."""
    page = ""
    """The name of its page."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @property
    def rows(self) -> RowsFile | None:
        """The name of the rows for jobs, None if nothing was read."""
        return self.workspace.file.rows

    @property
    def made(self) -> tuple[Path, ...]:
        """The files of the result shown."""
        return ()

    def give_up(self) -> None:
        """Record that the user cancelled the background job."""

    def _start(
        self, title: str, function: Callable[..., Value], *arguments: object, then: Callable[[Value], None]
    ) -> None:
        """Start a job on the rows, unless nothing was read or another job is running."""
        if self.rows is not None:
            self.workspace.start(self._job_of(title, function, self.rows, *arguments, then=then))

    def _job_of(
        self, title: str, function: Callable[..., Value], *arguments: object, then: Callable[[Value], None]
    ) -> Job[Value]:
        """Return a job whose end only the page of this task tells."""
        job = Job(title, function, *arguments, then=then)
        job.page = self.page
        return job

    def _make(
        self, title: str, function: Callable[..., Value], *arguments: object, then: Callable[[Value], None]
    ) -> None:
        """Start a job on the rows that makes files, in its own folder."""

        def take(made: Value) -> None:
            then(made)
            self.workspace.clear_away()

        if self.rows is not None and not self.workspace.busy:
            folder = self.workspace.new_folder()
            self.workspace.start(self._job_of(title, function, folder, self.rows, *arguments, then=take))

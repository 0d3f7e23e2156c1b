"""Settings side by side: up to four are pinned, each is weighed in a worker, and one can be chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import RLock
from typing import TYPE_CHECKING

from discreet.workbench.jobs.process import Job
from discreet.workbench.jobs.weighing import Weighed, weigh_setting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.workbench.settings import Setting
    from discreet.workbench.workspace import Workspace

__all__ = ["MOST_PINNED", "Pinned", "PinnedSettings"]

MOST_PINNED = 4


@dataclass(frozen=True, slots=True, eq=False)
class Pinned:
    """A setting that was pinned, and what it gives; None until it is weighed."""

    setting: Setting
    weighed: Weighed | None = None


class PinnedSettings:
    """The pinned settings of a workspace. They stay when other rows come, and are weighed again."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.pinned: tuple[Pinned, ...] = ()
        self._job: Job[Weighed] | None = None
        self._weighing: Pinned | None = None
        self._lock = RLock()  # work ends in threads of its own

    @property
    def can_pin(self) -> bool:
        """Whether the current setting can be pinned."""
        task = self._workspace.publish
        there = [each.setting for each in self.pinned]
        return task.mined is not None and task.fresh and len(there) < MOST_PINNED and task.setting not in there

    def pin(self) -> None:
        """Pin what is chosen now; what is known of it needs no work."""
        with self._lock:
            if self.can_pin:
                task = self._workspace.publish
                self.pinned = (*self.pinned, Pinned(task.setting, task.weighed))
        self.go_on()

    def pin_again(self, settings: Iterable[Setting]) -> None:
        """Pin settings that were saved; they are weighed once there are rows."""
        with self._lock:
            stopped = self._stop()
            self.pinned = tuple(Pinned(each) for each in settings)[:MOST_PINNED]
        _cancel(stopped)
        self.go_on()

    def unpin(self, which: Pinned) -> None:
        """Take a setting away, and end its work."""
        with self._lock:
            self.pinned = tuple(each for each in self.pinned if each is not which)
            stopped = self._stop() if self._weighing is which else None
        _cancel(stopped)
        self.go_on()

    def weigh_again(self) -> None:
        """Forget what was weighed, because the rows are others."""
        with self._lock:
            stopped = self._stop()
            self.pinned = tuple(Pinned(each.setting) for each in self.pinned)
        _cancel(stopped)

    def choose(self, which: Pinned) -> None:
        """Go to a pinned setting."""
        self._workspace.publish.restore(which.setting)

    def is_chosen(self, which: Pinned) -> bool:
        """Return whether a setting is what is chosen now."""
        return self._workspace.publish.mined is not None and self._workspace.publish.setting == which.setting

    def go_on(self) -> None:
        """Weigh the first setting that was not, if there are rows; one after another, for each takes a processor."""
        with self._lock:
            waiting = next((each for each in self.pinned if each.weighed is None), None)
            if waiting is not None and self._job is None:
                self._weigh(waiting)
        self._workspace.changed()

    def _weigh(self, which: Pinned) -> None:
        file, setting = self._workspace.file, which.setting
        if file.rows is None:
            return
        rows = file.rows if setting.reading == file.reading else file.named(setting.reading)
        asked = rows, setting.point, setting.method or "additive"
        job = Job("Weighing a pinned setting", weigh_setting, *asked, then=lambda found: self._take(which, found))
        self._job, self._weighing = job, which
        self._workspace.start_aside(job, ended=lambda: self._ended(which, job))

    def _take(self, which: Pinned, found: Weighed) -> None:
        with self._lock:
            self.pinned = tuple(replace(each, weighed=found) if each is which else each for each in self.pinned)

    def _ended(self, which: Pinned, job: Job[Weighed]) -> None:
        """Go on with the next; work that failed, as where a column is not there, is shown in its place."""
        if job.failure is not None:
            self._take(which, Weighed(refusal=job.failure.sentence))
        with self._lock:
            if self._job is job:
                self._job = self._weighing = None
        self.go_on()

    def _stop(self) -> Job[Weighed] | None:
        """Forget the work under way, and return it; it is cancelled without the lock, which its end takes, too."""
        stopped, self._job, self._weighing = self._job, None, None
        return stopped


def _cancel(job: Job[Weighed] | None) -> None:
    if job is not None:
        job.cancel()

"""Settings of *Publish* that can be undone and done again; a new file starts over, other columns of it do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.workbench.history import History

if TYPE_CHECKING:
    from discreet.workbench.settings import Setting
    from discreet.workbench.tasks.publish import PublishTask

__all__ = ["SettingHistory"]


class SettingHistory:
    """The steps of a task.

    Parameters
    ----------
    task : PublishTask
        The task.
    before : SettingHistory, optional
        That of the task before; its steps stay if the file is the same.
    """

    def __init__(self, task: PublishTask, before: SettingHistory | None = None) -> None:
        self._task = task
        self.drops = task.workspace.file.drops
        """Which file it is about."""
        self.steps: History[Setting] | None = None
        if before is not None and before.drops == self.drops:
            self.steps = before.steps

    def remember(self) -> None:
        """Make what is chosen a step; a method that nobody chose follows from the verdict, and is no step."""
        task = self._task
        if not task.fresh:
            return
        now = task.setting if task.method_chosen else task.setting._replace(method=None)
        if self.steps is None:
            self.steps = History(now)
        self.steps.choose(now)

    @property
    def can_undo(self) -> bool:
        """Whether there is a setting to go back to."""
        return self.steps is not None and self.steps.can_undo and not self._task.workspace.busy

    @property
    def can_redo(self) -> bool:
        """Whether there is a setting to go on to."""
        return self.steps is not None and self.steps.can_redo and not self._task.workspace.busy

    def undo(self) -> None:
        """Go back to the setting before."""
        self.remember()  # a move that has not come to rest yet is a step, too
        if self.can_undo and self.steps is not None:
            self._task.restore(self.steps.undo())

    def redo(self) -> None:
        """Go on to the setting that was undone."""
        if self.can_redo and self.steps is not None:
            self._task.restore(self.steps.redo())

"""Choices that can be undone and done again.

Settings of *Publish* start over with a new file; other columns of the same file keep them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.workbench.settings import Setting
    from discreet.workbench.tasks.publish import PublishTask

__all__ = ["History", "SettingHistory"]


Choice = TypeVar("Choice")
_MOST_STEPS = 50


class History(Generic[Choice]):
    """The choices made so far, and which of them holds now.

    >>> history = History("a")
    >>> history.choose("b")
    >>> history.choose("b")
    >>> history.undo(), history.can_undo, history.redo(), history.can_redo
    ('a', False, 'b', False)
    """

    def __init__(self, first: Choice) -> None:
        self._steps = [first]
        self._place = 0

    @property
    def now(self) -> Choice:
        """The choice that holds."""
        return self._steps[self._place]

    def choose(self, choice: Choice) -> None:
        """Add a choice, unless it is the one that holds; what was undone is forgotten then."""
        if choice != self.now:
            self._steps = [*self._steps[: self._place + 1], choice][-_MOST_STEPS - 1 :]
            self._place = len(self._steps) - 1

    def mend(self, change: Callable[[Choice], Choice]) -> None:
        """Change every choice in the same way, as no step of the user's."""
        self._steps = [change(each) for each in self._steps]

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier choice."""
        return self._place > 0

    @property
    def can_redo(self) -> bool:
        """Whether a choice was undone."""
        return self._place < len(self._steps) - 1

    def undo(self) -> Choice:
        """Go back to the choice before, if there is one, and return it."""
        self._place -= self.can_undo
        return self.now

    def redo(self) -> Choice:
        """Go on to the choice that was undone, if there is one, and return it."""
        self._place += self.can_redo
        return self.now


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

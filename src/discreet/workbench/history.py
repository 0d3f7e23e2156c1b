"""Choices that can be undone and done again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["History"]

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

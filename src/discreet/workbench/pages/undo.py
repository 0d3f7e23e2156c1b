"""Undo and redo, as buttons and by Ctrl-Z and Ctrl-Y outside of text fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nicegui import ui

from discreet.workbench.pages.page_kit import button

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from discreet.workbench.pages.page_kit import WorkbenchPage

__all__ = ["Undoable", "draw_undo"]


class Undoable(Protocol):
    """Whatever has choices that can be undone."""

    @property
    def can_undo(self) -> bool:
        """Whether something can be taken back."""

    @property
    def can_redo(self) -> bool:
        """Whether something that was taken back can be done again."""

    def undo(self) -> None:
        """Take back the last choice."""

    def redo(self) -> None:
        """Do again what was taken back."""


def draw_undo(
    page: WorkbenchPage, choices: Callable[[], Undoable], *, then: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Draw the buttons; `choices` gives what they are about, and `then` is awaited after a step."""

    async def step(*, back: bool) -> None:
        now = choices()
        if back:
            now.undo()
        else:
            now.redo()
        show()  # with the next step as soon as this one is seen
        if then is not None:
            await then()

    undo = button("Undo", lambda: step(back=True)).props('dense data-key=z title="Ctrl-Z"')
    redo = button("Redo", lambda: step(back=False)).props('dense data-key=y title="Ctrl-Y"')
    ui.add_head_html('<script src="/undo.js" defer></script>')

    def show() -> None:
        undo.set_enabled(choices().can_undo)
        redo.set_enabled(choices().can_redo)

    page.on_change(show)

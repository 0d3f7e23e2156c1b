"""A file of patterns or rules on the page *Publish patterns*: its verdict, its fields, and the checker's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from discreet.errors import ParameterError
from discreet.workbench.pages.components import Field
from discreet.workbench.pages.page_kit import button, markup, part

if TYPE_CHECKING:
    from discreet.workbench.pages.page_kit import WorkbenchPage
    from discreet.workbench.tasks.point import Tone

__all__ = ["draw_pattern_file", "say_pattern_file"]

_TONES: dict[str, Tone] = {"good": "good", "bad": "bad", "open": "wait"}


def say_pattern_file(page: WorkbenchPage) -> None:
    """Show the verdict about the file; if there is none, that there is nothing yet."""
    file = page.workspace.pattern_file
    done = file.shown
    if file.path is None:
        page.say_nothing_yet("Not looked at yet")
    elif done is not None:
        head = done.headline
        page.say(head.verdict, done.sentence, _TONES[head.tone], caution=f"These are {done.kind}, not rows.")
    elif page.workspace.failure is not None:
        page.say("NOT UNDERSTOOD", "this is a file of patterns or rules, and something is missing", "bad")
    else:
        page.say("CHECKING", "a file of patterns or rules", "wait")


def draw_pattern_file(page: WorkbenchPage) -> None:
    """Draw the fields and the answer."""
    workspace = page.workspace
    with ui.element("div").classes("form") as form:
        ui.label("This file holds patterns or rules. They are audited as such, for the k of the policy.")
        n = Field("Rows in all").props('hint="how many rows they were mined from, if it has shares"')
        page.fields.add("n", n)

        def again() -> None:
            try:
                workspace.pattern_file.count(n.value or "")
            except ParameterError as error:
                workspace.fail(error)
            else:
                workspace.pattern_file.audit()

        n.on("keydown.enter", again)
        button("Audit it", again, main=True)
    answer = markup("")
    address = f"/files/{workspace.name}/audit-"

    def show() -> None:
        file = workspace.pattern_file
        form.visible = file.path is not None
        answer.content = "" if file.shown is None else part("pattern_file", file.shown, address)

    page.on_change(show)

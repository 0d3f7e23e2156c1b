"""The decision about a result: released or rejected, by whom, and why."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from discreet.errors import ParameterError
from discreet.publishing import page as pages
from discreet.workbench.pages.components import Field
from discreet.workbench.pages.page_kit import button, markup, tell_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.workbench.decisions import LogEntry, Outcome
    from discreet.workbench.pages.page_kit import WorkbenchPage

__all__ = ["draw_decision"]


def draw_decision(page: WorkbenchPage, entry: Callable[[], LogEntry | None]) -> None:
    """Draw what was decided about a result, and the fields to decide it; hidden if there is no result."""
    workspace = page.workspace
    with ui.element("section").classes("decision form").props('aria-label="Decision"') as box:
        markup("<h3>Does it leave?</h3>")
        told = markup("")
        with ui.element("div").classes("pair"):
            who = Field("Decided by", value=workspace.log.who)
            why = Field("Why")

        def decide(outcome: Outcome) -> None:
            now = entry()
            tell_error(who, "")
            tell_error(why, "")
            if now is None:
                return
            try:
                workspace.log.decide(now, outcome, who.value or "", why.value or "")
            except ParameterError as error:
                tell_error(who if error.parameter == "who" else why, error.message)
                return
            why.value = ""
            workspace.changed()

        with ui.element("div").classes("buttons"):
            button("Release it", partial(decide, "released"))
            button("Reject it", partial(decide, "rejected"))
        markup('<p class="note">Both are kept in the log, in the project and in the owner\'s report.</p>')

    def show() -> None:
        now = entry()
        box.visible = now is not None
        decided = None if now is None else now.decision
        told.content = "" if decided is None else pages.part("decision", decided, template="workbench/books.html")
        if not who.value:
            who.value = workspace.log.who

    page.on_change(show, of=lambda: (entry(), workspace.log.who))

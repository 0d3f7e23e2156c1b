"""The page *Keep the books*: all that was made and decided, the session as a script, and the project to save."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from discreet.errors import DiscreetError
from discreet.publishing import page as pages
from discreet.wording import counted
from discreet.workbench.pages.decisions import draw_decision
from discreet.workbench.pages.page_kit import WorkbenchPage, button, markup, panel, part
from discreet.workbench.project_file import project_name, project_text
from discreet.workbench.session_report import session_script

if TYPE_CHECKING:
    from discreet.workbench.decisions import LogEntry

__all__ = ["BooksPage", "save_project"]

SCRIPT = "run.sh"


def save_project(page: WorkbenchPage) -> None:
    """Download the project's file."""
    workspace = page.workspace
    try:
        text = project_text(workspace)
    except DiscreetError as error:
        workspace.fail(error)
    else:
        ui.download.content(text, project_name(workspace), "application/toml")


class BooksPage(WorkbenchPage):
    """The page, for one workspace."""

    name = "books"
    panels = "panels two"

    def draw(self) -> None:
        """Draw the panels."""
        with ui.element("div").classes("stack"):
            with panel("The project"):
                self._project()
            with panel("The ledger"):
                ledger = markup("")

                def tell() -> None:
                    ledger.content = part("paragraph", f"Ledger: {self.workspace.ledger.words}")

                self.on_change(tell)
        with ui.element("div").classes("stack"):
            with panel("What was made, and what was decided"):
                self._log()
            with panel("The session as a script"):
                self._script()

    def show_verdict(self) -> None:
        """Show how many results wait for a decision."""
        entries = self.workspace.log.entries
        open_ones = [each for each in entries if each.decision is None]
        if not entries:
            self.say("NOTHING YET", "What you make on the other pages is listed here", "none")
        elif open_ones:
            self.say("TO BE DECIDED", f"{counted(len(open_ones), 'result')} of {len(entries)}", "wait")
        else:
            self.say("ALL DECIDED", f"{counted(len(entries), 'result')}, each with a name and a reason", "none")

    def _project(self) -> None:
        markup(
            part(
                "paragraph",
                "The policy, your answers, marks, pinned settings and decisions as one file, without any rows. Drop it "
                "on Publish to go on another day, and then the data.",
            )
        )
        save = button("Save the project", lambda: save_project(self), main=True)
        told = markup("")

        def show() -> None:
            save.set_enabled(self.workspace.file.rows is not None)
            words = self.workspace.project_words
            told.content = part("note", words) if words else ""

        self.on_change(show)

    def _log(self) -> None:
        workspace = self.workspace

        @ui.refreshable
        def entries() -> None:
            if not workspace.log.entries:
                ui.label("Nothing was made yet.").classes("note")
            with ui.element("ol").classes("log"):
                for place, each in enumerate(workspace.log.entries, start=1):
                    with ui.element("li"):
                        markup(pages.part("entry", place, each, template="workbench/books.html"))

        entries()
        self.on_change(entries.refresh, of=lambda: workspace.log.entries)

        def next_open() -> LogEntry | None:
            return next((each for each in workspace.log.entries if each.decision is None), None)

        which = ui.label("").classes("note")

        def show() -> None:
            now = next_open()
            place = 0 if now is None else workspace.log.entries.index(now) + 1
            which.text = "" if now is None else f"To be decided next: number {place}."

        self.on_change(show)
        draw_decision(self, next_open)

    def _script(self) -> None:
        markup(part("paragraph", "The commands that make all of it again, in order, with the decisions as comments."))
        shown = markup("").classes("equivalent")
        save = button(f"Save the script ({SCRIPT})", self._save_script)

        def show() -> None:
            entries = self.workspace.log.entries
            save.set_enabled(bool(entries))
            shown.content = part("code", session_script(entries))

        self.on_change(show, of=lambda: self.workspace.log.entries)

    def _save_script(self) -> None:
        ui.download.content(session_script(self.workspace.log.entries), SCRIPT, "text/x-shellscript")

"""The list of open workspaces, behind the name of the program: what each holds, and how to close it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from discreet.publishing import page as pages
from discreet.wording import counted
from discreet.workbench.pages.page_kit import TASKS, button, draw_frame, markup, part

if TYPE_CHECKING:
    from discreet.workbench.workspace import Workspace, Workspaces

__all__ = ["show_workspaces"]


def show_workspaces(workspaces: Workspaces, here: str) -> None:
    """Draw the page; `here` is the workspace that one comes from."""
    ui.page_title("Open workspaces · discreet")
    draw_frame(workspaces.find(here), title="Open workspaces")
    asked: set[str] = set()

    def close(name: str) -> None:
        if name not in asked:  # what was dropped and made is gone then: the second click does it
            asked.add(name)
        else:
            workspaces.close(name)
        contents.refresh()

    @ui.refreshable
    def contents() -> None:
        held = workspaces.held
        if not held:
            ui.label("No workspace holds anything yet.").classes("note")
        with ui.element("ul").classes("workspaces"):
            for place, each in enumerate(held, start=1):
                with ui.element("li").classes("panel"):
                    markup(_about(each, here=each.name == here))
                    words = "Close it: files and results are removed" if each.name in asked else "Close"
                    what = f'aria-label="close workspace {place}"' if each.name not in asked else ""
                    button(words, partial(close, each.name)).props(f"dense {what}")

    with ui.element("div").classes("sheet"):
        markup(part("paragraph", "Each address of the workbench is a workspace. They last until discreet ui ends."))
        markup('<p class="download"><a href="/">Open an empty workspace</a></p>')
        contents()
    ui.timer(2, contents.refresh)


def _about(workspace: Workspace, *, here: bool) -> str:
    file, name = workspace.file, workspace.name
    seen = file.preview
    words = [] if seen is None else [counted(seen.n, "row"), counted(seen.items, "item")]
    made = workspace.log.entries
    words += [counted(len(made), "result")] if made else []
    told = workspace.publish.told
    verdict = "" if told is None else f"{told.word}: {told.sentence}"
    links = [(f"/{page}/{name}", title) for page, title in TASKS.items()]
    title = file.name or "files of a bundle"
    return pages.part(
        "workspace", here, links[0][0], title, " · ".join(words), verdict, links, template="workbench/books.html"
    )

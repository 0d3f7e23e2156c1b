"""The panel *What each promise costs*: exact ways to publish and noise, side by side, in one chart and one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup
from nicegui import ui

from discreet.publishing.charts import comparison_lines, comparison_svg
from discreet.wording import counted
from discreet.workbench.as_command import call_of, command_of, equivalent
from discreet.workbench.pages.page_kit import markup, panel, part

if TYPE_CHECKING:
    from discreet.microdata.comparison import Comparison
    from discreet.workbench.as_command import Equivalent
    from discreet.workbench.pages.page_kit import WorkbenchPage
    from discreet.workbench.tasks.point import Point
    from discreet.workbench.tasks.publish import PublishTask
    from discreet.workbench.tasks.task import Result

__all__ = ["draw_ways_panel"]

_BEFORE = (
    "The same patterns in every way: exact and blocked, from anonymous rows if columns have such roles, and with noise "
    "(differential privacy). How many itemsets each way keeps and invents, how far supports are off, and what it "
    "promises against whom."
)
_FOR_YOU = (
    "For you alone: publish none of these figures. Noise is other in every run, and nothing here is recorded as spent. "
    "Decide on epsilon by policy, not by the run that looks best."
)


def draw_ways_panel(page: WorkbenchPage) -> None:
    """Draw the panel; it is there once patterns were mined."""
    with panel("What each promise costs") as shown:
        shown.classes("wide")
        markup(part("note", _BEFORE))
        pressed = page.work_button("Compare all ways, with noise too", lambda: _task(page).compare())
        page.result(
            lambda: _task(page).compared,
            _draw,
            same=lambda done: _same(page, done.of),
            stale=lambda done: not done.answers(_task(page).point),
            leaves=False,
        )

    def show() -> None:
        shown.visible = page.workspace.publish.look is not None
        pressed.set_enabled(not page.workspace.busy)

    page.on_change(show)


def _task(page: WorkbenchPage) -> PublishTask:
    """Return the task of the present rows: other rows have another."""
    return page.workspace.publish


def _draw(done: Result[Comparison, Point]) -> None:
    found, at = done.value, done.of
    raised = "" if found.min_support == at.min_support else f" (raised from {counted(at.min_support, 'row')})"
    markup(part("note", f"At {counted(found.min_support, 'row')}{raised}, k = {at.k}: {found.sentence}."))
    markup(part("wide_picture", "chart of the ways", Markup(comparison_svg(found))))  # noqa: S704 - drawn there
    with ui.element("div").classes("compared"):
        markup(part("table", *comparison_lines(found)))
    for method, why in found.absent.items():
        markup(part("note", f"Not compared: {method}, since {why}."))
    markup(part("note", _FOR_YOU))


def _same(page: WorkbenchPage, at: Point) -> Equivalent:
    file, asked = page.workspace.file, {"k": at.k, **at.roles}
    return equivalent(
        file,
        [command_of("compare", file, {"s": at.min_support, **asked, "o": "ways.html"})],
        [call_of("compare", "rows", {"min_support": at.min_support, **asked})],
    )

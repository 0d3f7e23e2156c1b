"""The panel *Compare settings*: those that were pinned, side by side, and a button to choose each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from nicegui import ui

from discreet.publishing import page as pages
from discreet.wording import number, share
from discreet.workbench.pages.components import Markup
from discreet.workbench.pages.page_kit import button, markup
from discreet.workbench.settings import METHOD_WORDS
from discreet.workbench.tasks.pinned_settings import MOST_PINNED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from discreet.wording import Unit
    from discreet.workbench.jobs.weighing import Weighed
    from discreet.workbench.pages.page_kit import WorkbenchPage
    from discreet.workbench.tasks.pinned_settings import Pinned, PinnedSettings
    from discreet.workbench.tasks.publish import PublishTask

__all__ = ["draw_pin", "draw_pinned"]


def _part(name: str, *values: object) -> str:
    return pages.part(name, *values, template="workbench/books.html")


def _words(text: str) -> str:
    """Return text as markup."""
    return pages.part("words", text, template="workbench/parts.html")


class _Line(NamedTuple):
    """A line of the table: its heading, and what it has for each setting, None while that is being computed."""

    heading: str
    cells: list[str | None]
    best: int | None = None


def draw_pin(page: WorkbenchPage) -> None:
    """Draw the button that pins what is chosen now."""
    pin = button("Pin to compare", lambda: page.workspace.pins.pin()).props("dense")  # noqa: PLW0108 - other rows, other pins

    def show() -> None:
        pins = page.workspace.pins
        pin.set_enabled(pins.can_pin)
        full = len(pins.pinned) == MOST_PINNED
        pin.props["title"] = f"{MOST_PINNED} are pinned: unpin one first" if full else "compare it with other settings"

    page.on_change(show)


def draw_pinned(page: WorkbenchPage, *, then: Callable[[], Awaitable[None]]) -> None:
    """Draw the panel; it is there as long as something is pinned. `then` is awaited after a choice."""
    workspace = page.workspace
    pins = workspace.pins

    async def choose(which: Pinned) -> None:
        pins.choose(which)
        await then()

    with ui.element("section").classes("panel wide").props('aria-label="Compare settings"') as section:
        markup("<h2>Compare settings</h2>")

        @ui.refreshable
        def contents() -> None:
            if pins.pinned:
                with ui.element("div").classes("scroll").props('tabindex=0 role=group aria-label="table"'):
                    _draw_table(pins, workspace.publish, choose, busy=workspace.busy)

        contents()
    page.on_change(
        contents.refresh,
        of=lambda: (pins.pinned, [pins.is_chosen(each) for each in pins.pinned], workspace.busy),
    )
    page.on_change(lambda: section.set_visibility(bool(pins.pinned)))


def _draw_table(
    pins: PinnedSettings, task: PublishTask, choose: Callable[[Pinned], Awaitable[None]], *, busy: bool
) -> None:
    pinned = pins.pinned
    with ui.element("table").classes("costs compared"):
        with ui.element("thead"), ui.element("tr"):
            Markup("Setting", tag="th").props("scope=col")
            for place, each in enumerate(pinned, start=1):
                chosen = pins.is_chosen(each)
                with ui.element("th").props("scope=col").classes("chosen" if chosen else ""):
                    markup(f"{place}{' · chosen now' if chosen else ''}")
        with ui.element("tbody"):
            for line in _lines(pinned, task.n, task.unit):
                with ui.element("tr"):
                    Markup(_words(line.heading), tag="th").props("scope=row")
                    for place, cell in enumerate(line.cells):
                        best = " best" if place == line.best else ""
                        Markup(_part("waiting") if cell is None else cell, tag="td").classes(best)
            with ui.element("tr"):
                Markup('<span class="unseen">what to do</span>', tag="th").props("scope=row")
                for place, each in enumerate(pinned, start=1):
                    with ui.element("td"), ui.element("div").classes("buttons"):
                        pick = button("Choose", partial(choose, each)).props(
                            f'dense aria-label="choose setting {place}"'
                        )
                        pick.set_enabled(not busy and not pins.is_chosen(each))
                        button("Unpin", partial(pins.unpin, each)).props(f'dense aria-label="unpin setting {place}"')


def _lines(pinned: tuple[Pinned, ...], n: int, unit: Unit) -> list[_Line]:
    settings = [each.setting for each in pinned]
    lines = [
        _Line("Support", [_words(each.support_words(n)) for each in settings]),
        _Line("k", [number(each.point.k) for each in settings]),
        _Line("How", [_words("" if each.method is None else METHOD_WORDS[each.method]) for each in settings]),
    ]
    if any(each.roles_words for each in settings):
        lines.append(_Line("Columns and roles", [_words(each.roles_words or "all alike") for each in settings]))
    found = [each.weighed for each in pinned]
    lines += [
        _Line("Verdict", [None if each is None else _part("verdict_cell", each.verdict) for each in found]),
        _figures("Patterns", found, lambda each: number(each.patterns), lambda each: each.patterns),
        _figures("Published exactly", found, lambda each: share(each.exact), lambda each: each.exact),
        _figures("Largest change", found, lambda each: share(each.worst), lambda each: -each.worst),
        _figures(
            f"{unit.plural.capitalize()} exposed",
            found,
            lambda each: f"{number(each.exposed)} of {number(each.n)}",
            lambda _: 0,
        ),
    ]
    if any(each is not None and each.refusal for each in found):
        lines.append(_Line("Why not", [_words("" if each is None else each.refusal) for each in found]))
    return lines


def _figures(
    heading: str, found: list[Weighed | None], told: Callable[[Weighed], str], good: Callable[[Weighed], object]
) -> _Line:
    """Return a line of figures; the best of several safe settings is marked, unless they are equal."""
    cells = [None if each is None else "none" if each.refusal else told(each) for each in found]
    safe = {place: good(each) for place, each in enumerate(found) if each is not None and each.verdict == "SAFE"}
    top = max(safe.values(), default=None)  # type: ignore[type-var]
    winners = [place for place, value in safe.items() if value == top]
    return _Line(heading, cells, winners[0] if len(winners) == 1 < len(safe) else None)

"""The page *Publish patterns*: a file in, a point to drag, a verdict, and a bundle out."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nicegui import run, ui

from discreet.channels.arithmetic import sum_behind
from discreet.errors import DiscreetError
from discreet.publishing.channel_words import group_in_words
from discreet.wording import counted, number, percent
from discreet.workbench.elements import Curves
from discreet.workbench.equivalents import command_of, equivalent
from discreet.workbench.frame import (
    Frame,
    button,
    fact,
    link,
    markup,
    show_bundle,
    show_equivalent,
    table,
    verdict_markup,
)
from discreet.workbench.lattice import channel_picture
from discreet.workbench.work import CURVE_KS

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.workbench.desks import Desk
    from discreet.workbench.equivalents import Equivalent
    from discreet.workbench.publishing_task import Look
    from discreet.workbench.work import Costs

__all__ = ["publish_page"]

_GROUPS = 6
_MOST_TERMS = 16
_REST = 0.25
"""Seconds without a move after which the border is looked at."""

_METHODS = {
    "none": "as they are",
    "additive": "with supports raised (additive)",
    "suppressive": "with rows left out (suppressive)",
}


def publish_page(desk: Desk, max_size: int) -> None:
    """Draw the page for one desk."""
    _Page(desk, max_size).draw()


class _Page:
    def __init__(self, desk: Desk, max_size: int) -> None:
        """Keep what is given."""
        self._desk = desk
        self._task = desk.publishing
        self._frame = Frame(desk, "publish", max_size)
        self._looking = False
        self._moved = False

    def draw(self) -> None:
        with self._frame.shown():
            self._settling = ui.timer(_REST, self._settle, active=False)
            self._frame.on_change(self._show_all)
            self._verdict = markup("").classes("first")
            with ui.element("div").classes("panels"):
                with ui.element("section").classes("panel"):
                    markup("<h2>What I have</h2>")
                    self._frame.have(slot="rows")
                    self._mining()
                with ui.element("section").classes("panel"):
                    markup("<h2>What it gives away</h2>")
                    self._gives_away()
                with ui.element("section").classes("panel"):
                    markup("<h2>What I will publish</h2>")
                    self._costs()
                    self._bundle()

    # What I have

    def _mining(self) -> None:
        with ui.element("div").classes("form") as form:
            lowest = ui.input("Lowest support to look at", value=self._task.lowest).props(
                'dense outlined hint="20%, 0.2 or a number of rows"'
            )
            names = ui.input("Quasi-identifiers", value=self._task.quasi_identifiers).props(
                'dense outlined hint="only these columns or items identify anyone; empty: all do"'
            )
            self._frame.fields.add("min_support", lowest)
            self._frame.fields.add("quasi_identifiers", names)

            def again() -> None:
                self._task.lowest, self._task.quasi_identifiers = lowest.value.strip(), names.value.strip()
                self._desk.mine()

            button("Mine", again)

        def show() -> None:
            form.visible = self._desk.source.preview is not None
            lowest.value, names.value = self._task.lowest, self._task.quasi_identifiers

        self._frame.on_change(show)

    # What it gives away

    def _gives_away(self) -> None:
        self._nothing = ui.label("Drop a file, and see here which groups of people its patterns give away.")
        with ui.element("div").classes("figures") as self._figures:
            with ui.element("div").classes("pair"):
                self._support = ui.input("Support").props("dense outlined").on("keydown.enter", self._typed)
                self._support.on("blur", self._typed)
                self._k = ui.input("k").props('dense outlined hint="smallest group allowed"')
                self._k.on("keydown.enter", self._typed).on("blur", self._typed)
                self._frame.fields.add("k", self._k)
            self._curves = Curves(
                title="Channels against support, a curve for each k",
                x_title="minimum support (share of rows)",
                point_title="support and k: arrows move it",
                on_move=self._dragged,
                log=True,
            )
            self._facts = markup("").classes("answer")
            self._groups = ui.element("div").classes("answer")
            self._picture = markup("").classes("answer picture")
            self._audit_words = ui.element("div")

    async def _typed(self) -> None:
        """Take a support and a k from their fields."""
        try:
            k = int(self._k.value) if self._k.value.strip().isdecimal() else 0
            if k < 2:  # noqa: PLR2004
                self._k.props["error"] = True
                self._k.props["error-message"] = "k must be a whole number of at least 2"
                return
            self._k.props["error"] = False
            self._task.move(min_support=self._support.value.strip().replace(" ", ""), k=k)
            self._support.props["error"] = False
        except DiscreetError as error:
            self._support.props["error"] = True
            self._support.props["error-message"] = str(error)
            return
        await self._look()

    async def _dragged(self, x: float, series: int, asked: int) -> None:
        """Follow the hand."""
        same = series == _nearest_curve(self._task.k)  # a k between the curves stays as it was typed
        self._task.move(min_support=max(1, round(x)), k=self._task.k if same else CURVE_KS[series])
        await self._look()
        self._put(answered=asked)

    async def _look(self) -> None:
        """Look without the border at once, and with it after a rest."""
        self._settling.deactivate()
        while not self._task.fresh and not self._looking:
            self._looking = True
            try:
                look = await run.io_bound(self._task.look_at, self._task.min_support, self._task.k, border=False)
            finally:
                self._looking = False
            self._task.look = look
        self._show_look()
        self._settling.activate()

    async def _settle(self) -> None:
        """Look at what follows across the border, too."""
        self._settling.deactivate()
        look = self._task.look
        if look is None or look.settled:
            return
        settled = await run.io_bound(self._task.look_at, look.min_support, look.k, border=True)
        if self._task.look is look:
            self._task.look = settled
            self._desk.changed()

    def _put(self, *, answered: int | None = None) -> None:
        look = self._task.look
        if look is not None:
            channels = len(look.audit.channels)
            self._curves.put(look.min_support, channels, _nearest_curve(look.k), answered=answered)

    def _show_all(self) -> None:
        task = self._task
        self._figures.visible = task.mined is not None
        self._nothing.visible = task.mined is None
        if task.mined is not None:
            curves = task.mined.curves
            supports = curves.min_supports.tolist()
            lines = [
                {"name": f"k = {k}", "colour": place, "points": list(zip(supports, counts, strict=True))}
                for place, (k, counts) in enumerate(zip(CURVE_KS, curves.channels.T.tolist(), strict=True))
            ]
            self._curves.draw(
                lines, x=(supports[0], supports[-1]), whole=task.n, y_max=max(10, int(curves.channels.max())), step=1
            )
            self._put()
        self._show_look()
        if task.look is not None and not task.look.settled:
            self._settling.activate()

    def _show_look(self) -> None:
        look = self._task.look
        if look is None:
            words = "Drop a file to begin" if self._desk.source.path is None else "Not looked at yet"
            self._verdict.content = verdict_markup("NOTHING YET", words, "none")
            return
        word, tone = {"safe": ("SAFE", "good"), "not safe": ("NOT SAFE", "bad")}.get(look.verdict, ("CHECKING", "wait"))
        self._verdict.content = verdict_markup(word, look.sentence, tone)  # type: ignore[arg-type]
        self._support.value = f"{look.min_support}"
        self._k.value = f"{look.k}"
        share = percent(min(look.min_support, self._task.n), self._task.n)
        border = "…" if look.audit.border is None else number(len(look.audit.border))
        self._facts.content = (
            '<div class="facts">'
            + fact(number(look.audit.closed_count), f"closed itemsets from {share} up")
            + fact(number(len(look.audit.channels)), "channels inside")
            + fact(border, "across the border")
            + "</div>"
        )
        self._show_groups(look)
        self._show_channel(look)
        self._audit_words.clear()
        with self._audit_words:
            show_equivalent(self._same("audit", look, {}))

    def _same(self, name: str, look: Look, more: dict[str, object]) -> Equivalent:
        options = {"s": look.min_support, "k": look.k, **more, "quasi_identifiers": self._task.names}
        keywords = {"min_support": look.min_support, "k": look.k, **more, "quasi_identifiers": self._task.names}
        command = command_of(name, self._desk.source, options)
        return equivalent(command, self._desk.source, f"discreet.{name}", keywords)

    def _show_groups(self, look: Look) -> None:
        self._groups.clear()
        if not look.worst:
            return
        with self._groups:
            markup("<h3>The smallest groups that anyone can compute</h3>")
            with ui.element("ol").classes("groups"):
                for place, (channels, which) in enumerate(look.worst[:_GROUPS]):
                    with (
                        ui.element("li"),
                        ui.element("button")
                        .props(f'type="button" aria-pressed="{str(place == self._task.chosen).lower()}"')
                        .on("click", lambda place=place: self._choose(place)),
                    ):
                        markup(group_in_words(channels, which))
            if len(look.worst) > _GROUPS:
                ui.label(f"… and {number(len(look.worst) - _GROUPS)} more").classes("note")

    def _choose(self, place: int) -> None:
        self._task.chosen = place
        look = self._task.look
        if look is not None:
            self._show_groups(look)
            self._show_channel(look)

    def _show_channel(self, look: Look) -> None:
        self._picture.content = ""
        if self._task.chosen >= len(look.worst):
            return
        channels, which = look.worst[self._task.chosen]
        if channels is not look.audit.channels:
            self._picture.content = (
                "<p>Across the border: no group can have less than no rows, and fewer than "
                f"{number(look.min_support)} rows hold the itemsets that would not be published. That leaves no other "
                "numbers.</p>"
            )
            return
        terms = sum_behind(look.audit, which, most=_MOST_TERMS)
        if terms is not None:
            self._picture.content = channel_picture(terms, int(channels.lows[which]))

    # What I will publish

    def _costs(self) -> None:
        begin = ui.label("The bundle for the public: patterns, a report, and a certificate that anyone can check.")
        compare = button("Compare both ways to make it safe", self._desk.block)

        @ui.refreshable
        def draw() -> None:
            task = self._task
            begin.visible, compare.visible = task.look is None, task.look is not None
            compare.set_enabled(not self._desk.busy)
            if task.look is None or not task.costs or task.costs_at is None:
                return
            support, k = task.costs_at
            stale = "stale" if task.costs_at != (task.min_support, task.k) else ""
            markup(
                f'<div class="{stale}"><p class="note">At {counted(support, "row")}, k = {k}:</p>'
                f"{_cost_table(task.costs)}</div>"
            )
            for costs in task.costs:
                if costs.refusal:
                    markup(f'<p class="refusal">{escape(costs.method)}: {escape(costs.refusal)}</p>')
            show_equivalent(self._same("block", task.look, {"method": "additive"}))

        draw()
        self._frame.on_change(draw.refresh)

    def _bundle(self) -> None:
        with ui.element("div").classes("form") as form:
            method = ui.radio(_METHODS, value="additive").props("dense")
            self._frame.fields.add("method", method)
            title = ui.input("Title of the report").props("dense outlined")
            make = button("Make the bundle", lambda: self._release(method.value, title.value), main=True)

        @ui.refreshable
        def draw() -> None:
            form.visible = self._task.look is not None
            make.set_enabled(not self._desk.busy)
            bundle, at = self._task.bundle, self._task.bundle_at
            if bundle is None or at is None:
                return
            support, k, used = at
            files = f"/files/{self._desk.name}/patterns"
            markup(f'<p class="note">From {counted(support, "row")} up, k = {k}, {_METHODS[used]}.</p>')
            owner = link(f"{files}-owner-report.html", "The owner's report (not for release)")
            show_bundle(bundle, files=files, more=(owner,))
            command = self._command(used)
            keywords = {"min_support": support, "k": k, "method": used, "output": "public"}
            same = equivalent(
                command, self._desk.source, "discreet.release", keywords | {"quasi_identifiers": self._task.names}
            )
            show_equivalent(same)

        draw()
        self._frame.on_change(draw.refresh)

    def _command(self, method: str) -> tuple[str, ...]:
        options = {
            "s": self._task.min_support,
            "k": self._task.k,
            "method": method,
            "quasi_identifiers": self._task.names,
            "o": "public",
        }
        return command_of("release", self._desk.source, options)

    def _release(self, method: str, title: str) -> None:
        self._desk.release(method, title or "", self._command(method))


def _nearest_curve(k: int) -> int:
    return min(range(len(CURVE_KS)), key=lambda place: abs(CURVE_KS[place] - k))


def _cost_table(costs: tuple[Costs, ...]) -> str:
    """Return both ways side by side."""
    good = [each for each in costs if not each.refusal]
    lines = [
        ("rows added, or left out", [number(each.rows) for each in good]),
        ("rows after", [number(each.n_after) for each in good]),
        ("closed itemsets", [number(each.patterns) for each in good]),
        ("… changed", [number(each.changed_patterns) for each in good]),
        ("… lost", [number(each.lost_patterns) for each in good]),
        ("all itemsets changed", [_share(each.changed) for each in good]),
        ("average change", [_share(each.average) for each in good]),
        ("largest change", [_share(each.worst) for each in good]),
    ]
    return table(("", *(each.method for each in good)), [(name, *cells) for name, cells in lines])


def _share(value: Fraction | None) -> str:
    return "" if value is None else percent(value.numerator, value.denominator)

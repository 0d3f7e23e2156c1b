"""The page *Publish patterns*: a file in, a draggable point, a verdict, and a bundle out."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from nicegui import run, ui

from discreet.answers.small_groups import group_at
from discreet.channels.derivation import bounds_of, sum_behind
from discreet.errors import ParameterError
from discreet.wording import counted, number, percent
from discreet.workbench.as_command import call_of, command_of, equivalent
from discreet.workbench.jobs.patterns import CURVE_KS, MOST_PROOFS
from discreet.workbench.pages.channel_picture import channel_picture
from discreet.workbench.pages.components import Curves
from discreet.workbench.pages.page_kit import (
    SameElsewhere,
    WorkbenchPage,
    button,
    dim,
    markup,
    panel,
    part,
    tell_error,
)
from discreet.workbench.tasks.publish import concealing_words, identifying_words

if TYPE_CHECKING:
    from nicegui.element import Element

    from discreet.channels.derivation import Deduction
    from discreet.workbench.as_command import Equivalent
    from discreet.workbench.jobs.patterns import PackedBundle
    from discreet.workbench.pages.page_kit import Tone
    from discreet.workbench.tasks.publish import PointAudit, PointVerdict, PublishTask, Released
    from discreet.workbench.tasks.task import Result
    from discreet.workbench.workspace import Workspace

__all__ = ["PublishPage", "proof_markup"]

_GROUPS = MOST_PROOFS
_MOST_TERMS = 16
_MOST_FIGURES = 24
_REST = 0.25
"""Seconds without a move after which the attacker runs."""

_TONES: dict[PointVerdict, Tone] = {"safe": "good", "not safe": "bad", "nothing to publish": "none"}
_METHODS = {
    "none": "as they are",
    "additive": "with supports raised (additive)",
    "suppressive": "with rows left out (suppressive)",
}


_FOR_THE_OWNER = {
    "owner-report.html": "The owner's report (not for release)",
    "discreet.toml": "A policy that publishes the same every month",
}


class PublishPage(WorkbenchPage):
    """The page, for one workspace."""

    name = "publish"

    def __init__(self, workspace: Workspace, max_size: int) -> None:
        super().__init__(workspace, max_size)
        self._looking = False
        self._written: dict[ui.input, int] = {}
        """The point's values in the fields, apart from what was typed since."""
        self._wrong = False
        """Whether the typed values differ from the point."""
        self._drawn: list[str] = []
        self._pressable: list[Element] = []

    @property
    def _task(self) -> PublishTask:
        return self.workspace.publish

    def draw(self) -> None:
        """Draw the panels."""
        self._settling = ui.timer(_REST, self._settle, active=False)
        with panel("What I have"):
            self.have(slot="rows")
            self._mining()
        with panel("What it gives away"):
            self._gives_away()
        with panel("What I will publish"):
            self._costs()
            self._bundle()
        self.on_change(self._show_stale)

    # What I have

    def _mining(self) -> None:
        with ui.element("div").classes("form") as form:
            self._lowest = ui.input("Lowest support to look at", value=self._task.lowest).props(
                'dense outlined hint="20%, 0.2 or a number of rows"'
            )
            self._names = ui.input("Quasi-identifiers", value=self._task.quasi_identifiers).props(
                'dense outlined hint="only these columns or items identify anyone; empty: all do"'
            )
            self.fields.add("min_support", self._lowest)
            self.fields.add("quasi_identifiers", self._names)
            for field in (self._lowest, self._names):
                field.on_value_change(self._show_stale)
            mine = button("Mine", lambda: self._task.mine(*self._to_mine))

        def show() -> None:
            form.visible = self.workspace.file.preview is not None
            self._lowest.value, self._names.value = self._task.lowest, self._task.quasi_identifiers

        self.on_change(lambda: mine.set_enabled(not self.workspace.busy))
        self.on_change(show, of=lambda: (self.workspace.file.preview, self._task.mined))

    @property
    def _to_mine(self) -> tuple[str, str]:
        """The lowest support and the quasi-identifiers in the fields."""
        return (self._lowest.value or "").strip(), (self._names.value or "").strip()

    @property
    def _to_do_first(self) -> str:
        """What has to be done before publishing, because the fields do not match the figures shown."""
        if self._task.look is None:
            return ""
        if self._to_mine != (self._task.lowest, self._task.quasi_identifiers):
            return "The lowest support or the quasi-identifiers are others now: mine first."
        return "The support or k is wrong: correct it first." if self._wrong else ""

    def _show_stale(self) -> None:
        """Dim results that do not match the fields, and disable publishing them."""
        first = self._to_do_first
        for element in self._stales:
            dim(element, stale=bool(first))
        self._first.text, self._first.visible = first, bool(first)
        for pressed in (self._compare, self._make):
            pressed.set_enabled(not first and not self.workspace.busy)

    # What it gives away

    def _gives_away(self) -> None:
        self._nothing = ui.label("Drop a file, and see here which groups of people its patterns give away.")
        with ui.element("div").classes("figures") as self._figures:
            with ui.element("div").classes("pair"):
                self._support = (
                    ui.input("Support").props("dense outlined bottom-slots").on("keydown.enter", self._typed)
                )
                self._support.on("blur", self._typed)
                self._k = ui.input("k").props('dense outlined bottom-slots hint="smallest group allowed"')
                self._k.on("keydown.enter", self._typed).on("blur", self._typed)
            self._curves = Curves(
                title="Channels against support, a curve for each k",
                x_title="minimum support (share of rows)",
                point_title="support and k: arrows move it",
                on_move=self._dragged,
                log=True,
            )
            self._facts = markup("").classes("answer")
            self._groups = ui.element("div").classes("answer")
            self._more_groups = ui.label("").classes("note answer")
            self._picture = markup("").classes("answer picture")
            self._same_audit = SameElsewhere()
        answers = (self._facts, self._groups, self._more_groups, self._picture)
        self._stales: list[Element] = [self.verdict, self._curves, *answers]

    async def _typed(self) -> None:
        """Read a support and a k from their fields."""
        if self._task.mined is None:
            return
        try:
            self._task.move(min_support=(self._support.value or "").replace(" ", ""), k=(self._k.value or "").strip())
        except ParameterError as error:
            self._wrong = True
            for field in (self._k, self._support):
                tell_error(field, str(error) if (field is self._k) == (error.parameter == "k") else "")
            self._show_stale()
            return
        self._write_point()
        await self._look()

    def _write_point(self) -> None:
        """Write the point's values into the fields, whatever was typed there."""
        self._wrong = False
        for field, now in ((self._support, self._task.min_support), (self._k, self._task.k)):
            self._written[field], field.value = now, f"{now}"
            tell_error(field, "")
        self._show_stale()

    async def _dragged(self, x: float, series: int, asked: int) -> None:
        """Handle a drag of the point."""
        same = series == _nearest_curve(self._task.k)  # a typed k between the curves stays
        try:
            with suppress(ParameterError):  # the point of a chart that has just gone: there is another file
                self._task.move(min_support=max(1, round(x)), k=self._task.k if same else CURVE_KS[series])
            self._write_point()
            await self._look()
        finally:
            self._put(answered=asked)  # otherwise the chart would wait for ever

    async def _look(self) -> None:
        """Audit without the attacker at once, and with it after a pause."""
        self._settling.deactivate()
        if not self._task.fresh:
            self.workspace.end_background()
        while (mined := (task := self._task).mined) is not None and not task.fresh and not self._looking:
            self._looking = True
            try:
                look = await run.io_bound(task.look_at, task.min_support, task.k)
            finally:
                self._looking = False
            if task.mined is mined:  # otherwise it is about other patterns
                task.look = look
            self.workspace.changed()
        self._show_look()
        self._settling.activate()

    def _settle(self) -> None:
        """Run the attacker too."""
        self._settling.deactivate()
        self._task.attack()

    def _put(self, *, answered: int | None = None) -> None:
        look = self._task.look
        if look is not None:
            channels = len(look.audit.channels)
            self._curves.put(look.min_support, channels, _nearest_curve(look.k), answered=answered)
        elif answered is not None:
            self._curves.stay(answered=answered)

    def show_verdict(self) -> None:
        """Show the verdict, and everything it is about."""
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
        idle = (
            self.workspace.shown is None or not self.workspace.shown.running
        )  # the running job is not cancelled for this
        if idle and task.to_attack:
            self._settling.activate()

    def _show_look(self) -> None:
        look = self._task.look
        if look is None:
            words = "Drop a file to begin" if self.workspace.file.path is None else "Not looked at yet"
            self.say("NOTHING YET", words, "none")
            return
        self.say(look.word, look.sentence, _TONES.get(look.verdict, "wait"))
        now = {self._support: look.min_support, self._k: look.k}
        moved = [field for field in now if self._written.get(field) != now[field]]
        if moved and self._wrong:
            self._write_point()
        else:
            for field in moved:  # somebody may be typing in the others
                self._written[field], field.value = now[field], f"{now[field]}"
        self._facts.content = part("look", _facts(look, self._task.n), look.reach)
        self._show_groups(look)
        self._show_channel(look)
        at = {"k": look.k, "quasi_identifiers": look.quasi_identifiers}
        self._same_audit.show(
            equivalent(
                self.workspace.file,
                [command_of("audit", self.workspace.file, {"s": look.min_support, **at})],
                [call_of("audit", "rows", {"min_support": look.min_support, **at})],
            )
        )

    def _show_groups(self, look: PointAudit) -> None:
        groups = [str(part("group", group_at(channels, which))) for channels, which in look.worst]
        if groups != self._drawn:
            self._drawn, self._pressable = groups, []
            self._groups.clear()
            with self._groups:
                self._draw_groups(groups)
        for place, pressable in enumerate(self._pressable):
            pressable.props(f'aria-pressed="{str(place == self._task.chosen).lower()}"')
        self._more_groups.text = f"… and {number(look.groups - _GROUPS)} more" if look.groups > _GROUPS else ""

    def _draw_groups(self, groups: list[str]) -> None:
        if not groups:
            return
        markup("<h3>The smallest groups that anyone can compute</h3>")
        with ui.element("ol").classes("groups"):
            for place, words in enumerate(groups):
                with (
                    ui.element("li"),
                    ui.element("button")
                    .props('type="button"')
                    .on("click", lambda place=place: self._choose(place)) as pressable,
                ):
                    markup(words)
                self._pressable.append(pressable)

    def _choose(self, place: int) -> None:
        self._task.chosen = place
        look = self._task.look
        if look is not None:
            self._show_groups(look)
            self._show_channel(look)

    def _show_channel(self, look: PointAudit) -> None:
        self._picture.content = ""
        if self._task.chosen >= len(look.worst):
            return
        channels, which = look.worst[self._task.chosen]
        if channels is not look.audit.channels:
            low, high = int(channels.lows[which]), int(channels.highs[which])
            self._picture.content = proof_markup(look.proof(self._task.chosen), low, high)
            return
        terms = sum_behind(look.audit, which, most=_MOST_TERMS)
        if terms is not None:
            self._picture.content = channel_picture(terms, int(channels.lows[which]))

    # What I will publish

    def _costs(self) -> None:
        begin = ui.label("The bundle for the public: patterns, a report, and a certificate that anyone can check.")
        compare = self._compare = button(
            "Compare both ways to make it safe",
            lambda: self._task.block(),  # noqa: PLW0108 - other rows, other task
        )

        costs, same = markup(""), SameElsewhere()
        self._stales.append(costs)

        def show() -> None:
            task = self._task
            begin.visible, compare.visible = task.look is None, task.look is not None
            costs.content = ""
            done = task.costs
            if done is None:
                same.show(None)
                return
            support, k, names = done.of
            where = f"At {counted(support, 'row')}, k = {k}{identifying_words(names)}:"
            costs.content = part("costs", done.value, where, not done.answers(task.point))
            at = [{"k": k, "method": each.method, "quasi_identifiers": names} for each in done.value]
            same.show(
                equivalent(
                    self.workspace.file,
                    [command_of("block", self.workspace.file, {"s": support, **options}) for options in at],
                    [call_of("block", "rows", {"min_support": support, **options}) for options in at],
                )
            )

        self.on_change(show)

    def _bundle(self) -> None:
        def keep() -> None:
            self._task.method, self._task.title = method.value, title.value or ""
            self._task.sensitive, self._task.rho = sensitive.value or "", rho.value or ""

        with ui.element("div").classes("form") as form:
            method = ui.radio(_METHODS, value=self._task.method, on_change=keep).props("dense")
            self.fields.add("method", method)
            sensitive = ui.input("Sensitive items", value=self._task.sensitive, on_change=keep).props(
                'dense outlined hint="nobody may conclude these columns or items of a group"'
            )
            rho = ui.input("Rho", value=self._task.rho, on_change=keep).props(
                'dense outlined hint="with so much confidence or more: 50% or 0.5"'
            )
            self.fields.add("sensitive", sensitive)
            self.fields.add("rho", rho)
            title = ui.input("Title of the report", value=self._task.title, on_change=keep).props("dense outlined")
            self._make = button("Make the bundle", lambda: self._task.release(), main=True)  # noqa: PLW0108 - as above
            self._first = ui.label("").classes("note")

        def show() -> None:
            form.visible = self._task.look is not None

        def follow() -> None:
            method.value, title.value = self._task.method, self._task.title
            sensitive.value, rho.value = self._task.sensitive, self._task.rho

        self.on_change(show)
        self.on_change(follow, of=lambda: self.workspace.policy)
        made = self.result(lambda: self._task.bundle, self._draw_bundle, same=lambda done: self._same_release(done.of))
        self._stales.append(made)

    def _draw_bundle(self, done: Result[PackedBundle, Released]) -> None:
        at = done.of
        made_with = f"k = {at.k}, {_METHODS[at.method]}{identifying_words(at.quasi_identifiers)}"
        made_with += concealing_words(at.sensitive, at.rho)
        markup(part("note", f"From {counted(at.min_support, 'row')} up, {made_with}."))
        self.show_bundle(self._task, done.value, _FOR_THE_OWNER)

    def _same_release(self, at: Released) -> Equivalent:
        words = {**at.options, "owner_report": "owner-report.html"}
        return equivalent(
            self.workspace.file,
            [command_of("release", self.workspace.file, {"s": at.min_support, **words, "o": "public"})],
            [call_of("release", "rows", {"min_support": at.min_support, **words, "output": "public"})],
        )


def _nearest_curve(k: int) -> int:
    return min(range(len(CURVE_KS)), key=lambda place: abs(CURVE_KS[place] - k))


def _facts(look: PointAudit, n: int) -> list[tuple[str, str]]:
    """Return the numbers of an audit of `n` rows, each with what it counts."""
    unknown = "?" if look.given_up else "…"
    return [
        (number(look.audit.closed_count), f"closed itemsets from {percent(min(look.min_support, n), n)} up"),
        (number(len(look.audit.channels)), "channels"),
        (unknown if look.attacked is None else number(look.found_by_attacker), "groups that the attacker found"),
    ]


def proof_markup(proof: Deduction | None, low: int, high: int) -> str:
    """Return the sums that bound a group which the attacker found, and whose figures are in them."""
    bounds = () if proof is None else bounds_of(proof, low, high)
    figures = {figure.items: figure for bound in bounds for figure in bound.figures or ()}
    return part("proof", bounds, list(figures.values()), _MOST_FIGURES)

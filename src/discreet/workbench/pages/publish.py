"""The page *Publish patterns*: a file in, the policy, a draggable point, a verdict, and a bundle out."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from nicegui import run, ui

from discreet.command_words import option_words
from discreet.errors import ParameterError
from discreet.thresholds import K
from discreet.wording import Unit, counted, number, percent
from discreet.workbench.as_command import EARLIER, Equivalent, call_of, command_of, equivalent
from discreet.workbench.pages.components import Curves, Field
from discreet.workbench.pages.groups_panel import GroupsPanel
from discreet.workbench.pages.page_kit import (
    SameElsewhere,
    WorkbenchPage,
    dim,
    markup,
    panel,
    part,
    tell_error,
)
from discreet.workbench.pages.pattern_file import draw_pattern_file, say_pattern_file
from discreet.workbench.pages.pinned_panel import draw_pin, draw_pinned
from discreet.workbench.pages.policy_panel import PolicyPanel
from discreet.workbench.pages.published_list import PublishedList
from discreet.workbench.pages.reading_card import draw_reading_card
from discreet.workbench.pages.terms import named
from discreet.workbench.pages.undo import draw_undo
from discreet.workbench.pages.ways_out import draw_ways
from discreet.workbench.pages.ways_panel import draw_ways_panel
from discreet.workbench.tasks.point import concealing_words, identifying_words
from discreet.workbench.typed_words import plain_number, sentence_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nicegui.element import Element

    from discreet.channels.tradeoff import Tradeoff
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.workbench.jobs.patterns import PackedBundle
    from discreet.workbench.pages.components import CurveLine
    from discreet.workbench.tasks.point import Point, PointAudit
    from discreet.workbench.tasks.publish import PublishTask, Released
    from discreet.workbench.tasks.task import Result
    from discreet.workbench.workspace import Workspace

__all__ = ["PublishPage"]

_REST = 0.25
"""Seconds without a move after which the attacker runs."""

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
        self._written: dict[Field, int] = {}
        """The point's values in the fields, apart from what was typed since."""
        self._wrong = False
        """Whether the typed values differ from the point."""
        self._curves_of: tuple[Tradeoff | None, Tradeoff | None] = None, None
        self._made: list[Element] = []
        """What shows the bundle."""
        self._ways_of: tuple[object, ...] = ()
        """What the ways out were drawn from."""

    @property
    def _task(self) -> PublishTask:
        return self.workspace.publish

    def draw(self) -> None:
        """Draw the panels."""
        self._settling = ui.timer(_REST, self._settle, active=False)
        with ui.element("div").classes("stack"):
            with panel("What I have"):
                self._project_line()
                draw_reading_card(self, slot="rows", give_roles=self._give_roles)
            with panel("The policy") as policy_panel:
                self._policy = PolicyPanel(self, typed=self._typed, look=self._look)
                self._k = self._policy.k
        with panel("What it gives away"):
            self._gives_away()
        with panel("What I will publish"):
            self._costs()
            self._bundle()
            listed = PublishedList()
            self._stales.append(listed.shown)
            self.on_change(
                lambda: listed.show(*self._task.listed),
                of=lambda: (self._task.look, self._task.bundle, self._task.costs, self._task.chosen_release),
            )
        draw_ways_panel(self)
        draw_pinned(self, then=self._went)
        self._policy.on_edit(self._show_stale)
        self.on_change(self._show_stale)

        def show_policy() -> None:
            file, patterns = self.workspace.file, self.workspace.pattern_file
            policy_panel.visible = file.preview is not None or patterns.path is not None

        self.on_change(show_policy)

    def _project_line(self) -> None:
        """Show what an owner should know about the project that was opened."""
        told = markup("")

        def show() -> None:
            words = self.workspace.project_words
            told.content = part("doubtful", words) if words else ""

        self.on_change(show)

    async def _give_roles(self, roles: dict[str, str]) -> None:
        await self._policy.give(roles)

    @property
    def _to_do_first(self) -> str:
        """What has to be done before publishing, because the fields do not match the figures shown."""
        if self._task.look is None:
            return ""
        return self._policy.to_do_first or ("The support or k is wrong: correct it first." if self._wrong else "")

    def _show_stale(self) -> None:
        """Dim results that do not match the fields, and disable publishing them."""
        first, questions = self._to_do_first, self.workspace.file.questions
        for element in self._stales:
            dim(element, stale=bool(first))
        for element in self._made:
            dim(element, stale=bool(first) or not self._task.bundle_fresh)
        if questions and self._task.look is not None and not first:
            first = f"To be answered about the file first: {questions[0].sentence}"
        self._first.text, self._first.visible = first, bool(first)
        for pressed in (self._compare, self._make):
            pressed.set_enabled(not first and not self.workspace.busy)

    def _may_begin(self) -> bool:
        """Whether the figures shown are about what the fields say, and the file needs no answer."""
        return not self._to_do_first and not self.workspace.file.questions

    # What it gives away

    def _gives_away(self) -> None:
        self._nothing = ui.label("Drop a file, and see here which groups of people its patterns give away.")
        draw_pattern_file(self)
        with ui.element("div").classes("figures") as self._figures:
            with ui.element("div").classes("pair"):
                self._support = Field("Support").props('bottom-slots hint="20%, 0.2 or a number of rows"')
                self._support.on("keydown.enter", self._typed).on("blur", self._typed)
                self.fields.add("min_support", self._support)
                self._share = markup("").classes("note")
            with ui.element("div").classes("buttons steps"):
                draw_undo(self, lambda: self._task.history, then=self._went)
                draw_pin(self)
            self._curves = Curves(
                words={
                    "title": "Channels against support, a curve for each k",
                    "x-title": "minimum support (share of rows, logarithmic)",
                    "y-title": "channels: small groups that follow",
                    "point-title": "support: arrows move it",
                    "unit": "channels",
                },
                on_move=self._dragged,
                logarithmic=True,
                steps=True,
            )
            markup(named("support", "channel", "closed"))
            self._facts = markup("").classes("answer")
            self._ways = (
                ui.element("div").classes("ways answer").props('role="group" aria-label="ways to make it safe"')
            )
            self._groups = GroupsPanel(self)
            self._same_audit = SameElsewhere()
        answers = (self._facts, self._ways, self._groups.element)
        self._stales: list[Element] = [self.verdict, self._curves, *answers]

    async def _typed(self) -> None:
        """Read a support and a k from their fields."""
        if self._task.mined is None:
            self._type_k_for_pattern_file()
            return
        try:
            self._task.move(min_support=plain_number(self._support.value or ""), k=plain_number(self._k.value or ""))
        except ParameterError as error:
            self._wrong = True
            for field in (self._k, self._support):
                tell_error(field, sentence_of(error) if (field is self._k) == (error.parameter == "k") else "")
            self._show_stale()
            return
        if self._task.mining:
            return
        self._write_point()
        await self._look()

    async def _went(self) -> None:
        """Look again after a step back or on, or at a pinned setting."""
        if self._task.mined is not None and not self._task.mining:
            self._write_point()
            await self._look()

    def _type_k_for_pattern_file(self) -> None:
        """Take another k for a file of patterns."""
        if self.workspace.pattern_file.path is None:
            return
        text = plain_number(self._k.value or "")
        try:
            self._task.k = K.parse(int(text) if text.isdecimal() else text)
        except ParameterError as error:
            tell_error(self._k, sentence_of(error))
            return
        tell_error(self._k, "")
        self.workspace.pattern_file.audit()

    def _write_point(self) -> None:
        """Write the point's values into the fields, whatever was typed there."""
        self._wrong = False
        for field, now in ((self._support, self._task.min_support), (self._k, self._task.k)):
            self._written[field], field.value = now, f"{now}"
            tell_error(field, "")
        self._show_share()
        self._show_stale()

    def _show_share(self) -> None:
        n = self._task.n
        share = f"rows: {percent(min(self._task.min_support, n), n)} of {number(n)}" if n else ""
        self._share.content = part("words", share)

    async def _dragged(self, x: float, series: int, asked: int) -> None:  # noqa: ARG002 - k is policy
        """Handle a drag of the point: it moves the support, and nothing else."""
        self.moved = time.monotonic()
        try:
            with suppress(ParameterError):  # the point of a chart that has just gone: there is another file
                self._task.move(min_support=max(1, round(x)))
            if self._wrong:
                self._write_point()
            await self._look()
        finally:
            self.moved = time.monotonic()
            self._put(answered=asked)  # otherwise the chart would wait for ever

    async def _look(self) -> None:
        """Audit without the attacker at once, and with it after a pause."""
        self._settling.deactivate()
        if not self._task.fresh:
            self.workspace.end_background()
        while (mined := (task := self._task).mined) is not None and not task.fresh and not self._looking:
            self._looking = True
            try:
                look = await run.io_bound(task.look_at, task.point)
            finally:
                self._looking = False
            if task.mined is mined:  # otherwise it is about other patterns
                task.look = look
            self.workspace.changed()
        self._show_look()
        self._settling.activate()

    async def _settle(self) -> None:
        """Run the attacker too, and then look for what would be safe."""
        self._settling.deactivate()
        if self._is_late:
            await self._look()
            return
        self._task.history.remember()
        self._task.attack()
        self._task.advise()
        self._task.price()

    def _put(self, *, answered: int | None = None) -> None:
        look, task = self._task.look, self._task
        if look is not None and task.mined is not None:
            drawn = self._draw_curves(task.mined.curves, look.curve, task.n)
            self._curves.put(look.min_support, len(look.audit.channels), drawn.index(look.k), answered=answered)
            self._shade(look, task.mined.curves)
        elif answered is not None:
            self._curves.stay(answered=answered)

    def _shade(self, look: PointAudit, curves: Tradeoff) -> None:
        """Shade where there is no channel, but never up to a point that is not safe; mark the lowest safe support."""
        task = self._task
        free = (look.curve or curves).lowest[look.k] or 0
        if free and look.verdict == "not safe":
            free = max(free, look.min_support + 1)
        lowest = task.lowest_safe.get(look.k)
        words = "" if lowest is None else f"safe as they are: {percent(lowest, task.n)}"
        self._curves.shade(
            safe_from=free, safe_words=f"no channel for k = {number(look.k)}", mark=lowest or 0, mark_words=words
        )
        self._curves.tell(task.seen(look.k))

    def show_verdict(self) -> None:
        """Show the verdict, and everything it is about."""
        task = self._task
        self._figures.visible = task.mined is not None
        self._nothing.visible = task.mined is None and self.workspace.pattern_file.path is None
        if task.mined is not None:
            self._put()
        self._show_look()
        self._show_rest()
        idle = (
            self.workspace.shown is None or not self.workspace.shown.running
        )  # the running job is not cancelled for this
        if idle and (self._is_late or task.to_attack or task.to_advise or task.to_price):
            self._settling.activate()

    @property
    def _is_late(self) -> bool:
        """Whether the figures are of another point, because its audit ended last."""
        return self._task.mined is not None and not self._task.fresh and not self.workspace.busy

    def _draw_curves(self, curves: Tradeoff, more: Tradeoff | None, n: int) -> list[int]:
        """Draw the curves, unless they are drawn; return the k of each."""
        counts = dict(zip(curves.ks.tolist(), curves.channels.T.tolist(), strict=True))
        if more is not None:
            counts |= dict(zip(more.ks.tolist(), more.channels.T.tolist(), strict=True))
        ks = sorted(counts)
        if self._curves_of != (curves, more):
            self._curves_of = curves, more
            supports = curves.min_supports.tolist()
            lines: list[CurveLine] = [
                {"name": f"k = {number(k)}", "colour": place % 6, "points": list(zip(supports, counts[k], strict=True))}
                for place, k in enumerate(ks)
            ]
            top = max(10, *(max(each) for each in counts.values()))
            self._curves.draw(lines, x=(supports[0], supports[-1]), whole=n, y_max=top, step=1)
            self._curves.count([(support, self._task.patterns_at(support)) for support in supports])
        return ks

    def _show_look(self) -> None:
        """Show the verdict and its figures, which follow the hand: each is sent alone."""
        look, told = self._task.look, self._task.told
        if look is None or told is None:
            say_pattern_file(self)
            return
        self.say(told.word, told.sentence, told.tone, caution=told.caution)
        self._show_share()
        surest = () if look.attacked is None else look.attacked.surest
        self._facts.content = part("look", _facts(look, self._task.n), look.reach, surest)
        self._groups.show(look)

    def _show_rest(self) -> None:
        """Show what comes a moment after the figures, because the whole page is drawn again for it."""
        look = self._task.look
        if look is None:
            return
        now = {self._support: look.min_support, self._k: look.k}
        moved = [field for field in now if self._task.fresh and self._written.get(field) != now[field]]
        if moved and self._wrong:
            self._write_point()
        else:
            for field in moved:  # somebody may be typing in the others
                self._written[field], field.value = now[field], f"{now[field]}"
        self._show_ways()
        at = {"k": look.k, **look.point.roles}
        self._same_audit.show(
            equivalent(
                self.workspace.file,
                [command_of("audit", self.workspace.file, {"s": look.min_support, **at})],
                [call_of("audit", "rows", {"min_support": look.min_support, **at})],
            )
        )

    def _show_ways(self) -> None:
        """Show the ways to make the patterns safe, each with its price, as buttons."""
        task = self._task
        advice, now = task.advised, (task.advised, task.costs, task.method_chosen, task.method)
        if now == self._ways_of:
            return
        self._ways_of = now
        self._ways.clear()
        if advice is not None:
            with self._ways:
                markup("<h3>Ways to make it safe</h3>")
                draw_ways(advice, task, self._raise_support, self._take_method, self._leave_out)

    async def _raise_support(self, support: int) -> None:
        self._task.method_chosen = False  # nothing has to be changed there
        self._task.move(min_support=support)
        self._write_point()
        await self._look()

    def _take_method(self, method: ReleaseMethod) -> None:
        self._task.method, self._task.method_chosen = method, True
        self.workspace.changed()

    def _leave_out(self, names: Sequence[str]) -> None:
        reading = self.workspace.file.reading
        before = reading.rules.drop if reading.drop else ()
        self.workspace.read(replace(reading, drop=[*before, *names]), then_mine=True)

    # What I will publish

    def _costs(self) -> None:
        begin = ui.label("The bundle for the public: patterns, a report, and a certificate that anyone can check.")
        compare = self._compare = self.work_button(
            "Compare both ways to make it safe",
            lambda: self._task.block(),  # noqa: PLW0108 - other rows, other task
            ready=self._may_begin,
        )

        costs, same = markup(""), SameElsewhere()
        self._stales.append(costs)

        def show() -> None:
            task = self._task
            begin.visible, compare.visible = task.look is None, task.look is not None
            done = task.costs
            if done is None:
                costs.content = ""
                same.show(None)
                return
            support, k = done.of.min_support, done.of.k
            where = f"At {counted(support, 'row')}, k = {k}{_roles(done.of)}:"
            costs.content = part("costs", done.value, where, not done.answers(task.point))
            at = [{"k": k, "method": each.method, **done.of.roles} for each in done.value]
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
            self._task.method_chosen |= method.value != self._task.method
            self._task.method, self._task.title = method.value, title.value or ""

        with ui.element("div").classes("form") as form:
            method = ui.radio(_METHODS, value=self._task.method, on_change=keep).props('dense aria-label="how"')
            self.fields.add("method", method)
            title = Field("Title of the report", value=self._task.title, on_change=keep)
            self._make = self.work_button(
                "Make the bundle",
                lambda: self._task.release(),  # noqa: PLW0108 - as above
                ready=self._may_begin,
                main=True,
            )
            self._first = ui.label("").classes("note")

        def show() -> None:
            form.visible = self._task.look is not None

        def follow() -> None:
            method.value, title.value = self._task.method, self._task.title

        self.on_change(show)
        self.on_change(follow, of=lambda: (self.workspace.policy, self._task.method))
        self._books()
        made = self.result(
            lambda: self._task.bundle,
            self._draw_bundle,
            same=lambda done: self._same_release(done.of),
        )
        self._made.append(made)

    def _books(self) -> None:
        """Show which bundles this one is judged with, and why it was refused."""
        told = markup("")
        fit = self.work_button("Publish what is safe together", lambda: self._task.release(fit=True))

        select = self.work_button(
            "Publish a selection of the bundle that left before",
            lambda: self._task.select(),  # noqa: PLW0108 - as above
        )

        def show() -> None:
            ledger, refusal = self.workspace.ledger, self._task.refused
            told.content = part("note", f"Ledger: {ledger.words}") if self._task.look is not None else ""
            fit.visible = refusal is not None and refusal.value.publishable is not None
            fit.set_enabled(not self.workspace.busy)
            select.visible = refusal is not None and self._task.left is not None
            select.set_enabled(not self.workspace.busy)
            if refusal is not None and refusal.value.publishable is not None:
                some = f"{number(refusal.value.publishable)} of {number(refusal.value.itemsets or 0)}"
                fit.text = f"Publish the {some} itemsets that are safe together"

        self.on_change(show)

    def _draw_bundle(self, done: Result[PackedBundle, Released]) -> None:
        at = done.of
        made_with = f"k = {at.point.k}, {_METHODS[at.method]}{_roles(at.point)}"
        made_with += ", without what is not safe together with earlier bundles" * at.fit
        if at.selected:
            made_with = "selected from the bundle that left before, with its figures"
        markup(part("note", f"The bundle: from {counted(at.min_support, 'row')} up, {made_with}."))
        if done.value.verification.holds:  # its verdict is the page's
            more = {name: words for name, words in _FOR_THE_OWNER.items() if not at.selected}
            markup(part("bundle_links", f"/files/{self.workspace.name}/{self._task.link}-", more))
            self.show_next_step(self._task)

    def _same_release(self, at: Released) -> Equivalent:
        if at.selected:
            chosen = {"from": EARLIER, "s": at.min_support, "title": at.title or None, "o": "public"}
            given = {"min_support": at.min_support, "title": at.title or None, "output": "public"}
            return Equivalent.of(
                [("discreet", "release", *option_words(chosen))],
                "\n".join(["import discreet", "", call_of("release_from", repr(EARLIER), given)]),
            )
        words = {**at.options, "owner_report": "owner-report.html"}
        if self.workspace.ledger.named:
            words |= {"ledger": str(self.workspace.ledger.path), "fit_ledger": at.fit or None}
        return equivalent(
            self.workspace.file,
            [command_of("release", self.workspace.file, {"s": at.min_support, **words, "o": "public"})],
            [call_of("release", "rows", {"min_support": at.min_support, **words, "output": "public"})],
        )


def _roles(point: Point) -> str:
    """Return the roles of items, in words."""
    told = identifying_words(point.quasi_identifiers) + concealing_words(point.sensitive, point.rho)
    return told + (f", where a row has at most one of {'; '.join(point.exclusive)}" if point.exclusive else "")


def _facts(look: PointAudit, n: int) -> list[tuple[str, str]]:
    """Return the numbers of an audit of `n` rows, each with what it counts."""
    unknown = "?" if look.given_up else "…"
    attacker = None if look.attacked is None else look.found_by_attacker
    itemsets, channels, groups = (Unit.parse(thing) for thing in ("closed itemsets", "channels", "groups"))
    facts: list[tuple[int | None, Unit, str]] = [
        (look.exposed, look.unit, " exposed"),
        (look.audit.closed_count, itemsets, f" from {percent(min(look.min_support, n), n)} up"),
        (len(look.audit.channels), channels, ""),
        (attacker, groups, " that the attacker found"),
    ]
    return [
        (unknown if count is None else number(count), f"{unit.singular if count == 1 else unit.plural}{more}")
        for count, unit, more in facts
    ]

"""The page *Hide patterns in rows*: pick patterns, see what each method costs, and hand over the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from discreet.answers.answer import TextTable
from discreet.publishing.page import itemset
from discreet.wording import counted, number, one_line, share
from discreet.workbench.as_command import call_of, command_of, equivalent_for_rows
from discreet.workbench.jobs.hiding import HIDING_METHODS
from discreet.workbench.pages.components import CurveLine, Curves, Field
from discreet.workbench.pages.page_kit import (
    WorkbenchPage,
    button,
    dim,
    markup,
    panel,
    part,
    percent_slider,
)
from discreet.workbench.pages.reading_card import draw_reading_card
from discreet.workbench.pages.terms import explained
from discreet.workbench.pages.undo import draw_undo
from discreet.workbench.tasks.hide import not_anonymous, what_is_left

if TYPE_CHECKING:
    from discreet.hiding.hide import HidingMethod
    from discreet.workbench.as_command import Equivalent
    from discreet.workbench.jobs.hiding import HiddenRows
    from discreet.workbench.tasks.hide import HideTask

__all__ = ["HidePage"]

_METHODS = {
    "best": "best (recommended): tries the others, and takes the one that loses the fewest legitimate itemsets",
    "rowwise": "rowwise: what costs the fewest other itemsets leaves, row by row",
    "naive": "naive: the whole itemset leaves a row",
    "minfia": "minfia: its rarest item leaves",
    "maxfia": "maxfia: its most frequent item leaves",
    "iga": "iga: an item that serves many itemsets leaves",
}
_THOUSANDS = "(rows) => rows.toLocaleString('en')"
_TICK = """<q-checkbox v-model="props.selected" dense :aria-label="'hide ' + props.row.items"/>"""
_TICK_ALL = """<q-checkbox v-model="props.selected" dense aria-label="hide all that are listed"/>"""
_MOST_RECIPIENTS = 5
_LONGEST = 60
_TOLD = 20


class HidePage(WorkbenchPage):
    """The page, for one workspace."""

    name = "hide"

    @property
    def _task(self) -> HideTask:
        return self.workspace.hide

    def draw(self) -> None:
        """Draw the panels."""
        with panel("What I have"):
            draw_reading_card(self, slot="rows")
        with panel("What nobody may mine"):
            with ui.element("div").classes("buttons steps"):
                draw_undo(self, lambda: self._task)
            self.on_change(lambda: self._task.remember())  # noqa: PLW0108 - other rows, other task
            self._choosing()
            self._comparing()
        with panel("What I will hand over"):
            self._result()

    def show_verdict(self) -> None:
        """Show whether the requested patterns are hidden."""
        hidden, lines = self._task.hidden, self._task.lines
        if self.workspace.file.rows is None or not lines:
            self.say_nothing_yet("Pick or paste what nobody may mine")
        elif hidden is not None and hidden.answers(self._task.wanted):
            done = hidden.value
            if self.say_broken(done.bundle):
                return
            left = what_is_left(done.restrictive, len(done.rules))
            self.say(done.bundle.verdict, left, "good", caution=not_anonymous(done.unique, done.n))
        else:
            self.say("NOT HIDDEN", f"{counted(len(lines), 'pattern')} still to be hidden", "bad")

    # What nobody may mine

    def _choosing(self) -> None:
        self._begin = ui.label("Drop a file; its patterns can then be picked here.")
        with ui.element("div").classes("form") as self._chooser:
            search = Field("Search the mined patterns").props("clearable type=search")
            columns = [
                {"name": "items", "label": "Itemset", "field": "items", "align": "left", "sortable": True},
                {
                    "name": "support",
                    "label": "Rows",
                    "field": "support",
                    "align": "right",
                    "sortable": True,
                    ":format": _THOUSANDS,
                },
            ]
            self._table = ui.table(
                columns=columns, rows=[], row_key="id", selection="multiple", pagination=0, on_select=self._picked
            ).classes("patterns")
            self._table.props("flat dense wrap-cells virtual-scroll hide-bottom hide-selected-banner")
            self._table.add_slot("header-selection", _TICK_ALL)
            self._table.add_slot("body-selection", _TICK)
            self._table.bind_filter_from(search, "value")
            self._left_out = markup("")
            self._table_of: object = None
            self._patterns: tuple[tuple[tuple[str, ...], int], ...] = ()
            self._ticked: set[int] = set()
            self._paste = Field("or paste them, one on each line", value=self._task.pasted, lines=True)
            self._paste.props('hint="an itemset (a b), with a share (a b @ 0.1), or a rule (a => b @ 0.6)"')
            self._paste.on("blur", self._pasted)
            self._pasted_here = _SharedWords(self._paste)
            self.fields.add("restrict", self._paste)
            self._recipients()
            self._support = Field("Measure over itemsets from this support up", value=self._task.lowest)
            self._support.on("blur", self._measured)
            self._lowest_here = _SharedWords(self._support)
            self.fields.add("min_support", self._support)
        self.on_change(self._show_choosing)
        self.on_change(
            self._show_chosen,
            of=lambda: (self._table_of, self._task.picked, self._task.pasted, self._task.lowest),
        )

    def _recipients(self) -> None:
        """Ask what each of several recipients must not mine; all get the same copy."""
        with ui.expansion("Several recipients, one copy").props("dense").classes("correct"):
            markup(
                part(
                    "note",
                    "Copies that differ give back together what each hides. So all get one copy, which hides every "
                    "list; what is picked or pasted above is hidden from all.",
                )
            )

            @ui.refreshable
            def fields() -> None:
                for place in range(max(2, len(self._task.recipients))):
                    name, lines = (*self._task.recipients[place : place + 1], ("", ""))[0]
                    who = Field(f"Name of recipient {place + 1}", value=name)
                    what = Field(f"What recipient {place + 1} must not mine, one on each line", value=lines, lines=True)
                    for field in (who, what):
                        field.on("blur", lambda _, at=place, name=who, text=what: self._named(at, name, text))

            def add() -> None:
                known = (*self._task.recipients, ("", ""), ("", ""))
                self._task.recipients = known[: min(_MOST_RECIPIENTS, max(2, len(self._task.recipients)) + 1)]
                fields.refresh()

            fields()
            button("Add a recipient", add)

    def _named(self, place: int, name: Field, lines: Field) -> None:
        known = [*self._task.recipients, *[("", "")] * (place + 1 - len(self._task.recipients))]
        given = (name.value or "", lines.value or "")
        if known[place] != given:
            known[place] = given
            self._task.recipients = tuple(known)
            self._amended()

    def _show_choosing(self) -> None:
        rows, mined = self.workspace.file.rows, self.workspace.publish.mined
        self._chooser.visible, self._begin.visible = rows is not None, rows is None
        if mined is self._table_of:
            return
        self._table_of = mined
        self._patterns = () if mined is None else mined.offer.itemsets
        self._left_out.content = _left_out_markup(0 if mined is None else mined.offer.left_out)
        self._table.rows = [
            {"id": place, "items": ", ".join(_short(label) for label in labels), "support": support}
            for place, (labels, support) in enumerate(self._patterns)
        ]
        self._table.selected, self._ticked = [], set()
        if mined is not None and self._task.paste_what_is_not_offered(labels for labels, _ in self._patterns):
            self.workspace.changed()

    def _show_chosen(self) -> None:
        """Show what is chosen, possibly in another tab: every tab shows the same choice."""
        chosen = set(self._task.picked)
        ticked = {place for place, (labels, _) in enumerate(self._patterns) if labels in chosen}
        if ticked != self._ticked:
            self._ticked = ticked
            self._table.selected = [row for row in self._table.rows if row["id"] in ticked]
        self._pasted_here.show(self._task.pasted)
        self._lowest_here.show(self._task.lowest)

    def _picked(self) -> None:
        ticked = {row["id"] for row in self._table.selected}
        added, removed = (
            [self._patterns[place][0] for place in sorted(places)]
            for places in (ticked - self._ticked, self._ticked - ticked)
        )
        self._ticked = ticked
        self._task.pick(added, removed)
        self._amended()

    def _pasted(self) -> None:
        if self._pasted_here.typed:
            self._task.pasted = self._pasted_here.taken()
            self._amended()

    def _measured(self) -> None:
        if self._lowest_here.typed:
            self._task.lowest = self._lowest_here.taken()
            self._amended()

    def _amended(self) -> None:
        """Show the current request, and clear the errors of earlier ones."""
        self.workspace.failure = None
        self.workspace.changed()

    # What I will hand over

    def _comparing(self) -> None:
        with ui.element("div").classes("form") as form:
            compare = self.work_button("Compare the methods", self._compare, ready=lambda: self._task.lines)
        with ui.element("div") as chart:
            self._curves = Curves(
                words={
                    "title": "Hiding failure and misses cost against the disclosure threshold",
                    "x-title": "ψ: share of its rows that may keep a pattern",
                    "y-title": "share of itemsets: lost (solid), left (dashed)",
                    "point-title": "ψ: arrows move it",
                    "legend-title": "method",
                    "unit": "",
                },
                on_move=self._moved,
                y_share=True,
                choosable=True,
            )
            self._table_of_costs = markup("")

        def show() -> None:
            form.visible = self.workspace.file.rows is not None
            costs, lines = self._task.costs, self._task.lines
            compare.set_enabled(not self.workspace.busy and bool(lines))
            chart.visible = costs is not None
            dim(chart, stale=costs is not None and not costs.answers(lines))
            self._show_costs()

        self.on_change(show)

    def _show_costs(self, answered: int | None = None) -> None:
        task = self._task
        if task.costs is None:
            return
        costs = task.costs.value
        lines: list[CurveLine] = [
            {
                "name": f"{method}, {words}",
                "colour": colour,
                "dashed": dashed,
                "points": [(cost.percent, float(getattr(cost, measure))) for cost in costs if cost.method == method],
            }
            for dashed, measure, words in ((False, "misses_cost", "lost"), (True, "hiding_failure", "left"))
            for colour, method in enumerate(HIDING_METHODS)
        ]
        highest = max(0.01, *(y for line in lines for _, y in line["points"]))
        self._curves.draw(lines, x=(0, 100), whole=100, y_max=highest, step=1)
        tried = task.nearest_tried
        series = HIDING_METHODS.index(task.least_lost if task.method == "best" else task.method)
        height = next(y for x, y in lines[series]["points"] if x == tried)
        self._curves.put(task.percent, height, series, answered=answered)
        rows = [
            (
                f"{cost.method} ✓ loses least" if cost.method == task.least_lost else cost.method,
                share(cost.hiding_failure),
                share(cost.misses_cost),
                number(cost.removed_items),
            )
            for cost in costs
            if cost.percent == tried
        ]
        where = f"At ψ = {tried} %"
        if tried != task.percent:
            where += f", the nearest to {task.percent} % that was tried (compare again to try that)"
        words = f"{where}: restrictive itemsets still minable, legitimate ones lost, items removed."
        self._table_of_costs.content = part("note", words) + part("table", ("method", "left", "lost", "removed"), rows)

    def _moved(self, x: float, series: int, asked: int) -> None:
        self._task.percent = round(x)
        self._task.method = HIDING_METHODS[series % len(HIDING_METHODS)]
        self._show_costs(answered=asked)
        self.workspace.changed()

    def _compare(self) -> None:
        self._pasted()
        self._measured()
        self._task.compare()

    def _result(self) -> None:
        with ui.element("div").classes("form") as form:
            method = ui.radio(_METHODS, value=self._task.method).props('dense aria-label="method"')
            method.on_value_change(lambda event: self._chose(event.value))
            markup(explained("ψ: per cent of its rows that may keep a pattern", "psi"))
            slider = percent_slider(self._task.percent, least=0, name="ψ in per cent", on_change=self._slid)
            self.fields.add_line("disclosure")
            make = self.work_button("Hide them", self._hide, ready=lambda: self._task.lines, main=True)

        def show() -> None:
            form.visible = self.workspace.file.rows is not None
            make.set_enabled(not self.workspace.busy and bool(self._task.lines))

        def show_values() -> None:
            method.value, slider.value = self._task.method, self._task.percent

        self.on_change(show)
        self.on_change(show_values, of=lambda: (self._task.method, self._task.percent))
        self.result(
            lambda: self._task.hidden,
            lambda done: self._draw_hidden(done.value),
            same=lambda done: self._same(done.value),
            stale=lambda done: not done.answers(self._task.wanted),
        )

    def _draw_hidden(self, hidden: HiddenRows) -> None:
        effects = hidden.side_effects
        cost = ""
        if effects is not None:
            legitimate = counted(effects.patterns_before - effects.restrictive_before, "legitimate itemset")
            cost = f" Of {legitimate} {share(effects.misses_cost)} are lost; none is new."
        rows = [(itemset(sorted(e.items)), number(e.before), number(e.after)) for e in hidden.restrictive[:_TOLD]]
        words = (
            f"{counted(hidden.removed_items, 'item')} removed from {number(hidden.changed_rows)} of "
            f"{counted(hidden.n, 'row')} by {hidden.method}.{cost}"
        )
        chosen = part("paragraph", hidden.chosen) if hidden.chosen else ""
        markup(part("paragraph", words) + chosen + part("table", ("Itemset", "rows", "now"), rows))
        for told in hidden.shared:
            if isinstance(told, str):
                markup(part("paragraph", told))
            elif isinstance(told, TextTable):
                heads, *lines = ((*cells[-1:], *cells[:-1]) for cells in (told.columns, *told.rows))
                markup(part("subheading", told.title))
                markup(part("table", heads, lines))
        name = hidden.file.name
        more = {
            name: f"Download the rows alone ({name})",
            "private.txt": "What was hidden (private.txt, for you alone)",
        }
        for recipient, path in hidden.lists.items():
            more[path.name] = f"What was hidden from {recipient} ({path.name}, for you alone)"
        self.show_bundle(self._task, hidden.bundle, more)

    def _same(self, hidden: HiddenRows) -> Equivalent:
        """Return how to hide the same, and to bundle the rows, without the page."""
        source, done = self.workspace.file, hidden.hiding
        how = {"method": done.method, "disclosure": f"{done.percent}%"}
        lists = {name: path.name for name, path in hidden.lists.items()}
        restrict = [f"{name}={file}" for name, file in lists.items()] or "private.txt"
        shown = {"promise": done.promise, "restrict": "private.txt"}
        command = command_of(
            "hide", source, {"restrict": restrict, **how, "s": done.min_support, "o": hidden.file.name}
        )
        how["min_support"] = done.min_support
        if lists:
            call = call_of("hide_for", "rows", {"recipients": lists, **how})
        else:
            call = call_of("hide", "rows", {"restrict": "private.txt", **how})
        return equivalent_for_rows(
            source, file=hidden.file.name, command=command, name="hidden", call=call, promise=shown
        )

    def _chose(self, method: HidingMethod) -> None:
        if method != self._task.method:
            self._task.method = method
            self.workspace.changed()

    def _slid(self, percent: int) -> None:
        self._task.percent = percent
        self.workspace.changed()

    def _hide(self) -> None:
        self._pasted()
        self._measured()
        self._task.hide()


class _SharedWords:
    """A text field that all tabs of a workspace share; it is not overwritten while somebody is typing."""

    def __init__(self, field: Field) -> None:
        self._field = field
        self._shown = self._words

    @property
    def _words(self) -> str:
        return self._field.value or ""

    @property
    def typed(self) -> bool:
        """Whether it has text that was typed here and is not shared yet."""
        return self._words != self._shown

    def show(self, words: str) -> None:
        """Show the workspace's text."""
        if not self.typed:
            self._field.value = self._shown = words

    def taken(self) -> str:
        """Return the typed text, which becomes the workspace's."""
        self._shown = self._words
        return self._shown


def _left_out_markup(count: int) -> str:
    if not count:
        return ""
    return part(
        "note",
        f"{counted(count, 'itemset')} left out: no line can name a label with a line break or with blanks around it. "
        "In Python, discreet.hide takes any label.",
    )


def _short(label: str) -> str:
    text = one_line(label[: 4 * _LONGEST])
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

"""The page *Protect sensitive items*: mark them, shape the tree of the others, compare, and hand the rows over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from discreet.errors import DiscreetError
from discreet.publishing.page import itemset, text
from discreet.wording import counted, number, percent
from discreet.workbench.as_command import call_of, command_of, equivalent
from discreet.workbench.pages.components import DropZone, Tree
from discreet.workbench.pages.page_kit import (
    PageKit,
    SameElsewhere,
    button,
    link,
    markup,
    percent_slider,
    show_bundle,
    table,
    verdict_markup,
)
from discreet.workbench.tasks.protect import rule_words

if TYPE_CHECKING:
    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.workbench.as_command import Equivalent
    from discreet.workbench.jobs.rows import ProtectedRows
    from discreet.workbench.tasks.protect import ProtectTask
    from discreet.workbench.workspace import Workspace

__all__ = ["protect_page"]

# perturb is compared, not offered: rows that were randomized are never called safe
_METHODS = {
    "best": "best: searches groups and items together",
    "tdcontrol": "tdcontrol: generalizes from the top down, and drops",
    "suppress": "suppress: drops items",
    "simple": "simple: drops every sensitive item",
}
_TOLD = 40


def protect_page(workspace: Workspace, max_size: int) -> None:
    """Draw the page for one workspace."""
    _Page(workspace, max_size).draw()


class _Page:
    def __init__(self, workspace: Workspace, max_size: int) -> None:
        self._workspace = workspace
        self._kit = PageKit(workspace, "protect", max_size)
        self._chosen = ""

    @property
    def _task(self) -> ProtectTask:
        return self._workspace.protecting

    def draw(self) -> None:
        with self._kit.shown():
            self._verdict = markup("").classes("first")
            self._kit.on_change(self._workspace.check)
            self._kit.on_change(self._show_verdict)
            self._kit.work()
            with ui.element("div").classes("panels"):
                with ui.element("section").classes("panel"):
                    markup("<h2>What I have</h2>")
                    self._kit.have(slot="rows-only")
                    self._marking()
                with ui.element("section").classes("panel"):
                    markup("<h2>What the other items can become</h2>")
                    self._hierarchy()
                with ui.element("section").classes("panel"):
                    markup("<h2>What I will hand over</h2>")
                    self._comparing()
                    self._result()

    def _show_verdict(self) -> None:
        task = self._task
        rho, sensitive, _ = task.asked
        if self._workspace.source.rows is None:
            shown = ("NOTHING YET", "Drop a file to begin", "none")
        elif not task.sensitive:
            shown = ("NOTHING YET", "Mark the items that nobody may conclude", "none")
        elif task.protected is not None and task.protected_of == task.asked:
            shown = ("SAFE", f"the rows to hand over: {_surest(task.protected.worst_rule)}", "good")
        elif task.given_up_on == (rho, sensitive):
            shown = ("NOT CHECKED", "the rows as they are: cancelled; change rho or an item to check again", "wait")
        elif task.checked is None or task.checked_of != (rho, sensitive):
            shown = ("CHECKING", "the rows as they are", "wait")
        elif task.checked.safe:
            shown = ("SAFE", f"the rows as they are: {_surest(task.checked.worst_rule)}", "good")
        else:
            shown = ("NOT SAFE", f"the rows as they are: {rule_words(task.checked.worst_rule)}", "bad")
        self._verdict.content = verdict_markup(*shown)  # type: ignore[arg-type]

    # What I have

    def _marking(self) -> None:
        with ui.element("div").classes("form") as form:
            marked = ui.select(list(self._task.labels), label="Sensitive items", multiple=True, with_input=True)
            marked.props('outlined dense use-chips options-dense input-debounce="0" hint="type to search"')
            marked.on_value_change(lambda event: self._mark(event.value))
            self._kit.fields.add("sensitive", marked)
            markup('<span class="note">rho: per cent to which nobody may be sure of a sensitive item</span>')
            slider = percent_slider(self._task.percent, least=1, name="rho in per cent", on_change=self._slid)
            self._kit.fields.add_line("rho")

        def show() -> None:
            form.visible = self._workspace.source.rows is not None
            if tuple(marked.options) != self._task.labels:
                marked.set_options(list(self._task.labels), value=list(self._task.sensitive))
            elif tuple(marked.value or ()) != self._task.sensitive:
                marked.value = list(self._task.sensitive)

        def show_slider() -> None:
            slider.value = self._task.percent

        self._kit.on_change(show)
        self._kit.on_change(show_slider, of=lambda: self._task.percent)

    def _mark(self, labels: list[str] | None) -> None:
        if tuple(labels or ()) != self._task.sensitive:
            self._task.mark(labels or [])
            self._workspace.changed()

    def _slid(self, percent: int) -> None:
        self._task.percent = percent
        self._workspace.changed()

    # What the other items can become

    def _hierarchy(self) -> None:
        begin = ui.label("Mark a sensitive item; the tree of the others then grows here, and can be changed.")
        with ui.element("div") as editor:
            markup(
                '<p class="note">Drag an item or a group onto the group it belongs under. With the keyboard: x '
                "picks up, v puts down, Enter opens.</p>"
                '<p class="kinds"><span class="kept">as it is</span><span class="generalized">generalized</span>'
                '<span class="suppressed">dropped</span></p>'
            )
            self._tree = Tree(on_move=self._moved, on_choose=self._choose)
            with ui.element("div").classes("pair"):
                name = ui.input("Name of a new group").props("dense outlined")
                self._kit.fields.add("group", name)
                button("Add the group", lambda: self._edit("add", name.value or ""))
            button("Remove the chosen group", lambda: self._edit("remove", self._chosen))
            with ui.element("div").classes("pair"):
                fanout = ui.number("Neighbours under a group", value=self._task.fanout, min=2, step=1, format="%d")
                fanout.props("dense outlined")
                self._kit.fields.add("fanout", fanout)
                button("Build the tree again", lambda: self._grow(fanout.value))
            button("Export the tree (ARX CSV)", self._export)
            DropZone(
                "Import a tree (ARX CSV)",
                url=f"/drop/{self._workspace.name}/hierarchy",
                hint="leaf;parent;…;root on each line, without a header",
                limit=self._kit.max_size,
            )
            self._kit.fields.add_line("hierarchy")

        def show() -> None:
            task = self._task
            editor.visible, begin.visible = task.tree is not None, task.tree is None
            if task.tree is None:
                return
            kinds: dict[str, str] = {}
            notes: dict[str, str] = {}
            if task.protected is not None and task.protected_of == task.asked:
                kinds = dict.fromkeys(task.labels, "kept") | dict.fromkeys(task.protected.generalized, "generalized")
                kinds |= dict.fromkeys(task.protected.generalized.values(), "generalized")
                kinds |= dict.fromkeys(task.protected.suppressed, "suppressed")
                notes = {label: f"→ {group}" for label, group in task.protected.generalized.items()}
                notes |= dict.fromkeys(task.protected.suppressed, "dropped")
            self._tree.draw(task.tree.root, task.tree.children(), kinds, notes)

        def shown_of() -> object:
            task = self._task
            edits = None if task.tree is None else task.tree.edits
            return task.tree, edits, task.protected, task.protected_of == task.asked

        self._kit.on_change(show, of=shown_of)

    def _choose(self, label: str) -> None:
        self._chosen = label

    def _moved(self, label: str, under: str) -> None:
        def change() -> None:
            if self._task.tree is not None:
                self._task.tree.move(label, under)

        self._change(change)

    def _edit(self, what: str, name: str) -> None:
        def change() -> None:
            tree = self._task.tree
            if tree is not None:
                tree.add(
                    name, self._chosen if self._chosen in tree.children() else None
                ) if what == "add" else tree.remove(name)

        self._change(change)

    def _grow(self, fanout: float | None) -> None:
        self._change(lambda: self._task.grow(int(fanout or 0)))

    def _change(self, change: Any) -> None:  # something to call
        """Do something to the tree, and tell what is wrong with it where it cannot be done."""
        self._workspace.failure = None
        try:
            change()
        except DiscreetError as error:
            self._workspace.fail(error)
        self._workspace.changed()

    def _export(self) -> None:
        if self._task.tree is not None:
            ui.download.content(self._task.tree.file_bytes(), "hierarchy.csv")

    # What I will hand over

    def _comparing(self) -> None:
        begin = ui.label("Rows from which nobody who knows part of one can conclude the rest with rho or more.")
        compare = button("Compare the methods", self._workspace.compare_protecting)
        costs = markup("")

        def show() -> None:
            task = self._task
            begin.visible, compare.visible = (
                self._workspace.source.rows is None,
                self._workspace.source.rows is not None,
            )
            compare.set_enabled(not self._workspace.busy and bool(task.sensitive))
            stale = "" if task.costs_of == task.asked else "stale"
            costs.content = f'<div class="{stale}">{_cost_table(task)}</div>' if task.costs else ""

        self._kit.on_change(show)

    def _result(self) -> None:
        with ui.element("div").classes("form") as form:
            method = ui.radio(_METHODS, value=self._task.method).props("dense")
            method.on_value_change(lambda event: setattr(self._task, "method", event.value))
            make = button("Protect the rows", self._workspace.protect, main=True)

        @ui.refreshable
        def draw() -> None:
            done = self._task.protected
            if done is None:
                return
            loss = percent(*done.information_loss.as_integer_ratio())
            dropped, generalized = counted(len(done.suppressed), "item"), counted(len(done.generalized), "item")
            markup(
                f"<p>By {done.method}: {loss} of the information is lost; {dropped} dropped, {generalized} "
                f"generalized; {text(_surest(done.worst_rule))}.</p>"
            )
            if done.suppressed:
                more = f" and {number(len(done.suppressed) - _TOLD)} more" if len(done.suppressed) > _TOLD else ""
                markup(f"<p>Dropped: {itemset(sorted(done.suppressed)[:_TOLD])}{more}</p>")
            files = f"/files/{self._workspace.name}/protected"
            show_bundle(
                done.bundle,
                files=files,
                more=(
                    link(f"{files}-{done.file.name}", f"Download the rows alone ({done.file.name})", download=True),
                    link(f"{files}-private.txt", "What is sensitive (private.txt, for you alone)", download=True),
                    link(f"{files}-hierarchy.csv", "The tree that was used (hierarchy.csv)", download=True),
                ),
            )

        def show() -> None:
            task = self._task
            form.visible = self._workspace.source.rows is not None
            make.set_enabled(not self._workspace.busy and bool(task.sensitive))
            fresh = task.protected_of == task.asked
            result.classes(add="" if fresh else "stale", remove="stale" if fresh else "")
            same.show(None if task.protected is None else self._same(task.protected))

        with ui.element("div") as result:
            draw()
            same = SameElsewhere()
        self._kit.on_change(draw.refresh, of=lambda: self._task.protected)
        self._kit.on_change(show)

    def _same(self, done: ProtectedRows) -> Equivalent:
        """Return how to protect the same, and to bundle the rows, without the page."""
        source = self._workspace.source
        how = {"rho": done.rho, "sensitive": "private.txt", "hierarchy": "hierarchy.csv", "method": done.method}
        tree = "hierarchy.csv" if done.generalized else None
        shown = {"promise": f"rho={done.rho}", "sensitive": "private.txt", "hierarchy": tree}
        return equivalent(
            source,
            [
                command_of("anonymize", source, {**how, "o": done.file.name}),
                command_of("release", source, {"rows": done.file.name, **shown, "o": "public"}),
            ],
            [
                f"safe = {call_of('anonymize', 'rows', how)}",
                call_of(
                    "release_rows",
                    "safe.rows, original=rows",
                    {"name": source.name, **shown, "output": "public"},
                ),
            ],
        )


def _surest(rule: SensitiveRule | None) -> str:
    """Say what is the most that can be concluded."""
    return "no sensitive item is left" if rule is None else f"the surest conclusion is below rho: {rule_words(rule)}"


def _cost_table(task: ProtectTask) -> str:
    rows = []
    for cost in task.costs:
        loss = percent(*cost.information_loss.as_integer_ratio())
        rule = cost.worst_rule
        surest = "nothing left" if rule is None else percent(rule.together, rule.holding)
        safe = "✗ no" if not cost.safe else "by chance" if cost.method == "perturb" else "✓ yes"
        rows.append((cost.method, loss, surest, safe))
    return table(("method", "lost", "surest", "safe"), rows)

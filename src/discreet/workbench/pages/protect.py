"""The page *Protect sensitive items*: mark them, edit the tree of the others, compare, and hand over the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import run, ui

from discreet.answers.check_and_anonymize import rule_text
from discreet.wording import counted, percent, share
from discreet.workbench.as_command import call_of, command_of, equivalent_for_rows
from discreet.workbench.pages.components import DropZone, Tree
from discreet.workbench.pages.page_kit import (
    WorkbenchPage,
    button,
    dim,
    markup,
    panel,
    part,
    percent_slider,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.workbench.as_command import Equivalent
    from discreet.workbench.jobs.rows import ProtectedRows, ProtectingCost
    from discreet.workbench.tasks.protect import ProtectTask
    from discreet.workbench.tasks.tree import ItemTree

__all__ = ["ProtectPage"]

# perturb is compared, not offered: randomized rows are never called safe
_METHODS = {
    "best": "best: searches groups and items together",
    "tdcontrol": "tdcontrol: generalizes from the top down, and drops",
    "suppress": "suppress: drops items",
    "simple": "simple: drops every sensitive item",
}
_TOLD = 40


class ProtectPage(WorkbenchPage):
    """The page, for one workspace."""

    name = "protect"
    _chosen = ""
    """The label that was clicked in the tree."""

    @property
    def _task(self) -> ProtectTask:
        return self.workspace.protect

    def draw(self) -> None:
        """Draw the panels."""
        with panel("What I have"):
            self.have(slot="rows-only")
            self._marking()
        with panel("What the other items can become"):
            self._hierarchy()
        with panel("What I will hand over"):
            self._comparing()
            self._result()

    def show_verdict(self) -> None:
        """Show whether the rows are safe: the protected ones, or else the original ones."""
        task, shown = self._task, self._task.shown
        task.check()
        as_they_are = None if task.checked is None or not task.checked.answers(task.question) else task.checked.value
        if task.rows is None:
            self.say("NOTHING YET", "Drop a file to begin", "none")
        elif not task.sensitive:
            self.say("NOTHING YET", "Mark the items that nobody may conclude", "none")
        elif shown is not None:
            self.say("PROTECTED", f"the rows to hand over: {_surest(shown.worst_rule)}", "good")
        elif task.given_up:
            self.say("NOT CHECKED", "the rows as they are: cancelled; change rho or an item to check again", "wait")
        elif as_they_are is None:
            self.say("CHECKING", "the rows as they are", "wait")
        elif as_they_are.safe:
            self.say("PROTECTED", f"the rows as they are: {_surest(as_they_are.worst_rule)}", "good")
        else:
            rule = as_they_are.worst_rule
            self.say("NOT PROTECTED", f"the rows as they are{'' if rule is None else f': {rule_text(rule)}'}", "bad")

    # What I have

    def _marking(self) -> None:
        with ui.element("div").classes("form") as form:
            marked = ui.select(list(self._task.labels), label="Sensitive items", multiple=True, with_input=True)
            marked.props('outlined dense use-chips options-dense input-debounce="0" hint="type to search"')
            marked.on_value_change(lambda event: self._mark(event.value))
            self.fields.add("sensitive", marked)
            markup('<span class="note">rho: per cent to which nobody may be sure of a sensitive item</span>')
            slider = percent_slider(self._task.percent, least=1, name="rho in per cent", on_change=self._slid)
            self.fields.add_line("rho")

        def show() -> None:
            form.visible = self.workspace.file.rows is not None
            if tuple(marked.options) != self._task.labels:
                marked.set_options(list(self._task.labels), value=list(self._task.sensitive))
            elif tuple(marked.value or ()) != self._task.sensitive:
                marked.value = list(self._task.sensitive)

        def show_slider() -> None:
            slider.value = self._task.percent

        self.on_change(show)
        self.on_change(show_slider, of=lambda: self._task.percent)

    def _mark(self, labels: list[str] | None) -> None:
        if tuple(labels or ()) != self._task.sensitive:
            self._task.mark(labels or ())
            self.workspace.changed()

    def _slid(self, percent: int) -> None:
        self._task.percent = percent
        self.workspace.changed()

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
            self._tree = Tree(on_move=self._move, on_choose=self._choose)
            with ui.element("div").classes("pair"):
                name = ui.input("Name of a new group").props("dense outlined")
                self.fields.add("group", name)
                button("Add the group", lambda: self._add(name.value or ""))
            button("Remove the chosen group", self._remove)
            with ui.element("div").classes("pair"):
                fanout = ui.number("Neighbours under a group", value=self._task.fanout, min=2, step=1, format="%d")
                fanout.props("dense outlined")
                self.fields.add("fanout", fanout)
                button("Build the tree again", lambda: self._grow(fanout.value))
            button("Export the tree (ARX CSV)", self._export)
            DropZone(
                "Import a tree (ARX CSV)",
                url=f"/drop/{self.workspace.name}/hierarchy",
                hint="leaf;parent;…;root on each line, without a header",
                limit=self.max_size,
            )
            self.fields.add_line("hierarchy")

        def show() -> None:
            task = self._task
            editor.visible, begin.visible = task.tree is not None, task.tree is None
            if task.tree is None:
                return
            kinds: dict[str, str] = {}
            notes: dict[str, str] = {}
            if task.shown is not None:
                generalized, suppressed = task.shown.generalized, task.shown.suppressed
                kinds = dict.fromkeys(task.labels, "kept") | dict.fromkeys(generalized, "generalized")
                kinds |= dict.fromkeys(generalized.values(), "generalized")
                kinds |= dict.fromkeys(suppressed, "suppressed")
                notes = {label: f"→ {group}" for label, group in generalized.items()}
                notes |= dict.fromkeys(suppressed, "dropped")
            self._tree.draw(task.tree.root, task.tree.children, kinds, notes)

        self.on_change(show, of=lambda: (self._task.tree, self._task.shown))

    def _choose(self, label: str) -> None:
        self._chosen = label

    def _move(self, label: str, under: str) -> None:
        self._edit(lambda tree: tree.moved(label, under))

    def _add(self, name: str) -> None:
        under = self._chosen
        self._edit(lambda tree: tree.added(name, under))

    def _remove(self) -> None:
        name = self._chosen
        self._edit(lambda tree: tree.removed(name))

    def _edit(self, change: Callable[[ItemTree], ItemTree]) -> None:
        """Change the tree, and clear earlier errors."""
        self.workspace.failure = None
        self._task.edit(change)

    def _grow(self, fanout: float | None) -> None:
        self.workspace.failure = None
        self._task.grow(int(fanout or 0))

    async def _export(self) -> None:
        content = None if self._task.tree is None else await run.io_bound(self._task.tree.file_bytes)
        if content is not None:
            ui.download.content(content, "hierarchy.csv")

    # What I will hand over

    def _comparing(self) -> None:
        begin = ui.label("Rows from which nobody who knows part of one can conclude the rest with rho or more.")
        compare = button("Compare the methods", lambda: self._task.compare())  # noqa: PLW0108 - other rows, other task
        costs = markup("")

        def show() -> None:
            task = self._task
            begin.visible, compare.visible = task.rows is None, task.rows is not None
            compare.set_enabled(task.ready)
            costs.content = "" if task.costs is None else _cost_table(task.costs.value)
            dim(costs, stale=task.costs is not None and not task.costs.answers(task.wanted))

        self.on_change(show)

    def _result(self) -> None:
        with ui.element("div").classes("form") as form:
            method = ui.radio(_METHODS, value=self._task.method).props("dense")
            method.on_value_change(lambda event: setattr(self._task, "method", event.value))
            make = button("Protect the rows", lambda: self._task.protect(), main=True)  # noqa: PLW0108 - as above

        def show() -> None:
            form.visible = self._task.rows is not None
            make.set_enabled(self._task.ready)

        self.on_change(show)
        self.result(
            lambda: self._task.protected,
            lambda done: self._draw_protected(done.value),
            same=lambda done: self._same(done.value),
            stale=lambda _: self._task.shown is None,
        )

    def _draw_protected(self, done: ProtectedRows) -> None:
        loss = share(done.information_loss)
        dropped, generalized = counted(len(done.suppressed), "item"), counted(len(done.generalized), "item")
        words = (
            f"By {done.method}: {loss} of the information is lost; {dropped} dropped, {generalized} generalized; "
            f"{_surest(done.worst_rule)}."
        )
        markup(part("paragraph", words))
        if done.suppressed:
            markup(part("dropped", sorted(done.suppressed), _TOLD))
        name = done.file.name
        more = {
            name: f"Download the rows alone ({name})",
            "private.txt": "What is sensitive (private.txt, for you alone)",
            "hierarchy.csv": "The tree that was used (hierarchy.csv)",
        }
        self.show_bundle(self._task, done.bundle, more)

    def _same(self, done: ProtectedRows) -> Equivalent:
        """Return how to protect the same, and to bundle the rows, without the page."""
        source = self.workspace.file
        how = {"rho": done.rho, "sensitive": "private.txt", "hierarchy": "hierarchy.csv", "method": done.method}
        tree = "hierarchy.csv" if done.generalized else None
        shown = {"promise": f"rho={done.rho}", "sensitive": "private.txt", "hierarchy": tree}
        command = command_of("anonymize", source, {**how, "o": done.file.name})
        call = call_of("anonymize", "rows", how)
        return equivalent_for_rows(source, file=done.file.name, command=command, name="safe", call=call, promise=shown)


def _surest(rule: SensitiveRule | None) -> str:
    """Return the inference of highest confidence in words."""
    return "no sensitive item is left" if rule is None else f"the surest conclusion is below rho: {rule_text(rule)}"


def _cost_table(costs: Iterable[ProtectingCost]) -> str:
    rows = []
    for cost in costs:
        loss = share(cost.information_loss)
        rule = cost.worst_rule
        surest = "nothing left" if rule is None else percent(rule.together, rule.holding)
        safe = "✗ no" if not cost.safe else "by chance" if cost.method == "perturb" else "✓ yes"
        rows.append((cost.method, loss, surest, safe))
    return part("table", ("method", "lost", "surest", "safe"), rows)

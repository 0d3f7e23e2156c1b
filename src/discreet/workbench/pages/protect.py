"""The page *Protect sensitive items*: mark them, edit the tree of the others, compare, and hand over the rows."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from nicegui import ui

from discreet.answers.check_and_anonymize import left_table, rule_text
from discreet.wording import counted, number, percent, share
from discreet.workbench.as_command import call_of, command_of, equivalent_for_rows
from discreet.workbench.pages.components import CurveLine, Curves, DropZone, Field, LabelSearch, Tree
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
from discreet.workbench.tasks.hide import not_anonymous

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from discreet.json_types import JsonObject
    from discreet.uncertainty.loss_curve import LossCurve
    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.workbench.as_command import Equivalent
    from discreet.workbench.jobs.protecting import ProtectedRows, ProtectingCost
    from discreet.workbench.tasks.protect import ProtectTask
    from discreet.workbench.tasks.tree import ItemTree
    from discreet.workbench.workspace import Workspace

__all__ = ["METHODS", "ProtectPage"]

# perturb is compared, not offered: it promises nothing
_WEAKER = {"perturb": "by chance", "local": "at face value"}
METHODS = {
    "best": "best (recommended): searches groups and items together",
    "tdcontrol": "tdcontrol: generalizes from the top down, and drops",
    "suppress": "suppress: drops items",
    "simple": "simple: drops every sensitive item",
    "rare-rows": "rare-rows: also takes all sensitive items out of rows whose other items are rare; the same promise",
    "local": "local: takes sensitive items out of single rows; less is lost, but that one is absent can be a hint",
}
_FOUND = 20
_PROXIES = 6
_CHILDREN = 50
_MOST_CHILDREN = 500
_MOST_OPEN = 12
"""How much of a tree a page is sent at once."""
_LONGEST = 120
_SMALL = 100
"""The most nodes of a tree of which two levels are open at first."""


class ProtectPage(WorkbenchPage):
    """The page, for one workspace."""

    name = "protect"
    panels = "panels handing"

    def __init__(self, workspace: Workspace, max_size: int) -> None:
        super().__init__(workspace, max_size)
        self._chosen = -1
        """The node that was clicked in the tree."""
        self._opened: dict[int, int] = {}
        """The groups of the tree that are open, each with how many children are shown."""
        self._drawn: ItemTree | None = None

    @property
    def _task(self) -> ProtectTask:
        return self.workspace.protect

    def draw(self) -> None:
        """Draw the panels."""
        with panel("What I have"):
            draw_reading_card(self, slot="rows-only")
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
        as_they_are = None if task.seen is None else task.seen.checked
        if task.rows is None or not task.sensitive:
            self.say_nothing_yet("Mark the items that nobody may conclude")
        elif shown is not None and self.say_broken(shown.bundle):
            pass
        elif shown is not None:
            weaker = shown.verdict == "face-value"
            word = "PROTECTED AT FACE VALUE" if weaker else "PROTECTED"
            told = f"the rows to hand over: {_surest(shown.worst_rule)}"
            caution = not_anonymous(shown.unique, shown.left.rows[0])
            self.say(word, told, "wait" if weaker else "good", caution=caution)
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
            marked = LabelSearch(
                "Sensitive items",
                hint="type a part of it, such as depress",
                search=self._found,
                on_choose=self._mark,
                on_remove=self._unmark,
            )
            self.fields.add("sensitive", marked)
            markup(explained("rho: per cent to which nobody may be sure of a sensitive item", "rho", "sensitive"))
            slider = percent_slider(self._task.percent, least=1, name="rho in per cent", on_change=self._slid)
            self.fields.add_line("rho")
            with ui.element("div").classes("pair"):
                undo = button("Undo", lambda: self._task.undo())  # noqa: PLW0108 - other rows, other task
                redo = button("Redo", lambda: self._task.redo())  # noqa: PLW0108
        self._proxies()

        def show() -> None:
            form.visible = self.workspace.file.rows is not None
            marked.show(self._task.sensitive)
            undo.set_enabled(self._task.can_undo)
            redo.set_enabled(self._task.can_redo)

        def show_slider() -> None:
            slider.value = self._task.percent

        self.on_change(show)
        self.on_change(show_slider, of=lambda: self._task.percent)

    def _found(self, words: str) -> tuple[dict[int, str], bool]:
        labels = self._task.labels
        if labels is None:
            return {}, False
        found = labels.search(words, _FOUND + 1)
        return {number: labels[number] for number in found[:_FOUND]}, len(found) > _FOUND

    def _mark(self, number: int) -> None:
        labels = self._task.labels
        if labels is not None and 0 <= number < len(labels):
            self._mark_all([*self._task.sensitive, labels[number]])

    def _unmark(self, place: int) -> None:
        sensitive = self._task.sensitive
        self._mark_all([*sensitive[:place], *sensitive[place + 1 :]])

    def _mark_all(self, labels: list[str]) -> None:
        self.workspace.failure = None
        self._task.mark(labels)

    def _slid(self, percent: int) -> None:
        self._task.percent = percent
        self.workspace.changed()

    def _proxies(self) -> None:
        """Offer to mark the items that give a marked one away."""

        @ui.refreshable
        def offer() -> None:
            seen = self._task.seen
            if seen is None or not seen.proxies.total:
                return
            rules, count = seen.proxies
            with ui.element("section").classes("proxies").props('aria-label="what gives them away"'):
                markup(part("proxies_head", count))
                for rule in rules[:_PROXIES]:
                    with ui.element("div").classes("proxy"):
                        markup(part("proxy", rule))
                        label = rule.antecedent[0]
                        more = button("Mark it too", partial(self._mark_more, (label,)))
                        more.props["aria-label"] = f"mark {label[:80]} too"
                if count > 1:
                    listed = tuple(rule.antecedent[0] for rule in rules)
                    button(
                        f"Mark {'all' if count == len(rules) else 'the first'} {len(rules)}",
                        partial(self._mark_more, listed),
                    )

        offer()
        self.on_change(offer.refresh, of=lambda: self._task.seen)

    def _mark_more(self, labels: tuple[str, ...]) -> None:
        self._mark_all([*self._task.sensitive, *labels])

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
            LabelSearch(
                "Find in the tree",
                hint="opens the groups that an item is in",
                search=self._found_in_tree,
                on_choose=self._reveal,
                on_remove=lambda _: None,
            )
            self._tree = Tree(on_move=self._move, on_choose=self._choose, on_open=self._open)
            with ui.element("div").classes("pair"):
                name = Field("Name of a new group")
                self.fields.add("group", name)
                button("Add the group", lambda: self._add(name.value or ""))
            button("Remove the chosen group", self._remove)
            with ui.element("div").classes("pair"):
                fanout = ui.number("Neighbours under a group", value=self._task.fanout, min=2, step=1, format="%d")
                fanout.props("dense outlined")
                self.fields.add("fanout", fanout)
                button("Build the tree again", lambda: self._grow(fanout.value))
            button("Export the tree (ARX CSV)", lambda: self._task.export_tree())  # noqa: PLW0108 - as above
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
            if task.growing and task.tree is None:
                begin.text = "The tree of the other items is growing."
            self._draw_tree()

        exported = [self._task.exported]

        def give() -> None:
            if self._task.exported is not None and self._task.exported != exported[0]:
                ui.download.from_url(f"/files/{self.workspace.name}/{self._task.link}-{self._task.exported.name}")
            exported[0] = self._task.exported

        self.on_change(show, of=lambda: (self._task.tree, self._task.growing, self._task.sensitive, self._task.shown))
        self.on_change(give)

    def _draw_tree(self) -> None:
        """Send the children of the open groups, and no more than some of each."""
        tree = self._task.tree
        if tree is None:
            return
        if tree is not self._drawn:
            self._drawn = tree
            self._opened = {node: most for node, most in self._opened.items() if tree.is_group(node)}
            if len(tree) <= _SMALL:
                groups = [child for child in tree.children(tree.root).tolist() if tree.is_group(child)]
                self._opened |= dict.fromkeys(groups[: _MOST_OPEN - 1], _CHILDREN)
        numbers = (tree.number(label) for label in self._task.sensitive)
        hidden = {number for number in numbers if number is not None}
        self._opened.setdefault(tree.root, _CHILDREN)
        levels = {}
        for node, most in self._opened.items():
            children = tree.children(node, hidden)
            shown = [self._node(tree, int(child), hidden) for child in children[:most]]
            levels[node] = {"children": shown, "more": max(0, len(children) - most)}
        self._tree.draw(self._node(tree, tree.root, hidden), levels, self._chosen)

    def _node(self, tree: ItemTree, node: int, hidden: set[int]) -> JsonObject:
        group = tree.is_group(node)
        told: JsonObject = {"id": node, "label": tree[node][:_LONGEST], "group": group}
        if group:
            told["size"] = len(tree.children(node, hidden))
        done = self._task.shown
        if done is not None and done.fates is not None:
            fates = done.fates
            dropped, generalized = int(fates.dropped[node]), int(fates.generalized[node])
            told["kind"] = "suppressed" if dropped else "generalized" if generalized else "kept"
            if group:
                words = (
                    f"{number(count)} {what}"
                    for count, what in ((dropped, "dropped"), (generalized, "generalized"))
                    if count
                )
                told["note"] = ", ".join(words)
            elif dropped:
                told["note"] = "dropped"
            elif fates.published_as[node] >= 0:
                told["note"] = f"→ {tree[int(fates.published_as[node])][:_LONGEST]}"
        return told

    def _found_in_tree(self, words: str) -> tuple[dict[int, str], bool]:
        tree = self._task.tree
        if tree is None:
            return {}, False
        found = tree.names.search(words, _FOUND + 1)
        return {node: tree.names[node] for node in found[:_FOUND] if tree.parent[node] >= -1}, len(found) > _FOUND

    def _reveal(self, node: int) -> None:
        """Open all groups above a node, and choose it."""
        tree = self._task.tree
        if tree is not None and 0 <= node < len(tree):
            for child, group in pairwise(tree.above(node)):
                place = int(np.flatnonzero(tree.children(group) == child)[0])
                self._keep_open(group, _CHILDREN * (1 + place // _CHILDREN))
            self._choose(node)

    def _open(self, node: int, opened: bool, more: bool) -> None:
        if more:
            self._keep_open(node, self._opened.get(node, 0) + _CHILDREN)
        elif opened:
            self._keep_open(node, _CHILDREN)
        else:
            self._opened.pop(node, None)
        self._draw_tree()

    def _keep_open(self, node: int, most: int) -> None:
        """Open a group; of too many the one that was opened first closes."""
        most = min(max(most, self._opened.pop(node, 0)), _MOST_CHILDREN)
        self._opened[node] = most
        while len(self._opened) > _MOST_OPEN:
            del self._opened[next(iter(self._opened))]

    def _choose(self, node: int) -> None:
        self._chosen = node
        self._draw_tree()

    def _move(self, node: int, under: int) -> None:
        self._edit(lambda tree: tree.moved(node, under))

    def _add(self, name: str) -> None:
        under = self._chosen
        self._edit(lambda tree: tree.added(name, under))

    def _remove(self) -> None:
        chosen = self._chosen
        self._edit(lambda tree: tree.removed(chosen))

    def _edit(self, change: Callable[[ItemTree], ItemTree]) -> None:
        """Change the tree, and clear earlier errors."""
        self.workspace.failure = None
        self._task.edit(change)

    def _grow(self, fanout: float | None) -> None:
        self.workspace.failure = None
        self._task.grow(int(fanout or 0))

    # What I will hand over

    def _comparing(self) -> None:
        begin = ui.label("Rows from which nobody who knows part of one can conclude the rest with rho or more.")
        compare = self.work_button(
            "Compare the methods",
            lambda: self._task.compare(),  # noqa: PLW0108 - other rows, other task
            ready=lambda: self._task.ready,
        )
        costs = markup("")

        def show() -> None:
            task = self._task
            begin.visible, compare.visible = task.rows is None, task.rows is not None
            compare.set_enabled(task.ready)
            costs.content = "" if task.costs is None else _cost_table(task.costs.value)
            dim(costs, stale=task.costs is not None and not task.costs.answers(task.wanted))

        self.on_change(show)
        self._losses()

    def _losses(self) -> None:
        """Draw what the chosen method loses at several rho; the point chooses one."""
        over_rho = self.work_button(
            "Show the loss over rho",
            lambda: self._task.draw_losses(),  # noqa: PLW0108 - as above
            ready=lambda: self._task.ready,
        )
        with ui.element("div") as chart:
            curves = Curves(
                words={
                    "title": "Information lost and sensitive items kept against rho",
                    "x-title": "rho: how sure nobody may be of a sensitive item",
                    "y-title": "share",
                    "point-title": "rho: arrows move it",
                    "legend-title": "what",
                    "unit": "",
                },
                on_move=lambda x, _series, asked: self._moved(curves, x, asked),
                y_share=True,
            )
            words = markup("")

        def show() -> None:
            losses = self._task.losses
            over_rho.visible, chart.visible = self._task.rows is not None, losses is not None
            over_rho.set_enabled(self._task.ready)
            if losses is None:
                return
            dim(chart, stale=not self._task.losses_are_current)
            lines = _loss_lines(losses.value)
            highest = max(0.01, *(y for line in lines for _, y in line["points"]))
            curves.draw(lines, x=(0, 100), whole=100, y_max=highest, step=1)
            self._put_point(curves, lines)
            words.content = "".join(part("note", f"{sentence}.") for sentence in losses.value.sentences)

        self.on_change(
            show,
            of=lambda: (
                self._task.losses,
                self._task.losses_are_current,
                self._task.ready,
                self._task.rows,
                self._task.percent,
            ),
        )

    def _put_point(self, curves: Curves, lines: list[CurveLine], answered: int | None = None) -> None:
        percent_now = self._task.percent
        _, height = min(lines[0]["points"], key=lambda point: abs(point[0] - percent_now))
        curves.put(percent_now, height, 0, answered=answered)

    def _moved(self, curves: Curves, x: float, asked: int) -> None:
        self._task.percent = min(100, max(1, round(x)))
        if self._task.losses is not None:
            self._put_point(curves, _loss_lines(self._task.losses.value), asked)
        self.workspace.changed()

    def _result(self) -> None:
        with ui.element("div").classes("form") as form:
            method = ui.radio(METHODS, value=self._task.method).props('dense aria-label="method"')
            method.on_value_change(lambda event: setattr(self._task, "method", event.value))
            make = self.work_button(
                "Protect the rows",
                lambda: self._task.protect(),  # noqa: PLW0108 - as above
                ready=lambda: self._task.ready,
                main=True,
            )

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
        dropped, generalized = counted(done.dropped, "item"), counted(done.generalized, "item")
        words = (
            f"By {done.method}: {loss} of the information is lost; {dropped} dropped, {generalized} generalized; "
            f"{_surest(done.worst_rule)}."
        )
        markup(part("paragraph", words) + (part("paragraph", done.least) if done.least else ""))
        if done.only_dropped:
            markup(part("only_dropped", done.method))
        table = left_table(done.left, done.rules)
        heads, *lines = ((*cells[-1:], *cells[:-1]) for cells in (table.columns, *table.rows))
        markup(part("subheading", table.title) + part("table", heads, lines))
        if done.dropped:
            markup(part("dropped", done.dropped_first, done.dropped))
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
        shown: dict[str, str | bool | None] = {
            "promise": f"rho={done.rho}",
            "sensitive": "private.txt",
            "hierarchy": tree,
        }
        shown |= {"face_value": True} if done.method == "local" else {"rare_rows": True} if done.rare_rows else {}
        command = command_of("anonymize", source, {**how, "o": done.file.name})
        call = call_of("anonymize", "rows", how)
        return equivalent_for_rows(source, file=done.file.name, command=command, name="safe", call=call, promise=shown)


def _surest(rule: SensitiveRule | None) -> str:
    """Return the inference of highest confidence in words."""
    return "no sensitive item is left" if rule is None else f"the surest conclusion is below rho: {rule_text(rule)}"


def _loss_lines(losses: LossCurve) -> list[CurveLine]:
    """Return the curves: what is lost, and how many of the sensitive items in rows are left."""
    lost = [(100 * float(point.rho), float(point.information_loss)) for point in losses.points]
    kept = [
        (100 * float(point.rho), point.left.sensitive_entries[1] / max(1, point.left.sensitive_entries[0]))
        for point in losses.points
    ]
    return [
        {"name": name, "colour": colour, "dashed": False, "points": points}
        for colour, (name, points) in enumerate((("information lost", lost), ("sensitive items kept", kept)))
    ]


def _cost_table(costs: Iterable[ProtectingCost]) -> str:
    rows = []
    for cost in costs:
        loss = share(cost.information_loss)
        rule = cost.worst_rule
        surest = "nothing left" if rule is None else percent(rule.together, rule.holding)
        safe = "✗ no" if not cost.safe else _WEAKER.get(cost.method, "✓ yes")
        same, secret = (
            percent(*pair[::-1]) if pair[0] else "" for pair in (cost.left.rows, cost.left.sensitive_entries)
        )
        rows.append((cost.method, loss, same, secret, surest, safe))
    return part("table", ("method", "lost", "rows as they were", "sensitive kept", "surest", "safe"), rows)

"""Protect sensitive items in rows: which ones, the tree of the others, and what each method costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

from discreet.errors import DiscreetError
from discreet.uncertainty.anonymize import AnonymizeMethod
from discreet.workbench.history import History
from discreet.workbench.jobs.process import Job
from discreet.workbench.jobs.protecting import (
    Protection,
    compare_protecting,
    curve_of_losses,
    grow_tree,
    look_at_rows,
    protect_rows,
    read_tree,
    write_tree,
)
from discreet.workbench.tasks.task import Result, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from discreet.uncertainty.loss_curve import LossCurve
    from discreet.workbench.jobs.protecting import LookedAt, ProtectedRows, ProtectingCost
    from discreet.workbench.label_list import LabelList
    from discreet.workbench.project_file import Marks
    from discreet.workbench.tasks.tree import ItemTree
    from discreet.workbench.workspace import Workspace

    Question = tuple[str, tuple[str, ...]]  # the input of the check of the unchanged rows: the rho, the sensitive items

__all__ = ["ProtectTask"]

_FANOUT = 4


class _Choice(NamedTuple):
    """What can be undone: the marked items, and the tree of the others."""

    sensitive: tuple[str, ...]
    tree: ItemTree | None


class ProtectTask(Task):
    """The state of the page *Protect sensitive items in rows*."""

    link = "protected"
    page = "protect"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._history = History(_Choice((), None))
        self.percent = 50
        self.method: AnonymizeMethod = "best"
        self.fanout = _FANOUT
        self.looked_at: Result[LookedAt, Question] | None = None
        self.costs: Result[tuple[ProtectingCost, ...], Protection] | None = None
        self.losses: Result[LossCurve, tuple[Protection, AnonymizeMethod]] | None = None
        self.protected: Result[ProtectedRows, Protection] | None = None
        self.exported: Path | None = None
        """The file of the tree that was exported last."""
        self._check: Result[Job[LookedAt], Question] | None = None
        self._given_up: Question | None = None
        self._growing: Job[ItemTree] | None = None

    @property
    def made(self) -> tuple[Path, ...]:
        """The rows, their bundle, the sensitive items, and the tree."""
        exported = () if self.exported is None else (self.exported,)
        return exported if self.protected is None else (*exported, *self.protected.value.files)

    @property
    def labels(self) -> LabelList | None:
        """The items that occur in rows."""
        preview = self.workspace.file.preview
        return None if preview is None else preview.labels

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The marked items."""
        return self._history.now.sensitive

    @property
    def tree(self) -> ItemTree | None:
        """The tree of all items; the marked ones do not count."""
        return self._history.now.tree

    # What can be undone

    def mark(self, sensitive: Iterable[str]) -> None:
        """Set the sensitive items; the tree keeps the others."""
        self._choose(self._history.now._replace(sensitive=tuple(dict.fromkeys(sensitive))))
        if self.tree is None and self._growing is None:
            self.grow(self.fanout)

    def take(self, marks: Marks) -> None:
        """Take over what a project says; a rho of 0 is none, and perturb is not offered: it promises nothing."""
        self.percent = marks.percent or self.percent
        offered = (each for each in get_args(AnonymizeMethod) if each != "perturb")
        self.method = next((each for each in offered if each == marks.method), self.method)
        if marks.marked:
            self.mark(marks.marked)

    def edit(self, change: Callable[[ItemTree], ItemTree]) -> None:
        """Change the tree, if there is one."""
        if self.tree is not None:
            try:
                self._choose(self._history.now._replace(tree=change(self.tree)))
            except DiscreetError as error:
                self.workspace.fail(error)

    def _choose(self, choice: _Choice) -> None:
        self._history.choose(choice)
        self.workspace.changed()

    @property
    def can_undo(self) -> bool:
        """Whether something can be taken back."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether something that was taken back can be done again."""
        return self._history.can_redo

    def undo(self) -> None:
        """Take back the last change of the marks or the tree."""
        self._history.undo()
        self.workspace.changed()

    def redo(self) -> None:
        """Do again what was taken back."""
        self._history.redo()
        self.workspace.changed()

    # The tree: workers make and write it, because there may be very many items

    def grow(self, fanout: int) -> None:
        """Make a new tree: adjacent items in order, `fanout` under each group."""
        self.fanout = fanout
        self._plant(Job("Growing the tree", grow_tree, self.rows, fanout, then=self._take_tree))

    def import_tree(self, path: Path) -> None:
        """Import a hierarchy from a file in ARX's format; missing items are put under its root."""
        self._plant(Job("Reading the tree", read_tree, self.rows, path, then=self._take_tree), place="hierarchy")

    def _plant(self, job: Job[ItemTree], *, place: str | None = None) -> None:
        if self.rows is not None:
            if self._growing is not None:
                self._growing.cancel()
            self._growing = job
            self.workspace.start_aside(job, place=place)

    def _take_tree(self, tree: ItemTree) -> None:
        if self.tree is None:  # the first tree is none of the user's changes
            self._history.mend(lambda each: each._replace(tree=tree) if each.tree is None else each)
        else:
            self._choose(self._history.now._replace(tree=tree))

    def export_tree(self) -> None:
        """Write the tree to a file that can be downloaded."""

        def take(path: Path) -> None:
            self.exported = path

        if self.tree is not None:
            self._make("Writing the tree", write_tree, self.tree, self.sensitive, then=take)

    @property
    def growing(self) -> bool:
        """Whether a tree is being made."""
        return self._growing is not None and self._growing.running

    @property
    def ready(self) -> bool:
        """Whether there is something to protect, and the tree is there."""
        return bool(self.sensitive) and not self.growing and not self.workspace.busy

    # What nobody may infer

    @property
    def wanted(self) -> Protection:
        """The request in the fields."""
        return Protection(f"{self.percent}%", self.sensitive, self.tree)

    @property
    def question(self) -> Question:
        """The input of the check of the unchanged rows."""
        return f"{self.percent}%", self.sensitive

    @property
    def seen(self) -> LookedAt | None:
        """What is known of the unchanged rows, if it is about the fields."""
        found = self.looked_at
        return found.value if found is not None and found.answers(self.question) else None

    @property
    def shown(self) -> ProtectedRows | None:
        """The protected rows, if they match the fields."""
        done = self.protected
        return done.value if done is not None and done.answers(self.wanted) else None

    @property
    def given_up(self) -> bool:
        """Whether the user cancelled the check."""
        return self._given_up == self.question

    def check(self) -> None:
        """Check whether the unchanged rows are safe, if that was not checked before."""
        asked, last = self.question, self._check
        if self.rows is None or not self.sensitive:
            return
        if self.given_up or (last is not None and last.answers(asked) and last.value.state != "cancelled"):
            return

        def take(found: LookedAt) -> None:
            self.looked_at = Result(found, asked)

        job = Job("Checking the rows as they are", look_at_rows, self.rows, *asked, then=take)
        self._check, self._given_up = Result(job, asked), None
        self.workspace.start_in_background(job, self)

    def give_up(self) -> None:
        """Record that the rows are not checked, because the user cancelled it."""
        asked = None if self._check is None else self._check.of
        if asked is not None and (self.looked_at is None or not self.looked_at.answers(asked)):
            self._given_up = asked

    def compare(self) -> None:
        """Try every method of protecting."""
        wanted = self.wanted

        def take(costs: tuple[ProtectingCost, ...]) -> None:
            self.costs = Result(costs, wanted)

        self._start("Comparing the methods", compare_protecting, wanted, then=take)

    def draw_losses(self) -> None:
        """Protect by the chosen method at several rho."""
        wanted, method = self.wanted, self.method

        def take(losses: LossCurve) -> None:
            self.losses = Result(losses, (wanted, method))

        self._start("Trying several rho", curve_of_losses, wanted, method, then=take)

    @property
    def losses_are_current(self) -> bool:
        """Whether the curve is about what is chosen, whatever rho is chosen."""
        if self.losses is None:
            return False
        (asked, method), now = self.losses.of, self.wanted
        return (asked.sensitive, asked.tree, method) == (now.sensitive, now.tree, self.method)

    def protect(self) -> None:
        """Protect by the chosen method; what is left of itemsets is counted at the support of the first page."""
        wanted, rows, publish = self.wanted, self.rows, self.workspace.publish
        support = None if publish.mined is None else publish.min_support

        def take(protected: ProtectedRows) -> None:
            self.protected = Result(protected, wanted)

        if rows is not None:
            self._make("Protecting", protect_rows, rows.path.name, wanted, self.method, support, then=take)

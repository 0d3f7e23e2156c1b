"""Protect sensitive items in rows: which ones, the tree of the others, and what each method costs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from discreet.errors import DiscreetError
from discreet.workbench.jobs.process import Job
from discreet.workbench.jobs.rows import Protection, check_rows, compare_protecting, protect_rows
from discreet.workbench.tasks.task import Result, Task
from discreet.workbench.tasks.tree import ItemTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Future
    from pathlib import Path

    from discreet.uncertainty.anonymize import AnonymizeMethod
    from discreet.uncertainty.check import Checked
    from discreet.workbench.jobs.rows import ProtectedRows, ProtectingCost
    from discreet.workbench.workspace import Workspace

    Question = tuple[str, tuple[str, ...]]  # the input of the check of the unchanged rows: the rho, the sensitive items

__all__ = ["ProtectTask"]

_FANOUT = 4


class ProtectTask(Task):
    """The state of the page *Protect sensitive items in rows*."""

    link = "protected"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.sensitive: tuple[str, ...] = ()
        self.percent = 50
        self.method: AnonymizeMethod = "best"
        self.fanout = _FANOUT
        self.tree: ItemTree | None = None
        self.checked: Result[Checked, Question] | None = None
        self.costs: Result[tuple[ProtectingCost, ...], Protection] | None = None
        self.protected: Result[ProtectedRows, Protection] | None = None
        self._check: Result[Job[Checked], Question] | None = None
        self._given_up: Question | None = None
        self._editor = ThreadPoolExecutor(max_workers=1)
        self._edits_to_come = 0

    @property
    def made(self) -> tuple[Path, ...]:
        """The rows, their bundle, the sensitive items, and the tree."""
        return () if self.protected is None else self.protected.value.files

    @property
    def labels(self) -> tuple[str, ...]:
        """The items that occur in rows."""
        preview = self.workspace.file.preview
        return () if preview is None else preview.labels

    # Edits of the tree. There may be very many items, so each runs in a thread, one after another.

    def mark(self, sensitive: Iterable[str]) -> Future[None]:
        """Set the sensitive items; the tree keeps the others."""
        self.sensitive = tuple(sensitive)
        return self._edit(lambda: self._grown() if self.tree is None else self._fitted(self.tree))

    def grow(self, fanout: int) -> Future[None]:
        """Make a new tree: adjacent items in order, `fanout` under each group."""
        self.fanout = fanout
        return self._edit(self._grown)

    def import_tree(self, path: Path) -> Future[None]:
        """Import a hierarchy from a file in ARX's format, and remove the file; missing items are put under its root."""

        def read() -> ItemTree:
            try:
                return self._fitted(ItemTree.read(path))
            finally:
                path.unlink()

        return self._edit(read, place="hierarchy")

    def edit(self, change: Callable[[ItemTree], ItemTree]) -> Future[None]:
        """Change the tree, if there is one."""
        return self._edit(lambda: None if self.tree is None else change(self.tree))

    def _grown(self) -> ItemTree:
        return ItemTree.neighbours(self._others(), self.fanout)

    def _fitted(self, tree: ItemTree) -> ItemTree:
        return tree.without(self.sensitive).with_items(self._others())

    def _others(self) -> list[str]:
        private = set(self.sensitive)
        return [label for label in self.labels if label not in private]

    def _edit(self, make: Callable[[], ItemTree | None], *, place: str | None = None) -> Future[None]:
        self._edits_to_come += 1

        def run() -> None:
            try:
                self.tree = make()
                if self.tree is not None:
                    _ = self.tree.children  # computed here, in the thread, for the page
            except DiscreetError as error:
                self.workspace.fail(error, place=place)
            finally:
                self._edits_to_come -= 1
                self.workspace.changed()

        return self._editor.submit(run)

    @property
    def ready(self) -> bool:
        """Whether there is something to protect, and all edits of the tree are done."""
        return bool(self.sensitive) and not self._edits_to_come and not self.workspace.busy

    @property
    def wanted(self) -> Protection:
        """The request in the fields."""
        return Protection(f"{self.percent}%", self.sensitive, self.tree)

    @property
    def question(self) -> Question:
        """The input of the check of the unchanged rows."""
        return f"{self.percent}%", self.sensitive

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

        def take(found: Checked) -> None:
            self.checked = Result(found, asked)

        job = Job("Checking the rows as they are", check_rows, self.rows, *asked, then=take)
        self._check, self._given_up = Result(job, asked), None
        self.workspace.start_in_background(job, self)

    def give_up(self) -> None:
        """Record that the rows are not checked, because the user cancelled it."""
        asked = None if self._check is None else self._check.of
        if asked is not None and (self.checked is None or not self.checked.answers(asked)):
            self._given_up = asked

    def compare(self) -> None:
        """Try every method of protecting."""
        wanted = self.wanted

        def take(costs: tuple[ProtectingCost, ...]) -> None:
            self.costs = Result(costs, wanted)

        self._start("Comparing the methods", compare_protecting, wanted, then=take)

    def protect(self) -> None:
        """Protect by the chosen method."""
        wanted, rows = self.wanted, self.rows

        def take(protected: ProtectedRows) -> None:
            self.protected = Result(protected, wanted)

        if rows is not None:
            self._make("Protecting", protect_rows, rows.path.name, wanted, self.method, then=take)

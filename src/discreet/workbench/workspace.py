"""Workspaces: what belongs to one address of the workbench, so that a reloaded page finds everything again.

An address names its workspace. Two tabs of the same address show the same workspace; an address without a name gets a
new one. Files that were dropped and made are in the workspace's folder, which is removed when the workbench ends.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from discreet.errors import DiscreetError
from discreet.workbench.as_command import command_of
from discreet.workbench.input_file import InputFile, Reading, plain_name
from discreet.workbench.jobs import patterns as pattern_jobs
from discreet.workbench.jobs import rows as row_jobs
from discreet.workbench.jobs.process import Failure, Job, WorkerPool
from discreet.workbench.results import clear_away, made_file, new_folder
from discreet.workbench.tasks.hide import HideTask
from discreet.workbench.tasks.protect import ProtectTask
from discreet.workbench.tasks.publish import PublishTask, Released
from discreet.workbench.tasks.verify import VerifyTask

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.publishing.verifier import Verification

__all__ = ["Workspace", "Workspaces"]


class Workspace:
    """A file, the four tasks, and the work that is under way. `revision` grows with every change.

    One piece of work is waited for (`job`); beside it, what a page looks into by itself may run (`beside`).
    Everything here belongs to the rows shown, and every file that can be had to the result shown: work that fails or is
    cancelled changes neither.
    """

    def __init__(self, name: str, folder: Path, pool: WorkerPool) -> None:
        """Keep what is given."""
        self.name = name
        self.folder = folder
        self.source = InputFile()
        self.publishing = PublishTask()
        self.hiding = HideTask()
        self.protecting = ProtectTask()
        self.verifying = VerifyTask()
        self.job: Job | None = None
        self.beside: Job | None = None
        self.failure: Failure | None = None
        self.revision = 0
        self._pool = pool

    def changed(self) -> None:
        """Note that something is new."""
        self.revision += 1

    @property
    def busy(self) -> bool:
        """Whether work is under way that is waited for."""
        return self.job is not None and self.job.running

    @property
    def shown(self) -> Job | None:
        """The work to tell about: what is under way, else what ended last."""
        beside = self.beside if self.beside is not None and self.beside.running else None
        return self.job if self.busy or beside is None else beside

    def start(
        self,
        title: str,
        function: Callable[..., Any],
        *arguments: object,
        then: Callable[[Any], None],
        place: str | None = None,
    ) -> None:
        """Begin a piece of work, unless one is under way; its failure is then found in `failure`.

        `place` is where a failure belongs that is about no option: the place where a file was dropped.
        """
        if self.busy:
            return
        self.failure = None
        self.job = self._started(title, function, *arguments, then=then, place=place)

    def start_beside(
        self, title: str, function: Callable[..., Any], *arguments: object, then: Callable[[Any], None]
    ) -> None:
        """Begin what nobody waits for, in place of the last such work."""
        self.end_beside()
        self.beside = self._started(title, function, *arguments, then=then)

    def _started(
        self,
        title: str,
        function: Callable[..., Any],
        *arguments: object,
        then: Callable[[Any], None],
        place: str | None = None,
    ) -> Job:
        job = Job(title)

        def note() -> None:
            if job.failure is not None:
                self._note_failure(job.failure.at(place))
            self.changed()

        self._pool.start(job, function, *arguments, then=then, ended=note)
        self.changed()
        return job

    def end_beside(self) -> None:
        """End what nobody waits for; a page that shows it begins it anew."""
        if self.beside is not None:
            if self.beside.running:
                self.publishing.looked_at = self.protecting.checking = None
            self.beside.cancel()
            self.beside = None

    def cancel(self) -> None:
        """End the work that is told about."""
        shown = self.shown
        if shown is not None:
            shown.cancel()
            if shown is self.beside:
                self.publishing.give_up()
                self.protecting.give_up()
        self.changed()

    def fail(self, error: Exception, *, place: str | None = None) -> None:
        """Note what went wrong at once."""
        self._note_failure(Failure.of(error).at(place))
        self.changed()

    def _note_failure(self, failure: Failure) -> None:
        paths = [self.source.path, *self.folder.iterdir()]
        for folder in {f"{path.parent if path.is_file() else path}/" for path in paths if path is not None}:
            failure = failure.without(folder)
        self.failure = failure

    def path_for(self, slot: str, name: str) -> Path:
        """Return where an upload goes: each slot (the rows, a bundle, a hierarchy) in a folder of its own."""
        folder = self.folder / plain_name(slot)
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder / plain_name(name)

    def arrived(self, slot: str, path: Path, name: str) -> None:
        """Take a file that was dropped on one of the places for it; `name` is the one that it had."""
        self.failure = None
        if slot in ("rows", "rows-only"):
            if self.job is not None:
                self.job.cancel()
            self.source.dropped(path, name)
            self._forget()
            self.read(Reading(), then_mine=slot == "rows")
        elif slot == "bundle":
            self.verifying.dropped(path)
        elif slot == "hierarchy":
            try:
                self.protecting.load_tree(path)
            except DiscreetError as error:
                self.fail(error, place="hierarchy")
            path.unlink()
        self.changed()

    def made(self, name: str) -> Path | None:
        """Return a file that was made here, by the name that its link has."""
        return made_file(self, name)

    def _make(self, title: str, function: Callable[..., Any], *arguments: object, then: Callable[[Any], None]) -> None:
        """Begin work that makes files, in a folder of its own: the files of the result shown stay as they are."""
        if self.busy:
            return
        clear_away(self)
        folder = new_folder(self)

        def take(result: Any) -> None:  # what the work made
            then(result)
            clear_away(self)

        self.start(title, function, folder, *arguments, then=take)

    def _forget(self) -> None:
        """Start all tasks anew: there are other rows."""
        self.end_beside()
        self.publishing.forget()
        self.hiding.forget()
        self.protecting.forget()
        self.verifying.other_rows()
        clear_away(self)

    def read(self, reading: Reading, *, then_mine: bool) -> None:
        """Read the file as `reading` says; with `then_mine` also mine it. Until that is done the last rows stay."""
        if self.source.path is None or self.busy:
            return

        def take(result: Any) -> None:  # what `read_rows` gives
            rows, preview, lowest, mined = result
            self._forget()
            self.source.read(rows, preview, reading)
            self.publishing.lowest = self.hiding.lowest = lowest
            self.protecting.take_rows(rows)
            if isinstance(mined, Failure):
                self._note_failure(mined)
            elif mined is not None:
                self.publishing.take(mined, lowest)

        self.start(
            f"Reading {self.source.name}",
            pattern_jobs.read_rows,
            self.source.path,
            reading.keywords(),
            then_mine,
            then=take,
            place="rows",
        )

    def verify(self, *, with_rows: bool) -> None:
        """Verify the bundle that was dropped; `with_rows`, against the rows of this workspace."""
        if self.busy:
            return
        task, rows = self.verifying, self.source.rows if with_rows else None
        against, files = self.source.name if with_rows else "", task.files

        def take(found: Verification) -> None:
            if rows is None or rows is self.source.rows:
                task.take(found, against, files)

        self.start(
            "Verifying",
            pattern_jobs.check_bundle,
            list(files.values()),
            self.folder / "to-verify",
            rows,
            then=take,
            place="bundle",
        )
        task.job = self.job

    def forget_bundle(self) -> None:
        """Forget the bundle that was dropped, and what was to be said of it."""
        self.verifying.forget()
        self.failure = None
        self.changed()

    def mine(self, lowest: str, quasi_identifiers: str) -> None:
        """Mine the rows again, down to a lowest support; the page shows what was mined before until that succeeds."""
        if self.source.rows is None or self.busy:
            return
        self.end_beside()
        task = self.publishing
        self.start(
            "Mining",
            pattern_jobs.mine_rows,
            self.source.rows,
            lowest,
            quasi_identifiers or None,
            then=lambda mined: task.take(mined, lowest, quasi_identifiers),
        )

    def attack(self) -> None:
        """Let the attacker look at what follows where the point rests; pages need not wait for it."""
        task, look = self.publishing, self.publishing.look
        if look is None or not task.to_attack:
            return
        self.start_beside(
            "The attacker is looking",
            pattern_jobs.attack_patterns,
            self.source.rows,
            look.min_support,
            look.k,
            look.quasi_identifiers,
            then=lambda found: task.settle(look, found),
        )
        task.looked_at = look

    def check(self) -> None:
        """Check whether the rows as they are would be safe, where that was not asked before."""
        task, rows = self.protecting, self.source.rows
        rho, sensitive, _ = task.asked
        if rows is None or not sensitive or task.checking == (rho, sensitive):
            return
        self.start_beside(
            "Checking the rows as they are",
            row_jobs.check_rows,
            rows,
            rho,
            sensitive,
            then=lambda found: task.take_check(found, (rho, sensitive)),
        )
        task.checking = (rho, sensitive)

    def block(self) -> None:
        """Try both ways of blocking at the chosen support and k."""
        task = self.publishing
        at = (task.min_support, task.k, task.names)
        self.start(
            "Blocking", pattern_jobs.block_both, self.source.rows, *at, then=lambda costs: task.take_costs(costs, at)
        )

    def release(self, method: str, title: str) -> None:
        """Make the bundle."""
        task = self.publishing
        at = Released(task.min_support, task.k, method, task.names, title.strip())
        self._make(
            "Making the bundle",
            pattern_jobs.make_bundle,
            self.source.rows,
            {"min_support": at.min_support, **at.options},
            self.source.name,
            command_of("release", self.source, {"s": at.min_support, **at.options, "o": "public"}),
            then=lambda bundle: task.take_bundle(bundle, at),
        )

    def compare_hiding(self, lines: list[str]) -> None:
        """Try the four methods of hiding."""
        task = self.hiding
        self.start(
            "Comparing the methods",
            row_jobs.compare_hiding,
            self.source.rows,
            lines,
            task.lowest,
            task.percent,
            then=lambda costs: task.take_costs(costs, lines),
        )

    def hide(self, lines: list[str]) -> None:
        """Hide the patterns of these lines by the chosen method."""
        task = self.hiding
        self._make(
            "Hiding",
            row_jobs.hide_rows,
            self.source.handed(),
            lines,
            (task.method, task.percent, task.lowest),
            then=lambda hidden: task.take(hidden, lines),
        )

    def compare_protecting(self) -> None:
        """Try every method of protecting."""
        task = self.protecting
        asked = task.asked
        self.start(
            "Comparing the methods",
            row_jobs.compare_protecting,
            self.source.rows,
            *asked,
            then=lambda costs: task.take_costs(costs, asked),
        )

    def protect(self) -> None:
        """Protect by the chosen method."""
        task = self.protecting
        asked = task.asked
        rho, sensitive, hierarchy = asked
        self._make(
            "Protecting",
            row_jobs.protect_rows,
            self.source.handed(),
            sensitive,
            hierarchy,
            (task.method, rho),
            then=lambda protected: task.take(protected, asked),
        )


class Workspaces:
    """All workspaces of one workbench."""

    def __init__(self, folder: Path) -> None:
        """Keep what is given."""
        self.pool = WorkerPool()
        self._folder = folder
        self._workspaces: dict[str, Workspace] = {}
        self._lock = Lock()

    def new(self) -> Workspace:
        """Return an empty workspace with a name of its own."""
        return self.named(secrets.token_hex(4))

    def named(self, name: str) -> Workspace:
        """Return the workspace of that name; it is made where there is none, as after a restart.

        A name comes from an address, so nothing is kept of it that a page or a system could obey.
        """
        name = plain_name(name)
        with self._lock:
            if name not in self._workspaces:
                folder = Path(self._folder) / name
                folder.mkdir(mode=0o700, exist_ok=True)
                self._workspaces[name] = Workspace(name, folder, self.pool)
            return self._workspaces[name]

    def find(self, name: str) -> Workspace | None:
        """Return the workspace of that name, if there is one."""
        return self._workspaces.get(name)

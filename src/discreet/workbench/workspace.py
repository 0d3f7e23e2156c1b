"""Workspaces: what belongs to one address of the workbench, so that a reloaded page finds everything again.

An address names its workspace. Two tabs with the same address show the same workspace; an address without a name gets a
new one. Dropped files and results are in the workspace's folder, which is removed when the workbench ends.
"""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from discreet.command_words import one_word
from discreet.errors import DataError, DiscreetError
from discreet.policy.policy import read_policy
from discreet.policy.toml_text import policy_words
from discreet.transactions.generate import hospital
from discreet.transactions.options import ReadOptions
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.writing import write
from discreet.workbench.input_file import InputFile, plain_name
from discreet.workbench.jobs.patterns import BUNDLE_ZIP, Mined, is_bundle, survey_rows
from discreet.workbench.jobs.process import Failure, Job, WorkerPool
from discreet.workbench.jobs.session_ledger import SessionLedger
from discreet.workbench.reading_doubts import plainly
from discreet.workbench.tasks.hide import HideTask
from discreet.workbench.tasks.pattern_file import PatternFileTask
from discreet.workbench.tasks.protect import ProtectTask
from discreet.workbench.tasks.publish import PublishTask
from discreet.workbench.tasks.verify import VerifyTask

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.policy.policy import Policy
    from discreet.workbench.jobs.patterns import Survey
    from discreet.workbench.jobs.rows_cache import RowsFile
    from discreet.workbench.tasks.task import Task

__all__ = ["Workspace", "Workspaces"]

_LEDGER = "session.ledger"
_NAMES_A_FILE = re.compile(rb"""["']@""")
_RESULT = "made-"
"""The prefix of the folders of results."""


class Workspace:
    """A file, four tasks, and jobs. `revision` grows with every change.

    One job is in the foreground (`job`); another may run in the background, for a page that starts it by itself.
    Everything here belongs to the rows shown, and every download to the result shown: a job that fails or is cancelled
    changes neither.
    """

    def __init__(self, name: str, folder: Path, pool: WorkerPool, ledger: SessionLedger | None = None) -> None:
        self.name = name
        self.folder = folder
        self.ledger = ledger or SessionLedger(folder / _LEDGER)
        """What left the workbench before, from any of its workspaces."""
        self.file = InputFile(folder)
        self.publish = PublishTask(self)
        self.hide = HideTask(self)
        self.protect = ProtectTask(self)
        self.verify = VerifyTask(self)
        self.pattern_file = PatternFileTask(self)
        self.page = ""
        """The page on which to go on, if not on the one at hand."""
        self.policy: Policy | None = None
        """The policy that was dropped last, if any."""
        self.job: Job[Any] | None = None
        self.failure: Failure | None = None
        self.revision = 0
        self._background: tuple[Job[Any], Task] | None = None
        self._saved: set[Path] = set()
        """The files of results that were opened or saved."""
        self._pool = pool

    def changed(self) -> None:
        """Record that something has changed."""
        self.revision += 1

    # Jobs

    @property
    def busy(self) -> bool:
        """Whether a foreground job is running."""
        return self.job is not None and self.job.running

    @property
    def shown(self) -> Job[Any] | None:
        """The job to show: the running one, else the last one."""
        if not self.busy and self._background is not None and self._background[0].running:
            return self._background[0]
        return self.job

    def start(
        self, job: Job[Any], *, place: str | None = None, failed: Callable[[Failure], None] | None = None
    ) -> None:
        """Start a job, unless one is running; its error is then in `failure`, and given to `failed`.

        `place` is where to show an error that concerns no option: the drop zone of a file.
        """
        if not self.busy:
            self.failure, self.job = None, job
            self._run(job, place, failed)

    def start_in_background(
        self, job: Job[Any], task: Task, *, failed: Callable[[Failure], None] | None = None
    ) -> None:
        """Start a background job for a task, in place of the previous one; its error is given to `failed`."""
        self.end_background()
        self._background = job, task
        self._run(job, failed=failed)

    def start_aside(self, job: Job[Any], *, place: str | None = None) -> None:
        """Start a job alongside all others, for a page that does not wait for it."""
        self._run(job, place)

    def _run(self, job: Job[Any], place: str | None = None, failed: Callable[[Failure], None] | None = None) -> None:
        def note() -> None:
            if job.failure is not None:
                self._note_failure(job.failure.at(place))
                if failed is not None:
                    failed(job.failure)
            self.changed()

        self._pool.start(job, ended=note)
        self.changed()

    def end_background(self) -> None:
        """End the background job; a page that shows its task starts it again."""
        if self._background is not None:
            self._background[0].cancel()
            self._background = None

    def cancel(self) -> None:
        """Cancel the job that is shown."""
        shown = self.shown
        if shown is not None:
            shown.cancel()
            if self._background is not None and shown is self._background[0]:
                self._background[1].give_up()
        self.changed()

    def fail(self, error: Exception, *, place: str | None = None) -> None:
        """Record an immediate error."""
        self._note_failure(Failure.of(error).at(place))
        self.changed()

    def forgive(self) -> None:
        """Forget the last error: what it was about is changed."""
        self.failure = None
        self.changed()

    def _note_failure(self, failure: Failure) -> None:
        paths = [self.file.path, *self.folder.iterdir()]
        folders = {f"{path.parent if path.is_file() else path}/" for path in paths if path is not None}
        for folder in sorted(folders, key=len, reverse=True):  # the workspace's own folder is a prefix of all others
            failure = failure.without(folder)
        self.failure = failure

    # Files

    def path_for(self, slot: str, name: str) -> Path:
        """Return the path for an upload: each slot (the rows, a bundle, a hierarchy) has its own folder."""
        folder = self.folder / plain_name(slot)
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder / plain_name(name)

    def arrived(self, slot: str, path: Path, name: str) -> None:
        """Accept a file that was dropped on one of the drop zones; `name` is its original name."""
        self.failure = None
        if slot == "rows" and path.suffix.lower() == ".toml":
            self._follow(path)
        elif slot in ("rows", "rows-only") and is_bundle(path):
            self.verify.dropped(path)
            self.verify.verify(with_rows=False)
            self.page = "verify"
        elif slot in ("rows", "rows-only"):
            if self.job is not None:
                self.job.cancel()
            self._begin(lambda: self.file.dropped(path, name))
            self.read(ReadOptions() if self.policy is None else self.policy.options, then_mine=slot == "rows")
        elif slot == "bundle":
            self.verify.dropped(path)
        elif slot == "trust":
            self.verify.trust(path)
        elif slot == "ledger":
            self.verify.take_ledger(path)
        elif slot == "key":
            self.verify.take_key(path)
        elif slot == "hierarchy":
            self.protect.import_tree(path)
        self.changed()

    def made_up(self) -> None:
        """Take made-up hospital stays in place of a file."""
        path = self.path_for("rows", "made-up-hospital.csv")
        path.unlink(missing_ok=True)
        write(hospital(), path)
        self.arrived("rows", path, path.name)

    def _follow(self, path: Path) -> None:
        """Take over a policy; the rows are read as it says, those that are here and those that come."""
        try:
            if _NAMES_A_FILE.search(path.read_bytes()):
                raise DataError(f"{path.name} names another file by @, which is not read here; write the names into it")
            policy = read_policy(path)
            self.publish.follow(policy)
        except DiscreetError as error:
            self.fail(error, place="rows")
            return
        self.policy = replace(policy, options=ReadOptions(**policy.options.typed()))  # as the fields show it
        if self.job is not None:
            self.job.cancel()
        self.read(self.policy.options, then_mine=True)

    def read(self, reading: ReadOptions, *, then_mine: bool) -> None:
        """Read the file with these options; with `then_mine` also mine it. The old rows stay until that is done.

        The quasi-identifiers stay, except those that are not read any more.
        """
        if self.file.path is None or self.busy:
            return
        rows = self.file.named(reading)
        take = partial(self._take_rows, rows)
        asked = None
        if self.policy is not None and reading == self.policy.options:
            asked = policy_words(self.policy)
        elif self.publish.quasi_identifiers and self.file.rows is not None:
            asked = "", self._names_left(reading)
        job = Job(f"Reading {self.file.name}", survey_rows, rows, then_mine, asked, then=take)
        self.start(job, place="rows", failed=self._refused)

    def _names_left(self, reading: ReadOptions) -> str | None:
        names = parse_names(self.publish.quasi_identifiers, "quasi_identifiers")
        left = [name for name in names if name not in reading.rules.drop]
        return one_word(left) if left else None

    def _refused(self, failure: Failure) -> None:
        """Audit a file that holds patterns or rules as such; of others, say plainly what they are."""
        if any(name in ("patterns", "rules") for name, _ in failure.choices):
            self.pattern_file.path, self.failure = self.file.path, None
            self.pattern_file.audit()
        elif self.failure is not None and self.file.rows is None:
            self.failure = plainly(self.failure, self.file.path, self.file.name)

    def _take_rows(self, rows: RowsFile, seen: Survey) -> None:
        self._begin(lambda: self.file.read(rows, seen.preview))
        self.publish.lowest = self.hide.lowest = seen.lowest
        if isinstance(seen.mined, Mined):
            self.publish.take(seen.mined, seen.lowest, seen.quasi_identifiers or "")
        elif seen.mined is not None:
            self._note_failure(seen.mined)

    def _begin(self, replace: Callable[[], None]) -> None:
        """Replace the rows, and restart all tasks about rows."""
        self.end_background()
        replace()
        self.publish, self.hide, self.protect = PublishTask(self, self.publish), HideTask(self), ProtectTask(self)
        self.pattern_file = PatternFileTask(self)
        self.clear_away()

    def made(self, name: str) -> Path | None:
        """Return a file of a shown result, by its name in the link."""
        tasks = (self.publish, self.hide, self.protect, self.pattern_file, self.verify)
        return {f"{task.link}-{path.name}": path for task in tasks for path in task.made}.get(name)

    def hand_out(self, name: str) -> Path | None:
        """Return a file of a shown result that leaves; one made for others is recorded, or refused."""
        path, bundle = self.made(name), self.publish.bundle
        if path is not None and path not in self._saved:
            self._saved.add(path)
            self.changed()
        if path is None or bundle is None:
            return path
        made = bundle.value
        if path in made.public and made.ledger is not None:
            self.ledger.downloaded(made.ledger, made.archive.with_name(_LEDGER))
            self.publish.keep(made)
            self.changed()
        return path

    @property
    def unsaved(self) -> str:
        """What was made of the rows, and of which no file was opened or saved; empty if there is nothing."""
        made = {
            "The bundle": self.publish.bundle,
            "The copy that hides the patterns": self.hide.hidden,
            "The protected copy": self.protect.protected,
        }
        for words, done in made.items():
            if done is not None and self._saved.isdisjoint(done.value.files):
                return words
        return ""

    def check_what_was_made(self, task: Task) -> None:
        """Take the bundle that a task made to *Verify*, where it can be signed; that counts as a download."""
        try:
            path = self.hand_out(f"{task.link}-{BUNDLE_ZIP}")
        except DiscreetError as error:
            self.fail(error)
            return
        if path is not None:
            arrived = self.path_for("bundle", BUNDLE_ZIP)
            shutil.copy(path, arrived)
            self.verify.dropped(arrived)
            self.verify.verify(with_rows=True)
            self.page = "verify"
            self.changed()

    def new_folder(self) -> Path:
        """Return an empty folder for the next result; the files of the shown one are untouched."""
        self.clear_away()
        return Path(tempfile.mkdtemp(prefix=_RESULT, dir=self.folder))

    def clear_away(self) -> None:
        """Remove the files of every result that is not shown: replaced, forgotten, cancelled, or refused."""
        tasks = (self.publish, self.hide, self.protect, self.pattern_file, self.verify)
        shown = {folder for task in tasks for path in task.made for folder in path.parents}
        for folder in self.folder.glob(f"{_RESULT}*"):
            if folder not in shown:
                shutil.rmtree(folder, ignore_errors=True)


class Workspaces:
    """All workspaces of one workbench."""

    def __init__(self, folder: Path, ledger: Path | None = None) -> None:
        self.pool = WorkerPool()
        self._folder = folder
        self._ledger = SessionLedger(folder / _LEDGER) if ledger is None else SessionLedger(ledger, named=True)
        self._workspaces: dict[str, Workspace] = {}
        self._lock = Lock()

    def new(self) -> Workspace:
        """Return an empty workspace with a new name."""
        return self.named(secrets.token_hex(16))

    def named(self, name: str) -> Workspace:
        """Return the workspace of that name; it is created if there is none, as after a restart.

        A name comes from an address, so it is sanitized.
        """
        name = plain_name(name)
        with self._lock:
            if name not in self._workspaces:
                folder = Path(self._folder) / name
                folder.mkdir(mode=0o700, exist_ok=True)
                self._workspaces[name] = Workspace(name, folder, self.pool, self._ledger)
            return self._workspaces[name]

    def find(self, name: str) -> Workspace | None:
        """Return the workspace of that name, if there is one."""
        return self._workspaces.get(name)

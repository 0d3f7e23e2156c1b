"""Workspaces: what belongs to one address of the workbench, so that a reloaded page finds everything again.

An address names its workspace. Two tabs with the same address show the same workspace; an address without a name gets a
new one. Dropped files and results are in the workspace's folder, which is removed when the workbench ends.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from discreet.command_words import one_word
from discreet.errors import DiscreetError
from discreet.policy.policy import POLICY_FILE
from discreet.policy.toml_text import policy_words
from discreet.transactions.generate import hospital
from discreet.transactions.options import ReadOptions
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.writing import write
from discreet.wording import counted
from discreet.workbench.decisions import DecisionLog
from discreet.workbench.input_file import InputFile, plain_name
from discreet.workbench.jobs.patterns import BUNDLE_ZIP, OWNER_REPORT, Mined, is_bundle, survey_rows
from discreet.workbench.jobs.process import Failure, Job, WorkerPool
from discreet.workbench.jobs.session_ledger import SessionLedger
from discreet.workbench.project_file import read_project
from discreet.workbench.reading_questions import plainly
from discreet.workbench.session_report import tell_session
from discreet.workbench.tasks.hide import HideTask
from discreet.workbench.tasks.pattern_file import PatternFileTask
from discreet.workbench.tasks.pinned_settings import PinnedSettings
from discreet.workbench.tasks.protect import ProtectTask
from discreet.workbench.tasks.publish import PublishTask
from discreet.workbench.tasks.verify import VerifyTask

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.policy.policy import Policy
    from discreet.workbench.jobs.patterns import Survey
    from discreet.workbench.jobs.rows_cache import RowsFile
    from discreet.workbench.project_file import Project
    from discreet.workbench.tasks.task import Task

__all__ = ["Workspace", "Workspaces"]

_LEDGER = "session.ledger"
_FOR_THE_OWNER = (OWNER_REPORT, POLICY_FILE, "hierarchy.csv")
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
        self.project: Project | None = None
        """The project that was opened last, if any."""
        self.log = DecisionLog()
        self.pins = PinnedSettings(self)
        self.job: Job[Any] | None = None
        self.failure: Failure | None = None
        self.revision = 0
        self.closed = False
        self._background: tuple[Job[Any], Task] | None = None
        self._waiting: tuple[Job[Any] | None, str, Callable[[], object]] | None = None
        """What was asked for in the instant in which a job began, that job, and its words."""
        self._saved: set[Path] = set()
        """The files of results that were opened or saved."""
        self._pool = pool
        self._leaving = Lock()
        self._to_mark: Project | None = None
        """The project whose marks wait for its rows."""

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

    def when_idle(self, words: str, act: Callable[[], object]) -> None:
        """Do something, now or after the job that has just begun: a click in that instant is not lost."""
        if self.busy:
            self._waiting = self.job, words, act
        else:
            act()

    def go_on(self) -> None:
        """Do what waits for the end of a job, unless that was cancelled, or other work has begun since."""
        if self._waiting is None or self.busy:
            return
        (job, _, act), self._waiting = self._waiting, None
        if job is self.job and job is not None and job.state != "cancelled":
            act()

    @property
    def next_words(self) -> str:
        """What is done after the job that runs."""
        return f" · next: {self._waiting[1]}" if self._waiting is not None and self.busy else ""

    def start_in_background(
        self, job: Job[Any], task: Task, *, failed: Callable[[Failure], None] | None = None
    ) -> None:
        """Start a background job for a task, in place of the previous one; its error is given to `failed`."""
        self.end_background()
        self._background = job, task
        self._run(job, failed=failed)

    def start_aside(self, job: Job[Any], *, place: str | None = None, ended: Callable[[], None] | None = None) -> None:
        """Start a job alongside all others, for a page that does not wait for it.

        With `ended`, that is called at the end, and whoever started it shows what failed.
        """
        if ended is None:
            self._run(job, place)
        else:
            self._pool.start(job, ended=ended)

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

    def end(self) -> None:
        """End all work, remove the files, and send pages that still show it to the list of workspaces."""
        self.end_background()
        if self.job is not None:
            self.job.cancel()
        self.pins.weigh_again()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.closed = True
        self.changed()

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
            self.pins.weigh_again()
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
        """Take over a policy, or a project; the rows are read as it says, those that are here and those that come."""
        try:
            project = read_project(path)
            self.publish.follow(project.policy)
        except DiscreetError as error:
            self.fail(error, place="rows")
            return
        policy = project.policy
        self.policy = replace(policy, options=ReadOptions(**policy.options.typed()))  # as the fields show it
        self.project = self._to_mark = project if project.whole else None
        if self.project is not None:
            self.publish.house = project.house or self.publish.house
            self.log.take(project.entries)
            self.pins.pin_again(project.pinned)
        if self.job is not None:
            self.job.cancel()
        self.read(self.policy.options, then_mine=True)

    def _mark(self, project: Project) -> None:
        """Take over what a project says about these rows; answers about columns only if there are as many rows."""
        file = self.file
        if file.preview is not None and file.preview.n == project.rows:
            file.one_row, file.answered = project.one_row, set(project.kept)
        self.hide.take(project.hide)
        self.protect.take(project.protect)

    @property
    def project_words(self) -> str:
        """What has to be said about the project that was opened: its rows are missing, or others; what it answers."""
        project, file = self.project, self.file
        if project is None:
            return ""
        if file.rows is None or file.preview is None:
            name = "" if project.policy.file is None else f" {Path(project.policy.file).name},"
            return f"The project is open. Now drop its data:{name} {counted(project.rows, 'row')}."
        if file.preview.n != project.rows:
            return (
                f"The project was saved with {counted(project.rows, 'row')}, and these are "
                f"{counted(file.preview.n, 'row')}: its decisions are about others, and its answers are not taken."
            )
        kept = [name for _, *names in project.kept for name in names]
        return f"Answered by the project, and not asked again: {', '.join(kept)} may stay." if kept else ""

    def read(
        self, reading: ReadOptions, *, then_mine: bool, asked: tuple[str | None, str | None] | None = None
    ) -> None:
        """Read the file with these options; with `then_mine` also mine it. The old rows stay until that is done.

        `asked` are a support and quasi-identifiers. Otherwise the quasi-identifiers stay, except those that are not
        read any more.
        """
        if self.file.path is None or self.busy:
            return
        rows = self.file.named(reading)
        take = partial(self._take_rows, rows)
        if asked is not None:
            pass
        elif self.policy is not None and reading == self.policy.options:
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
        if self._to_mark is not None:
            self._mark(self._to_mark)
            self._to_mark = None
        if isinstance(seen.mined, Mined):
            self.publish.take(seen.mined, seen.lowest, seen.quasi_identifiers or "")
        elif seen.mined is not None:
            self._note_failure(seen.mined)
        self.pins.go_on()

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
        with self._leaving:  # requests are answered in threads
            return self._handed_out(name)

    def _handed_out(self, name: str) -> Path | None:
        path, bundle = self.made(name), self.publish.bundle
        if path is not None:
            self._leaves(path)
            if path.name == OWNER_REPORT:
                tell_session(self, path)
            if path not in self._saved:
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

    def _leaves(self, path: Path) -> None:
        """Record that a file made for others leaves; refuse if that was rejected."""
        for entry in self.log.entries:
            if entry.archive is not None and path.is_relative_to(entry.archive.parent) and not _for_owner(path):
                self.log.leaves(entry.archive)
                self.changed()

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


def _for_owner(path: Path) -> bool:
    """Return whether a file of a result is for the owner alone."""
    return path.name in _FOR_THE_OWNER or (path.name.startswith("private") and path.suffix == ".txt")


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

    @property
    def held(self) -> list[Workspace]:
        """The workspaces that hold something, the last one first."""
        there = [*self._workspaces.values()]
        return [each for each in reversed(there) if each.file.path is not None or each.verify.files]

    def close(self, name: str) -> None:
        """End a workspace: its work is cancelled, and its files are removed; what left it stays in the ledger."""
        with self._lock:
            closed = self._workspaces.pop(name, None)
        if closed is not None:
            closed.end()

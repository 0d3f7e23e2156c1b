"""Verify a bundle: the dropped files, and the results of the checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.publishing.certificate import CERTIFICATE
from discreet.workbench.jobs.patterns import check_bundle, is_packed
from discreet.workbench.jobs.signing import sign_bundle
from discreet.workbench.tasks.task import Result, Task

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.publishing.verification import Verification
    from discreet.workbench.jobs.process import Job
    from discreet.workbench.jobs.rows_cache import RowsFile
    from discreet.workbench.jobs.signing import SignedBundle
    from discreet.workbench.workspace import Workspace

__all__ = ["VerifyTask"]


@dataclass(frozen=True, slots=True, eq=False)
class _Bundle:
    """Files of one bundle, by name; replaced by a new value on every change."""

    files: dict[str, Path]
    packed: bool = False
    """Whether it is one zip rather than loose files."""


class VerifyTask(Task):
    """The state of the page *Verify a bundle*."""

    link = "signed"
    page = "verify"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._bundle = _Bundle({})
        self._answer: Result[Verification, tuple[_Bundle, RowsFile | None]] | None = None
        self._job: Job[Verification] | None = None
        self._trusted: dict[str, Path] = {}
        self._ledger: Path | None = None
        self._key: Path | None = None
        self._signed: Result[SignedBundle, _Bundle] | None = None

    @property
    def made(self) -> tuple[Path, ...]:
        """The signed bundle."""
        return () if self.signed is None else (self.signed.archive,)

    @property
    def signed(self) -> SignedBundle | None:
        """These files as a bundle with one more signature, if they were signed."""
        done = self._signed
        return done.value if done is not None and done.answers(self._bundle) else None

    @property
    def trusted(self) -> dict[str, Path]:
        """The identities that must have signed the bundle: files of public keys, by name."""
        return self._trusted

    @property
    def ledger(self) -> Path | None:
        """A copy of the ledger that must have the bundle as a release, if one was dropped."""
        return self._ledger

    @property
    def key(self) -> Path | None:
        """The identity to sign with; its file is removed when it was used."""
        return self._key

    @property
    def is_none(self) -> bool:
        """Whether what was verified is no bundle at all: it has no certificate."""
        found = self.verification
        return found is not None and found.certificate is None and found.reason == f"there is no {CERTIFICATE}"

    @property
    def files(self) -> dict[str, Path]:
        """The dropped files, by name."""
        return self._bundle.files

    @property
    def verification(self) -> Verification | None:
        """The results for these files, and for these rows if they were compared with any."""
        answer = self._answer
        if answer is None or not (answer.answers((self._bundle, None)) or answer.answers((self._bundle, self.rows))):
            return None
        return answer.value

    @property
    def packed(self) -> bool:
        """Whether the bundle is one zip."""
        return self._bundle.packed

    @property
    def with_rows(self) -> bool:
        """Whether the results include the comparison with the rows."""
        return self.verification is not None and self._answer is not None and self._answer.of[1] is not None

    def dropped(self, path: Path) -> None:
        """Add a file of a bundle, or a whole bundle as a zip, which replaces everything."""
        packed = is_packed(path)
        if packed or self._bundle.packed:
            self.forget(but=path)
        others = {name: file for name, file in self.files.items() if name != path.name}
        self._replace(_Bundle(others | {path.name: path}, packed))

    def trust(self, path: Path) -> None:
        """Ask for the signature of one more identity; what was verified without it does not count."""
        self._trusted = {**self._trusted, path.name: path}
        self._replace(_Bundle(self.files, self.packed))

    def take_ledger(self, path: Path) -> None:
        """Ask whether a ledger has the bundle; what was verified without it does not count."""
        path.chmod(0o600)
        self._ledger = path
        self._replace(_Bundle(self.files, self.packed))

    def forget_trusted(self) -> None:
        """Ask for no signature, and for no ledger."""
        for path in (*self._trusted.values(), *([] if self._ledger is None else [self._ledger])):
            path.unlink(missing_ok=True)
        self._trusted, self._ledger = {}, None
        self._replace(_Bundle(self.files, self.packed))

    def take_key(self, path: Path) -> None:
        """Take an identity to sign with."""
        path.chmod(0o600)
        self._key = path

    def forget_key(self) -> None:
        """Remove the identity to sign with."""
        if self._key is not None:
            self._key.unlink(missing_ok=True)
        self._key = None

    def sign(self, passphrase: str) -> None:
        """Sign the bundle with the identity, which is removed then."""
        bundle, key, workspace = self._bundle, self._key, self.workspace
        if key is None or workspace.busy:
            return
        self._key = None

        def take(done: SignedBundle) -> None:
            self._signed = Result(done, bundle)
            workspace.clear_away()

        folder, trust = workspace.new_folder(), tuple(self._trusted.values())
        job = self._job_of("Signing", sign_bundle, folder, list(self.files.values()), key, passphrase, trust, then=take)
        workspace.start(job, place="key")

    def forget(self, *, but: Path | None = None) -> None:
        """Remove all dropped files, except one that has just arrived."""
        for file in self.files.values():
            if file != but:
                file.unlink(missing_ok=True)
        self._replace(_Bundle({}))

    def _replace(self, bundle: _Bundle) -> None:
        if self._job is not None:
            self._job.cancel()  # its result would be about other files
        self._bundle = bundle

    def verify(self, *, with_rows: bool) -> None:
        """Verify the bundle; `with_rows`, against the rows of the workspace."""
        workspace, rows = self.workspace, self.rows if with_rows else None
        if workspace.busy:
            return
        asked = self._bundle, rows

        def take(found: Verification) -> None:
            self._answer = Result(found, asked)

        files, folder = list(self.files.values()), workspace.folder / "to-verify"
        trust = tuple(self._trusted.values())
        self._job = self._job_of("Verifying", check_bundle, files, folder, rows, trust, self._ledger, then=take)
        workspace.start(self._job, place="bundle")

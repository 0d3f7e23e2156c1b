"""Verify a bundle: the dropped files, and the results of the checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.workbench.jobs.patterns import check_bundle, is_packed
from discreet.workbench.jobs.process import Job
from discreet.workbench.tasks.task import Result, Task

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.publishing.verifier import Verification
    from discreet.workbench.jobs.rows_cache import RowsFile
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

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._bundle = _Bundle({})
        self._answer: Result[Verification, tuple[_Bundle, RowsFile | None]] | None = None
        self._job: Job[Verification] | None = None

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
        self._job = Job("Verifying", check_bundle, files, folder, rows, then=take)
        workspace.start(self._job, place="bundle")

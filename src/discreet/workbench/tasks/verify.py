"""Verify a bundle: the files that were dropped, and the answers."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.publishing.verifier import Verification
    from discreet.workbench.jobs.process import Job

__all__ = ["VerifyTask"]


class VerifyTask:
    """Everything on the page *Verify a bundle*.

    `files` are those of one bundle: a zip alone, or loose files. With every change they are another dict, so that an
    answer can be told from one about files that were there before.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self.files: dict[str, Path] = {}
        self.verification: Verification | None = None
        self.against = ""
        self.job: Job | None = None
        self._packed = False

    def dropped(self, path: Path) -> None:
        """Take a file of a bundle, or a whole bundle as a zip, which takes the place of all that was there."""
        packed = zipfile.is_zipfile(path)
        if packed or self._packed:
            self._forget_all_but(path)
        self.end()
        self.files = {name: kept for name, kept in self.files.items() if name != path.name} | {path.name: path}
        self.verification, self.against, self._packed = None, "", packed

    def forget(self) -> None:
        """Start anew."""
        self._forget_all_but(None)

    def _forget_all_but(self, path: Path | None) -> None:
        self.end()
        for other in self.files.values():
            if other != path:
                other.unlink(missing_ok=True)
        self.__init__()  # type: ignore[misc]

    def end(self) -> None:
        """End the work whose answer would be about other files than those to come."""
        if self.job is not None:
            self.job.cancel()

    def other_rows(self) -> None:
        """Forget an answer that was about the rows at hand: there are others now."""
        if self.against:
            self.verification, self.against = None, ""

    def take(self, verification: Verification, against: str, files: dict[str, Path]) -> None:
        """Take the answers, unless they are about files that are no longer these."""
        if files is self.files:
            self.verification, self.against = verification, against

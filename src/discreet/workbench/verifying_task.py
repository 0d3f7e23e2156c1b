"""Verify a bundle: the files that were dropped, and the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.publishing.verifier import Verification

__all__ = ["VerifyingTask"]


class VerifyingTask:
    """Everything on the page *Verify a bundle*."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.files: dict[str, Path] = {}
        self.verification: Verification | None = None
        self.against = ""

    def dropped(self, path: Path) -> None:
        """Take a file of a bundle, or a whole bundle as a zip."""
        self.files[path.name] = path
        self.verification = None

    def forget(self) -> None:
        """Start anew."""
        for path in self.files.values():
            path.unlink(missing_ok=True)
        self.__init__()  # type: ignore[misc]

    def other_rows(self) -> None:
        """Forget an answer that was about the rows at hand: there are others now."""
        if self.against:
            self.verification, self.against = None, ""

    def take(self, verification: Verification, against: str) -> None:
        """Take the answers."""
        self.verification, self.against = verification, against

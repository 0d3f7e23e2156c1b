"""How safe patterns are bundled: what else goes into the folder, where it is recorded, and who signs it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from discreet.errors import ParameterError, param
from discreet.publishing.bundle import check_bundle_folder, check_outside
from discreet.publishing.free_text import check_title
from discreet.publishing.ledger import open_ledger
from discreet.publishing.ledger_file import check_ledger_path, check_told
from discreet.tables.whole import check_output
from discreet.wording import ROWS, Unit

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from discreet.publishing.certificate import Signature
    from discreet.publishing.ledger import Ledger
    from discreet.publishing.ledger_entries import PolicyNote
    from discreet.thresholds import ShareLike

    PathLike = str | os.PathLike[str]
    from discreet.publishing.signing import Identities, Passphrases

__all__ = ["Wrapping", "WrappingKeywords"]


class WrappingKeywords(TypedDict):
    """The keywords that all functions share which write a bundle."""

    output: PathLike
    title: str | None
    sign: Identities | None
    key_passphrase: Passphrases | None
    ledger: PathLike | None
    new_ledger: bool
    wait: float
    passphrase: str | bytes | None
    accept_void: bool
    force: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapping:
    """How safe patterns are bundled: the parameters of `release` for it."""

    output: Path
    min_confidence: ShareLike | None
    title: str | None
    sign: tuple[Callable[[bytes], Signature], ...]
    ledger: PathLike | None
    new_ledger: bool
    wait: float
    passphrase: str | bytes | None
    rows_left: bool
    rows_added: bool
    proof: PathLike | None
    force: bool
    owner_report: PathLike | None = None
    fit_ledger: bool = False
    unit: Unit = ROWS
    persons: bool = False
    policy: PolicyNote | None = None
    accept_void: bool = False

    def open_ledger(self) -> AbstractContextManager[Ledger | None]:
        """Open the ledger, if there is one."""
        if self.ledger is None:
            return nullcontext()
        return open_ledger(self.ledger, new=self.new_ledger, wait=self.wait, passphrase=self.passphrase)

    def __post_init__(self) -> None:
        """Refuse unwritable outputs before any work is done for them."""
        check_title(self.title)
        check_bundle_folder(self.output, force=self.force)
        check_outside(self.ledger, self.output, parameter="ledger")
        check_ledger_path(self.ledger, new=self.new_ledger)
        check_told(rows_left=self.rows_left, rows_added=self.rows_added, ledger=self.ledger)
        if self.fit_ledger and self.ledger is None:
            raise ParameterError(
                f"{param('fit_ledger')} is about the releases in a ledger; give a ledger as well",
                parameter="fit_ledger",
            )
        if self.passphrase is not None and not (self.ledger or self.owner_report or self.proof):
            raise ParameterError(
                f"{param('passphrase')} is about files for you alone, and none is named; leave it out",
                parameter="passphrase",
            )
        others = {self.ledger: "the ledger"} if self.ledger is not None else {}
        for parameter, path in (("owner_report", self.owner_report), ("proof", self.proof)):
            if path is not None:
                check_outside(path, self.output, parameter=parameter)
                for other, what in others.items():
                    if Path(path).resolve() == Path(other).resolve():
                        raise ParameterError(f"{path} is {what}; choose another name", parameter=parameter)
                check_output(path, force=self.force)
                others[path] = "the owner's report"

"""What left this workbench before: a bundle of patterns is judged together with all that were downloaded.

A ledger that was named is used as the command line uses it. Otherwise each bundle comes with a copy of the session's
ledger in which it is recorded. The copy becomes the ledger when a public file of the bundle is opened or saved: until
then, nobody has it.

A ledger is named where the workbench is started, and in no field of a page: a field that takes the name of a file would
read and write any file of the owner for whoever gets hold of a page.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, TypedDict

from discreet.errors import InputError, UnsafeTogether
from discreet.publishing.bundle import new_bundle, write_files
from discreet.publishing.earlier_releases import audit_together
from discreet.publishing.largest_selection import publishable_itemsets
from discreet.publishing.ledger import open_ledger
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.largest_selection import TogetherKeywords
    from discreet.publishing.ledger_entries import Entry
    from discreet.publishing.release import Release
    from discreet.transactions.transactions import Transactions

__all__ = ["LedgerKeywords", "LedgerUse", "RefusedTogether", "SessionLedger", "judged_together"]

_COPY = "session.ledger"
_TWIN = "recorded"


class LedgerKeywords(TypedDict, total=False):
    """Keywords of `release`: the ledger to judge a bundle with."""

    ledger: Path
    new_ledger: bool
    fit_ledger: bool


@dataclass(frozen=True, slots=True)
class LedgerUse:
    """Which ledger a bundle is judged with: one that was named, or the session's in its present state."""

    path: Path
    named: bool
    state: int = 0
    """How many bundles were downloaded before."""

    def options(self, folder: Path, *, fit: bool) -> LedgerKeywords:
        """Return the options of `release` for it; none if the bundle is judged afterwards.

        With `fit`, what is not safe together with earlier bundles is withheld.
        """
        if self.named:
            return {"ledger": self.path, "new_ledger": not self.path.exists(), "fit_ledger": fit}
        return {"ledger": self.copied(folder), "fit_ledger": True} if fit else {}

    def copied(self, folder: Path) -> Path:
        """Return a copy of the session's ledger, or where it can begin."""
        copy = folder / _COPY
        if self.path.exists() and not copy.exists():
            shutil.copy(self.path, copy)
        return copy


@dataclass(frozen=True, slots=True)
class RefusedTogether:
    """Why a bundle is not safe together with earlier ones; `publishable` of `itemsets` would be."""

    sentence: str
    publishable: int | None
    itemsets: int | None

    @classmethod
    def of(cls, refusal: UnsafeTogether) -> RefusedTogether:
        """Return what a page tells of a refusal."""
        return cls(str(refusal), refusal.publishable, refusal.itemsets)


def judged_together(folder: Path, rows: Transactions, done: Release, use: LedgerUse) -> None:
    """Record a bundle in a copy of the session's ledger; raise UnsafeTogether if it is not safe with the others.

    The bundle itself names no rows. A twin that does is recorded, so that bundles of the same rows are known.
    """
    published = done.published
    copy = use.copied(folder)
    with open_ledger(copy, new=not copy.exists()) as book:
        about: TogetherKeywords = {
            "k": published.k,
            "fingerprint": book.fingerprint(rows),
            "exclusive": published.exclusive,
            "quasi_identifiers": published.quasi_identifiers,
            "asked": published.asked,
            "rows_left": False,
            "rows_added": False,
        }
        earlier = _alike(book.entries, published.patterns)
        try:
            audit_together(published.patterns, earlier, **about)
        except UnsafeTogether as refusal:
            refusal.publishable = publishable_itemsets(published.patterns, earlier, **about)
            raise
        with book.recording(folder / _TWIN) as record, new_bundle(folder / _TWIN, force=True) as twin:
            write_files(twin, published, fingerprint=about["fingerprint"])
            record(twin)


def _alike(entries: Sequence[Entry], patterns: PatternSet) -> list[Entry]:
    """Return the earlier bundles that share an item with these patterns: others are about something else."""
    labels = set(patterns.vocabulary)
    return [entry for entry in entries if entry.patterns is not None and labels.intersection(entry.patterns.vocabulary)]


class SessionLedger:
    """The ledger of all desks of one workbench.

    Parameters
    ----------
    path : Path
        The file.
    named : bool
        Whether the user named it: then each bundle is recorded as it is made.
    """

    def __init__(self, path: Path, *, named: bool = False) -> None:
        self.path = path
        self.named = named
        self._state = 0
        self._lock = Lock()

    @property
    def use(self) -> LedgerUse:
        """The ledger as it is now, for a job."""
        return LedgerUse(self.path, self.named, self._state)

    @property
    def downloads(self) -> int:
        """How many bundles were downloaded."""
        return self._state

    @property
    def words(self) -> str:
        """Which ledger is used, and what it is good for."""
        if self.named:
            return f"{self.path}. Each bundle is judged together with all that it has, and recorded as it is made."
        left = "nothing has left it yet" if not self._state else f"{counted(self._state, 'bundle')} left it so far"
        together = ", and the next is judged together with what did" if self._state else ""
        return (
            f"of this session alone; {left}{together}. A ledger that lasts is named where discreet ui is started: "
            "--ledger FILE."
        )

    def downloaded(self, use: LedgerUse, copy: Path) -> None:
        """Record that a bundle was downloaded; refuse if another was since it was judged."""
        with self._lock:
            if self.named or not copy.exists():  # recorded as it was made, or downloaded before
                return
            if use.state != self._state:
                raise InputError(
                    "another bundle was downloaded since this one was judged; make it again, so that both are judged "
                    "together"
                )
            copy.replace(self.path)
            self._state += 1

"""The owner's record of releases: what is already public, from which rows, and the key for fingerprints.

It is one file (SQLite, mode 600, for the owner alone, encrypted if there is a passphrase). For every release it stores
the certificate and the published patterns, and it has a random key for the fingerprints of rows. A new release is
audited together with all earlier ones before it is written (see `joint`), and is recorded before anyone can see it: a
program that is killed in between has recorded too much, never too little. The file is locked from the audit until the
release has its name, so that nobody relies on a line that may still be removed.

Entries form a chain: the head of each is an HMAC under the owner's key of its content and of the head before it. No
entry is ever changed; that a release was withdrawn or superseded is an entry of its own. What a ledger lost is shown by
the receipts of its entries (see `receipts`).
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, LedgerDiffers, ParameterError, param
from discreet.publishing.bundle import PATTERNS, is_there
from discreet.publishing.certificate import CERTIFICATE, Certificate, digest_of
from discreet.publishing.fingerprint import fingerprint, made_with
from discreet.publishing.ledger_entries import (
    Entry,
    Note,
    PolicyNote,
    checked_heads,
    checked_reason,
    ledger_id,
    next_head,
    release_entry,
)
from discreet.publishing.ledger_file import (
    SECONDS_TO_WAIT,
    check_ledger_path,
    encrypted_file,
    is_encrypted_ledger,
    lock_file,
    new_file,
    opened_file,
    remove_leftovers,
)
from discreet.publishing.receipts import Receipt, receipts_beside, write_receipt
from discreet.tables.private_files import check_encrypted, write_private
from discreet.tables.system import can_others_read

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping

    from discreet.json_types import JsonObject
    from discreet.publishing.ledger_file import EncryptedFile
    from discreet.transactions.transactions import Transactions

__all__ = ["FORM_OF_FIRST_VERSION", "Ledger", "new_ledger", "open_ledger"]

_FORM = 2
FORM_OF_FIRST_VERSION = 1
_KEY_BYTES = 32


class Ledger:
    """An open ledger, as `discreet.open_ledger` returns it.

    Parameters
    ----------
    path : Path
        The file.
    connection : sqlite3.Connection
        The open file.
    place : callable, optional
        What gives a new ledger its name, with the first entry.
    encrypted : EncryptedFile, optional
        What writes the file after each change, if it is encrypted.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        place: Callable[[], None] | None = None,
        encrypted: EncryptedFile | None = None,
    ) -> None:
        self.path = path
        self._file = connection
        self._place = place
        self._encrypted = encrypted
        self.named = place is None
        owner = self._file.execute("SELECT * FROM owner").fetchone()
        if owner is None:
            raise DataError(f"{path} is damaged: the owner's key is gone; restore a backup")
        form, self._key = owner[:2]
        if form == FORM_OF_FIRST_VERSION:
            raise DataError(
                f"{path} is a ledger of discreet 0.1; take it over once with: discreet ledger upgrade {path} -o NEW"
            )
        if form != _FORM:
            raise DataError(f"{path} is a ledger of form {form}; this version knows form {_FORM}; use another version")
        self._heads = checked_heads(self._file, path, self._key, number=owner[2], head=owner[3])

    @property
    def id(self) -> str:
        """The ledger's id, which follows from its key and tells nothing about it."""
        return self._heads[0]

    @property
    def receipt(self) -> Receipt:
        """The receipt of the last entry; number 0 if there is none."""
        return Receipt(self.id, len(self._heads) - 1, self._heads[-1])

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All earlier releases, oldest first."""
        found: dict[int, Entry] = {}
        for number, text, certificate, patterns in self._file.execute(
            "SELECT number, record, certificate, patterns FROM entries ORDER BY number"
        ):
            record = json.loads(text)
            if record["kind"] == "release":
                found[number] = release_entry(self.path, number, record, certificate, patterns)
                continue
            if record["kind"] == "budget":
                continue
            note = Note(number, record["day"], record["reason"], record.get("by"))
            about = found[record["of"]]
            withdrawn = record["kind"] == "withdrawal"
            found[about.number] = replace(about, withdrawn=note) if withdrawn else replace(about, superseded=note)
        return tuple(found.values())

    @property
    def budget(self) -> dict[str, str]:
        """What all releases with noise may spend together: "epsilon" and "delta", decimals, where there is a limit."""
        told: dict[str, str] = {}
        for (text,) in self._file.execute("SELECT record FROM entries ORDER BY number"):
            told |= json.loads(text).get("budget", {})
        return told

    def set_budget(self, budget: Mapping[str, str], *, reason: str | None = None) -> Receipt:
        """Record what all releases with noise may spend together; earlier limits stay in the record.

        Parameters
        ----------
        budget : mapping
            The limits of "epsilon" and "delta", or of one of them, as decimals.
        reason : str, optional
            Why, in at most 200 characters.

        Returns
        -------
        Receipt
            The receipt of the new entry.

        Raises
        ------
        ParameterError
            The reason is not one line.
        """
        return self._add("budget", {"budget": dict(budget), "reason": checked_reason(reason)})

    def entry_of(self, certificate: Certificate) -> Entry | None:
        """Return the release with this certificate, however it is signed; None if there is none.

        Parameters
        ----------
        certificate : Certificate
            The certificate of a bundle.

        Returns
        -------
        Entry or None
            The release.

        Raises
        ------
        DataError
            The ledger is damaged.
        """
        body = certificate.body()
        return next((entry for entry in self.entries if entry.certificate.body() == body), None)

    def made(self, certificate: Certificate) -> bool:
        """Return whether a bundle's rows have a fingerprint under this ledger's key.

        Parameters
        ----------
        certificate : Certificate
            The certificate of the bundle.

        Returns
        -------
        bool
            Whether they have.
        """
        return certificate.input is not None and made_with(certificate.input, self._key)

    def fingerprint(self, rows: Transactions) -> str:
        """Return the fingerprint of rows under this ledger's key.

        Parameters
        ----------
        rows : Transactions
            The rows.

        Returns
        -------
        str
            The fingerprint, as certificates carry it.
        """
        return fingerprint(rows, self._key)

    def check(self, receipt: Receipt, name: str) -> None:
        """Refuse the ledger if a receipt, which is called `name`, shows that it lost or replaced entries.

        Parameters
        ----------
        receipt : Receipt
            The receipt of an entry.
        name : str
            What a refusal calls it.

        Raises
        ------
        DataError
            The ledger is not the one of the receipt, or not as it was then (`discreet.errors.LedgerDiffers`).
        """
        last = len(self._heads) - 1
        if receipt.ledger not in (None, self.id):
            raise LedgerDiffers(
                f"{name} is a receipt of another ledger than {self.path}; check the name, or find the other one",
                "another",
            )
        if receipt.number > last:
            raise LedgerDiffers(
                f"{self.path} ends with entry {last}, but {name} shows that it had {receipt.number}: an older copy was "
                "restored, or entries were deleted; restore the newest backup, then add the bundles that it lacks with "
                "discreet ledger add",
                "rollback",
            )
        if self._heads[receipt.number] != receipt.head:
            raise LedgerDiffers(
                f"entry {receipt.number} of {self.path} is another one than {name} shows: two copies of the ledger "
                "went on apart; find the other one, then add the bundles that this one lacks with discreet ledger add",
                "fork",
            )

    def check_receipts(self, bundle: Path) -> tuple[str, ...]:
        """Check all receipts of this ledger next to a bundle.

        Parameters
        ----------
        bundle : Path
            Where the bundle is, or will be.

        Returns
        -------
        tuple of str
            The names of the receipts of other ledgers.

        Raises
        ------
        DataError
            The ledger is not as it was, as for `check`.
        """
        others = []
        for path, receipt in receipts_beside(bundle):
            if receipt.ledger != self.id:
                others.append(path.name)
            else:
                self.check(receipt, path.name)
        return tuple(others)

    @contextmanager
    def recording(
        self,
        folder: Path,
        *,
        rows_left: bool = False,
        rows_added: bool = False,
        policy: PolicyNote | None = None,
        budget: Mapping[str, str] | None = None,
    ) -> Iterator[Callable[[Path], Receipt]]:
        """Yield a function that adds a bundle to the ledger at once; an error in the `with` block removes it again.

        A bundle that is in its folder stays in the ledger, whatever went wrong after that. When the block ends, the
        receipt is written next to the folder.

        Parameters
        ----------
        folder : Path
            Where the bundle will be found.
        rows_left : bool, default False
            Whether rows of earlier releases have left the data.
        rows_added : bool, default False
            Whether all rows of earlier releases are still there.
        policy : PolicyNote, optional
            The policy that the release follows.
        budget : mapping, optional
            What noise may spend from now on, as for `set_budget`.

        Returns
        -------
        callable
            Called with the folder in which the bundle is now; returns the receipt.

        Raises
        ------
        DataError
            The ledger is damaged.
        """
        added: list[bytes] = []
        receipt: Receipt | None = None

        def record(files: Path) -> Receipt:
            nonlocal receipt
            certificate = (files / CERTIFICATE).read_bytes()
            known = self.entry_of(Certificate.from_bytes(certificate))
            if known is not None:  # the very same bundle is the same release
                receipt = replace(self.receipt, number=known.number, head=self._heads[known.number])
                return receipt
            content = patterns.read_bytes() if (patterns := files / PATTERNS).is_file() else None
            path = os.path.abspath(folder)  # noqa: PTH100 - links stay as they are
            about: JsonObject = {"folder": path, "rows_left": rows_left, "rows_added": rows_added}
            about |= {"certificate": digest_of(certificate)} | ({} if policy is None else {"policy": policy.to_dict()})
            about |= {"budget": {**budget}} if budget else {}
            receipt = self._add("release", about, certificate, content)
            added.append(certificate)
            return receipt

        try:
            yield record
        except BaseException:
            if added and not is_there(folder, added[0]):
                self._remove_last()
            raise
        if receipt is not None:
            write_receipt(receipt, folder)

    def add(self, bundle: Path, *, rows_left: bool = False, rows_added: bool = False) -> Receipt:
        """Record a bundle that is public already, and write its receipt next to it.

        Parameters
        ----------
        bundle : Path
            The folder of the bundle.
        rows_left : bool, default False
            Whether rows of earlier releases had left the data.
        rows_added : bool, default False
            Whether all rows of earlier releases were still there.

        Returns
        -------
        Receipt
            The receipt of the release, which may have been recorded before.

        Raises
        ------
        DataError
            The ledger is damaged.
        """
        with self.recording(bundle, rows_left=rows_left, rows_added=rows_added) as record:
            return record(bundle)

    def withdraw(self, number: int, *, reason: str | None = None) -> Receipt:
        """Record that a release was withdrawn; it is still audited together with new ones.

        Parameters
        ----------
        number : int
            The number of the release.
        reason : str, optional
            Why, in at most 200 characters.

        Returns
        -------
        Receipt
            The receipt of the new entry.

        Raises
        ------
        ParameterError
            There is no such release, or it was withdrawn before.
        DataError
            The ledger is damaged.
        """
        entry = self._numbered(number, "number")
        if entry.withdrawn is not None:
            raise ParameterError(
                f"release {number} was withdrawn already; see discreet ledger show", parameter="number"
            )
        return self._note(entry, "withdrawal", {"reason": checked_reason(reason)})

    def supersede(self, number: int, *, by: int, reason: str | None = None) -> Receipt:
        """Record that a release was superseded by a later one; it is still audited together with new ones.

        Parameters
        ----------
        number : int
            The number of the release.
        by : int
            The number of the one that replaces it.
        reason : str, optional
            Why, in at most 200 characters.

        Returns
        -------
        Receipt
            The receipt of the new entry.

        Raises
        ------
        ParameterError
            There is no such release, or it was superseded before.
        DataError
            The ledger is damaged.
        """
        entry = self._numbered(number, "number")
        if entry.superseded is not None:
            raise ParameterError(
                f"release {number} was superseded already; see discreet ledger show", parameter="number"
            )
        if self._numbered(by, "by").number <= number:
            raise ParameterError(f"{param('by')} must be a later release than {number}, got {by}", parameter="by")
        return self._note(entry, "supersession", {"by": by, "reason": checked_reason(reason)})

    def _note(self, entry: Entry, kind: str, about: JsonObject) -> Receipt:
        """Add an entry about a release; its receipt replaces the one next to the release, where that still is."""
        receipt = self._add(kind, {"of": entry.number, **about})
        if Path(entry.folder).is_dir():
            write_receipt(receipt, Path(entry.folder))
        return receipt

    def copy(
        self, output: str | os.PathLike[str], *, force: bool = False, passphrase: str | bytes | None = None
    ) -> Receipt:
        """Write a copy of the ledger, as a backup, for the owner alone.

        Parameters
        ----------
        output : path
            The file to write.
        force : bool, default False
            Whether to replace an existing file.
        passphrase : str or bytes, optional
            Encrypt the copy with it; by default a copy is encrypted if the ledger is, with the same one.

        Returns
        -------
        Receipt
            The receipt of the last entry.
        """
        key = self._encrypted.key if passphrase is None and self._encrypted is not None else passphrase
        write_private(output, [self._file.serialize()], force=force, passphrase=key)
        return self.receipt

    def _numbered(self, number: int, parameter: str) -> Entry:
        found = next((entry for entry in self.entries if entry.number == number), None)
        if found is None:
            raise ParameterError(
                f"{param(parameter)} must be the number of a release in {self.path}, got {number}; see discreet ledger "
                "show",
                parameter=parameter,
            )
        return found

    def _add(
        self, kind: str, about: JsonObject, certificate: bytes | None = None, patterns: bytes | None = None
    ) -> Receipt:
        """Add an entry, and bring it to disk; the lock stays until the ledger is closed."""
        number = len(self._heads)
        record = json.dumps({"kind": kind, "day": datetime.now(UTC).date().isoformat(), **about}, sort_keys=True)
        head = next_head(self._key, self._heads[-1], number, record)
        with self._changing():
            self._file.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?)", [number, head, record, certificate, patterns]
            )
            self._file.execute("UPDATE owner SET number = ?, head = ?", [number, head])
        self._heads.append(head)
        if self._place is not None and not self.named:
            self._place()
            self.named = True
        return self.receipt

    def _remove_last(self) -> None:
        """Remove an entry that was added under this lock, so that nobody has seen it."""
        if self._place is not None and len(self._heads) == 2:  # noqa: PLR2004 - the id, and this one
            self.path.unlink(missing_ok=True)  # the ledger was begun for it
            return
        last = self._heads.pop()
        with self._changing():
            self._file.execute("DELETE FROM entries WHERE head = ?", [last])
            self._file.execute("UPDATE owner SET number = ?, head = ?", [len(self._heads) - 1, self._heads[-1]])

    @contextmanager
    def _changing(self) -> Iterator[None]:
        writing = self._encrypted if self.named else None
        before = None if writing is None else self._file.serialize()
        if not self._file.in_transaction:
            self._file.execute("BEGIN EXCLUSIVE")
        try:
            yield
            self._file.execute("COMMIT")
            if writing is not None:
                writing.write()
        except BaseException:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            elif before is not None:
                self._file.deserialize(before)
            raise


@contextmanager
def open_ledger(
    path: str | os.PathLike[str],
    *,
    new: bool = False,
    wait: float = SECONDS_TO_WAIT,
    passphrase: str | bytes | None = None,
) -> Iterator[Ledger]:
    """Open a ledger, a file that records what was released; it is locked meanwhile.

    Parameters
    ----------
    path : path
        The file.
    new : bool, default False
        Whether to begin one. It gets its name with its first entry, or when the `with` block ends; an error leaves
        nothing behind. For a second entry, open it again.
    wait : float, default 300
        How many seconds to wait while it is in use.
    passphrase : str or bytes, optional
        What the ledger is encrypted with; with `new`, what to encrypt it with.

    Returns
    -------
    Ledger
        The ledger, as a context manager: use it in a `with` statement.

    Raises
    ------
    DataError
        There is no such ledger, it is damaged or in use, or others may read it; the passphrase does not open it, or it
        is not encrypted though there is one.
    OutputError
        It cannot be written, or it is to be begun and is there already.
    ParameterError
        `wait` is not a number of seconds.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> with discreet.open_ledger(pathlib.Path(tempfile.mkdtemp(), "releases.ledger"), new=True) as ledger:
    ...     ledger.entries
    ()
    """
    path = Path(path)
    if not wait >= 0:
        raise ParameterError(f"{param('wait')} must be a number of seconds, at least 0, got {wait}", parameter="wait")
    check_ledger_path(path, new=new)
    remove_leftovers(path)
    if new:
        with new_ledger(path, passphrase=passphrase) as book:
            yield book
        return
    before = path.stat()
    if can_others_read(before):
        raise DataError(f"{path} can be read by others, and it holds the owner's key; do: chmod 600 {path}")
    check_encrypted(path, encrypted=(encrypted := is_encrypted_ledger(path)), passphrase=passphrase)
    if encrypted and passphrase is not None:
        with encrypted_file(path, passphrase, wait) as file:
            yield Ledger(path, file.connection, encrypted=file)
        return
    with opened_file(path, path) as connection:
        lock_file(path, connection, wait)
        if not path.exists() or not os.path.samestat(before, path.stat()):
            raise DataError(f"{path} was replaced while it was waited for; try again")
        yield Ledger(path, connection)


@contextmanager
def new_ledger(
    path: Path, key: bytes | None = None, *, passphrase: str | bytes | None = None, at_once: bool = True
) -> Iterator[Ledger]:
    """Begin a ledger, with a new key by default; it is named with its first entry (`at_once`), or at the end."""
    with new_file(path, passphrase) as (connection, place, encrypted):
        lock_file(path, connection, 0)
        key = key or secrets.token_bytes(_KEY_BYTES)
        connection.execute("INSERT INTO owner VALUES (?, ?, ?, ?)", [_FORM, key, 0, ledger_id(key)])
        book = Ledger(path, connection, place if at_once else lambda: None, encrypted if at_once else None)
        yield book
        if connection.in_transaction:
            connection.execute("COMMIT")
        if not (at_once and book.named):
            place()

"""The owner's record of releases: what is already public, from which rows, and the key for fingerprints.

It is one file (SQLite, mode 600, for the owner alone). For every release it stores the certificate and the published
patterns, and it has a random key for the fingerprints of rows. A new release is audited together with all earlier ones
before it is written (see `joint`), and is recorded before anyone can see it: a program that is killed in between has
recorded too much, never too little. The file is locked from the audit until the release has its name, so that nobody
relies on a line that may still be removed.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError, NotSafe, OutputError, ParameterError, param
from discreet.patterns.reading import read_patterns
from discreet.publishing.bundle import PATTERNS
from discreet.publishing.certificate import CERTIFICATE, Certificate, FileDigest, digest_of
from discreet.publishing.fingerprint import fingerprint
from discreet.tables.scratch import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.transactions import Transactions

__all__ = ["SECONDS_TO_WAIT", "Entry", "Ledger", "open_ledger", "recording_rows"]

SECONDS_TO_WAIT = 300
"""How long a release waits for others that are being made, by default."""

_FORM = 1
_KEY_BYTES = 32
_BETWEEN_TRIES = 0.02
_OTHERS = 0o077
_KIND_OF_ERROR = 0xFF
_TABLES = """
CREATE TABLE owner (form INTEGER NOT NULL, key BLOB NOT NULL);
CREATE TABLE releases (
    number INTEGER PRIMARY KEY, seal TEXT NOT NULL UNIQUE, day TEXT NOT NULL, folder TEXT NOT NULL,
    certificate BLOB NOT NULL, patterns BLOB, rows_left INTEGER NOT NULL DEFAULT 0
);
"""


@dataclass(frozen=True, eq=False)
class Entry:
    """An earlier release: its number in the ledger, the day (UTC), the folder it was written to, and its contents.

    `rows_left` is whether the owner said that rows of earlier releases had left when it was made.
    """

    number: int
    day: str
    folder: str
    certificate: Certificate
    patterns: PatternSet | None
    rows_left: bool = False

    @property
    def k(self) -> int:
        """The k of its promise; 0 for rows, which promise something else."""
        k: int = self.certificate.promise.get("k", 0)
        return k

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        promise = self.certificate.promise
        return {
            "number": self.number,
            "day": self.day,
            "folder": self.folder,
            "kind": self.certificate.kind,
            "seal": self.certificate.seal,
            "input": self.certificate.input,
            "rows_left": self.rows_left,
            "promise": dict(promise),
        }


class Ledger:
    """An open ledger, as `discreet.open_ledger` returns it.

    Parameters
    ----------
    path : Path
        The file.
    connection : sqlite3.Connection
        The open file.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._file = connection
        owner = self._file.execute("SELECT form, key FROM owner").fetchone()
        if owner is None:
            raise DataError(f"{path} is damaged: the owner's key is gone; restore a backup")
        form, self._key = owner
        if form != _FORM:
            raise DataError(f"{path} is a ledger of form {form}; this version knows form {_FORM}; use another version")
        if not any(column[1] == "rows_left" for column in self._file.execute("PRAGMA table_info(releases)")):
            self._file.execute("ALTER TABLE releases ADD COLUMN rows_left INTEGER NOT NULL DEFAULT 0")  # an older one

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All earlier releases, oldest first."""
        rows = self._file.execute(
            "SELECT number, day, folder, certificate, patterns, rows_left FROM releases ORDER BY number"
        )
        return tuple(self._entry(*row) for row in rows)

    def _entry(self, number: int, day: str, folder: str, certificate: bytes, *more: Any) -> Entry:
        """Return a recorded release; refuse one that no longer matches its digests."""
        patterns, rows_left = more
        held = None if patterns is None else FileDigest(len(patterns), digest_of(patterns))
        try:
            read = Certificate.from_bytes(certificate)
        except DataError:
            read = None
        if read is None or read.files.get(PATTERNS) != held:
            raise DataError(f"release {number} in {self.path} is damaged; restore a backup of the ledger")
        published = None if patterns is None else _patterns_in(patterns)
        return Entry(number, day, folder, read, published, rows_left=bool(rows_left))

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

    @contextmanager
    def recording(self, folder: Path, *, rows_left: bool = False) -> Iterator[Callable[[Path], None]]:
        """Yield a function that adds a bundle to the ledger at once; an error in the `with` block removes it again.

        A bundle that is in its folder stays in the ledger, whatever went wrong after that.

        Parameters
        ----------
        folder : Path
            Where the bundle will be found.
        rows_left : bool, default False
            Whether rows of earlier releases have left the data.

        Returns
        -------
        callable
            Called with the folder in which the bundle is now.
        """
        written: list[tuple[str, bytes]] = []

        def record(files: Path) -> None:
            certificate = (files / CERTIFICATE).read_bytes()
            patterns = files / PATTERNS
            seal = Certificate.from_bytes(certificate).seal
            known = self._file.execute("SELECT 1 FROM releases WHERE seal = ?", [seal]).fetchone()
            if known is None:  # the very same bundle is the same release
                today = datetime.now(UTC).date().isoformat()
                content = patterns.read_bytes() if patterns.is_file() else None
                self._file.execute(
                    "INSERT INTO releases (seal, day, folder, certificate, patterns, rows_left) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    [seal, today, os.path.abspath(folder), certificate, content, int(rows_left)],  # noqa: PTH100 - links stay as they are
                )
                written.append((seal, certificate))
            self._file.execute("COMMIT")  # the lock stays: see `open_ledger`

        try:
            yield record
        except BaseException:
            for seal, certificate in written:
                if not _is_there(folder, certificate):
                    self._file.execute("DELETE FROM releases WHERE seal = ?", [seal])
            raise


def _is_there(folder: Path, certificate: bytes) -> bool:
    """Return whether a folder holds the bundle with this certificate, as far as can be seen."""
    try:
        return (folder / CERTIFICATE).read_bytes() == certificate
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


@contextmanager
def open_ledger(path: str | os.PathLike[str], *, new: bool = False, wait: float = SECONDS_TO_WAIT) -> Iterator[Ledger]:
    """Open a ledger, a file that records what was released; it is locked meanwhile.

    Parameters
    ----------
    path : path
        The file.
    new : bool, default False
        Whether to create it if there is none.
    wait : float, default 300
        How many seconds to wait while it is in use.

    Returns
    -------
    Ledger
        The ledger, as a context manager: use it in a `with` statement.

    Raises
    ------
    DataError
        There is no such ledger, it is damaged or in use, or others may read it.
    OutputError
        It cannot be written.
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
    if path.is_dir():
        raise DataError(f"{path} is a folder; name the ledger, a file")
    if not path.exists() and not new:
        raise DataError(f"{path} does not exist; name the ledger that release {param('ledger')} keeps")
    try:
        if not path.exists():
            _make(path)
    except OSError as error:
        raise OutputError(f"cannot make the ledger {path}: {error.strerror}") from error
    if path.stat().st_mode & _OTHERS:
        raise DataError(f"{path} can be read by others, and it holds the owner's key; do: chmod 600 {path}")
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    except sqlite3.Error as error:
        raise DataError(f"cannot open {path}: {error}") from error
    try:
        _lock(path, connection, wait)
        yield Ledger(path, connection)
    except sqlite3.Error as error:
        raise _in_words(path, error) from error
    finally:
        connection.close()


def _in_words(path: Path, error: sqlite3.Error) -> DataError | OutputError:
    """Return the error that tells what is wrong with a ledger."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _KIND_OF_ERROR
    if code == sqlite3.SQLITE_FULL:
        return OutputError(f"cannot write the ledger {path}: the disk is full; nothing was published, make room first")
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return OutputError(
            f"cannot write the ledger {path}: {error}; nothing was published, check the disk and the permissions of "
            "the file and its folder"
        )
    return DataError(f"{path} is not a ledger, or it is damaged: {error}; restore a backup")


def _lock(path: Path, connection: sqlite3.Connection, wait: float) -> None:
    """Lock a ledger until it is closed, beyond the end of a transaction; wait for it in small steps."""
    give_up = time.monotonic() + wait
    while True:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
        else:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # not before: those that wait would hold a lock
            return
        if time.monotonic() >= give_up:
            raise DataError(
                f"{path} is in use, and still was after {wait:g} s: another release is being made; try again, or wait "
                f"longer with {param('wait')}"
            )
        time.sleep(_BETWEEN_TRIES)


@contextmanager
def recording_rows(
    path: str | os.PathLike[str] | None, folder: Path, *, wait: float
) -> Iterator[tuple[Callable[[Transactions], str | None], Callable[[Path], None]]]:
    """Yield (fingerprint, record); both are no-ops without a ledger."""
    if path is None:
        yield lambda _: None, lambda _: None
        return
    with open_ledger(path, new=True, wait=wait) as book:
        if book.entries:
            raise NotSafe(
                "the ledger holds earlier releases, and rows cannot be audited together with them; publish one or the "
                "other"
            )
        with book.recording(folder) as record:
            yield book.fingerprint, record


def _make(path: Path) -> None:
    """Create an empty ledger with a new key, atomically and never readable by others."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)  # mode 600
    os.close(handle)
    temporary = Path(name)
    try:
        connection = sqlite3.connect(temporary)
        connection.executescript(_TABLES)
        connection.execute("INSERT INTO owner VALUES (?, ?)", [_FORM, secrets.token_bytes(_KEY_BYTES)])
        connection.commit()
        connection.close()
        with suppress(FileExistsError):  # somebody else just made one: that is the ledger, and it stays
            path.hardlink_to(temporary)
    finally:
        temporary.unlink(missing_ok=True)


def _patterns_in(content: bytes) -> PatternSet:
    with scratch_folder() as folder:
        file = folder / PATTERNS
        file.write_bytes(content)
        return read_patterns(file).to_patternset()

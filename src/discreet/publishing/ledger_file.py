"""The file of a ledger: a database of SQLite that is begun, opened and locked, with errors in words.

A lock lasts until the file is closed, beyond the end of a transaction, and others wait for it. A new file gets its name
when its owner says so, and never replaces another.

An encrypted ledger is such a database in memory. Each change of it is written as a new file, which is locked before it
takes the place of the old one, so that there is never one under this name that somebody else could lock meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from discreet.errors import DataError, OutputError, ParameterError, param
from discreet.tables.private_files import PassphraseKey, decrypted, encrypted_bytes, is_encrypted
from discreet.tables.scratch import locked_file, remove_abandoned
from discreet.tables.system import RENAMES_OPEN_FILES, bring_to_disk, give_to, is_handle_of
from discreet.tables.system import lock as lock_handle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "SECONDS_TO_WAIT",
    "EncryptedFile",
    "check_ledger_path",
    "check_told",
    "encrypted_file",
    "is_encrypted_ledger",
    "lock_file",
    "new_file",
    "opened_file",
    "remove_leftovers",
]

SECONDS_TO_WAIT = 300
"""How long a release waits for others that are being made, by default."""

_BETWEEN_TRIES = 0.02
_KIND_OF_ERROR = 0xFF
_TABLES = """
CREATE TABLE owner (form INTEGER NOT NULL, key BLOB NOT NULL, number INTEGER NOT NULL, head TEXT NOT NULL);
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, head TEXT NOT NULL, record TEXT NOT NULL, certificate BLOB, patterns BLOB
);
"""
_NEW, _NEXT = ".part", ".next"
_open_here: Counter[tuple[int, int]] = Counter()
"""Device and inode of the plain ledgers that this program has open.

Such a file must not be opened in another way, not even to look at it: closing it would end SQLite's lock.
"""
_looking = threading.Lock()
"""Held while files are looked at, and while one is counted as open."""


def check_ledger_path(path: str | os.PathLike[str] | None, *, new: bool) -> None:
    """Refuse a ledger that is not there, or that is to be begun and is there already."""
    if path is None:
        if new:
            raise ParameterError(
                f"{param('new_ledger', value=True)} begins the ledger that {param('ledger')} names; give both",
                parameter="new_ledger",
            )
        return
    path = Path(path)
    if path.is_dir():
        raise DataError(f"{path} is a folder; name the ledger, a file")
    if new and (path.exists() or path.is_symlink()):
        raise OutputError(f"{path} exists already; leave {param('new_ledger', value=True)} out to go on with it")
    if not new and not path.exists():
        raise DataError(
            f"{path} does not exist; check the name, or begin a ledger with {param('new_ledger', value=True)}"
        )


def check_told(*, rows_left: bool, rows_added: bool, ledger: object) -> None:
    """Refuse what an owner says about the rows of earlier releases if it contradicts itself, or there is no ledger."""
    for name, told in (("rows_left", rows_left), ("rows_added", rows_added)):
        if told and ledger is None:
            raise ParameterError(
                f"{param(name)} is about the releases in a ledger; give a ledger as well", parameter=name
            )
    if rows_left and rows_added:
        raise ParameterError(
            f"{param('rows_left')} and {param('rows_added')} contradict each other: either rows of earlier releases "
            "left, or rows were only added; leave one of them out",
            parameter="rows_added",
        )


@contextmanager
def new_file(
    path: Path, passphrase: str | bytes | None = None
) -> Iterator[tuple[sqlite3.Connection, Callable[[], None], EncryptedFile | None]]:
    """Yield a ledger without an owner, a function that gives it the name `path`, and how it is encrypted.

    Until then it has a hidden name and is never readable by others; an encrypted one is in memory.
    """
    if passphrase is not None:
        key = PassphraseKey.of(passphrase)
        with _in_memory(path) as connection, closing(EncryptedFile(path, connection, key)) as encrypted:
            connection.executescript(_TABLES)
            yield connection, encrypted.write, encrypted
        return
    try:
        temporary, lock = locked_file(path.parent, _prefix(path), _NEW)  # not SQLite's lock, which is another kind
    except OSError as error:
        raise OutputError(f"cannot make the ledger {path}: {error.strerror}") from error

    def place() -> None:
        try:
            _place_new(temporary, path)
        except OSError as error:
            raise OutputError(f"cannot make the ledger {path}: {error.strerror}") from error
        # SQLite's journal has the hidden name, under which nobody would find it after a kill
        connection.execute("PRAGMA query_only = ON")

    try:
        with opened_file(temporary, path) as connection:
            connection.executescript(_TABLES)
            try:
                yield connection, place, None
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_READONLY or not path.exists():
                    raise
                raise DataError(f"{path} was just begun, and has its first entry; open it again to add more") from error
    finally:
        temporary.unlink(missing_ok=True)
        os.close(lock)


def _prefix(path: Path) -> str:
    return f".{path.name[:40]}."


def _where(path: Path) -> Path:
    """Return where a ledger is: what a link leads to, not the link."""
    return Path(os.path.realpath(path))


def remove_leftovers(path: Path) -> None:
    """Remove what killed runs left of a ledger at this path, unless this program has a plain ledger open."""
    path = _where(path)
    with _looking:
        for suffix in (_NEW, _NEXT) if not +_open_here else ():
            remove_abandoned(path.parent, _prefix(path), suffix)


def _place_new(temporary: Path, path: Path) -> None:
    """Name a file, and bring the name to disk."""
    try:
        os.link(temporary, path)  # unlike a rename, never replaces another
    except FileExistsError:
        raise OutputError(
            f"{path} was begun by another release meanwhile; leave {param('new_ledger', value=True)} out"
        ) from None
    bring_to_disk(path.parent)


class EncryptedFile:
    """An encrypted ledger: its database in memory, its key, and a lock on its file, once there is one."""

    def __init__(self, path: Path, connection: sqlite3.Connection, key: PassphraseKey, lock: int | None = None) -> None:
        """Take over the lock, a handle."""
        if not RENAMES_OPEN_FILES:
            raise ParameterError(
                f"{path} cannot be an encrypted ledger on this system, which renames no open file; keep a plain one on "
                "an encrypted disk",
                parameter="passphrase",
            )
        self.path = path
        self.connection = connection
        self.key = key
        self._lock = lock

    def write(self) -> None:
        """Write the database in place of the old file, or under a name that is free; the new file is locked."""
        path = _where(self.path)
        try:
            temporary, lock = locked_file(path.parent, _prefix(path), _NEXT)
        except OSError as error:
            raise _cannot_write(self.path, error) from error
        try:
            lock_handle(lock, wait=False)  # is an error where there are no locks
            with open(lock, "wb", closefd=False) as file:
                file.writelines(encrypted_bytes([self.connection.serialize()], self.key))
            if self._lock is None:
                os.fsync(lock)
                _place_new(temporary, path)
            else:
                before = os.fstat(self._lock)
                give_to(lock, before)
                os.fsync(lock)
                temporary.replace(path)
                bring_to_disk(path.parent)
        except OSError as error:
            os.close(lock)
            raise _cannot_write(self.path, error) from error
        except BaseException:
            os.close(lock)
            raise
        finally:
            temporary.unlink(missing_ok=True)
        self.close()
        self._lock = lock

    def close(self) -> None:
        """End the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _cannot_write(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"cannot write the ledger {path}: {error.strerror}; nothing was published, check the disk and its folder"
    )


def is_encrypted_ledger(path: Path) -> bool:
    """Return whether a ledger is encrypted; a plain one that this program has open is known not to be."""
    about = path.stat()
    with _looking:
        return not _open_here[about.st_dev, about.st_ino] and is_encrypted(path)


@contextmanager
def encrypted_file(path: Path, passphrase: str | bytes, wait: float) -> Iterator[EncryptedFile]:
    """Lock an encrypted ledger, and yield it as a database in memory."""
    lock = _locked(path, wait)
    try:
        with open(lock, "rb", closefd=False) as opened:
            content, key = decrypted(opened, passphrase, str(path))
    except BaseException:
        os.close(lock)
        raise
    with _in_memory(path) as connection, closing(EncryptedFile(path, connection, key, lock)) as file:
        connection.deserialize(content)
        yield file


@contextmanager
def _in_memory(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.execute("PRAGMA temp_store = MEMORY")
        yield connection
    except sqlite3.Error as error:
        raise _in_words(path, error) from error
    finally:
        connection.close()


def _locked(path: Path, wait: float) -> int:
    """Lock the file that is at a path, and stays there while it is locked; return its handle."""
    give_up = time.monotonic() + wait
    while True:
        try:
            handle = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            raise _replaced(path) from None
        except OSError as error:
            raise DataError(f"cannot open {path}: {error.strerror}") from error
        try:
            lock_handle(handle, wait=False)
            if is_handle_of(handle, path):
                return handle
        except BlockingIOError:
            _wait_until(give_up, path, wait)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _replaced(path: Path) -> DataError:
    return DataError(f"{path} was replaced while it was waited for; try again")


@contextmanager
def opened_file(file: Path, path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file of SQLite, and tell in words what goes wrong with the ledger that is or will be at `path`."""
    where = f"file:{quote(os.path.abspath(file))}?mode=rw"  # noqa: PTH100 - links stay as they are
    about = file.stat()
    with _counted_as_open((about.st_dev, about.st_ino)):
        try:
            connection = sqlite3.connect(where, uri=True, timeout=0, isolation_level=None)
        except sqlite3.Error as error:
            raise DataError(f"cannot open {path}: {error}") from error
        try:
            yield connection
        except sqlite3.Error as error:
            raise _in_words(path, error) from error
        finally:
            connection.close()


@contextmanager
def _counted_as_open(file: tuple[int, int]) -> Iterator[None]:
    with _looking:
        _open_here[file] += 1
    try:
        yield
    finally:
        with _looking:
            _open_here[file] -= 1


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


def lock_file(path: Path, connection: sqlite3.Connection, wait: float) -> None:
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
        _wait_until(give_up, path, wait)


def _wait_until(give_up: float, path: Path, wait: float) -> None:
    """Wait for a ledger a little, or no longer."""
    if time.monotonic() >= give_up:
        raise DataError(
            f"{path} is in use, and still was after {wait:g} s: another release is being made; try again, or wait "
            f"longer with {param('wait')}"
        )
    time.sleep(_BETWEEN_TRIES)

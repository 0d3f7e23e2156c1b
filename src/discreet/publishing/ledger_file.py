"""The file of a ledger: a database of SQLite that is begun, opened and locked, with errors in words.

A lock lasts until the file is closed, beyond the end of a transaction, and others wait for it. A new file gets its name
when its owner says so, and never replaces another.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from discreet.errors import DataError, OutputError, ParameterError, param

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["SECONDS_TO_WAIT", "check_ledger_path", "lock_file", "new_file", "opened_file"]

SECONDS_TO_WAIT = 300
"""How long a release waits for others that are being made, by default."""

_BETWEEN_TRIES = 0.02
_KIND_OF_ERROR = 0xFF


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


@contextmanager
def new_file(path: Path) -> Iterator[tuple[sqlite3.Connection, Callable[[], None]]]:
    """Yield an empty file under a hidden name, never readable by others, and a function that names it `path`."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)  # mode 600
        os.close(handle)
    except OSError as error:
        raise OutputError(f"cannot make the ledger {path}: {error.strerror}") from error
    temporary = Path(name)

    def place() -> None:
        try:
            os.link(temporary, path)  # unlike a rename, never replaces another
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except FileExistsError:
            raise OutputError(
                f"{path} was begun by another release meanwhile; leave {param('new_ledger', value=True)} out"
            ) from None
        except OSError as error:
            raise OutputError(f"cannot make the ledger {path}: {error.strerror}") from error

    try:
        with opened_file(temporary, path) as connection:
            yield connection, place
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def opened_file(file: Path, path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file of SQLite, and tell in words what goes wrong with the ledger that is or will be at `path`."""
    where = f"file:{quote(os.path.abspath(file))}?mode=rw"  # noqa: PTH100 - links stay as they are
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
        if time.monotonic() >= give_up:
            raise DataError(
                f"{path} is in use, and still was after {wait:g} s: another release is being made; try again, or wait "
                f"longer with {param('wait')}"
            )
        time.sleep(_BETWEEN_TRIES)

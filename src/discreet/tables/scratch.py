"""Temporary files and folders that do not outlive their program.

A program holds a lock on what it has not finished. Whoever finds it without a lock knows that its program was killed,
and removes it. A signal can come between any two steps, so names are noted before anything is made under them.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.tables.system import handle_of, is_another_users, is_handle_of, lock, new_file

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["locked_file", "locked_folder", "remove_abandoned", "remove_own", "scratch_folder"]

_PREFIX = "discreet-scratch-"
_RANDOM = 8
"""How many characters of a name are drawn."""

_own: set[tuple[int, Path]] = set()
"""Names that were drawn, each with the process that drew it: a fork must not remove what is not its own."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a private folder for temporary files; it is removed with all that is in it when the block ends."""
    folder, handle = locked_folder(Path(tempfile.gettempdir()), _PREFIX, "")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def locked_folder(parent: Path, prefix: str, suffix: str) -> tuple[Path, int]:
    """Make a private folder with a lock on it; the lock ends when the handle is closed, or with the program."""
    while True:
        folder = _drawn(parent, prefix, suffix)
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            _own.discard((os.getpid(), folder))
            continue
        try:
            handle = handle_of(folder)
        except FileNotFoundError:  # somebody took it for abandoned: it had no lock yet
            _own.discard((os.getpid(), folder))
            continue
        if _locked(handle, folder):
            return folder, handle
        os.close(handle)


def locked_file(parent: Path, prefix: str, suffix: str) -> tuple[Path, int]:
    """Make a private empty file with a lock on it; the lock ends when the handle is closed, or with the program."""
    while True:
        file = _drawn(parent, prefix, suffix)
        try:
            handle = new_file(file)
        except FileExistsError:
            _own.discard((os.getpid(), file))
            continue
        if _locked(handle, file):
            return file, handle
        os.close(handle)


def _drawn(parent: Path, prefix: str, suffix: str) -> Path:
    """Draw a name, and note it."""
    path = Path(os.path.abspath(parent / f"{prefix}{secrets.token_hex(_RANDOM // 2)}{suffix}"))  # noqa: PTH100
    _own.add((os.getpid(), path))
    return path


def remove_own() -> None:
    """Remove what is left of this program's own; for its end, when a signal may have come at any moment."""
    for pid, path in list(_own):
        if pid != os.getpid():
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        _own.discard((pid, path))


def _locked(handle: int, path: Path) -> bool:
    """Lock what was just made; False if somebody took it for abandoned before that."""
    with suppress(OSError):  # a file system without locks, on which nothing is ever taken for abandoned
        lock(handle, wait=True)
    return is_handle_of(handle, path)


def remove_abandoned(parent: Path | None = None, prefix: str = _PREFIX, suffix: str = "") -> None:
    """Remove what killed programs left in a folder, by default in the one for temporary files."""
    with suppress(OSError), os.scandir(parent or tempfile.gettempdir()) as entries:
        for entry in entries:
            fits = entry.name.startswith(prefix) and entry.name.endswith(suffix)
            if fits and len(entry.name) == len(prefix) + _RANDOM + len(suffix):
                _remove_unless_locked(Path(entry.path))


def _remove_unless_locked(path: Path) -> None:
    try:
        handle = handle_of(path)
    except OSError:
        return
    try:
        about = path.lstat()
        if is_another_users(about) or not is_handle_of(handle, path):
            return
        lock(handle, wait=False)
        if stat.S_ISDIR(about.st_mode):
            shutil.rmtree(path, ignore_errors=True)
        elif stat.S_ISREG(about.st_mode):
            path.unlink(missing_ok=True)
    except OSError:
        return  # its program is at work
    finally:
        os.close(handle)

"""Temporary files and folders that do not outlive their program.

A program holds a lock on what it has not finished. Whoever finds it without a lock knows that its program was killed,
and removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["locked_file", "locked_folder", "remove_abandoned", "scratch_folder"]

_PREFIX = "discreet-scratch-"
_RANDOM = 8
"""How many characters `tempfile` puts into a name."""


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
        folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=suffix, dir=parent))  # mode 700
        handle = os.open(folder, os.O_RDONLY)
        if _locked(handle, folder):
            return folder, handle
        os.close(handle)


def locked_file(parent: Path, prefix: str, suffix: str) -> tuple[Path, int]:
    """Make a private empty file with a lock on it; the lock ends when the handle is closed, or with the program."""
    while True:
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=suffix, dir=parent)  # mode 600
        if _locked(handle, Path(name)):
            return Path(name), handle
        os.close(handle)


def _locked(handle: int, path: Path) -> bool:
    """Lock what was just made; False if somebody took it for abandoned before that."""
    with suppress(OSError):  # a file system without locks, on which nothing is ever taken for abandoned
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def remove_abandoned(parent: Path | None = None, prefix: str = _PREFIX, suffix: str = "") -> None:
    """Remove what killed programs left in a folder, by default in the one for temporary files."""
    with suppress(OSError), os.scandir(parent or tempfile.gettempdir()) as entries:
        for entry in entries:
            fits = entry.name.startswith(prefix) and entry.name.endswith(suffix)
            if fits and len(entry.name) == len(prefix) + _RANDOM + len(suffix):
                _remove_unless_locked(Path(entry.path))


def _remove_unless_locked(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        about = os.fstat(handle)
        if about.st_uid != os.geteuid():
            return
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISDIR(about.st_mode):
            shutil.rmtree(path, ignore_errors=True)
        elif stat.S_ISREG(about.st_mode):
            path.unlink(missing_ok=True)
    except OSError:
        return  # its program is at work
    finally:
        os.close(handle)

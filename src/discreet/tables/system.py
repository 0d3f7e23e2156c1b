"""What differs between systems: locks, signals, owners, modes, and how files and folders take their places.

Every call that not all systems have is in this module, or in `machine_memory`, next to its counterpart for the others.
All of it is tested on Linux alone. macOS differs in memory and in how folders are exchanged, Windows also in these:

- Folders cannot be locked, and a file that is open cannot be renamed. What locks either is a file of its own, in the
  folder for temporary files, which Windows removes when it is closed.
- Modes do not say who may read a file. Nothing is refused because of them; access lists have to be right.
- An encrypted ledger, which is replaced while it is locked, is refused.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

fcntl: Any = None
msvcrt: Any = None
with suppress(ImportError):
    import fcntl
with suppress(ImportError):
    import msvcrt

__all__ = [
    "ENDING_SIGNALS",
    "RENAMES_OPEN_FILES",
    "bring_to_disk",
    "can_others_read",
    "exchange",
    "give_to",
    "handle_of",
    "is_another_users",
    "is_handle_of",
    "lock",
    "name_folder",
    "new_file",
]

RENAMES_OPEN_FILES = fcntl is not None
"""Whether files that are open, and folders, are locked themselves, and renamed meanwhile; not so on Windows."""

ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that ask a program to end."""

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)
_GONE_WHEN_CLOSED = getattr(os, "O_TEMPORARY", 0)
_user = getattr(os, "geteuid", None)
_change_owner = getattr(os, "fchown", None)
_OTHERS = 0o077
_PAUSE = 0.05


# -------------------------------------------------------------------------------------------------------------- locks


def new_file(path: Path) -> int:
    """Make a private empty file, and return a handle to lock it by; FileExistsError if the name is taken."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINKS, 0o600)
    if RENAMES_OPEN_FILES:
        return handle
    os.close(handle)
    return handle_of(path)


def handle_of(path: Path, *, folder: bool = False) -> int:
    """Return a handle to lock a file or a folder by; links are not followed, unless it must be a folder."""
    if RENAMES_OPEN_FILES:
        return os.open(path, os.O_RDONLY | (_FOLDER if folder else _NO_LINKS | _AT_ONCE))
    if folder and not path.is_dir():
        raise NotADirectoryError(20, "it is not a folder")
    path.lstat()
    import hashlib

    name = hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()  # noqa: PTH100 - links stay as they are
    place = Path(tempfile.gettempdir()) / f"discreet-lock-{name[:32]}"
    return os.open(place, os.O_RDWR | os.O_CREAT | _GONE_WHEN_CLOSED, 0o600)


def lock(handle: int, *, wait: bool) -> None:
    """Lock what a handle is of until it is closed; BlockingIOError if another has it, OSError if there are no locks."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    while True:
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            if not wait:
                raise BlockingIOError(11, "another program has the lock") from None
            time.sleep(_PAUSE)
        else:
            return


def is_handle_of(handle: int, path: Path) -> bool:
    """Return whether what a handle locks is still at a path."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return False
    return not RENAMES_OPEN_FILES or os.path.samestat(os.fstat(handle), about)


# ------------------------------------------------------------------------------------------------- owners and readers


def is_another_users(about: os.stat_result) -> bool:
    """Return whether a file belongs to another user; on Windows, everyone has a folder for temporary files."""
    return _user is not None and about.st_uid != _user()


def can_others_read(about: os.stat_result | int) -> bool:
    """Return whether a file's mode lets others read or change it; on Windows, modes do not say."""
    mode = about if isinstance(about, int) else about.st_mode
    return _user is not None and bool(mode & _OTHERS)


def give_to(handle: int, about: os.stat_result) -> None:
    """Change the owner of a file to that of another, if we may."""
    if _change_owner is not None:
        with suppress(OSError):  # only root can
            _change_owner(handle, about.st_uid, about.st_gid)


# ------------------------------------------------------------------------------------------------------ files in place


def bring_to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk; Windows does so for files alone."""
    if not RENAMES_OPEN_FILES and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY if RENAMES_OPEN_FILES else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def name_folder(temporary: Path, path: Path) -> None:
    """Rename a folder to a name that nothing but an empty folder may have."""
    if not RENAMES_OPEN_FILES and path.is_dir():
        path.rmdir()  # others replace it in the same step
    temporary.rename(path)


def exchange(temporary: Path, path: Path) -> None:
    """Exchange two folders, in one step on Linux and macOS, so that at every moment one of them has the name."""
    import ctypes

    library: Any
    try:
        library = ctypes.CDLL(None)
    except (TypeError, OSError):
        library = None  # Windows
    one, other = os.fsencode(temporary), os.fsencode(path)
    here, swap = -100, 2  # AT_FDCWD; RENAME_EXCHANGE of Linux is RENAME_SWAP of macOS
    if hasattr(library, "renameat2"):
        if library.renameat2(here, one, here, other, swap) == 0:
            return
    elif hasattr(library, "renamex_np") and library.renamex_np(one, other, swap) == 0:
        return
    aside = temporary.with_suffix(".old")  # other systems and file systems need three steps
    path.rename(aside)
    try:
        temporary.rename(path)
    except BaseException:
        aside.rename(path)
        raise
    aside.rename(temporary)

"""Folders that appear whole or not at all.

The files are written into a hidden folder beside the target, brought to disk, and the folder is renamed: whoever looks
sees nothing, or everything, also after a power cut or a kill -9. What a killed program leaves behind is the hidden
folder; the next one that writes to the same place removes it, and knows by a lock that nobody writes there any more.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import OutputError, param

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_folder", "whole_folder"]


def check_folder(path: Path, *, force: bool = False) -> None:
    """Refuse a folder that could not be written, before any work is done for it."""
    if str(path) == "-":
        raise OutputError("a folder cannot be written to standard output; name one instead of -")
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise OutputError(f"{path} exists and is not a folder; choose another name")
    if not path.parent.is_dir():
        raise OutputError(f"the folder {path.parent} does not exist; create it or choose another output")
    if not force and path.is_dir() and any(path.iterdir()):
        raise OutputError(
            f"{path} is not empty; choose another name, or give {param('force', value=True)} to replace what is in it"
        )


@contextmanager
def whole_folder(path: Path, *, force: bool = False, keep_others: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside `path`; it takes its place when the block ends without an error.

    With `force` a folder that is there is replaced; `keep_others` then keeps files of other names in it.
    """
    check_folder(path, force=force)
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a name for "." too, and links stay as they are
    _remove_left_behind(path)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=_prefix(path), suffix=_SUFFIX, dir=path.parent))
    except OSError as error:
        raise OutputError(f"cannot write in {path.parent}: {error.strerror}") from error
    try:
        with _locked(temporary):
            yield temporary
            try:
                _settle(temporary, path, force=force, keep_others=keep_others)
            except OSError as error:
                raise OutputError(f"cannot write {path}: {error.strerror}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


_SUFFIX = ".part"


def _prefix(path: Path) -> str:
    return f".{path.name[:40]}."


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder; it ends with the program, however that ends."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _remove_left_behind(path: Path) -> None:
    """Remove the temporary folders of programs that were killed."""
    for old in path.parent.glob(f"{_prefix(path)}*{_SUFFIX}"):
        try:
            handle = os.open(old, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(old, ignore_errors=True)
        except OSError:
            continue  # somebody is writing there
        finally:
            os.close(handle)


def _settle(temporary: Path, path: Path, *, force: bool, keep_others: bool) -> None:
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o777 & ~mask)
    for file in (*temporary.rglob("*"), temporary):
        _bring_to_disk(file)
    if not force or not path.is_dir() or not any(path.iterdir()):
        temporary.rename(path)  # also in the place of an empty folder, and of no other
    else:
        old = Path(tempfile.mkdtemp(prefix=_prefix(path), suffix=_SUFFIX, dir=path.parent))
        path.rename(old)
        temporary.rename(path)
        for file in old.iterdir() if keep_others else ():
            if not (path / file.name).exists():
                file.rename(path / file.name)
        shutil.rmtree(old, ignore_errors=True)
    _bring_to_disk(path.parent)


def _bring_to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

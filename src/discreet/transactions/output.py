"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_output", "whole_file"]


def check_output(path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Refuse an output path that could not be written, before any work is done for it."""
    path = Path(path)
    if path.is_dir():
        raise OutputError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise OutputError(f"the folder {path.parent} does not exist; create it or choose another output")
    if not force and (path.exists() or path.is_symlink()):
        raise OutputError(f"{path} exists already; choose another name, or give --force to replace it")
    return path


@contextmanager
def whole_file(path: str | os.PathLike[str], *, force: bool = False, private: bool = False) -> Iterator[Path]:
    """Give the path of a temporary file beside `path`; it takes its place when the block ends without an error.

    Nobody but the owner may read a `private` one.
    """
    path = check_output(path, force=force)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise OutputError(f"cannot write in {path.parent}: {error.strerror}") from error
    temporary = Path(name)
    try:
        try:
            yield temporary
            _settle(temporary, path, force=force, private=private)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror or error}; nothing was changed") from error
    finally:
        temporary.unlink(missing_ok=True)


def _settle(temporary: Path, path: Path, *, force: bool, private: bool) -> None:
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    if not private:  # mkstemp's files are
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
    if force:
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)  # unlike a rename, never replaces a file that appeared meanwhile
    except FileExistsError:
        raise OutputError(f"{path} exists already; choose another name, or give --force to replace it") from None
    except OSError:
        temporary.rename(path)  # a file system without hard links

"""Folders that appear whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_folder", "whole_folder"]


def check_folder(path: Path, *, force: bool = False) -> None:
    """Refuse a folder that could not be written, before any work is done for it."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise OutputError(f"{path} exists and is not a folder; choose another name")
    if not path.parent.is_dir():
        raise OutputError(f"the folder {path.parent} does not exist; create it or choose another output")
    if not force and path.is_dir() and any(path.iterdir()):
        raise OutputError(f"{path} is not empty; choose another name, or give --force to replace files in it")


@contextmanager
def whole_folder(path: Path, *, force: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside `path`; its files move there when the block ends without an error."""
    check_folder(path, force=force)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent))
    except OSError as error:
        raise OutputError(f"cannot write in {path.parent}: {error.strerror}") from error
    try:
        yield temporary
        try:
            path.mkdir(exist_ok=True)
            for file in sorted(temporary.iterdir()):
                file.replace(path / file.name)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)

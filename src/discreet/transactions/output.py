"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import OutputError, param

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["all_or_none", "check_output", "keep_inputs", "whole_file"]

_together: ContextVar[list[_Written] | None] = ContextVar("files that take their places together", default=None)


def check_output(path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Refuse an output path that could not be written, before any work is done for it."""
    path = Path(path)
    if str(path) == "-":
        raise OutputError("this is not written to standard output; name a file instead of -")
    if path.is_dir():
        raise OutputError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise OutputError(f"the folder {path.parent} does not exist; create it or choose another output")
    if not force and (path.exists() or path.is_symlink()):
        raise OutputError(
            f"{path} exists already; choose another name, or give {param('force', value=True)} to replace it"
        )
    return path


def keep_inputs(outputs: Iterable[Path], inputs: Iterable[str | os.PathLike[str] | None]) -> None:
    """Refuse outputs that are lists read here, whatever is forced: what they hold would be lost."""
    read = {Path(each).resolve() for each in inputs if each is not None}
    for path in outputs:
        if path.resolve() in read:
            raise OutputError(f"{path} is read here, and what it holds would be lost; choose another name")


@contextmanager
def all_or_none() -> Iterator[None]:
    """Let the files that are written in the block take their places when it ends: all of them, or none."""
    written: list[_Written] = []
    token = _together.set(written)
    try:
        yield
        for file in written:
            file.take_place()
    finally:
        _together.reset(token)
        for file in written:
            file.temporary.unlink(missing_ok=True)


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
    file = _Written(Path(name), path, force, private)
    together = _together.get()
    try:
        yield file.temporary
        file.finish()
        if together is None:
            file.take_place()
        else:
            together.append(file)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}; nothing was changed") from error
    finally:
        if together is None or file not in together:
            file.temporary.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Written:
    """A temporary file, and the place it will take."""

    temporary: Path
    path: Path
    force: bool
    private: bool

    def finish(self) -> None:
        """See to it that the bytes are on the disk, and that those may read them who should."""
        with self.temporary.open("rb+") as file:
            os.fsync(file.fileno())
        if not self.private:  # mkstemp's files are
            mask = os.umask(0)
            os.umask(mask)
            self.temporary.chmod(0o666 & ~mask)

    def take_place(self) -> None:
        if self.force:
            self.temporary.replace(self.path)
            return
        try:
            os.link(self.temporary, self.path)  # unlike a rename, never replaces a file that appeared meanwhile
        except FileExistsError:
            raise OutputError(
                f"{self.path} exists already; choose another name, or give {param('force', value=True)} to replace it"
            ) from None
        except OSError:
            self.temporary.rename(self.path)  # a file system without hard links

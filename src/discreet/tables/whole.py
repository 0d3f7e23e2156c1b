"""Write files and folders atomically.

They are written under a hidden name next to the target, flushed to disk and renamed: a reader sees nothing or
everything, even after a power cut or a kill -9. What a killed program leaves is removed by the next one that writes to
the same place, which knows by a lock that the writer is gone.
"""

from __future__ import annotations

import gzip
import os
import shutil
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DiscreetError, OutputError, param
from discreet.tables.scratch import locked_file, locked_folder, remove_abandoned
from discreet.tables.system import bring_to_disk, exchange, name_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

__all__ = ["all_or_none", "check_folder", "check_output", "keep_inputs", "output_file", "whole_file", "whole_folder"]

_SUFFIX = ".part"
_together: ContextVar[list[_Written] | None] = ContextVar("files that take their places together", default=None)


def check_output(path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Refuse an unwritable output path before any work is done for it."""
    from discreet.tables.containers import container_of, refuse_unwritable

    path = Path(path)
    if str(path) == "-":
        raise OutputError("this is not written to standard output; name a file instead of -")
    if path.is_dir():
        raise OutputError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise OutputError(f"the folder {path.parent} does not exist; create it or choose another output")
    refuse_unwritable(path, container_of(path)[0])
    if not force and (path.exists() or path.is_symlink()):
        raise OutputError(
            f"{path} exists already; choose another name, or give {param('force', value=True)} to replace it"
        )
    return path


def keep_inputs(outputs: Iterable[Path], inputs: Iterable[str | os.PathLike[str] | None]) -> None:
    """Refuse outputs that are inputs of this run, even with `force`: their contents would be lost.

    So is a folder that holds an input, and a link to one, of either kind.
    """
    from discreet.tables.file_parts import FileParts, files_of

    read: set[Path] = set()
    for each in inputs:
        try:
            found = None if each is None else files_of(each)
        except DiscreetError:
            continue  # whoever reads it says why
        if isinstance(found, FileParts):
            read |= {_place(part.path) for part in found.parts}
        elif found is not None and os.fspath(found) != "-":
            read.add(_place(found))
    for path in outputs:
        place = _place(path)
        if place in read or any(_is_within(each, path, place) for each in read):
            is_read = "is a folder that holds what is read" if path.is_dir() else "is read"
            raise OutputError(f"{path} {is_read} here, and what it holds would be lost; choose another name")


def _place(path: str | os.PathLike[str]) -> Path:
    """Return where a path leads; unlike `resolve`, links in a circle are no error here."""
    return Path(os.path.realpath(path))


def _is_within(read: Path, output: Path, place: Path) -> bool:
    """Return whether a file is the output by another name, or lies in the folder that the output is."""
    with suppress(OSError, ValueError):
        return output.samefile(read) or (output.is_dir() and read.is_file() and read.is_relative_to(place))
    return False


@contextmanager
def all_or_none() -> Iterator[None]:
    """Rename the files written in the block when it ends: all of them, or none. A block in a block is part of it."""
    if _together.get() is not None:
        yield
        return
    written: list[_Written] = []
    token = _together.set(written)
    try:
        yield
        for file in written:
            try:
                file.take_place()
            except OSError as error:
                raise OutputError(f"cannot write {file.path}: {error.strerror or error}") from error
    finally:
        _together.reset(token)
        for file in written:
            file.close()


@contextmanager
def whole_file(
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    private: bool = False,
    check: Callable[[Path], None] | None = None,
    within: Path | None = None,
) -> Iterator[Path]:
    """Yield the path of a temporary file next to `path`; it is renamed when the block ends without an error.

    A `private` file is readable by its owner only. `check` is called with the finished file before it takes its name,
    and raises an error if it must not. The temporary file is `within` another folder of the same disk, if one is named.
    """
    path = check_output(path, force=force)
    place = within or path.parent
    remove_abandoned(place, _prefix(path), _SUFFIX)
    try:
        temporary, lock = locked_file(place, _prefix(path), _SUFFIX)
    except OSError as error:
        raise OutputError(f"cannot write in {place}: {error.strerror}") from error
    file = _Written(temporary, path, force, private, lock)
    together = _together.get()
    try:
        yield file.temporary
        file.finish()
        if check is not None:
            check(file.temporary)
        if together is None:
            file.take_place()
        else:
            together.append(file)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}; nothing was changed") from error
    finally:
        if together is None or file not in together:
            file.close()


@contextmanager
def output_file(
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    private: bool = False,
    level: int = 9,
    check: Callable[[Path], None] | None = None,
) -> Iterator[BinaryIO]:
    """Open the temporary file for a path, compressed if its name ends in `.gz`.

    Same content, same bytes: a compressed file contains no name or time.
    """
    with whole_file(path, force=force, private=private, check=check) as temporary, temporary.open("wb") as file:
        if Path(path).suffix.lower() == ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=level) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield file


@dataclass(frozen=True, slots=True)
class _Written:
    """A temporary file, and its final path."""

    temporary: Path
    path: Path
    force: bool
    private: bool
    lock: int

    def close(self) -> None:
        """Remove the temporary file if it has not taken its place, and end the lock on it."""
        self.temporary.unlink(missing_ok=True)
        os.close(self.lock)

    def finish(self) -> None:
        """Flush to disk and set permissions."""
        with self.temporary.open("rb+") as file:
            os.fsync(file.fileno())
        if not self.private:  # mkstemp's files are private
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


def check_folder(path: Path, *, force: bool = False) -> None:
    """Refuse an unwritable folder before any work is done for it."""
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
    """Yield a temporary folder next to `path`; it is renamed when the block ends without an error.

    With `force` an existing folder is replaced; `keep_others` then keeps its files with other names.
    """
    check_folder(path, force=force)
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a name for "." too, and links stay as they are
    remove_abandoned(path.parent, _prefix(path), _SUFFIX)
    try:
        temporary, lock = locked_folder(path.parent, _prefix(path), _SUFFIX)
    except OSError as error:
        raise OutputError(f"cannot write in {path.parent}: {error.strerror}") from error
    try:
        yield temporary
        try:
            _settle(temporary, path, force=force, keep_others=keep_others)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        os.close(lock)


def _prefix(path: Path) -> str:
    return f".{path.name[:40]}."


def _settle(temporary: Path, path: Path, *, force: bool, keep_others: bool) -> None:
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o777 & ~mask)
    for file in (*temporary.rglob("*"), temporary):
        bring_to_disk(file)
    if not force or not path.is_dir() or not any(path.iterdir()):
        name_folder(temporary, path)
    else:
        if keep_others:
            for file in path.iterdir():
                if not (temporary / file.name).exists():
                    _repeat(file, temporary / file.name)
        exchange(temporary, path)  # what was there is now the temporary folder, and goes with it
    bring_to_disk(path.parent)


def _repeat(file: Path, other: Path) -> None:
    """Link a file or a folder under a second name; it is a copy on file systems without hard links."""
    if file.is_dir() and not file.is_symlink():
        shutil.copytree(file, other, symlinks=True)
        return
    try:
        os.link(file, other, follow_symlinks=False)
    except (OSError, NotImplementedError):  # Windows follows links
        shutil.copy2(file, other, follow_symlinks=False)

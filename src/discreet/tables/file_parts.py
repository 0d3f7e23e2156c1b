"""Several files that are read as one: those given, those that a glob names, or those in a folder.

Folders named `key=value`, as Hive, Spark and others make them for Parquet, stand for a column. Files and folders whose
name begins with a dot or an underscore are no parts: Spark's `_SUCCESS` and the like.
"""

from __future__ import annotations

import glob
import hashlib
import os
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from discreet.command_words import FileList
from discreet.errors import DataError, ParameterError
from discreet.tables.table import ArrowBatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.tables.table import Batch

__all__ = ["FilePart", "FileParts", "digest_of_parts", "files_of", "with_keys"]

_NOTHING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file, and what the folders on the way to it say: columns with one value each, None for a missing one."""

    path: Path
    keys: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class FileParts:
    """Several files, in order; `name` is what they are called together."""

    name: str
    parts: tuple[FilePart, ...]


def files_of(source: str | PathLike[str] | Sequence[str | PathLike[str]]) -> FileParts | str | PathLike[str]:
    """Return the files that a source stands for; the source itself if it is one file, or standard input."""
    if isinstance(source, (list, tuple)) and source:
        source = FileList.of([fspath(each) for each in source])
    if not isinstance(source, (str, PathLike)):
        raise ParameterError("name a file to read, or - for standard input", parameter="source")
    if isinstance(source, FileList):
        if "-" in source.files:
            raise ParameterError("standard input cannot be read together with files", parameter="source")
        return FileParts(str(source), tuple(FilePart(Path(each)) for each in source.files))
    name = fspath(source)
    path = Path(name)
    if os.path.isdir(name):  # noqa: PTH112 - False for a name that no file can have
        return FileParts(name, _in_folder(path))
    try:
        if not glob.has_magic(name) or path.exists():
            return source
        found = sorted(each for each in map(Path, glob.glob(name, recursive=True)) if each.is_file())  # noqa: PTH207
    except (OSError, ValueError):
        return source  # whoever opens it says why
    if not found:
        raise DataError(f"no file matches {name}; check the name")
    return FileParts(name, tuple(FilePart(each) for each in found))


def _in_folder(folder: Path) -> tuple[FilePart, ...]:
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        if path.is_file() and not any(name.startswith((".", "_")) for name in inside):
            found.append(FilePart(path, tuple(_key(name) for name in inside[:-1] if "=" in name)))
    if not found:
        raise DataError(f"{folder} is a folder without files; name a file, or a folder that holds some")
    return tuple(found)


def _key(name: str) -> tuple[str, str | None]:
    key, _, value = name.partition("=")
    return unquote(key), None if value == _NOTHING else unquote(value)


def with_keys(batch: Batch, keys: Sequence[tuple[str, str | None]], width: int) -> Batch:
    """Return a batch with a further column for each key."""
    if not keys:
        return batch
    import pyarrow as pa

    own = [batch.values(at) for at in range(width)]
    more = [pa.array([value] * batch.rows, pa.string()) for _, value in keys]
    before, name = (batch.before, batch.name) if isinstance(batch, ArrowBatch) else (0, "")
    return ArrowBatch(columns=[*own, *more], rows=batch.rows, before=before, name=name)


def digest_of_parts(digests: Iterable[str]) -> str:
    """Return the SHA-256 of the files' SHA-256 digests, in order."""
    return hashlib.sha256(b"".join(map(bytes.fromhex, digests))).hexdigest()

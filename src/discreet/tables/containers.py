"""The containers of tables: the suffixes of each, its reader and its writer.

A new container is a module in this package and an entry here. SQL and data frames have no file name, so callers use
`duckdb.sql_table` and `frames.frame_table` directly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from discreet.errors import InternalFault, OutputError
from discreet.tables.csv import csv_table
from discreet.tables.duckdb import json_table, parquet_table
from discreet.tables.sheets import sheet_table
from discreet.tables.writers import write_csv, write_json, write_parquet

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import BinaryIO

    from discreet.tables.byte_source import ByteSource
    from discreet.tables.table import Table
    from discreet.tables.writers import WrittenColumns

__all__ = [
    "CONTAINERS",
    "Container",
    "TableContainer",
    "container_of",
    "known_suffixes",
    "refuse_unwritable",
    "suffix_of",
    "usual_suffix",
    "writable_name",
    "writer_of",
]

Container = Literal["text", "csv", "parquet", "json", "jsonl", "sheet"]
"""The kind of file; `text` is FIMI's and SPMF's plain lines, which are not a table. A `sheet` is only read."""


@dataclass(frozen=True, slots=True)
class TableContainer:
    """How a table is read from bytes, and how it is written; None if it is not."""

    suffixes: tuple[str, ...]
    open: Callable[[ByteSource], AbstractContextManager[Table]]
    write: Callable[[WrittenColumns, BinaryIO], None] | None


CONTAINERS: dict[Container, TableContainer] = {
    "csv": TableContainer((".csv", ".tsv"), csv_table, write_csv),
    "parquet": TableContainer((".parquet",), parquet_table, write_parquet),
    "json": TableContainer((".json",), partial(json_table, lines=False), partial(write_json, lines=False)),
    "jsonl": TableContainer((".jsonl",), partial(json_table, lines=True), partial(write_json, lines=True)),
    "sheet": TableContainer((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), sheet_table, None),
}
_SUFFIXES: dict[str, Container] = {
    ".dat": "text",
    ".txt": "text",
    **{suffix: container for container, each in CONTAINERS.items() for suffix in each.suffixes},
}
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def suffix_of(path: str | os.PathLike[str]) -> tuple[str, bool]:
    """Return a file's suffix in lower case, and whether `.gz` follows it."""
    name = PurePath(path).name.lower()
    return PurePath(name.removesuffix(".gz")).suffix, name.endswith(".gz")


def container_of(path: str | os.PathLike[str]) -> tuple[Container | None, str | None]:
    """Return the container that a file's name implies (with or without `.gz`), and a CSV's delimiter."""
    suffix, _ = suffix_of(path)
    return _SUFFIXES.get(suffix), _DELIMITERS.get(suffix)


def usual_suffix(container: Container) -> str:
    """Return how the name of a file of this kind ends."""
    return ".dat" if container == "text" else CONTAINERS[container].suffixes[0]


def known_suffixes(path: str | os.PathLike[str]) -> str:
    """Return the part of a file's name that says what it contains, such as `.csv.gz`."""
    return "".join(each for each in PurePath(path).suffixes if each.lower() in _SUFFIXES or each.lower() == ".gz")


def writable_name(name: str) -> str:
    """Return the name for rows that came from a file of this name: that of a CSV if they came from a sheet."""
    if container_of(name)[0] != "sheet":
        return name
    return f"{PurePath(name.removesuffix('.gz')).stem}.csv"


def writer_of(container: Container) -> Callable[[WrittenColumns, BinaryIO], None]:
    """Return the writer of a container; see `refuse_unwritable`."""
    writer = None if container == "text" else CONTAINERS[container].write
    if writer is None:
        raise InternalFault(f"{container} has no writer of tables")
    return writer


def refuse_unwritable(path: str | os.PathLike[str], container: Container | None) -> None:
    """Refuse to write a container that is only read."""
    if container not in (None, "text") and CONTAINERS[container].write is None:
        raise OutputError(
            f"{path}: sheets of Excel and OpenDocument are only read; end the name in .csv, which both open"
        )

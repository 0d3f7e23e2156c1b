"""Rows of several files, one after another, as if they were one.

Tables are joined before they are read, so that a person's rows, or an id's items, may lie in several files. Rows that
have no columns are joined afterwards. Files that differ in format or columns are refused.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.itemsets import Itemsets
from discreet.tables.byte_source import open_bytes
from discreet.tables.file_parts import digest_of_parts, with_keys
from discreet.tables.table import Table
from discreet.transactions.disk_rows import are_on_disk
from discreet.transactions.read_record import ReadRecord, record_of
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from discreet.tables.byte_source import ByteSource
    from discreet.tables.file_parts import FilePart, FileParts
    from discreet.tables.table import Batch
    from discreet.transactions.options import ReadOptions

    Opener: TypeAlias = Callable[[ByteSource, ReadOptions, ExitStack], Transactions | Table]

__all__ = ["read_parts"]


def read_parts(
    several: FileParts,
    options: ReadOptions,
    opener: Opener,
    rows_of: Callable[[Table, ReadOptions], Transactions],
) -> Transactions:
    """Read files as one; `opener` opens one of them, as a table or as rows."""
    seen = _Seen()
    with _opened(several.parts[0], options, opener) as (first, _):
        if isinstance(first, Table):
            table = _joined_table(several, options, opener, first, seen)
    rows = rows_of(table, options) if isinstance(first, Table) else _joined_rows(several, options, opener, seen)
    record = replace(record_of(rows), name=several.name, sha256=digest_of_parts(seen.digests), bytes=seen.bytes)
    return rows.with_record(replace(record, encoding=seen.encodings.pop() if len(seen.encodings) == 1 else None))


@dataclass(slots=True)
class _Seen:
    """What was seen of the files: their digests and sizes, and the encodings of those that are text."""

    digests: list[str] = field(default_factory=list)
    bytes: int = 0
    encodings: set[str] = field(default_factory=set)
    filled: dict[str, ByteSource] = field(default_factory=dict)

    def add(self, source: ByteSource, container: str, rows: int) -> None:
        """Note a file that was read; refuse a copy of one that has rows, which would count twice."""
        digest, size = source.digest()
        if digest is not None and rows and (earlier := self.filled.setdefault(digest, source)) is not source:
            raise DataError(
                f"{source.name} holds the same bytes as {earlier.name}, so what is in it would count twice; leave one "
                "of them out"
            )
        self.digests.append(digest or "")
        self.bytes += size or 0
        if container in ("text", "csv"):
            self.encodings.add(source.encoding)


@contextmanager
def _opened(part: FilePart, options: ReadOptions, opener: Opener) -> Iterator[tuple[Transactions | Table, ByteSource]]:
    with open_bytes(part.path, encoding=options.encoding) as source, ExitStack() as stack:
        found = opener(source, options, stack)
        if isinstance(found, Table) and part.keys:
            if found.container in ("csv", "sheet"):
                raise DataError(
                    f"{part.path} lies in a folder named {part.keys[0][0]}=…, which stands for a column of Parquet "
                    "files only; name the folder otherwise"
                )
            keys = [key for key in part.keys if key[0] not in found.columns]
            width = len(found.columns)
            found.columns += tuple(key for key, _ in keys)
            found.batches = _with_keys(found.batches, keys, width)
        yield found, source


def _with_keys(batches: Iterator[Batch], keys: list[tuple[str, str | None]], width: int) -> Iterator[Batch]:
    for batch in batches:
        yield with_keys(batch, keys, width)


def _joined_table(several: FileParts, options: ReadOptions, opener: Opener, first: Table, seen: _Seen) -> Table:
    """Return one table of all files; while it is read, it goes by the name of the file that is being read."""

    def batches() -> Iterator[Batch]:
        for part in several.parts:
            with _opened(part, options, opener) as (table, source):
                if not isinstance(table, Table) or table.container != joined.container:
                    raise _other(part, several, "format")
                if (table.columns, table.list_columns) != (joined.columns, joined.list_columns):
                    raise _other(part, several, "columns")
                joined.name = str(part.path)
                rows = 0
                for batch in table.batches:
                    rows += batch.rows
                    yield batch
                seen.add(source, table.container, rows)
        joined.name = several.name

    joined = replace(first, name=several.name, batches=batches(), remarks={})
    return joined


def _joined_rows(several: FileParts, options: ReadOptions, opener: Opener, seen: _Seen) -> Transactions:
    """Return the rows of all files, none of which has columns."""
    labels: dict[str, int] = {}
    lengths, items = [], []
    first: Transactions | None = None
    for part in several.parts:
        with _opened(part, options, opener) as (rows, source):
            if isinstance(rows, Table) or (first is not None and record_of(first).shape != record_of(rows).shape):
                raise _other(part, several, "format")
            if are_on_disk(rows):
                raise ParameterError(
                    f"several files without columns cannot be read with {param('engine', 'disk')}; join them into one, "
                    "or use Spark",
                    parameter="engine",
                )
            seen.add(source, "text", len(rows))
        first = first or rows
        places = [labels.setdefault(label, len(labels)) for label in rows.vocabulary.labels]
        lengths.append(rows.itemsets.lengths)
        items.append(np.array(places, np.int32)[rows.items])
    if first is None:
        raise DataError(f"{several.name} holds no rows")
    codes = Itemsets.from_lengths(np.concatenate(lengths), np.concatenate(items))
    joined = Transactions.from_codes(codes, list(labels), layout=first.layout)
    read = record_of(first)
    about = {"shape": read.shape, "container": read.container, "separator": read.separator, "header": read.header}
    return joined.with_record(ReadRecord.of(joined, name=several.name, unit=read.unit, **about))


def _other(part: FilePart, several: FileParts, what: str) -> DataError:
    return DataError(
        f"{part.path} has another {what} than {several.parts[0].path}; files that are read together must agree"
        if what == "format"
        else f"{part.path} has other columns than {several.parts[0].path}; files that are read together must agree"
    )

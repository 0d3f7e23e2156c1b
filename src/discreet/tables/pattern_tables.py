"""Tables that other programs wrote, as named columns in batches: CSV text, Parquet, data frames.

Nothing is said here about what the columns mean; the modules named after tools do that. `json_tables` is the fourth.
"""

from __future__ import annotations

import csv
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError
from discreet.tables.arrow_arrays import arrow_numbers
from discreet.tables.csv import LONGEST_LINE, cell_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from discreet.tables.byte_source import ByteSource
    from discreet.tables.csv import CellBlock

    Batches = Iterator[Mapping[str, Any]]

__all__ = ["Table", "csv_table", "frame_table", "parquet_table"]

_REMARK = re.compile(r"#\s*([a-z_]+)\s*[:=]\s*(\S+)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table to be read once: `read(columns)` yields batches, each column an Arrow array or a Python list.

    `name` is how errors call it; `remarks` is what it says of itself apart from its columns; `is_json` says that lists
    in text cells are JSON.
    """

    name: str
    columns: tuple[str, ...]
    read: Callable[[tuple[str, ...]], Batches]
    remarks: Mapping[str, str] = field(default_factory=dict)
    is_json: bool = False

    def place(self, row: int) -> str:
        """Name a row for an error: its number, never what it holds."""
        return f"{self.name}, row {row + 1}"


@contextmanager
def csv_table(source: ByteSource) -> Iterator[Table]:
    """Read CSV: `#` lines at the top are remarks, then a header; commas, semicolons, tabs or blanks part the cells."""
    remarks, header, line, chunks = _top(source)
    delimiter, columns = _cut_header(header, source.name)
    blocks = cell_blocks(chunks, delimiter=delimiter, name=source.name, line=line, repeated=False)
    first = next(blocks, None)
    if first is not None:
        blocks = chain([first], blocks)
        if first.lengths[0] == len(columns) + 1:
            columns = ("row names", *columns)  # R names its rows in a column without a heading
    if len(set(columns)) < len(columns):
        raise DataError(f"{source.name}: two columns have the same name; rename one")

    def read(wanted: tuple[str, ...]) -> Batches:
        return _csv_batches(blocks, columns, wanted, source.name)

    yield Table(name=source.name, columns=columns, read=read, remarks=remarks)


def _top(source: ByteSource) -> tuple[dict[str, str], str, int, Iterator[bytes]]:
    """Return the remarks and the header line, the number of the line after it, and the bytes from there on."""
    remarks: dict[str, str] = {}
    chunks = source.chunks()
    waiting = b""
    for number in count(1):
        while b"\n" not in waiting and len(waiting) < LONGEST_LINE and (chunk := next(chunks, b"")):
            waiting += chunk
        if not waiting:
            raise DataError(f"{source.name} is empty; expected a header with the names of the columns")
        raw, _, waiting = waiting.partition(b"\n")
        try:
            line = raw.decode("utf-8-sig").strip("\r")
        except UnicodeDecodeError:
            raise DataError(f"{source.name}: the header is not UTF-8 text; save the file as UTF-8") from None
        if line.startswith("#"):
            if remark := _REMARK.fullmatch(line):
                remarks[remark[1]] = remark[2]
        elif line.strip():
            return remarks, line, number + 1, chain([waiting], chunks)
    raise AssertionError  # the count has no end


def _cut_header(header: str, name: str) -> tuple[str, tuple[str, ...]]:
    for delimiter in ",;\t ":
        cells = _cells(header, delimiter)
        if cells is not None and len(cells) > 1:
            return delimiter, tuple(cell.strip() for cell in cells)
    if len(header) > 200:  # noqa: PLR2004 - no name of a column
        raise DataError(f"{name}: the first line is not a header with the names of the columns")
    return ",", (header.strip().strip('"'),)


def _cells(line: str, delimiter: str) -> list[str] | None:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), None)
    except csv.Error:
        return None


def _csv_batches(blocks: Iterator[CellBlock], columns: tuple[str, ...], wanted: tuple[str, ...], name: str) -> Batches:
    width = len(columns)
    before = 0
    for block in blocks:
        if len(wrong := np.flatnonzero(block.lengths != width)):
            row = before + int(wrong[0]) + 1
            raise DataError(f"{name}, row {row}: expected {width} cells as in the header; correct the row")
        codes = block.codes.reshape(-1, width)
        yield {column: block.texts.take(arrow_numbers(codes[:, columns.index(column)])) for column in wanted}
        before += len(codes)


@contextmanager
def parquet_table(source: ByteSource) -> Iterator[Table]:
    """Read Parquet; the file's own metadata are the remarks."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    refusal = DataError(f"{source.name} is not a Parquet file that can be read; is it complete?")
    with source.plain_file() as path:
        try:
            with pq.ParquetFile(path) as opened:
                schema = opened.schema_arrow
                metadata = opened.metadata.metadata or {}
        except (pa.ArrowException, OSError, ValueError, KeyError):
            raise refusal from None

        def read(wanted: tuple[str, ...]) -> Batches:
            try:
                with pq.ParquetFile(path) as file:
                    for batch in file.iter_batches(columns=list(wanted)):
                        yield dict(zip(batch.schema.names, batch.columns, strict=True))
            except (pa.ArrowException, OSError):
                raise refusal from None

        remarks = {
            key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
            for key, value in metadata.items()
            if not key.startswith(b"ARROW:")
        }
        yield Table(name=source.name, columns=tuple(schema.names), read=read, remarks=remarks)


def frame_table(frame: Any) -> Table:  # any data frame
    """Read a data frame: pandas, polars, Arrow, or anything that narwhals or Arrow's PyCapsule interface knows."""
    import narwhals as nw
    import pyarrow as pa

    try:
        known = nw.from_native(frame, eager_only=True)
    except TypeError:
        if not hasattr(frame, "__arrow_c_stream__"):
            raise DataError(
                f"expected a path or a data frame, got {type(frame).__name__}; collect it, or write it to a file first"
            ) from None
        known = nw.from_native(pa.table(frame), eager_only=True)

    def read(wanted: tuple[str, ...]) -> Batches:
        columns = {name: _frame_column(known[name]) for name in wanted}
        if any(isinstance(column, list) for column in columns.values()):
            yield {name: column if isinstance(column, list) else column.to_pylist() for name, column in columns.items()}
            return
        yield {name: column.combine_chunks() for name, column in columns.items()}

    return Table(name="the frame", columns=tuple(known.columns), read=read)


def _frame_column(series: Any) -> Any:  # an Arrow array, or a list of what Arrow does not know: sets
    import pyarrow as pa

    try:
        native = series.to_native()
        return native if isinstance(native, pa.ChunkedArray) else pa.chunked_array([series.to_arrow()])
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return series.to_list()

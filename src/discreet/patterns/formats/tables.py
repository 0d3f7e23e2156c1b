"""Tables that other programs wrote, as named columns in batches: CSV text, Parquet, data frames.

Nothing is said here about what the columns mean; the modules named after tools do that. `json_tables` is the fourth.
"""

from __future__ import annotations

import csv
import io
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from discreet.transactions.formats.opening import ByteSource

    Batches = Iterator[Mapping[str, Any]]

__all__ = ["Table", "csv_table", "frame_table", "parquet_table"]

_BLOCK = 1 << 22
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
    stream = io.BufferedReader(_Chunks(source.chunks()), _BLOCK)
    remarks, header = _top(stream, source.name)
    delimiter, columns = _cut_header(header, source.name)
    if _has_row_names(stream, delimiter, len(columns)):
        columns = ("row names", *columns)  # R names its rows in a column without a heading
    if len(set(columns)) < len(columns):
        raise DataError(f"{source.name}: two columns have the same name; rename one")

    def read(wanted: tuple[str, ...]) -> Batches:
        return _csv_batches(stream, delimiter, columns, wanted, source.name)

    yield Table(name=source.name, columns=columns, read=read, remarks=remarks)


class _Chunks(io.RawIOBase):
    """A file made of chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # any writable buffer
        while not self._left:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._left = memoryview(chunk)
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _top(stream: io.BufferedReader[_Chunks], name: str) -> tuple[dict[str, str], str]:
    """Return the remarks and the header line."""
    remarks: dict[str, str] = {}
    while True:
        raw = stream.readline(_BLOCK)
        if not raw:
            raise DataError(f"{name} is empty; expected a header with the names of the columns")
        try:
            line = raw.decode("utf-8-sig").strip("\r\n")
        except UnicodeDecodeError:
            raise DataError(f"{name}: the header is not UTF-8 text; save the file as UTF-8") from None
        if line.startswith("#"):
            if remark := _REMARK.fullmatch(line):
                remarks[remark[1]] = remark[2]
        elif line.strip():
            return remarks, line


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


def _has_row_names(stream: io.BufferedReader[_Chunks], delimiter: str, columns: int) -> bool:
    first, newline, _ = stream.peek(_BLOCK).partition(b"\n")
    cells = _cells(first.decode("utf-8", "replace").strip("\r"), delimiter) if newline or first else None
    return cells is not None and len(cells) == columns + 1


def _csv_batches(
    stream: io.BufferedReader[_Chunks], delimiter: str, columns: tuple[str, ...], wanted: tuple[str, ...], name: str
) -> Batches:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    if not stream.peek(1):
        return
    try:
        batches = arrow_csv.open_csv(
            stream,
            read_options=arrow_csv.ReadOptions(column_names=columns, block_size=_BLOCK, use_threads=False),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=wanted,
                column_types=dict.fromkeys(wanted, pa.string()),
                strings_can_be_null=False,
            ),
        )
        for batch in batches:
            yield dict(zip(batch.schema.names, batch.columns, strict=True))
    except pa.ArrowException as error:
        raise _csv_fault(str(error), len(columns), name) from None


def _csv_fault(message: str, columns: int, name: str) -> DataError:
    """Say what Arrow found without the cells that it quotes."""
    if "UTF8" in message:
        return DataError(f"{name} is not UTF-8 text; save it as UTF-8")
    if row := re.search(r"Row #(\d+)", message):
        return DataError(f"{name}, row {row[1]}: expected {columns} cells as in the header; correct the row")
    if "straddl" in message:
        return DataError(f"{name}: a row is longer than 4 MB; is a quotation mark missing?")
    return DataError(f"{name} is not CSV that can be read; check its quotation marks and line ends")


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

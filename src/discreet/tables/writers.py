"""Write columns to files: CSV lines, JSON values, or Parquet.

Every distinct text is quoted once; Arrow then assembles the cells of CSV and JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.errors import OutputError
from discreet.tables.arrow_arrays import arrow_numbers, arrow_texts, numpy_numbers
from discreet.tables.csv import LONGEST_LINE
from discreet.tables.table import NULL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    import pyarrow as pa
    from numpy.typing import NDArray


__all__ = [
    "TRUTH",
    "Cells",
    "WrittenColumns",
    "WrittenLists",
    "csv_bytes",
    "csv_cell",
    "csv_lines",
    "write_csv",
    "write_json",
    "write_parquet",
]

TRUTH = ("0", "1")
"""The texts of a one-hot column; a format may override them."""


class Cells(NamedTuple):
    """A column's cells as positions in `texts`, NULL if empty."""

    codes: NDArray[np.int32]
    texts: Sequence[str]


class WrittenLists(NamedTuple):
    """A column of lists: the cells of list i are those from `offsets[i]` to `offsets[i + 1]`."""

    offsets: NDArray[np.int64]
    cells: Cells


@dataclass(frozen=True, slots=True, eq=False)
class WrittenColumns:
    """Columns' names, and their cells in slices; an item column's `texts` are the same object in every slice.

    `delimiter` and `header` are for CSV. `bare` columns, single lists, have no name in JSON.
    """

    names: tuple[str, ...]
    slices: Iterator[list[Cells | WrittenLists]]
    delimiter: str = ","
    header: bool = True
    bare: bool = False


def write_csv(columns: WrittenColumns, file: BinaryIO) -> None:
    """Write a CSV file."""
    file.writelines(csv_bytes(columns))


def csv_bytes(columns: WrittenColumns) -> Iterator[bytes]:
    """Yield a CSV file in chunks."""
    if columns.header:
        names = (csv_cell(name, columns.delimiter) for name in columns.names)
        yield columns.delimiter.join(names).encode() + b"\n"
    for lines in csv_lines(columns):
        yield _lines(lines, "\n")


def csv_lines(columns: WrittenColumns) -> Iterator[pa.Array]:
    """Yield a CSV's lines as Arrow texts, slice by slice, without line ends.

    Without items, a line of one cell is `""`, because a blank line would be skipped.
    """
    delimiter = columns.delimiter
    empty = '""' if len(columns.names) == 1 else ""
    encoders = [_Encoder(partial(csv_cell, delimiter=delimiter), empty) for _ in columns.names]
    for cells in columns.slices:
        parts = [encoder.texts(column, delimiter) for encoder, column in zip(encoders, cells, strict=True)]
        lines = _joined(parts, delimiter)
        if len(lines) and int(_sizes(lines).max()) > LONGEST_LINE:
            raise OutputError(f"a row needs a line of more than {LONGEST_LINE:,} bytes; write to a .parquet file")
        yield lines


def csv_cell(text: str, delimiter: str) -> str:
    """Return a CSV cell, in quotes if it needs them."""
    if any(char in text for char in ('"', "\r", "\n", delimiter)) or text.startswith("\ufeff"):
        return '"' + text.replace('"', '""') + '"'
    return text


def write_json(columns: WrittenColumns, file: BinaryIO, *, lines: bool) -> None:
    """Write JSON objects, or bare arrays if there is only a column of lists: in an array, or one per line."""
    file.writelines(_json_bytes(columns, lines=lines))


def _json_bytes(columns: WrittenColumns, *, lines: bool) -> Iterator[bytes]:
    encoders = [_Encoder(_quoted, "null") for _ in columns.names]
    keys = [f"{_quoted(name)}: " for name in columns.names]
    before = b"" if lines else b"[\n"
    for cells in columns.slices:
        parts = []
        for key, encoder, column in zip(keys, encoders, cells, strict=True):
            texts = encoder.texts(column, ", ")
            if isinstance(column, WrittenLists):
                texts = _joined([_same("[", texts), texts, _same("]", texts)], "")
            parts.append(texts if columns.bare else _joined([_same(key, texts), texts], ""))
        rows = (
            parts[0]
            if columns.bare
            else _joined([_same("{", parts[0]), _joined(parts, ", "), _same("}", parts[0])], "")
        )
        text = _lines(rows, "\n" if lines else ",\n")
        yield text if lines else before + text.removesuffix(b",\n")
        before = b",\n"
    if not lines:
        yield b"\n]\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


class _Encoder:
    """Encodes the cells of one column; texts shared by all slices are quoted once."""

    def __init__(self, cell: Callable[[str], str], empty: str) -> None:
        self._cell = cell
        self._empty = empty
        self._texts: Sequence[str] | None = None
        self._encoded = arrow_texts([])

    def texts(self, column: Cells | WrittenLists, separator: str) -> pa.Array:
        """Return the cells as Arrow texts; those of a list are joined."""
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = column.cells if isinstance(column, WrittenLists) else column
        if cells.texts is not self._texts:
            self._texts = cells.texts
            truth = cells.texts is TRUTH and self._empty == "null"
            encoded = ["false", "true"] if truth else [self._cell(text) for text in cells.texts]
            self._encoded = arrow_texts([*encoded, self._empty])
        codes = np.where(cells.codes < 0, np.int32(len(cells.texts)), cells.codes)  # NULL: the last text
        texts = self._encoded.take(arrow_numbers(codes))
        if not isinstance(column, WrittenLists):
            return texts
        lists = pa.LargeListArray.from_arrays(arrow_numbers(column.offsets), texts)
        return pc.binary_join(lists, _same(separator, lists))


def _same(text: str, like: pa.Array) -> pa.Array:
    """Return a text repeated for every row."""
    return arrow_texts([text]).take(arrow_numbers(np.zeros(len(like), np.int32)))


def _joined(parts: list[pa.Array], separator: str) -> pa.Array:
    import pyarrow.compute as pc

    if len(parts) == 1:
        return parts[0]
    return pc.binary_join_element_wise(*parts, _same(separator, parts[0]))


def _sizes(texts: pa.Array) -> NDArray[np.int64]:
    import pyarrow.compute as pc

    return numpy_numbers(pc.binary_length(texts))


def _lines(texts: pa.Array, end: str) -> bytes:
    """Return all texts, each with its line end."""
    ended = _joined([texts, _same(end, texts)], "")
    start = int(np.frombuffer(ended.buffers()[1], np.int64, count=1, offset=8 * ended.offset)[0]) if len(ended) else 0
    stop = int(np.frombuffer(ended.buffers()[1], np.int64, count=1, offset=8 * (ended.offset + len(ended)))[0])
    return bytes(memoryview(ended.buffers()[2])[start:stop])


def write_parquet(columns: WrittenColumns, file: BinaryIO) -> None:
    """Write a row group per slice."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    try:
        for cells in columns.slices:
            arrays = [_array(column) for column in cells]
            if writer is None:
                fields = [pa.field(name, array.type) for name, array in zip(columns.names, arrays, strict=True)]
                writer = pq.ParquetWriter(file, pa.schema(fields))
            writer.write_batch(pa.record_batch(arrays, schema=writer.schema))
    finally:
        if writer is not None:
            writer.close()


def _array(column: Cells | WrittenLists) -> pa.Array:
    import pyarrow as pa

    if isinstance(column, WrittenLists):
        return pa.LargeListArray.from_arrays(arrow_numbers(column.offsets), _array(column.cells)).cast(
            pa.list_(pa.string())
        )
    if column.texts is TRUTH:
        bits = np.packbits(column.codes.astype(bool), bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), len(column.codes), [None, pa.py_buffer(bits)])
    return arrow_texts(column.texts).take(arrow_numbers(column.codes, null=NULL)).cast(pa.string())

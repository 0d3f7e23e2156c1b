"""Rows with named columns, a batch at a time: what CSV, Parquet, JSON, SQL and data frames have in common.

A cell is a small integer that stands for its text, so that whatever is decided about cells is decided once for each
distinct text of a batch and not once for each cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from discreet.errors import DataError, param
from discreet.tables.arrow_arrays import arrow_numbers, numpy_numbers, numpy_truth
from discreet.tables.csv import BLANKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.tables.containers import Container
    from discreet.tables.csv import CellBlock

__all__ = [
    "NULL",
    "ArrowBatch",
    "Batch",
    "CellBatch",
    "Coded",
    "Sheet",
    "arrow_sheet",
    "cell_batches",
    "named_columns",
    "translate",
]

NULL = -1
_CELLS_PER_BATCH = 1 << 22
_LEAST_ROWS = 1 << 12  # wide tables have many columns to turn to, which must pay


class Coded(NamedTuple):
    """Cells as positions in `texts`, an Arrow array; NULL where there is none. `codes` has one dimension or two."""

    codes: NDArray[np.int32]
    texts: Any


class Batch(Protocol):
    """Some rows of a sheet."""

    @property
    def rows(self) -> int:
        """How many rows."""

    def column(self, place: int) -> Coded:
        """Return one column's cells."""

    def where(self, row: int) -> tuple[str, int | None]:
        """Say where a row stands, in words and, for a text file, as a line number."""


@dataclass(slots=True)
class Sheet:
    """Columns and where the rows come from; `list_columns` are the places of those that hold lists.

    `delimiter` and `header` say how a CSV was written.
    """

    name: str
    columns: tuple[str, ...]
    batches: Iterator[Batch]
    container: Container
    list_columns: tuple[int, ...] = ()
    delimiter: str = ","
    header: bool = True

    def place(self, column: str, parameter: str) -> int:
        """Return where a column that a parameter names stands."""
        if (column := column.strip(BLANKS)) not in self.columns:
            raise DataError(
                f"{self.name} has no column {column!r}, which {param(parameter)} names, among its "
                f"{len(self.columns):,} columns"
            )
        return self.columns.index(column)


def translate(cells: Coded, meaning: Callable[[str], int], *, null: int) -> NDArray[np.int32]:
    """Replace each cell by a number, asking `meaning` once for each text that occurs."""
    seen = np.zeros(len(cells.texts) + 1, bool)  # the last place is code -1's
    seen[cells.codes] = True
    numbers = np.full(len(seen), null, np.int32)
    places = np.flatnonzero(seen[:-1])
    numbers[places] = [meaning(text) for text in cells.texts.take(arrow_numbers(places)).to_pylist()]
    return numbers[cells.codes]


@dataclass(frozen=True, slots=True, eq=False)
class CellBatch:
    """Lines of a text file that all have the same number of cells."""

    block: CellBlock
    first: int
    codes: NDArray[np.int32]

    @property
    def rows(self) -> int:
        """How many rows."""
        return len(self.codes)

    def column(self, place: int) -> Coded:
        """Return one column's cells."""
        return Coded(self.codes[:, place], self.block.texts)

    def matrix(self, places: Sequence[int]) -> Coded:
        """Return some columns' cells, rows by columns."""
        all_of_them = len(places) == self.codes.shape[1]
        return Coded(self.codes if all_of_them else self.codes[:, list(places)], self.block.texts)

    def where(self, row: int) -> tuple[str, int | None]:
        """Say at which line a row starts."""
        line = self.block.line_of(self.first + row)
        return f"line {line:,}", line


def cell_batches(blocks: Iterator[CellBlock], *, skip_first_line: bool, width: int, name: str) -> Iterator[CellBatch]:
    """Give blocks of cells a rectangular shape, or say which line does not fit."""
    first = int(skip_first_line)
    for block in blocks:
        wrong = np.flatnonzero(block.lengths[first:] != width)
        if len(wrong):
            row = first + int(wrong[0])
            line = block.line_of(row)
            raise DataError(
                f"line {line:,} of {name} has {block.lengths[row]:,} cells where {width:,} were expected; "
                f"correct the line, or give {param('format', 'basket')} if lines may differ in length",
                line=line,
            )
        yield CellBatch(block=block, first=first, codes=block.codes[first * width :].reshape(-1, width))
        first = 0


@dataclass(frozen=True, slots=True, eq=False)
class ArrowBatch:
    """Rows of an Arrow table; `before` is how many rows came earlier."""

    table: Any
    before: int
    name: str

    @property
    def rows(self) -> int:
        """How many rows."""
        return int(self.table.num_rows)

    def column(self, place: int) -> Coded:
        """Return one column's cells, as text."""
        cells = _as_text(self.table.column(place), f"column {place + 1:,} of {self.name}").dictionary_encode()
        return Coded(numpy_numbers(cells.indices, null=NULL), cells.dictionary)

    def bits(self, place: int) -> NDArray[np.bool_] | None:
        """Return a column of bool without nulls; None if it is another kind of column."""
        import pyarrow as pa

        column = self.table.column(place)
        return numpy_truth(column) if column.type == pa.bool_() and not column.null_count else None

    def where(self, row: int) -> tuple[str, int | None]:
        """Say which row it is."""
        return f"row {self.before + row + 1:,}", None


def _arrow_batches(batches: Iterator[Any], name: str) -> Iterator[ArrowBatch]:
    """Cut long record batches, and count the rows before each."""
    before = 0
    for batch in batches:
        rows = max(_LEAST_ROWS, _CELLS_PER_BATCH // max(1, batch.num_columns))
        for start in range(0, batch.num_rows, rows):
            part = batch.slice(start, rows)
            yield ArrowBatch(table=part, before=before, name=name)
            before += part.num_rows


def named_columns(names: Sequence[str], where: str, line: int | None = None) -> tuple[str, ...]:
    """Return columns' names without the blanks around them; a column without a name goes by its number, as c3."""
    columns = tuple(column.strip(BLANKS) or f"c{at}" for at, column in enumerate(names, 1))
    places: dict[str, int] = {}
    for at, column in enumerate(columns, 1):
        if places.setdefault(column, at) != at:
            raise DataError(
                f"columns {places[column]:,} and {at:,} of {where} have the same name; rename one", line=line
            )
    return columns


def arrow_sheet(reader: Any, name: str, container: Container, fault: Callable[[], DataError]) -> Sheet:
    """Make a sheet of an Arrow stream; `fault` makes the error for a stream that breaks off."""
    import pyarrow as pa

    is_list = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return Sheet(
        name=name,
        columns=named_columns(reader.schema.names, name),
        batches=_arrow_batches(_read_on(reader, fault), name),
        container=container,
        list_columns=tuple(at for at, field in enumerate(reader.schema) if any(test(field.type) for test in is_list)),
    )


def _read_on(reader: Any, fault: Callable[[], DataError]) -> Iterator[Any]:
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except Exception:  # noqa: BLE001 - a message from outside may quote someone's data, whatever its class
            raise fault() from None
        yield batch


def _as_text(column: Any, where: str) -> Any:  # Arrow ships no types
    """Return an Arrow column as texts: whole numbers in decimal, 2.0 as 2, true and false, dates as ISO 8601."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        return _as_text(column.dictionary, where).take(column.indices)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    if column.type == pa.string() or column.type == pa.large_string():
        return column
    try:
        if pa.types.is_null(column.type) or not pa.types.is_nested(column.type):
            return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    raise DataError(
        f"{where} holds lists, records or bytes where plain values were expected; convert it to text or leave it out"
    )

"""A table of named columns in batches of rows: the common form of CSV, Parquet, JSON, SQL and data frames.

For rows of items a cell is a small integer that stands for its text, so that decisions about cells are made once for
each distinct text of a batch. For patterns a column is used in its original form.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from discreet.errors import DataError, DiscreetError, param
from discreet.tables.arrow_arrays import arrow_numbers, numpy_numbers, numpy_truth
from discreet.tables.ceilings import MemoryWatch
from discreet.wording import nearest, spelling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.tables.containers import Container

__all__ = [
    "BLANKS",
    "NULL",
    "ArrowBatch",
    "Batch",
    "Coded",
    "ColumnsByName",
    "Indexed",
    "RawColumn",
    "Table",
    "named_columns",
    "table_of",
    "translate",
    "translate_all",
]

BLANKS = " \t\r\n\v\f"
NULL = -1
_CELLS_PER_BATCH = 1 << 22
_LEAST_ROWS = 1 << 12  # wide tables have many columns to turn to, which must pay

RawColumn: TypeAlias = "pa.Array | list[Any]"
"""A column of a batch in its original form: an Arrow array, or a list of what Arrow does not know, such as sets."""


class Coded(NamedTuple):
    """Cells as positions in `texts`, an Arrow array; NULL for a missing cell. `codes` has one dimension or two."""

    codes: NDArray[np.int32]
    texts: pa.Array


class Batch(Protocol):
    """Some rows of a table."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    def column(self, index: int) -> Coded:
        """Return one column's cells, as text."""

    def values(self, index: int) -> RawColumn:
        """Return one column in its original form."""

    def where(self, row: int) -> tuple[str, int | None]:
        """Return where a row is, in words and, for a text file, as a line number."""


@dataclass(slots=True, kw_only=True)
class Table:
    """Named columns, and the source of their rows; a table can be read once.

    `name` is for error messages; `list_columns` are the indices of the columns of lists; `delimiter` describes a
    CSV, `header` a CSV or a sheet; `unnamed` are the indices of the columns that it does not name; `remarks` is what a
    file says about itself apart from its columns.
    """

    name: str
    columns: tuple[str, ...]
    batches: Iterator[Batch]
    container: Container
    list_columns: tuple[int, ...] = ()
    delimiter: str = ","
    header: bool = True
    unnamed: tuple[int, ...] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)

    def index_of(self, column: str, parameter: str) -> int:
        """Return the index of a column that a parameter names."""
        if (column := column.strip(BLANKS)) not in self.columns:
            raise DataError(
                f"{self.name} has no column {column!r}, which {param(parameter)} names, among its "
                f"{len(self.columns):,} columns; {spelling(column, nearest(column, self.columns), of='it')}"
            )
        return self.columns.index(column)

    def place(self, row: int) -> str:
        """Name a row for an error: its number, never its contents."""
        return f"{self.name}, row {row + 1}"


def translate(cells: Coded, meaning: Callable[[str], int], *, null: int) -> NDArray[np.int32]:
    """Replace each cell by a number, calling `meaning` once for each text that occurs."""
    return translate_all(cells, lambda texts: [meaning(text) for text in texts.to_pylist()], null=null)


def translate_all(
    cells: Coded, meaning: Callable[[pa.Array], Sequence[int] | NDArray[np.int32]], *, null: int
) -> NDArray[np.int32]:
    """Replace each cell by a number, calling `meaning` once with all texts that occur, each once."""
    seen = np.zeros(len(cells.texts) + 1, bool)  # the last entry is for code -1
    seen[cells.codes] = True
    numbers = np.full(len(seen), null, np.int32)
    places = np.flatnonzero(seen[:-1])
    numbers[places] = meaning(cells.texts.take(arrow_numbers(places)))
    return numbers[cells.codes]


@dataclass(frozen=True, slots=True, eq=False)
class ArrowBatch:
    """Rows as columns, mostly Arrow arrays; `before` is the number of earlier rows."""

    columns: Indexed
    rows: int
    before: int
    name: str

    def column(self, index: int) -> Coded:
        """Return one column's cells, as text."""
        cells = _as_text(self.columns[index], f"column {index + 1:,} of {self.name}").dictionary_encode()
        return Coded(numpy_numbers(cells.indices, null=NULL), cells.dictionary)

    def values(self, index: int) -> RawColumn:
        """Return one column in its original form."""
        return self.columns[index]

    def bits(self, index: int) -> NDArray[np.bool_] | None:
        """Return a column of bool without nulls; None if it has another type."""
        import pyarrow as pa

        column = self.columns[index]
        if isinstance(column, list) or column.type != pa.bool_() or column.null_count:
            return None
        return numpy_truth(column)

    def where(self, row: int) -> tuple[str, int | None]:
        """Return the number of a row in words."""
        return f"row {self.before + row + 1:,}", None


class Indexed(Protocol):
    """Columns that are found by their index; a list will do."""

    def __getitem__(self, index: int, /) -> RawColumn:
        """Return one column."""


class ColumnsByName:
    """Columns that are looked up on access, so that only those used must exist."""

    def __init__(self, names: tuple[str, ...], look_up: Callable[[str], RawColumn]) -> None:
        self._names = names
        self._look_up = look_up

    def __getitem__(self, index: int, /) -> RawColumn:
        """Return one column."""
        return self._look_up(self._names[index])


def _arrow_batches(batches: Iterator[pa.RecordBatch], name: str) -> Iterator[ArrowBatch]:
    """Split long record batches, and count the rows before each."""
    before = 0
    for batch in batches:
        rows = max(_LEAST_ROWS, _CELLS_PER_BATCH // max(1, batch.num_columns))
        for start in range(0, batch.num_rows, rows):
            part = batch.slice(start, rows)
            yield ArrowBatch(columns=part.columns, rows=part.num_rows, before=before, name=name)
            before += part.num_rows


def named_columns(
    names: Sequence[str], where: str, line: int | None = None, advice: str = "rename one"
) -> tuple[str, ...]:
    """Return columns' names without the blanks around them; a column without a name goes by its number, as c3."""
    columns = tuple(column.strip(BLANKS) or f"c{at}" for at, column in enumerate(names, 1))
    places: dict[str, int] = {}
    for at, column in enumerate(columns, 1):
        if places.setdefault(column, at) != at:
            raise DataError(f"columns {places[column]:,} and {at:,} of {where} have the same name; {advice}", line=line)
    return columns


def table_of(
    reader: pa.RecordBatchReader, name: str, container: Container, fault: Callable[[], DiscreetError]
) -> Table:
    """Turn an Arrow stream into a table; `fault` makes the error for a stream that breaks off."""
    import pyarrow as pa

    is_list = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return Table(
        name=name,
        columns=named_columns(reader.schema.names, name),
        batches=_arrow_batches(_read_on(reader, name, fault), name),
        container=container,
        list_columns=tuple(at for at, field in enumerate(reader.schema) if any(test(field.type) for test in is_list)),
    )


def _read_on(reader: pa.RecordBatchReader, name: str, fault: Callable[[], DiscreetError]) -> Iterator[pa.RecordBatch]:
    watch = MemoryWatch(name)
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - a message from outside may quote someone's data, whatever its class
            raise fault() from None
        watch.check()
        yield batch


def _as_text(column: RawColumn, where: str) -> pa.Array:
    """Return an Arrow column as texts: whole numbers in decimal, 2.0 as 2, true and false, dates as ISO 8601."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, list):
        raise DataError(
            f"{where} cannot be handed over as an Arrow column; convert it to text, numbers or bool first (a sparse "
            "one with .sparse.to_dense())"
        )
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

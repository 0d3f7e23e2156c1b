"""Data frames become rows: pandas, polars, pyarrow, DuckDB and whatever else speaks Arrow or is known to narwhals.

Shapes: one-hot (columns of bool, or of 0 and 1), long (`id_column` and `item_column` given), a column of lists, or a
table (`column=value`). None of the libraries is imported here: a frame hands over its columns itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError
from discreet.transactions.formats.arrow_arrays import arrow_numbers, arrow_texts
from discreet.transactions.formats.sheets import arrow_sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from discreet.transactions.formats.cell_rules import Edge, Names
    from discreet.transactions.formats.sheets import Sheet
    from discreet.transactions.transactions import Transactions

__all__ = ["arrow_table", "frame_sheet", "transactions_from_frame"]


def transactions_from_frame(
    frame: Any,  # any data frame
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    id_column: str | None = None,
    item_column: str | None = None,
    drop: Names | None = None,
    bins: Mapping[str, Iterable[Edge]] | str | Iterable[str] | None = None,
    map: Mapping[str, Mapping[str, str]] | str | Iterable[str] | None = None,  # noqa: A002 - the same
    missing: str | None = None,
) -> Transactions:
    """Build Transactions from a data frame; the options are those of `discreet.read`."""
    from discreet.transactions.reading import Options, read_sheet

    options = Options.checked(
        format=format, id_column=id_column, item_column=item_column, drop=drop, bins=bins, map=map, missing=missing
    )
    sheet = frame_sheet(frame, keep=id_column)
    return read_sheet(sheet, options)


def arrow_table(rows: Transactions) -> Any:  # Arrow ships no types
    """Return rows as an Arrow table: a column of lists, `items`, between `id` and `weight` where there are any."""
    import pyarrow as pa

    labels = arrow_texts(rows.vocabulary.labels)
    items = pa.LargeListArray.from_arrays(arrow_numbers(rows.offsets), labels.take(arrow_numbers(rows.items)))
    columns = {} if rows.ids is None else {"id": arrow_texts(rows.ids)}
    columns["items"] = items
    if rows.weights is not None:
        columns["weight"] = arrow_numbers(rows.weights)
    return pa.table(columns)


def frame_sheet(frame: Any, *, keep: str | None) -> Sheet:
    """Make a sheet of a data frame; pandas' index is left out unless `keep` names it."""
    name = f"the {type(frame).__name__}"

    def fault() -> DataError:
        return DataError(
            f"{name} cannot be handed over as Arrow columns; "
            "convert them to text, numbers or bool first (a sparse pandas frame with .sparse.to_dense())"
        )

    try:
        reader = _reader(frame)
        index = [column for column in _index_columns(reader.schema) if column != keep]
        if index:
            reader = reader.read_all().drop_columns(index).to_reader()
    except DataError:
        raise
    except Exception:  # noqa: BLE001 - a message from outside may quote someone's data, whatever its class
        raise fault() from None
    return arrow_sheet(reader, name, "parquet", fault)


def _reader(frame: Any) -> Any:
    import pyarrow as pa

    if isinstance(frame, pa.RecordBatchReader):
        return frame
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(frame)
    if hasattr(frame, "__arrow_c_array__"):
        return pa.Table.from_batches([pa.record_batch(frame)]).to_reader()
    import narwhals as nw

    try:
        known = nw.from_native(frame)
    except TypeError:
        raise DataError(
            f"a {type(frame).__name__} is not a data frame; use Transactions.from_rows for lists of labels"
        ) from None
    eager = known.collect() if isinstance(known, nw.LazyFrame) else known
    return eager.to_arrow().to_reader()


def _index_columns(schema: Any) -> list[str]:
    """Return the columns that are pandas' index, which pandas notes in the schema."""
    notes = (schema.metadata or {}).get(b"pandas")
    if notes is None:
        return []
    index = json.loads(notes).get("index_columns", [])
    return [column for column in index if isinstance(column, str) and column in schema.names]

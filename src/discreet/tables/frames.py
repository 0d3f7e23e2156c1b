"""Data frames as tables: pandas, polars, pyarrow, DuckDB and whatever else speaks Arrow or is known to narwhals.

None of the libraries is imported here: a frame hands over its columns itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError
from discreet.tables.table import arrow_sheet

if TYPE_CHECKING:
    from discreet.tables.table import Sheet

__all__ = ["frame_sheet"]


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

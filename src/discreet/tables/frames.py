"""Data frames as tables: pandas, polars, pyarrow, DuckDB and anything else that supports Arrow or narwhals.

None of these libraries is imported here: a frame exports its columns itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError
from discreet.tables.table import ArrowBatch, Table, named_columns, table_of

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

    from discreet.tables.table import RawColumn

__all__ = ["frame_table", "is_frame"]


def is_frame(source: object) -> bool:
    """Return whether something hands over columns: an Arrow producer, or a frame that narwhals knows."""
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        return True
    import narwhals as nw

    try:
        nw.from_native(source)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def frame_table(frame: Any, *, keep: str | None = None) -> Table:
    """Turn a data frame into a table; pandas' index is left out unless `keep` names it."""
    import pyarrow as pa

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
    except (pa.ArrowInvalid, TypeError):
        return _column_by_column(frame, name, fault())
    except Exception:  # noqa: BLE001 - a message from outside may quote someone's data, whatever its class
        raise fault() from None
    return table_of(reader, name, "parquet", fault)


def _reader(frame: Any) -> pa.RecordBatchReader:
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
            f"a {type(frame).__name__} is not a data frame; give one, or a path, or make rows of lists of labels "
            "with Transactions.from_rows"
        ) from None
    eager = known.collect() if isinstance(known, nw.LazyFrame) else known
    return eager.to_arrow().to_reader()


def _index_columns(schema: pa.Schema) -> list[str]:
    """Return the columns of pandas' index, which pandas records in the schema."""
    notes = (schema.metadata or {}).get(b"pandas")
    if notes is None:
        return []
    index = json.loads(notes).get("index_columns", [])
    return [column for column in index if isinstance(column, str) and column in schema.names]


def _column_by_column(frame: Any, name: str, fault: DataError) -> Table:
    """Turn a frame into a table column by column, for types unknown to Arrow, such as mlxtend's frozensets."""
    import narwhals as nw

    try:
        known = nw.from_native(frame, eager_only=True)
        columns = [_column(known[column]) for column in known.columns]
    except Exception:  # noqa: BLE001 - as above
        raise fault from None
    batch = ArrowBatch(columns=columns, rows=len(known), before=0, name=name)
    return Table(name=name, columns=named_columns(known.columns, name), batches=iter([batch]), container="parquet")


def _column(series: nw.Series[Any]) -> RawColumn:
    import pyarrow as pa

    try:
        return series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return series.to_list()

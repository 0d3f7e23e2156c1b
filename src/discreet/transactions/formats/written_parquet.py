"""Columns written as a Parquet file: texts, lists of texts, or bool for one-hot columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.transactions.formats.arrow_arrays import arrow_numbers, arrow_texts
from discreet.transactions.formats.sheets import NULL
from discreet.transactions.formats.written_columns import TRUTH, Lists

if TYPE_CHECKING:
    from typing import BinaryIO

    from discreet.transactions.formats.written_columns import Cells, WrittenColumns

__all__ = ["write_parquet"]


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


def _array(column: Cells | Lists) -> Any:  # Arrow ships no types
    import pyarrow as pa

    if isinstance(column, Lists):
        return pa.LargeListArray.from_arrays(arrow_numbers(column.offsets), _array(column.cells)).cast(
            pa.list_(pa.string())
        )
    if column.texts is TRUTH:
        bits = np.packbits(column.codes.astype(bool), bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), len(column.codes), [None, pa.py_buffer(bits)])
    return arrow_texts(column.texts).take(arrow_numbers(column.codes, null=NULL)).cast(pa.string())

"""A table's rows as Arrow columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.transactions.formats.arrow_arrays import arrow_numbers, arrow_texts
from discreet.transactions.formats.sheets import NULL
from discreet.transactions.formats.written_columns import Cells, written_columns
from discreet.transactions.layout import Layout

if TYPE_CHECKING:
    from discreet.transactions.transactions import Transactions

__all__ = ["arrow_columns"]


def arrow_columns(rows: Transactions) -> Any:  # Arrow ships no types
    """Return an Arrow table with the columns of the rows' layout, as texts; null where a cell is missing."""
    import pyarrow as pa

    written = written_columns(rows, rows.layout or Layout(shape="table", container="parquet"))
    batches = [
        [
            arrow_texts(cells.texts).take(arrow_numbers(cells.codes, null=NULL)).cast(pa.string())
            for cells in columns
            if isinstance(cells, Cells)
        ]
        for columns in written.slices
    ]
    return pa.table(
        {name: pa.chunked_array([batch[at] for batch in batches], pa.string()) for at, name in enumerate(written.names)}
    )

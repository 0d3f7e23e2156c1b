"""One list of labels per row: a list column (Parquet, data frames) or JSON arrays.

Labels are taken as they are, blanks included; a null in place of a list is an empty row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.tables.arrow_arrays import numpy_numbers
from discreet.tables.table import NULL, ArrowBatch, translate
from discreet.transactions.layout import Layout
from discreet.transactions.rows_builder import IdColumn, Labels, RowsBuilder, checked_text

if TYPE_CHECKING:
    from discreet.tables.table import Sheet
    from discreet.transactions.transactions import Transactions

__all__ = ["read_lists"]


def read_lists(sheet: Sheet, *, id_column: str | None, item_column: str | None) -> Transactions:
    """Read a column of lists: the one named, or the only one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    place = _list_place(sheet, item_column)
    id_place = None if id_column is None else sheet.place(id_column, "id_column")
    ids = IdColumn(id_place, name=sheet.name, column=id_column)
    labels = Labels()
    rows = RowsBuilder()
    for batch in sheet.batches:
        if not isinstance(batch, ArrowBatch):  # pragma: no cover - text files have no list columns
            raise TypeError
        column = batch.table.column(place)
        lengths = numpy_numbers(pc.list_value_length(column), null=0).astype(np.int64)
        values = pa.record_batch([pc.list_flatten(column)], names=[sheet.columns[place]])
        items = translate(
            ArrowBatch(table=values, before=0, name=sheet.name).column(0),
            lambda text: labels[checked_text(text, sheet.name)],
            null=NULL,
        )
        if (items == NULL).any():
            row = int(np.searchsorted(np.cumsum(lengths), np.flatnonzero(items == NULL)[0], side="right"))
            words, line = batch.where(row)
            raise DataError(f"{words} of {sheet.name} has a null among its items; remove it", line=line)
        rows.add(items, lengths)
        ids.add(batch)
    layout = Layout.of(sheet, "lists", id_column=id_column, item_column=_item_column(sheet, place))
    return rows.finish(labels, name=sheet.name, layout=layout, ids=ids.ids())


def _list_place(sheet: Sheet, item_column: str | None) -> int:
    if item_column is not None:
        place = sheet.place(item_column, "item_column")
        if place not in sheet.list_columns:
            raise DataError(f"column {item_column!r} of {sheet.name} holds no lists; give its {param('format')}")
        return place
    if len(sheet.list_columns) != 1:
        count = len(sheet.list_columns) or "no"
        raise ParameterError(
            f"{sheet.name} has {count} columns of lists; name the one to read with {param('item_column')}",
            parameter="item_column",
        )
    return sheet.list_columns[0]


def _item_column(sheet: Sheet, place: int) -> str | None:
    return sheet.columns[place] or None  # JSON arrays that stand by themselves have no name

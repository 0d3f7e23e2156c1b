"""One list of labels per row: a list column (Parquet, data frames) or JSON arrays.

Labels are used verbatim, including blanks; a null in place of a list is an empty row.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.tables.arrow_arrays import numpy_numbers
from discreet.tables.table import NULL, ArrowBatch, translate_all
from discreet.transactions.layout import Layout
from discreet.transactions.rows_builder import IdColumn, Labels, RowsBuilder

if TYPE_CHECKING:
    from discreet.tables.table import Table
    from discreet.transactions.transactions import Transactions

__all__ = ["read_lists"]


def read_lists(table: Table, *, id_column: str | None, item_column: str | None, rows: RowsBuilder) -> Transactions:
    """Read a column of lists: the named one, or the only one."""
    import pyarrow.compute as pc

    place = _list_place(table, item_column)
    id_place = None if id_column is None else table.index_of(id_column, "id_column")
    ids = IdColumn(id_place, table=table, column=id_column)
    labels = Labels(table.name)
    for batch in table.batches:
        column = batch.values(place)
        if isinstance(column, list):
            raise TypeError  # list columns are Arrow's
        lengths = numpy_numbers(pc.list_value_length(column), null=0).astype(np.int64)
        cells = pc.list_flatten(column)
        items = translate_all(
            ArrowBatch(columns=[cells], rows=len(cells), before=0, name=table.name).column(0),
            partial(labels.numbers, strip=False),
            null=NULL,
        )
        if (items == NULL).any():
            row = int(np.searchsorted(np.cumsum(lengths), np.flatnonzero(items == NULL)[0], side="right"))
            words, line = batch.where(row)
            raise DataError(f"{words} of {table.name} has a null among its items; remove it", line=line)
        rows.add(items, lengths)
        ids.add(batch)
    layout = Layout.of(table, "lists", id_column=id_column, item_column=_item_column(table, place))
    return rows.finish(labels, name=table.name, layout=layout, ids=ids.ids())


def _list_place(table: Table, item_column: str | None) -> int:
    if item_column is not None:
        place = table.index_of(item_column, "item_column")
        if place not in table.list_columns:
            raise DataError(f"column {item_column!r} of {table.name} holds no lists; give its {param('format')}")
        return place
    if len(table.list_columns) != 1:
        count = len(table.list_columns) or "no"
        raise ParameterError(
            f"{table.name} has {count} columns of lists; name the one to read with {param('item_column')}",
            parameter="item_column",
        )
    return table.list_columns[0]


def _item_column(table: Table, place: int) -> str | None:
    return table.columns[place] or None  # bare JSON arrays have no name

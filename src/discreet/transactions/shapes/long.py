"""Long tables: each line has a row's id and one of its items.

Rows are in the order in which their ids first appear. A line with an empty item only declares its row, which may be
empty. Other columns are ignored.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.itemsets import Itemsets
from discreet.tables.arrow_arrays import numpy_numbers
from discreet.tables.table import NULL, translate_all
from discreet.transactions.layout import Layout
from discreet.transactions.rows_builder import IdColumn, Labels, RowIds
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from discreet.tables.table import Table

__all__ = ["read_long"]


def read_long(table: Table, *, id_column: str, item_column: str) -> Transactions:
    """Read a long table."""
    if id_column == item_column:
        raise ParameterError(
            f"{param('id_column')} and {param('item_column')} must be two different columns", parameter="item_column"
        )
    ids = IdColumn(table.index_of(id_column, "id_column"), table=table, column=id_column)
    place = table.index_of(item_column, "item_column")
    labels = Labels(table.name)

    gathered = bytearray()
    for batch in table.batches:
        ids.add(batch)
        gathered += translate_all(batch.column(place), partial(labels.numbers, missing=[""]), null=NULL).data
    items = np.frombuffer(gathered, np.int32)
    if not len(items):
        raise DataError(f"{table.name} holds no rows")
    coded = ids.chunked().combine_chunks().dictionary_encode()  # numbers ids in order of first appearance
    rows = numpy_numbers(coded.indices)
    there = items != NULL
    rows, items = rows[there], items[there]
    lengths = np.bincount(rows, minlength=len(coded.dictionary))
    if len(rows) and (rows[1:] < rows[:-1]).any():
        items = items[np.argsort(rows, kind="stable")]
    layout = Layout.of(table, "long", columns=(id_column, item_column), id_column=id_column, item_column=item_column)
    return Transactions.from_codes(
        Itemsets.from_lengths(lengths, np.ascontiguousarray(items)),
        list(labels),
        ids=RowIds(coded.dictionary),
        layout=layout,
    )

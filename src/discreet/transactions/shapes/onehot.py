"""One-hot tables: a column per item, with 1 or true if the row has it, 0 or false if it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.tables.csv import CellBatch
from discreet.tables.table import BLANKS, ArrowBatch, translate
from discreet.transactions.layout import Layout
from discreet.transactions.rows_builder import IdColumn, RowsBuilder, checked_text
from discreet.transactions.shapes.relational import left_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.tables.table import Batch, Table
    from discreet.transactions.shapes.cell_rules import TableRules
    from discreet.transactions.transactions import Transactions

__all__ = ["is_onehot", "read_onehot"]

_TRUTH = {"0": 0, "1": 1, "false": 0, "true": 1}
_NEITHER = -2


def is_onehot(batch: Batch, places: Sequence[int]) -> bool:
    """Return whether all cells of some columns are 0, 1, true or false."""
    return bool(places) and batch.rows > 0 and bool((_truth_of(batch, places) >= 0).all())


def read_onehot(table: Table, rules: TableRules, *, id_column: str | None, rows: RowsBuilder) -> Transactions:
    """Read a one-hot table; every column but those dropped and the ids' is an item, even if no row has it."""
    dropped = left_out(table, rules)
    id_place = None if id_column is None else table.index_of(id_column, "id_column")
    places = [at for at in range(len(table.columns)) if at not in dropped and at != id_place]
    if not places:
        raise ParameterError(f"no column of {table.name} is left to be an item", parameter="drop")
    labels = [checked_text(table.columns[place], table.name) for place in places]
    ids = IdColumn(id_place, table=table, column=id_column)
    for batch in table.batches:
        truth = _truth_of(batch, places)
        if (truth < 0).any():
            row, at = np.argwhere(truth < 0)[0].tolist()
            words, line = batch.where(row)
            raise DataError(
                f"{words} of {table.name} has neither 0, 1, true nor false in column {places[at] + 1:,}; "
                f"give {param('format', 'table')} if the columns are not items",
                line=line,
            )
        items = np.nonzero(truth)[1].astype(np.int32)
        rows.add(items, np.count_nonzero(truth, axis=1).astype(np.int64))
        ids.add(batch)
    columns = tuple(column for at, column in enumerate(table.columns) if at not in dropped)
    layout = Layout.of(table, "onehot", columns=columns, id_column=id_column)
    return rows.finish(labels, name=table.name, layout=layout, ids=ids.ids())


def _truth_of(batch: Batch, places: Sequence[int]) -> NDArray[np.integer[Any]]:
    """Return a matrix of 0, 1 and, for any other cell, a negative number."""
    if isinstance(batch, CellBatch):
        return translate(batch.matrix(places), _truth, null=_NEITHER)
    truth = np.empty((batch.rows, len(places)), np.int8)
    for at, place in enumerate(places):
        bits = batch.bits(place) if isinstance(batch, ArrowBatch) else None
        truth[:, at] = translate(batch.column(place), _truth, null=_NEITHER) if bits is None else bits
    return truth


def _truth(cell: str) -> int:
    return _TRUTH.get(cell.strip(BLANKS).lower(), _NEITHER)

"""Relational tables: a cell becomes the item `column=value`.

Missing cells (empty, `?`, `NA`, null) are skipped: the row has no item for that column. With `drop-row`, rows with a
missing cell in a column that is kept are left out. A value that `--map` names is never missing; one that it maps to a
missing value is. Surrounding blanks are stripped.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.tables.table import BLANKS, NULL, translate_all
from discreet.transactions.label_names import begun_columns, named_columns, two_roles
from discreet.transactions.layout import Layout
from discreet.transactions.rows_builder import IdColumn, Labels, RowsBuilder
from discreet.transactions.shapes.cell_rules import MISSING_CELLS, NotANumber, NumberForms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.tables.table import Batch, Table
    from discreet.transactions.shapes.cell_rules import TableRules
    from discreet.transactions.transactions import Transactions

__all__ = ["left_out", "read_table"]

_NO_NUMBER = -2


def read_table(table: Table, rules: TableRules, *, id_column: str | None, rows: RowsBuilder) -> Transactions:
    """Read a relational table."""
    # Columns in the order of their labels: then most rows need not be sorted.
    places = sorted(_kept_places(table, rules, id_column), key=lambda place: f"{table.columns[place]}=")
    kept = [table.columns[place] for place in places]
    _refuse_mixed_up_columns(kept, table.name)
    labels = Labels(table.name)
    forms = {column: NumberForms() for column in kept if column in rules.bins}
    numbers = [_numbering(column, rules, labels, forms.get(column)) for column in kept]
    id_place = None if id_column is None else table.index_of(id_column, "id_column")
    ids = IdColumn(id_place, table=table, column=id_column)
    for batch in table.batches:
        items = np.empty((batch.rows, len(places)), np.int32, order="F")
        for at, place in enumerate(places):
            items[:, at] = translate_all(batch.column(place), numbers[at], null=NULL)
        _refuse_what_is_no_number(items, batch, table, places)
        whole = None
        if rules.missing == "drop-row":
            whole = (items != NULL).all(axis=1)
            items = items[whole]
        rows.add_matrix(np.ascontiguousarray(items))
        ids.add(batch, whole)
    _refuse_doubtful_numbers(forms, table)
    names = {*kept, id_column}
    layout = Layout.of(
        table,
        "table",
        columns=tuple(column for column in table.columns if column in names),
        id_column=id_column,
    )
    dropping = rules.missing == "drop-row"  # labels that occur only in dropped rows must not be disclosed
    hint = f" without missing cells; give {param('missing', 'skip')}" if dropping else ""
    if not dropping and table.header and table.container in ("csv", "sheet"):
        hint = f" below its first line, which names the columns; give {param('header', value=False)} if that is a row"
    return rows.finish(labels, name=table.name, layout=layout, ids=ids.ids(), hint=hint, held_labels_only=dropping)


def _kept_places(table: Table, rules: TableRules, id_column: str | None) -> list[int]:
    dropped = left_out(table, rules)
    if id_column is not None:
        dropped.add(table.index_of(id_column, "id_column"))
    for option, columns in (("bins", rules.bins), ("map", rules.map)):
        for column in columns:
            if table.index_of(column, option) in dropped:
                raise ParameterError(f"{param(option)} names column {column!r}, which is not an item", parameter=option)
            if option == "map" and column in rules.bins:
                raise ParameterError(
                    f"column {column!r} has both {param('bins')} and {param('map')}; give one", parameter="map"
                )
    places = [place for place in range(len(table.columns)) if place not in dropped]
    if not places:
        raise ParameterError(f"no column of {table.name} is left to be an item", parameter="drop")
    return places


def left_out(table: Table, rules: TableRules) -> set[int]:
    """Return the columns that `drop` or `identifying` names, or that `keep` does not."""
    named = {table.index_of(column, "identifying") for column in named_columns(rules.identifying, table.columns)}
    if not rules.keep:
        return {table.index_of(column, "drop") for column in begun_columns(rules.drop, table.columns)} | named
    kept = {table.index_of(column, "keep") for column in begun_columns(rules.keep, table.columns)}
    if both := kept & named:
        raise two_roles(table.columns[min(both)], "keep")
    return set(range(len(table.columns))) - kept


def _refuse_mixed_up_columns(columns: list[str], name: str) -> None:
    """Refuse columns whose labels would be ambiguous: a and a=b would both make a=b=c."""
    known = set(columns)
    for at, column in enumerate(columns):
        if any(char == "=" and column[:place] in known for place, char in enumerate(column)):
            raise DataError(
                f"column {at + 1:,} of {name} has the name of another column followed by '=', so their items could "
                "not be told apart; rename it"
            )


def _refuse_doubtful_numbers(forms: Mapping[str, NumberForms], table: Table) -> None:
    for column, written in forms.items():
        if written.doubt is not None:
            raise DataError(
                f"column {column!r} of {table.name} has {param('bins')}, but {written.doubt}; write its numbers like "
                "1234.5"
            )


def _numbering(
    column: str, rules: TableRules, labels: Labels, forms: NumberForms | None
) -> Callable[[pa.Array], NDArray[np.int32]]:
    """Return the function that maps distinct cells of the column to their items' numbers."""
    bins, values = rules.bins.get(column), rules.map.get(column)

    if bins is None and values is None:
        return partial(labels.numbers, prefix=f"{column}=", missing=MISSING_CELLS)

    def number(cell: str) -> int:
        text = cell.strip(BLANKS)
        if values is not None and (text in values.values or text not in MISSING_CELLS):
            text = values.value(text)
        if text in MISSING_CELLS:
            return NULL
        if bins is not None and forms is not None:
            try:
                interval = bins.name(text)
            except NotANumber:
                return _NO_NUMBER
            forms.add(text, interval)
            text = interval
        return labels.number(f"{column}={text}")

    return lambda cells: np.array([number(cell) for cell in cells.to_pylist()], np.int32)


def _refuse_what_is_no_number(items: NDArray[np.int32], batch: Batch, table: Table, places: list[int]) -> None:
    if (items == _NO_NUMBER).any():
        row = int(np.argwhere(items == _NO_NUMBER)[0, 0])
        place = min(places[at] for at in np.flatnonzero(items[row] == _NO_NUMBER))  # the first in the file
        words, line = batch.where(row)
        raise DataError(
            f"{words} of {table.name} has no number in column {table.columns[place]!r}, which has {param('bins')}; "
            "write it like 1234.5, or leave the column's bins out",
            line=line,
        )

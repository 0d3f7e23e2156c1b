"""Turn data frames into rows: pandas, polars, pyarrow, DuckDB and anything else that supports Arrow or narwhals.

Shapes: one-hot (columns of bool, or of 0 and 1), long (`id_column` and `item_column` given), a column of lists, or a
table (`column=value`).

A frame that is handed to a job itself, without options, must show by its structure that it holds rows: nothing but
columns of bool or of 0 and 1, or one column, of lists. Everything else could be read in several ways, and is refused.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from discreet.errors import DataError
from discreet.tables.arrow_arrays import arrow_numbers, arrow_texts
from discreet.tables.frames import frame_table, is_frame
from discreet.transactions.doubtful_files import pattern_columns
from discreet.transactions.identifying import without_identifying
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import rows_of
from discreet.transactions.shapes.onehot import is_onehot
from discreet.transactions.transactions import Transactions, check_rows
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from discreet.tables.table import Table
    from discreet.transactions.shapes.cell_rules import Edge, Names

__all__ = ["arrow_table", "rows_given", "rows_in", "shape_shown", "transactions_from_frame"]


def rows_given(rows: Any) -> Transactions:
    """Return the rows that a job was given: Transactions, or a data frame that shows that it holds rows."""
    if isinstance(rows, Transactions):
        return rows
    if not is_frame(rows):
        check_rows(rows, frames=True)
    table = frame_table(rows)
    shape = None if pattern_columns(table.columns) else shape_shown(table)
    if shape is None:
        raise DataError(_unclear(table))
    return rows_in(table, shape)


def shape_shown(table: Table) -> Literal["onehot", "lists"] | None:
    """Return the shape of rows that a table has by its structure, whatever its columns are called."""
    if table.list_columns:
        return "lists" if len(table.columns) == 1 else None
    first = next(table.batches, None)
    if first is None:
        return None
    table.batches = chain([first], table.batches)
    places = range(len(table.columns))
    if any(isinstance(first.values(place), list) for place in places):  # of what Arrow does not know, such as sets
        return None
    return "onehot" if is_onehot(first, places) else None


def rows_in(table: Table, shape: Literal["onehot", "lists"]) -> Transactions:
    """Read the rows of a table in a shape that it shows."""
    return rows_of(table, ReadOptions(format=shape))


def _unclear(table: Table) -> str:
    if named := pattern_columns(table.columns):
        what = f"has the columns {' and '.join(sorted(named))}, as itemsets and rules of a miner do"
    elif table.list_columns:
        others = counted(len(table.columns) - len(table.list_columns), "other column")
        what = f"has {counted(len(table.list_columns), 'column')} of lists and {others}"
    else:
        what = "is neither one-hot (bool, or 0 and 1) nor a column of lists"
    return (
        f"{table.name} {what}, so that it is not certain what its rows are; say how to read it with "
        "Transactions.from_arrow, as in from_arrow(frame, format='table') or from_arrow(frame, item_column='items')"
    )


def transactions_from_frame(
    frame: Any,  # any data frame
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    id_column: str | None = None,
    item_column: str | None = None,
    drop: Names | None = None,
    identifying: Names | None = None,
    bins: Mapping[str, Iterable[Edge]] | str | Iterable[str] | None = None,
    map: Mapping[str, Mapping[str, str]] | str | Iterable[str] | None = None,  # noqa: A002 - the same
    missing: str | None = None,
) -> Transactions:
    """Build Transactions from a data frame; the options are those of `discreet.read`."""
    options = ReadOptions(
        format=format,  # type: ignore[arg-type]  # another word is refused
        id_column=id_column,
        item_column=item_column,
        drop=drop,
        identifying=identifying,
        bins=bins,
        map=map,
        missing=missing,  # type: ignore[arg-type]  # the same
    )
    table = frame_table(frame, keep=id_column)
    return without_identifying(rows_of(table, options), options)


def arrow_table(rows: Transactions) -> pa.Table:
    """Return rows as an Arrow table: a column of lists, `items`, with `id` and `weight` if there are any."""
    import pyarrow as pa

    labels = arrow_texts(rows.vocabulary.labels)
    items = pa.LargeListArray.from_arrays(arrow_numbers(rows.offsets), labels.take(arrow_numbers(rows.items)))
    columns = {} if rows.ids is None else {"id": arrow_texts(rows.ids)}
    columns["items"] = items
    if rows.weights is not None:
        columns["weight"] = arrow_numbers(rows.weights)
    return pa.table(columns)

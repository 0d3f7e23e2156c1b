"""Turn data frames into rows: pandas, polars, pyarrow, DuckDB and anything else that supports Arrow or narwhals.

Shapes: one-hot (columns of bool, or of 0 and 1), long (`id_column` and `item_column` given), a column of lists, or a
table (`column=value`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.tables.arrow_arrays import arrow_numbers, arrow_texts
from discreet.tables.frames import frame_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from discreet.transactions.shapes.cell_rules import Edge, Names
    from discreet.transactions.transactions import Transactions

__all__ = ["arrow_table", "transactions_from_frame"]


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
    from discreet.transactions.identifying import without_identifying
    from discreet.transactions.options import ReadOptions
    from discreet.transactions.reading import rows_of

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

"""Empty cells of a table: where a sensitive value was dropped, the empty cell says so.

Problem      an item is dropped from all rows, but in a table its place is seen. If one value of a column was dropped,
             whoever finds an empty cell there knows the value.
Method       in a column that has sensitive values, an empty cell is an item of its own, `column=`, and a sensitive one.
             The check then covers it like any other: as what is concluded, and as what is known.
Promises     the confidence that the check finds is never too low: every cell whose sensitive value was dropped is
             empty, and is counted.
Departures   cells that were missing from the start are counted with the others, since no reader can distinguish them;
             so the confidence may be too high. They are not counted if every sensitive value that is named for the
             column still occurs: items are dropped from all rows or from none, so none was dropped there. If the
             column itself is named, or all of its values, or a beginning that dropped values may have had, everything
             in it is sensitive, its gaps included. A column without any value tells nothing and is not counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.itemsets import Itemsets
from discreet.transactions.label_names import beginning_of
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "EmptyCells",
    "column_of_items",
    "counted_columns",
    "empty_cell",
    "has_gaps",
    "table_columns",
    "with_empty_cells",
]

EmptyCells = Literal["auto", "sensitive", "missing"]
"""What an empty cell counts as: what the rule above says, a sensitive value, or nothing."""


def empty_cell(column: str) -> str:
    """Return the label of a column's empty cells; no value is empty, so no other item has it."""
    return f"{column}="


def table_columns(rows: Transactions) -> tuple[str, ...]:
    """Return the columns of rows that are a table's; none for any other rows."""
    layout = rows.layout
    if layout is None or layout.shape != "table":
        return ()
    return tuple(column for column in layout.columns if column != layout.id_column)


def counted_columns(
    names: Iterable[str], columns: Sequence[str], held: Collection[str], how: EmptyCells = "auto"
) -> tuple[str, ...]:
    """Return the columns whose empty cells count as sensitive, given the sensitive names and the labels that occur.

    >>> counted_columns(["ill=HIV", "job"], ["ill", "job", "age"], {"ill=flu", "job=none", "age=30"})
    ('ill', 'job')
    >>> counted_columns(["ill=HIV"], ["ill", "age"], {"ill=HIV", "ill=flu", "age=30"})
    ()
    """
    if how == "missing":
        return ()
    named = {*names}
    begins = [begin for name in named.difference(held, columns) if (begin := beginning_of(name)) is not None]
    named.update(column for column in columns if column.startswith(tuple(begins)))
    kept = _of_columns((label for label in held if label not in named), columns)  # values that nobody named
    wanted = _of_columns((name for name in named if how == "sensitive" or name not in held), columns)
    wanted |= (_of_columns((name for name in named if name in held), columns) - kept) | named.intersection(columns)
    filled = _of_columns(held, columns)
    return tuple(column for column in columns if column in wanted and column in filled)


def _of_columns(labels: Iterable[str], columns: Collection[str]) -> set[str]:
    """Return those of the columns that these labels are values of."""
    known = {*columns}
    return {label[:at] for label in labels for at, char in enumerate(label) if char == "=" and label[:at] in known}


def column_of_items(labels: Sequence[str], columns: Sequence[str]) -> NDArray[np.int64]:
    """Return for every label the number of its column among these, -1 if it is of none of them."""
    place = {column: number for number, column in enumerate(columns)}
    return np.array(
        [
            next((place[label[:at]] for at, char in enumerate(label) if char == "=" and label[:at] in place), -1)
            for label in labels
        ],
        np.int64,
    )


def has_gaps(rows: Transactions, column: str) -> bool:
    """Return whether some row has no value in a column."""
    values = column_of_items(rows.vocabulary.labels, [column]) >= 0
    return bool((rows.itemsets.keeping(values[rows.items]).lengths == 0).any())


def with_empty_cells(rows: Transactions, columns: Sequence[str]) -> Transactions:
    """Return the rows with an item for each empty cell of these columns."""
    if not columns:
        return rows
    labels = rows.vocabulary.labels
    column = column_of_items(labels, columns)[rows.items]
    empty = np.ones((len(rows), len(columns)), bool)
    empty[rows.itemsets.owners[column >= 0], column[column >= 0]] = False
    codes = np.nonzero(empty)[1].astype(np.int32) + np.int32(len(labels))
    more = Itemsets.from_lengths(empty.sum(axis=1), codes)
    both = rows.itemsets.joined_with(more)
    made = Transactions.from_codes(both, [*labels, *map(empty_cell, columns)], layout=rows.layout)
    return made if rows.weights is None else replace(made, weights=rows.weights)

"""Lay out rows in columns, in slices, for writing CSV, JSON and Parquet files.

The counterpart of `tables.table`: a cell is a position in its column's texts, NULL if it is empty. Texts that would not
survive a round trip are refused before anything is written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import OutputError
from discreet.itemsets import Itemsets
from discreet.stages import tell
from discreet.tables.table import BLANKS, NULL
from discreet.tables.writers import TRUTH, Cells, WrittenColumns, WrittenLists
from discreet.transactions.shapes.cell_rules import MISSING_CELLS
from discreet.transactions.shapes.fimi import held_labels, used_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.transactions.layout import Layout
    from discreet.transactions.transactions import Transactions

__all__ = ["written_columns"]

_CELLS = 1 << 20


def written_columns(rows: Transactions, layout: Layout) -> WrittenColumns:
    """Lay out rows in the columns of their layout (a basket is a column of lists)."""
    build = {"long": _long, "table": _table, "onehot": _onehot, "lists": _lists, "basket": _lists}[layout.shape]
    columns = build(rows, layout)
    if layout.shape != "basket":
        for name in columns.names:
            _refuse_unfit(name, as_cell=True)
    return replace(
        columns,
        delimiter=layout.delimiter,
        header=layout.header and layout.shape != "basket",
        bare=layout.shape == "lists" and layout.item_column is None and len(columns.names) == 1,
    )


def _refuse_unfit(text: str, *, as_cell: bool) -> None:
    """Refuse a text that would not survive a round trip; cells lose surrounding blanks."""
    try:
        text.encode()
        carried = "\0" not in text and (not as_cell or (text != "" and text == text.strip(BLANKS)))
    except UnicodeEncodeError:
        carried = False
    if not carried:
        raise OutputError(
            "a label, id or column name that is empty, has blanks around it or holds a NUL does not fit into this "
            "format; lists in a .json or .parquet file carry all but the NUL"
        )


def _slices(rows: Transactions, width: int) -> Iterator[tuple[int, int]]:
    """Cut the rows into slices of about a million cells."""
    step = max(1, _CELLS // width)
    for first in range(0, len(rows), step):
        tell("laying out rows", first / len(rows))
        yield first, min(first + step, len(rows))


def _mean_length(rows: Transactions) -> int:
    return 1 + len(rows.items) // max(1, len(rows))


def _id_texts(rows: Transactions, *, distinct: bool) -> Sequence[str]:
    """Return the rows' ids, or numbers from 1 if they have none."""
    if rows.ids is None:
        return [str(number) for number in range(1, len(rows) + 1)]
    for text in rows.ids:
        _refuse_unfit(text, as_cell=True)
    if distinct and len(set(rows.ids)) < len(rows):
        raise OutputError("two rows have the same id, which a long table would make one row of; give each its own")
    return rows.ids


def _ids(rows: Transactions, layout: Layout) -> tuple[str | None, Callable[[int, int], Cells]]:
    """Return the id column's name, None if the rows have no ids, and its cells."""
    ids = _id_texts(rows, distinct=False) if rows.ids is not None and layout.id_column is not None else ()
    name = layout.id_column if ids else None
    return name, lambda first, last: Cells(np.arange(last - first, dtype=np.int32), list(ids[first:last]))


def _long(rows: Transactions, layout: Layout) -> WrittenColumns:
    """One line per item; a row without items has one line with an empty item."""
    labels = held_labels(rows)
    for item in used_items(rows):
        _refuse_unfit(labels[item], as_cell=True)
    ids = _id_texts(rows, distinct=True)

    def slices() -> Iterator[list[Cells | WrittenLists]]:
        for first, last in _slices(rows, _mean_length(rows)):
            items, lengths = _with_empty_rows(rows, first, last, empty=NULL)
            row = np.repeat(np.arange(last - first, dtype=np.int32), lengths)
            yield [Cells(row, list(ids[first:last])), Cells(items, labels)]

    return WrittenColumns((layout.id_column or "id", layout.item_column or "item"), slices())


def _with_empty_rows(
    rows: Transactions, first: int, last: int, *, empty: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the items of some rows and their lengths; an empty row gets one item, `empty`."""
    part = rows.itemsets.part(first, last)
    lengths = part.lengths
    items = np.insert(part.items, part.offsets[:-1][lengths == 0], empty)
    return items.astype(np.int32, copy=False), np.maximum(lengths, 1)


def _lists(rows: Transactions, layout: Layout) -> WrittenColumns:
    """One list per row; in a basket file an empty list becomes a list of one empty cell."""
    labels = held_labels(rows)
    basket = layout.shape == "basket"
    for item in used_items(rows):
        _refuse_unfit(labels[item], as_cell=basket)
    id_column, ids = (None, None) if basket else _ids(rows, layout)

    def slices() -> Iterator[list[Cells | WrittenLists]]:
        for first, last in _slices(rows, _mean_length(rows)):
            if basket:
                items, lengths = _with_empty_rows(rows, first, last, empty=NULL)
                part = Itemsets.from_lengths(lengths, items)
            else:
                part = rows.itemsets.part(first, last)
            before = [ids(first, last)] if ids is not None and id_column is not None else []
            yield [*before, WrittenLists(part.offsets, Cells(part.items, labels))]

    name = layout.item_column or "items"
    return WrittenColumns((name,) if id_column is None else (id_column, name), slices())


def _table(rows: Transactions, layout: Layout) -> WrittenColumns:
    """One cell per column; labels are split into column and value."""
    labels = rows.vocabulary.labels
    used = used_items(rows)
    columns = [column for column in layout.columns if column != layout.id_column]
    columns = columns or list(dict.fromkeys(labels[item].partition("=")[0] for item in used))
    place = {column: at for at, column in enumerate(columns)}
    texts: list[list[str]] = [[] for _ in columns]
    column_of = np.zeros(len(labels), np.int64)
    text_of = np.zeros(len(labels), np.int32)
    for item in used:
        label = labels[item]
        cuts = [at for at, char in enumerate(label) if char == "=" and label[:at] in place]
        if len(cuts) != 1 or label[cuts[0] + 1 :] in MISSING_CELLS:
            raise OutputError(
                "a label that is not column=value with one of the table's columns does not fit into a table; "
                "write the rows as baskets or lists"
            )
        column_of[item] = at = place[label[: cuts[0]]]
        text_of[item] = len(texts[at])
        _refuse_unfit(label[cuts[0] + 1 :], as_cell=True)
        texts[at].append(label[cuts[0] + 1 :])
    return _grid(rows, layout, columns, texts, column_of, text_of, absent=NULL)


def _onehot(rows: Transactions, layout: Layout) -> WrittenColumns:
    """One column per label: those of the original file, then new ones."""
    labels = rows.vocabulary.labels
    known = [column for column in layout.columns if column != layout.id_column]
    columns = list(dict.fromkeys([*known, *(labels[item] for item in used_items(rows))]))
    place = {column: at for at, column in enumerate(columns)}
    column_of = np.array([place.get(label, 0) for label in labels], np.int64)
    return _grid(rows, layout, columns, [TRUTH] * len(columns), column_of, np.ones(len(labels), np.int32), absent=0)


def _grid(  # noqa: PLR0917 - what the two of them found out
    rows: Transactions,
    layout: Layout,
    columns: list[str],
    texts: Sequence[Sequence[str]],
    column_of: NDArray[np.int64],
    text_of: NDArray[np.int32],
    *,
    absent: int,
) -> WrittenColumns:
    """Put items into a grid of rows by columns, with the id column in its original position."""
    if not columns:
        raise OutputError("rows without any item do not fit into a file with columns for items; write to a .dat file")
    id_column, ids = _ids(rows, layout)
    if id_column in columns:
        raise OutputError(f"the ids' column {id_column!r} is called like a column of items; rename one")
    id_place = layout.columns.index(id_column) if id_column in layout.columns else 0

    def slices() -> Iterator[list[Cells | WrittenLists]]:
        for first, last in _slices(rows, len(columns)):
            part = rows.itemsets.part(first, last)
            items, row, lengths = part.items, part.owners, part.lengths
            taken = np.zeros((last - first, len(columns)), bool)
            taken[row, column_of[items]] = True
            if len(crowded := np.flatnonzero(np.count_nonzero(taken, axis=1) < lengths)):
                raise OutputError(
                    f"row {first + int(crowded[0]) + 1:,} has two values for one column, for which a table has no "
                    "room; write the rows as baskets or lists"
                )
            cells = np.full(taken.shape, absent, np.int32)
            cells[row, column_of[items]] = text_of[items]
            made: list[Cells | WrittenLists] = [Cells(cells[:, at], texts[at]) for at in range(len(columns))]
            if id_column is not None:
                made.insert(id_place, ids(first, last))
            yield made

    names = list(columns)
    if id_column is not None:
        names.insert(id_place, id_column)
    return WrittenColumns(tuple(names), slices())

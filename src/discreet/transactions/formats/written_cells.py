"""Rows written as lines of cells: CSV, and JSON, which differs only in how a cell and a line are put.

A row without items stays: a basket file has a line of `""` for it, a long one a line with the id and an empty item,
tables and one-hot files have their cells. Labels must not have blanks around them, as reading takes those off.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import OutputError
from discreet.transactions.formats.assembling import arrow_texts
from discreet.transactions.formats.cell_rules import MISSING_CELLS
from discreet.transactions.formats.delimited import BLANKS, LONGEST_LINE
from discreet.transactions.formats.written_text import used_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.transactions.layout import Layout
    from discreet.transactions.transactions import Transactions

__all__ = ["Grid", "csv_bytes", "json_bytes", "onehot_grid", "refuse_unfit_text", "row_ids", "row_slices", "table_grid"]

_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Where items stand in a file with columns: item i in column `column[i]`, as `text[i]`."""

    columns: tuple[str, ...]
    column: NDArray[np.int64]
    text: tuple[str, ...]

    def cells(self, rows: Transactions, first: int, last: int) -> NDArray[np.int64]:
        """Return the items of some rows, rows by columns, -1 where there is none."""
        items = rows.items[rows.offsets[first] : rows.offsets[last]]
        row = np.repeat(np.arange(last - first), np.diff(rows.offsets[first : last + 1]))
        cells = np.full((last - first, len(self.columns)), -1, np.int64)
        cells[row, self.column[items]] = items
        if np.count_nonzero(cells >= 0) < len(items):
            crowded = np.count_nonzero(cells >= 0, axis=1) < np.diff(rows.offsets[first : last + 1])
            raise OutputError(
                f"row {first + int(np.flatnonzero(crowded)[0]) + 1:,} has two values of one column, for which a table "
                "has no room; write to a .json or .parquet file without a table's layout"
            )
        return cells


def table_grid(rows: Transactions, layout: Layout) -> Grid:
    """Take labels apart into column and value."""
    labels = rows.vocabulary.labels
    known = dict.fromkeys(column for column in layout.columns if column != layout.id_column)
    used = used_items(rows)
    if not known:
        known = dict.fromkeys(labels[item].partition("=")[0] for item in used)
    place = {column: at for at, column in enumerate(known)}
    column = np.zeros(len(labels), np.int64)
    texts = [""] * len(labels)
    for item in used:
        label = labels[item]
        cuts = [at for at, char in enumerate(label) if char == "=" and label[:at] in place]
        if len(cuts) != 1:
            raise OutputError(
                "a label that is not column=value with one of the table's columns does not fit into a table; "
                "write to a .json, .parquet or .dat file without a table's layout"
            )
        column[item], texts[item] = place[label[: cuts[0]]], label[cuts[0] + 1 :]
        refuse_unfit_text(texts[item], missing=True)
    return _grid(tuple(known), column, texts)


def onehot_grid(rows: Transactions, layout: Layout) -> Grid:
    """Give every label a column: those that the file had, then new ones."""
    labels = rows.vocabulary.labels
    known = [column for column in layout.columns if column != layout.id_column]
    columns = tuple(dict.fromkeys([*known, *(labels[item] for item in used_items(rows))]))
    place = {column: at for at, column in enumerate(columns)}
    return _grid(columns, np.array([place.get(label, -1) for label in labels], np.int64), ["1"] * len(labels))


def _grid(columns: tuple[str, ...], column: NDArray[np.int64], texts: Sequence[str]) -> Grid:
    if not columns:
        raise OutputError("rows without any item do not fit into a file with a column per item; write to a .dat file")
    return Grid(columns=columns, column=column, text=tuple(texts))


def refuse_unfit_text(text: str, *, missing: bool = False) -> None:
    """Refuse a text that reading would not give back."""
    if text != text.strip(BLANKS) or not text or "\0" in text or (missing and text in MISSING_CELLS):
        raise OutputError(
            "a label, id or column that is empty, has blanks around it, holds a NUL or stands for a missing cell "
            "does not fit into this format; write to a .json or .parquet file as lists"
        )


def row_ids(rows: Transactions) -> Sequence[str]:
    """Return the rows' ids, or numbers from 1 where they have none."""
    return rows.ids if rows.ids is not None else [str(number) for number in range(1, len(rows) + 1)]


def row_slices(rows: Transactions, width: int) -> Iterator[tuple[int, int]]:
    """Cut the rows into slices of about a million cells; a width of 0 stands for the rows' own lengths."""
    mean = width or 1 + len(rows.items) // max(1, len(rows))
    step = max(1, _CELLS // mean)
    return ((first, min(first + step, len(rows))) for first in range(0, len(rows), step))


def csv_bytes(rows: Transactions, layout: Layout) -> Iterator[bytes]:
    """Return a CSV file, in chunks; what it cannot carry is refused first."""
    delimiter = layout.delimiter

    def cell(text: str) -> str:
        if any(char in text for char in ('"', "\r", "\n", delimiter)) or text.startswith("\ufeff"):
            return '"' + text.replace('"', '""') + '"'
        return text

    if layout.shape == "basket":
        labels = rows.vocabulary.labels
        for item in used_items(rows):
            refuse_unfit_text(labels[item])
        lines = _list_lines(rows, [cell(label) for label in labels], delimiter, "", "", empty='""')
        return _csv_lines(lines)
    if layout.shape == "long":
        columns, lines = _long_lines(rows, layout, cell, "{0}" + delimiter.replace("{", "{{").replace("}", "}}") + "{1}", "")
    else:
        grid = (table_grid if layout.shape == "table" else onehot_grid)(rows, layout)
        columns = _columns_with_ids(rows, layout, grid)
        put = _Put(separator=delimiter, start="", end="", cell=lambda _, text: cell(text))
        lines = _grid_lines(rows, layout, grid, put, empty='""' if len(columns) == 1 else "")
    for column in columns:
        refuse_unfit_text(column)
    header = delimiter.join(map(cell, columns)).encode() + b"\n" if layout.header else b""
    return _csv_lines(lines, header)


def json_bytes(rows: Transactions, layout: Layout) -> Iterator[bytes]:
    """Return a JSON file, in chunks: an array, or a value per line."""
    if layout.shape == "lists":
        lines = _json_lists(rows, layout)
    elif layout.shape == "long":
        id_key, item_key = _text(layout.id_column or "id"), _text(layout.item_column or "item")
        _, lines = _long_lines(rows, layout, _text, f"{{{{{id_key}: {{0}}, {item_key}: {{1}}}}}}", "null")
    else:
        grid = (table_grid if layout.shape == "table" else onehot_grid)(rows, layout)
        put = _Put(separator=", ", start="{", end="}", cell=lambda column, text: f"{_text(column)}: {_text(text)}")
        lines = _grid_lines(rows, layout, grid, put, empty=None)
    return _csv_lines(lines) if layout.container == "jsonl" else _json_array(lines)

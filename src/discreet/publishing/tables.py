"""Tables of many itemsets that a reader can sort, search and page through.

The first few hundred rows are plain HTML, for readers without a script. All rows are also in the page as plain numbers,
from which the page's script (`pages/tables.js`) draws the visible ones: a table of 100,000 itemsets is a few megabytes
and opens at once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.wording import number, one_line, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.json_types import JsonObject
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["MOST_LINES", "BrowsingTable", "Changes", "Counts", "Items", "Lengths", "Shares", "largest"]

MOST_LINES = 200_000
"""The most lines of a table; beyond that a page becomes slow, and a file is better."""

_PLAIN_LINES = 300
"""Lines that are plain HTML."""


@dataclass(frozen=True, eq=False)
class Items:
    """A column of itemsets."""

    head: str
    vocabulary: Vocabulary
    itemsets: Itemsets

    def labels(self, line: int) -> list[str]:
        """Return the labels in one line."""
        return [self.vocabulary[code] for code in self.itemsets[line].tolist()]

    def numbers(self, columns: Sequence[Column]) -> JsonObject:
        """Return the data for the script."""
        items = np.searchsorted(_occurring(columns), self.itemsets.items)
        return {"kind": "items", "lengths": self.itemsets.lengths.tolist(), "items": items.tolist()}


@dataclass(frozen=True, eq=False)
class Lengths:
    """The number of items of another column's itemsets."""

    head: str
    of: Items

    def cell(self, line: int) -> str:
        """Return the text of one line."""
        return number(len(self.of.itemsets[line]))

    def numbers(self, columns: Sequence[Column]) -> JsonObject:
        """Return the data for the script."""
        return {"kind": "length", "of": columns.index(self.of)}


@dataclass(frozen=True, eq=False)
class Counts:
    """Whole numbers."""

    head: str
    values: NDArray[np.int64]

    def cell(self, line: int) -> str:
        """Return the text of one line."""
        return number(int(self.values[line]))

    def numbers(self, columns: Sequence[Column]) -> JsonObject:
        """Return the data for the script."""
        del columns
        return {"kind": "count", "values": self.values.tolist()}


@dataclass(frozen=True, eq=False)
class Changes:
    """Whole numbers with a sign, sorted by magnitude."""

    head: str
    values: NDArray[np.int64]

    def cell(self, line: int) -> str:
        """Return the text of one line."""
        value = int(self.values[line])
        sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else ""
        return f"{sign}{number(abs(value))}"

    def numbers(self, columns: Sequence[Column]) -> JsonObject:
        """Return the data for the script."""
        del columns
        return {"kind": "change", "values": self.values.tolist()}


@dataclass(frozen=True, eq=False)
class Shares:
    """Another column's numbers as shares of a whole; the whole is one for all lines, or one for each."""

    head: str
    of: Counts | Changes
    wholes: int | NDArray[np.int64]

    def cell(self, line: int) -> str:
        """Return the text of one line."""
        whole = self.wholes if isinstance(self.wholes, int) else int(self.wholes[line])
        return percent(abs(int(self.of.values[line])), whole)

    def numbers(self, columns: Sequence[Column]) -> JsonObject:
        """Return the data for the script."""
        wholes = self.wholes if isinstance(self.wholes, int) else self.wholes.tolist()
        return {"kind": "share", "of": columns.index(self.of), "wholes": wholes}


Column = Items | Lengths | Counts | Changes | Shares


def largest(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices of the largest values, as many as a table has lines, in ascending order."""
    return np.sort(np.argsort(-values, kind="stable")[:MOST_LINES])


@dataclass(frozen=True, eq=False)
class BrowsingTable:
    """A table of itemsets: its lines are in the order of the first column, or largest first `by` another."""

    caption: str
    columns: tuple[Column, ...]
    by: Counts | Changes | None = None

    @property
    def _first(self) -> Items:
        return next(column for column in self.columns if isinstance(column, Items))

    @property
    def total(self) -> int:
        """The number of lines."""
        return len(self._first.itemsets)

    @property
    def first_lines(self) -> list[int]:
        """The lines that are plain HTML."""
        if self.by is None:
            return list(range(min(self.total, _PLAIN_LINES)))
        lines: list[int] = np.argsort(-np.abs(self.by.values), kind="stable")[:_PLAIN_LINES].tolist()
        return lines

    @property
    def lengths(self) -> list[int]:
        """The lengths to choose from, if there is a column of lengths."""
        of = (column.of for column in self.columns if isinstance(column, Lengths))
        return [length for items in of for length in np.unique(items.itemsets.lengths).tolist()]

    @property
    def numbers(self) -> str:
        """The lines as JSON that cannot end the surrounding script element."""
        vocabulary = self._first.vocabulary
        data = {
            "labels": [one_line(vocabulary[item]) for item in _occurring(self.columns).tolist()],
            "columns": [column.numbers(self.columns) for column in self.columns],
            "by": 0 if self.by is None else self.columns.index(self.by),
        }
        compact = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return compact.replace("<", "\\u003c").replace("&", "\\u0026")


def _occurring(columns: Sequence[Column]) -> NDArray[np.int32]:
    """Return the items that occur in the table: no other label of the data may get into the page."""
    return np.unique(np.concatenate([column.itemsets.items for column in columns if isinstance(column, Items)]))

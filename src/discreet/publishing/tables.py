"""Tables of many itemsets that a reader can sort, search and leaf through.

The first few hundred lines stand in the page as they are, for those who read it without a script. All lines stand
beside them as plain numbers, from which the page's script (`pages/tables.js`) draws those that are looked at: a table
of 100,000 itemsets is a few megabytes and opens at once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.publishing.page import itemset, text
from discreet.wording import number, one_line, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["MOST_LINES", "Changes", "Counts", "Items", "Lengths", "Shares", "browsing_table", "largest"]

MOST_LINES = 200_000
"""Lines that a table may have; beyond them a page becomes slow, and a file is what one wants."""

_PLAIN_LINES = 300
"""Lines that stand in the page as they are."""


@dataclass(frozen=True, eq=False)
class Items:
    """A column of itemsets."""

    head: str
    vocabulary: Vocabulary
    itemsets: Itemsets

    def cell(self, line: int) -> str:
        """Return the markup of one line."""
        held = self.itemsets[line]
        return itemset(self.vocabulary[code] for code in held.tolist())

    def numbers(self, columns: Sequence[Column]) -> dict[str, Any]:
        """Return what the script is given."""
        items = np.searchsorted(_occurring(columns), self.itemsets.items)
        return {"kind": "items", "lengths": self.itemsets.lengths.tolist(), "items": items.tolist()}


@dataclass(frozen=True, eq=False)
class Lengths:
    """How many items another column's itemsets have."""

    head: str
    of: Items

    def cell(self, line: int) -> str:
        """Return the markup of one line."""
        return number(len(self.of.itemsets[line]))

    def numbers(self, columns: Sequence[Column]) -> dict[str, Any]:
        """Return what the script is given."""
        return {"kind": "length", "of": columns.index(self.of)}


@dataclass(frozen=True, eq=False)
class Counts:
    """Whole numbers."""

    head: str
    values: NDArray[np.int64]

    def cell(self, line: int) -> str:
        """Return the markup of one line."""
        return number(int(self.values[line]))

    def numbers(self, columns: Sequence[Column]) -> dict[str, Any]:
        """Return what the script is given."""
        del columns
        return {"kind": "count", "values": self.values.tolist()}


@dataclass(frozen=True, eq=False)
class Changes:
    """Whole numbers with their sign, sorted by their size."""

    head: str
    values: NDArray[np.int64]

    def cell(self, line: int) -> str:
        """Return the markup of one line."""
        value = int(self.values[line])
        sign = "+" if value > 0 else "\N{MINUS SIGN}" if value < 0 else ""
        return f"{sign}{number(abs(value))}"

    def numbers(self, columns: Sequence[Column]) -> dict[str, Any]:
        """Return what the script is given."""
        del columns
        return {"kind": "change", "values": self.values.tolist()}


@dataclass(frozen=True, eq=False)
class Shares:
    """Which share of a whole another column's numbers are; the whole is one for all lines, or one for each."""

    head: str
    of: Counts | Changes
    wholes: int | NDArray[np.int64]

    def cell(self, line: int) -> str:
        """Return the markup of one line."""
        whole = self.wholes if isinstance(self.wholes, int) else int(self.wholes[line])
        return percent(abs(int(self.of.values[line])), whole)

    def numbers(self, columns: Sequence[Column]) -> dict[str, Any]:
        """Return what the script is given."""
        wholes = self.wholes if isinstance(self.wholes, int) else self.wholes.tolist()
        return {"kind": "share", "of": columns.index(self.of), "wholes": wholes}


Column = Items | Lengths | Counts | Changes | Shares


def largest(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of as many of the largest values as a table has lines for, in ascending order."""
    return np.sort(np.argsort(-values, kind="stable")[:MOST_LINES])


def browsing_table(caption: str, first: Items, *others: Column, rest: str, by: Counts | Changes | None = None) -> str:
    """Return a table as markup; its lines come in the order of the first column's itemsets, or largest first `by` one.

    `caption` and `rest` are markup; `rest` says where those who see the first lines only find the others.
    """
    columns: list[Column] = [first, *others]
    total = len(first.itemsets)
    shown = min(total, _PLAIN_LINES)
    order = range(total) if by is None else np.argsort(-np.abs(by.values), kind="stable").tolist()
    heads = "".join(f'<th scope="col"{_look(column)}>{text(column.head)}</th>' for column in columns)
    lines = "".join(_line(columns, line) for line in order[:shown])
    more = f"The first {number(shown)} of {number(total)}. {rest}" if shown < total else ""
    return (
        '<div class="browse">\n<div class="controls" hidden>\n'
        '<label>Search items, by one or more words<input type="search" autocomplete="off" spellcheck="false"></label>\n'
        f"{_choice_of_length(columns)}<output></output>\n</div>\n"
        f'<div class="scroll"><table>\n<caption>{caption}</caption>\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{lines}</tbody>\n</table></div>\n{_PAGER}"
        f'<p class="note without-script">{more}</p>\n'
        f'<script type="application/json">{_numbers(columns, first.vocabulary, by)}</script>\n</div>\n'
    )


_PAGER = (
    '<nav class="pager" aria-label="Pages of the table" hidden>'
    + "".join(f'<button type="button">{word}</button>' for word in ("First", "Previous", "Next", "Last"))
    + "</nav>\n"
)


def _look(column: Column) -> str:
    return ' class="items"' if isinstance(column, Items) else ""


def _choice_of_length(columns: Sequence[Column]) -> str:
    """Return a choice of lengths, where lengths are a column."""
    for column in columns:
        if isinstance(column, Lengths):
            lengths = np.unique(column.of.itemsets.lengths).tolist()
            options = "".join(f'<option value="{length}">{number(length)}</option>' for length in lengths)
            return f'<label>Number of items<select><option value="">any</option>{options}</select></label>\n'
    return ""


def _line(columns: Sequence[Column], line: int) -> str:
    first, *others = columns
    cells = "".join(f"<td{_look(column)}>{column.cell(line)}</td>" for column in others)
    return f'<tr><th scope="row" class="items">{first.cell(line)}</th>{cells}</tr>\n'


def _occurring(columns: Sequence[Column]) -> NDArray[np.int32]:
    """Return the items that occur in the table: no other label of the data may get into the page."""
    return np.unique(np.concatenate([column.itemsets.items for column in columns if isinstance(column, Items)]))


def _numbers(columns: Sequence[Column], vocabulary: Vocabulary, by: Column | None) -> str:
    """Return the lines as JSON in which nothing can end the script element around it."""
    data = {
        "labels": [one_line(vocabulary[item]) for item in _occurring(columns).tolist()],
        "columns": [column.numbers(columns) for column in columns],
        "by": 0 if by is None else columns.index(by),
    }
    compact = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return compact.replace("<", "\\u003c").replace("&", "\\u0026")

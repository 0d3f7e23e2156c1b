"""What cells may mean that they are not taken for: words for nothing, lists in one cell, empty lines below the rows.

All of it can be read, and may be what was meant, so nothing is refused: the answer says what was taken for what.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import chain, pairwise
from shlex import quote
from typing import TYPE_CHECKING

import numpy as np

from discreet.command_words import option_words
from discreet.wording import counted, number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.transactions.layout import Shape
    from discreet.transactions.transactions import Transactions

__all__ = ["PERHAPS_MISSING", "cell_notes"]

PERHAPS_MISSING = (
    *(
        "N/A",
        "n/a",
        "N.A.",
        "n.a.",
        "na",
        "k.A.",
        "k. A.",
        "NULL",
        "Null",
        "null",
        "(null)",
        "<null>",
        "\\N",
        "nil",
        "None",
    ),
    *("NaN", "nan", "NAN", "NaT", "<NA>", "missing", "Missing", "MISSING", "-", "--", "---", ".", "..", "...", "??"),
    *("#N/A", "#NV", "#NULL!", "#DIV/0!", "#VALUE!", "#WERT!", "#REF!", "#BEZUG!", "#NAME?", "#NUM!", "#ZAHL!"),
)
"""How tools and people write that a cell has no value, besides those that are taken for missing cells."""

_LINES: tuple[Shape, ...] = ("fimi", "spmf", "basket", "table")
"""Shapes in which a line without anything is an empty row."""

_ENCLOSED = re.compile(r"\[.*\]|\{.*\}|\(.*\)")
_INTERVAL = re.compile(r"[\[(] *[-+.0-9∞a-z]* *[,;] *[-+.0-9∞a-z]* *[\])]")
_SIGNS = (";", "|")
_NUMBERED = re.compile(r"(.*?)[ _.-]*[0-9]{1,3}")
_A_NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?")
_WEIGHTS = {"count", "counts", "n", "freq", "frequency", "weight", "anzahl", "häufigkeit"}
_MOST_COMPARED = 100_000
_TOTALS = {"total", "totals", "grand total", "sum", "summe", "gesamt", "gesamtsumme", "insgesamt"}
_FEW_ROWS = 10
_MOST_LOOKED_AT = 10_000_000
_MOST_CELLS = 1000
_FEWEST_CELLS = 3
_SHOWN = 3


def cell_notes(
    rows: Transactions, supports: NDArray[np.int64], shape: Shape, columns: Collection[str]
) -> tuple[str, ...]:
    """Return what an owner should look at; `supports` are those of the items, `columns` those of a table."""
    return (
        *_missing_notes(rows, supports, columns),
        *_list_notes(rows, supports, columns),
        *_place_notes(rows, supports, columns),
        *_weight_notes(rows, columns),
        *_end_notes(rows, shape),
        *_total_notes(rows, columns),
    )


def _missing_notes(rows: Transactions, supports: NDArray[np.int64], columns: Collection[str]) -> Iterator[str]:
    found = [
        (column, word, int(supports[item]))
        for column in columns or ("",)
        for word in PERHAPS_MISSING
        if (item := _item(rows, f"{column}={word}" if columns else word)) is not None and supports[item]
    ]
    if not found:
        return
    more = f" and {number(len(found) - _SHOWN)} more" if len(found) > _SHOWN else ""
    shown = ", ".join(
        f"{word} in {column} ({counted(count, 'row')})" if columns else f"{word} ({counted(count, 'row')})"
        for column, word, count in found[:_SHOWN]
    )
    if not columns:
        what = "counts as an item" if len(found) == 1 else "count as items"
        yield f"Note: {shown}{more} {what}; if nothing is meant by it, leave it out of the rows."
        return
    words: dict[str, list[str]] = {}
    for column, word, _ in found[:_SHOWN]:
        words.setdefault(column, []).append(f"{word}=")
    maps = [f"{column}:{','.join(each)}" for column, each in words.items()]
    options = " ".join(quote(word) for word in option_words({"map": maps}))
    what = "counts as a value" if len(found) == 1 else "count as values"
    yield f"Note: {shown}{more} {what}; if nothing is known there, say so: {options}."


def _item(rows: Transactions, label: str) -> int | None:
    labels = rows.vocabulary.labels
    if len(labels) > 0 and labels[0].isdecimal() and labels[-1].isdecimal():
        return None  # in the order of numbers, and none of these words is one
    at = bisect_left(labels, label)
    return at if at < len(labels) and labels[at] == label else None


def _list_notes(rows: Transactions, supports: NDArray[np.int64], columns: Collection[str]) -> Iterator[str]:
    labels = rows.vocabulary.labels  # those of a table are in the order of their texts
    for column in columns:
        start, end = bisect_left(labels, f"{column}="), bisect_left(labels, f"{column}>")  # > follows =
        held = start + np.flatnonzero(supports[start:end])[:_MOST_CELLS]
        texts = [labels[item][len(column) + 1 :] for item in held.tolist()]
        if (between := _list_sign(texts)) is not None:
            yield (
                f"Note: cells of {column} look like lists ({between}), and each counts as one item as a whole; if its "
                "parts are the items, write a line for each of them, or lists in JSON or Parquet."
            )


def _list_sign(texts: Sequence[str]) -> str | None:
    """Return what makes cells look like lists: most of them have it, and parts of some occur in others."""
    if len(texts) < _FEWEST_CELLS:
        return None
    enclosed = [text for text in texts if _ENCLOSED.fullmatch(text) and not _INTERVAL.fullmatch(text)]
    if 2 * len(enclosed) > len(texts):
        return "in brackets"
    for sign in _SIGNS:
        cut = [[part.strip() for part in text.split(sign)] for text in texts if sign in text]
        parts = list(chain.from_iterable(cut))
        if 2 * len(cut) > len(texts) and len(set(parts)) < len(parts):
            return f"{sign} between their parts"
    return None


def _place_notes(rows: Transactions, supports: NDArray[np.int64], columns: Collection[str]) -> Iterator[str]:
    """Yield what to say of numbered columns with the same words in them, as places in a list have."""
    stems: dict[str, list[str]] = {}
    for column in columns:
        if numbered := _NUMBERED.fullmatch(column):
            stems.setdefault(numbered[1], []).append(column)
    for several in stems.values():
        held = [
            {label for label in _values(rows, supports, column) if not _A_NUMBER.fullmatch(label)} for column in several
        ]
        shared = sum(len(one & other) * 2 > min(len(one), len(other)) > 1 for one, other in pairwise(held))
        if shared * 2 > len(several) - 1 > 0:
            more = f" and {number(len(several) - _SHOWN)} more" if len(several) > _SHOWN else ""
            yield (
                f"Note: {', '.join(several[:_SHOWN])}{more} hold the same values, and each counts as another item in "
                "each of them; if they are places in a list, write a line for each item, or baskets without names of "
                "columns."
            )


def _values(rows: Transactions, supports: NDArray[np.int64], column: str) -> Iterator[str]:
    labels = rows.vocabulary.labels
    start, end = bisect_left(labels, f"{column}="), bisect_left(labels, f"{column}>")  # > follows =
    return (labels[item][len(column) + 1 :] for item in (start + np.flatnonzero(supports[start:end])).tolist())


def _weight_notes(rows: Transactions, columns: Collection[str]) -> Iterator[str]:
    """Yield what to say of a column that may tell how many rows each line stands for."""
    column = next((column for column in columns if column.casefold() in _WEIGHTS), None)
    if column is None or len(columns) < 2 or len(rows) > _MOST_COMPARED:  # noqa: PLR2004 - and what it counts
        return
    labels = rows.vocabulary.labels
    start, end = bisect_left(labels, f"{column}="), bisect_left(labels, f"{column}>")
    if not all(label[len(column) + 1 :].isdecimal() for label in labels[start:end]):
        return
    others = rows.itemsets.keeping((rows.items < start) | (rows.items >= end))
    if len(others.distinct()) == len(rows) > 1:
        yield (
            f"Note: {column} may be the number of rows that each line stands for, since no two lines agree in all "
            "other columns: lines are counted here; write each as often as it says."
        )


def _total_notes(rows: Transactions, columns: Collection[str]) -> Iterator[str]:
    """Yield what to say of a last row that looks like a total, or a source, below a table."""
    if not _FEW_ROWS <= len(rows) <= _MOST_LOOKED_AT or len(columns) < 2:  # noqa: PLR2004 - one has no total
        return
    values = [rows.vocabulary[item].partition("=")[2].casefold() for item in rows.itemsets[len(rows) - 1].tolist()]
    alone = len(values) == 1 and np.count_nonzero(rows.itemsets.lengths == 1) == 1
    if alone or not _TOTALS.isdisjoint(values):
        yield (
            "Note: the last row looks like a total, or a source, below a table, and counts as a row; delete it if "
            "it is none."
        )


def _end_notes(rows: Transactions, shape: Shape) -> Iterator[str]:
    """Yield what to say of empty rows at the end, as spreadsheets and editors leave them."""
    if shape not in _LINES:
        return
    offsets = rows.itemsets.offsets  # they ascend, and may lie on the disk
    last = len(rows) - int(np.searchsorted(offsets, offsets[-1]))
    if 0 < last < len(rows):
        lines = (
            "the last line is empty, and counts as a row"
            if last == 1
            else (f"the last {number(last)} lines are empty, and count as rows")
        )
        them = "it if it is" if last == 1 else "them if they are"
        yield f"Note: {lines}; delete {them} only what a spreadsheet or an editor left there."

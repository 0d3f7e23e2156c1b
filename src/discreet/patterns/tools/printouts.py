"""Frames as pandas and R print them: an index, and columns whose cells end where their heading ends.

A printout that was shortened (...) or wrapped is refused: what is missing cannot be audited.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.tables.table import ArrowBatch, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["is_printout", "printed_lines", "printed_table", "table_of_lists"]

_HEADING = re.compile(r"(?:antecedent|consequent) support|\S+")
_TELLING = re.compile(r"\b(?:itemsets?|items|antecedents?|lhs|rules)\b", re.IGNORECASE)
_FIRST_ROW = re.compile(r"\s*[01]\s+\S")
_SHAPE = re.compile(r"\[([0-9]+) rows x [0-9]+ columns\]")
_SET = re.compile(r"frozenset\(\{(.*)\}\)")  # as pandas 3 prints sets; before, it printed (a, b)
_NOTEBOOK = re.compile(r"## ?")
_CUT = "the printout is shortened (...); print it whole with to_string(), or write the frame with to_csv"


def printed_lines(text: str) -> list[str]:
    """Return the lines without what R Markdown puts before them, and without blank ones around them."""
    lines = [line.rstrip() for line in text.expandtabs().splitlines()]
    if all(_NOTEBOOK.match(line) for line in lines if line):
        lines = [_NOTEBOOK.sub("", line, count=1) for line in lines]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def is_printout(text: str) -> bool:
    """Return whether a text begins like a printed frame of itemsets or rules."""
    lines = printed_lines(text)
    headings = lines[0] if lines else ""
    first = lines[1] if len(lines) > 1 else ""
    return headings.startswith(" ") and bool(_TELLING.search(headings)) and bool(_FIRST_ROW.match(first))


def printed_table(text: str, name: str) -> Table:
    """Return the printed frame as a table of texts."""
    lines = printed_lines(text)
    headings = list(_HEADING.finditer(lines[0]))
    names = [heading[0] for heading in headings]
    if "..." in names or "\\" in names:
        raise DataError(f"{name}: {_CUT}")
    ends = [heading.end() for heading in headings]
    rows: list[list[str]] = []
    for number, line in enumerate(lines[1:], start=2):
        if not line:
            continue
        if shape := _SHAPE.fullmatch(line):
            if int(shape[1]) != len(rows):
                raise DataError(f"{name}: {_CUT}")
            continue
        rows.append([_SET.sub(r"(\1)", cell) for cell in _cells(line, ends, f"{name}, line {number}")])
    return table_of_lists(name, {column: [row[at] for row in rows] for at, column in enumerate(names)})


def _cells(line: str, ends: Sequence[int], place: str) -> list[str]:
    index, _, _ = line.lstrip().partition(" ")
    if "..." in line or index == "..":
        raise DataError(f"{place}: {_CUT}")
    start = line.index(index) + len(index)
    fits = index.isdecimal() and len(line) == ends[-1] and all(_ends_at(line, end) for end in ends)
    cells = [line[first:end].strip() for first, end in zip((start, *ends), ends, strict=False)]
    if not fits or not all(cells):
        raise DataError(f"{place}: the cells do not stand below their headings; write the frame with to_csv")
    return cells


def _ends_at(line: str, end: int) -> bool:
    return line[end - 1 : end] != " " and line[end : end + 1] in ("", " ")


def table_of_lists(name: str, columns: Mapping[str, list[str]]) -> Table:
    """Return columns of texts as a table."""
    rows = len(next(iter(columns.values()), []))
    batch = ArrowBatch(columns=list(columns.values()), rows=rows, before=0, name=name)
    return Table(name=name, columns=tuple(columns), batches=iter([batch]), container="text")

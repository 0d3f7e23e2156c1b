"""Generalization hierarchies: what the values of a column become, level by level.

The format is ARX's: a CSV file without a header, cells separated by semicolons, one line for each value of the column:

    34;30-34;30-39;*
    37;35-39;30-39;*

Level 0 is the value itself, and the last level is the most general one. A line whose first cell is empty, `?` or `NA`
is for missing cells; without such a line, missing cells cannot be generalized. Every level is a function of the one
below it (30-34 is 30-39 on every line), so generalizing can only merge groups of rows, never split them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from discreet.errors import DataError, ParameterError, param
from discreet.tables.byte_source import open_bytes
from discreet.tables.csv import given_lines, hierarchy_lines
from discreet.tables.table import BLANKS
from discreet.transactions.shapes.cell_rules import MISSING_CELLS

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from discreet.tables.csv import HierarchyLine

__all__ = ["MISSING", "ColumnHierarchy", "Hierarchies", "read_hierarchies"]

MISSING = ""
"""The value of a missing cell."""

ANY = "*"

Hierarchies: TypeAlias = "str | os.PathLike[str] | Mapping[str, Iterable[Sequence[str]]]"
"""A folder of files named after the columns, or the lines of each column's file."""


@dataclass(frozen=True, slots=True)
class ColumnHierarchy:
    """One column's hierarchy: `above[value]` is what the value becomes at levels 1, 2, … `height`.

    `name` identifies it in error messages. Without `above` there is no list of values: any value becomes `*` at level
    1.
    """

    name: str
    height: int
    above: Mapping[str, tuple[str, ...]] | None

    def line(self, value: str) -> tuple[str, ...] | None:
        """Return the value and its generalizations, level by level; None if the hierarchy does not contain it."""
        if self.above is None:
            return value, ANY
        return None if value not in self.above else (value, *self.above[value])


def read_hierarchies(hierarchies: Hierarchies | None, columns: Sequence[str]) -> dict[str, ColumnHierarchy]:
    """Return the hierarchy of each column; by default, a value can only become `*`."""
    if hierarchies is None:
        return {column: ColumnHierarchy(name="no hierarchy", height=1, above=None) for column in columns}
    if isinstance(hierarchies, Mapping):
        return {column: _given(hierarchies, column) for column in columns}
    folder = Path(hierarchies)
    if not folder.is_dir():
        raise ParameterError(
            f"{param('hierarchies')} must be a folder with a file such as {columns[0]}.csv for each quasi-identifier, "
            f"got {str(folder)!r}",
            parameter="hierarchies",
        )
    return {column: _read(folder / f"{column}.csv", column) for column in columns}


def _given(lines: Mapping[str, Iterable[Sequence[str]]], column: str) -> ColumnHierarchy:
    if column not in lines:
        raise ParameterError(
            f"{param('hierarchies')} have no entry for the quasi-identifier {column!r}", parameter="hierarchies"
        )
    return _hierarchy(f"the hierarchy of {column!r}", given_lines(lines[column]))


def _read(path: Path, column: str) -> ColumnHierarchy:
    if not path.is_file():
        raise ParameterError(
            f"{path} does not exist; {param('hierarchies')} must hold a file of this name for the quasi-identifier "
            f"{column!r}",
            parameter="hierarchies",
        )
    with open_bytes(path) as source:
        return _hierarchy(source.name, hierarchy_lines(source.chunks(), name=source.name))


def _hierarchy(name: str, lines: Iterator[HierarchyLine]) -> ColumnHierarchy:
    """Check that all lines have the same number of levels, and that each level is a function of the one below it."""
    above: dict[str, tuple[str, ...]] = {}
    parents: list[dict[str, str]] = []
    for number, line in lines:
        values = [_value(cell) for cell in line]
        parents = parents or [{} for _ in values[1:]]
        if fault := _fault(line, values, parents):
            raise DataError(f"line {number():,} of {name} {fault}", line=number())
        above.setdefault(values[0], tuple(values[1:]))
    if not above:
        raise DataError(f"{name} holds no lines; write value;level 1;…;* for each value of the column")
    return ColumnHierarchy(name=name, height=len(parents), above=above)


def _fault(line: tuple[str, ...], values: list[str], parents: list[dict[str, str]]) -> str | None:
    """Return what is wrong with a line; if nothing is, record what its values become."""
    if not parents:
        return "has no level above its value; write value;level 1;…;*"
    if len(values) != len(parents) + 1:
        return (
            f"has {len(values):,} cells where {len(parents) + 1:,} were expected; "
            "every line needs the same number of levels"
        )
    for level, parent_of in enumerate(parents):
        if not line[level + 1].strip(BLANKS):
            return f"has an empty cell at level {level + 1}; write * for any value"
        if parent_of.setdefault(values[level], values[level + 1]) != values[level + 1]:
            return (
                f"has a value at level {level} that becomes another one at level {level + 1} than on an earlier line; "
                "a value can become one value only"
            )
    return None


def _value(cell: str) -> str:
    text = cell.strip(BLANKS)
    return MISSING if text in MISSING_CELLS else text

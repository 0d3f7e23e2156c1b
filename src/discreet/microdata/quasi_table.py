"""A table's quasi-identifiers as small integers, with the levels of each column."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.microdata.column_hierarchy import MISSING
from discreet.microdata.equivalence_classes import EquivalenceClasses, combined_codes, group_rows
from discreet.transactions.label_names import is_literal, listed, matches, unknown_label, warn_of_look_alikes
from discreet.transactions.shapes.cell_rules import MISSING_CELLS, parse_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.microdata.column_hierarchy import ColumnHierarchy
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions

__all__ = ["Ladder", "QuasiTable", "quasi_table", "roll_up", "table_columns"]


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """One column's levels: `texts[level][code]` is a value, `ups[level][code]` its code one level higher.

    `item_codes` has the code at level 0 of each item of the vocabulary, -1 for items of other columns; its last entry
    is the code of missing cells, -1 if there are none. Only values that occur have codes.
    """

    column: str
    texts: tuple[tuple[str, ...], ...]
    ups: tuple[NDArray[np.int32], ...]
    item_codes: NDArray[np.int32]

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.ups)

    def radix(self, level: int) -> int:
        """Return the number of values at a level."""
        return len(self.texts[level])

    def between(self, low: int, high: int) -> NDArray[np.int32]:
        """Return, for each code of a level, its code at the same or a higher level."""
        codes = np.arange(self.radix(low), dtype=np.int32)
        for level in range(low, high):
            codes = self.ups[level][codes]
        return codes


@dataclass(frozen=True, slots=True, eq=False)
class QuasiTable:
    """The quasi-identifiers of every row: codes at level 0, rows by columns; a row stands for `weights` people."""

    ladders: tuple[Ladder, ...]
    codes: NDArray[np.int32]
    weights: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """The number of people."""
        return int(self.weights.sum())

    @property
    def heights(self) -> tuple[int, ...]:
        """The highest level of each column."""
        return tuple(ladder.height for ladder in self.ladders)

    def groups(self) -> EquivalenceClasses:
        """Return the groups of equal rows before any generalization."""
        return group_rows(self.codes, self.weights, [ladder.radix(0) for ladder in self.ladders])

    def rows_in_groups_of(self, k: int, levels: Sequence[int]) -> NDArray[np.bool_]:
        """Return for each row whether it is in a group of at least k with its columns at these levels."""
        lifted = np.empty_like(self.codes)
        for at, (ladder, level) in enumerate(zip(self.ladders, levels, strict=True)):
            lifted[:, at] = ladder.between(0, level)[self.codes[:, at]]
        radices = [ladder.radix(level) for ladder, level in zip(self.ladders, levels, strict=True)]
        distinct, group = np.unique(combined_codes(lifted, radices), return_inverse=True)
        sizes = np.zeros(len(distinct), np.int64)
        np.add.at(sizes, group, self.weights)
        large: NDArray[np.bool_] = sizes >= k
        return large[group]


def roll_up(
    groups: EquivalenceClasses, ladders: Sequence[Ladder], low: Sequence[int], high: Sequence[int]
) -> EquivalenceClasses:
    """Return the groups with their columns generalized from the levels `low` to the levels `high`."""
    codes = np.empty_like(groups.codes)
    for at, (ladder, start, stop) in enumerate(zip(ladders, low, high, strict=True)):
        column = groups.codes[:, at]
        codes[:, at] = column if start == stop else ladder.between(start, stop)[column]
    return group_rows(codes, groups.sizes, [ladder.radix(level) for ladder, level in zip(ladders, high, strict=True)])


def quasi_table(rows: Transactions, columns: Sequence[str], hierarchies: Mapping[str, ColumnHierarchy]) -> QuasiTable:
    """Extract the quasi-identifiers from a table's rows, whose items are `column=value`."""
    codes = _held_items(rows, columns)
    ladders = []
    for at, column in enumerate(columns):
        ladder = _ladder(column, rows.vocabulary.labels, codes[:, at], hierarchies[column])
        codes[:, at] = ladder.item_codes[codes[:, at]]
        ladders.append(ladder)
    weights = np.broadcast_to(np.ones(1, np.int64), len(rows)) if rows.weights is None else rows.weights
    return QuasiTable(ladders=tuple(ladders), codes=codes, weights=weights)


def table_columns(rows: Transactions, named: Names, *, ignore_unknown: bool = False) -> tuple[str, ...]:
    """Return the named columns; refuse those that the table does not have, or skip them with `ignore_unknown`."""
    _refuse_what_is_no_table(rows)
    names = listed(parse_names(named, "quasi_identifiers"), "quasi_identifiers")
    columns = _columns(rows)
    found = matches([each.label for each in names], [f"{column}=" for column in columns])
    unknown = [each for each in names if not found[each.label]]
    if unknown and (not ignore_unknown or len(unknown) == len(names)):
        raise unknown_label(
            unknown,
            [f"{column}=" for column in columns],
            parameter="quasi_identifiers",
            accepting=len(unknown) < len(names),
            why="which is not a column of the table",
        )
    warn_of_look_alikes(found, [f"{column}=" for column in columns])
    chosen = dict.fromkeys(
        column
        for name, marks in found.items()
        for column in ([name] if is_literal(name, marks) else [mark[:-1] for mark in marks])
    )
    return tuple(column for column in chosen if not any(column.startswith(f"{other}=") for other in chosen))


def _columns(rows: Transactions) -> list[str]:
    """Return the table's columns: of its layout, or all that the labels may have, since a name may contain `=`."""
    if rows.layout is not None:
        return [column for column in rows.layout.columns if column != rows.layout.id_column]
    return list({label[:at]: None for label in rows.vocabulary for at, sign in enumerate(label) if sign == "="})


def _refuse_what_is_no_table(rows: Transactions) -> None:
    layout = rows.layout
    if layout is not None and layout.shape != "table":
        raise ParameterError(
            f"these rows come from a {layout.shape} file, but only a table has columns to generalize; "
            f"give {param('format', 'table')} if it is one",
            parameter="format",
        )


def _held_items(rows: Transactions, columns: Sequence[str]) -> NDArray[np.int32]:
    """Return the item that each row has in each column, -1 if the cell is missing."""
    column_of = np.full(len(rows.vocabulary), -1, np.int32)
    for at, column in enumerate(columns):
        start = f"{column}="
        column_of[[item for item, label in enumerate(rows.vocabulary.labels) if label.startswith(start)]] = at
    columns_held = column_of[rows.items]
    held = np.flatnonzero(columns_held >= 0)
    columns_held = columns_held[held]
    owners = np.searchsorted(rows.offsets, held, side="right") - 1
    items = np.full((len(rows), len(columns)), -1, np.int32, order="F")
    items[owners, columns_held] = rows.items[held]
    if np.count_nonzero(items >= 0) < len(held):
        crowded = np.flatnonzero(np.bincount(owners * len(columns) + columns_held) > 1)[0]
        row, at = divmod(int(crowded), len(columns))
        raise DataError(f"row {row + 1:,} has two values in column {columns[at]!r}; a table has one")
    return items


def _ladder(column: str, labels: Sequence[str], items: NDArray[np.int32], hierarchy: ColumnHierarchy) -> Ladder:
    """Assign numbers to the values that occur in a column, level by level."""
    used = np.zeros(len(labels) + 1, bool)  # the last entry is for missing cells, whose item is -1
    used[items] = True
    lines = {item: hierarchy.line(_value(column, labels, item)) for item in np.flatnonzero(used).tolist()}
    if unknown := [-1 if item == len(labels) else item for item, line in lines.items() if line is None]:
        _refuse_unknown_values(column, items, unknown, hierarchy)
    numbers: list[dict[str, int]] = [{} for _ in range(hierarchy.height + 1)]
    ups: list[dict[int, int]] = [{} for _ in range(hierarchy.height)]
    item_codes = np.full(len(used), -1, np.int32)
    for item, line in lines.items():
        codes = [known.setdefault(text, len(known)) for known, text in zip(numbers, line or (), strict=True)]
        item_codes[item] = codes[0]
        for up, (low, high) in zip(ups, pairwise(codes), strict=True):
            up[low] = high
    return Ladder(
        column=column,
        texts=tuple(map(tuple, numbers)),
        ups=tuple(np.fromiter((up[code] for code in range(len(up))), np.int32, count=len(up)) for up in ups),
        item_codes=item_codes,
    )


def _value(column: str, labels: Sequence[str], item: int) -> str:
    value = MISSING if item == len(labels) else labels[item][len(column) + 1 :]
    return MISSING if value in MISSING_CELLS else value


def _refuse_unknown_values(
    column: str, items: NDArray[np.int32], unknown: list[int], hierarchy: ColumnHierarchy
) -> NoReturn:
    """Refuse unknown values by naming the column and the first row, never the value."""
    row = int(np.flatnonzero(np.isin(items, unknown))[0])
    where = f"row {row + 1:,} of those read has"
    if items[row] < 0:
        raise DataError(
            f"{where} no value in column {column!r}, and {hierarchy.name} has no line for missing cells; "
            f"add one (?;…;*), or give {param('missing', 'drop-row')}"
        )
    others = f" ({len(unknown):,} values of the column have none)" if len(unknown) > 1 else ""
    raise DataError(
        f"{where} a value in column {column!r} for which {hierarchy.name} has no line{others}; "
        "add it, with what it becomes"
    )

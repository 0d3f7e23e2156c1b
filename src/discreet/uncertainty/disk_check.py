"""Check rows that lie on the disk, with the distinct ones of what matters in memory.

Problem      as for `discreet.uncertainty.check`, for rows that may not fit into memory.
Method       for rules that infer a sensitive item, only items matter that some row holds together with one. A first
             pass finds them, a second one drops all others from the rows and counts equal ones, which are checked in
             memory. Rows with a sensitive item lose nothing by that, so a third pass finds the endangered ones by what
             they hold. For someone who knows all of a row, one item stands for all others.
Promises     everything that `check` returns for rows in memory: the same rule among equally certain ones, and the same
             row numbers, for rows with a sensitive item keep their items and their order.
Cost         three passes over the disk, and the memory of the distinct rows that are left; if they do not fit, they are
             refused with the memory that they would take.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.itemsets import Itemsets
from discreet.transactions.disk_rows import folded_rows, parts_of
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.empty_cells import column_of_items, table_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.uncertainty.check import Checked

__all__ = ["check_in_passes"]


def check_in_passes(
    rows: Transactions,
    sensitive: Sequence[str],
    *,
    whole_rows: bool,
    extended: Callable[[Transactions], Transactions],
    check: Callable[[Transactions], Checked],
) -> Checked:
    """Return what `check` says of rows on the disk, after `extended` adds items to some rows at a time.

    `sensitive` are the labels of the sensitive items after that, and `whole_rows` says that `check`
    compares whole rows.
    """

    def parts(doing: str) -> Iterator[tuple[int, Itemsets]]:
        return ((first, extended(part).itemsets) for first, part in parts_of(rows, doing))

    start = extended(Transactions.unchecked(Itemsets.only_empty(), rows.vocabulary, layout=rows.layout))
    labels = len(start.vocabulary)
    is_sensitive = np.zeros(labels, bool)
    is_sensitive[[start.vocabulary.positions[label] for label in sensitive]] = True
    numbers = _numbers_of_what_matters(start, is_sensitive, (part for _, part in parts("reading")), whole=whole_rows)
    itemsets, weights = folded_rows(
        ((part.renumbered(numbers), None) for _, part in parts("counting equal rows")),
        len(rows),
        cut="cut down to the items that some row holds together with a sensitive one",
        advice="name fewer sensitive items, or use Spark",
    )
    kinds = Transactions(itemsets, start.vocabulary, weights, layout=rows.layout)
    found = check(kinds)
    if found.endangered is None or found.endangered_by_one is None:
        return found
    marks = np.zeros(len(kinds), np.int64)
    marks[found.endangered] |= 1
    marks[found.endangered_by_one] |= 2
    told = _marked(parts("finding the endangered rows"), kinds.itemsets, marks, is_sensitive, labels)
    return replace(found, endangered=told[0], endangered_by_one=told[1])


def _numbers_of_what_matters(
    rows: Transactions, is_sensitive: NDArray[np.bool_], parts: Iterator[Itemsets], *, whole: bool
) -> NDArray[np.int32]:
    """Return each item's number, -1 for those that no row holds together with a sensitive one.

    For `whole` rows, one of these stands for all of them, but the values of columns with sensitive ones matter.
    """
    met = is_sensitive.copy()
    for part in parts:
        held = np.repeat(_holding(part, is_sensitive), part.lengths)
        met[part.items[held]] = True
    numbers = np.where(met, np.arange(len(met), dtype=np.int32), np.int32(-1)).astype(np.int32)
    if whole:
        column = column_of_items(rows.vocabulary.labels, table_columns(rows))
        inside = (column >= 0) & np.isin(column, column[is_sensitive])
        numbers[inside] = np.flatnonzero(inside)
        others = np.flatnonzero(numbers < 0)
        numbers[others] = others[:1]
    return numbers


def _holding(rows: Itemsets, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows hold any of the wanted items."""
    return rows.keeping(wanted[rows.items]).lengths > 0


def _marked(
    parts: Iterator[tuple[int, Itemsets]],
    kinds: Itemsets,
    marks: NDArray[np.int64],
    is_sensitive: NDArray[np.bool_],
    labels: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows whose kind has the first mark, and those whose kind has the second one."""
    chosen = np.flatnonzero(marks)
    order = chosen[kinds.select(chosen).order()]
    known, own = kinds.select(order), marks[order]
    found: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]] = ([], [])
    for first, part in parts:
        if not len(known):
            break
        places = np.flatnonzero(_holding(part, is_sensitive))
        mark = part.select(places).supports_in(known, own, labels)
        for bit, each in enumerate(found):
            each.append(first + places[(mark >> bit) & 1 == 1])
    one, two = (np.concatenate([np.zeros(0, np.int64), *each]) for each in found)
    return one, two

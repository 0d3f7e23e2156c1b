"""Apply a generalization: a table's rows with generalized quasi-identifiers, without the suppressed rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.itemsets import Itemsets
from discreet.microdata.column_hierarchy import MISSING
from discreet.transactions.layout import Layout
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.microdata.quasi_table import QuasiTable

__all__ = ["generalized_rows"]


def generalized_rows(
    rows: Transactions, table: QuasiTable, levels: Sequence[int], kept: NDArray[np.bool_]
) -> Transactions:
    """Return the kept rows with their columns at these levels, in order.

    The rows' ids are left out: with them, nobody would need a quasi-identifier. Labels that occur only in suppressed
    rows are not in the result's vocabulary.
    """
    places = np.flatnonzero(kept)
    stored = rows.itemsets.select(places)
    labels: dict[str, int] = {}
    codes = _item_codes(rows, table, levels, stored.items, labels)[stored.items]
    owners = stored.owners[codes >= 0]
    codes = codes[codes >= 0]
    filled = [
        (cells, labels.setdefault(label, len(labels)))
        for at, level in enumerate(levels)
        if (label := _label_of_missing_cells(table, at, level)) is not None
        and len(cells := np.flatnonzero(table.codes[places, at] == table.ladders[at].item_codes[-1]))
    ]
    if filled:
        owners = np.concatenate([owners, *(cells for cells, _ in filled)])
        codes = np.concatenate([codes, *(np.full(len(cells), number, np.int32) for cells, number in filled)])
        order = np.argsort(owners, kind="stable")
        owners, codes = owners[order], codes[order]
    generalized = Itemsets.from_lengths(np.bincount(owners, minlength=len(places)), codes)
    made = Transactions.from_codes(generalized, list(labels), layout=_layout(rows.layout))
    return made if rows.weights is None else replace(made, weights=rows.weights[places])


def _item_codes(
    rows: Transactions, table: QuasiTable, levels: Sequence[int], items: NDArray[np.int32], labels: dict[str, int]
) -> NDArray[np.int32]:
    """Return what each occurring item becomes, as an index into `labels`; -1 if it becomes a missing cell."""
    codes = np.full(len(rows.vocabulary), -1, np.int32)
    column_of = np.full(len(codes), -1, np.int32)
    for at, ladder in enumerate(table.ladders):
        if levels[at]:
            column_of[ladder.item_codes[:-1] >= 0] = at
    lifts = [ladder.between(0, level) for ladder, level in zip(table.ladders, levels, strict=True)]
    for item in np.flatnonzero(np.bincount(items, minlength=len(codes))).tolist():
        at = int(column_of[item])
        if at < 0:
            codes[item] = labels.setdefault(rows.vocabulary[item], len(labels))
            continue
        ladder = table.ladders[at]
        text = ladder.texts[levels[at]][lifts[at][ladder.item_codes[item]]]
        codes[item] = -1 if text == MISSING else labels.setdefault(f"{ladder.column}={text}", len(labels))
    return codes


def _label_of_missing_cells(table: QuasiTable, at: int, level: int) -> str | None:
    """Return what a missing cell of the column becomes; None if it stays missing, or if there is none."""
    ladder = table.ladders[at]
    missing = ladder.item_codes[-1]
    text = MISSING if missing < 0 else ladder.texts[level][ladder.between(0, level)[missing]]
    return None if text == MISSING else f"{ladder.column}={text}"


def _layout(came: Layout | None) -> Layout:
    if came is None:
        return Layout(shape="table", container="parquet")
    return replace(came, id_column=None, columns=tuple(c for c in came.columns if c != came.id_column))

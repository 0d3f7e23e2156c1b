"""What someone concludes who knows all that is published about a person, except the answer.

Problem      cao2010 has an attacker who knows items of a row: what the row does not hold is not known to him. Someone
             who knows that, too, is sure of more.
Method       rows are compared that differ in nothing but the sensitive item; in a table, in nothing but its cell. Of
             these, the share that holds the item is the confidence.
Promises     exact: whole numbers and fractions.
Cost         a sort of the rows for each column with sensitive values; otherwise linear in the rows' items, times the
             sensitive ones among them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.uncertainty.empty_cells import column_of_items, table_columns
from discreet.uncertainty.sensitive_rules import SensitiveRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.transactions.transactions import Transactions

__all__ = ["exact_rules"]

_BATCH = 1 << 22
"""Items that are held at once."""


def exact_rules(rows: Transactions, sensitive: NDArray[np.int32]) -> dict[str, SensitiveRule]:
    """Return for every sensitive item that occurs the conclusion of highest confidence."""
    folded = rows.fold()
    weights = np.ones(len(folded), np.int64) if folded.weights is None else folded.weights
    columns = table_columns(rows)
    column = column_of_items(rows.vocabulary.labels, columns)
    best: dict[int, tuple[Fraction, int, int, int]] = {}
    for item, row, together, holding in _compared(folded.itemsets, weights, sensitive, column):
        found = Fraction(together, holding)
        if item not in best or found > best[item][0]:
            best[item] = (found, row, together, holding)
    label = rows.vocabulary.labels
    rules = {}
    for item, (_, row, together, holding) in sorted(best.items()):
        rest = (each for each in folded.itemsets[row].tolist() if each != item)
        rules[label[item]] = SensitiveRule(tuple(label[each] for each in rest), label[item], together, holding)
    return rules


def _compared(
    rows: Itemsets, weights: NDArray[np.int64], sensitive: NDArray[np.int32], column: NDArray[np.int64]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield a sensitive item, a row that holds it, and how many of the rows that are the same otherwise hold it."""
    for number in np.unique(column[sensitive]).tolist():
        chosen = sensitive[column[sensitive] == number]
        if number < 0:
            yield from _items_compared(rows, weights, chosen)
            continue
        kind = rows.keeping(column[rows.items] != number).ranks()
        whole = np.zeros(int(kind.max(initial=0)) + 1, np.int64)
        np.add.at(whole, kind, weights)
        place = np.flatnonzero(np.isin(rows.items, chosen))
        yield from _highest(rows.owners[place], rows.items[place], weights, kind, whole)


def _highest(
    owner: NDArray[np.int64],
    item: NDArray[np.int32],
    weights: NDArray[np.int64],
    kind: NDArray[np.int64],
    whole: NDArray[np.int64],
) -> Iterator[tuple[int, int, int, int]]:
    """Add up the rows of each kind that hold each item, and yield each item with each pair of counts once."""
    keys, first, group = np.unique(
        np.stack([item.astype(np.int64), kind[owner]], axis=1), axis=0, return_index=True, return_inverse=True
    )
    together = np.zeros(len(keys), np.int64)
    np.add.at(together, group.reshape(-1), weights[owner])
    figures = np.stack([keys[:, 0], together, whole[keys[:, 1]]], axis=1)
    _, once = np.unique(figures, axis=0, return_index=True)
    for at in once.tolist():
        yield int(figures[at, 0]), int(owner[first[at]]), int(figures[at, 1]), int(figures[at, 2])


def _items_compared(
    rows: Itemsets, weights: NDArray[np.int64], sensitive: NDArray[np.int32]
) -> Iterator[tuple[int, int, int, int]]:
    """Compare every row that holds a sensitive item with the rows that hold all of it but the item, and no more."""
    order = rows.order()
    known, counts = rows.select(order), weights[order]
    labels = int(rows.items.max(initial=0)) + 1
    empty = int(counts[known.lengths == 0].sum())
    place = np.flatnonzero(np.isin(rows.items, sensitive))
    owner = rows.owners[place]
    sizes = np.cumsum(rows.lengths[owner])
    for batch in np.split(np.arange(len(place)), np.searchsorted(sizes, np.arange(_BATCH, sizes[-1:].sum(), _BATCH))):
        if not len(batch):
            continue
        holder, item = owner[batch], rows.items[place[batch]]
        held = rows.select(holder)
        others = held.keeping(held.items != np.repeat(item, held.lengths))
        alone = others.supports_in(known, counts, labels)
        alone[others.lengths == 0] = empty
        figures = np.stack([item.astype(np.int64), weights[holder], weights[holder] + alone], axis=1)
        _, once = np.unique(figures, axis=0, return_index=True)
        for at in once.tolist():
            yield int(figures[at, 0]), int(holder[at]), int(figures[at, 1]), int(figures[at, 2])

"""How sensitive items left the rows: all rows or none, or single ones.

Problem      rows of `local` can be the same, byte for byte, as those of a method that drops an item from all rows
             or from none, and that promises more. So rows alone never show which promise they keep.
Method       the original rows are compared: if each item that is still published is in as many rows as before, and
             together with the same others, items left all rows or none.
Promises     "global" is only returned where that is so, or where no sensitive item is left: then it left all rows,
             whatever made them. "local" is returned where a sensitive item is in fewer rows than before. Everything
             else is "unknown": no original rows, other rows, or rows that were changed in another way. And `rare_below`
             returns a number only where the original rows, each item as it is published, and without any sensitive
             item in those that are rare by it, are these rows: so that no sensitive item had a say in what left.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet import _kernel
from discreet.uncertainty.empty_cells import table_columns
from discreet.uncertainty.rare_rows import RowKinds, thresholds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Hierarchy

__all__ = ["Recoding", "in_fewer_rows", "rare_below", "recoding_of"]

Recoding = Literal["global", "rare-rows", "local", "unknown"]
"""Items left all rows or none; all sensitive ones left rare rows; some left single rows; or nobody said."""


def recoding_of(
    rows: Transactions, sensitive: NDArray[np.int32], original: Transactions | None
) -> Literal["global", "local", "unknown"]:
    """Return how items left `rows`, as far as the original rows show it; `sensitive` are items of `rows`.

    >>> from discreet import Transactions
    >>> before = Transactions.from_rows([["milk", "test"], ["tea", "test"], ["tea"]])
    >>> now = Transactions.from_rows([["milk"], ["tea", "test"], ["tea"]])
    >>> test = np.array([now.vocabulary.positions["test"]], np.int32)
    >>> recoding_of(now, test, before), recoding_of(now, test, None), recoding_of(now, test[:0], None)
    ('local', 'unknown', 'global')
    """
    if not rows.item_supports()[sensitive].any():
        return "global"
    if original is None:
        return "unknown"
    if in_fewer_rows(rows, sensitive, original):
        return "local"
    return "global" if _same_where_both_have_it(rows, original, sensitive) else "unknown"


def in_fewer_rows(rows: Transactions, sensitive: NDArray[np.int32], original: Transactions | None) -> list[str]:
    """Return the sensitive labels that some rows have and more of the original ones had."""
    if original is None:
        return []
    now, before = rows.item_supports(), original.item_supports()
    held = {rows.vocabulary[item]: int(now[item]) for item in sensitive.tolist()}
    return [
        label
        for label, count in held.items()
        if count > 0 and (item := original.vocabulary.item(label)) is not None and count < before[item]
    ]


def rare_below(
    rows: Transactions, sensitive: NDArray[np.int32], original: Transactions, hierarchy: Hierarchy | None
) -> int | None:
    """Return below how many rows a row was taken to be rare, if all sensitive items left rare rows and nothing else.

    Each item of the original rows is published as itself, or as the nearest node above it that the rows have.
    """
    if table_columns(rows) or rows.n != original.n:
        return None
    private = np.zeros(len(rows.vocabulary), bool)
    private[sensitive] = True
    recoded = original.itemsets.renumbered(_published_as(rows, original, hierarchy))
    others = recoded.keeping(~private[recoded.items])
    kinds = RowKinds(others, original.weights, len(rows.vocabulary))
    now = _folded(rows.itemsets, rows.weights)
    for below in takewhile(rows.n.__ge__, thresholds()):
        common = kinds.common(below)
        veiled = recoded.keeping(common[recoded.owners] | ~private[recoded.items])
        if _equal(_folded(veiled, original.weights), now):
            return below
        if not common.any():
            return None
    return None


def _published_as(rows: Transactions, original: Transactions, hierarchy: Hierarchy | None) -> NDArray[np.int32]:
    """Return the item of `rows` that each original item is published as, -1 if it is dropped."""
    held = rows.item_supports() > 0
    nodes = {} if hierarchy is None else {label: node for node, label in enumerate(hierarchy.labels)}
    numbers = np.full(len(original.vocabulary), -1, np.int32)
    for item, label in enumerate(original.vocabulary):
        node = nodes.get(label, -1)
        known = rows.vocabulary.item(label)
        while (known is None or not held[known]) and node >= 0 and hierarchy is not None:
            node = int(hierarchy.parent[node])
            known = rows.vocabulary.item(hierarchy.labels[node]) if node >= 0 else None
        if known is not None and held[known]:
            numbers[item] = known
    return numbers


def _same_where_both_have_it(rows: Transactions, original: Transactions, sensitive: NDArray[np.int32]) -> bool:
    """Return whether the two have the same rows, apart from items that only one of them has, all of them harmless."""
    held = np.flatnonzero(rows.item_supports())
    before = [original.vocabulary.item(rows.vocabulary[item]) for item in held.tolist()]
    if any(place is None for item, place in zip(held.tolist(), before, strict=True) if item in sensitive):
        return False
    both = [(item, place) for item, place in zip(held.tolist(), before, strict=True) if place is not None]
    now, then = (_only(each, [pair[side] for pair in both]) for side, each in enumerate((rows, original)))
    return _equal(_folded(now, rows.weights), _folded(then, original.weights))


def _only(rows: Transactions, items: list[int]) -> Itemsets:
    """Return the rows with these items alone, numbered in this order."""
    numbers = np.full(len(rows.vocabulary), -1, np.int32)
    numbers[items] = np.arange(len(items))
    return rows.itemsets.renumbered(numbers)


def _folded(rows: Itemsets, weights: NDArray[np.int64] | None) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return the different rows in order, and how often each occurs."""
    firsts, counts = _kernel.fold_rows(rows, weights)
    kinds = rows.select(firsts)
    order = kinds.order()
    return kinds.select(order), counts[order]


def _equal(one: tuple[Itemsets, NDArray[np.int64]], other: tuple[Itemsets, NDArray[np.int64]]) -> bool:
    return one[0] == other[0] and np.array_equal(one[1], other[1])

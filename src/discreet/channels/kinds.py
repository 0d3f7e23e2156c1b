"""The distinct rows, restricted to frequent items: a data set that agrees with the patterns.

The attacker starts from it, blocking adds rows of these kinds, and it may itself prove that nothing follows. Every
engine returns the same kinds in the same order, or none if there are too many, so that all engines give the same
answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet import _kernel
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["MOST_KINDS", "in_order", "kinds_of"]

MOST_KINDS = 1 << 20
"""The most kinds of rows that are collected in memory."""


def kinds_of(rows: Transactions, min_support: int) -> Transactions | None:
    """Return the distinct rows restricted to frequent items, with weights; None if there are too many.

    >>> kinds = kinds_of(Transactions.from_rows(["ab", "abc", "b", "ab"]), 2)
    >>> [("".join(sorted(row)), weight) for row, weight in zip(kinds, kinds.weights.tolist())]
    [('b', 1), ('ab', 3)]
    """
    frequent = rows.itemsets.keeping((rows.item_supports() >= min_support)[rows.items])
    firsts, weights = _kernel.fold_rows(frequent, rows.weights)
    if len(firsts) > MOST_KINDS:
        return None
    return in_order(frequent.select(firsts), weights, rows.vocabulary)


def in_order(kinds: Itemsets, weights: NDArray[np.int64], vocabulary: Vocabulary) -> Transactions:
    """Return kinds of rows in an order that depends on their content only: by length, then by items."""
    order = kinds.order()
    return Transactions(kinds.select(order), vocabulary, weights[order])

"""Detect maximal channels by projecting the rows on one maximal itemset after another.

Problem      given rows, the maximal frequent itemsets M and k, return every maximal inference channel.
Method       waim2008, Figure 3 (PMICD): project all rows on M, sort, count runs of equal projections.
Promises     the same channels as every other method.
Cost         O(m n log n) for m maximal itemsets and n rows: the slow twin of `grouping`, in NumPy.
Departures   the printed loop never emits the last run (docs/papers/waim2008.md); here it counts too. Rows
             are packed bits, so comparing two rows compares a few bytes.
Names        projection of T on M -> base;  number of equal projections -> support of the channel.
Reference    waim2008   (docs/papers/waim2008.md, tests/papers/test_waim2008.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.grouping import Groups
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions

__all__ = ["project_rows"]


def project_rows(rows: Transactions, targets: Itemsets, *, below: int) -> Groups:
    """Return, for every target, the groups of fewer than `below` rows with equal projections on it."""
    used = np.unique(targets.items)
    weights = rows.weights if rows.weights is not None else np.ones(len(rows), np.int64)
    packed, weights = _counted(_packed(rows, used), weights)  # equal rows stay equal under every projection
    which: list[NDArray[np.int64]] = []
    lists: list[NDArray[np.int32]] = []
    counts: list[NDArray[np.int64]] = []
    for number in range(len(targets)):
        mask = np.zeros(8 * packed.shape[1], bool)
        mask[np.searchsorted(used, targets[number])] = True
        distinct, sizes = _counted(packed & np.packbits(mask, bitorder="little"), weights)
        small = np.flatnonzero(sizes < below)
        bits = np.unpackbits(distinct[small], axis=1, bitorder="little")
        bases = [used[np.flatnonzero(row)] for row in bits]
        order = sorted(range(len(small)), key=lambda i: (len(bases[i]), bases[i].tolist()))
        which.append(np.full(len(small), number, np.int64))
        lists += [bases[i] for i in order]
        counts.append(sizes[small[order]])
    return Groups(
        np.concatenate([np.zeros(0, np.int64), *which]),
        Itemsets.of(lists),
        np.concatenate([np.zeros(0, np.int64), *counts]),
    )


def _packed(rows: Transactions, used: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return one bit per row and used item, padded to eight-byte words."""
    bits = np.zeros((len(rows), -(-max(1, len(used)) // 64) * 64), bool)
    row_of = rows.itemsets.owners
    column = np.searchsorted(used, rows.items)
    known = column < len(used)
    known[known] = used[column[known]] == rows.items[known]
    bits[row_of[known], column[known]] = True
    return np.packbits(bits, axis=1, bitorder="little")


def _counted(packed: NDArray[np.uint8], weights: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the distinct rows of bytes, and how often each occurs.

    A row is viewed as one value (a number if it has eight bytes), so that rows sort and compare as a whole.
    """
    width = packed.shape[1]
    whole = np.uint64 if width == np.dtype(np.uint64).itemsize else np.dtype((np.void, width))
    values = np.ascontiguousarray(packed).view(whole).ravel()
    distinct, inverse = np.unique(values, return_inverse=True)
    sizes = np.zeros(len(distinct), np.int64)
    np.add.at(sizes, inverse, weights)
    return distinct.view(np.uint8).reshape(len(distinct), width), sizes

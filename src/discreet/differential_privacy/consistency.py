"""Supports of itemsets from noisy bins, made to agree with each other.

Problem      of noisy bins of bases, give itemsets and supports that some rows could have as far as anyone sees: whole
             numbers from 0 to n, no superset above a subset.
Method       a support is the sum of the bins that hold the itemset. What several bases say of one itemset is averaged,
             each with the inverse of its variance. Then a support is the mean of the least of its subsets' and the
             largest of its supersets' supports, both of which fall as itemsets grow.
Promises     as in the problem; the same bins give the same supports, on every machine (whole numbers throughout).
Cost         linear in the itemsets and their items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.differential_privacy.basis_sets import MOST_ITEMS
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["consistent", "estimates"]


def estimates(bases: Sequence[Sequence[int]], bins: NDArray[np.int64]) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return every nonempty subset of a basis, in canonical order, with its support as the bins have it."""
    parts, sums, weights, first = [], [], [], 0
    for basis in bases:
        size = 1 << len(basis)
        sums.append(_supersets(bins[first : first + size])[1:])
        parts.append(_subsets(np.array(basis, np.int32)))
        weights.append(np.full(size - 1, 1 << (MOST_ITEMS - len(basis)), np.int64))
        first += size
    if not parts:
        return Itemsets.none(), np.zeros(0, np.int64)
    every = parts[0].followed_by(*parts[1:])
    order = every.order()
    ordered = every.select(order)
    starts = np.flatnonzero(ordered.is_new())
    weight = np.concatenate(weights)[order]
    total = np.add.reduceat(np.concatenate(sums)[order] * weight, starts)
    by = np.add.reduceat(weight, starts)
    return ordered.select(starts), (2 * total + by) // (2 * by)  # rounded


def consistent(itemsets: Itemsets, supports: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return supports from 0 to n that do not grow with their itemsets; every subset must be listed."""
    least, largest = supports.copy(), supports.copy()
    labels = int(itemsets.items.max(initial=0)) + 1
    numbers = np.arange(1, len(itemsets) + 1)
    below = []
    for first, last, matrix in itemsets.by_length():
        if matrix.shape[1] > 1:
            for left_out in range(matrix.shape[1]):
                subsets = Itemsets.of_matrix(np.ascontiguousarray(np.delete(matrix, left_out, axis=1)))
                places = subsets.supports_in(itemsets, numbers, labels) - 1
                below.append((first, last, places))
                least[first:last] = np.minimum(least[first:last], least[places])
    for first, last, places in reversed(below):
        np.maximum.at(largest, places, largest[first:last])
    return np.asarray(np.clip((least + largest) // 2, 0, n), np.int64)


def _supersets(bins: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each set of bits how much is in the bins that have all of them."""
    sums = bins.copy()
    bit = 1
    while bit < len(sums):
        halves = sums.reshape(-1, 2, bit)
        halves[:, 0] += halves[:, 1]
        bit *= 2
    return sums


def _subsets(basis: NDArray[np.int32]) -> Itemsets:
    """Return the nonempty subsets of a basis, as the bins count them."""
    held = (np.arange(1, 1 << len(basis))[:, None] >> np.arange(len(basis))) & 1 == 1
    return Itemsets.from_lengths(held.sum(axis=1), np.broadcast_to(basis, held.shape)[held])

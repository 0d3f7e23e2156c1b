"""The canonical order of itemsets: by length, then by their items.

Itemsets stand in compressed sparse row form: set s is `items[offsets[s]:offsets[s + 1]]`, strictly ascending. Sets of
one length in a row are a matrix without a copy, which is what makes everything here a few numpy calls per length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.errors import DataError
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["as_canonical", "first_out_of_order", "newness", "numbered", "of_each_length", "sort_keys", "sorting_order"]


def of_each_length(
    offsets: NDArray[np.int64], items: NDArray[np.int32]
) -> Iterator[tuple[int, int, NDArray[np.int32]]]:
    """Yield, for sets ordered by length, each length's first set, the set after its last, and its matrix of items."""
    lengths = np.diff(offsets)
    first = 0
    while first < len(lengths):
        length = int(lengths[first])
        last = int(np.searchsorted(lengths, length, side="right"))
        yield first, last, items[offsets[first] : offsets[last]].reshape(last - first, length)
        first = last


def first_out_of_order(offsets: NDArray[np.int64], items: NDArray[np.int32]) -> int | None:
    """Return the first set that does not come strictly after the one before it, or None."""
    falling = np.flatnonzero(np.diff(np.diff(offsets)) < 0)
    if len(falling):
        return int(falling[0]) + 1
    for first, _, matrix in of_each_length(offsets, items):
        wrong = np.flatnonzero(~_ascending(matrix))
        if len(wrong):
            return first + int(wrong[0]) + 1
    return None


def _ascending(matrix: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Say of each set but the first whether it comes strictly after the one before it."""
    before, after = matrix[:-1], matrix[1:]
    if not matrix.shape[1]:
        return np.zeros(len(after), bool)
    column = (before != after).argmax(axis=1)  # the first place where the two differ
    row = np.arange(len(after))
    return np.asarray(after[row, column] > before[row, column])


def sorting_order(offsets: NDArray[np.int64], items: NDArray[np.int32], labels: int) -> NDArray[np.int64]:
    """Return the sets' numbers in canonical order; equal sets stay in the order they came in."""
    order = np.argsort(np.diff(offsets), kind="stable").astype(np.int64)
    offsets, items = _kernel.select_rows(offsets, items, order)
    for first, last, matrix in of_each_length(offsets, items):
        if matrix.shape[1]:
            order[first:last] = order[first:last][np.lexsort(sort_keys(matrix, labels))]
    return order


def sort_keys(matrix: NDArray[np.int32], labels: int) -> list[NDArray[np.int64]]:
    """Return the columns as keys for lexsort (the least first), as many columns in one 63-bit key as fit."""
    bits = max(1, (labels - 1).bit_length())
    together = max(1, 63 // bits)
    keys = []
    for start in range(0, matrix.shape[1], together):
        key = np.zeros(len(matrix), np.int64)
        for column in matrix[:, start : start + together].T:
            key = (key << bits) | column
        keys.append(key)
    return keys[::-1]


def newness(offsets: NDArray[np.int64], items: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Say of each set, among sets in order, whether it differs from the one before it."""
    new = np.ones(len(offsets) - 1, bool)
    for first, last, matrix in of_each_length(offsets, items):
        new[first + 1 : last] = (matrix[1:] != matrix[:-1]).any(axis=1)
    return new


def as_canonical(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    labels: Vocabulary | Sequence[str],
    *,
    place: Callable[[int], str],
) -> tuple[NDArray[np.int64], NDArray[np.int32], Vocabulary, NDArray[np.int64] | None]:
    """Return offsets, items and vocabulary of distinct sets in canonical order, and the order they were taken in.

    `codes` are positions in `labels` (distinct texts in any order), unsorted; the order is None where the sets stood
    right already. `place` names a set by its number for errors: a repeated item or a repeated set is refused.
    """
    vocabulary, renumber = (labels, None) if isinstance(labels, Vocabulary) else numbered(labels)
    sorted_offsets, items = _kernel.canonical_rows(offsets, codes, renumber)
    shorter = np.flatnonzero(np.diff(sorted_offsets) != np.diff(offsets))
    if len(shorter):
        raise DataError(f"{place(int(shorter[0]))}: an item occurs twice in the itemset; list every item once")
    if first_out_of_order(sorted_offsets, items) is None:
        return sorted_offsets, items, vocabulary, None
    order = sorting_order(sorted_offsets, items, len(vocabulary))
    sorted_offsets, items = _kernel.select_rows(sorted_offsets, items, order)
    repeated = np.flatnonzero(~newness(sorted_offsets, items))
    if len(repeated):
        earlier, later = order[repeated[0] - 1 : repeated[0] + 1].tolist()  # the sort is stable
        raise DataError(f"{place(later)}: the same itemset as in {place(earlier)}; list every itemset once")
    return sorted_offsets, items, vocabulary, order


def numbered(labels: Sequence[str]) -> tuple[Vocabulary, NDArray[np.int32]]:
    """Return the vocabulary of distinct labels in any order, and each one's number in it."""
    vocabulary = Vocabulary(labels)
    if len(vocabulary) != len(labels):
        raise DataError("two labels are the same text; give every item a label of its own")
    positions = (vocabulary.item(label) for label in labels)
    return vocabulary, np.fromiter((-1 if item is None else item for item in positions), np.int32, count=len(labels))

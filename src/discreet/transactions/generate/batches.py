"""Collect rows that are generated in batches into one array of four bytes per item."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discreet.itemsets import Itemsets
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

__all__ = ["Progress", "RowBatch", "as_transactions", "gather", "numbered", "occurring", "positions", "spans"]

RowBatch = tuple["NDArray[np.int64]", "NDArray[np.int32]"]
"""The lengths of some rows, and their items, which may be unsorted and repeated."""

Progress = Callable[[float, int], object]
"""A callback that gets the share of the rows that is done, and their number."""

_BATCH_ROWS = 1 << 15  # enough for NumPy to be fast, few enough for the caches
_BATCH_ITEMS = 1 << 22  # bounds the memory for rows that are very long
_AT_A_TIME = 1 << 20  # items per indexing operation: NumPy widens them to eight bytes each


def spans(rows: int, mean_length: float) -> Iterator[tuple[int, int]]:
    """Yield the first row and the end of each batch for `rows` rows of this mean length."""
    step = min(_BATCH_ROWS, max(1, int(_BATCH_ITEMS / mean_length)))
    for first in range(0, rows, step):
        yield first, min(first + step, rows)


def gather(batches: Iterable[RowBatch], *, rows: int, items: int, room: int, progress: Progress | None) -> Itemsets:
    """Collect all batches.

    `rows` and `items` are the totals, `room` is the expected number of entries; more are possible, at the cost of a
    larger array. Untouched pages cost nothing.
    """
    vocabulary = numbered(items)
    offsets = np.zeros(rows + 1, np.int64)
    gathered = np.empty(room, np.int32)
    row = end = 0
    for lengths, codes in batches:
        part = Transactions.from_codes(Itemsets.from_lengths(lengths, codes), vocabulary)
        if end + len(part.items) > len(gathered):
            gathered.resize((end + len(part.items)) * 5 // 4, refcheck=False)
        gathered[end : end + len(part.items)] = part.items
        np.add(part.offsets[1:], end, out=offsets[row + 1 : row + 1 + len(part)])
        row, end = row + len(part), end + len(part.items)
        if progress is not None:
            progress(row / rows, row)
    gathered.resize(end, refcheck=False)
    return Itemsets(offsets, gathered)


def as_transactions(rows: Itemsets, vocabulary: Vocabulary) -> Transactions:
    """Turn sorted rows into Transactions, renumbered in place so that only labels that occur are left."""
    items = rows.items
    used = occurring(items, len(vocabulary))
    if not used.all():
        renumber = (np.cumsum(used) - 1).astype(np.int32)
        for start in range(0, len(items), _AT_A_TIME):
            part = items[start : start + _AT_A_TIME]
            part[:] = renumber[part]
        vocabulary = Vocabulary.from_canonical(vocabulary[item] for item in np.flatnonzero(used).tolist())
    return Transactions(rows, vocabulary)


def occurring(codes: NDArray[np.int32], items: int) -> NDArray[np.bool_]:
    """Return for each item whether it occurs."""
    found = np.zeros(items, np.bool_)
    for start in range(0, len(codes), _AT_A_TIME):
        found[codes[start : start + _AT_A_TIME]] = True
    return found


def numbered(items: int) -> Vocabulary:
    """Return the labels "1" to `items`."""
    return Vocabulary.from_canonical(map(str, range(1, items + 1)))


def positions(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions starts[0], starts[0] + 1, ... of the first range, then those of the others.

    >>> positions(np.array([5, 0]), np.array([3, 2])).tolist()
    [5, 6, 7, 0, 1]
    """
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)

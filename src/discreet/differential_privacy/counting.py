"""The exact counts that measurements add noise to, each with the most that one row can change it.

`RowCounts` is what the method asks of rows; Transactions in memory answer here, a Spark data frame in `discreet.spark`.
None of these numbers may be published or shown: they go into `measurements` and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from discreet.errors import TooManyPatterns
from discreet.patterns.mining import mine
from discreet.transactions.transactions import Transactions, check_rows
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.transactions.read_record import ReadRecord

__all__ = ["HASH_DIGITS", "CountedElsewhere", "LocalCounts", "RowCounts", "counts_of"]

HASH_DIGITS = 15
"""The hexadecimal digits of a label's SHA-256 that order the items of a row: 60 bits, which any engine can compare."""


class RowCounts(Protocol):
    """Rows restricted to some items."""

    @property
    def n(self) -> int:
        """The number of rows; one row more changes it by 1."""

    def truncated(self, most: int) -> Mapping[str, int]:
        """Return how many rows have each item of the data, if a row keeps at most `most` of its items.

        Which ones follows from the row alone, so one row more changes at most `most` counts, each by 1.
        """

    def within(self, labels: Sequence[str]) -> RowCounts:
        """Return the rows without any items but these, numbered as listed."""

    def items(self) -> NDArray[np.int64]:
        """Return how many rows have each item: one row more raises each by 0 or 1."""

    def kth(self, k: int) -> int:
        """Return the k-th largest support of an itemset, 0 if there are not so many.

        One row more raises every support by 0 or 1, and so the k-th largest.
        """

    def pairs(self) -> NDArray[np.int64]:
        """Return the supports of all pairs, in the order of np.triu_indices: one row more raises each by 0 or 1."""

    def bins(self, bases: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        """Return for each basis how many rows have just which of its items, one after another.

        A basis of l items has 2^l bins; bit i of a bin stands for the basis's item i. A row is in one bin of each
        basis, so one row more changes the bins by 1 for each basis.
        """


@dataclass(frozen=True, eq=False)
class LocalCounts:
    """Rows in memory, restricted to the items that `labels` names, in this order."""

    rows: Transactions
    labels: tuple[str, ...]

    @classmethod
    def of(cls, rows: Transactions) -> LocalCounts:
        """Return the counts of all items of the rows."""
        return cls(rows, rows.vocabulary.labels)

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.rows.n

    def truncated(self, most: int) -> dict[str, int]:
        """Return how many rows have each item, if a row keeps at most `most` of its items.

        Items are ordered by their hashes, each combined (exclusive or) with those of all items of the row, so that
        every item of a row has an equal chance and equal rows keep the same. Labels are hashed, not their numbers,
        which other rows have a say in; of equal hashes, the first by text is kept.
        """
        itemsets = self.rows.itemsets
        hashed = np.array([_hash(label) for label in self.labels], np.int64)[itemsets.items]
        upto = np.concatenate([np.zeros(1, np.int64), np.bitwise_xor.accumulate(hashed)])
        whole = upto[itemsets.offsets[1:]] ^ upto[itemsets.offsets[:-1]]
        owners = itemsets.owners
        keys = whole[owners] ^ hashed
        by_text = np.empty(len(self.labels), np.int64)
        by_text[sorted(range(len(self.labels)), key=self.labels.__getitem__)] = np.arange(len(self.labels))
        order = np.lexsort([by_text[itemsets.items], keys, owners])
        rank = np.arange(len(order)) - itemsets.offsets[owners[order]]
        kept = order[rank < most]
        weights = None if self.rows.weights is None else self.rows.weights[owners[kept]]
        counts = np.bincount(itemsets.items[kept], weights, len(self.rows.vocabulary)).astype(np.int64)
        return {self.labels[item]: int(counts[item]) for item in np.flatnonzero(counts).tolist()}

    def within(self, labels: Sequence[str]) -> LocalCounts:
        """Return the rows without any items but these, equal ones folded."""
        place = {label: number for number, label in enumerate(labels)}
        numbers = np.array([place.get(label, -1) for label in self.labels], np.int32)
        codes = self.rows.itemsets.renumbered(numbers)
        names = Vocabulary.from_canonical([f"{number:012d}" for number in range(len(place))])
        return LocalCounts(Transactions(codes, names, self.rows.weights).fold(), tuple(labels))

    def items(self) -> NDArray[np.int64]:
        """Return how many rows have each item."""
        return self.rows.item_supports()

    def kth(self, k: int) -> int:
        """Return the k-th largest support of an itemset, by bisection: each time mining stops after k itemsets."""
        supports = self.items()
        highest = np.argsort(-supports, kind="stable")[:k]  # an itemset among the first k has no item beyond these
        some = self.within([self.labels[item] for item in np.sort(highest).tolist()]).rows
        low, high = 0, int(supports.max(initial=0)) + 1
        if k <= len(supports):
            low = int(supports[highest[-1]])
        while high - low > 1:
            middle = (low + high) // 2
            if _at_least(some, k, middle):
                low = middle
            else:
                high = middle
        return low

    def pairs(self) -> NDArray[np.int64]:
        """Return the supports of all pairs of items."""
        table = np.zeros((len(self.labels), len(self.labels)), np.int64)
        found = mine(self.rows, min_support=1, target="all", max_length=2)
        for _, last, matrix in found.itemsets.by_length():
            if matrix.shape[1] == 2:  # noqa: PLR2004 - pairs
                table[matrix[:, 0], matrix[:, 1]] = found.supports[last - len(matrix) : last]
        return table[np.triu_indices(len(self.labels), 1)]

    def bins(self, bases: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        """Return for each basis how many rows have just which of its items."""
        counted = []
        for basis in bases:
            codes = np.zeros(len(self.rows), np.int64)
            for bit, item in enumerate(basis):
                codes[self._holders(item)] |= 1 << bit
            counted.append(self._weighted(codes, 1 << len(basis)))
        return np.concatenate(counted) if counted else np.zeros(0, np.int64)

    def _weighted(self, codes: NDArray[np.int64], bins: int) -> NDArray[np.int64]:
        """Return how many rows have each code; exact, as floats hold whole numbers up to 2^53."""
        return np.bincount(codes, self.rows.weights, bins).astype(np.int64)

    def _holders(self, item: int) -> NDArray[np.int64]:
        owners, ends = self._by_item
        return owners[ends[item] : ends[item + 1]]

    @cached_property
    def _by_item(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The stored rows of every item, one item after another, and where each begins."""
        itemsets = self.rows.itemsets
        order = np.argsort(itemsets.items, kind="stable")
        return itemsets.owners[order], np.searchsorted(itemsets.items[order], np.arange(len(self.labels) + 1))


def _at_least(rows: Transactions, k: int, support: int) -> bool:
    """Return whether at least k itemsets have this support."""
    try:
        return len(mine(rows, min_support=support, target="all", max_patterns=k)) >= k
    except TooManyPatterns:
        return True


def _hash(label: str) -> int:
    return int(sha256(label.encode()).hexdigest()[:HASH_DIGITS], 16)


class CountedElsewhere(Protocol):
    """Rows that another engine counts."""

    @property
    def read(self) -> ReadRecord | None:
        """How they were read."""

    def row_counts(self) -> RowCounts:
        """Return what measurements ask of the rows; noise is added here, once."""


def counts_of(rows: Transactions | CountedElsewhere) -> RowCounts:
    """Return what measurements ask of rows, in memory or in another engine."""
    if not isinstance(rows, Transactions) and hasattr(rows, "row_counts"):
        return rows.row_counts()
    check_rows(rows)
    return LocalCounts.of(cast("Transactions", rows))

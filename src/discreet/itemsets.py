"""Itemsets as two arrays: what rows, patterns, sides of rules and channels are made of.

Itemset s is `items[offsets[s]:offsets[s + 1]]`, strictly ascending integers that a separate vocabulary names. This is
the compressed sparse row form: four bytes per item, and no Python object per itemset. The kernel accepts an `Itemsets`
as one argument and reads its arrays in place.

The canonical order is by length, then by items. Consecutive itemsets of one length are a matrix without a copy, so
sorting and comparing take a few numpy calls per length.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Itemsets", "sort_keys"]

_BLOCK = 1 << 16
"""Itemsets per batch of labels."""


@dataclass(frozen=True, eq=False, slots=True)
class Itemsets:
    """Itemsets in compressed sparse row form, possibly including the empty one.

    >>> itemsets = Itemsets.of([[0, 2], [], [1], [0, 2]])
    >>> [itemset.tolist() for itemset in itemsets.distinct()]
    [[], [1], [0, 2]]
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]

    # How they are made

    @classmethod
    def of(cls, lists: Iterable[Sequence[int] | NDArray[np.integer]]) -> Itemsets:
        """Return itemsets from lists of items."""
        listed = list(lists)
        lengths = np.fromiter((len(items) for items in listed), np.int64, count=len(listed))
        items = np.fromiter(chain.from_iterable(listed), np.int32, count=int(lengths.sum()))
        return cls.from_lengths(lengths, items)

    @classmethod
    def from_lengths(cls, lengths: ArrayLike, items: NDArray[np.int32]) -> Itemsets:
        """Return itemsets of these lengths from their concatenated items."""
        counts = np.asarray(lengths)
        offsets = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        return cls(offsets, items)

    @classmethod
    def of_matrix(cls, matrix: NDArray[np.int32]) -> Itemsets:
        """Return itemsets of one length from the rows of a matrix."""
        count, length = matrix.shape
        return cls(np.arange(count + 1, dtype=np.int64) * length, matrix.reshape(-1))

    @classmethod
    def from_arrow(cls, lists: pa.Array) -> Itemsets:
        """Return itemsets from an Arrow array of lists of items."""
        return cls(lists.offsets.to_numpy().astype(np.int64), lists.flatten().to_numpy().astype(np.int32))

    @classmethod
    def none(cls) -> Itemsets:
        """Return a collection without itemsets."""
        return cls(np.zeros(1, np.int64), np.zeros(0, np.int32))

    @classmethod
    def only_empty(cls) -> Itemsets:
        """Return the empty itemset alone."""
        return cls(np.zeros(2, np.int64), np.zeros(0, np.int32))

    def check(self, labels: int) -> None:
        """Raise ValueError unless offsets and items are consistent and all items are below `labels`."""
        _kernel.check_rows(self, labels)

    def freeze(self) -> None:
        """Make the arrays read-only."""
        self.offsets.flags.writeable = False
        self.items.flags.writeable = False

    # One by one

    def __len__(self) -> int:
        """Return the number of itemsets."""
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> NDArray[np.int32]:
        """Return one itemset's items, ascending."""
        return self.items[self.offsets[number] : self.offsets[number + 1]]

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        """Yield the items of each itemset."""
        return (self.items[start:stop] for start, stop in pairwise(self.offsets.tolist()))

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same itemsets in the same order."""
        if not isinstance(other, Itemsets):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.items, other.items)

    __hash__ = None  # type: ignore[assignment]

    def labels(self, labels: Sequence[str]) -> Iterator[list[str]]:
        """Yield the labels of each itemset; item i has the label `labels[i]`."""
        for first in range(0, len(self), _BLOCK):
            part = self.part(first, min(first + _BLOCK, len(self)))
            names = [labels[item] for item in part.items.tolist()]
            yield from (names[start:stop] for start, stop in pairwise(part.offsets.tolist()))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of items in each itemset."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> NDArray[np.int64]:
        """For each entry of `items`, the number of the itemset it belongs to."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def by_length(self) -> Iterator[tuple[int, int, NDArray[np.int32]]]:
        """Yield for each length the first itemset, the one after the last, and a matrix of their items.

        The itemsets must be ordered by length.
        """
        lengths = self.lengths
        first = 0
        while first < len(lengths):
            length = int(lengths[first])
            last = int(np.searchsorted(lengths, length, side="right"))
            yield first, last, self.items[self.offsets[first] : self.offsets[last]].reshape(last - first, length)
            first = last

    def incidence(self, labels: int) -> NDArray[np.bool_]:
        """Return a matrix of which itemset contains which of the items 0 to `labels` - 1."""
        holds = np.zeros((len(self), labels), bool)
        holds[self.owners, self.items] = True
        return holds

    def used(self, labels: int) -> NDArray[np.int64]:
        """Return the items that occur, ascending; all are below `labels`."""
        return np.flatnonzero(_kernel.item_supports(self, None, labels))

    def count_empty(self) -> int:
        """Return how many itemsets are empty; a few at a time, so that this needs no memory."""
        firsts, ends, many = self.offsets[:-1], self.offsets[1:], 1 << 20
        return sum(
            int(np.count_nonzero(firsts[at : at + many] == ends[at : at + many])) for at in range(0, len(self), many)
        )

    # Some of them, and more of them

    def select(self, chosen: NDArray[np.int64]) -> Itemsets:
        """Return the itemsets with these numbers, in this order."""
        return Itemsets(*_kernel.select_rows(self, chosen))

    def part(self, first: int, last: int) -> Itemsets:
        """Return the itemsets from `first` up to `last`, without copying the items."""
        ends = self.offsets[first : last + 1]
        return Itemsets(ends - ends[0], self.items[ends[0] : ends[-1]])

    def followed_by(self, *more: Itemsets) -> Itemsets:
        """Return these itemsets, followed by `more`."""
        every = (self, *more)
        lengths = np.concatenate([part.lengths for part in every])
        return Itemsets.from_lengths(lengths, np.concatenate([part.items for part in every]))

    def with_empty(self) -> Itemsets:
        """Return the empty itemset, followed by these."""
        return Itemsets(np.concatenate([np.zeros(1, np.int64), self.offsets]), self.items)

    def not_in(self, others: Itemsets) -> Itemsets:
        """Return the distinct itemsets that are not among others, in order of first occurrence."""
        both = others.followed_by(self)
        order = both.order()  # the sort is stable
        first = order[both.select(order).is_new()]
        return both.select(np.sort(first[first >= len(others)]))

    # Other items in each of them

    def keeping(self, kept: NDArray[np.bool_]) -> Itemsets:
        """Return the same number of itemsets with some of their items; `kept` is a mask of `items`."""
        before = np.zeros(len(kept) + 1, np.int64)
        np.cumsum(kept, out=before[1:])
        return Itemsets(before[self.offsets], self.items[kept])

    def without(self, others: Itemsets) -> Itemsets:
        """Return each itemset without the items of the other one with the same number."""
        labels = max(int(self.items.max(initial=0)), int(others.items.max(initial=0))) + 1
        held = np.isin(self.owners * labels + self.items, others.owners * labels + others.items)
        return self.keeping(~held)

    def joined_with(self, others: Itemsets) -> Itemsets:
        """Return the union of each itemset and the other one with the same number."""
        owners = np.concatenate([self.owners, others.owners])
        items = np.concatenate([self.items, others.items])[np.argsort(owners, kind="stable")]
        return Itemsets.from_lengths(self.lengths + others.lengths, items).canonical()

    def canonical(self, renumber: NDArray[np.int32] | None = None) -> Itemsets:
        """Return each set of codes sorted and without repetitions; code c becomes `renumber[c]`, if given."""
        return Itemsets(*_kernel.canonical_rows(self, renumber))

    def renumbered(self, numbers: NDArray[np.int32]) -> Itemsets:
        """Return each itemset with item i as `numbers[i]`; items whose number is negative are left out."""
        return self.keeping((numbers >= 0)[self.items]).canonical(numbers)

    # Their order

    def order(self) -> NDArray[np.int64]:
        """Return the numbers of the itemsets in canonical order; the sort is stable."""
        order = np.argsort(self.lengths, kind="stable").astype(np.int64)
        labels = int(self.items.max(initial=0)) + 1
        for first, last, matrix in self.select(order).by_length():
            if matrix.shape[1]:
                order[first:last] = order[first:last][np.lexsort(sort_keys(matrix, labels))]
        return order

    def sorted(self) -> Itemsets:
        """Return the itemsets in canonical order."""
        return self.select(self.order())

    def distinct(self) -> Itemsets:
        """Return each itemset once, in canonical order."""
        ordered = self.sorted()
        return ordered.select(np.flatnonzero(ordered.is_new()))

    def ranks(self) -> NDArray[np.int64]:
        """Return numbers that order the itemsets canonically; equal itemsets have equal numbers."""
        order = self.order()
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.cumsum(self.select(order).is_new())
        return ranks

    def is_new(self) -> NDArray[np.bool_]:
        """Return for each itemset whether it differs from the one before it; they must be in canonical order."""
        new = np.ones(len(self), bool)
        for first, last, matrix in self.by_length():
            new[first + 1 : last] = (matrix[1:] != matrix[:-1]).any(axis=1)
        return new

    def first_out_of_order(self) -> int | None:
        """Return the first itemset that does not come strictly after the one before it, or None."""
        falling = np.flatnonzero(np.diff(self.lengths) < 0)
        if len(falling):
            return int(falling[0]) + 1
        for first, _, matrix in self.by_length():
            wrong = np.flatnonzero(~_ascending(matrix))
            if len(wrong):
                return first + int(wrong[0]) + 1
        return None

    def in_order(
        self, renumber: NDArray[np.int32] | None, place: Callable[[int], str]
    ) -> tuple[Itemsets, NDArray[np.int64] | None]:
        """Return sets of codes as distinct itemsets in canonical order, and the permutation (None for the identity).

        Code c becomes `renumber[c]`. A repeated item and a repeated set are refused; `place` names a set by its number
        in the error.
        """
        itemsets = self.canonical(renumber)
        shorter = np.flatnonzero(itemsets.lengths != self.lengths)
        if len(shorter):
            raise DataError(f"{place(int(shorter[0]))}: an item occurs twice in the itemset; list every item once")
        if itemsets.first_out_of_order() is None:
            return itemsets, None
        order = itemsets.order()
        itemsets = itemsets.select(order)
        repeated = np.flatnonzero(~itemsets.is_new())
        if len(repeated):
            earlier, later = order[repeated[0] - 1 : repeated[0] + 1].tolist()  # the sort is stable
            raise DataError(f"{place(later)}: the same itemset as in {place(earlier)}; list every itemset once")
        return itemsets, order

    # What others say of them

    def maximal(self, labels: int) -> Itemsets:
        """Return the itemsets that no other contains; they must be distinct, nonempty and in canonical order."""
        return self.select(np.flatnonzero(_kernel.find_maximal(self, labels)))

    def supports_in(self, known: Itemsets, supports: NDArray[np.int64], labels: int) -> NDArray[np.int64]:
        """Return the support of each itemset in a collection, 0 if it is not listed there."""
        return _kernel.find_supports(self, known, supports, labels)

    def count_in(self, rows: Itemsets, weights: NDArray[np.int64] | None, labels: int) -> NDArray[np.int64]:
        """Return how many rows contain each itemset, each row counted with its weight."""
        return _kernel.count_supersets(self, rows, weights, labels)


def sort_keys(matrix: NDArray[np.int32], labels: int) -> list[NDArray[np.int64]]:
    """Return the columns as keys for lexsort (least significant first), packing columns into 63-bit keys."""
    bits = max(1, (labels - 1).bit_length())
    together = max(1, 63 // bits)
    keys = []
    for start in range(0, matrix.shape[1], together):
        key = np.zeros(len(matrix), np.int64)
        for column in matrix[:, start : start + together].T:
            key = (key << bits) | column
        keys.append(key)
    return keys[::-1]


def _ascending(matrix: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return for each itemset except the first whether it comes strictly after the one before it."""
    before, after = matrix[:-1], matrix[1:]
    if not matrix.shape[1]:
        return np.zeros(len(after), bool)
    column = (before != after).argmax(axis=1)  # the first column in which the two differ
    row = np.arange(len(after))
    return np.asarray(after[row, column] > before[row, column])

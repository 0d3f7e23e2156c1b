"""Groups of rows with equal quasi-identifiers, and how generalizing merges them.

A group is a combination of codes, one for each column, and the number of rows that have it: the frequency set of the
literature. Groups are made from rows once; every generalization is then computed from groups, of which there are fewer.
Columns, rows and groups are arrays; there is no Python object for any of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["EquivalenceClasses", "combined_codes", "group_rows"]

_LARGEST = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class EquivalenceClasses:
    """Distinct combinations of codes (groups by columns), their numbers of rows, and the number of codes per column."""

    codes: NDArray[np.int32]
    sizes: NDArray[np.int64]
    radices: tuple[int, ...]

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.sizes)

    def rows_below(self, k: int) -> int:
        """Return how many rows are in groups of fewer than k."""
        return int(self.sizes[self.sizes < k].sum())

    def distinct(self, column: int) -> int:
        """Return the number of distinct codes in a column."""
        return int(np.count_nonzero(np.bincount(self.codes[:, column])))


def group_rows(codes: NDArray[np.int32], sizes: NDArray[np.int64], radices: Sequence[int]) -> EquivalenceClasses:
    """Merge rows (or groups) with equal codes; `sizes` is the number of rows that each stands for.

    Every code of column j is in 0 … radices[j] - 1. If few combinations are possible, they are counted in a dense
    array; otherwise they are sorted. The result is the same.
    """
    radices = tuple(radices)
    possible = math.prod(radices)
    keys = combined_codes(codes, radices)
    if possible <= 4 * len(codes):
        counts = np.zeros(possible, np.int64)
        np.add.at(counts, keys, sizes)
        occupied = np.flatnonzero(counts)
        columns = np.unravel_index(occupied, radices) if radices else ()
        joined = np.empty((len(occupied), len(radices)), np.int32, order="F")
        for at, column in enumerate(columns):
            joined[:, at] = column
        return EquivalenceClasses(joined, counts[occupied], radices)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    return EquivalenceClasses(np.asfortranarray(codes[order[starts]]), np.add.reduceat(sizes[order], starts), radices)


def combined_codes(codes: NDArray[np.int32], radices: Sequence[int]) -> NDArray[np.int64]:
    """Return one number for each row, equal if and only if all codes of two rows are equal.

    The columns are the digits of a mixed-radix number. If it would not fit into 63 bits, the prefix combined so far is
    renumbered by the values that occur.
    """
    keys = np.zeros(len(codes), np.int64)
    largest = 1
    for column, radix in enumerate(radices):
        if largest * radix > _LARGEST:
            distinct, keys = np.unique(keys, return_inverse=True)
            keys = keys.astype(np.int64, copy=False)
            largest = len(distinct)
        keys *= radix
        keys += codes[:, column]
        largest *= radix
    return keys

"""Detect every channel directly from the definition.

Problem      given all frequent itemsets with their supports and k, return Ch(k, F): every pair I within J, J frequent,
             with 0 < f_I^J < k.
Method       atzori2008, Algorithm 1: for every J, for every I within it, inclusion-exclusion.
Promises     the same channels as every other method.
Cost         3^|J| steps for every maximal J as printed; here 2^|J| |J| for every J, by a Möbius transform over a table
             of its subsets' supports. Exponential either way: for small collections, and to check the other methods.
Departures   only the order of additions. Sets of more than 20 items are refused.
Reference    atzori2008   (docs/papers/atzori2008.md, tests/papers/test_atzori2008.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.grouping import Groups, ordered_groups
from discreet.errors import ParameterError, param
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.patterns.patternset import PatternSet

    _Part = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]
    """Targets, sizes of the bases, their items, and counts."""

__all__ = ["include_and_exclude"]

_LONGEST = 20
_CELLS = 1 << 22
"""Table cells per batch: 32 megabytes."""


def include_and_exclude(patterns: PatternSet, *, below: int) -> Groups:
    """Return, for every itemset of a complete collection, the groups of fewer than `below` rows within it.

    A group's target is the itemset's index in `patterns`.
    """
    longest = int(patterns.itemsets.lengths.max(initial=0))
    if longest > _LONGEST:
        raise ParameterError(
            f"{param('method')} direct looks at every subset of every itemset, and one of them has {longest} items; "
            f"use method auto (direct goes up to {_LONGEST})",
            parameter="method",
        )
    less = _kernel.one_item_less(patterns.itemsets, len(patterns.vocabulary))
    parts = []
    for first, last, matrix in patterns.itemsets.by_length():
        at_once = max(1, _CELLS >> matrix.shape[1])
        for start in range(first, last, at_once):
            stop = min(last, start + at_once)
            table = _subset_supports(patterns, less, np.arange(start, stop), matrix.shape[1])
            parts.append(_small(table, matrix[start - first : stop - first], start, below))
    return _joined(parts)


def _subset_supports(
    patterns: PatternSet, less: NDArray[np.int32], numbers: NDArray[np.int64], length: int
) -> NDArray[np.int64]:
    """Return one row per itemset with the supports of all its subsets; bit b of a column number is the b-th item."""
    table = np.empty((len(numbers), 1 << length), np.int64)
    places = np.empty_like(table)
    places[:, -1] = numbers
    for subset in range((1 << length) - 2, 0, -1):
        missing = ~subset & (subset + 1)  # the lowest missing item; the index with it is already known
        larger = subset | missing
        position = (larger & (missing - 1)).bit_count()
        places[:, subset] = less[patterns.offsets[places[:, larger]] + position]
    table[:, 1:] = patterns.supports[places[:, 1:]]
    table[:, 0] = patterns.n
    return table


def _small(table: NDArray[np.int64], matrix: NDArray[np.int32], start: int, below: int) -> _Part:
    """Turn supports into numbers of rows that contain exactly a subset, and select the small ones."""
    length = matrix.shape[1]
    for bit in range(length):
        halves = table.reshape(len(table), -1, 2, 1 << bit)
        halves[:, :, 0] -= halves[:, :, 1]
    row, subset = np.nonzero((table > 0) & (table < below))
    held = (subset[:, None] >> np.arange(length)) & 1 == 1
    return start + row, held.sum(axis=1), matrix[row][held], table[row, subset]


def _joined(parts: list[_Part]) -> Groups:
    targets, sizes, items, counts = (
        np.concatenate([np.zeros(0, np.int64), *(part[column] for part in parts)]) for column in range(4)
    )
    return ordered_groups(targets, Itemsets.from_lengths(sizes, items.astype(np.int32)), counts)

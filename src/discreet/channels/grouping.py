"""Group rows by their intersection with each of many itemsets, from rows or from patterns alone: three kernel methods.

Problem      for every target itemset M and every base I within it, how many rows contain I and nothing else of M?
Method       waim2008 projects all rows on each M in turn; here all targets share the work.
             `split_rows`     a binary tree over the targets: each node projects the rows on the items below it and
                              folds equal ones, so a leaf sees few rows (dense data)
             `refine_rows`    tid-lists refine a partition of the rows along a trie of the targets, most frequent
                              items first, and are undone on the way up (sparse data)
             `split_patterns` the same tree, with closed itemsets as rows; a leaf solves the triangular system in
                              docs/papers/atzori2008.md, or a Möbius transform if that is cheaper
Promises     the three agree with each other, with waim2008's algorithm and with inclusion-exclusion.
Cost         rows: about targets times the rows' distinct projections; patterns: about targets times the square of the
             closed sets inside one, and never 2^|M| unless that is less.
Names        projection of a row on M -> group;  f_I^M -> number of rows of the group.
Reference    waim2008, atzori2008
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet import _kernel
from discreet.channels.channel import Channels
from discreet.errors import DataError
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "EVERY_SIZE",
    "Groups",
    "count_in_groups",
    "groups_of_patterns",
    "groups_of_rows",
    "ordered_groups",
    "rows_in_groups",
    "rows_of_channels",
    "shares_of_patterns",
    "small_groups",
]

EVERY_SIZE = np.iinfo(np.int64).max
"""For `below`: groups of any size."""

_LONGEST_SPLIT = 4096
"""The split tree stores an itemset's items as bits, at most this many; refining has no such limit."""

_FEW_ITEMS = 4096
"""With fewer items in total, the work is done before a thread would start."""

_SAMPLE = 2_000
_DENSE_SHARE = 16
"""Bitmasks pay off if one row in this many contains an item: the same limit as in mining."""

_FEW_TARGET_ITEMS = 128
"""With more items among all targets, one tree of rows for all of them can take 100 times as long as refining."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups sorted by target, then base; target numbers are indices into the requested targets."""

    targets: NDArray[np.int64]
    bases: Itemsets
    counts: NDArray[np.int64]


def groups_of_rows(
    rows: Transactions, targets: Itemsets, *, below: int, way: Literal["auto", "split", "refine"] = "auto"
) -> Groups:
    """Return the groups of fewer than `below` rows; `way` is "auto", "split" or "refine"."""
    if way == "auto":
        way = "split" if _dense(rows, targets) else "refine"
    if way == "split" and targets.lengths.max(initial=0) <= _LONGEST_SPLIT:
        found = _kernel.split_rows(
            rows.itemsets,
            rows.weights,
            targets=targets,
            below=below,
            threads=_threads(),
        )
    else:
        found = _kernel.refine_rows(
            rows.itemsets,
            rows.weights,
            total=rows.n,
            labels=len(rows.vocabulary),
            targets=targets,
            below=below,
            threads=_threads(),
        )
    return _as_groups(found)


def groups_of_patterns(
    closed: Itemsets, supports: NDArray[np.int64], n: int, targets: Itemsets, *, below: int, border: bool = False
) -> Groups:
    """Return the same from closed itemsets alone; with `border`, for targets just outside the collection.

    Supports that no data set can have are refused.
    """
    with _refusing_contradictions(targets):
        found = _kernel.split_patterns(
            closed,
            supports,
            total=n,
            border=border,
            targets=targets,
            below=below,
            threads=_threads() if len(closed.items) > _FEW_ITEMS else 0,
        )
    return _as_groups(found)


def shares_of_patterns(
    closed: Itemsets,
    supports: NDArray[np.int64],
    n: int,
    targets: Itemsets,
    *,
    items: NDArray[np.int32],
    rho: Fraction,
) -> tuple[Groups, NDArray[np.int64]]:
    """Return the groups on each target without its item of `items` of which a share of rho or more holds that item.

    The second array says how many rows of each do. Only groups with such rows are returned.
    """
    with _refusing_contradictions(targets):
        which, bases, counts, having = _kernel.split_shares(
            closed,
            supports,
            total=n,
            targets=targets,
            items=items,
            above=rho.numerator,
            below=rho.denominator,
            threads=_threads() if len(closed.items) > _FEW_ITEMS else 0,
        )
    return _as_groups((which, bases, counts)), having


@contextmanager
def _refusing_contradictions(targets: Itemsets) -> Iterator[None]:
    if targets.lengths.max(initial=0) > _LONGEST_SPLIT:
        raise DataError(f"an itemset has more than {_LONGEST_SPLIT:,} items, more than can be audited without the rows")
    try:
        yield
    except _kernel.Inconsistent as error:
        raise DataError(
            "the supports contradict each other: no data set can have them, because a group within one itemset of "
            f"{len(targets[error.args[0]])} items would have a negative number of rows; check how the patterns were "
            "made"
        ) from None


def ordered_groups(targets: NDArray[np.int64], bases: Itemsets, counts: NDArray[np.int64]) -> Groups:
    """Return groups found in any order, sorted by target, then base."""
    order = np.lexsort([bases.ranks(), targets])
    return Groups(targets[order], bases.select(order), counts[order])


def small_groups(groups: Groups, targets: Itemsets, vocabulary: Vocabulary) -> Channels:
    """Return groups as channels whose full sets are the targets."""
    return Channels(vocabulary, targets, groups.targets, groups.bases, groups.counts, groups.counts)


def rows_of_channels(rows: Transactions, channels: Channels) -> NDArray[np.bool_]:
    """Return for each row whether it contains some channel's base and nothing else of its full set."""
    return _kernel.find_exposed(
        rows.itemsets,
        labels=len(rows.vocabulary),
        fulls=channels.fulls,
        which=channels.which,
        bases=channels.bases,
        threads=_threads() if len(rows.items) > _FEW_ITEMS else 0,
    ).astype(bool)


def rows_in_groups(rows: Transactions, lists: Sequence[Channels]) -> NDArray[np.bool_]:
    """Return for each row whether it is in a group of any of the lists."""
    exposed = np.zeros(len(rows), bool)
    for groups in lists:
        exposed |= rows_of_channels(rows, groups.in_terms_of(rows.vocabulary))
    return exposed


def count_in_groups(rows: Transactions, lists: Sequence[Channels]) -> int:
    """Return how many rows are in a group of any of the lists."""
    exposed = rows_in_groups(rows, lists)
    return int(exposed.sum() if rows.weights is None else rows.weights[exposed].sum())


def _as_groups(
    found: tuple[NDArray[np.uint32], tuple[NDArray[np.int64], NDArray[np.int32]], NDArray[np.int64]],
) -> Groups:
    targets, bases, counts = found
    return Groups(targets.astype(np.int64), Itemsets(*bases), counts)


def _dense(rows: Transactions, targets: Itemsets) -> bool:
    """Return whether target items are few, and common in the first rows; only speed depends on it."""
    sample = min(len(rows), _SAMPLE)
    used = np.zeros(len(rows.vocabulary), bool)
    used[targets.items] = True
    occurrences = int(np.count_nonzero(used[rows.items[: rows.offsets[sample]]]))
    different = int(np.count_nonzero(used))
    return different <= _FEW_TARGET_ITEMS and different * sample <= _DENSE_SHARE * occurrences


def _threads() -> int:
    return os.cpu_count() or 1

"""The rows on the disk that hold something restrictive, in memory; and all rows without what these lose.

Problem      what hiding decides depends on the rows that hold a restrictive pattern, or the antecedent of a bounded
             rule. There may be few of them where there are too many rows for the memory.
Method       a pass takes these rows, restricted to the items that are named. With a minimum support, frequent items
             stay in them, and all other rows are restricted to these and folded, so that both together can be mined.
             A last pass writes all rows without what was removed, and one more counts the patterns in what was written.
Promises     hiding in these rows, with the supports of items in all rows, gives what hiding in all rows gives.
Cost         two passes over the disk, one to prove, and the rows once more on it. What does not fit into memory is
             refused with the memory that it would take.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.errors import DataError
from discreet.itemsets import Itemsets
from discreet.transactions.disk_rows import changed_rows, folded_rows, parts_of, refuse_beyond_memory
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.hiding.request import Request

__all__ = ["SensitivePart", "count_in_rows", "sensitive_part", "without_removed"]

_COPIES = 6
"""How often sensitive rows are held: as read, listed by item, without what they lose, and while that is decided."""

_MOST_ROWS = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class SensitivePart:
    """Rows that hold something restrictive, restricted to the items that matter.

    Attributes
    ----------
    rows : Transactions
        These rows, in their order.
    places : array of int32
        Their numbers among all rows.
    lengths : array of int32
        How many items they had.
    rest : Transactions
        The distinct ones of all other rows, restricted to frequent items, with weights; none without such items.
    """

    rows: Transactions
    places: NDArray[np.int32]
    lengths: NDArray[np.int32]
    rest: Transactions


def sensitive_part(rows: Transactions, request: Request, frequent: NDArray[np.bool_] | None) -> SensitivePart:
    """Return the rows that hold something restrictive; `frequent` says which items are, if that matters."""
    if len(rows) > _MOST_ROWS:
        raise DataError(f"there are {len(rows):,} rows; up to {_MOST_ROWS:,} can be hidden in")
    kept = np.zeros(len(rows.vocabulary), bool)
    kept[sorted(request.known_items)] = True
    if frequent is not None:
        kept |= frequent
    sought = [*request.known_patterns, *(tuple(sorted(rule.antecedent)) for rule in request.known_rules)]
    found = _Found(len(rows), kept, Itemsets.of(sought))
    others = found.others(parts_of(rows, "looking for restrictive patterns"), wanted=frequent is not None)
    folded, weights = folded_rows(
        ((part, None) for part in others),
        len(rows),
        cut="cut down to frequent items",
        advice="give a higher minimum support, or use Spark",
    )
    return found.part(rows, Transactions(folded, rows.vocabulary, weights))


class _Found:
    """The rows that hold any of the itemsets sought, of those read so far."""

    def __init__(self, n: int, kept: NDArray[np.bool_], sought: Itemsets) -> None:
        self._n, self._kept, self._sought = n, kept, sought
        self._rows, self._places, self._lengths = [Itemsets.none()], [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        self._bytes = 0

    def others(self, parts: Iterator[tuple[int, Transactions]], *, wanted: bool) -> Iterator[Itemsets]:
        """Take the rows out of all, and yield the others, if they are wanted, restricted to the items kept."""
        for first, part in parts:
            itemsets = part.itemsets
            holds = _kernel.contain_any(itemsets, self._sought, len(self._kept)).astype(bool)
            own = np.flatnonzero(holds)
            if wanted or len(own):
                restricted = itemsets.keeping(self._kept[itemsets.items])
                self._take(restricted.select(own), (first + own).astype(np.int32), itemsets.lengths[own])
                self._refuse_many(first + len(part))
                yield restricted.select(np.flatnonzero(~holds)) if wanted else Itemsets.none()

    def _take(self, rows: Itemsets, places: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
        self._rows.append(rows)
        self._places.append(places)
        self._lengths.append(lengths)
        self._bytes += _COPIES * (rows.items.nbytes + rows.offsets.nbytes)

    def _refuse_many(self, read: int) -> None:
        count = sum(map(len, self._places))
        refuse_beyond_memory(
            self._bytes,
            self._bytes * (self._n / read),
            f"{count:,} of the first {read:,} of {self._n:,} rows hold something that is to be hidden; all such rows",
            "hide what fewer rows hold, or use Spark",
        )

    def part(self, rows: Transactions, rest: Transactions) -> SensitivePart:
        """Return the rows that were taken."""
        itemsets = Itemsets.none().followed_by(*self._rows)
        taken = Transactions.unchecked(itemsets, rows.vocabulary, layout=rows.layout)
        taken = taken if rows.read is None else taken.with_record(rows.read)
        return SensitivePart(taken, np.concatenate(self._places), np.concatenate(self._lengths).astype(np.int32), rest)


def without_removed(rows: Transactions, removed_from: NDArray[np.int32], removed: NDArray[np.int32]) -> Transactions:
    """Return rows on the disk without item `removed[i]` in row `removed_from[i]`, which ascend."""

    def change(first: int, part: Itemsets) -> Itemsets:
        start, end = np.searchsorted(removed_from, [first, first + len(part)])
        own = (removed_from[start:end] - first).astype(np.int32)
        return Itemsets(*_kernel.remove_items(part, own, removed[start:end])) if len(own) else part

    if not len(removed):
        return rows
    made = changed_rows(rows, change, "removing items")
    return made if rows.read is None else made.with_record(rows.read)


def count_in_rows(rows: Transactions, itemsets: Itemsets) -> NDArray[np.int64]:
    """Return how many of the rows on the disk hold each itemset."""
    counts = np.zeros(len(itemsets), np.int64)
    for _, part in parts_of(rows, "counting the patterns in what is left"):
        counts += itemsets.count_in(part.itemsets, None, len(rows.vocabulary))
    return counts

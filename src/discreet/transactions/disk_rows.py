"""Rows that lie on the disk, as numbers in private files, because they may not fit into memory.

Problem      rows fit the disk but not the memory; what is asked of them is about frequent items only.
Method       the first pass reads the file and writes every row as numbers; the second one drops the infrequent items
             and counts equal rows, some megabytes at a time.
Promises     `frequent_rows` returns what dropping the infrequent items and folding in memory would return, in the same
             order. At no time are more than a slice of the rows and twice the distinct ones in memory.
Cost         4 bytes on the disk for each item and 8 for each row; twice that while labels are sorted.

The files are in a folder that only their owner can read. It is removed when the rows are no longer used, or with the
program.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.itemsets import Itemsets
from discreet.stages import tell
from discreet.tables.ceilings import disk_ceiling, memory_ceiling, too_large
from discreet.tables.scratch import locked_folder
from discreet.transactions.row_folder import RowFolder
from discreet.transactions.rows_builder import RowsBuilder
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import BufferedRandom

    from numpy.typing import NDArray

    from discreet.transactions.layout import Layout
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["DiskRowsBuilder", "are_on_disk", "frequent_rows", "refuse_on_disk"]

_SLICE = 1 << 22
"""How many items are in memory at a time."""

_PREFIX = "discreet-scratch-"


def are_on_disk(rows: Transactions) -> bool:
    """Return whether rows lie on the disk."""
    return isinstance(rows.items, np.memmap)


def refuse_on_disk(rows: Transactions, what: str) -> None:
    """Refuse what needs all rows in memory, with the memory that it would take."""
    if are_on_disk(rows):
        gigabytes = 2 * (rows.items.nbytes + rows.offsets.nbytes) / 1e9  # the rows, and those that are made of them
        raise ParameterError(
            f"{what} needs all rows in memory, here about {gigabytes:,.1f} GB; use {param('engine', 'local')} where "
            f"there is so much, or {param('engine', 'spark')}",
            parameter="engine",
        )


class DiskRowsBuilder(RowsBuilder):
    """Rows of item numbers, written to the disk a batch at a time."""

    def __init__(self) -> None:
        """Make the folder."""
        self._folder, self._handle = locked_folder(Path(tempfile.gettempdir()), _PREFIX, "")
        self._raw = [(self._folder / name).open("w+b") for name in ("codes", "lengths")]
        self._remove = weakref.finalize(self, _remove, self._folder, self._handle, self._raw)
        self._room = disk_ceiling(self._folder) // 2  # the rows are written twice

    def add(self, items: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
        """Write rows from their concatenated `items`."""
        codes, counts = self._raw
        codes.write(np.ascontiguousarray(items, np.int32).data)
        counts.write(np.ascontiguousarray(lengths, np.int64).data)
        if sum(file.tell() for file in self._raw) > self._room:
            raise too_large("what is read", f"takes more than {self._folder.parent} has room for")

    def held_items(self, labels: int) -> NDArray[np.bool_]:
        """Return which item numbers occur."""
        held = np.zeros(labels, bool)
        for part in self._parts():
            held[part.items] = True
        return held

    def numbered(
        self,
        vocabulary: Vocabulary,
        numbers: NDArray[np.int32] | None,
        *,
        name: str,
        layout: Layout,
        ids: Sequence[str] | None = None,
        hint: str = "",
    ) -> Transactions:
        """Return the rows; item number i becomes `numbers[i]`."""
        del ids  # refused before
        with (self._folder / "items").open("wb") as items, (self._folder / "offsets").open("wb") as offsets:
            before = 0
            offsets.write(np.zeros(1, np.int64).data)
            for part in self._parts():
                rows = part.canonical(numbers)
                items.write(rows.items.data)
                offsets.write((rows.offsets[1:] + before).data)
                before += len(rows.items)
            empty = offsets.tell() == np.dtype(np.int64).itemsize
        if empty:
            raise DataError(f"{name} holds no rows{hint}")
        for file in self._raw:
            file.close()
            Path(file.name).unlink()
        itemsets = Itemsets(_mapped(self._folder / "offsets", np.int64), _mapped(self._folder / "items", np.int32))
        self._remove.detach()
        kept = itemsets.items if isinstance(itemsets.items, np.memmap) else itemsets.offsets
        weakref.finalize(kept, _remove, self._folder, self._handle)
        return Transactions.unchecked(itemsets, vocabulary, layout=layout)

    def _parts(self) -> Iterator[Itemsets]:
        """Yield the rows, some at a time, as they were added."""
        codes, lengths = self._raw
        for file in self._raw:
            file.flush()
            file.seek(0)
        rest = np.zeros(0, np.int64)
        while True:
            more = np.fromfile(lengths, np.int64, _SLICE // 8) if not len(rest) else rest
            if not len(more):
                return
            rows = max(1, int(np.searchsorted(np.cumsum(more), _SLICE, side="right")))
            taken, rest = more[:rows], more[rows:]
            yield Itemsets.from_lengths(taken, np.fromfile(codes, np.int32, int(taken.sum())))


def _mapped(file: Path, dtype: type[Any]) -> NDArray[Any]:
    """Return the numbers in a file, as part of the address space; none if it is empty."""
    return np.memmap(file, dtype, "r") if file.stat().st_size else np.zeros(0, dtype)


def _remove(folder: Path, handle: int, files: Sequence[BufferedRandom] = ()) -> None:
    for file in files:
        file.close()
    shutil.rmtree(folder, ignore_errors=True)
    os.close(handle)


def frequent_rows(
    rows: Transactions, min_support: int, *, only: NDArray[np.bool_] | None = None, slice_items: int = _SLICE
) -> Transactions:
    """Return the distinct rows, restricted to frequent items, with weights; of these the items in `only`, if given.

    >>> rows = frequent_rows(Transactions.from_rows(["ab", "abc", "b", "ab"]), 2)
    >>> [("".join(sorted(row)), weight) for row, weight in zip(rows, rows.weights.tolist())]
    [('ab', 3), ('b', 1)]
    """
    kept = rows.item_supports() >= min_support
    if only is not None:
        kept &= only
    folder, before = RowFolder(), 0
    for first, last in _slices(rows.itemsets, slice_items):
        tell("counting equal rows", first / len(rows))
        part = rows.itemsets.part(first, last)
        if folder.add(part.keeping(kept[part.items]), None if rows.weights is None else rows.weights[first:last]):
            _refuse_many(folder.rows, last, len(rows), min_support, before)
            before = len(folder.rows)
    folder.join()
    _refuse_many(folder.rows, len(rows), len(rows), min_support, before)
    folded = Transactions(folder.rows, rows.vocabulary, folder.weights)
    return folded if rows.read is None else folded.with_record(rows.read)


def _slices(itemsets: Itemsets, items: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last of some rows at a time, with at most so many items (or one row)."""
    offsets, rows, first = itemsets.offsets, len(itemsets), 0
    while first < rows:
        last = int(np.searchsorted(offsets, offsets[first] + items, side="right")) - 1
        last = min(max(first + 1, last), first + items, rows)
        yield first, last
        first = last


def _refuse_many(distinct: Itemsets, read: int, rows: int, min_support: int, before: int) -> None:
    """Refuse distinct rows that will not fit, judged by those so far."""
    bytes_now = 3 * (distinct.items.nbytes + 16 * len(distinct))  # folding holds them twice, mining once
    growing = len(distinct) > before
    if bytes_now > memory_ceiling():
        gigabytes = bytes_now * (rows / read if growing else 1) / 1e9
        raise DataError(
            f"cut down to the items of at least {min_support:,} rows, {read:,} of {rows:,} rows already come in "
            f"{len(distinct):,} kinds; all of them would need about {gigabytes:,.0f} GB of memory: give a higher "
            "minimum support, or use Spark"
        )

"""Rows that lie on the disk, as numbers in private files, because they may not fit into memory.

Problem      rows fit the disk but not the memory; what is asked of them is about some of their items only.
Method       the first pass reads the file and writes every row as numbers; the second one drops the other items, such
             as infrequent ones, and counts equal rows, some megabytes at a time.
Promises     `frequent_rows` and `folded_rows` return what dropping items and folding in memory would return, in the
             same order. At no time are more than a slice of the rows and twice the distinct ones in memory.
Cost         4 bytes on the disk for each item and 8 for each row; twice that while labels are sorted.

The files are in a folder that only their owner can read. It is removed when the rows are no longer used, or with the
program.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _kernel
from discreet.errors import DataError, ParameterError, param
from discreet.itemsets import Itemsets
from discreet.stages import tell
from discreet.tables.ceilings import disk_ceiling, memory_ceiling, too_large
from discreet.tables.scratch import locked_folder
from discreet.transactions.row_folder import RowFolder
from discreet.transactions.rows_builder import RowsBuilder
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from io import BufferedRandom

    from numpy.typing import NDArray

    from discreet.transactions.layout import Layout
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "DiskRowsBuilder",
    "are_on_disk",
    "changed_rows",
    "folded_rows",
    "frequent_rows",
    "parts_of",
    "refuse_beyond_memory",
    "refuse_on_disk",
    "repeat_often",
]

_SLICE = 1 << 22
"""How many items are in memory at a time."""

_LOOKED_AT = 1 << 16
"""Rows that tell whether the others repeat each other."""

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
        if not _write(self._folder, (part.canonical(numbers) for part in self._parts())):
            raise DataError(f"{name} holds no rows{hint or '; save or export it again'}")
        for file in self._raw:
            file.close()
            Path(file.name).unlink()
        self._remove.detach()
        return Transactions.unchecked(_mapped_rows(self._folder, self._handle), vocabulary, layout=layout)

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


def _write(folder: Path, parts: Iterable[Itemsets]) -> int:
    """Write rows that come some at a time, and return how many there are."""
    count = before = 0
    with (folder / "items").open("wb") as items, (folder / "offsets").open("wb") as offsets:
        offsets.write(np.zeros(1, np.int64).data)
        for rows in parts:
            items.write(np.ascontiguousarray(rows.items).data)
            offsets.write((rows.offsets[1:] + before).data)
            before += len(rows.items)
            count += len(rows)
    return count


def _mapped_rows(folder: Path, handle: int) -> Itemsets:
    """Return the rows in a folder, which is removed when they are no longer used."""
    itemsets = Itemsets(_mapped(folder / "offsets", np.int64), _mapped(folder / "items", np.int32))
    kept = itemsets.items if isinstance(itemsets.items, np.memmap) else itemsets.offsets
    weakref.finalize(kept, _remove, folder, handle)
    return itemsets


def _mapped(file: Path, dtype: type[Any]) -> NDArray[Any]:
    """Return the numbers in a file, as part of the address space; none if it is empty."""
    return np.memmap(file, dtype, "r") if file.stat().st_size else np.zeros(0, dtype)


def _remove(folder: Path, handle: int, files: Sequence[BufferedRandom] = ()) -> None:
    for file in files:
        file.close()
    shutil.rmtree(folder, ignore_errors=True)
    os.close(handle)


def parts_of(rows: Transactions, doing: str, *, slice_items: int = _SLICE) -> Iterator[tuple[int, Transactions]]:
    """Yield the rows some megabytes at a time, each part with the number of its first row.

    >>> rows = Transactions.from_rows(["ab", "c", "", "abc"])
    >>> [(first, len(part)) for first, part in parts_of(rows, "looking", slice_items=2)]
    [(0, 1), (1, 2), (3, 1)]
    """
    for first, last in _slices(rows.itemsets, slice_items):
        tell(doing, first / len(rows))
        part = Transactions.unchecked(rows.itemsets.part(first, last), rows.vocabulary, layout=rows.layout)
        if rows.weights is not None:
            part = replace(part, weights=rows.weights[first:last])
        yield first, part


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
    parts = (
        (part.itemsets.keeping(kept[part.items]), part.weights)
        for _, part in parts_of(rows, "counting equal rows", slice_items=slice_items)
    )
    cut = f"cut down to the items of at least {min_support:,} rows"
    itemsets, weights = folded_rows(parts, len(rows), cut=cut, advice="give a higher minimum support, or use Spark")
    folded = Transactions(itemsets, rows.vocabulary, weights)
    return folded if rows.read is None else folded.with_record(rows.read)


def repeat_often(rows: Transactions, min_support: int, *, at_least: int) -> bool:
    """Return whether there are more than so many rows, of which most repeat others without their infrequent items."""
    if len(rows) <= at_least:
        return False
    first = rows.itemsets.part(0, min(at_least, _LOOKED_AT))
    kept = first.keeping((rows.item_supports() >= min_support)[first.items])
    return 2 * len(_kernel.fold_rows(kept, None)[0]) <= len(first)


def folded_rows(
    parts: Iterable[tuple[Itemsets, NDArray[np.int64] | None]], rows: int, *, cut: str, advice: str
) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return the distinct ones of rows that come some at a time, and how often each occurs.

    If they do not fit, they are refused with the memory that they would need: `cut` says how the rows were cut down,
    `advice` what to do, and `rows` is how many there are.
    """
    folder, before, read = RowFolder(), 0, 0

    def refuse_many() -> None:
        """Refuse distinct rows that will not fit, judged by those so far."""
        count = len(folder.rows)
        bytes_now = 3 * (folder.rows.items.nbytes + 16 * count)  # folding holds them twice, mining once
        bytes_in_all = bytes_now * (rows / read if count > before else 1)
        what = f"{cut}, {read:,} of {rows:,} rows already come in {count:,} kinds; all of them"
        refuse_beyond_memory(bytes_now, bytes_in_all, what, advice)

    for itemsets, weights in parts:
        read += len(itemsets)
        if folder.add(itemsets, weights):
            refuse_many()
            before = len(folder.rows)
    folder.join()
    refuse_many()
    return folder.rows, folder.weights


def changed_rows(rows: Transactions, change: Callable[[int, Itemsets], Itemsets], doing: str) -> Transactions:
    """Return rows on the disk with other items; `change` makes them, of some rows and the number of the first one."""
    scratch = Path(tempfile.gettempdir())
    if rows.items.nbytes + rows.offsets.nbytes > disk_ceiling(scratch):
        raise too_large("what is changed", f"takes more than {scratch} has room for")
    folder, handle = locked_folder(scratch, _PREFIX, "")
    try:
        _write(folder, (change(first, part.itemsets) for first, part in parts_of(rows, doing)))
        itemsets = _mapped_rows(folder, handle)
    except BaseException:
        _remove(folder, handle)
        raise
    return Transactions.unchecked(itemsets, rows.vocabulary, layout=rows.layout)


def _slices(itemsets: Itemsets, items: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last of some rows at a time, with at most so many items (or one row)."""
    offsets, rows, first = itemsets.offsets, len(itemsets), 0
    while first < rows:
        last = int(np.searchsorted(offsets, offsets[first] + items, side="right")) - 1
        last = min(max(first + 1, last), first + items, rows)
        yield first, last
        first = last


def refuse_beyond_memory(bytes_now: int, bytes_in_all: float, what: str, advice: str) -> None:
    """Refuse what takes more than the memory now, with what it would take in all."""
    if bytes_now > memory_ceiling():
        raise DataError(f"{what} would need about {bytes_in_all / 1e9:,.0f} GB of memory: {advice}")

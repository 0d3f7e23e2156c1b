"""Build Transactions from batches of items, without a Python object per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from discreet import _kernel
from discreet.errors import DataError
from discreet.itemsets import Itemsets
from discreet.tables.arrow_arrays import arrow_numbers, numpy_numbers
from discreet.tables.table import BLANKS, NULL
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.tables.table import Batch, Table
    from discreet.transactions.layout import Layout
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["IdColumn", "Labels", "RowIds", "RowsBuilder", "checked_text"]


class Labels:
    """Labels and their numbers, in order of first appearance: a new text gets the next number."""

    def __init__(self, name: str) -> None:
        """Begin without labels; `name` is the file's, for errors."""
        self._table = _kernel.LabelTable()
        self._name = name

    def __len__(self) -> int:
        """Return how many labels there are."""
        return len(self._table)

    def __iter__(self) -> Iterator[str]:
        """Yield the labels in the order of their numbers."""
        return iter(self._table.texts())

    def number(self, text: str) -> int:
        """Return the number of a label."""
        return self._table.code(checked_text(text, self._name))

    def numbers(
        self, texts: pa.Array, *, prefix: str = "", missing: Collection[str] = (), strip: bool = True
    ) -> NDArray[np.int32]:
        """Return the numbers of the labels `prefix` + text; NULL for the texts that are missing.

        Blanks around a text are not part of it if they are to be stripped.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = texts.cast(pa.large_string())
        if strip:
            texts = pc.ascii_trim(texts, characters=BLANKS)
        _, offsets, data = texts.buffers()
        ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
        text = np.frombuffer(data or b"", np.uint8)
        if not text[ends[0] : ends[-1]].all():
            checked_text("\0", self._name)
        return self._table.codes(text, ends, prefix, list(missing))


class RowsBuilder:
    """Rows of item numbers, added a batch at a time.

    Items and lengths are each kept in one growing block of memory: a list of arrays would have to be copied into one at
    the end, which doubles the memory.
    """

    def __init__(self) -> None:
        self._items = bytearray()
        self._lengths = bytearray()

    def add(self, items: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
        """Add rows from their concatenated `items`."""
        self._items += np.ascontiguousarray(items, np.int32).data
        self._lengths += np.ascontiguousarray(lengths, np.int64).data

    def add_matrix(self, items: NDArray[np.int32]) -> None:
        """Add rows from a matrix of items, NULL for none."""
        there = items != NULL
        lengths = np.count_nonzero(there, axis=1).astype(np.int64)
        self.add(items.ravel() if there.all() else items[there], lengths)

    def finish(
        self,
        labels: Iterable[str],
        *,
        name: str,
        layout: Layout,
        ids: Sequence[str] | None = None,
        hint: str = "",
        held_labels_only: bool = False,
    ) -> Transactions:
        """Return the rows; raise an error with a hint if there are none."""
        texts = list(labels)
        if not held_labels_only:
            vocabulary, numbers = numbered(texts)
            return self.numbered(vocabulary, numbers, name=name, layout=layout, ids=ids, hint=hint)
        held = np.flatnonzero(self.held_items(len(texts)))
        vocabulary, places = numbered([texts[place] for place in held.tolist()])
        numbers = np.zeros(len(texts), np.int32)
        numbers[held] = np.arange(len(held)) if places is None else places
        return self.numbered(vocabulary, numbers, name=name, layout=layout, ids=ids, hint=hint)

    def held_items(self, labels: int) -> NDArray[np.bool_]:
        """Return which item numbers occur."""
        return np.bincount(np.frombuffer(self._items, np.int32), minlength=labels) > 0

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
        lengths = np.frombuffer(self._lengths, np.int64)
        if not len(lengths):
            raise DataError(f"{name} holds no rows{hint or '; save or export it again'}")
        codes = Itemsets.from_lengths(lengths, np.frombuffer(self._items, np.int32))
        return Transactions(codes.canonical(numbers), vocabulary, ids=ids, layout=layout)


class RowIds(Sequence[str]):
    """The rows' ids, stored by Arrow: a million of them cost their text and four bytes each."""

    def __init__(self, texts: pa.Array) -> None:
        self._texts = texts

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._texts)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> RowIds: ...
    def __getitem__(self, place: int | slice) -> str | RowIds:
        """Return one id, or some of them."""
        if isinstance(place, slice):
            return RowIds(self._texts[place])
        return str(self._texts[place].as_py())

    def take(self, places: NDArray[np.int64]) -> RowIds:
        """Return the ids of some rows."""
        return RowIds(self._texts.take(arrow_numbers(places)))

    def __iter__(self) -> Iterator[str]:
        """Yield the ids, making only a few Python objects at a time."""
        for start in range(0, len(self), 4096):
            yield from self._texts.slice(start, 4096).to_pylist()

    def __eq__(self, other: object) -> bool:
        """Return whether another sequence contains the same ids."""
        return (
            isinstance(other, Sequence)
            and len(self) == len(other)
            and all(a == b for a, b in zip(self, other, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return the number of ids; the ids themselves are not printed."""
        return f"<RowIds: {len(self):,} rows>"


class IdColumn:
    """The cells of the id column, collected batch by batch."""

    def __init__(self, place: int | None, *, table: Table, column: str | None) -> None:
        """Collect the column at this position; nothing if it is None."""
        self._place = place
        self._table = table
        self._column = column
        self._parts: list[pa.Array] = []

    def add(self, batch: Batch, kept: NDArray[np.bool_] | None = None) -> None:
        """Add the ids of a batch, or of the rows of it that are kept."""
        if self._place is None:
            return
        import pyarrow as pa
        import pyarrow.compute as pc

        codes, distinct = batch.column(self._place)
        texts = pc.ascii_trim(distinct.cast(pa.large_string()), characters=BLANKS)
        if texts.buffers()[2] and not np.frombuffer(texts.buffers()[2], np.uint8).all():
            raise DataError(f"{self._table.name} holds an id with a NUL character; remove it")
        empty = np.append(numpy_numbers(pc.binary_length(texts)) == 0, [True])  # the last stands for NULL
        if len(none := np.flatnonzero(empty[codes])):
            words, line = batch.where(int(none[0]))
            raise DataError(f"{words} of {self._table.name} has no id in column {self._column!r}", line=line)
        self._parts.append(texts.take(arrow_numbers(codes if kept is None else codes[kept])))

    def chunked(self) -> pa.ChunkedArray:
        """Return the collected ids as Arrow texts."""
        import pyarrow as pa

        return pa.chunked_array(self._parts, pa.large_string())

    def ids(self) -> RowIds | None:
        """Return the collected ids, or None without an id column."""
        return None if self._place is None else RowIds(self.chunked().combine_chunks())


def checked_text(text: str, name: str) -> str:
    """Return a text that may be a label; a NUL character is refused, because no text format can represent it."""
    if "\0" in text:
        raise DataError(f"{name} holds a text with a NUL character; remove it")
    return text

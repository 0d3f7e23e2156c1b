"""Rows of items, stored exactly and compactly: the type every job starts from."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _kernel
from discreet.errors import DataError, ParameterError
from discreet.itemsets import Itemsets
from discreet.tables.tabular import Tabular
from discreet.transactions.vocabulary import Vocabulary, as_label, numbered
from discreet.wording import html_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.transactions.layout import Layout
    from discreet.transactions.read_record import ReadRecord

__all__ = ["Transactions", "check_rows"]


@dataclass(frozen=True, eq=False, repr=False)
class Transactions(Tabular):
    """Immutable rows of items, four bytes per item.

    A row may be empty, and still counts as a row. Build one with `discreet.read`, `from_rows`, `from_arrow`,
    `from_pandas` or `from_polars`.

    Attributes
    ----------
    itemsets : Itemsets
        The rows, as ascending integers that `vocabulary` names.
    vocabulary : Vocabulary
        The labels of the items.
    weights : array of int64 or None
        How many people each stored row stands for, after `fold`.
    ids : sequence of str or None
        The rows' own names, if the source has any.
    layout : Layout or None
        The format the rows were read from.
    read : ReadRecord or None
        How the rows were read: the file, its format, and what became of it.
    """

    itemsets: Itemsets
    vocabulary: Vocabulary
    weights: NDArray[np.int64] | None = None
    ids: Sequence[str] | None = field(default=None)
    layout: Layout | None = None
    read: ReadRecord | None = None

    def __post_init__(self) -> None:
        """Check what the kernel relies on, and freeze the arrays."""
        self.itemsets.check(len(self.vocabulary))
        self.itemsets.freeze()
        if self.weights is not None:
            self.weights.flags.writeable = False

    @classmethod
    def unchecked(
        cls,
        itemsets: Itemsets,
        vocabulary: Vocabulary,
        *,
        ids: Sequence[str] | None = None,
        layout: Layout | None = None,
    ) -> Transactions:
        """Build from itemsets that are known to be canonical, without checking them.

        Parameters
        ----------
        itemsets, vocabulary, ids, layout
            The attributes of the new object.

        Returns
        -------
        Transactions
            The rows.
        """
        self = cls.__new__(cls)
        fields = {"itemsets": itemsets, "vocabulary": vocabulary, "weights": None, "ids": ids, "layout": layout}
        for name, value in {**fields, "read": None}.items():
            object.__setattr__(self, name, value)
        itemsets.freeze()
        return self

    def with_record(self, record: ReadRecord) -> Transactions:
        """Return the same rows with how they were read.

        Parameters
        ----------
        record : ReadRecord
            How they were read.

        Returns
        -------
        Transactions
            The rows; nothing is copied.
        """
        same = copy(self)
        object.__setattr__(same, "read", record)
        return same

    @classmethod
    def from_rows(cls, rows: Iterable[Iterable[Hashable]], *, ids: Iterable[Hashable] | None = None) -> Transactions:
        """Build from Python rows of labels.

        Parameters
        ----------
        rows : iterable of iterables
            One iterable of labels per row. An int becomes its decimal text; a repeated label counts once.
        ids : iterable, optional
            One name per row.

        Returns
        -------
        Transactions
            The rows, in the same order.

        Raises
        ------
        DataError
            A label is not a str or an int, is empty, or the number of ids differs from the number of rows.

        Examples
        --------
        >>> import discreet
        >>> discreet.Transactions.from_rows([["a", "b"], ["b"], []])
        <Transactions: 3 rows, 2 items, longest 2, mean 1.0>
        """
        listed = [_labels_of(row, number) for number, row in enumerate(rows, start=1)]
        vocabulary = Vocabulary(chain.from_iterable(listed))
        position = vocabulary.positions
        codes = Itemsets.of([position[cell] for cell in row] for row in listed)
        return cls.from_codes(codes, vocabulary, ids=None if ids is None else [str(x) for x in ids])

    @classmethod
    def from_codes(
        cls,
        codes: Itemsets,
        labels: Vocabulary | Sequence[str],
        *,
        ids: Sequence[str] | None = None,
        layout: Layout | None = None,
    ) -> Transactions:
        """Build from rows of positions in `labels`, which may be unsorted and repeated.

        Parameters
        ----------
        codes : Itemsets
            The rows, as positions in `labels`.
        labels : Vocabulary or sequence of str
            Distinct texts in any order; unused labels stay in the vocabulary.
        ids : sequence of str, optional
            One name per row.
        layout : Layout, optional
            The format the rows were read from.

        Returns
        -------
        Transactions
            The rows, in the same order.

        Raises
        ------
        DataError
            Two labels are the same text.
        """
        vocabulary, renumber = numbered(labels)
        return cls(codes.canonical(renumber), vocabulary, ids=ids, layout=layout)

    @classmethod
    def from_arrow(cls, table: Any, **options: Any) -> Transactions:  # any Arrow producer
        """Build from an Arrow table, or any data frame with Arrow's PyCapsule interface.

        Parameters
        ----------
        table : Arrow table, pandas or polars DataFrame, ...
            Rows that are one-hot, long, a column of lists, or a table of values.
        **options
            `format`, `id_column`, `item_column`, `drop`, `bins`, `map` and `missing`, as for `discreet.read`.

        Returns
        -------
        Transactions
            The rows, in the same order.
        """
        from discreet.transactions.frame_rows import transactions_from_frame

        return transactions_from_frame(table, **options)

    from_pandas = from_arrow
    from_polars = from_arrow

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a column of lists, `items`, and `id` and `weight` if the rows have them."""
        from discreet.transactions.frame_rows import arrow_table

        return arrow_table(self)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each row begins in `items`, and where the last one ends."""
        return self.itemsets.offsets

    @property
    def items(self) -> NDArray[np.int32]:
        """The concatenated items of all rows."""
        return self.itemsets.items

    @cached_property
    def n(self) -> int:
        """The number of rows, each counted as often as it occurs."""
        return int(self.weights.sum()) if self.weights is not None else len(self)

    def __len__(self) -> int:
        """Return the number of stored rows (after `fold`, of distinct ones)."""
        return len(self.itemsets)

    def __iter__(self) -> Iterator[frozenset[str]]:
        """Yield the stored rows as sets of labels: for inspection, not for computation."""
        labels = self.vocabulary.labels
        for row in self.itemsets:
            yield frozenset(labels[item] for item in row.tolist())

    def __eq__(self, other: object) -> bool:
        """Return whether both contain the same rows in the same order, by label."""
        if not isinstance(other, Transactions):
            return NotImplemented
        return (
            self.vocabulary == other.vocabulary
            and self.itemsets == other.itemsets
            and _same(self.weights, other.weights)
        )

    __hash__ = None  # type: ignore[assignment]

    def fold(self) -> Transactions:
        """Return each distinct row once, in order of first occurrence, weighted by how often it occurs."""
        firsts, weights = _kernel.fold_rows(self.itemsets, self.weights)
        return Transactions(self.itemsets.select(firsts), self.vocabulary, weights)

    def select(self, chosen: NDArray[np.int64]) -> Transactions:
        """Return some of the stored rows, with their weights but without ids and layout.

        Parameters
        ----------
        chosen : array of int64
            Row numbers from 0, in the order wanted.

        Returns
        -------
        Transactions
            These rows.
        """
        weights = None if self.weights is None else self.weights[chosen]
        return Transactions(self.itemsets.select(chosen), self.vocabulary, weights)

    def by_content(self) -> Transactions:
        """Return the same rows without ids, by length, then by items: the order in which they came is not kept.

        Returns
        -------
        Transactions
            The rows, with their weights and layout.
        """
        order = self._order_of_content()
        weights = None if self.weights is None else self.weights[order]
        return replace(self, itemsets=self.itemsets.select(order), weights=weights, ids=None)

    @property
    def in_content_order(self) -> bool:
        """Whether the rows are in the order of `by_content`."""
        order = self._order_of_content()
        return np.array_equal(order, np.arange(len(order)))

    def _order_of_content(self) -> NDArray[np.int64]:
        """Return the rows' numbers by length, then by items; labels that no row has do not matter."""
        held = np.flatnonzero(self.item_supports())
        labels, renumber = numbered([self.vocabulary[item] for item in held.tolist()])
        numbers = np.full(len(self.vocabulary), -1, np.int32)
        numbers[held] = np.arange(len(labels)) if renumber is None else renumber
        return self.itemsets.renumbered(numbers).order()

    def unfold(self) -> Transactions:
        """Return every row as often as it occurs; rows that are not folded are returned unchanged."""
        if self.weights is None:
            return self
        places = np.repeat(np.arange(len(self)), self.weights)
        return Transactions(self.itemsets.select(places), self.vocabulary, layout=self.layout)

    def item_supports(self) -> NDArray[np.int64]:
        """Return the number of rows of each item in the vocabulary."""
        return _kernel.item_supports(self.itemsets, self.weights, len(self.vocabulary))

    def __repr__(self) -> str:
        longest = int(self.itemsets.lengths.max(initial=0))
        mean = len(self.items) / len(self) if len(self) else 0.0
        folded = f" ({len(self):,} distinct)" if self.weights is not None else ""
        counts = f"{self.n:,} rows{folded}, {len(self.vocabulary):,} items"
        return f"<Transactions: {counts}, longest {longest}, mean {mean:.1f}>"

    def _repr_html_(self) -> str:
        """Show the shape and the first rows in a notebook."""
        shown, widest = 5, 12
        labels = self.vocabulary.labels
        lines = []
        for row in range(min(shown, len(self))):
            codes = self.itemsets[row].tolist()
            more = " …" if len(codes) > widest else ""
            lines.append((str(row + 1), ", ".join(labels[code][:40] for code in codes[:widest]) + more))
        return html_table(("row", "items"), lines, above=repr(self)[1:-1])


def check_rows(rows: object, *, frames: bool = False) -> None:
    """Refuse anything but Transactions, and say how to build them; `frames` says that a data frame would do, too."""
    if not isinstance(rows, Transactions):
        raise ParameterError(
            f"rows must be Transactions{' or a data frame' if frames else ''}, got {type(rows).__name__}; make them "
            "with discreet.read or with Transactions.from_rows",
            parameter="rows",
        )


def _labels_of(row: Iterable[Hashable], number: int) -> list[str]:
    if not isinstance(row, Iterable):
        raise DataError(f"row {number:,} must be a list of labels, got {type(row).__name__}")
    return [as_label(cell) for cell in row]


def _same(one: NDArray[np.int64] | None, other: NDArray[np.int64] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)

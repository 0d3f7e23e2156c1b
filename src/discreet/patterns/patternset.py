"""A mined collection of itemsets with their supports, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.itemsets import Itemsets
from discreet.patterns.label_lists import blocks_of, label_array, label_list
from discreet.tables.tabular import library_of_frames
from discreet.thresholds import MinSupport, Support, whole_number
from discreet.transactions.vocabulary import Vocabulary, as_label, numbered
from discreet.wording import html_table

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.transactions.read_record import ReadRecord

__all__ = ["Collected", "PatternSet", "Target", "trimmed"]

Target = Literal["all", "closed", "maximal"]
"""Which frequent itemsets are mined: all, those without an equally frequent superset, or without any frequent one."""

Collected = Literal["all", "closed", "maximal", "selected"]
"""Which frequent itemsets a collection contains: as mined, or `selected`, where an unlisted itemset may be frequent."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PatternSet:
    """Immutable itemsets with exact supports, in canonical order: by length, then by their items.

    The empty itemset is never listed: its support is n. `discreet.mine` returns one; `from_itemsets` and `from_codes`
    build one from other sources.

    Attributes
    ----------
    itemsets : Itemsets
        The itemsets, as ascending integers that `vocabulary` names.
    supports : array of int64
        How many of the `n` rows hold each itemset.
    vocabulary : Vocabulary
        The labels of the items.
    n : int
        The number of rows.
    min_support : int
        The minimum support in rows.
    target : {"all", "closed", "maximal", "selected"}
        Which itemsets these are.
    max_length : int or None
        The most items that mining allowed; closed and maximal were decided before.
    read : ReadRecord or None
        How the rows that were mined were read, if they were read from anything; for the owner alone.
    """

    itemsets: Itemsets
    supports: NDArray[np.int64]
    vocabulary: Vocabulary
    n: int
    min_support: int
    target: Collected
    max_length: int | None = None
    read: ReadRecord | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check everything that the rest of the program relies on, and freeze the arrays."""
        self._freeze()
        _check_numbers(self)
        _check_arrays(self)

    def _freeze(self) -> None:
        itemsets = Itemsets(
            _whole_numbers("offsets", self.itemsets.offsets, np.int64),
            _whole_numbers("items", self.itemsets.items, np.int32),
        )
        itemsets.freeze()
        supports = _whole_numbers("supports", self.supports, np.int64)
        supports.flags.writeable = False
        object.__setattr__(self, "itemsets", itemsets)
        object.__setattr__(self, "supports", supports)

    @classmethod
    def unchecked(cls, **fields: Any) -> PatternSet:  # the fields above
        """Build from arrays that are known to be right, checking only what the kernel relies on.

        Parameters
        ----------
        **fields
            The attributes of the new object.

        Returns
        -------
        PatternSet
            The itemsets.

        Raises
        ------
        DataError
            An array is not of whole numbers.
        """
        self = cls.__new__(cls)
        for name, value in ({"max_length": None, "read": None} | fields).items():
            object.__setattr__(self, name, value)
        self._freeze()
        return self

    @classmethod
    def from_itemsets(
        cls,
        pairs: Iterable[tuple[Iterable[Hashable], int]],
        *,
        n: int,
        min_support: MinSupport,
        target: Collected = "all",
        max_length: int | None = None,
    ) -> PatternSet:
        """Build from Python pairs of labels and support.

        Parameters
        ----------
        pairs : iterable of (iterable, int)
            The labels of each itemset and its support, in any order; an int label becomes its decimal text.
        n : int
            The number of rows.
        min_support : int, str, float or Fraction
            The threshold they were mined with, as for `discreet.mine`.
        target : str, default "all"
            Which itemsets these are: "all", "closed", "maximal" or "selected".
        max_length : int, optional
            The most items that mining allowed.

        Returns
        -------
        PatternSet
            The itemsets in canonical order.

        Raises
        ------
        DataError
            An itemset is empty or listed twice, or a support does not fit n and `min_support`.
        ParameterError
            A parameter has an unusable value.

        Examples
        --------
        >>> import discreet
        >>> discreet.PatternSet.from_itemsets([(["b", "a"], 2), (["a"], 3)], n=4, min_support=2)
        <PatternSet: 2 itemsets (all), n 4, min_support 2>
        """
        listed = [([as_label(cell) for cell in labels], support) for labels, support in pairs]
        vocabulary = Vocabulary(chain.from_iterable(labels for labels, _ in listed))
        position = vocabulary.positions
        codes = Itemsets.of([position[cell] for cell in labels] for labels, _ in listed)
        supports = np.array([support for _, support in listed]) if listed else np.zeros(0, np.int64)
        return cls.from_codes(
            codes,
            supports,
            vocabulary,
            n=n,
            min_support=Support.parse(min_support).of(n),
            target=target,
            max_length=max_length,
        )

    @classmethod
    def from_codes(
        cls,
        codes: Itemsets,
        supports: NDArray[np.int64],
        labels: Vocabulary | Sequence[str],
        *,
        n: int,
        min_support: int,
        target: Collected,
        max_length: int | None = None,
        place: Callable[[int], str] = lambda row: f"itemset {row + 1}",
    ) -> PatternSet:
        """Build from sets of positions in `labels`, which may be unsorted.

        Parameters
        ----------
        codes : Itemsets
            The itemsets, as positions.
        supports : array of int64
            The support of each.
        labels : Vocabulary or sequence of str
            What the positions stand for.
        n, min_support, target, max_length
            The attributes of the new object.
        place : callable, optional
            Names an itemset, given its position, in errors.

        Returns
        -------
        PatternSet
            The itemsets in canonical order.
        """
        vocabulary, renumber = numbered(labels)
        itemsets, order = codes.in_order(renumber, place)
        return cls(
            itemsets=itemsets,
            supports=supports if order is None else supports[order],
            vocabulary=vocabulary,
            n=n,
            min_support=min_support,
            target=target,
            max_length=max_length,
        )

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each itemset begins in `items`, and where the last one ends."""
        return self.itemsets.offsets

    @property
    def items(self) -> NDArray[np.int32]:
        """The concatenated items of all itemsets."""
        return self.itemsets.items

    def __len__(self) -> int:
        """Return the number of itemsets."""
        return len(self.supports)

    def __iter__(self) -> Iterator[tuple[frozenset[str], int]]:
        """Yield each itemset as a set of labels, with its support: for inspection, not for computation."""
        names = self.itemsets.labels(self.vocabulary.labels)
        for itemset, support in zip(names, self.supports.tolist(), strict=True):
            yield frozenset(itemset), support

    def support_of(self, labels: Iterable[Hashable]) -> int | None:
        """Return the support of one itemset.

        Parameters
        ----------
        labels : iterable
            Its labels; none for the empty itemset, whose support is n.

        Returns
        -------
        int or None
            The support, or None if the itemset is not listed.

        Examples
        --------
        >>> import discreet
        >>> found = discreet.PatternSet.from_itemsets([(["b", "a"], 2), (["a"], 3)], n=4, min_support=2)
        >>> found.support_of(["a", "b"])
        2
        """
        known = [self.vocabulary.item(label) for label in {as_label(cell) for cell in labels}]
        wanted = sorted(item for item in known if item is not None)
        if len(wanted) < len(known):
            return None
        if not wanted:
            return self.n
        first, last = np.searchsorted(self._lengths, [len(wanted), len(wanted) + 1]).tolist()
        matrix = self.items[self.offsets[first] : self.offsets[last]].reshape(last - first, len(wanted))
        low, high = 0, len(matrix)
        for column, item in enumerate(wanted):  # the sets that agree so far are adjacent
            low, high = low + np.searchsorted(matrix[low:high, column], [item, item + 1])
        return int(self.supports[first + low]) if low < high else None

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        return self.itemsets.lengths

    def __eq__(self, other: object) -> bool:
        """Return whether both contain the same itemsets, by label, with the same supports and thresholds."""
        if not isinstance(other, PatternSet):
            return NotImplemented
        if (len(self), self.n, self.min_support, self.target, self.max_length) != (
            len(other),
            other.n,
            other.min_support,
            other.target,
            other.max_length,
        ):
            return False
        one, two = (self, other) if self.vocabulary == other.vocabulary else (trimmed(self), trimmed(other))
        return (
            one.vocabulary == two.vocabulary
            and one.itemsets == two.itemsets
            and np.array_equal(one.supports, two.supports)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_arrow(self) -> pa.Table:
        """Return a table of `items` (list of strings) and `support` (a count)."""
        import pyarrow as pa

        schema = pa.schema([("items", pa.list_(pa.string())), ("support", pa.int64())])
        labels = label_array(self.vocabulary.labels)
        batches = []
        for rows in blocks_of(self.offsets, labels):
            lists = label_list(self.itemsets, labels, rows)
            batches.append(pa.record_batch([lists, pa.array(self.supports[rows])], schema=schema))
        return pa.Table.from_batches(batches, schema)

    def to_pandas(self) -> pd.DataFrame:
        """Return mlxtend's columns, `support` (a share) and `itemsets` (frozensets), and the exact `count`."""
        itemsets = np.empty(len(self), object)
        itemsets[:] = [labels for labels, _ in self]
        columns = {"support": self.supports / max(self.n, 1), "itemsets": itemsets, "count": self.supports.copy()}
        frame: pd.DataFrame = library_of_frames("pandas").DataFrame(columns)
        return frame

    def to_polars(self) -> pl.DataFrame:
        """Return a frame of `items` (list of strings) and `support` (a count)."""
        frame: pl.DataFrame = library_of_frames("polars").DataFrame(self.to_arrow())
        return frame

    def to_dict(self) -> JsonObject:
        """Return the JSON form as Python objects."""
        itemsets: list[JsonObject] = [{"items": labels, "support": support} for labels, support in self.listed()]
        return self.heading() | {"itemsets": itemsets}

    def listed(self) -> Iterator[tuple[list[str], int]]:
        """Yield the itemsets in order.

        Returns
        -------
        iterator of tuple
            The labels and the support of each.
        """
        labels = self.itemsets.labels(self.vocabulary.labels)
        return zip(labels, self.supports.tolist(), strict=True)

    def heading(self) -> JsonObject:
        """Return the fields of the JSON form that precede the itemsets; `max_length` only if there is a cap."""
        cap = {} if self.max_length is None else {"max_length": self.max_length}
        return {"n": self.n, "min_support": self.min_support, "target": self.target, **cap, "count": len(self)}

    def __repr__(self) -> str:
        cap = "" if self.max_length is None else f", max_length {self.max_length}"
        return (
            f"<PatternSet: {len(self):,} itemsets ({self.target}), n {self.n:,}, min_support {self.min_support:,}{cap}>"
        )

    def _repr_html_(self) -> str:
        """Show the size and the first itemsets in a notebook."""
        shown, widest = 10, 12
        labels = self.vocabulary.labels
        lines = []
        for row in range(min(shown, len(self))):
            codes = self.itemsets[row].tolist()
            more = " …" if len(codes) > widest else ""
            lines.append((", ".join(labels[code][:40] for code in codes[:widest]) + more, f"{self.supports[row]:,}"))
        return html_table(("items", "support"), lines, above=repr(self)[1:-1])


def _whole_numbers(name: str, numbers: NDArray[np.integer], kind: type[np.integer]) -> NDArray[Any]:
    array = np.ascontiguousarray(numbers)
    if array.dtype.kind not in "iu" and array.size:
        raise DataError(f"{name} must be whole numbers, got {array.dtype}; convert them first")
    return array.astype(kind, copy=False)


def _check_numbers(patterns: PatternSet) -> None:
    for name, least in (("n", 0), ("min_support", 1), ("max_length", 1)):
        value = getattr(patterns, name)
        if value is None and name == "max_length":
            continue
        expected = f"an int of at least {least}"
        object.__setattr__(patterns, name, whole_number(value, parameter=name, least=least, expected=expected))
    if patterns.target not in get_args(Collected):
        raise ParameterError(
            f"{param('target')} must be all, closed, maximal or selected, got {patterns.target!r}; say which itemsets "
            "these are",
            parameter="target",
        )


def _check_arrays(patterns: PatternSet) -> None:
    itemsets, supports = patterns.itemsets, patterns.supports
    offsets, items = itemsets.offsets, itemsets.items
    if offsets.ndim != 1 or items.ndim != 1 or supports.shape != (max(len(offsets) - 1, 0),):
        raise DataError("offsets, items and supports do not belong together; give one support per itemset")
    try:
        itemsets.check(len(patterns.vocabulary))
    except ValueError as error:
        raise DataError(f"the itemsets' arrays are inconsistent: {error}") from error
    lengths = itemsets.lengths
    if len(lengths) and lengths.min() == 0:
        raise DataError("the empty itemset is listed; leave it out, its support is n")
    if patterns.max_length is not None and lengths.max(initial=0) > patterns.max_length:
        raise DataError(
            f"an itemset is longer than {param('max_length')}, {patterns.max_length}; raise the cap or drop the itemset"
        )
    wrong = itemsets.first_out_of_order()
    if wrong is not None:
        raise DataError(
            f"itemset {wrong + 1} does not come after the one before it; "
            "list every itemset once, by length and then by items, or use from_codes"
        )
    outside = np.flatnonzero((supports < patterns.min_support) | (supports > patterns.n))
    if len(outside):
        raise DataError(
            f"the support of itemset {int(outside[0]) + 1} is not between {param('min_support')}, "
            f"{patterns.min_support}, and n, {patterns.n}; correct it or the thresholds"
        )


def trimmed(patterns: PatternSet) -> PatternSet:
    """Return the same itemsets over only the labels that occur in them, as in a file."""
    used = np.unique(patterns.items)
    codes = np.searchsorted(used, patterns.items).astype(np.int32)
    return PatternSet.from_codes(
        Itemsets(patterns.offsets, codes),
        patterns.supports,
        [patterns.vocabulary[item] for item in used.tolist()],
        n=patterns.n,
        min_support=patterns.min_support,
        target=patterns.target,
        max_length=patterns.max_length,
    )

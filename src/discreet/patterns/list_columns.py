"""Turn columns of itemsets of any type into sets of label numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError, param
from discreet.itemsets import Itemsets
from discreet.patterns.imported_patterns import Claims, given_patterns, given_rules
from discreet.patterns.list_cells import EXPECTED, cut_at, cut_cells, dialect_of
from discreet.patterns.printed_numbers import confidences, supports, whole_numbers
from discreet.transactions.vocabulary import as_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules, Origin
    from discreet.patterns.list_cells import Dialect
    from discreet.patterns.printed_numbers import Supports
    from discreet.tables.table import RawColumn, Table
    from discreet.thresholds import MinSupport

__all__ = ["Columns", "LabelNumbers", "ListColumn", "read_columns"]

_FEW_FORMS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns read from a table: itemset columns as sets of label numbers, number columns in their original form.

    `place` names a row in errors; `dialect` is that of the first itemset column, if it was text.
    """

    place: Callable[[int], str]
    lists: dict[str, Itemsets]
    labels: list[str]
    numbers: dict[str, list[RawColumn]]
    dialect: Dialect | None = None

    def supports(
        self,
        n: int | None,
        *,
        counts: str = "count",
        shares: str = "support",
        always_shares: bool = False,
        or_least_n: bool = False,
    ) -> Supports:
        """Return exact supports, n if it is known, and their common factor; see `printed_numbers.supports`."""
        how = {"always_shares": always_shares, "or_least_n": or_least_n}
        return supports(self.numbers, n, self.place, counts=counts, shares=shares, **how)

    def counts(self, column: str) -> NDArray[np.int64]:
        """Return a column of counts."""
        return whole_numbers(self.numbers[column], column.replace("_", " "), self.place)

    def patterns(
        self,
        found: Supports,
        *,
        origin: Origin,
        min_support: MinSupport | None,
        claims: Claims | None = None,
    ) -> ImportedPatterns:
        """Turn the one itemset column into patterns."""
        (itemsets,) = self.lists.values()
        return given_patterns(
            itemsets,
            self.labels,
            found.counts,
            origin=origin,
            place=self.place,
            claims=claims or Claims(),
            n=found.n,
            min_support=min_support,
            factor=found.factor,
            n_is_least=found.n_is_least,
        )

    def rules(
        self,
        counts: NDArray[np.int64],
        *,
        origin: Origin,
        n: int | None,
        antecedent_supports: NDArray[np.int64] | None = None,
        consequent_supports: NDArray[np.int64] | None = None,
        confidence: str = "confidence",
        factor: int | None = None,
    ) -> ImportedRules:
        """Turn the two itemset columns and the column of confidences into rules."""
        antecedents, consequents = self.lists.values()
        return given_rules(
            antecedents,
            consequents,
            self.labels,
            counts,
            confidences(self.numbers[confidence], self.place),
            origin=origin,
            place=self.place,
            n=n,
            antecedent_supports=antecedent_supports,
            consequent_supports=consequent_supports,
            factor=factor,
        )


def read_columns(
    table: Table,
    lists: tuple[str, ...],
    numbers: tuple[str, ...],
    *,
    dialects: tuple[Dialect, ...],
    separator: str | None = None,
) -> Columns:
    """Read the named columns of a table; text cells are in one of the dialects, or their labels between separators.

    Number columns may be missing.
    """
    shared = LabelNumbers()
    among: tuple[Dialect, ...] = ("json",) if table.container == "json" else dialects
    readers = {name: ListColumn(shared, table.place, among, separator) for name in lists}
    chunks: dict[str, list[RawColumn]] = {name: [] for name in numbers if name in table.columns}
    index = {name: table.columns.index(name) for name in (*lists, *chunks)}
    for batch in table.batches:
        for name, reader in readers.items():
            reader.add(batch.values(index[name]))
        for name, parts in chunks.items():
            parts.append(batch.values(index[name]))
    dialect = next((reader.dialect for reader in readers.values()), None)
    return Columns(
        place=table.place,
        lists={name: reader.lists() for name, reader in readers.items()},
        labels=shared.labels,
        numbers=chunks,
        dialect=dialect,
    )


class LabelNumbers:
    """Labels in order of first appearance, and their numbers: shared by the columns of one table."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def labels(self) -> list[str]:
        """All labels seen so far."""
        return list(self._numbers)

    def of(self, labels: Iterable[str]) -> NDArray[np.int32]:
        """Return the labels' numbers; new labels get new numbers."""
        numbers = self._numbers
        known = len(numbers)
        result = np.fromiter((numbers.setdefault(label, len(numbers)) for label in labels), np.int32)
        for label in islice(numbers, known, None):
            if not label.isascii() and any("\ud800" <= character <= "\udfff" for character in label):
                raise DataError("a label holds half of a surrogate pair; write it as proper Unicode text")
        return result


class ListColumn:
    """One column of itemsets, read batch by batch."""

    def __init__(
        self,
        numbers: LabelNumbers,
        place: Callable[[int], str],
        dialects: tuple[Dialect, ...] = ("json",),
        separator: str | None = None,
    ) -> None:
        """Share `numbers` with other columns; `place` names a row in errors; text cells are in one of the dialects."""
        self._separator = separator
        self._numbers = numbers
        self._place = place
        self._dialects = dialects
        self.dialect: Dialect | None = None
        self._rows = 0
        self._lengths: list[NDArray[np.int64]] = []
        self._codes: list[NDArray[np.int32]] = []

    def add(self, column: RawColumn) -> None:
        """Add one batch: an Arrow column of lists or of text cells, or Python sets, lists or texts."""
        if isinstance(column, list):
            if any(isinstance(cell, str) for cell in column):
                self._add_cells(_text_array(column, self._row))
            else:
                self._add_python(column)
        else:
            self._add_arrow(column)

    def lists(self) -> Itemsets:
        """Return the codes of all sets read."""
        lengths = np.concatenate([np.zeros(0, np.int64), *self._lengths])
        return Itemsets.from_lengths(lengths, np.concatenate([np.zeros(0, np.int32), *self._codes]))

    def _row(self, row: int) -> str:
        return self._place(self._rows + row)

    def _take(self, lengths: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        self._lengths.append(lengths)
        self._codes.append(codes)
        self._rows += len(lengths)

    def _add_arrow(self, column: pa.Array) -> None:
        import pyarrow as pa

        kind = column.type
        if pa.types.is_dictionary(kind):
            column, kind = column.dictionary_decode(), kind.value_type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
            self._add_cells(column.cast(pa.string()))
        elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
            self._add_lists(column, lambda label: label)
        elif not pa.types.is_null(kind) or len(column):
            raise DataError(f"{self._row(0)}: expected a list of labels, found the type {kind}")

    def _add_cells(self, cells: pa.StringArray) -> None:
        if cells.null_count:
            self._refuse_gap(cells)
        if not len(cells):
            return
        if self._separator is not None:
            self._add_lists(cut_at(cells, self._separator, self._row), lambda label: label)
            return
        if self.dialect is None:
            self.dialect = dialect_of(cells[0].as_py(), self._dialects)
        if self.dialect is None:
            few = self._dialects if len(self._dialects) <= _FEW_FORMS else self._dialects[:1]
            forms = ", or ".join(EXPECTED[dialect] for dialect in few)
            way_on = f"or say with {param('item_separator')} what stands between labels"
            raise DataError(f"{self._row(0)}: expected {forms}; {way_on}")
        cut = cut_cells(cells, self.dialect, self._row)
        if isinstance(cut, list):
            self._add_python(cut)
        else:
            self._add_lists(*cut)

    def _refuse_gap(self, column: pa.Array) -> None:
        gap = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise DataError(f"{self._row(gap)}: the itemset is missing; leave the row out or complete it")

    def _add_lists(self, column: pa.Array, label_of: Callable[[str], str]) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        if column.null_count:
            self._refuse_gap(column)
        lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False).astype(np.int64)
        values = column.flatten()
        if values.null_count:
            at = int(np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))[0])
            row = int(np.searchsorted(np.cumsum(lengths), at, side="right"))
            raise DataError(f"{self._row(row)}: a label is missing in the itemset; complete it")
        if not pa.types.is_dictionary(values.type):
            if pa.types.is_integer(values.type) or pa.types.is_string_view(values.type):
                values = values.cast(pa.string())
            elif not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)) and len(values):
                raise DataError(f"{self._row(0)}: expected labels that are text, found the type {values.type}")
            values = values.dictionary_encode()
        distinct = [as_label(label) for label in values.dictionary.to_pylist()]
        numbers = self._numbers.of(label_of(label) for label in distinct)
        codes = values.indices.to_numpy(zero_copy_only=False)
        self._take(lengths, numbers[codes] if len(codes) else np.zeros(0, np.int32))

    def _add_python(self, rows: list[Any]) -> None:
        """Add Python sets or lists of labels; each distinct label is converted to text once."""
        try:
            lengths = np.fromiter(map(len, rows), np.int64, count=len(rows))
            seen: dict[Any, int] = {}
            cells = chain.from_iterable(rows)
            codes = np.fromiter(
                (seen.setdefault(cell, len(seen)) for cell in cells), np.int32, count=int(lengths.sum())
            )
        except (TypeError, ValueError):
            raise DataError(f"{self._place(self._wrong_row(rows))}: expected a set or list of labels") from None

        def refusal(code: int, why: object) -> DataError:
            row = np.searchsorted(np.cumsum(lengths), np.flatnonzero(codes == code)[0], side="right")
            return DataError(f"{self._row(int(row))}: {why}")

        texts: dict[str, int] = {}
        for code, cell in enumerate(seen):
            try:
                label = as_label(cell)
            except DataError as error:
                raise refusal(code, error) from None
            except ValueError:
                why = "a label is a number with thousands of digits; convert it to text first"  # Python refuses too
                raise refusal(code, why) from None
            if texts.setdefault(label, code) != code:
                raise refusal(code, "a number and a text are the same label; convert all labels to text first")
        numbers = self._numbers.of(texts)
        self._take(lengths, numbers[codes] if len(codes) else codes)

    def _wrong_row(self, rows: list[Any]) -> int:
        for row, labels in enumerate(rows):
            try:
                len({*labels})
            except TypeError:
                return self._rows + row
        return self._rows


def _text_array(column: list[Any], place: Callable[[int], str]) -> pa.StringArray:
    import pyarrow as pa

    for row, cell in enumerate(column):
        if not isinstance(cell, str):
            raise DataError(f"{place(row)}: the itemset is missing or no text; complete it")
    try:
        return pa.array(column, pa.string())
    except UnicodeEncodeError:
        raise DataError("a label holds half of a surrogate pair; write it as proper Unicode text") from None

"""Query how many rows match a Boolean expression, and which: in rows, or in published patterns alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from discreet.errors import ParameterError, param
from discreet.patterns.derived_support import derive_support
from discreet.patterns.expression import And, Item, Not, Or, labels_in, truth, with_values
from discreet.patterns.expression_parser import parse_expression
from discreet.patterns.imported_patterns import ImportedPatterns
from discreet.patterns.patternset import PatternSet
from discreet.tables.arrow_arrays import arrow_numbers
from discreet.tables.frames import is_frame
from discreet.tables.tabular import Tabular
from discreet.transactions.frame_rows import rows_given
from discreet.transactions.label_names import NamedLabel, columns_of, resolve
from discreet.transactions.transactions import Transactions
from discreet.wording import html_table, itemset_text, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.patterns.derived_support import DerivedSupport
    from discreet.patterns.expression import Expression
    from discreet.patterns.patternset import Target
    from discreet.transactions.layout import Layout
    from discreet.transactions.read_record import ReadRecord
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["QueryResult", "RowIndex", "query"]

_MOST_ROWS = 1 << 18
_MOST_CELLS = 1 << 24
"""Cells (rows times labels) per block: tens of megabytes, however many rows there are."""


@runtime_checkable
class RowIndex(Protocol):
    """Anything that finds rows without scanning them, such as an inverted file."""

    @property
    def n(self) -> int:
        """The number of rows."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The labels that the rows may contain."""

    @property
    def layout(self) -> Layout | None:
        """How the rows were laid out in their file, if they had one."""

    def matching_rows(self, expression: Expression) -> NDArray[np.int64]:
        """Return the positions, from 0, of the rows that match an expression."""


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryResult(Tabular):
    """How many rows match an expression.

    Attributes
    ----------
    expression : Expression
        The expression, parsed.
    count : int
        How many rows match; a folded row counts as often as it occurs.
    n : int or None
        The number of rows; None if patterns do not say it.
    rows : array of int64 or None
        The positions of the matching rows, counted from 1 (among the stored rows, if they are folded); None if only
        patterns were queried.
    sum : DerivedSupport or None
        How the count follows from the supports of patterns.
    read : ReadRecord or None
        How the rows were read, if they were read from anything.
    """

    expression: Expression
    count: int
    n: int | None
    rows: NDArray[np.int64] | None = None
    sum: DerivedSupport | None = None
    read: ReadRecord | None = None

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {"count": self.count, "rows": None if self.rows is None else self.rows.tolist()}

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table: the number of each matching `row`, or, from patterns, the terms of the sum.

        A term has the columns `times`, `items` and `support`.
        """
        import pyarrow as pa

        if self.rows is not None:
            return pa.table({"row": arrow_numbers(self.rows)})
        terms = [] if self.sum is None else list(self.sum.terms())
        columns = {
            "times": pa.array([times for times, _, _ in terms], pa.int64()),
            "items": pa.array([list(labels) for _, labels, _ in terms], pa.list_(pa.string())),
            "support": pa.array([support for _, _, support in terms], pa.int64()),
        }
        return pa.table(columns)

    def __repr__(self) -> str:
        of = "" if self.n is None else f" of {self.n:,}"
        return f"<QueryResult: {self.count:,}{of} rows match {self.expression}>"

    def _repr_html_(self) -> str:
        """Show the count, and how it follows from patterns, in a notebook."""
        terms = [] if self.sum is None else list(self.sum.terms())
        rows = [(f"{times:+d}", itemset_text(labels) or "n", number(support)) for times, labels, support in terms]
        return html_table(("times", "support of", ""), rows, above=repr(self)[1:-1])


def query(
    source: Transactions | RowIndex | PatternSet | ImportedPatterns | Any,  # any data frame of rows
    expression: str | Expression,
    *,
    target: Target | None = None,
    ignore_unknown: bool = False,
) -> QueryResult:
    """Return how many rows match an expression, and which.

    Parameters
    ----------
    source : Transactions, InvertedFile, PatternSet, ImportedPatterns or data frame
        Rows, an index of them, or patterns; from patterns the count is derived from their supports alone. A frame
        holds rows: one-hot columns, or one column of lists.
    expression : str
        Labels with AND, OR, NOT and parentheses; a column's name matches the rows that have any of its values.
    target : {"all", "closed", "maximal"}, optional
        Which itemsets the patterns are, if they do not say so.
    ignore_unknown : bool, default False
        Accept labels that are neither an item nor a column of the rows.

    Returns
    -------
    QueryResult
        The count, and the rows if `source` has rows.

    Raises
    ------
    ParameterError
        The expression cannot be parsed or names an unknown label, or the supports do not determine the count.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows(["ab", "b", "bc", ""])
    >>> discreet.query(rows, "b AND NOT (a OR c)").to_dict()
    {'count': 1, 'rows': [2]}
    """
    parsed = parse_expression(expression) if isinstance(expression, str) else expression
    if not isinstance(parsed, (Item, Not, And, Or)):
        raise ParameterError(
            f"{param('expression')} must be text such as 'a AND NOT b', got {type(parsed).__name__}",
            parameter="expression",
        )
    source = _asked(source)
    if isinstance(source, (Transactions, RowIndex)):
        if target is not None:
            raise ParameterError(
                f"{param('target')} says which itemsets patterns are; leave it out for rows", parameter="target"
            )
        named = [NamedLabel(label, "the query") for label in labels_in(parsed)]
        values = resolve(
            named,
            source.vocabulary.labels,
            parameter="expression",
            known=columns_of(source),
            ignore_unknown=ignore_unknown,
        )
        wanted = with_values(parsed, values)
        if not isinstance(source, Transactions):
            matching = source.matching_rows(wanted)
            return QueryResult(expression=parsed, count=len(matching), n=source.n, rows=matching + 1)
        matching = _matching_rows(wanted, source)
        count = len(matching) if source.weights is None else int(source.weights[matching].sum())
        return QueryResult(expression=parsed, count=count, n=source.n, rows=matching + 1, read=source.read)
    if ignore_unknown:
        raise ParameterError(
            f"{param('ignore_unknown')} is for rows; patterns leave out what few rows hold, which is not what none "
            "hold",
            parameter="ignore_unknown",
        )
    derived = derive_support(parsed, source, target=target)
    return QueryResult(expression=parsed, count=derived.count, n=derived.n, sum=derived)


def _asked(source: Any) -> Transactions | RowIndex | PatternSet | ImportedPatterns:
    """Return what is asked: a data frame as its rows, everything else that can be asked as it is."""
    if isinstance(source, (Transactions, RowIndex, PatternSet, ImportedPatterns)):
        return source
    if not is_frame(source):
        raise ParameterError(
            f"{param('source')} must be rows, an index of them, patterns or a data frame of rows, got "
            f"{type(source).__name__}; read a file with discreet.read or discreet.read_patterns",
            parameter="source",
        )
    return rows_given(source)


def _matching_rows(expression: Expression, rows: Transactions) -> NDArray[np.int64]:
    """Return the positions, from 0, of the stored rows that match; an unknown label matches no row."""
    labels = list(dict.fromkeys(labels_in(expression)))
    column_of = np.full(len(rows.vocabulary), -1, np.int32)
    for column, label in enumerate(labels):
        item = rows.vocabulary.item(label)
        if item is not None:
            column_of[item] = column
    blocks = [
        first + np.flatnonzero(truth(expression, dict(zip(labels, held, strict=True))))
        for first, held in _held(rows, column_of, len(labels))
    ]
    return np.concatenate([np.zeros(0, np.int64), *blocks])


def _held(rows: Transactions, column_of: NDArray[np.int32], columns: int) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield, one block of rows at a time, its first row and which of its rows contain each label."""
    block = max(1, min(_MOST_ROWS, _MOST_CELLS // columns))
    for first in range(0, len(rows), block):
        ends = rows.offsets[first : first + block + 1]
        columns_of_items = column_of[rows.items[ends[0] : ends[-1]]]
        places = np.flatnonzero(columns_of_items >= 0)
        held = np.zeros((columns, len(ends) - 1), bool)
        held[columns_of_items[places], np.searchsorted(ends, places + ends[0], side="right") - 1] = True
        yield first, held

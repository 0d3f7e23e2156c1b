"""Make a table k-anonymous by generalizing columns: the approach that atzori2008 argues against.

A table is k-anonymous if every combination of quasi-identifiers in it is shared by at least k rows. Patterns mined from
such a table single out nobody by these columns, but they say less: see section 8.3 of atzori2008. `discreet audit` and
`block` are the other approach, which leaves the rows alone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from discreet.errors import DataError, ParameterError, param
from discreet.microdata.column_hierarchy import read_hierarchies
from discreet.microdata.datafly import datafly
from discreet.microdata.generalize import generalized_rows
from discreet.microdata.incognito import minimal_generalizations
from discreet.microdata.quasi_table import quasi_table, roll_up, table_columns
from discreet.tables.arrow_arrays import arrow_numbers, arrow_texts
from discreet.tables.table import NULL
from discreet.tables.tabular import Tabular
from discreet.tables.writers import Cells
from discreet.thresholds import K, one_of, whole_number
from discreet.transactions.column_profile import refuse_identifiers
from discreet.transactions.identifying import refuse_identifying
from discreet.transactions.layout import Layout
from discreet.transactions.reading import read
from discreet.transactions.shapes.row_columns import written_columns
from discreet.transactions.transactions import Transactions
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from discreet.json_types import JsonObject
    from discreet.microdata.column_hierarchy import Hierarchies
    from discreet.microdata.quasi_table import QuasiTable
    from discreet.transactions.shapes.cell_rules import Names

__all__ = ["AnonymousTable", "kanon", "table_rows"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnonymousTable(Tabular):
    """A k-anonymous table, and how it was made.

    Attributes
    ----------
    method : {"datafly", "incognito"}
        How the generalization was found.
    k : int
        The least size of a group.
    generalization : mapping of str to int
        The level of each quasi-identifier, 0 if it is unchanged.
    heights : mapping of str to int
        The highest level of each quasi-identifier.
    suppressed_rows : int
        How many rows were left out.
    alternatives : tuple of mappings
        All minimal generalizations, including the one used; empty with Datafly.
    rows : Transactions
        The table's rows as items `column=value`, generalized, without suppressed rows and without ids.
    """

    method: str
    k: int
    generalization: Mapping[str, int]
    heights: Mapping[str, int]
    suppressed_rows: int
    alternatives: tuple[Mapping[str, int], ...]
    rows: Transactions

    def to_dict(self) -> JsonObject:
        """Return the JSON document of `discreet kanon`."""
        return {
            "verdict": "k-anonymous",
            "method": self.method,
            "k": self.k,
            "generalization": dict(self.generalization),
            "suppressed_rows": self.suppressed_rows,
            "alternatives": [dict(each) for each in self.alternatives],
        }

    def to_arrow(self) -> pa.Table:
        """Return the table as an Arrow table of texts, with null for missing cells."""
        return _arrow_columns(self.rows)

    def __repr__(self) -> str:
        left_out = f"{counted(self.suppressed_rows, 'row')} left out"
        return f"<AnonymousTable: {counted(self.rows.n, 'row')}, {self.k}-anonymous by {self.method}; {left_out}>"


def kanon(
    table: Any,  # Transactions, a path or any data frame
    *,
    k: int,
    quasi_identifiers: Names,
    hierarchies: Hierarchies | None = None,
    method: Literal["datafly", "incognito"] = "datafly",
    suppress: int | None = None,
    take: int = 1,
    keep_order: bool = False,
    ignore_unknown: bool = False,
    allow_identifiers: Names | None = None,
) -> AnonymousTable:
    """Make a table k-anonymous by generalizing its quasi-identifiers, each to one level of its hierarchy.

    Parameters
    ----------
    table : Transactions, path or data frame
        The table.
    k : int
        The least size of a group of rows with the same quasi-identifiers, at least 2.
    quasi_identifiers : names
        The columns that may identify a person.
    hierarchies : path or mapping, optional
        A folder with a file for each quasi-identifier (`age.csv` for `age`, in ARX's form: `34;30-39;*`), or the lines
        of each: `{"age": [["34", "30-39", "*"], …]}`. Without one, a value can only become `*`.
    method : {"datafly", "incognito"}
        Datafly finds one generalization; Incognito finds all minimal ones.
    suppress : int, optional
        How many rows in groups smaller than k may be left out; by default k with "datafly", none with "incognito".
    take : int, default 1
        Which of Incognito's generalizations to use. They are ordered by the sum of their levels; ties go to the one
        that leaves the first column lowest, then the second, and so on.
    keep_order : bool, default False
        Keep the rows in their order, which can tell what they hide: in a sorted file, neighbours have things in
        common. By default the order follows from what the rows hold.
    ignore_unknown : bool, default False
        Skip quasi-identifiers that are not columns of the table.
    allow_identifiers : names, optional
        Columns of a table to publish although they are different in nearly every row and no measure: names, numbers
        of people, mail addresses. Without it they are refused.

    Returns
    -------
    AnonymousTable
        The table, and how it was generalized.

    Raises
    ------
    ParameterError
        A parameter has an unusable value.
    DataError
        A hierarchy or the table cannot be used, or the table cannot be made k-anonymous within `suppress`.

    Examples
    --------
    >>> import discreet
    >>> table = discreet.Transactions.from_rows([["age=34"]] * 3 + [["age=35"]] * 2)
    >>> done = discreet.kanon(table, k=3, quasi_identifiers=["age"], suppress=0)
    >>> done.generalization, sorted(done.rows.vocabulary)
    ({'age': 1}, ['age=*'])
    """
    k = K.parse(k)
    _check_method(method, take)
    limit = _limit(suppress, method, k)
    rows = table_rows(table)
    columns = table_columns(rows, quasi_identifiers, ignore_unknown=ignore_unknown)
    refuse_identifiers(rows, allow_identifiers, others=columns)
    ladders = read_hierarchies(hierarchies, columns)
    quasi = quasi_table(rows, columns, ladders)
    if quasi.rows < k:
        raise ParameterError(
            f"{param('k')} is {k:,}, but there are {quasi.rows:,} rows: no group can have that many", parameter="k"
        )
    limit = min(limit, quasi.rows - k)  # at least one group stays
    minimal: tuple[tuple[int, ...], ...] = ()
    if method == "incognito":
        minimal = minimal_generalizations(quasi, k=k, limit=limit)
        if minimal and take > len(minimal):
            raise ParameterError(
                f"{param('take')} must be at most {len(minimal):,}, as many as there are minimal generalizations, got "
                f"{take:,}",
                parameter="take",
            )
        chosen = minimal[take - 1] if minimal else None
    else:
        chosen = datafly(quasi, k=k, limit=limit)
    if chosen is None:
        raise _hopeless(quasi, k, limit)
    kept = quasi.rows_in_groups_of(k, chosen)
    made = generalized_rows(rows, quasi, chosen, kept)
    refuse_identifying(made, "the anonymous table", rows)
    return AnonymousTable(
        method=method,
        k=k,
        generalization=dict(zip(columns, chosen, strict=True)),
        heights=dict(zip(columns, quasi.heights, strict=True)),
        suppressed_rows=int(quasi.weights[~kept].sum()),
        alternatives=tuple(dict(zip(columns, levels, strict=True)) for levels in minimal),
        rows=made if keep_order else made.by_content(),
    )


def _check_method(method: object, take: object) -> None:
    one_of(method, ("datafly", "incognito"), parameter="method")
    whole_number(take, parameter="take")
    if method == "datafly" and take != 1:
        raise ParameterError(f"{param('take')} is for incognito; datafly finds one generalization", parameter="take")


def _limit(suppress: object, method: str, k: int) -> int:
    if suppress is None:
        return k if method == "datafly" else 0
    return whole_number(suppress, parameter="suppress", least=0, expected="a whole number of rows, 0 or more")


def table_rows(table: Any) -> Transactions:
    """Return a table's rows, from rows, a path or a data frame."""
    if isinstance(table, Transactions):
        return table
    if isinstance(table, (str, os.PathLike)):
        return read(table, format="table")
    return Transactions.from_arrow(table, format="table")


def _hopeless(quasi: QuasiTable, k: int, limit: int) -> DataError:
    """Return an error that says how far the top levels are from k-anonymity."""
    heights = quasi.heights
    top = roll_up(quasi.groups(), quasi.ladders, [0] * len(heights), heights)
    outliers = top.rows_below(k)
    allowed = f", or allow {param('suppress', outliers)}" if outliers <= quasi.rows - k else ""
    return DataError(
        f"even at the top of every hierarchy {outliers:,} rows are in groups of fewer than {k:,}, where {limit:,} may "
        f"be suppressed; let every hierarchy end in one value for all (*){allowed}, or lower {param('k')}"
    )


def _arrow_columns(rows: Transactions) -> pa.Table:
    """Return an Arrow table with the columns of the rows' layout, as texts; null for a missing cell."""
    import pyarrow as pa

    written = written_columns(rows, rows.layout or Layout(shape="table", container="parquet"))
    batches = [
        [
            arrow_texts(cells.texts).take(arrow_numbers(cells.codes, null=NULL)).cast(pa.string())
            for cells in columns
            if isinstance(cells, Cells)
        ]
        for columns in written.slices
    ]
    return pa.table(
        {name: pa.chunked_array([batch[at] for batch in batches], pa.string()) for at, name in enumerate(written.names)}
    )

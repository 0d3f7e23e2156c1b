"""The job `kanon`: make a table k-anonymous by generalizing columns, the road that atzori2008 argues against.

A table is k-anonymous if every combination of quasi-identifiers in it is shared by at least k rows. Whoever mines a
table after this gets patterns that single nobody out by these columns, and patterns that say less: section 8.3 of
atzori2008, and `discreet audit` and `block` for the other road, which leaves the rows alone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.channels.channel import check_k
from discreet.errors import DataError, ParameterError
from discreet.microdata.datafly import datafly
from discreet.microdata.generalized import generalized_rows
from discreet.microdata.hierarchy import read_hierarchies
from discreet.microdata.incognito import minimal_generalizations
from discreet.microdata.quasi_table import quasi_table
from discreet.transactions.formats.cell_rules import parse_names
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.microdata.hierarchy import Hierarchies
    from discreet.microdata.quasi_table import QuasiTable
    from discreet.transactions.formats.cell_rules import Names

__all__ = ["AnonymousTable", "kanon", "table_rows"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnonymousTable:
    """A k-anonymous table, and how it came to be.

    `rows` are the table's rows as items `column=value`, generalized, without the suppressed ones and without row ids:
    to be mined or written. `generalization` is the level of each quasi-identifier, 0 where it was left alone, and
    `heights` the highest level it has. `alternatives` are all minimal generalizations, the one that was taken among
    them; Datafly, which knows only its own way, gives none.
    """

    method: str
    k: int
    generalization: Mapping[str, int]
    heights: Mapping[str, int]
    suppressed_rows: int
    alternatives: tuple[Mapping[str, int], ...]
    rows: Transactions

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document of `discreet kanon`."""
        return {
            "method": self.method,
            "k": self.k,
            "generalization": dict(self.generalization),
            "suppressed_rows": self.suppressed_rows,
            "alternatives": [dict(each) for each in self.alternatives],
        }

    def to_arrow(self) -> Any:  # Arrow ships no types
        """Return the table as an Arrow table of texts, null where a cell is missing."""
        from discreet.microdata.arrow_columns import arrow_columns

        return arrow_columns(self.rows)

    def to_pandas(self) -> Any:  # pandas is not needed otherwise
        """Return the same as a pandas DataFrame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # polars is not needed otherwise
        """Return the same as a polars DataFrame."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())


def kanon(
    table: Any,  # Transactions, a path or any data frame
    *,
    k: int,
    quasi_identifiers: Names,
    hierarchies: Hierarchies | None = None,
    method: Literal["datafly", "incognito"] = "datafly",
    suppress: int | None = None,
    take: int = 1,
) -> AnonymousTable:
    """Make a table k-anonymous by generalizing its quasi-identifiers, each to one level of its hierarchy.

    `table` is Transactions read from a table, a data frame, or a path. `hierarchies` is a folder with a file for each
    quasi-identifier (`age.csv` for `age`, in ARX's form: `34;30-39;*`), or the lines of each: `{"age": [["34",
    "30-39", "*"], …]}`; without any, a value only becomes `*`. Rows that stay in groups of fewer than k are left out,
    up to `suppress` rows: by default k with `datafly`, none with `incognito`.

    `incognito` finds all minimal generalizations, the one with the smallest sum of levels first; among equals the one
    that leaves the column named first lowest, then the second, and so on. The first is taken; `take=2` takes the
    second.
    """
    k = check_k(k)
    _check_method(method, take)
    limit = _limit(suppress, method, k)
    columns = parse_names(quasi_identifiers, "quasi-identifiers")
    if not columns:
        raise ParameterError("name at least one of the quasi_identifiers", parameter="quasi_identifiers")
    ladders = read_hierarchies(hierarchies, columns)
    rows = table_rows(table)
    quasi = quasi_table(rows, columns, ladders)
    if quasi.rows < k:
        raise ParameterError(
            f"k is {k:,}, but there are {quasi.rows:,} rows: no group can have that many", parameter="k"
        )
    limit = min(limit, quasi.rows - k)  # at least one group stays
    minimal: tuple[tuple[int, ...], ...] = ()
    if method == "incognito":
        minimal = minimal_generalizations(quasi, k=k, limit=limit)
        if minimal and take > len(minimal):
            raise ParameterError(
                f"take must be at most {len(minimal):,}, as many as there are minimal generalizations, got {take:,}",
                parameter="take",
            )
        chosen = minimal[take - 1] if minimal else None
    else:
        chosen = datafly(quasi, k=k, limit=limit)
    if chosen is None:
        raise _hopeless(quasi, k, limit)
    kept = quasi.rows_in_groups_of(k, chosen)
    return AnonymousTable(
        method=method,
        k=k,
        generalization=dict(zip(columns, chosen, strict=True)),
        heights=dict(zip(columns, quasi.heights, strict=True)),
        suppressed_rows=int(quasi.weights[~kept].sum()),
        alternatives=tuple(dict(zip(columns, levels, strict=True)) for levels in minimal),
        rows=generalized_rows(rows, quasi, chosen, kept),
    )


def _check_method(method: object, take: object) -> None:
    if method not in ("datafly", "incognito"):
        raise ParameterError(f"method must be datafly or incognito, got {method!r}", parameter="method")
    if isinstance(take, bool) or not isinstance(take, (int, np.integer)) or take < 1:
        raise ParameterError(f"take must be a whole number of at least 1, got {take!r}", parameter="take")
    if method == "datafly" and take != 1:
        raise ParameterError("take is for incognito; datafly finds one generalization", parameter="take")


def _limit(suppress: object, method: str, k: int) -> int:
    if suppress is None:
        return k if method == "datafly" else 0
    if isinstance(suppress, bool) or not isinstance(suppress, (int, np.integer)) or suppress < 0:
        raise ParameterError(
            f"suppress must be a whole number of rows, 0 or more, got {suppress!r}", parameter="suppress"
        )
    return int(suppress)


def table_rows(table: Any) -> Transactions:
    """Return a table's rows, whether it is given as rows, as a path or as a data frame."""
    if isinstance(table, Transactions):
        return table
    if isinstance(table, (str, os.PathLike)):
        from discreet.transactions.reading import read

        return read(table, format="table")
    return Transactions.from_arrow(table, format="table")


def _hopeless(quasi: QuasiTable, k: int, limit: int) -> DataError:
    """Say how far the top levels are from what is asked."""
    from discreet.microdata.quasi_table import roll_up

    heights = quasi.heights
    top = roll_up(quasi.groups(), quasi.ladders, [0] * len(heights), heights)
    outliers = top.rows_below(k)
    allowed = f", or allow --suppress {outliers}" if outliers <= quasi.rows - k else ""
    return DataError(
        f"even at the top of every hierarchy {outliers:,} rows are in groups of fewer than {k:,}, where {limit:,} may "
        f"be suppressed; let every hierarchy end in one value for all (*){allowed}, or lower -k"
    )

"""Frames of PAMI: `Patterns`, the labels of an itemset in one text with blanks between them, and `Support`, a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.patterns.imported import Claims, given_patterns
from discreet.patterns.list_columns import read_columns
from discreet.patterns.printed_numbers import whole_numbers
from discreet.thresholds import MinSupport

if TYPE_CHECKING:
    from discreet.patterns.imported import GivenPatterns
    from discreet.tables.table import Table
    from discreet.thresholds import MinSupport

__all__ = ["read_patterns"]


def read_patterns(table: Table, *, n: int | None, min_support: MinSupport | None) -> GivenPatterns:
    """Read `Patterns` with `Support`; which itemsets they are the frame does not say."""
    columns = read_columns(table, ("Patterns",), ("Support",), dialects=("blanks",))
    return given_patterns(
        columns.lists["Patterns"],
        columns.labels,
        whole_numbers(columns.numbers["Support"], "Support", table.place),
        origin="pami",
        place=table.place,
        claims=Claims(),
        n=n,
        min_support=min_support,
    )

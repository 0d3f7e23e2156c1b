"""Frames of PAMI: `Patterns`, the labels of an itemset in one text with blanks between them, and `Support`, a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.patterns.list_columns import read_columns
from discreet.patterns.printed_numbers import Supports

if TYPE_CHECKING:
    from discreet.patterns.imported_patterns import ImportedPatterns
    from discreet.tables.table import Table
    from discreet.thresholds import MinSupport

__all__ = ["read_patterns"]


def read_patterns(table: Table, *, n: int | None, min_support: MinSupport | None) -> ImportedPatterns:
    """Read `Patterns` with `Support`; the frame does not say which itemsets they are."""
    columns = read_columns(table, ("Patterns",), ("Support",), dialects=("blanks",))
    return columns.patterns(Supports(columns.counts("Support"), n), origin="pami", min_support=min_support)

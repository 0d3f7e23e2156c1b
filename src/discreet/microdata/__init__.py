"""K-anonymous tables, the road that atzori2008 argues against (section 8.3), so that both roads can be compared.

- column_hierarchy: what values become, level by level; ARX's files
- quasi_table: a table's quasi-identifiers as integers, and their levels
- equivalence_classes: rows that cannot be told apart, and how generalizing joins them
- datafly, incognito: two ways to choose the levels
- generalize: the table at these levels
- kanon: the whole job
"""

from __future__ import annotations

from discreet.microdata.kanon import AnonymousTable, kanon

__all__ = ["AnonymousTable", "kanon"]

"""K-anonymous tables: the approach that atzori2008 argues against (section 8.3), for comparison.

- column_hierarchy: what values become, level by level; ARX's files
- quasi_table: a table's quasi-identifiers as integers, and their levels
- equivalence_classes: indistinguishable rows, and how generalizing merges them
- datafly, incognito: two ways to choose the levels
- generalize: the table at these levels
- kanon: the complete job
"""

"""Datafly: generalize the column with the most values until few enough rows are in small groups, and suppress those.

Problem      given a table, its quasi-identifiers with their hierarchies, k and how many rows may be suppressed, find
             levels at which all other rows are in groups of at least k.
Method       datafly2002: while more rows are in groups of fewer than k than may be suppressed, raise the column with
             the most distinct values by one level; then suppress those rows.
Promises     no group of fewer than k rows is left; at most `limit` rows are suppressed; same input, same levels.
Cost         one grouping of the rows, then one of ever fewer groups for each step; at most as many steps as the
             hierarchies have levels in total.
Departures   ties between columns go to the first one named; the paper leaves this open. A column at its top level is
             skipped, even if it has the most values. If even the top levels do not suffice, this is reported
             instead of suppressing more rows than allowed. The paper's limit is k rows; here it can be set. At least
             one group must remain: an empty table would be anonymous, and useless. anjana (PyPI, 1.2.3) has the same
             loop and returns the same levels on Adult, but looks up every cell in a Python loop (1.4 s there, 0.02 s
             here), takes the limit as a float percentage, accepts hierarchies that are not functions, and pins its
             numpy and pandas to one release each. So it is not used here.
Names        QI -> columns;  freq -> EquivalenceClasses;  DGH -> hierarchy;  the tuples suppressed -> outliers.
Reference    datafly2002: L. Sweeney, Achieving k-anonymity privacy protection using generalization and suppression,
             2002, after Datafly, 1997   (tests/microdata/test_laws.py, test_adult.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.microdata.quasi_table import roll_up

if TYPE_CHECKING:
    from discreet.microdata.quasi_table import QuasiTable

__all__ = ["datafly"]


def datafly(table: QuasiTable, *, k: int, limit: int) -> tuple[int, ...] | None:
    """Return the level of each column; None if even the top levels leave more than `limit` rows in small groups."""
    groups = table.groups()
    levels = [0] * len(table.ladders)
    while groups.rows_below(k) > limit:
        climbing = [at for at, height in enumerate(table.heights) if levels[at] < height]
        if not climbing:
            return None
        column = max(climbing, key=groups.distinct)  # the first in a tie
        higher = [level + (at == column) for at, level in enumerate(levels)]
        groups = roll_up(groups, table.ladders, levels, higher)
        levels = higher
    return tuple(levels)

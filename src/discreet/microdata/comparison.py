"""Compare anonymizing patterns with anonymizing data: what each approach leaves of the itemsets.

Problem      given a table, a minimum support, k and the quasi-identifiers, publish k-anonymous itemsets in four ways
             and report for each what became of the itemsets F that are frequent in the table itself.
Method       patterns first: `block`, additive and suppressive, without the attacker, as in the paper. Data first:
             `kanon`, Datafly and Incognito (its first generalization), then mining at the same number of rows.
Promises     an itemset is kept if the result contains it with the same items, and lost otherwise: kept + lost = |F|.
             The average is the third measure of section 8.1, over F and the empty itemset: a lost itemset counts 1.
Cost         the four jobs, and mining; F is counted and measured from its closed itemsets, never listed.
Departures   the paper calls the two approaches numerically incomparable, because generalizing changes the items. Here
             an item of the result is the same if its value is unchanged and no other value became it. Itemsets of the
             result with any other item count as generalized, and the itemsets of F behind them as lost.
Reference    atzori2008, section 8.3   (docs/papers/atzori2008.md, tests/microdata/test_comparison.py)
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from discreet.channels.audit import audit
from discreet.channels.blocking import BlockingMethod, block
from discreet.channels.distortion import count_itemsets, measure_distortion
from discreet.errors import NotSafe
from discreet.microdata.column_hierarchy import MISSING, read_hierarchies
from discreet.microdata.kanon import kanon, table_rows
from discreet.microdata.quasi_table import table_columns
from discreet.patterns.mining import mine
from discreet.thresholds import K, MinSupport, Support
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.microdata.column_hierarchy import ColumnHierarchy, Hierarchies
    from discreet.microdata.kanon import AnonymousTable
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.shapes.cell_rules import Names

__all__ = ["Comparison", "Way", "compare"]

Road = Literal["patterns-first", "data-first"]
Generalizing = Literal["datafly", "incognito"]
_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What one way of publishing leaves of the itemsets.

    kept, lost       itemsets of the table that are still published with the same items, and the others
    generalized      published itemsets with a generalized item such as `age=*`, which the table itself does not contain
    average          the average relative error of the supports, over all itemsets of the table
    rows_added       virtual rows
    rows_left_out    rows that no support counts any more; all rows if nothing may be published
    channels         groups of 1 to k-1 rows that can still be computed from what is published
    generalization   data first: the level of each quasi-identifier
    alternatives     Incognito: how many minimal generalizations there are
    seconds          how long it took; ignored when two ways are compared for equality
    """

    road: Road
    method: str
    kept: int
    lost: int
    generalized: int
    average: Fraction
    rows_added: int
    rows_left_out: int
    channels: int
    generalization: Mapping[str, int] | None
    alternatives: int | None
    seconds: float = field(compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the average with four digits."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        levels = None if self.generalization is None else dict(self.generalization)
        measured = {"average": round(float(self.average), _DIGITS), "seconds": round(self.seconds, _DIGITS)}
        return fields | measured | {"generalization": levels}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Four ways to publish the itemsets of a table, measured.

    Attributes
    ----------
    n : int
        The number of rows.
    k : int
        The least size of a group that may be known.
    min_support : int
        The minimum support in rows, at least k.
    asked_support : int
        The requested minimum support.
    quasi_identifiers : tuple of str
        The columns that were generalized.
    itemsets : int
        How many itemsets are frequent in the table.
    ways : tuple of Way
        The four ways.
    """

    n: int
    k: int
    min_support: int
    asked_support: int
    quasi_identifiers: tuple[str, ...]
    itemsets: int
    ways: tuple[Way, ...]

    def of_road(self, road: Road) -> tuple[Way, ...]:
        """Return the two ways of one approach.

        Parameters
        ----------
        road : str
            "patterns" or "data": which of them is anonymized first.

        Returns
        -------
        tuple of Way
            The two ways.
        """
        return tuple(way for way in self.ways if way.road == road)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "n": self.n,
            "k": self.k,
            "min_support": self.min_support,
            "quasi_identifiers": list(self.quasi_identifiers),
            "itemsets": self.itemsets,
            "ways": [way.to_dict() for way in self.ways],
        }

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each way, its average as a float, without `generalization`."""
        import pyarrow as pa

        names = [name for name in Way.__slots__ if name != "generalization"]
        columns = {name: [getattr(way, name) for way in self.ways] for name in names}
        return pa.table(columns | {"average": [float(way.average) for way in self.ways]})

    def to_pandas(self) -> pd.DataFrame:
        """Return the same as a pandas DataFrame."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> pl.DataFrame:
        """Return the same as a polars DataFrame."""
        import polars as pl

        return pl.DataFrame(self.to_arrow())


def compare(
    table: Any,  # Transactions, a path or any data frame
    *,
    k: int,
    min_support: MinSupport,
    quasi_identifiers: Names,
    hierarchies: Hierarchies | None = None,
    suppress: int | None = None,
    ignore_unknown: bool = False,
) -> Comparison:
    """Publish the itemsets of a table in four ways, and measure what each leaves of them.

    Two ways anonymize the patterns (additive and suppressive blocking), two anonymize the data first (Datafly and
    Incognito).

    Parameters
    ----------
    table : Transactions, path or data frame
        The table.
    k : int
        The least size of a group that may be known, at least 2.
    min_support : int, str, float or Fraction
        The itemsets to publish, as for `mine`; a support below k is raised to k.
    quasi_identifiers : names
        The columns that `kanon` generalizes. For patterns, every column counts as one.
    hierarchies, suppress, ignore_unknown
        As for `kanon`.

    Returns
    -------
    Comparison
        One `Way` each, with what it kept, lost and cost.

    Raises
    ------
    ParameterError
        A parameter has an unusable value.
    DataError
        A hierarchy or the table cannot be used.

    Examples
    --------
    >>> import discreet
    >>> rows = [{"age=30", "flu"}] * 6 + [{"age=31", "flu"}] * 6 + [{"age=40", "cold"}]
    >>> table = discreet.Transactions.from_rows(rows)
    >>> found = discreet.compare(table, k=3, min_support=4, quasi_identifiers=["age"])
    >>> [(way.method, way.kept, way.lost) for way in found.ways]
    [('additive', 5, 0), ('suppressive', 5, 0), ('datafly', 5, 0), ('incognito', 1, 4)]
    """
    k = K.parse(k)
    rows = table_rows(table)
    columns = table_columns(rows, quasi_identifiers, ignore_unknown=ignore_unknown)
    ladders = read_hierarchies(hierarchies, columns)
    asked = Support.parse(min_support).of(rows.n)
    sigma = max(asked, k)  # an itemset of fewer rows is itself a channel
    whole = count_itemsets(mine(rows, min_support=sigma))
    ways = [_patterns_first(rows, method, k, sigma, whole) for method in get_args(BlockingMethod)]
    for method in get_args(Generalizing):
        start = time.perf_counter()
        made = kanon(
            rows, k=k, quasi_identifiers=list(columns), hierarchies=hierarchies, method=method, suppress=suppress
        )
        closed = mine(made.rows, min_support=sigma)
        ways.append(_data_first(rows, made, closed, ladders, whole=whole, seconds=time.perf_counter() - start))
    return Comparison(
        n=rows.n,
        k=k,
        min_support=sigma,
        asked_support=asked,
        quasi_identifiers=columns,
        itemsets=whole,
        ways=tuple(ways),
    )


def _patterns_first(rows: Transactions, method: BlockingMethod, k: int, sigma: int, whole: int) -> Way:
    start = time.perf_counter()
    try:
        done = block(rows, k=k, min_support=sigma, method=method, border=False)
    except NotSafe:
        kept, average, added, left_out, channels = 0, Fraction(1), 0, rows.n, 0
    else:
        # Raising supports and leaving rows out make no infrequent itemset frequent.
        kept, average = count_itemsets(done.patterns), done.distortion.average
        added, left_out = max(0, done.n_after - rows.n), max(0, rows.n - done.n_after)
        channels = done.channels_after
    return Way(
        road="patterns-first",
        method=method,
        kept=kept,
        lost=whole - kept,
        generalized=0,
        average=average,
        rows_added=added,
        rows_left_out=left_out,
        channels=channels,
        generalization=None,
        alternatives=None,
        seconds=time.perf_counter() - start,
    )


def _data_first(
    rows: Transactions,
    made: AnonymousTable,
    closed: PatternSet,
    ladders: Mapping[str, ColumnHierarchy],
    *,
    whole: int,
    seconds: float,
) -> Way:
    same = _unchanged_items(rows, made, ladders)
    kept, average = _measure_unchanged(rows, made.rows, same, closed.min_support, whole)
    return Way(
        road="data-first",
        method=made.method,
        kept=kept,
        lost=whole - kept,
        generalized=count_itemsets(closed) - kept,
        average=average,
        rows_added=0,
        rows_left_out=made.suppressed_rows,
        channels=len(audit(closed, k=made.k, border=False).channels),
        generalization=made.generalization,
        alternatives=len(made.alternatives) if made.method == "incognito" else None,
        seconds=seconds,
    )


def _unchanged_items(
    rows: Transactions, made: AnonymousTable, ladders: Mapping[str, ColumnHierarchy]
) -> NDArray[np.bool_]:
    """Return which items mean the same in the generalized table: the same value, not merged with any other."""
    same = np.ones(len(rows.vocabulary), bool)
    for column, level in made.generalization.items():
        start = f"{column}="
        values = {
            item: label.removeprefix(start) for item, label in enumerate(rows.vocabulary) if label.startswith(start)
        }
        lines = {item: ladders[column].line(value) for item, value in values.items()}
        missing = ladders[column].line(MISSING)
        becomes = Counter(line[level] for line in (*lines.values(), missing) if line is not None)
        for item, value in values.items():
            line = lines[item]
            same[item] = line is not None and line[level] == value and becomes[value] == 1
    return same


def _measure_unchanged(
    rows: Transactions, generalized: Transactions, same: NDArray[np.bool_], sigma: int, whole: int
) -> tuple[int, Fraction]:
    """Return how many itemsets are kept, and the average distortion over all itemsets.

    Restricted to items that mean the same, the generalized table is the table without the suppressed rows, so all
    itemsets with the same closure change by the same amount. All other itemsets are lost, and count 1.
    """
    closed = mine(_only(rows, same), min_support=sigma)
    among = count_itemsets(closed)
    if generalized.n == rows.n:
        return among, Fraction(whole - among, whole + 1)
    known = [rows.vocabulary.item(label) for label in generalized.vocabulary]
    places = np.array([-1 if item is None or not same[item] else item for item in known], np.int32)
    left = _only(generalized, places >= 0)
    after = closed.itemsets.count_in(left.itemsets.canonical(places), left.weights, len(rows.vocabulary))
    changed = measure_distortion(closed, np.where(after >= sigma, after, 0), n_after=generalized.n).average
    kept = count_itemsets(mine(left, min_support=sigma))
    return kept, (changed * (among + 1) + whole - among) / (whole + 1)  # the empty itemset is never lost


def _only(rows: Transactions, wanted: NDArray[np.bool_]) -> Transactions:
    """Return the rows restricted to the wanted items."""
    return Transactions(rows.itemsets.keeping(wanted[rows.items]), rows.vocabulary, rows.weights)

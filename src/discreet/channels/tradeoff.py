"""Count the channels at several supports: the price of publishing more.

Problem      given rows or closed itemsets, several minimum supports and several k, find |MCh(k, Cl(D, sigma))| for each
             pair of them, and for each k the lowest support with no channel.
Method       one mining, at the lowest support: the closed itemsets at a higher one are those of enough rows. From the
             highest support down, the maximal ones are found among the previous support's and the new ones. Each
             itemset that is maximal at any support is grouped once, for the greatest k; the channels of a smaller k
             are the smaller groups. Raising the support only removes itemsets, so the lowest support with no channel
             is found by bisection between the last support with a channel and the next one without.
Promises     the same numbers as an audit without the attacker at every point, and as `advice` has without it.
Cost         the mining, and the grouping of the itemsets that are maximal at any of the supports; hardly more for more
             values of k.
Departures   none. The number of maximal channels need not fall as the support rises, because one itemset can break up
             into several. But once there is none, there is none at any higher support.
Names        |MCh(k, Cl(D, sigma))| -> channels;  |Cl(D, sigma)|, without the empty itemset -> closed.
Reference    atzori2008, section 6.1 and Figure 4   (docs/papers/atzori2008.md)
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet import _kernel
from discreet.channels.collection import collection_of
from discreet.channels.grouping import groups_of_patterns, groups_of_rows
from discreet.channels.quasi_identifiers import restrict_patterns, restrict_rows, without_unknown
from discreet.channels.threshold_lists import parse_ks, parse_supports
from discreet.errors import DataError, ParameterError, param
from discreet.patterns.imported_patterns import ImportedPatterns
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.tables.frames import is_frame
from discreet.tables.tabular import Tabular
from discreet.transactions.frame_rows import rows_given
from discreet.transactions.transactions import Transactions
from discreet.wording import ROWS, Unit, html_table, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.channels.grouping import Groups
    from discreet.channels.threshold_lists import Ks, MinSupports
    from discreet.thresholds import Support
    from discreet.transactions.shapes.cell_rules import Names

    GroupsOf = Callable[..., Groups]
    """A function of targets and `below` that groups rows, or closed itemsets, by the targets."""
    from discreet.json_types import JsonObject

__all__ = ["Tradeoff", "tradeoff"]

_FEW = 4096
"""If the closed itemsets have at most this many items in total, computing groups from them beats counting rows."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tradeoff(Tabular):
    """The numbers of maximal channels by support and k, as arrays.

    What an attacker infers across the border is not counted.

    Attributes
    ----------
    n : int
        The number of rows.
    min_supports : array of int64
        The supports in rows, ascending.
    ks : array of int64
        The values of k, ascending.
    closed : array of int64
        How many closed itemsets each support leaves.
    channels : array of int64
        `channels[s, j]` is the number of maximal channels at `min_supports[s]` for `ks[j]`.
    lowest : mapping of int to int or None
        For each k the lowest support with no channel, from `min_supports[0]` up. It is more than `highest` where only
        publishing nothing would do, and None if all rows together are fewer than k.
    highest : int
        The greatest support of any itemset.
    unit : Unit
        What a row is, if the rows' owner said so.
    """

    n: int
    min_supports: NDArray[np.int64]
    ks: NDArray[np.int64]
    closed: NDArray[np.int64]
    channels: NDArray[np.int64]
    lowest: Mapping[int, int | None]
    highest: int
    unit: Unit = ROWS

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for array in (self.min_supports, self.ks, self.closed, self.channels):
            array.flags.writeable = False

    @property
    def verdict(self) -> Literal["nothing"] | None:
        """The word "nothing" if no itemset is left at any of the supports, so that there is nothing to weigh."""
        return None if self.closed[0] else "nothing"

    @property
    def sentences(self) -> list[str]:
        """The lowest support with no channel as sentences, one per answer."""
        together = groupby(self.lowest, key=self.lowest.__getitem__)
        return [self._sentence(lowest, list(ks)) for lowest, ks in together]

    def _sentence(self, lowest: int | None, ks: Sequence[int]) -> str:
        if lowest is None:
            return (
                f"Every support has a channel for k = {_listed(ks)}: all {self.unit.counted(self.n)} together are fewer"
            )
        if lowest > self.highest:
            return f"There is no support at which an itemset is left, and no channel, for k = {_listed(ks)}"
        where = f"{percent(lowest, self.n)} ({self.unit.counted(lowest)})"
        if lowest == self.min_supports[0]:
            return f"There is no channel for k = {_listed(ks)} from {where} up, the lowest support looked at"
        others = f", also for k = {_listed(ks[:-1])}" if len(ks) > 1 else ""  # the strictest comes first
        return f"The lowest support with no channel for k = {ks[-1]} is {where}{others}"

    def to_dict(self) -> JsonObject:
        """Return the JSON form: the points by support and k, and the lowest support with no channel for each k."""
        columns = self._columns()
        values = zip(*(column.tolist() for column in columns.values()), strict=True)
        points = [dict(zip(columns, point, strict=True)) for point in values]
        lowest = {str(k): support for k, support in self.lowest.items()}
        return {"n": self.n, "verdict": self.verdict, "points": points, "lowest": lowest}

    def to_arrow(self) -> pa.Table:
        """Return the points as an Arrow table of `min_support`, `k`, `closed` and `channels`."""
        import pyarrow as pa

        return pa.table(self._columns())

    def _columns(self) -> dict[str, NDArray[np.int64]]:
        return {
            "min_support": np.repeat(self.min_supports, len(self.ks)),
            "k": np.tile(self.ks, len(self.min_supports)),
            "closed": np.repeat(self.closed, len(self.ks)),
            "channels": self.channels.ravel(),
        }

    def __repr__(self) -> str:
        return f"<Tradeoff: {len(self.min_supports):,} supports by {len(self.ks):,} k, n {self.n:,}>"

    def _repr_html_(self) -> str:
        """Show the channels in a notebook, one row per support and one column per k."""
        heads = ["support", "closed itemsets", *(f"k = {k}" for k in self.ks.tolist())]
        rows = np.column_stack([self.min_supports, self.closed, self.channels]).tolist()
        lines = [[f"{value:,}" for value in row] for row in rows]
        return html_table(heads, lines, above=f"{'. '.join(self.sentences)}.")


def tradeoff(
    source: Transactions | PatternSet | ImportedPatterns | Any,  # any data frame of rows
    *,
    min_support: MinSupports,
    k: Ks,
    quasi_identifiers: Names | None = None,
    ignore_unknown: bool = False,
) -> Tradeoff:
    """Count the maximal channels at several supports and for several k, from one mining.

    Parameters
    ----------
    source : Transactions, PatternSet, ImportedPatterns or data frame
        Rows (of a frame, one-hot columns or one column of lists), or a complete collection of patterns mined at the
        lowest of the supports or below.
    min_support : list
        Supports as for `mine`, in any order; a text may be a range: "10%..60%:6" is six supports.
    k : int or list of int
        The values of k.
    quasi_identifiers : names, optional
        Count only groups that are described by these items or columns (`diag*`: what begins with diag). The closed
        itemsets are those of all items, which are published all the same.
    ignore_unknown : bool, default False
        Skip labels in `quasi_identifiers` that stand for nothing in the data.

    Returns
    -------
    Tradeoff
        The numbers of channels, and for each k the lowest support with none.

    Raises
    ------
    ParameterError
        A parameter has an unusable value.
    DataError
        The patterns are not a complete collection, or contradict each other.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows(["abc", "abc", "ab", "c", "c"])
    >>> found = discreet.tradeoff(rows, min_support=[2, 3], k=[2, 3])
    >>> found.channels.tolist(), found.lowest
    ([[1, 3], [1, 2]], {2: 5, 3: 5})
    """
    wanted, every_k = parse_supports(min_support), parse_ks(k)
    groups_of: GroupsOf
    if is_frame(source):
        source = rows_given(source)
    if ignore_unknown and isinstance(source, (Transactions, PatternSet, ImportedPatterns)):
        quasi_identifiers, _ = without_unknown(source, quasi_identifiers)
    if isinstance(source, Transactions):
        rows = restrict_rows(source, quasi_identifiers)
        supports = _counts(wanted, rows.n)
        closed = mine(rows, min_support=supports[0])
        published = closed if quasi_identifiers is None else mine(source, min_support=supports[0])
        groups_of = partial(groups_of_rows, rows)
    elif not isinstance(source, (PatternSet, ImportedPatterns)):
        raise ParameterError(
            f"a trade-off is of rows or of patterns, got {type(source).__name__}; make rows with discreet.read or with "
            "Transactions.from_rows",
            parameter="source",
        )
    else:
        closed = _closed_of(source, quasi_identifiers)
        published = closed if quasi_identifiers is None else _closed_of(source, None)
        supports = _counts(wanted, closed.n)
        _check_reach(closed, supports[0])
        groups_of = partial(groups_of_patterns, closed.itemsets, closed.supports, closed.n)
    channels = _count_channels(closed, supports, every_k, groups_of)
    channels[_reaching(closed, supports) == 0] = [
        0 < closed.n < each for each in every_k
    ]  # only the empty itemset is left
    return Tradeoff(
        n=closed.n,
        min_supports=np.array(supports, np.int64),
        ks=np.array(every_k, np.int64),
        closed=_reaching(published, supports),
        channels=channels,
        lowest=_lowest(closed, supports, every_k, channels > 0, groups_of),
        highest=int(published.supports.max(initial=0)),
        unit=getattr(getattr(source, "read", None), "what_a_row_is", ROWS),
    )


def _reaching(closed: PatternSet, supports: Sequence[int]) -> NDArray[np.int64]:
    """Return how many itemsets reach each support."""
    return len(closed) - np.searchsorted(np.sort(closed.supports), supports).astype(np.int64)


def _counts(wanted: Sequence[Support], n: int) -> list[int]:
    """Return the distinct numbers of rows that the supports stand for, ascending."""
    return sorted({support.of(n) for support in wanted})


def _closed_of(source: PatternSet | ImportedPatterns, quasi_identifiers: Names | None) -> PatternSet:
    collection = restrict_patterns(collection_of(source), quasi_identifiers)
    if collection.kind == "incomplete" or collection.patterns.max_length is not None:
        raise DataError(
            "a trade-off needs all itemsets down to its lowest support, or all closed ones, and these are incomplete; "
            "give the rows, or mine without a cap"
        )
    return collection.closed


def _check_reach(closed: PatternSet, lowest: int) -> None:
    if lowest < closed.min_support:
        raise ParameterError(
            f"{param('min_support')} is {lowest:,} rows, but the patterns go down to {closed.min_support:,} only; "
            "ask for supports from there up, or give the rows",
            parameter="min_support",
        )


def _count_channels(
    closed: PatternSet, supports: Sequence[int], ks: Sequence[int], groups_of: GroupsOf
) -> NDArray[np.int64]:
    """Return the number of channels per support and k: the small groups of the itemsets maximal at that support."""
    reached = np.searchsorted(supports, closed.supports, side="right") - 1  # where each is still frequent
    numbers = np.flatnonzero(reached >= 0)
    itemsets, last = closed.itemsets.select(numbers), reached[numbers].astype(np.int32)
    first = _kernel.find_lowest_maximal(itemsets, last, len(closed.vocabulary))
    targets = np.flatnonzero(first <= last)
    tallies = np.zeros((len(supports) + 1, len(ks)), np.int64)
    if len(targets):
        chosen = itemsets.select(targets)
        groups = groups_of(chosen, below=ks[-1])
        of = targets[groups.targets]
        least_k = np.searchsorted(ks, groups.counts, side="right")  # the first k for which a group is too small
        # Each counts from the first to the last support at which its itemset is maximal, for that k and all greater.
        for where, step in ((first[of], 1), (last[of] + 1, -1)):
            counts = np.bincount(where * len(ks) + least_k, minlength=tallies.size)
            tallies += step * counts.reshape(tallies.shape)
    return tallies[:-1].cumsum(axis=0).cumsum(axis=1)


def _lowest(
    closed: PatternSet,
    supports: Sequence[int],
    ks: Sequence[int],
    unsafe: NDArray[np.bool_],
    groups_of: GroupsOf,
) -> dict[int, int | None]:
    """Return for each k the lowest support with no channel, given which of the supports have any."""

    @cache
    def smallest_group(support: int) -> int:
        numbers = np.flatnonzero(closed.supports >= support)
        itemsets = closed.itemsets.select(numbers)
        maximal = itemsets.maximal(len(closed.vocabulary))
        if len(itemsets.items) <= _FEW:
            groups = groups_of_patterns(itemsets, closed.supports[numbers], closed.n, maximal, below=ks[-1])
        else:
            groups = groups_of(maximal, below=ks[-1])
        return int(groups.counts.min(initial=ks[-1]))

    found: dict[int, int | None] = {}
    for k, column in zip(ks, unsafe.T, strict=True):
        last = int(np.flatnonzero(column).max(initial=-1))
        if closed.n < k:
            found[k] = None
        elif last < 0:
            found[k] = supports[0]
        else:
            # The itemsets change just above each support that occurs; above the last of these there is no channel.
            end = supports[last + 1] if last + 1 < len(supports) else closed.n + 1
            between = (closed.supports >= supports[last]) & (closed.supports < end)
            beyond = (np.unique(closed.supports[between]) + 1).tolist()
            found[k] = beyond[bisect_left(beyond[:-1], k, key=smallest_group)]
    return found


def _listed(ks: Sequence[int]) -> str:
    words = [str(k) for k in ks]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

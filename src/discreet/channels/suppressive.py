"""Block channels by leaving rows out.

Problem      given rows, their closed itemsets and k, leave rows out so that no channel is left in what stays frequent.
Method       atzori2008, Algorithm 4, as a fixpoint: the rows of every channel go, supports fall, some itemsets become
             infrequent, and what is left is searched again.
Promises     no channel is left; the result equals mining the kept rows; the rows left out do not depend on the order.
Cost         rounds times detection. Nothing is mined again: a set that is closed among fewer rows was closed before, so
             each round lowers the closed itemsets' supports and keeps those that are still frequent and closed.
Names        suppressed transactions -> rows left out;  compacting Cl(D, sigma) -> still_closed.
Reference    atzori2008   (docs/papers/atzori2008.md, tests/papers/test_blocking.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.channel import maximal_itemsets
from discreet.channels.grouping import groups_of_rows, rows_of_channels, small_groups
from discreet.channels.kinds import kinds_of
from discreet.patterns.patternset import PatternSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.channel import Channels
    from discreet.itemsets import Itemsets
    from discreet.transactions.transactions import Transactions

__all__ = [
    "Kept",
    "falls_of",
    "leave_out",
    "still_closed",
    "suppress_channels",
]


@dataclass(frozen=True, eq=False)
class Kept:
    """The numbers of the rows kept, their closed itemsets, and the rows left out.

    `asked` selects the items that small groups are searched among, None for all.
    """

    rows: Transactions
    numbers: NDArray[np.int64]
    closed: PatternSet
    rounds: int
    gone: tuple[Transactions, ...] = ()
    asked: NDArray[np.bool_] | None = None

    @property
    def n(self) -> int:
        """The number of rows kept."""
        return self.rows.n

    @property
    def kinds(self) -> Transactions | None:
        """The distinct rows kept, restricted to frequent items; None if there are too many."""
        return kinds_of(self.rows, self.closed.min_support)

    def without_small_groups(self, *, k: int) -> Kept:
        """Leave out rows until no group of fewer than k rows can be computed."""
        return suppress_channels(self, k=k)

    def without_channels(self, channels: Channels) -> Kept:
        """Leave out the rows of some channels."""
        return leave_out(self, rows_of_channels(self.rows, channels))

    @property
    def maximal(self) -> Itemsets:
        """The maximal itemsets among the items asked for; the empty one if there is no other."""
        return maximal_itemsets(self.closed, self.asked)


def suppress_channels(kept: Kept, *, k: int) -> Kept:
    """Leave out rows until no group of fewer than k rows can be computed."""
    while True:
        targets = kept.maximal
        groups = groups_of_rows(kept.rows, targets, below=k)
        if not len(groups.counts):
            return kept
        kept = kept.without_channels(small_groups(groups, targets, kept.rows.vocabulary))


def leave_out(kept: Kept, gone: NDArray[np.bool_]) -> Kept:
    """Return what is kept without some more rows."""
    rows = kept.rows
    removed, left = rows.select(np.flatnonzero(gone)), rows.select(np.flatnonzero(~gone))
    return Kept(
        left,
        kept.numbers[~gone],
        still_closed(kept.closed, removed, left.n),
        kept.rounds + 1,
        (*kept.gone, removed),
        kept.asked,
    )


def falls_of(closed: PatternSet, removed: Transactions) -> NDArray[np.int64]:
    """Return by how much the supports of closed itemsets fall without some rows."""
    return closed.itemsets.count_in(removed.itemsets, removed.weights, len(closed.vocabulary))


def still_closed(closed: PatternSet, removed: Transactions, n: int) -> PatternSet:
    """Keep the itemsets that are still frequent among n rows and have no superset of equal support."""
    supports = closed.supports - falls_of(closed, removed)
    frequent = np.flatnonzero(supports >= closed.min_support)
    flags = _kernel.find_closed(closed.itemsets.select(frequent), supports[frequent], len(closed.vocabulary))
    chosen = frequent[flags.astype(bool)]
    return PatternSet.unchecked(
        itemsets=closed.itemsets.select(chosen),
        supports=supports[chosen],
        vocabulary=closed.vocabulary,
        n=n,
        min_support=closed.min_support,
        target="closed",
    )

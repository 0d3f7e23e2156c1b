"""Leave out as few rows as possible.

Problem      given rows, their closed itemsets and k, leave out a smallest set of rows so that no channel is left,
             without losing more itemsets than the paper's method does.
Method       branch and bound. While J stays frequent, every row of a channel (I, J) must go, since leaving rows out
             only lowers its number. So in every solution either those rows go, or J becomes infrequent, and then at
             least one row that contains J goes. Both branches are tried, smallest channel first.
Promises     never leaves out more rows, nor keeps fewer itemsets, than `suppressive`. If the search was not cut short
             (`proved`), the set of rows is a smallest one, and among those one that keeps the most itemsets.
Cost         a detection for each step, at most `most_steps` of them.
Reference    atzori2008, section 7.3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.distortion import count_itemsets
from discreet.channels.grouping import groups_of_rows, rows_of_channels, small_groups
from discreet.channels.suppressive import Kept, leave_out, suppress_channels
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.channel import Channels

__all__ = ["Fewest", "suppress_fewest"]


@dataclass(frozen=True)
class Fewest:
    """The rows kept, and whether it is proved that no more rows can be kept."""

    kept: Kept
    proved: bool


def suppress_fewest(start: Kept, *, k: int, most_steps: int = 2000) -> Fewest:
    """Leave out rows until no group of fewer than k rows can be computed, as few as the search finds."""
    if start.rows.weights is not None:
        raise ParameterError(
            "the fewest rows can be looked for only where equal rows are not folded", parameter="minimal"
        )
    paper = suppress_channels(start, k=k)
    search = _Search(paper, k, most_steps)
    search.visit(start)
    return Fewest(search.best, proved=search.steps > 0)


class _Search:
    """The best rows found so far, and the state of the search."""

    def __init__(self, paper: Kept, k: int, steps: int) -> None:
        self.k = k
        self.steps = steps
        self.best = paper
        self.best_itemsets = self.least_itemsets = count_itemsets(paper.closed)
        self.seen: set[bytes] = set()

    def visit(self, kept: Kept) -> None:
        """Explore what follows from the rows left out so far."""
        place = kept.numbers.tobytes()
        if self.steps == 0 or place in self.seen or len(kept.rows) < len(self.best.rows):
            return
        self.seen.add(place)
        self.steps -= 1
        itemsets = count_itemsets(kept.closed)
        if itemsets < self.least_itemsets:  # leaving out more rows only loses more
            return
        channels = self._channels(kept)
        if not len(channels):
            if (len(kept.rows), itemsets) > (len(self.best.rows), self.best_itemsets):
                self.best, self.best_itemsets = kept, itemsets
            return
        number = int(channels.smallest_first()[0])
        for gone in self._ways(kept, channels, number):
            if len(kept.rows) - int(gone.sum()) >= len(self.best.rows):
                self.visit(leave_out(kept, gone))

    def _channels(self, kept: Kept) -> Channels:
        targets = kept.maximal
        return small_groups(groups_of_rows(kept.rows, targets, below=self.k), targets, kept.rows.vocabulary)

    def _ways(self, kept: Kept, channels: Channels, number: int) -> list[NDArray[np.bool_]]:
        """Return the branches for one channel: leave out its rows, or any one row that contains its full set."""
        ways = [rows_of_channels(kept.rows, channels.chosen(np.array([number])))]
        full = channels.fulls[int(channels.which[number])]
        holders = _holders(kept, full)
        to_go = len(holders) - kept.closed.min_support + 1  # how many must go for the full set to become infrequent
        if len(kept.rows) - to_go < len(self.best.rows):
            return ways
        for row in _distinct(kept, holders):
            gone = np.zeros(len(kept.rows), bool)
            gone[row] = True
            ways.append(gone)
        return ways


def _holders(kept: Kept, itemset: NDArray[np.int32]) -> NDArray[np.int64]:
    rows = kept.rows
    return np.flatnonzero(rows.itemsets.keeping(np.isin(rows.items, itemset)).lengths == len(itemset))


def _distinct(kept: Kept, rows: NDArray[np.int64]) -> list[int]:
    """Return one of each kind of row: equal rows are interchangeable."""
    firsts, _ = _kernel.fold_rows(kept.rows.itemsets.select(rows), None)
    return [int(row) for row in rows[firsts]]

"""Decide what only whole rows show: groups that a linear program leaves open because it allows fractions of rows.

Problem      a linear program may rule out that a group is entailed by a data set with half a row. Given a window and
             such groups, decide for each whether a data set of whole rows rules it out as well.
Method       integer programs: is there a compatible data set in which the group is empty, or one in which it has k
             rows? Each data set found settles other groups as well. If there is neither, the group is entailed.
Promises     what is ruled out was checked in whole numbers. What is called entailed relies on the solver's claim that a
             program has no solution. It has no proof that can be checked by hand, and the answer says so.
Cost         a few integer programs for each remaining group, at most `_MOST_PROGRAMS` of them, in small windows; all
             of them together take at most one round of HiGHS' search for `STEPS_PER_ROUND` steps of the attacker's
             budget. So lies that make every program hard take no longer than others, and every machine stops at the
             same place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.highs import Program, find_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.knowledge import Knowledge
    from discreet.itemsets import Itemsets

__all__ = ["Settled", "settle"]

_MOST_CELLS = 300
_MOST_PROGRAMS = 60
_NODES = 2_000
STEPS_PER_ROUND = 500
"""How many of the attacker's steps a round of HiGHS' search counts for: it takes about as long."""
_UNLIMITED = 10**9


@dataclass(frozen=True)
class Settled:
    """Indices of the groups that are entailed, with their bounds, and of those that stay open.

    If the window is too large for whole-number programs, none was tried.
    """

    entailed: dict[int, tuple[int, int]]
    open: NDArray[np.int64]
    tried: bool = True


def settle(
    known: Knowledge, window: NDArray[np.int32], present: Itemsets, absent: Itemsets, *, k: int, steps: int | None
) -> Settled:
    """Return which of the groups (items present, items absent) are entailed by whole rows alone."""
    cells, masks, lows, highs, _ = _kernel.window_program(known.arrays, window)
    total = max((layer.n for layer in known.layers if layer.n is not None), default=None)
    if len(cells) > _MOST_CELLS or total is None:
        return Settled({}, np.arange(len(present)), tried=False)
    rounds = _UNLIMITED if steps is None else max(1, steps // STEPS_PER_ROUND)
    ask = _Question(cells, masks, lows, np.where(highs < 0, total, highs), total, rounds=rounds)
    groups = _Groups(cells, _bits(window, present), _bits(window, absent))
    left = np.arange(len(present))
    entailed: dict[int, tuple[int, int]] = {}
    while len(left) and ask.programs < _MOST_PROGRAMS:
        number = int(left[0])
        inside = groups.cells_of(number)
        for low, high in ((0, 0), (k, total)):
            found = ask.find(inside, low, high)
            if found is not None:
                sizes = groups.sizes(left, found)
                left = left[(sizes > 0) & (sizes < k)]
                break
        if len(left) and left[0] == number:
            if not ask.sure:
                break
            left = left[1:]
            entailed[number] = ask.bounds(inside, k)
    return Settled(entailed, left)


def _bits(window: NDArray[np.int32], itemsets: Itemsets) -> NDArray[np.uint32]:
    """Return the items of each itemset as bits, by their place in the window."""
    place = np.zeros(int(window.max()) + 1, np.uint32)
    place[window] = np.uint32(1) << np.arange(len(window), dtype=np.uint32)
    bits = np.zeros(len(itemsets), np.uint32)
    np.bitwise_or.at(bits, itemsets.owners, place[itemsets.items])
    return bits


class _Groups:
    """Groups by the cells of a window: the bits that a cell has in one, and those that it lacks."""

    def __init__(self, cells: NDArray[np.uint32], held: NDArray[np.uint32], lacking: NDArray[np.uint32]) -> None:
        self._cells, self._fixed, self._held = cells, held | lacking, held

    def cells_of(self, number: int) -> NDArray[np.int64]:
        """Return for each cell whether it is in a group."""
        return np.asarray((self._cells & self._fixed[number]) == self._held[number], np.int64)

    def sizes(self, chosen: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many rows some groups have, given the rows of each cell."""
        fixed, held = self._fixed[chosen], self._held[chosen]
        sizes = np.zeros(len(chosen), np.int64)
        for cell in np.flatnonzero(counts).tolist():
            sizes += counts[cell] * ((self._cells[cell] & fixed) == held)
        return sizes


class _Question:
    """Answers whether a data set of whole rows exists in which a group has a given size."""

    def __init__(
        self,
        cells: NDArray[np.uint32],
        masks: NDArray[np.uint32],
        lows: NDArray[np.int64],
        highs: NDArray[np.int64],
        total: int,
        *,
        rounds: int,
    ) -> None:
        self.holds = (cells[None, :] & masks[:, None]) == masks[:, None]
        self.lows, self.highs, self.total = lows, highs, total
        self.programs = 0
        self.sure = True
        self._rounds = rounds

    def find(self, inside: NDArray[np.int64], low: int, high: int) -> NDArray[np.int64] | None:
        """Return the number of rows in each cell, with `low` to `high` rows in the group, or None."""
        if not self._rounds:
            self.sure = False
            return None
        self.programs += 1
        matrix = np.vstack([self.holds, inside[None, :] > 0])
        columns, rows = np.nonzero(matrix.T)
        width = matrix.shape[1]
        program = Program(
            starts=np.searchsorted(columns, np.arange(width + 1)).astype(np.int32),
            rows=rows.astype(np.int32),
            lowers=np.append(self.lows, low),
            uppers=np.append(self.highs, high),
            leasts=np.zeros(width, np.int64),
            limits=np.full(width, self.total, np.int64),
        )
        answer = find_whole(program, nodes=_NODES, rounds=self._rounds)
        self._rounds = max(0, self._rounds - answer.rounds)
        if answer.values is None:
            self.sure = self.sure and answer.none
            return None
        sums = matrix.astype(np.int64) @ answer.values
        fits = ((sums >= program.lowers) & (sums <= program.uppers)).all() and (answer.values >= 0).all()
        self.sure = self.sure and bool(fits)
        return answer.values if fits else None

    def bounds(self, inside: NDArray[np.int64], k: int) -> tuple[int, int]:
        """Return the least and the greatest size of a group that lies within 1 .. k-1, as far as they are certain."""
        low, high = 1, k - 1
        found = self.find(inside, low, high)
        if found is None:
            return low, high
        least = greatest = int(inside @ found)
        while low < least and self.sure:
            middle = (low + least - 1) // 2
            found = self.find(inside, low, middle)
            if found is not None:
                least = int(inside @ found)
            elif self.sure:
                low = middle + 1
        while greatest < high and self.sure:
            middle = (greatest + high + 2) // 2
            found = self.find(inside, middle, high)
            if found is not None:
                greatest = int(inside @ found)
            elif self.sure:
                high = middle - 1
        return low, high

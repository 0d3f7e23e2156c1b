"""Count equal rows that come some at a time, with memory for the distinct ones alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RowFolder"]


class RowFolder:
    """The distinct ones of the rows so far, and how often each occurs.

    New rows wait until they are as many as the distinct ones, so that all joining together costs no more than a few
    passes, and at most twice the distinct rows are held.

    Attributes
    ----------
    rows : Itemsets
        The distinct rows that were joined.
    weights : array of int64
        How often each occurs.

    Examples
    --------
    >>> folder = RowFolder()
    >>> folder.add(Itemsets.of([[1], [2], [1]]))
    True
    >>> folder.add(Itemsets.of([[2]]))
    False
    >>> folder.join()
    >>> [row.tolist() for row in folder.rows], folder.weights.tolist()
    ([[1], [2]], [2, 2])
    """

    def __init__(self) -> None:
        """Start without rows."""
        self.rows, self.weights = Itemsets.none(), np.zeros(0, np.int64)
        self._waiting: list[tuple[Itemsets, NDArray[np.int64]]] = []

    def add(self, rows: Itemsets, weights: NDArray[np.int64] | None = None) -> bool:
        """Add rows, with weights if they are folded already; return whether they were joined to the distinct ones."""
        firsts, counts = _kernel.fold_rows(rows, weights)
        self._waiting.append((rows.select(firsts), counts))
        if sum(len(each) for each, _ in self._waiting) < len(self.rows):
            return False
        self.join()
        return True

    def join(self) -> None:
        """Join the rows that wait."""
        if not len(self.rows) and len(self._waiting) == 1:
            self.rows, self.weights = self._waiting.pop()
        if self._waiting:
            every = self.rows.followed_by(*(rows for rows, _ in self._waiting))
            firsts, self.weights = _kernel.fold_rows(
                every, np.concatenate([self.weights, *(counts for _, counts in self._waiting)])
            )
            self.rows, self._waiting = every.select(firsts), []

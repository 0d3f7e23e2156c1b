"""Rows from which sensitive items left one row at a time: what `local` and `rare-rows` have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.publication import Publication
    from discreet.uncertainty.utility import FalseRules

__all__ = ["ThinnedRows"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ThinnedRows:
    """Rows that lost sensitive items one by one.

    `rows` are in their order. `publication` says what became of items in all rows. `held[item]` counts the rows that
    had an item, `removed[item]` those that lost it. `false_rules` are in the published rows and not in the original
    ones.
    """

    rows: Transactions
    publication: Publication
    held: NDArray[np.int64]
    removed: NDArray[np.int64]
    changed_rows: int
    information_loss: Fraction
    false_rules: FalseRules

    @property
    def gone(self) -> dict[str, list[str]]:
        """The labels that no row has any more, sensitive ones and others."""
        labels = self.publication.vocabulary
        none_left = self.publication.dropped() | ((self.removed > 0) & (self.removed == self.held))
        return {
            name: [labels[item] for item in np.flatnonzero(none_left & chosen).tolist()]
            for name, chosen in (("sensitive", self._sensitive), ("other", ~self._sensitive))
        }

    @property
    def entries(self) -> tuple[int, int]:
        """How many entries of rows are sensitive items, and how many of them were taken out."""
        return int(self.held[self._sensitive].sum()), int(self.removed[self._sensitive].sum())

    @property
    def _sensitive(self) -> NDArray[np.bool_]:
        return np.asarray(self.publication.node_of < 0)

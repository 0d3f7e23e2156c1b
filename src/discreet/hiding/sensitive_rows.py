"""Steps 1, 3 and 4, shared by the four algorithms: find sensitive rows, decide how many to sanitize, sanitize them.

Promises     of the rows with a pattern, at most the share of its disclosure threshold keeps it; nothing is added; rows
             without a pattern are not touched.
Departures   the number of rows to sanitize is rounded up; a row that lost the pattern to an earlier victim counts as
             sanitized and is not changed again; rows with equal degrees of conflict are ordered by position.
Names        T[rp] -> SensitiveRows.rows_of;  NumTrans -> SensitiveRows.to_sanitize;  ψ -> disclosure.
Reference    oliveira2002, section 4   (docs/papers/oliveira2002.md, tests/papers/test_oliveira2002.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.hiding.inverted_file import InvertedFile
    from discreet.hiding.victims import Pattern, Victims

__all__ = ["SensitiveRows", "find_sensitive_rows", "sanitize"]


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveRows:
    """The rows that contain each pattern: those of pattern p are `holders[p]`, ascending."""

    patterns: tuple[Pattern, ...]
    holders: Itemsets
    n: int

    def counts(self) -> NDArray[np.int64]:
        """Return the number of rows of each pattern."""
        return self.holders.lengths

    def row_count(self) -> int:
        """Return how many rows contain any pattern."""
        held = np.zeros(self.n, bool)
        held[self.holders.items] = True
        return int(np.count_nonzero(held))

    def to_sanitize(self, allowed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many rows of each pattern must lose it (step 3), if so many may keep it."""
        surplus: NDArray[np.int64] = np.maximum(0, self.counts() - allowed)
        return surplus


def find_sensitive_rows(index: InvertedFile, patterns: Sequence[Pattern]) -> SensitiveRows:
    """Look up each pattern in the index (step 1); patterns must consist of items that the index knows."""
    return SensitiveRows(tuple(patterns), index.holders_of(Itemsets.of(patterns)), index.n)


def sanitize(
    sensitive: SensitiveRows,
    victims: Victims,
    counts: NDArray[np.int64],
    lengths: NDArray[np.int32],
    labels: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the items to remove (step 4), as pairs of a row and an item, ascending.

    `counts` is how many rows must lose each pattern, `lengths` the number of items of each row, and `labels` the number
    of items in the vocabulary.
    """
    stays = None
    if victims.stays is not None:
        stays = np.array([-1 if item is None else item for item in victims.stays], np.int32)
    return _kernel.sanitize_rows(
        sensitive.holders,
        counts=counts,
        patterns=Itemsets.of(sensitive.patterns),
        victims=Itemsets.of(victims.items),
        stays=stays,
        lengths=None if stays is None else lengths,
        rows=sensitive.n,
        labels=labels,
        most_conflicts_first=victims.most_conflicts_first,
    )

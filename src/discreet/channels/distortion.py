"""What blocking cost: the four measures of atzori2008, section 8.1, exactly.

All are over the frequent itemsets before blocking, the empty one among them; an itemset that is no longer frequent
counts as having support 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Distortion", "measure_distortion"]

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Distortion:
    """How far the result is from the truth.

    rows      virtual rows added, or rows left out
    changed   the share of itemsets whose support is another
    average   the mean of the changes, each relative to the support before
    worst     the largest of them
    """

    rows: int
    changed: Fraction
    average: Fraction
    worst: Fraction

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: shares with four digits."""
        shares = {name: round(float(getattr(self, name)), _DIGITS) for name in ("changed", "average", "worst")}
        return {"rows": self.rows, **shares}


def measure_distortion(
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    *,
    rows: int,
    times: NDArray[np.int64] | None = None,
) -> Distortion:
    """Measure the change from one array of supports to another; `times` says how many itemsets an entry stands for.

    >>> measure_distortion(np.array([12, 9, 8]), np.array([15, 12, 8]), rows=3).to_dict()
    {'rows': 3, 'changed': 0.6667, 'average': 0.1944, 'worst': 0.3333}
    """
    counts = np.ones(len(before), np.int64) if times is None else times
    moved = np.flatnonzero(before != after)
    # Equal pairs of supports are added up once: there are far fewer of them than itemsets.
    pairs, inverse = np.unique(np.stack([before[moved], after[moved]], axis=1), axis=0, return_inverse=True)
    weights = np.zeros(len(pairs), object)
    np.add.at(weights, inverse.ravel(), counts[moved].astype(object))
    total = sum(int(count) for count in counts.tolist()) if times is not None else len(before)
    changes = [Fraction(abs(int(new) - int(old)), int(old)) for old, new in pairs.tolist()]
    by_old: dict[int, int] = {}
    for (old, new), weight in zip(pairs.tolist(), weights.tolist(), strict=True):
        by_old[old] = by_old.get(old, 0) + abs(new - old) * int(weight)
    return Distortion(
        rows=rows,
        changed=Fraction(sum(int(weight) for weight in weights.tolist()), total),
        average=sum((Fraction(change, old) for old, change in by_old.items()), Fraction(0)) / total,
        worst=max(changes, default=Fraction(0)),
    )

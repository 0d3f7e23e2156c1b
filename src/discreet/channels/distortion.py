"""What blocking cost: the four measures of atzori2008, section 8.1, exactly.

All four are over the frequent itemsets before blocking, including the empty one. An itemset that is no longer frequent
counts as having support 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.errors import DataError
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.patterns.patternset import PatternSet

__all__ = ["Distortion", "count_itemsets", "measure_changes", "measure_distortion"]

_DIGITS = 4
_LONGEST = 126


@dataclass(frozen=True, slots=True)
class Distortion:
    """How far the result is from the truth.

    rows      virtual rows added, or rows left out
    changed   the share of itemsets whose support changed
    average   the mean of the changes, each relative to the support before
    worst     the largest of them
    """

    rows: int
    changed: Fraction
    average: Fraction
    worst: Fraction

    def to_dict(self) -> JsonObject:
        """Return the JSON form: shares with four digits."""
        shares = {name: round(float(getattr(self, name)), _DIGITS) for name in ("changed", "average", "worst")}
        return {"rows": self.rows, **shares}


def measure_distortion(closed: PatternSet, after: NDArray[np.int64], *, n_after: int) -> Distortion:
    """Measure the change from the closed itemsets' supports to `after`, over all frequent itemsets.

    All itemsets with the same closure change by the same amount, because a row contains an itemset if and only if it
    contains the closure. So the closed itemsets, and the number of itemsets with each closure, are enough.
    """
    times, _ = _class_sizes(closed)
    times = times - (closed.supports == closed.n)  # the empty itemset is counted apart: it is never infrequent
    before, after = np.concatenate([[closed.n], closed.supports]), np.concatenate([[n_after], after])
    return measure_changes(before, after, np.concatenate([np.ones(1, object), times]), rows=abs(n_after - closed.n))


def count_itemsets(closed: PatternSet) -> int:
    """Return how many nonempty frequent itemsets the closed ones stand for.

    >>> from discreet.patterns.patternset import PatternSet
    >>> count_itemsets(PatternSet.from_itemsets([("a", 3), ("ab", 2)], n=4, min_support=2, target="closed"))
    3
    """
    times, everywhere = _class_sizes(closed)
    return int(times.sum()) - everywhere  # the closure of the empty itemset is the one in every row


def _class_sizes(closed: PatternSet) -> tuple[NDArray[np.object_], bool]:
    """Return how many itemsets have each closure, and whether the empty one is among them."""
    everywhere = bool((closed.supports == closed.n).any())  # otherwise the empty itemset is closed
    if int(closed.itemsets.lengths.max(initial=0)) > _LONGEST:
        raise DataError(
            f"an itemset has more than {_LONGEST} items, too many for the measures of distortion to be exact"
        )
    # The kernel compares bitmaps of items, so infrequent items, of which there can be very many, are left out.
    used, items = np.unique(closed.items, return_inverse=True)
    high, low = _kernel.find_class_sizes(Itemsets(closed.offsets, items.astype(np.int32)), not everywhere, len(used))
    return high.astype(object) * 2**64 + low.astype(object), everywhere


def measure_changes(
    before: NDArray[np.int64], after: NDArray[np.int64], times: NDArray[np.object_], *, rows: int
) -> Distortion:
    """Measure the change between supports, each weighted by a number of itemsets.

    >>> measure_changes(np.array([12, 9, 8]), np.array([15, 12, 8]), np.array([1, 1, 1], object), rows=3).to_dict()
    {'rows': 3, 'changed': 0.6667, 'average': 0.1944, 'worst': 0.3333}
    """
    moved = np.flatnonzero(before != after)
    # Equal pairs of supports are grouped: there are far fewer of them than itemsets.
    pairs, inverse = np.unique(np.stack([before[moved], after[moved]], axis=1), axis=0, return_inverse=True)
    weights = np.zeros(len(pairs), object)
    np.add.at(weights, inverse.ravel(), times[moved])
    total = int(times.sum())
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

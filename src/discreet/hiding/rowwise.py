"""Choose victims row by row, by the other itemsets that they would cost.

Problem      given the sensitive rows, how many of each pattern must lose it, and the frequent itemsets without a
             restrictive pattern, break the patterns so that as few of these itemsets as possible fall below the
             minimum support.
Method       the itemsets that may fall are listed for every sensitive row. One victim per pattern is chosen first, the
             same in all rows: the best of IGA's, MinFIA's and MaxFIA's, then exchanged where that saves itemsets. Then
             rows are revisited in passes: each takes its items back, and removes the set that costs least. An itemset
             weighs more the nearer it is to the minimum support, and nothing once it is lost; what counts as near
             shrinks from pass to pass. If rows may keep a pattern, those in which breaking it costs most keep it.
Promises     those of the other algorithms; the same input gives the same rows; the work is limited in steps, not in
             seconds. It is a search: nothing says that no better choice exists (`hiding/optimum.py` can).
Cost         listing: itemsets times sensitive rows / 64; each pass: the listed pairs of a row and an itemset. Of more
             than `MOST_PAIRS` pairs a part is listed, evenly over the itemsets, and the others are not considered.
Departures   the paper has no such algorithm. The idea of weighing an itemset by its distance to the border is that of
             border-based hiding; the algorithm is our own.
Reference    docs/papers/oliveira2002.md, tests/laws/test_hiding_least.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _kernel
from discreet.hiding.victims import iga, maxfia, minfia
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.hiding.sensitive_rows import SensitiveRows
    from discreet.hiding.victims import RestrictivePatterns

__all__ = ["Legitimate", "Removals", "Stakes", "find_stakes", "rowwise"]

MOST_PAIRS = 3_000_000
"""The most pairs of a row and an itemset that are listed."""

STEPS = 120_000_000
"""How many pairs are visited in all passes together: about a second."""

Removals = tuple["NDArray[np.int32]", "NDArray[np.int32]"]
"""Rows and the items to remove from them, ascending."""


class Legitimate(NamedTuple):
    """Frequent itemsets without a restrictive pattern, in canonical order, their supports, and the minimum support."""

    itemsets: Itemsets
    supports: NDArray[np.int64]
    sigma: int


@dataclass(frozen=True, slots=True, eq=False)
class Stakes:
    """What sensitive rows put at stake.

    Itemsets that no choice of victims tells apart are one group. `groups` are those of each sensitive row, `touched`
    the restrictive items of each group, `itemsets` its first itemset, `weights` how many it stands for, and `slacks`
    how many rows it can lose. `complete` is whether all itemsets that may be lost are listed.
    """

    rows: NDArray[np.int32]
    groups: Itemsets
    touched: Itemsets
    itemsets: Itemsets
    weights: NDArray[np.int64]
    slacks: NDArray[np.int64]
    sigma: int
    complete: bool


def find_stakes(
    rows: Itemsets, sensitive: SensitiveRows, others: Legitimate, labels: int, *, most: int = MOST_PAIRS
) -> Stakes:
    """List the itemsets that may be lost, for every sensitive row; `labels` is the number of items."""
    places, groups, touched, firsts, weights, slacks, complete = _kernel.find_stakes(
        rows,
        found=sensitive.holders,
        patterns=Itemsets.of(sensitive.patterns),
        others=others.itemsets,
        supports=others.supports,
        sigma=others.sigma,
        labels=labels,
        most=most,
    )
    return Stakes(
        places,
        Itemsets(*groups),
        Itemsets(*touched),
        others.itemsets.select(firsts),
        weights,
        slacks,
        others.sigma,
        complete,
    )


def rowwise(
    stakes: Stakes,
    sensitive: SensitiveRows,
    counts: NDArray[np.int64],
    given: RestrictivePatterns,
    labels: int,
    *,
    steps: int = STEPS,
) -> Removals:
    """Return the items to remove; `counts` is how many rows must lose each pattern, `given` are the same patterns."""
    starts = [[items[0] for items in choose(given).items] for choose in (iga, minfia, maxfia)]
    return _kernel.choose_by_row(
        stakes.rows,
        groups=stakes.groups,
        touched=stakes.touched,
        weights=stakes.weights,
        slacks=stakes.slacks,
        found=sensitive.holders,
        counts=counts,
        patterns=Itemsets.of(sensitive.patterns),
        starts=Itemsets.of(starts),
        spared=np.array([given.spared[item] for item in range(labels)], np.int64),
        sigma=stakes.sigma,
        steps=steps,
        all_rows=sensitive.n,
        labels=labels,
    )

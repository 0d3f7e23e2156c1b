"""What no recoding that is the same in all rows can lose less than.

Problem      a user who loses 40 % wants to know how much of that is the method's fault.
Method       a recoding that is the same in all rows keeps each sensitive item or drops it. Rules among
             kept sensitive items, the empty antecedent included, have the counts that they had: generalizing and
             dropping other items changes none of them. So of a set {antecedent, consequent} whose rule reaches its
             limit, some item is dropped, and its whole support is lost. And if all sets of three items of a group do
             so, or contain a set that does, at most two items of the group are kept. Groups are weighted: each has a
             whole number of occurrences of all its items, and no item gives more occurrences than it has. Then every
             recoding loses at least the sum of these numbers, each times the items that its group must lose.
Promises     never above the loss of any such recoding that passes the check. Whole numbers only: what
             the linear program suggests is rounded down and fitted again.
Cost         a number of steps, not of seconds, so that the same rows always have the same bound: at most `_MOST_SETS`
             sensitive sets, those of more rows if there are more, and `_MOST_LOOKS` and `_MOST_PIVOTS` for groups and
             their weights. A search that was cut short gives a bound that holds and may be lower; it says so.
Limits       a bound, and often not a tight one: it looks at sensitive items alone, and at sets of three at most. Where
             there are so few items that all recodings can be tried, the best of them is given, too (`optimum`).
Departures   not in cao2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.highs import pack
from discreet.itemsets import Itemsets
from discreet.uncertainty.smallest_loss import least_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Hierarchy
    from discreet.uncertainty.limits import Limits

__all__ = ["LowerBound", "lower_bound"]

_MOST_SETS = 1_200_000
"""How many sensitive sets are looked at."""

_KEPT = 2
"""How many items a recoding may keep of a group of which it may keep no three."""

_MOST_GROUPS = 20_000
"""How many groups the linear program weighs."""

_MOST_LOOKS = 150_000_000
"""How many items are looked at while groups are grown: about two seconds."""

_LOOKS_OF_STEP = 5_000
"""What a step costs, however few items it looks at."""

_MOST_PIVOTS = 1_500_000_000
"""Of the linear program: iterations times its size; about two seconds."""

_MOST_ROWS = 2**31
"""Products of two counts fit 64 bits below it."""


@dataclass(frozen=True, slots=True)
class LowerBound:
    """A loss that nobody can go below; `cut_short` if there were no steps left to look for a higher one.

    `optimum` is the least loss with the hierarchy that was given; None if there were too many recodings to try.
    """

    loss: Fraction
    cut_short: bool = False
    optimum: Fraction | None = None


def lower_bound(
    rows: Transactions, *, limits: Limits, sensitive: NDArray[np.int32], hierarchy: Hierarchy | None = None
) -> LowerBound:
    """Return a share of information that no safe recoding, the same in all rows, can lose less than.

    With a hierarchy, the optimum is sought as well.

    >>> from discreet.transactions.transactions import Transactions
    >>> from discreet.uncertainty.limits import Limits
    >>> rows = Transactions.from_rows([["flu", "hiv"], ["flu", "hiv"], ["flu"], ["tea"], ["tea"], ["tea"], ["tea"]])
    >>> private = np.array([rows.vocabulary.item(label) for label in ("flu", "hiv")], np.int32)
    >>> lower_bound(rows, limits=Limits(Fraction(1, 2)), sensitive=private)  # one of the two has to go: 2 of 9
    LowerBound(loss=Fraction(2, 9), cut_short=False, optimum=None)
    """
    supports = rows.item_supports()
    held = int(supports.sum())
    if not held or not len(sensitive) or rows.n >= _MOST_ROWS:
        return LowerBound(Fraction(0))
    forbidden = _forbidden(rows, limits, np.sort(sensitive))
    least, cut_short = _least_loss(forbidden, supports[np.sort(sensitive)])
    best = None if hierarchy is None else least_loss(rows, limits=limits, sensitive=sensitive, hierarchy=hierarchy)
    return LowerBound(Fraction(least, held), cut_short or forbidden.cut_short, best)


@dataclass(frozen=True, eq=False)
class _Forbidden:
    """Sets of sensitive items, numbered from 0, that no recoding keeps as a whole: of one, two and three items."""

    single: NDArray[np.int64]
    pairs: NDArray[np.int64]
    triples: NDArray[np.int64]
    cut_short: bool  # whether sets of few rows were left out


def _forbidden(rows: Transactions, limits: Limits, sensitive: NDArray[np.int32]) -> _Forbidden:
    number = np.full(len(rows.vocabulary), -1, np.int32)
    number[sensitive] = np.arange(len(sensitive), dtype=np.int32)
    kept = rows.itemsets.keeping(number[rows.items] >= 0)
    alone = Itemsets(kept.offsets, number[kept.items])
    firsts, weights = _kernel.fold_rows(alone, rows.weights)
    found, counts, sigma = _sets(alone.select(firsts), weights, rows.n, len(sensitive))
    part, whole = (share[sensitive] for share in limits.shares(rows.vocabulary, sensitive, rows.n))
    supports = np.zeros(len(sensitive), np.int64)
    reaches = np.zeros(len(found), bool)
    one_less = _kernel.one_item_less(found, len(sensitive))
    sets: list[NDArray[np.int64]] = [np.zeros((0, length), np.int64) for length in (1, 2, 3)]
    for first, last, items in found.by_length():
        length = items.shape[1]
        together = counts[first:last, None]
        if length == 1:
            supports[items[:, 0]] = counts[first:last]
            bad = together * whole[items] >= part[items] * rows.n
        else:
            without = one_less[found.offsets[first] : found.offsets[last]].reshape(items.shape)
            bad = (together * whole[items] >= part[items] * counts[without]) | reaches[without]
        reaches[first:last] = bad.any(axis=1)
        sets[length - 1] = items[reaches[first:last]].astype(np.int64)
    single, pairs, triples = sets
    return _Forbidden(single, pairs, triples, cut_short=sigma > 1)


def _sets(rows: Itemsets, weights: NDArray[np.int64], n: int, labels: int) -> tuple[Itemsets, NDArray[np.int64], int]:
    """Return the itemsets of up to three items with their supports, and the least support of a limited number."""
    sigma = 1
    while True:
        try:
            found, counts = _kernel.mine(
                rows,
                weights,
                total=n,
                sigma=sigma,
                labels=labels,
                target="all",
                cap=_KEPT + 1,
                max_patterns=_MOST_SETS,
                max_bytes=1 << 30,
                threads=1,
                layout="auto",
                progress=None,
            )
        except _kernel.TooMany:
            sigma *= 2
        else:
            return Itemsets(*found), counts, sigma


def _least_loss(forbidden: _Forbidden, supports: NDArray[np.int64]) -> tuple[int, bool]:
    """Return a number of occurrences that is lost, whatever hits all forbidden sets, and whether steps ran out."""
    left = supports.copy()
    gone = forbidden.single[:, 0]
    forced = int(left[gone].sum())
    left[gone] = 0
    pairs = forbidden.pairs[(left[forbidden.pairs] > 0).all(axis=1)]
    cliques, cut_short = _cliques(forbidden.triples[(left[forbidden.triples] > 0).all(axis=1)], left)
    cut_short |= len(cliques) + len(pairs) > _MOST_GROUPS
    pairs = pairs[np.argsort(-left[pairs].min(axis=1), kind="stable")[: max(0, _MOST_GROUPS - len(cliques))]]
    groups = Itemsets.of([*cliques, *pairs])
    losses = np.array([*(len(clique) - _KEPT for clique in cliques), *[1] * len(pairs)], np.int64)
    if not len(groups):
        return forced, cut_short
    iterations = _MOST_PIVOTS // (len(groups.items) + len(left))
    suggested = pack(groups.offsets, groups.items, losses, left, iterations=iterations)
    starts = [np.zeros(len(groups), np.int64)] + ([] if suggested is None else [suggested])
    return forced + max(_fitted(groups, losses, left, start) for start in starts), cut_short or suggested is None


def _cliques(triples: NDArray[np.int64], supports: NDArray[np.int64]) -> tuple[list[NDArray[np.int64]], bool]:
    """Return groups all of whose triples are among these, each from the occurrences that are left.

    A group is grown from the item that has most left by the item that has most left of those that fit. The flag says
    whether steps ran out.
    """
    labels = len(supports)
    ends = np.concatenate([triples, triples[:, [0, 2, 1]], triples[:, [1, 2, 0]]])
    keys = ends[:, 0] * labels + ends[:, 1]
    order = np.argsort(keys, kind="stable")
    thirds = ends[order, 2]
    pairs, starts = np.unique(keys[order], return_index=True)
    stops = np.append(starts[1:], len(keys))
    both = np.concatenate([pairs // labels, pairs % labels])
    by_end = np.argsort(both, kind="stable")
    partners = np.concatenate([pairs % labels, pairs // labels])[by_end]
    partners_from = np.searchsorted(both[by_end], np.arange(labels + 1))
    left = np.zeros(labels, np.int64)
    left[partners] = supports[partners]
    groups: list[NDArray[np.int64]] = []
    looks = 0
    while left.any():
        if looks > _MOST_LOOKS:
            return groups, True
        group = [int(left.argmax())]
        fits = np.zeros(labels, np.int64)
        fits[partners[partners_from[group[0]] : partners_from[group[0] + 1]]] = 1
        needed = 1
        while (room := np.where(fits == needed, left, 0)).any():
            looks += labels + _LOOKS_OF_STEP
            if looks > _MOST_LOOKS:
                break
            item = int(room.argmax())
            others = np.array(group)
            if len(group) == 1:
                fits[:], needed = 0, 0
            at = np.searchsorted(pairs, np.minimum(others, item) * labels + np.maximum(others, item))
            for pair in at.tolist():  # each is one of the pairs, since the item fitted
                fits[thirds[starts[pair] : stops[pair]]] += 1
                looks += int(stops[pair] - starts[pair]) + _LOOKS_OF_STEP // 4
            needed += len(group)
            group.append(item)
        if len(group) > _KEPT:
            groups.append(np.sort(np.array(group)))
            left[group] -= left[group].min()
        else:
            left[group[0]] = 0
        looks += labels + _LOOKS_OF_STEP
    return groups, False


def _fitted(groups: Itemsets, losses: NDArray[np.int64], supports: NDArray[np.int64], start: NDArray[np.int64]) -> int:
    """Return the loss that weights of the groups prove: from `start`, each made as large as still fits."""
    left = supports.copy()
    np.subtract.at(left, groups.items, start[groups.owners])
    if left.min() < 0 or start.min() < 0:
        return 0
    proved = int(losses @ start)
    for group, loss in zip(groups, losses.tolist(), strict=True):
        more = int(left[group].min())
        left[group] -= more
        proved += more * loss
    return proved

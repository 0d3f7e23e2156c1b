"""Free groups that an attacker can pin down, by adding virtual rows that change as little as possible.

Problem      given published patterns and groups that follow from them (see `attacker`), choose itemsets such that k
             more rows equal to each of them leave every group free: it can be empty, or have k rows or more.
Method       a lower bound is a sum of published supports (see `derivation`). Rows equal to H raise the support of each
             subset of H by k, hence the sum by k times the coefficients of its terms within H; likewise for an upper
             bound. So for each group and each H that may be added, it is known in advance whether the bound that
             pins the group gives way. A greedy cover chooses the H of least change, for some groups at a time.
Promises     no group becomes pinned that was free before: the new rows can be added to every data set that agreed with
             the old supports. Every support grows by a multiple of k.
Cost         groups times itemsets that may be added.
Departures   atzori2008 leaves these groups open; its Algorithm 3 is the case where H contains the group's present
             items and none of its absent ones.
Reference    atzori2008, sections 7 and 9   (tests/laws/test_repair.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.derivation import deduce

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from discreet.channels.addable import AddableRows
    from discreet.channels.attacker import Attack
    from discreet.channels.derivation import Figure
    from discreet.itemsets import Itemsets

__all__ = ["choose_freeing_rows"]

_WITH_BOUNDS = 24
"""Groups whose bounds are considered in one round: rows that free some groups free others as well."""

_ENOUGH_OF_BOUNDS = 4
"""When one bound gives way another may hold. After this many turns only rows in the group itself are added, if any."""

_FASTER = 4
"""How many times more groups each round considers than the one before."""

_SLACK = 1e-9
"""Floats only choose what to try; the result is attacked again, exactly."""


def choose_freeing_rows(found: Attack, addable: AddableRows, *, k: int, turn: int) -> Itemsets:
    """Return rows to add so that some of the groups are free, as far as any addable row frees them.

    Rows that free some groups free others as well, so the first turn considers only a few groups, and each later one
    more.
    """
    groups = found.groups
    sizes = groups.fulls.lengths[groups.which]
    numbers = np.lexsort([groups.highs, sizes])[: _WITH_BOUNDS * _FASTER**turn]
    held = _Held(addable.itemsets, found)
    frees = np.zeros((len(numbers), len(addable.itemsets)), bool)
    for row, number in enumerate(numbers.tolist()):
        base = groups.bases[number]
        absent = np.setdiff1d(groups.fulls[int(groups.which[number])], base)
        frees[row] = held.all_of(base) & ~held.any_of(absent)
    for row, why in enumerate(deduce(found, numbers[:_WITH_BOUNDS], shortest=False)):
        if turn >= _ENOUGH_OF_BOUNDS and frees[row].any():
            continue
        if why.low is not None:
            low = sum(float(figure.times * figure.value) for figure in why.low)
            frees[row] |= low + k * held.share(why.low) <= _SLACK
        if why.high is not None:
            high = sum(float(figure.times * figure.value) for figure in why.high)
            frees[row] |= high + k * held.share(why.high) >= k - _SLACK
    return addable.chosen(_cover(frees, addable.costs))


class _Held:
    """Which itemsets contain which items."""

    def __init__(self, itemsets: Itemsets, found: Attack) -> None:
        items = found.known.items
        self.place = {int(item): at for at, item in enumerate(items.tolist())}
        self.labels = {found.known.vocabulary[item]: item for item in items.tolist()}
        self.matrix = np.zeros((len(items), len(itemsets)), bool)
        of = itemsets.owners
        self.matrix[np.searchsorted(items, itemsets.items), of] = True
        self.known: dict[tuple[str, ...], NDArray[np.bool_]] = {}

    def all_of(self, items: Iterable[int]) -> NDArray[np.bool_]:
        """Return which itemsets contain all of these items."""
        rows = [self.place[int(item)] for item in items]
        return np.asarray(self.matrix[rows].all(axis=0))

    def any_of(self, items: Iterable[int]) -> NDArray[np.bool_]:
        """Return which itemsets contain any of these items."""
        rows = [self.place[int(item)] for item in items]
        return np.asarray(self.matrix[rows].any(axis=0))

    def share(self, figures: Iterable[Figure]) -> NDArray[np.float64]:
        """Return what a row equal to each itemset adds to a sum of figures."""
        total = np.zeros(self.matrix.shape[1])
        for figure in figures:
            if figure.items is None:
                continue  # the ceiling does not change
            if figure.items not in self.known:
                self.known[figure.items] = self.all_of(self.labels[label] for label in figure.items)
            total += float(figure.times) * self.known[figure.items]
        return total


def _cover(frees: NDArray[np.bool_], costs: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose columns that cover every row that can be covered: greedily, then drop the redundant ones."""
    open_rows = frees.any(axis=1)
    chosen: list[int] = []
    while open_rows.any():
        gain = frees[open_rows].sum(axis=0) / costs
        best = int(np.argmax(gain))
        chosen.append(best)
        open_rows &= ~frees[:, best]
    for one in sorted(chosen, key=lambda column: -costs[column]):
        others = [column for column in chosen if column != one]
        if others and (frees[:, others].any(axis=1) == frees[:, chosen].any(axis=1)).all():
            chosen = others
    return np.array(chosen, np.int64)

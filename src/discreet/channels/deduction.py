"""Why a group must be small: published figures, added and subtracted, that anyone can redo with a pencil.

A lower bound is a sum of published figures, each times some number, such that no kind of row counts for more in the sum
than it does in the group; an upper bound is one in which none counts for less. That is the dual of the linear program
that found the bound (see `attacker`), in fractions, without any figure that could be spared.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _kernel
from discreet.channels.channel import Itemsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.channels.attacker import Attack

__all__ = ["Deduction", "Figure", "deduce"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure in a sum, and how many times it counts.

    `items` is the itemset whose support it is, the empty one for the number of rows; None stands for the most rows that
    an itemset can have that is not published, one less than the threshold.
    """

    times: Fraction
    items: tuple[str, ...] | None
    value: int

    def to_json(self) -> list[Any]:
        """Return the JSON form: the coefficient, and the itemset or "sigma"."""
        times: int | str = self.times.numerator if self.times.denominator == 1 else str(self.times)
        return [times, "sigma" if self.items is None else list(self.items)]


@dataclass(frozen=True, slots=True)
class Deduction:
    """The sums that bound a group from below and from above; None where only whole rows give the bound."""

    low: tuple[Figure, ...] | None
    high: tuple[Figure, ...] | None

    def to_json(self) -> dict[str, Any] | None:
        """Return the JSON form."""
        if self.low is None or self.high is None:
            return None
        return {"low": [figure.to_json() for figure in self.low], "high": [figure.to_json() for figure in self.high]}


def deduce(
    found: Attack, numbers: Sequence[int] | NDArray[np.int64] | None = None, *, shortest: bool = True
) -> list[Deduction]:
    """Return the sums behind groups that an attack found, by their numbers; behind all of them without.

    With `shortest`, no figure of a sum can be spared, where there are at most 40.
    """
    chosen = np.arange(len(found.groups)) if numbers is None else np.asarray(numbers, np.int64)
    groups = found.groups
    twice = np.concatenate([chosen, chosen])
    places = np.concatenate([found.low_places[chosen], found.high_places[chosen]])
    bases = Itemsets(*_kernel.select_rows(groups.bases.offsets, groups.bases.items, twice))
    fulls = Itemsets(*_kernel.select_rows(groups.fulls.offsets, groups.fulls.items, groups.which[twice]))
    absent = _without(fulls, bases, len(groups.vocabulary))
    windows = Itemsets(*_kernel.select_rows(found.windows.offsets, found.windows.items, places))
    proofs = _kernel.prove(
        found.known.arrays,
        window_offsets=windows.offsets,
        window_items=windows.items,
        present_offsets=bases.offsets,
        present=bases.items,
        absent_offsets=absent.offsets,
        absent=absent.items,
        high=np.repeat(np.array([0, 1], np.uint8), len(chosen)),
        bounds=np.concatenate([groups.lows[chosen], groups.highs[chosen]]),
        shortest=shortest,
        threads=min(2, os.cpu_count() or 1) if len(chosen) > 1 else 0,
    )
    sums = _sums(found, proofs)
    return [Deduction(low, high) for low, high in zip(sums[: len(chosen)], sums[len(chosen) :], strict=True)]


def _without(fulls: Itemsets, bases: Itemsets, labels: int) -> Itemsets:
    """Return what each full set has beyond its base."""
    row_of = np.repeat(np.arange(len(fulls)), np.diff(fulls.offsets))
    base_of = np.repeat(np.arange(len(bases)), np.diff(bases.offsets))
    held = np.isin(row_of * labels + fulls.items, base_of * labels + bases.items)
    before = np.concatenate([[0], np.cumsum(~held)]).astype(np.int64)
    return Itemsets(before[fulls.offsets], fulls.items[~held])


def _sums(found: Attack, proofs: tuple[NDArray[Any], ...]) -> list[tuple[Figure, ...] | None]:
    starts, above, below, figures, ceilings, offsets, items, *_ = (array.tolist() for array in proofs)
    vocabulary = found.known.vocabulary
    sums: list[tuple[Figure, ...] | None] = []
    for first, last in pairwise(starts):
        terms = []
        for term in range(first, last):
            labels = tuple(vocabulary[item] for item in items[offsets[term] : offsets[term + 1]])
            times = Fraction(above[term], below[term])
            terms.append(Figure(times, None if ceilings[term] else labels, figures[term]))
        sums.append(tuple(terms) or None)
    return sums

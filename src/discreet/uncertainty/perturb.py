"""Randomize rows with select-a-size: the baseline that keeps its promise on average only.

Problem      rows from which a sensitive item can be inferred with a confidence below rho, at least in expectation.
Method       cao2010, section 6: each item of a row is kept with probability 1 - beta, and each item not in the row is
             added with probability beta (the paper's default distribution of sizes). So every cell of the 0/1 table
             of rows and items is flipped with probability beta, independently of all others.
Promises     none about any single data set: check the result. The same rows, beta and seed give the same result.
Cost         one random number for every row and item; the result has about beta * rows * items items.
Departures   beta is 1 - rho unless given. For its other methods, the paper measures loss in a hierarchy of all items
             "from which sensitive items are removed". Here it is the same tree over all items or, with the owner's
             hierarchy, that one with the sensitive items under its root. By the paper's measure a row that lost one
             item and gained none has lost nothing, because the lowest node above one item is the item itself.
Names        t, t' -> a row before and after;  IL_n -> `leaves_below[n] / leaf_count`.
Reference    cao2010   (docs/papers/cao2010.md)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError, param
from discreet.itemsets import Itemsets
from discreet.thresholds import Share, ShareLike
from discreet.transactions.generate.parameters import check_memory, check_whole
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.publication import published_layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.uncertainty.hierarchy import Hierarchy

__all__ = ["Perturbed", "perturb", "perturbation_loss"]

_CELLS = 1 << 21
"""Cells per batch."""

_FINEST = 1 << 62
"""The largest denominator of beta that random integers can be drawn for."""


@dataclass(frozen=True, slots=True, eq=False)
class Perturbed:
    """Randomized rows, and what they lost."""

    rows: Transactions
    beta: Fraction
    seed: int
    removed: int
    added: int
    information_loss: Fraction


def perturb(
    rows: Transactions,
    *,
    beta: ShareLike,
    hierarchy: Hierarchy,
    seed: int = 0,
    progress: Callable[[float, int], object] | None = None,
) -> Perturbed:
    """Flip each item of each row with probability `beta`; `hierarchy` covers all items, to measure the loss."""
    exact = Share.parse(beta, parameter="beta")
    if exact.denominator > _FINEST:
        raise ParameterError(f"{param('beta')} must have fewer digits", parameter="beta")
    check_whole("seed", seed, least=0)
    rows = rows.unfold()
    width = len(rows.vocabulary)
    check_memory(4 * (float(exact) * len(rows) * width + len(rows.items)))
    rng = np.random.Generator(np.random.PCG64(seed))
    step = max(1, _CELLS // max(1, width))
    lengths: list[NDArray[np.int64]] = []
    pieces: list[NDArray[np.int32]] = []
    for first in range(0, len(rows), step):
        last = min(first + step, len(rows))
        noisy = _held(rows, first, last) ^ (rng.integers(0, exact.denominator, (last - first, width)) < exact.numerator)
        lengths.append(np.count_nonzero(noisy, axis=1))
        pieces.append(np.nonzero(noisy)[1].astype(np.int32))
        if progress is not None:
            progress(last / len(rows), last)
    items = np.concatenate([*pieces, np.zeros(0, np.int32)])
    made = Transactions(
        Itemsets.from_lengths(np.concatenate([*lengths, np.zeros(0, np.int64)]), items),
        rows.vocabulary,
        layout=published_layout(rows.layout, rows.vocabulary.labels),
    )
    loss, removed = perturbation_loss(rows, made, hierarchy)
    return Perturbed(
        rows=made,
        beta=exact,
        seed=seed,
        removed=removed,
        added=len(items) - len(rows.items) + removed,
        information_loss=loss,
    )


def perturbation_loss(before: Transactions, after: Transactions, hierarchy: Hierarchy) -> tuple[Fraction, int]:
    """Return the average loss over the items of all rows, and how many of them are gone.

    The loss of a removed item is that of the lowest node above everything that its row lost or gained.
    """
    if not len(before.items):
        return Fraction(0), 0
    width = len(before.vocabulary)
    leaf = np.array([hierarchy.leaf_numbers[label] for label in before.vocabulary], np.int32)
    order = np.argsort(hierarchy.walk()[leaf])  # items under one node are adjacent
    lost, gone = 0, 0
    step = max(1, _CELLS // max(1, width))
    for first in range(0, len(before), step):
        last = min(first + step, len(before))
        held, noisy = _held(before, first, last), _held(after, first, last)
        missing = np.count_nonzero(held & ~noisy, axis=1)
        touched = np.flatnonzero(missing)
        changed = (held ^ noisy)[np.ix_(touched, order)]
        low = order[changed.argmax(axis=1)]
        high = order[width - 1 - changed[:, ::-1].argmax(axis=1)]
        above = _lowest_above(hierarchy.parent, leaf[low], leaf[high])
        lost += int((missing[touched] * hierarchy.leaves_below[above]).sum())
        gone += int(missing.sum())
    return Fraction(lost, len(before.items) * hierarchy.leaf_count), gone


def _held(rows: Transactions, first: int, last: int) -> NDArray[np.bool_]:
    """Return a 0/1 matrix of the items of the rows `first` to `last`, exclusive."""
    return rows.itemsets.part(first, last).incidence(len(rows.vocabulary))


def _lowest_above(parent: NDArray[np.int32], one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the lowest common ancestor of each pair; parents have larger numbers, so the smaller node climbs."""
    while (apart := one != other).any():
        lower = np.minimum(one, other)
        one, other = np.where(apart, parent[lower], one), np.maximum(one, other)
    return one

"""The data of oliveira2002, section 5: 100,000 rows of at least 40 out of 500 items, and ten restrictive patterns."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from discreet.patterns.mining import mine
from discreet.transactions.generate import quest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.transactions import Transactions

__all__ = ["grown_rows", "paper_rows", "restrictive_patterns"]

LEAST_ITEMS = 40
LENGTHS = (2, 2, 2, 3, 3, 3, 4, 4, 5, 5)
"""Ten patterns of two to five items, as in the paper."""


@cache
def paper_rows(rows: int = 100_000, *, seed: int = 2002) -> Transactions:
    """Draw rows as IBM's generator does, and keep those of at least 40 items: four out of five."""
    drawn = quest(rows=rows * 3 // 2, items=500, mean_length=56, pattern_length=10, patterns=75, seed=seed)
    long = np.flatnonzero(drawn.itemsets.lengths >= LEAST_ITEMS)[:rows]
    return drawn.select(long)


def grown_rows(rows: Transactions, size: int) -> Transactions:
    """Return so many rows, drawn from those given."""
    chosen = np.random.default_rng(1).integers(0, len(rows), size)
    return rows.select(chosen)


def restrictive_patterns(
    rows: Transactions, *, lengths: Sequence[int] = LENGTHS, least: str = "20%", seed: int = 1, hubs: int = 0
) -> list[list[str]]:
    """Draw itemsets that 20 % to 40 % of the rows hold; with `hubs`, each holds one of so many items.

    The paper does not say which patterns it took, but as its IGA removes about half as many items as MinFIA, they must
    share items.
    """
    found = mine(rows, min_support=least, target="all", max_length=max(lengths))
    draw = np.random.default_rng(seed)
    allowed = found.supports <= rows.n * 2 // 5
    if hubs:
        which = np.repeat(np.arange(len(found)), found.itemsets.lengths)
        alike = draw.choice(np.unique(found.items[np.repeat(allowed, found.itemsets.lengths)]), hubs, replace=False)
        allowed &= np.bincount(which[np.isin(found.items, alike)], minlength=len(found)) > 0
    chosen: list[int] = []
    for length in lengths:
        left = np.flatnonzero(allowed & (found.itemsets.lengths == length))
        chosen.append(int(draw.choice(np.setdiff1d(left, chosen))))
    return [_labels(found, place) for place in chosen]


def _labels(found: PatternSet, place: int) -> list[str]:
    return [found.vocabulary[item] for item in found.items[found.offsets[place] : found.offsets[place + 1]].tolist()]

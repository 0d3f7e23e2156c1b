"""The least loss of any recoding that is the same in all rows, where all of them can be tried.

Problem      on a few items, say how far a method is from the best that is possible with this hierarchy.
Method       every cut of the hierarchy, with every choice of what to drop at it, sensitive items included, is listed
             with its loss. From the least loss up each is applied and checked, and the first that passes is the best.
Promises     exact, or none: the number of recodings is known before one is tried, and where there are more than the
             budget, nothing is tried. The same rows always have the same answer.
Limits       not for tables, in which columns whose empty cells tell something are dropped as a whole.
Cost         a check for each recoding that loses less than the best one.
Departures   not in cao2010.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.uncertainty.check import check_items
from discreet.uncertainty.empty_cells import table_columns
from discreet.uncertainty.hierarchy import leaf_of_items
from discreet.uncertainty.publication import Publication

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Hierarchy
    from discreet.uncertainty.limits import Limits

__all__ = ["least_loss"]

_MOST = 5_000
"""How many recodings are tried: a second or two."""

_MOST_ROWS = 2_000
"""How many rows there may be."""


def least_loss(
    rows: Transactions, *, limits: Limits, sensitive: NDArray[np.int32], hierarchy: Hierarchy, most: int = _MOST
) -> Fraction | None:
    """Return the least loss of a safe recoding that is the same in all rows; None if there are too many to try.

    >>> from fractions import Fraction
    >>> from discreet.transactions.transactions import Transactions
    >>> from discreet.uncertainty.hierarchy import hierarchy_for
    >>> from discreet.uncertainty.limits import Limits
    >>> rows = Transactions.from_rows([["tea", "hiv"], ["milk"], ["milk"], ["milk"]])
    >>> private = np.array([rows.vocabulary.item("hiv")], np.int32)
    >>> tree = hierarchy_for(rows, private, [["tea", "drink"], ["milk", "drink"]], 4)
    >>> least_loss(rows, limits=Limits(Fraction(1, 2)), sensitive=private, hierarchy=tree)  # tea or hiv is dropped
    Fraction(1, 5)
    """
    if len(rows) > _MOST_ROWS or table_columns(rows) or _count(rows, sensitive, hierarchy, most) > most:
        return None
    leaves = leaf_of_items(hierarchy, rows.vocabulary, sensitive)
    tried: list[tuple[Fraction, int, Publication]] = []
    for cut in _cuts(hierarchy, len(hierarchy.labels) - 1):
        chosen = np.zeros(len(hierarchy.labels), bool)
        chosen[list(cut)] = True
        node_of = np.append(hierarchy.climb(chosen), -1)[leaves].astype(np.int32)
        groups = [group for node in cut if len(group := np.flatnonzero(node_of == node))]
        groups += [np.array([item]) for item in sensitive.tolist()]
        for size in range(len(groups) + 1):
            for dropped in combinations(groups, size):
                items = np.sort(np.concatenate([np.zeros(0, np.int64), *dropped])).astype(np.int32)
                candidate = Publication(rows.vocabulary, hierarchy, items, node_of)
                tried.append((candidate.information_loss(rows), len(tried), candidate))
    return next(loss for loss, _, each in sorted(tried, key=lambda entry: entry[:2]) if _passes(each, rows, limits))


def _passes(candidate: Publication, rows: Transactions, limits: Limits) -> bool:
    published = candidate.apply(rows)
    private = np.flatnonzero(candidate.node_of < 0).tolist()
    kept = [published.vocabulary.item(rows.vocabulary[item]) for item in private]
    return check_items(published, limits, np.array([item for item in kept if item is not None], np.int32)).safe


def _count(rows: Transactions, sensitive: NDArray[np.int32], hierarchy: Hierarchy, most: int) -> int:
    """Return how many recodings there are, or some number above `most`."""
    if len(sensitive) >= most.bit_length():
        return most + 1
    held = {int(leaf) for leaf in leaf_of_items(hierarchy, rows.vocabulary, sensitive).tolist() if leaf >= 0}
    ways = [2 if leaf in held else 1 for leaf in range(hierarchy.leaf_count)]
    below = [1] * (len(hierarchy.labels) - hierarchy.leaf_count)
    for node, above in enumerate(hierarchy.parent.tolist()):
        if node >= hierarchy.leaf_count:
            ways.append(2 + below[node - hierarchy.leaf_count])
        if above >= 0:
            product = below[above - hierarchy.leaf_count] * ways[node]
            below[above - hierarchy.leaf_count] = min(product, most + 1)
    return (ways[-1] if ways else 1) << len(sensitive)


def _cuts(tree: Hierarchy, node: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to generalize what is below a node."""
    if node < 0:
        yield ()
        return
    yield (node,)
    children = np.flatnonzero(tree.parent == node).tolist()
    if not children:
        return
    ways: list[tuple[int, ...]] = [()]
    for child in children:
        ways = [(*before, *more) for before in ways for more in _cuts(tree, child)]
    yield from ways

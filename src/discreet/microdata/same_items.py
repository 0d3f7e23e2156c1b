"""Which items still mean the same after generalizing, and which published itemsets the table itself does not have."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.itemsets import Itemsets
from discreet.microdata.column_hierarchy import MISSING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from discreet.microdata.column_hierarchy import ColumnHierarchy
    from discreet.microdata.kanon import AnonymousTable
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.transactions import Transactions

__all__ = ["invented_itemsets", "unchanged_items"]


def invented_itemsets(
    rows: Transactions, sigma: int, published: PatternSet, unchanged: Collection[str] | None = None
) -> int:
    """Return how many published itemsets of the table's own items are not frequent in it; their subsets count, too."""
    own = rows.vocabulary.positions
    same = own.keys() if unchanged is None else own.keys() & unchanged
    codes = [own[label] if label in same else -1 for label in published.vocabulary]
    wanted = np.array([code >= 0 for code in codes], bool)
    listed = published.itemsets.keeping(wanted[published.items]).canonical(np.maximum(codes, 0).astype(np.int32))
    items = len(rows.vocabulary)
    true = listed.count_in(rows.itemsets, rows.weights, items)
    rare = [listed[place].tolist() for place in np.flatnonzero(true < sigma).tolist()]
    if not rare:
        return 0
    subsets = {part for one in rare for size in range(1, len(one) + 1) for part in combinations(sorted(one), size)}
    every = Itemsets.of(sorted(subsets))
    return int((every.count_in(rows.itemsets, rows.weights, items) < sigma).sum())


def unchanged_items(
    rows: Transactions, made: AnonymousTable, ladders: Mapping[str, ColumnHierarchy]
) -> NDArray[np.bool_]:
    """Return which items mean the same in the generalized table: the same value, not merged with any other."""
    same = np.ones(len(rows.vocabulary), bool)
    for column, level in made.generalization.items():
        start = f"{column}="
        values = {
            item: label.removeprefix(start) for item, label in enumerate(rows.vocabulary) if label.startswith(start)
        }
        lines = {item: ladders[column].line(value) for item, value in values.items()}
        missing = ladders[column].line(MISSING)
        becomes = Counter(line[level] for line in (*lines.values(), missing) if line is not None)
        for item, value in values.items():
            line = lines[item]
            same[item] = line is not None and line[level] == value and becomes[value] == 1
    return same

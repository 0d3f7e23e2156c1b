"""Look at quasi-identifiers only: the items by which a stranger could recognize someone (atzori2008, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.collection import Collection
from discreet.errors import ParameterError
from discreet.patterns.patternset import PatternSet
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["chosen_items", "restrict_patterns", "restrict_rows"]


def restrict_rows(rows: Transactions, quasi_identifiers: Names | None) -> Transactions:
    """Return the rows with everything but the quasi-identifiers left out; the number of rows stays."""
    if quasi_identifiers is None:
        return rows
    keep = chosen_items(rows.vocabulary, quasi_identifiers)
    offsets, items = _cut(rows.offsets, rows.items, keep)
    return Transactions(offsets=offsets, items=items, vocabulary=rows.vocabulary, weights=rows.weights)


def restrict_patterns(collection: Collection, quasi_identifiers: Names | None) -> Collection:
    """Return the itemsets made of quasi-identifiers alone.

    Closed itemsets are cut down to them: what is left of one is closed among the rest, and has the largest support of
    those that are cut to the same.
    """
    if quasi_identifiers is None:
        return collection
    patterns = collection.patterns
    keep = chosen_items(patterns.vocabulary, quasi_identifiers)
    if collection.kind == "closed":
        offsets, items = _cut(patterns.offsets, patterns.items, keep)
        chosen = np.flatnonzero(np.diff(offsets) > 0)
    else:
        offsets, items = patterns.offsets, patterns.items
        inside = np.add.reduceat(keep[items], offsets[:-1]) if len(patterns) else np.zeros(0, np.int64)
        chosen = np.flatnonzero(inside == np.diff(offsets))
    offsets, items = _kernel.select_rows(offsets, items, chosen)
    supports = patterns.supports[chosen]
    if collection.kind == "closed":
        offsets, items, supports = _largest_of_equals(offsets, items, supports, len(patterns.vocabulary))
    restricted = PatternSet.from_codes(
        offsets,
        items,
        supports,
        patterns.vocabulary,
        n=patterns.n,
        min_support=patterns.min_support,
        target=patterns.target,
        max_length=patterns.max_length,
    )
    return Collection(restricted, collection.kind, said=collection.said)


def chosen_items(vocabulary: Vocabulary, quasi_identifiers: Names) -> NDArray[np.bool_]:
    """Say of each item whether it is named, by its label or by its column."""
    named = parse_names(quasi_identifiers, "quasi_identifiers")
    keep = np.zeros(len(vocabulary), bool)
    for name in named:
        matches = [item for item, label in enumerate(vocabulary) if label == name or label.startswith(f"{name}=")]
        if not matches:
            raise ParameterError(
                f"no item or column is called {name!r}; name quasi-identifiers as they stand in the data",
                parameter="quasi_identifiers",
            )
        keep[matches] = True
    return keep


def _cut(
    offsets: NDArray[np.int64], items: NDArray[np.int32], keep: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    kept = keep[items]
    before = np.concatenate([[0], np.cumsum(kept)])
    return before[offsets].astype(np.int64), items[kept]


def _largest_of_equals(
    offsets: NDArray[np.int64], items: NDArray[np.int32], supports: NDArray[np.int64], labels: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    from discreet.patterns.canonical import newness, sorting_order

    order = sorting_order(offsets, items, labels)
    offsets, items = _kernel.select_rows(offsets, items, order)
    first = np.flatnonzero(newness(offsets, items))
    best = np.maximum.reduceat(supports[order], first) if len(first) else supports
    offsets, items = _kernel.select_rows(offsets, items, first)
    return offsets, items, best

"""Restrict rows and patterns to quasi-identifiers: items that can identify a person (atzori2008, section 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.patterns.patternset import PatternSet
from discreet.transactions.label_names import listed, resolve
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.collection import Collection
    from discreet.itemsets import Itemsets
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["chosen_items", "restrict_patterns", "restrict_rows"]


def restrict_rows(rows: Transactions, quasi_identifiers: Names | None) -> Transactions:
    """Return the rows without any items but the quasi-identifiers; the number of rows stays the same."""
    if quasi_identifiers is None:
        return rows
    keep = chosen_items(rows.vocabulary, quasi_identifiers)
    return Transactions(rows.itemsets.keeping(keep[rows.items]), rows.vocabulary, rows.weights, read=rows.read)


def restrict_patterns(collection: Collection, quasi_identifiers: Names | None) -> Collection:
    """Return the itemsets made of quasi-identifiers alone.

    Closed itemsets are intersected with the quasi-identifiers. The intersection is closed among the remaining items,
    and its support is the largest of those with the same intersection.
    """
    if quasi_identifiers is None:
        return collection
    patterns = collection.patterns
    keep = chosen_items(patterns.vocabulary, quasi_identifiers)
    inside = patterns.itemsets.keeping(keep[patterns.items])
    if collection.kind == "closed":
        itemsets, supports = _largest_of_equals(inside, patterns.supports)
    else:
        chosen = np.flatnonzero(inside.lengths == patterns.itemsets.lengths)
        itemsets, supports = patterns.itemsets.select(chosen), patterns.supports[chosen]
    restricted = PatternSet.from_codes(
        itemsets,
        supports,
        patterns.vocabulary,
        n=patterns.n,
        min_support=patterns.min_support,
        target=patterns.target,
        max_length=patterns.max_length,
    )
    return replace(collection, patterns=restricted)


def chosen_items(vocabulary: Vocabulary, quasi_identifiers: Names) -> NDArray[np.bool_]:
    """Return for each item whether it is named, by its label or by its column."""
    named = listed(parse_names(quasi_identifiers, "quasi_identifiers"), "quasi_identifiers")
    found = resolve(named, vocabulary.labels, parameter="quasi_identifiers", ignore_unknown=None)
    keep = np.zeros(len(vocabulary), bool)
    keep[[vocabulary.positions[label] for labels in found.values() for label in labels]] = True
    return keep


def _largest_of_equals(itemsets: Itemsets, supports: NDArray[np.int64]) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return each nonempty itemset once, sorted, with the largest of its supports."""
    order = itemsets.order()
    order = order[itemsets.lengths[order] > 0]
    ordered = itemsets.select(order)
    first = np.flatnonzero(ordered.is_new())
    best = np.maximum.reduceat(supports[order], first) if len(first) else supports[order]
    return ordered.select(first), best

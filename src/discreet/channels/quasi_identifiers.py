"""Restrict rows and patterns to quasi-identifiers: items that can identify a person (atzori2008, section 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.exclusive import Exclusive
from discreet.channels.exclusive_names import named_sets, parse_exclusive
from discreet.errors import ParameterError, param
from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
from discreet.patterns.patternset import PatternSet
from discreet.transactions.label_names import listed, matches, resolve
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from discreet.channels.channel import Channels
    from discreet.channels.collection import Collection as PublishedCollection
    from discreet.channels.exclusive_names import Named
    from discreet.channels.row_source import RowSource
    from discreet.itemsets import Itemsets
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["chosen_items", "keep_items", "restrict_channels", "restrict_patterns", "restrict_rows", "without_unknown"]


def restrict_rows(rows: Transactions, quasi_identifiers: Names | None) -> Transactions:
    """Return the rows without any items but the quasi-identifiers; the number of rows stays the same."""
    if quasi_identifiers is None:
        return rows
    keep = chosen_items(rows.vocabulary, quasi_identifiers)
    return Transactions(rows.itemsets.keeping(keep[rows.items]), rows.vocabulary, rows.weights, read=rows.read)


def restrict_patterns(
    collection: PublishedCollection, quasi_identifiers: Names | frozenset[str] | None
) -> PublishedCollection:
    """Return the itemsets made of quasi-identifiers alone."""
    if quasi_identifiers is None:
        return collection
    return keep_items(collection, chosen_items(collection.patterns.vocabulary, quasi_identifiers))


def keep_items(collection: PublishedCollection, keep: NDArray[np.bool_]) -> PublishedCollection:
    """Return the itemsets made of some items alone, given by a mask.

    Closed itemsets are intersected with them. The intersection is closed among the remaining items, and its support is
    the largest of those with the same intersection.
    """
    patterns = collection.patterns
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


def chosen_items(
    vocabulary: Vocabulary, quasi_identifiers: Names | frozenset[str], labels: Collection[str] | None = None
) -> NDArray[np.bool_]:
    """Return for each item whether it is named, by its label or by its column.

    A frozenset lists the labels themselves. `labels` are all labels of the data, if the vocabulary lacks some.
    """
    if isinstance(quasi_identifiers, frozenset):
        return np.array([label in quasi_identifiers for label in vocabulary], bool)
    named = listed(parse_names(quasi_identifiers, "quasi_identifiers"), "quasi_identifiers")
    found = resolve(named, vocabulary.labels if labels is None else labels, parameter="quasi_identifiers")
    places = (vocabulary.positions.get(label) for labels in found.values() for label in labels)
    keep = np.zeros(len(vocabulary), bool)
    keep[[place for place in places if place is not None]] = True
    return keep


def restrict_channels(channels: Channels, asked: NDArray[np.bool_]) -> Channels:
    """Return the channels that consist of these items only."""
    fulls = channels.fulls
    inside = fulls.keeping(~asked[fulls.items]).lengths == 0
    return channels.chosen(np.flatnonzero(inside[channels.which]))


def without_unknown(
    source: RowSource | Transactions | PatternSet | ImportedPatterns | ImportedRules,
    quasi_identifiers: Names | None,
    exclusive: Named | Exclusive | None = None,
) -> tuple[tuple[str, ...] | None, tuple[tuple[str, ...], ...] | Exclusive | None]:
    """Return the names without those that stand for nothing in the data; refuse to be left with no identifier."""
    if isinstance(source, (Transactions, PatternSet, ImportedPatterns, ImportedRules)):
        labels: Sequence[str] = source.vocabulary.labels
    else:
        labels = source.all_labels()
    if exclusive is not None and not isinstance(exclusive, Exclusive):
        sets = named_sets(parse_exclusive(exclusive), labels, ignore_unknown=True)
        exclusive = tuple(each.labels for each in sets) or None
    if quasi_identifiers is None:
        return None, exclusive
    found = matches(parse_names(quasi_identifiers, "quasi_identifiers"), labels)
    known = tuple(name for name, items in found.items() if items)
    if not known:
        raise ParameterError(
            f"{param('quasi_identifiers')} names no item and no column of the data, so nothing would be looked at; "
            "name one at least",
            parameter="quasi_identifiers",
        )
    return known, exclusive


def _largest_of_equals(itemsets: Itemsets, supports: NDArray[np.int64]) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return each nonempty itemset once, sorted, with the largest of its supports."""
    order = itemsets.order()
    order = order[itemsets.lengths[order] > 0]
    ordered = itemsets.select(order)
    first = np.flatnonzero(ordered.is_new())
    best = np.maximum.reduceat(supports[order], first) if len(first) else supports[order]
    return ordered.select(first), best

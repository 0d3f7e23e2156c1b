"""Check whether published patterns belong to given rows.

Problem      given patterns that may have been blocked, by either method, and the rows, decide whether they fit.
Method       for every maximal itemset, count the groups of the rows, and compute the same groups from the published
             supports. Additive blocking adds rows, k of each kind, so that every group grows by a multiple of k or
             stays the same; suppressive blocking leaves rows out, so that every group shrinks or stays the same.
Promises     what `block` returns fits, and so do patterns as they were mined, and any selection from either by support.
             Patterns that fit by growing list every itemset that is frequent in the rows, unless some were withheld.
Departures   it does not search for the rows that were added or left out: only the owner may know them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.collection import collection_of
from discreet.channels.grouping import EVERY_SIZE, groups_of_patterns, groups_of_rows
from discreet.errors import DataError
from discreet.itemsets import Itemsets
from discreet.patterns.mining import mine
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.grouping import Groups
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["check_fit"]


def check_fit(patterns: PatternSet, rows: Transactions, *, k: int) -> None:
    """Raise DataError if no blocking of the rows for this k yields the patterns."""
    collection = collection_of(patterns)
    # Of a selection all subsets are listed, and those that look closed need not be closed under intersection.
    closed, targets = patterns if collection.kind == "incomplete" else collection.closed, collection.maximal
    known = _over(rows, patterns.vocabulary)
    published = groups_of_patterns(closed.itemsets, closed.supports, patterns.n, targets, below=EVERY_SIZE)
    change = _differences(published, groups_of_rows(known, targets, below=EVERY_SIZE))
    grown, shrunk = bool((change > 0).any()), bool((change < 0).any())
    if grown and shrunk:
        raise DataError(
            "the patterns are not those of these rows: some groups have more rows than there are, some fewer"
        )
    if grown and (change % k).any():
        raise DataError(f"the patterns are not those of these rows: a group has more, and not by a multiple of {k:,}")
    if patterns.target != "selected" and not shrunk and not _all_listed(rows, patterns):
        raise DataError("the patterns are not all those of these rows: an itemset is as frequent, and not listed")


def _over(rows: Transactions, vocabulary: Vocabulary) -> Transactions:
    """Return the rows restricted to published labels, numbered as in the patterns."""
    number = np.array([-1 if (item := vocabulary.item(label)) is None else item for label in rows.vocabulary], np.int32)
    return Transactions(rows.itemsets.renumbered(number), vocabulary, rows.weights)


def _differences(published: Groups, counted: Groups) -> NDArray[np.int64]:
    """Return, for every group of either, the number of rows published minus the number counted."""
    bases = published.bases.followed_by(counted.bases)
    targets = np.concatenate([published.targets, counted.targets])
    signed = np.concatenate([published.counts, -counted.counts])
    # a group is its target and its base: the target becomes one more item, and equal groups are added up
    most = int(bases.items.max(initial=0)) + 1
    keyed = bases.joined_with(Itemsets.of_matrix((most + targets).astype(np.int32)[:, None]))
    _, sums = _kernel.fold_rows(keyed, signed)
    return sums


def _all_listed(rows: Transactions, patterns: PatternSet) -> bool:
    """Return whether every itemset that is frequent in the rows is within a published one."""
    frequent = mine(rows, min_support=patterns.min_support, target="maximal")
    labels = frequent.vocabulary
    number = np.array([labels.item(label) for label in patterns.vocabulary], object)
    if any(item is None for item in number):
        return False
    published = patterns.itemsets.canonical(number.astype(np.int32))
    return bool((frequent.itemsets.count_in(published, None, len(labels)) > 0).all())

"""All frequent itemsets, from the closed ones.

Problem      given the closed itemsets with their supports, return every frequent itemset with its support.
Method       longest first: a set of length L is itself closed or one item short of a frequent set of length L + 1, and
             its support is the largest among those, because its smallest closed superset has the same rows.
Promises     the same itemsets and supports as mining with target "all".
Cost         one sort per length of the sets of that length, each as often as it has frequent supersets one item longer.
"""

from __future__ import annotations

import numpy as np

from discreet.errors import ParameterError, TooManyPatterns, param
from discreet.itemsets import Itemsets, sort_keys
from discreet.patterns.patternset import PatternSet

__all__ = ["expand_closed"]


def expand_closed(patterns: PatternSet, *, max_patterns: int = 20_000_000) -> PatternSet:
    """Return all frequent itemsets that a complete collection of closed ones stands for.

    >>> closed = PatternSet.from_itemsets([("a", 3), ("ab", 2)], n=3, min_support=2, target="closed")
    >>> [(sorted(itemset), support) for itemset, support in expand_closed(closed)]
    [(['a'], 3), (['b'], 2), (['a', 'b'], 2)]
    """
    if patterns.target != "closed" or patterns.max_length is not None:
        raise ParameterError(
            "only a complete collection of closed itemsets determines all the others; "
            f'mine with target "closed" and without {param("max_length")}',
            parameter="patterns",
        )
    listed = {matrix.shape[1]: (first, last) for first, last, matrix in patterns.itemsets.by_length()}
    longest = max(listed, default=0)
    levels = []
    sets, supports = np.zeros((0, longest + 1), np.int32), np.zeros(0, np.int64)
    found = 0
    for length in range(longest, 0, -1):
        first, last = listed.get(length, (0, 0))
        own = patterns.itemsets.part(first, last).items.reshape(last - first, length)
        shorter = [np.delete(sets, column, axis=1) for column in range(length + 1)]
        sets = np.concatenate([own, *shorter])
        supports = np.concatenate([patterns.supports[first:last], np.tile(supports, length + 1)])
        keep = _best_of_equals(sets, supports, len(patterns.vocabulary))
        sets, supports = sets[keep], supports[keep]
        levels.append((sets, supports))
        found += len(sets)
        if found > max_patterns:
            raise TooManyPatterns(
                f"the {len(patterns):,} closed itemsets stand for more than {max_patterns:,} itemsets; "
                f"raise {param('min_support')}",
                found=found,
                min_support=patterns.min_support,
            )
    levels.reverse()
    lengths = np.repeat(np.arange(1, longest + 1), [len(level) for level, _ in levels])
    items = np.concatenate([np.zeros(0, np.int32), *(level.ravel() for level, _ in levels)])
    return PatternSet.unchecked(
        itemsets=Itemsets.from_lengths(lengths, items),
        supports=np.concatenate([np.zeros(0, np.int64), *(level for _, level in levels)]),
        vocabulary=patterns.vocabulary,
        n=patterns.n,
        min_support=patterns.min_support,
        target="all",
    )


def _best_of_equals(sets: np.ndarray, supports: np.ndarray, labels: int) -> np.ndarray:
    """Return the row numbers of the distinct sets in canonical order, each with its largest support."""
    keys = sort_keys(sets, labels)
    order = np.lexsort([-supports, *keys])
    new = np.ones(len(order), bool)
    if len(order):
        new[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
    return np.asarray(order[new])

"""What a reader of a publication knows: supports, a limit on unpublished ones, and which items exclude each other.

One publication is a `Layer`. Several publications of the same rows are several layers. If rows were added between two
of them, the later one describes all rows, and the earlier one those with a `marker`: an item that is never published
and means "was already there".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.itemsets import Itemsets
from discreet.patterns.counted_patterns import CountedPatterns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.collection import Collection
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["Knowledge", "Layer"]

_UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Layer:
    """One publication: itemsets whose supports lie in `lows` .. `highs`, and `n` rows if that is known.

    `ceiling` is the greatest possible support of an unlisted itemset of at most `longest` items (None: of any), None if
    nothing is known about those. With `closed`, a subset of a listed itemset is as frequent as the most frequent listed
    itemset that contains it. With `of_rows`, the itemsets are rows instead, and `lows` how often each occurs: all their
    itemsets above the ceiling are published. That says the same as the list of them, and is shorter where there are
    more itemsets than rows.
    """

    itemsets: Itemsets
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    n: int | None
    ceiling: int | None
    closed: bool
    marker: int | None = None
    longest: int | None = None
    of_rows: bool = False


@dataclass(frozen=True, eq=False)
class Knowledge:
    """All that is known about some rows; `exclusive` are sets of items of which a row contains at most one."""

    vocabulary: Vocabulary
    layers: tuple[Layer, ...]
    exclusive: Itemsets

    @classmethod
    def of(
        cls,
        collection: Collection,
        exclusive: Itemsets | None = None,
        *,
        kinds: Transactions | None = None,
    ) -> Knowledge:
        """Return what a published collection reveals; of one cut off at a length, nothing about longer itemsets.

        `kinds` are the rows that the collection was mined from, if there are any.
        """
        apart = Itemsets.none() if exclusive is None else exclusive
        if kinds is not None and _says_it_shorter(kinds, collection.patterns):
            return cls(kinds.vocabulary, (_layer_of_rows(kinds, collection.patterns.min_support),), apart)
        incomplete = collection.kind == "incomplete"
        if not collection.counted:  # of closed itemsets, the empty one would have to be listed with n
            patterns = collection.patterns if incomplete else collection.everything
        else:
            patterns = collection.patterns if incomplete else collection.closed
        layer = Layer(
            itemsets=patterns.itemsets,
            lows=patterns.supports,
            highs=patterns.supports,
            n=patterns.n if collection.counted else None,
            ceiling=None if incomplete else max(0, patterns.min_support - 1),
            closed=collection.counted and not incomplete,
            longest=collection.patterns.max_length,
        )
        return cls(patterns.vocabulary, (layer,), apart)

    @cached_property
    def items(self) -> NDArray[np.int32]:
        """The items that any layer lists, ascending."""
        used = [layer.itemsets.used(len(self.vocabulary)) for layer in self.layers]
        return np.unique(np.concatenate(used)).astype(np.int32)

    @cached_property
    def arrays(self) -> _kernel.Known:
        """The same as kernel arguments."""
        layers = self.layers
        return _kernel.Known(
            itemsets=Itemsets.none().followed_by(*(layer.itemsets for layer in layers)),
            lows=np.concatenate([layer.lows for layer in layers]).astype(np.int64),
            highs=np.concatenate([layer.highs for layer in layers]).astype(np.int64),
            starts=np.cumsum([0, *(len(layer.itemsets) for layer in layers)]).astype(np.int64),
            totals=np.array([_UNKNOWN if layer.n is None else layer.n for layer in layers], np.int64),
            ceilings=np.array([_UNKNOWN if layer.ceiling is None else layer.ceiling for layer in layers], np.int64),
            longest=np.array([_UNKNOWN if layer.longest is None else layer.longest for layer in layers], np.int64),
            markers=np.array([_UNKNOWN if layer.marker is None else layer.marker for layer in layers], np.int32),
            closed=np.array([layer.closed for layer in layers], np.uint8),
            of_rows=np.array([layer.of_rows for layer in layers], np.uint8),
            exclusive=self.exclusive,
            labels=len(self.vocabulary),
        )


def _says_it_shorter(kinds: Transactions, patterns: PatternSet) -> bool:
    shorter = isinstance(patterns, CountedPatterns) or len(kinds) < len(patterns)
    return shorter and kinds.vocabulary.labels == patterns.vocabulary.labels


def _layer_of_rows(kinds: Transactions, min_support: int) -> Layer:
    counts = np.ones(len(kinds), np.int64) if kinds.weights is None else kinds.weights
    ceiling = max(0, min_support - 1)
    return Layer(kinds.itemsets, counts, counts, n=kinds.n, ceiling=ceiling, closed=True, of_rows=True)

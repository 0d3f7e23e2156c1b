"""The list that would be published: itemsets with their supports before and after, searched and sorted as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.wording import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.channels.blocking import Blocked
    from discreet.itemsets import Itemsets
    from discreet.patterns.patternset import PatternSet

__all__ = ["ListedItemset", "PublishedItemsets"]


class ListedItemset(NamedTuple):
    """An itemset, with its support in the rows and what is published: 0 if it is withheld, None if not known."""

    items: tuple[str, ...]
    before: int
    after: int | None


@dataclass(frozen=True, slots=True, eq=False)
class PublishedItemsets:
    """All itemsets; `after` is None if nothing is known to be changed."""

    itemsets: Itemsets
    labels: Sequence[str]
    before: NDArray[np.int64]
    after: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, patterns: PatternSet) -> PublishedItemsets:
        """Return patterns as they are."""
        return cls(patterns.itemsets, patterns.vocabulary.labels, patterns.supports)

    @classmethod
    def published(cls, patterns: PatternSet) -> PublishedItemsets:
        """Return patterns that are published as they are."""
        return cls(patterns.itemsets, patterns.vocabulary.labels, patterns.supports, patterns.supports)

    @classmethod
    def changed(cls, blocked: Blocked) -> PublishedItemsets:
        """Return what blocking made of the closed itemsets."""
        change = blocked.change
        closed = change.closed
        return cls(closed.itemsets, closed.vocabulary.labels, closed.supports, change.supports)

    def __len__(self) -> int:
        return len(self.itemsets)

    def found(self, text: str, *, by: str = "before", descending: bool = True) -> NDArray[np.int64]:
        """Return the numbers of the itemsets that have a text in an item, in order.

        Several texts, with commas between them, must all be there.

        >>> from discreet.patterns.mining import mine
        >>> from discreet.transactions.transactions import Transactions
        >>> listing = PublishedItemsets.of(mine(Transactions.from_rows([["tea", "milk"], ["tea"]]), min_support=1))
        >>> [listing.part(listing.found(text))[0].items for text in ("", "il, te")]
        [('tea',), ('milk', 'tea')]
        """
        kept = np.ones(len(self), bool)
        owners = self.itemsets.owners
        for each in filter(None, (folded(part.strip()) for part in text.split(","))):
            here = np.array([each in folded(label) for label in self.labels], bool)
            having = np.zeros(len(self), bool)
            having[owners[here[self.itemsets.items]]] = True
            kept &= having
        numbers = np.flatnonzero(kept)
        key = self._key(by)[numbers]
        return numbers[np.argsort(-key if descending else key, kind="stable")]

    def _key(self, by: str) -> NDArray[np.int64]:
        after = self.before if self.after is None else self.after
        keys = {"before": self.before, "after": after, "change": after - self.before, "items": self.itemsets.lengths}
        return keys.get(by, self.before)

    def part(self, numbers: NDArray[np.int64]) -> list[ListedItemset]:
        """Return some of the itemsets."""
        before = self.before[numbers].tolist()
        after = [None] * len(before) if self.after is None else self.after[numbers].tolist()
        items = self.itemsets.select(numbers).labels(self.labels)
        return [ListedItemset(tuple(each), *figures) for each, *figures in zip(items, before, after, strict=True)]

"""Closed itemsets that are so many that they are counted, and listed only if somebody looks at them.

Problem      an audit of a table of fifty columns can meet ten million closed itemsets. Listing them takes half a minute
             and 1.7 GB, and hardly anything needs the list: most of it needs the maximal ones, and the number.
Method       count them first (`count_closed`), and give up counting where it is not much faster than mining.
Promises     the same itemsets, number and refusals as `mine`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import TooManyPatterns, param
from discreet.patterns.expected_count import PROBES
from discreet.patterns.mining import DEFAULT_MAX_PATTERNS, count_closed, mine
from discreet.patterns.patternset import PatternSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.transactions.transactions import Transactions

__all__ = ["MOST_LISTED", "CountedPatterns", "mine_or_count"]

MOST_LISTED = 2_000_000
"""The most closed itemsets that are listed before anybody looks at them."""

_MOST_SINGLY = 50_000
"""The most itemsets that are counted one by one: some hundredths of a second."""


class CountedPatterns(PatternSet):
    """Closed itemsets of rows, of which the number is known; they are mined when somebody looks at them."""

    rows: Transactions
    count: int

    @classmethod
    def of(cls, rows: Transactions, min_support: int, count: int) -> CountedPatterns:
        """Return the closed itemsets of `rows`, of which there are `count`."""
        self = cls.__new__(cls)
        fields = {
            "rows": rows, "count": count, "vocabulary": rows.vocabulary, "n": rows.n, "min_support": min_support,
            "target": "closed", "max_length": None, "read": rows.read,
        }  # fmt: skip
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        return self

    def __getattr__(self, name: str) -> Any:  # the arrays
        """Mine the itemsets as soon as one of the two arrays is looked at."""
        if name not in ("itemsets", "supports"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        mined = mine(self.rows, min_support=self.min_support)
        for attribute in ("itemsets", "supports"):
            object.__setattr__(self, attribute, getattr(mined, attribute))
        object.__setattr__(self, "__class__", PatternSet)  # which is what it has become
        return getattr(mined, name)

    def __len__(self) -> int:
        """Return the number of itemsets."""
        return self.count

    @cached_property
    def maximal(self) -> Itemsets:
        """The maximal ones among them."""
        return mine(self.rows, min_support=self.min_support, target="maximal").itemsets

    def support_in_rows(self, items: NDArray[np.int32]) -> int:
        """Return the support of a set of frequent items, 0 if it is not frequent."""
        wanted = np.zeros(len(self.vocabulary), bool)
        wanted[items] = True
        holding = self.rows.itemsets.keeping(wanted[self.rows.items]).lengths == len(items)
        support = int(holding.sum() if self.rows.weights is None else self.rows.weights[holding].sum())
        return support if support >= self.min_support else 0

    def at_higher_support(self, most: int) -> PatternSet:
        """Return at most `most` of them: those of the lowest support that allows it, among a few shares of the rows."""
        lowest = self.n
        for share in PROBES:
            support = -(-self.n * share // 100)
            try:
                if support > self.min_support:
                    count_closed(self.rows, min_support=support, max_patterns=most)
                    lowest = support
            except TooManyPatterns:
                break
        return mine(self.rows, min_support=lowest)


def mine_or_count(
    rows: Transactions, *, min_support: int, progress: Callable[[float, int], object] | None = None
) -> PatternSet:
    """Return the closed itemsets, or more than `MOST_LISTED` of them as `CountedPatterns`."""
    try:
        count = count_closed(rows, min_support=min_support, most_singly=_MOST_SINGLY, progress=progress)
    except TooManyPatterns as error:
        raise TooManyPatterns(
            f"more than {DEFAULT_MAX_PATTERNS:,} closed itemsets occur in at least {min_support:,} of {rows.n:,} rows; "
            f"raise {param('min_support')}, or leave out columns that are the same nearly everywhere (discreet look "
            "names them)",
            found=error.found,
            min_support=min_support,
        ) from None
    if count is None or count <= MOST_LISTED:
        return mine(rows, min_support=min_support, progress=progress)
    return CountedPatterns.of(rows, min_support, count)

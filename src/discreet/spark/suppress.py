"""Leave out rows in Spark when blocking: rows are marked by their items and filtered in place.

Channels have few rows by definition, fewer than k each. They are collected, restricted to their frequent items, to
lower the supports of the closed itemsets; nothing is mined again (see `discreet.channels.suppressive`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.channel import maximal_itemsets
from discreet.channels.grouping import small_groups
from discreet.channels.kinds import MOST_KINDS, in_order
from discreet.channels.suppressive import still_closed
from discreet.itemsets import Itemsets
from discreet.spark.encoded_rows import unpacked
from discreet.spark.grouping import groups_of_folded, in_channels
from discreet.transactions.row_folder import RowFolder
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

    from discreet.channels.channel import Channels
    from discreet.patterns.patternset import PatternSet
    from discreet.spark.frequent import SparkFrequent
    from discreet.spark.rows import SparkRows
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["SparkKept", "distinct_among", "distinct_here", "kinds_among", "kinds_here"]

_MOST_ITEMS = 1 << 27
"""The most items of distinct rows, and rows, that are brought to the caller's machine: about a gigabyte."""


@dataclass(frozen=True, eq=False)
class SparkKept:
    """The rows kept, folded, and their closed itemsets; `marks` select the rows left out, round by round.

    `asked` selects the items that small groups are searched among, None for all.
    """

    frequent: SparkFrequent
    folded: DataFrame
    n: int
    closed: PatternSet
    gone: tuple[Transactions, ...] = ()
    marks: tuple[Column, ...] = ()
    asked: NDArray[np.bool_] | None = None

    @property
    def rows(self) -> SparkRows:
        """The rows kept, with all their items."""
        rows = self.frequent.rows
        frame = self.frequent.encoded(rows.frame)
        for mark in self.marks:
            frame = frame.where(~mark)
        return rows.changed(replace(rows.source, frame=frame.drop("codes")))

    @cached_property
    def kinds(self) -> Transactions | None:
        """The distinct rows kept, restricted to frequent items and collected; None if there are too many."""
        return kinds_here(self.folded, self.closed.vocabulary)

    def without_small_groups(self, *, k: int) -> SparkKept:
        """Leave out rows until no group of fewer than k rows can be computed from the closed itemsets."""
        kept = self
        while True:
            targets = maximal_itemsets(kept.closed, kept.asked)
            groups = groups_of_folded(kept.folded, targets, n=kept.n, labels=len(kept.closed.vocabulary), below=k)
            if not len(groups.counts):
                return kept
            kept = kept.without_channels(small_groups(groups, targets, kept.closed.vocabulary))

    def without_channels(self, channels: Channels) -> SparkKept:
        """Leave out the rows of some channels."""
        exposed = in_channels(channels, len(self.closed.vocabulary))
        removed = _brought_here(self.folded.where(exposed), self.closed.vocabulary)
        if not removed.n:
            return self
        left = self.n - removed.n
        return replace(
            self,
            folded=self.frequent.cache.hold(self.folded.where(~exposed)),
            n=left,
            closed=still_closed(self.closed, removed, left),
            gone=(*self.gone, removed),
            marks=(*self.marks, exposed),
        )


def kinds_here(folded: DataFrame, vocabulary: Vocabulary) -> Transactions | None:
    """Collect distinct rows, in order; None if there are too many."""
    if folded.count() > MOST_KINDS:
        return None
    return kinds_among(_brought_here(folded, vocabulary))


def kinds_among(distinct: Transactions) -> Transactions | None:
    """Return distinct rows in order; None if there are too many."""
    if len(distinct) > MOST_KINDS:
        return None
    weights = np.zeros(0, np.int64) if distinct.weights is None else distinct.weights
    return in_order(distinct.itemsets, weights, distinct.vocabulary)


def distinct_here(parts: DataFrame, vocabulary: Vocabulary) -> Transactions | None:
    """Collect the distinct rows of all tasks, in any order; None if they have more items than one machine should hold.

    `parts` are those of `discreet.spark.encoded_rows.fold`.
    """
    if _is_much(parts, "size"):
        return None
    folder = RowFolder()
    for batch in parts.select("kinds", "lengths", "codes", "weights").toArrow().to_batches():
        for rows, weights in unpacked(batch):
            folder.add(rows, weights)
    folder.join()
    return Transactions(folder.rows, vocabulary, folder.weights)


def distinct_among(folded: DataFrame, vocabulary: Vocabulary) -> Transactions | None:
    """Collect distinct rows as `distinct_here` does, from arrays of numbers."""
    return None if _is_much(folded, "size(codes) + 1") else _brought_here(folded, vocabulary)


def _is_much(frame: DataFrame, size: str) -> bool:
    from pyspark.sql import functions as sql

    return (frame.agg(sql.sum(sql.expr(size))).collect()[0][0] or 0) > _MOST_ITEMS


def _brought_here(folded: DataFrame, vocabulary: Vocabulary) -> Transactions:
    table = folded.select("codes", "weight").toArrow()
    rows = Itemsets.from_arrow(table.column("codes").combine_chunks())
    return Transactions(rows, vocabulary, table.column("weight").to_numpy().astype(np.int64))

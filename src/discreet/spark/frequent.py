"""Rows in Spark at a minimum support: the implementation of `FrequentRows` for `discreet.channels`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.grouping import EVERY_SIZE
from discreet.itemsets import Itemsets
from discreet.patterns.mining import DEFAULT_MAX_PATTERNS, too_many
from discreet.patterns.patternset import PatternSet
from discreet.spark.failures import asking_spark
from discreet.spark.fp_growth import closed_ones, frequent_itemsets, maximal_ones
from discreet.spark.grouping import fold, groups_of_folded, in_channels, numbered
from discreet.spark.shapes import ITEMS
from discreet.spark.suppress import SparkKept, kinds_here

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    from discreet.channels.channel import Channels
    from discreet.channels.detection import DetectionMethod
    from discreet.channels.grouping import Groups
    from discreet.patterns.patternset import Target
    from discreet.spark.rows import SparkRows
    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["FrameCache", "SparkFrequent"]


@dataclass(frozen=True)
class FrameCache:
    """Data frames that are persisted because they are used more than once."""

    frames: list[DataFrame] = field(default_factory=list)

    def hold(self, frame: DataFrame) -> DataFrame:
        """Persist a frame in Spark's memory, and on disk if that is full, from its first use on."""
        self.frames.append(frame.persist())
        return frame

    def release(self) -> None:
        """Unpersist all frames."""
        for frame in self.frames:
            frame.unpersist()
        self.frames.clear()


@dataclass(frozen=True, eq=False)
class SparkFrequent:
    """Rows restricted to their frequent items, as ascending numbers of `vocabulary`; a `FrequentRows`."""

    rows: SparkRows
    vocabulary: Vocabulary
    item_supports: NDArray[np.int64]
    n: int
    min_support: int
    cache: FrameCache
    _mined: dict[tuple[Target, int | None], PatternSet] = field(default_factory=dict)

    def encoded(self, frame: DataFrame) -> DataFrame:
        """Add to a frame with `items` the column `codes`: the distinct frequent items as ascending numbers."""
        return numbered(frame, self.vocabulary.labels)

    def of_other_rows(self, rows: SparkRows) -> SparkFrequent:
        """Return other rows at the same support, restricted to the same items."""
        return SparkFrequent(
            rows=rows,
            vocabulary=self.vocabulary,
            item_supports=self.item_supports,
            n=self.n,
            min_support=self.min_support,
            cache=self.cache,
        )

    @cached_property
    def codes(self) -> DataFrame:
        """The rows as arrays of item numbers, including rows without a frequent item."""
        return self.cache.hold(self.encoded(self.rows.frame).select("codes"))

    @cached_property
    def folded(self) -> DataFrame:
        """The distinct rows, and how often each occurs."""
        return self.cache.hold(fold(self.codes))

    @cached_property
    def kinds(self) -> Transactions | None:
        """The distinct rows, collected in order; None if there are too many."""
        return kinds_here(self.folded, self.vocabulary)

    @cached_property
    def _itemsets(self) -> DataFrame:
        return self.cache.hold(frequent_itemsets(self.codes, n=self.n, min_support=self.min_support))

    @cached_property
    def _count(self) -> int:
        return self._itemsets.count()

    @property
    def closed(self) -> PatternSet:
        """The closed frequent itemsets, mined once."""
        return self.mine(target="closed")

    def mine(
        self, *, target: Target, max_length: int | None = None, max_patterns: int = DEFAULT_MAX_PATTERNS
    ) -> PatternSet:
        """Return the frequent itemsets."""
        key = (target, max_length)
        if key not in self._mined:
            itemsets, supports = Itemsets.none(), np.zeros(0, np.int64)
            if len(self.vocabulary):
                itemsets, supports = self._collected(target, max_length, max_patterns)
            self._mined[key] = PatternSet.from_codes(
                itemsets,
                supports,
                self.vocabulary,
                n=self.n,
                min_support=self.min_support,
                target=target,
                max_length=max_length,
            )
        found = self._mined[key]
        if len(found) > max_patterns:
            raise too_many(len(found), self.min_support, self.n, target, max_patterns)
        return found

    def _collected(
        self, target: Target, max_length: int | None, max_patterns: int
    ) -> tuple[Itemsets, NDArray[np.int64]]:
        from pyspark.sql import functions as sql

        chosen = self._itemsets
        if target != "all":
            chosen = closed_ones(chosen) if target == "closed" else maximal_ones(chosen)
        if max_length is not None:
            chosen = chosen.where(sql.size("items") <= max_length)
        few = 2 ** len(self.vocabulary) <= max_patterns or self._count <= max_patterns
        if not few and (found := chosen.count()) > max_patterns:
            raise too_many(found, self.min_support, self.n, target, max_patterns)
        table = chosen.toArrow()
        itemsets = Itemsets.from_arrow(table.column("items").combine_chunks())
        return itemsets, table.column("support").to_numpy().astype(np.int64)

    def groups(self, targets: Itemsets, *, below: int, method: DetectionMethod = "auto") -> Groups:
        """Return the groups of fewer than `below` rows that agree on a target."""
        del method  # there is only one method here
        return groups_of_folded(self.folded, targets, n=self.n, labels=len(self.vocabulary), below=below)

    def supports_of(self, itemsets: Itemsets) -> NDArray[np.int64]:
        """Return the support of each itemset, frequent or not."""
        groups = self.groups(itemsets, below=EVERY_SIZE)
        whole = groups.bases.lengths == itemsets.lengths[groups.targets]
        supports = np.zeros(len(itemsets), np.int64)
        supports[groups.targets[whole]] = groups.counts[whole]
        return supports

    def count_exposed(self, channels: Channels) -> int:
        """Return how many rows the channels single out in total."""
        from pyspark.sql import functions as sql

        with asking_spark():
            exposed = self.folded.where(in_channels(channels, len(self.vocabulary)))
            return int(exposed.agg(sql.sum("weight")).collect()[0][0] or 0)

    def keep_all(self, closed: PatternSet, asked: NDArray[np.bool_] | None = None) -> SparkKept:
        """Return all rows as the starting point of suppression; `asked` selects the items of groups, None for all."""
        return SparkKept(frequent=self, folded=self.folded, n=self.n, closed=closed, asked=asked)

    def with_virtual_rows(self, virtual: Itemsets, k: int) -> SparkRows:
        """Return the rows plus k copies of each virtual row."""
        import pyarrow as pa

        added = list(virtual.labels(self.vocabulary.labels)) * k
        frame = self.rows.frame.select(ITEMS)
        table = pa.table({ITEMS: pa.array(added, pa.list_(pa.string()))})
        more = frame.sparkSession.createDataFrame(table)
        source = replace(self.rows.source, frame=frame.union(more), shape="lists", id_column=None)
        return self.rows.changed(source)

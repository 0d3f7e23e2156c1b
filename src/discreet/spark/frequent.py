"""Rows in Spark at a minimum support: the implementation of `FrequentRows` for `discreet.channels`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.grouping import EVERY_SIZE, count_in_groups, groups_of_rows
from discreet.patterns.mining import DEFAULT_MAX_PATTERNS, mine, too_many
from discreet.patterns.patternset import PatternSet
from discreet.spark.encoded_rows import as_lists, fold
from discreet.spark.failures import asking_spark
from discreet.spark.grouping import groups_of_folded, in_channels, numbered
from discreet.spark.kernel_passes import chosen_by_target, mine_by_tasks
from discreet.spark.shapes import ITEMS
from discreet.spark.suppress import SparkKept, distinct_among, distinct_here, kinds_among

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    from discreet.channels.channel import Channels
    from discreet.channels.detection import DetectionMethod
    from discreet.channels.grouping import Groups
    from discreet.itemsets import Itemsets
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

    def with_items(self, vocabulary: Vocabulary, item_supports: NDArray[np.int64]) -> SparkFrequent:
        """Return the same rows at the same support, with other items next to the frequent ones."""
        return SparkFrequent(
            rows=self.rows,
            vocabulary=vocabulary,
            item_supports=item_supports,
            n=self.n,
            min_support=self.min_support,
            cache=self.cache,
        )

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
    def parts(self) -> DataFrame:
        """The distinct rows of each task, as numbers: see `discreet.spark.encoded_rows`."""
        return self.cache.hold(fold(self.rows.encoded, self.vocabulary.labels))

    @cached_property
    def folded(self) -> DataFrame:
        """The distinct rows as arrays of item numbers, and how often each occurs; one may be empty."""
        return self.cache.hold(as_lists(self.parts))

    @cached_property
    def kinds(self) -> Transactions | None:
        """The distinct rows, collected in order; None if there are too many."""
        return None if self.distinct is None else kinds_among(self.distinct)

    @cached_property
    def distinct(self) -> Transactions | None:
        """The distinct rows, collected; None if they are too many for one machine."""
        here = distinct_here(self.parts, self.vocabulary)
        return distinct_among(self.folded, self.vocabulary) if here is None else here

    @cached_property
    def _itemsets(self) -> tuple[Itemsets, NDArray[np.int64]]:
        """All frequent itemsets, mined where the rows are."""
        return mine_by_tasks(
            self.folded,
            n=self.n,
            min_support=self.min_support,
            labels=len(self.vocabulary),
            max_patterns=DEFAULT_MAX_PATTERNS,
        )

    @property
    def closed(self) -> PatternSet:
        """The closed frequent itemsets, mined once."""
        return self.mine(target="closed")

    def mine(
        self, *, target: Target, max_length: int | None = None, max_patterns: int = DEFAULT_MAX_PATTERNS
    ) -> PatternSet:
        """Return the frequent itemsets: from the distinct rows here, or where the rows are if these are too many."""
        key = (target, max_length)
        if key not in self._mined:
            self._mined[key] = self._mine(target, max_length, max_patterns)
        found = self._mined[key]
        if len(found) > max_patterns:
            raise too_many(len(found), self.min_support, self.n, target, max_patterns)
        return found

    def _mine(self, target: Target, max_length: int | None, max_patterns: int) -> PatternSet:
        if self.distinct is not None:
            return mine(
                self.distinct,
                min_support=self.min_support,
                target=target,
                max_length=max_length,
                max_patterns=max_patterns,
            )
        itemsets, supports = chosen_by_target(*self._itemsets, len(self.vocabulary), target)
        if max_length is not None:
            short = np.flatnonzero(itemsets.lengths <= max_length)
            itemsets, supports = itemsets.select(short), supports[short]
        return PatternSet.from_codes(
            itemsets,
            supports,
            self.vocabulary,
            n=self.n,
            min_support=self.min_support,
            target=target,
            max_length=max_length,
        )

    def groups(self, targets: Itemsets, *, below: int, method: DetectionMethod = "auto") -> Groups:
        """Return the groups of fewer than `below` rows that agree on a target."""
        del method  # all methods give the same groups
        if self.distinct is not None:
            return groups_of_rows(self.distinct, targets, below=below)
        return groups_of_folded(self.folded, targets, n=self.n, labels=len(self.vocabulary), below=below)

    def supports_of(self, itemsets: Itemsets) -> NDArray[np.int64]:
        """Return the support of each itemset, frequent or not."""
        groups = self.groups(itemsets, below=EVERY_SIZE)
        whole = groups.bases.lengths == itemsets.lengths[groups.targets]
        supports = np.zeros(len(itemsets), np.int64)
        supports[groups.targets[whole]] = groups.counts[whole]
        return supports

    def count_exposed(self, *lists: Channels) -> int:
        """Return how many rows are in a group of any of the lists."""
        from pyspark.sql import functions as sql

        if self.distinct is not None:
            return count_in_groups(self.distinct, lists)
        condition = sql.lit(False)
        for groups in lists:
            condition |= in_channels(groups.in_terms_of(self.vocabulary), len(self.vocabulary))
        with asking_spark():
            exposed = self.folded.where(condition)
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

"""The exact counts that measurements add noise to, counted by Spark.

What reaches the driver is counts: of rows, of items, of pairs of chosen items, of the bins of bases; for the K most
frequent itemsets also the rows of the K most frequent items, equal ones once. Noise is added on the driver, once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.differential_privacy.counting import HASH_DIGITS, LocalCounts
from discreet.spark.failures import asking_spark
from discreet.spark.shapes import ITEMS
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

    from discreet.spark.rows import SparkRows

__all__ = ["SparkCounts"]


@dataclass(slots=True)
class _Seen:
    """What was counted before: supports of items, and supports of the most frequent items' sets, for k up to `most`."""

    items: NDArray[np.int64] | None = None
    highest: LocalCounts | None = None
    most: int = 0


@dataclass(frozen=True, eq=False)
class SparkCounts:
    """Rows in Spark, restricted to the items that `labels` names, in this order; None for all."""

    rows: SparkRows
    labels: tuple[str, ...] | None = None
    _seen: _Seen = field(default_factory=_Seen)

    @property
    def n(self) -> int:
        """The number of rows."""
        with asking_spark():
            return self.rows.n

    def truncated(self, most: int) -> dict[str, int]:
        """Return how many rows have each item, if a row keeps at most `most` of its items: those of `LocalCounts`."""
        from pyspark.sql import functions as sql

        def hashed(label: Column) -> Column:
            digits = sql.substring(sql.sha2(label, 256), 1, HASH_DIGITS)
            return sql.struct(sql.conv(digits, 16, 10).cast("long").alias("key"), label.alias("label"))

        pairs = sql.transform(sql.array_distinct(ITEMS), hashed)
        hashes = self.rows.frame.select(pairs.alias("pairs"))
        whole = sql.aggregate("pairs", sql.lit(0).cast("long"), lambda seen, one: seen.bitwiseXOR(one["key"]))
        mixed = hashes.select("pairs", whole.alias("whole")).select(
            sql.transform(
                "pairs", lambda one: sql.struct(one["key"].bitwiseXOR(sql.col("whole")).alias("key"), one["label"])
            ).alias("pairs")
        )
        kept = mixed.select(sql.explode(sql.slice(sql.array_sort("pairs"), 1, most)).alias("one"))
        return dict(self._table(kept.groupBy(sql.col("one.label").alias("label")).count(), "label", "count"))

    def within(self, labels: Sequence[str]) -> SparkCounts:
        """Return the rows without any items but these."""
        return SparkCounts(self.rows, tuple(labels))

    def items(self) -> NDArray[np.int64]:
        """Return how many rows have each item."""
        if self._seen.items is None:
            labels = self.labels or ()
            with asking_spark():
                found = self.rows.supports_of(labels)
            self._seen.items = np.array([found.get(label, 0) for label in labels], np.int64)
        return self._seen.items

    def kth(self, k: int) -> int:
        """Return the k-th largest support of an itemset, which has no item beyond the k most frequent."""
        from pyspark.sql import functions as sql

        if self._seen.highest is None or self._seen.most < k:
            labels, supports = self.labels or (), self.items()
            highest = np.argsort(-supports, kind="stable")[: 2 * k]
            some = tuple(labels[item] for item in np.sort(highest).tolist())
            chosen = sql.sort_array(self._places(some)).alias("places")
            grouped = self.rows.frame.select(chosen).groupBy("places").count()
            found = self._table(grouped, "places", "count")
            folded = Transactions.from_rows([[some[place] for place in places] for places, _ in found])
            weights = np.array([count for _, count in found], np.int64)
            known = Transactions(folded.itemsets, folded.vocabulary, weights)
            self._seen.most, self._seen.highest = 2 * k, LocalCounts.of(known)
        return self._seen.highest.kth(k)

    def pairs(self) -> NDArray[np.int64]:
        """Return the supports of all pairs of items."""
        from pyspark.sql import functions as sql

        labels = self.labels or ()
        table = np.zeros((len(labels), len(labels)), np.int64)
        placed = self.rows.frame.select(sql.sort_array(self._places(labels)).alias("places"))
        every = sql.transform(
            "places",
            lambda one, at: sql.transform(
                sql.slice("places", at + 2, sql.size("places")),
                lambda other: sql.struct(one.alias("one"), other.alias("other")),
            ),
        )
        pairs = placed.select(sql.explode(sql.flatten(every)).alias("pair")).groupBy("pair.one", "pair.other").count()
        for one, other, count in self._table(pairs, "one", "other", "count"):
            table[one, other] = count
        return table[np.triu_indices(len(labels), 1)]

    def bins(self, bases: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        """Return for each basis how many rows have just which of its items."""
        from pyspark.sql import functions as sql

        labels = self.labels or ()
        starts = np.concatenate([[0], np.cumsum([1 << len(basis) for basis in bases])]).astype(np.int64)
        counted = np.zeros(int(starts[-1]), np.int64)
        if not bases:
            return counted
        codes = []
        for start, basis in zip(starts.tolist(), bases, strict=False):
            code = sql.lit(start).cast("long")
            for bit, item in enumerate(basis):
                held = sql.array_contains(ITEMS, sql.lit(labels[item]))
                code = code + sql.when(held, sql.lit(1 << bit)).otherwise(sql.lit(0))
            codes.append(code)
        every = self.rows.frame.select(sql.explode(sql.array(*codes)).alias("bin")).groupBy("bin").count()
        for place, count in self._table(every, "bin", "count"):
            counted[place] = count
        return counted

    def _places(self, labels: Sequence[str]) -> Column:
        """Return the places, in the list of labels, of a row's items that are in it."""
        from pyspark.sql import functions as sql

        if not labels:
            return sql.array().cast("array<int>")
        known = sql.create_map(*(sql.lit(each) for place, label in enumerate(labels) for each in (label, place)))
        found = sql.transform(sql.array_distinct(ITEMS), lambda label: sql.try_element_at(known, label))
        return sql.filter(found, lambda place: place.isNotNull())

    @staticmethod
    def _table(frame: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small table."""
        with asking_spark():
            table = frame.select(*columns).toArrow()
        return list(zip(*(table.column(name).to_pylist() for name in columns), strict=True))

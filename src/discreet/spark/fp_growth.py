"""Find the frequent itemsets of rows in Spark, and the closed and the maximal ones among them.

Problem      as for `discreet.patterns.mining`, for rows that are spread over many machines.
Method       MLlib's parallel FP-growth finds all frequent itemsets. An itemset is not closed if a superset with one
             more item has the same support, and not maximal if such a superset is frequent. So every itemset emits its
             own key, and the keys of its subsets with one item less; an itemset whose key no superset emitted stays.
Promises     exactly the itemsets and supports of the local engine.
Cost         FP-growth: two passes over the rows and one shuffle of their frequent parts. The filter: one shuffle of the
             itemsets times their length, combined before it is sent; no itemset is compared with any other.
Departures   MLlib takes a minimum support as a share in floating point and rounds share * n up; we pass the midpoint of
             the shares that yield exactly the required number of rows.
Reference    Li, Wang, Zhang, Zhang, Chang, PFP: parallel FP-growth for query recommendation (RecSys 2008)
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from discreet.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["closed_ones", "frequent_itemsets", "maximal_ones", "share_for"]


def frequent_itemsets(codes: DataFrame, *, n: int, min_support: int) -> DataFrame:
    """Return all frequent itemsets of `codes` (arrays of item numbers): `items`, ascending, and `support`."""
    from pyspark.ml.fpm import FPGrowth
    from pyspark.sql import functions as sql

    growth = FPGrowth(itemsCol="codes", minSupport=share_for(min_support, n))
    found = growth.fit(codes).freqItemsets
    return found.select(sql.sort_array("items").alias("items"), sql.col("freq").alias("support"))


def share_for(min_support: int, n: int) -> float:
    """Return a share whose product with n, in floating point, is rounded up to exactly `min_support`.

    >>> share_for(7, 100), ceil(share_for(7, 100) * 100)
    (0.065, 7)
    """
    share = (min_support - 0.5) / n
    if ceil(share * n) != min_support:  # from 2^52 rows on, halves are lost
        raise DataError(f"{n:,} rows are more than MLlib counts exactly")
    return share


def closed_ones(itemsets: DataFrame) -> DataFrame:
    """Keep the itemsets without a superset of the same support."""
    from pyspark.sql import functions as sql

    return (
        _with_subsets(itemsets)
        .groupBy("support", "items")
        .agg(sql.bool_or("within").alias("within"))
        .where("not within")
        .select("items", "support")
    )


def maximal_ones(itemsets: DataFrame) -> DataFrame:
    """Keep the itemsets without a frequent superset."""
    from pyspark.sql import functions as sql

    return (
        _with_subsets(itemsets)
        .groupBy("items")
        .agg(sql.bool_or("within").alias("within"), sql.max("support").alias("support"))
        .where("not within")
        .select("items", "support")
    )


def _with_subsets(itemsets: DataFrame) -> DataFrame:
    """Return every itemset, and its subsets with one item less and its own support, marked as `within` it."""
    from pyspark.sql import functions as sql

    one_less = sql.transform("items", lambda item: sql.array_remove("items", item))
    subsets = itemsets.select(sql.explode(one_less).alias("items"), "support", sql.lit(True).alias("within"))
    return itemsets.select("items", "support", sql.lit(False).alias("within")).union(
        subsets.where(sql.size("items") > 0)
    )

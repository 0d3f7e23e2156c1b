"""MLlib's FP-growth, which finds the same frequent itemsets in another way."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["frequent_itemsets", "share_for"]


def frequent_itemsets(lists: DataFrame, *, n: int, min_support: int) -> dict[frozenset[str], int]:
    """Return all frequent itemsets of a frame with `items`, arrays of distinct labels, and their supports."""
    from pyspark.ml.fpm import FPGrowth

    growth = FPGrowth(itemsCol="items", minSupport=share_for(min_support, n))
    found = growth.fit(lists).freqItemsets.toArrow().to_pylist()
    return {frozenset(row["items"]): row["freq"] for row in found}


def share_for(min_support: int, n: int) -> float:
    """Return a share whose product with n, in floating point, is rounded up to exactly `min_support`.

    MLlib takes a share and rounds share * n up, so we pass the middle of the shares that yield this number of rows.
    """
    share = (min_support - 0.5) / n
    assert ceil(share * n) == min_support
    return share

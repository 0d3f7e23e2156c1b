"""Labels of a row become ascending numbers, in one look-up each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.spark.frames import ITEMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

__all__ = ["numbered"]


def numbered(frame: DataFrame, labels: Sequence[str]) -> DataFrame:
    """Add to a frame with `items` the column `codes`: places in `labels`, ascending, each once; others are left out.

    MLlib's counting of words does this with a dictionary that every worker gets once; a map or a list among Spark's
    expressions would be searched from its beginning for every item.
    """
    from pyspark.ml.feature import CountVectorizerModel
    from pyspark.sql import functions as sql

    if not labels:
        return frame.withColumn("codes", sql.array().cast("array<int>"))
    dictionary = CountVectorizerModel.from_vocabulary(list(labels), inputCol=ITEMS, outputCol="codes").setBinary(True)
    return dictionary.transform(frame).withColumn("codes", sql.unwrap_udt("codes")["indices"])

"""Group rows in Spark by their intersection with each of many itemsets.

Problem      as for `discreet.channels.grouping`: for every target itemset M and every base I within it, how many rows
             contain I and nothing else of M?
Method       waim2008 projects the rows on each M in turn, one pass over the data for each. Here the rows, restricted to
             their frequent items, are first folded: equal rows are counted, before and after they are sent. The
             distinct rows are then projected on all targets at once. An index of the targets finds those that share
             an item with a row, and each (target, projection) is counted in the same way. The rows that share nothing
             with a target are n minus the others.
Promises     the same groups as the local engine, in the same order.
Cost         one pass over the rows; the shuffle grows with distinct rows and distinct projections, not with rows.
Departures   targets and index are sent to the workers as constants of the plan, about ten thousand targets at a time.
Names        projection of a row on M -> base;  f_I^M -> number of rows of the group.
Reference    waim2008
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.grouping import ordered_groups
from discreet.itemsets import Itemsets
from discreet.spark.shapes import ITEMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

    from discreet.channels.channel import Channels
    from discreet.channels.grouping import Groups

__all__ = ["constant", "fold", "groups_of_folded", "in_channels", "numbered", "targets_met"]

_AT_ONCE = 1 << 14
_ITEMSET = "array<int>"


def numbered(frame: DataFrame, labels: Sequence[str]) -> DataFrame:
    """Add to a frame with `items` the column `codes`: distinct indices into `labels`, ascending; others are left out.

    MLlib's CountVectorizer does this with a dictionary that every worker gets once; a map or a list in a Spark
    expression would be searched linearly for every item.
    """
    from pyspark.ml.feature import CountVectorizerModel
    from pyspark.sql import functions as sql

    if not labels:
        return frame.withColumn("codes", sql.array().cast("array<int>"))
    dictionary = CountVectorizerModel.from_vocabulary(list(labels), inputCol=ITEMS, outputCol="codes").setBinary(True)
    return dictionary.transform(frame).withColumn("codes", sql.unwrap_udt("codes")["indices"])


def fold(codes: DataFrame) -> DataFrame:
    """Return the distinct rows and how often each occurs, as `codes` and `weight`."""
    from pyspark.sql import functions as sql

    return codes.groupBy("codes").agg(sql.count(sql.lit(1)).alias("weight"))


def groups_of_folded(folded: DataFrame, targets: Itemsets, *, n: int, labels: int, below: int) -> Groups:
    """Return the groups of fewer than `below` of the n rows, by target, then base."""
    which: list[NDArray[np.int64]] = []
    sizes: list[NDArray[np.int64]] = []
    items: list[NDArray[np.int32]] = []
    counts: list[NDArray[np.int64]] = []
    for start in range(0, len(targets), _AT_ONCE):
        some = [targets[number] for number in range(start, min(start + _AT_ONCE, len(targets)))]
        table = _projected(folded, some, labels, below)
        numbers = start + table.column("target").to_numpy().astype(np.int64)
        met = np.zeros(len(some), np.int64)
        met[numbers - start] = table.column("met").to_numpy()
        none_of_it = np.flatnonzero((n - met > 0) & (n - met < below))
        which.append(start + none_of_it)
        sizes.append(np.zeros(len(none_of_it), np.int64))
        counts.append((n - met)[none_of_it])
        lists = table.column("groups").combine_chunks()
        per_target = np.diff(lists.offsets.to_numpy())
        flat = lists.flatten()
        bases = flat.field("base")
        which.append(np.repeat(numbers, per_target))
        sizes.append(np.diff(bases.offsets.to_numpy()).astype(np.int64))
        items.append(bases.flatten().to_numpy().astype(np.int32))
        counts.append(flat.field("count").to_numpy().astype(np.int64))
    lengths = np.concatenate([np.zeros(0, np.int64), *sizes])
    return ordered_groups(
        np.concatenate([np.zeros(0, np.int64), *which]),
        Itemsets.from_lengths(lengths, np.concatenate([np.zeros(0, np.int32), *items])),
        np.concatenate([np.zeros(0, np.int64), *counts]),
    )


def _projected(folded: DataFrame, targets: list[NDArray[np.int32]], labels: int, below: int) -> pa.Table:
    """Return, for each target that some row meets, how many rows do, and their groups of fewer than `below`."""
    from pyspark.sql import functions as sql

    target = sql.col("target")
    small = sql.when(sql.col("count") < below, sql.struct("base", "count"))
    return (
        folded.select("codes", "weight", sql.explode(targets_met(targets, labels)).alias("target"))
        .select("target", sql.array_intersect("codes", constant(targets)[target]).alias("base"), "weight")
        .groupBy("target", "base")
        .agg(sql.sum("weight").alias("count"))
        .groupBy("target")
        .agg(sql.sum("count").alias("met"), sql.collect_list(small).alias("groups"))
        .toArrow()
    )


def in_channels(channels: Channels, labels: int) -> Column:
    """Return the condition that a row's `codes` contain a channel's base and nothing else of its full set."""
    from pyspark.sql import functions as sql

    concerned, place = np.unique(channels.which, return_inverse=True)
    targets = [channels.fulls[number] for number in concerned.tolist()]
    bases: list[list[list[int]]] = [[] for _ in targets]
    for number, target in enumerate(place.tolist()):
        bases[target].append(channels.bases[number].tolist())
    fulls, small = constant(targets), constant(bases, f"array<{_ITEMSET}>")
    without = [number for number, listed in enumerate(bases) if [] in listed]
    return sql.exists(
        targets_met(targets, labels),
        lambda target: sql.array_contains(small[target], sql.array_intersect("codes", fulls[target])),
    ) | sql.exists(constant(without, "int"), lambda target: ~sql.arrays_overlap("codes", fulls[target]))


def targets_met(targets: list[NDArray[np.int32]], labels: int) -> Column:
    """Return the numbers of the targets that a row shares an item with."""
    from pyspark.sql import functions as sql

    index: list[list[int]] = [[] for _ in range(labels)]
    for number, target in enumerate(targets):
        for item in target.tolist():
            index[item].append(number)
    holding = constant(index)
    return sql.array_distinct(sql.flatten(sql.transform("codes", lambda item: holding[item])))


def constant(
    values: list[NDArray[np.int32]] | list[list[int]] | list[list[list[int]]] | list[int], kind: str = _ITEMSET
) -> Column:
    """Return an array as one constant of the plan, parsed once by the optimizer; `kind` is the type of its elements."""
    from pyspark.sql import functions as sql

    plain = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
    return sql.from_json(sql.lit(json.dumps(plain, separators=(",", ":"))), f"array<{kind}>")

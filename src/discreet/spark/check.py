"""Check whether someone who knows part of a row can infer a sensitive item in it, for rows in Spark.

Problem      as for `discreet.uncertainty.check`: the sensitive rule of highest confidence.
Method       one shard for each sensitive item. For rules that infer item a, only items that occur in a row together
             with a matter. Every row is restricted to them, equal rows are counted before they are sent, and the
             kernel searches each shard on its worker.
Promises     the same verdict and the same confidence as the local engine; the same rule if its antecedent has at most
             one item. Among longer ones of equal confidence, the local engine returns the one whose row comes first,
             this one that of the first sensitive item.
Cost         a pass to count pairs of a sensitive item and another, a pass to restrict rows; a shard must fit into a
             worker's memory. Workers need discreet installed, for the kernel; nothing else in this package does.
Names        chi -> antecedent;  alpha -> consequent.
Reference    cao2010, Definition 3.1
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.spark.grouping import constant, fold, numbered, targets_met
from discreet.spark.shapes import ITEMS
from discreet.transactions.label_names import matches, resolve
from discreet.transactions.vocabulary import Vocabulary
from discreet.uncertainty.check import verdict_on
from discreet.uncertainty.empty_cells import EmptyCells, counted_columns, empty_cell
from discreet.uncertainty.sensitive_items import read_labels
from discreet.uncertainty.sensitive_rules import SensitiveRule

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

    from discreet.spark.rows import SparkRows
    from discreet.transactions.label_names import NamedLabel
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.limits import Limits
    from discreet.uncertainty.sensitive_items import Sensitive

__all__ = ["check_in_spark", "held_labels"]

_FOUND = "shard int, antecedent array<int>, together bigint, holding bigint"


def check_in_spark(
    rows: SparkRows,
    *,
    limits: Limits,
    named: Sequence[NamedLabel],
    known: Collection[str],
    ignore_unknown: bool,
    empty_cells: EmptyCells = "auto",
) -> Checked:
    """Check that no sensitive item can be inferred with its limit or more: see `discreet.check`."""
    found = resolve(
        named,
        rows.labels_named(tuple(dict.fromkeys(each.label for each in named))),
        parameter="sensitive",
        known={*known, *rows.source.columns, *rows.source.labels},
        ignore_unknown=ignore_unknown,
    )
    held = {label for labels in found.values() for label in labels}
    inside = rows.labels_named(rows.source.columns) if rows.source.columns else set()
    gaps = counted_columns([each.label for each in named], rows.source.columns, inside, empty_cells)
    rows = _with_empty_cells(rows, gaps)
    shards = _Shards.of(rows, sorted(held.union(map(empty_cell, gaps))))
    rules = [] if not shards.consequents else _worst_of_each(rows, shards)
    own = limits.of_items((rule.consequent for rule in rules), held)
    checked = verdict_on([(rule, own[rule.consequent]) for rule in rules], limits, rows.n, empty_cells=gaps)
    return replace(checked, affected=tuple(rows.ordered(checked.affected)))


def _with_empty_cells(rows: SparkRows, columns: Sequence[str]) -> SparkRows:
    """Return the rows with an item for each empty cell of these columns."""
    from pyspark.sql import functions as sql

    frame = rows.frame

    def starts(label: str) -> Callable[[Column], Column]:
        return lambda item: sql.startswith(item, sql.lit(label))

    for label in map(empty_cell, columns):
        there = sql.exists(ITEMS, starts(label))
        frame = frame.withColumn(
            ITEMS, sql.when(there, sql.col(ITEMS)).otherwise(sql.array_append(ITEMS, sql.lit(label)))
        )
    return rows.changed(replace(rows.source, frame=frame)) if columns else rows


def held_labels(rows: SparkRows, sensitive: Sensitive) -> dict[str, list[str]]:
    """Return for each sensitive label the occurring items it stands for; a column's name stands for its values."""
    named = read_labels(sensitive)
    return matches(named, rows.labels_named(named))


class _Shards(NamedTuple):
    """The sensitive items, and for each, by number, all items that occur together with it, itself included."""

    vocabulary: Vocabulary
    consequents: list[int]
    items: list[NDArray[np.int32]]

    @classmethod
    def of(cls, rows: SparkRows, sensitive: list[str]) -> _Shards:
        from pyspark.sql import functions as sql

        if not sensitive:
            return cls(Vocabulary(()), [], [])
        named = sql.from_json(sql.lit(_json(sensitive)), "array<string>")
        pairs = (
            rows.frame.select(sql.explode(sql.array_intersect(ITEMS, named)).alias("consequent"), ITEMS)
            .select("consequent", sql.explode(ITEMS).alias("item"))
            .distinct()
            .groupBy("consequent")
            .agg(sql.collect_list("item").alias("items"))
            .toArrow()
            .to_pylist()
        )
        vocabulary = Vocabulary.from_canonical(rows.ordered({item for pair in pairs for item in pair["items"]}))
        place = vocabulary.positions
        beside = sorted((place[pair["consequent"]], sorted(place[item] for item in pair["items"])) for pair in pairs)
        return cls(vocabulary, [number for number, _ in beside], [np.array(items, np.int32) for _, items in beside])


def _worst_of_each(rows: SparkRows, shards: _Shards) -> list[SensitiveRule]:
    """Return the rule of highest confidence for each sensitive item, in the order of the items."""
    folded = fold(numbered(rows.frame, shards.vocabulary.labels))
    found = _sharded(folded, shards).groupBy("shard").applyInArrow(_search(shards, rows.n), _FOUND).toArrow()
    label = shards.vocabulary.labels
    return [
        SensitiveRule(
            tuple(label[item] for item in row["antecedent"]),
            label[shards.consequents[row["shard"]]],
            row["together"],
            row["holding"],
        )
        for row in sorted(found.to_pylist(), key=lambda row: row["shard"])
    ]


def _sharded(folded: DataFrame, shards: _Shards) -> DataFrame:
    """Restrict every row to the items of each shard that it shares an item with, and count equal ones."""
    from pyspark.sql import functions as sql

    return (
        folded.select("codes", "weight", sql.explode(targets_met(shards.items, len(shards.vocabulary))).alias("shard"))
        .select(
            "shard", sql.array_intersect("codes", constant(shards.items)[sql.col("shard")]).alias("codes"), "weight"
        )
        .groupBy("shard", "codes")
        .agg(sql.sum("weight").alias("weight"))
    )


def _search(shards: _Shards, n: int) -> Callable[[pa.Table], pa.Table]:
    """Return the function that a worker applies to all rows of a shard."""
    consequents, labels = list(shards.consequents), len(shards.vocabulary)

    def search(shard: pa.Table) -> pa.Table:
        import numpy as np
        import pyarrow as pa

        from discreet import _kernel
        from discreet.itemsets import Itemsets

        number = shard.column("shard")[0].as_py()
        codes = shard.column("codes").combine_chunks()
        flags = np.zeros(labels, np.uint8)
        flags[consequents[number]] = 1
        found = _kernel.find_worst_rule(
            Itemsets.from_arrow(codes),
            shard.column("weight").to_numpy().astype(np.int64),
            total=n,
            sensitive=flags,
        )
        rules = [] if found is None else [found]
        return pa.table(
            {
                "shard": pa.array([number for _ in rules], pa.int32()),
                "antecedent": pa.array([rule[0].tolist() for rule in rules], pa.list_(pa.int32())),
                "together": pa.array([rule[2] for rule in rules], pa.int64()),
                "holding": pa.array([rule[3] for rule in rules], pa.int64()),
            }
        )

    return search


def _json(labels: list[str]) -> str:
    import json

    return json.dumps(labels)

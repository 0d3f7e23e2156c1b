"""Mine rows in Spark that are too many for one machine, by the kernel, where they are.

Problem      all frequent itemsets of distinct rows with weights.
Method       two passes over Arrow batches (`mapInArrow`). In the first, each task mines its own rows at its share of
             the minimum support, rounded up: an itemset that is frequent in all rows reaches that share in at least
             one task. In the second, each task counts all of these candidates in its rows; the sums are exact.
Promises     exactly the itemsets and supports of the local engine, however rows are spread over tasks.
Cost         each pass reads the rows once. Candidates come to the caller's machine, and go to every task. Where tasks
             have so few rows that their share is small, fewer tasks mine, with more rows each.
Departures   equal rows are sent to one task, by a hash of their items, so that tasks see similar rows.
Reference    Savasere, Omiecinski, Navathe, An efficient algorithm for mining association rules in large databases
             (VLDB 1995), for mining by partitions
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.itemsets import Itemsets
from discreet.patterns.mining import too_many
from discreet.spark.encoded_rows import in_batches, lists_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    from discreet.patterns.patternset import Target
    from discreet.spark.encoded_rows import Task

__all__ = ["chosen_by_target", "mine_by_tasks"]

_LEAST_SHARE = 64
"""The fewest rows that may be a task's share of the minimum support; smaller shares make too many candidates."""

_AT_ONCE = 1 << 16
"""Rows in which candidates are counted at once."""

_MINED = "items array<int>, found bigint"


def mine_by_tasks(
    folded: DataFrame, *, n: int, min_support: int, labels: int, max_patterns: int
) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return all frequent itemsets of distinct rows with weights, in canonical order, and their supports."""
    tasks = max(1, min(folded.rdd.getNumPartitions(), min_support // _LEAST_SHARE))
    spread = folded.select("codes", "weight").coalesce(tasks)
    mined = in_batches(spread, _mining(n, min_support, labels, max_patterns), _MINED).toArrow()
    lists = mined.column("items").combine_chunks()
    if lists.null_count:  # a task gave up
        found = max(mined.column("found").to_pylist())
        raise too_many(found, min_support, n, "all", max_patterns)
    candidates = Itemsets.from_arrow(lists).distinct()
    if len(candidates) == 0:
        return Itemsets.none(), np.zeros(0, np.int64)
    parts = in_batches(spread, _counting(candidates, labels), "counts binary").toArrow().column("counts")
    supports = np.zeros(len(candidates), np.int64)
    for part in parts.to_pylist():
        supports += np.frombuffer(part, np.int64)
    frequent = np.flatnonzero(supports >= min_support)
    return candidates.select(frequent), supports[frequent]


def chosen_by_target(
    itemsets: Itemsets, supports: NDArray[np.int64], labels: int, target: Target
) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return the closed or the maximal ones among all frequent itemsets, or all."""
    if target == "all" or not len(itemsets):
        return itemsets, supports
    if target == "closed":
        flags = _kernel.find_closed(itemsets, supports, labels)
    else:
        flags = _kernel.find_maximal(itemsets, labels)
    chosen = np.flatnonzero(flags)
    return itemsets.select(chosen), supports[chosen]


def _mining(n: int, min_support: int, labels: int, max_patterns: int) -> Task:
    """Return the function with which a task finds the itemsets that reach its share of the minimum support."""

    def mine(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        from discreet.tables.ceilings import memory_ceiling

        rows, weights = _weighted_rows(batches)
        held = int(weights.sum())
        if not held:
            return
        try:
            found, supports = _kernel.mine(
                rows,
                weights,
                total=held,
                sigma=-(-min_support * held // n),
                labels=labels,
                target="all",
                cap=2**31,
                max_patterns=max_patterns,
                max_bytes=memory_ceiling(),
                threads=1,
                layout="auto",
                progress=None,
            )
        except _kernel.TooMany as error:
            none = pa.nulls(1, pa.list_(pa.int32()))
            yield pa.RecordBatch.from_arrays([none, pa.array([error.args[0]], pa.int64())], ["items", "found"])
            return
        yield from lists_of(Itemsets(*found), supports, "items", "found")

    return mine


def _counting(candidates: Itemsets, labels: int) -> Task:
    """Return the function with which a task counts the candidates in its rows."""
    offsets, items = candidates.offsets, candidates.items

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        wanted = Itemsets(offsets, items)
        counts = np.zeros(len(wanted), np.int64)
        rows, weights = _weighted_rows(batches)
        for first in range(0, len(rows), _AT_ONCE):
            last = min(first + _AT_ONCE, len(rows))
            counts += wanted.count_in(rows.part(first, last), weights[first:last], labels)
        yield pa.RecordBatch.from_arrays([pa.array([counts.tobytes()], pa.binary())], ["counts"])

    return count


def _weighted_rows(batches: Iterable[pa.RecordBatch]) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return all rows of a task, and how often each occurs."""
    lists: list[Itemsets] = []
    weights: list[NDArray[np.int64]] = []
    for batch in batches:
        codes = batch.columns[0]
        lengths = np.diff(codes.offsets.to_numpy())
        lists.append(Itemsets.from_lengths(lengths, codes.flatten().to_numpy().astype(np.int32)))
        weights.append(batch.columns[1].to_numpy())
    if not lists:
        return Itemsets.none(), np.zeros(0, np.int64)
    return lists[0].followed_by(*lists[1:]), np.concatenate(weights).astype(np.int64)

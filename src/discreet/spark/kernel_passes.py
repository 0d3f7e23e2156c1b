"""Passes over rows in Spark that the kernel makes, on whole Arrow batches, where the rows are.

Problem      count in how many rows each label occurs; number the frequent items of every row and fold equal rows; mine
             rows that are too many for one machine.
Method       Spark hands a task its rows as Arrow batches (`mapInArrow`). Counting and folding gather batches up to some
             size, so that most equal rows meet before anything is sent.
             Mining takes two passes over the distinct rows. In the first, each task mines its own rows at its share of
             the minimum support, rounded up: an itemset that is frequent in all rows reaches that share in at least one
             task. In the second, each task counts all of these candidates in its rows; the sums are exact.
Promises     exactly the counts and itemsets of the local engine, however rows are spread over tasks.
Cost         each pass reads the rows once. Candidates come to the caller's machine, and go to every task. Where tasks
             have so few rows that their share is small, fewer tasks mine, with more rows each.
Departures   equal rows are sent to one task, by a hash of their items, so that tasks see similar rows.
Reference    Savasere, Omiecinski, Navathe, An efficient algorithm for mining association rules in large databases
             (VLDB 1995), for mining by partitions
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _kernel
from discreet.itemsets import Itemsets
from discreet.patterns.mining import too_many
from discreet.spark.failures import NOT_TEXT, asking_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    from discreet.patterns.patternset import Target

    _Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

__all__ = ["chosen_by_target", "count_labels", "fold_numbered", "mine_by_tasks"]

_GATHERED = 1 << 26
"""Bytes of rows that a task gathers before it counts or folds them."""

_MARK = "\ufeff".encode()

_LEAST_SHARE = 64
"""The fewest rows that may be a task's share of the minimum support; smaller shares make too many candidates."""

_AT_ONCE = 1 << 16
"""Rows in which candidates are counted at once, and itemsets in a batch that a task returns."""

_COUNTS = "label string, rows bigint, firsts bigint, held bigint"
_FOLDED = "codes array<int>, weight bigint"
_MINED = "items array<int>, found bigint"


def count_labels(rows: DataFrame) -> DataFrame:
    """Return for each label in how many rows it occurs, from a frame with one column: arrays of labels, or lines.

    The line without a label has the number of rows (`firsts`), of empty ones (`rows`) and of nulls (`held`).
    """
    from pyspark.sql import functions as sql

    sums = [sql.sum(name).alias(name) for name in ("rows", "firsts", "held")]
    return _in_batches(rows, _count, _COUNTS).groupBy("label").agg(*sums)


def _count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for part in _gathered(batches):
        labels = pa.concat_arrays([part.labels, pa.nulls(1, pa.string())])
        told = np.zeros((3, len(labels)), np.int64)
        told[0, :-1] = np.bincount(part.rows.items, minlength=len(part.labels))
        told[:, -1] = part.empty, len(part.rows), part.nulls
        yield pa.RecordBatch.from_arrays(
            [labels, *(pa.array(column, pa.int64()) for column in told)], ["label", "rows", "firsts", "held"]
        )


def fold_numbered(rows: DataFrame, labels: Sequence[str]) -> DataFrame:
    """Return the distinct rows and how often each occurs: `codes`, ascending indices into `labels`, and `weight`.

    Labels that are not listed are left out of the rows. The frame has one column: arrays of labels, or lines.
    """
    from pyspark.sql import functions as sql

    folded = _in_batches(rows, _folding(tuple(labels)), _FOLDED)
    return folded.groupBy("codes").agg(sql.sum("weight").alias("weight"))


def _folding(labels: tuple[str, ...]) -> _Task:
    def fold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        known = pa.array(labels, pa.string())
        for part in _gathered(batches):
            places = pc.index_in(part.labels, value_set=known).fill_null(-1)
            rows = part.rows.renumbered(places.to_numpy(zero_copy_only=False).astype(np.int32))
            firsts, weights = _kernel.fold_rows(rows, None)
            yield from _as_batches(rows.select(firsts), weights, "codes", "weight")

    return fold


def _in_batches(frame: DataFrame, task: _Task, schema: str) -> DataFrame:
    """Return what a task yields for the Arrow batches of its rows."""
    with asking_spark():
        return frame.mapInArrow(task, schema)


class _Part(NamedTuple):
    """Some rows of a task: distinct items, as indices into labels; and how many rows are empty, and items are null."""

    rows: Itemsets
    labels: pa.Array
    empty: int
    nulls: int


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[_Part]:
    """Yield the rows of a task, many batches at a time."""
    import pyarrow as pa

    gathered: list[pa.Array] = []
    size = 0
    for batch in batches:
        column = batch.columns[0]
        gathered.append(column)
        size += batch.nbytes
        if size >= _GATHERED:
            yield _part(gathered, lines=pa.types.is_string(column.type))
            gathered, size = [], 0
    if gathered:
        yield _part(gathered, lines=pa.types.is_string(gathered[0].type))


def _part(columns: list[pa.Array], *, lines: bool) -> _Part:
    return _of_lines(columns) if lines else _of_lists(columns)


def _of_lists(columns: list[pa.Array]) -> _Part:
    """Return rows from arrays of labels; a null in place of an array is a row without items."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pa.concat_arrays([column.flatten() for column in columns])
    counts = [pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False) for column in columns]
    lengths = np.concatenate(counts).astype(np.int64)
    encoded = values.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    rows = Itemsets.from_lengths(lengths, codes).keeping(codes >= 0).canonical()
    return _Part(rows, encoded.dictionary, int(np.count_nonzero(lengths == 0)), values.null_count)


def _of_lines(columns: list[pa.Array]) -> _Part:
    """Return rows from lines of text: items separated by blanks."""
    import pyarrow as pa
    import pyarrow.compute as pc

    every = pa.concat_arrays([*columns, pa.array([""], pa.string())])  # so that the text ends with the last line's end
    lists = pa.ListArray.from_arrays(pa.array([0, len(every)], pa.int32()), every)
    text = pc.binary_join(lists, "\n")[0].as_buffer().to_pybytes()
    if _MARK in text:  # at the beginning of a file, whose lines may stand anywhere here
        text = text.removeprefix(_MARK).replace(b"\n" + _MARK, b"\n")
    parser = _kernel.TextParser(False, len(text))
    try:
        parser.feed(text)
        arrays, labels = parser.finish()
    except _kernel.ParseError:
        raise ValueError(NOT_TEXT) from None
    rows = Itemsets(*arrays)
    return _Part(rows, pa.array(labels, pa.string()), int(np.count_nonzero(rows.lengths == 0)), 0)


def mine_by_tasks(
    folded: DataFrame, *, n: int, min_support: int, labels: int, max_patterns: int
) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return all frequent itemsets of distinct rows with weights, in canonical order, and their supports."""
    tasks = max(1, min(folded.rdd.getNumPartitions(), min_support // _LEAST_SHARE))
    spread = folded.select("codes", "weight").coalesce(tasks)
    mined = _in_batches(spread, _mining(n, min_support, labels, max_patterns), _MINED).toArrow()
    lists = mined.column("items").combine_chunks()
    if lists.null_count:  # a task gave up
        found = max(mined.column("found").to_pylist())
        raise too_many(found, min_support, n, "all", max_patterns)
    candidates = Itemsets.from_arrow(lists).distinct()
    if len(candidates) == 0:
        return Itemsets.none(), np.zeros(0, np.int64)
    parts = _in_batches(spread, _counting(candidates, labels), "counts binary").toArrow().column("counts")
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


def _mining(n: int, min_support: int, labels: int, max_patterns: int) -> _Task:
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
        yield from _as_batches(Itemsets(*found), supports, "items", "found")

    return mine


def _counting(candidates: Itemsets, labels: int) -> _Task:
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


def _as_batches(itemsets: Itemsets, numbers: NDArray[np.int64], *names: str) -> Iterator[pa.RecordBatch]:
    """Yield itemsets, with a number each, as Arrow batches."""
    import pyarrow as pa

    for first in range(0, len(itemsets), _AT_ONCE):
        last = min(first + _AT_ONCE, len(itemsets))
        part = itemsets.part(first, last)
        lists = pa.ListArray.from_arrays(pa.array(part.offsets, pa.int32()), pa.array(part.items, pa.int32()))
        yield pa.RecordBatch.from_arrays([lists, pa.array(numbers[first:last], pa.int64())], list(names))

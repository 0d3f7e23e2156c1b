"""Rows in Spark as the kernel reads them: thousands of rows, as numbers, in one row of a frame.

Problem      count in how many rows each label occurs; number the frequent items of every row and fold equal rows.
Method       the rows are read once: a task cuts them into parts, which the kernel parses, numbers and, where rows
             repeat each other, folds (equal rows once, with how often). A part is a few arrays of the smallest integers
             that fit, next to its labels. Spark keeps the parts. Folding renumbers the items of each part, leaves out
             what is not frequent, and folds all parts of a task.
             The lines of a local file are read by the tasks themselves, each a range of bytes; all other rows come from
             Spark as Arrow batches (`mapInArrow`), lines of text or arrays of labels.
Promises     exactly the counts and the distinct rows of the local engine, however rows are spread over tasks.
Cost         one pass over the source; then one over the parts for each set of items. No object for a row.
Departures   a local file must lie at the same place for every worker, as Spark's own readers also need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _kernel
from discreet.itemsets import Itemsets
from discreet.spark.failures import NOT_TEXT, NOT_THERE, asking_spark
from discreet.transactions.row_folder import RowFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

    Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

__all__ = ["as_lists", "encode", "encode_file", "fold", "in_batches", "label_counts", "lists_of", "unpacked"]

_PART = 1 << 26
"""Bytes of the source that make one part."""

_FOLDED_ITEMS = 1 << 23
"""The most items of distinct rows that a task gathers before it hands them on."""

_LOOKED_AT = 1 << 14
"""Rows that tell whether it pays to fold all of a part."""

_MARK = "\ufeff".encode()

_TOLD = "array<struct<label: string, rows: bigint, firsts: bigint, held: bigint>>"
_ENCODED = f"told {_TOLD}, kinds bigint, lengths binary, codes binary, weights binary"
_FOLDED = "size bigint, kinds bigint, lengths binary, codes binary, weights binary"
_LISTS = "codes array<int>, weight bigint"


def encode(rows: DataFrame) -> DataFrame:
    """Return the parts of rows in a frame with one column: arrays of labels, or lines of text."""
    return in_batches(rows, _encode_batches, _ENCODED)


def encode_file(session: SparkSession, path: str, size: int) -> DataFrame:
    """Return the parts of the rows in a text file of `size` bytes, which every worker finds at `path`."""
    cores = session.sparkContext.defaultParallelism
    ranges = max(1, min(cores, -(-size // (_PART >> 4))))
    if size > ranges * _PART:
        ranges = cores * -(-size // (_PART * cores))  # all cores end together
    starts = [size * number // ranges for number in range(ranges + 1)]
    return in_batches(session.range(0, ranges, 1, ranges), _reading(path, starts), _ENCODED)


def label_counts(encoded: DataFrame) -> DataFrame:
    """Return for each label in how many rows it occurs.

    The line without a label has the number of rows (`firsts`), of empty ones (`rows`) and of nulls (`held`).
    """
    from pyspark.sql import functions as sql

    sums = [sql.sum(name).alias(name) for name in ("rows", "firsts", "held")]
    return encoded.select(sql.inline("told")).groupBy("label").agg(*sums)


def fold(encoded: DataFrame, labels: Sequence[str]) -> DataFrame:
    """Return the distinct rows of each task, with items as indices into `labels`; others are left out."""
    from pyspark.sql import functions as sql

    tasks = 2 * encoded.sparkSession.sparkContext.defaultParallelism  # with more, equal rows meet later
    parts = encoded.select(sql.col("told.label").alias("labels"), "kinds", "lengths", "codes", "weights")
    return in_batches(parts.coalesce(tasks), _folding(tuple(labels)), _FOLDED)


def as_lists(folded: DataFrame) -> DataFrame:
    """Return the distinct rows of all tasks: `codes`, ascending, and `weight`."""
    from pyspark.sql import functions as sql

    lists = in_batches(folded.select("kinds", "lengths", "codes", "weights"), _unpack, _LISTS)
    return lists.groupBy("codes").agg(sql.sum("weight").alias("weight"))


def in_batches(frame: DataFrame, task: Task, schema: str) -> DataFrame:
    """Return what a task yields for the Arrow batches of its rows."""
    with asking_spark():
        return frame.mapInArrow(task, schema)


class _Part(NamedTuple):
    """Some rows of a task: distinct items, as indices into labels; and how many rows are empty, and items are null."""

    rows: Itemsets
    labels: pa.Array
    nulls: int = 0

    def packed(self) -> pa.RecordBatch:
        """Return the part as a batch of one row."""
        import pyarrow as pa

        labels = pa.concat_arrays([self.labels, pa.nulls(1, pa.string())])
        counts = np.zeros((3, len(labels)), np.int64)
        counts[0, :-1] = np.bincount(self.rows.items, minlength=len(self.labels))
        counts[:, -1] = np.count_nonzero(self.rows.lengths == 0), len(self.rows), self.nulls
        told = pa.StructArray.from_arrays(
            [labels, *(pa.array(column, pa.int64()) for column in counts)], ["label", "rows", "firsts", "held"]
        )
        together = pa.ListArray.from_arrays(pa.array([0, len(told)], pa.int32()), told)
        return _packed(*_folded_if_equal(self.rows), told=together)


def _folded_if_equal(rows: Itemsets) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return each distinct row and how often it occurs; rows as they are if most of the first ones differ."""
    first = rows.part(0, min(_LOOKED_AT, len(rows)))
    if 2 * len(_kernel.fold_rows(first, None)[0]) > len(first):
        return rows, np.ones(len(rows), np.int64)
    firsts, weights = _kernel.fold_rows(rows, None)
    return rows.select(firsts), weights


def _packed(rows: Itemsets, weights: NDArray[np.int64], **more: pa.Array) -> pa.RecordBatch:
    """Return rows with weights as a batch of one row, after other columns."""
    import pyarrow as pa

    numbers: list[NDArray[np.integer]] = [rows.lengths, rows.items, weights]
    binary = [pa.array([_narrowed(array)], pa.binary()) for array in numbers]
    columns = [*more.values(), pa.array([len(rows)], pa.int64()), *binary]
    return pa.RecordBatch.from_arrays(columns, [*more, "kinds", "lengths", "codes", "weights"])


def _narrowed(numbers: NDArray[np.integer]) -> bytes:
    """Return numbers that are not negative, in as few bytes each as the greatest one needs."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0)))).tobytes()


def unpacked(batch: pa.RecordBatch) -> Iterator[tuple[Itemsets, NDArray[np.int64]]]:
    """Yield the rows, with weights, of each row of a batch."""

    def numbers(name: str, at: int, count: int) -> NDArray[np.integer]:
        data = memoryview(columns[name][at].as_buffer())
        return np.frombuffer(data, f"u{len(data) // count}") if count else np.zeros(0, np.uint8)

    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    for at, kinds in enumerate(columns["kinds"].to_pylist()):
        lengths = numbers("lengths", at, kinds).astype(np.int64)
        codes = numbers("codes", at, int(lengths.sum())).astype(np.int32)
        yield Itemsets.from_lengths(lengths, codes), numbers("weights", at, kinds).astype(np.int64)


def _encode_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    gathered: list[pa.Array] = []
    size = 0
    for batch in batches:
        gathered.append(batch.columns[0])
        size += batch.nbytes
        if size >= _PART:
            yield _part(gathered).packed()
            gathered, size = [], 0
    if gathered:
        yield _part(gathered).packed()


def _part(columns: list[pa.Array]) -> _Part:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(columns[0].type):
        return _of_lists(columns)
    every = pa.concat_arrays([*columns, pa.array([""], pa.string())])  # so that the text ends with the last line's end
    lists = pa.ListArray.from_arrays(pa.array([0, len(every)], pa.int32()), every)
    return _of_text(pc.binary_join(lists, "\n")[0].as_buffer().to_pybytes())


def _of_lists(columns: list[pa.Array]) -> _Part:
    """Return rows from arrays of labels; a null in place of an array is a row without items."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pa.concat_arrays([column.flatten() for column in columns])
    counts = [pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False) for column in columns]
    encoded = values.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    rows = Itemsets.from_lengths(np.concatenate(counts).astype(np.int64), codes).keeping(codes >= 0).canonical()
    return _Part(rows, encoded.dictionary, values.null_count)


def _of_text(text: bytes) -> _Part:
    """Return rows from lines of text: items separated by blanks."""
    import pyarrow as pa

    if _MARK in text:  # at the beginning of a file, whose lines may stand anywhere here
        text = text.removeprefix(_MARK).replace(b"\n" + _MARK, b"\n")
    parser = _kernel.TextParser(False, len(text))
    try:
        parser.feed(text)
        arrays, labels = parser.finish()
    except _kernel.ParseError:
        raise ValueError(NOT_TEXT) from None
    return _Part(Itemsets(*arrays), pa.array(labels, pa.string()))


def _reading(path: str, starts: list[int]) -> Task:
    """Return the function with which a task reads ranges of a file: the lines that begin in them."""

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.columns[0].to_pylist():
                text = _lines_from(path, starts[number], starts[number + 1])
                if text:
                    yield _of_text(text).packed()

    return read


def _lines_from(path: str, start: int, end: int) -> bytes:
    """Return the lines that begin at `start` or later, and before `end`."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - what is sent to workers is a text
            if start:
                file.seek(start - 1)
                start += len(file.readline()) - 1
            if start >= end:
                return b""
            file.seek(start)
            text = file.read(end - start)
            return text if text.endswith(b"\n") else text + file.readline()
    except OSError:
        raise ValueError(NOT_THERE) from None


def _folding(labels: tuple[str, ...]) -> Task:
    def fold(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        known = pa.array(labels, pa.string())
        folder = RowFolder()
        for batch in batches:
            for at, (rows, weights) in enumerate(unpacked(batch)):
                own = batch.columns[0].slice(at, 1).flatten()[:-1]  # without the null that stands for all rows
                places = pc.index_in(own, value_set=known).fill_null(-1).to_numpy(zero_copy_only=False)
                folder.add(rows.renumbered(places.astype(np.int32)), weights)
                if len(folder.rows.items) + len(folder.rows) > _FOLDED_ITEMS:
                    yield _folded(folder)
                    folder = RowFolder()
        yield _folded(folder)

    return fold


def _folded(folder: RowFolder) -> pa.RecordBatch:
    import pyarrow as pa

    folder.join()
    size = pa.array([len(folder.rows.items) + len(folder.rows)], pa.int64())
    return _packed(folder.rows, folder.weights, size=size)


def _unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for rows, weights in unpacked(batch):
            yield from lists_of(rows, weights, "codes", "weight")


_AT_ONCE = 1 << 16
"""Rows in a batch of lists."""


def lists_of(itemsets: Itemsets, numbers: NDArray[np.int64], *names: str) -> Iterator[pa.RecordBatch]:
    """Yield itemsets, with a number each, as Arrow batches of two columns with these names."""
    import pyarrow as pa

    for first in range(0, len(itemsets), _AT_ONCE):
        last = min(first + _AT_ONCE, len(itemsets))
        part = itemsets.part(first, last)
        lists = pa.ListArray.from_arrays(pa.array(part.offsets, pa.int32()), pa.array(part.items, pa.int32()))
        yield pa.RecordBatch.from_arrays([lists, pa.array(numbers[first:last], pa.int64())], list(names))

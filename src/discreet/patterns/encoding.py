"""Format itemsets and rules block by block, from arrays: each label is formatted once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from discreet.patterns.label_lists import blocks_of, label_array, label_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "Piece",
    "bytes_of",
    "floats_as_text",
    "in_cell",
    "json_label",
    "pattern_texts",
    "rule_texts",
    "strung",
    "write_columns",
]

_RULES_AT_ONCE = 1 << 15

Piece: TypeAlias = "str | pa.Array | NDArray[np.int64]"
"""A part of a line: the same text in every line, a text per line, or a whole number per line."""


def json_label(label: str) -> str:
    """Return a label as JSON text, without escaping letters."""
    return json.dumps(label, ensure_ascii=False)


def in_cell(text: str) -> str:
    """Double the quotation marks, as inside a quoted CSV cell."""
    return text.replace('"', '""')


def pattern_texts(
    patterns: PatternSet, write: Callable[[str], str], between: str
) -> Iterator[tuple[slice, pa.StringArray]]:
    """Yield blocks of itemsets, each itemset as one text: its labels, formatted by `write`, joined by `between`."""
    import pyarrow.compute as pc

    labels = _ready(patterns.vocabulary, write)
    for rows in blocks_of(patterns.offsets, labels):
        yield rows, pc.binary_join(label_list(patterns.itemsets, labels, rows), between)


def rule_texts(
    rules: RuleSet, write: Callable[[str], str], between: str
) -> Iterator[tuple[slice, pa.StringArray, pa.StringArray]]:
    """Yield blocks of rules: antecedents and consequents as texts."""
    import pyarrow.compute as pc

    labels = _ready(rules.vocabulary, write)
    for first in range(0, len(rules), _RULES_AT_ONCE):
        rows = slice(first, min(first + _RULES_AT_ONCE, len(rules)))
        antecedents = label_list(rules.antecedents, labels, rows)
        consequents = label_list(rules.consequents, labels, rows)
        yield rows, pc.binary_join(antecedents, between), pc.binary_join(consequents, between)


def _ready(vocabulary: Vocabulary, write: Callable[[str], str]) -> pa.StringArray:
    label_array(vocabulary.labels)  # refuse labels that cannot be read back in any format
    return label_array([write(label) for label in vocabulary])


def strung(*pieces: Piece) -> pa.StringArray:
    """Return one text per row: the concatenation of constant texts, texts and whole numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [pa.array(piece).cast(pa.string()) if isinstance(piece, np.ndarray) else piece for piece in pieces]
    return pc.binary_join_element_wise(*columns, "")


def floats_as_text(floats: NDArray[np.float64]) -> pa.StringArray:
    """Return floats as Python prints them: the shortest text that reads back exactly."""
    import pyarrow as pa

    return pa.array([repr(number) for number in floats.tolist()], pa.string())


def bytes_of(texts: pa.StringArray) -> bytes:
    """Return all texts, concatenated."""
    _, ends, content = texts.buffers()
    bounds = np.frombuffer(ends, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return b"" if content is None else bytes(memoryview(content)[bounds[0] : bounds[-1]])


def write_columns(
    path: Path,
    vocabulary: Vocabulary,
    lists: Mapping[str, Itemsets],
    numbers: Mapping[str, NDArray[np.number[Any]]],
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write columns of itemsets, then of counts and shares, to Parquet that others read as lists of strings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    labels = label_array(vocabulary.labels)
    fields = [(name, pa.list_(pa.dictionary(pa.int32(), pa.string()))) for name in lists]
    fields += [(name, pa.from_numpy_dtype(column.dtype)) for name, column in numbers.items()]
    schema = pa.schema(fields)
    # Without Arrow's own copy of the schema, readers see plain strings; labels repeat, so they are stored once.
    with pq.ParquetWriter(path, schema, compression="zstd", store_schema=False) as writer:
        writer.add_key_value_metadata(metadata or {})
        for rows in blocks_of(np.add.reduce([itemsets.offsets for itemsets in lists.values()]), labels):
            arrays: list[pa.Array] = [label_list(itemsets, labels, rows, encoded=True) for itemsets in lists.values()]
            arrays += [pa.array(column[rows]) for column in numbers.values()]
            writer.write_batch(pa.record_batch(arrays, schema=schema))

"""Itemsets as Arrow lists of labels, in blocks: tables and files without a Python object per itemset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets

__all__ = ["blocks_of", "label_array", "label_column", "label_list"]

_MOST_ITEMS = 1 << 19
"""Items per block: a few megabytes of text, many itemsets."""

_MOST_BYTES = 1 << 28
"""Bytes of text per block; Arrow's short strings end at 2 GB."""


def label_array(labels: Sequence[str]) -> pa.StringArray:
    """Return labels as an Arrow array; text that UTF-8 cannot encode is refused."""
    import pyarrow as pa

    try:
        return pa.array(labels, pa.string())
    except UnicodeEncodeError:
        raise DataError(
            "a label holds half of a surrogate pair, which no file can carry; replace it by proper Unicode text"
        ) from None


def blocks_of(offsets: NDArray[np.int64], labels: pa.StringArray) -> Iterator[slice]:
    """Split itemsets into blocks whose labels stay within a few megabytes of text."""
    import pyarrow as pa

    longest = max((len(text) for text in labels.cast(pa.binary()).to_pylist()), default=0)
    most = min(_MOST_ITEMS, _MOST_BYTES // (longest + 4))
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1
        last = min(max(last, first + 1), first + _MOST_ITEMS, len(offsets) - 1)
        yield slice(first, last)
        first = last


def label_list(itemsets: Itemsets, labels: pa.StringArray, rows: slice, *, encoded: bool = False) -> pa.ListArray:
    """Return the lists of labels of some itemsets.

    `labels` may also be texts made from the labels, such as quoted labels. `encoded` stores each label once, in a
    dictionary of those that occur here: a label in no itemset must not get into a file.
    """
    import pyarrow as pa

    chosen = itemsets.part(rows.start, rows.stop)
    values: pa.Array
    if encoded:
        used, places = np.unique(chosen.items, return_inverse=True)
        values = pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), labels.take(pa.array(used)))
    else:
        values = labels.take(pa.array(chosen.items))
    return pa.ListArray.from_arrays(pa.array(chosen.offsets.astype(np.int32)), values)


def label_column(itemsets: Itemsets, labels: Sequence[str]) -> pa.ChunkedArray:
    """Return all itemsets as a column of lists of labels."""
    import pyarrow as pa

    texts = label_array(labels)
    lists = [label_list(itemsets, texts, rows) for rows in blocks_of(itemsets.offsets, texts)]
    return pa.chunked_array(lists, pa.list_(pa.string()))

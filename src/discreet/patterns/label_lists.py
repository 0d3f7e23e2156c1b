"""Itemsets as Arrow lists of labels, a block at a time: tables and files without a Python object per itemset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["label_array", "label_lists"]

_MOST_ITEMS = 1 << 20
"""Items in one block: few megabytes of text, many itemsets."""

_MOST_BYTES = 1 << 30
"""Bytes of text in one block; Arrow's lists of short strings end at twice that."""


def label_array(labels: Sequence[str]) -> pa.StringArray:
    """Return labels as an Arrow array; text that UTF-8 cannot carry is refused."""
    import pyarrow as pa

    try:
        return pa.array(labels, pa.string())
    except UnicodeEncodeError:
        raise DataError(
            "a label holds half of a surrogate pair, which no file can carry; replace it by proper Unicode text"
        ) from None


def label_lists(
    offsets: NDArray[np.int64], items: NDArray[np.int32], labels: pa.StringArray, *, encoded: bool = False
) -> Iterator[tuple[slice, pa.ListArray]]:
    """Yield blocks of itemsets: which ones, and their lists of labels.

    `labels` (see `label_array`) may also be texts made from the labels, such as the labels in quotes. `encoded` keeps
    the labels once per block, as a dictionary.
    """
    import pyarrow as pa

    longest = max((len(text) for text in labels.cast(pa.binary()).to_pylist()), default=0)
    most = min(_MOST_ITEMS, _MOST_BYTES // (longest + 4))
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1
        last = min(max(last, first + 1), first + _MOST_ITEMS)
        start, stop = int(offsets[first]), int(offsets[last])
        codes = pa.array(items[start:stop])
        values = pa.DictionaryArray.from_arrays(codes, labels) if encoded else labels.take(codes)
        ends = pa.array((offsets[first : last + 1] - start).astype(np.int32))
        yield slice(first, last), pa.ListArray.from_arrays(ends, values)
        first = last

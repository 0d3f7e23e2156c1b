"""Convert between numpy and Arrow without importing pandas.

`pa.array` and `Array.to_numpy` import pandas if it is installed, which costs a second for a conversion that does not
need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["arrow_numbers", "arrow_texts", "numpy_numbers", "numpy_truth"]


def arrow_texts(texts: Sequence[str]) -> pa.Array:
    """Return texts as an Arrow array."""
    import pyarrow as pa

    encoded = [text.encode() for text in texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def arrow_numbers(numbers: NDArray[np.integer], *, null: int | None = None) -> pa.Array:
    """Return 32- or 64-bit integers as an Arrow array; those equal to `null` are null."""
    import pyarrow as pa

    numbers = np.ascontiguousarray(numbers)
    valid = None if null is None else pa.py_buffer(np.packbits(numbers != null, bitorder="little"))
    kind = pa.int64() if numbers.dtype == np.int64 else pa.int32()
    return pa.Array.from_buffers(kind, len(numbers), [valid, pa.py_buffer(numbers)])


def numpy_numbers(array: pa.Array, *, null: int = 0) -> NDArray[Any]:
    """Return an Arrow array of 32- or 64-bit integers as a numpy array, with `null` in place of nulls."""
    if not array.null_count:
        return np.from_dlpack(array)
    valid, values = array.buffers()
    part = slice(array.offset, array.offset + len(array))
    numbers = np.frombuffer(values, np.dtype(f"i{array.type.bit_width // 8}"))[part].copy()
    numbers[~_bits(valid)[part]] = null
    return numbers


def numpy_truth(array: pa.Array) -> NDArray[np.bool_]:
    """Return an Arrow array of bool, none of them null, as a numpy array."""
    return _bits(array.buffers()[1])[array.offset : array.offset + len(array)]


def _bits(buffer: pa.Buffer) -> NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(memoryview(buffer), np.uint8), bitorder="little").view(bool)

"""Between numpy and Arrow without a detour.

`pa.array` and `Array.to_numpy` look for pandas, and import it where it is installed: a second lost for a conversion
that has nothing to do with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["arrow_numbers", "arrow_texts", "numpy_numbers"]


def arrow_texts(texts: Sequence[str]) -> Any:  # noqa: ANN401 - Arrow ships no types
    """Return texts as an Arrow array."""
    import pyarrow as pa

    encoded = [text.encode() for text in texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def arrow_numbers(numbers: NDArray[Any], *, null: int | None = None) -> Any:  # noqa: ANN401
    """Return 32- or 64-bit integers as an Arrow array; those equal to `null` are null."""
    import pyarrow as pa

    numbers = np.ascontiguousarray(numbers)
    valid = None if null is None else pa.py_buffer(np.packbits(numbers != null, bitorder="little"))
    kind = pa.int64() if numbers.dtype == np.int64 else pa.int32()
    return pa.Array.from_buffers(kind, len(numbers), [valid, pa.py_buffer(numbers)])


def numpy_numbers(array: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return an Arrow array of numbers, none of them null, as a numpy array."""
    return np.from_dlpack(array)

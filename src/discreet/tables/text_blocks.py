"""Split text into pieces with Arrow, some megabytes at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from discreet.tables.byte_source import ByteSource

__all__ = ["blocks", "pieces", "tails"]

_BLOCK = 1 << 22
_MARK = b"\xef\xbb\xbf"


def blocks(source: ByteSource, boundary: bytes, *, start: int = 0) -> Iterator[bytes]:
    """Yield the bytes from `start`, some megabytes at a time; each block except the last ends with the boundary.

    A byte order mark at the beginning of the file is left out.
    """
    waiting = bytearray()
    skip = start or (len(_MARK) if source.head.startswith(_MARK) else 0)
    enough = _BLOCK
    for chunk in source.chunks():
        waiting += chunk[skip:]
        skip = max(0, skip - len(chunk))
        if len(waiting) < enough:
            continue
        end = waiting.rfind(boundary)
        enough = _BLOCK if end >= 0 else 2 * len(waiting)  # without a boundary, wait for twice as much
        if end >= 0:
            end += len(boundary)
            yield bytes(waiting[:end])
            del waiting[:end]
    yield bytes(waiting)


def pieces(text: bytes, between: str, name: str) -> pa.Array:
    """Return the pieces of a text; `name` is the file's, for the error if it is not UTF-8."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.split_pattern(pa.array([text], pa.binary()).cast(pa.string()), between).flatten()
    except pa.ArrowInvalid:
        raise DataError(f"{name} is not UTF-8 text; save it as UTF-8") from None


def tails(texts: pa.Array, between: str) -> tuple[pa.Array, pa.Array] | None:
    """Split each text at the last `between` and return both parts, or None if some text has none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cut = pc.split_pattern(texts, between, max_splits=1, reverse=True)
    if not pc.all(pc.equal(pc.list_value_length(cut), 2)).as_py():
        return None
    parts = cut.flatten()
    even = np.arange(0, len(parts), 2)
    return parts.take(pa.array(even)), parts.take(pa.array(even + 1))

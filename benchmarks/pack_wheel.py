"""Pack a wheel as small as deflate allows: python pack_wheel.py WHEEL (with zopfli, in the environment of a builder).

The files in it are the same bytes, and so is the packed wheel each time; only packing takes longer, some 15 seconds.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from unittest.mock import patch

__all__ = ["main"]


class Smallest:
    """What `zipfile` compresses a member with, in place of zlib."""

    def __init__(self) -> None:
        self._data = bytearray()

    def compress(self, data: bytes) -> bytes:
        """Keep what is written: it is compressed at the end, as a whole."""
        self._data += data
        return b""

    def flush(self) -> bytes:
        """Return everything as raw deflate: without the two bytes before it in zlib's form, and the four after it."""
        from zopfli.zlib import compress

        packed: bytes = compress(bytes(self._data))
        return packed[2:-4]


def _compressor(kind: int, _: int | None = None) -> Smallest | None:
    return Smallest() if kind == zipfile.ZIP_DEFLATED else None  # some members are stored as they are


def main() -> None:
    """Pack the wheel that is named, in its place."""
    wheel = Path(sys.argv[1])
    packed = wheel.with_suffix(".packed")
    with (
        patch.object(zipfile, "_get_compressor", _compressor),
        zipfile.ZipFile(wheel) as old,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for member in old.infolist():
            new.writestr(member, old.read(member))
    packed.replace(wheel)


if __name__ == "__main__":
    main()

"""Whether a file of a bundle is, byte for byte, what its content gives: nothing can be hidden in such a file.

All files of a bundle follow from what they say. `verify` writes each of them again and compares the bytes: foreign
metadata, comments, columns, scripts, trailing bytes and other ways to write the same all differ. Another version of
discreet, or of a library that it writes with, may give other bytes for the same content: that is not judged.
"""

from __future__ import annotations

import filecmp
import hashlib
import re
import zlib
from typing import TYPE_CHECKING

import discreet
from discreet.errors import DataError
from discreet.publishing.certificate import AnotherVersion
from discreet.tables.scratch import scratch_folder
from discreet.wording import label_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["check_declared", "check_plain", "check_rebuilt", "check_report"]

_CHUNK = 1 << 20
_NO_NAME_NO_TIME = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
_GZIP = 31
_UNKNOWN = "whether it holds more, this one cannot tell"
_DRAWING = re.compile(rb"<svg .*?</svg>", re.DOTALL)


def check_declared(path: Path, count: int) -> None:
    """Refuse a Parquet file that declares another number of rows, before a small one unpacks to gigabytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        declared = pq.read_metadata(path).num_rows
    except pa.ArrowException:
        raise DataError(f"{path.name} is not a whole Parquet file") from None
    if declared != count:
        raise DataError(f"{path.name} holds {declared:,} rows, and the file of text {count:,}")


def check_plain(path: Path) -> None:
    """Refuse what is not a plain file."""
    if path.is_symlink() or not path.is_file():
        raise DataError(f"{path.name} is not a plain file")


def check_rebuilt(path: Path, write: Callable[[Path], None]) -> None:
    """Refuse a file that is not what `write` writes; one of another library is not judged."""
    with scratch_folder() as folder:
        again = folder / path.name
        write(again)
        if filecmp.cmp(path, again, shallow=False):
            return
        if path.suffix == ".parquet" and (other := _writer(path)) != (own := _writer(again)):
            raise AnotherVersion(f"{path.name} says what it must, but {other} wrote it, and here is {own}: {_UNKNOWN}")
        if path.suffix == ".gz" and _unpacked(path) == _unpacked(again):
            raise AnotherVersion(f"{path.name} says what it must, but another library packed it: {_UNKNOWN}")
    raise _more(path)


def check_report(path: Path, make: Callable[[], str], *, program: str) -> None:
    """Refuse a report that is not the page that `make` makes; one of another version of the program is not judged."""
    if program != discreet.__version__:
        raise AnotherVersion(
            f"{path.name} is of version {program}, and this is version {discreet.__version__}: {_UNKNOWN}"
        )
    found, expected = path.read_bytes(), make().encode()
    if found == expected:
        return
    if _without_drawing(found) == _without_drawing(expected):
        raise AnotherVersion(f"the chart in {path.name} was drawn with other libraries or fonts: {_UNKNOWN}")
    raise DataError(f"{path.name} is not the page that the program makes of the rest, and may hold more than it shows")


def _without_drawing(page: bytes) -> list[bytes]:
    """Return what stands before and after the first drawing of a page."""
    return _DRAWING.split(page, maxsplit=1)


def _writer(path: Path) -> str:
    """Return which program wrote a Parquet file, as the file says."""
    import pyarrow.parquet as pq

    return label_text(str(pq.read_metadata(path).created_by))


def _unpacked(path: Path) -> str:
    """Return the digest of what a gzip file holds; refuse names, times, and anything after it."""
    packed, digest, waiting = zlib.decompressobj(_GZIP), hashlib.sha256(), b""
    with path.open("rb") as file:
        if file.read(len(_NO_NAME_NO_TIME)) != _NO_NAME_NO_TIME:
            raise _more(path)
        file.seek(0)
        while not packed.eof:
            waiting = waiting or file.read(_CHUNK)
            digest.update(packed.decompress(waiting, _CHUNK))
            waiting = packed.unconsumed_tail
        if packed.unused_data or waiting or file.read(1):
            raise _more(path)
    return digest.hexdigest()


def _more(path: Path) -> DataError:
    return DataError(f"{path.name} is not written as the program writes it, and may hold more than it shows")

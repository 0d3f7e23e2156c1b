"""The bytes of a file or of standard input, decompressed if gzipped, in chunks."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

__all__ = ["ByteSource", "digest_of", "open_bytes"]

CHUNK = 1 << 19
_GZIP = b"\x1f\x8b"
_HEAD = 1 << 16


class ByteSource:
    """One pass over the plain bytes of an input; `name` is for error messages, `head` is the first 64 KiB."""

    def __init__(self, stream: BinaryIO, name: str, path: Path | None) -> None:
        """Read the beginning."""
        self.name = name
        self.path = path
        raw = _raw_chunks(stream, name)
        first = next(raw, b"")
        self.packed = first.startswith(_GZIP)
        if not self.packed and path is not None and path.suffix.lower() == ".gz" and first:
            raise DataError(f"{name} is named .gz but is not gzip data; rename it if it is not packed")
        plain = _joined(first, raw)
        self._chunks = _unpacked(plain, name) if self.packed else plain
        self.head = b""
        while len(self.head) < _HEAD and (chunk := next(self._chunks, b"")):
            self.head += chunk

    @property
    def expected_size(self) -> int:
        """The approximate number of plain bytes, 0 if unknown: a hint for allocation."""
        if self.path is None:
            return 0
        try:
            size = self.path.stat().st_size
        except OSError:
            return 0
        return 3 * size if self.packed else size

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes, once."""
        if self.head:
            yield self.head
        yield from self._chunks

    @contextmanager
    def plain_file(self) -> Iterator[Path]:
        """Yield the path of a file with these bytes, for readers that need one.

        An uncompressed file is used in place; standard input and compressed files are copied to a private temporary
        file.
        """
        if self.path is not None and not self.packed and self.path.is_file():
            yield self.path
            return
        folder = Path(tempfile.mkdtemp(prefix="discreet-"))  # mode 700
        try:
            copy = folder / "rows"
            try:
                with copy.open("wb") as file:
                    file.writelines(self.chunks())
            except OSError as error:
                raise DataError(f"cannot unpack {self.name} into {folder.parent}: {error.strerror}") from error
            yield copy
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def open_bytes(source: str | os.PathLike[str]) -> Iterator[ByteSource]:
    """Open a path, or standard input for "-"."""
    if os.fspath(source) == "-":
        if sys.stdin is None:
            raise DataError("there is no standard input to read; name a file")
        yield ByteSource(sys.stdin.buffer, "standard input", None)
        return
    path = Path(source)
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise DataError(f"{path} does not exist; check the name") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a folder; name a file in it") from None
    except PermissionError:
        raise DataError(f"{path} may not be read by you; ask for the permission") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise DataError(f"cannot open {str(path)!r}: {getattr(error, 'strerror', None) or error}") from error
    with stream:
        yield ByteSource(stream, str(path), path)


def digest_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's plain bytes, the same whether or not it is compressed."""
    digest = hashlib.sha256()
    with open_bytes(path) as source:
        for chunk in source.chunks():
            digest.update(chunk)
    return digest.hexdigest()


def _raw_chunks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    while True:
        try:
            chunk = stream.read(CHUNK)
        except OSError as error:
            raise DataError(f"cannot read {name}: {error.strerror or error}") from error
        if not chunk:
            return
        yield chunk


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _unpacked(  # noqa: C901 - a loop over chunks, members and pieces of output
    chunks: Iterator[bytes], name: str
) -> Iterator[bytes]:
    """Decompress gzip members one after another; zlib checks the length and checksum of each."""
    member = None
    for packed in chunks:
        rest = packed
        while rest:
            if member is None:
                rest = rest.lstrip(b"\0")  # some tape and block writers pad with zeros after the last member
                if not rest:
                    break
                member = zlib.decompressobj(wbits=31)
            try:
                plain = member.decompress(rest, CHUNK)
            except zlib.error:
                raise DataError(f"{name} is damaged: its gzip data does not unpack; copy it again") from None
            if plain:
                yield plain
            if member.eof:
                rest, member = member.unused_data, None
            else:
                rest = member.unconsumed_tail
    if member is not None:
        try:
            yield member.flush()  # output held back by the limit on the last chunk
        except zlib.error:
            raise DataError(f"{name} is damaged: its gzip data does not unpack; copy it again") from None
        if not member.eof:
            raise DataError(f"{name} is cut off in the middle of its gzip data; copy it again")

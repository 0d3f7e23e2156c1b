"""The bytes of a file or of standard input, decompressed if gzipped, in chunks."""

from __future__ import annotations

import codecs
import hashlib
import os
import sys
import zlib
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, param
from discreet.tables.ceilings import MemoryWatch, disk_ceiling, too_large
from discreet.tables.private_files import ENCRYPTED
from discreet.tables.scratch import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

__all__ = ["ByteSource", "digest_of", "open_bytes"]

CHUNK = 1 << 19
_GZIP = b"\x1f\x8b"
_HEAD = 1 << 16
_NO_TEXT = (b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""The first bytes of Parquet and of workbooks."""
_SOME_BYTES = 16


class ByteSource:
    """One pass over the plain bytes of an input; `name` is for error messages, `head` is the first 64 KiB.

    `progress` is called with the share of the file that was read, and its bytes.
    """

    def __init__(self, stream: BinaryIO, name: str, path: Path | None, encoding: str | None = None) -> None:
        """Read as much as is needed to look at the beginning."""
        self.name = name
        self.path = path
        self._digest = hashlib.sha256()
        self._size = 0
        self._whole = False
        self.progress: Callable[[float, int], object] | None = None
        raw = self._noted(_raw_chunks(stream, name))
        first = next(raw, b"")
        if first.startswith(ENCRYPTED):
            raise DataError(f"{name} is encrypted, and not read as it is; discreet decrypt shows what it holds")
        self.packed = first.startswith(_GZIP)
        if not self.packed and path is not None and path.suffix.lower() == ".gz" and first:
            raise DataError(f"{name} is named .gz but is not gzip data; rename it if it is not packed")
        plain = _joined(first, raw)
        self._chunks = _unpacked(plain, name) if self.packed else plain
        self.head = self._peek()
        self.encoding = encoding or _encoding_of(self.head, name)
        if self.encoding not in ("utf-8", "utf-8-sig"):
            self._chunks = _as_utf8(_joined(self.head, self._chunks), self.encoding, name)
            self.head = self._peek()
        if self.head.startswith(2 * b"\xef\xbb\xbf"):  # the second would be part of the first label
            raise DataError(f"{name} begins with two byte order marks; remove one of them")

    def _noted(self, raw: Iterator[bytes]) -> Iterator[bytes]:
        """Pass the file's bytes on, and keep their digest."""
        for chunk in raw:
            self._digest.update(chunk)
            self._size += len(chunk)
            if self.progress is not None and self._on_disk:
                self.progress(min(1.0, self._size / self._on_disk), self._size)
            yield chunk
        self._whole = True

    @cached_property
    def _on_disk(self) -> int:
        """The size of the file as it lies on the disk; 0 if there is none."""
        try:
            return 0 if self.path is None else self.path.stat().st_size
        except OSError:
            return 0

    def _peek(self) -> bytes:
        head = b""
        while len(head) < _HEAD and (chunk := next(self._chunks, b"")):
            head += chunk
        return head

    def digest(self) -> tuple[str | None, int | None]:
        """Return the SHA-256 and the size of the file as it is on the disk; None for both where there is no file."""
        if self.path is None:
            return None, None
        if not self._whole:  # another reader opened the file by its name
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
        return self._digest.hexdigest(), self._size

    @property
    def expected_size(self) -> int:
        """The approximate number of plain bytes, 0 if unknown: a hint for allocation."""
        return 3 * self._on_disk if self.packed else self._on_disk

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes, once, as long as what is made of them fits into memory."""
        watch = MemoryWatch(self.name)
        if self.head:
            yield self.head
        for chunk in self._chunks:
            watch.check()
            yield chunk

    @contextmanager
    def plain_file(self) -> Iterator[Path]:
        """Yield the path of a file with these bytes, for readers that need one.

        An uncompressed file is used in place; standard input and compressed files are copied to a private temporary
        file.
        """
        if self.path is not None and not self.packed and self.path.is_file() and self.encoding.startswith("utf-8"):
            yield self.path
            return
        with scratch_folder() as folder:
            copy = folder / "rows"
            room = disk_ceiling(folder)
            try:
                with copy.open("wb") as file:
                    for chunk in self.chunks():
                        file.write(chunk)
                        if file.tell() > room:
                            raise too_large(self.name, f"unpacks to more than {folder.parent} has room for")
            except OSError as error:
                raise DataError(f"cannot unpack {self.name} into {folder.parent}: {error.strerror}") from error
            yield copy


@contextmanager
def open_bytes(source: str | os.PathLike[str], *, encoding: str | None = None) -> Iterator[ByteSource]:
    """Open a path, or standard input for "-"; text in another encoding than UTF-8 comes as UTF-8."""
    if os.fspath(source) == "-":
        if sys.stdin is None:
            raise DataError("there is no standard input to read; name a file")
        yield ByteSource(sys.stdin.buffer, "standard input", None, encoding)
        return
    path = Path(source)
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise DataError(_not_there(os.fspath(source))) from None
    except IsADirectoryError:
        raise DataError(f"{path} is a folder; name a file in it") from None
    except PermissionError:
        raise DataError(f"{path} may not be read by you; ask for the permission") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise DataError(f"cannot open {str(path)!r}: {getattr(error, 'strerror', None) or error}") from error
    with stream:
        yield ByteSource(stream, str(path), path, encoding)


def _not_there(name: str) -> str:
    if "://" in name:
        return f"{name} is an address, and only files of this machine are read; download it first"
    if name.startswith("~"):
        return f"{name} does not exist; write the whole path, since only a shell knows what ~ stands for"
    return f"{Path(name)} does not exist; check the name"


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


def _encoding_of(head: bytes, name: str) -> str:
    """Return the encoding that a file's first bytes show; UTF-8 where they show nothing else."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if len(head) >= _SOME_BYTES and not head.startswith(_NO_TEXT):
        for offset, guess in ((1, "utf-16-le"), (0, "utf-16-be")):
            if head[offset:200:2].count(0) * 4 > len(head[offset:200:2]) * 3:
                raise DataError(
                    f"{name} looks like UTF-16 text without a mark that says so; give {param('encoding', guess)}, or "
                    "save it as UTF-8"
                )
    return "utf-8"


def _as_utf8(chunks: Iterator[bytes], encoding: str, name: str) -> Iterator[bytes]:
    """Decode bytes, and encode the text as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 1
    for chunk, last in _with_last(chunks):
        try:
            text = decoder.decode(chunk, final=last)
        except UnicodeDecodeError as error:
            lines += error.object[: error.start].count(b"\n")
            raise DataError(
                f"line {lines:,} of {name} is not {encoding} text; check {param('encoding')}", line=lines
            ) from None
        lines += text.count("\n")
        yield text.encode()


def _with_last(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    waiting = next(chunks, b"")
    for chunk in chunks:
        yield waiting, False
        waiting = chunk
    yield waiting, True


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

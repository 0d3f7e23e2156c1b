"""An inverted file on disk, which answers queries without the rows.

The file consists of a line with the format's version, a length, a JSON object of that many bytes (the numbers of rows
and labels, the labels, the rows' layout, the digest of the file they came from), the two arrays, the rows' ids, and a
digest of everything before it. A truncated or corrupted file is refused. The file contains everything that the rows
contain, so only its owner may read it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, InputError, param
from discreet.hiding.inverted_file import InvertedFile
from discreet.itemsets import Itemsets
from discreet.tables.private_files import read_private, write_private
from discreet.transactions.layout import Layout
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from discreet.json_types import ParsedDocument

__all__ = ["index_bytes", "open_index", "save_index"]

_NAME = b"discreet inverted file, version "
_VERSION = b"1\n"
_LENGTH = 8
_DIGEST = 32
_BETWEEN_IDS = "\0"  # no id contains it


def save_index(
    index: InvertedFile, path: str | PathLike[str], *, force: bool = False, passphrase: str | bytes | None = None
) -> None:
    """Write an inverted file atomically, encrypted if there is a passphrase."""
    write_private(path, index_bytes(index), force=force, passphrase=passphrase)


def index_bytes(index: InvertedFile) -> Iterator[bytes]:
    """Yield the contents of a saved inverted file."""
    ids = b"" if index.ids is None else _BETWEEN_IDS.join(index.ids).encode()
    header = json.dumps(
        {
            "n": index.n,
            "labels": index.vocabulary.labels,
            "places": len(index.lists.items),
            "ids": None if index.ids is None else len(ids),
            "layout": None if index.layout is None else asdict(index.layout),
            "source": index.source,
            "read_as": index.read_as,
        }
    ).encode()
    parts = [_NAME + _VERSION, len(header).to_bytes(_LENGTH, "little"), header]
    parts += [index.lists.offsets.astype("<i8").tobytes(), index.lists.items.astype("<i4").tobytes(), ids]
    digest = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        digest.update(part)
        yield part
    yield digest.digest()


def open_index(path: str | PathLike[str], *, passphrase: str | bytes | None = None) -> InvertedFile:
    """Open an inverted file that was saved."""
    try:
        data = read_private(path, passphrase)
    except OSError as error:
        raise DataError(f"cannot open the index {path}: {error.strerror or error}") from error
    if not data.startswith(_NAME):
        raise DataError(f"{path} is not an inverted file; {param('index')} needs one that hide or query saved")
    start = len(_NAME) + len(_VERSION)
    if data[len(_NAME) : start] != _VERSION:
        raise DataError(f"{path} was saved by another version of discreet; make it again from the rows")
    body = memoryview(data)[:-_DIGEST]
    if hashlib.blake2b(body, digest_size=_DIGEST).digest() != data[-_DIGEST:]:
        raise _damaged(path)
    try:
        return _index(body, start)
    except (InputError, ValueError, KeyError, TypeError):
        raise _damaged(path) from None


def _index(body: memoryview, start: int) -> InvertedFile:
    stop = start + _LENGTH + int.from_bytes(body[start : start + _LENGTH], "little")
    header: ParsedDocument = json.loads(bytes(body[start + _LENGTH : stop]))
    vocabulary = Vocabulary.from_canonical(header["labels"])
    offsets = np.frombuffer(body, "<i8", len(vocabulary) + 1, stop)
    rows = np.frombuffer(body, "<i4", header["places"], stop + offsets.nbytes)
    ids = None
    if header["ids"] is not None:
        place = stop + offsets.nbytes + rows.nbytes
        ids = bytes(body[place : place + header["ids"]]).decode().split(_BETWEEN_IDS)
    layout = header["layout"]
    if layout is not None:
        layout = Layout(**layout | {"columns": tuple(layout["columns"])})
    return InvertedFile(
        lists=Itemsets(
            np.require(offsets, np.int64, "A"), np.require(rows, np.int32, "A")
        ),  # the header has any length
        vocabulary=vocabulary,
        n=header["n"],
        ids=ids,
        layout=layout,
        source=header["source"],
        read_as=tuple(header["read_as"]),
    )


def _damaged(path: str | PathLike[str]) -> DataError:
    return DataError(f"the index {path} is damaged; remove it and make it again from the rows")

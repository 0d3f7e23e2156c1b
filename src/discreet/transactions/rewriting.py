"""Write rows that lost some items so that every other row keeps its original bytes.

`write` formats all rows: sorted items, one blank between them. A recipient of a changed file would then see that it was
changed, and a diff against the original would show every line. Here the original file is copied, and only the lines of
changed rows are touched: FIMI and SPMF lines lose tokens, lines of a CSV are rewritten.

Text in another encoding than UTF-8 is edited as UTF-8 and encoded again, which gives untouched lines their bytes.

Only text has lines, and bytes may be copied only if the rows contain everything in the file: a column that was left out
when reading must not come back. Everything else is formatted by `write`.
"""

from __future__ import annotations

import codecs
import hashlib
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from discreet import _kernel
from discreet.errors import DataError
from discreet.stages import share_of
from discreet.tables.arrow_arrays import arrow_numbers
from discreet.tables.byte_source import open_bytes
from discreet.tables.csv import cell_blocks
from discreet.tables.table import Coded, translate
from discreet.tables.whole import check_output, output_file
from discreet.tables.writers import csv_cell, csv_lines
from discreet.transactions.rows_builder import RowIds
from discreet.transactions.shapes.fimi import item_names
from discreet.transactions.shapes.row_columns import written_columns
from discreet.transactions.transactions import Transactions
from discreet.transactions.writing import holds, layout_for, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.tables.byte_source import ByteSource
    from discreet.tables.csv import CellBlock
    from discreet.transactions.layout import Layout

__all__ = ["rewrite"]

_BOM = b"\xef\xbb\xbf"


def rewrite(
    rows: Transactions,
    path: str | PathLike[str],
    *,
    source: str | PathLike[str],
    removed_from: NDArray[np.int32],
    removed: NDArray[np.int32],
    as_read: bool,
    digest: str | None = None,
    sha256: str | None = None,
    encoding: str | None = None,
    force: bool = False,
) -> None:
    """Write rows, which lost item `removed[i]` in row `removed_from[i]` (ascending) since they were read from `source`.

    `as_read` is whether the rows contain everything in the file: no column was left out, no value put into a bin or
    renamed, no row dropped. The file must still have these rows and, if given, the SHA-256 `digest` of its plain bytes
    and the `sha256` of its bytes on the disk. `encoding` is that of the file, if it does not show it. What is written
    is read again before it takes its name: if it does not hold these rows, nothing is written.
    """
    path = check_output(path, force=force)
    layout = layout_for(rows, path)
    kept = as_read and layout == rows.layout
    if kept and layout.container == "text":
        edited = _edited_text
    elif kept and layout.container == "csv" and layout.shape == "long" and _has_two_columns(source, layout, encoding):
        edited = _edited_long
    elif kept and layout.container == "csv" and layout.shape in ("basket", "table", "onehot"):
        edited = _edited_csv
    else:
        write(rows, path, force=force, checked=True)
        return

    change = _Change(rows, layout, source, removed_from, removed, encoding)
    with open_bytes(source, encoding=encoding) as plain, ExitStack() as stack:

        def check(written: Path) -> None:
            if not holds(written, rows, layout, encoding=plain.encoding):
                raise DataError(f"{source} changed in the meantime; start again")

        file = stack.enter_context(output_file(path, force=force, check=check))
        plain.progress = share_of("copying rows")
        watched = _Watched(plain, hashed=digest is not None)
        file.writelines(_encoded(edited(watched, change), plain.encoding))
        if watched.digest() != digest or (sha256 is not None and plain.digest()[0] != sha256):
            watched.refuse(rows)


class _Change(NamedTuple):
    """Rows as they are now, their original layout, and what they lost."""

    rows: Transactions
    layout: Layout
    source: str | PathLike[str]
    removed_from: NDArray[np.int32]
    removed: NDArray[np.int32]
    encoding: str | None


def _encoded(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Encode UTF-8 as the source was encoded."""
    if encoding.startswith("utf-8"):
        yield from chunks
        return
    decoder, encoder = codecs.getincrementaldecoder("utf-8")(), codecs.getincrementalencoder(encoding)()
    for chunk in chunks:
        yield encoder.encode(decoder.decode(chunk))
    yield encoder.encode(decoder.decode(b"", final=True), final=True)


class _Watched:
    """A source's chunks, hashed as they pass."""

    def __init__(self, source: ByteSource, *, hashed: bool) -> None:
        self.name = source.name
        self.head = source.head
        self.last_byte = b""
        self._source = source
        self._digest = hashlib.sha256() if hashed else None

    def chunks(self) -> Iterator[bytes]:
        for chunk in self._source.chunks():
            if self._digest is not None:
                self._digest.update(chunk)
            self.last_byte = chunk[-1:] or self.last_byte
            yield chunk

    def digest(self) -> str | None:
        return None if self._digest is None else self._digest.hexdigest()

    def refuse(self, rows: Transactions) -> NoReturn:
        raise DataError(
            f"{self.name} changed in the meantime: it is not the file that these {len(rows):,} rows were read from; "
            "start again"
        )


def _edited_text(source: _Watched, change: _Change) -> Iterator[bytes]:
    """Yield FIMI or SPMF lines; an SPMF file keeps no name for an item that no longer occurs."""
    rows = change.rows
    tokens: list[str] = list(rows.vocabulary.labels)
    unnamed: list[str] = []
    if change.layout.shape == "spmf":
        with open_bytes(change.source, encoding=change.encoding) as named:
            numbers = {label: number for number, label in item_names(named).items()}
        tokens = [numbers.get(label, label) for label in tokens]
        unnamed = [tokens[item] for item in np.flatnonzero(rows.item_supports() == 0).tolist()]
    headers = change.layout.shape == "spmf"
    editor = _kernel.TextEditor(headers, tokens, change.removed_from, change.removed, unnamed)
    for chunk in source.chunks():
        yield editor.feed(chunk)
    yield editor.finish()
    if editor.rows != len(rows) or not editor.matched:
        source.refuse(rows)


def _edited_csv(source: _Watched, change: _Change) -> Iterator[bytes]:
    """Yield the lines of a CSV with one row per line."""
    rows, layout = change.rows, change.layout
    changed = np.zeros(len(rows), bool)
    changed[change.removed_from] = True
    end = _line_end(source.head)
    held_back = _BOM if source.head.startswith(_BOM) else b""
    header = layout.header and layout.shape != "basket"
    first = 0  # the row that the block starts with
    for block in cell_blocks(source.chunks(), delimiter=layout.delimiter, name=source.name):
        yield held_back
        lines = len(block.lengths) - header
        if first + lines > len(rows):
            source.refuse(rows)
        places = np.flatnonzero(changed[first : first + lines])
        held_back = _spliced(block, places + header, _written(change, first + places, end))
        header = False
        first += lines
    if source.last_byte not in (b"\n", b"\r"):  # as in the original: without a newline
        held_back = held_back.removesuffix(end if held_back.endswith(end) else b"\n")
    yield held_back
    if first != len(rows):
        source.refuse(rows)


def _line_end(head: bytes) -> bytes:
    """Return the line end of a file that begins like this."""
    for end in (b"\r\n", b"\n", b"\r"):
        if end in head:
            return end
    return b"\n"


def _has_two_columns(source: str | PathLike[str], layout: Layout, encoding: str | None) -> bool:
    """Return whether a CSV has a header, and no more than an id and an item."""
    with open_bytes(source, encoding=encoding) as plain:
        first = next(cell_blocks(plain.chunks(), delimiter=layout.delimiter, name=plain.name), None)
    return first is not None and layout.header and int(first.lengths[0]) == 2  # noqa: PLR2004 - an id, an item


def _edited_long(source: _Watched, change: _Change) -> Iterator[bytes]:
    """Yield the lines of a long table except those of removed items.

    The first line of a row stays, without its item: the lines define the rows and their order.
    """
    rows, layout = change.rows, change.layout
    number = {text: place for place, text in enumerate(rows.ids or ())}
    wanted = change.removed_from.astype(np.int64) * len(rows.vocabulary) + change.removed
    unseen = np.ones(len(wanted), bool)
    named = np.zeros(len(rows), bool)
    held_back = _BOM if source.head.startswith(_BOM) else b""
    end = _line_end(source.head)
    id_place, header = 0, True
    for block in cell_blocks(source.chunks(), delimiter=layout.delimiter, name=source.name):
        yield held_back
        codes = block.codes.reshape(-1, 2)
        if header:
            id_place = 0 if block.texts[int(codes[0, 0])].as_py() == layout.id_column else 1
        row = translate(Coded(codes[header:, id_place], block.texts), lambda text: number.get(text, -1), null=-1)
        if (row < 0).any():
            source.refuse(rows)
        item = translate(
            Coded(codes[header:, 1 - id_place], block.texts),
            lambda text: rows.vocabulary.positions.get(text, -1),
            null=-1,
        )
        keys = row.astype(np.int64) * len(rows.vocabulary) + item
        place = np.minimum(np.searchsorted(wanted, keys), max(0, len(wanted) - 1))
        goes = (item >= 0) & (wanted[place] == keys) if len(wanted) else np.zeros(len(keys), bool)
        unseen[place[goes]] = False
        lines = np.flatnonzero(goes)
        first = np.zeros(len(row), bool)
        first[np.unique(row, return_index=True)[1]] = True
        first &= ~named[row]
        named[row] = True
        held_back = _spliced(block, lines + header, _only_ids(change, row[lines], first[lines], id_place, end))
        header = False
    if source.last_byte not in (b"\n", b"\r"):  # as in the original: without a newline
        held_back = held_back.removesuffix(end if held_back.endswith(end) else b"\n")
    yield held_back
    if unseen.any():
        source.refuse(rows)


def _only_ids(change: _Change, row: NDArray[np.int32], stays: NDArray[np.bool_], id_place: int, end: bytes) -> pa.Array:
    """Return lines with an id and no item for rows that stay, and nothing for the others."""
    import pyarrow as pa

    ids = change.rows.ids or ()
    delimiter = change.layout.delimiter
    lines = [b""] * len(row)
    for place in np.flatnonzero(stays).tolist():
        cells = [csv_cell(ids[int(row[place])], delimiter), ""]
        lines[place] = delimiter.join(cells if id_place == 0 else cells[::-1]).encode() + end
    return pa.array(lines, pa.large_binary())


def _written(change: _Change, which: NDArray[np.int64], end: bytes) -> pa.Array:
    """Return the lines of some rows, with line ends, as Arrow bytes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(which):
        return pa.array([], pa.large_binary())
    rows = change.rows
    ids = rows.ids.take(which) if isinstance(rows.ids, RowIds) else rows.ids and [rows.ids[at] for at in which.tolist()]
    some = Transactions(rows.itemsets.select(which), rows.vocabulary, ids=ids, layout=change.layout)
    slices = csv_lines(written_columns(some, change.layout))
    lines = pa.concat_arrays([each.cast(pa.large_binary()) for each in slices])
    ends = pa.array([end], pa.large_binary()).take(arrow_numbers(np.zeros(len(lines), np.int32)))
    return pc.binary_join_element_wise(lines, ends, pa.scalar(b"", pa.large_binary()))


def _spliced(block: CellBlock, places: NDArray[np.int64], lines: pa.Array) -> bytes:
    """Return a block's bytes with some of its lines replaced."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(places):
        return block.buffer[: block.used]
    starts = np.append(block.starts, block.used)
    starts[0] = 0  # blank lines belong to the line before them, or at the beginning to the one after
    whole = pa.Array.from_buffers(
        pa.large_binary(), len(starts) - 1, [None, pa.py_buffer(starts.astype(np.int64)), pa.py_buffer(block.buffer)]
    )
    mask = np.zeros(len(whole), bool)
    mask[places] = True
    mixed = pc.replace_with_mask(whole, pa.array(mask), lines)
    return bytes(memoryview(mixed.buffers()[2])[: int(np.frombuffer(mixed.buffers()[1], np.int64)[len(mixed)])])

"""FIMI and SPMF: one row per line, items separated by blanks, parsed by the kernel.

FIMI: a token is an item's label, a repeated token counts once, and a blank line is an empty row. SPMF adds lines that
start with `@`, `%` or `#`: `@ITEM=1=apple` names item 1 apple; the others are skipped.

When written, FIMI allows labels without blanks and control characters. SPMF allows whole numbers; other labels are
numbered, and `@ITEM` lines at the top name them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _kernel
from discreet.errors import DataError, OutputError, param
from discreet.itemsets import Itemsets
from discreet.stages import tell
from discreet.tables.table import BLANKS
from discreet.transactions.layout import Layout
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.tables.byte_source import ByteSource
    from discreet.transactions.rows_builder import RowsBuilder

__all__ = [
    "SPMF_MARKS",
    "fimi_bytes",
    "held_labels",
    "item_names",
    "looks_like_spmf",
    "read_fimi",
    "read_spmf",
    "spmf_bytes",
    "used_items",
]

SPMF_MARKS = ("@CONVERTED_FROM_TEXT", "@ITEM=")
_LONGEST_LINE = 1 << 20  # the limit of the kernel's parser
_ROWS = 1 << 16
_TEXT = 1 << 22
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ufeff\ud800-\udfff]")  # including surrogates, which are not characters
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


def looks_like_spmf(head: bytes) -> bool:
    """Return whether a text file begins like those of SPMF's converter."""
    return head.removeprefix(b"\xef\xbb\xbf").startswith(tuple(mark.encode() for mark in SPMF_MARKS))


def read_fimi(source: ByteSource, rows: RowsBuilder | None = None) -> Transactions:
    """Read rows of tokens, into a builder if one is given."""
    if rows is not None:
        return _read_into(source, rows)
    parsed = _parse(source, headers=False)
    return Transactions.unchecked(
        parsed.itemsets,
        Vocabulary.from_canonical(parsed.labels),
        layout=Layout(shape="fimi", container="text"),
    )


def read_spmf(source: ByteSource) -> Transactions:
    """Read rows of numbers, and apply the names in the header."""
    parsed = _parse(source, headers=True)
    layout = Layout(shape="spmf", container="text")
    names = _names(parsed.header, source.name)
    labels = [names.get(number, number) for number in parsed.labels]
    if len(set(labels)) < len(labels):
        raise DataError(f"two items of {source.name} have the same name in its @ITEM lines; give each its own")
    return Transactions.from_codes(parsed.itemsets, labels, layout=layout)


def item_names(source: ByteSource) -> dict[str, str]:
    """Return the names of numbers in an SPMF file."""
    return _names(_parse(source, headers=True).header, source.name)


def _read_into(source: ByteSource, rows: RowsBuilder) -> Transactions:
    """Read rows of tokens, some megabytes at a time."""
    parser = _kernel.TextParser(False, 0)
    waiting = 0

    def add(arrays: tuple[NDArray[np.int64], NDArray[np.int32]]) -> None:
        offsets, items = arrays
        rows.add(items, np.diff(offsets))

    try:
        for chunk in source.chunks():
            parser.feed(chunk)
            waiting += len(chunk)
            if waiting >= _TEXT:
                add(parser.take())
                waiting = 0
        arrays, labels, numbers = parser.take_last()
    except _kernel.ParseError as error:
        raise _misread(parser.line, source.name, error) from None
    add(arrays)
    layout = Layout(shape="fimi", container="text")
    return rows.numbered(Vocabulary.from_canonical(labels), numbers, name=source.name, layout=layout)


def _misread(line: int, name: str, error: Exception) -> DataError:
    advice = f"; give {param('encoding')}, as in cp1252, or save it as UTF-8" if "not text" in str(error) else ""
    return DataError(f"line {line:,} of {name} {error}{advice}", line=line)


class _Parsed(NamedTuple):
    itemsets: Itemsets
    labels: list[str]
    header: list[str]


def _parse(source: ByteSource, *, headers: bool) -> _Parsed:
    """Feed all bytes to the kernel."""
    parser = _kernel.TextParser(headers, source.expected_size)
    try:
        for chunk in source.chunks():
            parser.feed(chunk)
        arrays, labels = parser.finish()
    except _kernel.ParseError as error:
        raise _misread(parser.line, source.name, error) from None
    itemsets = Itemsets(*arrays)
    if not len(itemsets):
        raise DataError(f"{source.name} holds no rows; save or export it again")
    return _Parsed(itemsets, labels, parser.header)


def _names(header: list[str], name: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for entry in header:
        if not entry.startswith("@ITEM="):
            continue
        number, equals, label = entry.removeprefix("@ITEM=").partition("=")
        number, label = number.strip(BLANKS), label.strip(BLANKS)
        if not equals or not number or not label:
            raise DataError(f"an @ITEM line of {name} is not of the form @ITEM=1=apple")
        if names.setdefault(number, label) != label:
            raise DataError(f"{name} names an item twice in its @ITEM lines; keep one of the two")
    return names


def fimi_bytes(rows: Transactions) -> Iterator[bytes]:
    """Return the lines, in chunks; labels that FIMI cannot represent are refused first."""
    labels = rows.vocabulary.labels
    for item in used_items(rows):
        label = labels[item]
        if not label or _CONTROL.search(label) or " " in label or label.startswith(SPMF_MARKS):
            raise OutputError(
                "a label with blanks or control characters, or an empty one, does not fit into fimi; "
                "write to a .csv, .json or .parquet file"
            )
    return _lines(rows, held_labels(rows))


def spmf_bytes(rows: Transactions) -> Iterator[bytes]:
    """Return the lines, in chunks, preceded by names if labels are not all numbers."""
    labels = rows.vocabulary.labels
    used = used_items(rows)
    if all(_NUMBER.fullmatch(labels[item]) for item in used):
        return _lines(rows, held_labels(rows))
    numbers = [""] * len(labels)
    names = ["@CONVERTED_FROM_TEXT"]
    for number, item in enumerate(used, 1):
        label = labels[item]
        if not label.strip(BLANKS) or label != label.strip(BLANKS) or _CONTROL.search(label):
            raise OutputError(
                "a label with blanks around it or with control characters, or an empty one, does not fit into spmf; "
                "write to a .json or .parquet file"
            )
        numbers[item] = str(number)
        names.append(f"@ITEM={number}={label}")
    return _lines(rows, numbers, header="\n".join(names).encode() + b"\n")


def used_items(rows: Transactions) -> list[int]:
    """Return the items that occur, in order."""
    return np.flatnonzero(rows.item_supports()).tolist()


def held_labels(rows: Transactions) -> list[str]:
    """Return the labels, with empty texts for unused ones, which need not be valid."""
    labels = [""] * len(rows.vocabulary)
    for item in used_items(rows):
        labels[item] = rows.vocabulary[item]
    return labels


def _lines(rows: Transactions, labels: list[str], header: bytes = b"") -> Iterator[bytes]:
    if header:
        yield header
    sizes = np.fromiter((len(label.encode()) + 1 for label in labels), np.int64, count=len(labels))
    for first in range(0, len(rows), _ROWS):
        tell("laying out rows", first / len(rows))
        last = min(first + _ROWS, len(rows))
        part = rows.itemsets.part(first, last)
        ends = np.concatenate(([0], np.cumsum(sizes[part.items])))
        if np.diff(ends[part.offsets]).max() > _LONGEST_LINE:
            raise OutputError(f"a row needs a line of more than {_LONGEST_LINE:,} bytes; write to a .parquet file")
        yield _kernel.format_text(rows.itemsets, labels, first, last)

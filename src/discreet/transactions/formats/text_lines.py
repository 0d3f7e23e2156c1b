"""FIMI and SPMF: one row per line, items separated by blanks, parsed by the kernel.

FIMI: a token is an item's label, a repeated token counts once, and a blank line is an empty row. SPMF adds lines that
start with `@`, `%` or `#`: `@ITEM=1=apple` says that item 1 is called apple; the others are skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from discreet import _kernel
from discreet.errors import DataError
from discreet.transactions.formats.delimited import BLANKS
from discreet.transactions.layout import Layout
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.transactions.formats.opening import ByteSource

__all__ = ["SPMF_MARKS", "item_names", "looks_like_spmf", "read_fimi", "read_spmf"]

SPMF_MARKS = ("@CONVERTED_FROM_TEXT", "@ITEM=")


def looks_like_spmf(head: bytes) -> bool:
    """Say whether a text file begins the way SPMF's converter begins its files."""
    return head.removeprefix(b"\xef\xbb\xbf").startswith(tuple(mark.encode() for mark in SPMF_MARKS))


def read_fimi(source: ByteSource) -> Transactions:
    """Read rows of tokens."""
    parsed = _parse(source, headers=False)
    return Transactions.unchecked(
        parsed.offsets,
        parsed.items,
        Vocabulary.from_canonical(parsed.labels),
        layout=Layout(shape="fimi", container="text"),
    )


def read_spmf(source: ByteSource) -> Transactions:
    """Read rows of numbers, and give items the names that the header has for them."""
    parsed = _parse(source, headers=True)
    layout = Layout(shape="spmf", container="text")
    names = _names(parsed.header, source.name)
    labels = [names.get(number, number) for number in parsed.labels]
    if len(set(labels)) < len(labels):
        raise DataError(f"two items of {source.name} have the same name in its @ITEM lines; give each its own")
    return Transactions.from_codes(parsed.offsets, parsed.items, labels, layout=layout)


def item_names(source: ByteSource) -> dict[str, str]:
    """Return the names that an SPMF file has for its numbers."""
    return _names(_parse(source, headers=True).header, source.name)


class _Parsed(NamedTuple):
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    labels: list[str]
    header: list[str]


def _parse(source: ByteSource, *, headers: bool) -> _Parsed:
    """Feed everything to the kernel."""
    parser = _kernel.TextParser(headers, source.expected_size)
    try:
        for chunk in source.chunks():
            parser.feed(chunk)
        offsets, items, labels = parser.finish()
    except _kernel.ParseError as error:
        raise DataError(f"line {parser.line:,} of {source.name} {error}", line=parser.line) from None
    if len(offsets) == 1:
        raise DataError(f"{source.name} holds no rows")
    return _Parsed(offsets, items, labels, parser.header)


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

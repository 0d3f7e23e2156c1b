"""FIMI and SPMF: one row per line, items separated by blanks, parsed by the kernel.

FIMI: a token is an item's label, a repeated token counts once, and a blank line is an empty row. SPMF adds lines that
start with `@`, `%` or `#`: `@ITEM=1=apple` says that item 1 is called apple; the others are skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet import _kernel
from discreet.errors import DataError
from discreet.transactions.layout import Layout
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from discreet.transactions.formats.opening import ByteSource

__all__ = ["SPMF_MARKS", "looks_like_spmf", "read_fimi", "read_spmf"]

SPMF_MARKS = ("@CONVERTED_FROM_TEXT", "@ITEM=")


def looks_like_spmf(head: bytes) -> bool:
    """Say whether a text file begins the way SPMF's converter begins its files."""
    return head.removeprefix(b"\xef\xbb\xbf").startswith(tuple(mark.encode() for mark in SPMF_MARKS))


def read_fimi(source: ByteSource) -> Transactions:
    """Read rows of tokens."""
    parser = _parsed(source, headers=False)
    offsets, items, labels = parser.finish()
    return Transactions(
        offsets=offsets,
        items=items,
        vocabulary=Vocabulary.from_canonical(labels),
        layout=Layout(shape="fimi", container="text"),
    )


def read_spmf(source: ByteSource) -> Transactions:
    """Read rows of numbers, and give items the names that the header has for them."""
    parser = _parsed(source, headers=True)
    offsets, items, numbers = parser.finish()
    layout = Layout(shape="spmf", container="text")
    names = _names(parser.header, source.name)
    if not names:
        return Transactions(
            offsets=offsets, items=items, vocabulary=Vocabulary.from_canonical(numbers), layout=layout
        )
    labels = [names.get(number, number) for number in numbers]
    if len(set(labels)) < len(labels):
        raise DataError(f"two items of {source.name} have the same name in its @ITEM lines; give each its own")
    return Transactions.from_codes(offsets, items, labels, layout=layout)


def _parsed(source: ByteSource, *, headers: bool) -> _kernel.TextParser:
    """Feed everything to the kernel."""
    parser = _kernel.TextParser(headers)
    try:
        for chunk in source.chunks():
            parser.feed(chunk)
    except _kernel.ParseError as error:
        raise DataError(f"line {parser.line:,} of {source.name} {error}", line=parser.line) from None
    return parser


def _names(header: list[str], name: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for entry in header:
        if not entry.startswith("@ITEM="):
            continue
        number, equals, label = entry.removeprefix("@ITEM=").partition("=")
        number, label = number.strip(), label.strip()
        if not equals or not number or not label:
            raise DataError(f"an @ITEM line of {name} is not of the form @ITEM=1=apple")
        if names.setdefault(number, label) != label:
            raise DataError(f"{name} names an item twice in its @ITEM lines; keep one of the two")
    return names

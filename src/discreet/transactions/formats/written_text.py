"""Rows written as FIMI or SPMF lines.

FIMI carries labels without blanks and control characters. SPMF carries whole numbers; other labels are numbered, and
`@ITEM=1=apple` lines at the top name them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.errors import OutputError
from discreet.transactions.formats.delimited import BLANKS
from discreet.transactions.formats.text_lines import SPMF_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.transactions.transactions import Transactions

__all__ = ["fimi_bytes", "held_labels", "spmf_bytes", "used_items"]

_LONGEST_LINE = 1 << 20  # what the kernel's parser takes
_ROWS = 1 << 16
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ufeff\ud800-\udfff]")  # and what is no character at all
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


def fimi_bytes(rows: Transactions) -> Iterator[bytes]:
    """Return the lines, in chunks; labels that FIMI cannot carry are refused first."""
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
    """Return the lines, in chunks, names before them where labels are not all numbers."""
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
    """Return the items that some row holds, in order."""
    return np.flatnonzero(rows.item_supports()).tolist()


def held_labels(rows: Transactions) -> list[str]:
    """Return the labels, empty texts in place of those that no row holds: whether these fit is of no interest."""
    labels = [""] * len(rows.vocabulary)
    for item in used_items(rows):
        labels[item] = rows.vocabulary[item]
    return labels


def _lines(rows: Transactions, labels: list[str], header: bytes = b"") -> Iterator[bytes]:
    if header:
        yield header
    sizes = np.fromiter((len(label.encode()) + 1 for label in labels), np.int64, count=len(labels))
    for first in range(0, len(rows), _ROWS):
        last = min(first + _ROWS, len(rows))
        offsets = rows.offsets[first : last + 1]
        ends = np.concatenate(([0], np.cumsum(sizes[rows.items[offsets[0] : offsets[-1]]])))
        if np.diff(ends[offsets - offsets[0]]).max() > _LONGEST_LINE:
            raise OutputError(f"a row needs a line of more than {_LONGEST_LINE:,} bytes; write to a .parquet file")
        yield _kernel.format_text(rows.offsets, rows.items, labels, first, last)

"""Which character separates the cells of a CSV, where nobody said so: found where that is certain, asked where not.

Problem      in half of Europe spreadsheets write semicolons into files called .csv. Cut at commas, such a file is one
             column of nonsense, and every answer about it is wrong.
Method       cut the first lines at each usual separator. A separator that gives every line the same number of cells,
             two or more, could have made a table.
Promises     a separator other than the usual one is used only if it is the only one that could have made a table; if
             several could, or if another one cuts more lines, the file is refused with what settles it.
"""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import TYPE_CHECKING

from discreet.errors import ParameterError, param
from discreet.tables.table import BLANKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.tables.byte_source import ByteSource

__all__ = ["sniff_delimiter"]

_USUAL = (",", ";", "\t", "|")
_LINES = 500
_SPELLED = {"\t": "\\t"}


def sniff_delimiter(source: ByteSource, usual: str, *, table: bool = True) -> str:
    """Return the delimiter of a CSV, or ask for it; `usual` is the one that the file's name speaks of.

    Lines of baskets may have any number of cells: without a `table` the delimiter is the usual one, or asked for.
    """
    text = _first_lines(source.head)
    widths = {delimiter: _widths(text, delimiter) for delimiter in (usual, *(set(_USUAL) - {usual}))}
    could_be = [delimiter for delimiter, found in widths.items() if table and len(set(found)) == 1 and found[0] > 1]
    lines = max((len(found) for found in widths.values()), default=0)
    if len(could_be) == 1 and (could_be[0] == usual or lines > 1):
        return could_be[0]
    if len(could_be) > 1:
        raise _unclear(source.name, "could be separated by", could_be)
    others = [delimiter for delimiter, found in widths.items() if delimiter != usual and _mostly_cut(found)]
    if others and not any(width > 1 for width in widths[usual]):
        raise _unclear(source.name, "has no separator of its name, but most lines have", others)
    if any(_cut(widths[other]) > _cut(widths[usual]) for other in others):
        raise _unclear(source.name, "could be separated by", [usual, *others])
    return usual


def _first_lines(head: bytes) -> str:
    """Return the whole lines at the beginning of a file."""
    text = head.decode("utf-8-sig", errors="replace")
    whole, newline, _ = text.rpartition("\n")
    return whole + newline if newline and len(head) >= 1 << 16 else text


def _widths(text: str, delimiter: str) -> list[int]:
    """Return how many cells each of the first lines has, without blank ones; as if unquoted where quotes are amiss."""
    blanks = BLANKS.replace("\n", "").replace(delimiter, "")
    text = "\n".join(line for line in text.split("\n") if line.strip(blanks))
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
        return [len(cells) for cells in islice(filter(None, lines), _LINES)]
    except csv.Error:
        return [line.count(delimiter) + 1 for line in islice(io.StringIO(text), _LINES)]


def _cut(widths: Sequence[int]) -> int:
    return sum(width > 1 for width in widths)


def _mostly_cut(widths: Sequence[int]) -> bool:
    return _cut(widths) * 2 > len(widths)


def _unclear(name: str, what: str, delimiters: Sequence[str]) -> ParameterError:
    shown = " or ".join(_SPELLED.get(delimiter, delimiter) for delimiter in delimiters)
    return ParameterError(f"{name} {what} {shown}; say which with {param('delimiter')}", parameter="delimiter")

"""CSV and TSV text cut into cells, exactly, many at a time.

Problem      which bytes are which cell of which line, where a quoted cell may hold delimiters, line ends and quotes.
Method       a cell ends at a delimiter or line end that stands after an even number of quotes; all such places of a
             block are found at once with numpy, and its distinct cells with Arrow, so that Python looks at each
             distinct cell once. Where a quote stands inside an unquoted cell (5" pipe) the count of quotes says
             nothing; such a block is cut again, cell by cell, with a regular expression.
Promises     the cells are those of Python's csv.reader(strict=True), with the blanks around each taken off; no line is
             lost; a line of blanks alone is skipped; every fault is reported with its line.
Cost         some 250 MB/s; memory for a few blocks of 4 MiB, however long the file.
Departures   from csv: blanks may stand around a quoted cell. Lines end with LF, CRLF or CR, also mixed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from discreet.errors import DataError
from discreet.transactions.formats.arrow_arrays import arrow_texts, numpy_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["BLANKS", "LONGEST_LINE", "CellBlock", "cell_blocks"]

BLANKS = " \t\r\n\v\f"
LONGEST_LINE = 1 << 23
_BLOCK = 1 << 22
_QUOTE = ord('"')
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, eq=False)
class CellBlock:
    """Some whole lines: the cells of all lines in one array, as positions in `texts`, an Arrow array.

    `lengths` says how many cells each line has; `data`, `starts` and `line` (the number of the block's first line)
    serve to say where a line stands in the file.
    """

    codes: NDArray[np.int32]
    texts: Any
    lengths: NDArray[np.int64]
    data: bytes
    starts: NDArray[np.int64]
    line: int

    def line_of(self, row: int) -> int:
        """Return the line number in the file at which a row of this block starts."""
        return self.line + _count_lines(self.data[: self.starts[row]])


class _StrayQuote(Exception):  # noqa: N818 - not an error: it asks for the slower way
    """A quote stands where counting quotes cannot cut."""


def cell_blocks(chunks: Iterator[bytes], *, delimiter: str, name: str) -> Iterator[CellBlock]:
    """Cut text that comes in chunks into blocks of whole lines."""
    rest = b""
    line = 1
    for data, last in _gathered(chunks):
        if line == 1 and not rest:
            data = data.removeprefix(_BOM)  # noqa: PLW2901 - the mark is not text
        buffer = rest + data
        if (place := data.find(b"\0")) >= 0:
            at = line + _count_lines(buffer[: len(rest) + place])
            raise DataError(f"line {at} of {name} holds a NUL byte; it is not text", line=at)
        if last and buffer and buffer[-1:] not in (b"\n", b"\r"):
            buffer += b"\n"
        try:
            ends = _ends_by_counting(buffer, ord(delimiter), last=last)
            block = _block(buffer, ends, delimiter, name, line, stray_quotes=False)
            _doubt_quotes(buffer[len(block.data) :], last=last)
        except _StrayQuote:
            ends = _ends_by_reading(buffer, delimiter, last=last)
            block = _block(buffer, ends, delimiter, name, line, stray_quotes=True)
        if len(block.lengths):
            yield block
        rest = buffer[len(block.data) :]
        line += _count_lines(block.data)
        if (last and rest) or len(rest) > LONGEST_LINE:
            _refuse_rest(rest, name, line, last=last)


def _doubt_quotes(rest: bytes, *, last: bool) -> None:
    """Ask for the slower way where a quote seems to keep lines from ending: it may be a stray one."""
    if (last or len(rest) > _BLOCK) and b'"' in rest:
        raise _StrayQuote


def _gathered(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Join chunks into pieces of about a block, and say which piece is the last."""
    pieces: list[bytes] = []
    size = 0
    for chunk in chunks:
        if size >= _BLOCK:
            yield b"".join(pieces), False
            pieces, size = [], 0
        pieces.append(chunk)
        size += len(chunk)
    yield b"".join(pieces), True


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + (_lone_returns(data) if b"\r" in data else 0)


def _lone_returns(data: bytes) -> int:
    return data.count(b"\r") - data.count(b"\r\n")


def _ends_by_counting(buffer: bytes, delimiter: int, *, last: bool) -> NDArray[np.int64]:
    """Return where cells end: at delimiters and line ends with an even number of quotes before them."""
    data = np.frombuffer(buffer, np.uint8)
    if not last and buffer.endswith(b"\r"):
        data = data[:-1]  # the LF of a CRLF may come with the next piece
    ends = (data == delimiter) | (data == ord("\n"))
    if b"\r" in buffer and _lone_returns(buffer):  # else a CR is a blank at the end of a line's last cell
        ends |= data == ord("\r")
    if b'"' in buffer:
        quoted = np.cumsum(data == _QUOTE, dtype=np.uint8) & 1  # the sum may wrap: 256 is even
        ends &= quoted == 0
    return np.flatnonzero(ends)


def _ends_by_reading(buffer: bytes, delimiter: str, *, last: bool) -> NDArray[np.int64]:
    """Return where cells end, reading one after another; a quote counts only at the beginning of a cell."""
    mark = re.escape(delimiter).encode()
    blank = b"[" + "".join(c for c in " \t\v\f" if c != delimiter).encode() + b"]*+"
    quoted = blank + b'"[^"]*+(?:""[^"]*+)*+"' + blank
    bare = b"(?!" + blank + b'")[^\r\n' + mark + b"]*+"
    cell = re.compile(b"(?:" + quoted + b"|" + bare + b")([\r\n" + mark + b"])")
    ends = []
    place = 0
    while found := cell.match(buffer, place):
        ends.append(found.start(1))
        place = found.end()
    if not last and buffer.endswith(b"\r") and place == len(buffer):
        ends.pop()  # as above
    return np.asarray(ends, np.int64)


def _block(
    buffer: bytes, ends: NDArray[np.int64], delimiter: str, name: str, line: int, *, stray_quotes: bool
) -> CellBlock:
    """Make a block of the lines that are whole; what follows them is left for the next one."""
    data = np.frombuffer(buffer, np.uint8)
    line_ends = np.flatnonzero(data[ends] != ord(delimiter))
    ends = ends[: line_ends[-1] + 1] if len(line_ends) else ends[:0]
    used = buffer[: ends[-1] + 1] if len(ends) else b""
    too_long = np.flatnonzero(np.diff(ends[line_ends], prepend=-1) > LONGEST_LINE)
    if len(too_long):
        _refuse_rest(b"", name, line + int(too_long[0]), last=False)
    codes, texts, blank = _distinct_cells(used, ends, delimiter, name, line, stray_quotes=stray_quotes)
    lengths = np.diff(line_ends, prepend=-1)
    firsts = line_ends + 1 - lengths
    starts = np.where(firsts > 0, ends[firsts - 1] + 1, 0) if len(ends) else firsts
    empty = (lengths == 1) & blank[codes[firsts]]
    if empty.any():
        cells = np.ones(len(codes), bool)
        cells[firsts[empty]] = False
        codes, lengths, starts = codes[cells], lengths[~empty], starts[~empty]
    return CellBlock(codes=codes, texts=texts, lengths=lengths, data=used, starts=starts, line=line)


def _distinct_cells(
    used: bytes, ends: NDArray[np.int64], delimiter: str, name: str, line: int, *, stray_quotes: bool
) -> tuple[NDArray[np.int32], Any, NDArray[np.bool_]]:
    """Return each cell as a position in the distinct texts, those, and which of them are blank (not even quotes)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    offsets = np.zeros(len(ends) + 1, np.int32)
    offsets[1:] = ends + 1  # every cell carries its delimiter or line end; taken off below, where cells are fewer
    cells = pa.Array.from_buffers(pa.binary(), len(ends), [None, pa.py_buffer(offsets), pa.py_buffer(used)])
    coded = cells.dictionary_encode()
    try:
        distinct = coded.dictionary.cast(pa.string())
    except pa.ArrowInvalid:
        _refuse_encoding(used, name, line)
    texts = pc.ascii_trim(distinct, characters=BLANKS + delimiter)
    blank = numpy_numbers(pc.binary_length(texts)) == 0
    if b'"' in used:
        texts = arrow_texts(
            [_unquoted(text, stray_quotes=stray_quotes) if '"' in text else text for text in texts.to_pylist()]
        )
    return numpy_numbers(coded.indices), texts, blank


def _unquoted(text: str, *, stray_quotes: bool) -> str:
    if text[0] != '"':
        if stray_quotes:
            return text
        raise _StrayQuote
    inside = text[1:-1]
    if len(text) == 1 or text[-1] != '"' or '"' in inside.replace('""', ""):
        raise _StrayQuote
    return inside.replace('""', '"').strip(BLANKS)


def _refuse_encoding(used: bytes, name: str, line: int) -> NoReturn:
    try:
        used.decode()
    except UnicodeDecodeError as error:
        line += _count_lines(used[: error.start])
    raise DataError(
        f"line {line} of {name} has bytes that are not UTF-8 text; save the file as UTF-8", line=line
    ) from None


def _refuse_rest(rest: bytes, name: str, line: int, *, last: bool) -> NoReturn:
    if b'"' in rest:
        what = "has a quote that is not closed, or text after a closing quote; double a quote that is part of a cell"
    elif last:  # pragma: no cover - the last piece ends with a line end, so that without quotes nothing is left over
        what = "is not whole"
    else:
        what = f"is longer than {LONGEST_LINE:,} bytes; is there one row per line?"
    raise DataError(f"line {line} of {name} {what}", line=line)

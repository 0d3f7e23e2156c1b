"""CSV and TSV text cut into cells, exactly, many at a time.

Problem      which bytes are which cell of which line, where a quoted cell may hold delimiters, line ends and quotes.
Method       the kernel cuts a block of some megabytes into cells; Arrow finds the distinct ones, so that Python looks
             at each distinct cell once.
Promises     the cells are those of Python's csv.reader(strict=True), with the blanks around each taken off; no line is
             lost; a line of blanks alone is skipped; every fault is reported with its line.
Cost         memory for a few blocks of 4 MiB, however long the file.
Departures   from csv: blanks may stand around a quoted cell. Lines end with LF, CRLF or CR, also mixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from discreet import _kernel
from discreet.errors import DataError
from discreet.tables.arrow_arrays import arrow_numbers, numpy_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["BLANKS", "LONGEST_LINE", "CellBlock", "HierarchyLine", "cell_blocks", "given_lines", "hierarchy_lines"]

BLANKS = " \t\r\n\v\f"
LONGEST_LINE = 1 << 23
_BLOCK = 1 << 22
_BOM = b"\xef\xbb\xbf"

HierarchyLine: TypeAlias = "tuple[Callable[[], int], tuple[str, ...]]"
"""A line of ARX's hierarchy files: its cells, and before them how to find its number: only errors ask for it."""


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


def cell_blocks(
    chunks: Iterator[bytes], *, delimiter: str, name: str, line: int = 1, repeated: bool = True
) -> Iterator[CellBlock]:
    """Cut text that comes in chunks into blocks of whole lines, the first of which is line number `line`.

    Where texts are `repeated`, as in most tables, each text of a block is in `texts` once.
    """
    rest = b""
    for data, last in _gathered(chunks):
        if line == 1 and not rest:
            data = data.removeprefix(_BOM)  # noqa: PLW2901 - the mark is not text
        buffer = rest + data
        if (place := data.find(b"\0")) >= 0:
            at = line + _count_lines(buffer[: len(rest) + place])
            raise DataError(f"line {at} of {name} holds a NUL byte; it is not text", line=at)
        if last and buffer and buffer[-1:] not in (b"\n", b"\r"):
            buffer += b"\n"
        text, offsets, lengths, starts, used, lines, fault = _kernel.cut_cells(buffer, delimiter, last, LONGEST_LINE)
        rest = buffer[used:]
        if len(lengths):
            whole = buffer[:used]
            codes, texts = _coded(text, offsets, repeated=repeated) or _refuse_encoding(whole, name, line)
            yield CellBlock(codes=codes, texts=texts, lengths=lengths, data=whole, starts=starts, line=line)
        line += lines
        if fault or (last and rest) or len(rest) > LONGEST_LINE:
            _refuse_rest(rest, name, line, fault)


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
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _coded(
    text: NDArray[np.uint8], offsets: NDArray[np.int32], *, repeated: bool
) -> tuple[NDArray[np.int32], Any] | None:
    """Return each cell as a position among texts, and those; None where they are not UTF-8."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    cells = pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers)
    try:
        if not repeated:
            return np.arange(len(cells), dtype=np.int32), cells.cast(pa.string())
        coded = cells.dictionary_encode()
        return numpy_numbers(coded.indices), coded.dictionary.cast(pa.string())
    except pa.ArrowInvalid:
        return None


def _refuse_encoding(used: bytes, name: str, line: int) -> NoReturn:
    try:
        used.decode()
    except UnicodeDecodeError as error:
        line += _count_lines(used[: error.start])
    raise DataError(
        f"line {line} of {name} has bytes that are not UTF-8 text; save the file as UTF-8", line=line
    ) from None


def _refuse_rest(rest: bytes, name: str, line: int, fault: str) -> NoReturn:
    if fault != "long line" and b'"' in rest:
        what = "has a quote that is not closed, or text after a closing quote; double a quote that is part of a cell"
    else:
        what = f"is longer than {LONGEST_LINE:,} bytes; is there one row per line?"
    raise DataError(f"line {line} of {name} {what}", line=line)


def hierarchy_lines(chunks: Iterator[bytes], *, name: str) -> Iterator[HierarchyLine]:
    """Yield the lines of ARX's hierarchy files: cells between semicolons, a value, then what it becomes."""
    for block in cell_blocks(chunks, delimiter=";", name=name):
        cells = block.texts.take(arrow_numbers(block.codes)).to_pylist()
        start = 0
        for row, length in enumerate(block.lengths.tolist()):
            yield partial(block.line_of, row), tuple(cells[start : start + length])
            start += length


def given_lines(lines: Iterable[Sequence[str]]) -> Iterator[HierarchyLine]:
    """Yield lines that come from Python, numbered from 1."""
    for number, line in enumerate(lines, 1):
        yield partial(int, number), tuple(map(str, line))

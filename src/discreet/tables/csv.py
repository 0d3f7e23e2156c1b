"""Split CSV and TSV text into cells, exactly and in bulk.

Problem      find the bytes of each cell of each line; a quoted cell may contain delimiters, line ends and quotes.
Method       the kernel splits a block of some megabytes into cells; Arrow finds the distinct ones, so that Python looks
             at each distinct cell once.
Promises     the cells are those of Python's csv.reader(strict=True), with surrounding blanks stripped; no line is lost;
           a blank line is skipped; every error is reported with its line.
Cost         memory for a few blocks of 4 MiB, however long the file.
Departures   from csv: a quoted cell may be surrounded by blanks. Lines end with LF, CRLF or CR, even mixed.

`csv_text` uses a known delimiter; `csv_table` finds it in the header, below remarks such as `# n: 8124`.
"""

from __future__ import annotations

import csv
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import numpy as np

from discreet import _kernel
from discreet.errors import DataError, param
from discreet.tables.arrow_arrays import arrow_numbers, numpy_numbers
from discreet.tables.table import Coded, Table, named_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.tables.byte_source import ByteSource
    from discreet.tables.table import RawColumn

__all__ = [
    "LONGEST_LINE",
    "CellBatch",
    "CellBlock",
    "CsvText",
    "HierarchyLine",
    "cell_blocks",
    "csv_table",
    "csv_text",
    "given_lines",
    "hierarchy_lines",
]

LONGEST_LINE = 1 << 23
_BLOCK = 1 << 22
_BOM = b"\xef\xbb\xbf"
_REMARK = re.compile(r"#\s*([a-z_]+)\s*[:=]\s*(\S+)\s*")

HierarchyLine: TypeAlias = "tuple[Callable[[], int], tuple[str, ...]]"
"""A line of ARX's hierarchy files: a function for its line number, which only errors need, and its cells."""


@dataclass(frozen=True, slots=True, eq=False)
class CellBlock:
    """Some whole lines: the cells of all lines in one array, as positions in `texts`, an Arrow array.

    `lengths` are the numbers of cells per line. The lines are the first `used` bytes of `buffer`; `starts` and `line`
    (the number of the block's first line) locate a line in the file.
    """

    codes: NDArray[np.int32]
    texts: pa.Array
    lengths: NDArray[np.int64]
    buffer: bytes
    used: int
    starts: NDArray[np.int64]
    line: int

    def line_of(self, row: int) -> int:
        """Return the line number in the file at which a row of this block starts."""
        return self.line + _count_lines(self.buffer[: self.starts[row]])


def cell_blocks(
    chunks: Iterator[bytes], *, delimiter: str, name: str, line: int = 1, repeated: bool = True
) -> Iterator[CellBlock]:
    """Split chunks of text into blocks of whole lines, starting with line number `line`.

    If texts are `repeated`, as in most tables, `texts` contains each text of a block once.
    """
    rest = b""
    for pieces, last in _gathered(chunks):
        buffer = b"".join([rest, *pieces])  # the one copy of the bytes that is made
        if line == 1 and not rest:
            buffer = buffer.removeprefix(_BOM)  # the mark is not text
        if (place := buffer.find(b"\0")) >= 0:
            at = line + _count_lines(buffer[:place])
            raise DataError(f"line {at} of {name} holds a NUL byte; it is not text", line=at)
        if last and buffer and buffer[-1:] not in (b"\n", b"\r"):
            buffer += b"\n"
        text, offsets, lengths, starts, used, lines, fault = _kernel.cut_cells(buffer, delimiter, last, LONGEST_LINE)
        rest = buffer[used:]
        if len(lengths):
            codes, texts = _coded(text, offsets, repeated=repeated) or _refuse_encoding(buffer[:used], name, line)
            yield CellBlock(codes, texts, lengths, buffer, used, starts, line)
        line += lines
        if fault or (last and rest) or len(rest) > LONGEST_LINE:
            _refuse_rest(rest, name, line, fault)


def _gathered(chunks: Iterator[bytes]) -> Iterator[tuple[list[bytes], bool]]:
    """Yield chunks that make about a block, with whether they are the last."""
    pieces: list[bytes] = []
    size = 0
    for chunk in chunks:
        if size >= _BLOCK:
            yield pieces, False
            pieces, size = [], 0
        pieces.append(chunk)
        size += len(chunk)
    yield pieces, True


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _coded(
    text: NDArray[np.uint8], offsets: NDArray[np.int32], *, repeated: bool
) -> tuple[NDArray[np.int32], pa.Array] | None:
    """Return each cell as a position in texts, and the texts; None if they are not UTF-8."""
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
        f"line {line} of {name} has bytes that are not UTF-8 text; give {param('encoding')} (cp1252 is what Windows "
        "writes in Western Europe), or save the file as UTF-8",
        line=line,
    ) from None


def _refuse_rest(rest: bytes, name: str, line: int, fault: str) -> NoReturn:
    if fault != "long line" and b'"' in rest:
        what = "has a quote that is not closed, or text after a closing quote; double a quote that is part of a cell"
    else:
        what = f"is longer than {LONGEST_LINE:,} bytes; is there one row per line?"
    raise DataError(f"line {line} of {name} {what}", line=line)


@dataclass(frozen=True, slots=True, eq=False)
class CellBatch:
    """Lines of a text file with the same number of cells; `first` is the index of the first one in its block."""

    block: CellBlock
    first: int
    codes: NDArray[np.int32]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.codes)

    def column(self, index: int) -> Coded:
        """Return one column's cells."""
        return Coded(self.codes[:, index], self.block.texts)

    def matrix(self, indices: Sequence[int]) -> Coded:
        """Return some columns' cells, rows by columns."""
        all_of_them = len(indices) == self.codes.shape[1]
        return Coded(self.codes if all_of_them else self.codes[:, list(indices)], self.block.texts)

    def values(self, index: int) -> RawColumn:
        """Return one column's cells as texts."""
        return self.block.texts.take(arrow_numbers(self.codes[:, index]))

    def where(self, row: int) -> tuple[str, int | None]:
        """Return the line at which a row starts."""
        line = self.block.line_of(self.first + row)
        return f"line {line:,}", line


@dataclass(frozen=True, slots=True, eq=False)
class CsvText:
    """The cells of a CSV, to be read once; `first` is the first of the `blocks`."""

    name: str
    delimiter: str
    first: CellBlock
    blocks: Iterator[CellBlock]
    remarks: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_ragged(self) -> bool:
        """Whether lines differ in length, judged by the first block."""
        return bool((self.first.lengths != self.first.lengths[0]).any())

    def table(
        self, *, header: bool = True, columns: tuple[str, ...] = (), row_names: bool = False, advice: str = ""
    ) -> Table:
        """Return the cells as a table.

        `columns` are the names if there is no header. With `row_names` the first column may lack a heading, as in R's
        files with row names. `advice` is added to the error for a line of another length.
        """
        width = int(self.first.lengths[0])
        line = self.first.line_of(0)
        unnamed: tuple[int, ...] = ()
        if header:
            cells = self.first.texts.take(arrow_numbers(self.first.codes[:width])).to_pylist()
            rename = f"rename one, or give {param('header', value=False)} if the first line is a row"
            names = named_columns(cells, self.name, line, rename)
            unnamed = tuple(at for at, cell in enumerate(cells) if not cell)
        else:
            names = columns or tuple(f"c{at}" for at in range(1, width + 1))
            if len(names) != width:
                raise DataError(
                    f"line {line:,} of {self.name} has {width:,} cells, but {param('columns')} names "
                    f"{len(names):,} columns",
                    line=line,
                )
        if row_names and len(self.first.lengths) > 1 and self.first.lengths[1] == width + 1:
            names = ("row names", *names)
        return Table(
            name=self.name,
            columns=names,
            batches=self._batches(len(names), advice, header=header),
            container="csv",
            delimiter=self.delimiter,
            header=header,
            unnamed=unnamed,
            remarks=self.remarks,
        )

    def _batches(self, width: int, advice: str, *, header: bool) -> Iterator[CellBatch]:
        """Yield the cells below the header as rectangular batches; raise an error for a line that does not fit."""
        first, start = (1, int(self.first.lengths[0])) if header else (0, 0)
        for block in self.blocks:
            wrong = np.flatnonzero(block.lengths[first:] != width)
            if len(wrong):
                row = first + int(wrong[0])
                line = block.line_of(row)
                raise DataError(
                    f"line {line:,} of {self.name} has {block.lengths[row]:,} cells where {width:,} were expected; "
                    f"correct the line{advice}",
                    line=line,
                )
            if len(block.lengths) > first:
                codes = np.asfortranarray(block.codes[start:].reshape(-1, width))  # they are looked at by column
                yield CellBatch(block=block, first=first, codes=codes)
            first = start = 0


def csv_text(source: ByteSource, *, delimiter: str) -> CsvText:
    """Split CSV with this delimiter."""
    return _text(cell_blocks(source.chunks(), delimiter=delimiter, name=source.name), source.name, delimiter, {})


@contextmanager
def csv_table(source: ByteSource, *, delimiter: str | None = None) -> Iterator[Table]:
    """Read CSV that describes itself: `#` lines are remarks, and the header shows the delimiter if it is not given."""
    remarks, header, line, chunks = _top(source)
    delimiter = delimiter or _delimiter_of(header, source.name)
    blocks = cell_blocks(chunks, delimiter=delimiter, name=source.name, line=line, repeated=False)
    yield _text(blocks, source.name, delimiter, remarks).table(row_names=True)


def _text(blocks: Iterator[CellBlock], name: str, delimiter: str, remarks: Mapping[str, str]) -> CsvText:
    first = next(blocks, None)
    if first is None:
        raise DataError(f"{name} holds no rows; save or export it again")
    return CsvText(name, delimiter, first, chain([first], blocks), remarks)


def _top(source: ByteSource) -> tuple[dict[str, str], str, int, Iterator[bytes]]:
    """Return the remarks, the header line, its number, and the bytes from there on."""
    remarks: dict[str, str] = {}
    chunks = source.chunks()
    waiting = b""
    for number in count(1):
        while b"\n" not in waiting and len(waiting) < LONGEST_LINE and (chunk := next(chunks, b"")):
            waiting += chunk
        if not waiting:
            break
        raw, _, rest = waiting.partition(b"\n")
        try:
            line = raw.decode("utf-8-sig").strip("\r")
        except UnicodeDecodeError:
            raise DataError(
                f"{source.name}: the header is not UTF-8 text; give {param('encoding')}, as in cp1252, or save the "
                "file as UTF-8"
            ) from None
        if not line.startswith("#") and line.strip():
            return remarks, line, number, chain([waiting], chunks)
        if (remark := _REMARK.fullmatch(line)) and remarks.setdefault(remark[1], remark[2]) != remark[2]:
            raise DataError(f"{source.name}, line {number}: the remark contradicts another one; keep one", line=number)
        waiting = rest
    raise DataError(f"{source.name} is empty; expected a header with the names of the columns")


def _delimiter_of(header: str, name: str) -> str:
    for delimiter in ",;\t ":
        try:
            cells = next(csv.reader([header], delimiter=delimiter, strict=True), ())
        except csv.Error:
            continue
        if len(cells) > 1:
            return delimiter
    if len(header) > 200:  # noqa: PLR2004 - no name of a column
        raise DataError(f"{name}: the first line is not a header with the names of the columns")
    return ","


def hierarchy_lines(chunks: Iterator[bytes], *, name: str) -> Iterator[HierarchyLine]:
    """Yield the lines of ARX's hierarchy files: a value and its generalizations, separated by semicolons."""
    for block in cell_blocks(chunks, delimiter=";", name=name):
        cells = block.texts.take(arrow_numbers(block.codes)).to_pylist()
        start = 0
        for row, length in enumerate(block.lengths.tolist()):
            yield partial(block.line_of, row), tuple(cells[start : start + length])
            start += length


def given_lines(lines: Iterable[Sequence[str]]) -> Iterator[HierarchyLine]:
    """Yield lines from Python, numbered from 1; text is one line of a file, `leaf;parent;…;root`."""
    for number, given in enumerate(lines, 1):
        line = given.split(";") if isinstance(given, str) else given
        yield partial(int, number), tuple(map(str, line))

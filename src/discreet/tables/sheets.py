"""Read Excel and OpenDocument sheets as tables, through calamine. Only this module uses it.

A sheet is a table: its first row that holds anything names the columns. Cells become text as Excel shows them without
a format: whole numbers without a point, other numbers with at most 15 digits, dates as ISO 8601, true and false. An
empty cell and an error such as #N/A are missing, and rows without any cell are skipped.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from contextlib import contextmanager
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any
from xml.parsers import expat

from discreet.errors import DataError, InputError, ParameterError, param
from discreet.tables.ceilings import memory_ceiling, too_large
from discreet.tables.table import ArrowBatch, Table, named_columns
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from python_calamine import CalamineSheet, CalamineWorkbook

    from discreet.tables.byte_source import ByteSource

__all__ = ["SHEET_MARKS", "sheet_table"]

SHEET_MARKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""The first bytes of workbooks: of those that are zip archives, and of those of Excel before 2007."""

_CELLS = re.compile(r"xl/sharedStrings\.xml|xl/worksheets/[^/]*\.xml|content\.xml")
_BATCH = 1 << 14
_WHOLE_NUMBERS = 10**15  # beyond it Excel's numbers are no longer exact
_LETTERS = 26
_CELL = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]{1,3})([0-9]{1,7})["']""")
_LONGEST_CELL = 32
_BYTES_PER_CELL = 32
_MEMORY_PER_BYTE = 4  # of a workbook's text, at least


@contextmanager
def sheet_table(
    source: ByteSource, *, sheet: str | None = None, header: bool = True, columns: tuple[str, ...] = ()
) -> Iterator[Table]:
    """Read one sheet: the one named, by its name or number, or the only one that holds anything.

    `columns` are the names if there is no header.
    """
    with source.plain_file() as path, path.open("rb") as file:
        with _in_our_words(source.name):
            from python_calamine import CalamineWorkbook

            _check_size(path, source.name)
            book = CalamineWorkbook.from_filelike(file)
            chosen = _chosen(book, source.name, sheet)
        name = f"{source.name}, sheet {chosen.name!r}"
        _refuse_merged_cells(chosen, name)
        rows: Iterator[list[Any]] = (row for row in chosen.iter_rows() if any(cell != "" for cell in row))
        first = next(rows, None)
        if first is None:
            raise DataError(f"{name} holds no rows")
        if header:
            names = _header(first, name)
        else:
            names = columns or tuple(f"c{at}" for at in range(1, len(first) + 1))
            if len(names) != len(first):
                raise DataError(
                    f"{name} has {counted(len(first), 'column')}, but {param('columns')} names {len(names):,}"
                )
            rows = chain([first], rows)
        yield Table(
            name=source.name,
            columns=names,
            batches=_batches(rows, source.name),
            container="sheet",
            header=header,
            unnamed=tuple(at for at, cell in enumerate(first) if header and cell == ""),
        )


@contextmanager
def _in_our_words(name: str) -> Iterator[None]:
    """Replace whatever goes wrong in calamine by an error that quotes no data."""
    try:
        yield
    except (InputError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - what panics in Rust is no Exception
        if type(error).__name__ == "PasswordError":
            raise DataError(f"{name} is protected by a password; save it without one") from None
        raise DataError(
            f"{name} is not a whole workbook of Excel or OpenDocument; open it there and save it again, or unpack it "
            "if it is an archive"
        ) from None


def _check_size(path: Path, name: str) -> None:
    """Refuse a workbook that would fill the memory: calamine makes room for every cell up to the last one.

    Raise, too, if the archive is not whole or its cells' XML not well-formed: calamine returns what it makes of them.
    """
    with path.open("rb") as file:
        if file.read(4) != SHEET_MARKS[0]:
            return  # of Excel before 2007, whose sheets are small
    most = memory_ceiling()
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        if sum(part.file_size for part in parts) > most // _MEMORY_PER_BYTE:
            raise too_large(name, "unpacks to more than fits into memory")
        for part in parts:
            with archive.open(part) as file:  # read to its end: a size that is declared too small ends in an error
                if (
                    _cells_spanned(file, well_formed=_CELLS.fullmatch(part.filename) is not None) * _BYTES_PER_CELL
                    > most
                ):
                    raise too_large(name, "has cells so far apart that its sheet does not fit into memory")


def _cells_spanned(file: IO[bytes], *, well_formed: bool) -> int:
    """Return how many cells a sheet has up to its last row and column, 0 for another part of a workbook."""
    parser = expat.ParserCreate()
    last_row, last_column, rest = 0, (0, b""), b""
    while chunk := file.read(1 << 20):
        for column, row in _CELL.findall(rest + chunk):
            last_row = max(last_row, int(row))
            last_column = max(last_column, (len(column), column.upper()))
        rest = chunk[-_LONGEST_CELL:]
        if well_formed:
            parser.Parse(chunk)
    if well_formed:
        parser.Parse(b"", True)
    width = 0
    for letter in last_column[1]:
        width = width * _LETTERS + letter - ord("A") + 1
    return last_row * width


def _chosen(book: CalamineWorkbook, name: str, wanted: str | None) -> CalamineSheet:
    """Return the sheet that is wanted, or the only one that holds anything."""
    names = [about.name for about in book.sheets_metadata if "WorkSheet" in str(about.typ)]
    if wanted is not None:
        if wanted not in names and wanted.isdecimal() and 1 <= int(wanted) <= len(names):
            wanted = names[int(wanted) - 1]
        if wanted not in names:
            raise ParameterError(
                f"{name} has no sheet {wanted!r}; give {param('sheet')} one of {_listed(names)}, or its number",
                parameter="sheet",
            )
        return book.get_sheet_by_name(wanted)
    filled = [sheet for sheet in map(book.get_sheet_by_name, names) if sheet.height]
    if not filled:
        raise DataError(f"{name} holds no rows")
    if len(filled) > 1:
        raise ParameterError(
            f"{name} has {len(filled):,} sheets with content: {_listed([sheet.name for sheet in filled])}; choose one "
            f"with {param('sheet')}",
            parameter="sheet",
        )
    return filled[0]


def _listed(names: Sequence[str]) -> str:
    most = 10
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def _refuse_merged_cells(sheet: CalamineSheet, name: str) -> None:
    """Refuse cells that span others within the data: only their first would have a value."""
    start, end = sheet.start, sheet.end
    if start is None or end is None:
        return
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        if top <= end[0] and bottom >= start[0] and left <= end[1] and right >= start[1]:
            where = f"{_letters(left)}{top + 1}:{_letters(right)}{bottom + 1}"
            raise DataError(
                f"in {name} the cells {where} are merged, and only the first of them has a value; undo that, and fill "
                "each cell"
            )


def _letters(column: int) -> str:
    """Return a column's letters, A for 0."""
    before, last = divmod(column, _LETTERS)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


def _header(cells: Sequence[Any], name: str) -> tuple[str, ...]:
    named = sum(cell != "" for cell in cells)
    if named * 2 < len(cells):
        raise DataError(
            f"the first row of {name} names {named:,} of {len(cells):,} columns, as a title does; remove the rows "
            f"above the names, or give {param('header', value=False)}"
        )
    return named_columns(
        [_text(cell) or "" for cell in cells],
        name,
        advice=f"rename one, or give {param('header', value=False)} if the first row is one of the data",
    )


def _batches(rows: Iterator[list[Any]], name: str) -> Iterator[ArrowBatch]:
    before = 0
    while some := list(islice(rows, _BATCH)):
        columns = [_texts(column) for column in zip(*some, strict=True)]
        yield ArrowBatch(columns=columns, rows=len(some), before=before, name=name)
        before += len(some)


def _texts(cells: Sequence[Any]) -> pa.Array:
    """Return a column's cells as texts."""
    import pyarrow as pa

    return pa.array(_each_once(cells) if len(set(map(type, cells))) == 1 else map(_text, cells), pa.string())


def _each_once(cells: Iterable[Any]) -> list[str | None]:
    """Return texts of cells of one type, where equal cells have equal texts."""
    texts = {cell: _text(cell) for cell in set(cells)}
    return [texts[cell] for cell in cells]


def _text(cell: Any) -> str | None:
    """Return a cell as text; None if it is empty."""
    if isinstance(cell, str):
        return cell or None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        whole = cell.is_integer() and abs(cell) < _WHOLE_NUMBERS
        return str(int(cell)) if whole else repr(float(f"{cell:.15g}"))
    if isinstance(cell, dt.datetime):
        return cell.isoformat(" ")
    if isinstance(cell, (dt.date, dt.time)):
        return cell.isoformat()
    return str(cell)

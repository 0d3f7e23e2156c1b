"""What stands in a file, cell by cell, by other means than ours: begun from docs/formats.md, RFC 4180 and RFC 8259.

Files are taken apart with Python's own modules and a few regular expressions, Parquet with pyarrow (discreet reads it
with DuckDB). What a page or a standard does not allow is `Refused`.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import re
import zipfile
import zlib
from datetime import date, datetime, time
from typing import Any
from xml.etree import ElementTree as ET

__all__ = [
    "Refused",
    "content_of",
    "json_values",
    "parquet_columns",
    "records",
    "separator_of",
    "sheet",
    "shown",
    "text_of",
]

BLANKS = " \t\r\n\v\f"
SEPARATORS = ",;\t|"


class Refused(ValueError):  # noqa: N818
    """The file is not in the format that it should be in."""


def content_of(name: str, content: bytes) -> bytes:
    """Unpack a file whose name ends in .gz."""
    if not name.endswith(".gz"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise Refused(str(error)) from error


def text_of(content: bytes, encoding: str | None = None, *, nul: bool = False) -> str:
    """Decode UTF-8, with a mark or without, or UTF-16 with its mark; a NUL is refused unless it may be there."""
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = content.decode(encoding or ("utf-16" if marked else "utf-8-sig"))
    except UnicodeError as error:
        raise Refused(str(error)) from error
    marks = len(text) - len(text.lstrip("\ufeff")) + (not encoding and content.startswith(b"\xef\xbb\xbf"))
    if marks > 1:
        raise Refused("two marks")
    text = text.removeprefix("\ufeff")
    if "\0" in text and not nul:
        raise Refused("a NUL")
    return text


def records(text: str, separator: str) -> list[list[str]]:
    """Return the cells of all lines that are not blank; blanks around a cell are no part of it."""
    blanks = re.escape(" \t\v\f".replace(separator, ""))
    apart = re.escape(separator)
    cell = re.compile(rf'[{blanks}]*"((?:[^"]|"")*)"[{blanks}]*(?={apart}|\r|\n|\Z)|([^{apart}\r\n]*)')
    found, line, at = [], [], 0
    while at < len(text):
        match = cell.match(text, at)
        assert match is not None  # a cell may be empty
        quoted, plain = match.groups()
        if quoted is None and plain.lstrip(BLANKS).startswith('"'):
            raise Refused("a quote that is not closed, or text behind it")
        line.append((plain if quoted is None else quoted.replace('""', '"')).strip(BLANKS))
        at = match.end()
        if at < len(text) and text[at] == separator:
            at += 1
            if at < len(text):
                continue
            line.append("")
        if line != [""] or quoted is not None:
            found.append(line)
        line = []
        at += 2 if text.startswith("\r\n", at) else 1
    return found


def separator_of(text: str, usual: str) -> str:
    """Return the usual separator, or the only other one that makes a table."""
    fitting = [each for each in SEPARATORS if _makes_a_table(text, each)]
    return usual if usual in fitting or len(fitting) != 1 else fitting[0]


def _makes_a_table(text: str, separator: str) -> bool:
    try:
        lengths = {len(record) for record in records(text, separator)}
    except Refused:
        return False
    return len(lengths) == 1 and max(lengths) > 1


def json_values(content: bytes) -> list[Any]:
    """Return JSON values that stand one after another; whole numbers as they are written.

    More than the standard allows: other blanks between values, and a comma behind the last one.
    """
    text = text_of(content)
    try:
        return _values(text)
    except Refused:
        return _values(re.sub(r",(\s*[\]}])", r"\1", re.sub(r"[\v\f]", " ", text)))


def _values(text: str) -> list[Any]:
    decoder = json.JSONDecoder(
        parse_float=_float, parse_int=Written, parse_constant=_no_constant, object_pairs_hook=_object
    )
    blank = re.compile(r"[ \t\r\n]*")
    values, at = [], blank.match(text).end()  # type: ignore[union-attr]
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise Refused(str(error)) from error
        values.append(value)
        at = blank.match(text, at).end()  # type: ignore[union-attr]
    return values


def _float(text: str) -> float | str:
    """Return a number, or the text of one that no float is near."""
    number = float(text)
    return text if math.isinf(number) else number


def _no_constant(text: str) -> None:
    raise Refused(f"{text} is no JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Refused("a name that occurs twice")
    return dict(pairs)


def parquet_columns(content: bytes) -> dict[str, list[Any]]:
    """Return the columns of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(content))
        table.validate(full=True)
        lists = {each.name for each in table.schema if pa.types.is_list(each.type)}
        return {
            name: [[] if cell is None and name in lists else _shown(cell) for cell in cells]
            for name, cells in table.to_pydict().items()
        }
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise Refused(str(error)) from error


def _shown(cell: object) -> object:
    """Write a point in time with the digits that its column keeps, and a whole number without a point."""
    if isinstance(cell, datetime):
        return cell.isoformat(" ", "microseconds")
    return (shown(cell) or "").removesuffix(".0") if isinstance(cell, float) else cell


TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"


def sheet(name: str, content: bytes) -> list[list[str]]:
    """Return the cells of the only sheet of a workbook, rows without a cell left out."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            rows = _opendocument(book) if name.endswith(".ods") else _excel(book)
    except (zipfile.BadZipFile, KeyError, ET.ParseError, ValueError, IndexError, zlib.error, OSError) as error:
        raise Refused(str(error)) from error
    width = max((at + 1 for row in rows for at, cell in enumerate(row) if cell), default=0)
    first = min((at for row in rows for at, cell in enumerate(row) if cell), default=0)
    return [[cell.strip(BLANKS) for cell in (row + [""] * width)[first:width]] for row in rows if any(row)]


def _excel(book: zipfile.ZipFile) -> list[list[str]]:
    """Read the first sheet of Office Open XML."""
    strings = []
    if "xl/sharedStrings.xml" in book.namelist():
        shared = ET.fromstring(book.read("xl/sharedStrings.xml"))  # noqa: S314
        strings = ["".join(part.text or "" for part in each.iterfind(".//{*}t")) for each in shared]
    found: list[list[str]] = []
    for row in ET.fromstring(book.read("xl/worksheets/sheet1.xml")).iterfind(".//{*}row"):  # noqa: S314
        line: list[str] = []
        for cell in row.iterfind(".//{*}c"):
            at = _column(cell.get("r", ""))
            line += [""] * (at + 1 - len(line))
            line[at] = _excel_cell(cell, strings)
        found.append(line)
    return found


def _column(reference: str) -> int:
    match = re.fullmatch(r"([A-Z]{1,3})[1-9][0-9]*", reference)
    if match is None:
        raise Refused("a cell without a place")
    at = 0
    for letter in match[1]:
        at = at * 26 + ord(letter) - 64
    return at - 1


def _excel_cell(cell: ET.Element, strings: list[str]) -> str:
    value = cell.findtext("{*}v")
    match cell.get("t", "n"):
        case "inlineStr":
            return "".join(part.text or "" for part in cell.iterfind(".//{*}t"))
        case "s":
            return strings[int(value or "")]
        case "b":
            return {"0": "false", "1": "true"}[value or ""]
        case "e":
            return ""
        case "n":
            return "" if value is None else number(value)
        case _:
            return value or ""


def _opendocument(book: zipfile.ZipFile) -> list[list[str]]:
    """Read the only table of an OpenDocument sheet."""
    found: list[list[str]] = []
    for row in ET.fromstring(book.read("content.xml")).iterfind(".//{*}table-row"):  # noqa: S314
        line: list[str] = []
        for cell in row.iterfind(".//{*}table-cell"):
            line += [_office_cell(cell)] * int(cell.get(f"{TABLE}number-columns-repeated", "1"))
        found += [line] * int(row.get(f"{TABLE}number-rows-repeated", "1"))
    return found


def _office_cell(cell: ET.Element) -> str:
    match cell.get(f"{OFFICE}value-type"):
        case None:
            return ""
        case "float":
            return number(cell.get(f"{OFFICE}value", ""))
        case "boolean":
            return {"true": "true", "false": "false"}[cell.get(f"{OFFICE}boolean-value", "")]
        case _:
            return "\n".join("".join(each.itertext()) for each in cell.iterfind(".//{*}p"))


def number(text: str) -> str:
    """Write a number as Excel shows it: whole ones without a point, else with at most 15 digits."""
    try:
        value = float(text)
    except ValueError:
        return text.strip(BLANKS)
    if not math.isfinite(value):
        raise Refused("no number")
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.15g}"


class Written(str):
    """A number of JSON, as it is written."""

    __slots__ = ()


def shown(value: object) -> str | None:
    """Write a cell of JSON or Parquet as text; None if it is missing."""
    match value:
        case bool():
            return "true" if value else "false"
        case str() | None:
            return value
        case int() | date() | time():
            return str(value)
        case float():
            return repr(value).replace("e-0", "e-").replace("e+0", "e+")
        case _:
            raise Refused("a cell that is no single value")

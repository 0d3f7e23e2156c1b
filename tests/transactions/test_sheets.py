"""Sheets of Excel and OpenDocument are read as the tables they show, or refused; they are never written."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import random
import zipfile
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
import xlwt

from discreet.errors import DataError, InputError, OutputError, ParameterError
from discreet.patterns.reading import read_patterns
from discreet.transactions.reading import read
from discreet.transactions.writing import write

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = [["age", "town", "ill"], [30, "Ghent", True], [41.5, None, False], [30, "Lyon", True]]
ROWS = [{"age=30", "town=Ghent", "ill=true"}, {"age=41.5", "ill=false"}, {"age=30", "town=Lyon", "ill=true"}]
CONTENT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:version="1.2"><office:body><office:spreadsheet>
<table:table table:name="people">{}</table:table></office:spreadsheet></office:body></office:document-content>"""

MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">
<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>"""


def xlsx(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def xls(path: Path, rows: list[list[Any]]) -> Path:
    book = xlwt.Workbook()
    sheet = book.add_sheet("people")
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            if cell is not None:
                sheet.write(at, column, cell)
    book.save(str(path))
    return path


def ods(path: Path, rows: list[list[Any]]) -> Path:
    def cell(value: Any) -> str:
        if value is None:
            return "<table:table-cell/>"
        kind, key, shown = "string", "string-value", str(value)
        if isinstance(value, bool):
            kind, key, shown = "boolean", "boolean-value", str(value).lower()
        elif isinstance(value, (int, float)):
            kind, key = "float", "value"
        about = f'office:value-type="{kind}" office:{key}="{shown}"'
        return f"<table:table-cell {about}><text:p>{shown}</text:p></table:table-cell>"

    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr("META-INF/manifest.xml", MANIFEST)
        book.writestr("content.xml", CONTENT.format(body))
    return path


@pytest.mark.parametrize("kind", ["xlsx", "xls", "ods", "xlsx as csv", "xlsx.gz", "no name"])
def test_a_sheet_is_the_table_that_it_shows(tmp_path: Path, kind: str) -> None:
    if kind == "xls":
        path = xls(tmp_path / "people.xls", PEOPLE)
    elif kind == "ods":
        path = ods(tmp_path / "people.ods", PEOPLE)
    else:
        path = xlsx(tmp_path / "people.xlsx", people=PEOPLE, notes=[])
    if kind in ("xlsx as csv", "no name"):
        path = path.rename(path.with_suffix(".csv" if kind == "xlsx as csv" else ""))
    if kind == "xlsx.gz":
        packed = tmp_path / "people.xlsx.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        path = packed
    rows = read(path)
    assert list(rows) == ROWS
    assert (rows.read.container, rows.read.header, rows.read.shape) == ("sheet", True, "table")
    assert (rows.read.bytes, rows.read.encoding, rows.read.name) == (path.stat().st_size, None, str(path))


def test_cells_are_what_excel_shows(tmp_path: Path) -> None:
    cells = [
        2,
        2.0,
        0.1 + 0.2,
        -3,
        10**20,
        dt.date(2024, 1, 2),
        dt.datetime(2024, 1, 2, 3, 4, 5),  # noqa: DTZ001 - sheets know no zones
        dt.time(3, 4),
        True,
        " x ",
        "007",
        None,
    ]
    path = xlsx(tmp_path / "cells.xlsx", one=[["cell", "row"], *([cell, f"r{at}"] for at, cell in enumerate(cells))])
    shown = [next((label[5:] for label in row if label.startswith("cell=")), None) for row in read(path)]
    assert shown == [
        "2",
        "2",
        "0.3",
        "-3",
        "1e+20",
        "2024-01-02",
        "2024-01-02 03:04:05",
        "03:04:00",
        "true",
        "x",
        "007",
        None,
    ]


def test_errors_are_missing_and_blank_rows_are_skipped(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in ([], ["a", "b"], ["x", "y"], [None, None], ["z", "#N/A"]):
        sheet.append(row)
    sheet["B5"].data_type = "e"
    sheet["F20"].number_format = "0.00"
    book.save(tmp_path / "errors.xlsx")
    assert list(read(tmp_path / "errors.xlsx")) == [{"a=x", "b=y"}, {"a=z"}]


def test_shapes_and_options(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", visits=[["who", "what"], [7, "flu"], [7, "cold"], [9, "flu"]])
    rows = read(path, id_column="who", item_column="what")
    assert (rows.ids, list(rows)) == (["7", "9"], [{"flu", "cold"}, {"flu"}])
    assert next(iter(read(path, header=False, columns="p,q"))) == {"p=who", "q=what"}
    assert next(iter(read(path, header=False))) == {"c1=who", "c2=what"}
    onehot = xlsx(tmp_path / "b.xlsx", one=[["m", "f"], [1, 0], [0, 1]])
    assert list(read(onehot)) == [{"m"}, {"f"}]
    with pytest.raises(DataError, match="has 2 columns, but columns names 3"):
        read(path, header=False, columns="p,q,r")
    for options in ({"delimiter": ";"}, {"encoding": "cp1252"}, {"format": "lists"}, {"format": "basket"}):
        with pytest.raises(InputError):
            read(path, **options)
    (tmp_path / "a.csv").write_text("a,b\nx,y\n")
    with pytest.raises(ParameterError, match="sheet says nothing"):
        read(tmp_path / "a.csv", sheet=1)


def test_several_sheets_need_a_choice(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", notes=[], old=[["a"], ["x"], ["y"]], new=[["a"], ["z"]])
    with pytest.raises(ParameterError, match=r"2 sheets with content: 'old', 'new'; choose one with sheet"):
        read(path)
    assert list(read(path, sheet="new")) == list(read(path, sheet=3)) == list(read(path, sheet="3")) == [{"a=z"}]
    for missing in ("newer", 4, 0):
        with pytest.raises(ParameterError, match="'notes', 'old', 'new', or its number"):
            read(path, sheet=missing)
    with pytest.raises(DataError, match="holds no rows"):
        read(path, sheet="notes")
    with pytest.raises(DataError, match="holds no rows"):
        read(xlsx(tmp_path / "b.xlsx", notes=[], more=[]))


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([["x", 1, "u"], ["x", 1, "v"], ["w", 2, "u"]], "cells in the first line of"),
        ([["List of people"], [], ["age", "town", "ill"], [30, "Ghent", "y"]], "names 1 of 3 columns, as a title does"),
        ([["a", "a"], [1, 2]], "have the same name"),
        ([["items", "support"], ["a b", 3]], "audit them with patterns"),
    ],
)
def test_sheets_that_look_like_something_else_are_refused(tmp_path: Path, rows: list, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read(xlsx(tmp_path / "a.xlsx", one=rows))


def test_merged_cells_are_refused_where_the_data_is(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "a.xlsx", one=PEOPLE)
    book = openpyxl.load_workbook(path)
    book["one"].merge_cells("AB30:AC31")
    book.save(path)
    assert len(read(path)) == 3
    book["one"].merge_cells("B2:B3")
    book.save(path)
    with pytest.raises(DataError, match="the cells B2:B3 are merged"):
        read(path)


def test_damaged_workbooks_are_refused(tmp_path: Path) -> None:
    whole = xlsx(tmp_path / "a.xlsx", people=PEOPLE).read_bytes()
    old = xls(tmp_path / "a.xls", PEOPLE).read_bytes()
    random_ = random.Random(7)
    path = tmp_path / "b.xlsx"
    for data in (whole, old):
        for _ in range(150):
            damaged = bytearray(data)
            for _ in range(random_.randint(1, 20)):
                damaged[random_.randrange(len(damaged))] = random_.randrange(256)
            path.write_bytes(damaged[: random_.randint(1, len(damaged))] if random_.random() < 0.5 else damaged)
            try:
                read(path, sheet=1)
            except InputError as error:
                assert "\n" not in str(error)  # noqa: PT017 - either is right


@pytest.mark.parametrize(
    ("kind", "part", "whole", "cut"),
    [
        ("xlsx", "xl/worksheets/sheet1.xml", b"</row>", b"</rw>"),
        ("ods", "content.xml", b"</table:table-row>", b""),
    ],
)
def test_a_sheet_that_is_no_xml_is_refused(tmp_path: Path, kind: str, part: str, whole: bytes, cut: bytes) -> None:
    path = xlsx(tmp_path / "a.xlsx", people=PEOPLE) if kind == "xlsx" else ods(tmp_path / "a.ods", PEOPLE)
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts[part] = parts[part].replace(whole, cut, 1)
    with zipfile.ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    with pytest.raises(DataError, match="is not a whole workbook"):
        read(path)


def test_patterns_in_a_sheet(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "p.xlsx", found=[["items", "support"], ['["a"]', 3], ['["a", "b"]', 2]])
    found = read_patterns(path, n=4)
    assert (found.supports.tolist(), found.vocabulary.labels, found.n) == ([3, 2], ("a", "b"), 4)


@pytest.mark.parametrize("name", ["out.xlsx", "out.ods", "out.xls.gz", "out"])
def test_sheets_are_not_written(tmp_path: Path, name: str) -> None:
    rows = read(xlsx(tmp_path / "a.xlsx", people=PEOPLE))
    with pytest.raises(OutputError, match=r"only read; end the name in \.csv"):
        write(rows, tmp_path / name)
    write(rows, tmp_path / "out.csv")
    assert list(read(tmp_path / "out.csv")) == ROWS


def test_many_rows_keep_their_order(tmp_path: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("one")
    sheet.append(["n", "kind"])
    for number in range(20_000):
        sheet.append([number, "even" if number % 2 == 0 else "odd"])
    packed = io.BytesIO()
    book.save(packed)
    (tmp_path / "a.xlsx").write_bytes(packed.getvalue())
    rows = read(tmp_path / "a.xlsx")
    assert list(rows)[19_999] == {"n=19999", "kind=odd"}

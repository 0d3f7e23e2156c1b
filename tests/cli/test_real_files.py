"""Files as people have them, ten of a kind: each is read right, or refused with what to do; none is misread.

Rows and itemsets are compared with what a few lines of plain Python make of the same file. More about sheets and
databases is in tests/transactions/test_sheets.py, test_databases.py and test_sqlite_and_postgresql.py.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
import struct
import zipfile
import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import InputError
from discreet.patterns.reading import read_patterns
from tests.transactions.test_sheets import ods, xls, xlsx

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.postgresql_server import Server

PEOPLE = [
    {"age": age, "ward": ward, "ill": ill}
    for age in ("young", "old")
    for ward in ("north", "south", "Zürich")
    for ill in ("flu", "cold")
    for _ in range(3)
]
BASKETS = [["milk", "bread"], ["milk"], ["tea", "milk", "bread"], ["tea"], ["bread", "tea"]] * 4
ITEMSETS = {frozenset({"a"}): 60, frozenset({"b"}): 50, frozenset({"a", "b"}): 40}


def table_text(separator: str = ",", *, header: bool = True, quoting: int = csv.QUOTE_MINIMAL, end: str = "\n") -> str:
    """Return the people as a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows(
        [[*PEOPLE[0]], *([*one.values()] for one in PEOPLE)] if header else [[*p.values()] for p in PEOPLE]
    )
    return text.getvalue()


def parquet_bytes(columns: dict[str, list[Any]]) -> bytes:
    """Return a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def zip_bytes() -> bytes:
    """Return a ZIP archive with a table in it."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("people.csv", table_text())
    return sink.getvalue()


def png_bytes() -> bytes:
    """Return an image of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    start = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + start + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")


TABLE_ROWS = [frozenset(f"{column}={value}" for column, value in one.items()) for one in PEOPLE]
BASKET_ROWS = [frozenset(basket) for basket in BASKETS]
FULL = table_text().encode()
PAIRS = [(str(number), item) for number, basket in enumerate(BASKETS) for item in basket]

ROWS: dict[str, tuple[str, bytes, dict[str, Any], list[frozenset[str]]]] = {
    "a table, commas": ("f.csv", FULL, {}, TABLE_ROWS),
    "a table, semicolons, as Excel in Europe": ("f.csv", table_text(";").encode(), {}, TABLE_ROWS),
    "a table, tabs": ("f.tsv", table_text("\t").encode(), {}, TABLE_ROWS),
    "a table, all quoted, CRLF": ("f.csv", table_text(quoting=csv.QUOTE_ALL, end="\r\n").encode(), {}, TABLE_ROWS),
    "a table, UTF-16 with its mark": ("f.csv", table_text("\t").encode("utf-16"), {}, TABLE_ROWS),
    "a table, UTF-8 with a mark, packed": ("f.csv.gz", gzip.compress(b"\xef\xbb\xbf" + FULL), {}, TABLE_ROWS),
    "a table, no header, named": (
        "f.csv",
        table_text(header=False).encode(),
        {"header": False, "columns": ["age", "ward", "ill"]},
        TABLE_ROWS,
    ),
    "baskets": ("f.csv", "".join(f"{','.join(basket)}\n" for basket in BASKETS).encode(), {}, BASKET_ROWS),
    "a long table": (
        "f.csv",
        "".join(f"{one},{item}\n" for one, item in [("visit", "item"), *PAIRS]).encode(),
        {"format": "long", "id_column": "visit", "item_column": "item"},
        BASKET_ROWS,
    ),
    "JSON lines of lists": ("f.jsonl", "".join(f"{json.dumps(one)}\n" for one in BASKETS).encode(), {}, BASKET_ROWS),
}


@pytest.mark.parametrize("case", ROWS)
def test_rows_are_those_of_an_independent_parser(tmp_path: Path, case: str):
    name, content, options, expected = ROWS[case]
    (tmp_path / name).write_bytes(content)
    assert list(discreet.read(tmp_path / name, **options)) == expected


def frame() -> pd.DataFrame:
    """Return itemsets as mlxtend has them."""
    return pd.DataFrame(
        {"support": [count / 100 for count in ITEMSETS.values()], "itemsets": [frozenset(items) for items in ITEMSETS]}
    )


def lines(form: str) -> bytes:
    """Return one line per itemset."""
    return "".join(form.format(",".join(sorted(items)), count) for items, count in ITEMSETS.items()).encode()


def of_spark() -> bytes:
    """Return itemsets as Spark's FPGrowth writes them."""
    return parquet_bytes({"items": [sorted(items) for items in ITEMSETS], "freq": list(ITEMSETS.values())})


SPMF = "".join(f"{' '.join(sorted(items))} #SUP: {count}\n" for items, count in ITEMSETS.items()).encode()
PATTERNS: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "SPMF": ("f.txt", SPMF, {"n": 100}),
    "SPMF, CRLF": ("f.txt", SPMF.replace(b"\n", b"\r\n"), {"n": 100}),
    "mlxtend, to_csv": ("f.csv", frame().to_csv(index=False).encode(), {"n": 100}),
    "mlxtend, to_csv with the index": ("f.csv", frame().to_csv().encode(), {"n": 100}),
    "arules, a data frame": (
        "f.csv",
        b'"items","support","count"\n' + lines('"{{{0}}}",0.{1},{1}\n'),
        {},
    ),
    "arules, with row names": (
        "f.csv",
        b'"","items","support","count"\n'
        + "".join(
            f'"{number}","{{{",".join(sorted(items))}}}",0.{count},{count}\n'
            for number, (items, count) in enumerate(ITEMSETS.items(), 1)
        ).encode(),
        {},
    ),
    "Spark, Parquet": ("f.parquet", of_spark(), {"n": 100}),
    "itemset and count, semicolons": (
        "f.csv",
        b"itemset;count\n" + lines("{0};{1}\n"),
        {"n": 100, "items_column": "itemset", "support_column": "count", "item_separator": ","},
    ),
    "ours": ("f.csv", b"", {}),
    "ours, JSON": ("f.json", b"", {}),
}


@pytest.mark.parametrize("case", PATTERNS)
def test_itemsets_are_those_that_the_miner_wrote(tmp_path: Path, case: str):
    name, content, options = PATTERNS[case]
    if content:
        (tmp_path / name).write_bytes(content)
    else:
        rows = discreet.Transactions.from_rows(["ab"] * 40 + ["a"] * 20 + ["b"] * 10 + [""] * 30)
        found = discreet.mine(rows, min_support=30, target="all")
        discreet.write_patterns(found, tmp_path / name)
    given = read_patterns(tmp_path / name, **options).to_patternset(target="all")
    assert (dict(given), given.n) == (ITEMSETS, 100)


PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
HTML = (
    b"<!DOCTYPE html>\n<html>\n<head><title>Sign in</title></head>\n<body>\n<p>Please sign in.</p>\n</body>\n</html>\n"
)

WRONG: dict[str, tuple[str, bytes, str]] = {
    "a PDF named .csv": ("f.csv", PDF, "is a PDF document, whatever its name says"),
    "an image named .csv": ("f.csv", png_bytes(), "is an image"),
    "a ZIP archive named .csv": ("f.csv", zip_bytes(), "unpack it if it is an archive"),
    "a sign-in page saved as .csv": ("f.csv", HTML, "is a web page or an XML document, not rows"),
    "nothing at all": ("f.csv", b"", "holds no rows"),
    "random bytes": ("f.csv", bytes(range(256)) * 8, "it is not text"),
    "a Parquet file named .csv": ("f.csv", parquet_bytes({"a": ["x", "y"]}), "is a Parquet file"),
    "a CSV file named .parquet": ("f.parquet", FULL, "is not a whole Parquet file"),
    "itemsets handed in as rows": (
        "f.csv",
        frame().to_csv(index=False).encode(),
        "as itemsets and rules of a miner do",
    ),
    "a JSON text": ("f.json", b'"not found"', "must hold lists of labels"),
}

DAMAGED: dict[str, tuple[str, bytes, str]] = {
    "gzip cut off": ("f.csv.gz", gzip.compress(FULL * 50)[:-40], "is cut off in the middle of its gzip data"),
    "gzip with a flipped byte": ("f.csv.gz", gzip.compress(FULL)[:60] + b"\0" + gzip.compress(FULL)[61:], "is damaged"),
    "text named .gz": ("f.csv.gz", FULL, "is named .gz but is not gzip data"),
    "Parquet cut off": ("f.parquet", parquet_bytes({"a": ["x"] * 50})[:-30], "is not a whole Parquet file"),
    "a quote that is not closed": ("f.csv", FULL + b'"young,north,flu\n', "has a quote that is not closed"),
    "two encodings in one file": (
        "f.csv",
        FULL + "old,Zürich,flu\n".encode("latin-1"),
        "bytes that are not UTF-8 text",
    ),
    "the last line cut off": ("f.csv", FULL[:-9], "of the lines have 3"),
    "a cell too many": ("f.csv", FULL + b"young,north,flu,again\n", "of the lines have 3"),
    "a NUL in the middle": ("f.csv", FULL + b"young,no\0rth,flu\n", "NUL"),
    "a JSON line cut off": ("f.jsonl", b'["a", "b"]\n["a", "b\n', "line 2"),
}


@pytest.mark.parametrize("case", [*WRONG, *DAMAGED])
def test_a_wrong_or_damaged_file_is_refused(call, tmp_path: Path, case: str):
    name, content, sentence = (WRONG | DAMAGED)[case]
    (tmp_path / name).write_bytes(content)
    told = call("audit", name, "-s", 2, "-k", 2).refused()
    assert sentence in told


CELLS: list[list[Any]] = [[*PEOPLE[0]], *([*one.values()] for one in PEOPLE)]
XLSB = Path(__file__).parents[1] / "data" / "table.xlsb"
"""Written once by PyXlsbWriter 0.1.0, from the cells of `XLSB_ROWS`; no library of the tests writes this format."""
XLSB_ROWS = [{"age=30", "town=Ghent", "ill=y"}, {"age=41", "ill=n"}, {"age=30", "town=Lyon", "ill=y"}]


def merged_xlsx(path: Path) -> Path:
    """Write a workbook whose wards are cells that span several rows."""
    book = openpyxl.load_workbook(xlsx(path, people=CELLS))
    book.active.merge_cells("B2:B4")
    book.save(path)
    return path


def packed_xlsx(path: Path) -> Path:
    """Write a workbook, packed with gzip."""
    path.write_bytes(gzip.compress(xlsx(path.with_name("plain.xlsx"), people=CELLS).read_bytes()))
    return path


def cut_off_xlsx(path: Path) -> Path:
    """Write the first part of a workbook."""
    path.write_bytes(xlsx(path.with_name("whole.xlsx"), people=CELLS).read_bytes()[:-400])
    return path


SHEETS: dict[str, tuple[str, Callable[[Path], Path], dict[str, Any], list[frozenset[str]] | str]] = {
    "Excel": ("f.xlsx", lambda path: xlsx(path, people=CELLS), {}, TABLE_ROWS),
    "Excel before 2007": ("f.xls", lambda path: xls(path, CELLS), {}, TABLE_ROWS),
    "Excel, binary": ("f.xlsb", lambda path: Path(path.write_bytes(XLSB.read_bytes()) and path), {}, XLSB_ROWS),
    "OpenDocument": ("f.ods", lambda path: ods(path, CELLS), {}, TABLE_ROWS),
    "Excel, packed": ("f.xlsx.gz", packed_xlsx, {}, TABLE_ROWS),
    "Excel, named .csv": ("f.csv", lambda path: xlsx(path, people=CELLS), {}, TABLE_ROWS),
    "Excel, one of two sheets": (
        "f.xlsx",
        lambda path: xlsx(path, old=CELLS[:5], new=CELLS),
        {"sheet": "new"},
        TABLE_ROWS,
    ),
    "Excel, two sheets": ("f.xlsx", lambda path: xlsx(path, old=CELLS[:5], new=CELLS), {}, "choose one with sheet"),
    "Excel, merged cells": ("f.xlsx", merged_xlsx, {}, "merged"),
    "Excel, cut off": ("f.xlsx", cut_off_xlsx, {}, "save it again"),
}


@pytest.mark.parametrize("case", SHEETS)
def test_a_sheet_is_read_as_it_is_shown_or_refused(tmp_path: Path, case: str):
    name, write, options, expected = SHEETS[case]
    path = write(tmp_path / name)
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            discreet.read(path, **options)
    else:
        assert list(discreet.read(path, **options)) == expected


LONG_QUERY = {"sql": "SELECT * FROM visits", "id_column": "visit", "item_column": "item"}
DATABASES: dict[str, tuple[str, dict[str, Any], list[frozenset[str]] | str]] = {
    "SQLite, a table": ("f.sqlite", {"sql": "SELECT * FROM people"}, TABLE_ROWS),
    "SQLite, a long table": ("f.sqlite", LONG_QUERY, BASKET_ROWS),
    "SQLite, a view": ("f.sqlite", {"sql": "SELECT * FROM seen"}, TABLE_ROWS),
    "SQLite, no such table": (
        "f.sqlite",
        {"sql": "SELECT * FROM persons"},
        "names a table, column or function that the database does not have",
    ),
    "DuckDB, a table": ("f.duckdb", {"sql": "SELECT * FROM people"}, TABLE_ROWS),
    "DuckDB, a long table": ("f.duckdb", LONG_QUERY, BASKET_ROWS),
    "DuckDB, a query that writes": ("f.duckdb", {"sql": "COPY people TO 'copy.csv'"}, "single SELECT"),
    "PostgreSQL, a table": ("postgresql", {"sql": "SELECT * FROM people"}, TABLE_ROWS),
    "PostgreSQL, a long table": ("postgresql", LONG_QUERY, BASKET_ROWS),
    "PostgreSQL, a query that writes": ("postgresql", {"sql": "DELETE FROM people"}, "sql "),
}
TABLES = (
    "CREATE TABLE people (age TEXT, ward TEXT, ill TEXT)",
    "INSERT INTO people VALUES " + ", ".join(f"{tuple(one.values())}" for one in PEOPLE),  # noqa: S608 - our own
    "CREATE TABLE visits (visit TEXT, item TEXT)",
    "INSERT INTO visits VALUES " + ", ".join(map(str, PAIRS)),  # noqa: S608 - our own
    "CREATE VIEW seen AS SELECT * FROM people",
)


@pytest.fixture(scope="module")
def filled(postgresql: Server) -> str:
    """Return the address of a PostgreSQL that has the tables."""
    postgresql.execute("CREATE DATABASE real_files")
    address = postgresql.address.replace("/postgres?", "/real_files?")
    postgresql.execute(*TABLES, database="real_files")
    return address


@pytest.mark.xdist_group("postgresql")
@pytest.mark.parametrize("case", DATABASES)
def test_a_database_gives_its_rows_or_is_refused(request: pytest.FixtureRequest, tmp_path: Path, case: str):
    name, options, expected = DATABASES[case]
    database: Path | str = tmp_path / name
    if name == "postgresql":
        database = request.getfixturevalue("filled")
    else:
        module = sqlite3 if name.endswith("sqlite") else duckdb
        with closing(module.connect(database)) as connection:
            for statement in TABLES:
                connection.execute(statement)
            connection.commit()
    if isinstance(expected, str):
        with pytest.raises(InputError, match=expected):
            discreet.read(database=database, **options)
    else:
        assert list(discreet.read(database=database, **options)) == expected


def test_there_are_ten_of_each() -> None:
    kinds = {
        "rows": ROWS,
        "spreadsheets": SHEETS,
        "patterns": PATTERNS,
        "databases": DATABASES,
        "wrong": WRONG,
        "damaged": DAMAGED,
    }
    assert Counter({kind: len(cases) for kind, cases in kinds.items()}) == Counter(dict.fromkeys(kinds, 10))

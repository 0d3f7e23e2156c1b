"""Whatever bytes a file holds: rows come out, or one sentence that says what is wrong with it."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from discreet.errors import DataError, OutputError, ParameterError
from discreet.transactions.reading import read
from discreet.transactions.writing import write
from tests.strategies import DRAWS

if TYPE_CHECKING:
    from pathlib import Path

WORDS = st.sampled_from(
    [
        *[
            b"a",
            b"b",
            b"1",
            b"0",
            b"true",
            b"NA",
            b"?",
            b" ",
            b"\t",
            b"\n",
            b"\r\n",
            b"\r",
            b",",
            b";",
            b'"',
            b'""',
            b"=",
            b"\\",
        ],
        *[
            b"@ITEM=1=a\n",
            b"@CONVERTED_FROM_TEXT\n",
            b"%",
            b"#",
            b"[",
            b"]",
            b"{",
            b"}",
            b":",
            b'"a"',
            b'{"a":',
            b'["a"]',
        ],
        *[
            b"null",
            b"1e9",
            b"-5",
            b"\\u0000",
            b"\xc3\xa9",
            b"\xff",
            b"\0",
            b"\xef\xbb\xbf",
            b"\xed\xa0\x80",
            b"i",
            b"t",
            b"i,t\n",
        ],
    ]
)
CONTENTS = st.one_of(st.binary(max_size=60), st.lists(WORDS, max_size=30).map(b"".join))

READERS = {
    "fimi": ("rows.dat", {}),
    "spmf": ("rows.dat", {"format": "spmf"}),
    "csv": ("rows.csv", {}),
    "tsv": ("rows.tsv", {}),
    "basket": ("rows.csv", {"format": "basket"}),
    "basket with another delimiter": ("rows.csv", {"format": "basket", "delimiter": "="}),
    "basket of blanks": ("rows.txt", {"format": "basket", "delimiter": " "}),
    "long": ("rows.csv", {"format": "long", "id_column": "i", "item_column": "t"}),
    "long without names": ("rows.csv", {"format": "long"}),
    "onehot": ("rows.csv", {"format": "onehot"}),
    "table": ("rows.csv", {"format": "table"}),
    "table without header": ("rows.csv", {"header": False, "missing": "drop-row"}),
    "table with rules": ("rows.csv", {"header": False, "bins": "c1=0,1", "id_column": "c2"}),
    "table with a map": ("rows.csv", {"header": False, "map": "c1:a=b,*=c", "missing": "skip"}),
    "unknown": ("rows", {}),
}
THROUGH_DUCKDB = {
    "json": ("rows.json", {}),
    "jsonl": ("rows.jsonl", {}),
    "lists": ("rows.json", {"format": "lists"}),
    "json table": ("rows.jsonl", {"format": "table", "missing": "skip"}),
    "parquet": ("rows.parquet", {}),
}


def looks_right(path: Path, options: dict) -> None:
    """Read; what comes out must be whole, and if it can be written, it can be read again."""
    try:
        rows = read(path, **options)
    except (DataError, ParameterError) as error:
        sentence = str(error)
        assert sentence
        assert "\n" not in sentence
        return
    assert len(rows) > 0
    assert len(rows.offsets) == len(rows) + 1
    assert rows.layout is not None
    assert rows.ids is None or len(rows.ids) == len(rows)
    copy = path.with_name(f"copy-{path.name}")
    try:
        write(rows, copy, layout=rows.layout, force=True)
    except OutputError:
        return
    layout = rows.layout
    again = read(
        copy,
        format=layout.shape,
        delimiter=layout.delimiter if layout.container == "csv" else None,
        header=layout.header,
        id_column=layout.id_column,
        item_column=layout.item_column,
        columns=layout.columns if not layout.header and layout.shape != "basket" else None,
    )
    assert list(again) == list(rows)
    assert again.ids is None or list(again.ids) == list(rows.ids or [])


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=30 * DRAWS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=CONTENTS, packed=st.booleans())
def test_text(tmp_path: Path, name: str, data: bytes, *, packed: bool) -> None:
    file, options = READERS[name]
    path = tmp_path / file
    path.write_bytes(gzip.compress(data) if packed else data)
    looks_right(path, options)


@pytest.mark.parametrize("name", THROUGH_DUCKDB)
@settings(max_examples=15 * DRAWS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=CONTENTS)
def test_through_duckdb(tmp_path: Path, name: str, data: bytes) -> None:
    file, options = THROUGH_DUCKDB[name]
    path = tmp_path / file
    path.write_bytes(data)
    looks_right(path, options)


@settings(max_examples=15 * DRAWS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0), byte=st.integers(0, 255), cut=st.integers(0, 40))
@example(place=183, byte=128, cut=0)
def test_a_parquet_file_with_a_wrong_byte_or_without_its_end(tmp_path: Path, place: int, byte: int, cut: int) -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"i": ["x", "y"], "t": [["a"], ["b", "c"]]}), file)
    data = bytearray(file.getvalue())
    data[place % len(data)] = byte
    path = tmp_path / "rows.parquet"
    path.write_bytes(data[: len(data) - cut])
    looks_right(path, {})


@settings(max_examples=40 * DRAWS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0), byte=st.integers(0, 255), cut=st.integers(0, 10))
def test_a_gzip_file_with_a_wrong_byte_or_without_its_end(tmp_path: Path, place: int, byte: int, cut: int) -> None:
    text = b"1 2 3\n2 3\n" * 30
    data = bytearray(gzip.compress(text, mtime=0))
    data[place % len(data)] = byte
    path = tmp_path / "rows.dat.gz"
    path.write_bytes(data[: len(data) - cut])
    if _unpacks_to(bytes(data[: len(data) - cut]), text):  # a time stamp, or bits of padding: the text is what it was
        looks_right(path, {})
    else:
        with pytest.raises(DataError):
            read(path)


def _unpacks_to(packed: bytes, text: bytes) -> bool:
    """Say whether Python's own gzip finds this text in it."""
    try:
        return gzip.decompress(packed) == text
    except (EOFError, OSError, zlib.error):
        return False

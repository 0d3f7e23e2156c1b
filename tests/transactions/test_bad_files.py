"""Files that cannot be read: one sentence with the file's name, and the line where there is one."""

from __future__ import annotations

import gzip
from contextlib import suppress
from pathlib import Path

import pytest

from discreet.errors import DataError, InputError, ParameterError
from discreet.transactions.reading import read

GOOD = b"".join(b"%d,%d\n" % (number, number * 7919 % 1000) for number in range(5000))
LONG_LINE = b"x" * 10_000_000


def damaged(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]


FILES = {
    "truncated gzip": ("rows.csv.gz", gzip.compress(GOOD)[:-20], {}, r"cut off", None),
    "half a gzip": (
        "rows.dat.gz",
        gzip.compress(GOOD)[: len(gzip.compress(GOOD)) // 2],
        {"format": "fimi"},
        r"cut off",
        None,
    ),
    "gzip that lost its last bytes": ("rows.dat.gz", gzip.compress(GOOD)[:-3], {"format": "fimi"}, r"cut off", None),
    "gzip with a wrong checksum": ("rows.csv.gz", damaged(gzip.compress(GOOD), -6), {}, r"damaged", None),
    "gzip with junk inside": ("rows.csv.gz", damaged(gzip.compress(GOOD), 5000), {}, r"damaged|cut off", None),
    "gzip with junk behind": ("rows.csv.gz", gzip.compress(GOOD) + b"junk", {}, r"damaged", None),
    "no gzip": ("rows.csv.gz", GOOD, {}, r"not gzip", None),
    "gzipped parquet, truncated": ("rows.parquet.gz", gzip.compress(GOOD)[:-20], {}, r"cut off", None),
    "empty": ("rows.dat", b"", {}, r"holds no rows", None),
    "empty but for a mark": ("rows.dat", b"\xef\xbb\xbf", {}, r"holds no rows", None),
    "empty csv": ("rows.csv", b"", {}, r"holds no rows", None),
    "empty csv of blanks": ("rows.csv", b"\n  \n\r\n", {}, r"holds no rows", None),
    "empty gzip": ("rows.csv.gz", gzip.compress(b""), {}, r"holds no rows", None),
    "empty without a suffix": ("rows", b"", {}, r"holds no rows", None),
    "empty spmf": ("rows.txt", b"@CONVERTED_FROM_TEXT\n", {}, r"holds no rows", None),
    "empty basket": ("rows.csv", b"\n", {"format": "basket"}, r"holds no rows", None),
    "empty json": ("rows.json", b"[]", {}, r"holds no rows", None),
    "json without anything": ("rows.json", b"", {}, r"holds no rows", None),
    "empty jsonl": ("rows.jsonl", b"\n", {}, r"holds no rows", None),
    "header alone": ("rows.csv", b"a,b\n", {}, r"holds no rows", None),
    "header alone, onehot": ("rows.csv", b"a,b\n", {"format": "onehot"}, r"holds no rows", None),
    "header alone, long": ("rows.csv", b"a,b\n", {"format": "long"}, r"holds no rows", None),
    "column twice": ("rows.csv", b"\na,b,a\n1,2,3\n", {}, r"same name", 2),
    "ragged table": ("rows.csv", b"a,b\n1,2\n\n1\n", {"format": "table"}, r"line 4 .* 1 cells where 2", 4),
    "ragged long": ("rows.csv", b"a,b\n1,2,3\n", {"id_column": "a", "item_column": "b"}, r"line 2 .* 3 cells", 2),
    "wrong number of columns": ("rows.csv", b"1,2\n", {"header": False, "columns": "a,b,c"}, r"2 cells.*3", 1),
    "quote not closed": ("rows.csv", b'a,b\n1,"2\n3,4\n', {}, r"line 2 .*quote", 2),
    "text after a quote": ("rows.csv", b'a,b\n1,2\n"3"x,4\n', {}, r"line 3 .*quote", 3),
    "NUL": ("rows.dat", b"1 2\n1 \0 2\n", {}, r"line 2 ", 2),
    "NUL in a csv": ("rows.csv", b"a,b\n1,2\n1,\x002\n", {}, r"line 3 .*NUL", 3),
    "NUL in json": ("rows.json", b'[["a\\u0000b"]]', {}, r"NUL", None),
    "UTF-16 without a mark": ("rows.csv", ("a,b\n" + "1,2\n" * 9).encode("utf-16-le"), {}, r"utf-16-le", None),
    "Latin-1": ("rows.csv", "a,b\n1,é\n".encode("latin-1"), {}, r"line 2 .*UTF-8", 2),
    "Latin-1 in fimi": ("rows.dat", "a b\n1 é\n".encode("latin-1"), {}, r"line 2 .*UTF-8", 2),
    "Latin-1 in json": ("rows.json", '[["a"],\n["é"]]'.encode("latin-1"), {}, r"not a JSON array", None),
    "one long line": ("rows.csv", LONG_LINE, {}, r"line 1 .*longer", 1),
    "one long line, later": ("rows.csv", b"a\nb\n" + LONG_LINE + b"\nc\n", {"format": "table"}, r"line 3 .*longer", 3),
    "one long line, basket": ("rows.csv", LONG_LINE + b"\n", {"format": "basket"}, r"line 1 .*longer", 1),
    "one long line, quoted": ("rows.csv", b'a\n"' + LONG_LINE + b'"\n', {}, r"line 2 ", 2),
    "one long line, fimi": ("rows.dat", b"a\n" + LONG_LINE, {}, r"line 2 ", 2),
    "junk": ("rows.dat", bytes(range(256)) * 20, {}, r"line 2 ", 2),
    "junk csv": ("rows.csv", bytes(range(1, 256)) * 20, {}, r"line 3 .*UTF-8", 3),
    "junk parquet": ("rows.parquet", bytes(range(256)) * 20, {}, r"not a whole Parquet file", None),
    "junk after a parquet mark": ("rows", b"PAR1" + bytes(range(256)) * 20 + b"PAR1", {}, r"Parquet", None),
    "json cut off": ("rows.json", b'[["a"],\n["b"', {}, r"not a JSON array: line 2", 2),
    "json without its end": ("rows.json", b'[["a"],\n["b"]', {}, r"not a JSON array: line 2", 2),
    "json cut off behind a comma": ("rows.json", b'[["a"],\n["b"],\n ', {}, r"not a JSON array: line 3", 3),
    "json with a name twice": ("rows.json", b'[{"a": 1, "b": 2}, {"a": 1, "a": 2}]', {}, r"row 2 .* same name", None),
    "jsonl with a name twice": ("rows.jsonl", b'{"a": ["x"], "a": ["x"]}\n', {}, r"row 1 .* same name", None),
    "jsonl with a bad line": ("rows.jsonl", b'["a"]\n\n["b"\n["c"]\n', {}, r"one JSON value per line: line 3", 3),
    "json of numbers": ("rows.jsonl", b"1\n2\n", {}, r"lists of labels, or objects", None),
    "json of both": ("rows.json", b'[["a"], {"b": 1}]', {}, r"lists of labels, or objects", None),
    "json of nested lists": ("rows.json", b'[["a", ["b"]]]', {}, r"lists of labels, or objects", None),
    "json null among items": ("rows.json", b'[["a"], ["a", null]]', {}, r"row 2 .*null", None),
    "json objects without keys": ("rows.json", b"[{}, {}]", {}, r"empty objects", None),
    "json cells with records": ("rows.json", b'[{"a": {"b": 1}}]', {"format": "table"}, r"column 1 of", None),
    "onehot with a two": ("rows.csv", b"a,b\n0,1\n1,2\n", {"format": "onehot"}, r"line 3 .* column 2", 3),
    "onehot with a hole": ("rows.csv", b"a,b\n0,1\n1,\n", {"format": "onehot"}, r"line 3 .* column 2", 3),
    "long without an id": ("rows.csv", b"a,b\n1,x\n ,y\n", {"format": "long"}, r"line 3 .* no id", 3),
    "table without an id": ("rows.csv", b"a,b\n1,x\n,y\n", {"id_column": "a"}, r"line 3 .* no id", 3),
    "onehot with a blank of its own": ("rows.csv", "a,b\n0,1\n1,\xa00\n".encode(), {"format": "onehot"}, r"line 3", 3),
    "old line ends in fimi": ("rows.dat", b"1 2\n1 2\r3 4\r5\r", {}, r"line 2 .* carriage return", 2),
    "old line ends in spmf": ("rows.txt", b"@ITEM=1=a\r@ITEM=2=b\r1 2\n", {}, r"line 1 .* carriage return", 1),
    "a form feed in fimi": ("rows.dat", b"1 2\n1 \x0c2\n", {}, r"line 2 .* control characters", 2),
    "a vertical tab in fimi": ("rows.dat", b"1\x0b2\n", {}, r"line 1 .* control characters", 1),
    "two names in spmf": ("rows.txt", b"@ITEM=1=a\n@ITEM=2=a\n1 2\n", {}, r"same name", None),
    "a name twice in spmf": ("rows.txt", b"@ITEM=1=a\n@ITEM=1=b\n1 2\n", {}, r"twice", None),
    "half a name in spmf": ("rows.txt", b"@ITEM=1\n1 2\n", {}, r"@ITEM=1=apple", None),
    "an unknown name": ("rows.xyz", b"a,b", {}, r"give format ", None),
    "half a workbook": ("rows.xlsx", b"PK\3\4", {}, r"not a whole workbook", None),
    "an archive": ("rows.csv.zip", b"PK\3\4", {}, r"unpack it", None),
    "a web page named as a sheet": ("rows.xls", b"<html><table></table></html>", {}, r"not a whole workbook", None),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_read(tmp_path: Path, case: str) -> None:
    name, data, options, sentence, line = FILES[case]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=sentence) as caught:
        read(path, **options)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(path))
    assert isinstance(caught.value, (DataError, ParameterError))
    assert getattr(caught.value, "line", None) == line


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder"):
        read(tmp_path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no\.dat does not exist"):
        read(tmp_path / "no.dat")


def test_a_file_of_someone_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.dat"

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")  # a test that runs as root would be let in

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match="may not be read"):
        read(path)


@pytest.mark.parametrize("source", [None, 7, b"rows.dat"])
def test_no_file_at_all(source: object) -> None:
    with pytest.raises(ParameterError, match="name a file"):
        read(source)


def test_a_name_with_a_nul() -> None:
    with pytest.raises(DataError, match="cannot open"):
        read("rows\0.dat")


def test_nothing_of_the_data_is_in_an_error(tmp_path: Path) -> None:
    """DuckDB quotes the line it stumbles over; what reaches the user must not."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"name": "Alice", "age": 30}\n{"name": "Alice" "age": 31}\n')
    with pytest.raises(DataError) as caught:
        read(path)
    assert "Alice" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_no_copy_of_what_was_read_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    for data in (b'[["a"]]', b'[["a"'):
        path = tmp_path / "rows.json.gz"
        path.write_bytes(gzip.compress(data))
        with suppress(DataError):
            read(path)
        assert list(folder.iterdir()) == []

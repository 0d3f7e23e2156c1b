"""Folders, globs and several files are read as one, or refused with the file that differs."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import duckdb
import pytest

from discreet.errors import DataError, OutputError, ParameterError
from discreet.tables.whole import keep_inputs
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from pathlib import Path

FIRST, SECOND = b"sex,age\nm,30\nf,41\n", b"sex,age\nf,30\n"
ROWS = [{"sex=m", "age=30"}, {"sex=f", "age=41"}, {"sex=f", "age=30"}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "years"
    made.mkdir()
    (made / "a.csv").write_bytes(FIRST)
    (made / "b.csv").write_bytes(SECOND)
    return made


def test_a_folder_a_glob_and_several_files_are_read_as_one(folder: Path) -> None:
    (folder / "_SUCCESS").touch()
    (folder / ".b.csv.crc").write_bytes(b"x")
    for source in (folder, str(folder), f"{folder}/*.csv", [folder / "a.csv", str(folder / "b.csv")]):
        assert list(read(source)) == ROWS
    about = read(folder).read
    digests = b"".join(hashlib.sha256(each).digest() for each in (FIRST, SECOND))
    assert (about.name, about.bytes, about.rows) == (str(folder), len(FIRST) + len(SECOND), 3)
    assert about.sha256 == hashlib.sha256(digests).hexdigest()
    assert (about.encoding, about.container, about.separator, about.header) == ("utf-8", "csv", ",", True)
    assert list(read([folder / "b.csv", folder / "a.csv"])) == [ROWS[2], *ROWS[:2]]


def test_a_file_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    (tmp_path / "a[1].csv").write_bytes(FIRST)
    assert len(read(tmp_path / "a[1].csv")) == 2


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("rows.dat", [b"a b\n\nc", b"b d\n"]),
        ("rows.txt", [b"1 2\n", b"@CONVERTED_FROM_TEXT\n@ITEM=1=x\n1\n"]),
        ("rows.csv", [b"a,b\na\n", b"d,e\nd\n"]),
    ],
)
def test_rows_without_columns(tmp_path: Path, name: str, data: list[bytes]) -> None:
    files = []
    for at, each in enumerate(data):
        files.append(tmp_path / f"{at}{name}")
        files[-1].write_bytes(each)
    if name == "rows.txt":
        with pytest.raises(DataError, match=r"1rows\.txt has another format"):
            read(files)
        return
    rows = read(files)
    assert list(rows) == [row for file in files for row in read(file)]
    assert rows.read.rows == len(rows)


def test_what_belongs_together_may_lie_in_several_files(folder: Path) -> None:
    (folder / "a.csv").write_text("who,what\n7,flu\n8,cold\n")
    (folder / "b.csv").write_text("who,what\n7,cold\n")
    rows = read(folder, id_column="who", item_column="what")
    assert (rows.ids, list(rows)) == (["7", "8"], [{"flu", "cold"}, {"cold"}])
    rows = read(folder, person_column="who", format="table")
    assert list(rows) == [{"what=flu", "what=cold"}, {"what=cold"}]
    with pytest.raises(DataError, match="have the same id"):
        read(folder, id_column="who", format="table")


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("c.csv", b"age,sex\n30,m\n", r"c\.csv has other columns than .*a\.csv"),
        ("c.csv", b"sex,age,area\nm,30,N\n", r"c\.csv has other columns"),
        ("c.csv", b"sex,age\nm,30\nm\n", r"lines of .*c\.csv differ in length"),
        ("c.json", b'[{"sex": "m", "age": 30}]', r"c\.json has another format than .*a\.csv"),
        ("c.dat", b"a b\n", r"c\.dat has another format"),
        ("c.csv", b"sex,age\n", r"nothing"),
        ("README", b"read me", r"README"),
    ],
)
def test_files_that_differ_are_refused(folder: Path, name: str, data: bytes, sentence: str) -> None:
    (folder / name).write_bytes(data)
    if sentence == "nothing":
        assert list(read(folder)) == ROWS  # a header alone is a part without rows
        return
    with pytest.raises((DataError, ParameterError), match=sentence):
        read(folder)


def test_an_error_names_the_file_and_its_line(folder: Path) -> None:
    (folder / "b.csv").write_text("sex,age\nf,30\n,\n")
    with pytest.raises(DataError, match=r"line 3 of .*b\.csv|b\.csv.* line 3|line 3 .*b\.csv"):
        read(folder, id_column="sex")


def test_parquet_with_hive_columns(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    for year, area, sex in ((2023, "N%201", "f"), (2024, "__HIVE_DEFAULT_PARTITION__", "m")):
        part = folder / f"year={year}" / f"area={area}"
        part.mkdir(parents=True)
        duckdb.sql(f"COPY (SELECT '{sex}' AS sex, 30 AS age) TO '{part}/part.parquet' (FORMAT parquet)")
    rows = read(folder)
    assert list(rows) == [{"sex=f", "age=30", "year=2023", "area=N 1"}, {"sex=m", "age=30", "year=2024"}]
    assert rows.read.columns.kept == ("sex", "age", "year", "area")
    assert list(read(folder, drop="year", bins="age=20,40"))[1] == {"sex=m", "age=(20,40]"}
    (folder / "plain.parquet").write_bytes((folder / "year=2023" / "area=N%201" / "part.parquet").read_bytes())
    with pytest.raises(DataError, match="has other columns"):
        read(folder)


def test_hive_columns_are_of_parquet(folder: Path) -> None:
    (folder / "year=2024").mkdir()
    (folder / "year=2024" / "a.csv").write_bytes(FIRST)
    with pytest.raises(DataError, match="year=…"):
        read(folder)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file matches"):
        read(tmp_path / "*.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="without files"):
        read(tmp_path / "empty")
    with pytest.raises(DataError, match="does not exist"):
        read([tmp_path / "a.csv", tmp_path / "b.csv"])
    with pytest.raises(ParameterError, match="standard input"):
        read(["a.csv", "-"])
    for nothing in ([], 5):
        with pytest.raises(ParameterError, match="name a file"):
            read(nothing)


def test_no_part_is_ever_replaced(folder: Path) -> None:
    for source in (folder, f"{folder}/*.csv"):
        with pytest.raises(OutputError, match="is read here"):
            keep_inputs([folder / "b.csv"], [source])


@pytest.mark.parametrize(("name", "data"), [("a.csv", b"sex,age\nm,30\n"), ("a.dat", b"a b\nb\n")])
def test_a_file_and_its_copy_are_not_counted_twice(tmp_path: Path, name: str, data: bytes) -> None:
    copy = tmp_path / f"copy of {name}"
    for path in (tmp_path / name, copy):
        path.write_bytes(data)
    for files in ([tmp_path / name, tmp_path / name], [tmp_path / name, copy], tmp_path):
        with pytest.raises(DataError, match=r"holds the same bytes as .*, so what is in it would count twice"):
            read(files)
    assert len(read(tmp_path / name)) == data.count(b"\n") - name.endswith("csv")


def test_equal_files_without_rows_are_read(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_bytes(b"sex,age\n")
    (tmp_path / "c.csv").write_bytes(b"sex,age\nm,30\n")
    assert len(read(tmp_path)) == 1

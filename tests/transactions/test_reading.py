"""Every format is read the way the slow twin reads it, and recognised where its name leaves room."""

from __future__ import annotations

import gzip
import io
import json
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.strategies import DRAWS
from tests.transactions.slow_readers import slow_basket, slow_fimi, slow_long, slow_onehot, slow_table

if TYPE_CHECKING:
    from pathlib import Path

SOME = settings(max_examples=25 * DRAWS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
CELL = st.sampled_from(["a", "b", "c d", " e ", "", "f,g", 'h"i', "j\nk", "ü", "?", "NA", "007"])


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(char in cell for char in ',"\n') else cell


def csv_text(lines: list[list[str]]) -> str:
    return "".join(",".join(map(quoted, line)) + "\n" if line != [""] else '""\n' for line in lines)


def put(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def sets(rows: Transactions) -> list[set[str]]:
    return [set(row) for row in rows]


class TestAgainstTheSlowTwins:
    @SOME
    @given(rows=st.lists(st.lists(st.sampled_from(["1", "22", "a", "ü=b", "007"]), max_size=5), min_size=1, max_size=9))
    def test_fimi(self, tmp_path: Path, rows: list[list[str]]) -> None:
        text = "".join(" ".join(row) + "\n" for row in rows)
        assert sets(read(put(tmp_path, "rows.dat", text))) == slow_fimi(text)

    @SOME
    @given(lines=st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=9))
    def test_basket(self, tmp_path: Path, lines: list[list[str]]) -> None:
        text = csv_text(lines)
        assert sets(read(put(tmp_path, "rows.csv", text), format="basket")) == slow_basket(text)

    @SOME
    @given(lines=st.lists(st.tuples(st.sampled_from("xyz"), CELL, CELL).map(list), min_size=1, max_size=12))
    def test_long(self, tmp_path: Path, lines: list[list[str]]) -> None:
        text = csv_text([["who", "other", "what"], *lines])
        expected = slow_long(text, "who", "what")
        rows = read(put(tmp_path, "rows.csv", text), id_column="who", item_column="what")
        assert sets(rows) == list(expected.values())
        assert rows.ids == list(expected)

    @SOME
    @given(
        lines=st.lists(
            st.lists(st.sampled_from(["0", "1", "true", "False", " 1 "]), min_size=3, max_size=3), min_size=1
        )
    )
    def test_onehot(self, tmp_path: Path, lines: list[list[str]]) -> None:
        text = csv_text([["a b", "c,d", "e"], *lines])
        path = put(tmp_path, "rows.csv", text)
        assert sets(read(path)) == sets(read(path, format="onehot")) == slow_onehot(text)

    @SOME
    @given(lines=st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=9))
    def test_table(self, tmp_path: Path, lines: list[list[str]]) -> None:
        text = csv_text([["a", "b", "c"], *lines])
        path = put(tmp_path, "rows.csv", text)
        assert sets(read(path, format="table", header=True)) == slow_table(text)
        assert sets(read(path, format="table", header=True, drop="b")) == slow_table(text, drop=("b",))
        if whole := slow_table(text, drop=("c",), drop_rows=True):
            assert sets(read(path, format="table", header=True, drop=["c"], missing="drop-row")) == whole


class TestContainers:
    """The same rows come out of every container."""

    LISTS = (["a", "b"], ["b"], [], ["c d"])
    ROWS = Transactions.from_rows(LISTS)

    def test_lists(self, tmp_path: Path) -> None:
        array = json.dumps(self.LISTS)
        lines = "".join(json.dumps(row) + "\n" for row in self.LISTS)
        objects = json.dumps([{"who": at, "what": row} for at, row in enumerate(self.LISTS)])
        pq.write_table(pa.table({"who": [1, 2, 3, 4], "what": list(self.LISTS)}), tmp_path / "rows.parquet")
        for path in [
            put(tmp_path, "array.json", array),
            put(tmp_path, "packed.json.gz", array),
            put(tmp_path, "lines.jsonl", lines),
            put(tmp_path, "really-lines.json", lines),
            put(tmp_path, "lines.jsonl.gz", lines),
            put(tmp_path, "objects.json", objects),
            tmp_path / "rows.parquet",
            put(tmp_path, "packed.parquet.gz", (tmp_path / "rows.parquet").read_bytes()),
        ]:
            assert read(path) == self.ROWS, path.name
        assert read(tmp_path / "rows.parquet", id_column="who").ids == ["1", "2", "3", "4"]

    def test_tables(self, tmp_path: Path) -> None:
        table = {"age": [30, None, 40], "sex": ["m", "f", " ? "], "weight": [1.5, 2.0, None]}
        pq.write_table(pa.table(table), tmp_path / "rows.parquet")
        objects = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        lines = "".join(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n" for row in objects)
        paths = [
            tmp_path / "rows.parquet",
            put(tmp_path, "rows.csv", "age,sex,weight\n30,m,1.5\nNA, f,2\n40,?,\n"),
            put(tmp_path, "rows.tsv", "age\tsex\tweight\r\n30\tm\t1.5\r\n\tf\t2\r\n40\t\t\r\n"),
            put(tmp_path, "rows.json", json.dumps(objects).replace("2.0", "2")),
            put(tmp_path, "rows.jsonl", lines.replace("2.0", "2")),
        ]
        expected = [{"age=30", "sex=m", "weight=1.5"}, {"sex=f", "weight=2"}, {"age=40"}]
        for path in paths:
            assert sets(read(path)) == expected, path.name

    def test_onehot_and_long(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"a": [True, False], "b": [1, 1]}), tmp_path / "onehot.parquet")
        pq.write_table(pa.table({"i": [7, 7, 8], "t": ["a", "b", "b"]}), tmp_path / "long.parquet")
        rows = Transactions.from_rows([["a", "b"], ["b"]])
        assert read(tmp_path / "onehot.parquet") == rows
        assert read(tmp_path / "long.parquet", id_column="i", item_column="t") == rows
        assert read(tmp_path / "long.parquet", format="long").ids == ["7", "8"]
        assert read(put(tmp_path, "onehot.json", '[{"a": true, "b": 1}, {"a": 0, "b": true}]')) == rows

    def test_json_keeps_texts_and_long_numbers_as_they_are(self, tmp_path: Path) -> None:
        path = put(tmp_path, "rows.json", '[["007", 12345678901234567890123], ["2020-01-01", "true"]]')
        assert sets(read(path)) == [{"007", "12345678901234567890123"}, {"2020-01-01", "true"}]

    def test_names_that_duckdb_would_take_for_patterns_or_partitions(self, tmp_path: Path) -> None:
        folder = tmp_path / "year=2020"
        folder.mkdir()
        for name, label in (("a*.parquet", "star"), ("ab.parquet", "other"), ("[x]'.parquet", "brackets")):
            pq.write_table(pa.table({"c": [label]}), folder / name)
            assert sets(read(folder / name)) == [{f"c={label}"}]

    @pytest.mark.parametrize("name", ["rows.dat", "rows.dat.gz", "rows.txt.gz"])
    def test_gzip_is_known_by_its_bytes(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / name
        path.write_bytes(gzip.compress(b"a b\n") + gzip.compress(b"\nb") + b"\0" * 100)
        assert sets(read(path)) == [{"a", "b"}, set(), {"b"}]


class TestSpmf:
    def test_items_get_their_names_and_other_header_lines_are_passed_over(self, tmp_path: Path) -> None:
        text = "@CONVERTED_FROM_TEXT\n@ITEM=1=apple pie\n@ITEM=2=a=b\n% a comment\n1 2 3\n# another\n\n3 1\n"
        expected = [{"apple pie", "a=b", "3"}, set(), {"3", "apple pie"}]
        assert sets(read(put(tmp_path, "rows.txt", text))) == expected
        assert sets(read(put(tmp_path, "rows", text))) == expected
        assert sets(read(put(tmp_path, "rows.csv", text), format="spmf")) == expected

    def test_without_a_header_it_is_fimi(self, tmp_path: Path) -> None:
        path = put(tmp_path, "rows.dat", "1 2\n@ 2\n")
        assert sets(read(path)) == [{"1", "2"}, {"@", "2"}]
        assert sets(read(path, format="spmf")) == [{"1", "2"}]


class TestStandardInput:
    def feed(self, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    @pytest.mark.parametrize(
        ("data", "options"),
        [
            (b"1 2\n2\n", {}),
            (b"@ITEM=7=1\n7 2\n2\n", {}),
            (b"1 2\n2\n", {"format": "fimi"}),
            (b"1,2\n2\n", {"format": "basket"}),
            (b"1;2\n2\n", {"format": "basket", "delimiter": ";"}),
            (b"1,2\n1,true\nFALSE,1\n", {"format": "onehot"}),
            (b"i,t\nx,1\nx,2\ny,2\n", {"id_column": "i", "item_column": "t", "format": "long"}),
            (b'[["1","2"],[2]]', {}),
            (b'["1","2"]\n[2]', {"format": "lists"}),
            (b'{"i": "x", "t": [1, 2]}\n{"t": ["2"]}\n', {}),
        ],
    )
    @pytest.mark.parametrize("packed", [False, True])
    def test_every_format(self, monkeypatch: pytest.MonkeyPatch, data: bytes, options: dict, *, packed: bool) -> None:
        self.feed(monkeypatch, gzip.compress(data) if packed else data)
        assert sets(read("-", **options)) == [{"1", "2"}, {"2"}]

    def test_parquet(self, monkeypatch: pytest.MonkeyPatch) -> None:
        file = io.BytesIO()
        pq.write_table(pa.table({"t": [["1", "2"], ["2"]]}), file)
        self.feed(monkeypatch, file.getvalue())
        assert sets(read("-")) == [{"1", "2"}, {"2"}]

    def test_words_could_be_anything(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.feed(monkeypatch, b"whole milk,bread\n")
        with pytest.raises(ParameterError, match="format"):
            read("-")


class TestRecognition:
    @pytest.mark.parametrize(
        ("text", "shape"),
        [
            ("a,b,c\nb\n", "basket"),
            ("a,b\n0,1\n1,1\n", "onehot"),
            ("a,b\ntrue,FALSE\n", "onehot"),
            ("a,b\n0,2\n", "table"),
            ("a,b\n0,\n", "table"),
            ("a,b\nc,d\n", "table"),
        ],
    )
    def test_a_csv_shows_its_shape(self, tmp_path: Path, text: str, shape: str) -> None:
        assert read(put(tmp_path, "rows.csv", text)).layout.shape == shape

    def test_options_of_tables_make_it_a_table(self, tmp_path: Path) -> None:
        path = put(tmp_path, "rows.csv", "a,b\n0,1\n1,1\n")
        assert sets(read(path, missing="skip")) == [{"a=0", "b=1"}, {"a=1", "b=1"}]
        assert sets(read(path, bins="a=0")) == [{"a=<=0", "b=1"}, {"a=>0", "b=1"}]
        assert sets(read(path, header=False)) == [{"c1=a", "c2=b"}, {"c1=0", "c2=1"}, {"c1=1", "c2=1"}]

    def test_ids_do_not_hide_a_onehot_table(self, tmp_path: Path) -> None:
        rows = read(put(tmp_path, "rows.csv", "who,a,b\nx,0,1\ny,1,1\n"), id_column="who")
        assert (rows.layout.shape, rows.ids, sets(rows)) == ("onehot", ["x", "y"], [{"b"}, {"a", "b"}])

    def test_a_column_without_a_name_goes_by_its_number(self, tmp_path: Path) -> None:
        rows = read(put(tmp_path, "rows.csv", ",a,b\n0,x,y\n1,x,z\n"), drop="c1")
        assert sets(rows) == [{"a=x", "b=y"}, {"a=x", "b=z"}]

    def test_labels_that_no_row_has_stay_known_in_a_onehot_table(self, tmp_path: Path) -> None:
        assert read(put(tmp_path, "rows.csv", "a,b\n0,1\n")).vocabulary.labels == ("a", "b")


class TestPublicData:
    ADULT = (
        "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
        "capital-gain,capital-loss,hours-per-week,native-country,income"
    )

    def test_adult_as_a_table(self, data_folder: Path) -> None:
        rows = read(
            data_folder / "adult.data.csv.gz",
            format="table",
            header=False,
            columns=self.ADULT.split(","),
            drop=["fnlwgt", "education-num"],
            bins={"hours-per-week": [20, 40]},
            map=["capital-gain:0=0,*=+", "capital-loss:0=0,*=+"],
            missing="drop-row",
        )
        assert rows.n == 30162
        assert rows.item_supports().min() > 0
        supports = dict(zip(rows.vocabulary, rows.item_supports().tolist(), strict=True))
        hours = [supports[f"hours-per-week={interval}"] for interval in ("<=20", "(20,40]", ">40")]
        assert sum(hours) == sum(supports[f"capital-gain={value}"] for value in "0+") == 30162

    def test_groceries_by_name_are_groceries_by_number(self, data_folder: Path) -> None:
        named = read(data_folder / "groceries.csv.gz")
        numbered = read(data_folder / "groceries.dat.gz")
        items = read(data_folder / "groceries.items.csv", id_column="id", drop=["code", "label_de"])
        names = dict(zip(items.ids, (next(iter(row)).removeprefix("label=") for row in items), strict=True))
        assert [set(row) for row in named] == [{names[number] for number in row} for row in numbered]

    @pytest.mark.parametrize(
        ("name", "rows", "items"),
        [
            ("mushroom.dat.gz", 8124, 119),
            ("retail.dat.gz", 88162, 16470),
            ("BMS-WebView-2_spmf.dat.gz", 77512, 3340),
            ("kosarak_first36682.dat.gz", 36682, 17034),
            ("msweb.dat.gz", 32711, 285),
        ],
    )
    def test_sizes_of_fimi_files(self, data_folder: Path, name: str, rows: int, items: int) -> None:
        found = read(data_folder / name)
        assert (len(found), len(found.vocabulary)) == (rows, items)


def test_words_parted_by_blanks_alone_on_standard_input_are_fimi(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a b\nb\n")))
    assert list(read("-")) == [{"a", "b"}, {"b"}]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"whole milk,tea\ntea\n")))
    with pytest.raises(ParameterError, match="format"):
        read("-")

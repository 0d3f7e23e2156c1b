"""What is written can be read back, in every format, whatever the labels; or it is refused and nothing is written."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import InputError, OutputError, ParameterError
from discreet.itemsets import Itemsets
from discreet.transactions.layout import Layout
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.transactions.writing import layout_for, write
from tests.strategies import DRAWS
from tests.transactions.slow_readers import BLANKS

if TYPE_CHECKING:
    from pathlib import Path

SOME = settings(max_examples=8 * DRAWS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

PLAIN = ["a", "b", "milk", "ü", "12", "007", "日本"]
HOSTILE = [
    *["c d", "e,f", 'g"h', '"', '""', "i\nj", "k\r\nl", "m;n", "o\tp", "=", "q=r", "#s", "@t", "%u", "@ITEM=1=x", "'"],
    *["\ufeffv", "\\", "{}", "null", "true", "0", "1", "NA", "?", "-1", "\u2028", "\x85", "w\x0bx", "\U0001f600"],
]
UNFIT = ["", " y", "z ", "\t", "\n", "A\0B", "\ud800", "\x7f"]

TEXTS = {"csv": ".csv", "parquet": ".parquet", "json": ".json", "jsonl": ".jsonl", "text": ".dat"}
LAYOUTS = {
    "fimi": Layout(shape="fimi", container="text"),
    "spmf": Layout(shape="spmf", container="text"),
    "basket": Layout(shape="basket", container="csv", header=False),
    "basket;": Layout(shape="basket", container="csv", header=False, delimiter=";"),
    "basket tab": Layout(shape="basket", container="csv", header=False, delimiter="\t"),
    **{
        f"{shape} {container}": Layout(shape=shape, container=container, id_column="who", item_column=item)
        for shape, item in (("long", "what"), ("onehot", None), ("lists", "what"))
        for container in ("csv", "parquet", "json", "jsonl")
        if (shape, container) != ("lists", "csv")
    },
    "bare json": Layout(shape="lists", container="json"),
    "bare jsonl": Layout(shape="lists", container="jsonl"),
}


def rows_of(labels: list[str]) -> st.SearchStrategy[Transactions]:
    row = st.lists(st.sampled_from(labels), max_size=5)
    return st.lists(row, min_size=1, max_size=8).map(
        lambda rows: Transactions.from_rows(rows, ids=[f"id {number}" for number in range(len(rows))])
    )


def held(rows: Transactions) -> list[frozenset[str]]:
    return list(rows)


def read_back(path: Path, layout: Layout) -> Transactions:
    in_csv = layout.container == "csv"
    return read(
        path,
        format=layout.shape,
        id_column=layout.id_column,
        item_column=layout.item_column,
        delimiter=layout.delimiter if in_csv else None,
        header=layout.header or not in_csv,
    )


def unprintable(label: str) -> bool:
    return any(ord(char) < 32 or char in "\x7f\ufeff" for char in label)


def fits(label: str, layout: Layout) -> bool:
    """Say what the formats page promises about a label."""
    if "\0" in label or label == "\ud800":
        return False
    if layout.shape == "lists":
        return True
    if not label or label != label.strip(BLANKS):
        return False
    if layout.shape == "fimi":
        return not (unprintable(label) or " " in label or label.startswith(("@ITEM=", "@CONVERTED")))
    if layout.shape == "spmf":
        return not unprintable(label)
    return True


@pytest.mark.parametrize("name", LAYOUTS)
@SOME
@given(data=st.data())
def test_rows_come_back(tmp_path: Path, name: str, data: st.DataObject) -> None:
    layout = LAYOUTS[name]
    labels = data.draw(st.sampled_from([PLAIN, PLAIN + HOSTILE, PLAIN + HOSTILE + UNFIT]))
    rows = data.draw(rows_of(labels))
    suffix = ".tsv" if layout.delimiter == "\t" else TEXTS[layout.container]
    path = tmp_path / f"rows{suffix}{data.draw(st.sampled_from(['', '.gz']))}"
    path.unlink(missing_ok=True)
    if (layout.shape == "onehot" and not len(rows.vocabulary)) or not all(
        fits(label, layout) for label in rows.vocabulary
    ):
        with pytest.raises(OutputError):
            write(rows, path, layout=layout)
        assert not path.exists()
        return
    write(rows, path, layout=layout, checked=True)
    found = read_back(path, layout)
    assert held(found) == held(rows)
    if layout.id_column is not None:
        assert found.ids == rows.ids
    assert found.layout.shape == layout.shape
    again = path.with_name("again" + path.name)
    write(found, again, force=True)
    if layout.shape != "spmf":  # an all-number vocabulary needs no names, and numbers stay
        assert again.read_bytes() == path.read_bytes()


VALUES = ["a", "b c", "d=e", 'f"g', "h,i", "j\nk", "1", "0", "<=20", "(20,40]"]


@pytest.mark.parametrize("container", ["csv", "parquet", "json", "jsonl"])
@SOME
@given(data=st.data())
def test_tables_come_back(tmp_path: Path, container: str, data: st.DataObject) -> None:
    columns = data.draw(st.sampled_from([("age",), ("age", "a b"), ("x,y", 'q"r', "last")]))
    value = st.sampled_from([*VALUES, None])
    lines = data.draw(st.lists(st.tuples(*[value] * len(columns)), min_size=1, max_size=6))
    rows = Transactions.from_rows(
        [[f"{c}={v}" for c, v in zip(columns, line, strict=True) if v is not None] for line in lines],
        ids=[str(number) for number in range(len(lines))],
    )
    id_column = data.draw(st.sampled_from([None, "who"]))
    layout = Layout(
        shape="table",
        container=container,
        columns=(columns[0], "who", *columns[1:]) if id_column else columns,
        id_column=id_column,
        delimiter=data.draw(st.sampled_from(",;")),
    )
    path = tmp_path / f"rows{TEXTS[container]}"
    write(rows, path, layout=layout, force=True, checked=True)
    found = read_back(path, layout)
    assert held(found) == held(rows)
    assert found.layout.columns == layout.columns
    assert id_column is None or found.ids == rows.ids


def test_a_file_that_does_not_hold_the_rows_does_not_take_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rows = Transactions.from_rows([["a", "b"], []])
    for wrong in (b"a b\n", b"a b\nc\n", b"a b\na\n", b"\n\n", b"\0"):
        monkeypatch.setattr("discreet.transactions.writing.fimi_bytes", lambda _, wrong=wrong: [wrong])
        with pytest.raises(OutputError, match=r"rows\.dat would not hold the rows that were checked"):
            write(rows, tmp_path / "rows.dat", checked=True)
    assert list(tmp_path.iterdir()) == []


class TestLayouts:
    ROWS = Transactions.from_rows([["a", "b"], []])

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("rows.dat", b"a b\n\n"),
            ("rows.txt", b"a b\n\n"),
            ("rows.csv", b'a,b\n""\n'),
            ("rows.tsv", b'a\tb\n""\n'),
            ("rows.json", b'[\n["a", "b"],\n[]\n]\n'),
            ("rows.jsonl", b'["a", "b"]\n[]\n'),
        ],
    )
    def test_rows_from_nowhere_go_by_the_name(self, tmp_path: Path, name: str, text: bytes) -> None:
        write(self.ROWS, tmp_path / name)
        assert (tmp_path / name).read_bytes() == text
        write(self.ROWS, tmp_path / f"{name}.gz")
        assert gzip.decompress((tmp_path / f"{name}.gz").read_bytes()) == text

    def test_same_rows_same_bytes(self, tmp_path: Path) -> None:
        for number in (1, 2):
            (tmp_path / str(number)).mkdir()
            write(self.ROWS, tmp_path / str(number) / f"rows{number}.dat.gz")
        one, two = ((tmp_path / str(n) / f"rows{n}.dat.gz").read_bytes() for n in (1, 2))
        assert one == two
        assert one[4:8] == bytes(4)

    def test_unknown_names(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match=r"says nothing about the format"):
            write(self.ROWS, tmp_path / "rows.xyz")
        came = tmp_path / "rows.csv"
        came.write_text("a;b\nx;y\n")
        write(read(came, delimiter=";"), tmp_path / "rows.xyz")
        assert (tmp_path / "rows.xyz").read_text() == "a;b\nx;y\n"

    def test_a_table_stays_a_table_in_another_container(self, tmp_path: Path) -> None:
        came = tmp_path / "rows.csv"
        came.write_text("who;a;b\n1;x;y\n2;;z\n")
        rows = read(came, delimiter=";", id_column="who")
        for name in ("rows.parquet", "rows.json", "rows.jsonl", "rows.tsv", "rows2.csv"):
            write(rows, tmp_path / name)
        assert (tmp_path / "rows2.csv").read_text() == came.read_text()
        assert (tmp_path / "rows.tsv").read_text() == came.read_text().replace(";", "\t")
        assert json.loads((tmp_path / "rows.json").read_text())[1] == {"who": "2", "a": None, "b": "z"}
        for name in ("rows.parquet", "rows.json", "rows.jsonl", "rows.tsv"):
            assert held(read(tmp_path / name, id_column="who")) == held(rows)
        with pytest.raises(OutputError):
            write(Transactions.from_rows([["x y"]]), tmp_path / "rows.dat")

    def test_removed_items_leave_empty_cells(self, tmp_path: Path) -> None:
        came = tmp_path / "rows.csv"
        came.write_text("a,b\nx,y\nx,z\n")
        rows = read(came)
        changed = Transactions.from_rows([["a=x"], []])
        changed = Transactions(changed.itemsets, changed.vocabulary, layout=rows.layout)
        write(changed, came, force=True)
        assert came.read_text() == "a,b\nx,\n,\n"
        assert held(read(came)) == [{"a=x"}, set()]

    def test_a_header_that_was_not_there_stays_away(self, tmp_path: Path) -> None:
        came = tmp_path / "rows.csv"
        came.write_text("x, y\nz,?\n")
        write(read(came, header=False, columns="a,b"), tmp_path / "new.csv")
        assert (tmp_path / "new.csv").read_text() == "x,y\nz,\n"

    def test_dropped_columns_stay_away(self, tmp_path: Path) -> None:
        came = tmp_path / "rows.csv"
        came.write_text("a,b,c\n1,2,3\n")
        write(read(came, drop="b", format="table"), tmp_path / "new.csv")
        assert (tmp_path / "new.csv").read_text() == "a,c\n1,3\n"

    def test_a_onehot_file_keeps_its_columns_and_gets_new_ones(self, tmp_path: Path) -> None:
        came = tmp_path / "rows.csv"
        came.write_text("b,a\n1,0\n0,0\n")
        layout = read(came).layout
        changed = Transactions.from_rows([["b", "new"], []])
        write(Transactions(changed.itemsets, changed.vocabulary, layout=layout), tmp_path / "new.csv")
        assert (tmp_path / "new.csv").read_text() == "b,a,new\n1,0,1\n0,0,0\n"

    def test_folded_rows_are_written_as_often_as_they_occur(self, tmp_path: Path) -> None:
        write(Transactions.from_rows([["a"], ["b"], ["a"]]).fold(), tmp_path / "rows.dat")
        assert (tmp_path / "rows.dat").read_text() == "a\na\nb\n"

    def test_rows_without_ids_are_numbered_in_a_long_table(self, tmp_path: Path) -> None:
        write(self.ROWS, tmp_path / "rows.csv", layout=Layout(shape="long", container="csv"))
        assert (tmp_path / "rows.csv").read_text() == "id,item\n1,a\n1,b\n2,\n"

    @pytest.mark.parametrize("label", ["b c", "\ud800", "", "\0"])
    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    def test_labels_that_no_row_has_need_not_fit(self, tmp_path: Path, label: str, layout: Layout) -> None:
        offsets, codes = np.array([0, 1, 1], np.int64), np.array([0], np.int32)
        rows = Transactions.from_codes(Itemsets(offsets, codes), ["a", label], ids=["x", "y"])
        write(rows, tmp_path / "rows", layout=layout)
        assert held(read_back(tmp_path / "rows", layout)) == [{"a"}, set()]

    def test_spmf_numbers_names(self, tmp_path: Path) -> None:
        write(Transactions.from_rows([["b c", "a"]]), tmp_path / "rows.txt", layout=LAYOUTS["spmf"])
        assert (tmp_path / "rows.txt").read_text() == "@CONVERTED_FROM_TEXT\n@ITEM=1=a\n@ITEM=2=b c\n1 2\n"
        write(Transactions.from_rows([["7", "5"]]), tmp_path / "numbers.txt", layout=LAYOUTS["spmf"])
        assert (tmp_path / "numbers.txt").read_text() == "5 7\n"

    def test_layout_for_text_keeps_spmf(self, tmp_path: Path) -> None:
        came = tmp_path / "rows.txt"
        came.write_text("@ITEM=1=a b\n1\n")
        assert layout_for(read(came), tmp_path / "new.dat.gz").shape == "spmf"

    @pytest.mark.parametrize(("shape", "container"), [("fimi", "csv"), ("basket", "json"), ("lists", "csv")])
    def test_a_shape_needs_its_container(self, shape: str, container: str) -> None:
        with pytest.raises(ParameterError, match="cannot be stored in"):
            Layout(shape=shape, container=container)


REFUSED = {
    "two values of a column": ([["a=1", "a=2"]], Layout(shape="table", container="csv", columns=("a",)), "row 1 "),
    "no such column": ([["b=1"]], Layout(shape="table", container="csv", columns=("a",)), "column=value"),
    "no column": ([["a"]], Layout(shape="table", container="csv", columns=("a",)), "column=value"),
    "a value that means missing": ([["a=NA"]], Layout(shape="table", container="csv"), "column=value"),
    "a value with blanks": ([["a= 1"]], Layout(shape="table", container="parquet"), "blanks"),
    "a column with blanks": ([["a =1"]], Layout(shape="table", container="csv"), "blanks"),
    "nothing but empty rows in a table": ([[]], Layout(shape="table", container="csv"), "without any item"),
    "a column like the ids": ([["id"]], Layout(shape="onehot", container="csv", id_column="id"), "rename"),
    "no rows": ([], Layout(shape="fimi", container="text"), "no rows"),
    "a row that is too long": ([["x" * 2_000_000]], Layout(shape="fimi", container="text"), "bytes"),
    "a line that is too long": ([["x" * 9_000_000]], Layout(shape="basket", container="csv"), "bytes"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_and_nothing_written(tmp_path: Path, case: str) -> None:
    rows, layout, sentence = REFUSED[case]
    with pytest.raises(OutputError, match=sentence):
        write(Transactions.from_rows(rows, ids=["x"] * len(rows)), tmp_path / "rows", layout=layout)
    assert list(tmp_path.iterdir()) == []


def test_ids_that_a_long_table_would_mix_up(tmp_path: Path) -> None:
    rows = Transactions.from_rows([["a"], ["b"]], ids=["x", "x"])
    with pytest.raises(OutputError, match="same id"):
        write(rows, tmp_path / "rows.csv", layout=Layout(shape="long", container="csv"))


def test_an_existing_file_stays_without_force(tmp_path: Path) -> None:
    path = tmp_path / "rows.dat"
    path.write_text("keep me")
    with pytest.raises(OutputError, match="force=True"):
        write(Transactions.from_rows([["a"]]), path)
    with suppress(InputError):
        write(Transactions.from_rows([["a b"]]), path, force=True)
    assert path.read_text() == "keep me"
    write(Transactions.from_rows([["a"]]), path, force=True)
    assert path.read_text() == "a\n"

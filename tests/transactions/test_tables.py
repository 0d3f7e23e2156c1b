"""What becomes of a table's cells: bins, maps, missing cells, in both ways of saying it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import DataError, ParameterError
from discreet.transactions.reading import read
from discreet.transactions.shapes.cell_rules import parse_bins, parse_map, parse_names
from tests.transactions.slow_readers import slow_table

if TYPE_CHECKING:
    from pathlib import Path

NUMBER = st.one_of(
    st.integers(-50, 50).map(str),
    st.decimals(-3, 3, places=2, allow_nan=False).map(str),
    st.sampled_from(["1e1", "+2", ".5", "5.", "20.000000000000000000001", "19.99999999999999999999", "NA", "", "?"]),
)


def sets(rows) -> list[set[str]]:
    return [set(row) for row in rows]


@pytest.fixture
def table(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "rows.csv"
        path.write_text(text)
        return path

    return write


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.tuples(NUMBER, st.sampled_from(["0", "7", "x", "?", ""])), min_size=1, max_size=12),
    edges=st.lists(st.sampled_from(["-7", "0", "0.5", "1.25", "10", "20"]), min_size=1, unique=True),
    rules=st.dictionaries(st.sampled_from(["0", "7", "?", "*"]), st.sampled_from(["+", "0", "NA", ""]), min_size=1),
    drop_rows=st.booleans(),
)
def test_bins_and_maps_against_the_slow_twin(table, lines, edges, rules, drop_rows: bool) -> None:
    text = "hours,gain\n" + "".join(f"{hours}, {gain}\n" for hours, gain in lines)
    edges.sort(key=float)
    expected = slow_table(text, bins={"hours": edges}, rules={"gain": rules}, drop_rows=drop_rows)
    given_as_text = {
        "bins": f"hours={','.join(edges)}",
        "map": [f"gain:{old}={new}" for old, new in rules.items()],
        "missing": "drop-row" if drop_rows else "skip",
    }
    if not expected:
        with pytest.raises(DataError, match="holds no rows without missing cells"):
            read(table(text), **given_as_text)
        return
    assert sets(read(table(text), **given_as_text)) == expected
    given_as_dictionaries = {**given_as_text, "bins": {"hours": edges}, "map": {"gain": rules}}
    assert sets(read(table(text), **given_as_dictionaries)) == expected


def test_the_edges_belong_to_the_interval_below() -> None:
    bins = parse_bins("hours-per-week=20,40")["hours-per-week"]
    assert [bins.name(text) for text in ("20", "20.0000000000000000001", "40", "4e1", "41")] == [
        "<=20",
        "(20,40]",
        "(20,40]",
        "(20,40]",
        ">40",
    ]


def test_a_float_edge_is_the_decimal_it_prints_as() -> None:
    bins = parse_bins({"x": [0.1, 0.3]})["x"]
    assert [bins.name(text) for text in ("0.1", "0.10000000000000001", "0.3")] == ["<=0.1", "(0.1,0.3]", "(0.1,0.3]"]


def test_a_cell_that_is_no_number_is_reported_with_its_line_and_column(table) -> None:
    with pytest.raises(
        DataError, match=r"^line 4 of .*rows\.csv has no number in column 'a', which has bins"
    ) as caught:
        read(table("a,b\n1,x\n\nsecret,x\n"), bins="a=1")
    assert caught.value.line == 4
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("cell", ["nan", "inf", "1_0", "0x10", "1e99999", "\uff11"])
def test_what_python_takes_for_a_number_need_not_be_one(table, cell: str) -> None:
    with pytest.raises(DataError, match="no number"):
        read(table(f"a\n{cell}\n"), bins="a=1")


def test_a_value_that_the_map_names_is_not_missing(table) -> None:
    rows = read(table("a,b\n?,1\n,1\nx,1\n"), map="a:?=unknown,*=known")
    assert sets(rows) == [{"a=unknown", "b=1"}, {"b=1"}, {"a=known", "b=1"}]


def test_drop_row_looks_at_kept_columns_alone(table) -> None:
    path = table("who,a,b\nx,1,?\n?,2,2\ny,?,3\n")
    assert sets(read(path, drop="b,who", missing="drop-row")) == [{"a=1"}, {"a=2"}]
    rows = read(table("who,a,b\nx,1,?\ny,2,2\n"), id_column="who", missing="drop-row")
    assert (rows.ids, sets(rows)) == (["y"], [{"a=2", "b=2"}])


def test_missing_cells_are_skipped_by_default(table) -> None:
    assert sets(read(table("a,b\n?,NA\n1, \n"))) == [set(), {"a=1"}]


def test_columns_whose_labels_would_be_the_same_are_refused(table) -> None:
    with pytest.raises(DataError, match="told apart"):
        read(table("a,a=b\nb=c,d\ne,c\n"))


def test_options_in_the_words_of_the_command_line(tmp_path: Path) -> None:
    assert parse_names('a, "b,c",d', "drop") == ("a", "b,c", "d")
    listed = tmp_path / "names.txt"
    listed.write_text("a,b\n\nc\n")
    assert parse_names(f"@{listed}", "drop") == parse_names(listed, "drop") == ("a,b", "c")
    assert parse_map(["a:x=1", "a:y=2", 'b:"k,l=m"'])["a"].values == {"x": "1", "y": "2"}
    assert parse_map('b:"k,l=m"')["b"].values == {"k,l": "m"}
    assert parse_map("time:10:30=morning")["time"].values == {"10:30": "morning"}
    assert parse_bins(["a=b=1,2", "c=3"]).keys() == {"a=b", "c"}


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"bins": "a"}, "bins"),
        ({"bins": "=1"}, "bins"),
        ({"bins": "a=x"}, "bins"),
        ({"bins": "a=2,1"}, "bins"),
        ({"bins": "a=1,1.0"}, "bins"),
        ({"bins": {"a": []}}, "bins"),
        ({"bins": ["a=1", "a=2"]}, "bins"),
        ({"map": "a"}, "map"),
        ({"map": "a:x"}, "map"),
        ({"map": ":x=y"}, "map"),
        ({"map": {"a": {}}}, "map"),
        ({"map": "a:x=1,x=2"}, "map"),
        ({"map": 'a:"x=1'}, "map"),
        ({"map": "a:x=1", "bins": "a=1"}, "map"),
        ({"map": "b:x=1", "drop": "b"}, "map"),
        ({"bins": "b=1", "id_column": "b"}, "bins"),
        ({"drop": "a,a"}, "drop"),
        ({"drop": "a,,b"}, "drop"),
        ({"drop": "@no-such-file"}, "drop"),
        ({"drop": "a,b"}, "drop"),
        ({"columns": "x,y"}, "columns"),
        ({"missing": "later"}, "missing"),
        ({"format": "xml"}, "format"),
        ({"format": "long", "id_column": "a"}, "item_column"),
        ({"format": "long", "item_column": "a"}, "id_column"),
        ({"format": "long", "id_column": "a", "item_column": "a"}, "item_column"),
        ({"format": "onehot", "header": False}, "columns"),
        ({"delimiter": "ab"}, "delimiter"),
        ({"delimiter": '"'}, "delimiter"),
        ({"delimiter": "é"}, "delimiter"),
        ({"format": "basket", "drop": "a"}, "drop"),
        ({"format": "basket", "missing": "skip"}, "missing"),
        ({"format": "onehot", "bins": "a=1"}, "bins"),
        ({"format": "long", "map": "a:x=y"}, "map"),
        ({"format": "table", "item_column": "a"}, "item_column"),
        ({"format": "fimi", "delimiter": ","}, "delimiter"),
        ({"format": "fimi", "header": False}, "header"),
        ({"format": "lists"}, "format"),
    ],
)
def test_options_that_make_no_sense_are_refused(table, options: dict, parameter: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read(table("a,b\n0,1\n1,1\n"), **options)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    "options",
    [{"drop": "zz"}, {"bins": "zz=1"}, {"map": "zz:a=b"}, {"id_column": "zz"}, {"id_column": "zz", "item_column": "a"}],
)
def test_a_column_that_is_not_there_is_named_and_others_are_not(table, options: dict) -> None:
    with pytest.raises(DataError, match=r"rows\.csv has no column 'zz', which [a-z_]+ names") as caught:
        read(table("alice,bob\n0,1\n1,1\n"), **options)
    assert "alice" not in str(caught.value)


@pytest.mark.parametrize("rules", ["a:", {"a": {}}])
def test_a_map_that_says_nothing_is_refused(table, rules) -> None:
    with pytest.raises(ParameterError, match="says nothing; give at least one old=new"):
        read(table("a,b\n1,2\n"), format="table", map=rules)


def test_columns_of_the_same_name_are_told_by_their_places(table) -> None:
    with pytest.raises(DataError, match=r"columns 2 and 4 of .* have the same name; rename one"):
        read(table("a,b,c,b\n1,2,3,4\n"))


def test_many_different_cells_of_columns_in_any_order(table) -> None:
    lines = [f" {row} ,v{row % 700},{'?' if row % 5 else row}" for row in range(3000)]
    text = "\n".join(["b,a-z,a", *lines]) + "\n"  # as labels, a=0 comes after a-z=v0
    assert sets(read(table(text))) == slow_table(text)


def test_of_two_cells_that_are_no_numbers_the_first_in_the_file_is_named(table) -> None:
    with pytest.raises(DataError, match=r"line 3 .* in column 'b'"):
        read(table("b,a\n1,2\nx,y\n"), bins={"a": [1], "b": [1]})

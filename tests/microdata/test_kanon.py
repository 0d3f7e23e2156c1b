"""`kanon` from Python: what goes in, what comes out, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.errors import DataError, ParameterError
from discreet.microdata.kanon import kanon
from discreet.patterns.mining import mine
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.transactions.writing import write

if TYPE_CHECKING:
    from pathlib import Path

TABLE = """name,age,area,illness
Ann,34,N1,flu
Ben,37,N1,flu
Cid,34,N2,cold
Dot,37,N2,flu
Eve,61,N2,cold
"""
HIERARCHIES = {
    "age": [["34", "30-39", "*"], ["37", "30-39", "*"], ["61", "60-69", "*"]],
    "area": [["N1", "N", "*"], ["N2", "N", "*"]],
}
SETTINGS = {"quasi_identifiers": ["age", "area"], "hierarchies": HIERARCHIES}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(TABLE)
    return tmp_path / "people.csv"


def test_datafly_generalizes_and_leaves_the_outlier_out(path: Path):
    result = kanon(read(path, drop="name"), k=2, suppress=1, **SETTINGS)
    assert result.to_dict() == {
        "verdict": "k-anonymous",
        "method": "datafly",
        "k": 2,
        "generalization": {"age": 1, "area": 0},
        "suppressed_rows": 1,
        "alternatives": [],
    }
    assert list(result.rows) == [
        {"age=30-39", "area=N1", "illness=flu"},
        {"age=30-39", "area=N1", "illness=flu"},
        {"age=30-39", "area=N2", "illness=cold"},
        {"age=30-39", "area=N2", "illness=flu"},
    ]
    assert result.heights == {"age": 2, "area": 2}


def test_the_limit_of_datafly_is_k_rows_and_that_of_incognito_none(path: Path):
    rows = read(path, drop="name")
    assert kanon(rows, k=2, **SETTINGS).suppressed_rows == 1
    assert kanon(rows, k=2, suppress=0, **SETTINGS).generalization == {"age": 2, "area": 0}
    strict = kanon(rows, k=2, method="incognito", **SETTINGS)
    assert strict.suppressed_rows == 0
    assert strict.alternatives == ({"age": 2, "area": 0},)
    assert kanon(rows, k=2, method="incognito", suppress=1, **SETTINGS).alternatives == (
        {"age": 0, "area": 1},
        {"age": 1, "area": 0},
    )


def test_taking_another_of_the_minimal_generalizations(path: Path):
    rows = read(path, drop="name")
    second = kanon(rows, k=2, method="incognito", suppress=1, take=2, **SETTINGS)
    assert second.generalization == {"age": 1, "area": 0} == second.alternatives[1]
    assert second.rows == kanon(rows, k=2, suppress=1, **SETTINGS).rows


def test_equal_numbers_of_values_are_decided_by_the_order_of_the_columns():
    rows = Transactions.from_rows([["a=1", "b=1"], ["a=1", "b=2"], ["a=2", "b=1"], ["a=2", "b=2"]])
    for names in (["a", "b"], ["b", "a"]):
        result = kanon(rows, k=2, quasi_identifiers=names, suppress=0)
        assert result.generalization == {names[0]: 1, names[1]: 0}
    found = kanon(rows, k=2, quasi_identifiers=["b", "a"], method="incognito")
    assert found.alternatives == ({"b": 0, "a": 1}, {"b": 1, "a": 0})


@pytest.mark.parametrize(
    "wrap",
    [
        lambda frame: frame,
        pl.from_pandas,
        pa.Table.from_pandas,
        lambda frame: Transactions.from_pandas(frame, format="table"),
    ],
    ids=["pandas", "polars", "arrow", "transactions"],
)
def test_any_frame_will_do(wrap):
    frame = pd.DataFrame({"age": [34, 37, 34, 37], "flag": [0, 1, 1, 0]})
    result = kanon(wrap(frame), k=4, quasi_identifiers="age", keep_order=True)
    assert result.to_arrow().to_pydict() == {"age": ["*"] * 4, "flag": ["0", "1", "1", "0"]}
    assert result.to_pandas()["age"].tolist() == ["*"] * 4
    assert result.to_polars()["flag"].to_list() == ["0", "1", "1", "0"]


def test_a_path_will_do_and_the_result_can_be_mined_and_written(path: Path, tmp_path: Path):
    result = kanon(path, k=4, keep_order=True, **SETTINGS)
    assert dict(mine(result.rows, min_support=4, target="maximal")) == {frozenset({"age=*", "area=N"}): 5}
    write(result.rows, tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[:2] == ["name,age,area,illness", "Ann,*,N,flu"]
    assert read(tmp_path / "out.csv") == result.rows


def test_ids_and_what_only_suppressed_rows_have_are_gone(path: Path, tmp_path: Path):
    result = kanon(read(path, id_column="name"), k=2, suppress=1, **SETTINGS)
    assert result.rows.ids is None
    assert result.to_arrow().column_names == ["age", "area", "illness"]
    write(result.rows, tmp_path / "out.csv")
    assert "Ann" not in (tmp_path / "out.csv").read_text()
    assert not any("60-69" in label for label in result.rows.vocabulary)


class TestMissingCells:
    """A missing cell is a value like any other: it has a line in the hierarchy, and becomes what the line says."""

    rows = Transactions.from_rows([["a=1", "x=1"], ["a=1"], ["a=2"], ["x=2"], []])

    def test_they_are_a_group_of_their_own(self):
        lines = {"a": [["1", "?"], ["2", "?"], ["?", "?"]]}
        result = kanon(self.rows, k=2, quasi_identifiers="a", hierarchies=lines, suppress=1, keep_order=True)
        assert result.generalization == {"a": 0}
        assert list(result.rows) == [{"a=1", "x=1"}, {"a=1"}, {"x=2"}, set()]

    def test_they_become_what_their_line_says(self):
        lines = {"a": [["1", "known", "*"], ["2", "known", "*"], ["NA", "unknown", "*"]]}
        result = kanon(self.rows, k=2, quasi_identifiers="a", hierarchies=lines, suppress=0, keep_order=True)
        assert list(result.rows) == [{"a=known", "x=1"}, {"a=known"}, {"a=known"}, {"a=unknown", "x=2"}, {"a=unknown"}]
        result = kanon(self.rows, k=5, quasi_identifiers="a", hierarchies=lines, suppress=0, keep_order=True)
        assert list(result.rows) == [{"a=*", "x=1"}, {"a=*"}, {"a=*"}, {"a=*", "x=2"}, {"a=*"}]

    def test_a_value_can_become_a_missing_cell(self):
        lines = {"a": [["1", "one", "?"], ["2", "?", "?"], ["?", "?", "?"]]}
        result = kanon(self.rows, k=2, quasi_identifiers="a", hierarchies=lines, suppress=0, keep_order=True)
        assert list(result.rows) == [{"a=one", "x=1"}, {"a=one"}, set(), {"x=2"}, set()]
        assert result.to_arrow()["a"].to_pylist() == ["one", "one", None, None, None]

    def test_without_hierarchies_they_become_anything(self):
        result = kanon(self.rows, k=3, quasi_identifiers="a", suppress=0)
        assert [row & {"a=*"} for row in result.rows] == [{"a=*"}] * 5


class TestRefused:
    """One sentence each, with the option that has to change."""

    rows = Transactions.from_rows([["a=1", "b=1"], ["a=2", "b=1"], ["a=3", "b=2"]])

    @pytest.mark.parametrize(
        ("options", "parameter", "words"),
        [
            ({"k": 1}, "k", "at least 2"),
            ({"k": 2.0}, "k", "at least 2"),
            ({"k": 4}, "k", "k is 4, but there are 3 rows"),
            ({"quasi_identifiers": ["c"]}, "quasi_identifiers", "'c', which is not a column"),
            ({"quasi_identifiers": []}, "quasi_identifiers", "must name columns"),
            ({"quasi_identifiers": ["a", "a"]}, "quasi_identifiers", "twice"),
            ({"method": "mondrian"}, "method", "datafly or incognito, got 'mondrian'"),
            ({"suppress": -1}, "suppress", "0 or more, got -1"),
            ({"suppress": 0.5}, "suppress", "0 or more, got 0.5"),
            ({"take": 0}, "take", "at least 1"),
            ({"take": 2}, "take", "is for incognito"),
            ({"take": 3, "method": "incognito"}, "take", "at most 1, as many as there are"),
        ],
    )
    def test_parameters(self, options: dict, parameter: str, words: str):
        settings = {"k": 2, "quasi_identifiers": ["a", "b"]} | options
        with pytest.raises(ParameterError, match=words) as refused:
            kanon(self.rows, **settings)
        assert refused.value.parameter == parameter

    def test_a_column_that_the_table_does_not_have(self, path: Path):
        with pytest.raises(ParameterError, match="'shoe', which is not a column"):
            kanon(path, k=2, quasi_identifiers="shoe")
        with pytest.raises(ParameterError, match="'name', which is not a column"):
            kanon(read(path, id_column="name"), k=2, quasi_identifiers="name")

    def test_rows_that_are_no_table(self, tmp_path: Path):
        (tmp_path / "rows.dat").write_text("a=1 b=1\na=2\n")
        with pytest.raises(ParameterError, match="come from a fimi file"):
            kanon(read(tmp_path / "rows.dat"), k=2, quasi_identifiers="a")
        with pytest.raises(DataError, match="row 2 has two values in column 'a'"):
            kanon(Transactions.from_rows([["a=1"], ["a=1", "a=2"]]), k=2, quasi_identifiers="a")

    @pytest.mark.parametrize("method", ["datafly", "incognito"])
    def test_hierarchies_that_do_not_end_in_one_value(self, method: str):
        lines = {"a": [["1", "low"], ["2", "low"], ["3", "high"]]}
        with pytest.raises(DataError, match=r"even at the top of every hierarchy 1 rows .* suppress=1, or lower"):
            kanon(self.rows, k=2, quasi_identifiers="a", hierarchies=lines, method=method, suppress=0)
        assert kanon(self.rows, k=2, quasi_identifiers="a", hierarchies=lines, method=method, suppress=1).rows.n == 2

    @pytest.mark.parametrize("method", ["datafly", "incognito"])
    def test_suppressing_every_row_is_no_solution(self, method: str):
        result = kanon(self.rows, k=2, quasi_identifiers="a", method=method, suppress=3)
        assert (result.generalization, result.suppressed_rows) == ({"a": 1}, 0)
        lines = {"a": [["1", "x"], ["2", "y"], ["3", "z"]]}
        with pytest.raises(DataError, match=r"3 rows are in groups of fewer than 2.*\(\*\), or lower"):
            kanon(self.rows, k=2, quasi_identifiers="a", hierarchies=lines, method=method, suppress=3)

    def test_more_generalizations_than_can_be_searched(self):
        names = [f"c{number}" for number in range(17)]
        rows = Transactions.from_rows([[f"{name}={row}" for name in names] for row in range(2)])
        with pytest.raises(ParameterError, match=r"17 quasi_identifiers .* more than .* generalizations"):
            kanon(rows, k=2, quasi_identifiers=names, method="incognito")
        assert kanon(rows, k=2, quasi_identifiers=names, suppress=0).rows.n == 2

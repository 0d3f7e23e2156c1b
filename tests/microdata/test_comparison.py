"""Patterns first against data first: section 8.3 of atzori2008, and the law behind its numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given, settings

from discreet.channels.blocking import block
from discreet.errors import NotSafe, ParameterError
from discreet.microdata import kanon
from discreet.microdata.comparison import Comparison, compare
from discreet.patterns.mining import mine
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.microdata.adult_hierarchies import ADULT, QUASI_IDENTIFIERS
from tests.papers.adult import read_adult

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = {"k": 50, "min_support": 18100, "quasi_identifiers": QUASI_IDENTIFIERS, "hierarchies": ADULT}
TINY = {
    "age": [["1", "1", "*"], ["2", "low", "*"], ["3", "low", "*"], ["4", "4", "*"], ["?", "4", "*"]],
    "area": [["n", "*"], ["s", "*"]],
}
"""At level 1, age 1 stays what it was; 4 does not, since missing ages join it."""


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> Transactions:
    return read_adult(data_folder)


@pytest.fixture(scope="module")
def found(adult: Transactions) -> Comparison:
    return compare(adult, **SETTINGS)


def test_adult_patterns_first_keeps_everything(found: Comparison):
    additive, suppressive = found.of_road("patterns-first")
    assert found.itemsets == 40
    assert (additive.kept, additive.lost, additive.rows_added, additive.rows_left_out) == (40, 0, 50, 0)
    assert (suppressive.kept, suppressive.lost, suppressive.rows_added, suppressive.rows_left_out) == (40, 0, 0, 195)
    assert additive.channels == suppressive.channels == 0
    assert 0 < additive.average < suppressive.average < Fraction(1, 400)


def test_adult_data_first_leaves_table_4(found: Comparison, adult: Transactions):
    """Without the stars, Table 4 has five maximal itemsets, of which one has 1 item, two have 2, and two have 3."""
    datafly, incognito = found.of_road("data-first")
    assert datafly.generalization == {"age": 4, "race": 1, "sex": 0, "native-country": 2, "income": 0}
    assert (datafly.kept, datafly.lost) == (15, 25)
    assert datafly.generalized == 7 * 16  # with at least one of three stars, which every row has
    assert datafly.average == Fraction(25, 41)  # the empty itemset is one of 41, and not lost
    assert datafly.alternatives is None
    taken = kanon(adult, method="incognito", k=50, quasi_identifiers=QUASI_IDENTIFIERS, hierarchies=ADULT)
    assert (incognito.generalization, incognito.alternatives) == (taken.generalization, 5)
    assert (incognito.kept, incognito.lost, incognito.average) == (17, 23, Fraction(23, 41))


def test_an_anonymous_table_is_not_the_same_as_anonymous_patterns(found: Comparison):
    """Columns that were not named as quasi-identifiers still single out fewer than k people."""
    assert [way.channels for way in found.of_road("data-first")] == [0, 1]


def test_census_income(data_folder: Path):
    columns = ["c1", "c5", "c8", "c11", "c13", "c33", "c34", "c35"]
    rows = read(data_folder / "census-income.test.csv.gz", format="table", header=False)
    found = compare(rows, k=50, min_support="85%", quasi_identifiers=columns)
    assert [way.method for way in found.ways] == ["additive", "suppressive", "datafly", "incognito"]
    assert found.ways[0].kept == found.itemsets
    assert max(way.kept for way in found.of_road("data-first")) < found.itemsets
    assert max(way.channels for way in found.of_road("data-first")) > 0
    assert all(way.kept + way.lost == found.itemsets for way in found.ways)


def listed(rows: Transactions, sigma: int) -> dict[frozenset[str], int]:
    return dict(mine(rows, min_support=sigma, target="all"))


def distortion(before: dict[frozenset[str], int], after: dict[frozenset[str], int], n: int, n_after: int) -> Fraction:
    changes = [Fraction(abs(after.get(itemset, 0) - support), support) for itemset, support in before.items()]
    return (sum(changes, Fraction(0)) + Fraction(abs(n_after - n), n)) / (len(before) + 1)


def unchanged(itemset: frozenset[str], levels: dict[str, int]) -> bool:
    same = {"age": [{"1", "2", "3", "4"}, {"1"}, set()], "area": [{"n", "s"}, set()]}
    cells = (label.split("=") for label in itemset)
    return all(column not in same or value in same[column][levels[column]] for column, value in cells)


people = st.lists(
    st.tuples(st.sampled_from(["1", "1", "2", "3", "4", "?"]), st.sampled_from("nns"), st.sampled_from("xxy")),
    min_size=6,
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(rows=people, sigma=st.integers(1, 6), k=st.integers(2, 4), suppress=st.sampled_from([None, 0, 3]))
def test_the_numbers_are_those_of_listing_everything(rows, sigma: int, k: int, suppress: int | None):
    names = ("age", "area", "ill")
    table = Transactions.from_rows(
        [[f"{name}={cell}" for name, cell in zip(names, row, strict=True) if cell != "?"] for row in rows]
    )
    columns = [name for name in ("age", "area") if any(label.startswith(f"{name}=") for label in table.vocabulary)]
    made = {"k": k, "quasi_identifiers": columns, "hierarchies": TINY, "suppress": suppress}
    found = compare(table, min_support=sigma, **made)
    sigma = max(sigma, k)
    assert found.min_support == sigma
    before = listed(table, sigma)
    assert found.itemsets == len(before)
    for way in found.of_road("patterns-first"):
        try:
            done = block(table, k=k, min_support=sigma, method=way.method, target="all", border=False)
        except NotSafe:
            assert (way.kept, way.average, way.rows_left_out) == (0, 1, table.n)
            continue
        after = dict(done.patterns)
        assert way.kept == len(after.keys() & before.keys())
        assert way.average == distortion(before, after, table.n, done.n_after)
    for way in found.of_road("data-first"):
        result = kanon(table, method=way.method, **made)
        published = listed(result.rows, sigma)
        levels = {"age": 0, "area": 0} | way.generalization
        same = {itemset: support for itemset, support in published.items() if unchanged(itemset, levels)}
        assert (way.kept, way.generalized) == (len(same), len(published) - len(same))
        assert way.average == distortion(before, same, table.n, result.rows.n)
        assert way.rows_left_out == result.suppressed_rows


def test_fewer_rows_than_the_minimum_support_are_still_rows():
    """Every itemset is lost, but of the empty one only the rows left out are: 5 of 6 stay."""
    rows = Transactions.from_rows([["a=1", "b=1"]] * 5 + [["a=2", "b=1"]])
    datafly = compare(
        rows, k=2, min_support=6, quasi_identifiers=["a"], hierarchies={"a": [["1", "*"], ["2", "*"]]}, suppress=1
    ).ways[2]
    assert (datafly.method, datafly.kept, datafly.lost, datafly.rows_left_out) == ("datafly", 0, 1, 1)
    assert datafly.average == (1 + Fraction(1, 6)) / 2


def test_where_nothing_may_be_published_everything_is_lost():
    """Leaving out the one row of a small group leaves fewer rows than the minimum support."""
    rows = Transactions.from_rows([["a=1"]] * 5 + [["a=2"]])
    suppressive = compare(rows, k=3, min_support=6, quasi_identifiers=["a"]).ways[1]
    assert suppressive.lost == 0  # nothing was frequent
    rows = Transactions.from_rows([["a=1", "b=1"]] * 4 + [["b=1"], ["a=1"]])
    suppressive = compare(
        rows, k=2, min_support=5, quasi_identifiers=["a"], hierarchies={"a": [["1", "*"], ["?", "*"]]}
    )
    assert suppressive.ways[1].kept == 0
    assert suppressive.ways[1].average == 1
    assert suppressive.ways[1].rows_left_out == 6


def test_seconds_are_no_part_of_equality(found: Comparison):
    slower = tuple(replace(way, seconds=way.seconds + 1) for way in found.ways)
    assert replace(found, ways=slower) == found
    assert replace(found, ways=found.ways[:2]) != found


def test_the_document_and_the_frames(found: Comparison):
    document = found.to_dict()
    assert {name: value for name, value in document.items() if name != "ways"} == {
        "n": 30162,
        "k": 50,
        "min_support": 18100,
        "quasi_identifiers": QUASI_IDENTIFIERS,
        "itemsets": 40,
    }
    first, *_, last = document["ways"]
    assert first.pop("seconds") >= 0
    assert first == {
        "road": "patterns-first",
        "method": "additive",
        "kept": 40,
        "lost": 0,
        "generalized": 0,
        "average": 0.0001,
        "rows_added": 50,
        "rows_left_out": 0,
        "channels": 0,
        "generalization": None,
        "alternatives": None,
    }
    assert last["generalization"]["age"] == 4
    assert found.to_pandas()["kept"].tolist() == found.to_polars()["kept"].to_list() == [40, 40, 15, 17]
    assert found.to_arrow()["alternatives"].to_pylist() == [None, None, None, 5]


def test_a_data_frame_or_a_path_will_do(tmp_path: Path):
    (tmp_path / "people.csv").write_text("age,ill\n" + "30,flu\n" * 6 + "31,flu\n" * 2)
    asked = {"k": 3, "min_support": 5, "quasi_identifiers": "age"}
    of_file = compare(tmp_path / "people.csv", **asked)
    assert of_file == compare(pl.read_csv(tmp_path / "people.csv", infer_schema=False), **asked)
    with pytest.raises(ParameterError, match="'shoe', which is not a column"):
        compare(tmp_path / "people.csv", **(asked | {"quasi_identifiers": "shoe"}))

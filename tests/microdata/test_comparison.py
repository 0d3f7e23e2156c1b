"""Patterns first against data first: section 8.3 of atzori2008, and the law behind its numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given, settings

from discreet.channels.blocking import block
from discreet.errors import NotSafe, ParameterError
from discreet.microdata import comparison
from discreet.microdata.kanon import kanon
from discreet.microdata.same_items import invented_itemsets
from discreet.patterns.mining import mine
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.anonymize import anonymize
from tests.microdata.adult_hierarchies import ADULT, QUASI_IDENTIFIERS
from tests.papers.adult import read_adult

compare = partial(comparison.compare, epsilon="none")

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.microdata.comparison import Comparison

SETTINGS = {"k": 50, "min_support": 18100, "quasi_identifiers": QUASI_IDENTIFIERS, "hierarchies": ADULT}
TINY = {
    "age": [["1", "1", "*"], ["2", "low", "*"], ["3", "low", "*"], ["4", "4", "*"], ["?", "4", "*"]],
    "area": [["n", "*"], ["s", "*"]],
}
"""At level 1, age 1 stays what it was; 4 does not, since missing ages join it."""
TINY_SEX = [["f", "*"], ["m", "*"]]


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> Transactions:
    return read_adult(data_folder)


@pytest.fixture(scope="module")
def found(adult: Transactions) -> Comparison:
    return compare(adult, **SETTINGS)


def test_adult_patterns_first_keeps_everything(found: Comparison):
    additive, suppressive = found.of_road("patterns-first")
    assert found.itemsets == 40
    for way in (additive, suppressive):
        assert (way.kept, way.lost, way.exact, way.worst) == (40, 0, 40, 0), "no channel is made of these columns alone"
        assert (way.rows_added, way.rows_left_out, way.cells_lost) == (0, 0, None)
        assert way.channels == 4, "those of Table 3, for whoever knows all items"
        assert (way.keeps_k, way.keeps_rho) == (True, False)
    assert found.absent == {"anonymize": "no sensitive items are named, and rows are protected for those"}


def test_adult_data_first_leaves_table_4(found: Comparison, adult: Transactions):
    """Without the stars, Table 4 has five maximal itemsets, of which one has 1 item, two have 2, and two have 3."""
    datafly, incognito = found.of_road("data-first")
    assert datafly.generalization == {"age": 4, "race": 1, "sex": 0, "native-country": 2, "income": 0}
    assert (datafly.kept, datafly.lost) == (15, 25)
    assert datafly.generalized == 7 * 16  # with at least one of three stars, which every row has
    assert datafly.average == Fraction(25, 41)  # the empty itemset is one of 41, and not lost
    assert (datafly.exact, datafly.worst, datafly.alternatives) == (15, 1, None)
    assert datafly.cells_lost == 3 * 30162, "of the three columns that became stars"
    taken = kanon(adult, method="incognito", k=50, quasi_identifiers=QUASI_IDENTIFIERS, hierarchies=ADULT)
    assert (incognito.generalization, incognito.alternatives) == (taken.generalization, 5)
    assert (incognito.kept, incognito.lost, incognito.average) == (17, 23, Fraction(23, 41))


def test_an_anonymous_table_is_not_the_same_as_anonymous_patterns(found: Comparison):
    """Columns that were not named as quasi-identifiers still single out fewer than k people."""
    assert [way.channels for way in found.of_road("data-first")] == [0, 1]


def test_census_income(data_folder: Path):
    columns = ["c1", "c5", "c8", "c11", "c13", "c33", "c34", "c35"]
    rows = read(data_folder / "census-income.test.csv.gz", format="table", header=False, drop="c25")
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


def others(
    before: dict[frozenset[str], int], after: dict[frozenset[str], int], n: int, n_after: int
) -> tuple[int, Fraction]:
    """Return how many itemsets have the exact support, and the largest change."""
    changes = [Fraction(abs(after.get(itemset, 0) - support), support) for itemset, support in before.items()]
    return changes.count(Fraction(0)), max([*changes, Fraction(abs(n_after - n), n)])


def unchanged(itemset: frozenset[str], levels: dict[str, int]) -> bool:
    same = {"age": [{"1", "2", "3", "4"}, {"1"}, set()], "area": [{"n", "s"}, set()]}
    cells = (label.split("=") for label in itemset)
    return all(column not in same or value in same[column][levels[column]] for column, value in cells)


people = st.lists(
    st.tuples(st.sampled_from(["1", "1", "2", "3", "4", "?"]), st.sampled_from("nns"), st.sampled_from("xxy")),
    min_size=6,
    max_size=40,
)


@settings(max_examples=40, deadline=None)
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
    check_patterns_first(found, table, before, k, columns)
    check_data_first(found, table, before, made)


def check_patterns_first(found, table, before, k: int, columns) -> None:
    sigma = found.min_support
    for way in found.of_road("patterns-first"):
        try:
            done = block(table, k=k, min_support=sigma, method=way.method, target="all", quasi_identifiers=columns)
        except NotSafe:
            assert (way.kept, way.exact, way.average, way.worst, way.rows_left_out) == (0, 0, 1, 1, table.n)
            continue
        after = dict(done.patterns)
        assert way.kept == len(after.keys() & before.keys())
        assert way.average == distortion(before, after, table.n, done.n_after)
        assert (way.exact, way.worst) == others(before, after, table.n, done.n_after)


def check_data_first(found, table, before, made) -> None:
    for way in found.of_road("data-first"):
        result = kanon(table, method=way.method, **made)
        published = listed(result.rows, found.min_support)
        levels = {"age": 0, "area": 0} | way.generalization
        same = {itemset: support for itemset, support in published.items() if unchanged(itemset, levels)}
        assert (way.kept, way.generalized) == (len(same), len(published) - len(same))
        assert way.average == distortion(before, same, table.n, result.rows.n)
        assert way.rows_left_out == result.suppressed_rows
        assert (way.exact, way.worst) == others(before, same, table.n, result.rows.n)
        cells = sum(unchanged(frozenset([label]), levels) for row in result.rows for label in row)
        assert way.cells_lost == sum(map(len, table)) - cells


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
    found = compare(rows, k=2, min_support=5, sensitive=["b"], rho="0.9")
    assert (found.ways[1].method, found.ways[1].kept, found.ways[1].exact) == ("suppressive", 0, 0)
    assert (found.ways[1].average, found.ways[1].worst, found.ways[1].rows_left_out) == (1, 1, 6)


LEAKING = [["ward=A", "sex=f", "ill=hiv"]] * 20 + [["ward=B", "sex=f"]] * 40 + [["ward=B", "sex=m", "ill=hiv"]] * 10
LEAKING += [["ward=B", "sex=m"]] * 40 + [["ward=A", "sex=m"]] * 5


def test_for_the_same_roles_five_ways_are_measured_alike():
    rows = Transactions.from_rows(LEAKING)
    roles = {"quasi_identifiers": ["ward", "sex"], "sensitive": ["ill"], "rho": "0.6"}
    found = compare(rows, k=5, min_support=10, hierarchies={"ward": [["A", "*"], ["B", "*"]], "sex": TINY_SEX}, **roles)
    assert [way.method for way in found.ways] == ["additive", "suppressive", "datafly", "incognito", "anonymize"]
    assert [(way.keeps_k, way.keeps_rho) for way in found.ways] == [(True, True)] * 2 + [(True, False)] * 2 + [
        (False, True)
    ]
    before = listed(rows, 10)
    for way in found.of_road("patterns-first"):
        done = block(rows, k=5, min_support=10, method=way.method, target="all", **roles)
        assert way.withheld == len(done.withheld) > 0
        after = dict(done.patterns)
        assert (way.kept, way.lost) == (len(after), len(before) - len(after))
        assert way.average == distortion(before, after, rows.n, done.n_after)
        assert (way.exact, way.worst) == others(before, after, rows.n, done.n_after)
        assert way.conclusions == 0
        assert way.cells_lost is None
    protected = anonymize(rows, rho="0.6", sensitive=["ill"])
    way = found.ways[-1]
    after = {itemset: support for itemset, support in listed(protected.rows, 10).items() if itemset in before}
    assert (way.kept, way.average) == (len(after), distortion(before, after, rows.n, rows.n))
    assert way.cells_lost == sum(map(len, rows)) - sum(map(len, protected.rows)), "nothing was generalized"
    assert max(way.conclusions for way in found.of_road("data-first")) > 0, "a table tells what its groups share"
    assert found.absent == {}
    assert found.to_dict()["rho"] == "3/5"


def test_without_quasi_identifiers_there_is_no_anonymous_table():
    found = compare(Transactions.from_rows(LEAKING), k=5, min_support=10, sensitive=["ill"], rho="0.6")
    assert [way.method for way in found.ways] == ["additive", "suppressive", "anonymize"]
    assert set(found.absent) == {"datafly", "incognito"}
    assert "by any items" in found.ways[0].promise
    for half in ({"sensitive": ["ill"]}, {"rho": "0.6"}, {}):
        with pytest.raises(ParameterError, match=r"needs|nothing to compare blocking with"):
            compare(Transactions.from_rows(LEAKING), k=5, min_support=10, epsilon="none", **half)
    with pytest.raises(ParameterError, match="name it in one of the two"):
        compare(
            Transactions.from_rows(LEAKING),
            k=5,
            min_support=10,
            quasi_identifiers="ward,ill",
            sensitive="ill",
            rho="0.6",
            hierarchies={"ward": [["A", "*"], ["B", "*"]], "ill": [["hiv", "*"], ["?", "*"]]},
        )


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
        "rho": None,
        "absent": {"anonymize": "no sensitive items are named, and rows are protected for those"},
        "noisy": [],
    }
    first, *_, last = document["ways"]
    assert first.pop("seconds") >= 0
    assert first == {
        "road": "patterns-first",
        "method": "additive",
        "invented": 0,
        "kept": 40,
        "lost": 0,
        "generalized": 0,
        "average": 0.0,
        "rows_added": 0,
        "rows_left_out": 0,
        "channels": 4,
        "generalization": None,
        "alternatives": None,
        "exact": 40,
        "worst": 0.0,
        "cells_lost": None,
        "withheld": None,
        "conclusions": None,
        "keeps_k": True,
        "keeps_rho": False,
        "promise": "no group of fewer than 50 rows, by age, race, sex, native-country, income, follows from the "
        "supports; whoever knows other items may find a smaller group; what a larger group has in common may follow",
        "against": "whoever reads these patterns, and other releases that are in the ledger",
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


def test_invented_itemsets_are_counted():
    rows = Transactions.from_rows([["a", "b"]] * 5 + [["a", "c"]] * 2)
    listed = Transactions.from_rows([["a", "b", "c"]] * 5)
    assert invented_itemsets(rows, 5, mine(rows, min_support=5)) == 0
    assert invented_itemsets(rows, 5, mine(listed, min_support=5)) == 4  # c, ac, bc and abc
    assert invented_itemsets(rows, 5, mine(listed, min_support=5), {"a", "b"}) == 0


def test_noise_is_measured_at_every_epsilon():
    rows = Transactions.from_rows([["tea", "milk"]] * 3000 + [["tea"]] * 2000 + [["gin"]] * 100)
    given = {"k": 5, "min_support": 1000, "sensitive": ["gin"], "rho": "0.9"}
    found = compare(rows, epsilon="0.5,2", **given)
    assert [str(way.epsilon) for way in found.noisy] == ["1/2", "2"]
    for way in found.noisy:
        assert (way.kept, way.lost, way.invented) == (3, 0, 0)
        assert 0 <= way.worst < Fraction(1, 10)
    assert [way["epsilon"] for way in found.to_dict()["noisy"]] == ["0.5", "2"]
    assert compare(rows, epsilon="none", **given).noisy == ()
    usual = compare(rows, epsilon=None, **given)
    assert [str(way.epsilon) for way in usual.noisy] == ["1/10", "1/2", "1", "2"]
    table = usual.to_pandas()
    assert table["method"].tolist() == [way.name for way in usual.measured]
    assert table["invented"].tolist() == [way.invented for way in usual.measured]
    with pytest.raises(ParameterError, match="epsilon"):
        compare(rows, epsilon="1,x", **given)

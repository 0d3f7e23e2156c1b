"""What audits and blocking ask of rows: Spark tells the same as memory does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import discreet
from discreet.channels import kinds
from discreet.channels.row_source import LocalRows, RowSource
from discreet.errors import LabelWarning, ParameterError
from discreet.spark import suppress
from discreet.spark.reading import hand_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from discreet.spark.rows import SparkRows

PEOPLE = pd.DataFrame(
    {
        "sex": ["f"] * 30 + ["m"] * 40 + ["x"] * 3,
        "smokes": ["yes", "no"] * 36 + ["no"],
    }
)
TABLE = discreet.Transactions.from_pandas(PEOPLE, format="table")
BASKETS = discreet.Transactions.from_rows([["tea", "milk"]] * 9 + [["wine"]] * 9 + [["beer", "milk"]] * 7 + [["milk"]])


@pytest.fixture
def handed(spark: SparkSession) -> Iterator[Callable[[discreet.Transactions], SparkRows]]:
    """Return a function that gives rows in memory to Spark; they are let go after the test."""
    made: list[SparkRows] = []

    def handed(rows: discreet.Transactions) -> SparkRows:
        made.append(hand_over(spark, rows))
        return made[-1]

    yield handed
    for rows in made:
        rows.release()


def test_a_table_keeps_its_columns(handed: Callable[..., SparkRows]) -> None:
    there = handed(TABLE)
    assert isinstance(there, RowSource)
    assert there.exclusive(None) == LocalRows(TABLE).exclusive(None)
    assert there.exclusive(None).columns == ("sex", "smokes")
    for rows in (there, TABLE):
        found = discreet.audit(rows, k=10, min_support=20)
        assert found.verdict == "not-safe"
        assert [(each.base, each.full, each.low, each.high) for each in found.border if not each.base][:1] == [
            (frozenset(), {"sex=f", "sex=m"}, 3, 3)
        ]


def test_a_column_with_two_values_in_a_row_is_no_column(handed: Callable[..., SparkRows]) -> None:
    merged = discreet.Transactions.from_rows([["sex=f", "sex=m"], ["sex=f"]])
    assert handed(merged).exclusive(None) == LocalRows(merged).exclusive(None)
    assert not handed(merged).exclusive(None)


@pytest.mark.parametrize("named", ["tea,wine,beer", [["tea", "wine"], ["beer", "wine"]]])
def test_what_is_named_exclusive(handed: Callable[..., SparkRows], named: object) -> None:
    there = handed(BASKETS)
    assert there.exclusive(named) == LocalRows(BASKETS).exclusive(named)
    found, same = (discreet.audit(rows, k=3, min_support=5, exclusive=named) for rows in (there, BASKETS))
    assert list(found.border) == list(same.border)
    assert found.exclusive == same.exclusive


@pytest.mark.parametrize(("named", "why"), [("tea,milk", "holds two of the items"), ("tea,nobody", "nobody")])
def test_what_the_rows_contradict_is_refused(handed: Callable[..., SparkRows], named: str, why: str) -> None:
    for rows in (handed(BASKETS), BASKETS):
        with pytest.raises(ParameterError, match=why) as refused:
            discreet.audit(rows, k=3, min_support=5, exclusive=named)
        assert refused.value.parameter == "exclusive"


@pytest.mark.filterwarnings("ignore:'ill:discreet.errors.LabelWarning")
def test_a_beginning_stands_for_the_same_labels(handed: Callable[..., SparkRows]) -> None:
    rows = discreet.Transactions.from_rows([["ill", "ill*", "sex=f", "sex=m"]] * 9 + [["ill", "sex=f", "tea"]] * 3)
    there = handed(rows)
    for names in (["se*", "tea"], ["ill*", "t*"], ["il*", "sex=m"]):
        found, same = (
            discreet.block(each, k=4, min_support=3, method="suppressive", quasi_identifiers=names).patterns
            for each in (rows, there)
        )
        assert list(found) == list(same)
        checked = [discreet.check(each, rho="0.5", sensitive=names).affected for each in (rows, there)]
        assert checked[0] == checked[1]


def test_labels_that_look_alike_are_told(handed: Callable[..., SparkRows]) -> None:
    rows = [["café", "Tea"]] * 9 + [["tea"]] * 3
    there = handed(discreet.Transactions.from_rows(rows))
    for label in ("CAFÉ", "Cafe\u0301", " café"):
        with pytest.raises(ParameterError, match="the data has 'café'"):
            discreet.check(there, rho="0.9", sensitive=[label])
    with pytest.raises(ParameterError, match="the data has 'café'"):
        discreet.audit(there, k=2, min_support=2, quasi_identifiers=["CAFÉ"])
    with pytest.warns(LabelWarning, match="the data also has 'Tea'"):
        discreet.check(there, rho="0.9", sensitive=["tea"])
    found = discreet.audit(there, k=2, min_support=2, quasi_identifiers=["café", "nobody"], ignore_unknown=True)
    assert found.n == len(rows)


@pytest.mark.parametrize("method", ["additive", "suppressive"])
def test_a_table_is_blocked_alike(handed: Callable[..., SparkRows], method: str) -> None:
    there, here = (discreet.block(rows, k=5, min_support=10, method=method) for rows in (handed(TABLE), TABLE))
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert there.proof.safe
    assert there.proof.exclusive.columns == ("sex", "smokes")


def test_the_kinds_of_rows_are_the_same(handed: Callable[..., SparkRows], monkeypatch: pytest.MonkeyPatch) -> None:
    there, here = handed(BASKETS).frequent(8), LocalRows(BASKETS).frequent(8)
    told = [(sorted(row), weight) for row, weight in zip(here.kinds, here.kinds.weights.tolist(), strict=True)]
    assert told == [(["milk"], 8), (["wine"], 9), (["milk", "tea"], 9)]
    assert told == [(sorted(row), each) for row, each in zip(there.kinds, there.kinds.weights.tolist(), strict=True)]
    for module in (kinds, suppress):
        monkeypatch.setattr(module, "MOST_KINDS", 2)
    assert LocalRows(BASKETS).frequent(8).kinds is None
    assert handed(BASKETS).frequent(8).kinds is None


def test_the_kinds_of_the_rows_that_stay(handed: Callable[..., SparkRows]) -> None:
    frequent = handed(BASKETS).frequent(8)
    closed = frequent.mine(target="closed")
    everything = frequent.keep_all(closed)
    assert everything.kinds.n == BASKETS.n
    fewer = everything.without_channels(discreet.audit(closed, k=10).channels)
    assert fewer.kinds.n == fewer.n < everything.n

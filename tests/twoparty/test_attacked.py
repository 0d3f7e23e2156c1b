"""What two parties have found is looked at by the attacker: the protocols rule out channels, and no more than that."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pandas as pd

from discreet.errors import DataError, ProtocolViolation
from discreet.transactions.transactions import Transactions
from tests.twoparty.test_party import half, refused

if TYPE_CHECKING:
    import pytest

# no itemset has a channel for k = 2; but 4 of 6 with a have b, and 4 have c
LEAKING = [set(row) for row in ["abd", "bcd", "abd", "cd", "ac", "abcd", "abc", "acd", "cd", "b", "c", "bd"]]


def test_the_attacker_looks_at_what_may_be_published(mine) -> None:
    for side in mine(half("abcd"), half("efgh")):
        result = side.result()
        assert (result.verdict, result.audit.kind) == ("incomplete", "incomplete")  # of the others nothing is known
        assert (result.to_dict()["verdict"], result.to_dict()["border"]) == ("incomplete", [])
        assert result.to_dict()["attack"]["complete"]


def test_a_group_that_follows_from_what_may_be_published_is_told(mine) -> None:
    for side in mine(half("ab", LEAKING), half("cd", LEAKING), min_support=2, k=2):
        result = side.result()
        assert (result.verdict, len(result.audit.channels)) == ("not-safe", 0)
        told = result.to_dict()
        (group,) = [each for each in told["border"] if (each["base"], each["full"]) == (["b", "c"], ["a", "b", "c"])]
        assert (group["low"], group["high"]) == (1, 1)
        assert sum("b" in row and "c" in row and "a" not in row for row in LEAKING) == 1
        supports = {tuple(each["items"]): each["support"] for each in told["itemsets"]} | {(): 12}
        low = sum(Fraction(times) * supports[tuple(items)] for times, items in group["proof"]["low"])
        assert 0 < low <= 1


def test_a_column_of_this_side_has_one_value_in_a_row(mine) -> None:
    table = pd.DataFrame({"sex": ["f"] * 8 + ["m"] * 8 + ["x"]})
    hospital = Transactions.from_pandas(table, format="table")
    insurer = Transactions.from_rows([["smokes"] if place % 2 else [] for place in range(17)])
    known, unknown = (side.result() for side in mine(hospital, insurer, min_support=4, k=3))
    assert dict(known.patterns) == dict(unknown.patterns)
    assert {frozenset(each) for each in (["sex=f"], ["sex=m"])} <= set(dict(known.patterns))
    assert [(each.base, each.low, each.high) for each in known.audit.border][:1] == [(frozenset(), 1, 1)]
    assert unknown.verdict == "incomplete"  # it has no such column, and its partner did not say


def test_supports_that_no_data_set_can_have_are_a_violation(mine, monkeypatch: pytest.MonkeyPatch) -> None:
    def contradicted(*_: object, **__: object) -> None:
        raise DataError("the supports contradict each other")

    monkeypatch.setattr("discreet.twoparty.party.audit", contradicted)
    refused(mine(half("abcd"), half("efgh")), ProtocolViolation, "no data set can have the supports")


def test_where_nothing_is_left_nothing_is_to_be_published(mine) -> None:
    for side in mine(half("abcd"), half("efgh"), min_support=12):
        assert (side.result().verdict, len(side.result().patterns)) == ("nothing", 0)

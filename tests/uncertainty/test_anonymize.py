"""`discreet.anonymize`: what it takes, what it gives, what it refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

import discreet
from discreet.errors import DataError, InternalFault, ParameterError
from discreet.transactions.transactions import Transactions
from discreet.uncertainty import anonymize
from discreet.uncertainty.anonymize import Anonymized
from discreet.uncertainty.hierarchy import Hierarchy
from discreet.uncertainty.publication import Publication

if TYPE_CHECKING:
    from pathlib import Path

ROWS = Transactions.from_rows(
    [["a1", "b1", "b2", "x", "y"], ["a1", "a2", "b2"], ["a2", "b2"], ["a2", "y"], ["a1", "b2", "x", "y"]]
)
LINES = [["a1", "A", "ALL"], ["a2", "A", "ALL"], ["b1", "B", "ALL"], ["b2", "B", "ALL"]]
METHODS = ("best", "tdcontrol", "suppress", "simple", "perturb")


def test_the_fields_of_the_json_document_are_attributes() -> None:
    done = discreet.anonymize(ROWS, rho="0.7", sensitive=["x", "y"], hierarchy=LINES, method="tdcontrol")
    assert isinstance(done, Anonymized)
    assert (done.method, done.rho, done.n, done.safe, done.finished) == ("tdcontrol", Fraction(7, 10), 5, True, True)
    assert done.information_loss == Fraction(3, 16)
    assert done.simple_loss == Fraction(5, 16)
    assert done.suppressed == {"sensitive": ["x"], "other": ["b1"]}
    assert done.generalized == {}
    assert done.worst_rule is not None
    assert done.worst_rule.confidence == Fraction(2, 3)
    assert done.to_dict()["worst_rule"]["confidence"] == pytest.approx(2 / 3)
    assert repr(done) == "<Anonymized: safe for rho = 0.7, 18.8% lost>"


def test_a_hierarchy_comes_as_lines_as_a_file_or_ready(tmp_path: Path) -> None:
    path = tmp_path / "tree.csv"
    path.write_text("".join(f"{';'.join(line)}\n" for line in LINES), encoding="utf-8")
    losses = {
        discreet.anonymize(ROWS, rho="0.7", sensitive=["x", "y"], hierarchy=given, method="tdcontrol").information_loss
        for given in (LINES, path, str(path), Hierarchy.from_lines(LINES))
    }
    assert losses == {Fraction(3, 16)}


def test_sensitive_items_come_from_a_file_too(tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("x\ny\n", encoding="utf-8")
    one = discreet.anonymize(ROWS, rho="0.7", sensitive=tmp_path / "private.txt", method="suppress")
    other = discreet.anonymize(ROWS, rho="0.7", sensitive=["x", "y"], method="suppress")
    assert one.to_dict() == other.to_dict()


@pytest.mark.parametrize("method", METHODS)
def test_folded_rows_are_anonymized_like_the_rows_they_stand_for(method: str) -> None:
    rows = Transactions.from_rows([*ROWS] * 3)
    plain = discreet.anonymize(rows, rho="0.7", sensitive=["x", "y"], method=method)
    folded = discreet.anonymize(rows.fold(), rho="0.7", sensitive=["x", "y"], method=method)
    assert folded.rows.n == plain.rows.n == 15
    if method != "perturb":
        assert folded.to_dict() == plain.to_dict()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [[], [[], []], [["x"], ["x"]], [["a"], ["b"]], [["x", "a"]]])
def test_small_and_empty_data_sets_pass(method: str, rows: list[list[str]]) -> None:
    done = discreet.anonymize(
        Transactions.from_rows(rows), rho="0.5", sensitive=["x"], method=method, ignore_unknown=True
    )
    assert done.rows.n == len(rows)
    if method != "perturb":
        assert done.safe
        assert discreet.check(done.rows, rho="0.5", sensitive=["x"], ignore_unknown=True).safe


def test_everyone_below_certainty_is_rho_1() -> None:
    done = discreet.anonymize(ROWS, rho=1, sensitive=["x", "y"], method="suppress")
    assert done.worst_rule is not None
    assert done.worst_rule.confidence < 1


@pytest.mark.parametrize("method", ["best", "tdcontrol"])
def test_a_search_without_time_gives_what_it_has(method: str) -> None:
    rows = Transactions.from_rows([[str(i % 40), str(40 + i % 7), f"s{i % 11}"] for i in range(500)])
    sensitive = [f"s{i}" for i in range(11)]
    done = discreet.anonymize(rows, rho="0.5", sensitive=sensitive, method=method, time_limit=1e-9)
    assert done.safe
    assert not done.finished
    if method == "best":
        assert done.information_loss <= done.simple_loss


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "magic"}, "method must be best, tdcontrol, suppress, simple, rare-rows, local or perturb"),
        ({"rho": 0}, "rho must be above 0"),
        ({"rho": 1.2}, "rho must be a share between 0 and 1"),
        ({"sensitive": []}, "names no item"),
        ({"fanout": 1}, "fanout must be a whole number of at least 2"),
        ({"time_limit": 0}, "time_limit must be a number of seconds above 0"),
        ({"time_limit": -1}, "time_limit must be a number of seconds above 0"),
        ({"method": "perturb", "beta": 3}, "beta must be a share between 0 and 1"),
        ({"method": "perturb", "seed": -3}, "seed must be a whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], sentence: str) -> None:
    asked = {"rho": "0.5", "sensitive": ["x"]} | options
    with pytest.raises(ParameterError, match=sentence):
        discreet.anonymize(ROWS, **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["best", "tdcontrol", "suppress", "simple"])
def test_a_hierarchy_that_does_not_fit_is_refused_by_every_method(method: str) -> None:
    for lines, sentence in (
        (LINES[:3], "row [0-9]+ has an item for which"),
        ([*LINES, ["x", "ALL"]], "entry 1 of sensitive names"),
    ):
        with pytest.raises(DataError, match=sentence):
            discreet.anonymize(ROWS, rho="0.5", sensitive=["x", "y"], hierarchy=lines, method=method)


def test_a_method_that_fails_its_check_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(rows: Transactions, *, sensitive: object, hierarchy: Hierarchy) -> Publication:  # noqa: ARG001
        leaves = [-1 if label in "xy" else hierarchy.leaf_numbers[label] for label in rows.vocabulary]
        return Publication(rows.vocabulary, hierarchy, np.zeros(0, np.int32), np.array(leaves, np.int32))

    monkeypatch.setattr(anonymize, "simple", careless)
    with pytest.raises(InternalFault, match="fault of discreet"):
        discreet.anonymize(ROWS, rho="0.5", sensitive=["x", "y"], method="simple")

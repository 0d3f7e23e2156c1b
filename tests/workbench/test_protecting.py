"""The job that protects rows: by each method the bundle makes the promise of that method, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from discreet import Transactions, verify
from discreet.uncertainty.utility import KeptItemsets
from discreet.workbench.jobs.protecting import Protection, protect_rows
from discreet.workbench.pages.protect import METHODS

if TYPE_CHECKING:
    from pathlib import Path

COMMON = [["tea"]] * 30 + [["tea", "test"]] * 10 + [["milk", "test"], ["milk", "pill"], ["water", "pill", "test"]]
PROMISES = {"local": "face-value"}


def no_report(share: float | None, words: str) -> None:
    """Report progress to nobody."""


@pytest.mark.parametrize("method", METHODS)
def test_each_method_that_is_offered_makes_its_own_promise(tmp_path: Path, method: str):
    rows = Transactions.from_rows(COMMON)
    wanted = Protection("0.5", ("test", "pill"), None)
    done = protect_rows(no_report, tmp_path, rows, "rows.dat", wanted, method)
    assert done.verdict == PROMISES.get(method, "protected")
    assert done.rare_rows is (method == "rare-rows")
    assert verify(tmp_path / "bundle", data=rows).holds


def test_what_is_left_of_rules(tmp_path: Path):
    rows = Transactions.from_rows([["bread", "butter"]] * 10 + COMMON)
    (tmp_path / "more").mkdir()
    wanted = Protection("0.5", ("test", "pill"), None)
    done = protect_rows(no_report, tmp_path, rows, "rows.dat", wanted, "simple", 10)
    assert done.rules == (3, 2)  # test -> tea is gone; bread and butter still imply each other
    assert protect_rows(no_report, tmp_path / "more", rows, "rows.dat", wanted, "simple").rules is None


def test_what_is_left_of_itemsets_and_how_far_that_is_from_the_least(tmp_path: Path):
    rows = Transactions.from_rows(COMMON)
    wanted = Protection("0.5", ("test", "pill"), None)
    done = protect_rows(no_report, tmp_path, rows, "rows.dat", wanted, "simple", 10)
    assert done.left.itemsets == KeptItemsets(min_support=10, before=3, kept=1, exact=1, sensitive=(2, 0, 0))
    least = "no recoding that is the same in all rows can lose less than 8.77 %"  # pill, milk and water: 5 of 57
    assert done.least == f"With this hierarchy {least}: all were tried."

"""Rows of the wrong kind, as Python users give them: one sentence that says what is expected and how to make it."""

from __future__ import annotations

import pytest

import discreet
from discreet.transactions.transactions import Transactions

JOBS = {
    "mine": lambda rows: discreet.mine(rows, min_support=1),
    "block": lambda rows: discreet.block(rows, min_support=1, k=2, method="additive"),
    "tradeoff": lambda rows: discreet.tradeoff(rows, min_support=[1], k=[2]),
    "hide": lambda rows: discreet.hide(rows, restrict=["a"], method="naive"),
    "check": lambda rows: discreet.check(rows, rho="1/2", sensitive=["a"]),
    "anonymize": lambda rows: discreet.anonymize(rows, rho="1/2", sensitive=["a"]),
}


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("rows", [[["a", "b"], ["a"]], None, 5, "rows.csv"], ids=["lists", "none", "int", "path"])
def test_jobs_say_how_rows_are_made(job: str, rows: object):
    with pytest.raises(discreet.ParameterError, match=f"got {type(rows).__name__}; make .* with discreet.read or with"):
        JOBS[job](rows)


@pytest.mark.parametrize(("rows", "number"), [([None], 1), ([["a"], 5], 2)])
def test_a_row_that_is_no_list_is_named(rows: list[object], number: int):
    with pytest.raises(discreet.DataError, match=f"row {number} must be a list of labels"):
        Transactions.from_rows(rows)

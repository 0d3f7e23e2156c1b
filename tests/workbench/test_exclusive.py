"""Exclusive items as they are typed on the page: every job, command and call takes them for what they say."""

from __future__ import annotations

import pytest

import discreet
from discreet.workbench.as_command import call_of
from discreet.workbench.jobs.patterns import advise_patterns, attack_patterns, block_both, compare_ways
from discreet.workbench.tasks.point import Point

ROWS = discreet.Transactions.from_rows([["tea", "milk"]] * 40 + [["gin"]] * 40 + [["beer", "milk"]] * 39)
POINT = Point(5, 3, exclusive=("tea,gin", "milk,gin"))


@pytest.mark.parametrize("job", [attack_patterns, advise_patterns, block_both, compare_ways])
def test_several_sets_are_several_sets(job) -> None:
    """They were one set of two labels that no row has, and refused."""
    assert job(lambda *_: None, ROWS, POINT)
    with pytest.raises(discreet.errors.DiscreetError, match="at most one"):
        job(lambda *_: None, ROWS, POINT._replace(exclusive=("tea,gin", "tea,milk")))


def test_commands_and_calls_have_them() -> None:
    assert POINT.roles["exclusive"] == [("tea", "gin"), ("milk", "gin")]
    call = call_of("block", "ROWS", {"min_support": 5, "k": 3, "method": "additive", **POINT.roles})
    assert eval(call, {"discreet": discreet, "ROWS": ROWS})  # noqa: S307 - what a user would paste

"""Laws of made-up rows: as many as there are, a function of the patterns, and exact where one basis holds them."""

from __future__ import annotations

import numpy as np
import pytest

import discreet


def mined(seed: int, items: int, rows: int, least: int) -> discreet.PatternSet:
    draw = np.random.default_rng(seed)
    held = draw.random((rows, items)) < draw.random(items)
    given = [[chr(97 + item) for item in np.flatnonzero(row)] for row in held]
    return discreet.mine(discreet.Transactions.from_rows(given), min_support=least, target="all")


@pytest.mark.parametrize("seed", range(8))
def test_supports_of_one_basis_are_met(seed: int) -> None:
    patterns = mined(seed, 6, 300, 1)
    made = discreet.synthetic_rows(patterns)
    assert made.rows.n == 300
    assert made.worst <= 3, "rounding of 64 cells"


@pytest.mark.parametrize("seed", range(6))
def test_the_same_patterns_give_the_same_rows(seed: int) -> None:
    patterns = mined(seed, 18, 400, 60)
    one, two = (discreet.synthetic_rows(patterns) for _ in range(2))
    assert [sorted(row) for row in one.rows] == [sorted(row) for row in two.rows]
    assert one.rows.n == 400
    assert one.worst <= 60


def test_items_that_nothing_ties_are_not_tied() -> None:
    """Two items that are listed alone, with half the rows each, meet in about a quarter, not in half or none."""
    listed = [([label], 5000) for label in "abcdefghijklmnopqrst"]
    patterns = discreet.PatternSet.from_itemsets(listed, n=10_000, min_support=5000, target="all")
    rows = [{*row} for row in discreet.synthetic_rows(patterns).rows]
    together = [sum({"a", other} <= row for row in rows) for other in "cdefghijklmnopqrst"]
    assert all(2300 <= count <= 2700 for count in together), together


def test_nothing_listed_gives_empty_rows() -> None:
    patterns = discreet.PatternSet.from_itemsets([], n=7, min_support=3, target="all")
    made = discreet.synthetic_rows(patterns)
    assert (made.rows.n, made.worst, [*map(len, made.rows)]) == (7, 0, [0] * 7)


def test_supports_that_contradict_each_other_are_met_roughly() -> None:
    patterns = discreet.PatternSet.from_itemsets(
        [("a", 90), ("b", 90), ("ab", 10)], n=100, min_support=10, target="selected"
    )
    made = discreet.synthetic_rows(patterns)
    assert made.rows.n == 100
    assert 0 < made.worst <= 90


def test_too_many_are_refused() -> None:
    patterns = discreet.PatternSet.from_itemsets([("ab", 10**9)], n=2 * 10**9, min_support=10, target="closed")
    with pytest.raises(discreet.DataError, match="too many to make up"):
        discreet.synthetic_rows(patterns)

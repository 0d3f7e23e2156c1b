"""The search for the optimum runs once, small, and is what brute force over the definitions finds."""

from __future__ import annotations

from fractions import Fraction

from benchmarks.uncertainty_optimum import SENSITIVE, losses, optimal_loss, table
from discreet.transactions.transactions import Transactions
from tests.uncertainty_twin import fanout_tree, optimum


def test_no_method_is_better_than_the_optimum():
    found = [losses(seed) for seed in range(3)]
    for each in found:
        assert all(each.optimum <= loss for loss in each.of.values())
    assert "| optimum |" in table(found)


def test_the_optimum_is_that_of_brute_force():
    rows = [frozenset(row) for row in ("ax", "b", "abx", "cy", "c", "a", "b", "bc")]
    expected = optimum(rows, SENSITIVE, fanout_tree("abc", 2), Fraction(1, 2))
    assert optimal_loss(Transactions.from_rows(rows), Fraction(1, 2), fanout=2) == expected

"""Dropping every sensitive item."""

from __future__ import annotations

from fractions import Fraction

from discreet.transactions.transactions import Transactions
from discreet.uncertainty.hierarchy import hierarchy_for
from discreet.uncertainty.sensitive_items import sensitive_codes
from discreet.uncertainty.simple import simple


def test_all_sensitive_items_go_and_nothing_else() -> None:
    rows = Transactions.from_rows([["a", "x"], ["b", "x", "y"], ["y"], ["c"]])
    private = sensitive_codes(["x", "y"], rows.vocabulary)
    done = simple(rows, sensitive=private, hierarchy=hierarchy_for(rows, private, None))
    assert list(done.apply(rows)) == [{"a"}, {"b"}, set(), {"c"}]
    assert done.information_loss(rows) == Fraction(4, 7)
    assert not done.generalized().any()


def test_where_every_item_is_sensitive_empty_rows_are_left() -> None:
    rows = Transactions.from_rows([["x"], ["x", "y"]])
    private = sensitive_codes(["x", "y"], rows.vocabulary)
    done = simple(rows, sensitive=private, hierarchy=hierarchy_for(rows, private, None))
    assert list(done.apply(rows)) == [set(), set()]
    assert done.information_loss(rows) == 1

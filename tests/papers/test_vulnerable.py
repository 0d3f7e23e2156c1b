"""Patterns made of published itemsets alone: atzori2008, Definition 10 and Theorem 2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.channels.audit import audit
from discreet.channels.vulnerable import is_vulnerable
from discreet.errors import ParameterError
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.patterns.query import query
from tests.strategies import transactions

EXAMPLE_7 = PatternSet.from_itemsets(
    [("a", 9), ("b", 8), ("c", 9), ("d", 9), ("ab", 8), ("cd", 8)], n=12, min_support=8
)


def test_example_7():
    assert is_vulnerable(EXAMPLE_7, "(a AND NOT b) OR (d AND NOT c)")
    assert not is_vulnerable(EXAMPLE_7, "a AND d AND NOT c")


def test_contradicting_parts_do_not_count():
    assert is_vulnerable(EXAMPLE_7, "(a AND NOT a AND d) OR b")


def test_an_unknown_label_is_not_vulnerable():
    assert not is_vulnerable(EXAMPLE_7, "NOT z")


def test_a_pattern_that_multiplies_out_without_end_is_refused():
    long = " AND ".join(f"(a{i} OR b{i})" for i in range(20))
    with pytest.raises(ParameterError, match="parts"):
        is_vulnerable(EXAMPLE_7, long)


CONJUNCTION = st.dictionaries(st.sampled_from("abc"), st.booleans(), min_size=1, max_size=3)


@given(transactions(20), st.integers(1, 6), st.integers(2, 4), st.lists(CONJUNCTION, min_size=1, max_size=2))
def test_theorem_2_without_channels_no_vulnerable_pattern_singles_anyone_out(rows, sigma, k, parts):
    found = audit(rows, k=k, min_support=sigma, border=False)
    text = " OR ".join(
        "(" + " AND ".join(label if held else f"NOT {label}" for label, held in part.items()) + ")" for part in parts
    )
    published = mine(rows, min_support=sigma, target="all")
    if found.safe and rows.n and is_vulnerable(published, text):
        count = query(rows, text).count
        assert count == 0 or count >= k

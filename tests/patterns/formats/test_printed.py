"""Shares of rows and the counts they came from."""

from __future__ import annotations

import contextlib
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError
from discreet.patterns.confidence import possible_antecedents
from discreet.patterns.printed_numbers import Printed, confidences, counts_from_shares, n_from_shares, numbers

ROWS = st.integers(1, 10**9)


def place(row: int) -> str:
    return f"row {row + 1}"


def printed(texts: list[str]) -> Printed:
    found = numbers([pa.array(texts)], "support", place)
    assert isinstance(found, Printed)
    return found


@given(ROWS, st.data())
def test_a_share_in_full_gives_its_count_back(n, data):
    counts = data.draw(st.lists(st.integers(1, n), min_size=1, max_size=5))
    floats = Printed(None, np.array(counts) / n)
    assert counts_from_shares(floats, n, "support", place).tolist() == counts
    fifteen_digits = printed([f"{count / n:.15g}" if count < n else "1.0" for count in counts])
    assert counts_from_shares(fifteen_digits, n, "support", place).tolist() == counts
    assert n_from_shares(np.array(counts), floats) == n


@given(st.integers(1, 400), st.data())
def test_a_rounded_share_gives_its_count_back_or_nothing(n, data):
    counts = data.draw(st.lists(st.integers(1, n), min_size=1, max_size=5))
    decimals = data.draw(st.integers(1, 6))
    shares = printed([f"{count / n:.{decimals}f}" for count in counts])
    if n < 10**decimals:
        assert counts_from_shares(shares, n, "support", place).tolist() == counts
        return
    with contextlib.suppress(DataError):  # or a count as near as the digits tell
        found = counts_from_shares(shares, n, "support", place)
        assert (np.abs(found / n - np.array(counts) / n) <= 10.0**-decimals).all()


def test_shares_rounded_to_a_grid_that_n_fits_are_refused():
    """Rounded to three digits, all shares of 7000 rows look like multiples of 7 rows."""
    rounded = Printed(None, np.round(np.arange(100, 2000, 13) / 7000, 3))
    with pytest.raises(DataError, match="too few digits to tell how many of 7000 rows"):
        counts_from_shares(rounded, 7000, "support", place)
    in_full = Printed(None, np.arange(100, 2000, 13) / 7000)
    assert counts_from_shares(in_full, 7000, "support", place).tolist() == list(range(100, 2000, 13))
    repeated = Printed(None, np.array([0.1, 0.2, 0.3, 0.5, 0.6, 0.8, 1.0]))  # ten rows, a hundred times
    assert counts_from_shares(repeated, 1000, "support", place).tolist() == [100, 200, 300, 500, 600, 800, 1000]


@given(st.integers(2, 300), st.data())
def test_n_is_told_by_rounded_shares_or_not_at_all(n, data):
    counts = data.draw(st.lists(st.integers(1, n), min_size=1, max_size=5))
    shares = printed([f"{count / n:.6f}" for count in counts])
    assert n_from_shares(np.array(counts), shares) in (n, None)


def test_n_that_two_numbers_fit_is_not_told():
    assert n_from_shares(np.array([1]), printed(["0.001"])) is None
    assert n_from_shares(np.array([500, 1]), printed(["0.500", "0.001"])) is None
    assert n_from_shares(np.array([], np.int64), Printed([], np.array([]))) is None


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["0.75", "0.750", "1.0"], ["0.75", "0.750", "1.0"]),
        (["98.7%", "100%"], ["0.987", "1.00"]),
        ([" 5e-1", ".5", "1."], ["0.5", "0.5", "1"]),
        (["0", "1"], ["0", "1"]),
        (["1.0000000000000002"], ["1.0000000000000002"]),
    ],
)
def test_the_digits_of_a_confidence_are_kept(texts, found):
    assert [str(value) for value in confidences([pa.array(texts)], place)] == found
    assert confidences([[Decimal("0.50"), 0.25, 1]], place) == [Decimal("0.50"), Decimal("0.25"), Decimal(1)]


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "1e9999", "0x1", "1_0", "--1", "1,5", "½"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(DataError, match="row 2"):
        numbers([pa.array(["0.5", text])], "support", place)


@pytest.mark.parametrize("n", [7, 11, 13, 60])
def test_every_confidence_printed_with_all_digits_fits_the_support_it_came_from(n: int):
    """Rounded once, as Spark prints it, and as a quotient of two rounded shares, as mlxtend does."""
    for antecedent in range(1, n + 1):
        for both in range(1, antecedent + 1):
            for confidence in (both / antecedent, (both / n) / (antecedent / n)):
                low, high = possible_antecedents(both, Decimal(repr(confidence)), n)
                assert low <= antecedent <= high

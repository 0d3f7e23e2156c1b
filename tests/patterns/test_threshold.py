"""Thresholds as people write them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.patterns.threshold import absolute_support, exact_share


@pytest.mark.parametrize(
    ("written", "share"),
    [
        ("60%", Fraction(3, 5)),
        (" 12.5 % ", Fraction(1, 8)),
        ("0.6", Fraction(3, 5)),
        (".5", Fraction(1, 2)),
        ("1", Fraction(1)),
        ("0", Fraction(0)),
        ("100%", Fraction(1)),
        (0.1, Fraction(1, 10)),
        (np.float64(0.7), Fraction(7, 10)),
        (1.0, Fraction(1)),
        (1e-7, Fraction(1, 10**7)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Fraction(2, 3), Fraction(2, 3)),
        (1, Fraction(1)),
        (0, Fraction(0)),
    ],
)
def test_a_share_is_exact(written, share):
    assert exact_share(written, parameter="min_confidence") == share


@pytest.mark.parametrize(
    "written",
    [
        *("", "x", "-0.1", "1.1", "101%", "1/2", "nan", "0.5.5", "1" * 5000, "0." + "1" * 5000),
        *(2, -1, 1.5, True, None, [0.5], float("nan"), float("inf"), Fraction(3, 2)),
        *(Decimal("NaN"), Decimal("1e-999999999"), Decimal("1e999999999")),
    ],
    ids=lambda written: str(written)[:20],
)
def test_what_is_no_share_is_refused(written):
    with pytest.raises(ParameterError, match=r"^min_confidence must be a share between 0 and 1, got ") as caught:
        exact_share(written, parameter="min_confidence")
    assert caught.value.parameter == "min_confidence"
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("written", "n", "rows"),
    [("60%", 8124, 4875), (0.07, 100, 7), (np.float64(0.07), 100, 7), (8, 12, 8), ("8", 12, 8), (Decimal("0.5"), 3, 2)],
)
def test_a_minimum_support_is_a_number_of_rows(written, n, rows):
    assert absolute_support(written, n) == rows


@pytest.mark.parametrize(
    "written", ["0", "0%", "101%", "1.0", "0." + "1" * 5000, Decimal("1e-999999999"), 0, -3, True, None]
)
def test_what_is_no_minimum_support_is_refused(written):
    with pytest.raises(ParameterError, match="min_support"):
        absolute_support(written, 10)

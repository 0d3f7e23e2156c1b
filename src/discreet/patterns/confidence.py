"""What a printed confidence says about the support of a rule's antecedent.

Confidence is sup(X u Y) / sup(X). A printed figure may be rounded or cut off, so every whole number s is possible with
|sup / s - conf| less than one unit of the last printed digit; and where all digits of a double are printed, less than
what a double, or the quotient of two, can be off by.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["possible_antecedents"]

_OFF_BY = Fraction(1, 2**51)
"""The share of itself that a quotient of two doubles may be off by: two units of the last place, or more."""

_NO_END = 2**31 - 1
"""Stands for the greatest number of rows where neither the confidence nor n sets one."""


def possible_antecedents(support: int, confidence: Decimal, n: int | None) -> tuple[int, int] | None:
    """Return the least and the greatest support the antecedent can have, or None where none fits.

    >>> from decimal import Decimal
    >>> possible_antecedents(80, Decimal("0.987"), None)
    (81, 81)
    """
    exponent = confidence.as_tuple().exponent
    printed = Fraction(confidence)
    last_digit = Fraction(10) ** int(exponent) if isinstance(exponent, int) else Fraction(1)
    unit = max(last_digit, abs(printed) * _OFF_BY)
    # sup / s strictly between printed - unit and printed + unit, and s no less than sup
    low = max(support, floor(Fraction(support) / (printed + unit)) + 1)
    high = _NO_END if n is None else n
    if printed > unit:
        most = ceil(Fraction(support) / (printed - unit)) - 1
        high = most if n is None else min(most, n)
    return (low, high) if low <= high else None

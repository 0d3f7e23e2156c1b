"""What a printed confidence says about the support of a rule's antecedent.

Confidence is sup(X u Y) / sup(X). A printed figure may be rounded or truncated, so every whole number s is possible
with |sup / s - conf| less than one unit of the last printed digit. If all digits of a double are printed, the
difference must be less than the rounding error of a double, or of a quotient of two.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["possible_antecedents"]

_OFF_BY = Fraction(1, 2**51)
"""The relative error of a quotient of two doubles: two units in the last place, or more."""

_NO_END = 2**31 - 1
"""The greatest number of rows if neither the confidence nor n limits it."""


def possible_antecedents(support: int, confidence: Decimal, n: int | None) -> tuple[int, int] | None:
    """Return the least and the greatest support the antecedent can have, or None if none fits.

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

"""Thresholds as people write them: a minimum support as a number of rows, a share as a fraction, both exactly."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import ceil
from numbers import Integral

from discreet.errors import ParameterError, param

__all__ = ["MinSupport", "Share", "absolute_support", "exact_share", "rows_or_share"]

MinSupport = int | str | float | Fraction | Decimal
"""An int is a number of rows; `"60%"`, a Fraction, or a decimal in (0, 1) is a share of the rows."""

Share = int | str | float | Fraction | Decimal
"""A share of a whole: `"60%"`, `"0.6"`, a Fraction, a decimal, or the ints 0 and 1."""

_COUNT = re.compile(r"[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[0-9]*\.[0-9]+|[0-9]+\.", re.ASCII)
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%", re.ASCII)
_LONGEST = 40
"""Characters of the longest number worth reading: no data set asks for a share this fine."""

_BEYOND_ALL_ROWS = 10**18

_EXPECTED = "write a number of rows (8), a percentage (60%) or a share with a decimal point between 0 and 1 (0.6)"


def absolute_support(min_support: MinSupport, n: int) -> int:
    """Return the number of rows that `min_support` stands for among n, shares rounded up.

    A float is taken as the decimal it prints as, so 0.07 of 100 rows is 7 (in floats it would become 8 and lose an
    itemset that occurs in exactly 7 rows).

    >>> absolute_support("60%", 8124), absolute_support(0.07, 100), absolute_support(8, 12)
    (4875, 7, 8)
    """
    share = rows_or_share(min_support)
    if isinstance(share, int):
        return share
    return max(1, ceil(share * n))


def exact_share(given: Share, *, parameter: str, what: str | None = None) -> Fraction:
    """Return a share between 0 and 1 exactly; a float is taken as the decimal it prints as.

    >>> exact_share("60%", parameter="min_confidence"), exact_share(0.7, parameter="min_confidence")
    (Fraction(3, 5), Fraction(7, 10))
    """
    share = None
    if isinstance(given, str):
        text = given.strip()
        if len(text) <= _LONGEST:
            if percent := _PERCENT.fullmatch(text):
                share = Fraction(percent[1]) / 100
            elif _COUNT.fullmatch(text) or _DECIMAL.fullmatch(text):
                share = Fraction(text)
    elif isinstance(given, (float, Decimal)):
        share = _as_printed(given)
    elif isinstance(given, (Integral, Fraction)) and not isinstance(given, bool):
        share = Fraction(given)
    if share is None or not 0 <= share <= 1:
        raise ParameterError(
            f"{what or param(parameter)} must be a share between 0 and 1, got {_shown(given)}; "
            "write a percentage (60%) or a decimal (0.6)",
            parameter=parameter,
        )
    return share


def _as_printed(given: float | Decimal) -> Fraction | None:
    """Return the decimal that a number prints as, or None where it is none of a usable size."""
    decimal = given if isinstance(given, Decimal) else Decimal(repr(float(given)))
    if not decimal.is_finite() or not -400 <= decimal.adjusted() <= 400:  # noqa: PLR2004 - beyond any float's exponent
        return None
    return Fraction(decimal)


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 2 * _LONGEST else text[:_LONGEST] + "…"


def rows_or_share(given: MinSupport) -> int | Fraction:
    """Return a count as an int, a share as a Fraction in (0, 1]."""
    if isinstance(given, bool):
        raise _refusal(given)
    if isinstance(given, Integral):
        if not 1 <= given < _BEYOND_ALL_ROWS:
            raise _refusal(given)
        return int(given)
    if isinstance(given, str):
        return _from_text(given)
    if isinstance(given, (float, Decimal)):
        share = _as_printed(given)
        if share is None or not 0 < share < 1:
            raise _refusal(given)
        return share
    if isinstance(given, Fraction):
        if not 0 < given <= 1:
            raise _refusal(given)
        return given
    raise _refusal(given)


def _from_text(text: str) -> int | Fraction:
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        raise _refusal(text[:_LONGEST])
    if _COUNT.fullmatch(stripped):
        count = int(stripped)
        if not 1 <= count < _BEYOND_ALL_ROWS:
            raise _refusal(text)
        return count
    if percent := _PERCENT.fullmatch(stripped):
        share = Fraction(percent[1]) / 100
        if not 0 < share <= 1:
            raise _refusal(text)
        return share
    if _DECIMAL.fullmatch(stripped):
        share = Fraction(stripped)
        if 0 < share < 1:
            return share
    raise _refusal(text)


def _refusal(given: object) -> ParameterError:
    return ParameterError(
        f"{param('min_support')} must be at least one row and at most all of them, got {given!r}; {_EXPECTED}",
        parameter="min_support",
    )

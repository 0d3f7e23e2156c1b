"""Thresholds as values: a minimum support, k, rho, and shares of a whole, all exact.

A public function accepts what users write and parses it once:

    Support.parse("60%").of(8124)          4875, the number of rows
    K.parse(10)                            an int of at least 2
    Share.parse(0.7, parameter="beta")     the fraction 7/10; Rho.parse("0.5") is one above 0

Below that, these values are passed; parsing one of them again returns it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil
from numbers import Integral
from typing import TYPE_CHECKING, Self, TypeAlias

from discreet.errors import NothingToPublish, NotSafe, ParameterError, param

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "K",
    "MinSupport",
    "Rho",
    "Share",
    "ShareLike",
    "Support",
    "one_of",
    "refuse_few_rows",
    "share_text",
    "whole_number",
]

MinSupport: TypeAlias = "int | str | float | Fraction | Decimal | Support"
"""An int is a number of rows; `"60%"`, a Fraction, or a decimal in (0, 1) is a share of the rows."""

ShareLike: TypeAlias = "int | str | float | Fraction | Decimal"
"""A share of a whole: `"60%"`, `"0.6"`, a Fraction, a decimal, or the ints 0 and 1."""

_COUNT = re.compile(r"[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[0-9]*\.[0-9]+|[0-9]+\.", re.ASCII)
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%", re.ASCII)
_WITH_COMMA = re.compile(r"[0-9]{1,9},[0-9]{1,9}\s*%?", re.ASCII)
_LONGEST = 40
"""The most characters of a number: no data set needs a finer share."""

_BEYOND_ALL_ROWS = 10**18
_GREATEST_K = 2**31 - 1

_EXPECTED = "write a number of rows (8), a percentage (60%) or a share with a decimal point between 0 and 1 (0.6)"


@dataclass(frozen=True, slots=True)
class Support:
    """The least number of rows in which an itemset must occur: a number of rows, or a share of them in (0, 1]."""

    value: int | Fraction
    text: str = field(default="", compare=False)
    """The original text, for a command that can be pasted."""

    @classmethod
    def parse(cls, given: MinSupport, *, parameter: str = "min_support") -> Support:
        """Return a minimum support; raise ParameterError if it is invalid.

        A float is read as the decimal it prints as, so 0.07 of 100 rows is 7. In floats it would become 8 and lose an
        itemset that occurs in exactly 7 rows.

        >>> Support.parse("60%").of(8124), Support.parse(0.07).of(100), Support.parse(8).of(12)
        (4875, 7, 8)
        """
        if isinstance(given, Support):
            return given
        value = _support_in_text(given) if isinstance(given, str) else _support_in_number(given)
        if value is None:
            shown = given[:_LONGEST] if isinstance(given, str) and len(given.strip()) > _LONGEST else given
            pointed = _with_point(given)
            advice = _EXPECTED if pointed is None or _support_in_text(pointed) is None else f"write {pointed}"
            raise ParameterError(
                f"{param(parameter)} must be at least one row and at most all of them, got {shown!r}; {advice}",
                parameter=parameter,
            )
        return cls(value, str(given))

    def of(self, n: int) -> int:
        """Return the number of rows out of n; shares are rounded up."""
        return self.value if isinstance(self.value, int) else max(1, ceil(self.value * n))

    def __str__(self) -> str:
        return self.text or str(self.value)


class K(int):
    """The least size of a group that may be disclosed, at least 2; smaller nonempty groups single someone out."""

    __slots__ = ()

    @classmethod
    def parse(cls, given: object) -> K:
        """Return k; raise ParameterError if it is below 2, which protects nothing."""
        if isinstance(given, K):
            return given
        if isinstance(given, Integral) and int(given) > _GREATEST_K:
            raise ParameterError(
                f"{param('k')} must be at most {_GREATEST_K:,}; no group has to be larger than that", parameter="k"
            )
        return cls(whole_number(given, parameter="k", least=2, why="; with 1 nothing is protected"))


class Share(Fraction):
    """A share of a whole, from 0 to 1."""

    __slots__ = ()

    @classmethod
    def parse(cls, given: ShareLike, *, parameter: str, what: str | None = None) -> Self:
        """Return an exact share; raise ParameterError if it is invalid. A float is read as the decimal it prints as.

        >>> Share.parse("60%", parameter="min_confidence"), Share.parse(0.7, parameter="min_confidence")
        (Share(3, 5), Share(7, 10))
        """
        if isinstance(given, cls):
            return given
        share = _share_in_text(given.strip()) if isinstance(given, str) else _exact(given)
        if share is None or not 0 <= share <= 1:
            pointed = _with_point(given)
            known = None if pointed is None else _share_in_text(pointed)
            advice = (
                f"write {pointed}"
                if known is not None and known <= 1
                else "write a percentage (60%) or a decimal (0.6)"
            )
            raise ParameterError(
                f"{what or param(parameter)} must be a share between 0 and 1, got {_shown(given)}; {advice}",
                parameter=parameter,
            )
        return cls(share)


class Rho(Share):
    """The confidence with which no sensitive item may be inferred: a share above 0."""

    __slots__ = ()

    @classmethod
    def parse(cls, given: ShareLike, *, parameter: str = "rho", what: str | None = None) -> Self:
        """Return an exact rho; raise ParameterError if it is invalid."""
        rho = super().parse(given, parameter=parameter, what=what)
        if not rho:
            raise ParameterError(
                f"{what or param(parameter)} must be above 0, got 0: a sensitive item that is published at all can be "
                "concluded with some confidence; write 0.5 to keep everyone below even odds",
                parameter=parameter,
            )
        return rho


def whole_number(given: object, *, parameter: str, least: int = 1, expected: str | None = None, why: str = "") -> int:
    """Return a whole number of at least `least`; otherwise raise ParameterError, with `expected` as the requirement."""
    if isinstance(given, bool) or not isinstance(given, Integral) or given < least:
        expected = expected or f"a whole number of at least {least}"
        raise ParameterError(f"{param(parameter)} must be {expected}, got {given!r}{why}", parameter=parameter)
    return int(given)


def one_of(given: object, choices: Iterable[str], *, parameter: str) -> None:
    """Raise ParameterError unless the value is one of the choices.

    >>> one_of("fast", ("best", "paper"), parameter="merging")
    Traceback (most recent call last):
    discreet.errors.ParameterError: merging must be best or paper, got 'fast'
    """
    names = tuple(choices)
    if given not in names:
        listed = f"{', '.join(names[:-1])} or {names[-1]}"
        raise ParameterError(f"{param(parameter)} must be {listed}, got {given!r}", parameter=parameter)


def share_text(share: Fraction) -> str:
    """Return a share that was written in decimals as it is typed, in per cent; exactly.

    >>> share_text(Fraction("0.07")), share_text(Fraction(1)), share_text(Fraction("0.00125"))
    ('7%', '100%', '0.125%')
    """
    with localcontext() as context:
        context.prec = 2 * _LONGEST
        text = f"{Decimal(share.numerator * 100) / share.denominator:f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def _support_in_text(text: str) -> int | Fraction | None:
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        return None
    if _COUNT.fullmatch(stripped):
        return _support_in_number(int(stripped))
    share = _share_in_text(stripped)
    if share is None or not (0 < share < 1 or (share == 1 and stripped.endswith("%"))):  # 1.0 could mean one row
        return None
    return share


def _support_in_number(given: object) -> int | Fraction | None:
    if isinstance(given, Integral) and not isinstance(given, bool):
        return int(given) if 1 <= int(given) < _BEYOND_ALL_ROWS else None
    share = None if isinstance(given, bool) else _exact(given)
    if share is None or not 0 < share <= 1 or (share == 1 and not isinstance(given, Fraction)):
        return None
    return share


def _share_in_text(text: str) -> Fraction | None:
    if len(text) > _LONGEST:
        return None
    if percent := _PERCENT.fullmatch(text):
        return Fraction(percent[1]) / 100
    return Fraction(text) if _COUNT.fullmatch(text) or _DECIMAL.fullmatch(text) else None


def _exact(given: object) -> Fraction | None:
    """Return a number exactly, a float as the decimal it prints as; None if it is not a number of a usable size."""
    if isinstance(given, Fraction):
        return given
    if isinstance(given, Integral) and not isinstance(given, bool):
        return Fraction(int(given))
    if not isinstance(given, (float, Decimal)):
        return None
    decimal = given if isinstance(given, Decimal) else Decimal(repr(float(given)))
    if not decimal.is_finite() or not -400 <= decimal.adjusted() <= 400:  # noqa: PLR2004 - beyond any float's exponent
        return None
    return Fraction(decimal)


def _with_point(given: object) -> str | None:
    """Return a number that was written with a decimal comma with a point instead; None if it was not."""
    written = isinstance(given, str) and _WITH_COMMA.fullmatch(given.strip())
    return written[0].replace(",", ".") if written else None


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= 2 * _LONGEST else text[:_LONGEST] + "…"


def refuse_few_rows(n: int, sigma: int, k: int) -> None:
    """Refuse rows of which none can be published: too few for the support, or for k."""
    if k <= n < sigma:
        raise NothingToPublish(f"no itemset occurs in {sigma:,} of {n:,} rows; lower {param('min_support')}")
    if n < sigma:
        raise NotSafe(
            f"there are {n:,} rows, fewer than the {sigma:,} that an itemset must occur in; nothing may be published, "
            "the number of rows included"
        )

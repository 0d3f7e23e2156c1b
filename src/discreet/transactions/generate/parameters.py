"""Sizes and shares that a generator is asked for, refused where no data set could have them."""

from __future__ import annotations

from math import isfinite
from numbers import Integral, Real

from discreet.errors import ParameterError

__all__ = ["check_mean", "check_share", "check_whole", "refusal"]


def check_whole(name: str, value: object, *, least: int = 1) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise refusal(name, f"a whole number of at least {least}", value)


def check_mean(name: str, value: object, *, most: int, most_name: str) -> None:
    """Refuse a mean below one, or above the `most` that the parameter called `most_name` allows for."""
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value) or not 1 <= value <= most:
        raise refusal(name, f"a number between 1 and {most_name} ({most})", value)


def check_share(name: str, value: object) -> None:
    """Refuse what is not a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value <= 1:
        raise refusal(name, "a number from 0 to 1", value)


def refusal(name: str, expected: str, given: object) -> ParameterError:
    """Return the one sentence in which every generator refuses a parameter."""
    return ParameterError(f"{name} must be {expected}, got {given!r}; change it or leave it out", parameter=name)

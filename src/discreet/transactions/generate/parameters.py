"""Check the sizes and shares for a generator, and refuse impossible ones."""

from __future__ import annotations

from numbers import Real

import numpy as np

from discreet.errors import ParameterError, param
from discreet.thresholds import whole_number

__all__ = ["LABEL_BYTES", "check_mean", "check_memory", "check_share", "check_whole", "refusal"]

LABEL_BYTES = 100
"""The approximate cost of a label during generation."""

_TOO_LARGE = 1 << 63  # for an array's integer


def check_whole(name: str, value: object, *, least: int = 1) -> None:
    """Refuse anything but a whole number of at least `least`."""
    if whole_number(value, parameter=name, least=least) >= _TOO_LARGE:
        raise refusal(name, f"a whole number from {least} to {_TOO_LARGE - 1}", value)


def check_mean(name: str, value: object, *, most: int, most_name: str) -> None:
    """Refuse a mean below one, or above the `most` that the parameter `most_name` allows."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 1 <= float(value) <= most:
        raise refusal(name, f"a number between 1 and {most_name} ({most})", value)


def check_share(name: str, value: object) -> None:
    """Refuse anything but a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise refusal(name, "a number from 0 to 1", value)


def check_memory(size: float) -> None:
    """Refuse a data set that needs more bytes than the machine has, before it is generated."""
    try:
        np.empty(int(size), np.uint8)  # untouched pages cost nothing
    except (MemoryError, OverflowError, ValueError):
        wanted = f"{size / 2**30:,.0f} GB"
        raise ParameterError(
            f"{param('rows')} must be fewer, or items: so many need {wanted} of memory, more than there is",
            parameter="rows",
        ) from None


def refusal(name: str, expected: str, given: object) -> ParameterError:
    """Return the error with which every generator refuses a parameter."""
    return ParameterError(f"{param(name)} must be {expected}, got {given!r}", parameter=name)

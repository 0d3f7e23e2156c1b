"""Several thresholds at once, as users write them: lists, ranges and files of supports and of k.

    10%,20%,30%      three supports, each exactly as it would be alone
    10%..60%:6       six supports, evenly from 10 % to 60 %, both included; numbers of rows are rounded up
    @FILE            the same, one per line

Order and repetition do not matter.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import TypeAlias

from discreet.errors import ParameterError, param
from discreet.thresholds import K, MinSupport, Support

__all__ = ["Ks", "MinSupports", "parse_ks", "parse_supports"]

MinSupports: TypeAlias = "MinSupport | os.PathLike[str] | Iterable[MinSupport]"
Ks: TypeAlias = "int | str | os.PathLike[str] | Iterable[int | str]"

_RANGE = re.compile(r"([^.].*?)\.\.(.*):([0-9]{1,4})", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)
_FEWEST, _MOST = 2, 1000


def parse_supports(given: MinSupports) -> list[Support]:
    """Return the minimum supports in a list; a share becomes a number of rows only once n is known.

    >>> [support.of(100) for support in parse_supports("10%,20%..40%:3")]
    [10, 20, 30, 40]
    """
    supports: list[Support] = []
    for one in _listed(given, "min_support"):
        if isinstance(one, str) and (span := _RANGE.fullmatch(one.strip())):
            supports += _spread(*span.groups())
        elif isinstance(one, str) and ".." in one:
            raise _no_range(one)
        else:
            supports.append(Support.parse(one))
    if not supports:
        raise ParameterError(
            f"{param('min_support')} is missing: give at least one, like 10%,20% or 10%..60%:6", parameter="min_support"
        )
    return supports


def parse_ks(given: Ks) -> list[K]:
    """Return the distinct values of k, ascending.

    >>> parse_ks("25,10"), parse_ks([3, 2, 3])
    ([10, 25], [2, 3])
    """
    listed = _listed(given, "k")
    ks = {K.parse(int(k) if isinstance(k, str) and _WHOLE.fullmatch(k.strip()) else k) for k in listed}
    if not ks:
        raise ParameterError(f"{param('k')} is missing: give at least one whole number, like 10,25,50", parameter="k")
    return sorted(ks)


def _listed(given: object, parameter: str) -> list[MinSupport]:
    if isinstance(given, str) and given.startswith("@"):
        given = Path(given[1:])
    if isinstance(given, os.PathLike):
        return [word for word in _lines(Path(given), parameter) if word.strip()]
    if isinstance(given, str):
        return list(given.split(","))
    return list(given) if isinstance(given, Iterable) else [given]  # type: ignore[list-item]


def _lines(path: Path, parameter: str) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ParameterError(
            f"{param(parameter)}: cannot read {path}: {reason}; give a file with one value per line",
            parameter=parameter,
        ) from None


def _spread(first: str, last: str, steps: str) -> list[Support]:
    """Return a range's supports: shares if both its ends are shares, otherwise numbers of rows."""
    ends = [Support.parse(text).value for text in (first, last)]
    if isinstance(ends[0], int) != isinstance(ends[1], int) or not _FEWEST <= int(steps) <= _MOST:
        raise _no_range(f"{first}..{last}:{steps}")
    between = int(steps) - 1
    values = [Fraction(ends[0]) + (ends[1] - ends[0]) * Fraction(step, between) for step in range(between + 1)]
    return [Support(ceil(value) if isinstance(ends[0], int) else value) for value in values]


def _no_range(text: str) -> ParameterError:
    return ParameterError(
        f"{param('min_support')} {text} is not a range; write its two ends in the same way, and how many supports "
        f"({_FEWEST} to {_MOST:,}), like 10%..60%:6 or 100..500:5",
        parameter="min_support",
    )

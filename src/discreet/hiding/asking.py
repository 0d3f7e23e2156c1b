"""What hiding is asked for, and what it has to know of rows that it is not shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from discreet.errors import ParameterError
from discreet.hiding.restrictions import Restriction, RuleBound, read_restrictions, separator_of
from discreet.patterns.threshold import absolute_support, exact_share

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from discreet.hiding.restrictions import Given
    from discreet.patterns.threshold import MinSupport, Share
    from discreet.transactions.layout import Layout

__all__ = ["Method", "Whole", "checked_disclosure", "entries_of"]

Method = Literal["naive", "minfia", "maxfia", "iga"]


def checked_disclosure(method: str, disclosure: Share, min_support: MinSupport | None) -> Fraction:
    """Return the disclosure threshold exactly; refuse it, a method or a support that means nothing."""
    if method not in get_args(Method):
        raise ParameterError(f"method must be {', '.join(get_args(Method))}, got {method!r}", parameter="method")
    if min_support is not None:
        absolute_support(min_support, 1)
    return exact_share(disclosure, parameter="disclosure")


def entries_of(
    restrict: Given, protect: Given | None, layout: Layout | None
) -> tuple[list[Restriction | RuleBound], list[Restriction | RuleBound]]:
    """Read what is to be hidden and what is to be spared; files of labels go with the rows' layout."""
    separator = separator_of(layout)
    entries = read_restrictions(restrict, separator=separator)
    return entries, [] if protect is None else read_restrictions(protect, separator=separator, parameter="protect")


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """What hiding has to know of all rows where it is shown only those that hold something restrictive."""

    n: int
    items: int
    supports: NDArray[np.int64]

"""Refuse a verdict that depends on a number of rows that is not known for certain.

Problem      patterns may not say how many rows they come from, and shares fit many numbers. Which verdicts stand?
Method       the numbers of rows that shares fit are the multiples of the least (see `printed_numbers.fewest_rows`). So
             the least decides: what is safe for it is safe for all, and whatever is not is safe for some multiple.
Promises     a verdict is given only if it is the same for all numbers of rows that fit.
Reason       let j times as many rows have the same shares. A figure is j times as large, and so is every sum of them;
             the bounds of a group that follow from sums are too. The least minimum support that fits, s, becomes at
             least j (s - 1) + 1, so an unpublished itemset is limited to j (s - 1) or more: no tighter. So a group of 1
             to k-1 of the many rows is one of at most as many of the few, and of at least 1. A data set that proves
             safety, taken j times, proves it for the many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.errors import ParameterError, param
from discreet.patterns.imported_patterns import ImportedPatterns
from discreet.wording import ROWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.channels.audit import Audit
    from discreet.patterns.imported_patterns import ImportedRules

__all__ = ["refuse_unsure_n"]

_TRIES = 4
"""How many greater numbers of rows are tried to name one without a group."""


def refuse_unsure_n(
    source: ImportedPatterns | ImportedRules, found: Audit, judge: Callable[[ImportedPatterns | ImportedRules], Audit]
) -> None:
    """Refuse what was found if it differs between the numbers of rows that fit; `judge` audits without a proof."""
    if isinstance(source, ImportedPatterns) and source.n_is_least:
        if not found.safe:
            raise _depends(source, found, judge)
        return
    if not found.safe or not found.closed_count:
        return
    if isinstance(source, ImportedPatterns) and source.n is None:
        raise ParameterError(
            f"no group of {ROWS.sizes_below(found.k)} follows from the counts alone, but some may with the number "
            f"of all rows, which the patterns do not say; give {param('n')}",
            parameter="n",
        )
    if source.factor in (None, 1) or source.n is None:
        return
    fewer = source.with_fewest_rows()
    if not judge(fewer).safe:
        raise ParameterError(
            f"the supports fit n = {fewer.n:,} as well: with {source.n:,} every count is a multiple of "
            f"{source.factor:,}. With {fewer.n:,} rows a group of fewer than {found.k} follows, with {source.n:,} "
            f"none; check {param('n')}, or give a file that has counts",
            parameter="n",
        )


def _depends(
    source: ImportedPatterns, found: Audit, judge: Callable[[ImportedPatterns | ImportedRules], Audit]
) -> ParameterError:
    """Return the refusal of shares that are not safe for the least number of rows, with a number for which they are."""
    groups = [found.channels, *([] if found.border is None else [found.border])]
    smallest = min(int(each.highs.min(initial=found.k)) for each in groups)
    times = -(-found.k // max(1, smallest))
    without = ""
    for _ in range(_TRIES):
        more = source.with_more_rows(times)
        if judge(more).safe:
            without = f", with {more.n:,} none"
            break
        times *= 2
    return ParameterError(
        f"the supports are shares, and nothing says of how many rows. With {source.n:,}, the least that fits, a group "
        f"of fewer than {found.k} follows{without}; give {param('n')}",
        parameter="n",
    )

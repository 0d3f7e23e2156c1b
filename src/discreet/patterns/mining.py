"""Find the frequent itemsets of a data set.

Problem      given rows and a minimum support, find all frequent itemsets, the closed ones (no larger itemset has the
             same support) or the maximal ones (no larger itemset is frequent), with their exact supports.
Method       depth-first search in ascending support on bitmaps and lists, in the kernel: see cpp/mining.hpp.
Promises     exactly the itemsets of the definition, including items in every row; the same result for any
             number of threads; canonical order (by length, then by labels); the empty itemset is not listed.
Cost         grows with the number of closed itemsets times the rows they are counted in; memory beyond the rows is at
             most the frequent part of them at two bytes per item, plus three times the result while it is sorted.
Departures   a cap on the length is applied after closed and maximal are decided, so a capped result can lack
           the supersets that its itemsets were compared with; the result records the cap.
Reference    Uno, Kiyomi, Arimura, LCM ver. 2 (FIMI 2004), for the search order.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, get_args

from discreet import _kernel
from discreet.errors import DataError, TooManyPatterns, param
from discreet.itemsets import Itemsets
from discreet.patterns.expected_count import Stage, Watcher, expected_count
from discreet.patterns.patternset import PatternSet, Target
from discreet.stages import share_of
from discreet.tables.ceilings import memory_ceiling
from discreet.thresholds import MinSupport, Support, one_of, whole_number
from discreet.transactions.disk_rows import are_on_disk, frequent_rows, repeat_often
from discreet.transactions.frame_rows import rows_given
from discreet.transactions.remote_rows import RemoteRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.transactions.transactions import Transactions

__all__ = ["DEFAULT_MAX_PATTERNS", "count_closed", "mine", "too_many"]

DEFAULT_MAX_PATTERNS = 20_000_000
_NO_CAP = 2**31
_NO_LIMIT = 2**62
_MOST_THREADS_PER_CORE = 16
"""More threads only wait for each other; the answer is the same."""

_MOST_ROWS = 2**32 - 1

_MANY_ROWS = 1 << 20
"""So many rows that it pays to see whether they repeat each other: then counting distinct ones takes half the time."""


def mine(
    rows: Transactions | RemoteRows | Any,  # any data frame of rows
    *,
    min_support: MinSupport,
    target: Target = "closed",
    max_length: int | None = None,
    max_patterns: int = DEFAULT_MAX_PATTERNS,
    threads: int | None = None,
    progress: Callable[[float, int], object] | None = None,
) -> PatternSet:
    """Return the itemsets that occur in at least `min_support` rows.

    Parameters
    ----------
    rows : Transactions or data frame
        The rows to mine: of a frame, one-hot columns or one column of lists.
    min_support : int, str, float or Fraction
        A number of rows (an int), or a share of them ("60%", 0.6, Fraction(3, 5)).
    target : {"closed", "all", "maximal"}
        Which itemsets to return.
    max_length : int, optional
        The most items an itemset may have; closed and maximal are decided before.
    max_patterns : int, default 20,000,000
        How many itemsets are too many.
    threads : int, optional
        How many threads to use; one per core by default.
    progress : callable, optional
        Called a few times a second with the share done and the number of itemsets found so far.

    Returns
    -------
    PatternSet
        The itemsets with their supports.

    Raises
    ------
    ParameterError
        A parameter has an unusable value.
    DataError
        There are more rows than one machine can mine.
    TooManyPatterns
        There are more than `max_patterns` itemsets, or they need more than four fifths of the available memory.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows(["abc", "ab", "abd"])
    >>> [(sorted(itemset), support) for itemset, support in discreet.mine(rows, min_support=2)]
    [(['a', 'b'], 3)]
    """
    if not isinstance(rows, RemoteRows):
        rows = rows_given(rows)
    one_of(target, get_args(Target), parameter="target")
    cap = _NO_CAP if max_length is None else min(whole_number(max_length, parameter="max_length"), _NO_CAP)
    limit = min(whole_number(max_patterns, parameter="max_patterns"), _NO_LIMIT)
    if isinstance(rows, RemoteRows):
        return rows.mine(min_support=min_support, target=target, max_length=max_length, max_patterns=max_patterns)
    cores = os.cpu_count() or 1
    crew = cores if threads is None else min(whole_number(threads, parameter="threads"), _MOST_THREADS_PER_CORE * cores)
    sigma = Support.parse(min_support).of(rows.n)
    if rows.n > _MOST_ROWS:
        raise DataError(f"there are {rows.n:,} rows; one machine mines up to {_MOST_ROWS:,}")
    if progress is None:
        progress = share_of("mining")
    if are_on_disk(rows) or repeat_often(rows, sigma, at_least=_MANY_ROWS):
        rows = frequent_rows(rows, sigma)
    if limit == DEFAULT_MAX_PATTERNS and max_length is None and target != "maximal":
        progress = Watcher(lambda stage: _refuse_hopeless(rows, sigma, target, limit, stage), progress)
    try:
        itemsets, supports = _kernel.mine(
            rows.itemsets,
            rows.weights,
            total=rows.n,
            sigma=sigma,
            labels=len(rows.vocabulary),
            target=target,
            cap=cap,
            max_patterns=limit,
            max_bytes=memory_ceiling(),
            threads=crew,
            layout="auto",
            progress=progress,
        )
    except _kernel.TooMany as error:
        raise too_many(error.args[0], sigma, rows.n, target, limit) from None
    return PatternSet.unchecked(
        itemsets=Itemsets(*itemsets),
        supports=supports,
        vocabulary=rows.vocabulary,
        n=rows.n,
        min_support=sigma,
        target=target,
        max_length=None if max_length is None else cap,
        read=rows.read,
    )


def count_closed(
    rows: Transactions,
    *,
    min_support: int,
    max_patterns: int = DEFAULT_MAX_PATTERNS,
    most_singly: int = _NO_LIMIT,
    threads: int | None = None,
    progress: Callable[[float, int], object] | None = None,
) -> int | None:
    """Return how many closed itemsets occur in at least `min_support` rows, without keeping them.

    Where an itemset and all items that extend it are frequent together, and every union of it and some of them is
    closed, these unions are counted at once. None if more than about `most_singly` were counted one by one;
    TooManyPatterns is raised if there are more than `max_patterns`.

    >>> from discreet.transactions.transactions import Transactions
    >>> count_closed(Transactions.from_rows(["abc", "ab", "abd"]), min_support=1)
    3
    """
    try:
        return _kernel.count_closed(
            rows.itemsets,
            rows.weights,
            total=rows.n,
            sigma=min_support,
            labels=len(rows.vocabulary),
            max_patterns=max_patterns,
            most_singly=most_singly,
            threads=(os.cpu_count() or 1) if threads is None else threads,
            layout="auto",
            progress=progress,
        )
    except _kernel.TooMany as error:
        if error.args[0] <= max_patterns:
            return None
        raise too_many(error.args[0], min_support, rows.n, "closed", max_patterns) from None


def _refuse_hopeless(rows: Transactions, sigma: int, target: Target, limit: int, stage: Stage) -> None:
    """Refuse mining that will not fit by far, as its itemsets at higher supports show."""

    def count(support: int) -> int | None:
        try:
            return len(mine(rows, min_support=support, target=target, max_patterns=stage.most_probed))
        except TooManyPatterns:
            return None

    guess = expected_count(count, sigma, rows.n)
    if guess is None or guess[0] <= stage.margin * limit:
        return
    _, support, found = guess
    raise TooManyPatterns(
        f"too many {target} itemsets are to be expected in at least {sigma:,} of {rows.n:,} rows: there are {found:,} "
        f"in at least {support:,} rows, and their number grows so fast that it would exceed the limit of {limit:,} "
        f"by far; raise {param('min_support')}, or leave out columns that are the same nearly everywhere (discreet "
        "look names them)",
        found=found,
        min_support=sigma,
    )


def too_many(found: int, sigma: int, n: int, target: Target, limit: int) -> TooManyPatterns:
    """Return the error for more itemsets than allowed."""
    reason = f"the limit of {limit:,}" if found > limit else "what the memory holds"
    ways = [f"raise {param('min_support')}"]
    if target == "all":
        ways.append("ask for closed itemsets, which say the same in fewer")
    if found > limit:
        ways.append(f"raise {param('max_patterns')}")
    return TooManyPatterns(
        f"at least {found:,} {target} itemsets occur in at least {sigma:,} of {n:,} rows, beyond {reason}, and mining "
        f"was stopped; {', or '.join(ways)}",
        found=found,
        min_support=sigma,
    )

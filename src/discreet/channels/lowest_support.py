"""The lowest support at which nothing has to be changed.

Problem      given rows or a complete collection, and k, find the least minimum support whose patterns are safe.
Method       raising the support only takes itemsets away, so channels of the collection disappear and none appears:
             the least support without any is found by bisection. Channels across the border need not disappear in
             order. While the frequent itemsets stay the same, a higher support only widens what sup(J) can be; so
             beyond the first answer, each run of supports with the same itemsets is tried at its upper end, and
             bisected where that is safe.
Promises     an audit at the answer is safe, and at every support from the one asked about up to it is not.
Cost         some twenty audits at higher supports than the first, each of fewer itemsets.
Reference    atzori2008, section 6.1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.channels.audit import DEFAULT_BORDER_DEPTH, audit
from discreet.channels.collection import Collection, collection_of
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.channels.audit import Audit
    from discreet.patterns.formats.given import GivenPatterns
    from discreet.patterns.patternset import PatternSet

__all__ = ["lowest_safe_support"]

_MOST_RUNS = 1000


def lowest_safe_support(
    source: Transactions | PatternSet | GivenPatterns | Collection,
    *,
    k: int,
    min_support: int,
    border: bool = True,
    border_depth: int = DEFAULT_BORDER_DEPTH,
) -> int | None:
    """Return the least support from `min_support` up whose patterns are safe, or None where there is none.

    There is none where all rows together are fewer than k, in an incomplete collection, or where the search across the
    border gets too long.

    >>> rows = Transactions.from_rows(["abc", "abc", "ab", "c", "c"])
    >>> lowest_safe_support(rows, k=2, min_support=1)
    5
    """
    if isinstance(source, Transactions):
        rows = source
        n = rows.n

        def audit_at(support: int, *, border: bool) -> Audit:
            return audit(rows, k=k, min_support=support, border=border, border_depth=border_depth)
    else:
        collection = source if isinstance(source, Collection) else collection_of(source)
        if collection.kind == "incomplete":
            return None
        n = collection.patterns.n

        def audit_at(support: int, *, border: bool) -> Audit:
            return audit(collection.at_support(support), k=k, border=border, border_depth=border_depth)

    if n < k:
        return None
    first = _bisect(min_support, n + 1, lambda support: audit_at(support, border=False).safe)
    return _beyond_border(first, n, audit_at) if border else first


def _bisect(low: int, high: int, safe: Callable[[int], bool]) -> int:
    """Return the least safe number of low .. high, where high is safe and all above a safe one are."""
    while low < high:
        middle = (low + high) // 2
        if safe(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _beyond_border(first: int, n: int, audit_at: Callable[..., Audit]) -> int | None:
    support = first
    for _ in range(_MOST_RUNS):
        here = audit_at(support, border=True)
        if here.safe:
            return support
        # The frequent itemsets stay the same up to the least support among them.
        end = here.least_listed_support
        if end is None or end > n:
            return n + 1
        if end > support and audit_at(end, border=True).safe:
            return _bisect(support + 1, end, lambda s: audit_at(s, border=True).safe)
        support = end + 1
    return None

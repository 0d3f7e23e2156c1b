"""The lowest support at which nothing has to be changed.

Problem      given rows or a complete collection, and k, find the least minimum support whose patterns are safe.
Method       raising the support only takes itemsets away, so channels of the collection disappear and none appears:
             the least support without any is found by bisection. What follows beyond the collection need not disappear
             in order. While the frequent itemsets stay the same, a higher support only widens what an unpublished one
             can have; so beyond the first answer, each run of supports with the same itemsets is tried at its upper
             end, and bisected where that is safe. A quick attack rules most supports out before they are audited.
Promises     an audit at the answer is safe, and at every support from the one asked about up to it is not.
Cost         some twenty audits at higher supports than the first, each of fewer itemsets; rows are mined once.
Reference    atzori2008, section 6.1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, attack, check_steps
from discreet.channels.audit import audit
from discreet.channels.collection import Collection, collection_of
from discreet.channels.exclusive import Exclusive, exclusive_in_patterns, exclusive_in_rows
from discreet.channels.knowledge import Knowledge
from discreet.patterns.mining import mine
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.channels.attacker import Steps
    from discreet.channels.exclusive_names import Named
    from discreet.patterns.formats.given import GivenPatterns
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.formats.cell_rules import Names

__all__ = ["lowest_safe_support"]

_MOST_RUNS = 1000
_QUICK_STEPS = 300
"""Of the attack that rules supports out: whatever it finds follows."""


def lowest_safe_support(
    source: Transactions | PatternSet | GivenPatterns | Collection,
    *,
    k: int,
    min_support: int,
    border: bool = True,
    attack_steps: Steps = DEFAULT_ATTACK_STEPS,
    exclusive: Named | Exclusive | None = None,
    quasi_identifiers: Names | None = None,
    most_runs: int = _MOST_RUNS,
) -> int | None:
    """Return the least support from `min_support` up whose patterns are safe, or None where there is none.

    There is none where all rows together are fewer than k, in an incomplete collection, or where the search beyond the
    collection has looked at `most_runs` supports in vain.

    >>> rows = Transactions.from_rows(["abc", "abc", "ab", "c", "c"])
    >>> lowest_safe_support(rows, k=2, min_support=1)
    5
    """
    if isinstance(source, Transactions):
        if not isinstance(exclusive, Exclusive):
            exclusive = exclusive_in_rows(source, exclusive)
        source = mine(source, min_support=min_support, target="closed")
    collection = source if isinstance(source, Collection) else collection_of(source)
    if collection.kind == "incomplete" or collection.patterns.n < k:
        return None
    n = collection.patterns.n
    if not isinstance(exclusive, Exclusive):
        exclusive = exclusive_in_patterns(collection.patterns, exclusive)
    steps = check_steps(attack_steps)
    quick = _QUICK_STEPS if steps is None else min(steps, _QUICK_STEPS)

    def channels_at(support: int) -> bool:
        patterns = collection.at_support(support)
        return not audit(patterns, k=k, border=False, quasi_identifiers=quasi_identifiers).safe

    def safe_at(support: int) -> bool:
        patterns = collection.at_support(support)
        if quasi_identifiers is None and len(patterns):
            here = collection_of(patterns)
            known = Knowledge.of(here, exclusive.itemsets(patterns.vocabulary))
            if len(attack(known, k=k, maximal=here.maximal, steps=quick).groups):
                return False
        return audit(
            patterns, k=k, attack_steps=attack_steps, exclusive=exclusive, quasi_identifiers=quasi_identifiers
        ).safe

    first = _bisect(min_support, n + 1, lambda support: not channels_at(support))
    return _beyond(collection, first, safe_at, most_runs) if border else first


def _bisect(low: int, high: int, safe: Callable[[int], bool]) -> int:
    """Return the least safe number of low .. high, where high is safe and all above a safe one are."""
    while low < high:
        middle = (low + high) // 2
        if safe(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _beyond(collection: Collection, first: int, safe: Callable[[int], bool], most_runs: int) -> int | None:
    supports, n = collection.patterns.supports, collection.patterns.n
    support = first
    for _ in range(most_runs):
        if safe(support):
            return support
        # The frequent itemsets stay the same up to the least support among them.
        listed = supports[supports >= support]
        if not len(listed):
            return n + 1
        end = int(listed.min())
        if end > support and safe(end):
            return _bisect(support + 1, end, safe)
        support = end + 1
    return None

"""Advise how to make patterns safe: blocking and its price, the lowest safe support, what to leave out or declare.

Problem      given an audit, find what can be done about its verdict, without mining again.
Method       small collections are blocked to learn the price. The lowest safe support starts from the first support
             without a channel, which the trade-off gives. Inferences beyond the collection need not disappear in order:
             while the frequent itemsets stay the same, a higher support only widens the range of an unpublished
             support. So each run of supports with the same itemsets is tried at its upper end, and bisected if that
             end is safe. A quick attack rules out most supports before they are audited. If hardly any support is safe,
             columns or items are looked for whose removal opens most (see `removal`).
Promises     an audit at the lowest safe support is safe, and an audit at any support between the requested one and it
             is not.
Cost         a trade-off at one support, and at most twenty audits of ever fewer itemsets; blocking mines at most once.
Reference    atzori2008, section 6.1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, attack, check_steps
from discreet.channels.audit import is_safe
from discreet.channels.blocking import BlockingMethod, block
from discreet.channels.collection import Collection, collection_of
from discreet.channels.exclusive import Exclusive, exclusive_in_patterns, exclusive_in_rows, looks_exclusive
from discreet.channels.knowledge import Knowledge
from discreet.channels.quasi_identifiers import without_unknown
from discreet.channels.removal import find_removal, opens_little
from discreet.channels.row_source import LocalRows, RowSource
from discreet.channels.tradeoff import tradeoff
from discreet.errors import NotSafe, TooManyPatterns
from discreet.patterns.counted_patterns import CountedPatterns
from discreet.patterns.imported_patterns import ImportedPatterns
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from discreet.channels.attacker import StepBudget
    from discreet.channels.audit import Audit
    from discreet.channels.exclusive import ExclusiveHint
    from discreet.channels.exclusive_names import Named
    from discreet.patterns.imported_patterns import ImportedRules
    from discreet.transactions.shapes.cell_rules import Names

__all__ = ["Advice", "LeaveOut", "Price", "advise", "lowest_safe_support"]

_QUICK_TO_BLOCK = 120
"""The most closed itemsets for which blocking is tried to learn its price; its attacks grow with them."""

_QUICK_TO_ADVISE = 100_000
"""The most closed itemsets that advice starts from if there are very many."""

_MOST_RUNS = 1000
_ADVISED_RUNS = 20
"""How many supports the search tries beyond the first without a channel, at most and when giving advice."""

_REMOVAL_RUNS = 5
"""How many supports are tried where something is left out."""

_QUICK_STEPS = 300
"""The budget of the attack that rules supports out. Everything it finds is a real inference."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a blocking method costs: rows added or left out, the largest change of a support, and itemsets withheld."""

    rows: int
    worst: Fraction
    withheld: int = 0


@dataclass(frozen=True, slots=True)
class Advice:
    """What can be done about the verdict of an audit.

    blocking    methods that make the patterns safe, each with its price, None if it was not tried
    lowest      the lowest support at which nothing has to be changed, None if it is not known
    hopeless    whether no pattern can be published unchanged at any support
    exclusive   sets of items that look like values of one attribute but were not declared exclusive
    leave_out   columns, or items, whose removal opens most if hardly any support is safe, None if there is no need
    """

    blocking: dict[BlockingMethod, Price | None]
    lowest: int | None
    hopeless: bool
    exclusive: tuple[ExclusiveHint, ...]
    leave_out: LeaveOut | None = None


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """Columns, or items if `columns` is false, the lowest safe support without them, and how many itemsets that has."""

    names: tuple[str, ...]
    columns: bool
    lowest: int
    itemsets: int


def advise(
    source: RowSource | PatternSet | ImportedPatterns | ImportedRules,
    found: Audit,
    *,
    attack_steps: StepBudget = DEFAULT_ATTACK_STEPS,
    quasi_identifiers: Names | None = None,
    ignore_unknown: bool = False,
    try_out: bool = True,
) -> Advice:
    """Advise what can be done about `found`, the audit of `source`, with the same options as the audit.

    With `try_out`, small collections are blocked to learn the price. Pass the row source that the audit used: it has
    the closed itemsets already.
    """
    if ignore_unknown:
        quasi_identifiers, _ = without_unknown(source, quasi_identifiers)
    blocking: dict[BlockingMethod, Price | None] = {}
    if not found.safe and isinstance(source, RowSource):
        for method in get_args(BlockingMethod) if not found.groups_safe else ("suppressive",):
            if not try_out or found.closed_count > _QUICK_TO_BLOCK:
                blocking[method] = None
            elif price := _price(source, found, method, attack_steps, quasi_identifiers):
                blocking[method] = price
    if found.asked is not None:  # a support that helps against small groups need not help against conclusions
        return Advice(blocking, None, hopeless=False, exclusive=_exclusive(source, found))
    lowest = _lowest(source, found, attack_steps, quasi_identifiers)
    highest = 0 if found.collection is None else found.collection.highest_support
    too_few = found.collection is not None and found.n is not None and found.n < found.k
    hopeless = (not found.safe and too_few) or (lowest is not None and lowest > highest)
    safe_from = None if hopeless else lowest
    leave_out = None if quasi_identifiers is not None else _leave_out(found, safe_from, attack_steps)
    return Advice(blocking, safe_from, hopeless, _exclusive(source, found), leave_out)


def _few_of(collection: Collection) -> Collection:
    """Return the patterns of a higher support in place of very many; what is advised from there up is the same."""
    patterns = collection.patterns
    if not isinstance(patterns, CountedPatterns):
        return collection
    return Collection(patterns.at_higher_support(_QUICK_TO_ADVISE), "closed", said=True)


def _leave_out(found: Audit, lowest: int | None, attack_steps: StepBudget) -> LeaveOut | None:
    """Return what to leave out if hardly any support is safe; None if some is, or if nothing helps."""
    if found.safe or found.n is None or found.collection is None or not opens_little(lowest, found.n):
        return None
    removal = find_removal(_few_of(found.collection), k=found.k, lowest=lowest, columns=found.exclusive.columns)
    if removal is None:
        return None
    safe_from = lowest_safe_support(
        removal.left,
        k=found.k,
        min_support=removal.support,
        border=found.attack is not None,
        attack_steps=attack_steps,
        exclusive=found.exclusive.within(removal.left.patterns.vocabulary),
        most_runs=_REMOVAL_RUNS,
    )
    highest = int(removal.left.patterns.supports.max(initial=0))
    if safe_from is None or safe_from > highest or (lowest is not None and safe_from >= lowest):
        return None
    itemsets = int((removal.left.patterns.supports >= safe_from).sum())
    return LeaveOut(removal.names, removal.columns, safe_from, itemsets)


def _price(
    source: RowSource, found: Audit, method: BlockingMethod, attack_steps: StepBudget, quasi_identifiers: Names | None
) -> Price | None:
    """Return the price of blocking; None if blocking fails."""
    try:
        done = block(
            source,
            k=found.k,
            min_support=found.min_support or 1,
            method=method,
            border=found.attack is not None,
            attack_steps=attack_steps,
            exclusive=found.exclusive,
            quasi_identifiers=quasi_identifiers,
            sensitive=None if found.asked is None else found.asked.sensitive,
            rho=found.rho,
        )
    except (NotSafe, TooManyPatterns):
        return None
    return Price(done.distortion.rows, done.distortion.worst, 0 if done.withheld is None else len(done.withheld))


def _lowest(
    source: RowSource | PatternSet | ImportedPatterns | ImportedRules,
    found: Audit,
    attack_steps: StepBudget,
    quasi_identifiers: Names | None,
) -> int | None:
    """Return the lowest safe support; None if it is unknown or the search was cut off."""
    if found.safe or found.collection is None or found.min_support is None or found.n is None:
        return None
    public = found.collection
    if quasi_identifiers is not None:  # all public patterns can say something about the quasi-identifiers
        if isinstance(source, RowSource):
            public = Collection(source.frequent(found.min_support).closed, "closed", said=True)
        elif isinstance(source, (PatternSet, ImportedPatterns)):
            public = collection_of(source)
    few = _few_of(public)
    min_support = max(found.min_support, few.patterns.min_support)
    lowest = lowest_safe_support(
        few,
        k=found.k,
        min_support=min_support,
        border=found.attack is not None,
        attack_steps=attack_steps,
        exclusive=found.exclusive,
        quasi_identifiers=quasi_identifiers,
        most_runs=_ADVISED_RUNS,
    )
    return None if few is not public and lowest == min_support else lowest  # a lower one may be safe, too


def _exclusive(
    source: RowSource | PatternSet | ImportedPatterns | ImportedRules, found: Audit
) -> tuple[ExclusiveHint, ...]:
    if found.attack is None or found.collection is None:
        return ()
    looked_at = source.rows if isinstance(source, LocalRows) else found.collection.patterns
    return looks_exclusive(looked_at, found.min_support, found.exclusive)


def lowest_safe_support(
    source: Transactions | PatternSet | ImportedPatterns | Collection,
    *,
    k: int,
    min_support: int,
    border: bool = True,
    attack_steps: StepBudget = DEFAULT_ATTACK_STEPS,
    exclusive: Named | Exclusive | None = None,
    quasi_identifiers: Names | None = None,
    most_runs: int = _MOST_RUNS,
) -> int | None:
    """Return the lowest support from `min_support` up whose patterns are safe, or None if there is none.

    There is none if there are fewer than k rows, if the collection is incomplete, or if the search beyond the
    collection has tried `most_runs` supports without success.

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
    known = exclusive if isinstance(exclusive, Exclusive) else exclusive_in_patterns(collection.patterns, exclusive)
    steps = check_steps(attack_steps)
    quick = _QUICK_STEPS if steps is None else min(steps, _QUICK_STEPS)

    def safe_at(support: int) -> bool:
        here = collection_of(collection.at_support(support))
        if quasi_identifiers is None and len(here.patterns):
            knowledge = Knowledge.of(here, known.itemsets(here.patterns.vocabulary))
            if len(attack(knowledge, k=k, maximal=here.maximal, steps=quick).groups):
                return False
        return is_safe(here, k=k, steps=steps, exclusive=known, quasi_identifiers=quasi_identifiers)

    from_here = collection.at_support(min_support)
    first = tradeoff(from_here, min_support=[min_support], k=[k], quasi_identifiers=quasi_identifiers).lowest[k]
    return first if first is None or not border else _beyond(collection, first, safe_at, most_runs)


def _beyond(collection: Collection, first: int, safe: Callable[[int], bool], most_runs: int) -> int | None:
    """Return the lowest safe support from the first one without a channel up."""
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


def _bisect(low: int, high: int, safe: Callable[[int], bool]) -> int:
    """Return the least safe number of low .. high, given that high is safe and safety is monotone."""
    while low < high:
        middle = (low + high) // 2
        if safe(middle):
            high = middle
        else:
            low = middle + 1
    return low

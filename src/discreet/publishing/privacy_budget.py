"""What the releases in a ledger have spent of a privacy budget, and that exact and noisy ones do not go together.

All releases in one ledger are taken to be about the same people, whichever rows they were made from: epsilon and delta
of noisy ones add up, and stay spent when a release is withdrawn. An exact release of the same people voids the promise
of a noisy one, before or after it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.differential_privacy.budget import Budget, decimal_text, parse_decimal
from discreet.errors import NotSafe, ParameterError, param
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from discreet.differential_privacy.budget import Decimals
    from discreet.json_types import ParsedDocument
    from discreet.publishing.ledger_entries import Entry

__all__ = [
    "NOISY",
    "budget_notes",
    "check_budget",
    "check_not_void",
    "check_spent",
    "exact_entries",
    "left_words",
    "new_limits",
    "spent_in",
    "voided",
]

NOISY = "noisy-patterns"
"""The kind of certificate of a release under differential privacy."""


def spent_in(entries: Iterable[Entry], *, replaced: bool = False) -> Budget:
    """Return what the noisy releases among these have spent together.

    If the number of rows was public for one of them, or is for another one (`replaced`), a row is replaced between
    neighbours. That is one removed and one added, so that what was promised for one of these counts twice.
    """
    promises = [entry.certificate.promise for entry in entries if entry.certificate.kind == NOISY]
    replaced |= any(map(_is_replaced, promises))
    counted_as = [2 if replaced and not _is_replaced(promise) else 1 for promise in promises]
    sums = (
        sum((times * Fraction(promise[name]) for times, promise in zip(counted_as, promises, strict=True)), Fraction(0))
        for name in ("epsilon", "delta")
    )
    return Budget(*sums)


def _is_replaced(promise: ParsedDocument) -> bool:
    """Return whether one row is replaced between the neighbours of a promise."""
    return promise.get("neighbours") == "one row replaced"


def voided(entries: Iterable[Entry]) -> tuple[int, ...]:
    """Return the numbers of the noisy releases whose promise is void, as there are exact ones of the same people."""
    listed = list(entries)
    noisy = tuple(entry.number for entry in listed if entry.certificate.kind == NOISY)
    return noisy if len(noisy) < len(listed) else ()


def check_not_void(entries: Iterable[Entry]) -> None:
    """Raise NotSafe if exact releases in a ledger void what noisy ones promise."""
    if numbers := voided(entries):
        raise NotSafe(_void_words(numbers))


def _void_words(numbers: Sequence[int]) -> str:
    """Return that releases with noise are void, in a sentence."""
    which = ("release " if len(numbers) == 1 else "releases ") + ", ".join(map(str, numbers))
    return (
        f"the promise of {which}, which {'has' if len(numbers) == 1 else 'have'} noise, is void: the ledger also has "
        "exact releases of the same people"
    )


def budget_notes(entries: Sequence[Entry], limits: Mapping[str, str] | None = None) -> list[str]:
    """Return what a ledger says about its releases with noise, and about their budget, in sentences."""
    spent, numbers, most = spent_in(entries), voided(entries), dict(limits or {})
    told = [f"Noise has spent {spent} so far."] if spent.epsilon else []
    told += _rows_among_people(entries)
    if most:
        said = " and ".join(f"{name} = {limit}" for name, limit in sorted(most.items(), reverse=True))
        told.append(f"All releases with noise may spend {said} together.")
    return [*told, *([f"{_void_words(numbers).capitalize()}."] if numbers else [])]


def _rows_among_people(entries: Sequence[Entry]) -> list[str]:
    """Return in a sentence which noisy releases protect a row each, if others protect a person."""
    noisy = [entry for entry in entries if entry.certificate.kind == NOISY]
    numbers = [entry.number for entry in noisy if not entry.certificate.promise.get("persons")]
    if len(numbers) in (0, len(noisy)):
        return []
    one = len(numbers) == 1
    which = f"Release {numbers[0]} protects" if one else f"Releases {', '.join(map(str, numbers))} protect"
    whose = "its share counts" if one else "their shares count"
    return [f"{which} one row and not one person: for a person with several rows, {whose} as often."]


def check_spent(entries: Sequence[Entry], limits: Mapping[str, str]) -> None:
    """Raise NotSafe if the noisy releases in a ledger have spent more than its budget."""
    spent = spent_in(entries)
    for name, used in (("epsilon", spent.epsilon), ("delta", spent.delta)):
        if name in limits and used > Fraction(limits[name]):
            raise NotSafe(
                f"the budget of the ledger is {name} = {limits[name]}, and its releases have spent {decimal_text(used)}"
            )


def new_limits(
    stored: Mapping[str, str], most: tuple[Decimals | None, Decimals | None], *, ledger: object
) -> dict[str, str]:
    """Return the limits that a release gives a ledger; refuse to raise one by the way."""
    found = {}
    for name, given in zip(("epsilon", "delta"), most, strict=True):
        if given is None:
            continue
        parameter = f"budget_{name}"
        if ledger is None:
            raise ParameterError(
                f"{param(parameter)} is about all releases in a ledger; give a ledger as well", parameter=parameter
            )
        limit = parse_decimal(given, parameter=parameter)
        if name in stored and limit > Fraction(stored[name]):
            raise ParameterError(
                f"the budget of the ledger is {name} = {stored[name]}, and {param(parameter)} asks for "
                f"{decimal_text(limit)}; leave it out, or raise the budget first, which is recorded: discreet ledger "
                f"budget {ledger}",
                parameter=parameter,
            )
        if name not in stored or limit < Fraction(stored[name]):
            found[name] = decimal_text(limit)
    return found


def check_budget(
    entries: Sequence[Entry],
    wanted: Budget,
    *,
    limits: Mapping[str, str],
    replaced: bool = False,
    accept_void: bool = False,
) -> dict[str, Fraction]:
    """Refuse a noisy release that the budget does not allow, or that exact releases in the ledger void.

    `replaced` is whether one row is replaced between its neighbours. Returns what is left of epsilon and of delta
    after it, where there is a limit.
    """
    exact = [entry.number for entry in entries if entry.certificate.kind != NOISY]
    if exact and not accept_void:
        raise NotSafe(
            f"release {exact[0]} in the ledger is an exact one of the same people, and voids what noise would promise "
            f"them; keep a ledger of its own for other people, or accept that with {param('accept_void', value=True)}"
        )
    noisy = [entry for entry in entries if entry.certificate.kind == NOISY]
    twice = not replaced and any(_is_replaced(entry.certificate.promise) for entry in noisy)
    spent, left = spent_in(entries, replaced=replaced), {}
    for name, used, once in (
        ("epsilon", spent.epsilon, wanted.epsilon),
        ("delta", spent.delta, wanted.delta),
    ):
        asked = 2 * once if twice else once
        if name in limits and used + asked > Fraction(limits[name]):
            limit = Fraction(limits[name])
            also = ", where one row added or removed counts twice beside one replaced" if asked != once else ""
            raise NotSafe(
                f"the budget of the ledger is {name} = {decimal_text(limit)}; its "
                f"{counted(len(noisy), 'release')} spent "
                f"{decimal_text(used)}, so {decimal_text(max(limit - used, Fraction(0)))} is left, and this one asks "
                f"for {decimal_text(asked)}{also}"
            )
        if name in limits:
            left[name] = Fraction(limits[name]) - used - asked
    return left


def left_words(left: Mapping[str, Fraction]) -> str:
    """Return what is left of a ledger's budget, in a sentence; empty without a budget.

    >>> left_words({"epsilon": Fraction(1, 2)})
    'Of the budget of the ledger, epsilon = 0.5 is left.'
    """
    said = " and ".join(f"{name} = {decimal_text(value)}" for name, value in left.items())
    return f"Of the budget of the ledger, {said} is left." if said else ""


def exact_entries(entries: Sequence[Entry], *, accept_void: bool) -> tuple[Entry, ...]:
    """Return the exact releases, for an audit together with a new one; refuse one that would void noisy ones."""
    noisy = [entry.number for entry in entries if entry.certificate.kind == NOISY]
    if noisy and not accept_void:
        raise NotSafe(
            f"release {noisy[0]} in the ledger has noise (differential privacy), and an exact release of the same "
            "people would void its promise; publish with noise again, or accept that with "
            f"{param('accept_void', value=True)}"
        )
    return tuple(entry for entry in entries if entry.certificate.kind != NOISY)

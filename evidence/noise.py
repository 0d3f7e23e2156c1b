"""Membership attacks on releases under differential privacy: each measurement alone, the whole, and planted faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evidence.campaign import Campaign, Outcome
from tests.differential_privacy.membership import FAULTS, TRIALS, certain_epsilon, forget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

__all__ = ["CAMPAIGNS"]


def _attacks(count: int, *, whole: bool) -> Iterator[Outcome]:
    """Attack whole releases, or measurements alone, as they are and with planted faults."""
    for fault, (plant, trials) in FAULTS.items():
        for name in trials:
            if name.startswith("release") == whole:
                yield _attack(name, fault, plant, count)


def _attack(name: str, fault: str, plant: Callable[[], AbstractContextManager[Any]], count: int) -> Outcome:
    trial = TRIALS[name]()
    try:
        with plant():
            found = certain_epsilon(trial, count)
    finally:
        forget()
    exceeded = found > trial.epsilon
    note = f"promised {trial.epsilon:g}; certain: at least {max(found, 0):.2f}"
    if fault == "none":
        return Outcome(f"{name}, as it is", 2 * count, 0, int(exceeded), note)
    noticed = "noticed" if exceeded else f"**not noticed** with {count:,} pairs"
    missed = not exceeded and count >= _ENOUGH
    return Outcome(f"{name}, with a planted fault: {fault}", 2 * count, 0, int(missed), f"{note}; {noticed}")


_ENOUGH = 5000
"""With fewer pairs some faults are too small to be certain of: the page says so, and it does not count as broken."""

_BOUNDS = (
    "The bounds are exact (Clopper and Pearson) and wrong with a probability of 2e-10. A trial is one run on one of "
    "two neighbours, so a pair is two trials. A planted fault that is not noticed counts as broken from "
    f"{_ENOUGH:,} pairs on; with fewer, the fault can be too small to be certain of."
)

CAMPAIGNS = (
    Campaign(
        "Noise of measurements",
        "No attacker who knows all rows but one is certain of a larger ε than was promised for a measurement. Each is "
        f"attacked as it is, and with planted faults, which the attack should notice. {_BOUNDS}",
        lambda count: _attacks(count, whole=False),
        few=20,
        many=10_000,
    ),
    Campaign(
        "Noise of releases",
        f"The same for whole releases, as `release --method dp` makes them. {_BOUNDS}",
        lambda count: _attacks(count, whole=True),
        few=20,
        many=10_000,
    ),
)

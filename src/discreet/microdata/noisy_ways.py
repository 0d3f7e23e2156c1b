"""What differential privacy leaves of the itemsets of rows, to compare with exact ways to publish.

It is for the owner's eyes: the items that occur are taken for public, and nothing here is recorded as spent. Every
itemset that is found is counted in the rows; it is kept if it is frequent there, and invented otherwise.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.differential_privacy.budget import decimal_text, parse_decimal
from discreet.differential_privacy.measurements import library
from discreet.differential_privacy.private_itemsets import dp_patterns
from discreet.errors import EngineError, ParameterError, param
from discreet.stages import tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.differential_privacy.budget import Decimals
    from discreet.json_types import JsonObject
    from discreet.transactions.transactions import Transactions

__all__ = ["EPSILONS", "NoisyWay", "epsilons_to_try", "noisy_ways", "parse_epsilons"]

EPSILONS = (Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2))
"""What is tried if nobody says otherwise."""

_DIGITS, _MOST = 4, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyWay:
    """What noise at one epsilon leaves of the itemsets; another run gives other figures.

    kept, lost    frequent itemsets that are listed, and those that are not
    invented      listed itemsets that are not frequent in the rows
    average       the average relative error of the supports, over all itemsets of the rows; a lost one counts 1
    worst         the largest relative error of a frequent itemset's support, or of the number of rows
    promise       the promise in a sentence
    seconds       how long it took
    """

    epsilon: Fraction
    kept: int
    lost: int
    invented: int
    average: Fraction
    worst: Fraction
    promise: str
    seconds: float = field(compare=False)

    @property
    def name(self) -> str:
        """The way in words."""
        return f"dp, epsilon {decimal_text(self.epsilon)}"

    @property
    def method(self) -> str:
        """The name, as other ways have it."""
        return self.name

    @property
    def road(self) -> str:
        """Neither patterns nor data are anonymized first."""
        return "noise"

    @property
    def against(self) -> str:
        """Against whom it protects."""
        return "everyone, whatever they know or will know"

    def to_dict(self) -> JsonObject:
        """Return the JSON form: the average and the worst with four digits."""
        told = {name: getattr(self, name) for name in ("kept", "lost", "invented", "promise")}
        measured = {name: round(float(getattr(self, name)), _DIGITS) for name in ("average", "worst", "seconds")}
        return {"epsilon": decimal_text(self.epsilon)} | told | measured | {"against": self.against}


def parse_epsilons(given: str | Sequence[Decimals] | None) -> tuple[Fraction, ...]:
    """Return epsilons from a list, or from `0.1,0.5,1`; none without any.

    >>> parse_epsilons("0.1,2")
    (Fraction(1, 10), Fraction(2, 1))
    """
    if given is None:
        return ()
    listed = given.split(",") if isinstance(given, str) else list(given)
    if not 0 < len(listed) <= _MOST:
        raise ParameterError(f"{param('epsilon')} must be a list of 1 to {_MOST} decimals", parameter="epsilon")
    return tuple(parse_decimal(each, parameter="epsilon") for each in listed)


def epsilons_to_try(given: str | Sequence[Decimals] | None) -> tuple[tuple[Fraction, ...], str | None]:
    """Return the epsilons of a comparison, and why there are none though "none" was not asked for.

    >>> epsilons_to_try("none")
    ((), None)
    """
    if given == "none":
        return (), None
    if given is not None:
        return parse_epsilons(given), None
    try:
        library()
    except EngineError:
        return (), "OpenDP is not installed (pip install 'discreet[dp]')"
    return EPSILONS, None


def noisy_ways(
    rows: Transactions, *, min_support: int, itemsets: int, epsilons: Sequence[Fraction]
) -> tuple[NoisyWay, ...]:
    """Return what is left at each epsilon of this many frequent itemsets, for a comparison or a page that shows one.

    The items that occur are taken for public, and nothing is recorded as spent: the figures are for the owner alone.
    """
    ways: list[NoisyWay] = []
    for number, epsilon in enumerate(epsilons):
        tell("adding noise", number / len(epsilons))
        ways.append(_noisy_way(rows, min_support, itemsets, epsilon))
    return tuple(ways)


def _noisy_way(rows: Transactions, min_support: int, itemsets: int, epsilon: Fraction) -> NoisyWay:
    start = time.perf_counter()
    universe = rows.vocabulary.labels or ("none",)
    found = dp_patterns(rows, epsilon=epsilon, min_support=min_support, universe=universe).patterns
    codes = np.array([rows.vocabulary.positions[label] for label in found.vocabulary.labels], np.int32)
    true = found.itemsets.canonical(codes).count_in(rows.itemsets, rows.weights, len(rows.vocabulary))
    frequent = true >= min_support
    pairs = zip(found.supports[frequent].tolist(), true[frequent].tolist(), strict=True)
    errors = [Fraction(abs(noisy - exact), exact) for noisy, exact in pairs]
    kept = len(errors)
    of_n = Fraction(abs(found.n - rows.n), rows.n) if rows.n else Fraction(0)
    return NoisyWay(
        epsilon=epsilon,
        kept=kept,
        lost=itemsets - kept,
        invented=len(found) - kept,
        average=(sum(errors, of_n) + itemsets - kept) / (itemsets + 1),
        worst=max([*errors, of_n, Fraction(kept < itemsets)]),
        promise=f"whether any one row is there changes no probability by a factor of more than "
        f"exp({decimal_text(epsilon)}); supports have noise, and epsilon adds up over releases",
        seconds=time.perf_counter() - start,
    )

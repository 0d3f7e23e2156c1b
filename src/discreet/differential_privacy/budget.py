"""How much of the privacy budget each step of a release spends: exact fractions, added up.

A `Budget` is what was promised (epsilon and delta), a `Spent` what one measurement spent of it, as OpenDP's privacy map
accounts for it, and `Spending` refuses a step that would exceed the budget. Steps run one after another, and what one
gave may decide the share of a later one: for every sequence of outcomes the shares add up to at most epsilon, so the
product of the ratios of probabilities is at most exp(epsilon).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from discreet.errors import DataError, InternalFault, ParameterError, param

if TYPE_CHECKING:
    from discreet.json_types import JsonObject

__all__ = ["MOST_DELTA", "MOST_EPSILON", "Budget", "Decimals", "Spending", "Spent", "decimal_text", "parse_decimal"]

Decimals: TypeAlias = "int | str | float | Decimal | Fraction"
"""An exact decimal; a float is read as the decimal it prints as."""

MOST_EPSILON = 20
"""Beyond it, one row can change a probability by a factor of 485 million: a promise in name only."""

MOST_DELTA = Fraction(1, 1000)
_LONGEST = 24
_MOST_EXPONENT = 18


def parse_decimal(given: Decimals, *, parameter: str) -> Fraction:
    """Return a number that was written in decimals, exactly; raise ParameterError for anything else.

    >>> parse_decimal("0.1", parameter="epsilon"), parse_decimal(1e-6, parameter="delta")
    (Fraction(1, 10), Fraction(1, 1000000))
    """
    text = given.strip() if isinstance(given, str) else repr(given) if isinstance(given, float) else str(given)
    try:
        value = None if isinstance(given, bool) or len(text) > _LONGEST else Fraction(Decimal(text))
    except (InvalidOperation, ValueError, OverflowError):  # not a number, or none that is finite
        value = given if isinstance(given, Fraction) else None
    if value is None or (value and value.denominator > 10**_MOST_EXPONENT) or "/" in decimal_text(value):
        raise ParameterError(
            f"{param(parameter)} must be a decimal, got {given!r}; write it like 0.5 or 1e-6", parameter=parameter
        )
    return value


def decimal_text(value: Fraction) -> str:
    """Return a fraction as a decimal if it is one, else as a fraction.

    >>> decimal_text(Fraction(1, 8)), decimal_text(Fraction(2)), decimal_text(Fraction(1, 3))
    ('0.125', '2', '1/3')
    """
    for places in range(_MOST_EXPONENT + 1):
        whole = value * 10**places
        if whole.denominator == 1:
            digits = f"{abs(whole.numerator):0{places + 1}d}"
            sign = "-" if whole < 0 else ""
            return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)
    return str(value)


@dataclass(frozen=True, slots=True)
class Budget:
    """What is promised: no row changes any probability by more than a factor exp(epsilon), except with delta."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    @classmethod
    def parse(cls, epsilon: Decimals, delta: Decimals | None = None) -> Budget:
        """Return a budget; raise ParameterError if it promises nothing.

        >>> Budget.parse("0.5", "1e-6")
        Budget(epsilon=Fraction(1, 2), delta=Fraction(1, 1000000))
        """
        exact = parse_decimal(epsilon, parameter="epsilon")
        if not 0 < exact <= MOST_EPSILON:
            raise ParameterError(
                f"{param('epsilon')} must be above 0 and at most {MOST_EPSILON}, got {decimal_text(exact)}; 1 is "
                "usual, and above that the promise fades quickly",
                parameter="epsilon",
            )
        share = Fraction(0) if delta is None else parse_decimal(delta, parameter="delta")
        if not 0 <= share <= MOST_DELTA:
            raise ParameterError(
                f"{param('delta')} must be at least 0 and at most {decimal_text(MOST_DELTA)}, got "
                f"{decimal_text(share)}; choose it far below one divided by the number of rows",
                parameter="delta",
            )
        return cls(exact, share)

    def to_dict(self) -> dict[str, str]:
        """Return the JSON form."""
        return {"epsilon": decimal_text(self.epsilon), "delta": decimal_text(self.delta)}

    def __str__(self) -> str:
        delta = f", delta = {decimal_text(self.delta)}" if self.delta else ""
        return f"epsilon = {decimal_text(self.epsilon)}{delta}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """One measurement: what it spent of the budget.

    name          what was measured
    mechanism     OpenDP's name of the measurement
    sensitivity   by how much one row changes what was measured, in the measurement's metric
    chosen        how many indices a selection gives; 1 for others
    scale         of the noise, as OpenDP was given it
    epsilon       the share of epsilon that it may spend
    accounted     what OpenDP's privacy map says it spends, at most `epsilon`
    delta         what OpenDP's privacy map says of delta
    threshold     below which a count is left out; None if none is
    """

    name: str
    mechanism: str
    sensitivity: int
    scale: float
    epsilon: Fraction
    accounted: float
    chosen: int = 1
    delta: float = 0.0
    threshold: int | None = None

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        told: JsonObject = {
            "name": self.name,
            "mechanism": self.mechanism,
            "sensitivity": self.sensitivity,
            "chosen": self.chosen,
            "scale": repr(self.scale),
            "epsilon": str(self.epsilon),
            "accounted": repr(self.accounted),
            "delta": repr(self.delta),
            "threshold": self.threshold,
        }
        return told

    @classmethod
    def from_dict(cls, told: object) -> Spent:
        """Return a step from its JSON form; raise DataError for anything else."""
        try:
            table = dict(told)  # type: ignore[call-overload]
            numbers = {name: float(table[name]) for name in ("scale", "accounted", "delta")}
            step = cls(**table | numbers | {"epsilon": Fraction(table["epsilon"])})
            right = step.to_dict() == told and all(0 <= value < math.inf for value in numbers.values()) and step.scale
        except (ArithmeticError, KeyError, TypeError, ValueError):
            right = False
        if not right:
            raise DataError("a step of the certificate is not written as the program writes it")
        return step


@dataclass(slots=True)
class Spending:
    """A budget, how many rows come or go between neighbours, and what was spent of it."""

    budget: Budget
    changes: int = 1
    steps: list[Spent] = field(default_factory=list)

    @property
    def left(self) -> Fraction:
        """What is left of epsilon."""
        return self.budget.epsilon - sum((step.epsilon for step in self.steps), Fraction(0))

    def record(self, step: Spent) -> None:
        """Add a step; one that would exceed the budget is a fault of the program."""
        self.steps.append(step)
        epsilon = sum((Fraction(each.accounted) for each in self.steps), Fraction(0))
        delta = sum((Fraction(each.delta) for each in self.steps), Fraction(0))
        if self.left < 0 or epsilon > self.budget.epsilon or delta > self.budget.delta:
            raise InternalFault(f"the step {step.name} exceeds the budget")

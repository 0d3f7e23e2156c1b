"""The noise of every measurement: the right amount is accepted, 1.3 and 0.7 times as much are not.

Samples are so large that a right measurement fails a test with a probability below 1e-9, and a wrong one passes as
rarely. Each test has these probabilities: binomial ones, and Chernoff's bounds for means.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.differential_privacy.budget import Budget, Spending, Spent, parse_decimal
from discreet.differential_privacy.measurements import (
    frequent_labels,
    library,
    noisy_bins,
    noisy_count,
    noisy_place,
    noisy_top,
)
from discreet.errors import InternalFault, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

SCALED = [pytest.param(Fraction(1), True, id="right"), (Fraction(10, 13), False), (Fraction(10, 7), False)]
"""What is made of epsilon, and whether the noise is then right: 1.3 times the noise is 10/13 of epsilon."""

EPSILON = Fraction(1, 10)


def mean_is(values: np.ndarray, expected: float, bound: float) -> bool:
    return bool(abs(values.mean() - expected) <= bound)


@pytest.mark.parametrize(("factor", "right"), SCALED)
def test_noise_of_a_count(factor: Fraction, right: bool) -> None:
    noise = np.array([noisy_count(0, name="n", epsilon=EPSILON * factor)[0] for _ in range(4000)])
    assert mean_is(np.abs(noise), 10, 1.4) == right  # fails with 2e-16, 8e-15 and 4e-41


@pytest.mark.parametrize(("factor", "right"), SCALED)
def test_noise_of_bins(factor: Fraction, right: bool) -> None:
    noise, _ = noisy_bins(np.full(6000, 7), sensitivity=3, name="bins", epsilon=3 * EPSILON * factor)
    assert mean_is(np.abs(noise - 7), 10, 1.3) == right  # fails with 2e-21, 1e-24 and 2e-68


@pytest.mark.parametrize(("factor", "right"), SCALED)
def test_noise_of_a_place(factor: Fraction, right: bool) -> None:
    """Exponential noise of scale 20 on scores that are 36 apart gives the higher one with 1 - exp(-1.8) / 2 = 0.917."""
    scores = np.array([36, 0])
    places = np.array([noisy_place(scores, name="depth", epsilon=EPSILON * factor)[0] for _ in range(12_000)])
    assert mean_is(places == 0, 1 - math.exp(-1.8) / 2, 0.021) == right  # fails with 4e-16, 2e-13 and 4e-35


@pytest.mark.parametrize(("factor", "right"), SCALED)
def test_noise_of_the_top(factor: Fraction, right: bool) -> None:
    """Exponential noise of scale 10 on two counts that are 18 apart, as it costs half where all counts go one way."""
    tops = [noisy_top(np.array([0, 18]), 1, name="items", epsilon=EPSILON * factor)[0][0] for _ in range(12_000)]
    assert mean_is(np.array(tops) == 1, 1 - math.exp(-1.8) / 2, 0.021) == right  # as for a place


@pytest.mark.parametrize(("factor", "right"), SCALED)
def test_noise_at_the_threshold(factor: Fraction, right: bool) -> None:
    """A count that is 18 above the threshold stays below it with exp(-1.8) / 2 = 0.083, if the scale is 10."""
    given = {"most": 2, "name": "universe", "epsilon": EPSILON * 2 * factor, "delta": Fraction(1, 10**6)}
    _, step = frequent_labels({}, **given)
    assert step.threshold is not None
    found, _ = frequent_labels({str(label): step.threshold + 18 for label in range(20_000)}, **given)
    assert (
        mean_is(np.array([len(found) / 20_000]), 1 - math.exp(-1.8) / 2, 0.021) == right
    )  # fails with 2e-20, 5e-14 and 7e-74


@pytest.mark.parametrize(("delta", "labels", "bound"), [("1e-3", 150_000, 0.0005), ("1e-2", 60_000, 0.0025)])
def test_a_label_of_one_row_is_taken_with_delta_at_most(delta: str, labels: int, bound: float) -> None:
    """As often as accounted for, and no more: OpenDP's own map is off by one here, and says 1/e of it."""
    counts = {str(label): 1 for label in range(labels)}
    found, step = frequent_labels(counts, most=1, name="universe", epsilon=Fraction(1), delta=Fraction(delta))
    assert step.threshold is not None
    assert Fraction(step.delta) <= Fraction(delta)
    assert abs(len(found) / labels - step.delta) < bound  # fails with 8e-12 and 2e-16
    noise = math.exp(-step.threshold + 1) / (1 + math.exp(-1))  # P(1 + noise >= threshold), of discrete Laplace noise
    assert math.isclose(step.delta, noise, rel_tol=1e-6)


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "0.3", "1", "7.5", "20"])
@pytest.mark.parametrize("share", [Fraction(1), Fraction(1, 3), Fraction(3, 20), Fraction(11, 20)])
def test_no_step_spends_more_than_its_share(epsilon: str, share: Fraction) -> None:
    given = parse_decimal(epsilon, parameter="epsilon") * share
    counts = np.arange(9)
    steps: list[Callable[[], tuple[object, Spent]]] = [
        lambda: noisy_count(5, name="n", epsilon=given),
        lambda: noisy_bins(counts, sensitivity=7, name="bins", epsilon=given),
        lambda: noisy_place(counts, name="depth", epsilon=given),
        lambda: noisy_top(counts, 7, name="items", epsilon=given),
        lambda: frequent_labels({"a": 3}, most=7, name="universe", epsilon=given, delta=Fraction(1, 10**6)),
    ]
    for take in steps:
        _, step = take()
        assert Fraction(step.accounted) <= given
        assert Fraction(step.accounted) > given * Fraction(999, 1000)
        assert Fraction(step.delta) <= Fraction(1, 10**6)


def test_a_step_beyond_the_budget_is_a_fault() -> None:
    spending = Spending(Budget.parse("1"))
    spending.record(noisy_count(5, name="n", epsilon=Fraction(3, 5))[1])
    assert spending.left == Fraction(2, 5)
    with pytest.raises(InternalFault, match="exceeds the budget"):
        spending.record(noisy_count(5, name="n", epsilon=Fraction(3, 5))[1])


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "1/3", "", "1e-30", "21", "0x1", True, Fraction(1, 3)])
def test_an_epsilon_that_promises_nothing(epsilon: object) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        Budget.parse(epsilon)  # type: ignore[arg-type]


@pytest.mark.parametrize("delta", ["-1e-9", "0.01", "1", "x"])
def test_a_delta_that_promises_nothing(delta: str) -> None:
    with pytest.raises(ParameterError, match="delta"):
        Budget.parse("1", delta)


@pytest.mark.parametrize(
    ("most", "epsilon", "delta"), [(10, "0.1", "1e-16"), (10**8, "0.1", "1e-10"), (10**6, "1e-13", "1e-15")]
)
def test_a_delta_below_what_can_be_accounted_for(most: int, epsilon: str, delta: str) -> None:
    """OpenDP accounts for no less than some 1e-16 for each label: that was a fault of the program, and is a refusal."""
    given = {"most": most, "name": "universe", "epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    with pytest.raises(ParameterError, match="delta is too small") as refused:
        frequent_labels({}, **given)
    assert refused.value.parameter == "delta"


def test_decimals_are_exact() -> None:
    assert Budget.parse(0.1) == Budget.parse("0.1") == Budget(Fraction(1, 10))
    assert str(Budget.parse("0.50", 1e-6)) == "epsilon = 0.5, delta = 0.000001"


def test_the_library_is_named_with_its_version() -> None:
    assert library().startswith("opendp 0.")

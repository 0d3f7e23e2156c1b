"""The only door to OpenDP, and so to noise: five measurements, each with its sensitivity.

Problem      release a number, an index or a set of labels so that no row changes any probability by much.
Method       OpenDP's measurements: discrete Laplace noise, noisy max and top-k, and Laplace noise with a threshold.
Promises     what a measurement spends is at most the share that it is given: the least scale is taken for which
             OpenDP's own privacy map says so, in exact comparison. There is no seed, and no sampling of our own.
Cost         linear in the candidates.

Data sets are neighbours if one has one row more than the other or, where the number of rows is public, if one row is
replaced by another. Each function says by how much its input may then change; whoever calls it proves that of the
counts it passes.
Reference    opendp   (docs/differential-privacy.md)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from discreet.differential_privacy.budget import Spent
from discreet.errors import EngineError, ParameterError, param

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from numpy.typing import NDArray

__all__ = ["frequent_labels", "library", "noisy_bins", "noisy_count", "noisy_place", "noisy_top"]

_MOST_THRESHOLD = 2**53


@lru_cache(maxsize=1)
def library() -> str:
    """Return the name and version of the library that makes the noise; found once, as it reads files."""
    _opendp()
    return f"opendp {version('opendp')}"


def _opendp() -> ModuleType:
    try:
        import opendp.mod
        import opendp.prelude as dp
    except ImportError:
        raise EngineError(
            "differential privacy needs OpenDP, which is not installed; pip install 'discreet[dp]'"
        ) from None
    opendp.mod.enable_features("contrib")
    return dp


def noisy_count(count: int, *, name: str, epsilon: Fraction) -> tuple[int, Spent]:
    """Return a count with discrete Laplace noise; one row changes it by at most 1."""
    made = _made("count", 1, epsilon)
    return cast("int", made.measure(int(count))), made.step(name, "make_laplace", 1, epsilon)


def noisy_bins(
    counts: NDArray[np.int64], *, sensitivity: int, name: str, epsilon: Fraction
) -> tuple[NDArray[np.int64], Spent]:
    """Return counts with discrete Laplace noise each; one row changes them by at most `sensitivity` in total."""
    made = _made("bins", sensitivity, epsilon)
    noisy = made.measure(np.ascontiguousarray(counts, np.int64))
    return np.array(noisy, np.int64), made.step(name, "make_laplace", sensitivity, epsilon)


def noisy_place(scores: NDArray[np.int64], *, name: str, epsilon: Fraction, sensitivity: int = 1) -> tuple[int, Spent]:
    """Return the index of a high score; neighbours change each by at most `sensitivity`, some up and others down."""
    made = _made("place", sensitivity, epsilon)
    place = made.measure(np.ascontiguousarray(scores, np.int64))
    return cast("int", place), made.step(name, "make_noisy_max", sensitivity, epsilon)


def noisy_top(
    counts: NDArray[np.int64], chosen: int, *, name: str, epsilon: Fraction, sensitivity: int = 1
) -> tuple[NDArray[np.int64], Spent]:
    """Return the indices, ascending, of `chosen` high counts; neighbours change each by at most 1.

    The sensitivity is by how much the difference of two counts changes: 1 if all counts rise or all fall, OpenDP's
    "monotonic" distance, and 2 if some rise while others fall.
    """
    made = _made("top" if sensitivity == 1 else "top freely", chosen, epsilon)
    places = made.measure(np.ascontiguousarray(counts, np.int64))
    step = made.step(name, "make_noisy_top_k", sensitivity, epsilon, chosen=chosen)
    return np.sort(np.array(places, np.int64)), step


def frequent_labels(
    counts: Mapping[str, int], *, most: int, name: str, epsilon: Fraction, delta: Fraction
) -> tuple[tuple[str, ...], Spent]:
    """Return the labels whose counts with noise reach a threshold, in the order of their text.

    Neighbours differ in at most `most` of the counts, each by 1. The threshold is the least one for which OpenDP's map
    says that a label which only one row has is taken with a probability of at most delta.
    """
    made = _made_with_threshold(most, epsilon, delta)
    found = tuple(sorted(made.measure(dict(counts))))
    return found, made.step(name, "make_laplace_threshold", most, epsilon)


@dataclass(frozen=True, slots=True)
class _Made:
    """A measurement of OpenDP, with what its privacy map says."""

    measure: Any
    scale: float
    accounted: float
    delta: float = 0.0
    threshold: int | None = None

    def step(self, name: str, mechanism: str, sensitivity: int, epsilon: Fraction, *, chosen: int = 1) -> Spent:
        """Return what one use of it spends."""
        return Spent(
            name=name,
            mechanism=mechanism,
            sensitivity=sensitivity,
            chosen=chosen,
            scale=self.scale,
            epsilon=epsilon,
            accounted=self.accounted,
            delta=self.delta,
            threshold=self.threshold,
        )


@lru_cache(maxsize=64)
def _made(kind: Literal["count", "bins", "place", "top", "top freely"], size: int, epsilon: Fraction) -> _Made:
    """Return the measurement of least scale that spends at most epsilon; `size` is the sensitivity, or how many."""
    dp = _opendp()
    number, vector = dp.atom_domain(T="i64"), dp.vector_domain(dp.atom_domain(T="i64"))

    def make(scale: float) -> Any:
        if kind == "count":
            return dp.m.make_laplace(number, dp.absolute_distance(T="i64"), scale=scale)
        if kind == "bins":
            return dp.m.make_laplace(vector, dp.l1_distance(T="i64"), scale=scale)
        if kind == "place":
            freely = dp.linf_distance(T="i64", monotonic=False)
            return dp.m.make_noisy_max(vector, freely, dp.max_divergence(), scale=scale)
        ways = dp.linf_distance(T="i64", monotonic=kind == "top")
        return dp.m.make_noisy_top_k(vector, ways, dp.max_divergence(), k=size, scale=scale)

    distance = size if kind in ("bins", "place") else 1
    factor = 2 * size if kind in ("place", "top freely") else size
    scale = _least_scale(lambda scale: make(scale).map(distance), factor, epsilon)
    measure = make(scale)
    return _Made(measure, scale, measure.map(distance))


@lru_cache(maxsize=8)
def _made_with_threshold(most: int, epsilon: Fraction, delta: Fraction) -> _Made:
    """Return the measurement of least scale and then least threshold that spends at most epsilon and delta.

    OpenDP 0.16 lists a label whose noisy count equals the threshold, but its map has the probability that it exceeds
    it: the delta of a threshold is that of its map one lower (tests/differential_privacy/test_measurements.py).
    """
    dp = _opendp()
    counts = dp.map_domain(dp.atom_domain(T="String"), dp.atom_domain(T="i64"))
    metric = dp.l01inf_distance(dp.absolute_distance(T="i64"))
    distance = (most, most, 1)

    def make(scale: float, threshold: int) -> Any:
        return dp.m.make_laplace_threshold(counts, metric, scale=scale, threshold=threshold)

    scale = _least_scale(lambda scale: make(scale, _MOST_THRESHOLD).map(distance)[0], most, epsilon)
    low, high = 2, 2 + 2 * math.ceil(scale * (math.log(most) - math.log(delta) + 2))
    if high > _MOST_THRESHOLD or Fraction(make(scale, high - 1).map(distance)[1]) > delta:
        raise ParameterError(
            f"{param('delta')} is too small to be accounted for if {most:,} items of a row count, with the share of "
            f"epsilon that is for finding items; give a larger one, lower {param('max_items')}, or name the items with "
            f"{param('universe')}",
            parameter="delta",
        )
    while high - low > 1:  # delta falls as the threshold rises
        middle = (low + high) // 2
        if Fraction(make(scale, middle - 1).map(distance)[1]) <= delta:
            high = middle
        else:
            low = middle
    spent, failure = make(scale, high - 1).map(distance)
    return _Made(make(scale, high), scale, spent, failure, high)


def _least_scale(spent: Callable[[float], float], distance: int, epsilon: Fraction) -> float:
    """Return the least float, from distance / epsilon up, at which the privacy map stays within epsilon."""
    scale = float(distance / epsilon)
    while Fraction(spent(scale)) > epsilon:
        scale = math.nextafter(scale, math.inf)
    return scale

"""An attacker who knows all rows but one, and asks whether that one is there: neighbours, events, and planted faults.

Each `Trial` is a pair of neighbouring inputs and an event. Of many runs on both, the attacker counts how often the
event happens; with exact confidence bounds (Clopper and Pearson) this gives an epsilon that the measurement certainly
has, at least. It exceeds what was promised only if something is wrong, or with a probability of 2e-10.
"""

from __future__ import annotations

import math
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
from scipy.stats import beta

import discreet
from discreet.differential_privacy import measurements, private_itemsets
from discreet.differential_privacy.budget import Spending
from discreet.differential_privacy.counting import LocalCounts

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from discreet.patterns.patternset import PatternSet as Found

__all__ = ["FAULTS", "TRIALS", "Trial", "certain_epsilon", "forget"]

_UNSURE = 1e-10


@dataclass(frozen=True)
class Trial:
    """What is promised, and an event on each of two neighbouring inputs; it is likelier with the row."""

    epsilon: float
    delta: float
    with_row: Callable[[], bool]
    without: Callable[[], bool]


def certain_epsilon(trial: Trial, runs: int) -> float:
    """Return the epsilon that the measurement has at least, with near certainty."""
    often = sum(trial.with_row() for _ in range(runs))
    seldom = sum(trial.without() for _ in range(runs))
    low = 0.0 if not often else float(beta.ppf(_UNSURE, often, runs - often + 1))
    high = 1.0 if seldom == runs else float(beta.ppf(1 - _UNSURE, seldom + 1, runs - seldom))
    return math.log((low - trial.delta) / high) if low > trial.delta else 0.0


def _count() -> Trial:
    def seen(n: int) -> bool:
        return measurements.noisy_count(n, name="n", epsilon=Fraction(1))[0] > 100

    return Trial(1, 0, lambda: seen(101), lambda: seen(100))


def _bins() -> Trial:
    """Return one basis, and a row that has all its items."""

    def seen(counted: np.ndarray) -> bool:
        noisy, _ = measurements.noisy_bins(counted, sensitivity=1, name="bins", epsilon=Fraction(1))
        return int(noisy[3]) > 3

    with_row, without = _counted(["ab"] * 4 + ["a"] * 5, ["ab"] * 3 + ["a"] * 5, bases=[(0, 1)])
    return Trial(1, 0, lambda: seen(with_row), lambda: seen(without))


def _bases() -> Trial:
    """Return four bases, and a row that has all their items: the attacker adds the bins up."""
    bases = [(item,) for item in range(4)]

    def seen(counted: np.ndarray) -> bool:
        noisy, _ = measurements.noisy_bins(counted, sensitivity=len(bases), name="bins", epsilon=Fraction(2))
        return int(noisy[1::2].sum()) > 14  # 16 and 12 without noise

    with_row, without = _counted(["abcd"] * 4, ["abcd"] * 3, bases=bases)
    return Trial(2, 0, lambda: seen(with_row), lambda: seen(without))


def _counted(*rows: list[str], bases: list[tuple[int, ...]]) -> list[np.ndarray]:
    return [LocalCounts.of(discreet.Transactions.from_rows(given)).bins(bases) for given in rows]


def _place() -> Trial:
    """Scores that a row moves in both directions, as the number of items does."""

    def seen(scores: list[int]) -> bool:
        return measurements.noisy_place(np.array(scores), name="depth", epsilon=Fraction(1))[0] == 0

    return Trial(1, 0, lambda: seen([0, -1]), lambda: seen([-1, 0]))


def _top() -> Trial:
    """Two of many items that are alike, and a row that has just these two."""

    def seen(counts: list[int]) -> bool:
        chosen, _ = measurements.noisy_top(np.array(counts), 2, name="items", epsilon=Fraction(2))
        return chosen.tolist() == [0, 1]

    return Trial(2, 0, lambda: seen([1, 1, *[0] * 10]), lambda: seen([0] * 12))


def _universe() -> Trial:
    """Return a row of many items, none of which another row has: none of them should be told."""
    rows = [[f"common {number}" for number in range(3)]] * 500
    lone = [f"lone {number}" for number in range(12)]

    def seen(given: discreet.Transactions) -> bool:
        found, _ = measurements.frequent_labels(
            LocalCounts.of(given).truncated(3), most=3, name="universe", epsilon=Fraction(1), delta=Fraction(1, 1000)
        )
        return any(label.startswith("lone") for label in found)

    without, with_row = (discreet.Transactions.from_rows(given).fold() for given in (rows, [*rows, lone]))
    return Trial(1, 0.001, lambda: seen(with_row), lambda: seen(without))


def _cut_rows() -> Trial:
    """Return a row of many items that others have, near the threshold: the attacker counts how many are told."""
    many = [f"item {number}" for number in range(60)]
    _, step = measurements.frequent_labels({}, most=2, name="universe", epsilon=Fraction(1), delta=Fraction(1, 1000))
    rows = [[label] for label in many for _ in range(int(step.threshold or 0))]

    def seen(given: discreet.Transactions) -> bool:
        found, _ = measurements.frequent_labels(
            LocalCounts.of(given).truncated(2), most=2, name="universe", epsilon=Fraction(1), delta=Fraction(1, 1000)
        )
        return len(found) > 43

    without, with_row = (discreet.Transactions.from_rows(given).fold() for given in (rows, [*rows, many]))
    return Trial(1, 0.001, lambda: seen(with_row), lambda: seen(without))


def _threshold() -> Trial:
    """Return a label whose count is at the threshold, or one below it."""

    def seen(below: int) -> bool:
        given = {"most": 1, "name": "universe", "epsilon": Fraction(1), "delta": Fraction(1, 1000)}
        _, step = measurements.frequent_labels({}, **given)
        found, _ = measurements.frequent_labels({"a": int(step.threshold or 0) - below}, **given)
        return bool(found)

    return Trial(1, 0.001, lambda: seen(0), lambda: seen(1))


def _whole(
    rows: list[list[str]], neighbour: list[list[str]], epsilon: str, seen: Callable[[Found], bool], **asked: Any
) -> Trial:
    """Return a whole release of some rows, in which the event is likelier, and of a neighbour."""
    pair = [discreet.Transactions.from_rows(given).fold() for given in (rows, neighbour)]

    def happens(given: discreet.Transactions) -> bool:
        return seen(private_itemsets.dp_patterns(given, epsilon=epsilon, **asked).patterns)

    delta = float(asked.get("delta") or 0)
    return Trial(float(epsilon), delta, lambda: happens(pair[0]), lambda: happens(pair[1]))


_TEA: list[list[str]] = [["tea"]] * 200 + [[]] * 800


def _tea(epsilon: str) -> Trial:
    """Return one item, whose support is published with most of epsilon."""

    def seen(found: Found) -> bool:
        return dict(iter(found)).get(frozenset(["tea"]), 0) > 200

    return _whole([*_TEA, ["tea"]], _TEA, epsilon, seen, min_support=1, universe=["tea"])


def _noisy_n() -> Trial:
    return _whole([*_TEA, []], _TEA, "0.5", lambda found: found.n > 1000, min_support=1, universe=["tea"])


def _replaced() -> Trial:
    """Return one row that is replaced by another: two items, of which one falls while the other rises."""
    rows = [["tea"]] * 200 + [["gin"]] * 200

    def seen(found: Found) -> bool:
        supports = dict(iter(found))
        return supports.get(frozenset(["tea"]), 0) - supports.get(frozenset(["gin"]), 0) > 2

    asked: dict[str, Any] = {"min_support": 1, "universe": ["tea", "gin"], "public_n": True}
    return _whole([*rows, ["tea"]], [*rows, ["gin"]], "0.5", seen, **asked)


def _top_release() -> Trial:
    """Return items of equal support, and a row that has one of them: it changes the threshold as well."""
    rows = [["tea"]] * 5 + [["gin"]] * 5
    seen = lambda found: frozenset(["tea"]) in dict(iter(found))  # noqa: E731
    return _whole([*rows, ["tea"]], rows, "0.5", seen, top=1, universe=["tea", "gin"])


def _found_items() -> Trial:
    """Return a row of items that no other row has: none of them should be listed."""
    rows = [["tea"]] * 500
    lone = [f"lone {number}" for number in range(4)]
    seen = lambda found: any(label.startswith("lone") for label in found.vocabulary)  # noqa: E731
    return _whole([*rows, lone], rows, "0.5", seen, min_support=1, delta="0.001", max_items=3)


def _row_of_many_items() -> Trial:
    """Return a row of many items that no other row has: if it is not cut, one of them is likely to be listed."""
    rows = [["tea"]] * 500
    lone = [f"lone {number}" for number in range(1000)]
    seen = lambda found: any(label.startswith("lone") for label in found.vocabulary)  # noqa: E731
    return _whole([*rows, lone], rows, "0.5", seen, min_support=1, delta="0.001", max_items=1)


def _several_bases() -> Trial:
    """Return bases of three items each, and a row that has all items: the attacker counts the triples that rise.

    Every part of a triple has so many more rows than the triple that noise does not make it the rarer one: a triple's
    support is one bin. If bins had the noise of one basis, seven of eight would rise with the row, but hardly without.
    """
    triples = [[f"{letter}{number}" for number in range(3)] for letter in "abcdefgh"]
    parts = [part for triple in triples for size in (1, 2, 3) for part in combinations(triple, size)]
    rows = [list(part) for part in parts for _ in range(_EACH)]
    wanted = [frozenset(triple) for triple in triples]

    def seen(found: Found) -> bool:
        supports = dict(iter(found))
        return sum(supports.get(triple, 0) > _EACH for triple in wanted) >= len(triples) - 1

    everything = [label for triple in triples for label in triple]
    return _whole([*rows, everything], rows, "2", seen, min_support=_EACH // 2, universe=everything)


_EACH = 600


TRIALS = {
    "count": _count,
    "bins": _bins,
    "bases": _bases,
    "place": _place,
    "top": _top,
    "universe": _universe,
    "cut rows": _cut_rows,
    "threshold": _threshold,
    "release": lambda: _tea("1"),
    "release, small epsilon": lambda: _tea("0.5"),
    "release, number of rows": _noisy_n,
    "release, a row replaced": _replaced,
    "release, the first": _top_release,
    "release, found items": _found_items,
    "release, a row of many items": _row_of_many_items,
    "release, several bases": _several_bases,
}


def forget() -> None:
    """Forget the measurements that were made, with a fault or without."""
    measurements._made.cache_clear()  # noqa: SLF001
    measurements._made_with_threshold.cache_clear()  # noqa: SLF001


def _half_the_noise() -> AbstractContextManager[Any]:
    """Half the scale, and nobody who adds up what is accounted: a release would end there."""
    forget()
    right, stack = measurements._least_scale, ExitStack()  # noqa: SLF001
    stack.enter_context(
        mock.patch.object(measurements, "_least_scale", lambda *given: right(*given) / 2),
    )
    stack.enter_context(mock.patch.object(Spending, "record", lambda self, step: self.steps.append(step)))
    return stack


def _released_twice() -> AbstractContextManager[Any]:
    """Bins whose sensitivity is taken for that of one basis, however many there are; alone, and in a release."""
    right = measurements.noisy_bins

    def once(counts: np.ndarray, *, sensitivity: int, name: str, epsilon: Fraction) -> Any:
        return right(counts, sensitivity=min(1, sensitivity), name=name, epsilon=epsilon)

    return _everywhere("noisy_bins", once)


def _everywhere(name: str, wrong: Callable[..., Any]) -> AbstractContextManager[Any]:
    """Put a measurement in the place of another, for attacks on it alone and on whole releases."""
    stack = ExitStack()
    for module in (measurements, private_itemsets):
        stack.enter_context(mock.patch.object(module, name, wrong))
    return stack


def _exact_n() -> AbstractContextManager[Any]:
    right = measurements.noisy_count
    return _everywhere("noisy_count", lambda count, **rest: (count, right(count, **rest)[1]))


def _rows_not_cut() -> AbstractContextManager[Any]:
    def whole(self: LocalCounts, most: int) -> dict[str, int]:
        del most
        return dict(zip(self.labels, self.items().tolist(), strict=True))

    return mock.patch.object(LocalCounts, "truncated", whole)


def _universe_leaked() -> AbstractContextManager[Any]:
    right = measurements.frequent_labels
    return _everywhere("frequent_labels", lambda counts, **rest: (tuple(sorted(counts)), right({}, **rest)[1]))


FAULTS: dict[str, tuple[Callable[[], AbstractContextManager[Any]], tuple[str, ...]]] = {
    "none": (nullcontext, tuple(TRIALS)),
    "half the noise": (
        _half_the_noise,
        ("count", "bins", "place", "top", "threshold", "release", "release, small epsilon"),
    ),
    "released twice": (_released_twice, ("bases", "release, several bases")),
    "exact number of rows": (_exact_n, ("release, number of rows",)),
    "rows not cut": (_rows_not_cut, ("cut rows", "release, a row of many items")),
    "universe leaked": (_universe_leaked, ("universe", "release, found items")),
}
"""A fault to plant, and the trials that must notice it."""

"""What noise costs: python -m benchmarks.noise_figures [DATASETS] [--runs N].

For the K most frequent itemsets of public data sets, under differential privacy: the share that is missed (the
false-negative rate) and the median relative error of those that are found, of `dp_patterns` and of a plain noisy top-k
over all itemsets of up to two items, which has half of epsilon for the choice and half for the supports. The universe
is taken for public. Of every figure: the mean over the runs, and the least and the largest.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

import discreet
from benchmarks.cases import data_folder
from discreet.differential_privacy.counting import LocalCounts
from discreet.differential_privacy.measurements import noisy_bins, noisy_top
from discreet.differential_privacy.private_itemsets import DpRequest, measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.differential_privacy.counting import RowCounts

__all__ = ["Figures", "figures", "main", "table"]

DATASETS = ("mushroom", "pumsb_star", "retail", "kosarak_first36682", "T10I4D100K")
EPSILONS = ("0.5", "1")
TOPS = (50, 100, 200)
_MOST_PLAIN = 150
"""The items whose pairs the plain method considers: more would only add noise."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was missed, and by how much the rest is off, in every run; the same for a plain noisy top-k."""

    name: str
    top: int
    epsilon: str
    missed: tuple[float, ...]
    error: tuple[float, ...]
    plain_missed: tuple[float, ...]
    plain_error: tuple[float, ...]

    def line(self) -> str:
        """Return a row of the table."""
        shares = (self.missed, self.error, self.plain_missed, self.plain_error)
        cells = (_mean_and_range(values, digits) for values, digits in zip(shares, (0, 1, 0, 1), strict=True))
        return f"| {self.name} | {self.top} | {self.epsilon} | {' | '.join(cells)} |"


def _mean_and_range(values: Sequence[float], digits: int) -> str:
    """Return a mean of shares in percent, and the least and the largest."""
    mean, low, high = (100 * value for value in (statistics.mean(values), min(values), max(values)))
    return f"{mean:.{digits}f} % ({low:.{digits}f}-{high:.{digits}f})"


class _Remembered:
    """Counts of rows that are asked for again and again, with other noise each time."""

    def __init__(self, counts: RowCounts) -> None:
        self._counts = counts
        self._asked = lru_cache(maxsize=64)(lambda name, *given: getattr(counts, name)(*given))
        self._within = lru_cache(maxsize=8)(lambda labels: _Remembered(counts.within(labels)))

    @property
    def n(self) -> int:
        return self._counts.n

    def truncated(self, most: int) -> Mapping[str, int]:
        found: Mapping[str, int] = self._asked("truncated", most)
        return found

    def within(self, labels: Sequence[str]) -> _Remembered:
        return self._within(tuple(labels))

    def items(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self._asked("items")
        return found

    def kth(self, k: int) -> int:
        found: int = self._asked("kth", k)
        return found

    def pairs(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self._asked("pairs")
        return found

    def bins(self, bases: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        return self._counts.bins(bases)


def figures(rows: discreet.Transactions, name: str, tops: Sequence[int], runs: int) -> Iterator[Figures]:
    """Yield the figures of one data set, for these numbers of itemsets and every epsilon."""
    universe = list(rows.vocabulary.labels)
    counts = _Remembered(LocalCounts.of(rows))
    inside = counts.within(universe)
    for top in tops:
        true = dict(iter(discreet.mine(rows, min_support=max(1, inside.kth(top)), target="all")))
        for epsilon in EPSILONS:
            request = DpRequest.parse(epsilon=epsilon, top=top, universe=universe)
            found = [_judged(dict(iter(measure(counts, request).patterns)), true, top) for _ in range(runs)]
            plain = [_judged(_plain(inside, universe, top, Fraction(epsilon)), true, top) for _ in range(runs)]
            yield Figures(name, top, epsilon, *zip(*found, strict=True), *zip(*plain, strict=True))


def _judged(found: Mapping[frozenset[str], int], true: Mapping[frozenset[str], int], top: int) -> tuple[float, float]:
    """Return the share of the K itemsets that is missed, and the median relative error of those that are found."""
    right = [itemset for itemset in found if itemset in true]
    errors = [abs(found[itemset] - true[itemset]) / true[itemset] for itemset in right]
    return 1 - min(len(right), top) / top, statistics.median(errors) if errors else 1.0


def _plain(counts: RowCounts, universe: list[str], top: int, epsilon: Fraction) -> dict[frozenset[str], int]:
    """Return a plain noisy top-k of single items and pairs, with half of epsilon for the choice and half for supports.

    That only pairs of the most frequent items are candidates looks at the rows without noise: it favours this method.
    """
    supports = counts.items()
    best = np.sort(np.argsort(-supports, kind="stable")[:_MOST_PLAIN])
    labels = [universe[item] for item in best.tolist()]
    candidates = [frozenset([label]) for label in labels] + [frozenset(pair) for pair in combinations(labels, 2)]
    every = np.concatenate([supports[best], counts.within(labels).pairs()])
    chosen, _ = noisy_top(every, min(top, len(every)), name="items", epsilon=epsilon / 2)
    noisy, _ = noisy_bins(every[chosen], sensitivity=len(chosen), name="bins", epsilon=epsilon / 2)
    return {candidates[place]: support for place, support in zip(chosen.tolist(), noisy.tolist(), strict=True)}


def table(found: Iterable[Figures]) -> str:
    """Return the figures as a table."""
    head = "| data | K | ε | missed | error | plain: missed | plain: error |"
    return "\n".join([head, f"|{' --- |' * 7}", *(each.line() for each in found)])


def main(words: list[str]) -> None:
    """Print the figures of these data sets, all by default."""
    runs = int(words[words.index("--runs") + 1]) if "--runs" in words else 10
    wanted = [word for word in words if word in DATASETS] or DATASETS
    print(table(()), flush=True)
    for name in wanted:
        for each in figures(discreet.read(data_folder() / f"{name}.dat.gz"), name, TOPS, runs):
            print(each.line(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

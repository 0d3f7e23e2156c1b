"""Which small sets of items to count together: the bases of a release.

Problem      cover items, and pairs of items, that are likely frequent with few sets of few items, so that itemsets get
             little noise.
Method       the maximal cliques of the graph of pairs, and items without a pair by threes; bases are merged as long as
             that lowers the mean variance of the covered items and pairs.
Promises     every item and every pair is in some basis; no basis has more than `most` items. Everything follows from
             what measurements gave, so it costs no privacy.
Cost         cubic in the number of bases while they are few; a few times quadratic down to that.
Departures   cliques of more than `most` items are cut into blocks that cover every pair of them, which li2012 leaves
             open; of more than 60 maximal cliques, only some that cover all pairs are taken.
Names        w -> the number of bases, l -> the size of one; an itemset of m items gets the noise of 2^(l-m) bins, whose
             scale is proportional to w.
Reference    Li, Qardaji, Su, Cao: PrivBasis, VLDB 2012 (li2012), algorithm 2
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["MOST_ITEMS", "find_bases"]

MOST_ITEMS = 12
"""The most items of a basis: 4,096 bins."""

_MOST_CLIQUES = 60
_FEW_BASES = 48

_ALONE = 3
"""Items without a pair, so many to a basis: of l, the variance 2^(l-1) / l^2 is least for 3."""


def find_bases(items: int, pairs: Sequence[tuple[int, int]], most: int = MOST_ITEMS) -> list[tuple[int, ...]]:
    """Return bases that cover the items 0 to `items` - 1 and these pairs of them.

    >>> find_bases(3, [])
    [(0, 1, 2)]
    """
    if items <= most:
        return [tuple(range(items))] if items else []
    found = _maximal_cliques(items, pairs)
    alone = [clique[0] for clique in found if len(clique) == 1]
    cliques = [block for clique in found if len(clique) > 1 for block in _blocks(clique, most)]
    cliques += [tuple(alone[first : first + _ALONE]) for first in range(0, len(alone), _ALONE)]
    return sorted(_merged(_without_contained(cliques), items, pairs, most))


def _maximal_cliques(items: int, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the maximal cliques (Bron and Kerbosch, with a pivot), or some that cover all pairs if they are many."""
    near: list[set[int]] = [set() for _ in range(items)]
    for one, other in pairs:
        near[one].add(other)
        near[other].add(one)
    found: list[tuple[int, ...]] = []
    work: list[tuple[tuple[int, ...], set[int], set[int]]] = [((), set(range(items)), set())]
    while work:
        clique, may, done = work.pop()
        if not may:
            if not done:
                found.append(tuple(sorted(clique)))
            if sum(len(each) > 1 for each in found) > _MOST_CLIQUES:
                return [*((item,) for item in range(items) if not near[item]), *_covering(pairs, near)]
            continue
        pivot = max(sorted(may | done), key=lambda item: len(near[item] & may))
        for item in sorted(may - near[pivot]):
            work.append(((*clique, item), may & near[item], done & near[item]))
            may = may - {item}
            done = done | {item}
    return found


def _covering(pairs: Sequence[tuple[int, int]], near: list[set[int]]) -> list[tuple[int, ...]]:
    """Return cliques that cover all pairs: each grows by the item with most pairs that are not covered yet."""
    left = {(min(pair), max(pair)) for pair in pairs}
    found = []
    while left:
        clique = set(min(left))
        while candidates := set.intersection(*(near[item] for item in clique)):
            grown = max(sorted(candidates), key=lambda item: sum(_pair(item, other) in left for other in clique))
            clique.add(grown)
        left -= {_pair(*pair) for pair in combinations(clique, 2)}
        found.append(tuple(sorted(clique)))
    return found


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


def _blocks(clique: tuple[int, ...], most: int) -> Iterable[tuple[int, ...]]:
    """Yield blocks of at most `most` items that cover every pair of the clique."""
    if len(clique) <= most:
        return [clique]
    half = most // 2
    parts = [clique[first : first + half] for first in range(0, len(clique), half)]
    return [(*one, *other) for one, other in combinations(parts, 2)]


def _without_contained(bases: Iterable[tuple[int, ...]]) -> list[set[int]]:
    kept: list[set[int]] = []
    for basis in sorted(set(bases), key=lambda basis: (-len(basis), basis)):
        if not any(set(basis) <= other for other in kept):
            kept.append(set(basis))
    return kept


def _merged(bases: list[set[int]], items: int, pairs: Sequence[tuple[int, int]], most: int) -> list[tuple[int, ...]]:
    """Merge two bases at a time as long as the mean variance of items and pairs falls.

    Of few bases the two that gain most are merged. Of many, each in turn is merged with the one it gains most from.
    """
    wanted = np.zeros((items + len(pairs), items), bool)
    wanted[np.arange(items), np.arange(items)] = True
    for number, pair in enumerate(pairs, start=items):
        wanted[number, list(pair)] = True
    holds = np.zeros((len(bases), items), bool)
    for number, basis in enumerate(bases):
        holds[number, sorted(basis)] = True
    cover = _Cover(holds, wanted, most)
    one, tried = 0, 0
    while tried < len(cover.holds) > _FEW_BASES:
        one %= len(cover.holds)
        _, other = cover.best_partner(one, 0)
        if other is None:
            one, tried = one + 1, tried + 1
        else:
            cover.merge(one, other)
            tried = 0
    while len(cover.holds) > 1:
        gains = (cover.best_partner(one, one + 1) for one in range(len(cover.holds) - 1))
        _, one, other = min(
            ((variance, one, other) for one, (variance, other) in enumerate(gains) if other is not None),
            default=(0.0, 0, None),
        )
        if other is None:
            break
        cover.merge(one, other)
    return [tuple(np.flatnonzero(basis).tolist()) for basis in cover.holds]


class _Cover:
    """Bases, and how precisely each gives every item and pair that is wanted."""

    def __init__(self, holds: NDArray[np.bool_], wanted: NDArray[np.bool_], most: int) -> None:
        self.holds, self.wanted, self.most = holds, wanted, most
        self.precision = _precision(holds, wanted)

    def best_partner(self, one: int, first: int) -> tuple[float, int | None]:
        """Return the basis from `first` on to merge `one` with and the variance then, or None if it would not fall."""
        total = self.precision.sum(axis=0)
        unions = self.holds[one] | self.holds[first:]
        others = np.flatnonzero(unions.sum(axis=1) <= self.most)
        others = others[others + first != one]
        if not len(others):
            return 0.0, None
        gained = _precision(unions[others], self.wanted)
        after = total - self.precision[one] - self.precision[first + others] + gained
        variance = _mean_variance(after, len(self.holds) - 1)
        place = int(variance.argmin())
        if variance[place] >= _mean_variance(total[None], len(self.holds))[0]:
            return 0.0, None
        return float(variance[place]), first + int(others[place])

    def merge(self, one: int, other: int) -> None:
        """Replace two bases, and all that their union holds, by the union."""
        union = self.holds[one] | self.holds[other]
        kept = np.flatnonzero((self.holds & ~union).any(axis=1))
        self.holds = np.concatenate([self.holds[kept], union[None]])
        self.precision = np.concatenate([self.precision[kept], _precision(union[None], self.wanted)])


def _precision(holds: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return for each basis and wanted itemset one over its variance, in units of a bin's; 0 if it is not covered."""
    sizes = wanted.sum(axis=1)
    covered = holds.astype(np.float32) @ wanted.T.astype(np.float32) == sizes  # small whole numbers: exact
    return np.where(covered, 2.0 ** (sizes - holds.sum(axis=1)[:, None]), 0.0)


def _mean_variance(precision: NDArray[np.float64], bases: int) -> NDArray[np.float64]:
    return np.asarray((bases**2 / precision).mean(axis=1))

"""What several releases together tell about sensitive items, by counting.

Problem      given the supports that several releases print, and what nobody may conclude according to any of them, find
             a conclusion (see `channels.conclusions`) about their rows, or about rows that were added between two.
Method       releases of the same rows are one collection: all that any of them lists. The differences of the supports
             that two snapshots both print are the supports of the rows that were added, if rows were only added: a
             collection as well. In each, conclusions are counted as in one release.
Promises     a conclusion that is returned follows from the printed figures. If none is, none follows by counting from
             the releases of one snapshot, or about the rows that were added between two of them.
Departures   where some differences cannot be those of rows, because rows left or supports were changed, the others are
             looked at all the same. What follows by bounds is for `combined_attack`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.channels.collection import Collection
from discreet.channels.conclusions import Asked, conclusions_within
from discreet.channels.grouping import shares_of_patterns
from discreet.errors import DataError
from discreet.patterns.patternset import PatternSet
from discreet.thresholds import Rho

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.channels.conclusions import Conclusion
    from discreet.itemsets import Itemsets
    from discreet.publishing.mixed_supports import SupportTable

__all__ = ["Snapshot", "Told", "asked_by_any", "counted_in_all", "itemsets_reached"]


class Told(NamedTuple):
    """A conclusion, and in words the rows that its group is part of."""

    conclusion: Conclusion
    of: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The releases of the same rows: their columns in a table, and what the rows are called."""

    releases: tuple[int, ...]
    name: str


def asked_by_any(every: Iterable[Asked | None], quasi_identifiers: Sequence[str] | None) -> Asked | None:
    """Return what nobody may conclude according to any of the releases: all sensitive items, and the smallest rho."""
    asked = [one for one in every if one is not None]
    sensitive = frozenset[str]().union(*(one.sensitive for one in asked))
    if not sensitive:
        return None
    known = None if quasi_identifiers is None else tuple(quasi_identifiers)
    return Asked(sensitive, known, Rho(min(Fraction(one.rho) for one in asked)), widely=True)


def counted_in_all(table: SupportTable, snapshots: Sequence[Snapshot], asked: Asked, *, again: bool) -> Told | None:
    """Return the surest conclusion that can be counted; None if there is none.

    The last snapshot is that of the new release. `again` is whether earlier ones are looked at as well, by themselves
    and in pairs: they were when they were made, unless less was asked then.
    """
    *earlier, new = snapshots
    for one in [*(earlier if again else ()), new]:
        if (found := _counted(_selected(table, _supports_in(table, one)), asked)) is not None:
            return Told(found, f" of {one.name}" if one is not new else "")
    pairs = [(one, new) for one in earlier]
    pairs += [(one, other) for at, one in enumerate(earlier) for other in earlier[at + 1 :]] if again else []
    for pair in pairs:
        fewer, more = sorted(pair, key=lambda one: _rows_of(table, one))
        added = _differences(table, fewer, more)
        if added[-1] > 0 and (found := _counted(_selected(table, added), asked)) is not None:
            return Told(found, f" of {more.name} beyond those of {fewer.name}")
    return None


def itemsets_reached(table: SupportTable, snapshots: Sequence[Snapshot], asked: Asked) -> NDArray[np.bool_]:
    """Return which itemsets of a table, with all their subsets, let a conclusion be counted; not of the empty one.

    That is in the last snapshot, or in the rows by which it differs from another one. Where supports contradict each
    other, every itemset is judged by its subsets alone.
    """
    *earlier, new = snapshots
    reached = np.zeros(len(table.itemsets), bool)
    sensitive, quasi = asked.sensitive_in(table.vocabulary), asked.quasi_in(table.vocabulary)
    itemsets = table.itemsets
    private = itemsets.keeping(sensitive[itemsets.items])
    fitting = (private.lengths == 1) & (itemsets.keeping(quasi[itemsets.items]).lengths == itemsets.lengths - 1)
    pairs = [sorted((one, new), key=lambda one: _rows_of(table, one)) for one in earlier]
    for figures in [_supports_in(table, new), *(_differences(table, *pair) for pair in pairs)]:
        numbers = np.flatnonzero(fitting & (figures[:-1] >= 0))
        if figures[-1] <= 0 or not len(numbers):
            continue
        known = _selected(table, figures)
        try:
            reached[numbers[_reached(known, itemsets.select(numbers), private.select(numbers).items, asked)]] = True
        except DataError:  # some of the figures are not of rows: those of each itemset by itself
            for at in range(len(numbers)):
                one = numbers[at : at + 1]
                part = _within(known, itemsets[int(one[0])])
                with suppress(DataError):
                    reached[one[_reached(part, itemsets.select(one), private.select(one).items, asked)]] = True
    return reached


def _reached(known: PatternSet, targets: Itemsets, items: NDArray[np.int32], asked: Asked) -> NDArray[np.int64]:
    """Return the numbers of the targets that have a group of which the share with the sensitive item reaches rho."""
    found, _ = shares_of_patterns(known.itemsets, known.supports, known.n, targets, items=items, rho=asked.rho)
    return np.unique(found.targets)


def _rows_of(table: SupportTable, snapshot: Snapshot) -> int:
    return int(table.supports[-1, list(snapshot.releases)].max())


def _supports_in(table: SupportTable, snapshot: Snapshot) -> NDArray[np.int64]:
    """Return the supports that the releases of a snapshot print, -1 for what none of them does."""
    return np.asarray(table.supports[:, list(snapshot.releases)].max(axis=1))


def _differences(table: SupportTable, fewer: Snapshot, more: Snapshot) -> NDArray[np.int64]:
    """Return the supports in the rows by which two snapshots differ, negative if one is not known."""
    here, there = _supports_in(table, more), _supports_in(table, fewer)
    return np.where((here >= 0) & (there >= 0), here - there, -1)


def _selected(table: SupportTable, supports: NDArray[np.int64]) -> PatternSet:
    """Return the itemsets of a table that have a support, with n as that of the empty one."""
    listed = np.flatnonzero(supports[:-1] >= 0)
    return PatternSet.unchecked(
        itemsets=table.itemsets.select(listed),
        supports=supports[listed],
        vocabulary=table.vocabulary,
        n=int(supports[-1]),
        min_support=1,
        target="selected",
    )


def _counted(patterns: PatternSet, asked: Asked) -> Conclusion | None:
    """Return the surest conclusion that can be counted, if there is one; where supports contradict, from the others."""
    with suppress(DataError):
        return next(iter(conclusions_within(Collection(patterns, "incomplete", said=True), asked)), None)
    found: list[Conclusion] = []
    for part in _parts(patterns):
        with suppress(DataError):
            found += conclusions_within(Collection(part, "incomplete", said=True), asked)[:1]
    return max(found, key=lambda one: one.share, default=None)


def _parts(patterns: PatternSet) -> Iterator[PatternSet]:
    """Yield for every itemset those within it."""
    for number in range(len(patterns)):
        yield _within(patterns, patterns.itemsets[number])


def _within(patterns: PatternSet, items: NDArray[np.int32]) -> PatternSet:
    """Return the itemsets that are made of some items."""
    itemsets = patterns.itemsets
    inside = np.flatnonzero(itemsets.keeping(np.isin(itemsets.items, items)).lengths == itemsets.lengths)
    return PatternSet.unchecked(
        itemsets=itemsets.select(inside),
        supports=patterns.supports[inside],
        vocabulary=patterns.vocabulary,
        n=patterns.n,
        min_support=1,
        target="selected",
    )

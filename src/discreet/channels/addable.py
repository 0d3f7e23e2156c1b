"""Choose the rows that may be added without publishing anything new and without being noticed.

A virtual row that contains a frequent itemset must contain its closure, or one more itemset would become closed. It
must also not make an infrequent itemset frequent. Closed itemsets qualify. So does every existing row, restricted to
published items, unless it contains a nearly frequent itemset.

In a table, a column may have a published value in every row: class e and class p together cover all mushrooms. A
virtual row without such a value would be noticed, because the values' supports would no longer add up to the number of
rows. So virtual rows have a value in every such column. In all other columns they look like rows whose value is not
published.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import TooManyPatterns
from discreet.itemsets import Itemsets
from discreet.patterns.mining import mine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.channel import Channels
    from discreet.channels.exclusive import Exclusive
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.transactions import Transactions

__all__ = ["AddableRows"]

_MOST_KINDS = 5_000
"""The greatest number of distinct rows considered, most frequent first."""

_ROWS_OF_A_GROUP = 4
_MOST_NEAR = 200_000


@dataclass(frozen=True, eq=False)
class AddableRows:
    """Itemsets that virtual rows may be equal to, each with a cost: roughly how much adding k of them changes.

    `limited` is whether some columns need a value. `kinds` are the distinct rows, if rows are available.
    """

    itemsets: Itemsets
    costs: NDArray[np.float64]
    limited: bool
    patterns: PatternSet
    kinds: Itemsets
    near: Itemsets | None
    needed: tuple[NDArray[np.int32], ...]

    @classmethod
    def of(cls, rows: Transactions | None, closed: PatternSet, exclusive: Exclusive, *, k: int) -> AddableRows:
        """Return the itemsets that may be added without making others frequent; `rows` are the distinct rows."""
        needed = _columns_to_fill(closed, exclusive)
        kinds = Itemsets.none() if rows is None else _kinds(rows)
        plain = cls.closed(closed)
        near = None if rows is None else _nearly_frequent(rows, closed, k)
        listed = plain.itemsets.select(np.flatnonzero(_has_all(plain.itemsets, needed)))
        first = replace(
            plain,
            itemsets=listed,
            limited=bool(needed),
            kinds=kinds,
            near=near,
            needed=needed,
            costs=_costs(listed, closed),
        )
        return first.and_these(kinds)

    def and_these(self, more: Itemsets) -> AddableRows:
        """Return these and those of `more` that may be added."""
        fitting = _has_all(more, self.needed) & ~_contain_any(more, self.near, len(self.patterns.vocabulary))
        itemsets = self.itemsets.followed_by(more.select(np.flatnonzero(fitting)))
        return replace(self, itemsets=itemsets, costs=_costs(itemsets, self.patterns))

    def and_closures(self, groups: Channels) -> AddableRows:
        """Return these and, for each group, the least that rows in it have in common, if it may be added.

        This is the intersection of all rows that contain the group's base, plus a row's own values in columns that need
        one. If it contains a frequent itemset, it also contains the closure, because each of these rows does.
        """
        labels = len(self.patterns.vocabulary)
        holds = self.kinds.incidence(labels)
        values = np.zeros(labels, bool)
        for items in self.needed:
            values[items] = True
        closures: dict[bytes, NDArray[np.int32]] = {}
        for number, which in enumerate(groups.which.tolist()):
            base = groups.bases[number]
            absent = np.setdiff1d(groups.fulls[which], base, assume_unique=True)
            inside = np.flatnonzero(holds[:, base].all(axis=1) & ~holds[:, absent].any(axis=1))
            for row in inside[:_ROWS_OF_A_GROUP]:
                least = holds[row] & values
                least[base] = True
                common = np.flatnonzero(holds[holds[:, least].all(axis=1)].all(axis=0)).astype(np.int32)
                closures.setdefault(common.tobytes(), common)
                if not self.needed:
                    break
        return self.and_these(Itemsets.of(closures.values()))

    @classmethod
    def closed(cls, closed: PatternSet) -> AddableRows:
        """Return the closed itemsets and the empty one: the candidates of atzori2008."""
        itemsets = closed.itemsets.with_empty()
        costs = _costs(itemsets, closed)
        return cls(itemsets, costs, limited=False, patterns=closed, kinds=Itemsets.none(), near=None, needed=())

    def block_all(self, channels: Channels) -> bool:
        """Return whether every channel has an itemset that contains its base and nothing else of its full set."""
        holds = self.itemsets.incidence(len(channels.vocabulary)).T
        for number, which in enumerate(channels.which.tolist()):
            base = channels.bases[number]
            absent = np.setdiff1d(channels.fulls[which], base, assume_unique=True)
            if not (holds[base].all(axis=0) & ~holds[absent].any(axis=0)).any():
                return False
        return True

    def chosen(self, numbers: NDArray[np.int64]) -> Itemsets:
        """Return the itemsets with these numbers."""
        return self.itemsets.select(numbers)


def _columns_to_fill(closed: PatternSet, exclusive: Exclusive) -> tuple[NDArray[np.int32], ...]:
    """Return the published values of each column that has a published value in every row."""
    supports = np.zeros(len(closed.vocabulary), np.int64)
    np.maximum.at(supports, closed.items, np.repeat(closed.supports, closed.itemsets.lengths))
    labels = {label: item for item, label in enumerate(closed.vocabulary) if supports[item]}
    columns = [[item for label, item in labels.items() if label.startswith(f"{name}=")] for name in exclusive.columns]
    columns += [[labels[label] for label in one if label in labels] for one in exclusive.sets]
    covering = {tuple(sorted(items)) for items in columns if items and int(supports[items].sum()) == closed.n}
    return tuple(np.array(items, np.int32) for items in sorted(covering))


def _has_all(itemsets: Itemsets, needed: tuple[NDArray[np.int32], ...]) -> NDArray[np.bool_]:
    """Return which itemsets contain at least one item of each list."""
    of = itemsets.owners
    good = np.ones(len(itemsets), bool)
    for items in needed:
        good &= np.bincount(of[np.isin(itemsets.items, items)], minlength=len(itemsets)) > 0
    return good


def _kinds(rows: Transactions) -> Itemsets:
    """Return the distinct rows, most frequent first."""
    weights = np.ones(len(rows), np.int64) if rows.weights is None else rows.weights
    order = np.argsort(-weights, kind="stable")[:_MOST_KINDS]
    return rows.itemsets.select(order)


def _nearly_frequent(rows: Transactions, closed: PatternSet, k: int) -> Itemsets | None:
    """Return the itemsets that k more rows would make frequent; None if there are too many to list."""
    try:
        found = mine(rows, min_support=max(1, closed.min_support - k), target="closed", max_patterns=_MOST_NEAR)
    except TooManyPatterns:
        return None
    numbers = np.flatnonzero(found.supports < closed.min_support)
    return found.itemsets.select(numbers)


def _contain_any(itemsets: Itemsets, smaller: Itemsets | None, labels: int) -> NDArray[np.bool_]:
    """Return which itemsets contain one of the smaller ones; all of them if `smaller` is None."""
    if smaller is None:
        return np.ones(len(itemsets), bool)
    if not len(smaller):
        return np.zeros(len(itemsets), bool)
    found = np.zeros(len(itemsets), bool)
    holds = itemsets.incidence(labels)
    for items in smaller:
        found |= holds[:, items].all(axis=1)
    return found


def _costs(itemsets: Itemsets, closed: PatternSet) -> NDArray[np.float64]:
    """Rate itemsets by how many supports they raise, and by how much relative to those supports."""
    supports = itemsets.supports_in(closed.itemsets, closed.supports, len(closed.vocabulary))
    least = np.where(supports > 0, supports, closed.min_support)
    lengths = itemsets.lengths
    least = np.where(lengths == 0, closed.n, least)
    raised = np.exp2(np.minimum(lengths, 60).astype(np.float64))
    return np.asarray(raised * (1 / np.maximum(least, 1) + 1 / max(closed.n, 1)) / 2)

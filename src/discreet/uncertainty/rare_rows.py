"""Take all sensitive items out of rows whose other items are rare, and drop some from all others: `rare-rows`.

Problem      items that leave single rows lose less than items that leave all rows, but that an item is absent must
             tell nothing about the row: so the item itself must have no say in it.
Method       a row is rare by its other items, generalized as in all rows. The rows that are not rare are the largest
             set in which each row has at least c rows whose other items include its own, itself counted. From every
             rare row all sensitive items leave, whether it has any or not. Which sensitive items are dropped from all
             rows is chosen for the rows that are not rare, as if there were no others (a step of `best`). Other items
             are never dropped. c is one of 1, 2, 3, 4, 6, 8, 12, 16, ..., and the cut one of even height: every
             fourth c is tried at all cuts, then those near the best of these, and the pair is taken that loses least.
Promises     1. The rows that are not rare are rho-uncertain by themselves. So are all rows: a sensitive item is in as
             many of them with any others, and no part of a row is in fewer.
             2. Who knows the method, c, the cut, what was dropped and all other items of all rows knows which rows are
             rare, and learns nothing about the sensitive items of a rare row from what is published: with these
             decisions, any other sensitive items in rare rows give the same rows. About a row that is not rare he
             concludes what the rows of its kind show, in which nothing was taken out that not all of them lost: below
             rho, by 1.
             3. It loses no more than `simple`. With c = 1 nothing is rare, and items leave all rows or none.
             It does not promise that a decision tells nothing: c, the cut and what was dropped from all rows follow
             from all rows, rare ones included, because they lose least. That is so for every method that looks for the
             least loss. And rules can be false: an item is absent from rare rows that had it.
Tables       an emptied cell is seen, and counts as a sensitive value. So nothing is rare in a table: c = 1.
Cost         a short step of `best` for each pair that can still lose less. Work is counted, not timed, so that the
             same input gives the same rows.
Departures   not in cao2010.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count, takewhile
from typing import TYPE_CHECKING

import numpy as np

from discreet.uncertainty.best import sensitive_kept_at
from discreet.uncertainty.empty_cells import table_columns
from discreet.uncertainty.simple import simple
from discreet.uncertainty.thinned_rows import ThinnedRows
from discreet.uncertainty.time_budget import TimeBudget
from discreet.uncertainty.utility import false_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.json_types import JsonObject
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Hierarchy
    from discreet.uncertainty.limits import Limits
    from discreet.uncertainty.publication import Publication

__all__ = ["RareRows", "RowKinds", "common_rows", "rare_rows", "thresholds"]

_FAR = 4
"""Every so many of the thresholds are tried at all cuts, the others near the best of these."""

_WORK = 4_000_000
"""The budget of a pair, in rows and words of bitmaps: half a second at most."""

_MOST_WORK = 12 * _WORK
"""The budget of the pair that is taken."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RareRows(ThinnedRows):
    """Rows of which the rare ones lost all their sensitive items.

    A row is rare if fewer than `below` rows that are not rare have all its other items; `common[row]` says that it is
    not.
    """

    below: int
    common: NDArray[np.bool_]
    rare: int

    @property
    def gaps(self) -> tuple[str, ...]:
        """No columns: nothing is rare in a table."""
        return ()

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        entries, removed = self.entries
        return {
            "below": self.below,
            "rare_rows": self.rare,
            "sensitive_entries": entries,
            "removed": removed,
            "changed_rows": self.changed_rows,
            "false_rules": self.false_rules.to_dict(),
        }


def rare_rows(
    rows: Transactions,
    *,
    limits: Limits,
    sensitive: NDArray[np.int32],
    hierarchy: Hierarchy,
    budget: TimeBudget | None = None,
) -> RareRows:
    """Return rows in which no sensitive item can be concluded, and of which the rare ones have none."""
    ground = _Ground(rows, limits, sensitive, hierarchy)
    found = ground.search(budget or TimeBudget())
    left = ground.veiled(found.common).keeping(~found.publication.dropped()[ground.veiled(found.common).items])
    weights = np.ones(len(rows), np.int64) if rows.weights is None else rows.weights
    made = found.publication.apply(replace(rows, itemsets=left))
    nothing_dropped = replace(found.publication, suppressed=np.zeros(0, np.int32))
    return RareRows(
        rows=made,
        publication=found.publication,
        below=found.below,
        common=found.common,
        rare=int(weights[~found.common].sum()),
        held=rows.item_supports(),
        removed=rows.item_supports() - replace(rows, itemsets=left).item_supports(),
        changed_rows=int(weights[left.lengths < rows.itemsets.lengths].sum()),
        information_loss=found.loss,
        false_rules=false_rules(nothing_dropped.apply(rows), made),
    )


def thresholds() -> Iterator[int]:
    """Yield the numbers of rows below which a row can be rare: each is a third or a half more than the last.

    >>> from itertools import islice
    >>> list(islice(thresholds(), 9))
    [1, 2, 3, 4, 6, 8, 12, 16, 24]
    """
    yield 1
    for power in count():
        yield 2 * 2**power
        yield 3 * 2**power


def common_rows(others: Itemsets, weights: NDArray[np.int64] | None, *, below: int, labels: int) -> NDArray[np.bool_]:
    """Return which rows are not rare: the largest set in which `below` rows have all items of each.

    >>> from discreet.itemsets import Itemsets
    >>> others = Itemsets.of([[0], [0], [0, 1], [0, 1, 2], []])
    >>> [common_rows(others, None, below=below, labels=3).tolist() for below in (1, 2, 3)]
    [[True, True, True, True, True], [True, True, False, False, True], [False, False, False, False, False]]
    """
    return RowKinds(others, weights, labels).common(below)


class RowKinds:
    """Rows by their other items: the different ones, and how many rows are of each kind.

    A kind that is not rare below c is not rare below fewer, so that the search for c begins with what is left below the
    nearest lower number that was asked for. `_left` has for each the kinds that are not rare, and how many rows of
    these have all their items.
    """

    def __init__(self, others: Itemsets, weights: NDArray[np.int64] | None, labels: int) -> None:
        self.labels = labels
        self.kind_of = np.unique(others.ranks(), return_inverse=True)[1]
        firsts = np.zeros(self.kind_of.max(initial=-1) + 1, np.int64)
        firsts[self.kind_of] = np.arange(len(others))
        self.kinds = others.select(firsts)
        self.counts = np.zeros(len(firsts), np.int64)
        np.add.at(self.counts, self.kind_of, 1 if weights is None else weights)
        self._left: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def common(self, below: int) -> NDArray[np.bool_]:
        """Return which rows are not rare."""
        if not (self.counts < below).any():
            return np.ones(len(self.kind_of), bool)
        if below not in self._left:
            self._left[below] = self._fixpoint(*self._start(below), below)
        return self._rows_of(self._left[below][0])

    def common_at_most(self, below: int) -> NDArray[np.bool_]:
        """Return rows among which all are that are not rare; they follow from what was asked for before."""
        if not (self.counts < below).any():
            return np.ones(len(self.kind_of), bool)
        kinds, holding = self._start(below)
        return self._rows_of(kinds[holding >= below])

    def _start(self, below: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if not self._left:
            self._left[1] = np.arange(len(self.kinds)), self.kinds.count_in(self.kinds, self.counts, self.labels)
        return self._left[max(each for each in self._left if each <= below)]

    def _fixpoint(
        self, kinds: NDArray[np.int64], holding: NDArray[np.int64], below: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Take kinds away that fewer than `below` rows have all items of, until there are none."""
        while (holding < below).any():
            gone, kinds, holding = kinds[holding < below], kinds[holding >= below], holding[holding >= below]
            left = self.kinds.select(kinds)
            if len(gone) < len(kinds):
                holding = holding - left.count_in(self.kinds.select(gone), self.counts[gone], self.labels)
            else:
                holding = left.count_in(left, self.counts[kinds], self.labels)
        return kinds, holding

    def _rows_of(self, kinds: NDArray[np.int64]) -> NDArray[np.bool_]:
        common = np.zeros(len(self.kinds), bool)
        common[kinds] = True
        return np.asarray(common[self.kind_of])


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What is published for one c and cut, which rows are not rare, and the loss."""

    publication: Publication
    height: int
    below: int
    common: NDArray[np.bool_]
    loss: Fraction


class _Ground:
    """What all pairs of c and a cut share: the rows, and what is sensitive."""

    def __init__(self, rows: Transactions, limits: Limits, sensitive: NDArray[np.int32], hierarchy: Hierarchy) -> None:
        self.rows, self.limits, self.sensitive, self.hierarchy = rows, limits, sensitive, hierarchy
        self.private = np.zeros(len(rows.vocabulary), bool)
        self.private[sensitive] = True
        self.total = max(1, int(rows.item_supports().sum()))
        self.simple = simple(rows, sensitive=sensitive, hierarchy=hierarchy)
        self.flags = list(hierarchy.cuts_of_one_height())
        self.cuts = [
            replace(
                self.simple,
                suppressed=np.zeros(0, np.int32),
                node_of=np.append(hierarchy.climb(cut), -1)[self.simple.node_of].astype(np.int32),
            )
            for cut in self.flags
        ]
        self.steps = 0
        self._known: dict[int, RowKinds] = {}

    def search(self, budget: TimeBudget) -> _Found:
        """Return the pair that loses least: first among every fourth c at all cuts, then near the best of these."""
        nothing_rare = np.ones(len(self.rows), bool)
        found = _Found(self.simple, 0, 1, nothing_rare, self.simple.information_loss(self.rows))
        most = 1 if table_columns(self.rows) else self.rows.n
        numbers = list(takewhile(most.__ge__, thresholds()))
        heights = range(len(self.cuts))
        far = [(place, height) for place in range(0, len(numbers), _FAR) for height in heights]
        found = self._least(found, [(numbers[place], height) for place, height in far], budget)
        middle = numbers.index(found.below)
        around = numbers[max(0, middle - _FAR + 1) : middle + _FAR]
        near = [(below, height) for below in around for height in heights if abs(height - found.height) <= 1]
        found = self._least(found, [pair for pair in near if pair != (found.below, found.height)], budget)
        return min(found, self._pair(found.below, found.height, _MOST_WORK), key=lambda each: each.loss)

    def _least(self, found: _Found, pairs: list[tuple[int, int]], budget: TimeBudget) -> _Found:
        """Return what loses least of what was found and these pairs of c and a cut's height; the first of several."""
        for below, height in pairs:
            self.steps += 1
            budget.goes_on(self.steps / (self.steps + len(pairs)), self.steps)
            budget.watch()
            kinds, cut = self._kinds_at(height), self.cuts[height]
            if any(self._loss(cut, common(below)) >= found.loss for common in (kinds.common_at_most, kinds.common)):
                continue  # even if every sensitive item could stay in the rows that are not rare
            found = min(found, self._pair(below, height, _WORK), key=lambda each: each.loss)
        return found

    def _pair(self, below: int, height: int, work: int) -> _Found:
        """Return what follows from c and a cut."""
        common = self._kinds_at(height).common(below)
        plan = sensitive_kept_at(
            self.rows.select(np.flatnonzero(common)),
            cut=self.flags[height],
            rho=self.limits,
            sensitive=self.sensitive,
            hierarchy=self.hierarchy,
            most_work=work,
        )
        return _Found(plan, height, below, common, self._loss(plan, common))

    def _kinds_at(self, height: int) -> RowKinds:
        """Return the rows by their other items, generalized to a cut."""
        if height not in self._known:
            others = self.rows.itemsets.renumbered(self.cuts[height].node_of)
            self._known[height] = RowKinds(others, self.rows.weights, len(self.hierarchy.labels))
        return self._known[height]

    def veiled(self, common: NDArray[np.bool_]) -> Itemsets:
        """Return the rows, the rare ones without sensitive items."""
        itemsets = self.rows.itemsets
        return itemsets.keeping(common[itemsets.owners] | ~self.private[itemsets.items])

    def _loss(self, publication: Publication, common: NDArray[np.bool_]) -> Fraction:
        """Return what is lost in all rows, and with the sensitive items of rare ones that are not dropped anyway."""
        rare = self.rows.select(np.flatnonzero(~common)).item_supports()
        gone = int(rare[self.private & ~publication.dropped()].sum())
        return publication.information_loss(self.rows) + Fraction(gone, self.total)

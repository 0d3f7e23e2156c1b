"""Take a sensitive item out of the rows that give it away, and leave it in all others: `local`.

Problem      dropping a sensitive item from all rows, because a few of them give it away, loses far more than needed.
Method       a sensitive item leaves every row whose other items imply it with rho or more. In a round all occurrences
             leave that follow from nothing, from one item, or from all others of their row; if there are none, those
             that follow from any part of it. Rounds are repeated until there is none of these either.
             Before that, other items may be generalized in all rows. The two highest cuts of even height that cost no
             more than an eighth of the other items are tried, and none: with what then leaves rows, the one is taken
             that costs least, if generalizing counts half, and if it would also be taken for the rows with only those
             sensitive items that are left. If it would not, the next.
Promises     1. At face value: in the published rows no rule reaches rho.
             2. Who knows part of a published row cannot be certain of more, not even if this method and all other
             items of all rows are known. Let D be the rows, O what is published, and D' the rows of D with only those
             sensitive items that O has. D' gives O, so that D may be D': without generalization D' is O, in which
             nothing is endangered; with it, the cuts that are tried follow from the other items alone, and the one
             that was taken is taken for D', too, or it would not have been taken for D. And in D', generalized, no
             sensitive item follows with rho or more.
             3. Nothing aims at rho: an occurrence leaves if it reaches rho, whatever that makes of others. (To let
             it stay as long as everything is below rho would leave confidences just below it, and tell as much.)
             It does not promise what methods do that drop an item from all rows or from none. That an item is absent
             is a signal, to who knows the method: docs/limitations.md says what it was worth on small data. Who knows
             more can even be certain of a sensitive item: that another one was taken out of someone's row; that a
             named item was in some row, which is so for all where labels without a row are refused, though none has it
             any more; or which item of someone is behind a generalized one, since 2. is about rows as they are
             published. And a rule over rows that lost an item can be more certain than it was.
Tables       where a value leaves, its cell is seen to be empty, so empty cells of that column count as a sensitive
             value from then on (`empty_cells`). A cell cannot be made emptier: if it gives itself away, the column
             goes as a whole.
Cost         a few rounds of a check for the cut that is taken, and one or two for each other.
Departures   not in cao2010. Removing single occurrences is the idea of Jia, Pan, Xu, Zhu and Lo (2014).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.check import columns_with_gaps
from discreet.uncertainty.empty_cells import column_of_items, empty_cell, table_columns, with_empty_cells
from discreet.uncertainty.hierarchy import leaf_of_items
from discreet.uncertainty.publication import Publication, published_layout
from discreet.uncertainty.sensitive_rules import sensitive_flags
from discreet.uncertainty.thinned_rows import ThinnedRows
from discreet.uncertainty.time_budget import TimeBudget
from discreet.uncertainty.utility import false_rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.uncertainty.hierarchy import Hierarchy
    from discreet.uncertainty.limits import Limits

__all__ = ["GUESSED", "LocalRecoding", "local"]

GUESSED = Fraction(176, 251)
"""Of small data sets that were changed, those in which a reader who knows the method reaches rho: docs/evidence.md."""

_CHEAP = 8
"""A cut is cheap if it costs at most one part in so many of the items that are not sensitive."""

_CUTS = 2
"""How many cheap cuts are tried, the highest ones."""

_HALF = 2
"""Where cuts are compared, what leaves a row counts so many times as much as what is generalized."""

_STEPS = 12
"""About as many rounds as there are: for the progress bar."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LocalRecoding(ThinnedRows):
    """Rows that lost the sensitive items that the rest of the row gave away.

    `removed` also counts the values of a column that went as a whole. `gaps` are the columns whose empty cells count as
    sensitive.
    """

    rounds: int
    gaps: tuple[str, ...]

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        entries, removed = self.entries
        return {
            "sensitive_entries": entries,
            "removed": removed,
            "changed_rows": self.changed_rows,
            "rounds": self.rounds,
            "guessed": {"share": float(GUESSED), "data_sets": GUESSED.denominator},
            "false_rules": self.false_rules.to_dict(),
        }


def local(
    rows: Transactions,
    *,
    limits: Limits,
    sensitive: NDArray[np.int32],
    hierarchy: Hierarchy,
    budget: TimeBudget | None = None,
) -> LocalRecoding:
    """Return rows in which no conclusion about a sensitive item reaches its limit."""
    ground = _Ground(rows, limits, sensitive, hierarchy, budget or TimeBudget())
    cuts = ground.cuts_for(rows)
    if len(cuts) > 1 and not ground.endangers(rows):
        return ground.result(ground.untouched(rows))
    while True:
        made = ground.recode(rows, cuts[0])
        for cut in cuts[1:]:
            other = ground.recode(rows, cut, enough=made.price)
            made = min(made, other, key=lambda each: each.price)  # the higher cut, if they cost the same
        if ground.is_taken_again(made):
            return ground.result(made)
        cuts.remove(made.cut)


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """Rows generalized at a cut, after the last round; the price is what cuts are compared by."""

    cut: Publication
    rows: Transactions
    price: int
    rounds: int
    gaps: tuple[str, ...]
    without: frozenset[str]


class _Ground:
    """What all cuts share: the rows, what is sensitive, and the cuts themselves, cheapest first."""

    def __init__(
        self,
        rows: Transactions,
        limits: Limits,
        sensitive: NDArray[np.int32],
        hierarchy: Hierarchy,
        budget: TimeBudget,
    ) -> None:
        self.rows, self.limits, self.sensitive, self.budget = rows, limits, sensitive, budget
        self.steps = 0
        self.labels = {rows.vocabulary[item] for item in sensitive.tolist()}
        self.columns = table_columns(rows)
        self.whole = max(1, hierarchy.leaf_count)
        leaf_of = leaf_of_items(hierarchy, rows.vocabulary, sensitive)
        self.cuts = [
            Publication(
                rows.vocabulary,
                hierarchy,
                np.zeros(0, np.int32),
                np.append(hierarchy.climb(cut), -1)[leaf_of].astype(np.int32),
            )
            for cut in hierarchy.cuts_of_one_height()
        ]

    @property
    def leaves(self) -> Publication:
        """The cut that generalizes nothing."""
        return self.cuts[0]

    def cuts_for(self, rows: Transactions) -> list[Publication]:
        """Return the cuts to try, the highest first; sensitive items have no say in it."""
        others = int(rows.item_supports().sum() - rows.item_supports()[self.sensitive].sum())
        by_cost = {cost: cut for cut in reversed(self.cuts) if (cost := self.generalizing(rows, cut))}
        cheap = [cut for cost, cut in by_cost.items() if cost * _CHEAP <= others * self.whole]
        return [*cheap[:_CUTS], self.leaves]

    def endangers(self, rows: Transactions) -> bool:
        """Return whether anything has to leave rows that are not generalized."""
        endangered, told = self._endangered(rows, self._gaps(rows, set()), every=False)
        return bool(endangered.any() or told)

    def untouched(self, rows: Transactions) -> _Tried:
        """Return rows in which nothing is endangered."""
        return _Tried(self.leaves, self.leaves.apply(rows), 0, 1, self._gaps(rows, set()), frozenset())

    def is_taken_again(self, made: _Tried) -> bool:
        """Return whether the same cut costs least for the rows with only those sensitive items that are left."""
        alike = self.with_what_is_left(made)
        cuts = self.cuts_for(alike)
        if made.cut not in cuts or cuts != self.cuts_for(self.rows):  # a column of a table went as a whole
            return made.cut is self.leaves
        price = self.generalizing(alike, made.cut)
        lower = cuts[cuts.index(made.cut) + 1 :]
        return all(self.recode(alike, cut, enough=price).price >= price for cut in lower)

    def generalizing(self, rows: Transactions, cut: Publication) -> int:
        """Return what a cut loses, before anything leaves a row."""
        below = np.append(cut.hierarchy.leaves_below, 0)[cut.node_of]
        return sum(map(int.__mul__, rows.item_supports().tolist(), below.tolist()))

    def recode(self, rows: Transactions, cut: Publication, *, enough: int | None = None) -> _Tried:
        """Generalize, and take sensitive items out of rows until none is endangered, or the price is above enough."""
        current = cut.apply(rows)
        before = int(current.item_supports().sum())
        generalized = price = self.generalizing(rows, cut)
        touched: set[str] = set()
        without: set[str] = set()
        rounds = 0
        gaps: tuple[str, ...] = ()
        while enough is None or price <= enough:
            rounds += 1
            self.steps += 1
            self.budget.goes_on(self.steps / (self.steps + _STEPS), self.steps)
            self.budget.watch()
            gaps = self._gaps(current, touched)
            endangered, told = self._endangered(current, gaps)
            if not endangered.any() and not told:
                break
            if told:
                without.update(told)
                endangered |= column_of_items(current.vocabulary.labels, sorted(told))[current.items] >= 0
            leaving = np.unique(current.items[endangered])
            if self.columns:
                column = column_of_items([current.vocabulary[item] for item in leaving.tolist()], self.columns)
                touched.update(self.columns[at] for at in column[column >= 0].tolist())
            current = replace(current, itemsets=current.itemsets.keeping(~endangered))
            price = generalized + _HALF * (before - int(current.item_supports().sum())) * self.whole
        return _Tried(cut, current, price, rounds, gaps, frozenset(without))

    def _gaps(self, current: Transactions, touched: set[str]) -> tuple[str, ...]:
        """Return the columns whose empty cells count: a value left them, or the check would count them."""
        if not self.columns:
            return ()
        counted = {*columns_with_gaps(self.limits.names or self.labels, current), *touched}
        labels = [current.vocabulary[item] for item in np.flatnonzero(current.item_supports()).tolist()]
        filled = {*column_of_items(labels, self.columns).tolist()}
        return tuple(column for at, column in enumerate(self.columns) if column in counted and at in filled)

    def _endangered(
        self, current: Transactions, gaps: tuple[str, ...], *, every: bool = True
    ) -> tuple[NDArray[np.bool_], set[str]]:
        """Return which occurrences follow from the rest of their row, and the columns whose empty cells do.

        Where any follows from none, one or all of the other items of its row, only such. Without `every`, at least one
        if there is any.
        """
        shown = with_empty_cells(current, gaps)
        own = len(shown.vocabulary) == len(current.vocabulary)
        place = shown.vocabulary.positions
        private = [place[label] for label in current.vocabulary if label in self.labels]
        empty = [place[empty_cell(column)] for column in gaps]
        items = np.array(sorted([*private, *empty]), np.int32)
        part, whole = self.limits.shares(shown.vocabulary, items, shown.n)
        found = _kernel.find_endangered(
            shown.itemsets,
            shown.weights,
            total=shown.n,
            sensitive=sensitive_flags(shown.vocabulary, items),
            rho_part=part,
            rho_whole=whole,
            every=every,
            staged=True,
        ).astype(bool)
        if own:
            return found, set()
        told = {*shown.items[found].tolist()}.intersection(empty)
        value = ~np.isin(shown.items, np.array(empty, np.int32))
        return found[value], {column for column, code in zip(gaps, empty, strict=True) if code in told}

    def with_what_is_left(self, made: _Tried) -> Transactions:
        """Return the original rows with those sensitive items, and those columns, that were published."""
        labels = self.rows.vocabulary
        private = np.zeros(len(labels), bool)
        private[self.sensitive] = True
        others = ~private
        if made.without:
            others &= column_of_items(labels.labels, sorted(made.without)) < 0
        left = np.array(
            [labels.positions.get(label, -1) if label in self.labels else -1 for label in made.rows.vocabulary]
        )
        kept = self.rows.itemsets.keeping(others[self.rows.items])
        joined = kept.joined_with(made.rows.itemsets.renumbered(left.astype(np.int32)))
        return replace(self.rows, itemsets=joined)

    def result(self, made: _Tried) -> LocalRecoding:
        """Return the rows with the labels that are left, and what became of the others."""
        held = np.flatnonzero(made.rows.item_supports())
        labels = [made.rows.vocabulary[item] for item in held.tolist()]
        numbers = np.full(len(made.rows.vocabulary), -1, np.int32)
        numbers[held] = np.arange(len(held))
        rows = Transactions.from_codes(
            made.rows.itemsets.renumbered(numbers), labels, layout=published_layout(self.rows.layout, labels)
        )
        alike = self.with_what_is_left(made)
        removed = self.rows.item_supports() - alike.item_supports()
        weights = np.ones(len(alike), np.int64) if self.rows.weights is None else self.rows.weights
        total = int(self.rows.item_supports().sum()) * self.whole
        lost = self.generalizing(alike, made.cut) + int(removed.sum()) * self.whole
        return LocalRecoding(
            rows=rows if made.rows.weights is None else replace(rows, weights=made.rows.weights),
            publication=made.cut,
            held=self.rows.item_supports(),
            removed=removed,
            changed_rows=int(weights[alike.itemsets.lengths < self.rows.itemsets.lengths].sum()),
            rounds=made.rounds,
            gaps=made.gaps,
            information_loss=Fraction(lost, total) if total else Fraction(0),
            false_rules=false_rules(made.cut.apply(self.rows), made.rows),
        )

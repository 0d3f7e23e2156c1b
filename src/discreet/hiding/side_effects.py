"""Measure what hiding cost and whether it worked: the measures of section 5, over all frequent itemsets.

Problem      given rows before and after, restrictive patterns and a minimum support, count the frequent itemsets
             before and after, and those of them that contain a restrictive pattern.
Method       if all frequent itemsets can be listed, they are, and the lost ones are kept with both supports. If there
             are too many, the closed ones are mined: among the itemsets with each closure, those without a
             restrictive pattern are counted.
Promises     the counts are exact either way; there are no artifactual patterns, because supports only fall and n is
             unchanged.
Cost         two minings; for closed itemsets also a check of each one's subsets among the others.
Names        P, P' -> patterns_before, patterns_after;  #RP -> restrictive_*;  HF, MC, AP -> the three shares.
Reference    oliveira2002, section 5   (docs/papers/oliveira2002.md, tests/laws/test_hiding.py)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet import _kernel
from discreet.errors import DataError, TooManyPatterns, param
from discreet.patterns.label_lists import blocks_of, label_array, label_list
from discreet.patterns.mining import DEFAULT_MAX_PATTERNS, mine
from discreet.tables.tabular import Tabular
from discreet.thresholds import MinSupport, Support
from discreet.transactions.transactions import Transactions
from discreet.wording import html_table, share

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.json_types import JsonObject
    from discreet.patterns.patternset import PatternSet, Target
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "MOST_LISTED",
    "Baseline",
    "LostPatterns",
    "Minable",
    "SideEffects",
    "measure_between",
    "measure_side_effects",
]

MOST_LISTED = 4_000_000
"""The most itemsets that are listed; beyond this they are only counted."""

_LONGEST = 126
"""The most items of a closed itemset: its subsets must be countable in 128 bits."""


@dataclass(frozen=True, eq=False, repr=False)
class LostPatterns(Tabular, Sequence[tuple[frozenset[str], int, int]]):
    """Legitimate itemsets that are no longer frequent: items, support before, support after."""

    itemsets: Itemsets
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    vocabulary: Vocabulary

    def __len__(self) -> int:
        """Return the number of itemsets."""
        return len(self.before)

    def __getitem__(self, place: Any) -> Any:  # one of them, or a list of them
        """Return one itemset as a set of labels with both supports, or several."""
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        items = self.itemsets[place].tolist()
        return frozenset(self.vocabulary[item] for item in items), int(self.before[place]), int(self.after[place])

    def blocks(self) -> Iterator[pa.Table]:
        """Yield Arrow tables of consecutive itemsets: items (lists of labels), before, after."""
        import pyarrow as pa

        labels = label_array(self.vocabulary.labels)
        for rows in blocks_of(self.itemsets.offsets, labels):
            lists = label_list(self.itemsets, labels, rows)
            yield pa.table({"items": lists, "before": self.before[rows], "after": self.after[rows]})

    def to_arrow(self) -> pa.Table:
        """Return them as an Arrow table."""
        import pyarrow as pa

        empty = pa.schema([("items", pa.list_(pa.string())), ("before", pa.int64()), ("after", pa.int64())])
        return pa.concat_tables([empty.empty_table(), *self.blocks()])

    def __repr__(self) -> str:
        return f"<LostPatterns: {len(self):,} itemsets>"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideEffects(Tabular):
    """The three problems of the paper's Figure 1, each as a share, and the counts behind them.

    hiding_failure         of the restrictive itemsets, supersets included, those that can still be mined
    misses_cost            of the legitimate itemsets, those that no longer can
    artifactual_patterns   of what can be mined afterwards, what could not before
    """

    min_support: int
    hiding_failure: Fraction
    misses_cost: Fraction
    artifactual_patterns: Fraction
    patterns_before: int
    patterns_after: int
    restrictive_before: int
    restrictive_after: int
    lost: LostPatterns | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> JsonObject:
        """Return the JSON form; the lost itemsets, of which there can be millions, are not in it."""
        return {
            "min_support": self.min_support,
            "hiding_failure": float(self.hiding_failure),
            "misses_cost": float(self.misses_cost),
            "artifactual_patterns": float(self.artifactual_patterns),
            "patterns_before": self.patterns_before,
            "patterns_after": self.patterns_after,
            "restrictive_before": self.restrictive_before,
            "restrictive_after": self.restrictive_after,
        }

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table of one row, with the columns of the JSON form."""
        import pyarrow as pa

        return pa.table({name: [value] for name, value in self.to_dict().items()})

    def _repr_html_(self) -> str:
        """Show what became of the other itemsets, in a notebook."""
        facts = [
            (name.replace("_", " "), f"{value:,}" if isinstance(value, int) else share(getattr(self, name)))
            for name, value in self.to_dict().items()
        ]
        return html_table(("", ""), facts)


class Minable(Protocol):
    """Frequent itemsets of rows, wherever the rows are stored."""

    def mine(self, *, target: Target, max_patterns: int = DEFAULT_MAX_PATTERNS) -> PatternSet:
        """Return the itemsets with at least the minimum support."""

    def supports_of(self, itemsets: Itemsets) -> NDArray[np.int64]:
        """Return the support of each itemset, frequent or not."""


@dataclass(frozen=True, slots=True, eq=False)
class _InMemory:
    """Transactions, mined at one support."""

    rows: Transactions
    sigma: int

    def mine(self, *, target: Target, max_patterns: int = DEFAULT_MAX_PATTERNS) -> PatternSet:
        return mine(self.rows, min_support=self.sigma, target=target, max_patterns=max_patterns)

    def supports_of(self, itemsets: Itemsets) -> NDArray[np.int64]:
        rows = self.rows
        used = np.unique(itemsets.items)  # rows need only these items, a small part of a large vocabulary
        number = np.full(len(rows.vocabulary), -1, np.int32)
        number[used] = np.arange(len(used))
        held = rows.itemsets.renumbered(number)
        return itemsets.canonical(number).count_in(held, rows.weights, max(1, len(used)))


def measure_side_effects(
    before: Transactions,
    after: Transactions,
    patterns: Itemsets,
    *,
    min_support: MinSupport,
    most_listed: int = MOST_LISTED,
) -> SideEffects:
    """Measure over the nonempty itemsets that occur in at least `min_support` rows.

    `patterns` are the restrictive ones, over the rows' vocabulary.
    """
    return Baseline.of_rows(before, patterns, min_support=min_support, most_listed=most_listed).measure_rows(after)


def measure_between(before: Minable, after: Minable, patterns: Itemsets, sigma: int) -> SideEffects:
    """Measure the same for rows stored anywhere; both sides must use the same item numbers."""
    return Baseline.of(before, patterns, sigma).measure(after)


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """What can be mined before anything is hidden: what several results are measured against.

    `listed` are the frequent itemsets, and `restrictive` which of them contain a restrictive pattern; None if there are
    too many to list. `rest` are further rows, folded, in which nothing is hidden.
    """

    before: Minable
    patterns: Itemsets
    sigma: int
    listed: PatternSet | None
    restrictive: NDArray[np.bool_] | None
    rest: Transactions | None = None

    @classmethod
    def of(cls, before: Minable, patterns: Itemsets, sigma: int, *, most_listed: int = MOST_LISTED) -> Baseline:
        """Mine the rows before anything is hidden."""
        try:
            was = before.mine(target="all", max_patterns=most_listed)
        except TooManyPatterns:
            return cls(before, patterns, sigma, None, None)
        return cls(before, patterns, sigma, was, _restrictive(was, patterns))

    @classmethod
    def of_rows(
        cls,
        before: Transactions,
        patterns: Itemsets,
        *,
        min_support: MinSupport,
        most_listed: int = MOST_LISTED,
        rest: Transactions | None = None,
    ) -> Baseline:
        """Mine rows in memory; `rest` are further ones, folded, in which nothing is hidden."""
        before = _together(before, rest)
        sigma = Support.parse(min_support).of(before.n)
        return replace(cls.of(_InMemory(before, sigma), patterns, sigma, most_listed=most_listed), rest=rest)

    def legitimate(self) -> tuple[Itemsets, NDArray[np.int64]]:
        """Return frequent itemsets without a restrictive pattern, and their supports; the closed ones if too many."""
        found, restrictive = self.listed, self.restrictive
        if found is None or restrictive is None:
            found = self.before.mine(target="closed")
            restrictive = _restrictive(found, self.patterns)
        chosen = np.flatnonzero(~restrictive)
        return found.itemsets.select(chosen), found.supports[chosen]

    def lost_between(
        self, before: Transactions, after: Transactions, changed: NDArray[np.integer[Any]]
    ) -> tuple[int, int]:
        """Return how many legitimate itemsets are lost, and how many there were.

        Only the rows `changed` differ between `before` and `after`. If the rows are not in memory, these may be some of
        them, and the itemsets, which have to be listed, are counted in the changed ones; else rows are mined again.
        """
        if isinstance(self.before, _InMemory):
            effects = self.measure_rows(after, list_lost=False)
            legitimate = effects.patterns_before - effects.restrictive_before
            return legitimate - (effects.patterns_after - effects.restrictive_after), legitimate
        itemsets, supports = self.legitimate()
        rows = np.unique(changed).astype(np.int64)
        was, now = (_InMemory(each.select(rows), self.sigma).supports_of(itemsets) for each in (before, after))
        return int(np.count_nonzero(supports - was + now < self.sigma)), len(itemsets)

    def measure_rows(self, after: Transactions, *, list_lost: bool = True) -> SideEffects:
        """Measure rows in memory."""
        return self.measure(_InMemory(_together(after, self.rest), self.sigma), list_lost=list_lost)

    def measure(self, after: Minable, *, list_lost: bool = True) -> SideEffects:
        """Measure the rows from which something was removed; `list_lost` is whether to list what is lost."""
        if self.listed is None or self.restrictive is None:
            return _counted(self.before, after, self.patterns, self.sigma)
        was, now = self.listed, after.mine(target="all")
        gone = _supports_in(was, now) == 0
        return _shares(
            self.sigma,
            counts=(len(was), len(now)),
            restrictive=(int(self.restrictive.sum()), int(_restrictive(now, self.patterns).sum())),
            new=int(np.count_nonzero(_supports_in(now, was) == 0)),
            lost=_lost(was, np.flatnonzero(gone & ~self.restrictive), after) if list_lost else None,
        )


def _together(rows: Transactions, rest: Transactions | None) -> Transactions:
    """Return rows, followed by further ones, which are folded."""
    if rest is None:
        return rows
    weights = np.concatenate([np.ones(len(rows), np.int64), np.asarray(rest.weights)])
    return Transactions(rows.itemsets.followed_by(rest.itemsets), rows.vocabulary, weights)


def _shares(
    sigma: int,
    *,
    counts: tuple[int, int],
    restrictive: tuple[int, int],
    new: int,
    lost: LostPatterns | None,
) -> SideEffects:
    legitimate, kept = counts[0] - restrictive[0], counts[1] - restrictive[1]
    return SideEffects(
        min_support=sigma,
        hiding_failure=_share(restrictive[1], restrictive[0]),
        misses_cost=_share(legitimate - kept, legitimate),
        artifactual_patterns=_share(new, counts[1]),
        patterns_before=counts[0],
        patterns_after=counts[1],
        restrictive_before=restrictive[0],
        restrictive_after=restrictive[1],
        lost=lost,
    )


def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)


def _restrictive(found: PatternSet, patterns: Itemsets) -> NDArray[np.bool_]:
    """Return for each itemset whether it contains a restrictive pattern."""
    return _kernel.contain_any(found.itemsets, patterns, len(found.vocabulary)).astype(bool)


def _supports_in(wanted: PatternSet, known: PatternSet) -> NDArray[np.int64]:
    return wanted.itemsets.supports_in(known.itemsets, known.supports, len(known.vocabulary))


def _lost(was: PatternSet, which: NDArray[np.int64], after: Minable) -> LostPatterns:
    """Return some of the itemsets with their supports after hiding."""
    itemsets = was.itemsets.select(which)
    return LostPatterns(itemsets, was.supports[which], after.supports_of(itemsets), was.vocabulary)


def _counted(before: Minable, after: Minable, patterns: Itemsets, sigma: int) -> SideEffects:
    """Count without listing: from the closed itemsets and the number of itemsets with each closure."""
    counts, restrictive = [], []
    for rows in (before, after):
        closed = rows.mine(target="closed")
        everything, legitimate = _itemsets_behind(closed, patterns)
        counts.append(everything)
        restrictive.append(everything - legitimate)
    return _shares(sigma, counts=(counts[0], counts[1]), restrictive=(restrictive[0], restrictive[1]), new=0, lost=None)


def _itemsets_behind(closed: PatternSet, patterns: Itemsets) -> tuple[int, int]:
    """Return how many itemsets the closed ones stand for, and how many of these contain no restrictive pattern."""
    if int(closed.itemsets.lengths.max(initial=0)) > _LONGEST:
        raise DataError(
            f"an itemset has more than {_LONGEST} items, too many for its subsets to be counted; raise "
            f"{param('min_support')}"
        )
    everywhere = bool((closed.supports == closed.n).any())  # otherwise the empty itemset is closed
    totals = []
    for without in (None, patterns):
        high, low = _kernel.find_class_sizes(closed.itemsets, not everywhere, len(closed.vocabulary), without)
        sizes = high.astype(object) * 2**64 + low.astype(object)
        totals.append(int(sizes.sum()) - everywhere)
    return totals[0], totals[1]

"""Frequent itemsets under differential privacy, in the spirit of PrivBasis.

Problem      publish the itemsets of at least S rows, or the K most frequent ones, so that the presence of one row
             changes no probability by more than a factor exp(epsilon), except with probability delta.
Method       in this order, each a measurement of OpenDP (see `measurements`):
               n         discrete Laplace noise on the number of rows, unless it is public
               universe  the items themselves, if they are not public: those whose counts, of rows cut to a few items,
                         reach a threshold
               depth     how many items are frequent: noisy max over the places j of the sorted counts
               items     so many items, by noisy top-k
               pairs     if they are too many for one basis: how many pairs are frequent, and which
               bins      how many rows have just which items of each basis: discrete Laplace noise
             then supports are added up from the bins and made consistent, which costs no privacy.
             If n is public, neighbours have one row replaced: each step is measured with twice the sensitivity.
Promises     the steps spend at most epsilon and delta, as OpenDP's maps account for them (`budget`). Supports are whole
             numbers from 0 to n, no superset is above a subset, and with an itemset all its subsets are listed.
Cost         some passes over the rows; mining of at most K itemsets, or of none.
Departures   li2012 scores a number of items j by the distance of the j-th count to the threshold; here the score is
             min(c_j - S, S - c_(j+1)), which only the right j makes positive, however far the counts are apart.
             Selections use that counts all rise or all fall with a row, which halves their noise. The choice of
             items has more of the budget if they are many, and the choice of pairs if they are few.
Reference    Li, Qardaji, Su, Cao: PrivBasis, VLDB 2012 (li2012); docs/differential-privacy.md

That depth has sensitivity 1: one row more raises every count by 0 or 1, so also the j-th largest, and so also the
threshold S where it is taken from the K-th largest support. A difference of two numbers that rise by 0 or 1 changes by
at most 1, and so does the lesser of two such differences. One row replaced is one removed and one added: by at most 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from discreet.differential_privacy.basis_sets import MOST_ITEMS, find_bases
from discreet.differential_privacy.budget import Budget, Spending
from discreet.differential_privacy.consistency import consistent, estimates
from discreet.differential_privacy.counting import counts_of
from discreet.differential_privacy.measurements import (
    frequent_labels,
    library,
    noisy_bins,
    noisy_count,
    noisy_place,
    noisy_top,
)
from discreet.errors import ParameterError, param
from discreet.patterns.patternset import PatternSet, trimmed
from discreet.tables.tabular import Tabular
from discreet.thresholds import Support, whole_number
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.vocabulary import Vocabulary
from discreet.wording import ROWS, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.differential_privacy.budget import Decimals, Spent
    from discreet.differential_privacy.counting import CountedElsewhere, RowCounts
    from discreet.json_types import JsonObject
    from discreet.thresholds import MinSupport
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.wording import Unit

__all__ = [
    "EARLIER_SHARES",
    "MANY_ITEMS",
    "MAX_ITEMS",
    "MOST_TOP",
    "SHARES",
    "DpPatterns",
    "DpRequest",
    "dp_patterns",
    "measure",
    "share_of",
]

MAX_ITEMS = 10
"""The items that a row keeps while the universe is sought, unless `max_items` says otherwise."""

MOST_TOP = 10_000
_MOST_DEPTH = 256
_MOST_PAIRS = 512
_FAR = 2**40
"""Beyond every count: none is before the first, and none after the last."""

SHARES = {
    "n": Fraction(1, 20),
    "universe": Fraction(1, 10),
    "depth": Fraction(1, 20),
    "items": Fraction(3, 20),
    "many items": Fraction(7, 20),
    "depth of pairs": Fraction(1, 20),
    "pairs": Fraction(3, 10),
    "pairs of many items": Fraction(3, 20),
}
"""The share of epsilon of each step, where it is taken; the bins have what is left.

The choice of many items has a larger share: its noise grows with their number, and what is not chosen is lost. If they
are few, the choice of their pairs has it. How many they are is known with noise already, so that a share may follow
from it.
"""

EARLIER_SHARES = {name: share for name, share in SHARES.items() if name != "pairs of many items"} | {
    "pairs": Fraction(3, 20)
}
"""What bundles have that were made before pairs of few items got a larger share; they are still verified."""

MANY_ITEMS = 2 * MOST_ITEMS
"""More items than this are many: two bases do not hold them."""


def share_of(step: str, items: int, shares: Mapping[str, Fraction] = SHARES) -> Fraction:
    """Return the share of epsilon of a step, if so many items were chosen; they are not known before `items` itself."""
    many = {"items": "many items", "pairs": "pairs of many items"}.get(step, step)
    return shares[many if many in shares and items > MANY_ITEMS else step]


@dataclass(frozen=True, slots=True, kw_only=True)
class DpRequest:
    """What is asked for, and what is public: fixed before anyone looks at the rows.

    budget      epsilon and delta
    support     the least support, in rows or as a share; None if only `top` says how many
    top         the most itemsets; None for all that reach the support
    universe    the items that may be published; None if they are to be found in the rows
    max_items   how many items a row keeps while the universe is sought; None if it is given
    public_n    whether the number of rows is public: then neighbours differ in one row that is replaced
    """

    budget: Budget
    support: Support | None
    top: int | None
    universe: tuple[str, ...] | None
    max_items: int | None
    public_n: bool

    @classmethod
    def parse(
        cls,
        *,
        epsilon: Decimals,
        delta: Decimals | None = None,
        min_support: MinSupport | None = None,
        top: int | None = None,
        universe: Names | None = None,
        max_items: int | None = None,
        public_n: bool = False,
    ) -> DpRequest:
        """Return a request; raise ParameterError for one that cannot be answered, before any row is looked at."""
        budget = Budget.parse(epsilon, delta)
        if min_support is None and top is None:
            raise ParameterError(
                f"{param('min_support')} is missing; say in how many rows an itemset must occur, or with "
                f"{param('top')} how many itemsets to publish",
                parameter="min_support",
            )
        if top is not None and whole_number(top, parameter="top") > MOST_TOP:
            raise ParameterError(f"{param('top')} must be at most {MOST_TOP:,}, got {top:,}", parameter="top")
        names = None if universe is None else tuple(Vocabulary(parse_names(universe, "universe")).labels)
        if names is None and not budget.delta:
            raise ParameterError(
                f"{param('universe')} is missing: which items there are may give someone away; name a file of all "
                f"items that could occur, or let the frequent ones be found with {param('delta')} 1e-6",
                parameter="universe",
            )
        if names is not None and (max_items is not None or budget.delta):
            odd = "max_items" if max_items is not None else "delta"
            raise ParameterError(
                f"{param(odd)} is for items that are found in the rows, and {param('universe')} names them; leave one "
                "of them out",
                parameter=odd,
            )
        cut = None if names is not None else MAX_ITEMS if max_items is None else max_items
        return cls(
            budget=budget,
            support=None if min_support is None else Support.parse(min_support),
            top=top,
            universe=names,
            max_items=None if cut is None else whole_number(cut, parameter="max_items"),
            public_n=public_n,
        )

    @property
    def changes(self) -> int:
        """How many rows come or go between neighbours: one, or two if one is replaced."""
        return 2 if self.public_n else 1

    @property
    def universe_sha256(self) -> str | None:
        """The SHA-256 of the items of the universe, sorted, a line each; None if they are to be found."""
        if self.universe is None:
            return None
        return sha256("".join(f"{label}\n" for label in sorted(self.universe)).encode()).hexdigest()

    def to_dict(self) -> JsonObject:
        """Return the JSON form: what was fixed before looking."""
        return {
            "min_support": None if self.support is None else _support_text(self.support),
            "top": self.top,
            "universe": None if self.universe is None else len(self.universe),
            "universe_sha256": self.universe_sha256,
            "max_items": self.max_items,
            "public_n": self.public_n,
            "shares": {name: str(share) for name, share in SHARES.items()},
            "most_items_of_a_basis": MOST_ITEMS,
            "many_items": MANY_ITEMS,
            "most_items": _MOST_DEPTH,
            "most_pairs": _MOST_PAIRS,
        }


def _support_text(support: Support) -> str:
    """Return a number of rows as it is, and a share always as a fraction: 1 is a row, and 1/1 are all rows."""
    value = support.value
    return str(value) if isinstance(value, int) else f"{value.numerator}/{value.denominator}"


@dataclass(frozen=True, eq=False, kw_only=True)
class DpPatterns(Tabular):
    """Itemsets with noisy supports, and what they cost.

    Attributes
    ----------
    patterns : PatternSet
        The itemsets; with one, all its subsets are listed. Their supports and `n` have noise.
    request : DpRequest
        What was fixed before looking.
    steps : tuple of Spent
        The measurements, with the share of the budget that each spent.
    bases : tuple of tuples of str
        The sets of items that were counted together.
    library : str
        The library that made the noise, with its version.
    unit : Unit
        What one row stands for: whose presence is protected.
    """

    patterns: PatternSet
    request: DpRequest
    steps: tuple[Spent, ...]
    bases: tuple[tuple[str, ...], ...]
    library: str
    unit: Unit = field(default=ROWS)

    @property
    def budget(self) -> Budget:
        """What is promised: epsilon and delta."""
        return self.request.budget

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        found = self.patterns
        return self.budget.to_dict() | {
            "n": found.n,
            "min_support": found.min_support,
            "count": len(found),
            "fixed": self.request.to_dict(),
            "steps": [step.to_dict() for step in self.steps],
            "library": self.library,
            "itemsets": [{"items": sorted(labels), "support": support} for labels, support in found],
        }

    def to_arrow(self) -> pa.Table:
        """Return the itemsets with their noisy supports, as an Arrow table."""
        return self.patterns.to_arrow()

    def __repr__(self) -> str:
        return f"<DpPatterns: {counted(len(self.patterns), 'itemset')}, {self.budget}>"


def dp_patterns(
    rows: Transactions | CountedElsewhere,
    *,
    epsilon: Decimals,
    delta: Decimals | None = None,
    min_support: MinSupport | None = None,
    top: int | None = None,
    universe: Names | None = None,
    max_items: int | None = None,
    public_n: bool = False,
) -> DpPatterns:
    """Return frequent itemsets under differential privacy; every call spends epsilon again, with other noise.

    Neighbouring data sets differ in one row, added or removed: a person, if a person is one row. With `public_n` one
    row is replaced by another.

    The promise begins where the rows have been read. Which format, separator or header they were read with is not
    covered if it was found by looking at them: name `format`, `delimiter` and `header` to `read`. Nor is a query that
    makes one row of several people's.

    Parameters
    ----------
    rows : Transactions or SparkRows
        The rows, already read. Of rows in Spark, Spark counts; the noise is added once, here.
    epsilon : str, float or Decimal
        No row changes a probability by more than a factor exp(epsilon). A decimal, taken exactly.
    delta : str, float or Decimal, optional
        Except with this probability; needed if there is no `universe`, and of no use otherwise.
    min_support : int, str, float or Fraction, optional
        The itemsets to look for, as for `mine`; a share is one of the noisy number of rows.
    top : int, optional
        How many itemsets at most; without `min_support`, so many of the most frequent ones.
    universe : names, optional
        All items that may be published, of public knowledge: a list, `@FILE` or a path. Without it, items are sought
        in the rows.
    max_items : int, optional
        How many items a row keeps while they are sought, 10 by default.
    public_n : bool, default False
        Whether the number of rows is public; it is protected otherwise. Then what a row says is protected, not whether
        there is one, and all noise is twice as large.

    Returns
    -------
    DpPatterns
        The itemsets, and what they cost.

    Raises
    ------
    ParameterError
        A parameter has an unusable value.
    EngineError
        OpenDP is not installed.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows([["tea", "milk"]] * 6000 + [["tea"]] * 4000)
    >>> found = discreet.dp_patterns(rows, epsilon=1, min_support=3000, universe=["tea", "milk", "gin"])
    >>> sorted(sorted(itemset) for itemset, _ in found.patterns)
    [['milk'], ['milk', 'tea'], ['tea']]
    """
    counts = counts_of(rows)
    request = DpRequest.parse(
        epsilon=epsilon,
        delta=delta,
        min_support=min_support,
        top=top,
        universe=universe,
        max_items=max_items,
        public_n=public_n,
    )
    return measure(counts, request, ROWS if rows.read is None else rows.read.what_a_row_is)


def measure(
    counts: RowCounts, request: DpRequest, unit: Unit = ROWS, *, may_name: Callable[[str], bool] = bool
) -> DpPatterns:
    """Return the itemsets of a request, from counts of any engine.

    Of the items that are found in the rows, those that `may_name` does not allow are left out.
    """
    used = library()
    spending = Spending(request.budget, request.changes)
    n = counts.n if request.public_n else max(0, _n(counts, spending))
    universe = _universe(counts, request, spending, may_name)
    inside = counts.within(universe)
    support = 1 if request.support is None else request.support.of(n)
    least = support if request.top is None else max(support, _rank(inside, request.top))
    items = _items(inside, least, spending)
    chosen = inside.within([universe[item] for item in items.tolist()])
    bases = _bases(chosen, least, len(items), spending)
    bins = np.zeros(0, np.int64)
    if bases:
        most = spending.changes * len(bases)
        bins, step = noisy_bins(chosen.bins(bases), sensitivity=most, name="bins", epsilon=spending.left)
        spending.record(step)
    itemsets, supports = estimates(bases, bins)
    supports = consistent(itemsets, supports, n)
    labels = [universe[item] for item in items.tolist()]
    order = np.lexsort([np.arange(len(supports)), -supports])
    kept = np.sort(order[supports[order] >= support][: request.top])
    listed = support if request.support is not None else max(1, int(supports[kept].min(initial=n)))
    patterns = PatternSet.from_codes(
        itemsets.select(kept), supports[kept], labels, n=n, min_support=listed, target="selected"
    )
    return DpPatterns(
        patterns=trimmed(patterns),
        request=request,
        steps=tuple(spending.steps),
        bases=tuple(tuple(labels[item] for item in basis) for basis in bases),
        library=used,
        unit=unit,
    )


def _n(counts: RowCounts, spending: Spending) -> int:
    n, step = noisy_count(counts.n, name="n", epsilon=spending.budget.epsilon * SHARES["n"])
    spending.record(step)
    return n


def _rank(inside: RowCounts, top: int) -> int:
    """Return a threshold between the K-th largest support and one a tenth further on, so that the K-th is above it.

    One row more raises both by 0 or 1, so their sum by at most 2, and half of it, rounded up, by 0 or 1.
    """
    return (inside.kth(top) + inside.kth(top + max(1, top // 10)) + 1) // 2


def _universe(
    counts: RowCounts, request: DpRequest, spending: Spending, may_name: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the items that may be published: public ones, or those that reach a threshold."""
    if request.universe is not None:
        return request.universe
    most = int(request.max_items or MAX_ITEMS)
    found, step = frequent_labels(
        counts.truncated(most),
        most=spending.changes * most,
        name="universe",
        epsilon=spending.budget.epsilon * SHARES["universe"],
        delta=spending.budget.delta,
    )
    spending.record(step)
    return Vocabulary(tuple(filter(may_name, found))).labels


def _items(inside: RowCounts, least: int, spending: Spending) -> NDArray[np.int64]:
    """Return the items to look at: as many as are frequent, and the most frequent ones, both with noise."""
    supports = inside.items()
    depth = _depth(supports, least, _MOST_DEPTH, "depth", spending)
    return _first(supports, depth, "items", depth, spending)


def _bases(chosen: RowCounts, least: int, items: int, spending: Spending) -> list[tuple[int, ...]]:
    """Return the bases; pairs are looked at only if one basis cannot hold all items."""
    pairs: list[tuple[int, int]] = []
    if items > MOST_ITEMS:
        supports = chosen.pairs()
        depth = _depth(supports, least, _MOST_PAIRS, "depth of pairs", spending)
        found = _first(supports, depth, "pairs", items, spending)
        one, other = np.triu_indices(items, 1)
        pairs = list(zip(one[found].tolist(), other[found].tolist(), strict=True))
    return find_bases(items, pairs)


def _depth(supports: NDArray[np.int64], least: int, most: int, name: str, spending: Spending) -> int:
    """Return how many of these are frequent, by a noisy max."""
    epsilon = spending.budget.epsilon * share_of(name, 0)
    depth, step = noisy_place(_scores(supports, least, most), name=name, epsilon=epsilon, sensitivity=spending.changes)
    spending.record(step)
    return depth


def _first(supports: NDArray[np.int64], chosen: int, name: str, items: int, spending: Spending) -> NDArray[np.int64]:
    """Return so many of the most frequent of these, by a noisy top-k."""
    if not chosen:
        return np.zeros(0, np.int64)
    epsilon = spending.budget.epsilon * share_of(name, items)
    found, step = noisy_top(supports, chosen, name=name, epsilon=epsilon, sensitivity=spending.changes)
    spending.record(step)
    return found


def _scores(supports: NDArray[np.int64], least: int, most: int) -> NDArray[np.int64]:
    """Return how well each number j of items, from 0 up, parts the supports at `least`: min(c_j - S, S - c_(j+1))."""
    ordered = np.sort(supports)[::-1][: most + 1]
    bounded = np.concatenate([[least + _FAR], ordered, [least - _FAR]])[: most + 2]
    return np.asarray(np.minimum(bounded[:-1] - least, least - bounded[1:]), np.int64)

"""Patterns and rules that were read: exact counts, and what the source says, or does not say, about itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet import _kernel
from discreet.errors import DataError, ParameterError, param
from discreet.itemsets import Itemsets
from discreet.patterns.confidence import possible_antecedents
from discreet.patterns.label_lists import label_column
from discreet.patterns.patternset import PatternSet
from discreet.tables.tabular import Tabular
from discreet.thresholds import MinSupport, Support
from discreet.transactions.vocabulary import numbered

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.patterns.pattern_read import PatternRead
    from discreet.patterns.patternset import Collected
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "Claims",
    "ImportedPatterns",
    "ImportedRules",
    "Kind",
    "Origin",
    "agreed",
    "given_patterns",
    "given_rules",
]

Kind = Literal["all", "closed", "maximal", "selected", "unknown"]
"""Which frequent itemsets a source claims to contain."""

Origin = Literal["ours", "spmf", "mlxtend", "spark", "arules", "pami", "weka", "orange", "rapidminer", "unnamed"]
"""The tool that wrote the source; `unnamed` if its columns do not tell."""

_MOST_ROWS = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a source says about its patterns as a whole; None for what it does not say."""

    n: int | None = None
    min_support: int | None = None
    kind: Kind = "unknown"
    max_length: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ImportedPatterns(Tabular):
    """Itemsets with exact supports that were read rather than mined, in the canonical order of a PatternSet.

    `n` and `min_support` come from the source or the caller, `kind` and `max_length` (the cap) from the source; nothing
    is guessed. `to_patternset` turns them into a PatternSet. If supports were shares of n rows, `factor` is what all
    counts have in common with n: they are the same shares of fewer rows. `n_is_least` is whether n was not said and is
    the least that the shares fit; its multiples fit too. `read` says how they were read.
    """

    itemsets: Itemsets
    supports: NDArray[np.int64]
    vocabulary: Vocabulary
    n: int | None
    min_support: int | None
    kind: Kind
    max_length: int | None
    origin: Origin
    factor: int | None = None
    n_is_least: bool = False
    read: PatternRead | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        _freeze(self)

    def __len__(self) -> int:
        """Return the number of itemsets."""
        return len(self.supports)

    def __repr__(self) -> str:
        return f"<ImportedPatterns: {len(self):,} itemsets ({self.kind}), n {self.n}, from {self.origin}>"

    def to_arrow(self) -> pa.Table:
        """Return the itemsets as an Arrow table of `items` and `support` (a count)."""
        import pyarrow as pa

        return pa.table({"items": label_column(self.itemsets, self.vocabulary.labels), "support": self.supports})

    def with_fewest_rows(self) -> ImportedPatterns:
        """Return the same shares of the least number of rows that fits."""
        factor = self.factor or 1
        return replace(
            self,
            supports=self.supports // factor,
            n=None if self.n is None else self.n // factor,
            min_support=None if self.min_support is None else -(-self.min_support // factor),
            factor=1,
        )

    def with_more_rows(self, times: int) -> ImportedPatterns:
        """Return the same shares of so many times as many rows, with the lowest minimum support that fits."""
        least = None if self.min_support is None else (self.min_support - 1) * times + 1
        return replace(
            self,
            supports=self.supports * times,
            n=None if self.n is None else self.n * times,
            min_support=least,
            n_is_least=False,
        )

    def check_n(self) -> None:
        """Refuse shares of an unknown number of rows: their counts are not known."""
        if self.n_is_least:
            raise DataError(
                "the supports are shares of the rows, and nothing says how many there are; give "
                f"{param('n')} ({self.n:,} is the least that fits)"
            )

    def to_patternset(self, target: Collected | None = None) -> PatternSet:
        """Return a PatternSet; `target` says which itemsets these are if the source does not.

        If `min_support` is unknown it is the smallest support that occurs.
        """
        self.check_n()
        kind = self.kind if target is None else target
        if self.n is None:
            raise DataError("the patterns do not say how many rows they come from; give n")
        if kind == "unknown":
            raise DataError("the patterns do not say whether they are all, closed or maximal itemsets; give target")
        smallest = int(self.supports.min(initial=max(self.n, 1)))
        return PatternSet(
            itemsets=self.itemsets,
            supports=self.supports,
            vocabulary=self.vocabulary,
            n=self.n,
            min_support=smallest if self.min_support is None else self.min_support,
            target=kind,
            max_length=self.max_length,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ImportedRules(Tabular):
    """Association rules that were read, ordered by antecedent, then consequent; an antecedent may be empty.

    `supports` counts the rows that contain both sides. `confidences` are the numbers as printed, digit by digit: 0.98
    and 0.980 allow different rounding errors. The supports of the single sides are present if the source has them.
    `factor` and `read` are as for ImportedPatterns.
    """

    antecedents: Itemsets
    consequents: Itemsets
    supports: NDArray[np.int64]
    confidences: tuple[Decimal, ...]
    antecedent_supports: NDArray[np.int64] | None
    consequent_supports: NDArray[np.int64] | None
    vocabulary: Vocabulary
    n: int | None
    origin: Origin
    factor: int | None = None
    read: PatternRead | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        _freeze(self)

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self.supports)

    def __eq__(self, other: object) -> bool:
        """Return whether both contain the same rules, with the same printed figures."""
        if not isinstance(other, ImportedRules):
            return NotImplemented
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(self) if each.compare)
        return all(np.array_equal(one, two) if isinstance(one, np.ndarray) else bool(one == two) for one, two in pairs)

    def with_fewest_rows(self) -> ImportedRules:
        """Return the same shares of the least number of rows that fits."""
        factor = self.factor or 1
        before, after = self.antecedent_supports, self.consequent_supports
        return replace(
            self,
            supports=self.supports // factor,
            antecedent_supports=None if before is None else before // factor,
            consequent_supports=None if after is None else after // factor,
            n=None if self.n is None else self.n // factor,
            factor=1,
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<ImportedRules: {len(self):,} rules, n {self.n}, from {self.origin}>"

    def to_arrow(self) -> pa.Table:
        """Return the rules as an Arrow table, each confidence as it was printed."""
        import pyarrow as pa

        return pa.table(
            {
                "antecedent": label_column(self.antecedents, self.vocabulary.labels),
                "consequent": label_column(self.consequents, self.vocabulary.labels),
                "support": self.supports,
                "confidence": [str(confidence) for confidence in self.confidences],
            }
        )


def _freeze(given: ImportedPatterns | ImportedRules) -> None:
    for each in fields(given):
        value = getattr(given, each.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        elif isinstance(value, Itemsets):
            value.freeze()


def given_patterns(
    codes: Itemsets,
    labels: list[str],
    supports: NDArray[np.int64],
    *,
    origin: Origin,
    place: Callable[[int], str],
    claims: Claims,
    n: int | None,
    min_support: MinSupport | None,
    factor: int | None = None,
    n_is_least: bool = False,
) -> ImportedPatterns:
    """Check and sort what was read, sets of positions in `labels`; `place` names a set in errors."""
    n = agreed("n", n, claims.n)
    empty = np.flatnonzero(codes.lengths == 0)
    if len(empty):  # the empty itemset gives the number of rows, and is not listed
        if len(empty) > 1:
            raise DataError(f"{place(int(empty[1]))}: the empty itemset is listed twice; list every itemset once")
        _check_counts(supports, "support", n=None, place=place)
        n = agreed("n", n, int(supports[empty[0]]))
        kept = np.flatnonzero(codes.lengths)
        codes, supports = codes.select(kept), supports[kept]
        inner = place

        def place(row: int) -> str:
            return inner(int(kept[row]))

    if n_is_least and min_support is not None and _is_row_count(min_support):
        raise ParameterError(
            f"{param('min_support')} as a number of rows needs n, since the supports are shares; give {param('n')}, or "
            "a share",
            parameter="min_support",
        )
    _check_counts(supports, "support", n=n, place=place)
    vocabulary, renumber = numbered(labels)
    itemsets, order = codes.in_order(renumber, place)
    ordered = supports if order is None else supports[order]
    _check_subsets(itemsets, ordered, len(vocabulary), lambda row: place(row if order is None else int(order[row])))
    if claims.max_length is not None and itemsets.lengths.max(initial=0) > claims.max_length:
        raise DataError(
            f"an itemset is longer than the cap of {claims.max_length} that the patterns are said to have; "
            "correct either"
        )
    return ImportedPatterns(
        itemsets=itemsets,
        supports=ordered,
        vocabulary=vocabulary,
        n=n,
        min_support=_agreed_min_support(min_support, claims.min_support, n, supports),
        kind=claims.kind,
        max_length=claims.max_length,
        origin=origin,
        factor=factor,
        n_is_least=n_is_least,
    )


def _check_counts(counts: NDArray[np.int64], what: str, *, n: int | None, place: Callable[[int], str]) -> None:
    """Refuse counts that no rows can have."""
    low = np.flatnonzero(counts < 1)
    if len(low):
        raise DataError(f"{place(int(low[0]))}: the {what} must be at least 1; correct it or leave the row out")
    high = np.flatnonzero(counts > n) if n is not None else low
    if len(high):
        raise DataError(f"{place(int(high[0]))}: the {what} is above the number of rows, {n}; correct it or n")


def _check_subsets(itemsets: Itemsets, supports: NDArray[np.int64], labels: int, place: Callable[[int], str]) -> None:
    """Refuse an itemset with more rows than one of its subsets."""
    if wrong := _kernel.find_contradiction(itemsets, supports, supports, labels):
        larger, smaller = wrong
        raise DataError(
            f"{place(larger)}: the support is above that of a subset, in {place(smaller)}; no data set can have both, "
            "correct one of them"
        )


def agreed(name: str, asked: int | None, said: int | None) -> int | None:
    """Return the value of the caller or the source; if both give one, they must agree."""
    if asked is not None and not _is_count(asked):
        raise ParameterError(f"{param(name)} must be a whole number of rows, got {asked!r}", parameter=name)
    if asked is not None and said is not None and asked != said:
        raise ParameterError(
            f"{param(name)} is given as {asked}, but the patterns say {said}; leave it out", parameter=name
        )
    return said if asked is None else int(asked)


def _is_count(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(0 <= value < _MOST_ROWS)


def _is_row_count(asked: MinSupport) -> bool:
    if isinstance(asked, Support):
        asked = asked.value
    return isinstance(asked, (int, np.integer)) or (isinstance(asked, str) and asked.isdecimal())


def _agreed_min_support(
    asked: MinSupport | None, said: int | None, n: int | None, supports: NDArray[np.int64]
) -> int | None:
    """Return the threshold: a requested one must lie between the source's and the least support it contains."""
    smallest = int(supports.min()) if len(supports) else None
    if said is not None and smallest is not None and said > smallest:
        raise DataError(
            f"a support of {smallest} is below {said}, the least that the patterns say they have; correct either"
        )
    if asked is None:
        return said
    if n is None and not _is_row_count(asked):
        raise ParameterError(
            f"{param('min_support')} as a share needs n; give n, or a number of rows", parameter="min_support"
        )
    least = Support.parse(asked).of(n or 0)
    if said is not None and least < said:
        raise ParameterError(
            f"{param('min_support')} is given as {least}, but the patterns were mined with {said}; leave it out",
            parameter="min_support",
        )
    if smallest is not None and least > smallest:
        raise ParameterError(
            f"{param('min_support')} is given as {least}, but the patterns go down to {smallest}; give at most that",
            parameter="min_support",
        )
    return least


def given_rules(
    antecedents: Itemsets,
    consequents: Itemsets,
    labels: list[str],
    supports: NDArray[np.int64],
    confidences: list[Decimal],
    *,
    origin: Origin,
    place: Callable[[int], str],
    n: int | None,
    antecedent_supports: NDArray[np.int64] | None = None,
    consequent_supports: NDArray[np.int64] | None = None,
    factor: int | None = None,
) -> ImportedRules:
    """Check and sort what was read; `place` names a rule by its number in errors."""
    for what, counts in (
        ("support", supports),
        ("antecedent's support", antecedent_supports),
        ("consequent's support", consequent_supports),
    ):
        if counts is not None:
            _check_counts(counts, what, n=n, place=place)
    _check_sides(antecedents, consequents, place)
    vocabulary, renumber = numbered(labels)
    antecedents, consequents = antecedents.canonical(renumber), consequents.canonical(renumber)
    order = _rule_order(antecedents, consequents, place)
    if antecedent_supports is None:
        _check_confidences(supports, confidences, n=n, place=place)
    return ImportedRules(
        antecedents=antecedents.select(order),
        consequents=consequents.select(order),
        supports=supports[order],
        confidences=tuple(confidences[rule] for rule in order.tolist()),
        antecedent_supports=None if antecedent_supports is None else antecedent_supports[order],
        consequent_supports=None if consequent_supports is None else consequent_supports[order],
        vocabulary=vocabulary,
        n=n,
        origin=origin,
        factor=_common_factor(factor, antecedent_supports, consequent_supports),
    )


def _common_factor(factor: int | None, *more: NDArray[np.int64] | None) -> int | None:
    """Return what a factor of supports has in common with further ones."""
    for counts in more:
        if counts is not None and factor is not None:
            factor = math.gcd(factor, int(np.gcd.reduce(counts, initial=0)))
    return factor


def _check_confidences(
    supports: NDArray[np.int64], confidences: list[Decimal], *, n: int | None, place: Callable[[int], str]
) -> None:
    """Refuse a confidence that no support of the antecedent yields."""
    for rule, (support, confidence) in enumerate(zip(supports.tolist(), confidences, strict=True)):
        if possible_antecedents(support, confidence, n) is None:
            raise DataError(f"{place(rule)}: no number of rows gives this confidence with this support; check both")


def _check_sides(antecedents: Itemsets, consequents: Itemsets, place: Callable[[int], str]) -> None:
    """Refuse a rule without a consequent, and one that names an item twice."""
    empty = np.flatnonzero(consequents.lengths == 0)
    if len(empty):
        raise DataError(f"{place(int(empty[0]))}: the consequent is empty; a rule needs one")
    lengths = antecedents.lengths + consequents.lengths
    fewer = np.flatnonzero(antecedents.joined_with(consequents).lengths != lengths)
    if len(fewer):
        raise DataError(f"{place(int(fewer[0]))}: an item occurs twice in the rule; list every item once")


def _rule_order(antecedents: Itemsets, consequents: Itemsets, place: Callable[[int], str]) -> NDArray[np.int64]:
    """Return the rules' numbers in order; refuse a duplicate rule."""
    before, after = antecedents.ranks(), consequents.ranks()
    order = np.lexsort([after, before])
    same = (np.diff(before[order]) == 0) & (np.diff(after[order]) == 0)
    if same.any():
        at = int(np.flatnonzero(same)[0])
        earlier, later = sorted(order[at : at + 2].tolist())
        raise DataError(f"{place(later)}: the same rule as in {place(earlier)}; list every rule once")
    return order

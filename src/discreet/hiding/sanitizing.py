"""One hiding job: the rows, the request, what a method removes, and the proof on what is left."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet import _kernel
from discreet.errors import InternalFault
from discreet.hiding.inverted_file import InvertedFile
from discreet.hiding.rowwise import find_stakes, rowwise
from discreet.hiding.rule_bounds import bound_rules, rule_counts
from discreet.hiding.sensitive_rows import find_sensitive_rows, sanitize
from discreet.hiding.victims import RestrictivePatterns, Victims, iga, maxfia, minfia, naive
from discreet.itemsets import Itemsets
from discreet.transactions.identifying import public_ids
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from discreet.hiding.request import Request
    from discreet.hiding.rowwise import Legitimate, Removals, Stakes
    from discreet.hiding.sensitive_rows import SensitiveRows

__all__ = ["PAPER_METHODS", "BoundedRule", "HidingJob", "PaperMethod", "RestrictedPattern", "SanitizedCopy"]

PaperMethod = Literal["naive", "minfia", "maxfia", "iga"]
PAPER_METHODS = {"naive": naive, "minfia": minfia, "maxfia": maxfia, "iga": iga}

_FAULT = "hiding did not do what {place} asks, and nothing was given out"


@dataclass(frozen=True, slots=True)
class RestrictedPattern:
    """A restrictive pattern, the share of its rows that may keep it, its support before and after, and how many may."""

    items: frozenset[str]
    disclosure: Fraction
    before: int
    after: int
    allowed: int


@dataclass(frozen=True, slots=True)
class BoundedRule:
    """A rule, its bound, and its confidence before and after (None if no row contains its antecedent)."""

    antecedent: frozenset[str]
    consequent: frozenset[str]
    below: Fraction
    before: Fraction | None
    after: Fraction | None


@dataclass(frozen=True, slots=True, eq=False)
class SanitizedCopy:
    """The rows without what was removed, and an index of the restrictive items that are left."""

    rows: Transactions
    removed_from: NDArray[np.int32]
    removed: NDArray[np.int32]
    left: InvertedFile


@dataclass(frozen=True, slots=True, eq=False)
class HidingJob:
    """Rows, their index, the request in item numbers, and the sensitive rows of its known patterns.

    `lengths` are the numbers of items in the rows, which may be restricted to the items that matter.
    """

    rows: Transactions
    index: InvertedFile
    request: Request
    sensitive: SensitiveRows
    lengths: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        rows: Transactions | InvertedFile,
        request: Request,
        index: InvertedFile,
        *,
        lengths: NDArray[np.int32] | None = None,
    ) -> HidingJob:
        """Find the sensitive rows."""
        data = index.transactions() if isinstance(rows, InvertedFile) else rows.unfold()
        sensitive = find_sensitive_rows(index, request.known_patterns)
        if lengths is None:
            lengths = data.itemsets.lengths.astype(np.int32)
        return cls(data, index, request, sensitive, lengths)

    @property
    def patterns(self) -> Itemsets:
        """The known restrictive patterns."""
        return Itemsets.of(self.sensitive.patterns)

    @property
    def known(self) -> RestrictivePatterns:
        """The known restrictive patterns, for choosing victims."""
        return RestrictivePatterns(
            self.sensitive.patterns, self.request.patterns.supports, self.request.patterns.spared
        )

    @property
    def to_lose(self) -> NDArray[np.int64]:
        """How many rows must lose each known pattern."""
        return self.sensitive.to_sanitize(self.request.allowed(self.sensitive.counts().tolist()))

    @property
    def labels(self) -> int:
        """The number of items in the vocabulary."""
        return len(self.rows.vocabulary)

    def removed_by_paper(self, method: str) -> Removals:
        """Return what one of the four algorithms removes."""
        victims = _of_known(PAPER_METHODS[method](self.request.patterns), self.request)
        return sanitize(self.sensitive, victims, self.to_lose, self.lengths, self.labels)

    def stakes(self, others: Legitimate) -> Stakes:
        """Return the itemsets that may be lost, for every sensitive row."""
        return find_stakes(self.rows.itemsets, self.sensitive, others, self.labels)

    def removed_by_row(self, stakes: Stakes) -> Removals:
        """Return what the row-wise search removes."""
        return rowwise(stakes, self.sensitive, self.to_lose, self.known, self.labels)

    def copy(self, removals: Removals) -> SanitizedCopy:
        """Remove the items, then what the bounds of rules require."""
        removed_from, removed = removals
        after = self._without(removed_from, removed)
        left = InvertedFile.build(after, only=self.request.known_items)
        more_from, more = bound_rules(left, self.request.known_rules)
        if len(more):
            removed_from, removed = np.concatenate([removed_from, more_from]), np.concatenate([removed, more])
            order = np.lexsort((removed, removed_from))
            removed_from, removed = removed_from[order], removed[order]
            after = self._without(removed_from, removed)
            left = InvertedFile.build(after, only=self.request.known_items)
        return SanitizedCopy(after, removed_from, removed, left)

    def _without(self, removed_from: NDArray[np.int32], removed: NDArray[np.int32]) -> Transactions:
        left = Itemsets(*_kernel.remove_items(self.rows.itemsets, removed_from, removed))
        return Transactions(left, self.rows.vocabulary, ids=public_ids(self.rows), layout=self.rows.layout)

    def proved_patterns(self, left: InvertedFile) -> tuple[RestrictedPattern, ...]:
        """Look up every pattern in the sanitized rows, and compare with what was allowed."""
        request = self.request
        before = iter(self.sensitive.counts().tolist())
        after = iter(find_sensitive_rows(left, request.known_patterns).counts().tolist())
        proved = []
        for place, (restriction, pattern) in enumerate(
            zip(request.restrictions, request.patterns.patterns, strict=True)
        ):
            was, now = (next(before), next(after)) if request.known(pattern) else (0, 0)
            one = RestrictedPattern(restriction.items, request.disclosures[place], was, now, request.most(place, was))
            if now > one.allowed:
                raise InternalFault(_FAULT.format(place=restriction.place))
            proved.append(one)
        return tuple(proved)

    def prove(
        self,
        patterns: Sequence[RestrictedPattern],
        rules: Sequence[BoundedRule],
        count: Callable[[Itemsets], NDArray[np.int64]],
    ) -> None:
        """Compare what was proved in these rows with what `count` says of all rows that are given out."""
        request, sides = self.request, [(rule.items, rule.antecedent) for rule in self.request.known_rules]
        sought = [*request.known_patterns, *(tuple(sorted(side)) for pair in sides for side in pair)]
        counts = count(Itemsets.of(sought)).tolist()
        known = [request.known(pattern) for pattern in request.patterns.patterns]
        for pattern, restriction in zip(compress(patterns, known), compress(request.restrictions, known), strict=True):
            if counts.pop(0) != pattern.after:
                raise InternalFault(_FAULT.format(place=restriction.place))
        for rule, bound, numbered in zip(rules, request.bounds, request.rules, strict=True):
            if request.known(numbered.items) and _confidence(counts.pop(0), counts.pop(0)) != rule.after:
                raise InternalFault(_FAULT.format(place=bound.place))

    def proved_rules(self, left: InvertedFile) -> tuple[BoundedRule, ...]:
        """Look up every rule in the sanitized rows, and compare with its bound."""
        proved = []
        for bound, rule in zip(self.request.bounds, self.request.rules, strict=True):
            was = now = None
            if self.request.known(rule.items):
                was, now = (
                    _confidence(*rule_counts(each, rule.antecedent, rule.consequent)) for each in (self.index, left)
                )
            if now is not None and now >= bound.below:
                raise InternalFault(_FAULT.format(place=bound.place))
            proved.append(BoundedRule(bound.antecedent, bound.consequent, bound.below, was, now))
        return tuple(proved)


def _of_known(victims: Victims, request: Request) -> Victims:
    """Keep the victims of patterns whose labels are all in the data."""
    known = [place for place, pattern in enumerate(request.patterns.patterns) if request.known(pattern)]
    stays = None if victims.stays is None else tuple(victims.stays[place] for place in known)
    return Victims(tuple(victims.items[place] for place in known), stays, victims.most_conflicts_first)


def _confidence(whole: int, antecedent: int) -> Fraction | None:
    return Fraction(whole, antecedent) if antecedent else None

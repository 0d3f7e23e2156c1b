"""A hiding request in item numbers: labels resolved, itemsets and rules separated, contradictions refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError, param
from discreet.hiding.restrictions import Restriction, RuleBound, expand_columns, read_restrictions, separator_of
from discreet.hiding.rule_bounds import NumberedRule
from discreet.hiding.victims import RestrictivePatterns
from discreet.thresholds import MinSupport, Support
from discreet.transactions.label_names import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.hiding.inverted_file import InvertedFile
    from discreet.hiding.restrictions import Restrictions
    from discreet.hiding.victims import Pattern
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["Below", "Request"]


@dataclass(frozen=True, slots=True)
class Below:
    """A support that restrictive patterns must stay below, and a margin, both in rows.

    With a margin, a pattern ends in fewer than `rows` - `margin` rows. How many fewer, up to `margin` again, depends on
    its support before, which readers do not know: otherwise all patterns would end at the same support.
    """

    rows: int
    margin: int = 0

    def __post_init__(self) -> None:
        """Refuse a margin that leaves nothing."""
        if self.margin >= self.rows:
            raise ParameterError(
                f"{param('margin')} must be smaller than {param('below')}, which is {self.rows:,} rows; got "
                f"{self.margin:,}",
                parameter="margin",
            )

    @classmethod
    def of(cls, below: MinSupport, margin: MinSupport | None, n: int) -> Below:
        """Return both in rows: a share in `below` is one of n rows, and one in `margin` is one of these."""
        rows = Support.parse(below, parameter="below").of(n)
        return cls(rows, 0 if margin is None else Support.parse(margin, parameter="margin").of(rows))

    def most(self, items: Iterable[str], before: int) -> int:
        """Return the most rows that may keep a pattern; `before` is how many have it."""
        text = "\0".join([str(before), *sorted(items)])
        drawn = int.from_bytes(sha256(text.encode()).digest()) % (self.margin + 1)
        return max(0, self.rows - 1 - self.margin - drawn)


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A hiding request in item numbers; patterns naming a label absent from the data are kept but marked unknown."""

    restrictions: tuple[Restriction, ...]
    disclosures: tuple[Fraction, ...]
    patterns: RestrictivePatterns
    bounds: tuple[RuleBound, ...]
    rules: tuple[NumberedRule, ...]
    labels: int
    below: Below | None = None

    @classmethod
    def of(
        cls,
        index: InvertedFile,
        restrict: Restrictions,
        protect: Restrictions | None,
        psi: Fraction,
        *,
        ignore_unknown: bool,
        supports: NDArray[np.int64] | None = None,
        below: Below | None = None,
    ) -> Request:
        """Parse the restrictions and the protected patterns, and translate labels to numbers.

        If an itemset is restricted twice, the stricter threshold holds. `supports` are the items' supports if the index
        does not cover all rows.
        """
        separator = separator_of(index.layout)
        entries = read_restrictions(restrict, separator=separator)
        spared = [] if protect is None else read_restrictions(protect, separator=separator, parameter="protect")
        labels, columns = index.vocabulary.labels, columns_of(index)
        entries = expand_columns(entries, labels, known=columns, ignore_unknown=ignore_unknown)
        spared = expand_columns(spared, labels, known=columns, parameter="protect", ignore_unknown=ignore_unknown)
        numbers = _numbers(index.vocabulary, [*entries, *spared])
        itemsets = [entry for entry in entries if isinstance(entry, Restriction)]
        strictest: dict[frozenset[str], tuple[Restriction, Fraction]] = {}
        for each in itemsets:
            own = psi if each.disclosure is None else each.disclosure
            first, least = strictest.get(each.items, (each, own))
            strictest[each.items] = first, min(least, own)
        bounds = tuple(dict.fromkeys(entry for entry in entries if isinstance(entry, RuleBound)))
        _refuse_contradictions(spared, itemsets)
        counts = index.supports if supports is None else supports
        patterns = RestrictivePatterns(
            tuple(_as_pattern(items, numbers) for items in strictest),
            Counter(dict(enumerate(counts.tolist()))),
            Counter(numbers[label] for entry in spared if isinstance(entry, Restriction) for label in entry.items),
        )
        return cls(
            tuple(first for first, _ in strictest.values()),
            tuple(own for _, own in strictest.values()),
            patterns,
            bounds,
            tuple(_as_rule(bound, numbers, patterns) for bound in bounds),
            len(index.vocabulary),
            below,
        )

    def known(self, items: Iterable[int]) -> bool:
        """Return whether some row may contain these items."""
        return all(item < self.labels for item in items)

    @property
    def known_patterns(self) -> list[Pattern]:
        """The patterns whose labels are all in the data."""
        return [pattern for pattern in self.patterns.patterns if self.known(pattern)]

    def allowed(self, counts: Iterable[int]) -> NDArray[np.int64]:
        """Return how many of the rows with each known pattern may keep it; `counts` is how many there are."""
        known = (place for place, pattern in enumerate(self.patterns.patterns) if self.known(pattern))
        return np.array([self.most(place, count) for place, count in zip(known, counts, strict=True)], np.int64)

    def most(self, place: int, before: int) -> int:
        """Return how many of the `before` rows with a pattern may keep it."""
        by_share = int(before * self.disclosures[place])
        return (
            by_share if self.below is None else min(by_share, self.below.most(self.restrictions[place].items, before))
        )

    @property
    def known_rules(self) -> list[NumberedRule]:
        """The rules whose labels are all in the data."""
        return [rule for rule in self.rules if self.known(rule.items)]

    @property
    def known_items(self) -> set[int]:
        """The items of the known patterns and rules."""
        itemsets = [*self.known_patterns, *(rule.items for rule in self.known_rules)]
        return {item for itemset in itemsets for item in itemset}


def _numbers(vocabulary: Vocabulary, entries: Sequence[Restriction | RuleBound]) -> dict[str, int]:
    """Return the number of every label; labels absent from the data get numbers after all others."""
    numbers = dict(vocabulary.positions)
    unknown = {label for entry in entries for label in entry.labels} - numbers.keys()
    return numbers | {label: number for number, label in enumerate(sorted(unknown), len(numbers))}


def _as_pattern(labels: Iterable[str], numbers: dict[str, int]) -> Pattern:
    return tuple(sorted(numbers[label] for label in labels))


def _as_rule(bound: RuleBound, numbers: dict[str, int], patterns: RestrictivePatterns) -> NumberedRule:
    consequent = _as_pattern(bound.consequent, numbers)
    return NumberedRule(
        _as_pattern(bound.antecedent, numbers), consequent, bound.below, victim=patterns.least_frequent(consequent)
    )


def _refuse_contradictions(spared: Sequence[Restriction | RuleBound], restrictions: Sequence[Restriction]) -> None:
    for entry in spared:
        if isinstance(entry, RuleBound) or entry.disclosure is not None:
            raise ParameterError(f"{entry.place} must be an itemset alone, without => or @", parameter="protect")
        for restriction in restrictions:
            if restriction.items <= entry.items:
                raise ParameterError(
                    f"{entry.place} cannot be spared: it contains the restrictive itemset of {restriction.place}",
                    parameter="protect",
                )

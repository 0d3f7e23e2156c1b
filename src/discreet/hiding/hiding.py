"""Make restrictive patterns unminable from rows that are handed over, whatever the support, and prove it.

Problem      given rows, restrictive patterns and rule bounds, remove as few items as possible so that nobody can mine
             the patterns.
Method       find the sensitive rows in an inverted file, choose victims by one of four algorithms, remove them from as
             many sensitive rows as the disclosure threshold asks; then see to the rules. What is left is then indexed
             anew, and every pattern and rule is looked up in it.
Promises     no item is ever added, no row disappears or moves, rows without a restrictive pattern or bounded rule are
             untouched; of the rows that held a pattern at most the share ψ still does; every rule is below its bound;
             the same input gives the same rows.
Cost         linear in the items of the rows and in the sensitive rows of all patterns.
Reference    oliveira2002   (docs/papers/oliveira2002.md, tests/papers/test_oliveira2002.py, tests/laws/test_hiding.py)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _kernel
from discreet.errors import EngineError, ParameterError
from discreet.hiding import iga, maxfia, minfia, naive
from discreet.hiding.asking import Method, Whole, checked_disclosure, entries_of
from discreet.hiding.inverted_file import InvertedFile
from discreet.hiding.restrictions import Restriction, RuleBound
from discreet.hiding.rule_bounds import Rule, bound_rules, rule_counts
from discreet.hiding.sensitive import as_arrays, find_sensitive_rows, sanitize
from discreet.hiding.side_effects import measure_side_effects
from discreet.hiding.victims import Patterns, Victims
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.hiding.restrictions import Given
    from discreet.hiding.sensitive import SensitiveRows
    from discreet.hiding.side_effects import SideEffects
    from discreet.hiding.victims import Pattern
    from discreet.patterns.threshold import MinSupport, Share
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "BoundedRule",
    "Hidden",
    "Method",
    "RestrictedPattern",
    "hide",
    "hide_part",
]

_CHOOSE = {
    "naive": naive.choose_victims,
    "minfia": minfia.choose_victims,
    "maxfia": maxfia.choose_victims,
    "iga": iga.choose_victims,
}


@dataclass(frozen=True, slots=True)
class RestrictedPattern:
    """A restrictive pattern, what of its rows may keep it, and in how many rows it was and is."""

    items: frozenset[str]
    disclosure: Fraction
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class BoundedRule:
    """A rule, its bound, and its confidence before and after (None where no row holds its antecedent)."""

    antecedent: frozenset[str]
    consequent: frozenset[str]
    below: Fraction
    before: Fraction | None
    after: Fraction | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hidden:
    """Rows from which the restrictive patterns cannot be mined, and what that cost.

    `rows` may be handed over; everything else here is for the owner alone: it tells what was hidden, and where.
    `removed_from` and `removed` say which item (by its number in the vocabulary) left which row (from 0).
    """

    method: Method
    disclosure: Fraction
    n: int
    sensitive_rows: int
    changed_rows: int
    removed_items: int
    dissimilarity: Fraction
    side_effects: SideEffects | None
    rows: Any
    restrictive: tuple[RestrictedPattern, ...]
    rules: tuple[BoundedRule, ...]
    removed_from: NDArray[np.int32] = field(repr=False)
    removed: NDArray[np.int32] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "method": self.method,
            "disclosure": float(self.disclosure),
            "n": self.n,
            "sensitive_rows": self.sensitive_rows,
            "changed_rows": self.changed_rows,
            "removed_items": self.removed_items,
            "dissimilarity": float(self.dissimilarity),
            "side_effects": None if self.side_effects is None else self.side_effects.to_dict(),
            "restrictive": [
                {
                    "items": self._in_order(pattern.items),
                    "disclosure": float(pattern.disclosure),
                    "before": pattern.before,
                    "after": pattern.after,
                }
                for pattern in self.restrictive
            ],
            "rules": [
                {
                    "antecedent": self._in_order(rule.antecedent),
                    "consequent": self._in_order(rule.consequent),
                    "below": float(rule.below),
                    "before": None if rule.before is None else float(rule.before),
                    "after": None if rule.after is None else float(rule.after),
                }
                for rule in self.rules
            ],
        }

    def _in_order(self, labels: Iterable[str]) -> list[str]:
        place = self.rows.vocabulary.positions
        return sorted(labels, key=lambda label: (place.get(label, len(place)), label))

    def __repr__(self) -> str:
        """Say what was done, in one line."""
        change = f"{self.removed_items:,} items removed from {self.changed_rows:,} of {self.n:,} rows"
        return f"<Hidden: {len(self.restrictive) + len(self.rules):,} patterns and rules; {change}>"


def hide(
    rows: Transactions | InvertedFile,
    *,
    restrict: Given,
    method: Method,
    disclosure: Share = 0,
    min_support: MinSupport | None = None,
    protect: Given | None = None,
    ignore_unknown: bool = False,
) -> Hidden:
    """Return the rows without what must not be minable from them.

    `restrict` is a list of itemsets, of lines as they stand in a restrictive file ("bread milk @ 0.1", "bread => beer @
    0.6"), or such a file's name. `disclosure` is the share of a pattern's rows that may keep it. With `min_support`
    the side effects are measured. Victims that tie are chosen so that the patterns of `protect` are spared. A label
    that no row holds is most likely a slip, and refused; `ignore_unknown` accepts it. `rows` may be an inverted file.

    >>> rows = Transactions.from_rows(["ABCD", "ABC", "ABD", "ACD", "ABC", "BD"])
    >>> done = hide(rows, restrict=["A B D", "A C D"], method="iga")
    >>> done, ["".join(sorted(row)) for row in done.rows]
    (<Hidden: 2 patterns and rules; 3 items removed from 3 of 6 rows>, ['ABC', 'ABC', 'AB', 'AC', 'ABC', 'BD'])
    """
    psi = checked_disclosure(method, disclosure, min_support)
    index = rows if isinstance(rows, InvertedFile) else InvertedFile.build(rows)
    data = index.transactions() if isinstance(rows, InvertedFile) else rows.unfold()
    entries, spared = entries_of(restrict, protect, index.layout)
    whole = Whole(index.n, len(data.items), index.supports)
    asked = _Asked.of(index, whole, entries, spared, psi, ignore_unknown=ignore_unknown)
    done = _hide(index, data, asked, whole=whole, method=method, psi=psi)
    if min_support is None:
        return done
    patterns = as_arrays(asked.known_patterns)
    return replace(done, side_effects=measure_side_effects(data, done.rows, patterns, min_support=min_support))


def hide_part(
    rows: Transactions,
    whole: Whole,
    *,
    restrict: Sequence[Restriction | RuleBound],
    protect: Sequence[Restriction | RuleBound],
    method: Method,
    disclosure: Fraction,
    ignore_unknown: bool,
) -> Hidden:
    """Hide in the rows that hold something restrictive, or a rule's antecedent; the counts are those of all rows."""
    index = InvertedFile.build(rows)
    asked = _Asked.of(index, whole, restrict, protect, disclosure, ignore_unknown=ignore_unknown)
    return _hide(index, rows, asked, whole=whole, method=method, psi=disclosure)


def _hide(
    index: InvertedFile, data: Transactions, asked: _Asked, *, whole: Whole, method: Method, psi: Fraction
) -> Hidden:
    sensitive = find_sensitive_rows(index, asked.known_patterns)
    victims = _of_known(_CHOOSE[method](asked.patterns), asked)
    removed_from, removed = sanitize(index, sensitive, victims, asked.known_disclosures)
    after = _without(data, removed_from, removed)
    left = InvertedFile.build(after)
    more_from, more = bound_rules(left, asked.known_rules)
    if len(more):
        removed_from, removed = np.concatenate([removed_from, more_from]), np.concatenate([removed, more])
        order = np.lexsort((removed, removed_from))
        removed_from, removed = removed_from[order], removed[order]
        after = _without(data, removed_from, removed)
        left = InvertedFile.build(after)
    return Hidden(
        method=method,
        disclosure=psi,
        n=whole.n,
        sensitive_rows=int(np.count_nonzero(sensitive.degrees())),
        changed_rows=int(np.count_nonzero(np.diff(removed_from, prepend=-1))),
        removed_items=len(removed),
        dissimilarity=Fraction(len(removed), whole.items) if whole.items else Fraction(0),
        side_effects=None,
        rows=after,
        restrictive=_proved_patterns(asked, sensitive, left),
        rules=_proved_rules(asked, index, left),
        removed_from=removed_from,
        removed=removed,
    )


def _without(rows: Transactions, removed_from: NDArray[np.int32], removed: NDArray[np.int32]) -> Transactions:
    offsets, items = _kernel.remove_items(rows.offsets, rows.items, removed_from, removed)
    return Transactions(offsets=offsets, items=items, vocabulary=rows.vocabulary, ids=rows.ids, layout=rows.layout)


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """What was asked for, in numbers; what holds a label that no row has cannot be in any row, and is not known."""

    restrictions: tuple[Restriction, ...]
    disclosures: tuple[Fraction, ...]
    patterns: Patterns
    bounds: tuple[RuleBound, ...]
    rules: tuple[Rule, ...]
    labels: int

    @classmethod
    def of(
        cls,
        index: InvertedFile,
        whole: Whole,
        entries: Sequence[Restriction | RuleBound],
        spared: Sequence[Restriction | RuleBound],
        psi: Fraction,
        *,
        ignore_unknown: bool,
    ) -> _Asked:
        numbers = _numbers(index.vocabulary, [*entries, *spared], ignore_unknown=ignore_unknown)
        itemsets = [entry for entry in entries if isinstance(entry, Restriction)]
        strictest: dict[frozenset[str], tuple[Restriction, Fraction]] = {}
        for each in itemsets:
            own = psi if each.disclosure is None else each.disclosure
            first, least = strictest.get(each.items, (each, own))
            strictest[each.items] = first, min(least, own)
        bounds = tuple(dict.fromkeys(entry for entry in entries if isinstance(entry, RuleBound)))
        _refuse_contradictions(spared, itemsets)
        supports = Counter(dict(enumerate(whole.supports.tolist())))
        patterns = Patterns(
            tuple(_as_pattern(items, numbers) for items in strictest),
            supports,
            Counter(numbers[label] for entry in spared if isinstance(entry, Restriction) for label in entry.items),
        )
        return cls(
            tuple(first for first, _ in strictest.values()),
            tuple(own for _, own in strictest.values()),
            patterns,
            bounds,
            tuple(_as_rule(bound, numbers, patterns) for bound in bounds),
            len(index.vocabulary),
        )

    def known(self, items: Iterable[int]) -> bool:
        """Say whether some row may hold these items."""
        return all(item < self.labels for item in items)

    @property
    def known_patterns(self) -> list[Pattern]:
        return [pattern for pattern in self.patterns.patterns if self.known(pattern)]

    @property
    def known_disclosures(self) -> list[Fraction]:
        return [
            own for own, pattern in zip(self.disclosures, self.patterns.patterns, strict=True) if self.known(pattern)
        ]

    @property
    def known_rules(self) -> list[Rule]:
        return [rule for rule in self.rules if self.known(rule.items)]


def _numbers(
    vocabulary: Vocabulary, entries: Sequence[Restriction | RuleBound], *, ignore_unknown: bool
) -> dict[str, int]:
    """Return every label's number; those that no row holds come after the others."""
    numbers = dict(vocabulary.positions)
    unknown = set()
    for entry in entries:
        labels = entry.items if isinstance(entry, Restriction) else entry.antecedent | entry.consequent
        for label in sorted(labels - numbers.keys()):
            if not ignore_unknown:
                raise ParameterError(
                    f"{entry.place} names the label {label!r}, which no row holds; check the spelling, "
                    "or give --ignore-unknown to hide it in case",
                    parameter="restrict",
                )
            unknown.add(label)
    return numbers | {label: number for number, label in enumerate(sorted(unknown), len(numbers))}


def _as_pattern(labels: Iterable[str], numbers: dict[str, int]) -> Pattern:
    return tuple(sorted(numbers[label] for label in labels))


def _as_rule(bound: RuleBound, numbers: dict[str, int], patterns: Patterns) -> Rule:
    consequent = _as_pattern(bound.consequent, numbers)
    return Rule(
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


def _of_known(victims: Victims, asked: _Asked) -> Victims:
    """Keep the victims of patterns that may be in a row."""
    known = [place for place, pattern in enumerate(asked.patterns.patterns) if asked.known(pattern)]
    stays = None if victims.stays is None else tuple(victims.stays[place] for place in known)
    return Victims(tuple(victims.items[place] for place in known), stays, victims.most_conflicts_first)


def _proved_patterns(asked: _Asked, sensitive: SensitiveRows, left: InvertedFile) -> tuple[RestrictedPattern, ...]:
    """Look every pattern up in what is left, and compare with what was allowed."""
    before = iter(sensitive.counts().tolist())
    after = iter(find_sensitive_rows(left, asked.known_patterns).counts().tolist())
    proved = []
    for restriction, pattern, disclosure in zip(
        asked.restrictions, asked.patterns.patterns, asked.disclosures, strict=True
    ):
        was, now = (next(before), next(after)) if asked.known(pattern) else (0, 0)
        if now > was * disclosure:
            raise EngineError(_FAULT.format(place=restriction.place))
        proved.append(RestrictedPattern(restriction.items, disclosure, was, now))
    return tuple(proved)


def _proved_rules(asked: _Asked, index: InvertedFile, left: InvertedFile) -> tuple[BoundedRule, ...]:
    proved = []
    for bound, rule in zip(asked.bounds, asked.rules, strict=True):
        was = now = None
        if asked.known(rule.items):
            was, now = (_confidence(*rule_counts(each, rule.antecedent, rule.consequent)) for each in (index, left))
        if now is not None and now >= bound.below:
            raise EngineError(_FAULT.format(place=bound.place))
        proved.append(BoundedRule(bound.antecedent, bound.consequent, bound.below, was, now))
    return tuple(proved)


_FAULT = "hiding did not do what {place} asks; nothing was given out; this is a fault of discreet: please report it"


def _confidence(whole: int, antecedent: int) -> Fraction | None:
    return Fraction(whole, antecedent) if antecedent else None

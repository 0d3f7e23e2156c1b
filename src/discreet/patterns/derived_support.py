"""Derive how many rows match an expression from published itemsets and their supports alone.

Problem      given an expression and itemsets with their supports, return the exact number of matching rows, or report
             that the itemsets do not determine it.
Method       a Boolean function of items is a unique sum of whole multiples of conjunctions of items: a OR b is
             a + b - ab, a AND NOT b is a - ab. Its support is the same sum of supports. The multiples are the Möbius
             transform of the truth table. Lemma 1 of the paper is the case of one conjunction with negations.
Promises     the count equals that of the rows; it is refused only if a support that the sum needs is unknown.
Cost         v * 2^v steps for v variables, at most 20, and v passes over the itemsets. Items that occur once, within
             the same AND, form one variable, so long conjunctions cost nothing.
Departures   Definition 10 calls an expression sigma-vulnerable if the items of each conjunction of its disjunctive
             normal form are a frequent itemset. That is not the criterion here: (a AND NOT b) OR (c AND NOT e) needs
             the support of abce too, while (a AND b) OR (c AND NOT a) only needs ab, ac and c. Because the sum is
             unique, no other sum gives what is refused (bounds, such as f >= 0, can sometimes give more).
Names        sup(X) -> supports[mask of X].
Reference    atzori2008
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.patterns.expression import And, Expression, Item, Not, Or, labels_in, truth
from discreet.patterns.imported_patterns import ImportedPatterns
from discreet.patterns.patternset import PatternSet
from discreet.transactions.label_names import NamedLabel, matches, unknown_label, warn_of_look_alikes
from discreet.transactions.vocabulary import label_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.patterns.imported_patterns import Kind
    from discreet.patterns.patternset import Target

__all__ = ["MOST_VARIABLES", "DerivedSupport", "derive_support"]

MOST_VARIABLES = 20
"""A million conjunctions: a second of work."""

Variables = tuple[tuple[str, ...], ...]
"""Labels that form one variable each; together they are all labels of an expression, each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedSupport:
    """A number of rows, and the sum that gives it.

    `coefficients[t]` times `supports[t]`, the support of the labels of those `variables` whose bits are set in
    `masks[t]`, summed over all t, is `count`. `n` is the total number of rows, if known.
    """

    count: int
    n: int | None
    coefficients: NDArray[np.int64]
    supports: NDArray[np.int64]
    masks: NDArray[np.int64]
    variables: Variables

    def terms(self) -> Iterator[tuple[int, tuple[str, ...], int]]:
        """Yield each term's coefficient, sorted labels and support: short terms first, then by label."""
        key = label_key([label for group in self.variables for label in group])
        for term in np.argsort(_sizes(self.variables, self.masks), kind="stable").tolist():
            labels = tuple(sorted(_labels(self.variables, int(self.masks[term])), key=key))
            yield int(self.coefficients[term]), labels, int(self.supports[term])


def derive_support(
    expression: Expression, patterns: PatternSet | ImportedPatterns, *, target: Target | None = None
) -> DerivedSupport:
    """Return how many rows match an expression, from the patterns alone.

    `target` says which itemsets the patterns are, if they do not say so themselves. With `closed` ones, the support of
    an itemset is the largest of those that contain it; otherwise only listed itemsets count.

    >>> from discreet.patterns.expression_parser import parse_expression
    >>> found = PatternSet.from_itemsets([("a", 4), ("b", 3), ("ab", 2)], n=9, min_support=2)
    >>> derive_support(parse_expression("a OR b"), found).count
    5
    """
    if isinstance(patterns, ImportedPatterns):
        patterns.check_n()
    kind = _agreed_kind(patterns, target)
    items = _known_labels(expression, patterns)
    variables = _variables(expression)
    if len(variables) > MOST_VARIABLES:
        raise ParameterError(
            f"query: patterns alone answer up to {MOST_VARIABLES} labels (those that occur once, side by side in one "
            f"AND, count as one), got {len(variables)}; ask it in parts, or ask the rows",
            parameter="expression",
        )
    coefficients = _coefficients(expression, variables)
    masks = np.flatnonzero(coefficients)
    listed, containing = _known_supports(patterns, variables, items)
    supports = (containing if kind == "closed" else listed)[masks]
    _refuse_gaps(masks, supports, variables, could_be_closed=kind == "unknown" and bool(containing[masks].all()))
    coefficients = coefficients[masks]
    count = sum(map(mul, coefficients.tolist(), supports.tolist()))  # Python's integers cannot overflow
    if count < 0 or (patterns.n is not None and count > patterns.n):
        raise DataError(
            f"the patterns contradict themselves: by their supports {count:,} rows would match this query; "
            "no data has such supports, so export them again"
        )
    return DerivedSupport(
        count=count, n=patterns.n, coefficients=coefficients, supports=supports, masks=masks, variables=variables
    )


def _agreed_kind(patterns: PatternSet | ImportedPatterns, target: Target | None) -> Kind:
    said = patterns.target if isinstance(patterns, PatternSet) else patterns.kind
    if target is None or target == said:
        return said
    if said != "unknown":
        raise ParameterError(
            f"{param('target')} is given as {target}, but the patterns say {said}; leave it out", parameter="target"
        )
    return target


def _known_labels(expression: Expression, patterns: PatternSet | ImportedPatterns) -> dict[str, int]:
    """Return each label's item; refuse a label that no itemset contains: rare, absent, or a typing error."""
    used = np.zeros(len(patterns.vocabulary), bool)
    used[patterns.itemsets.items] = True
    published = [label for label, held in zip(patterns.vocabulary, used.tolist(), strict=True) if held]
    found = matches(labels_in(expression), published)
    for label, items in found.items():
        if items == [label]:
            continue
        if items:
            raise ParameterError(
                f"the query names the column {label!r}, of which patterns hold frequent values only, so "
                "they do not tell which rows have a value; name the values that matter, or ask the rows",
                parameter="expression",
            )
        raise unknown_label(
            [NamedLabel(label, "the query")],
            published,
            parameter="expression",
            accepting=False,
            why="which is in no pattern, so they say nothing about it",
        )
    warn_of_look_alikes(found, published)
    return {label: patterns.vocabulary.positions[label] for label in found}


def _variables(expression: Expression) -> Variables:
    """Return the variables: labels that always have the same truth value are one."""
    occurrences = Counter(labels_in(expression))
    together: dict[str, int] = {}

    def walk(part: Expression) -> None:
        match part:
            case Not(inner):
                walk(inner)
            case And(parts) | Or(parts):
                for inner in parts:
                    walk(inner)
                if isinstance(part, And):
                    once = [each.label for each in parts if isinstance(each, Item) and occurrences[each.label] == 1]
                    together.update(dict.fromkeys(once, len(together)))

    walk(expression)
    groups: dict[int | str, list[str]] = {}
    for label in occurrences:
        groups.setdefault(together.get(label, label), []).append(label)
    return tuple(tuple(group) for group in groups.values())


def _labels(variables: Variables, mask: int) -> tuple[str, ...]:
    return tuple(label for bit, group in enumerate(variables) if mask >> bit & 1 for label in group)


def _sizes(variables: Variables, masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of labels of each mask."""
    sizes = np.zeros_like(masks)
    for bit, group in enumerate(variables):
        sizes += (masks >> bit & 1) * len(group)
    return sizes


def _coefficients(expression: Expression, variables: Variables) -> NDArray[np.int64]:
    """Return the coefficient of each conjunction of variables, by its mask."""
    masks = np.arange(1 << len(variables))
    held = {label: (masks >> bit & 1).astype(bool) for bit, group in enumerate(variables) for label in group}
    coefficients = truth(expression, held).astype(np.int64)
    for bit in range(len(variables)):
        halves = coefficients.reshape(-1, 2, 1 << bit)  # without the variable, with it
        halves[:, 1] -= halves[:, 0]
    return coefficients


def _known_supports(
    patterns: PatternSet | ImportedPatterns, variables: Variables, items: dict[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each conjunction its listed support, and the largest support of an itemset that contains it; else 0.

    For the empty conjunction both are n, or 0 if n is unknown.
    """
    lengths = patterns.itemsets.lengths
    masks = np.zeros(len(lengths), np.int64)
    covered = np.zeros(len(lengths), np.int64)  # how many of an itemset's items are in the mask
    for bit, group in enumerate(variables):
        wanted = np.zeros(len(patterns.vocabulary), bool)
        wanted[[items[label] for label in group]] = True
        places = np.flatnonzero(wanted[patterns.itemsets.items])
        sets = np.searchsorted(patterns.itemsets.offsets, places, side="right") - 1
        whole = np.bincount(sets, minlength=len(lengths)) == len(group)
        masks[whole] |= 1 << bit
        covered[whole] += len(group)
    listed = np.zeros(1 << len(variables), np.int64)
    exactly = covered == lengths
    listed[masks[exactly]] = patterns.supports[exactly]
    containing = np.zeros_like(listed)
    np.maximum.at(containing, masks, patterns.supports)
    for bit in range(len(variables)):
        halves = containing.reshape(-1, 2, 1 << bit)
        np.maximum(halves[:, 0], halves[:, 1], out=halves[:, 0])
    listed[0] = containing[0] = patterns.n or 0
    return listed, containing


def _refuse_gaps(
    masks: NDArray[np.int64], supports: NDArray[np.int64], variables: Variables, *, could_be_closed: bool
) -> None:
    """Refuse a sum with an unknown support, naming the shortest missing itemset."""
    gaps = masks[supports == 0]
    if not len(gaps):
        return
    missing = _labels(variables, int(gaps[_sizes(variables, gaps).argmin()]))
    what = "the rows that match this query cannot be counted from these patterns alone"
    if not missing:
        raise ParameterError(
            f"{what}: it needs the number of all rows, which they do not give; give {param('n')}", parameter="n"
        )
    shown = " AND ".join(str(Item(label)) for label in missing)
    gap = f"{what}: it needs the support of {shown}, which they do not give"
    if could_be_closed:
        raise ParameterError(
            f'{gap}; if they are the closed itemsets, give {param("target")} "closed"', parameter="target"
        )
    raise ParameterError(f"{gap}; ask patterns of lower support, or the rows", parameter="expression")

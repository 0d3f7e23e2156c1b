"""Patterns that are made of published itemsets alone.

Problem      given a Boolean pattern and the frequent itemsets, say whether it is sigma-vulnerable: in some disjunctive
             normal form, the items of every conjunctive part together are a frequent itemset.
Method       atzori2008, Definition 10, on the form that pushing NOT inward and multiplying out gives.
Promises     a collection without channels lets no such pattern single out 1 to k-1 rows (Theorem 2).
Cost         the number of parts multiplies; beyond 10,000 of them the pattern is refused.
Departures   parts that contradict themselves (a and not a) hold no row and are left out. Being vulnerable does not mean
             that the support can be computed: a or b needs sup(ab), too. `discreet.query` says what can be computed.
Reference    atzori2008, Definition 10 and Example 7
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.collection import collection_of
from discreet.errors import ParameterError
from discreet.patterns.expression import Item, Not, Or
from discreet.patterns.expression_parser import parse_expression

if TYPE_CHECKING:
    from discreet.patterns.expression import Expression
    from discreet.patterns.imported_patterns import ImportedPatterns
    from discreet.patterns.patternset import PatternSet

__all__ = ["is_vulnerable", "vulnerable_parts"]

_MOST_PARTS = 10_000

_Part = frozenset[tuple[str, bool]]
"""Labels, each with whether it must be held or must not."""


def is_vulnerable(source: PatternSet | ImportedPatterns, expression: str | Expression) -> bool:
    """Return whether a Boolean pattern is made of published itemsets alone (sigma-vulnerable).

    If an audit calls the patterns safe, no such pattern holds for 1 to k-1 rows (atzori2008, Theorem 2).

    Parameters
    ----------
    source : PatternSet or ImportedPatterns
        The itemsets that are published, with their supports.
    expression : str
        Labels with AND, OR, NOT and parentheses, as `query` takes them.

    Returns
    -------
    bool
        Whether the items of every part of the disjunctive normal form are together in a published itemset.

    Raises
    ------
    ParameterError
        The expression cannot be parsed, or its normal form has more than 10,000 parts.

    Examples
    --------
    >>> import discreet
    >>> known = discreet.PatternSet.from_itemsets([("a", 5), ("b", 4), ("c", 4), ("ab", 3)], n=9, min_support=3)
    >>> discreet.is_vulnerable(known, "(a AND NOT b) OR c"), discreet.is_vulnerable(known, "a AND NOT c")
    (True, False)
    """
    return all(published for _, published in vulnerable_parts(source, expression))


def vulnerable_parts(
    source: PatternSet | ImportedPatterns, expression: str | Expression
) -> list[tuple[tuple[str, ...], bool]]:
    """Return the items of each part of the normal form, and whether they are together in a published itemset."""
    collection = collection_of(source, without_n=True)
    parsed = parse_expression(expression) if isinstance(expression, str) else expression
    vocabulary = collection.patterns.vocabulary

    def published(labels: tuple[str, ...]) -> bool:
        items = [item for label in labels if (item := vocabulary.item(label)) is not None]
        return len(items) == len(labels) and collection.support_of(np.array(sorted(items), np.int32)) > 0

    parts = sorted({tuple(sorted({label for label, _ in part})) for part in _parts(parsed, held=True)})
    return [(labels, published(labels)) for labels in parts]


def _parts(expression: Expression, *, held: bool) -> list[_Part]:
    """Return the conjunctive parts of the expression, or of its negation."""
    if isinstance(expression, Item):
        return [frozenset({(expression.label, held)})]
    if isinstance(expression, Not):
        return _parts(expression.part, held=not held)
    each = [_parts(part, held=held) for part in expression.parts]
    if isinstance(expression, Or) == held:  # a negated AND is an OR
        found = {part for parts in each for part in parts}
    else:
        found = {frozenset()}
        for parts in each:
            found = {one | other for one, other in product(found, parts) if not _contradict(one, other)}
            _check_size(len(found))
    _check_size(len(found))
    return sorted(found, key=sorted)


def _contradict(one: _Part, other: _Part) -> bool:
    return any((label, not held) in one for label, held in other)


def _check_size(parts: int) -> None:
    if parts > _MOST_PARTS:
        raise ParameterError(
            f"the pattern has more than {_MOST_PARTS:,} parts in its normal form; ask about its parts one by one",
            parameter="expression",
        )

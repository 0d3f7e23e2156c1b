"""Random expressions, and what they mean in a few obvious lines: a row at a time, a term at a time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from discreet.patterns.expression import And, Expression, Item, Not, Or
from tests.strategies import LABELS

if TYPE_CHECKING:
    from collections.abc import Collection

Term = frozenset[str]


def expressions(labels: st.SearchStrategy[str] = LABELS, max_leaves: int = 12) -> st.SearchStrategy[Expression]:
    """Draw trees over the labels."""

    def grow(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        several = st.lists(parts, min_size=2, max_size=4).map(tuple)
        return st.builds(Not, parts) | st.builds(And, several) | st.builds(Or, several)

    return st.recursive(st.builds(Item, labels), grow, max_leaves=max_leaves)


def holds(expression: Expression, row: Collection[str]) -> bool:
    """Say whether an expression is true of one row."""
    if isinstance(expression, Item):
        return expression.label in row
    if isinstance(expression, Not):
        return not holds(expression.part, row)
    parts = [holds(part, row) for part in expression.parts]
    return all(parts) if isinstance(expression, And) else any(parts)


def polynomial(expression: Expression) -> dict[Term, int]:
    """Return the multiples of conjunctions of items that an expression is the sum of, by multiplying them out."""
    if isinstance(expression, Item):
        return {frozenset([expression.label]): 1}
    if isinstance(expression, Not):
        return _without(polynomial(expression.part))
    product = {frozenset(): 1}
    for part in expression.parts:
        terms = polynomial(part)
        product = _times(product, terms if isinstance(expression, And) else _without(terms))
    return product if isinstance(expression, And) else _without(product)


def _without(terms: dict[Term, int]) -> dict[Term, int]:
    """Return one minus the sum."""
    result = Counter({frozenset(): 1})
    result.subtract(terms)
    return {term: multiple for term, multiple in result.items() if multiple}


def _times(one: dict[Term, int], other: dict[Term, int]) -> dict[Term, int]:
    result: Counter[Term] = Counter()
    for left, times in one.items():
        for right, multiple in other.items():
            result[left | right] += times * multiple
    return {term: multiple for term, multiple in result.items() if multiple}

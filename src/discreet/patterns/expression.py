"""Boolean expressions over labels: what a row must contain, and what it must not.

An expression is a small frozen tree of `Item`, `Not`, `And` and `Or`. Its text form, `str(expression)`, is canonical:
operators as AND, OR and NOT, parentheses and double quotes only if needed. `expression_parser` reads it back to the
same tree, and defines what else may be written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BARE_LABEL",
    "DEEPEST",
    "KEYWORDS",
    "SIGNS",
    "And",
    "Expression",
    "Item",
    "Not",
    "Or",
    "labels_in",
    "truth",
    "with_values",
]

DEEPEST = 50
"""How many NOTs and parentheses may be open at a label: every walk over the tree is a plain recursion."""

KEYWORDS = ("AND", "OR", "NOT")
"""Operators as words, in any letter case; a label that looks like one must be in double quotes."""

SIGNS = {"∧": "AND", "∨": "OR", "¬": "NOT"}  # noqa: RUF001 - the signs of logic are what is meant
"""The same operators as signs."""

BARE_LABEL = rf'[^\s()"{"".join(SIGNS)}]+'
"""A label that needs no double quotes, unless it is a keyword."""


@dataclass(frozen=True, slots=True)
class Item:
    """Matches the rows that contain the label."""

    label: str

    def __str__(self) -> str:
        """Return the label, in double quotes if it would be mistaken for something else."""
        if re.fullmatch(BARE_LABEL, self.label) and self.label.upper() not in KEYWORDS:
            return self.label
        return '"' + self.label.replace('"', '""') + '"'

    @property
    def nesting(self) -> int:
        """Return how many NOTs and parentheses are open at the innermost label."""
        return 0


@dataclass(frozen=True, slots=True)
class Not:
    """Matches the rows that the part does not match."""

    part: Expression
    nesting: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _set_nesting(self, 1 + _nesting_inside(self.part, And, Or))

    def __str__(self) -> str:
        """Return the canonical text."""
        return f"NOT {_text_inside(self.part, And, Or)}"


@dataclass(frozen=True, slots=True)
class And:
    """Matches the rows that all parts match; a nested And is flattened."""

    parts: tuple[Expression, ...]
    nesting: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Flatten the parts and compute the nesting."""
        flat = _several(part for each in self.parts for part in (each.parts if isinstance(each, And) else (each,)))
        object.__setattr__(self, "parts", flat)
        _set_nesting(self, max(_nesting_inside(part, Or) for part in flat))

    def __str__(self) -> str:
        """Return the canonical text."""
        return " AND ".join(_text_inside(part, Or) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """Matches the rows that at least one part matches; a nested Or is flattened."""

    parts: tuple[Expression, ...]
    nesting: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Flatten the parts and compute the nesting."""
        flat = _several(part for each in self.parts for part in (each.parts if isinstance(each, Or) else (each,)))
        object.__setattr__(self, "parts", flat)
        _set_nesting(self, max(part.nesting for part in flat))

    def __str__(self) -> str:
        """Return the canonical text."""
        return " OR ".join(str(part) for part in self.parts)


Expression = Item | Not | And | Or


def _several(parts: Iterator[Expression]) -> tuple[Expression, ...]:
    flat = tuple(parts)
    if len(flat) < 2:  # noqa: PLR2004 - an operator has two operands
        raise ParameterError(f"query: AND and OR need at least two parts, got {len(flat)}", parameter="expression")
    return flat


def _set_nesting(expression: Not | And | Or, nesting: int) -> None:
    if nesting > DEEPEST:
        raise ParameterError(
            f"query: nested more than {DEEPEST} deep; write it with fewer parentheses and NOTs", parameter="expression"
        )
    object.__setattr__(expression, "nesting", nesting)


def _nesting_inside(part: Expression, *in_parentheses: type) -> int:
    return part.nesting + isinstance(part, in_parentheses)


def _text_inside(part: Expression, *in_parentheses: type) -> str:
    return f"({part})" if isinstance(part, in_parentheses) else str(part)


def labels_in(expression: Expression) -> Iterator[str]:
    """Yield every label, as often as it occurs, from left to right.

    >>> list(labels_in(And((Item("e"), Or((Item("b"), Not(Item("e"))))))))
    ['e', 'b', 'e']
    """
    match expression:
        case Item(label):
            yield label
        case Not(part):
            yield from labels_in(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from labels_in(part)


def with_values(expression: Expression, values: Mapping[str, Sequence[str]]) -> Expression:
    """Replace each label by what it stands for: a column by any of its values; a label without any stays.

    >>> str(with_values(And((Item("tea"), Not(Item("sex")))), {"tea": ["tea"], "sex": ["sex=f", "sex=m"]}))
    'tea AND NOT (sex=f OR sex=m)'
    """
    match expression:
        case Item(label):
            items = [Item(each) for each in values[label]] or [expression]
            return items[0] if len(items) == 1 else Or(tuple(items))
        case Not(part):
            return Not(with_values(part, values))
        case And(parts):
            return And(tuple(with_values(part, values) for part in parts))
        case Or(parts):
            return Or(tuple(with_values(part, values) for part in parts))


def truth(expression: Expression, held: Mapping[str, NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Return which rows match the expression, given the rows of each label."""
    match expression:
        case Item(label):
            return held[label]
        case Not(part):
            return ~truth(part, held)
        case And(parts):
            return reduce(and_, (truth(part, held) for part in parts))
        case Or(parts):
            return reduce(or_, (truth(part, held) for part in parts))

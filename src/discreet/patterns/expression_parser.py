"""Parse a Boolean expression.

    expression   conjunction, or several with OR between them
    conjunction  negation, or several with AND between them
    negation     NOT negation, or a label, or ( expression )

NOT binds tighter than AND, AND tighter than OR. They may be written in any letter case, or as the signs ∧ ∨ ¬, which
need no blanks around them. A label is bare, or in double quotes if it contains a blank, a parenthesis, a double quote
or a sign, or looks like an operator. Within quotes a double quote is doubled, as in CSV, and everything else (a
backslash, a line end) is literal. `&`, `|` and `!` are not operators: labels contain them (R&D).
"""  # noqa: RUF002 - the signs of logic are what is meant

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from discreet.errors import ParameterError
from discreet.patterns.expression import BARE_LABEL, DEEPEST, KEYWORDS, SIGNS, And, Expression, Item, Not, Or

__all__ = ["parse_expression"]

_TOKEN = re.compile(
    rf'\s*+(?:(?P<symbol>[(){"".join(SIGNS)}])|"(?P<quoted>(?:[^"]|"")*+)"|(?P<bare>{BARE_LABEL})|(?P<end>\Z))'
)
_LOOKALIKES = {"&": "AND", "&&": "AND", "|": "OR", "||": "OR", "!": "NOT", "~": "NOT"}
_SHOWN = 40


class _Token(NamedTuple):
    kind: str  # an operator, a parenthesis, "label" or "end"
    text: str
    column: int  # counted from 1


def parse_expression(text: str) -> Expression:
    """Parse an expression.

    >>> parse_expression('e and (¬b or not "d")')
    And(parts=(Item(label='e'), Or(parts=(Not(part=Item(label='b')), Not(part=Item(label='d'))))))
    """
    return _Parser(text).whole()


class _Parser:
    """Recursive descent: one method per line of the grammar, one token of lookahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._nesting = 0
        self._token = self._next_token()

    def whole(self) -> Expression:
        expression = self._expression()
        if self._token.kind != "end":
            self._refuse("AND, OR or the end")
        return expression

    def _expression(self) -> Expression:
        parts = [self._conjunction()]
        while self._token.kind == "OR":
            self._advance()
            parts.append(self._conjunction())
        return Or(tuple(parts)) if len(parts) > 1 else parts[0]

    def _conjunction(self) -> Expression:
        parts = [self._negation()]
        while self._token.kind == "AND":
            self._advance()
            parts.append(self._negation())
        return And(tuple(parts)) if len(parts) > 1 else parts[0]

    def _negation(self) -> Expression:
        nots = 0
        while self._token.kind == "NOT":
            self._open()
            nots += 1
        expression = self._label_or_group()
        self._nesting -= nots
        for _ in range(nots):
            expression = Not(expression)
        return expression

    def _label_or_group(self) -> Expression:
        token = self._token
        if token.kind == "label":
            self._advance()
            return Item(token.text)
        if token.kind != "(":
            self._refuse("a label, NOT or '('")
        self._open()
        expression = self._expression()
        if self._token.kind != ")":
            self._refuse("AND, OR or ')'", f"; the '(' of column {token.column} is still open")
        self._nesting -= 1
        self._advance()
        return expression

    def _open(self) -> None:
        """Consume a NOT or a parenthesis that something must follow."""
        self._nesting += 1
        if self._nesting > DEEPEST:
            raise _refusal(
                f"nested more than {DEEPEST} deep at column {self._token.column}; "
                "write it with fewer parentheses and NOTs"
            )
        self._advance()

    def _advance(self) -> None:
        self._token = self._next_token()

    def _next_token(self) -> _Token:
        found = _TOKEN.match(self._text, self._place)
        if found is None:  # only a double quote can start without an end
            column = self._text.index('"', self._place) + 1
            raise _refusal(f"the double quote at column {column} has no partner; write one at the label's end")
        self._place = found.end()
        kind = str(found.lastgroup)
        text = found[kind]
        column = found.start(kind) + 1
        if kind == "quoted":
            return _Token("label", text.replace('""', '"'), column - 1)
        if kind == "bare":
            word = text.upper()
            return _Token(word if word in KEYWORDS else "label", text, column)
        return _Token("end" if kind == "end" else SIGNS.get(text, text), text, column)

    def _refuse(self, expected: str, advice: str = "") -> NoReturn:
        token = self._token
        got = "the end" if token.kind == "end" else repr(token.text[:_SHOWN])
        if token.text in _LOOKALIKES:
            advice = f"; write {_LOOKALIKES[token.text]}"
        elif token.kind in ("label", "(") and expected.startswith("AND"):
            advice = "; put a label with blanks or parentheses in double quotes"
        raise _refusal(f"expected {expected} at column {token.column}, got {got}{advice}")


def _refusal(sentence: str) -> ParameterError:
    return ParameterError(f"query: {sentence}", parameter="expression")

"""The expression language: what is understood, what is printed, what is refused and where."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.patterns.expression import DEEPEST, And, Item, Not, Or
from discreet.patterns.expression_parser import parse_expression
from tests.patterns.expression_twin import expressions

A, B, C = Item("a"), Item("b"), Item("c")

AWKWARD = (
    st.text(max_size=6)
    | st.text('ab "()∧∨¬\\&|!\t\n\u00a0', max_size=6)  # noqa: RUF001
    | st.sampled_from(
        ["AND", "or", "Not", "NOT a", '"', '""', "a AND b", "", " ", "age=(30,45]", "R&D", "-5", "nota", "ａｎｄ"]  # noqa: RUF001
    )
)

UNDERSTOOD = {
    "a label": ("a", A),
    "blanks around": ("  a\n", A),
    "a number": ("34", Item("34")),
    "NOT before AND before OR": ("a or b and not c", Or((A, And((B, Not(C)))))),
    "OR before AND by parentheses": ("(a OR b) AND c", And((Or((A, B)), C))),
    "NOT before a parenthesis": ("not(a and b)", Not(And((A, B)))),
    "NOT twice": ("NOT not a", Not(Not(A))),
    "signs": ("a∧¬b∨c", Or((And((A, Not(B))), C))),  # noqa: RUF001
    "needless parentheses": ("(((a)) and ((b)))", And((A, B))),
    "a chain is one": ("a and (b and c)", And((A, B, C))),
    "a chain of OR is one": ("(a or b) or c", Or((A, B, C))),
    "a quoted label": ('"salt, coarse" and b', And((Item("salt, coarse"), B))),
    "a quoted keyword": ('"and" and "NOT"', And((Item("and"), Item("NOT")))),
    "a doubled quote": ('"5"" pipe"', Item('5" pipe')),
    "a backslash is a letter": (r'"a\" or b', Or((Item("a\\"), B))),
    "an empty label": ('""', Item("")),
    "an interval": ('"age=(30,45]" or age=>45', Or((Item("age=(30,45]"), Item("age=>45")))),
    "a keyword within a label": ("band or nothing", Or((Item("band"), Item("nothing")))),
    "signs of programs are letters": ("R&D or !a or a|b", Or((Item("R&D"), Item("!a"), Item("a|b")))),
    "a blank of another kind": ("a\u00a0and\u2003b", And((A, B))),
}

REFUSED = {
    "nothing": ("", "expected a label, NOT or '(' at column 1, got the end"),
    "blanks": ("   ", "expected a label, NOT or '(' at column 4, got the end"),
    "a closing parenthesis": ("a AND )", "expected a label, NOT or '(' at column 7, got ')'"),
    "an operator at the end": ("a OR", "expected a label, NOT or '(' at column 5, got the end"),
    "an operator at the start": ("and a", "expected a label, NOT or '(' at column 1, got 'and'"),
    "two operators": ("a and or b", "expected a label, NOT or '(' at column 7, got 'or'"),
    "a sign in vain": ("a ∨ ∧ b", "expected a label, NOT or '(' at column 5, got '∧'"),  # noqa: RUF001
    "two labels": ("ward surgery", "expected AND, OR or the end at column 6, got 'surgery'; put a label with blanks"),
    "a label and a parenthesis": ("age=(30", "expected AND, OR or the end at column 5, got '('; put a label with"),
    "a label and NOT": ("a not b", "expected AND, OR or the end at column 3, got 'not'"),
    "one too many": ("(a))", "expected AND, OR or the end at column 4, got ')'"),
    "one too few": ("b OR (a", "expected AND, OR or ')' at column 8, got the end; the '(' of column 6 is still open"),
    "nothing in parentheses": ("()", "expected a label, NOT or '(' at column 2, got ')'"),
    "an open quote": ('a OR "b', "the double quote at column 6 has no partner"),
    "an open quote with a doubled one": ('"a"" OR b', "the double quote at column 1 has no partner"),
    "a quote within a label": ('a"b"', "expected AND, OR or the end at column 2, got 'b'"),
    "a program's and": ("a && b", "got '&&'; write AND"),
    "a program's or": ("(a | b)", "got '|'; write OR"),
    "a very long word": ("a " + "x" * 5000, f"got '{'x' * 40}'"),
}


@pytest.mark.parametrize("case", UNDERSTOOD)
def test_understood(case: str) -> None:
    text, expected = UNDERSTOOD[case]
    assert parse_expression(text) == expected


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_the_place_and_what_was_expected(case: str) -> None:
    text, sentence = REFUSED[case]
    with pytest.raises(ParameterError) as refusal:
        parse_expression(text)
    assert str(refusal.value).startswith("query: ")
    assert sentence in str(refusal.value)
    assert len(str(refusal.value)) < 200
    assert refusal.value.parameter == "expression"


@pytest.mark.parametrize("word", ["and", "And", "AND", "∧"])
def test_operators_in_any_form(word: str) -> None:
    assert parse_expression(f"a {word} b") == And((A, B))


@given(expressions(AWKWARD, max_leaves=20))
def test_what_is_printed_is_read_as_the_same_tree(expression) -> None:
    assert parse_expression(str(expression)) == expression


@given(expressions())
def test_equal_trees_print_and_hash_alike(expression) -> None:
    again = parse_expression(str(expression))
    assert (str(again), hash(again)) == (str(expression), hash(expression))


@given(
    st.text('ab"() \t∧∨¬', max_size=12)  # noqa: RUF001
    | st.lists(st.sampled_from(["a", "NOT", "and", "OR", "(", ")", '"b"'])).map(" ".join)
)
def test_any_text_is_understood_or_refused_in_one_sentence(text: str) -> None:
    try:
        expression = parse_expression(text)
    except ParameterError as refusal:
        assert "\n" not in str(refusal)  # noqa: PT017 - either outcome will do
    else:
        assert parse_expression(str(expression)) == expression


def test_parentheses_only_where_they_are_needed() -> None:
    assert str(parse_expression('((a and (not ("b"))) or (("c d")))')) == 'a AND NOT b OR "c d"'
    assert str(parse_expression("not (a and (b or ((c))))")) == "NOT (a AND (b OR c))"


@pytest.mark.parametrize("opened", ["(", "NOT ", "¬", "NOT ("])
def test_deep_nesting_is_refused_with_its_place(opened: str) -> None:
    levels = DEEPEST + 1 if opened != "NOT (" else DEEPEST // 2 + 1
    with pytest.raises(ParameterError, match=rf"nested more than {DEEPEST} deep at column \d+"):
        parse_expression(opened * levels + "a" + ")" * (levels if "(" in opened else 0))
    with pytest.raises(ParameterError, match=f"nested more than {DEEPEST} deep at column"):
        parse_expression(opened * 1_000_000)


@pytest.mark.parametrize("opened", ["(", "NOT "])
def test_the_deepest_nesting_is_understood(opened: str) -> None:
    expression = parse_expression(opened * DEEPEST + "a" + ")" * (DEEPEST if opened == "(" else 0))
    assert parse_expression(str(expression)) == expression


def test_the_deepest_tree_can_be_printed_and_read() -> None:
    tree = A
    for _ in range(DEEPEST):
        tree = And((B, Or((C, tree))))
    assert tree.nesting == DEEPEST
    assert parse_expression(str(tree)) == tree
    with pytest.raises(ParameterError, match=f"nested more than {DEEPEST} deep"):
        Not(tree)


def test_long_chains_are_not_deep() -> None:
    many = [Item(str(number)) for number in range(5000)]
    assert parse_expression(" or ".join(map(str, many))) == Or(tuple(many))
    assert reduce(lambda one, other: And((one, other)), many[:500]) == And(tuple(many[:500]))


@pytest.mark.parametrize("part", ["not a", "(a)", "not (not a)"])
def test_what_stands_side_by_side_is_not_deep(part: str) -> None:
    assert parse_expression(" or ".join([part] * 500)).nesting < 3


@pytest.mark.parametrize("operator", [And, Or])
@pytest.mark.parametrize("parts", [(), (A,)])
def test_an_operator_stands_between_two(operator: type, parts: tuple) -> None:
    with pytest.raises(ParameterError, match="at least two parts"):
        operator(parts)

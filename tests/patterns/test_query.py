"""Counting the rows that match: from the rows, from patterns alone, and a row at a time."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.errors import DataError, ParameterError
from discreet.itemsets import Itemsets
from discreet.patterns import query as querying
from discreet.patterns.derived_support import MOST_VARIABLES, derive_support
from discreet.patterns.expression import And, Item, Not, Or
from discreet.patterns.expression_parser import parse_expression
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.patterns.query import query
from discreet.patterns.reading import read_patterns
from discreet.transactions.transactions import Transactions
from tests.patterns.expression_twin import expressions, holds, polynomial
from tests.strategies import rows_of_labels

RUNNING_EXAMPLE = Path(__file__).parent.parent / "data" / "running-example.dat"

TABLE_1 = {"a ∨ f": 11, "e ∧ (¬b ∨ ¬d)": 4, "h ∧ ¬b": 1, "b ∧ ¬d ∧ ¬e": 1, "a∧b∧c": 6, "a∧b∧d∧e": 7, "c∧d": 9}  # noqa: RUF001
"""atzori2008, Table 1 and Example 5."""


@pytest.fixture(scope="module")
def running_example() -> Transactions:
    return discreet.read(RUNNING_EXAMPLE)


@pytest.mark.parametrize("text", TABLE_1)
def test_the_papers_supports_from_the_rows(running_example: Transactions, text: str) -> None:
    assert query(running_example, text).count == TABLE_1[text]


@pytest.mark.parametrize("target", ["all", "closed"])
@pytest.mark.parametrize("text", TABLE_1)
def test_the_papers_supports_from_the_patterns_at_6(running_example: Transactions, text: str, target: str) -> None:
    patterns = mine(running_example, min_support=6, target=target)
    if text in ("a ∨ f", "h ∧ ¬b"):  # noqa: RUF001 - sup(f) = 6 and sup(af) = 4; sup(h) = 2: not published
        with pytest.raises(ParameterError, match=r"which they do not give|say nothing about it"):
            query(patterns, text)
    else:
        result = query(patterns, text)
        assert (result.count, result.n, result.rows) == (TABLE_1[text], 12, None)


@pytest.mark.parametrize("target", ["all", "closed"])
@pytest.mark.parametrize("text", TABLE_1)
def test_the_papers_supports_from_the_patterns_at_1(running_example: Transactions, text: str, target: str) -> None:
    assert query(mine(running_example, min_support=1, target=target), text).count == TABLE_1[text]


@pytest.mark.parametrize("target", ["all", "closed"])
@pytest.mark.parametrize(
    ("text", "count"),
    [("¬c ∧ ¬d ∧ ¬e", 1), ("a ∧ ¬b", 1), ("a ∧ ¬e", 1), ("e ∧ ¬c ∧ ¬d", 1), ("d∧e∧¬c", 1), ("a ∨ ¬a", 12), ("b∧¬b", 0)],  # noqa: RUF001
)
def test_the_channels_of_the_running_example_at_8(
    running_example: Transactions, text: str, count: int, target: str
) -> None:
    """atzori2008, Example 6 and the maximal channels for k = 3."""
    assert query(mine(running_example, min_support=8, target=target), text).count == count
    assert query(running_example, text).count == count


def test_each_part_being_frequent_does_not_suffice(running_example: Transactions) -> None:
    """Both conjunctions of Example 7's pattern have frequent items; what they share is not published."""
    patterns = mine(running_example, min_support=8, target="all")
    assert query(patterns, "a and not b").count == 1
    assert query(patterns, "d and not c").count == 1
    with pytest.raises(ParameterError, match="needs the support of a AND d, which they do not give"):
        query(patterns, "(a and not b) or (d and not c)")


def test_parts_that_exclude_each_other_need_no_common_itemset(running_example: Transactions) -> None:
    patterns = mine(running_example, min_support=8, target="all")
    text = "(a and e) or (not e and d)"
    assert query(patterns, text).count == query(running_example, text).count == 8


def test_row_numbers_are_counted_from_1(running_example: Transactions) -> None:
    assert query(running_example, "h").to_dict() == {"count": 2, "rows": [1, 11]}
    assert query(running_example, "a and not a").to_dict() == {"count": 0, "rows": []}


@given(rows_of_labels(), expressions())
def test_rows_agree_with_the_slow_twin(rows: list[list[str]], expression) -> None:
    expected = [number for number, row in enumerate(rows, 1) if holds(expression, row)]
    result = query(Transactions.from_rows(rows), expression, ignore_unknown=True)
    assert result.to_dict() == {"count": len(expected), "rows": expected}
    assert result.n == len(rows)


@given(rows_of_labels(), expressions())
def test_folded_rows_count_as_often_as_they_occur(rows: list[list[str]], expression) -> None:
    whole = Transactions.from_rows(rows)
    folded = query(whole.fold(), expression, ignore_unknown=True)
    assert folded.count == query(whole, expression, ignore_unknown=True).count
    assert folded.n == len(rows)


@given(rows_of_labels(), expressions(), st.integers(1, 5))
def test_rows_are_looked_at_in_blocks(rows: list[list[str]], expression, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(querying, "_MOST_ROWS", block)
        blocks = query(Transactions.from_rows(rows), expression, ignore_unknown=True)
    assert blocks.to_dict() == query(Transactions.from_rows(rows), expression, ignore_unknown=True).to_dict()


@given(rows_of_labels(), expressions(max_leaves=8), st.integers(1, 6), st.sampled_from(["all", "closed"]))
def test_patterns_give_the_count_of_the_rows_or_refuse(rows, expression, min_support: int, target: str) -> None:
    """Told exactly where every conjunction of the multiplied-out expression has a published support."""
    transactions = Transactions.from_rows(rows)
    everything = {labels for labels, _ in mine(transactions, min_support=min_support, target="all")} | {frozenset()}
    seen = frozenset().union(*everything)
    told = set(polynomial(expression)) <= everything and seen >= set(_labels(expression))
    patterns = mine(transactions, min_support=min_support, target=target)
    if told:
        assert query(patterns, expression).count == sum(holds(expression, row) for row in rows)
    else:
        with pytest.raises(ParameterError, match=r"cannot be counted|say nothing about it"):
            query(patterns, expression)


@given(rows_of_labels(), expressions(max_leaves=6), st.integers(1, 3), st.sampled_from(["all", "closed", "maximal"]))
def test_a_cap_on_the_length_leaves_no_wrong_count(rows, expression, max_length: int, target: str) -> None:
    patterns = mine(Transactions.from_rows(rows), min_support=2, target=target, max_length=max_length)
    try:
        count = query(patterns, expression).count
    except ParameterError:
        return
    assert count == sum(holds(expression, row) for row in rows)


@given(rows_of_labels(), expressions(max_leaves=6), st.integers(1, 6))
def test_what_is_refused_does_not_follow(rows, expression, min_support: int) -> None:
    """Two data sets agree on every published support and differ on the count.

    The subsets of a missing conjunction, those of even distance from it added to the one, those of odd distance to the
    other, make a difference to its own support alone.
    """
    listed = [labels for labels, _ in mine(Transactions.from_rows(rows), min_support=min_support, target="all")]
    missing = [term for term in polynomial(expression) if term and term not in listed]
    if not missing or not set(_labels(expression)) <= frozenset().union(*listed):
        return
    term = sorted(missing[0])
    subsets = [combination for size in range(len(term) + 1) for combination in combinations(term, size)]
    twins = [[*rows, *(each for each in subsets if (len(term) - len(each)) % 2 == odd)] for odd in (0, 1)]
    supports = [[sum(labels <= set(row) for row in twin) for labels in listed] for twin in twins]
    assert supports[0] == supports[1]
    counts = [sum(holds(expression, row) for row in twin) for twin in twins]
    assert counts[0] != counts[1]
    published = PatternSet.from_itemsets(
        zip(listed, supports[0], strict=True), n=len(twins[0]), min_support=1, target="all"
    )
    with pytest.raises(ParameterError, match="cannot be counted"):
        query(published, expression)


@given(rows_of_labels(), expressions(max_leaves=8), st.sampled_from(["all", "closed"]))
def test_the_terms_are_the_sum(rows, expression, target: str) -> None:
    transactions = Transactions.from_rows([*rows, "abcdefghz"])
    derived = derive_support(expression, mine(transactions, min_support=1, target=target))
    terms = list(derived.terms())
    assert {frozenset(labels): multiple for multiple, labels, _ in terms} == polynomial(expression)
    assert sum(multiple * support for multiple, _, support in terms) == derived.count
    assert [len(labels) for _, labels, _ in terms] == sorted(len(labels) for _, labels, _ in terms)
    assert not terms or terms[0][0] == 1


def _labels(expression) -> set[str]:
    if isinstance(expression, Item):
        return {expression.label}
    parts = [expression.part] if isinstance(expression, Not) else expression.parts
    return set().union(*map(_labels, parts))


def test_long_conjunctions_are_one_variable() -> None:
    labels = [f"i{number}" for number in range(100)]
    rows = Transactions.from_rows([labels, labels, labels[:99], labels[1:], ["x", *labels], ["x"]])
    patterns = mine(rows, min_support=1, target="closed")
    parts = And(tuple(map(Item, labels)))
    for expression in (parts, Not(parts), And((*parts.parts, Not(Item("x")))), Or((parts, Item("x")))):
        assert query(patterns, expression).count == query(rows, expression).count


def test_too_many_variables_are_refused_with_the_limit() -> None:
    labels = [f"i{number}" for number in range(MOST_VARIABLES + 1)]
    rows = Transactions.from_rows([labels, labels[1:], labels[:1], []])
    patterns = mine(rows, min_support=1, target="closed")
    most = Or(tuple(map(Item, labels[:MOST_VARIABLES])))
    assert query(patterns, most).count == query(rows, most).count == 3
    with pytest.raises(ParameterError, match=f"up to {MOST_VARIABLES} labels .* got {MOST_VARIABLES + 1}"):
        query(patterns, Or(tuple(map(Item, labels))))
    assert query(patterns, And((Item(labels[0]), *map(Item, labels)))).count == 1


def test_large_supports_stay_exact() -> None:
    """The multiples of a parity grow to 2^9: with supports near 2^60 the terms leave 64 bits, the sum does not."""
    labels = [f"i{number}" for number in range(10)]
    parity = Item(labels[0])
    for label in labels[1:]:
        parity = Or((And((parity, Not(Item(label)))), And((Not(parity), Item(label)))))
    n = (1 << 60) + 5
    patterns = PatternSet.from_itemsets(
        [(labels, 7), (labels[:9], (1 << 59) + 1), (labels[:1], (1 << 60) + 2)], n=n, min_support=1, target="closed"
    )
    assert query(patterns, parity).count == (1 << 60) + 2 - (1 << 59) - 1 + (1 << 59) + 1 - 7


def test_a_support_that_a_closed_itemset_tells() -> None:
    patterns = PatternSet.from_itemsets([("abc", 3), ("abcd", 2)], n=5, min_support=2, target="closed")
    assert query(patterns, "a and not d").count == 1
    assert query(patterns, "not a").count == 2


def test_maximal_itemsets_tell_their_own_support_alone() -> None:
    patterns = PatternSet.from_itemsets([("ab", 3), ("c", 4)], n=9, min_support=2, target="maximal")
    assert query(patterns, "a and b").count == 3
    assert query(patterns, "not c").count == 5
    with pytest.raises(ParameterError, match="needs the support of a, which they do not give; ask patterns of lower"):
        query(patterns, "a and not b")


def test_patterns_that_do_not_say_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "spmf.txt").write_text("a b #SUP: 3\na b c #SUP: 2\n")
    patterns = read_patterns(tmp_path / "spmf.txt")
    assert query(patterns, "a and b and not c").to_dict() == {"count": 1, "rows": None}
    with pytest.raises(ParameterError, match='if they are the closed itemsets, give target "closed"') as refusal:
        query(patterns, "a and not c")
    assert refusal.value.parameter == "target"
    result = query(patterns, "a and not c", target="closed")
    assert (result.count, result.n) == (1, None)
    with pytest.raises(ParameterError, match="needs the number of all rows, which they do not give; give n"):
        query(patterns, "not c", target="closed")
    assert query(read_patterns(tmp_path / "spmf.txt", n=7), "not c", target="closed").count == 5
    with pytest.raises(ParameterError, match="a AND c, which they do not give; ask patterns"):
        query(patterns, "a and c", target="all")


def test_the_target_must_agree(running_example: Transactions) -> None:
    patterns = mine(running_example, min_support=8, target="all")
    assert query(patterns, "a", target="all").count == 9
    with pytest.raises(ParameterError, match="given as closed, but the patterns say all"):
        query(patterns, "a", target="closed")
    with pytest.raises(ParameterError, match="leave it out for rows"):
        query(running_example, "a", target="closed")


@pytest.mark.parametrize(("text", "count"), [("a AND NOT b AND NOT c", "-1"), ("a OR b OR c", "11")])
def test_supports_that_no_data_has(text: str, count: str) -> None:
    supports = [("a", 5), ("b", 5), ("c", 5), ("ab", 4), ("ac", 4), ("bc", 4), ("abc", 2)]
    patterns = PatternSet.from_itemsets(supports, n=10, min_support=1)
    if count == "11":
        patterns = PatternSet.from_itemsets(
            [*supports[:3], ("ab", 2), ("ac", 1), ("bc", 2), ("abc", 1)], n=10, min_support=1
        )
    with pytest.raises(DataError, match=f"contradict themselves: by their supports {count} rows"):
        query(patterns, text)


def test_a_label_that_no_row_can_hold(running_example: Transactions) -> None:
    with pytest.raises(
        ParameterError, match="the query names the label 'x', which is neither an item nor a column"
    ) as refusal:
        query(running_example, "a or x")
    assert refusal.value.parameter == "expression"
    assert query(running_example, "a or x", ignore_unknown=True).count == 9
    assert query(running_example, "not x", ignore_unknown=True).count == 12


def test_a_label_that_is_known_and_in_no_row_counts_nothing() -> None:
    rows = Transactions.from_codes(Itemsets(np.array([0, 1]), np.array([0], np.int32)), ["a", "b"])
    assert query(rows, "b").count == 0


def test_patterns_do_not_tell_which_labels_no_row_holds(running_example: Transactions) -> None:
    patterns = mine(running_example, min_support=8, target="all")
    for label in ("x", "f"):  # f is in the rows, and in no pattern
        with pytest.raises(ParameterError, match=f"the label '{label}', which is in no pattern"):
            query(patterns, f"a or {label}")
    with pytest.raises(ParameterError, match="ignore_unknown is for rows"):
        query(patterns, "a", ignore_unknown=True)


def test_no_rows_at_all() -> None:
    result = query(Transactions.from_rows([]), "not a", ignore_unknown=True)
    assert (result.to_dict(), result.n) == ({"count": 0, "rows": []}, 0)


def test_a_parsed_expression_may_be_asked(running_example: Transactions) -> None:
    assert query(running_example, parse_expression("a or f")).count == 11


def test_the_result_says_the_answer(running_example: Transactions) -> None:
    assert repr(query(running_example, "a ∨ f")) == "<QueryResult: 11 of 12 rows match a OR f>"  # noqa: RUF001


def test_mushroom(data_folder: Path) -> None:
    """The channels of atzori2008's Example 12, asked from both sides."""
    rows = discreet.read(data_folder / "mushroom.dat.gz")
    closed = mine(rows, min_support="60%", target="closed")
    for text in ("34 ∧ 85 ∧ ¬(39 ∨ 86)", "34 ∧ 85 ∧ ¬59 ∧ ¬86", "34 and 85 and 90 and not (36 or 86)"):  # noqa: RUF001
        assert query(rows, text).count == query(closed, text).count == 8


def test_patterns_do_not_tell_which_rows_have_a_value_of_a_column():
    rows = Transactions.from_rows([["sex=f", "a"], ["sex=f"], ["sex=m"], ["a"]])
    assert query(rows, "sex").count == 3
    with pytest.raises(
        ParameterError, match="the query names the column 'sex', of which patterns hold frequent values"
    ):
        query(mine(rows, min_support=2), "sex AND a")


@pytest.mark.parametrize("source", [None, 5, "rows.csv", [["a"]], object()], ids=lambda source: type(source).__name__)
def test_what_cannot_be_asked_is_refused(source: object) -> None:
    with pytest.raises(ParameterError, match=rf"^source must be rows.*got {type(source).__name__}; read a file with"):
        query(source, "a")
    with pytest.raises(ParameterError, match=rf"^source must be rows.*got {type(source).__name__}; read a file with"):
        discreet.audit(source, k=3, min_support=2)

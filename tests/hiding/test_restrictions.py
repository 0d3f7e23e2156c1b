"""What must not be minable, as people write it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import ParameterError, Transactions, hide
from discreet.hiding.restrictions import Restriction, RuleBound, read_restrictions

if TYPE_CHECKING:
    from pathlib import Path


def labels(*texts: str) -> frozenset[str]:
    return frozenset(texts)


@pytest.mark.parametrize(
    ("line", "separator", "wanted"),
    [
        ("a b", "blanks", Restriction(labels("a", "b"))),
        ("  a\tb  a \r", "blanks", Restriction(labels("a", "b"))),
        ('"a b" c', "blanks", Restriction(labels("a b", "c"))),
        ('"say ""hi""" c', "blanks", Restriction(labels('say "hi"', "c"))),
        ('5" pipe', "blanks", Restriction(labels('5"', "pipe"))),
        ("a,b", "blanks", Restriction(labels("a,b"))),
        ("a b @ 0.25", "blanks", Restriction(labels("a", "b"), Fraction(1, 4))),
        ("a b @ 10%", "blanks", Restriction(labels("a", "b"), Fraction(1, 10))),
        ("a @ 0", "blanks", Restriction(labels("a"), Fraction(0))),
        ("a@0.5", "blanks", Restriction(labels("a@0.5"))),
        ('a "@" b', "blanks", Restriction(labels("a", "@", "b"))),
        ('a "@ 0.5"', "blanks", Restriction(labels("a", "@ 0.5"))),
        ('"=>" a', "blanks", Restriction(labels("=>", "a"))),
        ("hours=>40 b", "blanks", Restriction(labels("hours=>40", "b"))),
        ("a b => c @ 0.6", "blanks", RuleBound(labels("a", "b"), labels("c"), Fraction(3, 5))),
        ('"=>" => "@" @ 1', "blanks", RuleBound(labels("=>"), labels("@"), Fraction(1))),
        ("a b", "commas", Restriction(labels("a b"))),
        ("a b , c", "commas", Restriction(labels("a b", "c"))),
        ('"a, b" , c', "commas", Restriction(labels("a, b", "c"))),
        ("a,,b,", "commas", Restriction(labels("a", "b"))),
        ("hours=>40,b=1 @ 0.5", "commas", Restriction(labels("hours=>40", "b=1"), Fraction(1, 2))),
        ('"a, b", c => "d => e" @ 50%', "commas", RuleBound(labels("a, b", "c"), labels("d => e"), Fraction(1, 2))),
        ('5" pipe, 6" pipe', "commas", Restriction(labels('5" pipe', '6" pipe'))),
    ],
)
def test_lines(line: str, separator: str, wanted):
    assert read_restrictions([line], separator=separator) == [wanted]


def test_a_quote_without_a_partner_is_refused():
    with pytest.raises(ParameterError, match=r"entry 1 of restrict has a double quote without a partner"):
        read_restrictions(['"a, b'], separator="commas")


def test_files_and_lists_mean_the_same(tmp_path: Path):
    (tmp_path / "private.txt").write_bytes(b"\xef\xbb\xbfa b\r\nc @ 0.5\r\n")
    from_file = read_restrictions(tmp_path / "private.txt", separator="blanks")
    assert from_file == read_restrictions([["b", "a"], Restriction(labels("c"), Fraction(1, 2))], separator="blanks")
    assert [entry.place for entry in from_file] == [f"line {number} of {tmp_path / 'private.txt'}" for number in (1, 2)]
    assert read_restrictions([[1, 2]], separator="blanks") == [Restriction(labels("1", "2"))]


def test_values_are_checked_when_they_are_made():
    with pytest.raises(ParameterError, match="entry 2 of restrict holds no item"):
        read_restrictions([["a"], []], separator="blanks")
    with pytest.raises(ParameterError, match="below 0"):
        RuleBound(labels("a"), labels("b"), Fraction(0))


def test_of_the_same_pattern_twice_the_stricter_threshold_holds():
    rows = Transactions.from_rows(["ab"] * 10)
    done = hide(rows, restrict=["a b @ 0.5", "b a @ 0.2", "a b @ 0.9"], method="iga")
    assert [(each.before, each.after, each.disclosure) for each in done.restrictive] == [(10, 2, Fraction(1, 5))]


@pytest.mark.parametrize("method", ["", "IGA"])
def test_an_unknown_method_is_refused(method):
    with pytest.raises(ParameterError, match="method must be naive, minfia, maxfia, iga, rowwise or best"):
        hide(Transactions.from_rows(["ab"]), restrict=["a"], method=method)


@pytest.mark.parametrize("disclosure", [-0.1, 1.1, "x", None, True, float("nan")])
def test_a_threshold_outside_0_to_1_is_refused(disclosure):
    with pytest.raises(ParameterError, match="disclosure must be a share between 0 and 1"):
        hide(Transactions.from_rows(["ab"]), restrict=["a"], method="iga", disclosure=disclosure)


def test_what_is_to_be_spared_must_be_itemsets():
    rows = Transactions.from_rows(["abc"])
    with pytest.raises(ParameterError, match="entry 1 of protect must be an itemset alone"):
        hide(rows, restrict=["a b"], method="iga", protect=["b @ 0.5"])
    with pytest.raises(ParameterError, match="entry 1 of protect cannot be spared"):
        hide(rows, restrict=["a b"], method="iga", protect=["a b c"])
    with pytest.raises(ParameterError, match="entry 1 of protect names the label 'x'"):
        hide(rows, restrict=["a b"], method="iga", protect=["x"])


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.sampled_from(["blanks", "commas"]))
def test_every_line_is_understood_or_refused_in_one_sentence(line: str, separator: str):
    try:
        (entry,) = read_restrictions([line], separator=separator)
    except ParameterError as error:
        assert "entry 1 of restrict" in str(error)  # noqa: PT017 - the line decides whether there is one
    else:
        assert entry.items if isinstance(entry, Restriction) else entry.antecedent and entry.consequent


visible = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)
itemsets = st.frozensets(st.lists(visible, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=4)


@given(itemsets, st.sampled_from(["blanks", "commas"]))
def test_quoted_labels_are_read_back(items: frozenset[str], separator: str):
    quoted = ['"' + label.replace('"', '""') + '"' for label in sorted(items)]
    line = (" " if separator == "blanks" else ",").join(quoted)
    assert read_restrictions([f"{line} @ 0.5"], separator=separator) == [Restriction(items, Fraction(1, 2))]
    (rule,) = read_restrictions([f'{line} => "another one, of course" @ 1'], separator=separator)
    assert (rule.antecedent, rule.consequent) == (items, {"another one, of course"})


def test_rules_alone_have_side_effects_too():
    rows = Transactions.from_rows(["ab", "ab", "a", "b"])
    effects = hide(rows, restrict=["a => b @ 0.5"], method="iga", min_support=2).side_effects
    assert (effects.restrictive_before, effects.patterns_before, effects.patterns_after) == (0, 3, 2)
    assert effects.misses_cost == Fraction(1, 3)


def test_no_rows_need_no_hiding():
    done = hide(Transactions.from_rows([]), restrict=["a b"], method="naive", ignore_unknown=True, min_support=1)
    assert (done.n, done.dissimilarity, done.side_effects.misses_cost) == (0, 0, 0)


@pytest.mark.parametrize("arrow", ["->", "-->", "==>", "→", "⇒"])
@pytest.mark.parametrize("separator", ["blanks", "commas"])
def test_an_arrow_of_another_kind_is_no_label(arrow: str, separator: str) -> None:
    with pytest.raises(ParameterError, match=f"entry 1 of restrict has {arrow}, .* write a rule as a b => c @ 0.6"):
        read_restrictions([f"a {arrow} b"], separator=separator)
    (quoted,) = read_restrictions([f'"{arrow}"'], separator=separator)
    assert quoted.labels == {arrow}
    (joined,) = read_restrictions([f"a{arrow}b"], separator=separator)
    assert joined.labels == {f"a{arrow}b"}

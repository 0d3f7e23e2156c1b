"""The number of rows, where a file does not say it, or where several fit."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet.errors import DataError, ParameterError
from discreet.patterns.reading import read_patterns, read_rules

if TYPE_CHECKING:
    from pathlib import Path

ROWS = st.lists(st.sets(st.sampled_from("abcd")), min_size=2, max_size=30)


def supports(rows: list[set[str]], least: int) -> dict[str, int]:
    """Return the frequent itemsets of some rows, as texts of their labels."""
    every = ("".join(items) for size in range(1, 5) for items in combinations("abcd", size))
    counts = {items: sum(set(items) <= row for row in rows) for items in every}
    return {items: count for items, count in counts.items() if count >= least}


def counts_file(path: Path, found: dict[str, int]) -> Path:
    """Write itemsets with counts, and nothing about n."""
    lines = (f'"{{{",".join(items)}}}",{count}' for items, count in found.items())
    path.write_text("\n".join(["itemset,count", *lines, ""]))
    return path


def shares_file(path: Path, found: dict[str, int], n: int) -> Path:
    """Write itemsets with shares, as mlxtend's frames are saved."""
    lines = (f'{count / n!r},"frozenset({set(items)!r})"' for items, count in found.items())
    path.write_text("\n".join(["support,itemsets", *lines, ""]))
    return path


def test_a_difference_of_counts_needs_no_n(tmp_path):
    found = discreet.audit(read_patterns(counts_file(tmp_path / "p.csv", {"a": 33, "b": 40, "ab": 30})), k=10)
    assert (found.verdict, found.n, found.proved) == ("not-safe", None, False)
    assert [(channel.base, channel.support) for channel in found.channels] == [({"a"}, 3)]


@pytest.mark.parametrize(("counts", "held"), [({"a": 33, "b": 40, "ab": 20}, 53), ({"a": 33}, 33)])
def test_a_verdict_that_depends_on_n_is_refused(tmp_path, counts: dict[str, int], held: int):
    path = counts_file(tmp_path / "p.csv", counts)
    with pytest.raises(ParameterError, match=r"no group of 1 to 9 rows follows from the counts alone.*give n"):
        discreet.audit(read_patterns(path), k=10)
    assert discreet.audit(read_patterns(path, n=held + 5), k=10).verdict == "not-safe"


@given(rows=ROWS, least=st.integers(1, 6), k=st.integers(2, 8))
def test_what_follows_without_n_follows_with_it(rows, least, k, tmp_path_factory):
    counts = supports(rows, least)
    if not counts:
        return
    path = counts_file(tmp_path_factory.mktemp("p") / "p.csv", counts)
    for border in (False, True):
        known = discreet.audit(read_patterns(path, n=len(rows)), k=k, border=border, all_channels=True)
        try:
            unknown = discreet.audit(read_patterns(path), k=k, border=border, all_channels=True)
        except ParameterError:
            continue
        channels = {(frozenset(each.base), frozenset(each.full)): each.support for each in known.channels}
        assert known.verdict == unknown.verdict == "not-safe"
        found = {(frozenset(each.base), frozenset(each.full)): each.support for each in unknown.channels}
        assert found == {pair: support for pair, support in channels.items() if pair[0]}


def test_one_zero_too_many_is_not_safe(tmp_path):
    """The supports of 9,835 rows are shares of 98,350 as well, in which every group is ten times as large."""
    path = shares_file(tmp_path / "low.csv", {"a": 2513, "b": 1903, "ab": 1893}, 9835)
    assert discreet.audit(read_patterns(path, n=9835), k=50).verdict == "not-safe"
    with pytest.raises(ParameterError, match=r"fit n = 9,835 as well: with 98,350 every count is a multiple of 10\."):
        discreet.audit(read_patterns(path, n=98350), k=50)
    assert discreet.audit(read_patterns(path, n=98350), k=200).verdict == "not-safe"


def test_rules_of_shares_are_judged_for_the_fewest_rows_too(tmp_path):
    path = tmp_path / "rules.csv"
    path.write_text(
        "antecedents,consequents,antecedent support,consequent support,support,confidence\n"
        f"frozenset({{'b'}}),frozenset({{'a'}}),{1903 / 9835!r},{2513 / 9835!r},{1893 / 9835!r},{1893 / 1903!r}\n"
    )
    assert discreet.audit(read_rules(path, n=9835), k=50).verdict == "not-safe"
    with pytest.raises(ParameterError, match="every count is a multiple of 10"):
        discreet.audit(read_rules(path, n=98350), k=50)


@given(rows=ROWS, factor=st.integers(2, 12), k=st.integers(2, 30))
def test_a_wrong_factor_never_makes_patterns_safe(rows, factor, k, tmp_path_factory):
    counts = supports(rows, 1)
    if not counts:
        return
    path = shares_file(tmp_path_factory.mktemp("p") / "p.csv", counts, len(rows))
    try:
        right = discreet.audit(read_patterns(path, n=len(rows)), k=k).safe
    except (DataError, ParameterError):
        right = False
    try:
        wrong = discreet.audit(read_patterns(path, n=len(rows) * factor), k=k).safe
    except (DataError, ParameterError):
        wrong = False
    assert right or not wrong


def test_shares_without_n_are_judged_if_every_number_of_rows_gives_the_same(tmp_path):
    path = shares_file(tmp_path / "p.csv", {"a": 2513, "b": 1903, "ab": 1893}, 9835)
    found = discreet.audit(read_patterns(path), k=5)
    assert (found.verdict, found.n) == ("safe", 9835)
    assert "shares of n = 9,835 or a multiple of it" in read_patterns(path).read.sentence()
    words = r"With 9,835, the least that fits, a group of fewer than 50 follows, with 49,175 none; give n"
    with pytest.raises(ParameterError, match=words):
        discreet.audit(read_patterns(path), k=50)
    assert discreet.audit(read_patterns(path, n=49175 - 9835), k=50).verdict == "not-safe"


@settings(max_examples=40)
@given(rows=ROWS, least=st.integers(1, 6), k=st.integers(2, 12))
def test_shares_without_n_get_the_verdict_of_every_number_that_fits(rows, least, k, tmp_path_factory):
    """The twin: all numbers of rows up to a bound are tried, and audited as counts."""
    counts, n = supports(rows, least), len(rows)
    if not counts:
        return
    path = shares_file(tmp_path_factory.mktemp("p") / "p.csv", counts, n)
    shares = [count / n for count in counts.values()]
    fitting = [
        each for each in range(1, 3 * k * n) if all(abs(share * each - round(share * each)) < 1e-9 for share in shares)
    ]

    def verdict(rows: int) -> str:
        at = {items: round(count * rows / n) for items, count in counts.items()}
        try:
            return discreet.audit(read_patterns(counts_file(path.with_name("c.csv"), at), n=rows), k=k).verdict
        except DataError:
            return "impossible"

    if all(len(repr(share)) < 17 for share in shares):  # few digits: nobody can tell whether they were rounded
        with pytest.raises(DataError, match="nothing says how many"):
            read_patterns(path)
        return
    given = read_patterns(path)
    assert given.n == fitting[0]
    assert all(each % given.n == 0 for each in fitting)
    verdicts = [verdict(each) for each in (fitting[0], fitting[1], fitting[k])]
    try:
        found = discreet.audit(given, k=k).verdict
    except ParameterError:
        found = "refused"
    except DataError:
        found = "impossible"
    if verdicts[0] == "not-safe":
        assert found == "refused"
    else:
        assert found == verdicts[0]
        assert found == "impossible" or len(set(verdicts)) == 1


def test_counts_of_shares_without_n_are_not_known(tmp_path):
    given = read_patterns(shares_file(tmp_path / "p.csv", {"a": 2513, "b": 1903, "ab": 1893}, 9835))
    for use in (
        given.to_patternset,
        lambda: discreet.query(given, "a"),
        lambda: discreet.tradeoff(given, k=2, min_support=9),
    ):
        with pytest.raises(
            DataError, match=r"nothing says how many there are; give n \(9,835 is the least that fits\)"
        ):
            use()
    with pytest.raises(ParameterError, match="min_support as a number of rows needs n"):
        read_patterns(tmp_path / "p.csv", min_support=100)
    assert read_patterns(tmp_path / "p.csv", min_support="19%").min_support == 1869


@settings(max_examples=40)
@given(rows=st.integers(1, 400), counts=st.sets(st.integers(1, 400), min_size=1, max_size=6), digits=st.integers(1, 4))
def test_rounded_shares_name_the_fewest_rows_that_fit(rows, counts, digits, tmp_path_factory):
    """The twin tries all numbers of rows: each share must be that of a whole number of rows, up to its last digit."""
    printed = sorted({text for count in counts if 0 < float(text := f"{min(count, rows) / rows:.{digits}f}") <= 1})
    if not printed or all(float(text) == 1 for text in printed):
        return
    path = tmp_path_factory.mktemp("p") / "p.csv"
    path.write_text("support,itemsets\n" + "".join(f"{text},frozenset({{'{text}'}})\n" for text in printed))
    half = Fraction(1, 2 * 10**digits)

    def fits(n: int, text: str) -> bool:
        near = round(Fraction(text) * n)
        return any(one > 0 and abs(Fraction(one, n) - Fraction(text)) <= half for one in (near - 1, near, near + 1))

    least = next(n for n in range(1, rows + 1) if all(fits(n, text) for text in printed))
    with pytest.raises(DataError, match=rf"give n \({least} is the least that fits\)"):
        read_patterns(path)


def test_floats_of_few_digits_may_have_been_rounded():
    frame = pd.DataFrame({"support": [0.256, 0.194, 0.192], "itemsets": [{"a"}, {"b"}, {"a", "b"}]})
    with pytest.raises(DataError, match=r"give n \([0-9]+ is the least that fits\)"):
        discreet.audit(frame, k=5)

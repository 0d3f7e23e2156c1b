"""The number of rows, where a file does not say it, or where several fit."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
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


@pytest.mark.parametrize(("n", "least"), [(9835, "9,835"), (8124, "8,124"), (5, None)])
def test_shares_without_n_name_the_fewest_rows_that_fit(tmp_path, n: int, least: str | None):
    path = shares_file(tmp_path / "p.csv", {"a": 4 * n // 5 + 1 if n > 5 else 4, "b": n // 3, "ab": n // 4}, n)
    words = "give n$" if least is None else rf"give n \({least} is the least that fits\)"
    with pytest.raises(DataError, match=words):
        read_patterns(path)

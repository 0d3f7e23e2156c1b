"""Association rules: the slow twin, the peer, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlxtend.frequent_patterns import association_rules, fpgrowth

from discreet.errors import DataError, ParameterError, TooManyPatterns
from discreet.patterns.expansion import expand_closed
from discreet.patterns.patternset import PatternSet
from discreet.patterns.rules import rules
from tests.patterns.pattern_strategies import all_itemsets
from tests.slow_twin import mined

FEW_ROWS = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=10)
SHARES = st.sampled_from(["0", "1", "50%", "66.6666666666666666%", "75%", Fraction(2, 3), Fraction(3, 7), 0.1, 0.6])


def slow_rules(
    supports: dict[frozenset[str], int], least: Fraction
) -> dict[tuple[frozenset[str], frozenset[str]], Fraction]:
    """Try every antecedent of every itemset."""
    found = {}
    for whole, support in supports.items():
        for length in range(1, len(whole)):
            for chosen in combinations(sorted(whole), length):
                antecedent = frozenset(chosen)
                confidence = Fraction(support, supports[antecedent])
                if confidence >= least:
                    found[antecedent, whole - antecedent] = confidence
    return found


def fast_rules(patterns: PatternSet, least) -> dict[tuple[frozenset[str], frozenset[str]], Fraction]:
    return {(rule.antecedent, rule.consequent): rule.confidence for rule in rules(patterns, min_confidence=least)}


@given(FEW_ROWS, st.integers(1, 4), SHARES)
def test_exactly_the_rules_of_the_definition(rows, min_support, least):
    found = all_itemsets(rows, min_support)
    result = rules(found, min_confidence=least)
    assert fast_rules(found, least) == slow_rules(dict(found), result.min_confidence)
    supports = dict(found)
    for rule in result:
        assert rule.support == supports[rule.antecedent | rule.consequent]
        assert rule.antecedent_support == supports[rule.antecedent]
        assert rule.consequent_support == supports[rule.consequent]
        assert rule.lift == rule.confidence / Fraction(supports[rule.consequent], len(rows))


@given(FEW_ROWS, st.integers(1, 4), SHARES)
def test_closed_itemsets_give_the_rules_of_all(rows, min_support, least):
    closed = PatternSet.from_itemsets(
        mined(rows, min_support, "closed").items(), n=len(rows), min_support=min_support, target="closed"
    )
    every = all_itemsets(rows, min_support)
    assert expand_closed(closed) == every
    assert rules(closed, min_confidence=least).to_dict() == rules(every, min_confidence=least).to_dict()


@given(FEW_ROWS, st.integers(1, 3), st.integers(1, 3))
def test_a_cap_leaves_the_rules_within_it(rows, min_support, cap):
    short = {itemset: support for itemset, support in mined(rows, min_support, "all").items() if len(itemset) <= cap}
    found = PatternSet.from_itemsets(short.items(), n=len(rows), min_support=min_support, max_length=cap)
    assert fast_rules(found, "50%") == slow_rules(short, Fraction(1, 2))


@given(FEW_ROWS)
def test_rules_come_in_order(rows):
    found = rules(all_itemsets(rows, 1), min_confidence="30%")
    order = [
        (len(rule.antecedent), sorted(rule.antecedent), len(rule.consequent), sorted(rule.consequent)) for rule in found
    ]
    assert order == sorted(order)


def test_work_split_in_pieces_gives_the_same(monkeypatch):
    rows = [list("abcdef")] * 3 + [list("abcd")] * 2 + [list("bdf")]
    whole = rules(all_itemsets(rows, 1), min_confidence="60%")
    monkeypatch.setattr("discreet.patterns.rules._MOST_CANDIDATES", 3)
    assert rules(all_itemsets(rows, 1), min_confidence="60%") == whole
    assert len(whole) > 100


def test_a_threshold_on_the_very_border():
    """7 of 10 is 0.7; in floats, 0.7 * 10 > 7 and the rule would be lost in some formulations."""
    found = PatternSet.from_itemsets([("a", 10), ("b", 7), ("ab", 7)], n=10, min_support=7)
    assert len(rules(found, min_confidence=0.7)) == 2
    assert len(rules(found, min_confidence=Fraction(7, 10) + Fraction(1, 10**30))) == 1


def test_supports_near_the_end_of_the_numbers():
    found = PatternSet.from_itemsets([("a", 2**62), ("b", 2**62 - 1), ("ab", 2**62 - 1)], n=2**62, min_support=1)
    assert len(rules(found, min_confidence=1)) == 1
    assert len(rules(found, min_confidence=Fraction(2**62 - 1, 2**62))) == 2


def _mlxtend_frames(seed: int) -> tuple[pd.DataFrame, PatternSet]:
    random = np.random.default_rng(seed)
    onehot = pd.DataFrame(random.random((60, 6)) < random.uniform(0.3, 0.9, 6), columns=list("abcdef"))
    rows = [[column for column in onehot if row[column]] for _, row in onehot.iterrows()]
    return onehot, all_itemsets(rows, 6)


@pytest.mark.parametrize("seed", range(3))
def test_the_table_is_mlxtend_s(seed):
    onehot, found = _mlxtend_frames(seed)
    peer = association_rules(
        fpgrowth(onehot, min_support=0.1, use_colnames=True), num_itemsets=60, metric="confidence", min_threshold=0.5
    )
    ours = rules(found, min_confidence="50%").to_pandas()
    assert list(ours.columns[: len(peer.columns)]) == list(peer.columns)
    assert list(ours.columns[len(peer.columns) :]) == ["count", "antecedent count", "consequent count"]
    pd.testing.assert_frame_equal(_by_sides(ours)[peer.columns[2:]], _by_sides(peer)[peer.columns[2:]], rtol=1e-9)


def _by_sides(frame: pd.DataFrame) -> pd.DataFrame:
    sides = [f"{sorted(row.antecedents)} {sorted(row.consequents)}" for row in frame.itertuples()]
    return frame.set_index(pd.Index(sides)).sort_index()


def test_every_form_tells_the_same():
    found = rules(all_itemsets([["a", "b"], ["a", "b"], ["a"]], 1), min_confidence=0)
    assert len(found) == 2
    table = found.to_arrow()
    assert table.schema.names == list(found.to_pandas().columns)
    assert table.column("antecedents").to_pylist() == [["a"], ["b"]]
    assert table.column("count").to_pylist() == [2, 2]
    assert found.to_polars()["confidence"].to_list() == [2 / 3, 1.0]
    assert found.to_dict() == {
        "n": 3,
        "min_support": 1,
        "min_confidence": "0",
        "count": 2,
        "rules": [
            {
                "antecedent": ["a"],
                "consequent": ["b"],
                "support": 2,
                "antecedent_support": 3,
                "consequent_support": 2,
                "confidence": 2 / 3,
            },
            {
                "antecedent": ["b"],
                "consequent": ["a"],
                "support": 2,
                "antecedent_support": 2,
                "consequent_support": 3,
                "confidence": 1.0,
            },
        ],
    }
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
    assert repr(found) == "<RuleSet: 2 rules, n 3, min_confidence 0>"
    assert found._repr_html_().count("<tr>") == 3
    assert found == rules(all_itemsets([["a", "b"], ["a", "b"], ["a"]], 1), min_confidence=0)
    assert found != rules(all_itemsets([["a", "b"], ["a", "b"], ["a"]], 1), min_confidence=1)
    with pytest.raises(ValueError, match="read-only"):
        found.supports[0] = 5


def test_nothing_gives_no_rules():
    assert len(rules(PatternSet.from_itemsets([], n=0, min_support=1), min_confidence=0.5)) == 0
    assert len(rules(PatternSet.from_itemsets([], n=0, min_support=1, target="closed"), min_confidence=0.5)) == 0


@pytest.mark.parametrize(("target", "cap"), [("maximal", None), ("maximal", 2), ("closed", 2)])
def test_itemsets_that_do_not_tell_all_supports_are_refused(target, cap):
    found = PatternSet.from_itemsets([("ab", 2)], n=3, min_support=1, target=target, max_length=cap)
    with pytest.raises(ParameterError, match='mine with target "all"'):
        rules(found, min_confidence=0.5)


def test_itemsets_that_are_not_all_are_refused():
    for pairs in (
        [("ab", 2)],
        [("a", 2), ("ab", 2)],
        [("b", 2), ("ab", 2)],
        [("a", 1), ("b", 1), ("c", 1), ("abc", 1)],
    ):
        with pytest.raises(DataError, match="not all frequent itemsets"):
            rules(PatternSet.from_itemsets(pairs, n=3, min_support=1), min_confidence=0.5)


def test_too_many_rules_and_too_many_itemsets_are_refused():
    every = all_itemsets([list("abcdefgh")], 1)
    with pytest.raises(TooManyPatterns, match="more than 1,000 rules"):
        rules(every, min_confidence=0, max_rules=1000)
    closed = PatternSet.from_itemsets([("abcdefgh", 1)], n=1, min_support=1, target="closed")
    assert expand_closed(closed) == every
    with pytest.raises(TooManyPatterns, match="stand for more than 200 itemsets"):
        expand_closed(closed, max_patterns=200)
    with pytest.raises(ParameterError, match="complete collection of closed"):
        expand_closed(every)

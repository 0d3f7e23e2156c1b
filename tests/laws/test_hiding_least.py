"""The methods of hiding that look at side effects: what they promise, against every way of hiding on tiny data."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import chain, combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet import Transactions, hide, mine, query, read
from discreet.errors import ParameterError
from discreet.hiding import optimum
from discreet.hiding.restrictions import Restriction, RuleBound
from discreet.hiding.side_effects import Baseline
from discreet.itemsets import Itemsets
from tests import hiding_twin as twin
from tests.laws.test_hiding import check_laws, frequent_patterns, random_job
from tests.slow_twin import frequent
from tests.strategies import parts, seeds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from discreet.patterns.patternset import PatternSet

FOUR = ["naive", "minfia", "maxfia", "iga"]
LEAST = ["rowwise", "best"]
SOME = parts(100, 2)


@pytest.mark.parametrize("method", LEAST)
@pytest.mark.parametrize("some", SOME)
def test_the_laws_of_hiding(method: str, some: range):
    for seed in some:
        rows, patterns, shares = random_job(seed)
        before = Transactions.from_rows(rows)
        asked = [Restriction(*each) for each in zip(patterns, shares, strict=True)]
        done = hide(before, restrict=asked, method=method, min_support=1 + seed % 5, ignore_unknown=True)
        check_laws(before, done, patterns, shares)
        named = frozenset().union(*patterns)
        for row, item in zip(done.removed_from.tolist(), done.removed.tolist(), strict=True):
            label = before.vocabulary[item]
            assert label in named
            assert any(label in pattern and pattern <= set(rows[row]) for pattern in patterns), f"seed {seed}"


@pytest.mark.parametrize("some", SOME)
def test_best_loses_at_most_what_each_method_loses(some: range):
    for seed in some:
        rows, patterns, shares = random_job(seed)
        before, sigma = Transactions.from_rows(rows), 1 + seed % 5
        asked = [Restriction(*each) for each in zip(patterns, shares, strict=True)]
        best = hide(before, restrict=asked, min_support=sigma, ignore_unknown=True)
        tried = {each.method: each for each in best.candidates}
        for method in [*FOUR, "rowwise"]:
            one = hide(before, restrict=asked, method=method, min_support=sigma, ignore_unknown=True)
            assert (tried[method].misses_cost, tried[method].lost) == (
                one.side_effects.misses_cost,
                len(one.side_effects.lost),
            )
            assert tried[method].removed_items == one.removed_items
            assert (best.side_effects.misses_cost, best.removed_items) <= (
                one.side_effects.misses_cost,
                one.removed_items,
            )
        assert best.side_effects.misses_cost == tried[best.method].misses_cost


def removals(row: set[str], patterns: list[frozenset[str]]) -> Iterator[frozenset[str]]:
    """Yield every set of items whose removal breaks all patterns of a row."""
    inside = [pattern for pattern in patterns if pattern <= row]
    named = sorted(frozenset().union(*inside)) if inside else []
    for chosen in chain.from_iterable(combinations(named, size) for size in range(len(named) + 1)):
        if all(pattern & set(chosen) for pattern in inside):
            yield frozenset(chosen)


def least_lost(rows: list[set[str]], patterns: list[frozenset[str]], sigma: int) -> int:
    """Return the fewest legitimate itemsets that are lost, over every way to break all patterns."""
    legitimate = [x for x in frequent(rows, sigma) if not any(pattern <= x for pattern in patterns)]
    return min(
        sum(len(twin.holders(after, itemset)) < sigma for itemset in legitimate)
        for after in ([row - gone for row, gone in zip(rows, way, strict=True)] for way in ways(rows, patterns))
    )


def ways(rows: list[set[str]], patterns: list[frozenset[str]]) -> Iterator[tuple[frozenset[str], ...]]:
    """Yield what to remove from each row, for every way."""
    return product(*([*removals(row, patterns)] for row in rows))


def tiny_job(seed: int) -> tuple[list[set[str]], list[frozenset[str]], int]:
    draw = random.Random(seed)
    rows = [{x for x in "abcd" if draw.random() < 0.7} for _ in range(draw.randint(3, 6))]
    patterns = list({frozenset(draw.sample("abcd", 2)) for _ in range(draw.randint(1, 2))})
    return rows, patterns, draw.randint(1, 3)


def test_the_search_is_near_the_optimum_on_tiny_data():
    extra = 0
    for seed in range(60):
        rows, patterns, sigma = tiny_job(seed)
        if sum(1 for _ in ways(rows, patterns)) > 3000:
            continue
        done = hide(
            Transactions.from_rows(rows), restrict=patterns, method="rowwise", min_support=sigma, ignore_unknown=True
        )
        least = least_lost(rows, patterns, sigma)
        assert len(done.side_effects.lost) >= least
        extra += len(done.side_effects.lost) - least
    assert extra <= 6  # nearly always the optimum itself


def test_the_integer_program_finds_the_optimum_and_proves_it():
    proved = 0
    for seed in range(100, 160):
        rows, patterns, sigma = tiny_job(seed)
        if sum(1 for _ in ways(rows, patterns)) > 3000:
            continue
        done = hide(Transactions.from_rows(rows), restrict=patterns, min_support=sigma, ignore_unknown=True)
        least = least_lost(rows, patterns, sigma)
        assert (len(done.side_effects.lost), done.at_least) == (least, least), f"seed {seed}"
        proved += least > 0
    assert proved > 5


def to_leave(rows, patterns):
    """Yield, for every way to let one row at most keep a pattern, the patterns that must leave each row."""
    kept_by = [[pattern for pattern in patterns if pattern <= row] for row in rows]
    for keeping in product(*([*chain.from_iterable(combinations(p, k) for k in range(len(p) + 1))] for p in kept_by)):
        if all(sum(pattern in kept for kept in keeping) <= 1 for pattern in patterns):
            yield [[p for p in patterns if p not in kept] for kept in keeping]


def test_the_optimum_if_some_rows_may_keep_a_pattern():
    for seed in range(200, 230):
        rows, patterns, sigma = tiny_job(seed)
        done = hide(Transactions.from_rows(rows), restrict=patterns, below=2, min_support=sigma, ignore_unknown=True)
        legitimate = [x for x in frequent(rows, sigma) if not any(pattern <= x for pattern in patterns)]
        least = len(legitimate)
        for must in to_leave(rows, patterns):
            for way in product(*([*removals(row, each)] for row, each in zip(rows, must, strict=True))):
                after = [row - gone for row, gone in zip(rows, way, strict=True)]
                least = min(least, sum(len(twin.holders(after, x)) < sigma for x in legitimate))
        assert (len(done.side_effects.lost), done.at_least) == (least, least), f"seed {seed}"


@pytest.mark.parametrize("some", SOME)
def test_rules_stay_below_their_bounds(some: range):
    for seed in some:
        rows, patterns, _ = random_job(seed)
        draw = random.Random(seed)
        labels = sorted({label for row in rows for label in row})
        if len(labels) < 2:
            continue
        one, other = draw.sample(labels, 2)
        rule = RuleBound(frozenset([one]), frozenset([other]), Fraction(draw.randint(1, 9), 10))
        asked = [*(Restriction(pattern) for pattern in patterns), rule]
        done = hide(Transactions.from_rows(rows), restrict=asked, min_support=draw.randint(1, 4), ignore_unknown=True)
        assert twin.confidence(list(done.rows), rule.antecedent, rule.consequent) < rule.below
        assert not any(pattern <= row for pattern in patterns for row in done.rows)


@pytest.mark.parametrize(
    ("name", "share", "count"), [("mushroom", "40%", 5), ("retail", "0.2%", 10), ("T10I4D100K", "0.2%", 10)]
)
def test_public_data(data_folder: Path, name: str, share: str, count: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(optimum, "_LEAST_ROUNDS", 2)
    monkeypatch.setattr(optimum, "_MOST_ROUNDS", 2)
    rows = read(data_folder / f"{name}.dat.gz")
    patterns = frequent_patterns(rows, share, count, seed=5)
    done = hide(rows, restrict=patterns, min_support=share)
    check_laws(rows, done, patterns, [Fraction(0)] * count)
    tried = {each.method: each.misses_cost for each in done.candidates}
    assert done.side_effects.hiding_failure == done.side_effects.artifactual_patterns == 0
    assert done.side_effects.misses_cost <= min(tried.values())
    if name == "retail":
        assert done.side_effects.misses_cost < tried["iga"] / 2
        again = hide(rows, restrict=patterns, min_support=share)
        assert (again.to_dict(), again.rows) == (done.to_dict(), done.rows)
    if done.at_least is not None:
        assert done.at_least <= len(done.side_effects.lost)


def test_rows_that_may_keep_a_pattern_are_those_where_it_would_cost_most():
    rows = Transactions.from_rows(["abx", "abx", "ab", "ab", "ax", "bx", "a", "b"])
    done = hide(rows, restrict=["a b"], method="rowwise", disclosure=0.5, min_support=3)
    assert [{"a", "b"} <= row for row in done.rows] == [True, True, False, False, False, False, False, False]
    assert done.side_effects.misses_cost == 0


def test_of_equally_good_victims_the_protected_one_stays():
    rows = Transactions.from_rows(["abx", "abx", "ax", "bx"])
    for spared, gone in (("a x", "b"), ("b x", "a")):
        done = hide(rows, restrict=["a b"], method="rowwise", min_support=4, protect=[spared])
        assert {rows.vocabulary[item] for item in done.removed.tolist()} == {gone}
        assert query(done.rows, spared.replace(" ", " AND ")).count == 3


def test_many_patterns_in_one_row_are_broken_too():
    """A row with more restrictive items than are weighed one by one loses what IGA takes."""
    labels = [f"i{number:03}" for number in range(140)]
    rows = Transactions.from_rows([labels, labels[:70], labels[:3]] * 2)
    patterns = [frozenset(labels[at : at + 2]) for at in range(0, 140, 2)]
    done = hide(rows, restrict=patterns, method="rowwise", min_support=5)
    assert not any(pattern <= row for pattern in patterns for row in done.rows)
    assert len(np.unique(done.removed_from)) == done.changed_rows == 6


def test_a_support_is_needed():
    rows = Transactions.from_rows(["ab", "a"])
    for method in LEAST:
        with pytest.raises(
            ParameterError, match=f"method='{method}' spares the itemsets of a support; give min_support"
        ):
            hide(rows, restrict=["a b"], method=method)
    with pytest.raises(ParameterError, match="method is missing; name one of naive, minfia, maxfia, iga, or give"):
        hide(rows, restrict=["a b"])


def test_more_itemsets_than_can_be_listed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        "discreet.hiding.side_effects.Baseline.of_rows.__func__.__kwdefaults__", {"most_listed": 3, "rest": None}
    )
    rows, patterns, shares = random_job(3)
    before = Transactions.from_rows(rows)
    asked = [Restriction(*each) for each in zip(patterns, shares, strict=True)]
    check_laws(before, hide(before, restrict=asked, min_support=2, ignore_unknown=True), patterns, shares)


def least_of_all(rows: list[set[str]], patterns: list[frozenset[str]], sigma: int, allowed: int) -> int:
    """Return the fewest itemsets that are lost, whatever part of each row stays."""
    legitimate = [x for x in frequent(rows, sigma) if not any(pattern <= x for pattern in patterns)]
    stays = [[set(row) - set(gone) for size in range(len(row) + 1) for gone in combinations(row, size)] for row in rows]
    return min(
        sum(len(twin.holders(after, itemset)) < sigma for itemset in legitimate)
        for after in product(*stays)
        if all(len(twin.holders(after, pattern)) <= allowed for pattern in patterns)
    )


def test_the_bound_is_the_least_loss_whatever_part_of_each_row_stays():
    """Nothing is taken for granted about which items hiding removes."""
    compared = costly = 0
    for seed in range(60):
        draw = random.Random(f"bound {seed}")
        labels = "abcd"[: draw.randint(3, 4)]
        rows = [{x for x in labels if draw.random() < 0.65} for _ in range(draw.randint(3, 4))]
        patterns = list({frozenset(draw.sample(labels, draw.randint(1, 3))) for _ in range(draw.randint(1, 3))})
        sigma, below = draw.randint(1, 3), draw.choice([1, 1, 2])
        if sum(map(len, rows)) > 10:
            continue
        given = Transactions.from_rows(rows)
        done = hide(given, restrict=patterns, min_support=sigma, below=below, ignore_unknown=True)
        least = least_of_all(rows, patterns, sigma, below - 1)
        assert (len(done.side_effects.lost), done.at_least) == (least, least), f"seed {seed}"
        compared += 1
        costly += least > 0
    assert compared > 30
    assert costly > 5


@pytest.mark.parametrize("seed", seeds(10))
def test_rows_elsewhere_are_counted_as_rows_here_are_mined(seed: int):
    """Where only the changed rows are at hand, counting in these gives what mining all rows gives."""
    rows, patterns, shares = random_job(seed)
    before = Transactions.from_rows(rows)
    asked = [Restriction(*each) for each in zip(patterns, shares, strict=True)]
    done = hide(before, restrict=asked, method="iga", min_support=2, ignore_unknown=True)
    place = before.vocabulary.positions
    known = Itemsets.of(sorted(place[label] for label in each) for each in patterns if each <= place.keys())
    here = Baseline.of_rows(before, known, min_support=2)
    elsewhere = Baseline.of(Elsewhere(before), known, 2)
    assert elsewhere.lost_between(before, done.rows, done.removed_from) == here.lost_between(
        before, done.rows, done.removed_from
    )


class Elsewhere:
    """Rows that can be mined, but not looked at."""

    def __init__(self, rows: Transactions) -> None:
        self._rows = rows

    def mine(self, *, target: str, max_patterns: int = 10**6) -> PatternSet:
        return mine(self._rows, min_support=2, target=target, max_patterns=max_patterns)

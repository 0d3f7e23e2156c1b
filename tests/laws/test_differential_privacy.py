"""Laws of noisy itemsets: what readers may rely on, whatever the noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import discreet
from discreet.differential_privacy import counting
from discreet.differential_privacy.basis_sets import MOST_ITEMS, find_bases
from discreet.differential_privacy.consistency import consistent, estimates
from discreet.differential_privacy.counting import LocalCounts
from discreet.errors import ParameterError
from discreet.itemsets import Itemsets


def random_rows(seed: int, items: int = 8, rows: int = 60) -> list[list[str]]:
    draw = np.random.default_rng(seed)
    held = draw.random((rows, items)) < draw.random(items)
    return [[chr(97 + item) for item in np.flatnonzero(row)] for row in held]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("epsilon", ["0.1", "2"])
def test_supports_agree_with_each_other(seed: int, epsilon: str) -> None:
    rows = discreet.Transactions.from_rows(random_rows(seed, items=16))
    universe = [chr(97 + item) for item in range(17)]
    found = discreet.dp_patterns(rows, epsilon=epsilon, min_support=3, universe=universe)
    supports = dict(iter(found.patterns))
    assert all(3 <= support <= found.patterns.n for support in supports.values())
    for itemset, support in supports.items():
        for fewer in combinations(sorted(itemset), len(itemset) - 1):
            assert not fewer or supports[frozenset(fewer)] >= support
    assert sum(step.epsilon for step in found.steps) <= found.budget.epsilon
    assert sum(Fraction(step.accounted) for step in found.steps) <= found.budget.epsilon


@pytest.mark.parametrize("seed", range(6))
def test_without_noise_the_bins_give_the_supports(seed: int) -> None:
    rows = random_rows(seed)
    counts = LocalCounts.of(discreet.Transactions.from_rows(rows)).within("abcdefgh")
    bases = [(0, 1, 2, 3), (2, 3, 4, 5), (6, 7), (1, 7)]
    itemsets, supports = estimates(bases, counts.bins(bases))
    for itemset, support in zip(itemsets.labels("abcdefgh"), supports.tolist(), strict=True):
        assert support == sum(set(itemset) <= set(row) for row in rows)
    assert np.array_equal(consistent(itemsets, supports, len(rows)), supports)


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_the_rows(seed: int) -> None:
    rows = random_rows(seed)
    held = discreet.Transactions.from_rows([*rows, *rows[:20]])
    both = [*rows, *rows[:20]]
    for given in (held, held.fold()):
        counts = LocalCounts.of(given).within("hgfedcbaz")
        assert counts.n == len(both)
        assert counts.items().tolist() == [sum(label in row for row in both) for label in "hgfedcbaz"]
        pairs = [sum(one in row and other in row for row in both) for one, other in combinations("hgfedcbaz", 2)]
        assert counts.pairs().tolist() == pairs
        every = sorted((support for _, support in discreet.mine(held, min_support=1, target="all")), reverse=True)
        assert [counts.kth(k) for k in (1, 5, 20, 60)] == [
            every[k - 1] if k <= len(every) else 0 for k in (1, 5, 20, 60)
        ]
        assert counts.kth(10**4) == 0


def test_equal_hashes_do_not_let_another_row_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items were ordered by number where all labels are numbers, so that one row with a word turned the order round."""
    monkeypatch.setattr(counting, "_hash", lambda _: 7)
    rows = [["2", "10"]] * 5
    kept, with_word = (
        LocalCounts.of(discreet.Transactions.from_rows(given)).truncated(1) for given in (rows, [*rows, ["word"]])
    )
    assert kept == {"10": 5}  # by text, as Spark has it
    assert with_word == kept | {"word": 1}


@pytest.mark.parametrize("most", [1, 3, 50])
def test_what_a_row_keeps_follows_from_the_row_alone(most: int) -> None:
    """One row more changes at most `most` counts, each by 1, whatever the others are."""
    rows = random_rows(3, items=14)
    for number in range(0, len(rows), 7):
        without = LocalCounts.of(discreet.Transactions.from_rows(rows[:number] + rows[number + 1 :])).truncated(most)
        every = LocalCounts.of(discreet.Transactions.from_rows(rows)).truncated(most)
        changed = {label: every.get(label, 0) - without.get(label, 0) for label in {*every, *without}}
        assert {*changed.values()} <= {0, 1}
        assert sum(changed.values()) == min(most, len(rows[number]))
    alone = LocalCounts.of(discreet.Transactions.from_rows([rows[1], ["0", "zz"]])).truncated(most)
    first = LocalCounts.of(discreet.Transactions.from_rows([rows[1]])).truncated(most)
    assert first.items() <= alone.items()


@pytest.mark.parametrize("seed", range(4))
def test_one_row_changes_the_scores_of_a_depth_by_one_at_most(seed: int) -> None:
    from discreet.differential_privacy.private_itemsets import _rank, _scores

    rows = random_rows(seed, items=10)
    labels = "abcdefghij"
    for number in range(0, len(rows), 9):
        near = [discreet.Transactions.from_rows(some) for some in (rows, rows[:number] + rows[number + 1 :])]
        counts = [LocalCounts.of(some).within(labels) for some in near]
        for most in (4, 10, 99):
            fixed = [_scores(some.items(), 20, most) for some in counts]
            ranked = [_scores(some.items(), _rank(some, 7), most) for some in counts]
            assert len(fixed[0]) == min(most, 10) + 1
            assert np.abs(fixed[0] - fixed[1]).max() <= 1
            assert np.abs(ranked[0] - ranked[1]).max() <= 1


def test_only_the_right_depth_has_a_good_score() -> None:
    from discreet.differential_privacy.private_itemsets import _scores

    assert _scores(np.array([9, 50, 3, 90]), 20, 99).tolist() == [-70, -30, 11, -11, -17]
    assert _scores(np.array([9, 50, 3, 90]), 20, 2).tolist() == [-70, -30, 11]
    assert _scores(np.zeros(0, np.int64), 20, 2).tolist() == [2**40]


@pytest.mark.parametrize("seed", range(9))
def test_bases_cover_all_items_and_pairs(seed: int) -> None:
    draw = np.random.default_rng(seed)
    many = seed == 8  # more bases than are compared two by two: this took minutes
    items = 80 if many else int(draw.integers(1, 40))
    pairs = [pair for pair in combinations(range(items), 2) if draw.random() < (0.05 if many else (0.1, 0.9)[seed % 2])]
    bases = find_bases(items, pairs)
    assert {item for basis in bases for item in basis} == {*range(items)}
    assert all(any({*pair} <= {*basis} for basis in bases) for pair in pairs)
    assert all(len(basis) <= MOST_ITEMS for basis in bases)
    assert not any({*one} < {*other} for one in bases for other in bases)


def test_what_disagrees_is_made_to_agree() -> None:
    itemsets = Itemsets.of([[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]])
    made = consistent(itemsets, np.array([50, 40, -7, 60, 3, 2, 1]), 52)
    assert made.tolist() == [52, 50, 0, 50, 0, 0, 0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "min_support is missing"),
        ({"min_support": 3}, "universe is missing"),
        ({"min_support": 3, "universe": ["a"], "delta": "1e-6"}, "delta is for items that are found"),
        ({"min_support": 3, "universe": ["a"], "max_items": 3}, "max_items is for items that are found"),
        ({"min_support": 3, "delta": "1e-6", "max_items": 0}, "max_items must be"),
        ({"top": 0, "universe": ["a"]}, "top must be"),
        ({"top": 10**6, "universe": ["a"]}, "top must be at most"),
        ({"min_support": "0", "universe": ["a"]}, "min_support must be"),
        ({"min_support": 3, "universe": []}, "universe must name"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(options: dict[str, object], said: str) -> None:
    rows = discreet.Transactions.from_rows([["a"]])
    with pytest.raises(ParameterError, match=said):
        discreet.dp_patterns(rows, epsilon=1, **options)  # type: ignore[arg-type]


def test_items_are_found_in_the_rows_if_they_are_frequent() -> None:
    rows = discreet.Transactions.from_rows([["tea", "milk"]] * 3000 + [["gin", f"only {n}"] for n in range(40)])
    found = discreet.dp_patterns(rows, epsilon=2, delta="1e-6", min_support=2000, max_items=2)
    assert {*dict(iter(found.patterns))} == {frozenset(["tea"]), frozenset(["milk"]), frozenset(["tea", "milk"])}
    assert [step.name for step in found.steps] == ["n", "universe", "depth", "items", "bins"]


def test_the_most_frequent_ones() -> None:
    rows = discreet.Transactions.from_rows([["a", "b"]] * 6000 + [["c"]] * 3000)
    found = discreet.dp_patterns(
        rows, epsilon=2, top=4, universe="abcdefg,x".replace("abcdefg", "a,b,c,d"), public_n=True
    )
    assert {*dict(iter(found.patterns))} == {frozenset(itemset) for itemset in ("a", "b", "c", "ab")}
    assert found.patterns.n == 9000
    assert found.patterns.min_support == min(found.patterns.supports)
    assert [step.name for step in found.steps] == ["depth", "items", "bins"]


def test_no_rows_and_no_frequent_items() -> None:
    for rows in ([], [["a"]] * 3):
        found = discreet.dp_patterns(
            discreet.Transactions.from_rows(rows), epsilon=1, min_support=10**6, universe=["a", "b"]
        )
        assert len(found.patterns) == 0

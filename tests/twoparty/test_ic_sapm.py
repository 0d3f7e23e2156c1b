"""IC-SAPM on random splits of random data: exactly what the definition allows to release, and nothing else."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from discreet.errors import TooManyPatterns
from discreet.transactions.transactions import Transactions
from discreet.twoparty import frequent_itemsets
from tests import twoparty_twin
from tests.twoparty_pair import columns_of, found, mine_together, random_rows, sessions, talk, withheld


def random_split(seed: int, *, most_rows: int = 40):
    """Draw rows, which columns are the first party's, and thresholds below and above each other."""
    chance = random.Random(seed)
    rows = random_rows(seed, most_rows=most_rows)
    first = [x for x in "abcdefgh" if chance.random() < 0.5]
    halves = columns_of(rows, first), columns_of(rows, set("abcdefgh") - set(first))
    return rows, halves, chance.randint(1, max(1, len(rows) // 2)), chance.randint(2, 6)


@pytest.mark.parametrize("seed", range(100))
def test_random_splits_agree_with_the_definition(seed: int) -> None:
    rows, halves, min_support, k = random_split(seed)
    released, kept_back = twoparty_twin.ic_sapm(rows, min_support, k)
    result = mine_together(halves, min_support=min_support, k=k, plaintext=True)
    assert found(result) == released
    assert withheld(result) == kept_back
    assert (result.n, result.min_support, result.k) == (len(rows), max(min_support, k), k)


@pytest.mark.parametrize("seed", range(100, 108))
def test_the_real_engine_finds_the_same(seed: int) -> None:
    rows, halves, min_support, k = random_split(seed)
    released, kept_back = twoparty_twin.ic_sapm(rows, min_support, k)
    result = mine_together(halves, min_support=min_support, k=k)
    assert found(result) == released
    assert withheld(result) == kept_back


def test_the_draws_are_worth_drawing() -> None:
    """Among the draws above are results with spread itemsets and without, with something withheld and without."""
    kinds = set()
    for seed in range(100):
        rows, halves, min_support, k = random_split(seed)
        released, kept_back = twoparty_twin.ic_sapm(rows, min_support, k)
        labels = [set(half.vocabulary) for half in halves]
        spread = any(all(itemset & side for side in labels) for itemset in released)
        kinds.add((spread, bool(released), bool(kept_back)))
    assert kinds >= {(True, True, True), (True, True, False), (False, True, True), (False, False, False)}


def test_more_rows_than_16_bits_hold() -> None:
    """Counts beyond 32,767 rows are shared in 32 bits."""
    chance = np.random.default_rng(1)
    n = 33_000
    a, b, c = (chance.random(n) < share for share in (0.9, 0.8, 0.5))
    first = Transactions.from_rows(["ax"[: 1 + bool(c[row])] if a[row] else "" for row in range(n)])
    second = Transactions.from_rows(["b" if each else "" for each in b.tolist()])
    result = mine_together((first, second), min_support=11_000, k=50)
    counts = {frozenset("ab"): int((a & b).sum()), frozenset("abx"): int((a & b & c).sum())}
    assert {itemset: found(result)[itemset] for itemset in counts} == counts


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["", "", ""], ["b", "b", ""]),
        (["", ""], ["", ""]),
        (["a"] * 5, ["b"] * 5),
        (["a"] * 4 + [""], ["b"] * 4 + [""]),
    ],
    ids=["one side empty", "both empty", "every row the same", "everything withheld"],
)
def test_edges(first: list[str], second: list[str]) -> None:
    rows = [frozenset(one + other) for one, other in zip(first, second, strict=True)]
    released, kept_back = twoparty_twin.ic_sapm(rows, 2, 2)
    halves = Transactions.from_rows(first), Transactions.from_rows(second)
    result = mine_together(halves, min_support=2, k=2)
    assert found(result) == released
    assert withheld(result) == kept_back


def test_labels_that_are_numbers_on_one_side_and_text_on_the_other() -> None:
    rows = [frozenset(row) for row in (["10", "9", "x"], ["10", "9", "x"], ["10", "x"], ["10", "9"])]
    released, kept_back = twoparty_twin.ic_sapm(rows, 2, 2)
    result = mine_together((columns_of(rows, ["10", "9"]), columns_of(rows, ["x"])), min_support=2, k=2)
    assert found(result) == released
    assert withheld(result) == kept_back


def test_only_names_of_frequent_columns_leave() -> None:
    rows = [["often", "seldom"], ["often"], ["often"]]
    halves = columns_of(rows, ["often", "seldom"]), Transactions.from_rows([["other"]] * 3)
    sent, _ = talk(*sessions(halves, min_support=2, k=2))
    everything = b"".join(message.payload for message in sent)
    assert b"often" in everything
    assert b"seldom" not in everything


def test_the_released_patterns_know_no_label_of_withheld_itemsets() -> None:
    rows = ["ab", "ab", "ab", "b"]
    halves = columns_of(rows, "a"), columns_of(rows, "b")
    result = mine_together(halves, min_support=2, k=2, plaintext=True)
    assert withheld(result) == {frozenset("a"), frozenset("ab")}
    assert list(result.patterns.vocabulary) == ["b"]


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frequent_itemsets, "_MOST_PAIRS", 3)
    halves = Transactions.from_rows(["a"] * 3), Transactions.from_rows(["b"] * 3)
    with pytest.raises(TooManyPatterns, match="have too many combinations; raise min_support on both sides"):
        talk(*sessions(halves, min_support=2, k=2, plaintext=True))


@pytest.mark.parametrize(
    ("given", "tried"),
    [({}, 49), ({"labels": "abcdef"}, 63), ({"protocol": "dka-sapm"}, 63)],
    ids=["ic-sapm", "different people", "dka-sapm"],
)
def test_more_candidates_than_can_be_tried_are_refused(
    given: dict[str, Any], tried: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partner could call everything frequent: 2^60 itemsets of 60 labels."""
    items = ("abcdef", "abcdef") if "labels" in given else ("abc", "def")
    everyone = [Transactions.from_rows([each] * 8) for each in items]
    monkeypatch.setattr(frequent_itemsets, "_MOST_CANDIDATES", tried)
    assert len(mine_together(everyone, min_support=2, k=2, plaintext=True, **given).patterns) == 63
    monkeypatch.setattr(frequent_itemsets, "_MOST_CANDIDATES", tried - 1)
    with pytest.raises(TooManyPatterns, match=f"{tried} itemsets would have to be tried together, more than"):
        talk(*sessions(everyone, min_support=2, k=2, plaintext=True, **given))


@pytest.mark.parametrize("dual", [False, True])
def test_what_fewer_than_k_have_is_not_even_named(*, dual: bool) -> None:
    """Where one person has "rare", the name of "rare, d1" would tell that this person has "d1"."""
    ours = Transactions.from_rows([["d1"] if row < 5 else ["d2"] for row in range(10)])
    theirs = Transactions.from_rows([["rare", "often"]] + [["often"]] * 6 + [[]] * 3)
    result = mine_together((ours, theirs), min_support=1, k=3, dual=dual)
    assert result.min_support == 3
    assert found(result) == {frozenset({"often"}): 7, frozenset({"d1"}): 5, frozenset({"d2"}): 5}
    assert withheld(result) == {frozenset({"often", "d1"})}

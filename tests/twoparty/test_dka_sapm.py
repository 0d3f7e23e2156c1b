"""DkA-SAPM on random splits of random data: a k-anonymous join, and its frequent itemsets."""

from __future__ import annotations

import random

import pytest

from discreet.channels.audit import audit
from discreet.errors import ParameterError
from discreet.transactions.transactions import Transactions
from discreet.twoparty.dka_sapm import anonymize_half
from tests import twoparty_twin
from tests.twoparty_pair import columns_of, found, mine_together, random_rows, sessions, talk


def random_split(seed: int):
    chance = random.Random(seed)
    k = chance.randint(2, 4)
    rows = random_rows(seed, most_rows=60, items="abcdef")
    rows += rows[: max(0, k - len(rows))] * k
    first = [x for x in "abcdef" if chance.random() < 0.5]
    halves = columns_of(rows, first), columns_of(rows, set("abcdef") - set(first))
    return halves, chance.randint(1, max(1, len(rows) // 2)), k


def expected(halves, min_support, k):
    """Return what the definition finds, and how often it doubled."""
    one, other, doublings = twoparty_twin.dka_sapm(*(list(half) for half in halves), min_support, k)
    join = twoparty_twin.joined(one, other)
    assert twoparty_twin.is_anonymous(join, k)
    return twoparty_twin.frequent(join, min_support), doublings, join


@pytest.mark.parametrize("seed", range(100))
def test_random_splits_agree_with_the_definition(seed: int) -> None:
    halves, min_support, k = random_split(seed)
    itemsets, doublings, join = expected(halves, min_support, k)
    result = mine_together(halves, min_support=min_support, k=k, protocol="dka-sapm", plaintext=True)
    assert found(result) == itemsets
    assert result.withheld == ()
    assert result.doublings == doublings
    assert not any(twoparty_twin.singles_out(join, itemset, k) for itemset in itemsets)
    assert audit(result.patterns, k=k, border=False).safe


@pytest.mark.parametrize("seed", range(100, 105))
def test_the_real_engine_finds_the_same(seed: int) -> None:
    halves, min_support, k = random_split(seed)
    itemsets, doublings, _ = expected(halves, min_support, k)
    result = mine_together(halves, min_support=min_support, k=k, protocol="dka-sapm")
    assert found(result) == itemsets
    assert result.doublings == doublings


def test_the_draws_are_worth_drawing() -> None:
    doublings = []
    for seed in range(100):
        halves, min_support, k = random_split(seed)
        doublings.append(expected(halves, min_support, k)[1])
    assert {0, 1, 2} <= set(doublings)


@pytest.mark.parametrize("seed", range(40))
def test_each_half_is_anonymized_as_defined(seed: int) -> None:
    rows = Transactions.from_rows(random_rows(seed, most_rows=30))
    for size in (2, 3, 8, 40):
        for min_support in (1, 5, 12):
            half = list(anonymize_half(rows, min_support=min_support, size=size))
            assert half == twoparty_twin.fiba(list(rows), min_support, size)
            assert all(after <= before for after, before in zip(half, rows, strict=True))
            assert twoparty_twin.is_anonymous(half, min(size, len(rows)))


@pytest.mark.parametrize(
    ("rows", "size", "after"),
    [
        (["ab", "a", "b", "ab", "a"], 2, ["b", "a", "b", "b", "a"]),
        (["ab", "ab", "a", "b", "c", "c"], 2, ["ab", "ab", "", "", "c", "c"]),
        (["ab", "ab", "ab", "a"], 3, ["a", "a", "a", "a"]),
        (["b", "a", "b", "a", "ab"], 2, ["b", "a", "b", "a", "b"]),
        (["ab", "ac"], 3, ["a", "a"]),
    ],
    ids=[
        "left over joins a class",
        "a group in file order",
        "left over with the class",
        "the earlier class",
        "all rows",
    ],
)
def test_what_happens_to_rows_left_over(rows: list[str], size: int, after: list[str]) -> None:
    half = anonymize_half(Transactions.from_rows(rows), min_support=1, size=size)
    assert half.n == len(rows)
    assert ["".join(sorted(row)) for row in half] == after


def test_fewer_rows_than_k_are_refused() -> None:
    halves = Transactions.from_rows(["a", "a"]), Transactions.from_rows(["b", "b"])
    with pytest.raises(ParameterError, match="2 rows, which cannot be made 3-anonymous"):
        talk(*sessions(halves, min_support=1, k=3, protocol="dka-sapm", plaintext=True))

"""DkA-SAPM on random splits of random data: a k-anonymous join, its frequent itemsets, and nothing that n tells."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.channels.audit import audit
from discreet.errors import ParameterError, ProtocolViolation
from discreet.transactions.transactions import Transactions
from discreet.twoparty import dka_sapm
from discreet.twoparty.agreement import Role
from discreet.twoparty.dka_sapm import anonymize_half
from discreet.twoparty.engine import TransferEngine
from discreet.twoparty.messages import Message, MessageKind
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation
from tests import twoparty_twin
from tests.twoparty.test_mutations import Partner, run, transfers_of
from tests.twoparty_pair import columns_of, found, mine_together, random_rows, sessions, talk

if TYPE_CHECKING:
    from discreet.twoparty.steps import Steps


def random_split(seed: int, items: str = "abcdef", most_rows: int = 60):
    chance = random.Random(seed)
    k = chance.randint(2, 4)
    rows = random_rows(seed, most_rows=most_rows, items=items)
    rows += rows[: max(0, k - len(rows))] * k
    first = [x for x in items if chance.random() < 0.5]
    halves = columns_of(rows, first), columns_of(rows, set(items) - set(first))
    return halves, chance.randint(1, max(1, len(rows) // 2)), k


def expected(halves, min_support, k):
    """Return what the definition finds, and in which rows; they are k-anonymous, rows without items included."""
    join = twoparty_twin.dka_sapm(*(list(half) for half in halves), min_support, k)
    assert twoparty_twin.is_anonymous(join, k)
    return twoparty_twin.frequent(join, min_support), join


@pytest.mark.parametrize("seed", range(100))
def test_random_splits_agree_with_the_definition(seed: int) -> None:
    halves, min_support, k = random_split(seed)
    itemsets, join = expected(halves, min_support, k)
    result = mine_together(halves, min_support=min_support, k=k, protocol="dka-sapm", plaintext=True)
    assert found(result) == itemsets
    assert result.withheld == ()
    assert result.patterns.n == len(join) == halves[0].n
    assert not any(twoparty_twin.singles_out(join, itemset, k) for itemset in itemsets)
    assert audit(result.patterns, k=k).safe


@pytest.mark.parametrize("seed", range(60))
def test_rounds_agree_with_the_definition(seed: int) -> None:
    halves, min_support, k = random_split(seed)
    join, left = twoparty_twin.dka_in_rounds(*(list(half) for half in halves), min_support, k)
    assert twoparty_twin.is_anonymous(join, k)
    result = mine_together(halves, min_support=min_support, k=k, protocol="dka-sapm", iterate=True, plaintext=True)
    assert found(result) == twoparty_twin.frequent(join, min_support)
    assert list(map(list, result.left)) == left
    assert all(not rows or len(rows) >= k for rows in left)
    assert audit(result.patterns, k=k).safe


@pytest.mark.parametrize("seed", range(100, 103))
def test_the_real_engine_goes_through_the_same_rounds(seed: int) -> None:
    halves, min_support, k = random_split(seed)
    wanted = {"min_support": min_support, "k": k, "protocol": "dka-sapm", "iterate": True}
    assert mine_together(halves, **wanted).to_dict() == mine_together(halves, plaintext=True, **wanted).to_dict()


def test_rounds_are_for_dka_sapm() -> None:
    halves = Transactions.from_rows(["a", "a"]), Transactions.from_rows(["b", "b"])
    with pytest.raises(ParameterError, match="dka-sapm, whose rounds it repeats"):
        sessions(halves, min_support=1, k=2, iterate=True)


@pytest.mark.parametrize("seed", range(100, 105))
def test_the_real_engine_finds_the_same(seed: int) -> None:
    halves, min_support, k = random_split(seed)
    result = mine_together(halves, min_support=min_support, k=k, protocol="dka-sapm")
    assert found(result) == expected(halves, min_support, k)[0]


def test_the_draws_are_worth_drawing() -> None:
    """Some clear nothing, some clear rows, and in some 1 to k-1 rows would have been cleared."""
    what = Counter()
    for seed in range(100):
        halves, min_support, k = random_split(seed)
        pairs = list(zip(*(twoparty_twin.fiba(list(half), min_support, k) for half in halves), strict=True))
        counts = Counter(pairs)
        few = sum(counts[pair] < k or not any(pair) for pair in pairs)
        what["none" if not few else "too few" if few < k else "enough"] += 1
    assert min(what[each] for each in ("none", "too few", "enough")) >= 5


@pytest.mark.parametrize("seed", range(60))
def test_nobody_who_tries_every_data_set_finds_a_small_group(seed: int) -> None:
    """An attacker goes through all data sets of n rows and three items that have what was published, and no others.

    No combination of items present and absent has 1 to k-1 rows in all of them.
    """
    halves, min_support, k = random_split(seed, items="abc", most_rows=9)
    halves = [Transactions.from_rows(list(half)[:9]) for half in halves]
    result = mine_together(halves, min_support=min_support, k=k, protocol="dka-sapm", plaintext=True)
    published = found(result)
    rows = list(twoparty_twin.subsets("abc"))
    sizes: dict[tuple[frozenset[str], frozenset[str]], set[bool]] = {}
    for data in combinations_with_replacement(rows, result.patterns.n):
        if twoparty_twin.frequent(data, min_support) == published:
            for within in rows:
                counts = dict.fromkeys(twoparty_twin.subsets(within), 0) | Counter(row & within for row in data)
                for group, count in counts.items():
                    sizes.setdefault((within, group), set()).add(0 < count < k)
    assert sizes
    assert all(found_small != {True} for found_small in sizes.values())


@pytest.mark.parametrize("seed", range(40))
def test_each_half_is_anonymized_as_defined(seed: int) -> None:
    rows = Transactions.from_rows(random_rows(seed, most_rows=30))
    for size in (2, 3, 8, 40):
        for min_support in (1, 5, 12):
            half = list(anonymize_half(rows, min_support=min_support, size=size))
            assert half == twoparty_twin.fiba(list(rows), min_support, size)
            assert all(after <= before for after, before in zip(half, rows, strict=True))
            assert twoparty_twin.is_anonymous(half, min(size, len(rows)))


def test_many_classes_are_merged_in_blocks() -> None:
    chance = random.Random(7)
    rows = Transactions.from_rows([[x for x in "abcdefghijklmnop" if chance.random() < 0.5] for _ in range(2500)])
    half = list(anonymize_half(rows, min_support=1, size=5))
    assert len(set(rows)) > 2048
    assert len(set(half)) > 100
    assert twoparty_twin.is_anonymous(half, 5)
    assert all(after <= before for after, before in zip(half, rows, strict=True))


@pytest.mark.parametrize(
    ("rows", "size", "after"),
    [
        (["ab", "a", "b", "ab", "a"], 2, ["b", "a", "b", "b", "a"]),
        (["ab", "ab", "a", "b", "c", "c"], 2, ["ab", "ab", "", "", "c", "c"]),
        (["ab", "ab", "ab", "a"], 3, ["a", "a", "a", "a"]),
        (["b", "a", "b", "a", "ab"], 2, ["b", "a", "b", "a", "b"]),
        (["ab", "ac"], 3, ["a", "a"]),
    ],
)
def test_the_smallest_class_joins_the_one_most_alike(rows: list[str], size: int, after: list[str]) -> None:
    half = anonymize_half(Transactions.from_rows(rows), min_support=1, size=size)
    assert half.n == len(rows)
    assert ["".join(sorted(row)) for row in half] == after


def test_fewer_rows_than_k_are_refused() -> None:
    halves = Transactions.from_rows(["a", "a"]), Transactions.from_rows(["b", "b"])
    with pytest.raises(ParameterError, match="2 rows, which cannot be made 3-anonymous"):
        talk(*sessions(halves, min_support=1, k=3, protocol="dka-sapm", plaintext=True))


@pytest.mark.parametrize("side", [0, 1], ids=["first", "second"])
def test_a_partner_that_says_it_has_too_many_items_is_refused_before_anything_is_computed(side: int) -> None:
    halves = Transactions.from_rows(["a"] * 6), Transactions.from_rows(["b"] * 6)

    def says(count: int) -> None:
        engines = {role: TransferEngine(Ring(6), transfers_of(role, b"a session")) for role in Role}
        role = list(Role)[side]
        items = dka_sapm._Items(  # noqa: SLF001
            halves[side].vocabulary, np.full((1, 1), 63, np.uint8), np.zeros(1, np.uint8), role
        )
        honest = Conversation(dka_sapm._frequent_items(engines[role], items, 3))  # noqa: SLF001
        honest.start()
        honest.receive(Message(MessageKind.LOCAL_ITEMSETS, count.to_bytes(4, "little")))
        assert not honest.finished

    says(1 << 16)
    for count in ((1 << 16) + 1, (1 << 32) - 1):
        with pytest.raises(ProtocolViolation, match="more than 65,536 of its items"):
            says(count)


@pytest.mark.parametrize("checked", [False, True], ids=["without the check", "with the check"])
@pytest.mark.parametrize("side", [0, 1], ids=["first", "second"])
def test_more_rows_of_ones_own_columns_than_there_are_is_refused(
    monkeypatch: pytest.MonkeyPatch, side: int, checked: bool
) -> None:
    """The partner adds to its share, and commits to that: of our own item, of its own, or of both together."""
    if not checked:
        monkeypatch.setattr(dka_sapm, "_check_own", lambda *_: None)
    rows = ["ab"] * 5 + ["a"] * 4 + ["b"] * 4
    halves = columns_of(rows, "a"), columns_of(rows, "b")
    itemsets = [frozenset("a"), frozenset("b"), frozenset("ab")]
    for place, lied_about in enumerate(itemsets):

        class Lying(TransferEngine):
            def open(self, shares, place=place):
                return super().open(shares + (np.arange(len(shares)) == place).astype(shares.dtype))

        def start(role: Role, ring: Ring, session_id: bytes, lying=Lying) -> Steps[TransferEngine]:
            yield from ()
            kind = TransferEngine if role is list(Role)[side] else lying
            return kind(ring, transfers_of(role, session_id))

        pair = sessions(halves, min_support=3, k=2, protocol="dka-sapm", start_engine=start)
        if checked and lied_about == frozenset("ab"[side]):
            with pytest.raises(ProtocolViolation, match="larger support of this side's own columns"):
                run(pair[side], pair[1 - side], Partner(None, []))
        else:
            run(pair[side], pair[1 - side], Partner(None, []))
            truth = {frozenset("a"): 9, frozenset("b"): 9, frozenset("ab"): 5}
            assert found(pair[side].result) == truth | {lied_about: truth[lied_about] + 1}

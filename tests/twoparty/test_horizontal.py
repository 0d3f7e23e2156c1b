"""Different people with the same items: what both find is what the joined rows say."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from discreet.errors import Disagreement, ParameterError
from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import Proposal
from tests import twoparty_twin
from tests.twoparty_pair import found, mine_together, random_rows, sessions, talk, withheld


def random_halves(seed: int):
    chance = random.Random(seed)
    rows = [*random_rows(seed), *random_rows(seed + 1000)]
    chance.shuffle(rows)
    cut = chance.randint(1, len(rows) - 1)
    halves = Transactions.from_rows(rows[:cut]), Transactions.from_rows(rows[cut:])
    labels = [x for x in "abcdefghij" if chance.random() < 0.8]
    restricted = [row & set(labels) for row in rows]
    return restricted, halves, labels, chance.randint(1, max(1, len(rows) // 2)), chance.randint(2, 6)


@pytest.mark.parametrize("seed", range(100))
def test_random_halves_agree_with_the_definition(seed: int) -> None:
    rows, halves, labels, min_support, k = random_halves(seed)
    released, kept_back = twoparty_twin.ic_sapm(rows, min_support, k)
    result = mine_together(halves, min_support=min_support, k=k, labels=labels, plaintext=True)
    assert found(result) == released
    assert withheld(result) == kept_back
    assert result.n == len(rows)


@pytest.mark.parametrize("seed", range(100, 105))
def test_the_real_engine_finds_the_same(seed: int) -> None:
    rows, halves, labels, min_support, k = random_halves(seed)
    released, kept_back = twoparty_twin.ic_sapm(rows, min_support, k)
    result = mine_together(halves, min_support=min_support, k=k, labels=labels)
    assert found(result) == released
    assert withheld(result) == kept_back


def test_a_share_is_one_of_all_rows_of_both() -> None:
    halves = Transactions.from_rows(["a"] * 4), Transactions.from_rows(["b"] * 6)
    result = mine_together(halves, min_support=Fraction(1, 2), k=2, labels="ab", plaintext=True)
    assert (result.n, result.min_support, found(result)) == (10, 5, {frozenset("b"): 6})


def test_all_rows_as_a_share_are_not_one_row() -> None:
    wanted = Proposal(protocol="ic-sapm", rows=3, min_support=Fraction(1), k=2, horizontal=True)
    assert Proposal.from_bytes(wanted.to_bytes()).min_support == Fraction(1)
    assert isinstance(Proposal.from_bytes(wanted.to_bytes()).min_support, Fraction)


def test_no_names_leave_before_they_are_frequent_in_all_rows() -> None:
    halves = Transactions.from_rows([["mine", "shared"]] * 4), Transactions.from_rows([["theirs", "shared"]] * 4)
    sent = talk(*sessions(halves, min_support=3, k=2, labels=["mine", "theirs", "shared"]))
    everything = b"".join(message.payload for messages in sent for message in messages)
    assert not any(name in everything for name in (b"mine", b"theirs", b"shared"))


def test_different_lists_of_labels_are_refused() -> None:
    halves = [Transactions.from_rows(["ab"] * 3)] * 2
    first, _ = sessions(halves, min_support=2, k=2, labels="ab")
    _, second = sessions(halves, min_support=2, k=2, labels="abc")
    opening = first.start(), second.start()
    for session, messages in zip((first, second), reversed(opening), strict=True):
        with pytest.raises(Disagreement, match="candidates from different labels"):
            session.receive(messages[0])


def test_dka_sapm_is_for_the_same_people() -> None:
    with pytest.raises(ParameterError, match="ic-sapm alone"):
        Proposal(protocol="dka-sapm", rows=3, min_support=2, k=2, horizontal=True)

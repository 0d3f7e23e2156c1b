"""Whether every group of equal rows is large enough: sorted on shared bits, or counted by the trusted party."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from discreet.twoparty.agreement import Role
from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.gmw import BitCircuits
from discreet.twoparty.group_sizes import counting_bytes, sort_and_compare, sorting_bytes, sorting_stages
from discreet.twoparty.oblivious_transfer import set_up_transfers
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation
from tests.twoparty_pair import both, talk
from tests.twoparty_plaintext import TrustedParty


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 16, 21, 64, 100])
def test_the_network_sorts(n: int) -> None:
    chance = np.random.default_rng(n)
    for _ in range(20):
        numbers = chance.integers(0, n, n)
        expected = sorted(numbers.tolist())
        for low, high in sorting_stages(n):
            assert len(np.intersect1d(low, high)) == 0
            numbers[low], numbers[high] = (
                np.minimum(numbers[low], numbers[high]),
                np.maximum(numbers[low], numbers[high]),
            )
        assert numbers.tolist() == expected


def grouped(chance, n, most, size):
    """Draw keys of two parties; about half of the draws have every group of at least `size`."""
    keys = chance.integers(0, most, (2, n))
    if chance.random() < 0.7:
        keys = np.repeat(keys, size, axis=1)[:, :n]
        keys = keys[:, chance.permutation(n)]
    return keys


def sort(engine, keys, most, size):
    return sort_and_compare(BitCircuits(engine), engine.party, keys, most, size)


def answer(engine, keys, most, size):
    return engine.every_group_reaches(keys, most, size)


WAYS = {
    "sorting": (set_up_transfers, sort),
    "the cheaper way": (lambda party, session: start_transfer_engine(party, Ring(64), session), answer),
    "plaintext": (None, answer),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("n", "most", "size"), [(2, 2, 2), (12, 7, 2), (37, 4, 3), (64, 2, 20), (50, 3, 50), (5, 3, 6)]
)
def test_small_groups_are_noticed(way: str, n: int, most: int, size: int) -> None:
    chance = np.random.default_rng(n)
    start, ask = WAYS[way]
    if start is None:
        trusted = TrustedParty()
        pair = both(*(trusted.start_engine(party, Ring(n), b"a session") for party in Role))
    else:
        pair = both(*(start(party, b"a session") for party in Role))
    answers = set()
    for _ in range(6):
        keys = grouped(chance, n, most, size)
        expected = min(Counter(zip(*keys.tolist(), strict=True)).values()) >= size
        got = both(*(ask(one, own, most, size) for one, own in zip(pair, keys, strict=True)))
        assert got == (expected, expected)
        answers.add(expected)
    assert answers == {True, False} or size in {6, 20, 50}


def test_the_cheaper_way_is_taken() -> None:
    assert counting_bytes(Ring(8124), 40) < sorting_bytes(8124, 40)
    assert counting_bytes(Ring(8124), 162) > sorting_bytes(8124, 162)


@pytest.mark.parametrize(("n", "most", "size"), [(1000, 12, 2), (300, 200, 2)])
def test_the_cost_is_known_before(n: int, most: int, size: int) -> None:
    pair = both(*(start_transfer_engine(party, Ring(n), b"a session") for party in Role))
    keys = np.random.default_rng(n).integers(0, most, (2, n))
    machines = [Conversation(one.every_group_reaches(own, most, size)) for one, own in zip(pair, keys, strict=True)]
    talk(*machines)
    truth = machines[0].bytes_sent + machines[0].bytes_received
    assert truth == pytest.approx(min(counting_bytes(Ring(n), most), sorting_bytes(n, most)), rel=0.3)


@pytest.mark.parametrize("way", ["sorting", "the cheaper way"])
def test_the_messages_say_nothing_of_the_keys(way: str) -> None:
    """Keys that are all alike and keys that all differ: the same kinds and lengths of messages, in the same order."""
    start, ask = WAYS[way]
    shapes = []
    for keys in (np.zeros((2, 16), np.int64), np.stack([np.arange(16) % 4, np.arange(16) // 4])):
        pair = both(*(start(party, b"a session") for party in Role))
        machines = [Conversation(ask(one, own, 4, 2)) for one, own in zip(pair, keys, strict=True)]
        sent = talk(*machines)
        shapes.append([[(message.kind, len(message.payload)) for message in messages] for messages in sent])
    assert shapes[0] == shapes[1]

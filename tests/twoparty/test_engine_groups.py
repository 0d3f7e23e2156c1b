"""Which rows are in large groups: sorted on shared bits, counted and looked up, or told by the trusted party."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from discreet.twoparty import engine
from discreet.twoparty.agreement import Role
from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.gmw import unpack_bits
from discreet.twoparty.group_sizes import (
    counting_bytes,
    counts_pairs,
    positions_compared,
    sorting_bytes,
    sorting_stages,
)
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
        for stage in sorting_stages(n):
            low, high = positions_compared(n, *stage)
            assert len(np.intersect1d(low, high)) == 0
            numbers[low], numbers[high] = (
                np.minimum(numbers[low], numbers[high]),
                np.maximum(numbers[low], numbers[high]),
            )
        assert numbers.tolist() == expected


@pytest.fixture(params=["sorting", "counting", "plaintext"])
def way(request, monkeypatch) -> str:
    """Take one way, whatever it costs."""
    monkeypatch.setattr(engine, "counts_pairs", lambda *_: request.param == "counting")
    return request.param


def engines(way: str, n: int):
    start = TrustedParty().start_engine if way == "plaintext" else start_transfer_engine
    return both(*(start(party, Ring(n), b"a session") for party in Role))


def grouped(chance, n, most, size):
    """Draw keys of two parties; many draws have nearly every group of at least `size`."""
    keys = chance.integers(0, most, (2, n))
    if chance.random() < 0.8:
        keys = np.repeat(keys, size, axis=1)[:, : n - chance.integers(0, 2) * (size // 2)]
        keys = np.concatenate([keys, chance.integers(0, most, (2, n - keys.shape[1]))], axis=1)
        keys = keys[:, chance.permutation(n)]
    return keys


def large(keys, size):
    """Return which rows are kept by definition, and how many are not before the last group is dropped."""
    pairs = list(zip(keys[1].tolist(), keys[0].tolist(), strict=True))
    groups = {pair for pair, count in Counter(pairs).items() if count >= size and pair != (0, 0)}
    left = sum(pair not in groups for pair in pairs)
    if 0 < left < size:
        groups.remove(max(groups))
    return [pair in groups for pair in pairs], left


@pytest.mark.parametrize(
    ("n", "most", "size"), [(2, 2, 2), (12, 7, 2), (37, 4, 3), (64, 2, 20), (50, 3, 50), (61, 3, 5)]
)
def test_rows_in_large_groups_are_kept(way: str, n: int, most: int, size: int) -> None:
    chance = np.random.default_rng(n)
    pair = engines(way, n)
    for _ in range(4):
        keys = grouped(chance, n, most, size)
        shares = both(*(one.share_kept(own, most, size) for one, own in zip(pair, keys, strict=True)))
        kept = unpack_bits(shares[0] ^ shares[1], n).astype(bool)
        assert kept.tolist() == large(keys, size)[0]
        assert (~kept).sum() == 0 or (~kept).sum() >= size
        assert not any(share[-1] >> (n - 1) % 8 + 1 for share in shares)  # no bits beyond the last row


def test_the_draws_leave_all_kinds_of_numbers() -> None:
    chance = np.random.default_rng(61)
    left = [large(grouped(chance, 61, 3, 5), 5)[1] for _ in range(40)]
    assert 0 in left
    assert any(0 < number < 5 for number in left)
    assert any(number >= 5 for number in left)


def test_the_cheaper_way_is_taken() -> None:
    assert counts_pairs(Ring(8124), 163)
    assert not counts_pairs(Ring(8124), 813)
    assert not counts_pairs(Ring(300), 200)


@pytest.mark.parametrize(("n", "most", "size"), [(8124, 12, 2), (1000, 60, 2), (300, 200, 2)])
def test_the_cost_is_known_before(n: int, most: int, size: int) -> None:
    pair = engines("the cheaper way", n)
    keys = np.random.default_rng(n).integers(0, most, (2, n))
    machines = [Conversation(one.share_kept(own, most, size)) for one, own in zip(pair, keys, strict=True)]
    talk(*machines)
    truth = machines[0].bytes_sent + machines[0].bytes_received
    expected = counting_bytes(Ring(n), most) if counts_pairs(Ring(n), most) else sorting_bytes(n, most)
    assert truth == pytest.approx(expected, rel=0.3)


@pytest.mark.parametrize("way", ["sorting", "counting"], indirect=True)
def test_the_messages_say_nothing_of_the_keys(way: str) -> None:
    """Keys that are all alike and keys that all differ: the same kinds and lengths of messages, in the same order."""
    shapes = []
    for keys in (np.zeros((2, 16), np.int64), np.stack([np.arange(16) % 4, np.arange(16) // 4])):
        pair = engines(way, 16)
        machines = [Conversation(one.share_kept(own, 4, 2)) for one, own in zip(pair, keys, strict=True)]
        sent = talk(*machines)
        shapes.append([[(message.kind, len(message.payload)) for message in messages] for messages in sent])
    assert shapes[0] == shapes[1]

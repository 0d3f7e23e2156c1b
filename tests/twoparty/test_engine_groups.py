"""Whether every group of equal rows is large enough: sorted on shared bits, or counted by the trusted party."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from discreet.twoparty.engine import start_transfer_engine
from discreet.twoparty.group_sizes import sorting_stages
from discreet.twoparty.parameters import Party
from discreet.twoparty.plaintext_engine import TrustedParty
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation
from tests.twoparty_pair import both, talk


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


def grouped(chance, n, width, size):
    """Draw keys of two parties; about half of the draws have every group of at least `size`."""
    keys = chance.integers(0, 1 << width, (2, n))
    if chance.random() < 0.7:
        keys = np.repeat(keys, size, axis=1)[:, :n]
        keys = keys[:, chance.permutation(n)]
    return keys


@pytest.mark.parametrize("engine", ["transfers", "plaintext"])
@pytest.mark.parametrize(
    ("n", "width", "size"), [(2, 1, 2), (12, 3, 2), (37, 2, 3), (64, 1, 20), (50, 2, 50), (5, 2, 6)]
)
def test_small_groups_are_noticed(engine: str, n: int, width: int, size: int) -> None:
    chance = np.random.default_rng(n)
    start = start_transfer_engine if engine == "transfers" else TrustedParty().start_engine
    pair = both(*(start(party, Ring(n), b"a session") for party in Party))
    answers = set()
    for _ in range(6):
        keys = grouped(chance, n, width, size)
        expected = min(Counter(zip(*keys.tolist(), strict=True)).values()) >= size
        got = both(*(one.every_group_reaches(own, width, size) for one, own in zip(pair, keys, strict=True)))
        assert got == (expected, expected)
        answers.add(expected)
    assert answers == {True, False} or size in {6, 20, 50}


def test_the_frames_say_nothing_of_the_keys() -> None:
    """Keys that are all alike and keys that all differ: the same kinds and lengths of frames, in the same order."""
    shapes = []
    for keys in (np.zeros((2, 16), np.int64), np.stack([np.arange(16) % 4, np.arange(16) // 4])):
        pair = both(*(start_transfer_engine(party, Ring(16), b"a session") for party in Party))
        machines = [Conversation(one.every_group_reaches(own, 2, 2)) for one, own in zip(pair, keys, strict=True)]
        sent = talk(*machines)
        shapes.append([[(frame.kind, len(frame.payload)) for frame in frames] for frames in sent])
    assert shapes[0] == shapes[1]

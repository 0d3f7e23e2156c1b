"""Pairs of keys: counted and looked up as by plain arithmetic, and no key gives a party a look at the other's."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.twoparty import key_pairs
from discreet.twoparty.agreement import Role
from discreet.twoparty.gmw import unpack_bits
from discreet.twoparty.key_pairs import count_pairs, levels_of, look_up
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import set_up_transfers
from discreet.twoparty.ring import Ring
from discreet.twoparty.steps import Conversation, receive, send
from tests.twoparty_pair import both, talk


@pytest.fixture(scope="module")
def ends():
    return both(*(set_up_transfers(party, b"a session") for party in Role))


def drawn(seed: int, n: int, most: int):
    keys = np.random.default_rng(seed).integers(0, most, (2, n))
    keys[:, :2] = [[0], [most - 1]] if n > 1 else 0
    return keys


@pytest.mark.parametrize(
    ("n", "most"), [(1, 1), (2, 2), (9, 3), (50, 5), (40, 8), (30, 9), (1025, 17), (2049, 2), (33_000, 3)]
)
def test_counts_are_those_of_plain_arithmetic(ends, n: int, most: int) -> None:
    ring, keys = Ring(n), drawn(n, n, most)
    shares = both(*(count_pairs(end, ring, own, most) for end, own in zip(ends, keys, strict=True)))
    truth = np.bincount(keys[1] * most + keys[0], minlength=most**2)
    assert (shares[0] + shares[1]).tolist() == truth.tolist()
    assert not np.array_equal(shares[1], truth)


@pytest.mark.parametrize(("n", "most", "count"), [(1, 1, 1), (9, 2, 2), (50, 7, 1), (1030, 30, 3)])
def test_entries_are_those_of_the_tables(ends, n: int, most: int, count: int) -> None:
    chance, keys = np.random.default_rng(n), drawn(n, n, most)
    tables = chance.integers(0, 2, (2, count, most, most)).astype(np.uint8)  # the second's by its own key first
    shares = both(*(look_up(end, own, table) for end, own, table in zip(ends, keys, tables, strict=True)))
    truth = tables[0][:, keys[0], keys[1]] ^ tables[1][:, keys[1], keys[0]]
    assert (unpack_bits(shares[0] ^ shares[1], n) == truth).all()


def test_what_is_sent_depends_on_no_key(ends) -> None:
    shapes = []
    for keys in (np.zeros((2, 40), np.int64), drawn(3, 40, 11)):
        machines = [Conversation(count_pairs(end, Ring(40), own, 11)) for end, own in zip(ends, keys, strict=True)]
        shapes.append([[(each.kind, len(each.payload)) for each in sent] for sent in talk(*machines)])
    assert shapes[0] == shapes[1]


def what_remains(receiver, ring, key: int, rows: int, most: int):
    """Take part as the second party with one key in all rows, possible or not; what remains of each correction."""
    levels, own = levels_of(most), np.full(rows, key)
    seeds = key_pairs._Seeds(receiver.hash_for(b"trees"))  # noqa: SLF001 - a partner with changed software
    columns, chosen = receiver.extend(key_pairs._choices(own ^ ((1 << levels) - 1), levels))  # noqa: SLF001
    yield from send(MessageKind.EXTENSION, columns)
    pads = key_pairs._by_level(chosen.take(key_pairs._padded(levels, own)), levels, rows)  # noqa: SLF001
    sums = 32 * levels * rows
    payload = yield from receive(MessageKind.CORRECTIONS, sums + rows * most * ring.dtype.itemsize)
    masked = np.frombuffer(payload[:sums], np.uint64).reshape(levels, rows, 2, 2)
    nodes, at, aside = np.zeros((rows, 1, 2), np.uint64), 0, []
    for level in range(levels):
        children = seeds.expand(nodes, 2).reshape(rows, -1, 2, 2)
        taken = key >> (levels - level - 1) & 1
        if at is not None:
            children[:, at] = 0
            told = masked[level, :, 1 - taken] ^ pads[level]
            children[:, at, 1 - taken] = told ^ np.bitwise_xor.reduce(children, axis=1)[:, 1 - taken]
            at = 2 * at + taken
        nodes, rest = key_pairs._pruned(children.reshape(rows, -1, 2), most, levels - level - 1)  # noqa: SLF001
        aside.append(rest)
        at = None if at is None or at >= nodes.shape[1] else at  # beyond the keys: it knows all that is below
    left = np.frombuffer(payload[sums:], ring.dtype).reshape(rows, most).copy()
    for part, lines in seeds.lines(ring, np.concatenate([nodes, *aside], axis=1), most):
        if at is not None:
            lines[:, at] = 0
        elif aside[-1].shape[1] or any(each.shape[1] for each in aside):
            lines[:, most] = 0  # the one leaf that it lacks
        left[part] -= lines.sum(axis=1, dtype=ring.dtype)
    return left


@pytest.mark.parametrize("key", [4, 5, 6, 7])
@pytest.mark.parametrize("guarded", [True, False])
def test_a_key_that_cannot_be_shows_nothing(ends, monkeypatch, key: int, guarded: bool) -> None:
    """With five keys, a path can name eight. Where the rest of the tree is no leaf, the first's keys can be read."""
    whole = key_pairs._pruned  # noqa: SLF001
    if not guarded:
        monkeypatch.setattr(key_pairs, "_pruned", lambda *about: (whole(*about)[0], whole(*about)[1][:, :0]))
    ring, keys = Ring(40), drawn(7, 40, 5)[0]
    _, left = both(count_pairs(ends[0], ring, keys, 5), what_remains(ends[1].receiver, ring, key, 40, 5))
    ones = np.eye(5, dtype=ring.dtype)[keys]
    read = (left == ones).all(axis=1)
    assert read.all() if key >= 5 and not guarded else not read.any()

"""Count pairs of keys, one at each party, and look pairs up: without a product for every possible pair.

Problem      each row has a key below `most` at each party. Share how many rows have each pair of keys; then share, for
             each row, the entry of its pair in a table of shared bits. Neither party learns the other's keys.
Method       counting: for each row the first party grows a tree of seeds (Goldreich, Goldwasser and Micali 1986) with a
             leaf for each key of the second. By one transfer per level, the second gets the sum of the seeds on the
             side that it does not take, and so all leaves but that of its key. Every leaf gives a line of `most`
             numbers. The first party sends the sum of all lines, plus 1 in the place of its own key: the second knows
             all lines but one, and what remains is that line, plus the 1. Summed over the rows, what the second holds
             minus the first's lines are the counts.
             looking up: each party sends, for each row, its share of all entries that its own key leaves open, each
             masked by pads of the transfers of the bits of the other's key (Naor and Pinkas 1999).
Promises     the second party lacks one leaf of every tree, whatever it chooses: where there are fewer leaves than a
             path could name, the rest of the tree is a leaf as well. So a key that cannot be is a row that counts
             nowhere, and says nothing of the first party's key. The first party sees transfers alone. Of a table, a
             party learns the masked entry of one key.
Cost         counting: per row and level of the tree 48 bytes, and one number for each key; `most` squared numbers per
             row are computed by both parties, which is what limits it. looking up: per row and level 16 bytes each way,
             and a bit for each key. One round per batch of rows.
Departures   not in jiang2006, whose DkA framework needs n^2 encryptions.
Reference    docs/two-parties.md, tests/twoparty/test_key_pairs.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.stages import tell_share
from discreet.twoparty.agreement import Role
from discreet.twoparty.gmw import pack_bits, unpack_bits
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import extension_length
from discreet.twoparty.primitives import random_bits
from discreet.twoparty.steps import exchange, receive, send

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.twoparty.oblivious_transfer import ReceiverRows, TransferReceiver, Transfers, TransferSender
    from discreet.twoparty.primitives import RowHash
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.steps import Steps

    Bits = NDArray[np.uint8]
    Words = NDArray[np.uint64]

__all__ = ["ROWS_AT_ONCE", "count_pairs", "levels_of", "look_up"]

ROWS_AT_ONCE: Final = 1024
"""Rows per message: the other party works on one batch while this one makes the next."""
_LINES: Final = 1 << 18
"""The bytes of lines that are made at once: they should stay in the cache."""
_SEED: Final = 2  # words


def levels_of(most: int) -> int:
    """Return how many bits tell keys below `most` apart."""
    return max(1, (most - 1).bit_length())


def count_pairs(transfers: Transfers, ring: Ring, keys: NDArray[np.int64], most: int) -> Steps[SecretShares]:
    """Share how many rows have each pair of keys, by the second party's key and then the first's.

    `keys` are this party's own, one per row, below `most`.
    """
    if transfers.party is Role.FIRST:
        return (yield from _grow(transfers.sender, ring, keys, most))
    return (yield from _complete(transfers.receiver, ring, keys, most))


def look_up(transfers: Transfers, keys: NDArray[np.int64], tables: Bits) -> Steps[Bits]:
    """Share the entry of each row's pair of keys in tables of shared bits; packed.

    `tables` is this party's share, unpacked, by table, own key and partner's key.
    """
    count, most = tables.shape[:2]
    levels, length = levels_of(most), -(-count * most // 8)
    found = np.zeros((count, len(keys)), np.uint8)
    for some in _batches(len(keys)):
        own = keys[some]
        columns, chosen = transfers.receiver.extend(_choices(own, levels))
        theirs = yield from exchange(MessageKind.EXTENSION, columns, len(columns))
        offered = _offered(transfers.sender, theirs, levels, len(own), blocks=-(-length // 16))
        kept = unpack_bits(random_bits(-(-count * len(own) // 8)), count * len(own)).reshape(count, -1)
        entries = tables[:, own].transpose(1, 0, 2) ^ kept.T[:, :, None]
        sent = pack_bits(entries.reshape(len(own), -1)) ^ _masks(offered, most, count)
        payload = yield from exchange(MessageKind.CORRECTIONS, sent.tobytes(), sent.size)
        got = np.bitwise_xor.reduce(_by_level(chosen.take(_padded(levels, own), -(-length // 16)), levels, len(own)))
        line = np.frombuffer(payload, np.uint8).reshape(sent.shape) ^ got.view(np.uint8)[:, :length]
        places = np.arange(count)[:, None] * most + own
        found[:, some] = kept ^ ((line[np.arange(len(own)), places // 8] >> (places % 8).astype(np.uint8)) & 1)
    return pack_bits(found)


class _Seeds:
    """Makes seeds and lines of seeds; each is hashed with a number of its own."""

    def __init__(self, row_hash: RowHash) -> None:
        self._hash = row_hash
        self._hashed = 0

    def expand(self, seeds: Words, blocks: int) -> Words:
        """Return `blocks` times 128 bits for each seed, as words along the last axis."""
        flat = seeds.reshape(-1, _SEED)
        pads = self._hash.pads(flat, first=self._hashed, blocks=blocks)
        self._hashed += len(flat)
        return pads.reshape(*seeds.shape[:-1], _SEED * blocks)

    def lines(self, ring: Ring, leaves: Words, most: int) -> Iterator[tuple[slice, SecretShares]]:
        """Yield some rows at a time, and the line of each of their leaves."""
        blocks = ring.blocks(most)
        at_once = max(1, _LINES // (16 * blocks * leaves.shape[1]))
        for start in range(0, len(leaves), at_once):
            pads = self.expand(leaves[start : start + at_once], blocks)
            numbers = ring.numbers(pads.reshape(-1, _SEED * blocks), most)
            yield slice(start, start + len(pads)), numbers.reshape(len(pads), -1, most)


def _grow(sender: TransferSender, ring: Ring, keys: NDArray[np.int64], most: int) -> Steps[SecretShares]:
    """Grow the trees as the first party, send what completes them, and keep minus the sum of all lines."""
    levels, seeds = levels_of(most), _Seeds(sender.hash_for(b"trees"))
    shares = np.zeros((most, most), ring.dtype)
    for some in _batches(len(keys)):
        tell_share(some.start / len(keys))
        own = keys[some]
        theirs = yield from receive(MessageKind.EXTENSION, extension_length(_padded(levels, own) // 8))
        pads = _offered(sender, theirs, levels, len(own), blocks=1)
        nodes = random_bits(16 * len(own)).view(np.uint64).reshape(len(own), 1, _SEED)
        aside, masked = [], []
        for level in range(levels):
            nodes = seeds.expand(nodes, 2).reshape(len(own), -1, _SEED)
            sides = np.bitwise_xor.reduce(nodes.reshape(len(own), -1, 2, _SEED), axis=1)
            masked.append(sides ^ pads[:, level].transpose(1, 0, 2))
            nodes, rest = _pruned(nodes, most, levels - level - 1)
            aside.append(rest)
        corrections = np.empty((len(own), most), ring.dtype)
        for part, lines in seeds.lines(ring, np.concatenate([nodes, *aside], axis=1), most):
            corrections[part] = lines.sum(axis=1, dtype=ring.dtype)
            shares -= lines[:, :most].sum(axis=0, dtype=ring.dtype)
        corrections[np.arange(len(own)), own] += ring.dtype.type(1)
        yield from send(MessageKind.CORRECTIONS, np.stack(masked).tobytes() + corrections.tobytes())
    return shares.reshape(-1)


def _complete(receiver: TransferReceiver, ring: Ring, keys: NDArray[np.int64], most: int) -> Steps[SecretShares]:
    """Complete the trees as the second party, all but a leaf each; keep the sum of all lines, and the first's ones."""
    levels, seeds = levels_of(most), _Seeds(receiver.hash_for(b"trees"))
    shares = np.zeros((most, most), ring.dtype)
    others = keys ^ ((1 << levels) - 1)  # the sides of a tree that its path does not take
    batches = list(_batches(len(keys)))
    ahead: list[ReceiverRows] = []
    for number, some in enumerate(batches):
        tell_share(some.start / len(keys))
        for each in batches[number + len(ahead) : number + 2]:  # the first party need not wait for the next
            columns, chosen = receiver.extend(_choices(others[each], levels))
            yield from send(MessageKind.EXTENSION, columns)
            ahead.append(chosen)
        own = keys[some]
        pads = _by_level(ahead.pop(0).take(_padded(levels, own)), levels, len(own))
        sums = 32 * levels * len(own)
        payload = yield from receive(MessageKind.CORRECTIONS, sums + len(own) * most * ring.dtype.itemsize)
        masked = np.frombuffer(payload[:sums], np.uint64).reshape(levels, len(own), 2, _SEED)
        leaves = _leaves_but_one(seeds, own, most, masked, pads)
        corrections = np.frombuffer(payload[sums:], ring.dtype).reshape(len(own), most)
        for part, lines in seeds.lines(ring, leaves, most):
            rows = np.arange(len(lines))
            lines[rows, own[part]] = 0
            lines[rows, own[part]] = corrections[part] - lines.sum(axis=1, dtype=ring.dtype)
            shares += lines[:, :most].sum(axis=0, dtype=ring.dtype)
    return shares.reshape(-1)


def _leaves_but_one(seeds: _Seeds, own: NDArray[np.int64], most: int, masked: Words, pads: Words) -> Words:
    """Return the leaves of each row's tree; that of the own key, and all on the way to it, are none that exists."""
    rows, levels = np.arange(len(own)), len(pads)
    nodes, at = np.zeros((len(own), 1, _SEED), np.uint64), np.zeros(len(own), np.int64)
    aside = []
    for level in range(levels):
        children = seeds.expand(nodes, 2).reshape(len(own), -1, 2, _SEED)
        children[rows, at] = 0
        taken = own >> (levels - level - 1) & 1
        told = masked[level, rows, 1 - taken] ^ pads[level]
        children[rows, at, 1 - taken] = told ^ np.bitwise_xor.reduce(children, axis=1)[rows, 1 - taken]
        at = 2 * at + taken
        nodes, rest = _pruned(children.reshape(len(own), -1, _SEED), most, levels - level - 1)
        aside.append(rest)
    return np.concatenate([nodes, *aside], axis=1)


def _pruned(nodes: Words, most: int, below: int) -> tuple[Words, Words]:
    """Part the nodes `below` levels above the keys from the one, if any, that no key is under: it stays a leaf."""
    named = -(-most // (1 << below))
    return nodes[:, :named], nodes[:, named:]


def _batches(count: int) -> Iterator[slice]:
    for start in range(0, count, ROWS_AT_ONCE):
        yield slice(start, min(count, start + ROWS_AT_ONCE))


def _padded(levels: int, own: NDArray[np.int64]) -> int:
    """Return how many transfers there are for the bits of some keys: the rows of each level fill whole bytes."""
    return levels * 8 * -(-len(own) // 8)


def _choices(own: NDArray[np.int64], levels: int) -> Bits:
    """Return the bits of keys, highest first, packed level by level."""
    return pack_bits(((own >> np.arange(levels)[::-1, None]) & 1).astype(np.uint8)).reshape(-1)


def _by_level(pads: Words, levels: int, rows: int) -> Words:
    """Return pads by level and row, without those of the padding."""
    return pads.reshape(levels, -1, pads.shape[1])[:, :rows]


def _offered(sender: TransferSender, payload: bytes, levels: int, rows: int, *, blocks: int) -> Words:
    """Return both pads of each transfer, by which of the two, level and row."""
    both = sender.extend(payload).take(levels * 8 * -(-rows // 8), blocks)
    return np.stack([_by_level(each, levels, rows) for each in both])


def _masks(offered: Words, most: int, count: int) -> Bits:
    """Return what masks the entries of each row: that of a key is the sum of the pads of its bits, in its place."""
    levels, rows = offered.shape[1:3]
    length = -(-count * most // 8)
    pads = np.ascontiguousarray(offered).view(np.uint8)[..., :length]
    keys = np.tile(np.arange(most), count)
    mask = np.zeros((rows, length), np.uint8)
    for level in range(levels):
        ones = pack_bits((keys >> (levels - level - 1) & 1).astype(np.uint8))
        mask ^= (pads[0, level] & ~ones) | (pads[1, level] & ones)
    return mask

"""Decide whether the joint rows are k-anonymous: one bit, and nothing about any group.

Problem      each row has a key at each party; decide whether every pair of keys that occurs, occurs in at least `size`
             rows, without revealing the pairs, their sizes or their number.
Method       sorting: the keys of both are shared bit by bit and sorted by Batcher's odd-even merge sort on shared bits.
             Then a group is too small if and only if some row differs from the one before it and also from the one
             `size` - 1 places after it (or there is no such row). The OR of that over all rows is opened.
             counting: if keys are few, a dot product shares the count of every possible pair of keys; the OR of "1 to
             `size` - 1" over all pairs is opened.
             Which of the two is cheaper follows from the number of rows and the largest key, which both know.
Cost         sorting: about n (log n)^2 / 4 comparators, each one AND per bit of a key and one transfer each way to
             swap, in (log n)^2 / 2 stages of one round per bit and two more. counting: keys^2 dot products in few
             rounds.
Departures   jiang2006 uses the test of the DkA framework, which needs n^2 encryptions.
Reference    jiang2006, section 3.2   (docs/papers/jiang2006.md, tests/twoparty/test_engine_groups.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.twoparty.agreement import Role
from discreet.twoparty.gmw import pack_bits, unpack_bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.twoparty.gmw import BitCircuits
    from discreet.twoparty.ring import Ring
    from discreet.twoparty.steps import Steps

    Bits = NDArray[np.uint8]

__all__ = [
    "AND_BYTES",
    "TRANSFER_BYTES",
    "counting_bytes",
    "one_column_per_key",
    "sort_and_compare",
    "sorting_bytes",
    "sorting_stages",
]

AND_BYTES: Final = 32.5
TRANSFER_BYTES: Final = 16


def sorting_bytes(n: int, most: int) -> float:
    """Return the approximate number of bytes for sorting, both ways, for n rows and keys below `most`."""
    levels = max(1, (n - 1).bit_length())
    width = 2 * (most - 1).bit_length()
    comparators = n * levels * (levels - 1) / 4 + n
    return comparators * (width * AND_BYTES + 2 * TRANSFER_BYTES + width / 4) + 2 * n * width * AND_BYTES


def counting_bytes(ring: Ring, most: int) -> float:
    """Return the approximate number of bytes for counting, both ways, for keys below `most`."""
    counted = ring.n * (TRANSFER_BYTES * most + ring.dtype.itemsize * most**2)
    return counted + most**2 * (2 * ring.width + 2) * AND_BYTES


def one_column_per_key(keys: NDArray[np.int64], most: int) -> Bits:
    """Return, for each key below `most`, the rows that have it, as packed bits."""
    return np.stack([pack_bits(keys == key) for key in range(most)])


def sort_and_compare(circuits: BitCircuits, party: Role, keys: NDArray[np.int64], most: int, size: int) -> Steps[bool]:
    """Sort and return whether every pair of keys (the first party's, the second's) has `size` rows, or none.

    `keys` are this party's own, one per row, below `most`.
    """
    n = len(keys)
    if n < size:
        return n == 0
    own = ((keys >> np.arange((most - 1).bit_length())[:, None]) & 1).astype(np.uint8)
    none = np.zeros_like(own)
    shared = np.concatenate([own, none] if party is Role.FIRST else [none, own])
    ordered = yield from _sort(circuits, shared)
    return not (yield from _small_group(circuits, ordered, size))


def sorting_stages(n: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield, for each stage of Batcher's odd-even merge sort, the positions to compare: the lower and the higher."""
    merged = 1
    while merged < n:
        apart = merged
        while apart:
            low = np.arange(apart % merged, n - apart)
            in_turn = (low - apart % merged) // apart % 2 == 0
            in_block = low // (2 * merged) == (low + apart) // (2 * merged)
            low = low[in_turn & in_block]
            yield low, low + apart
            apart //= 2
        merged *= 2


def _sort(circuits: BitCircuits, bits: Bits) -> Steps[Bits]:
    """Sort columns of shared bits as numbers; bits are unpacked, one row per bit, lowest first."""
    n = bits.shape[1]
    packed = [len(bits) * -(-len(low) // 8) for low, _ in sorting_stages(n)]  # bytes of triples per stage
    for number, (low, high) in enumerate(sorting_stages(n)):  # recomputed: all stages together are much larger than n
        yield from circuits.prepare(packed[number], ahead=sum(packed[number + 1 :]))
        left, right = pack_bits(bits[:, low]), pack_bits(bits[:, high])
        swap = yield from circuits.less(right, left)
        moved = unpack_bits((yield from circuits.multiply_bits(swap, left ^ right)), len(low))
        bits[:, low] ^= moved
        bits[:, high] ^= moved
    return bits


def _small_group(circuits: BitCircuits, ordered: Bits, size: int) -> Steps[bool]:
    """Open whether any run of equal columns is shorter than `size`."""
    n = ordered.shape[1]
    fits = n - size  # the last position at which a run may begin
    begins = yield from _differ(circuits, ordered[:, 1:], ordered[:, :-1])  # for positions from 1 on
    ends = yield from _differ(circuits, ordered[:, size - 1 :], ordered[:, : fits + 1])
    short = yield from circuits.both(pack_bits(begins[:fits]), pack_bits(ends[1:]))
    found = pack_bits(np.concatenate([ends[:1], unpack_bits(short, fits), begins[fits:]]))
    opened = yield from circuits.open_bits((yield from circuits.any_at_all(found)), 1)
    return bool(opened[0])


def _differ(circuits: BitCircuits, one: Bits, other: Bits) -> Steps[Bits]:
    """Share whether columns differ, unpacked."""
    packed = pack_bits(one ^ other)
    yield from circuits.prepare(packed.size)
    return unpack_bits((yield from circuits.any_of(packed)), one.shape[1])

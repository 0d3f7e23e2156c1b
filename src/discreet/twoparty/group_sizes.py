"""Share which rows are in large joint groups: one shared bit per row, and nothing opened.

Problem      each row has a key at each party; share for each row whether at least `size` rows have the same pair of
             keys, without revealing the pairs, their sizes, their number, or any of these bits.
Method       sorting: the keys of both are shared bit by bit and sorted by Batcher's odd-even merge sort on shared bits.
             A row is in a large group if and only if it is one of `size` rows in sequence of which the first equals
             the last. The same exchanges in reverse order take these bits back to the order of the rows.
             counting: if keys are few, the number of rows of every possible pair of keys is shared and compared, and
             each row looks its bit up (`key_pairs`).
             Which of the two is cheaper follows from the number of rows and of possible keys, which both know.
Cost         sorting: about n (log n)^2 / 4 comparators, each one AND per bit of a key and one transfer each way to
             swap, there and back, in (log n)^2 / 2 stages of one round per bit and three more. counting: one comparison
             and five ANDs for each pair of keys, and what `key_pairs` costs, in few rounds.
Departures   jiang2006 uses the test of the DkA framework, which needs n^2 encryptions.
Names        the last large group is that of the second party's greatest key and, of those, the first party's.
Reference    jiang2006, section 3.2   (docs/papers/jiang2006.md, tests/twoparty/test_engine_groups.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.stages import tell_share
from discreet.twoparty.agreement import Role
from discreet.twoparty.gmw import pack_bits, unpack_bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.twoparty.gmw import BitCircuits, Controls
    from discreet.twoparty.ring import Ring
    from discreet.twoparty.steps import Steps

    Bits = NDArray[np.uint8]

__all__ = [
    "AND_BYTES",
    "MADE_PER_SENT",
    "TRANSFER_BYTES",
    "counting_bytes",
    "counts_pairs",
    "made_bytes",
    "mark_last",
    "positions_compared",
    "sort_and_mark",
    "sorting_bytes",
    "sorting_stages",
]

AND_BYTES: Final = 32.5
TRANSFER_BYTES: Final = 16
MADE_PER_SENT: Final = 16
"""Bytes of numbers that are made and added up in the time that one byte takes to be sent and used."""
_ROW_BYTES: Final = 3 * AND_BYTES + 2 * (TRANSFER_BYTES + 2)
"""Per row, after either way: which rows have no items, how many are kept, and whether one more group goes."""
_MARKS: Final = 2
"""Bits that go back to each row: whether its group is large, whether it is the last one that is."""


def sorting_bytes(n: int, most: int) -> float:
    """Return the approximate number of bytes for sorting, both ways, for n rows and keys below `most`."""
    levels = max(1, (n - 1).bit_length())
    width = 2 * (most - 1).bit_length()
    comparators = n * levels * (levels - 1) / 4 + n
    return comparators * (width * AND_BYTES + 2 * TRANSFER_BYTES + width / 4) + n * (
        (2 * width + 2 * levels) * AND_BYTES + _ROW_BYTES
    )


def counting_bytes(ring: Ring, most: int) -> float:
    """Return the approximate number of bytes for counting, both ways, for keys below `most`."""
    levels = (most - 1).bit_length()
    per_row = TRANSFER_BYTES * 5 * levels + ring.dtype.itemsize * most + 2 * _MARKS * most / 8 + _ROW_BYTES
    return ring.n * per_row + most**2 * (ring.width + 5) * AND_BYTES


def made_bytes(ring: Ring, most: int) -> float:
    """Return how many bytes of numbers each party makes to count, for keys below `most`."""
    return float(ring.n * most * ring.blocks(most) * TRANSFER_BYTES)


def counts_pairs(ring: Ring, most: int) -> bool:
    """Return whether pairs of keys are counted rather than sorted: what takes less time over most links.

    To make and add up numbers takes about a sixteenth of the time that it takes to send, hash and use as many bytes.
    """
    return counting_bytes(ring, most) + made_bytes(ring, most) / MADE_PER_SENT < sorting_bytes(ring.n, most)


def sort_and_mark(circuits: BitCircuits, party: Role, keys: NDArray[np.int64], most: int, size: int) -> Steps[Bits]:
    """Share for each row whether its group has `size` rows, and whether it is in the last such group; packed.

    `keys` are this party's own, one per row, below `most`.
    """
    own = ((keys >> np.arange((most - 1).bit_length())[:, None]) & 1).astype(np.uint8)
    none = np.zeros_like(own)
    bits = np.concatenate([own, none] if party is Role.FIRST else [none, own])
    n = len(keys)
    stages = list(sorting_stages(n))
    packed = [len(bits) * -(-len(positions_compared(n, *stage)[0]) // 8) for stage in stages]  # bytes of triples
    swaps: list[Controls] = []
    for number, stage in enumerate(stages):
        tell_share(number / (len(stages) + 1))
        low, high = positions_compared(n, *stage)  # computed again: those of all stages are much larger than n
        yield from circuits.prepare(packed[number], ahead=sum(packed[number + 1 :]))
        left, right = pack_bits(bits[:, low]), pack_bits(bits[:, high])
        swaps.append((yield from circuits.controls((yield from circuits.less(right, left)), len(bits) + _MARKS)))
        yield from _swap(swaps[-1], bits, low, high)
    marks = yield from _marks(circuits, bits, size)
    for stage, swap in zip(reversed(stages), reversed(swaps), strict=True):
        yield from _swap(swap, marks, *positions_compared(n, *stage))
    return pack_bits(marks)


def sorting_stages(n: int) -> Iterator[tuple[int, int]]:
    """Yield the stages of Batcher's odd-even merge sort: the length of what is merged, and how far apart to compare."""
    merged = 1
    while merged < n:
        apart = merged
        while apart:
            yield merged, apart
            apart //= 2
        merged *= 2


def positions_compared(n: int, merged: int, apart: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions that one stage compares: the lower and the higher."""
    low = np.arange(apart % merged, n - apart)
    in_turn = (low - apart % merged) // apart % 2 == 0
    in_block = low // (2 * merged) == (low + apart) // (2 * merged)
    low = low[in_turn & in_block]
    return low, low + apart


def mark_last(circuits: BitCircuits, large: Bits, begins: Bits) -> Steps[Bits]:
    """Share whether each place is in the last of the large runs: large, and none that begins later is; unpacked."""
    count = len(large)
    starts = unpack_bits((yield from circuits.both(pack_bits(large), pack_bits(begins))), count)
    later = yield from _any_later(circuits, starts)
    return unpack_bits((yield from circuits.both(pack_bits(large), circuits.invert(pack_bits(later)))), count)


def _any_later(circuits: BitCircuits, bits: Bits) -> Steps[Bits]:
    """Share for each bit whether any later one is 1: first after each pair, then after each of the two; unpacked."""
    later = np.zeros_like(bits)
    if len(bits) > 1:
        second = bits[1::2]
        pairs = bits[::2].copy()
        pairs[: len(second)] = yield from _either(circuits, pairs[: len(second)], second)
        after = yield from _any_later(circuits, pairs)
        later[1::2] = after[: len(second)]
        later[::2] = after
        later[: 2 * len(second) : 2] = yield from _either(circuits, second, after[: len(second)])
    return later


def _swap(swap: Controls, bits: Bits, low: NDArray[np.int64], high: NDArray[np.int64]) -> Steps[None]:
    """Exchange columns of unpacked bits where the shared bit says so."""
    moved = unpack_bits((yield from swap.multiply(pack_bits(bits[:, low] ^ bits[:, high]))), len(low))
    bits[:, low] ^= moved
    bits[:, high] ^= moved


def _marks(circuits: BitCircuits, ordered: Bits, size: int) -> Steps[Bits]:
    """Share whether each column of ordered bits is one of `size` equal ones, and in the last run of them; unpacked."""
    n = ordered.shape[1]
    one = circuits.invert(np.zeros(1, np.uint8)) & 1
    begins = np.concatenate([one, (yield from _differ(circuits, ordered[:, 1:], ordered[:, :-1]))])
    full = (
        yield from _differ(circuits, ordered[:, size - 1 :], ordered[:, : n - size + 1])
    ) ^ one  # a window, from here
    large = np.concatenate([np.zeros(size - 1, np.uint8), full, np.zeros(size - 1, np.uint8)])
    reach = 1  # `large` says of a place whether any of the `reach` windows from it on is full
    while reach < size:
        step = min(reach, size - reach)
        large = yield from _either(circuits, large[: len(large) - step], large[step:])
        reach += step
    return np.stack([large, (yield from mark_last(circuits, large, begins))])


def _differ(circuits: BitCircuits, one: Bits, other: Bits) -> Steps[Bits]:
    """Share whether columns differ, unpacked."""
    packed = pack_bits(one ^ other)
    yield from circuits.prepare(packed.size)
    return unpack_bits((yield from circuits.any_of(packed)), one.shape[1])


def _either(circuits: BitCircuits, one: Bits, other: Bits) -> Steps[Bits]:
    """OR of unpacked bits."""
    return unpack_bits((yield from circuits.any_of(np.stack([pack_bits(one), pack_bits(other)]))), len(one))

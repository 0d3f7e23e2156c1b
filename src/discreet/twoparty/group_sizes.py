"""Share which rows are in large joint groups: one shared bit per row, and nothing opened.

Problem      each row has a key at each party; share for each row whether at least `size` rows have the same pair of
             keys, without revealing the pairs, their sizes, their number, or any of these bits.
Method       sorting: the keys of both are shared bit by bit and sorted by Batcher's odd-even merge sort on shared bits.
             A row is in a large group if and only if it is one of `size` rows in sequence of which the first equals
             the last. The same exchanges in reverse order take these bits back to the order of the rows.
             counting: if keys are few, a dot product shares the number of rows of every possible pair of keys; the bit
             of each row is looked up by ANDing a row of one party's share with the other party's key.
             Which of the two is cheaper follows from the number of rows and of possible keys, which both know.
Cost         sorting: about n (log n)^2 / 4 comparators, each one AND per bit of a key and one transfer each way to
             swap, there and back, in (log n)^2 / 2 stages of one round per bit and three more. counting: keys^2 dot
             products, and 4 ANDs per row and key, in few rounds.
Departures   jiang2006 uses the test of the DkA framework, which needs n^2 encryptions.
Names        the last large group is that of the second party's greatest key and, of those, the first party's.
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

    from discreet.twoparty.gmw import BitCircuits, Controls
    from discreet.twoparty.ring import Ring
    from discreet.twoparty.steps import Steps

    Bits = NDArray[np.uint8]

__all__ = [
    "AND_BYTES",
    "TRANSFER_BYTES",
    "counting_bytes",
    "look_up",
    "mark_last",
    "one_column_per_key",
    "positions_compared",
    "sort_and_mark",
    "sorting_bytes",
    "sorting_stages",
]

AND_BYTES: Final = 32.5
TRANSFER_BYTES: Final = 16
_MARKS: Final = 2
"""Bits that go back to each row: whether its group is large, whether it is the last one that is."""
_AT_ONCE: Final = 1 << 24
"""Bits looked up per batch."""


def sorting_bytes(n: int, most: int) -> float:
    """Return the approximate number of bytes for sorting, both ways, for n rows and keys below `most`."""
    levels = max(1, (n - 1).bit_length())
    width = 2 * (most - 1).bit_length()
    comparators = n * levels * (levels - 1) / 4 + n
    return comparators * (width * AND_BYTES + 2 * TRANSFER_BYTES + width / 4) + n * (2 * width + 2 * levels) * AND_BYTES


def counting_bytes(ring: Ring, most: int) -> float:
    """Return the approximate number of bytes for counting, both ways, for keys below `most`."""
    counted = ring.n * (TRANSFER_BYTES * most + ring.dtype.itemsize * most**2)
    return counted + (most**2 * (ring.width + 2 * most.bit_length()) + 4 * ring.n * most) * AND_BYTES


def one_column_per_key(keys: NDArray[np.int64], most: int) -> Bits:
    """Return, for each key below `most`, the rows that have it, as packed bits."""
    return np.stack([pack_bits(keys == key) for key in range(most)])


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


def look_up(circuits: BitCircuits, party: Role, keys: NDArray[np.int64], tables: Bits) -> Steps[Bits]:
    """Share the entry of each row's pair of keys in tables of shared bits; packed.

    `tables` is this party's share, unpacked, by table, own key and partner's key. Each party knows which line of its
    own share to look in, and the partner knows the place in it: one AND for every place of either share.
    """
    count, most = tables.shape[:2]
    found = np.zeros((count, -(-len(keys) // 8)), np.uint8)
    at_once = max(1, _AT_ONCE // (2 * count * len(keys)))
    for start in range(0, most, at_once):
        places = np.arange(start, min(most, start + at_once))
        mine = pack_bits(tables[:, keys][:, :, places].transpose(2, 0, 1))
        asked = np.repeat(pack_bits(keys == places[:, None])[:, None], count, axis=1)
        own = np.stack([mine, asked] if party is Role.FIRST else [asked, mine])
        none = np.zeros_like(own)
        entries = yield from circuits.both(*((own, none) if party is Role.FIRST else (none, own)))
        found ^= np.bitwise_xor.reduce(entries.reshape(-1, *found.shape), axis=0)
    return found


def mark_last(circuits: BitCircuits, large: Bits, begins: Bits) -> Steps[Bits]:
    """Share whether each place is in the last of the large runs: large, and none that begins later is; unpacked."""
    count = len(large)
    later = unpack_bits((yield from circuits.both(pack_bits(large), pack_bits(begins))), count)
    later = np.append(later[1:], np.uint8(0))
    apart = 1
    while apart < count:
        later[: count - apart] = yield from _either(circuits, later[: count - apart], later[apart:])
        apart *= 2
    return unpack_bits((yield from circuits.both(pack_bits(large), circuits.invert(pack_bits(later)))), count)


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

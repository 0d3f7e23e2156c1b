"""Prove that the columns of itemsets are made of the columns of their items, without showing a bit of them.

Problem      a party is bound to the bits of a column for each of its itemsets: they are its choices of transfers. Show
             the partner that in every row the bit of an itemset is the AND of the bits of two smaller ones.
Method       for each choice x the prover has a row t and the verifier a row q = t + x s in GF(2^128), s the verifier's
             secret. For x z = y in all rows, q_x q_z + q_y s = t_x t_z + (x t_z + z t_x + t_y) s: linear in s. Both
             sides hash these by a polynomial; the prover sends the two coefficients, masked by 128 more rows, and the
             verifier compares (QuickSilver: Yang, Sarkar, Weng and Wang 2021).
Promises     with one wrong bit the difference is quadratic in s, and the proof passes with a probability of less than
             2^-90 for up to 2^36 bits. The verifier learns nothing, whatever it sends: it sends nothing.
Cost         32 bytes, and three multiplications in GF(2^128) per row and itemset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from discreet import _kernel
from discreet.twoparty.primitives import digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets

    Rows = NDArray[np.uint64]

__all__ = ["MASKS", "PROOF_LENGTH", "check_columns", "parts_of", "prove_columns"]

MASKS: Final = 128
"""Rows with random choices that a proof uses up."""
PROOF_LENGTH: Final = 32
_X: Final = np.array([2] + [0] * 15, np.uint8)
"""The element x of the field."""


def parts_of(itemsets: Itemsets, labels: int) -> NDArray[np.int64]:
    """Return, for each itemset of two or more items: itself without its last item, that item, and itself, by number.

    The itemsets are in canonical order, closed under subsets, with every label as a single item.
    """
    less = _kernel.one_item_less(itemsets, labels).astype(np.int64)
    several = np.flatnonzero(itemsets.lengths > 1)
    last = itemsets.offsets[several + 1] - 1
    return np.stack([less[last], itemsets.items[last].astype(np.int64), several], axis=1)


def prove_columns(
    rows: Rows,
    bits: NDArray[np.uint8],
    parts: NDArray[np.int64],
    *,
    masks: Rows,
    masking: NDArray[np.uint8],
    seed: bytes,
) -> bytes:
    """Return the proof: `rows` and `bits` by column and row, `masks` and their choices `masking` for the mask."""
    constant = _hash(masks, _X)
    slope = _hash(np.stack([masking.astype(np.uint64), np.zeros(len(masking), np.uint64)], axis=1), _X)
    for number, (one, other, both) in enumerate(parts.tolist()):
        point = _point(seed, number)
        constant ^= _hash(_product(rows[one], rows[other]), point)
        crossed = bits[one][:, None] * rows[other] ^ bits[other][:, None] * rows[one] ^ rows[both]
        slope ^= _hash(crossed, point)
    return constant.tobytes() + slope.tobytes()


def check_columns(
    rows: Rows, secret: Rows, parts: NDArray[np.int64], *, masks: Rows, seed: bytes, proof: bytes
) -> bool:
    """Return whether the proof holds for the verifier's rows, by column and row, and its secret."""
    constant, slope = np.frombuffer(proof, np.uint64).reshape(2, 2)
    expected, times_secret = _hash(masks, _X), slope.copy()
    for number, (one, other, both) in enumerate(parts.tolist()):
        point = _point(seed, number)
        expected ^= _hash(_product(rows[one], rows[other]), point)
        times_secret ^= _hash(rows[both], point)
    return bool((expected == constant ^ _product(times_secret, secret)).all())


def _point(seed: bytes, number: int) -> NDArray[np.uint8]:
    return np.frombuffer(digest(seed, number.to_bytes(8, "big"), domain=b"column-proof"), np.uint8)[:16]


def _hash(blocks: Rows, point: NDArray[np.uint8]) -> Rows:
    flat = np.ascontiguousarray(blocks).view(np.uint8).reshape(-1)
    return _kernel.hash_columns(flat, count=1, key=point).view(np.uint64)


def _product(one: Rows, other: Rows) -> Rows:
    flat = (np.ascontiguousarray(each).reshape(-1) for each in (one, other))
    return _kernel.multiply_elements(*flat).reshape(one.shape)

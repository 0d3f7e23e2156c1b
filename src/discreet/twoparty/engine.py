"""The engine interface of the protocols, and the engine that computes on shares with oblivious transfers alone.

A protocol never sees a secret; it holds shares and calls the engine to compute on them. Five calls suffice: share dot
products, compare shares with a public number, find out whether any share lies in an interval, find out whether every
group of equal keys is large enough, open shares. Each is a generator of steps (`steps.Steps`), run on both sides in the
same order with the same public arguments.

`tests/twoparty_plaintext.py` implements the same calls as the ideal functionality, on plain arithmetic or, if
installed, on SecretFlow's SPU (`tests/twoparty_spu.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from discreet.twoparty.agreement import Role
from discreet.twoparty.dot_products import share_dot_products
from discreet.twoparty.gmw import BitCircuits, pack_bits, unpack_bits
from discreet.twoparty.group_sizes import counting_bytes, one_column_per_key, sort_and_compare, sorting_bytes
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import set_up_transfers
from discreet.twoparty.steps import exchange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.twoparty.oblivious_transfer import Transfers
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.steps import Steps

__all__ = ["Engine", "TransferEngine", "start_transfer_engine"]

_AT_ONCE: Final = 1 << 16
"""Numbers compared per batch."""


class Engine(Protocol):
    """Computing on shares; both parties make the same calls in the same order."""

    @property
    def ring(self) -> Ring:
        """The ring that shares are numbers of."""

    def share_dot_products(self, columns: NDArray[np.uint8], pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Share, for each pair (first party's column, second party's column), the number of rows with a 1 in both.

        `columns` are this party's own bits, packed, one column per row of the matrix.
        """

    def at_least(self, shares: SecretShares, threshold: int) -> Steps[NDArray[np.bool_]]:
        """Open, for each shared count, whether it is `threshold` or more, and nothing else."""

    def any_in_interval(self, shares: SecretShares, low: int, high: int) -> Steps[NDArray[np.bool_]]:
        """Open, for each row of a matrix of shared counts, whether any lies in low .. high - 1, but not which."""

    def every_group_reaches(self, keys: NDArray[np.int64], most: int, size: int) -> Steps[bool]:
        """Open whether every pair of keys (mine, the partner's) that occurs has at least `size` rows.

        `keys` are this party's own, one per row, below `most` on both sides.
        """

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Reveal the shared counts to both parties."""


class TransferEngine:
    """The engine on oblivious transfers: correlated ones for sums, circuits on shared bits for comparisons."""

    def __init__(self, ring: Ring, transfers: Transfers) -> None:
        self.ring = ring
        self._transfers = transfers
        self._leads = transfers.party is Role.FIRST
        self._circuits = BitCircuits(transfers)

    def share_dot_products(self, columns: NDArray[np.uint8], pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Share the number of rows with a 1 in both columns of each pair."""
        return share_dot_products(self._transfers, self.ring, columns, pairs)

    def at_least(self, shares: SecretShares, threshold: int) -> Steps[NDArray[np.bool_]]:
        """Open whether each shared count is `threshold` or more."""
        opened = [np.zeros(0, bool)]
        for start in range(0, len(shares), _AT_ONCE):
            batch = shares[start : start + _AT_ONCE]
            below = yield from self._below(batch, threshold)
            opened.append(~(yield from self._circuits.open_bits(below, len(batch))))
        return np.concatenate(opened)

    def any_in_interval(self, shares: SecretShares, low: int, high: int) -> Steps[NDArray[np.bool_]]:
        """Open whether any count of each row lies in low .. high - 1."""
        opened = [np.zeros(0, bool)]
        at_once = max(1, _AT_ONCE // shares.shape[1])
        for start in range(0, len(shares), at_once):
            batch = shares[start : start + at_once]
            folding = batch.shape[1] * -(-len(batch) // 8)
            inside = yield from self._inside(batch.reshape(-1), low, high, ahead=folding)
            answers = pack_bits(unpack_bits(inside, batch.size).reshape(batch.shape).T)
            any_inside = yield from self._circuits.any_of(answers)
            opened.append((yield from self._circuits.open_bits(any_inside, len(batch))))
        return np.concatenate(opened)

    def every_group_reaches(self, keys: NDArray[np.int64], most: int, size: int) -> Steps[bool]:
        """Open whether every group of equal pairs of keys has at least `size` rows."""
        if sorting_bytes(len(keys), most) < counting_bytes(self.ring, most):
            return (yield from sort_and_compare(self._circuits, self._transfers.party, keys, most, size))
        pairs = np.stack(np.divmod(np.arange(most**2), most), axis=1)
        counts = yield from self.share_dot_products(one_column_per_key(keys, most), pairs)
        inside = yield from self._inside(counts, 1, size, ahead=-(-len(counts) // 8))
        small = yield from self._circuits.any_at_all(inside)
        return not (yield from self._circuits.open_bits(small, 1))[0]

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Reveal the shared counts to both parties."""
        payload = shares.astype(self.ring.dtype).tobytes()
        theirs = np.frombuffer((yield from exchange(MessageKind.FINAL_SHARES, payload, len(payload))), self.ring.dtype)
        opened: NDArray[np.int64] = (shares + theirs).astype(np.int64)
        return opened

    def _less(self, shares: SecretShares, number: int) -> SecretShares:
        """Subtract a public number, limited to the range of counts: only the first party does it."""
        reachable = self.ring.dtype.type(min(number, self.ring.n + 1))
        less: SecretShares = shares - reachable if self._leads else shares
        return less

    def _inside(self, shares: SecretShares, low: int, high: int, *, ahead: int) -> Steps[NDArray[np.uint8]]:
        """Share whether each count lies in low .. high - 1, packed; triples are made for `ahead` more bytes."""
        numbers = np.stack([self._less(shares, low), self._less(shares, high)])
        sign = yield from self._signs(numbers, ahead=-(-len(shares) // 8) + ahead)
        return (yield from self._circuits.both(self._circuits.invert(sign[0]), sign[1]))

    def _below(self, shares: SecretShares, number: int) -> Steps[NDArray[np.uint8]]:
        return self._signs(self._less(shares, number))

    def _signs(self, shares: SecretShares, *, ahead: int = 0) -> Steps[NDArray[np.uint8]]:
        """Share the sign bit of each number, packed along the last axis; triples are made for `ahead` more bytes."""
        bits = self.ring.bits(shares)
        yield from self._circuits.prepare(bits[1:].size + ahead)
        signs: NDArray[np.uint8] = bits[-1] ^ (yield from self._circuits.carry(bits[:-1]))
        return signs


def start_transfer_engine(party: Role, ring: Ring, session_id: bytes) -> Steps[TransferEngine]:
    """Run the base transfers; return the engine built on them."""
    return TransferEngine(ring, (yield from set_up_transfers(party, session_id)))

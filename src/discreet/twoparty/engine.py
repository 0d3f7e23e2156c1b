"""The engine interface of the protocols, and the engine that computes on shares with oblivious transfers alone.

A protocol never sees a secret; it holds shares and calls the engine to compute on them. Five calls suffice for
IC-SAPM: bring one's columns, share supports of pairs of them, compare shares with a public number, find out whether any
share lies in an interval, open shares. DkA-SAPM has three more: share dot products of any columns, share which rows are
in large groups of equal keys, open shares of bits. Each is a generator of steps (`steps.Steps`), run on both sides in
the same order with the same public arguments.

`tests/twoparty_plaintext.py` implements the same calls as the ideal functionality, on plain arithmetic or, if
installed, on SecretFlow's SPU (`tests/twoparty_spu.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from discreet.errors import InternalFault
from discreet.stages import tell
from discreet.twoparty.agreement import Role
from discreet.twoparty.commitments import reveal
from discreet.twoparty.dot_products import among_kept, share_dot_products
from discreet.twoparty.gmw import BitCircuits, pack_bits, unpack_bits
from discreet.twoparty.group_sizes import counts_pairs, mark_last, sort_and_mark
from discreet.twoparty.key_pairs import count_pairs, look_up
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.oblivious_transfer import set_up_transfers
from discreet.twoparty.ring import Ring

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.twoparty.local_itemsets import ItemsetNames, LocalItemsets
    from discreet.twoparty.oblivious_transfer import Transfers
    from discreet.twoparty.ring import SecretShares
    from discreet.twoparty.steps import Steps

__all__ = ["Engine", "GroupingEngine", "TransferEngine", "start_transfer_engine"]

_AT_ONCE: Final = 1 << 16
"""Numbers compared per batch."""


class Engine(Protocol):
    """Computing on shares; both parties make the same calls in the same order. Shares can be added and subtracted."""

    def public(self, numbers: NDArray[np.int64]) -> SecretShares:
        """Return shares of numbers that both parties know: the same call on both sides."""

    def bring(
        self, own: LocalItemsets, partner: ItemsetNames, min_support: int
    ) -> Steps[tuple[SecretShares, SecretShares]]:
        """Take each party's columns; return shares of the supports of the first's itemsets, and of the second's.

        An engine that can tell refuses an itemset that has fewer than `min_support` rows.
        """

    def share_supports(self, pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Share the number of rows with both itemsets of each pair: a first party's and a second's, numbered from 1."""

    def at_least(self, shares: SecretShares, threshold: int) -> Steps[NDArray[np.bool_]]:
        """Open, for each shared count, whether it is `threshold` or more, and nothing else."""

    def any_in_interval(self, shares: SecretShares, low: int, high: int) -> Steps[NDArray[np.bool_]]:
        """Open, for each row of a matrix of shared counts, whether any lies in low .. high - 1, but not which."""

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Reveal the shared counts to both parties."""


class GroupingEngine(Engine, Protocol):
    """An engine that also finds the rows in large joint groups, and counts only rows that a shared bit marks."""

    @property
    def ring(self) -> Ring:
        """The ring that shares are numbers of."""

    def share_dot_products(self, columns: NDArray[np.uint8], pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Share, for each pair (first party's column, second party's column), the number of rows with a 1 in both.

        `columns` are this party's own bits, packed, one column per row of the matrix.
        """

    def share_kept(self, keys: NDArray[np.int64], most: int, size: int) -> Steps[NDArray[np.uint8]]:
        """Share one bit per row, packed: its pair of keys (mine, the partner's) has `size` rows, and is not (0, 0).

        The rows without the bit are none, or `size` or more: if they would be fewer, the last large group (by the
        second party's key, then the first's) loses the bit too. A bit is the XOR of both shares; nothing is opened.
        `keys` are this party's own, one per row, below `most` on both sides; there are at least `size` of them.
        """

    def open_bits(self, bits: NDArray[np.uint8], count: int) -> Steps[NDArray[np.bool_]]:
        """Reveal the first `count` shared bits to both parties."""


class TransferEngine:
    """The engine on oblivious transfers: correlated ones for sums, circuits on shared bits for comparisons."""

    def __init__(self, ring: Ring, transfers: Transfers) -> None:
        self.ring = ring
        self._transfers = transfers
        self._leads = transfers.party is Role.FIRST
        self._circuits = BitCircuits(transfers)
        self._own: LocalItemsets | None = None

    def public(self, numbers: NDArray[np.int64]) -> SecretShares:
        """Return shares of numbers that both know: the first party holds all of each."""
        return (numbers if self._leads else np.zeros_like(numbers)).astype(self.ring.dtype)

    def bring(
        self, own: LocalItemsets, partner: ItemsetNames, min_support: int
    ) -> Steps[tuple[SecretShares, SecretShares]]:
        """Keep this party's columns; the owner of an itemset holds its whole support, and nothing is sent."""
        del min_support
        yield from ()
        self._own = own
        shares = own.supports.astype(self.ring.dtype), np.zeros(len(partner), self.ring.dtype)
        return shares if self._leads else shares[::-1]

    def share_supports(self, pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Share the number of rows with both itemsets of each pair."""
        if self._own is None:
            raise InternalFault("no columns were brought")
        numbers = [np.unique(side) for side in pairs.T]
        within = np.stack([np.searchsorted(each, side) for each, side in zip(numbers, pairs.T, strict=True)], axis=1)
        columns = self._own.columns(numbers[self._transfers.party - 1] - 1)
        return self.share_dot_products(columns, within)

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

    def share_kept(self, keys: NDArray[np.int64], most: int, size: int) -> Steps[NDArray[np.uint8]]:
        """Share which rows are in groups of `size` and not (0, 0), packed; the others are none, or `size` or more."""
        circuits, party, n = self._circuits, self._transfers.party, len(keys)
        if counts_pairs(Ring(n), most):
            large, last = yield from self._count_and_mark(keys, most, size)
        else:
            large, last = yield from sort_and_mark(circuits, party, keys, most, size)
        nothing, none = pack_bits(keys == 0), np.zeros(-(-n // 8), np.uint8)
        nowhere = yield from circuits.both(*((nothing, none) if self._leads else (none, nothing)))
        kept = yield from circuits.both(large, circuits.invert(nowhere))
        tell("checking that no few rows are left")
        everybody = pack_bits(np.ones(n, np.uint8))[None]
        count = yield from self.share_dot_products(among_kept(everybody, kept, party), np.zeros((1, 2), np.int64))
        left = (n if self._leads else 0) - count
        too_few = unpack_bits((yield from self._inside(left, 1, size, ahead=0)), 1)
        dropped = yield from circuits.both(last, np.full_like(last, 255 * too_few[0]))
        return pack_bits(unpack_bits(kept ^ dropped, n))

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Reveal the shared counts to both parties."""
        payload = shares.astype(self.ring.dtype).tobytes()
        opened_by_partner = yield from reveal(MessageKind.FINAL_SHARES, payload, self._transfers.party)
        theirs = np.frombuffer(opened_by_partner, self.ring.dtype)
        opened: NDArray[np.int64] = (shares + theirs).astype(np.int64)
        return opened

    def open_bits(self, bits: NDArray[np.uint8], count: int) -> Steps[NDArray[np.bool_]]:
        """Reveal the first `count` shared bits to both parties."""
        return self._circuits.open_bits(bits, count)

    def _count_and_mark(self, keys: NDArray[np.int64], most: int, size: int) -> Steps[NDArray[np.uint8]]:
        """Share what `sort_and_mark` does, from the number of rows of every possible pair of keys."""
        counts = yield from count_pairs(self._transfers, self.ring, keys, most)
        large = unpack_bits(self._circuits.invert((yield from self._below(counts, size))), most**2)
        each = unpack_bits(self._circuits.invert(pack_bits(np.zeros_like(large))), most**2)
        marks = np.stack([large, (yield from mark_last(self._circuits, large, each))]).reshape(2, most, most)
        tables = marks.transpose(0, 2, 1) if self._leads else marks
        return (yield from look_up(self._transfers, keys, tables))

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

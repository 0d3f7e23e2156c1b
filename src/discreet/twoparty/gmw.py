"""Boolean circuits on many shared bits at once (Goldreich, Micali, Wigderson 1987).

Problem      each party holds a share of many bits; a bit is the XOR of its two shares. Compute on them.
Method       XOR is local. AND consumes a shared random triple (a, b, ab), made from one random oblivious transfer in
             each direction, and opens the inputs masked by a and b. `controls` ANDs one bit with many at the cost
             of one correlated transfer in each direction.
Promises     a triple is used once: it is removed from the pool. Everything sent is masked by fresh random bits, except
             in `open_bits`.
Cost         32 bytes and 4 bits per AND, half of it each way; one round per layer of ANDs.
Names        bits are packed, eight per byte, lowest first; `width` bits of many numbers are a matrix of bytes, one row
             per bit of the number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.errors import InternalFault
from discreet.twoparty.agreement import Role
from discreet.twoparty.commitments import reveal
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.primitives import random_bits
from discreet.twoparty.steps import exchange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.twoparty.oblivious_transfer import Transfers
    from discreet.twoparty.steps import Steps

    Bits = NDArray[np.uint8]

__all__ = ["BitCircuits", "Controls", "lowest_bits", "pack_bits", "unpack_bits"]

_BATCH: Final = 1 << 15
"""Bytes of packed triples made per batch: 4 MiB each way."""


def pack_bits(flags: NDArray[np.bool_] | NDArray[np.uint8]) -> Bits:
    """Pack zeros and ones along the last axis, eight per byte, lowest bit first."""
    return np.packbits(flags, axis=-1, bitorder="little")


def unpack_bits(packed: Bits, count: int) -> NDArray[np.uint8]:
    """Unpack `count` zeros and ones along the last axis."""
    return np.unpackbits(packed, axis=-1, count=count, bitorder="little")


class _Triples:
    """A queue of shared random triples, each used once."""

    def __init__(self) -> None:
        self._stock = np.empty((3, 0), np.uint8)

    def __len__(self) -> int:
        return self._stock.shape[1]

    def add(self, triples: Bits) -> None:
        self._stock = np.concatenate([self._stock, triples], axis=1)

    def take(self, length: int) -> Bits:
        if length > len(self):
            raise InternalFault(f"{length} bytes of triples are wanted where {len(self)} are left")
        taken, self._stock = self._stock[:, :length], self._stock[:, length:]
        return taken


class BitCircuits:
    """One party's side of circuits on shared bits."""

    def __init__(self, transfers: Transfers, *, leads: bool | None = None) -> None:
        self._party = transfers.party
        self._leads = transfers.party is Role.FIRST if leads is None else leads  # one party does what only one may do
        self._sender = transfers.sender
        self._receiver = transfers.receiver
        self._triples = _Triples()

    def invert(self, bits: Bits) -> Bits:
        """NOT: one of the two parties flips its share."""
        return ~bits if self._leads else bits

    def prepare(self, length: int, *, ahead: int = 0) -> Steps[None]:
        """Make triples until there are at least `length` bytes of them, in whole batches if `ahead` more are needed."""
        while (batch := self.missing(length, ahead)) > 0:
            choices = random_bits(batch)
            columns, chosen = self._receiver.extend(choices)
            theirs = yield from exchange(MessageKind.EXTENSION, columns, len(columns))
            zero, one = (lowest_bits(pads) for pads in self._sender.extend(theirs).take(8 * batch))
            got = lowest_bits(chosen.take(8 * batch))
            left = zero ^ one
            self.add_triples(left, choices, (left & choices) ^ zero ^ got)

    def missing(self, length: int, ahead: int) -> int:
        """Return how many bytes of triples to make next, 0 if there are `length`."""
        there = len(self._triples)
        return 0 if there >= length else min(length + ahead - there, _BATCH)

    def add_triples(self, left: Bits, right: Bits, product: Bits) -> None:
        """Keep shares of random triples for later."""
        self._triples.add(np.stack([left, right, product]))

    def combine(self, kind: MessageKind, bits: Bits) -> Steps[Bits]:
        """Return the XOR of what both say: masked bits, or opened ones, to which both commit first."""
        if kind is MessageKind.OPENED_BITS:
            payload = yield from reveal(kind, bits.tobytes(), self._party)
        else:
            payload = yield from exchange(kind, bits.tobytes(), bits.nbytes)
        return bits ^ np.frombuffer(payload, np.uint8).reshape(bits.shape)

    def both(self, one: Bits, other: Bits) -> Steps[Bits]:
        """AND, bit by bit."""
        yield from self.prepare(one.size)
        left, right, product = (part.reshape(one.shape) for part in self._triples.take(one.size))
        masked = np.stack([one ^ left, other ^ right])
        masked = yield from self.combine(MessageKind.AND_OPENINGS, masked)
        result: Bits = product ^ (masked[0] & right) ^ (masked[1] & left)
        if self._leads:
            result ^= masked[0] & masked[1]
        return result

    def any_of(self, bits: Bits) -> Steps[Bits]:
        """OR along the first axis, pairwise."""
        none = self.invert(bits)
        while len(none) > 1:
            half = len(none) // 2
            rest = none[2 * half :]
            none = np.concatenate([(yield from self.both(none[:half], none[half : 2 * half])), rest])
        return self.invert(none[0])

    def carry(self, own: Bits) -> Steps[Bits]:
        """Return the carry out of the sum of two numbers, one from each party, as matrices of bits, lowest first.

        The next carry is the majority of two bits and the previous carry: one AND per bit.
        """
        carry: Bits = np.zeros_like(own[0])
        for bit in own:
            with_bit = bit ^ carry
            first, second = (with_bit, carry) if self._leads else (carry, with_bit)
            carry ^= yield from self.both(first, second)
        return carry

    def less(self, one: Bits, other: Bits) -> Steps[Bits]:
        """Compare two shared numbers, as matrices of bits, lowest first: 1 if the first is less."""
        borrow: Bits = np.zeros_like(one[0])
        for bit, against in zip(one, other, strict=True):
            borrow ^= yield from self.both(self.invert(bit) ^ borrow, against ^ borrow)
        return borrow

    def controls(self, control: Bits, width: int) -> Steps[Controls]:
        """Prepare to AND each control bit with `width` bits, at once or in parts."""
        columns, chosen = self._receiver.extend(control)
        theirs = yield from exchange(MessageKind.EXTENSION, columns, len(columns))
        count, blocks = 8 * len(control), -(-width // 128)
        zero, one = (_bits_of(pads, width) for pads in self._sender.extend(theirs).take(count, blocks))
        return Controls(control, np.stack([zero, one, _bits_of(chosen.take(count, blocks), width)]))

    def open_bits(self, bits: Bits, count: int) -> Steps[NDArray[np.bool_]]:
        """Reveal the first `count` bits to each other."""
        shown = pack_bits(unpack_bits(bits, count))  # the padding of the last byte is not sent
        opened = yield from self.combine(MessageKind.OPENED_BITS, shown)
        return unpack_bits(opened, count).astype(bool)


class Controls:
    """Shared bits to be multiplied with columns of bits; every bit of a pad masks one of them."""

    def __init__(self, control: Bits, pads: Bits) -> None:
        self._control = control
        self._pads = pads  # both of the sender's, and the receiver's: one row per bit

    def multiply(self, values: Bits) -> Steps[Bits]:
        """AND: `values` is a matrix, one row per bit, one column per control bit."""
        width = len(values)
        if width > self._pads.shape[1]:
            raise InternalFault(f"{width} bits are to be multiplied where {self._pads.shape[1]} are prepared")
        (zero, one, got), self._pads = self._pads[:, :width], self._pads[:, width:].copy()
        corrections = zero ^ one ^ values
        payload = yield from exchange(MessageKind.CORRECTIONS, corrections.tobytes(), corrections.nbytes)
        received = np.frombuffer(payload, np.uint8).reshape(values.shape)
        product: Bits = (self._control & values) ^ zero ^ got ^ (self._control & received)
        return product


def lowest_bits(pads: NDArray[np.uint64]) -> Bits:
    """Return the lowest bit of each pad, packed."""
    return pack_bits((pads[:, 0] & 1).astype(np.uint8))


def _bits_of(pads: NDArray[np.uint64], width: int) -> Bits:
    """Return the first bits of each pad as a packed matrix, one row per bit."""
    rows = np.unpackbits(pads.view(np.uint8), axis=1, count=width, bitorder="little")
    return pack_bits(np.ascontiguousarray(rows.T))

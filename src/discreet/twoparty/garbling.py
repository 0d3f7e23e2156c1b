"""Garbled circuits: one party prepares a circuit on bits of both, the other evaluates it and learns no bit.

Problem      the evaluator holds one of two labels for each of its bits, which the garbler knows both of; let it come to
             labels of a circuit's outputs, without learning any bit in between.
Method       the two labels of a wire differ by one secret of the garbler (free XOR, Kolesnikov and Schneider 2008). An
             AND is two half gates (Zahur, Rosulek and Evans 2015), 16 bytes each. The lowest bit of a label says which
             row of a gate to use, so the secret's lowest bit is 1. A bit that the garbler alone knows costs nothing:
             the evaluator's label is zero, and the garbler counts it as that of the one or the other.
Promises     whatever the evaluator does, it knows one label per wire; a label of the other value is as hard to guess as
             the secret. A number tweaks the hash of each half gate once. Nothing holds if the garbler cheats: what it
             sends could be any circuit. `dual_engine` compares two of them for that.
Cost         32 bytes, four hashes for the garbler and two for the evaluator, per AND; no round.
Names        `labels` are arrays of two words per wire: of the garbler, those for the bit 0; of the evaluator, the ones
             it holds. A circuit is a function of `Gates`, which both sides run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InternalFault

if TYPE_CHECKING:
    from discreet.twoparty.primitives import RowHash

__all__ = ["AND_BYTES", "Evaluator", "Garbler", "Gates", "WireLabels", "any_of", "below", "lowest"]

AND_BYTES: Final = 32
_WORDS: Final = 2

WireLabels: TypeAlias = NDArray[np.uint64]
"""Two words for each wire along the last axis."""


class Gates(Protocol):
    """One side of a garbled circuit; XOR of wires is XOR of labels, on both sides."""

    def invert(self, labels: WireLabels) -> WireLabels:
        """NOT."""

    def known(self, bits: NDArray[np.uint8]) -> WireLabels:
        """Return labels for bits that the garbler knows; the evaluator passes any bits of the same shape."""

    def both(self, one: WireLabels, other: WireLabels) -> WireLabels:
        """AND."""


class Garbler:
    """The side that prepares a circuit; `tables` is what the evaluator needs."""

    def __init__(self, secret: NDArray[np.uint64], row_hash: RowHash, first: int) -> None:
        """Start with the difference of two labels, and the number of the first half gate."""
        self._secret = secret
        self._hash = row_hash
        self.made = first
        self.tables: list[bytes] = []

    def invert(self, labels: WireLabels) -> WireLabels:
        """NOT: the label for 0 becomes the one for 1."""
        return labels ^ self._secret

    def known(self, bits: NDArray[np.uint8]) -> WireLabels:
        """Return labels for bits that the garbler knows: that of the actual bit is zero."""
        labels: WireLabels = bits[..., None] * self._secret
        return labels

    def both(self, one: WireLabels, other: WireLabels) -> WireLabels:
        """AND, by two half gates."""
        left, right = one.reshape(-1, _WORDS), other.reshape(-1, _WORDS)
        of_left = [self._hashed(each, self.made) for each in (left, left ^ self._secret)]
        of_right = [self._hashed(each, self.made + len(left)) for each in (right, right ^ self._secret)]
        self.made += 2 * len(left)
        table_left = of_left[0] ^ of_left[1] ^ _where(right, self._secret)
        table_right = of_right[0] ^ of_right[1] ^ left
        self.tables.append(np.concatenate([table_left, table_right]).tobytes())
        result = of_left[0] ^ _where(left, table_left) ^ of_right[0] ^ _where(right, table_right ^ left)
        return result.reshape(one.shape)

    def _hashed(self, labels: WireLabels, first: int) -> WireLabels:
        return self._hash.pads(labels, first=first, blocks=1)


class Evaluator:
    """The side that evaluates a circuit from the garbler's tables."""

    def __init__(self, tables: bytes, row_hash: RowHash, first: int) -> None:
        """Start with all tables, and the number of the first half gate."""
        self._tables = np.frombuffer(tables, np.uint64).reshape(-1, _WORDS)
        self._hash = row_hash
        self.made = first
        self._used = 0

    def invert(self, labels: WireLabels) -> WireLabels:
        """NOT: the garbler alone changes its mind."""
        return labels

    def known(self, bits: NDArray[np.uint8]) -> WireLabels:
        """Return labels for bits that the garbler knows."""
        return np.zeros((*bits.shape, _WORDS), np.uint64)

    def both(self, one: WireLabels, other: WireLabels) -> WireLabels:
        """AND, by two half gates."""
        left, right = one.reshape(-1, _WORDS), other.reshape(-1, _WORDS)
        count = len(left)
        table_left, table_right = self._tables[self._used : self._used + 2 * count].reshape(2, count, _WORDS)
        self._used += 2 * count
        result = self._hash.pads(left, first=self.made, blocks=1) ^ _where(left, table_left)
        result ^= self._hash.pads(right, first=self.made + count, blocks=1) ^ _where(right, table_right ^ left)
        self.made += 2 * count
        return result.reshape(one.shape)

    def finish(self) -> None:
        """Check that every table was used."""
        if self._used != len(self._tables):
            raise InternalFault(f"{len(self._tables)} tables came where {self._used} were used")


def below(gates: Gates, own: WireLabels, numbers: NDArray[np.uint64]) -> WireLabels:
    """Return whether each of the evaluator's numbers is less than the garbler's, as signed numbers of few bits.

    `own` are labels of the evaluator's bits, lowest first along the first axis; `numbers` is known to the garbler. Of
    their difference modulo 2^bits, the sign is returned: one AND for every bit but the last.
    """
    borrow: WireLabels = np.zeros_like(own[0])
    others = [gates.known((numbers >> np.uint64(place) & np.uint64(1)).astype(np.uint8)) for place in range(len(own))]
    for bit, other in zip(own[:-1], others[:-1], strict=True):
        borrow = borrow ^ gates.both(gates.invert(bit) ^ borrow, other ^ borrow)
    sign: WireLabels = own[-1] ^ others[-1] ^ borrow
    return sign


def any_of(gates: Gates, labels: WireLabels) -> WireLabels:
    """OR along the first axis, pairwise."""
    none = gates.invert(labels)
    while len(none) > 1:
        half = len(none) // 2
        none = np.concatenate([gates.both(none[:half], none[half : 2 * half]), none[2 * half :]])
    return gates.invert(none[0])


def lowest(labels: WireLabels) -> NDArray[np.uint8]:
    """Return the lowest bit of each label."""
    return (labels[..., 0] & np.uint64(1)).astype(np.uint8)


def _where(chosen: WireLabels, labels: WireLabels) -> WireLabels:
    """Return labels where the lowest bit of `chosen` is 1, zero elsewhere."""
    return (chosen[..., :1] & np.uint64(1)) * labels

"""The ideal functionality: the calls of an engine answered by someone whom both parties trust.

For tests, and as the definition that the security argument compares the real engine with. Two engines that share
a `TrustedParty` in one process hand it their inputs and get their outputs; the messages between them are empty and only
keep the two in step. It cannot be used between two processes.

What the trusted party computes is an `Arithmetic` on both inputs: plainly, or by another library (`twoparty_spu`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import InternalFault
from discreet.twoparty.agreement import Role
from discreet.twoparty.gmw import pack_bits, unpack_bits
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.steps import exchange

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.twoparty.local_itemsets import ItemsetNames, LocalItemsets
    from discreet.twoparty.ring import Ring, SecretShares
    from discreet.twoparty.steps import Steps

__all__ = ["Arithmetic", "PlaintextEngine", "TrustedParty"]


class Arithmetic:
    """What there is to compute on the inputs of both parties, in plain sight."""

    def count_both(self, first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Count the rows in which both of two columns of bits have a 1, pair by pair."""
        both = first & second
        return np.asarray(unpack_bits(both, 8 * both.shape[1]).sum(axis=1, dtype=np.int64))

    def at_least(self, first: SecretShares, second: SecretShares, threshold: int) -> NDArray[np.bool_]:
        """Say of each sum of two shares whether it is `threshold` or more."""
        return np.asarray(first + second >= threshold)

    def any_in_interval(self, first: SecretShares, second: SecretShares, low: int, high: int) -> NDArray[np.bool_]:
        """Say of each row of sums of shares whether any lies in low .. high - 1."""
        counts = first + second
        return np.asarray(((counts >= low) & (counts < high)).any(axis=1))

    def kept(self, first: NDArray[np.int64], second: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
        """Say of each row whether `size` rows have its pair of keys, which is not (0, 0); the others are never few."""
        pairs = list(zip(second.tolist(), first.tolist(), strict=True))
        large = {pair for pair, count in Counter(pairs).items() if count >= size and any(pair)}
        if 0 < sum(pair not in large for pair in pairs) < size:
            large.remove(max(large))
        return np.array([pair in large for pair in pairs])


class TrustedParty:
    """Takes what both hand in and answers both alike; shares are drawn from a seed, so that a test can be repeated."""

    def __init__(self, seed: int = 0, arithmetic: Arithmetic | None = None) -> None:
        """Begin with nothing handed in."""
        self.arithmetic = arithmetic or Arithmetic()
        self._random = np.random.default_rng(seed)
        self._inputs: dict[tuple[int, Role], NDArray[Any]] = {}
        self._answers: dict[int, Any] = {}

    def hand_in(self, call: int, party: Role, given: NDArray[Any]) -> None:
        """Take one party's input to a call."""
        self._inputs[call, party] = given

    def answer(self, call: int, question: Callable[[NDArray[Any], NDArray[Any]], Any]) -> Any:  # any call's
        """Compute on both inputs, once for both parties."""
        if call not in self._answers:
            self._answers[call] = question(self._inputs[call, Role.FIRST], self._inputs[call, Role.SECOND])
        return self._answers[call]

    def split(self, counts: NDArray[np.int64], ring: Ring) -> tuple[SecretShares, SecretShares]:
        """Split counts into random shares."""
        mask = self._random.integers(0, 2**32, counts.shape).astype(ring.dtype)
        return mask, counts.astype(ring.dtype) - mask

    def split_bits(self, bits: NDArray[np.bool_]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Split bits into random shares, packed."""
        mask = self._random.integers(0, 2, bits.shape).astype(bool)
        return pack_bits(mask), pack_bits(mask ^ bits)

    def start_engine(self, party: Role, ring: Ring, session_id: bytes) -> Steps[PlaintextEngine]:
        """Give an engine for one party; nothing has to be set up."""
        del session_id
        yield from ()
        return PlaintextEngine(self, party, ring)


class PlaintextEngine:
    """One party's door to the trusted party."""

    def __init__(self, trusted: TrustedParty, party: Role, ring: Ring) -> None:
        """Stand between a party and whom it trusts."""
        self.ring = ring
        self._trusted = trusted
        self._party = party
        self._call = 0

    def _ask(self, given: NDArray[Any], question: Callable[[Any, Any], Any]) -> Steps[Any]:
        self._call += 1
        self._trusted.hand_in(self._call, self._party, given)
        yield from exchange(MessageKind.AND_OPENINGS, b"", 0)
        return self._trusted.answer(self._call, question)

    def public(self, numbers: NDArray[np.int64]) -> SecretShares:
        """Return shares of numbers that both know."""
        return (numbers if self._party is Role.FIRST else np.zeros_like(numbers)).astype(self.ring.dtype)

    def bring(
        self, own: LocalItemsets, partner: ItemsetNames, min_support: int
    ) -> Steps[tuple[SecretShares, SecretShares]]:
        """Take columns; the owner of an itemset holds its whole support."""
        del min_support
        yield from ()
        self._own = own
        shares = own.supports.astype(self.ring.dtype), np.zeros(len(partner), self.ring.dtype)
        return shares if self._party is Role.FIRST else shares[::-1]

    def share_supports(self, pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Share how many rows have both itemsets of each pair."""
        return self.share_dot_products(self._own.columns(np.arange(len(self._own.names))), pairs - 1)

    def share_dot_products(self, columns: NDArray[np.uint8], pairs: NDArray[np.int64]) -> Steps[SecretShares]:
        """Share how many rows have both columns of each pair."""

        def question(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> tuple[SecretShares, SecretShares]:
            counts = self._trusted.arithmetic.count_both(first[pairs[:, 0]], second[pairs[:, 1]])
            return self._trusted.split(counts, self.ring)

        shares: SecretShares = (yield from self._ask(columns, question))[self._party - 1]
        return shares

    def at_least(self, shares: SecretShares, threshold: int) -> Steps[NDArray[np.bool_]]:
        """Open whether each shared count is `threshold` or more."""
        compare = self._trusted.arithmetic.at_least
        opened: NDArray[np.bool_] = yield from self._ask(shares, lambda one, other: compare(one, other, threshold))
        return opened

    def any_in_interval(self, shares: SecretShares, low: int, high: int) -> Steps[NDArray[np.bool_]]:
        """Open whether any count of each row lies in low .. high - 1."""
        find = self._trusted.arithmetic.any_in_interval
        opened: NDArray[np.bool_] = yield from self._ask(shares, lambda one, other: find(one, other, low, high))
        return opened

    def share_kept(self, keys: NDArray[np.int64], most: int, size: int) -> Steps[NDArray[np.uint8]]:
        """Share which rows are in groups of `size` and not (0, 0), packed; the others are none, or `size` or more."""
        if keys.max() >= most:
            raise InternalFault(f"keys must be below {most}")
        kept = self._trusted.arithmetic.kept
        shares: tuple[NDArray[np.uint8], NDArray[np.uint8]] = yield from self._ask(
            keys, lambda one, other: self._trusted.split_bits(kept(one, other, size))
        )
        return shares[self._party - 1]

    def open_bits(self, bits: NDArray[np.uint8], count: int) -> Steps[NDArray[np.bool_]]:
        """Show both parties the shared bits."""
        opened: NDArray[np.bool_] = yield from self._ask(
            bits, lambda one, other: unpack_bits(one ^ other, count).astype(bool)
        )
        return opened

    def open(self, shares: SecretShares) -> Steps[NDArray[np.int64]]:
        """Show both parties the shared counts."""
        opened: NDArray[np.int64] = yield from self._ask(shares, lambda one, other: (one + other).astype(np.int64))
        return opened

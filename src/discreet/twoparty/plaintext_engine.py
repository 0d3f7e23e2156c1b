"""The ideal functionality: the calls of an engine answered by someone whom both parties trust.

For tests, and as the definition that the security argument compares the real engine with. Two engines that share
a `TrustedParty` in one process hand it their inputs and get their outputs; the frames between them are empty and only
keep the two in step. It cannot be used between two processes.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.twoparty.frames import FrameKind
from discreet.twoparty.gmw import unpack_bits
from discreet.twoparty.parameters import Party
from discreet.twoparty.steps import exchange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.twoparty.ring import Ring, Shares
    from discreet.twoparty.steps import Steps

__all__ = ["PlaintextEngine", "TrustedParty"]


class TrustedParty:
    """Takes what both hand in; shares are drawn from a seed, so that a test can be repeated."""

    def __init__(self, seed: int = 0) -> None:
        """Begin with nothing handed in."""
        self._random = np.random.default_rng(seed)
        self._inputs: dict[tuple[int, Party], NDArray[Any]] = {}
        self._masks: dict[int, NDArray[Any]] = {}

    def hand_in(self, call: int, party: Party, given: NDArray[Any]) -> None:
        """Take one party's input to a call."""
        self._inputs[call, party] = given

    def inputs(self, call: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Give both inputs, the first party's first."""
        return self._inputs[call, Party.FIRST], self._inputs[call, Party.SECOND]

    def mask(self, call: int, like: NDArray[Any]) -> NDArray[Any]:
        """Give random numbers, the same to whoever asks for the same call."""
        if call not in self._masks:
            self._masks[call] = self._random.integers(0, 2**32, like.shape).astype(like.dtype)
        return self._masks[call]

    def start_engine(self, party: Party, ring: Ring, session_id: bytes) -> Steps[PlaintextEngine]:
        """Give an engine for one party; nothing has to be set up."""
        del session_id
        yield from ()
        return PlaintextEngine(self, party, ring)


class PlaintextEngine:
    """One party's door to the trusted party."""

    def __init__(self, trusted: TrustedParty, party: Party, ring: Ring) -> None:
        """Stand between a party and whom it trusts."""
        self.ring = ring
        self._trusted = trusted
        self._party = party
        self._call = 0

    def _meet(self, given: NDArray[Any]) -> Steps[tuple[NDArray[Any], NDArray[Any]]]:
        self._call += 1
        self._trusted.hand_in(self._call, self._party, given)
        yield from exchange(FrameKind.AND_OPENINGS, b"", 0)
        return self._trusted.inputs(self._call)

    def share_dot_products(self, columns: NDArray[np.uint8], pairs: NDArray[np.int64]) -> Steps[Shares]:
        """Share how many rows have both columns of each pair."""
        first, second = yield from self._meet(columns)
        both = first[pairs[:, 0]] & second[pairs[:, 1]]
        counts = unpack_bits(both, 8 * both.shape[1]).sum(axis=1).astype(self.ring.dtype)
        mask = self._trusted.mask(self._call, counts)
        return mask if self._party is Party.FIRST else counts - mask

    def at_least(self, shares: Shares, threshold: int) -> Steps[NDArray[np.bool_]]:
        """Open whether each shared count is `threshold` or more."""
        first, second = yield from self._meet(shares)
        return np.asarray(first + second >= threshold)

    def any_in_interval(self, shares: Shares, low: int, high: int) -> Steps[NDArray[np.bool_]]:
        """Open whether any count of each row lies in low .. high - 1."""
        first, second = yield from self._meet(shares)
        counts = first + second
        return np.asarray(((counts >= low) & (counts < high)).any(axis=1))

    def every_group_reaches(self, keys: NDArray[np.int64], most: int, size: int) -> Steps[bool]:
        """Open whether every group of equal pairs of keys has at least `size` rows."""
        first, second = yield from self._meet(keys)
        pairs = Counter(zip(first.tolist(), second.tolist(), strict=True))
        if max(first.max(), second.max()) >= most:
            raise RuntimeError(f"keys must be below {most}")
        return min(pairs.values()) >= size

    def open(self, shares: Shares) -> Steps[NDArray[np.int64]]:
        """Show both parties the shared counts."""
        first, second = yield from self._meet(shares)
        opened: NDArray[np.int64] = (first + second).astype(np.int64)
        return opened

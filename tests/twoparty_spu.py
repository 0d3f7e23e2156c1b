"""SecretFlow SPU behind the same engine calls, to compare results with: another team's cryptography, the same answers.

Where SPU is installed (`pip install spu`, in an environment of its own: it needs an older NumPy), `SpuArithmetic` takes
the place of plain arithmetic in a `twoparty_plaintext.TrustedParty`: every sum, comparison and test of groups runs as
a two-party computation of SPU's (CHEETAH, 64-bit ring; its 32-bit ring is not exact), both sides in this process. For
differential tests on small data; between two processes `engine.TransferEngine` is what is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import EngineError
from discreet.twoparty.gmw import unpack_bits
from tests.twoparty_plaintext import Arithmetic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.twoparty.ring import SecretShares

__all__ = ["SpuArithmetic"]


class SpuArithmetic(Arithmetic):
    """The same computations, by SPU."""

    def __init__(self) -> None:
        """Start two simulated parties."""
        try:
            import jax
            from spu import libspu
            from spu.utils import simulation
        except ImportError as error:
            raise EngineError(
                "SPU is not installed; install it in an environment of its own (pip install '.[twoparty]' spu), "
                "or use another engine"
            ) from error
        jax.config.update("jax_enable_x64", True)
        parties = simulation.Simulator.simple(2, libspu.ProtocolKind.CHEETAH, libspu.FieldType.FM64)

        def run(computation: Callable[..., Any], *inputs: NDArray[Any]) -> NDArray[Any]:
            if not inputs[0].size:
                return np.asarray(computation(*inputs))
            return np.asarray(simulation.sim_jax(parties, computation)(*(each.astype(np.int64) for each in inputs)))

        self._run = run

    def count_both(self, first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Count the rows in which both of two columns of bits have a 1, pair by pair."""
        bits = (unpack_bits(each, 8 * each.shape[1]) for each in (first, second))
        return self._run(lambda one, other: (one * other).sum(axis=1), *bits).astype(np.int64)

    def at_least(self, first: SecretShares, second: SecretShares, threshold: int) -> NDArray[np.bool_]:
        """Say of each sum of two shares whether it is `threshold` or more."""
        mask = _mask(first)
        return self._run(lambda one, other: ((one + other) & mask) >= threshold, first, second).astype(bool)

    def any_in_interval(self, first: SecretShares, second: SecretShares, low: int, high: int) -> NDArray[np.bool_]:
        """Say of each row of sums of shares whether any lies in low .. high - 1."""
        mask = _mask(first)

        def inside(one: Any, other: Any) -> Any:  # arrays of jax
            counts = (one + other) & mask
            return ((counts >= low) & (counts < high)).any(axis=1)

        return self._run(inside, first, second).astype(bool)

    def kept(self, first: NDArray[np.int64], second: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
        """Say of each row whether it is kept: every row is compared with every other."""

        def keep(one: Any, other: Any) -> Any:  # arrays of jax
            keys = other * len(first) + one
            large = ((keys[:, None] == keys[None, :]).sum(axis=1) >= size) & (keys > 0)
            left = (~large).sum()
            last = (keys * large).max()
            return large & ~((left > 0) & (left < size) & (keys == last))

        return self._run(keep, first, second).astype(bool)


def _mask(shares: SecretShares) -> int:
    """Give the bits of the ring: shares are added modulo a power of two."""
    return int(np.iinfo(shares.dtype).max)

"""The ring of shares: whole numbers modulo a power of two, large enough for counts of n rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InternalFault
from discreet.twoparty.agreement import MOST_ROWS

__all__ = ["Ring", "SecretShares"]

SecretShares: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""One party's shares: numbers of a ring; the sum with the partner's share is the value."""

_MOST_ROWS_IN_16_BITS: Final = 2**15 - 1
_BLOCK: Final = 16  # bytes of a pad


@dataclass(frozen=True, slots=True)
class Ring:
    """The ring for counts between 0 and n: 16 bits up to 32,767 rows, 32 bits beyond.

    Comparisons use only the lowest `width` bits: enough for any difference of two counts and its sign.
    """

    n: int
    dtype: np.dtype[Any] = field(init=False)
    width: int = field(init=False)

    def __post_init__(self) -> None:
        """Derive dtype and width from n."""
        if not 0 <= self.n <= MOST_ROWS:
            raise InternalFault(f"no ring for {self.n} rows")
        object.__setattr__(self, "dtype", np.dtype("<u2" if self.n <= _MOST_ROWS_IN_16_BITS else "<u4"))
        object.__setattr__(self, "width", self.n.bit_length() + 1)

    def blocks(self, count: int) -> int:
        """Return how many blocks of a pad `count` numbers need."""
        return -(-count * self.dtype.itemsize // _BLOCK)

    def numbers(self, pads: NDArray[np.uint64], count: int) -> SecretShares:
        """Read the first `count` numbers of every pad."""
        return pads.view(self.dtype)[:, :count]

    def bits(self, shares: SecretShares) -> NDArray[np.uint8]:
        """Return the lowest `width` bits of each number, lowest first along a new first axis, packed along the last."""
        places = np.arange(self.width, dtype=self.dtype).reshape(-1, *(1 for _ in shares.shape))
        return np.packbits(((shares >> places) & self.dtype.type(1)).astype(np.uint8), axis=-1, bitorder="little")

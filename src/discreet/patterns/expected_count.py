"""How many itemsets there will be, guessed while mining is under way, so that the hopeless is refused in seconds.

Problem      a table of fifty columns can have more itemsets than any machine holds. Mining until the limit is reached
             takes minutes, and ends in a refusal all the same.
Method       the closed itemsets of a higher support are among those of a lower one, so counting them there, up to a
             limit, gives exact lower counts. Their growth from one support to the next is continued to the support
             that was asked for.
Promises     nothing that can be mined within the limit is refused as long as counts do not grow a hundred times less
             than they did; on public data the guess was 1 to 30 times the count. The limit itself stays exact.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MARGIN", "MOST_PROBED", "Watcher", "expected_count"]

PATIENCE = 3.0
"""Seconds of mining before a guess is made."""

MARGIN = 100
"""How many times the limit must be exceeded by a guess."""

PROBES = (95, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 2, 1)
"""Supports, in per cent of the rows, at which itemsets are counted."""

MOST_PROBED = 1_000_000
_FEWEST = 100


class Watcher:
    """Passes progress on, and makes one guess after some seconds."""

    def __init__(self, guess: Callable[[], None], progress: Callable[[float, int], object] | None) -> None:
        self._guess = guess
        self._progress = progress
        self._start = time.monotonic()
        self._guessed = False

    def __call__(self, share: float, found: int) -> None:
        """Take a report of the kernel."""
        if self._progress is not None:
            self._progress(share, found)
        if not self._guessed and time.monotonic() - self._start >= PATIENCE:
            self._guessed = True
            self._guess()


def expected_count(count: Callable[[int], int | None], sigma: int, n: int) -> tuple[int, int, int] | None:
    """Return a guess at how many itemsets there are, and the support and the count that it rests on.

    `count` returns how many itemsets there are at a support, or None if there are more than `MOST_PROBED`. None if
    there is too little to go by.
    """
    known: list[tuple[int, int]] = []
    for share in PROBES:
        support = -(-n * share // 100)
        if support <= sigma:
            break
        found = count(support)
        if found is None:
            break
        if found >= _FEWEST:
            known.append((support, found))
    if len(known) < 2:  # noqa: PLR2004 - growth is between two
        return None
    (higher, fewer), (lower, more) = known[-2:]
    growth = math.log(more / fewer) / math.log(higher / lower)
    exponent = min(60.0, math.log10(more) + growth * math.log10(lower / sigma))
    return int(10**exponent), lower, more

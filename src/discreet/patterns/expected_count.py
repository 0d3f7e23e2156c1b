"""How many itemsets there will be, guessed while mining is under way, so that the hopeless is refused in seconds.

Problem      a table of fifty columns can have more itemsets than any machine holds. Mining until the limit is reached
             takes minutes, and ends in a refusal all the same.
Method       the closed itemsets of a higher support are among those of a lower one, so counting them there, up to a
             limit, gives exact lower counts. Their growth from one support to the next is continued to the support
             that was asked for. Mining of which more than a quarter is done by then is left to come to its end.
Promises     nothing that can be mined within the limit is refused as long as counts do not grow a hundred times less
             than they did; on public data the guess was 1 to 30 times the count. A first guess after a moment rests on
             fewer itemsets and was up to 100,000 times too high, so it refuses only what exceeds the limit a million
             million times. The limit itself stays exact.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["STAGES", "Stage", "Watcher", "expected_count"]


@dataclass(frozen=True, slots=True)
class Stage:
    """When a guess is made, what it may rest on, and how sure it has to be."""

    patience: float
    """Seconds of mining before it."""

    most_probed: int
    """The most itemsets that are counted at one support."""

    margin: int
    """How many times the limit must be exceeded."""


STAGES = (Stage(0.3, 100_000, 10**12), Stage(3.0, 1_000_000, 100))
"""In ascending order of patience."""

PROBES = (95, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 2, 1)
"""Supports, in per cent of the rows, at which itemsets are counted."""

_FEWEST = 100
_WELL_ON_ITS_WAY = 0.25
"""A share of the work. What is hopeless has done a tenth of it at most when a guess is due, on public data."""


class Watcher:
    """Passes progress on, and makes a guess at every stage."""

    def __init__(self, guess: Callable[[Stage], None], progress: Callable[[float, int], object] | None) -> None:
        self._guess = guess
        self._progress = progress
        self._start = time.monotonic()
        self._stages = list(STAGES)

    def __call__(self, share: float, found: int) -> None:
        """Take a report of the kernel."""
        if self._progress is not None:
            self._progress(share, found)
        if self._stages and time.monotonic() - self._start >= self._stages[0].patience:
            stage = self._stages.pop(0)
            if share < _WELL_ON_ITS_WAY:
                self._guess(stage)


def expected_count(count: Callable[[int], int | None], sigma: int, n: int) -> tuple[int, int, int] | None:
    """Return a guess at how many itemsets there are, and the support and the count that it rests on.

    `count` returns how many itemsets there are at a support, or None if there are too many to be counted. None
    if there is too little to go by.
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

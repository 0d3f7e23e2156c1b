"""Block channels by raising supports.

Problem      given the closed itemsets of a data set, its maximal channels and k, raise supports so that no channel is
             left, as if rows had been added, and as little as possible.
Method       atzori2008, Algorithm 3: k virtual rows equal to a closed itemset H block a channel (I, J) when H contains
             I and nothing else of J. Merging channels (Definition 17) is the case where H is one of the bases.
Promises     no channel is left; no itemset is lost or gained, closed ones stay closed; every support grows by a
             multiple of k; never more virtual rows than the paper's plain merging.
Cost         candidates times channels, and a bounded search.
Departures   the paper merges in whatever order the channels come; here every closed itemset is a candidate, a greedy
             cover is improved, and up to 64 channels are covered exactly. `merging="paper"` gives the plain order.
Names        H -> virtual row;  C_I^J merged with C_H^L -> merged channel.
Reference    atzori2008   (docs/papers/atzori2008.md, tests/papers/test_blocking.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.channel import Itemsets
from discreet.patterns.canonical import newness, sorting_order

if TYPE_CHECKING:
    from discreet.channels.channel import Channels
    from discreet.patterns.patternset import PatternSet

__all__ = ["VirtualRows", "choose_virtual_rows"]

_MOST_STEPS = 2_000_000


@dataclass(frozen=True, eq=False)
class VirtualRows:
    """Itemsets that k virtual rows each are equal to, and how many plain merging would have needed."""

    itemsets: Itemsets
    plain: int

    def __len__(self) -> int:
        """Return how many different ones there are."""
        return len(self.itemsets)


def choose_virtual_rows(
    closed: PatternSet, channels: Channels, candidates: Itemsets, *, paper: bool = False
) -> VirtualRows:
    """Choose candidates that together block all channels; every channel must have one."""
    fulls = Itemsets(*_kernel.select_rows(channels.fulls.offsets, channels.fulls.items, channels.which))
    merged = _kernel.merge_in_order(channels.bases.offsets, channels.bases.items, fulls.offsets, fulls.items)
    plain = _distinct(Itemsets(*merged), len(closed.vocabulary))
    if paper:
        return VirtualRows(plain, len(plain))
    chosen = _kernel.cover_channels(
        candidates.offsets,
        candidates.items,
        channels.bases.offsets,
        channels.bases.items,
        fulls.offsets,
        fulls.items,
        _MOST_STEPS,
    )
    if len(chosen) > len(plain) and _all_listed(plain, candidates, len(closed.vocabulary)):
        return VirtualRows(plain, len(plain))
    found = _kernel.select_rows(candidates.offsets, candidates.items, np.array(chosen, np.int64))
    return VirtualRows(Itemsets(*found), len(plain))


def _all_listed(itemsets: Itemsets, candidates: Itemsets, labels: int) -> bool:
    """Say whether all are candidates."""
    places = np.arange(1, len(candidates) + 1)
    found = _kernel.find_supports(
        itemsets.offsets, itemsets.items, candidates.offsets, candidates.items, places, labels
    )
    return bool(((found > 0) | (np.diff(itemsets.offsets) == 0)).all())


def _distinct(itemsets: Itemsets, labels: int) -> Itemsets:
    """Return each itemset once, in canonical order."""
    order = sorting_order(itemsets.offsets, itemsets.items, labels)
    offsets, items = _kernel.select_rows(itemsets.offsets, itemsets.items, order)
    return Itemsets(*_kernel.select_rows(offsets, items, np.flatnonzero(newness(offsets, items))))

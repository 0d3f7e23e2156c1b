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

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.channel import Channels
    from discreet.patterns.patternset import PatternSet

__all__ = ["VirtualRows", "choose_virtual_rows", "merge_in_order"]

_MOST_STEPS = 2_000_000


@dataclass(frozen=True, eq=False)
class VirtualRows:
    """Itemsets that k virtual rows each are equal to, and how many plain merging would have needed."""

    itemsets: Itemsets
    plain: int

    def __len__(self) -> int:
        """Return how many different ones there are."""
        return len(self.itemsets)


def choose_virtual_rows(closed: PatternSet, channels: Channels, *, paper: bool = False) -> VirtualRows:
    """Choose closed itemsets that together block all channels."""
    plain = merge_in_order(channels)
    plain_rows = _as_itemsets(
        sorted((_items_of(base) for base in {base for base, _ in plain}), key=lambda x: (len(x), x))
    )
    if paper:
        return VirtualRows(plain_rows, len(plain))
    candidates = Itemsets(np.concatenate([[0], closed.offsets]).astype(np.int64), closed.items)  # the empty one too
    offsets, items = _kernel.select_rows(channels.fulls.offsets, channels.fulls.items, channels.which)
    chosen = _kernel.cover_channels(
        candidates.offsets,
        candidates.items,
        channels.bases.offsets,
        channels.bases.items,
        offsets,
        items,
        _MOST_STEPS,
    )
    if len(chosen) > len(plain_rows):
        return VirtualRows(plain_rows, len(plain))
    found = _kernel.select_rows(candidates.offsets, candidates.items, np.array(chosen, np.int64))
    return VirtualRows(Itemsets(*found), len(plain))


def merge_in_order(channels: Channels) -> list[tuple[int, int]]:
    """Merge the channels as Algorithm 3 prints it: each with the first one it can be merged with.

    Bases and full sets are given and returned as bits of one number each: bit i stands for item i.
    """
    merged: list[tuple[int, int]] = []
    fulls = [_as_bits(channels.fulls[number]) for number in range(len(channels.fulls))]
    for number, which in enumerate(channels.which.tolist()):
        base, full = _as_bits(channels.bases[number]), fulls[which]
        for place, (other_base, other_full) in enumerate(merged):
            if _mergeable(base, full, other_base) or _mergeable(other_base, other_full, base):
                del merged[place]
                merged.append((base | other_base, full | other_full))
                break
        else:
            merged.append((base, full))
    return merged


def _mergeable(base: int, full: int, other_base: int) -> bool:
    return base & other_base == base and not other_base & full & ~base


def _as_bits(items: NDArray[np.int32]) -> int:
    return sum(1 << item for item in items.tolist())


def _items_of(bits: int) -> list[int]:
    return [item for item in range(bits.bit_length()) if bits >> item & 1]


def _as_itemsets(sets: list[list[int]]) -> Itemsets:
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.int64)
    return Itemsets(offsets, np.array([item for one in sets for item in one], np.int32))

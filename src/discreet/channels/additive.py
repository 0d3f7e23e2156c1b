"""Block channels by raising supports.

Problem      given the closed itemsets of a data set, its maximal channels and k, raise supports as little as
             possible, as if rows had been added, so that no channel is left.
Method       atzori2008, Algorithm 3: k virtual rows equal to a closed itemset H block a channel (I, J) if H contains
             I and nothing else of J. Merging channels (Definition 17) is the case where H is one of the bases.
Promises     no channel is left; no itemset is lost or gained; closed ones stay closed; every support grows by a
             multiple of k; never more virtual rows than the paper's plain merging.
Cost         candidates times channels, and a bounded search.
Departures   the paper merges channels in the order they are found. Here every closed itemset is a candidate: a greedy
             cover is improved, and up to 64 channels are covered exactly. `merging="paper"` uses the paper's order.
Names        H -> virtual row;  C_I^J merged with C_H^L -> merged channel.
Reference    atzori2008   (docs/papers/atzori2008.md, tests/papers/test_blocking.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.errors import TooManyPatterns
from discreet.itemsets import Itemsets
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from discreet.channels.channel import Channels

__all__ = ["VirtualRows", "choose_virtual_rows", "raised", "with_rows", "without_new_itemsets"]

_MOST_STEPS = 2_000_000


@dataclass(frozen=True, eq=False)
class VirtualRows:
    """The itemsets of the virtual rows, k rows for each, and how many itemsets plain merging would have needed."""

    itemsets: Itemsets
    plain: int

    def __len__(self) -> int:
        """Return the number of distinct virtual rows."""
        return len(self.itemsets)


def choose_virtual_rows(
    closed: PatternSet, channels: Channels, candidates: Itemsets, *, paper: bool = False
) -> VirtualRows:
    """Choose candidates that together block all channels; every channel must have at least one."""
    fulls = channels.fulls.select(channels.which)
    plain = Itemsets(*_kernel.merge_in_order(channels.bases, fulls)).distinct()
    if paper:
        return VirtualRows(plain, len(plain))
    chosen = _kernel.cover_channels(candidates, channels.bases, fulls, _MOST_STEPS)
    if len(chosen) > len(plain) and _all_listed(plain, candidates, len(closed.vocabulary)):
        return VirtualRows(plain, len(plain))
    return VirtualRows(candidates.select(np.array(chosen, np.int64)), len(plain))


def _all_listed(itemsets: Itemsets, candidates: Itemsets, labels: int) -> bool:
    """Return whether all itemsets are among the candidates."""
    places = np.arange(1, len(candidates) + 1)
    found = itemsets.supports_in(candidates, places, labels)
    return bool(((found > 0) | (itemsets.lengths == 0)).all())


def without_new_itemsets(
    rows: Transactions | None, closed: PatternSet, virtual: Itemsets, more: Itemsets, k: int
) -> Itemsets:
    """Return the virtual rows, and as many of `more` as can be added without making another itemset frequent.

    `rows` are the distinct rows; None if virtual rows are closed itemsets, which make no other itemset frequent.
    """

    def fits(itemsets: Itemsets) -> bool:
        if rows is None:
            return True
        safe = raised(closed, itemsets, k)
        witness = with_rows(rows, itemsets, k)
        try:
            return mine(witness, min_support=safe.min_support, target="closed", max_patterns=len(safe) + 1) == safe
        except TooManyPatterns:
            return False

    if not len(more) or fits(virtual.followed_by(more)):
        return virtual.followed_by(more)
    for number in range(len(more)):
        one = more.select(np.array([number]))
        if fits(virtual.followed_by(one)):
            virtual = virtual.followed_by(one)
    return virtual


def raised(closed: PatternSet, virtual: Itemsets, k: int) -> PatternSet:
    """Return the closed itemsets as if k rows equal to each virtual row had been added."""
    more = closed.itemsets.count_in(virtual, None, len(closed.vocabulary))
    return PatternSet.unchecked(
        itemsets=closed.itemsets,
        supports=closed.supports + k * more,
        vocabulary=closed.vocabulary,
        n=closed.n + k * len(virtual),
        min_support=closed.min_support,
        target="closed",
        max_length=closed.max_length,
    )


def with_rows(rows: Transactions, virtual: Itemsets, k: int) -> Transactions:
    """Return the rows plus k copies of each virtual row, with weights if the rows have weights."""
    if rows.weights is None:
        added = np.repeat(np.arange(len(virtual)), k)
        virtual, weights = virtual.select(added), None
    else:
        weights = np.concatenate([rows.weights, np.full(len(virtual), k, np.int64)])
    return Transactions(rows.itemsets.followed_by(virtual), rows.vocabulary, weights)

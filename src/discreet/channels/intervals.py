"""Channels of a collection in which itemsets may be missing, or known only within a range.

Problem      given some itemsets with their supports (exact, or a lowest and a highest possible one), return the pairs I
             within J that have every set between them listed and whose number of rows can lie in 1 .. k-1.
Method       for every J a table of its subsets: which are listed, which have all supersets in J listed, and the
             alternating sums.
Promises     for exact supports, exactly the maximal ones under the order of atzori2008, Definition 15; for ranges, all.
Cost         2^|J| |J| for every J; sets of up to 22 items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.channel import Channels
from discreet.errors import DataError
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["interval_channels"]


def interval_channels(
    itemsets: Itemsets,
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
    n: int | None,
    vocabulary: Vocabulary,
    *,
    k: int,
) -> Channels:
    """Return the channels; `itemsets` are in canonical order and supports lie in lows .. highs."""
    exact = bool(np.array_equal(lows, highs))
    try:
        fulls, arrays, low, high = _kernel.find_interval_channels(
            itemsets,
            labels=len(vocabulary),
            lows=np.ascontiguousarray(lows, np.int64),
            highs=np.ascontiguousarray(highs, np.int64),
            total=-1 if n is None else n,
            k=k,
            exact=exact,
        )
    except _kernel.LatticeTooLarge:
        raise DataError(
            "an itemset has more than 22 items; of an incomplete collection that is more than can be searched; give "
            "all or closed itemsets"
        ) from None
    # The empty itemset becomes index 0; every other index moves up by one.
    targets = itemsets.with_empty()
    which = np.where(fulls < 0, 0, fulls + 1).astype(np.int64)
    bases = Itemsets(*arrays)
    order = np.lexsort([bases.ranks(), which])
    if exact:
        order = order[_finest(targets, which[order], bases, order)]
    return Channels(
        vocabulary,
        targets,
        which[order],
        bases.select(order),
        low[order],
        high[order],
    )


def _finest(
    targets: Itemsets, which: NDArray[np.int64], bases: Itemsets, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the indices of the channels that no other channel implies."""
    pairs = []
    for place, number in enumerate(order.tolist()):
        base = frozenset(bases[number].tolist())
        pairs.append((base, frozenset(targets[int(which[place])].tolist()) - base))
    kept: list[int] = []
    for place in reversed(range(len(pairs))):  # a finer pair has a larger full set, so it comes later
        base, absent = pairs[place]
        if not any(base <= pairs[other][0] and absent <= pairs[other][1] for other in kept):
            kept.append(place)
    return np.array(kept[::-1], np.int64)

"""Detect channels through itemsets that are not published.

Problem      given a complete collection F, n, its threshold sigma and k, find pairs I within J with J outside F for
             which the published supports alone force f_I^J into 1 .. k-1.
Method       Calders and Goethals' deduction rules, as atzori2008 sections 5 and 9 suggest. Let every proper subset of J
             be known. Each f_I^J is a known number plus (|J - I| even) or minus (odd) sup(J). No group is negative and
             sup(J) < sigma, which bounds sup(J), and with it every f_I^J. If the bounds meet, sup(J) is known too, and
             sets one item larger come within reach. This is repeated `depth` times.
Promises     every channel listed is entailed: it holds in every data set that agrees with F. Not every entailed one is
             found: this is a quick first pass for any size of F, before `attacker` searches more deeply.
Cost         one check of every set of up to 20 items on the border of F, which requires listing F. If F is too large,
             the caller passes its sets up to a length, and the result says how far the search went.
Departures   the paper leaves these channels open. If rows are available the groups are counted rather than computed,
             which gives the same bounds.
Names        f_I^J -> group;  bounds on sup(J) -> how much sup(J) may still differ from one feasible value.
Reference    atzori2008, Examples 16 and 17; Calders and Goethals, Mining all non-derivable frequent itemsets (2002)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.channel import Channels
from discreet.channels.grouping import EVERY_SIZE
from discreet.errors import TooManyPatterns, param
from discreet.itemsets import Itemsets
from discreet.patterns.counted_patterns import MOST_LISTED
from discreet.stages import tell
from discreet.tables.ceilings import memory_ceiling

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.channels.collection import Collection
    from discreet.channels.grouping import Groups
    from discreet.channels.row_source import FrequentRows
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["Border", "Derived", "find_border_channels", "frequent_up_to", "listed_in"]

_LONGEST = 20
_AT_ONCE = 4096
_BYTES_PER_PAIR = 64

_MOST_ON_THE_BORDER = 2_000_000
"""The most frequent itemsets that are listed to find their border."""

_QUICK_TO_EXPAND = 200_000
"""The number of subsets of closed itemsets up to which listing them is faster than mining them."""

_LONGEST_TRIED = 20


@dataclass(frozen=True)
class Border:
    """Border-crossing channels, and the itemsets that were examined for them.

    `looked_at` are itemsets outside the collection. The smallest come first: all their proper subsets are published.
    Those that could be decided `at_a_glance` are only counted. With `impossible`, no data set has just this collection:
    an itemset outside it would have to be published, since no smaller support fits those of its subsets.
    """

    channels: Channels
    looked_at: Itemsets
    at_a_glance: int
    impossible: bool = False


@dataclass(frozen=True)
class Derived:
    """Itemsets outside the collection whose supports were deduced, including 0."""

    itemsets: Itemsets
    supports: NDArray[np.int64]


def find_border_channels(
    frequent: PatternSet,
    groups_of: Callable[[Derived, Itemsets], Groups],
    *,
    k: int,
    depth: int,
) -> Border:
    """Return the border-crossing channels of all frequent itemsets, or of those up to a length (their `max_length`).

    `groups_of(derived, targets)` returns every group on the targets, assuming one feasible support per target. It
    counts rows, or computes from the collection and what was derived so far.
    """
    labels = len(frequent.vocabulary)
    known = frequent.itemsets
    most = min(frequent.max_length or _LONGEST, _LONGEST)  # beyond the cap, an unlisted itemset may be frequent
    hopeless = _hopeless_pairs(frequent, k)
    if hopeless is None:
        _check_pairs(frequent, k)
    at_a_glance = 0
    looked_at = Itemsets.none()
    derived = Derived(looked_at, np.zeros(0, np.int64))
    found = []
    for _ in range(depth):
        border, at_a_glance = _kernel.find_border(known, labels, most, item_supports=hopeless, total=frequent.n)
        targets = Itemsets(*border).not_in(looked_at)
        if not len(targets):
            break
        outcome = _judge_all(derived, targets, groups_of, sigma=frequent.min_support, k=k)
        found.append((targets, outcome))
        looked_at = looked_at.followed_by(targets)
        exact = np.flatnonzero(outcome.lows == outcome.highs)
        more = targets.select(exact)
        derived = Derived(derived.itemsets.followed_by(more), np.concatenate([derived.supports, outcome.lows[exact]]))
        known = known.followed_by(more).sorted()
    impossible = any((outcome.lows > outcome.highs).any() for _, outcome in found)
    return Border(_as_channels(found, frequent.vocabulary), looked_at, at_a_glance, impossible)


def _hopeless_pairs(frequent: PatternSet, k: int) -> NDArray[np.int64] | None:
    """Return the items' supports, which decide most pairs of items at a glance; None if they cannot.

    Two frequent items whose supports add up to at most n may occur together in any number of rows from 0 to sigma - 1.
    If sigma is at least k, no group can then be pinned down to 1 .. k-1. If sigma is at least 2, the pair's support is
    not known either. In sparse data this is nearly every pair, and there are millions of them.
    """
    if frequent.min_support < max(k, 2):
        return None
    supports = np.zeros(len(frequent.vocabulary), np.int64)
    single = np.flatnonzero(frequent.itemsets.lengths == 1)
    supports[frequent.items[frequent.offsets[single]]] = frequent.supports[single]
    return supports


def _check_pairs(frequent: PatternSet, k: int) -> None:
    """Refuse more pairs of items than fit into memory, if each of them has to be looked at."""
    single = int(np.count_nonzero(frequent.itemsets.lengths == 1))
    pairs = single * (single - 1) // 2
    if pairs * _BYTES_PER_PAIR > memory_ceiling():
        raise TooManyPatterns(
            f"{single:,} items are frequent, and {pairs:,} pairs of them would have to be looked at, more than fit "
            f"into memory; raise {param('min_support')} to {max(k, 2)} or more: below that, small groups are public",
            found=pairs,
            min_support=frequent.min_support,
        )


@dataclass(frozen=True)
class _Outcome:
    """What the rules say about many targets: the range of each one's support, and its channels."""

    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    channel_targets: NDArray[np.int64]
    channel_bases: Itemsets
    channel_lows: NDArray[np.int64]
    channel_highs: NDArray[np.int64]


def _judge_all(
    derived: Derived,
    targets: Itemsets,
    groups_of: Callable[[Derived, Itemsets], Groups],
    *,
    sigma: int,
    k: int,
) -> _Outcome:
    """Judge targets a few thousand at a time, to bound the memory for their groups."""
    parts = []
    for start in range(0, len(targets), _AT_ONCE):
        tell("the border", start / len(targets))
        some = targets.part(start, min(len(targets), start + _AT_ONCE))
        parts.append((start, _judge(some, groups_of(derived, some), sigma=sigma, k=k)))
    return _Outcome(
        lows=np.concatenate([part.lows for _, part in parts]),
        highs=np.concatenate([part.highs for _, part in parts]),
        channel_targets=np.concatenate([start + part.channel_targets for start, part in parts]),
        channel_bases=Itemsets.none().followed_by(*(part.channel_bases for _, part in parts)),
        channel_lows=np.concatenate([part.channel_lows for _, part in parts]),
        channel_highs=np.concatenate([part.channel_highs for _, part in parts]),
    )


def _judge(targets: Itemsets, groups: Groups, *, sigma: int, k: int) -> _Outcome:
    """Apply the rules. The groups assume one feasible support per target; it may change by `least` to `most`."""
    lengths = targets.lengths
    sizes = groups.bases.lengths
    absent = lengths[groups.targets] - sizes
    even = absent % 2 == 0
    fitting = np.zeros(len(targets), np.int64)
    whole = absent == 0
    fitting[groups.targets[whole]] = groups.counts[whole]
    # Raising sup(J) by one moves a row from every odd group to every even group. A group that is not listed is
    # empty, so it has none to give.
    least = -_smallest(groups, even, targets, lengths)
    most = np.minimum(_smallest(groups, ~even, targets, lengths), sigma - 1 - fitting)
    lows = groups.counts + np.where(even, least[groups.targets], -most[groups.targets])
    highs = groups.counts + np.where(even, most[groups.targets], -least[groups.targets])
    channel = np.flatnonzero((lows >= 1) & (highs < k))
    return _Outcome(
        lows=fitting + least,
        highs=fitting + most,
        channel_targets=groups.targets[channel],
        channel_bases=groups.bases.select(channel),
        channel_lows=lows[channel],
        channel_highs=highs[channel],
    )


def _smallest(
    groups: Groups, chosen: NDArray[np.bool_], targets: Itemsets, lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the least count among the chosen groups of each target; an unlisted group counts as 0."""
    smallest = np.full(len(targets), EVERY_SIZE)
    np.minimum.at(smallest, groups.targets[chosen], groups.counts[chosen])
    listed = np.bincount(groups.targets[chosen], minlength=len(targets))
    there_are = np.left_shift(1, np.minimum(lengths - 1, 62))
    return np.where(listed < there_are, 0, smallest)


def _as_channels(found: list[tuple[Itemsets, _Outcome]], vocabulary: Vocabulary) -> Channels:
    """Join the channels of all rounds, ordered by full set, then base."""
    fulls = bases = Itemsets.none()
    which = [np.zeros(0, np.int64)]
    lows = [np.zeros(0, np.int64)]
    highs = [np.zeros(0, np.int64)]
    for targets, outcome in found:
        which.append(len(fulls) + outcome.channel_targets)
        fulls = fulls.followed_by(targets)
        bases = bases.followed_by(outcome.channel_bases)
        lows.append(outcome.channel_lows)
        highs.append(outcome.channel_highs)
    full_order = fulls.order()
    rank = np.empty(len(fulls), np.int64)
    rank[full_order] = np.arange(len(fulls))
    full_of = rank[np.concatenate(which)]
    order = np.argsort(full_of, kind="stable")  # within a full set, bases are already sorted
    return Channels(
        vocabulary,
        fulls.select(full_order),
        full_of[order],
        bases.select(order),
        np.concatenate(lows)[order],
        np.concatenate(highs)[order],
    )


def frequent_up_to(rows: FrequentRows, collection: Collection) -> PatternSet:
    """Return all frequent itemsets, or those up to the greatest length for which they can be listed."""
    few = len(collection.patterns) <= MOST_LISTED
    if few:
        lengths = np.minimum(collection.patterns.itemsets.lengths, _LONGEST_TRIED)
        if int((1 << lengths).sum()) <= _QUICK_TO_EXPAND:
            return collection.everything
        try:
            return rows.mine(target="all", max_patterns=_MOST_ON_THE_BORDER)
        except TooManyPatterns:
            pass
    most = _MOST_ON_THE_BORDER if few else _QUICK_TO_EXPAND
    found = rows.mine(target="all", max_length=1)
    for length in range(2, _LONGEST_TRIED):
        try:
            found = rows.mine(target="all", max_length=length, max_patterns=most)
        except TooManyPatterns:
            break
    return found


def listed_in(collection: Collection) -> PatternSet:
    """Return all itemsets of a collection, or the single items if there are too many to list."""
    try:
        return collection.everything
    except TooManyPatterns:
        return collection.single_items

"""Block channels across the border by raising supports.

Problem      given a collection's closed itemsets and its border-crossing channels (I, J), find itemsets that virtual
             rows can hold, each with nothing else of some set, so that the channels are gone and nothing is published
             that was not before.
Method       where I is published, rows with I and nothing else of J raise f_I^J to k at least. Where it is not, no row
             may hold it, but what is known of J can be made less. Take a smallest unpublished set D within J. Every
             f_X^D is a known number plus (|D - X| even) or minus (odd) sup(D); none is negative, which bounds sup(D).
             Rows with X and nothing else of D raise that number by k, and loosen the bound. If D is J, the even rules
             are loosened that keep sup(J) above 0, or the odd ones that keep it below k, whichever are fewer. If not,
             J came within reach because sup(D) was known exactly, and any freedom for sup(D) takes J out of reach.
Promises     every X is published, and some closed itemset holds X and nothing else of D: were an item of D - X in X's
             closure, then D without that item would have the support of D, and be unpublished as well. Groups only
             grow and ranges only widen, so no other channel across the border comes up.
Cost         2^|D| for each D. Longer ones than `_LONGEST` are passed over: as many virtual rows would be no help.
Departures   the paper leaves channels across the border open.
Names        f_X^D -> group;  even, odd -> the parity of |D - X|.
Reference    atzori2008, section 9; the rules are those of `border`   (tests/laws/test_widening.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.channel import Channels, Itemsets
from discreet.channels.grouping import EVERY_SIZE, groups_of_patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from discreet.patterns.patternset import PatternSet

    Items: TypeAlias = tuple[int, ...]

__all__ = ["pairs_to_raise"]

_LONGEST = 12


def pairs_to_raise(closed: PatternSet, border: Channels, *, k: int) -> Channels:
    """Return pairs (X, D), X published, so that the channels are gone once every f_X^D has grown by k.

    Channels that would take too many are not cared for; where all are of that kind, no pair is returned.
    """
    published = _published(border.bases, closed)
    fulls = {tuple(border.fulls[number].tolist()) for number in border.which[~published].tolist()}
    smallest = _smallest_unpublished(fulls, closed)
    groups = _groups_on({one for some in smallest.values() for one in some if len(one) <= _LONGEST}, closed)
    loosened: set[tuple[Items, Items]] = set()
    for full in fulls:
        ways = [
            [(one, _held(one, code)) for code in codes]
            for one in smallest[full]
            if one in groups
            for codes in _ways_to_widen(groups[one], closed.min_support, k if one == full else None)
        ]
        fewest: list[tuple[Items, Items]] = min(ways, key=len) if ways else []
        loosened.update(fewest)
    return _with_pairs(border.chosen(np.flatnonzero(published)), sorted(loosened))


def _published(itemsets: Itemsets, closed: PatternSet) -> NDArray[np.bool_]:
    """Say which itemsets are frequent: some closed one contains them."""
    counts = _kernel.count_supersets(
        itemsets.offsets, itemsets.items, closed.offsets, closed.items, None, len(closed.vocabulary)
    )
    found: NDArray[np.bool_] = (counts > 0) | (np.diff(itemsets.offsets) == 0)
    return found


def _smallest_unpublished(fulls: Iterable[Items], closed: PatternSet) -> dict[Items, list[Items]]:
    """Return for each unpublished itemset those within it of which every proper subset is published, in order."""
    smaller: dict[Items, list[Items]] = {}
    pending = set(fulls)
    while pending:
        subsets = {one: [one[:at] + one[at + 1 :] for at in range(len(one))] for one in pending}
        distinct = sorted({subset for some in subsets.values() for subset in some})
        published = _published(_itemsets(distinct), closed).tolist()
        outside = {subset for subset, inside in zip(distinct, published, strict=True) if not inside}
        smaller |= {one: [subset for subset in some if subset in outside] for one, some in subsets.items()}
        pending = outside - smaller.keys()

    def within(one: Items) -> set[Items]:
        return set().union(*map(within, smaller[one])) if smaller[one] else {one}

    return {full: sorted(within(full)) for full in fulls}


def _groups_on(targets: Iterable[Items], closed: PatternSet) -> dict[Items, NDArray[np.int64]]:
    """Return for each target its groups, by bitmask of the items held, for a support of the target that fits."""
    ordered = sorted(targets)
    found = groups_of_patterns(
        Itemsets(closed.offsets, closed.items),
        closed.supports,
        closed.n,
        _itemsets(ordered),
        below=EVERY_SIZE,
        border=True,
    )
    groups = {one: np.zeros(1 << len(one), np.int64) for one in ordered}
    for number, (target, count) in enumerate(zip(found.targets.tolist(), found.counts.tolist(), strict=True)):
        one = ordered[target]
        groups[one][sum(1 << one.index(item) for item in found.bases[number].tolist())] = count
    return groups


def _ways_to_widen(groups: NDArray[np.int64], sigma: int, k: int | None) -> list[list[int]]:
    """Return the rules to loosen so that the set's support may be less, and those so that it may be more.

    With k it shall be free to be 0, or k; without, no longer known, and a single row of freedom is asked for: groups of
    fewer than k others are channels, too, so that loosened rules soon leave k.
    """
    odd = np.zeros(1, bool)
    while len(odd) < len(groups):
        odd = np.concatenate([~odd, odd])
    fitting = int(groups[-1])
    less, more = (1, 1) if k is None else (fitting, k - fitting)
    proper = np.arange(len(groups) - 1)
    ways = []
    if less <= fitting:
        ways.append(proper[~odd[:-1] & (groups[:-1] < less)].tolist())
    if fitting + more < sigma:
        ways.append(proper[odd[:-1] & (groups[:-1] < more)].tolist())
    return ways


def _held(one: Items, code: int) -> Items:
    return tuple(item for at, item in enumerate(one) if code >> at & 1)


def _with_pairs(channels: Channels, pairs: Sequence[tuple[Items, Items]]) -> Channels:
    """Return the channels, and then pairs of a set and a base within it."""
    none = np.zeros(len(pairs), np.int64)
    return Channels(
        channels.vocabulary,
        channels.fulls.followed_by(_itemsets([one for one, _ in pairs])),
        np.concatenate([channels.which, len(channels.fulls) + np.arange(len(pairs))]),
        channels.bases.followed_by(_itemsets([base for _, base in pairs])),
        np.concatenate([channels.lows, none]),
        np.concatenate([channels.highs, none]),
    )


def _itemsets(listed: Sequence[Items]) -> Itemsets:
    lengths = [len(one) for one in listed]
    items = [item for one in listed for item in one]
    return Itemsets(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), np.array(items, np.int32))

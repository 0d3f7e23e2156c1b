"""What channel detection must give, in plain loops over the definitions: slow, and meant to be seen to be right.

Written from atzori2008 (definitions and algorithms are cited by their numbers there) and waim2008, never from the
package: nothing of `discreet` is imported, so agreement with it means something. For a dozen items at most.

Names        I -> base, J -> full, f_I^J -> support; a group is "has all of I and none of N", so the
             channel (I, J) speaks of the group (I, J minus I).
Empty set    it counts as frequent whatever min_support is; its support is n, the number of rows.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

Itemset = frozenset[str]
Channel = tuple[Itemset, Itemset, int]  # base, full, support
Group = tuple[Itemset, Itemset]  # the items all its rows have, the items none of them has
Range = tuple[int, int]  # the smallest and the largest possible count

EMPTY: Itemset = frozenset()


# ---------------------------------------------------------------------------------------------------- itemsets


def subsets(items: Iterable[str]) -> Iterator[Itemset]:
    """Yield every subset, the empty set first and the whole last."""
    ordered = sorted(items)
    for length in range(len(ordered) + 1):
        for chosen in combinations(ordered, length):
            yield frozenset(chosen)


def between(base: Itemset, full: Itemset) -> Iterator[Itemset]:
    """Yield every X with base ⊆ X ⊆ full, both ends included."""
    for added in subsets(full - base):
        yield base | added


def supports(rows: Iterable[Iterable[str]], min_support: int) -> dict[Itemset, int]:
    """Return F(D, sigma) of Definition 5, the empty itemset always among them."""
    if min_support < 1:
        raise ValueError("min_support must be at least 1: at 0 every imaginable itemset is frequent.")
    sets = [frozenset(row) for row in rows]
    frequent_items = [item for item in frozenset().union(*sets) if sum(item in row for row in sets) >= min_support]
    found = {itemset: sum(itemset <= row for row in sets) for itemset in subsets(frequent_items)}
    return {itemset: count for itemset, count in found.items() if count >= min_support or not itemset}


def closed(collection: Mapping[Itemset, int]) -> dict[Itemset, int]:
    """Keep the itemsets no larger one in the collection equals in support (Definition 13, as it is meant)."""
    return {
        x: count
        for x, count in collection.items()
        if not any(x < y and count == other for y, other in collection.items())
    }


def maximal(collection: Collection[Itemset]) -> set[Itemset]:
    """Keep the itemsets that no larger one in the collection contains (Definition 14)."""
    return {x for x in collection if not any(x < y for y in collection)}


def expanded(closed_sets: Mapping[Itemset, int]) -> dict[Itemset, int]:
    """Return all the frequent itemsets that the closed ones stand for: each has its closure's support."""
    return {
        x: max(count for y, count in closed_sets.items() if x <= y) for largest in closed_sets for x in subsets(largest)
    }


# ---------------------------------------------------------------------------------------------------- channels


def group_support(collection: Mapping[Itemset, int], base: Itemset, full: Itemset) -> int:
    """Return f_I^J of Lemma 1: the sum over I ⊆ X ⊆ J of (-1)^|X minus I| sup(X)."""
    return sum((-1) ** len(x - base) * collection[x] for x in between(base, full))


def channels(rows: Iterable[Iterable[str]], min_support: int, k: int) -> set[Channel]:
    """Return all of Ch(k, F(D, sigma)): Definition 11 by Algorithm 1.

    The base may equal the full itemset: then an itemset, or with both empty the whole data set, has fewer than k rows.
    """
    collection = supports(rows, min_support)
    found = set()
    for full in collection:
        for base in subsets(full):
            support = group_support(collection, base, full)
            if 0 < support < k:
                found.add((base, full, support))
    return found


def precedes(one: Channel, other: Channel) -> bool:
    """Tell whether one ⪯ other (Definition 15): other's group asks for at least as much, so it holds no more rows."""
    (base, full, _), (larger_base, larger_full, _) = one, other
    return base <= larger_base and full - base <= larger_full - larger_base


def maximal_among(found: Collection[Channel]) -> set[Channel]:
    """Keep the channels that precede no other channel of the collection (Definition 16).

    The definition asks for f_H^L = 0 for everything above the channel. Read literally this bars every channel, since
    (H, L) = (I, J) is "above" itself, and L may be any itemset; what is meant is H, L other than I, J, with L frequent.
    By Proposition 1 such an f_H^L is at most f_I^J < k: where it is not 0, it is a channel. So it is enough to look
    at the other channels.
    """
    return {one for one in found if not any(one[:2] != other[:2] and precedes(one, other) for other in found)}


def maximal_channels(rows: Iterable[Iterable[str]], min_support: int, k: int) -> set[Channel]:
    """Return MCh by its definition: all the channels, then those that precede no other."""
    return maximal_among(channels(rows, min_support, k))


def maximal_channels_by_closed(rows: Iterable[Iterable[str]], min_support: int, k: int) -> set[Channel]:
    """Return MCh by Proposition 2 and Algorithm 2: closed bases, maximal full itemsets, sums of 2^|J minus I| terms.

    "Closed" is taken within F: where n < sigma, the empty itemset is closed although some item may be in every row.
    """
    collection = supports(rows, min_support)
    found = set()
    for full in maximal(collection):
        for base in closed(collection):
            if base <= full:
                support = group_support(collection, base, full)
                if 0 < support < k:
                    found.add((base, full, support))
    return found


def maximal_channels_by_projection(rows: Iterable[Iterable[str]], min_support: int, k: int) -> set[Channel]:
    """Return MCh by waim2008's PMICD: project the rows on each maximal itemset, count the equal ones, the last too."""
    sets = [frozenset(row) for row in rows]
    found = set()
    for full in maximal(supports(sets, min_support)):
        projected = [row & full for row in sets]
        for base in set(projected):
            if projected.count(base) < k:
                found.add((base, full, projected.count(base)))
    return found


def incomplete_channels(collection: Mapping[Itemset, int], k: int) -> set[Channel]:
    """Return the channels of any collection: every set between base and full, both included, must be in it.

    The collection holds the empty itemset if n is known.
    """
    found = set()
    for full in collection:
        for base in subsets(full):
            if all(x in collection for x in between(base, full)):
                support = group_support(collection, base, full)
                if 0 < support < k:
                    found.add((base, full, support))
    return found


def maximal_incomplete_channels(collection: Mapping[Itemset, int], k: int) -> set[Channel]:
    """Return those channels of any collection that precede no other of its channels."""
    return maximal_among(incomplete_channels(collection, k))


# ---------------------------------------------------------------------------------------------------- the border


def complete(collection: Mapping[Itemset, int], n: int) -> dict[Itemset, int]:
    """Return the collection with the empty itemset; refuse one that contradicts n or lacks a subset of a member."""
    known = {**collection, EMPTY: n}
    if collection.get(EMPTY, n) != n:
        raise ValueError("The collection's own support of the empty itemset is not n.")
    if any(x not in known for y in known for x in subsets(y)):
        raise ValueError("The collection is not downward closed.")
    return known


def support_bounds(known: Mapping[Itemset, int], full: Itemset, sigma: int) -> Range:
    """Bound sup(J) of an infrequent J from all its proper subsets: f_I^J >= 0 for every I ⊆ J, and sup(J) < sigma."""
    low, high = 0, sigma - 1
    for base in subsets(full):
        rest = group_support({**known, full: 0}, base, full)  # f_I^J but for sup(J) itself
        if len(full - base) % 2 == 0:  # f = rest + sup(J) >= 0
            low = max(low, -rest)
        else:  # f = rest - sup(J) >= 0
            high = min(high, rest)
    if low > high:
        raise ValueError("The collection is inconsistent: no data set has these supports below this sigma.")
    return low, high


def border_channels(
    collection: Mapping[Itemset, int], n: int, sigma: int, k: int, depth: int = 1
) -> dict[tuple[Itemset, Itemset], Range]:
    """Return the channels (I, J) with J outside a complete collection, each with the range of f_I^J.

    Level 1 looks at every J of two items or more that is not in the collection while all its proper subsets are.
    A J whose bounds meet is known from then on. Level 2 looks at the J whose proper subsets are all known by now, and
    so on, `depth` levels in all. (I, J) is a channel where the whole range of f_I^J lies within 1..k-1.
    """
    known = complete(collection, n)
    items = frozenset().union(*known)
    bounds: dict[Itemset, Range] = {}
    found: dict[tuple[Itemset, Itemset], Range] = {}
    for _ in range(depth):
        level = [
            full
            for full in subsets(items)
            if full not in known and full not in bounds and all(x in known for x in subsets(full) if x != full)
        ]
        for full in level:
            bounds[full] = support_bounds(known, full, sigma)
            for base in subsets(full):
                # f_I^J rises or falls with sup(J): its range is that between the two ends
                ends = sorted(group_support({**known, full: end}, base, full) for end in bounds[full])
                if ends[0] >= 1 and ends[1] <= k - 1:
                    found[base, full] = ends[0], ends[1]
        known |= {full: bounds[full][0] for full in level if bounds[full][0] == bounds[full][1]}
    return found


# ---------------------------------------------------------------------------------------------------- the truth


def group_supports(support: Mapping[Itemset, int], full: Itemset) -> dict[Itemset, int]:
    """Return f_I^J for every I ⊆ J at once: differences along one item of J after the other."""
    count = {x: support[x] for x in subsets(full)}
    for item in full:
        for x in count:
            if item not in x:
                count[x] -= count[x | {item}]
    return count


def fitting_supports(known: Mapping[Itemset, int], unknown: list[Itemset], sigma: int) -> Iterator[dict[Itemset, int]]:
    """Yield every way to give the unknown itemsets supports below sigma so that no group has a negative count.

    Smaller itemsets come first in `unknown`, so that all subsets of the first one have their supports already. Once all
    itemsets have, the counts f_I^J with J all the items are a data set: that many rows are exactly I.
    """
    if not unknown:
        yield dict(known)
        return
    first, rest = unknown[0], unknown[1:]
    without = group_supports({**known, first: 0}, first)
    for value in range(sigma):
        if all(count + (-1) ** len(first - base) * value >= 0 for base, count in without.items()):
            yield from fitting_supports({**known, first: value}, rest, sigma)


def entailed_groups(
    collection: Mapping[Itemset, int], items: Collection[str], n: int, sigma: int, k: int
) -> dict[Group, Range]:
    """Return every group (I, N) whose count lies within 1..k-1 in ALL data sets that fit, with its exact range.

    A data set of n rows over `items` fits if every itemset of the complete collection has its support and every other
    one has less than sigma. All of them are gone through: this is for 4 items and a dozen rows.
    """
    known = complete({x: count for x, count in collection.items() if x <= set(items)}, n)
    groups = [(full - none, none) for full in subsets(items) for none in subsets(full)]
    # a group inside the collection has the same count in every data set that fits
    settled = {(base, full - base): f for full in known for base, f in group_supports(known, full).items()}
    answer = {group: (count, count) for group, count in settled.items() if 1 <= count <= k - 1}
    open_groups: dict[Group, Range] = {group: (k, 0) for group in groups if group not in settled}
    fits = False
    if min(settled.values()) >= 0:
        for support in fitting_supports(known, [x for x in subsets(items) if x not in known], sigma):
            fits = True
            for (base, none), (low, high) in list(open_groups.items()):
                count = group_support(support, base, base | none)
                if 1 <= count <= k - 1:
                    open_groups[base, none] = min(low, count), max(high, count)
                else:
                    del open_groups[base, none]
            if not open_groups:
                break
    if not fits:
        raise ValueError("The collection is inconsistent: no data set has these supports.")
    return answer | open_groups

"""Find the channels of a collection of patterns, by the requested method.

auto         the kernel's methods that share work between targets: from rows if there are any, else from patterns
closed       from the closed itemsets alone, even if there are rows
projection   the rows projected on one maximal itemset after another (waim2008)
direct       inclusion-exclusion on every itemset (atzori2008, Algorithm 1)

All of them return the same channels, in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar, get_args

import numpy as np

from discreet import _kernel
from discreet.channels.direct import include_and_exclude
from discreet.channels.grouping import Groups, groups_of_patterns, small_groups
from discreet.errors import DataError, ParameterError, param
from discreet.thresholds import one_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.channels.border import Derived
    from discreet.channels.channel import Channels
    from discreet.channels.collection import Collection
    from discreet.itemsets import Itemsets
    from discreet.patterns.patternset import PatternSet

__all__ = ["DetectionMethod", "channels_of_patterns", "check_method", "from_supports", "groups_within"]

Solved = TypeVar("Solved")

DetectionMethod = Literal["auto", "direct", "closed", "projection"]


def check_method(method: str, *, rows: bool) -> DetectionMethod:
    """Return the method; refuse one that does not exist or that needs rows when there are none."""
    one_of(method, get_args(DetectionMethod), parameter="method")
    if method == "projection" and not rows:
        raise ParameterError(
            f"{param('method')} projection needs the rows; from patterns alone use auto", parameter="method"
        )
    return method  # type: ignore[return-value]


def channels_of_patterns(collection: Collection, *, k: int, method: DetectionMethod, all_channels: bool) -> Channels:
    """Return the maximal channels of a complete collection, or all of them, from its supports alone."""
    patterns = collection.patterns
    everything = collection.everything if all_channels or method == "direct" else None
    if method == "direct" and everything is not None and len(everything):
        groups, targets = include_and_exclude(everything, below=k), everything.itemsets
        if all_channels:
            return _with_empty(groups, targets, patterns, k)
        return _only_maximal(groups, targets, collection.maximal, patterns)
    targets = collection.maximal
    if everything is not None and len(everything):
        targets = everything.itemsets
    groups = groups_within(collection, targets, below=k)
    if all_channels and len(patterns):
        return _with_empty(groups, targets, patterns, k)
    return small_groups(groups, targets, patterns.vocabulary)


def groups_within(
    collection: Collection, targets: Itemsets, *, below: int, derived: Derived | None = None, border: bool = False
) -> Groups:
    """Return the groups on some targets, from the supports of a complete collection and those `derived` so far."""

    def from_these(known: PatternSet) -> Groups:
        itemsets, supports = known.itemsets, known.supports
        if derived is not None:
            itemsets = itemsets.followed_by(derived.itemsets)
            supports = np.concatenate([supports, derived.supports])
        return groups_of_patterns(itemsets, supports, known.n, targets, below=below, border=border)

    return from_supports(collection, from_these)


def from_supports(collection: Collection, solve: Callable[[PatternSet], Solved]) -> Solved:
    """Return what `solve` computes from the closed itemsets, or from all of them if the closed ones do not suffice.

    They do not if the collection was cut off at some length, which it may not state. Then the closure of an itemset may
    be missing, and supports seem to contradict each other.
    """
    try:
        return solve(collection.closed)
    except DataError:
        if collection.kind != "all":
            raise
    return solve(collection.patterns)


def _with_empty(groups: Groups, targets: Itemsets, patterns: PatternSet, k: int) -> Channels:
    """Add the pair of two empty sets if there are fewer than k rows in total."""
    if patterns.n == 0 or patterns.n >= k:
        return small_groups(groups, targets, patterns.vocabulary)
    return small_groups(
        Groups(
            np.concatenate([[0], groups.targets + 1]),
            groups.bases.with_empty(),
            np.concatenate([[patterns.n], groups.counts]),
        ),
        targets.with_empty(),
        patterns.vocabulary,
    )


def _only_maximal(groups: Groups, targets: Itemsets, maximal: Itemsets, patterns: PatternSet) -> Channels:
    """Keep the groups within maximal itemsets: they are the maximal channels (atzori2008, Proposition 2)."""
    flags = _kernel.find_maximal(targets, len(patterns.vocabulary)).astype(bool)
    number = np.cumsum(flags) - 1
    kept = np.flatnonzero(flags[groups.targets])
    bases = groups.bases.select(kept)
    chosen = Groups(number[groups.targets[kept]], bases, groups.counts[kept])
    return small_groups(chosen, maximal, patterns.vocabulary)

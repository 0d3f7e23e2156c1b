"""What the bundles of several months tell together, about those who came in between: from their text files alone.

Written from the definition, with the standard library only: nothing of `discreet` is imported, so agreement with it
means something. It counts by sums of printed supports, and assumes as a reader would that nobody left.
"""

from __future__ import annotations

import csv
import json
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from fractions import Fraction
    from pathlib import Path

Itemset = frozenset[str]
Supports = dict[Itemset, int]


class Group(NamedTuple):
    """People who came after one bundle, up to another, with some items and without others, and how many they are."""

    since: int
    until: int
    present: Itemset
    absent: Itemset
    size: int


class Told(NamedTuple):
    """A group, and how many of it have a sensitive item."""

    group: Group
    item: str
    having: int


def subsets(items: Iterable[str]) -> Iterator[Itemset]:
    listed = sorted(items)
    for size in range(len(listed) + 1):
        yield from map(frozenset, combinations(listed, size))


def supports_in(bundle: Path) -> Supports:
    """Return what patterns.csv prints, the number of rows for the empty itemset; closed ones tell of their subsets."""
    lines = (bundle / "patterns.csv").read_text(encoding="utf-8").splitlines()
    head = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    printed = csv.DictReader(line for line in lines if not line.startswith("# "))
    found: Supports = {}
    for line in printed:
        for part in subsets(json.loads(line["items"])):
            found[part] = max(found.get(part, 0), int(line["support"]))
    return found | {frozenset(): int(head["n"])}


def _size(came: Supports, present: Itemset, absent: Itemset) -> int:
    return sum((-1) ** len(part) * came[present | part] for part in subsets(absent))


def _in_between(months: list[Supports]) -> Iterator[tuple[int, int, Supports]]:
    """Yield the supports in all rows of one bundle (since -1), and in those that came after an earlier one."""
    for until, later in enumerate(months):
        yield -1, until, later
        for since, earlier in enumerate(months[:until]):
            yield since, until, {part: later[part] - earlier[part] for part in later.keys() & earlier.keys()}


def small_groups(months: list[Supports], k: int, known: Collection[str] | None = None) -> Iterator[Group]:
    """Yield the groups of 1 to k-1 people, in which negative numbers count as well: they tell that somebody left."""
    for since, until, came in _in_between(months):
        for full in came:
            if known is not None and not full <= set(known):
                continue
            for present in subsets(full):
                size = _size(came, present, full - present)
                if 0 < abs(size) < k:
                    yield Group(since, until, present, full - present, size)


def conclusions(
    months: list[Supports], sensitive: Collection[str], rho: Fraction, known: Collection[str] | None = None
) -> Iterator[Told]:
    """Yield the groups of which a share of rho or more has a sensitive item; 11 of 8 tell that figures were changed."""
    for since, until, came in _in_between(months):
        for full in came:
            for item in full & set(sensitive):
                rest = full - {item}
                if rest & set(sensitive) or (known is not None and not rest <= set(known)):
                    continue
                for present in subsets(rest):
                    absent = rest - present
                    size, having = (_size(came, with_it, absent) for with_it in (present, present | {item}))
                    if size > 0 and rho * size <= having <= size:
                        yield Told(Group(since, until, present, absent, size), item, having)

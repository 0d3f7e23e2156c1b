"""Choose the items to remove from the sensitive rows of each restrictive pattern: Naïve, MinFIA, MaxFIA and IGA.

Problem      given the restrictive patterns and every item's support, name the items (victims) to remove for each.
Method       Naïve    all items of the pattern. A row that would become empty keeps the most frequent one, so that the
                      number of rows seems unchanged to readers who do not count empty ones.
             MinFIA   the item with the smallest support: the fewest other patterns can depend on it.
             MaxFIA   the item with the largest support: it can best do without these rows.
             IGA      patterns that share items share a victim. There is one group per item, of all patterns that
                      contain it; its label is the least frequent item that all of them share. Groups overlap. They
                      are compared pairwise, largest first, and common patterns are removed from the smaller group,
                      or, if both have the same size, from the one whose label is less frequent. Each pattern ends
                      up in one group, and that group's label is its victim.
Promises     Naïve: a row sanitized for a pattern keeps at most one of its items. The others: one victim per pattern, of
             the smallest (MinFIA) or largest (MaxFIA) support in D; IGA sanitizes the rows with the most conflicts
             first.
Cost         linear in the patterns; IGA: the pairs of items of each pattern, sorted.
Departures   the paper leaves ties open. Here the victim is the item that fewer protected patterns need, then the first
             label. Naïve: an item that is itself a restrictive pattern is always removed; if all are, the row becomes
             empty but is not deleted. IGA: the paper specifies neither the groups nor the ties. Groups with the same
             patterns are one. Sizes are those at the time of the comparison; labels are not chosen again. If labels
             are equally frequent, a pattern is removed from the group whose label more protected patterns need, then
             from that of the first label.
Names        Victim_rp -> Victims.items;  GP -> groups;  G -> _Group.members;  I -> _Group.shared;  α -> _Group.label.
Reference    oliveira2002, section 4   (docs/papers/oliveira2002.md, tests/papers/test_oliveira2002.py)

Items are numbered in the order of their labels, so a tie that goes to the first label goes to the smallest number.
Labels absent from the data have numbers after those of the vocabulary.
"""  # noqa: RUF002 - the paper's letter

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["RestrictivePatterns", "Victims", "iga", "maxfia", "minfia", "naive"]

Pattern = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RestrictivePatterns:
    """The restrictive patterns, in the order given, each ascending.

    `supports` are the items' supports in D. `spared` counts for each item the protected patterns that contain it: of
    two equally frequent items, the one in fewer of them is the victim.
    """

    patterns: tuple[Pattern, ...]
    supports: Mapping[int, int]
    spared: Counter[int] = field(default_factory=Counter)

    def least_frequent(self, items: Iterable[int]) -> int:
        """Return the item that removes the fewest occurrences."""
        return min(items, key=lambda item: (self.supports[item], self.spared[item], item))

    def most_frequent(self, items: Iterable[int]) -> int:
        """Return the item that occurs most often elsewhere."""
        return min(items, key=lambda item: (-self.supports[item], self.spared[item], item))


@dataclass(frozen=True, slots=True)
class Victims:
    """For each pattern, the items to remove from the rows that are sanitized for it.

    `stays` are the items that are kept if a row would become empty (None for no such item). If `stays` is empty, rows
    may become empty. `most_conflicts_first` is whether sensitive rows are ordered by their conflicts.
    """

    items: tuple[Pattern, ...]
    stays: tuple[int | None, ...] | None = None
    most_conflicts_first: bool = False


def naive(given: RestrictivePatterns) -> Victims:
    """Return all items of each pattern as victims, and which item stays if the row would become empty.

    >>> naive(RestrictivePatterns(((0, 1, 3), (1,)), {0: 4, 1: 5, 3: 4})).stays
    (0, None)
    """
    alone = {pattern[0] for pattern in given.patterns if len(pattern) == 1}

    def stays(pattern: Pattern) -> int | None:
        may_stay = [item for item in pattern if item not in alone]
        # Of equally frequent items, keep the one that more protected patterns need: the opposite of a victim.
        return min(may_stay, key=lambda item: (-given.supports[item], -given.spared[item], item), default=None)

    return Victims(given.patterns, stays=tuple(map(stays, given.patterns)))


def minfia(given: RestrictivePatterns) -> Victims:
    """Return the least frequent item of each pattern.

    >>> minfia(RestrictivePatterns(((0, 1, 3), (0, 2, 3)), {0: 5, 1: 5, 2: 4, 3: 4})).items
    ((3,), (2,))
    """
    return Victims(tuple((given.least_frequent(pattern),) for pattern in given.patterns))


def maxfia(given: RestrictivePatterns) -> Victims:
    """Return the most frequent item of each pattern.

    >>> maxfia(RestrictivePatterns(((0, 1, 3), (0, 2, 3)), {0: 5, 1: 5, 2: 4, 3: 4})).items
    ((0,), (0,))
    """
    return Victims(tuple((given.most_frequent(pattern),) for pattern in given.patterns))


@dataclass(slots=True)
class _Group:
    """Patterns (by index) that share items, and the item that represents them."""

    members: set[int]
    shared: Pattern
    label: int


def iga(given: RestrictivePatterns) -> Victims:
    """Return for each pattern the label of its group after overlaps are resolved.

    >>> iga(RestrictivePatterns(((0, 1, 3), (0, 2, 3)), {0: 5, 1: 5, 2: 4, 3: 4})).items
    ((3,), (3,))
    """
    groups = _groups(given)
    _separate(groups, given)
    label_of = {place: group.label for group in groups for place in group.members}
    return Victims(tuple((label_of[place],) for place in range(len(given.patterns))), most_conflicts_first=True)


def _groups(given: RestrictivePatterns) -> list[_Group]:
    """Return the groups, largest first (tasks 1 and 2)."""
    holding: dict[int, list[int]] = {}
    for place, pattern in enumerate(given.patterns):
        for item in pattern:
            holding.setdefault(item, []).append(place)
    groups = []
    for members in {tuple(places) for places in holding.values()}:
        shared = sorted(set.intersection(*(set(given.patterns[place]) for place in members)))
        groups.append(_Group(set(members), tuple(shared), given.least_frequent(shared)))
    return sorted(groups, key=lambda group: (-len(group.members), group.label, group.shared))


def _separate(groups: list[_Group], given: RestrictivePatterns) -> None:
    """Leave every pattern in one group (task 3); only groups with a common pattern need to be compared."""
    groups_of: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for place in group.members:
            groups_of.setdefault(place, []).append(number)
    overlapping = {pair for numbers in groups_of.values() for pair in combinations(numbers, 2)}
    for first, second in sorted(overlapping):
        one, other = groups[first], groups[second]
        common = one.members & other.members
        # Once a group has lost its first common pattern it is the smaller one, so it loses all of them.
        if common:
            loser = min(one, other, key=lambda group: _standing(group, given))
            loser.members -= common


def _standing(group: _Group, given: RestrictivePatterns) -> tuple[int, int, int, int, Pattern]:
    label = group.label
    return len(group.members), given.supports[label], -given.spared[label], label, group.shared

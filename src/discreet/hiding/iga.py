"""IGA, the item grouping algorithm: patterns that share items share a victim.

Problem      which item leaves the sensitive rows of each restrictive pattern, where one item can do for many patterns.
Method       one group per item, of all patterns that contain it; its label is the least frequent of the items that all
             of them share. Groups overlap; largest first, they are compared two at a time, and what both hold is taken
             from the smaller one, or, where they are of one size, from the one whose label is less frequent. The label
             of the group that a pattern is left in is its victim.
Promises     one victim per pattern; rows with the most conflicts are sanitized first.
Cost         the pairs of items of each pattern, sorted.
Departures   the paper says neither which groups there are nor how ties go. Groups with the same patterns are one;
             sizes are taken as they stand when two groups are compared, labels are not chosen anew. Of labels equally
             frequent, a pattern is taken from the group of the one that more patterns to be spared need, then of the
             first label.
Names        GP -> groups;  G -> Group.members;  I -> Group.shared;  α -> Group.label.
Reference    oliveira2002, section 4.3   (docs/papers/oliveira2002.md, tests/papers/test_oliveira2002.py)
"""  # noqa: RUF002 - the paper's letter

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from discreet.hiding.victims import Victims

if TYPE_CHECKING:
    from discreet.hiding.victims import Pattern, Patterns

__all__ = ["choose_victims"]


@dataclass(slots=True)
class _Group:
    """Patterns, by their places, that share items, and the item that stands for them all."""

    members: set[int]
    shared: Pattern
    label: int


def choose_victims(given: Patterns) -> Victims:
    """Return for each pattern the label of the group it is in when no two groups overlap.

    >>> from discreet.hiding.victims import Patterns
    >>> choose_victims(Patterns(((0, 1, 3), (0, 2, 3)), {0: 5, 1: 5, 2: 4, 3: 4})).items
    ((3,), (3,))
    """
    groups = _groups(given)
    _separate(groups, given)
    label_of = {place: group.label for group in groups for place in group.members}
    return Victims(tuple((label_of[place],) for place in range(len(given.patterns))), most_conflicts_first=True)


def _groups(given: Patterns) -> list[_Group]:
    """Return the groups, the largest first (tasks 1 and 2)."""
    holding: dict[int, list[int]] = {}
    for place, pattern in enumerate(given.patterns):
        for item in pattern:
            holding.setdefault(item, []).append(place)
    groups = []
    for members in {tuple(places) for places in holding.values()}:
        shared = sorted(set.intersection(*(set(given.patterns[place]) for place in members)))
        groups.append(_Group(set(members), tuple(shared), given.least_frequent(shared)))
    return sorted(groups, key=lambda group: (-len(group.members), group.label, group.shared))


def _separate(groups: list[_Group], given: Patterns) -> None:
    """Leave every pattern in one group (task 3); only groups with a pattern in common need to be compared."""
    groups_of: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for place in group.members:
            groups_of.setdefault(place, []).append(number)
    overlapping = {pair for numbers in groups_of.values() for pair in combinations(numbers, 2)}
    for first, second in sorted(overlapping):
        one, other = groups[first], groups[second]
        common = one.members & other.members
        # Once a group has lost the first of them it is the smaller one, so that it loses all.
        if common:
            loser = min(one, other, key=lambda group: _standing(group, given))
            loser.members -= common


def _standing(group: _Group, given: Patterns) -> tuple[int, int, int, int, Pattern]:
    label = group.label
    return len(group.members), given.supports[label], -given.spared[label], label, group.shared

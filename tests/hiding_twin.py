"""The four algorithms of oliveira2002 in a few obvious lines: sets of labels, rows looked at one by one.

Written from the paper's sketches and from the rules that settle what they leave open: the number of rows to sanitize is
rounded up, a row that has lost a pattern already needs no second change, ties go to the first label, rows by position,
patterns in the order given.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Itemset = frozenset[str]
Row = set[str]


def holders(rows: Sequence[Iterable[str]], pattern: Iterable[str]) -> list[int]:
    """Step 1: the positions of the rows that hold a pattern."""
    return [place for place, row in enumerate(rows) if set(pattern) <= set(row)]


def degrees(rows: Sequence[Iterable[str]], patterns: Iterable[Itemset]) -> Counter[int]:
    """Return how many restrictive patterns each sensitive row holds."""
    return Counter(place for pattern in patterns for place in holders(rows, pattern))


def hide(
    rows: Iterable[Iterable[str]],
    patterns: Iterable[Iterable[str]],
    method: str,
    disclosure: Fraction | Sequence[Fraction] = Fraction(0),
    key: Callable[[str], object] = str,
) -> list[Row]:
    """Return the sanitized rows; `key` puts labels in order, `disclosure` may be one per pattern."""
    original = [set(row) for row in rows]
    restrictive = [frozenset(pattern) for pattern in patterns]
    psi = disclosure if isinstance(disclosure, (list, tuple)) else [disclosure] * len(restrictive)
    support = Counter(item for row in original for item in row)
    conflict = degrees(original, restrictive)
    victims = victims_of(restrictive, method, support, key)
    result = [set(row) for row in original]
    for pattern, victim, share in zip(restrictive, victims, psi, strict=True):
        found = holders(original, pattern)
        sign = -1 if method == "iga" else 1
        found.sort(key=lambda place: (sign * conflict[place], place))
        for place in found[: ceil(len(found) * (1 - share))]:
            row = result[place]
            if not pattern <= row:
                continue
            row -= victim
            if not row and method == "naive":
                may_stay = [item for item in pattern if frozenset({item}) not in restrictive]
                row |= set(sorted(may_stay, key=lambda item: (-support[item], key(item)))[:1])
    return result


def victims_of(
    restrictive: Sequence[Itemset], method: str, support: Counter[str], key: Callable[[str], object]
) -> list[Itemset]:
    """Step 2: the items to remove for each pattern."""
    if method == "naive":
        return list(restrictive)
    if method == "minfia":
        return [frozenset({min(each, key=lambda item: (support[item], key(item)))}) for each in restrictive]
    if method == "maxfia":
        return [frozenset({min(each, key=lambda item: (-support[item], key(item)))}) for each in restrictive]
    return [frozenset({label}) for label in group_labels(restrictive, support, key)]


def group_labels(restrictive: Sequence[Itemset], support: Counter[str], key: Callable[[str], object]) -> list[str]:
    """Step 2 of IGA: the label of the group that each pattern is in when no two groups overlap any more."""
    items = frozenset().union(*restrictive)
    distinct = {frozenset(at for at, each in enumerate(restrictive) if item in each) for item in items}
    groups = []
    for members in distinct:
        shared = frozenset.intersection(*(restrictive[at] for at in members))
        label = min(shared, key=lambda item: (support[item], key(item)))
        groups.append((label, shared, set(members)))
    groups.sort(key=lambda group: (-len(group[2]), key(group[0]), sorted(map(key, group[1]))))
    for one, other in combinations(groups, 2):
        for at in sorted(one[2] & other[2]):
            if len(one[2]) != len(other[2]):
                loser = min(one, other, key=lambda group: len(group[2]))
            else:
                loser = min(
                    one, other, key=lambda group: (support[group[0]], key(group[0]), sorted(map(key, group[1])))
                )
            loser[2].remove(at)
    return [next(label for label, _, members in groups if at in members) for at in range(len(restrictive))]


def confidence(rows: Sequence[Iterable[str]], antecedent: Iterable[str], consequent: Iterable[str]) -> Fraction:
    """Return a rule's confidence, 0 where no row holds its antecedent."""
    whole = len(holders(rows, antecedent))
    return Fraction(len(holders(rows, {*antecedent, *consequent})), whole) if whole else Fraction(0)


def side_effects(
    before: dict[Itemset, int], after: dict[Itemset, int], patterns: Iterable[Iterable[str]]
) -> dict[str, Fraction | int]:
    """Return section 5's measures from all frequent itemsets before and after."""
    restrictive = [frozenset(pattern) for pattern in patterns]

    def restricted(found: Iterable[Itemset]) -> set[Itemset]:
        return {itemset for itemset in found if any(pattern <= itemset for pattern in restrictive)}

    bad, bad_after = restricted(before), restricted(after)
    good, good_after = set(before) - bad, set(after) - bad_after
    return {
        "hiding_failure": Fraction(len(bad_after), len(bad)) if bad else Fraction(0),
        "misses_cost": Fraction(len(good) - len(good_after), len(good)) if good else Fraction(0),
        "artifactual_patterns": Fraction(len(set(after) - set(before)), len(after)) if after else Fraction(0),
        "patterns_before": len(before),
        "patterns_after": len(after),
        "restrictive_before": len(bad),
        "restrictive_after": len(bad_after),
    }

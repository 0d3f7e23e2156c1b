"""Which conclusions about sensitive items follow from a publication: slow, and meant to be seen to be right.

Written from the definition, never from the package: nothing of `discreet` is imported, so agreement with it means
something.

A conclusion (A, B, s) is about the rows that hold every item of A and no item of B, all of them quasi-identifiers. It
follows if, in every data set that fits the publication, there is such a row, and at least a share rho of them hold s.

counting        groups whose items are published together with s: their numbers are those of the rows.
enumeration     every data set that fits is written down. Exact. For a handful of items and rows.
integers        the least and the greatest numbers, by integer programs over the cells. Exact.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from tests.attacks.twin import (
    EITHER,
    PRESENT,
    Itemset,
    Program,
    Publication,
    fitting_data_sets,
    group_at,
    group_sizes,
    subsets,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from fractions import Fraction

Conclusion = tuple[Itemset, Itemset, str]  # present, absent, the sensitive item
Numbers = tuple[int, int]  # of rows, and of those among them that hold the item


def groups_of(items: Collection[str]) -> Iterator[tuple[Itemset, Itemset]]:
    """Yield every group over these items, everybody included."""
    for present in subsets(items):
        for absent in subsets(frozenset(items) - present):
            yield present, absent


def by_counting(
    rows: Iterable[Iterable[str]], min_support: int, known: Collection[str], sensitive: Collection[str], rho: Fraction
) -> dict[Conclusion, Numbers]:
    """Return the conclusions whose items are frequent together, with their numbers, counted in the rows."""
    kinds = Counter(frozenset(row) for row in rows)

    def count(present: Itemset, absent: Itemset = frozenset()) -> int:
        return sum(times for row, times in kinds.items() if present <= row and not absent & row)

    found = {}
    for item in sensitive:
        if count(frozenset({item})) < min_support:
            continue
        for present, absent in groups_of(frozenset(known)):
            if count(present | absent | {item}) < min_support:
                continue
            size, having = count(present, absent), count(present | {item}, absent)
            if size >= 1 and having >= rho * size:
                found[present, absent, item] = size, having
    return found


def by_enumeration(
    publication: Publication, known: Collection[str], sensitive: Collection[str], rho: Fraction
) -> set[Conclusion]:
    """Return the conclusions that are true in every data set that fits."""
    items = publication.items
    holds: dict[str, np.ndarray] = {}
    for rows in fitting_data_sets(publication):
        sizes = group_sizes(items, rows)
        for item in set(sensitive) & set(items):
            axis = items.index(item)
            size, having = np.take(sizes, EITHER, axis), np.take(sizes, PRESENT, axis)
            here = (size >= 1) & (having * rho.denominator >= size * rho.numerator)
            holds[item] = holds[item] & here if item in holds else here
    return {
        (*group, item)
        for item, here in holds.items()
        for place in product(range(EITHER + 1), repeat=len(items) - 1)
        if here[place]
        for group in [group_at(tuple(other for other in items if other != item), place)]
        if group[0] | group[1] <= frozenset(known)
    }


def follows(publication: Publication, conclusion: Conclusion, rho: Fraction) -> bool:
    """Tell whether one conclusion is true in every data set that fits, by integer programs."""
    present, absent, item = conclusion
    program = Program(publication, publication.items)
    inside = program.members((present, absent))
    having = program.members((present | {item}, absent))
    if inside @ program.integer(inside) < 1:
        return False
    goal = rho.denominator * having - rho.numerator * inside
    return bool(goal @ program.integer(goal) >= 0)

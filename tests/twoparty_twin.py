"""What two parties must find together, by definition: the rows are joined and everything is counted in plain sight.

Written from jiang2006 and the notes on its lost listings (docs/papers/jiang2006.md), never from the package: nothing of
`discreet` is imported. For a dozen items at most.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Itemset = frozenset[str]
Rows = list[Itemset]


def subsets(items: Iterable[str]) -> Iterator[Itemset]:
    """Yield every subset, the empty set included."""
    ordered = sorted(items)
    for length in range(len(ordered) + 1):
        yield from map(frozenset, combinations(ordered, length))


def frequent(rows: Sequence[Itemset], min_support: int) -> dict[Itemset, int]:
    """Return every non-empty itemset that at least min_support rows hold."""
    items = [x for x in frozenset().union(*rows) if sum(x in row for row in rows) >= min_support]
    counts = {itemset: sum(itemset <= row for row in rows) for itemset in subsets(items) if itemset}
    return {itemset: count for itemset, count in counts.items() if count >= min_support}


def singles_out(rows: Sequence[Itemset], full: Itemset, k: int) -> bool:
    """Say whether some I of J makes an inference channel: 1 to k-1 rows have all of I and nothing else of J."""
    return any(0 < count < k for count in Counter(row & full for row in rows).values())


def ic_sapm(rows: Sequence[Itemset], min_support: int, k: int) -> tuple[dict[Itemset, int], set[Itemset]]:
    """Return what may be released, and what is withheld: itemsets with a subset that has an inference channel."""
    found = frequent(rows, min_support)
    withheld = {full for full in found if any(singles_out(rows, part, k) for part in subsets(full))}
    return {itemset: count for itemset, count in found.items() if itemset not in withheld}, withheld


def fiba(rows: Sequence[Itemset], min_support: int, size: int) -> Rows:
    """Make one party's rows size-anonymous: clear rare columns, keep large classes, AND the others in file order."""
    columns = {x for x in frozenset().union(*rows) if sum(x in row for row in rows) >= min_support}
    halves = [row & columns for row in rows]
    classes = Counter(halves)
    places = [place for place, row in enumerate(halves) if classes[row] < size]
    groups = [places[start : start + size] for start in range(0, len(places), size)]
    if groups and len(groups[-1]) < size:
        left_over = groups.pop()
        if groups:
            groups[-1] += left_over
        else:
            large = [row for row in classes if classes[row] >= size]  # in order of first occurrence
            if large:
                smallest = min(large, key=classes.__getitem__)
                left_over += [place for place, row in enumerate(halves) if row == smallest]
            groups = [left_over]
    for group in groups:
        common = frozenset.intersection(*(halves[place] for place in group))
        for place in group:
            halves[place] = common
    return halves


def joined(first: Sequence[Itemset], second: Sequence[Itemset]) -> Rows:
    """Return the rows of both, side by side."""
    return [one | other for one, other in zip(first, second, strict=True)]


def is_anonymous(rows: Sequence[Itemset], k: int) -> bool:
    """Say whether every row has at least k - 1 others like it."""
    return all(count >= k for count in Counter(rows).values())


def dka_sapm(first: Sequence[Itemset], second: Sequence[Itemset], min_support: int, k: int) -> tuple[Rows, Rows, int]:
    """Return both anonymized halves, and how often the size of groups was doubled."""
    doublings = 0
    while True:
        halves = [fiba(rows, min_support, k * 2**doublings) for rows in (first, second)]
        if is_anonymous(joined(*halves), k):
            return halves[0], halves[1], doublings
        doublings += 1

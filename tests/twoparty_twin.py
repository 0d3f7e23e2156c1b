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
    """Return what may be released, and what is withheld: itemsets with a subset that has an inference channel.

    An itemset that fewer than k rows have is one itself, and its name would tell of them: it is not looked for.
    """
    found = frequent(rows, max(min_support, k))
    withheld = {full for full in found if any(singles_out(rows, part, k) for part in subsets(full))}
    return {itemset: count for itemset, count in found.items() if itemset not in withheld}, withheld


def fiba(rows: Sequence[Itemset], min_support: int, size: int) -> Rows:
    """Make one party's rows size-anonymous: clear rare columns, then let the smallest class join the one most alike."""
    columns = sorted(x for x in frozenset().union(*rows) if sum(x in row for row in rows) >= min_support)
    return alike([row & frozenset(columns) for row in rows], columns, size)


def alike(rows: Sequence[Itemset], columns: Sequence[str], size: int) -> Rows:
    """Merge classes of equal rows until each has `size` rows, or one is left; a merged class keeps what is common."""
    classes = [[row, [place for place, each in enumerate(rows) if each == row]] for row in ordered(rows, columns)]
    while len(classes) > 1 and min(len(places) for _, places in classes) < size:
        small = min(classes, key=lambda each: len(each[1]))  # the first of them
        others = [each for each in classes if each is not small]

        def cleared(other: list, small: list = small) -> int:
            return sum(len(row - (small[0] & other[0])) * len(places) for row, places in (small, other))

        best = min(others, key=cleared)
        best[0], best[1] = best[0] & small[0], best[1] + small[1]
        classes = others
    merged = {place: row for row, places in classes for place in places}
    return [merged[place] for place in range(len(rows))]


def ordered(rows: Iterable[Itemset], columns: Sequence[str]) -> Rows:
    """Return the distinct rows in the order of their zeros and ones."""
    return sorted(set(rows), key=lambda row: [x in row for x in columns])


def joined(first: Sequence[Itemset], second: Sequence[Itemset]) -> Rows:
    """Return the rows of both, side by side."""
    return [one | other for one, other in zip(first, second, strict=True)]


def is_anonymous(rows: Sequence[Itemset], k: int) -> bool:
    """Say whether every row has at least k - 1 others like it."""
    return all(count >= k for count in Counter(rows).values())


def ranks(half: Sequence[Itemset]) -> dict[Itemset, int]:
    """Return the number of each class of a half: 0 is the row without items, then from the largest class down."""
    counts = Counter(half)
    classes = [row for row in ordered(half, sorted(frozenset().union(*half))) if row]
    return {frozenset(): 0} | {row: 1 + rank for rank, row in enumerate(sorted(classes, key=lambda row: -counts[row]))}


def cleared_rows(first: Sequence[Itemset], second: Sequence[Itemset], k: int, *, nothing: bool = True) -> set[int]:
    """Return the rows in joint groups of fewer than k (and those that have nothing to clear); never 1 to k - 1 of them.

    If they would be that few, the group last in the second party's order, then the first's, is cleared as well.
    """
    pairs = list(zip(first, second, strict=True))
    counts = Counter(pairs)
    small = {place for place, pair in enumerate(pairs) if counts[pair] < k or (nothing and not any(pair))}
    if 0 < len(small) < k:
        order = ranks(first), ranks(second)
        last = max(
            (pairs[place] for place in set(range(len(pairs))) - small), key=lambda x: (order[1][x[1]], order[0][x[0]])
        )
        small |= {place for place, pair in enumerate(pairs) if pair == last}
    return small


def dka_sapm(first: Sequence[Itemset], second: Sequence[Itemset], min_support: int, k: int) -> Rows:
    """Return the anonymized join: rows in joint groups of fewer than k are without items."""
    halves = [fiba(rows, max(min_support, k), k) for rows in (first, second)]
    cleared = cleared_rows(*halves, k)
    return [frozenset() if place in cleared else row for place, row in enumerate(joined(*halves))]


def dka_in_rounds(
    first: Sequence[Itemset], second: Sequence[Itemset], min_support: int, k: int
) -> tuple[Rows, list[list[int]]]:
    """Return the anonymized join, and the rows that were left after each round: no row is cleared unseen."""
    halves = [fiba(rows, max(min_support, k), 1) for rows in (first, second)]
    columns = [sorted(frozenset().union(*half)) for half in halves]
    left, size = list(range(len(first))), k
    told = []
    while left:
        parts = [
            alike([half[place] for place in left], labels, size) for half, labels in zip(halves, columns, strict=True)
        ]
        for half, part in zip(halves, parts, strict=True):
            for place, row in zip(left, part, strict=True):
                half[place] = row
        left = [left[place] for place in sorted(cleared_rows(*parts, k, nothing=False))]
        told.append([place + 1 for place in left])
        size *= 2
    return joined(*halves), told

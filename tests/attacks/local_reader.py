"""A reader who knows how `anonymize --method local` works, and thinks of every input that would have given its output.

Written from the definition alone; nothing of `discreet` is imported. The reader knows all items that are not sensitive,
of all rows, and takes all inputs that give the published rows to be equally likely. Of someone he knows part of a
published row, sensitive items included; how sure he is that the row had a sensitive item is the share, over all these
inputs, of the rows that have it among those that fit. A second reader also knows of sensitive items that were taken
out.

Rows have items a, b, c and d and sensitive ones x and y. Of a tree of 64 leaves, a and b are the leaves of one node,
c and d of another, so that generalizing to these costs a thirty-second part: it is cheap.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["HIERARCHY", "draw", "parts", "publish", "surest"]

Row = frozenset[str]
Rows = tuple[Row, ...]

LEAVES = 64
NODES = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}
HIERARCHY = [
    *(["a", "ab", "ALL"], ["b", "ab", "ALL"], ["c", "cd", "ALL"], ["d", "cd", "ALL"]),
    *([f"none{number:02}", f"none{number:02}", "ALL"] for number in range(LEAVES - 4)),
]


def draw(seed: int) -> tuple[Rows, Row, Fraction]:
    """Draw 6 to 10 rows, their sensitive items and rho."""
    luck = random.Random(seed)
    sensitive = "x" if luck.random() < 0.6 else "xy"
    density = luck.choice((0.3, 0.5))
    secret = luck.choice((0.3, 0.5))
    rows = tuple(
        frozenset(x for x in "abcd" if luck.random() < density)
        | frozenset(x for x in sensitive if luck.random() < secret)
        for _ in range(luck.randint(6, 10 if sensitive == "x" else 6))
    )
    return rows, frozenset(sensitive), luck.choice((Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)))


def parts(row: Row) -> Iterator[Row]:
    """Yield every part of a row, the empty one included."""
    return map(frozenset, chain.from_iterable(combinations(sorted(row), size) for size in range(len(row) + 1)))


def fixpoint(rows: Rows, sensitive: Row, rho: Fraction) -> Rows:
    """Take out, all at once, what follows from the rest of its row with rho or more, until nothing does.

    First what follows from nothing, one item or the whole rest; where nothing does, what follows from any part.
    """
    while True:
        held = Counter(part for row in rows for part in parts(row))
        for sizes in (lambda part, rest: len(part) < 2 or part == rest, lambda _part, _rest: True):
            kept = tuple(
                frozenset(
                    item
                    for item in row
                    if item not in sensitive
                    or all(
                        held[part | {item}] < rho * held[part]
                        for part in parts(row - {item})
                        if sizes(part, row - {item})
                    )
                )
                for row in rows
            )
            if kept != rows:
                break
        else:
            return rows
        rows = kept


def generalized(rows: Rows) -> Rows:
    """Publish nodes in place of items."""
    return tuple(frozenset(NODES.get(item, item) for item in row) for row in rows)


def publish(rows: Rows, sensitive: Row, rho: Fraction) -> Rows:
    """Return what `local` publishes, in the order of the rows."""
    as_they_are = fixpoint(rows, sensitive, rho)
    if as_they_are == rows:
        return rows
    made = fixpoint(generalized(rows), sensitive, rho)
    cost = Fraction(2 * sum(len(row - sensitive) for row in rows), LEAVES)
    if cost + 2 * lost(generalized(rows), made) > 2 * lost(rows, as_they_are):
        return as_they_are
    alike = tuple(row - sensitive | there & sensitive for row, there in zip(rows, made, strict=True))
    return made if 2 * lost(alike, fixpoint(alike, sensitive, rho)) >= cost > 0 else as_they_are


def lost(rows: Rows, left: Rows) -> int:
    """Return how many entries of rows are gone."""
    return sum(map(len, rows)) - sum(map(len, left))


def surest(rows: Rows, sensitive: Row, rho: Fraction) -> tuple[Fraction, Fraction]:
    """Return how sure the reader can be of a sensitive item, at most; then, if more is known than was published."""
    published = publish(rows, sensitive, rho)
    others = [row - sensitive for row in rows]
    shown = [row & sensitive for row in published]
    nodes = any(row & {*NODES.values()} for row in published)
    fits: Counter[Row] = Counter()
    for held in product(*([there | extra for extra in parts(sensitive - there)] for there in shown)):
        world = tuple(map(frozenset.union, others, held))
        if publish(world, sensitive, rho) == published:
            fits.update(part for row in (generalized(world) if nodes else world) for part in parts(row))
    shown_parts = {part for row in published for part in parts(row)}
    sure = [
        (part - {item} in shown_parts, Fraction(count, fits[part - {item}]))
        for part, count in fits.items()
        for item in part & sensitive
    ]
    return (
        max((share for known, share in sure if known), default=Fraction(0)),
        max((share for _, share in sure), default=Fraction(0)),
    )

"""What `kanon` must give, in a few obvious lines: every generalization is tried on every distinct row."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Lines = Sequence[Sequence[str]]
    Levels = tuple[int, ...]


class Twin:
    """Rows of quasi-identifiers, and for each column the lines of its hierarchy."""

    def __init__(self, rows: Iterable[Sequence[str]], hierarchies: Sequence[Lines]) -> None:
        self.counts = Counter(map(tuple, rows))
        self.lines = [{line[0]: line for line in lines} for lines in hierarchies]
        self.heights = [len(lines[0]) - 1 for lines in hierarchies]

    def groups(self, levels: Levels) -> Counter[tuple[str, ...]]:
        found: Counter[tuple[str, ...]] = Counter()
        for row, count in self.counts.items():
            found[self.generalized(row, levels)] += count
        return found

    def generalized(self, row: Sequence[str], levels: Levels) -> tuple[str, ...]:
        return tuple(lines[value][level] for lines, value, level in zip(self.lines, row, levels, strict=True))

    def outliers(self, levels: Levels, k: int) -> int:
        return sum(count for count in self.groups(levels).values() if count < k)

    def passing(self, k: int, limit: int) -> set[Levels]:
        """Return every generalization that leaves at most `limit` rows, and not all of them, in small groups."""
        whole = sum(self.counts.values())
        lattice = product(*(range(height + 1) for height in self.heights))
        return {levels for levels in lattice if self.outliers(levels, k) <= min(limit, whole - 1)}

    def minimal(self, k: int, limit: int) -> list[Levels]:
        """Return those of which no other one is lower or equal in every column."""
        passing = self.passing(k, limit)
        found = [
            levels
            for levels in passing
            if not any(other != levels and all(a <= b for a, b in zip(other, levels, strict=True)) for other in passing)
        ]
        return sorted(found, key=lambda levels: (sum(levels), levels))

    def datafly(self, k: int, limit: int) -> Levels | None:
        """Return Datafly's levels, read off the paper's three steps."""
        whole = sum(self.counts.values())
        levels = [0] * len(self.heights)
        while self.outliers(tuple(levels), k) > min(limit, whole - 1):
            groups = self.groups(tuple(levels))
            values = [
                len({group[at] for group in groups}) if level < self.heights[at] else 0
                for at, level in enumerate(levels)
            ]
            if max(values) == 0:
                return None
            levels[values.index(max(values))] += 1
        return tuple(levels)

"""What every algorithm's second step works with and gives back: patterns as numbers, and the items that leave rows.

Items are numbers in the order of their labels, so that a tie that goes to the first label goes to the smallest number.
Labels that no row holds have the numbers after those of the vocabulary.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Patterns", "Victims"]

Pattern = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Patterns:
    """The restrictive patterns, in the order given, each ascending.

    `supports` are the items' in D; `spared` says in how many patterns that are to be spared each item is: where two
    items are equally frequent, the one that fewer of these need is the victim.
    """

    patterns: tuple[Pattern, ...]
    supports: Mapping[int, int]
    spared: Counter[int] = field(default_factory=Counter)

    def least_frequent(self, items: Iterable[int]) -> int:
        """Return the victim that costs the fewest occurrences."""
        return min(items, key=lambda item: (self.supports[item], self.spared[item], item))

    def most_frequent(self, items: Iterable[int]) -> int:
        """Return the victim that is found most often elsewhere."""
        return min(items, key=lambda item: (-self.supports[item], self.spared[item], item))


@dataclass(frozen=True, slots=True)
class Victims:
    """For each pattern, the items that leave the rows that are sanitized for it.

    `stays` are the items that stay nevertheless where a row would become empty (None: there is none); where there are
    no `stays` at all, rows may become empty. `most_conflicts_first` says in which order sensitive rows are taken.
    """

    items: tuple[Pattern, ...]
    stays: tuple[int | None, ...] | None = None
    most_conflicts_first: bool = False

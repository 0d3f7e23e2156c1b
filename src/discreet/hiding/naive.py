"""The Naïve algorithm: every item of a restrictive pattern leaves.

Problem      which items leave the sensitive rows of each restrictive pattern.
Method       all of them. A row that would become empty keeps the most frequent item, so that the number of rows seems
             unchanged to those who do not count empty ones.
Promises     a row that is sanitized for a pattern holds at most one of its items.
Cost         linear in the patterns.
Departures   an item that is a restrictive pattern by itself never stays; where all are, the row becomes empty, and
             stays a row.
Names        Victims_rp -> the pattern itself.
Reference    oliveira2002, section 4.1   (docs/papers/oliveira2002.md, tests/papers/test_oliveira2002.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.hiding.victims import Victims

if TYPE_CHECKING:
    from discreet.hiding.victims import Pattern, Patterns

__all__ = ["choose_victims"]


def choose_victims(given: Patterns) -> Victims:
    """Return each pattern as its own victims, and which of them stays where nothing else would.

    >>> from discreet.hiding.victims import Patterns
    >>> choose_victims(Patterns(((0, 1, 3), (1,)), {0: 4, 1: 5, 3: 4})).stays
    (0, None)
    """
    alone = {pattern[0] for pattern in given.patterns if len(pattern) == 1}

    def stays(pattern: Pattern) -> int | None:
        may_stay = [item for item in pattern if item not in alone]
        # Of equally frequent items the one that more patterns to be spared need: the opposite of a victim.
        return min(may_stay, key=lambda item: (-given.supports[item], -given.spared[item], item), default=None)

    return Victims(given.patterns, stays=tuple(map(stays, given.patterns)))

"""MinFIA, the minimum frequency item algorithm: the rarest item of a restrictive pattern leaves.

Problem      which item leaves the sensitive rows of each restrictive pattern.
Method       the one with the smallest support: the fewest other patterns can depend on it.
Promises     one victim per pattern, of the smallest support in D.
Cost         linear in the patterns.
Departures   ties, which the paper leaves open, go to the item that fewer patterns to be spared need, then to the first
             label.
Names        Victim_rp -> the one item of Victims.items.
Reference    oliveira2002, section 4.2   (docs/papers/oliveira2002.md, tests/papers/test_oliveira2002.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.hiding.victims import Victims

if TYPE_CHECKING:
    from discreet.hiding.victims import Patterns

__all__ = ["choose_victims"]


def choose_victims(given: Patterns) -> Victims:
    """Return the least frequent item of each pattern.

    >>> from discreet.hiding.victims import Patterns
    >>> choose_victims(Patterns(((0, 1, 3), (0, 2, 3)), {0: 5, 1: 5, 2: 4, 3: 4})).items
    ((3,), (2,))
    """
    return Victims(tuple((given.least_frequent(pattern),) for pattern in given.patterns))

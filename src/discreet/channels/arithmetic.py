"""The sum that a stranger would do to compute a group: spelled out, term by term.

A channel's group is f = sum over I <= X <= J of (-1)^|X - I| sup(X) (see `channel`). Here are the terms of that sum,
for those who want to follow it with a pencil.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from discreet.channels.audit import Audit

__all__ = ["Term", "sum_behind"]


@dataclass(frozen=True, slots=True)
class Term:
    """One support in a sum: of which itemset, and whether it is taken away."""

    items: tuple[str, ...]
    support: int
    minus: bool


def sum_behind(found: Audit, channel: int, *, most: int) -> list[Term] | None:
    """Return the terms that give the group of a channel, by its number in the audit.

    None where there are more than `most`, where it is no sum but one published support, or where not every support
    between base and full set is known.

    >>> from discreet.channels.audit import audit
    >>> from discreet.transactions.transactions import Transactions
    >>> found = audit(Transactions.from_rows(["abc", "abc", "ab", "c", "c"]), k=2, min_support=2)
    >>> [("".join(term.items), term.support, term.minus) for term in sum_behind(found, 0, most=8)]
    [('ab', 3, False), ('abc', 2, True)]
    """
    if found.collection is None or found.kind == "incomplete":
        return None
    channels = found.channels
    base = channels.bases[channel]
    absent = np.setdiff1d(channels.fulls[int(channels.which[channel])], base, assume_unique=True)
    if not len(absent) or 2 ** len(absent) > most:
        return None
    terms = []
    for size in range(len(absent) + 1):
        for added in combinations(absent.tolist(), size):
            items = np.sort(np.concatenate([base, np.array(added, base.dtype)]))
            support = found.collection.support_of(items)
            terms.append(Term(tuple(channels.labels(items)), support, minus=size % 2 == 1))
    return terms

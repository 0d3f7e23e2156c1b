"""Keep rules below a confidence while their itemsets may stay.

Problem      given rules with bounds, make every confidence fall below its bound by removing items; the opposite rule
             may keep its confidence.
Method       a rule's victim is the least frequent item of its consequent. It is removed from just enough rows that
             contain the whole rule: those with the most rules of the same victim first, then the earlier ones. A
             victim may be in another rule's antecedent, and so raise that rule's confidence, so the rules are
             processed until all bounds are met.
Promises     sup(A and C) < bound · sup(A) for every rule with sup(A) > 0, on the resulting rows; for a single rule, not
             one row more than needed is changed; no support rises.
Cost         per round, the lists of each rule's items; every round except the last removes something.
Departures   the paper names this goal in its conclusion and has no algorithm for it.
Reference    oliveira2002, section 7   (docs/papers/oliveira2002.md, tests/laws/test_hiding.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.hiding.inverted_file import InvertedFile

__all__ = ["NumberedRule", "bound_rules", "rule_counts"]


@dataclass(frozen=True, slots=True)
class NumberedRule:
    """A rule in item numbers, with the item of its consequent that is removed from rows."""

    antecedent: tuple[int, ...]
    consequent: tuple[int, ...]
    below: Fraction
    victim: int

    @property
    def items(self) -> tuple[int, ...]:
        """The items of both sides."""
        return (*self.antecedent, *self.consequent)

    def most(self, antecedent_rows: int) -> int:
        """Return how many of the antecedent's rows may contain the consequent as well."""
        return max(0, ceil(self.below * antecedent_rows) - 1)


class _Lists:
    """The current lists of rows of the items that occur in rules."""

    def __init__(self, index: InvertedFile, items: Iterable[int]) -> None:
        self._rows = {item: index.holders(item) for item in items}

    def holding(self, items: Sequence[int]) -> NDArray[np.int32]:
        shortest_first = sorted((self._rows[item] for item in items), key=len)
        return reduce(_kernel.in_both, shortest_first)

    def remove(self, item: int, rows: NDArray[np.int32]) -> None:
        self._rows[item] = _kernel.in_first_alone(self._rows[item], rows)


def rule_counts(index: InvertedFile, antecedent: Sequence[int], consequent: Sequence[int]) -> tuple[int, int]:
    """Return the support of a whole rule and of its antecedent."""
    lists = _Lists(index, {*antecedent, *consequent})
    return len(lists.holding([*antecedent, *consequent])), len(lists.holding(antecedent))


def bound_rules(index: InvertedFile, rules: Sequence[NumberedRule]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return what to remove, as pairs of a row and an item in no particular order."""
    lists = _Lists(index, {item for rule in rules for item in rule.items})
    conflicts = _conflicts(lists, rules, index.n)
    rows, items = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    changed = True
    while changed:
        changed = False
        for rule in rules:
            holding = lists.holding(rule.items)
            surplus = len(holding) - rule.most(len(lists.holding(rule.antecedent)))
            if surplus <= 0:
                continue
            order = np.argsort(-conflicts[rule.victim][holding], kind="stable")
            gone = np.sort(holding[order[:surplus]])
            lists.remove(rule.victim, gone)
            rows.append(gone)
            items.append(np.full(len(gone), rule.victim, np.int32))
            changed = True
    return np.concatenate(rows), np.concatenate(items)


def _conflicts(lists: _Lists, rules: Sequence[NumberedRule], n: int) -> dict[int, NDArray[np.int64]]:
    """Return for each victim how many of its rules each row contains."""
    found: dict[int, NDArray[np.int64]] = {}
    for rule in rules:
        counts = np.bincount(lists.holding(rule.items), minlength=n)
        found[rule.victim] = found[rule.victim] + counts if rule.victim in found else counts
    return found

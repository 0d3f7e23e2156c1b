"""What two differently sanitized copies of the same rows disclose together.

Problem      each recipient's copy hides the restrictive patterns, but someone with both copies can unite them row by
             row.
Method       unite the two copies row by row, and look up the restrictive patterns in the result.
Promises     the counts are those of the united rows; `safe` means that the pair hides as much as one copy had to.
Departures   the paper (section 9.3) proposes to sanitize again for every recipient, and does not consider what two
             recipients see together.
Reference    oliveira2002, section 9.3   (docs/papers/oliveira2002.md, tests/hiding/test_copies.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError
from discreet.hiding.inverted_file import InvertedFile
from discreet.hiding.rule_bounds import rule_counts
from discreet.hiding.sensitive_rows import find_sensitive_rows
from discreet.itemsets import Itemsets
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from discreet.hiding.hide import Hidden
    from discreet.json_types import JsonObject

__all__ = ["TwoCopies", "compare_copies"]


@dataclass(frozen=True, slots=True)
class TwoCopies:
    """How many of the items removed from one copy the other restores, and the patterns' rows in both together.

    `patterns` are in the order of `Hidden.restrictive`: rows in this copy, in the other, in both together, and the
    number allowed. `rules_restored` counts the bounded rules that reach their bound in both together.
    """

    restored_items: int
    patterns: tuple[tuple[int, int, int, int], ...]
    rules_restored: int

    @property
    def safe(self) -> bool:
        """Whether the pair shows no more than was allowed for one copy."""
        return not self.rules_restored and all(together <= allowed for *_, together, allowed in self.patterns)

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        names = ("this", "other", "together", "allowed")
        return {
            "safe": self.safe,
            "restored_items": self.restored_items,
            "restrictive": [dict(zip(names, counts, strict=True)) for counts in self.patterns],
            "rules_restored": self.rules_restored,
        }


def compare_copies(done: Hidden, other: Transactions) -> TwoCopies:
    """Return what sanitized rows and another copy of the same rows disclose together."""
    other = other.unfold()
    if len(other) != done.n:
        raise DataError(
            f"the other copy has {len(other):,} rows where {done.n:,} were expected; it is not a copy of these rows"
        )
    united = _united(done.rows, other)
    original = _united(done.rows, _as_removed(done))
    if len(_united(original, other).items) > len(original.items):
        raise DataError("the other copy has an item in a row that does not hold it; it is not a copy of these rows")
    views = [InvertedFile.build(rows) for rows in (done.rows, other, united)]
    patterns = []
    for pattern in done.restrictive:
        this, that, together = (_count(view, pattern.items) for view in views)
        patterns.append((this, that, together, pattern.allowed))
    rules_restored = 0
    for bound in done.rules:
        place = views[2].vocabulary.positions
        if bound.antecedent | bound.consequent <= place.keys():
            sides = (tuple(place[label] for label in side) for side in (bound.antecedent, bound.consequent))
            whole, antecedent = rule_counts(views[2], *sides)
            rules_restored += whole > 0 and whole >= bound.below * antecedent
    return TwoCopies(len(united.items) - len(done.rows.items), tuple(patterns), rules_restored)


def _count(index: InvertedFile, labels: frozenset[str]) -> int:
    place = index.vocabulary.positions
    if not labels <= place.keys():
        return 0
    return int(find_sensitive_rows(index, [tuple(sorted(place[label] for label in labels))]).counts()[0])


def _as_removed(done: Hidden) -> Transactions:
    """Return the removed items, as rows."""
    lengths = np.bincount(done.removed_from, minlength=done.n)
    return Transactions(Itemsets.from_lengths(lengths, done.removed.copy()), done.rows.vocabulary)


def _united(one: Transactions, other: Transactions) -> Transactions:
    """Return the row-by-row union of two copies."""
    labels = list(dict.fromkeys([*one.vocabulary, *other.vocabulary]))
    number = {label: at for at, label in enumerate(labels)}
    renumber = np.array([number[label] for label in other.vocabulary], np.int32)
    codes = one.itemsets.joined_with(Itemsets(other.offsets, renumber[other.items]))
    return Transactions.from_codes(codes, labels)

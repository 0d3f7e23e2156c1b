"""What an audit searches for, and how far, and the attacker that searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.channels.attacker import Attack, attack
from discreet.channels.conclusions import find_conclusions
from discreet.channels.exclusive import Exclusive, exclusive_in_patterns
from discreet.channels.exclusive_names import named_sets, parse_exclusive
from discreet.channels.knowledge import Knowledge
from discreet.channels.quasi_identifiers import chosen_items

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from discreet.channels.border import Border
    from discreet.channels.collection import Collection
    from discreet.channels.conclusions import Asked, Conclusions
    from discreet.channels.exclusive_names import Named
    from discreet.channels.knowledge import Layer
    from discreet.itemsets import Itemsets
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["MINING", "AuditScope", "attack_collection", "attack_rules", "part_of"]

MINING = 0.4
"""The share of an audit's work that mining is taken for; the attacker does the rest."""


@dataclass(frozen=True, slots=True)
class AuditScope:
    """What the audit searches for, and how far."""

    k: int
    steps: int | None
    exclusive: Named | Exclusive | None
    quasi_identifiers: Names | frozenset[str] | None
    border: bool
    all_channels: bool = False
    prove: bool = True
    sensitive: Asked | None = None
    progress: Callable[[float, int], object] | None = None

    def asked(self, vocabulary: Vocabulary) -> NDArray[np.bool_] | None:
        """Return a mask of the items that groups may be made of; None for all."""
        return None if self.quasi_identifiers is None else chosen_items(vocabulary, self.quasi_identifiers)

    def conclusions(
        self, public: Collection, found: Attack | None, first: Border | None = None, rows: Transactions | None = None
    ) -> Conclusions | None:
        """Return what a collection tells about sensitive items, if that is asked; beyond it if it was attacked."""
        if self.sensitive is None:
            return None
        known, border = None if found is None else found.known, None if first is None else first.looked_at
        return find_conclusions(public, known, self.sensitive, border=border, rows=rows, steps=self.steps)

    def exclusive_in(self, patterns: PatternSet) -> Exclusive:
        """Return which published items exclude each other, judged without rows."""
        if isinstance(self.exclusive, Exclusive):
            return self.exclusive.within(patterns.vocabulary)
        return exclusive_in_patterns(patterns, self.exclusive)

    def exclusive_in_rules(self, vocabulary: Vocabulary) -> Exclusive:
        """Return the items that exclude each other in rules: those that are named, for no column tells."""
        if isinstance(self.exclusive, Exclusive):
            return self.exclusive
        named = named_sets(parse_exclusive(self.exclusive), list(vocabulary))
        return Exclusive(named=tuple(tuple(one.labels) for one in named))


def attack_collection(
    collection: Collection,
    first: Border | None,
    exclusive: Exclusive,
    look: AuditScope,
    data: Transactions | None = None,
) -> Attack:
    """Run the attacker on a collection, after the quick rules."""
    vocabulary = collection.patterns.vocabulary
    found = attack(
        Knowledge.of(collection, exclusive.itemsets(vocabulary), kinds=data),
        k=look.k,
        maximal=collection.maximal,
        border=None if first is None else first.looked_at,
        rows=data,
        asked=look.asked(vocabulary),
        steps=look.steps,
        progress=None if look.progress is None else part_of(look.progress, MINING, 1),
    )
    return found if first is None else found.joined_by(first.channels)


def attack_rules(
    vocabulary: Vocabulary, layer: Layer, maximal: Itemsets, exclusive: Exclusive, look: AuditScope
) -> Attack:
    """Run the attacker on what rules say about supports."""
    known = Knowledge(vocabulary, (layer,), exclusive.itemsets(vocabulary))
    return attack(known, k=look.k, maximal=maximal, asked=look.asked(vocabulary), steps=look.steps)


def part_of(progress: Callable[[float, int], object], start: float, end: float) -> Callable[[float, int], object]:
    """Return a report of progress for a part of the work."""
    return lambda share, found: progress(start + (end - start) * share, found)

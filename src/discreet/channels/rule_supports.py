"""What association rules say about the supports of the itemsets they are made of.

Problem      a rule X -> Y is printed with its support (of X and Y together) and its confidence; which supports can X
             have had?
Method       confidence is sup(X u Y) / sup(X). A printed figure may be rounded or cut off, so every whole number s is
             possible with |sup / s - conf| less than one unit of the last printed digit. Rules about the same
             itemset narrow each other's ranges.
Promises     the true support is always among the possible ones.
Departures   atzori2008 prints the quotient the wrong way round (sup(Y) for sup(X)) and cuts 98.765 % off to 98.7 %.
Reference    atzori2008, Examples 2 and 3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.collection import MORE_THAN_ANY, Collection
from discreet.errors import DataError
from discreet.patterns.confidence import possible_antecedents
from discreet.patterns.patternset import PatternSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.patterns.imported_patterns import ImportedRules
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["PossibleSupports", "supports_behind"]


@dataclass(frozen=True)
class PossibleSupports:
    """Itemsets in canonical order, each with the lowest and highest support it can have."""

    itemsets: Itemsets
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    n: int | None

    def exact(self, vocabulary: Vocabulary) -> Collection:
        """Return the itemsets whose supports are known exactly, as an incomplete collection."""
        chosen = np.flatnonzero(self.lows == self.highs)
        patterns = PatternSet.unchecked(
            itemsets=self.itemsets.select(chosen),
            supports=self.lows[chosen],
            vocabulary=vocabulary,
            n=MORE_THAN_ANY if self.n is None else self.n,
            min_support=1,
            target="selected",
        )
        return Collection(patterns, "incomplete", said=True, counted=self.n is not None)


def supports_behind(rules: ImportedRules) -> PossibleSupports:
    """Return what the rules imply about every antecedent and every whole rule."""
    lows, highs = _antecedent_ranges(rules)
    count = len(rules)
    both = rules.antecedents.followed_by(rules.antecedents.joined_with(rules.consequents))
    lows = np.concatenate([lows, rules.supports])
    highs = np.concatenate([highs, rules.supports])
    order = both.order()
    ordered = both.select(order)
    first = np.flatnonzero(ordered.is_new())
    joined_lows = np.maximum.reduceat(lows[order], first) if count else lows
    joined_highs = np.minimum.reduceat(highs[order], first) if count else highs
    if (joined_lows > joined_highs).any():
        raise DataError(
            "the rules contradict each other: two of them give the same itemset different supports; "
            "are they from one data set?"
        )
    itemsets = ordered.select(first)
    n = rules.n
    if len(itemsets) and not len(itemsets[0]):  # an empty antecedent: its support is n
        if n is None and joined_lows[0] == joined_highs[0]:
            n = int(joined_lows[0])
        itemsets = itemsets.part(1, len(itemsets))
        joined_lows, joined_highs = joined_lows[1:], joined_highs[1:]
    if _kernel.find_contradiction(itemsets, joined_lows, joined_highs, len(rules.vocabulary)) is not None:
        raise DataError(
            "the rules contradict each other: by their figures an itemset has more rows than one of its subsets; "
            "are they from one data set?"
        )
    return PossibleSupports(itemsets, joined_lows, joined_highs, n)


def _antecedent_ranges(rules: ImportedRules) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if rules.antecedent_supports is not None:
        return rules.antecedent_supports, rules.antecedent_supports
    ranges = [
        possible_antecedents(support, confidence, rules.n)  # never None: the rules were read with that checked
        for support, confidence in zip(rules.supports.tolist(), rules.confidences, strict=True)
    ]
    pairs = np.array(ranges, np.int64).reshape(len(ranges), 2)
    return pairs[:, 0], pairs[:, 1]

"""What association rules say about the supports of the itemsets they are made of.

Problem      a rule X -> Y is printed with its support (of X and Y together) and its confidence; which supports can X
             have had?
Method       confidence is sup(X u Y) / sup(X). A printed figure may be rounded or cut off, so every whole number s is
             possible with |sup / s - conf| less than one unit of the last printed digit. Rules that speak of the same
             itemset narrow each other.
Promises     the true support is always among the possible ones.
Departures   atzori2008 prints the quotient the wrong way round (sup(Y) for sup(X)) and cuts 98.765 % off to 98.7 %.
Reference    atzori2008, Examples 2 and 3
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.channels.channel import Itemsets
from discreet.errors import DataError
from discreet.patterns.canonical import newness, sorting_order
from discreet.patterns.confidence import possible_antecedents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.patterns.imported import GivenRules

__all__ = ["PossibleSupports", "supports_behind"]


@dataclass(frozen=True)
class PossibleSupports:
    """Itemsets in canonical order, each with the lowest and highest support it can have."""

    itemsets: Itemsets
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    n: int | None


def supports_behind(rules: GivenRules) -> PossibleSupports:
    """Return what the rules say about every antecedent and every whole."""
    lows, highs = _antecedent_ranges(rules)
    whole = _wholes(rules)
    count = len(rules)
    offsets = np.concatenate([rules.antecedent_offsets, whole.offsets[1:] + rules.antecedent_offsets[-1]])
    items = np.concatenate([rules.antecedent_items, whole.items])
    lows = np.concatenate([lows, rules.supports])
    highs = np.concatenate([highs, rules.supports])
    order = sorting_order(offsets, items, len(rules.vocabulary))
    offsets, items = _kernel.select_rows(offsets, items, order)
    first = np.flatnonzero(newness(offsets, items))
    joined_lows = np.maximum.reduceat(lows[order], first) if count else lows
    joined_highs = np.minimum.reduceat(highs[order], first) if count else highs
    if (joined_lows > joined_highs).any():
        raise DataError(
            "the rules contradict each other: two of them give the same itemset different supports; "
            "are they from one data set?"
        )
    offsets, items = _kernel.select_rows(offsets, items, first)
    n = rules.n
    if len(offsets) > 1 and offsets[1] == 0:  # an empty antecedent: its support is n
        if n is None and joined_lows[0] == joined_highs[0]:
            n = int(joined_lows[0])
        offsets, joined_lows, joined_highs = offsets[1:], joined_lows[1:], joined_highs[1:]
    if _kernel.find_contradiction(offsets, items, joined_lows, joined_highs, len(rules.vocabulary)) is not None:
        raise DataError(
            "the rules contradict each other: by their figures an itemset has more rows than one of its subsets; "
            "are they from one data set?"
        )
    return PossibleSupports(Itemsets(offsets, items), joined_lows, joined_highs, n)


def _antecedent_ranges(rules: GivenRules) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if rules.antecedent_supports is not None:
        return rules.antecedent_supports, rules.antecedent_supports
    ranges = [
        possible_antecedents(support, confidence, rules.n)  # never None: the rules were read with that checked
        for support, confidence in zip(rules.supports.tolist(), rules.confidences, strict=True)
    ]
    pairs = np.array(ranges, np.int64).reshape(len(ranges), 2)
    return pairs[:, 0], pairs[:, 1]


def _wholes(rules: GivenRules) -> Itemsets:
    """Return antecedent and consequent together, for every rule."""
    lengths = np.diff(rules.antecedent_offsets) + np.diff(rules.consequent_offsets)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    rule_of_item = np.concatenate(
        [
            np.repeat(np.arange(len(rules)), np.diff(rules.antecedent_offsets)),
            np.repeat(np.arange(len(rules)), np.diff(rules.consequent_offsets)),
        ]
    )
    items = np.concatenate([rules.antecedent_items, rules.consequent_items])[np.argsort(rule_of_item, kind="stable")]
    return Itemsets(*_kernel.canonical_rows(offsets, items, None))

"""What is lost from rows, and what is left, after items are dropped and generalized.

Publishing a node in place of an item loses the node's share of all leaves of the hierarchy, whether or not they occur
in rows; dropping the item loses all of it. The loss of a data set is the average over all item occurrences (cao2010,
section 3.2).

Rules without a changed item are unchanged, including support and confidence, where an item is changed in all rows or in
none. Where items left single rows, rules over them are counted again in the published rows.

A rule with nodes stands for all rules with items in place of the nodes; a reader knows only bounds for these.
None has more support than the rule. If only the consequent has nodes, none has more confidence, and the best has at
least the rule's confidence divided by the number of consequents it stands for (cao2010, Lemma B.1, and the pigeonhole
principle). If the antecedent has a node, nothing follows about confidence: cao2010 (appendix D) calls the rule's
confidence an upper bound, but rows {a1, x} and {a2} have conf(A -> x) = 1/2 and conf(a1 -> x) = 1.

The average loss says little about what someone can still do with the rows. So what is left is counted as well: the rows
that are published as they were, the sensitive items and the others in them and, at a support, itemsets and rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.patterns.mining import mine
from discreet.patterns.rules import rules
from discreet.tables.tabular import Tabular
from discreet.thresholds import MinSupport, ShareLike

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.patterns.ruleset import RuleSet
    from discreet.thresholds import MinSupport, ShareLike
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.publication import Publication

__all__ = [
    "ConfidenceBounds",
    "FalseRules",
    "ItemLosses",
    "KeptItemsets",
    "RemainingRules",
    "WhatIsLeft",
    "average_loss",
    "false_rules",
    "item_losses",
    "losses_by_item",
    "publication_tree",
    "remaining_rules",
    "what_is_left",
]

_HALF = 32
"""The bits of a number of rows; two of them are added up at once."""

LONGEST_RULE = 3
"""The most items in the rules that are counted, both sides together, and in the itemsets."""


def item_losses(publication: Publication) -> tuple[NDArray[np.int64], int]:
    """Return the loss of every item, as numerators over a common denominator."""
    whole = max(1, publication.hierarchy.leaf_count)
    lost = np.append(publication.hierarchy.leaves_below, 0)[publication.node_of]
    lost[publication.suppressed] = whole
    return lost, whole


def average_loss(publication: Publication, supports: NDArray[np.int64]) -> Fraction:
    """Return the average loss, given the number of rows of each item; 0 if there are none."""
    lost, whole = item_losses(publication)
    held = int(supports.sum())
    total = sum(map(int.__mul__, supports.tolist(), lost.tolist()))  # Python's integers do not overflow
    return Fraction(total, held * whole) if held else Fraction(0)


@dataclass(frozen=True, slots=True, eq=False)
class ItemLosses(Tabular):
    """The loss of each item, greatest first: `lost[i] / whole` for each of its `supports[i]` occurrences."""

    labels: tuple[str, ...]
    published_as: tuple[str | None, ...]
    sensitive: NDArray[np.bool_]
    supports: NDArray[np.int64]
    lost: NDArray[np.int64]
    whole: int

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.labels)

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table: item, support, published_as (null: dropped), sensitive, loss."""
        import pyarrow as pa

        return pa.table(
            {
                "item": pa.array(self.labels, pa.string()),
                "support": self.supports,
                "published_as": pa.array(self.published_as, pa.string()),
                "sensitive": self.sensitive,
                "loss": self.lost / self.whole,
            }
        )


def losses_by_item(publication: Publication, rows: Transactions) -> ItemLosses:
    """Return the loss of each item in a publication, greatest loss of information first."""
    supports = rows.item_supports()
    lost, whole = item_losses(publication)
    order = np.argsort(-supports * lost, kind="stable")
    order = order[supports[order] > 0]
    dropped = publication.dropped()
    return ItemLosses(
        labels=tuple(publication.vocabulary[item] for item in order.tolist()),
        published_as=tuple(None if dropped[item] else publication.published_label(item) for item in order.tolist()),
        sensitive=publication.node_of[order] < 0,
        supports=supports[order],
        lost=lost[order],
        whole=whole,
    )


# ---------------------------------------------------------------------------------------------------- what is left


@dataclass(frozen=True, slots=True)
class KeptItemsets:
    """Of the itemsets of at most three items that were frequent, how many still are, and how many with their support.

    `sensitive` is the same for those that contain a sensitive item, in the same order: before, kept, exact.
    """

    min_support: int
    before: int
    kept: int
    exact: int
    sensitive: tuple[int, int, int]

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        names = ("before", "kept", "exact")
        return {
            "min_support": self.min_support,
            "longest": LONGEST_RULE,
            **{name: getattr(self, name) for name in names},
            "sensitive": dict(zip(names, self.sensitive, strict=True)),
        }


@dataclass(frozen=True, slots=True)
class WhatIsLeft:
    """What published rows still have of the rows they were made of, as pairs of before and after.

    Attributes
    ----------
    rows : tuple of int
        All rows, and those that are published as they were.
    sensitive_items : tuple of int
        The sensitive items that some row had, and those that some row still has.
    sensitive_entries : tuple of int
        How often rows had a sensitive item, and still have it.
    other_entries : tuple of int
        How often rows had another item, and still have it as it was, neither dropped nor generalized.
    itemsets : KeptItemsets or None
        The itemsets that are left, if a minimum support was given.
    """

    rows: tuple[int, int]
    sensitive_items: tuple[int, int]
    sensitive_entries: tuple[int, int]
    other_entries: tuple[int, int]
    itemsets: KeptItemsets | None = None

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        pairs = ("rows", "sensitive_items", "sensitive_entries", "other_entries")
        told: JsonObject = {name: dict(zip(("before", "kept"), getattr(self, name), strict=True)) for name in pairs}
        return told | ({} if self.itemsets is None else {"itemsets": self.itemsets.to_dict()})


def what_is_left(
    rows: Transactions,
    published: Transactions,
    sensitive: NDArray[np.int32],
    *,
    min_support: MinSupport | None = None,
) -> WhatIsLeft:
    """Count what rows that were published, in whatever order, still have of the original ones.

    `sensitive` are the numbers of the sensitive items in the original rows. With `min_support`, itemsets are counted.
    """
    private = np.zeros(len(rows.vocabulary), bool)
    private[sensitive] = True
    before, after = rows.item_supports(), np.zeros(len(rows.vocabulary), np.int64)
    numbers = _numbers_in(rows, published)
    same = numbers < len(rows.vocabulary)
    after[numbers[same]] = published.item_supports()[same]
    kept = np.minimum(before, after)

    def sums(counts: NDArray[np.int64], left: NDArray[np.int64], which: NDArray[np.bool_]) -> tuple[int, int]:
        return int(counts[which].sum()), int(left[which].sum())

    return WhatIsLeft(
        rows=(rows.n, _rows_in_both(rows, published, numbers)),
        sensitive_items=sums((before > 0).astype(np.int64), (kept > 0).astype(np.int64), private),
        sensitive_entries=sums(before, kept, private),
        other_entries=sums(before, kept, ~private),
        itemsets=None if min_support is None else _kept_itemsets(rows, published, private, min_support),
    )


def _numbers_in(rows: Transactions, published: Transactions) -> NDArray[np.int32]:
    """Return the number of each published item in the original rows; new ones are numbered after those."""
    place, first_new = rows.vocabulary.positions, len(rows.vocabulary)
    return np.array([place.get(label, first_new + i) for i, label in enumerate(published.vocabulary)], np.int32)


def _rows_in_both(rows: Transactions, published: Transactions, numbers: NDArray[np.int32]) -> int:
    """Return how many rows two data sets share; equal rows count as often as both have them.

    What a global method changed is equal to no original row, so these are the rows that it left as they were.
    """
    both = rows.itemsets.followed_by(published.itemsets.canonical(numbers))
    ones, others = (
        np.ones(len(each), np.int64) if each.weights is None else each.weights for each in (rows, published)
    )
    _, counts = _kernel.fold_rows(both, np.concatenate([ones, others << _HALF]))
    return int(np.minimum(counts & ((1 << _HALF) - 1), counts >> _HALF).sum())


def _kept_itemsets(
    rows: Transactions, published: Transactions, private: NDArray[np.bool_], min_support: MinSupport
) -> KeptItemsets:
    found = mine(rows, min_support=min_support, target="all", max_length=LONGEST_RULE)
    again = mine(published, min_support=found.min_support, target="all", max_length=LONGEST_RULE)
    before = found.itemsets.canonical(
        np.array([rows.vocabulary.positions[each] for each in found.vocabulary], np.int32)
    )
    numbers = _numbers_in(rows, published)[[published.vocabulary.positions[each] for each in again.vocabulary]]
    known = again.itemsets.canonical(numbers.astype(np.int32))
    order = known.order()
    labels = max(len(rows.vocabulary), int(numbers.max(initial=-1)) + 1)
    after = before.supports_in(known.select(order), again.supports[order], labels)
    secret = before.keeping(private[before.items]).lengths > 0
    kept, exact = after > 0, after == found.supports
    figures = [int(np.count_nonzero(each & secret)) for each in (np.ones_like(secret), kept, exact)]
    return KeptItemsets(
        min_support=found.min_support,
        before=len(found),
        kept=int(np.count_nonzero(kept)),
        exact=int(np.count_nonzero(exact)),
        sensitive=(figures[0], figures[1], figures[2]),
    )


# ---------------------------------------------------------------------------------------------------- the tree


def publication_tree(publication: Publication) -> Iterator[tuple[int, str, str]]:
    """Yield the parts of the hierarchy where something changed: depth, label, and what is published of it.

    A branch whose items are all unchanged is one line, and so is a branch that is published as one node.
    """
    hierarchy = publication.hierarchy
    nodes = publication.node_of
    dropped = publication.dropped()
    item_of = {int(leaf): item for item, leaf in enumerate(_leaves(publication)) if leaf >= 0}
    children: dict[int, list[int]] = {}
    for node, above in enumerate(hierarchy.parent.tolist()):
        children.setdefault(above, []).append(node)

    def items_below(node: int) -> list[int]:
        if node < hierarchy.leaf_count:
            return [item_of[node]] if node in item_of else []
        return [item for child in children[node] for item in items_below(child)]

    def walk(node: int, depth: int) -> Iterator[tuple[int, str, str]]:
        items = items_below(node)
        label = hierarchy.labels[node]
        many = "1 item" if len(items) == 1 else f"{len(items):,} items"
        if items and all(dropped[items]):
            yield depth, label, "dropped" if node < hierarchy.leaf_count else f"dropped, {many}"
        elif items and node >= hierarchy.leaf_count and all(nodes[items] == node):
            yield depth, label, f"published for {many}"
        elif not any(dropped[items]) and all(nodes[items] < hierarchy.leaf_count):
            yield depth, label, "as it is" if len(items) == 1 else f"{many} as they are"
        else:
            yield depth, label, ""
            for child in children[node]:
                yield from walk(child, depth + 1)

    if hierarchy.labels:
        yield from walk(len(hierarchy.labels) - 1, 0)


def _leaves(publication: Publication) -> list[int]:
    """Return every item's own leaf, -1 for the sensitive ones."""
    numbers = publication.hierarchy.leaf_numbers
    return [
        -1 if node < 0 else numbers[label]
        for label, node in zip(publication.vocabulary, publication.node_of.tolist(), strict=True)
    ]


# ---------------------------------------------------------------------------------------------------- the rules


@dataclass(frozen=True, slots=True)
class ConfidenceBounds:
    """A published rule with nodes, and the bounds that a reader knows for the rules it stands for.

    None of the `stands_for` rules has a support above the rule's own or a confidence above `at_most`, and at least one
    has a confidence of `best_at_least` or more.
    """

    antecedent: tuple[str, ...]
    consequent: tuple[str, ...]
    support: int
    confidence: Fraction
    stands_for: int
    at_most: Fraction
    best_at_least: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class RemainingRules:
    """How many of the rules that could be mined before still can be, and which published ones are generalized.

    `kept` rules are unchanged; `blurred` ones have an item that is now part of a node; `lost` ones have an item that
    was dropped, or are no longer frequent or sure enough; `changed` ones still are, with another support or confidence:
    items left single rows. `published` are the rules of the published rows, at the same support and confidence.
    """

    min_support: int
    min_confidence: Fraction
    before: int
    kept: int
    blurred: int
    lost: int
    published: RuleSet
    generalized: tuple[int, ...]
    leaves: NDArray[np.int64]
    changed: int = 0

    def bounds(self) -> Iterator[ConfidenceBounds]:
        """Yield the published rules that contain a node, greatest support first."""
        for number in sorted(self.generalized, key=lambda number: (-int(self.published.supports[number]), number)):
            yield self._bounds(number)

    def _bounds(self, number: int) -> ConfidenceBounds:
        found = self.published
        sides = antecedent, consequent = found.antecedents[number], found.consequents[number]
        antecedents, consequents = (prod(np.maximum(1, self.leaves[side]).tolist()) for side in sides)
        confidence = Fraction(int(found.supports[number]), int(found.antecedent_supports[number]))
        exact = antecedents == 1
        return ConfidenceBounds(
            antecedent=tuple(found.vocabulary[item] for item in antecedent.tolist()),
            consequent=tuple(found.vocabulary[item] for item in consequent.tolist()),
            support=int(found.supports[number]),
            confidence=confidence,
            stands_for=antecedents * consequents,
            at_most=confidence if exact else Fraction(1),
            best_at_least=confidence / consequents if exact else Fraction(0),
        )

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "min_support": self.min_support,
            "min_confidence": float(self.min_confidence),
            "longest": LONGEST_RULE,
            "before": self.before,
            "kept": self.kept,
            "changed": self.changed,
            "blurred": self.blurred,
            "lost": self.lost,
            "after": len(self.published),
            "generalized": len(self.generalized),
        }


def remaining_rules(
    rows: Transactions,
    published: Transactions,
    publication: Publication,
    *,
    min_support: MinSupport,
    min_confidence: ShareLike = "50%",
) -> RemainingRules:
    """Compare the rules of at most three items that can be mined before and after."""
    before = _rules(rows, min_support, min_confidence)
    after = _rules(published, before.min_support, min_confidence)
    lost = _touched(before, publication.dropped())
    blurred = _touched(before, publication.generalized()) & ~lost
    held, both = _counts_in(published, before)
    same = ~(lost | blurred) & (held == before.antecedent_supports) & (both == before.supports)
    least = before.min_confidence
    changed = ~(lost | blurred | same) & (both >= before.min_support)
    changed &= both * least.denominator >= held * least.numerator
    below = dict(zip(publication.hierarchy.labels, publication.hierarchy.leaves_below.tolist(), strict=True))
    leaves = np.array([below.get(label, 0) for label in after.vocabulary], np.int64)
    return RemainingRules(
        min_support=before.min_support,
        min_confidence=before.min_confidence,
        before=len(before),
        kept=int(np.count_nonzero(same)),
        changed=int(np.count_nonzero(changed)),
        blurred=int(np.count_nonzero(blurred)),
        lost=int(np.count_nonzero(~(same | changed | blurred))),
        published=after,
        generalized=tuple(np.flatnonzero(_touched(after, leaves > 0)).tolist()),
        leaves=leaves,
    )


@dataclass(frozen=True, slots=True)
class FalseRules:
    """How many rules can be mined now, and how many of them could not be before: the rows lost what speaks against."""

    min_support: int
    min_confidence: Fraction
    published: int
    false: int

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "min_support": self.min_support,
            "min_confidence": float(self.min_confidence),
            "longest": LONGEST_RULE,
            "after": self.published,
            "false": self.false,
        }


def false_rules(
    rows: Transactions,
    published: Transactions,
    *,
    min_support: MinSupport = "1%",
    min_confidence: ShareLike = "50%",
) -> FalseRules:
    """Count rules of at most three items that published rows have and others, of which they are part, do not have."""
    after = _rules(published, min_support, min_confidence)
    numbers = np.array([rows.vocabulary.positions[label] for label in after.vocabulary], np.int32)
    antecedents, consequents = (side.canonical(numbers) for side in (after.antecedents, after.consequents))
    held, both = (
        each.count_in(rows.itemsets, rows.weights, len(rows.vocabulary))
        for each in (antecedents, antecedents.joined_with(consequents))
    )
    least = after.min_confidence
    false = int(np.count_nonzero(both * least.denominator < held * least.numerator))
    return FalseRules(after.min_support, least, len(after), false)


def _rules(rows: Transactions, min_support: MinSupport, min_confidence: ShareLike) -> RuleSet:
    found = mine(rows, min_support=min_support, target="all", max_length=LONGEST_RULE)
    return rules(found, min_confidence=min_confidence)


def _counts_in(published: Transactions, found: RuleSet) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each rule how many published rows have its antecedent, and both sides; 0 with a label they lack."""
    place, lacking = published.vocabulary.positions, len(published.vocabulary)
    numbers = np.array([place.get(label, lacking) for label in found.vocabulary], np.int32)
    antecedents, consequents = (side.canonical(numbers) for side in (found.antecedents, found.consequents))
    held, both = (
        each.count_in(published.itemsets, published.weights, lacking + 1)
        for each in (antecedents, antecedents.joined_with(consequents))
    )
    return held, both


def _touched(found: RuleSet, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each rule whether an item of either side is flagged."""
    touched = np.zeros(len(found), bool)
    for side in (found.antecedents, found.consequents):
        touched |= side.keeping(flags[side.items]).lengths > 0
    return touched

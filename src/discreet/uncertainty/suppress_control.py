"""Drop items until no sensitive one can be inferred.

Problem      given rows, the sensitive items and rho, choose items to drop, from all rows, so that what is left is
             rho-uncertain and little is lost.
Method       cao2010, Algorithm 1, SuppressControl: for antecedents of 0, 1, 2, ... items, find all sensitive rules of
             that length that reach rho. Then drop the item of highest payoff (the number of these rules it is in,
             divided by its number of rows) until each rule has lost an item. In the kernel: see
             cpp/uncertainty_levels.hpp.
Promises     the result is rho-uncertain. It is that of the printed algorithm, with ties decided by label.
Cost         one pass over all antecedents of each length processed; memory for the rules of one length. As soon as the
             checker finds no rule of any length, longer ones are skipped.
Departures   the empty antecedent is level 0 (Definition 3.1 requires it); the paper starts with 1.
Names        SR_i -> the rules of one level;  payoff(i, b) -> rules / cost of a choice.
Reference    cao2010, section 4 and A.1   (docs/papers/cao2010.md, tests/papers/test_cao2010.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.uncertainty.hierarchy import leaf_of_items
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.publication import Publication
from discreet.uncertainty.sensitive_rules import sensitive_flags

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Hierarchy

__all__ = ["Choice", "Level", "Suppression", "suppress_control"]


@dataclass(frozen=True, slots=True)
class Choice:
    """An item (or a node of the hierarchy, numbered after the items) that was dropped.

    When it was dropped, it was in `rules` of the remaining rules; losing it costs `cost`.
    """

    code: int
    rules: int
    cost: int

    @property
    def payoff(self) -> Fraction:
        """How many rules it conceals per unit of information lost."""
        return Fraction(self.rules, self.cost)


@dataclass(frozen=True, slots=True)
class Level:
    """What happened to the rules whose antecedents have `size` items: how many reached rho, and what was dropped."""

    size: int
    rules: int
    chosen: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Suppression:
    """The publication, and the steps that led to it."""

    publication: Publication
    levels: tuple[Level, ...]


def suppress_control(
    rows: Transactions, *, rho: Fraction | Limits, sensitive: NDArray[np.int32], hierarchy: Hierarchy
) -> Suppression:
    """Return which items to drop so that no sensitive one can be inferred with `rho` or more."""
    part, whole = Limits.parse(rho).shares(rows.vocabulary, sensitive, rows.n)
    steps = _kernel.suppress_by_level(
        rows.itemsets,
        rows.weights,
        total=rows.n,
        sensitive=sensitive_flags(rows.vocabulary, sensitive),
        costs=rows.item_supports(),
        rho_part=part,
        rho_whole=whole,
    )
    levels = tuple(Level(size, rules, tuple(Choice(*choice) for choice in chosen)) for size, rules, chosen in steps)
    dropped = sorted(choice.code for level in levels for choice in level.chosen)
    publication = Publication(
        vocabulary=rows.vocabulary,
        hierarchy=hierarchy,
        suppressed=np.array(dropped, np.int32),
        node_of=leaf_of_items(hierarchy, rows.vocabulary, sensitive),
    )
    return Suppression(publication, levels)

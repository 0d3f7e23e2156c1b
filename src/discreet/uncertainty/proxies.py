"""Items that give a sensitive one away: who has such an item also has the sensitive one, nearly always.

Problem      given rows, the sensitive items and rho, find the single other items from which a sensitive one follows
             with rho or more: dropping the sensitive item hides it in the rows, and leaves it to whoever knows this.
Method       for each sensitive item, count every other item in the rows that hold it.
Promises     all such items are counted, exactly. Items that only together tell a sensitive one are not among them.
Cost         one pass over the items for each sensitive item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.uncertainty.sensitive_rules import SensitiveRule, attainable_share

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions

__all__ = ["Proxies", "find_proxies"]


class Proxies(NamedTuple):
    """The items that give a sensitive one away, those in the most rows first, and how many there are in all."""

    rules: tuple[SensitiveRule, ...]
    total: int


def find_proxies(rows: Transactions, sensitive: NDArray[np.int32], rho: Fraction, *, most: int = 20) -> Proxies:
    """Return the single items that tell a sensitive one with `rho` or more, at most so many; each one once.

    >>> from fractions import Fraction
    >>> from discreet.transactions.transactions import Transactions
    >>> rows = Transactions.from_rows([["sertraline", "depression"]] * 3 + [["aspirin"], ["aspirin", "depression"]])
    >>> codes = np.array([rows.vocabulary.positions["depression"]], np.int32)
    >>> [rule.antecedent for rule in find_proxies(rows, codes, Fraction(3, 4)).rules]
    [('sertraline',)]
    """
    supports = rows.item_supports()
    row_of = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
    weights = np.ones(len(rows), np.int64) if rows.weights is None else rows.weights
    private = np.zeros(len(supports), bool)
    private[sensitive] = True
    told = np.zeros(len(supports), bool)
    part, whole = attainable_share(rho, rows.n)  # no product of these and a number of rows overflows
    found: dict[int, SensitiveRule] = {}
    for item in sensitive.tolist():
        holding = np.zeros(len(rows), bool)
        holding[row_of[rows.items == item]] = True
        here = np.flatnonzero(holding[row_of])
        together = np.zeros(len(supports), np.int64)
        np.add.at(together, rows.items[here], weights[row_of[here]])
        tells = np.flatnonzero((together > 0) & ~private & (together * whole >= supports * part))
        told[tells] = True
        for other in tells[np.argsort(-together[tells], kind="stable")][:most].tolist():
            labels = (rows.vocabulary[other],), rows.vocabulary[item]
            rule = SensitiveRule(*labels, int(together[other]), int(supports[other]))
            if other not in found or rule.rank < found[other].rank:
                found[other] = rule
    worst = sorted(found.values(), key=lambda rule: (-rule.together, rule.rank, rule.antecedent))
    return Proxies(tuple(worst[:most]), int(told.sum()))

"""Mine together after making the joint rows k-anonymous, which leaves no channel (DkA-SAPM).

Problem      given two parties' columns, min_support and k, let each party change its own columns so that the joint rows
             are k-anonymous, and mine what is left; reveal nothing but the result.
Method       round j has groups of z = k * 2^j. Each party clears the columns that are in none of its own frequent
             itemsets, keeps classes of at least z equal rows, and makes the other rows equal in groups of z, in file
             order, by AND (FIBA, Supp_Further). One bit is opened: whether every row of the join is one of at least k
             equal rows. If not, the next round starts from the original rows. Then all frequent itemsets are found
             and opened.
Promises     no row is removed; a value only ever changes from 1 to 0; each party's own rows are z-anonymous after its
             step; the join of the last round is k-anonymous, so none of its itemsets opens a channel.
Cost         `group_sizes` once per round, at most log2(n / k) rounds; then as `frequent_itemsets`.
Departures   fewer than z remaining rows join the last group. If there is none, they are ANDed with the smallest class
             kept (the one whose first row comes first in a tie); if there is no class either, all rows become equal.
             The paper specifies neither, and its framework removes anonymous rows before the next round.
Names        FIBA, Supp_First_z, Supp_Further -> anonymize_half.
Reference    jiang2006, section 3   (docs/papers/jiang2006.md, tests/papers/test_jiang2006.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.itemsets import Itemsets
from discreet.transactions.transactions import Transactions
from discreet.twoparty.agreement import check_anonymizable
from discreet.twoparty.frequent_itemsets import find_frequent
from discreet.twoparty.gmw import pack_bits, unpack_bits
from discreet.twoparty.joint_patterns import JointPatterns
from discreet.twoparty.local_itemsets import LocalItemsets

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.twoparty.agreement import Agreed, Role
    from discreet.twoparty.engine import Engine
    from discreet.twoparty.steps import Steps

__all__ = ["anonymize_half", "mine_anonymized"]


def mine_anonymized(
    engine: Engine, party: Role, agreed: Agreed, rows: Transactions, *, report: Callable[[str], None]
) -> Steps[JointPatterns]:
    """Run DkA-SAPM on this party's rows; return all frequent itemsets of the anonymized join."""
    n, k = agreed.n, agreed.k
    check_anonymizable(n, k)
    doublings = 0
    while True:
        size = k << doublings
        report(f"checking that groups of {size:,} rows are anonymous together")
        half = anonymize_half(rows, min_support=agreed.min_support, size=size)
        most = n // size  # the most classes possible; the actual number stays secret
        if most <= 1 or (yield from engine.every_group_reaches(_keys(half), most, k)):
            break
        doublings += 1
    own = LocalItemsets.find(half, agreed.min_support)
    found = yield from find_frequent(engine, party, own, min_support=agreed.min_support, report=report)
    supports = yield from engine.open(found.shares)
    everything = np.ones(len(found), bool)
    return JointPatterns.from_shared(agreed, found, everything, supports, doublings=doublings)


def anonymize_half(rows: Transactions, *, min_support: int, size: int) -> Transactions:
    """Return one party's rows with values cleared until each is one of at least `size` equal rows (or of all rows).

    >>> rows = Transactions.from_rows(["abx", "ab", "a", "ab", "b"])
    >>> [sorted(row) for row in anonymize_half(rows, min_support=3, size=2)]
    [['a', 'b'], ['a', 'b'], [], ['a', 'b'], []]
    """
    frequent = np.flatnonzero(rows.item_supports() >= min_support)
    bits = _bit_rows(rows, frequent)
    _, firsts, classes, counts = np.unique(bits, axis=0, return_index=True, return_inverse=True, return_counts=True)
    classes = classes.reshape(-1)
    others = np.flatnonzero(counts[classes] < size)
    groups = len(others) // size
    if groups:
        starts = np.arange(groups) * size
        lengths = np.diff(np.append(starts, len(others)))
        bits[others] = np.repeat(np.bitwise_and.reduceat(bits[others], starts, axis=0), lengths, axis=0)
    elif len(others):
        kept = np.flatnonzero(counts >= size)
        if len(kept):
            smallest = kept[np.lexsort([firsts[kept], counts[kept]])[0]]
            others = np.union1d(others, np.flatnonzero(classes == smallest))
        bits[others] = np.bitwise_and.reduce(bits[others], axis=0)
    row, item = np.nonzero(unpack_bits(bits, len(frequent)))
    codes = Itemsets.from_lengths(np.bincount(row, minlength=len(rows)), item.astype(np.int32))
    labels = [rows.vocabulary[each] for each in frequent.tolist()]
    return Transactions.from_codes(codes, labels)


def _bit_rows(rows: Transactions, items: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the rows as packed bits, one per item."""
    place = np.full(len(rows.vocabulary), -1)
    place[items] = np.arange(len(items))
    column = place[rows.items]
    row = rows.itemsets.owners
    flags = np.zeros((len(rows), len(items)), np.uint8)
    flags[row[column >= 0], column[column >= 0]] = 1
    return pack_bits(flags)


def _keys(half: Transactions) -> NDArray[np.int64]:
    """Return for each row the number of its class of equal rows."""
    bits = _bit_rows(half, np.arange(len(half.vocabulary)))
    return np.unique(bits, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

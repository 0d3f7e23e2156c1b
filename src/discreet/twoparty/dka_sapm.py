"""Mine together after making the joint rows k-anonymous, which leaves no channel (DkA-SAPM).

Problem      given two parties' columns, min_support and k, let each party change its own columns so that the joint rows
             are k-anonymous, and mine what is left; reveal nothing but the result.
Method       each party clears the columns that are in none of its own frequent itemsets, and makes its rows equal in
             classes of at least k (FIBA, Supp_Further): the smallest class joins the one that it is most like, both
             keeping the items they have in common, until none is too small. A row whose joint group (its classes at
             both parties) has fewer than k rows is cleared in both halves. Which rows are, is a shared bit that is
             never opened: it is ANDed into every count. Then the frequent itemsets are found and opened.
             With `iterate`, as the paper has it: the bits are opened; rows that have the bit are done, the others go
             on in classes twice as large, from the values that are left, until none remains. Nothing is cleared
             unseen, and both parties learn which rows were left after each round.
Promises     no row is removed; a value only ever changes from 1 to 0. The join is k-anonymous: cleared rows are a group
             of rows without items, and `Engine.share_kept` clears one more group rather than leave 1 to k-1 of
             them. So none of its itemsets opens a channel, n (which counts every row) included. What is opened follows
             from the result and from how many items are frequent in each half (with `iterate`, from the result and
             which rows were left).
Cost         `group_sizes` once; then as `frequent_itemsets` with columns twice as long. With `iterate`, `group_sizes`
             in each of at most 1 + log2(n / k) rounds; then as `frequent_itemsets`.
Departures   the paper groups rows in file order and leaves a better way to future work. It drops fewer than k rows that
             are left (section 5.4), which n would tell. `frequent in its half` is tested with the clearing in force and
             in an order that only the owner knows, because a name must not tell what the clearing cost.
Names        FIBA, Supp_First_z, Supp_Further -> anonymize_half, merge_classes.
Reference    jiang2006, section 3   (docs/papers/jiang2006.md, tests/papers/test_jiang2006.py)
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.errors import ProtocolViolation
from discreet.itemsets import Itemsets
from discreet.stages import tell_share
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from discreet.twoparty.agreement import Role, check_anonymizable
from discreet.twoparty.dot_products import among_kept
from discreet.twoparty.frequent_itemsets import SharedItemsets, find_frequent, grow_frequent, open_supports
from discreet.twoparty.gmw import pack_bits
from discreet.twoparty.joint_patterns import JointPatterns
from discreet.twoparty.local_itemsets import ItemsetNames, LocalItemsets, exchange_names
from discreet.twoparty.messages import MessageKind
from discreet.twoparty.primitives import random_bytes
from discreet.twoparty.steps import exchange

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.twoparty.agreement import Agreed
    from discreet.twoparty.engine import GroupingEngine
    from discreet.twoparty.ring import SecretShares
    from discreet.twoparty.steps import Steps

    Bits = NDArray[np.uint8]

__all__ = ["anonymize_half", "merge_classes", "mine_anonymized"]

_COUNT: Final = struct.Struct("<I")
_MOST_ITEMS: Final = 1 << 16
"""The most items of one party that are tried; each is a column of all rows."""
_AT_ONCE: Final = 1024
"""The most classes that are compared with each other."""
_NEVER: Final = np.iinfo(np.int64).max


def mine_anonymized(
    engine: GroupingEngine, party: Role, agreed: Agreed, rows: Transactions, *, report: Callable[[str], None]
) -> Steps[JointPatterns]:
    """Run DkA-SAPM on this party's rows; return all frequent itemsets of the anonymized join."""
    n, k = agreed.n, agreed.k
    check_anonymizable(n, k)
    if agreed.iterate:
        return (yield from _mine_in_rounds(engine, party, agreed, rows, report))
    report("making this side's own rows alike")
    half = anonymize_half(rows, min_support=agreed.min_support, size=k)
    flags = _flags(half)
    report(f"sharing which rows are in joint groups of {k:,}")
    kept = yield from engine.share_kept(_keys(flags), n // k + 1, k)
    own = _Items(half.vocabulary, pack_bits(np.ascontiguousarray(flags.T)), kept, party)
    report("trying the items that are frequent in either half")
    frequent, columns = yield from _frequent_items(engine, own, agreed.min_support)
    found = yield from _find_frequent(engine, frequent, half.vocabulary, agreed.min_support, report)
    supports = yield from engine.open(found.shares)
    _check_own(half, found, supports)
    everything = np.ones(len(found), bool)
    return JointPatterns.from_shared(agreed, found, everything, supports, columns=columns)


def _mine_in_rounds(
    engine: GroupingEngine, party: Role, agreed: Agreed, rows: Transactions, report: Callable[[str], None]
) -> Steps[JointPatterns]:
    """Go on with the rows that are not yet anonymous, in classes twice as large, until none is left."""
    labels, flags = _frequent_columns(rows, agreed.min_support)
    left, size = np.arange(agreed.n), agreed.k
    told = []
    while len(left):
        size = min(size, len(left))
        report(f"making this side's own rows alike, {len(left):,} of them")
        flags[left] = merge_classes(flags[left], size)
        report(f"looking for joint groups of {agreed.k:,} in {len(left):,} rows")
        keys = 1 + _keys(flags[left])
        kept = yield from engine.share_kept(keys, len(left) // size + 2, agreed.k)
        done = yield from engine.open_bits(kept, len(left))
        _check_round(keys, done, agreed.k, last=size == len(left))
        left = left[~done]
        told.append(tuple((left + 1).tolist()))
        size *= 2
    own = LocalItemsets.find(_of_flags(flags, labels), agreed.min_support)
    found = yield from find_frequent(
        engine, party, own, min_support=agreed.min_support, report=report, frequent_before=labels
    )
    everything = np.ones(len(found), bool)
    supports = yield from open_supports(engine, party, found, everything)
    return JointPatterns.from_shared(agreed, found, everything, supports, left=tuple(told))


def _check_round(keys: NDArray[np.int64], done: NDArray[np.bool_], k: int, *, last: bool) -> None:
    """Refuse bits that no round can give: a joint group of k is in a class of k here, and of one class none is left."""
    classes = np.bincount(keys[done])
    left = len(done) - int(done.sum())
    if (classes[classes > 0] < k).any() or 0 < left < k or (last and left):
        raise ProtocolViolation(
            "the partner opened bits that say of rows what cannot be said of them; nothing was kept; its program is in "
            "doubt"
        )


def _check_own(half: Transactions, found: SharedItemsets, supports: NDArray[np.int64]) -> None:
    """Refuse more rows of an itemset of this side's own columns than it has: clearing rows only takes some away."""
    number = np.array([half.vocabulary.positions.get(label, -1) for label in found.vocabulary], np.int32)
    own = np.ones(len(found), bool)
    own[found.itemsets.owners[number[found.itemsets.items] < 0]] = False
    chosen = np.flatnonzero(own)
    counts = found.itemsets.select(chosen).renumbered(number).count_in(half.itemsets, None, len(half.vocabulary))
    if (supports[chosen] > counts).any():
        raise ProtocolViolation(
            "the partner opened a larger support of this side's own columns than this side has rows for; nothing was "
            "kept"
        )


@dataclass(frozen=True, eq=False, slots=True)
class _Items:
    """One party's items, their columns, and its share of which rows count."""

    labels: Vocabulary
    columns: Bits  # of the labels, packed
    kept: Bits
    party: Role

    def select(self, chosen: NDArray[np.int64]) -> _Items:
        """Return these items alone, in canonical order."""
        chosen = np.sort(chosen)
        labels = Vocabulary([self.labels[each] for each in chosen.tolist()])
        return _Items(labels, self.columns[chosen], self.kept, self.party)

    def counted(self, itemsets: NDArray[np.int64]) -> Bits:
        """Return columns that count the rows with all of some items; -1 stands for no item."""
        everybody = pack_bits(np.ones(8 * self.columns.shape[1], np.uint8))
        columns = np.concatenate([self.columns, everybody[None]])  # the last one is that of -1
        return among_kept(np.bitwise_and.reduce(columns[itemsets], axis=1), self.kept, self.party)


def _frequent_items(engine: GroupingEngine, own: _Items, min_support: int) -> Steps[tuple[_Items, tuple[int, int]]]:
    """Return the own items that are frequent where rows are cleared, and how many each party has tried.

    The partner sees how many are, and not which: the items are tried in a random order.
    """
    order = _shuffled(len(own.labels))
    theirs = yield from exchange(MessageKind.LOCAL_ITEMSETS, _COUNT.pack(len(order)), _COUNT.size)
    sizes = (len(order), _COUNT.unpack(theirs)[0])
    if sizes[1] > _MOST_ITEMS:
        raise ProtocolViolation(
            f"the partner says that more than {_MOST_ITEMS:,} of its items are frequent; start both sides again"
        )
    first, second = sizes if own.party is Role.FIRST else sizes[::-1]
    pairs = np.full((first + second, 2), (first, second))  # the last column of either party is that of all rows
    pairs[:first, 0] = np.arange(first)
    pairs[first:, 1] = np.arange(second)
    shares = yield from engine.share_dot_products(own.counted(np.append(order, -1)[:, None]), pairs)
    answers = yield from engine.at_least(shares, min_support)
    mine = answers[:first] if own.party is Role.FIRST else answers[first:]
    return own.select(order[mine]), (first, second)


def _find_frequent(
    engine: GroupingEngine, own: _Items, before: Vocabulary, min_support: int, report: Callable[[str], None]
) -> Steps[SharedItemsets]:
    """Return the frequent itemsets of the join, with shared supports; `before` are labels frequent before clearing."""
    singles = Itemsets.of_matrix(np.arange(len(own.labels), dtype=np.int32)[:, None])
    partner = yield from exchange_names(ItemsetNames(own.labels, singles), before)
    if len(partner) != len(partner.vocabulary):
        raise ProtocolViolation("the partner named itemsets where single items were due; start both sides again")
    sides = (own.labels, partner.vocabulary) if own.party is Role.FIRST else (partner.vocabulary, own.labels)
    vocabulary = Vocabulary([*sides[0], *sides[1]])
    numbers = np.full((2, len(vocabulary)), -1)  # of each item at its owner
    for side, labels in enumerate(sides):
        numbers[side, [vocabulary.positions[label] for label in labels]] = np.arange(len(labels))
    spread: list[int] = []

    def count(candidates: NDArray[np.int32]) -> Steps[SecretShares]:
        halves = [np.unique(np.sort(side[candidates]), axis=0, return_inverse=True) for side in numbers]
        pairs = np.stack([which.reshape(-1) for _, which in halves], axis=1)
        owned = (numbers[0] >= 0)[candidates]
        spread.append(int((owned.any(axis=1) & ~owned.all(axis=1)).sum()))
        return (yield from engine.share_dot_products(own.counted(halves[own.party - 1][0]), pairs))

    itemsets, shares = yield from grow_frequent(engine, len(vocabulary), count, min_support, report)
    nobody = np.zeros(len(shares), np.uint8)
    return SharedItemsets(vocabulary, itemsets, shares, nobody, nobody.astype(np.int64), tuple(spread[1:]))


def anonymize_half(rows: Transactions, *, min_support: int, size: int) -> Transactions:
    """Return one party's rows with values cleared until each is one of at least `size` equal rows (or of all rows).

    >>> rows = Transactions.from_rows(["abx", "ab", "a", "ab", "b"])
    >>> [sorted(row) for row in anonymize_half(rows, min_support=3, size=2)]
    [['a', 'b'], ['a', 'b'], [], ['a', 'b'], []]
    """
    labels, flags = _frequent_columns(rows, min_support)
    return _of_flags(merge_classes(flags, size), labels)


def merge_classes(flags: Bits, size: int) -> Bits:
    """Clear values until every row is one of at least `size` equal rows, or all are equal.

    As long as a class is too small, the smallest (of those, the first in the order of their values) joins the class for
    which the fewest values are cleared (of those, the first). Of more than 1,024 classes, each thousand is first
    treated alone.
    """
    packed, classes, counts = _classes(flags)
    patterns = np.unpackbits(packed, axis=1, count=flags.shape[1])
    joins, small = np.arange(len(counts)), (counts < size).sum()
    while len(alive := np.flatnonzero(joins == np.arange(len(joins)))) > 1 and (counts[alive] < size).any():
        for block in np.array_split(alive, -(-len(alive) // _AT_ONCE)):
            _merge_block(patterns, counts, joins, block, size)
            still = (counts[joins == np.arange(len(joins))] < size).sum()
            tell_share(max(0.0, 1 - still / small))
    while (joins != joins[joins]).any():
        joins = joins[joins]
    merged: Bits = patterns[joins[classes]]
    return merged


def _merge_block(
    patterns: Bits, counts: NDArray[np.int64], joins: NDArray[np.int64], block: NDArray[np.int64], size: int
) -> None:
    """Merge classes of a block until one is left or none is too small; change what is known of them."""
    own, rows = patterns[block], counts[block]
    alive = np.ones(len(block), bool)
    while alive.sum() > 1 and (small := alive & (rows < size)).any():
        chosen = int(np.argmin(np.where(small, rows, _NEVER)))
        common = own & own[chosen]
        kept = common.sum(axis=1, dtype=np.int64)
        cleared = (own.sum(axis=1, dtype=np.int64) - kept) * rows + (own[chosen].sum(dtype=np.int64) - kept) * rows[
            chosen
        ]
        alive[chosen] = False
        best = int(np.argmin(np.where(alive, cleared, _NEVER)))
        own[best] = common[best]
        rows[best] += rows[chosen]
        joins[block[chosen]] = block[best]
    patterns[block], counts[block] = own, rows


def _classes(flags: Bits) -> tuple[Bits, NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows in order, packed; for each row, which of them it is; and how many rows each is."""
    packed = np.packbits(flags, axis=1)
    if not packed.shape[1]:
        return packed[:1], np.zeros(len(packed), np.int64), np.array([len(packed)])
    distinct, classes, counts = np.unique(packed, axis=0, return_inverse=True, return_counts=True)
    return distinct, classes.reshape(-1), counts


def _keys(flags: Bits) -> NDArray[np.int64]:
    """Return the number of each row's class of equal rows: 0 without items, then from the largest class down."""
    distinct, classes, counts = _classes(flags)
    keys = np.zeros(len(counts), np.int64)
    order = np.argsort(-counts, kind="stable")
    order = order[distinct[order].any(axis=1)]
    keys[order] = np.arange(1, len(order) + 1)
    return keys[classes]


def _frequent_columns(rows: Transactions, min_support: int) -> tuple[list[str], Bits]:
    """Return the labels that are frequent by themselves, and zeros and ones for these alone."""
    frequent = np.flatnonzero(rows.item_supports() >= min_support)
    return [rows.vocabulary[each] for each in frequent.tolist()], _flags(rows)[:, frequent]


def _of_flags(flags: Bits, labels: list[str]) -> Transactions:
    """Return rows from zeros and ones."""
    row, item = np.nonzero(flags)
    codes = Itemsets.from_lengths(np.bincount(row, minlength=len(flags)), item.astype(np.int32))
    return Transactions.from_codes(codes, labels)


def _flags(rows: Transactions) -> Bits:
    """Return the rows as zeros and ones, one column per item."""
    flags = np.zeros((len(rows), len(rows.vocabulary)), np.uint8)
    flags[rows.itemsets.owners, rows.items] = 1
    return flags


def _shuffled(count: int) -> NDArray[np.int64]:
    """Return the numbers below `count` in an order that nobody can predict."""
    return np.argsort(np.frombuffer(random_bytes(8 * count), np.uint64), kind="stable")

"""Find the frequent itemsets of two parties' columns, with shared supports that neither party knows (FFI_r).

Problem      the parties hold different columns of the same rows; find all itemsets that at least min_support rows
             contain, and share their supports so that neither knows those that span both.
Method       an itemset is a pair: its items at the first party, its items at the second. Pairs with an empty half are
             those that the parties named to each other. The others are found level by level: a candidate is a pair
             all of whose subsets one item smaller are frequent; dot products share its support; one bit per candidate
             is opened: frequent or not.
Promises     exactly the frequent itemsets; only the bits that follow from them are opened.
Cost         one dot product and one comparison per candidate; memory grows with the product of the two numbers of
             local itemsets, a byte each.
Names        F_r -> SharedItemsets; r_1, r_2 -> shares; u_j -> candidates.
Reference    jiang2006, section 2.3   (docs/papers/jiang2006.md, tests/papers/test_jiang2006.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet import _kernel
from discreet.errors import ProtocolViolation, TooManyPatterns, param
from discreet.itemsets import Itemsets
from discreet.transactions.vocabulary import numbered
from discreet.twoparty.agreement import Role
from discreet.twoparty.local_itemsets import exchange_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from discreet.transactions.vocabulary import Vocabulary
    from discreet.twoparty.engine import Engine, GroupingEngine
    from discreet.twoparty.local_itemsets import ItemsetNames, LocalItemsets
    from discreet.twoparty.ring import SecretShares
    from discreet.twoparty.steps import Steps

__all__ = ["SharedItemsets", "find_frequent", "grow_frequent", "open_supports"]

_MOST_PAIRS: Final = 1 << 27
"""The most pairs of local itemsets that are considered, a byte each: 128 MiB."""

_MOST_CANDIDATES: Final = 1 << 22
"""The most itemsets that are tried, of all lengths together."""


@dataclass(frozen=True, eq=False, slots=True)
class SharedItemsets:
    """Frequent itemsets in canonical order with this party's shares of their supports.

    `owner` is the party that has all items of an itemset and so knows its support, 0 if the itemset spans both; `known`
    are the supports that this party knows by itself, 0 for the others. `candidates` are the numbers of itemsets that
    were tried, level by level.
    """

    vocabulary: Vocabulary
    itemsets: Itemsets
    shares: SecretShares
    owner: NDArray[np.uint8]
    known: NDArray[np.int64]
    candidates: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.itemsets)


def find_frequent(
    engine: Engine,
    party: Role,
    own: LocalItemsets,
    *,
    min_support: int,
    report: Callable[[str], None],
    frequent_before: Collection[str] | None = None,
) -> Steps[SharedItemsets]:
    """Return the frequent itemsets over both parties' columns, with shared supports.

    `frequent_before` are the own labels that were frequent before values were cleared, if any were.
    """
    partner = yield from exchange_names(own.names, frequent_before)
    first, second = (own.names, partner) if party is Role.FIRST else (partner, own.names)
    if (len(first) + 1) * (len(second) + 1) > _MOST_PAIRS:
        raise TooManyPatterns(
            f"{len(first):,} itemsets of the first party and {len(second):,} of the second have too many combinations; "
            f"raise {param('min_support')} on both sides",
            found=(len(first) + 1) * (len(second) + 1),
            min_support=min_support,
        )
    alone = yield from engine.bring(own, partner, min_support)
    halves = _Half(first), _Half(second)
    frequent = np.zeros((len(first) + 1, len(second) + 1), bool)
    frequent[0, :] = frequent[:, 0] = True
    found = [np.zeros((0, 2), np.int64)]
    shares = [*alone]
    tried: list[int] = []
    while len(pairs := _candidates(frequent, halves, tried, min_support)):
        report(f"counting {len(pairs):,} candidates of {len(tried) + 2} items")
        tried.append(len(pairs))
        level = yield from engine.share_supports(pairs)
        kept = yield from engine.at_least(level, min_support)
        frequent[pairs[kept, 0], pairs[kept, 1]] = True
        found.append(pairs[kept])
        shares.append(level[kept])
    known = [np.zeros(len(side), np.int64) for side in (first, second, np.concatenate(found))]
    known[party - 1] = own.supports
    return _gather((first, second), np.concatenate(found), np.concatenate(shares), np.concatenate(known), tuple(tried))


def open_supports(
    engine: Engine, party: Role, found: SharedItemsets, chosen: NDArray[np.bool_]
) -> Steps[NDArray[np.int64]]:
    """Open the supports of the chosen itemsets; those of this party's own columns must come out as it counted them."""
    own = found.owner[chosen] == party
    supports = yield from engine.open(found.shares[chosen])
    if (supports[own] != found.known[chosen][own]).any():
        raise ProtocolViolation(
            "the partner opened another support of this side's own columns than this side counted; nothing was kept"
        )
    return supports


def grow_frequent(
    engine: GroupingEngine,
    labels: int,
    count: Callable[[NDArray[np.int32]], Steps[SecretShares]],
    min_support: int,
    report: Callable[[str], None],
) -> Steps[tuple[Itemsets, SecretShares]]:
    """Return the frequent itemsets over labels that both parties know, and shares of their supports.

    `count` shares the supports of the candidates of one length, the rows of a matrix. Every bit that is opened follows
    from the result.
    """
    itemsets = Itemsets.none()
    shares = [np.zeros(0, engine.ring.dtype)]
    candidates = np.arange(labels, dtype=np.int32)[:, None]
    while len(candidates):
        length = candidates.shape[1]
        _check_number(len(itemsets) + len(candidates), min_support)
        report(f"counting {len(candidates):,} candidates of {length} items")
        level = yield from count(candidates)
        kept = yield from engine.at_least(level, min_support)
        itemsets = itemsets.followed_by(Itemsets.of_matrix(candidates[kept]))
        shares.append(level[kept])
        candidates = _one_longer(itemsets, labels, length + 1)
    return itemsets, np.concatenate(shares)


def _check_number(candidates: int, min_support: int) -> None:
    """Refuse more candidates than can be tried: both sides count the same, whatever the partner calls frequent."""
    if candidates > _MOST_CANDIDATES:
        raise TooManyPatterns(
            f"{candidates:,} itemsets would have to be tried together, more than {_MOST_CANDIDATES:,}; raise "
            f"{param('min_support')} on both sides",
            found=candidates,
            min_support=min_support,
        )


def _one_longer(itemsets: Itemsets, labels: int, length: int) -> NDArray[np.int32]:
    """Return the itemsets of a length all of whose subsets are frequent, as a matrix in canonical order."""
    arrays, _ = _kernel.find_border(itemsets, labels, length, item_supports=None, total=0)
    border = Itemsets(*arrays)
    return border.select(np.flatnonzero(border.lengths == length)).items.reshape(-1, length)


class _Half:
    """One party's itemsets by number, 0 being the empty one, and the itemset that is left without each of its items."""

    def __init__(self, names: ItemsetNames) -> None:
        less = _kernel.one_item_less(names.itemsets, len(names.vocabulary)).astype(np.int64)
        less = np.where(less < 0, 0, less + 1)  # a single item without itself is the empty itemset
        lengths = names.itemsets.lengths
        self._of_length: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        for length in range(1, int(lengths.max(initial=0)) + 1):
            places = np.flatnonzero(lengths == length)
            matrix = less[names.itemsets.offsets[places][:, None] + np.arange(length)]
            self._of_length[length] = places + 1, matrix
        self.longest = int(lengths.max(initial=0))

    def of_length(self, length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the itemsets of a length, and of each without its first item, its second, ..."""
        return self._of_length[length]


def _candidates(
    frequent: NDArray[np.bool_], halves: tuple[_Half, _Half], tried: list[int], min_support: int
) -> NDArray[np.int64]:
    """Return the pairs one item longer than those tried before, all of whose subsets one item smaller are frequent."""
    first, second = halves
    parts = [np.zeros((0, 2), np.int64)]
    length, count = len(tried) + 2, sum(tried)
    for left in range(max(1, length - second.longest), min(first.longest, length - 1) + 1):
        rows, rows_less = first.of_length(left)
        columns, columns_less = second.of_length(length - left)
        fits = np.ones((len(rows), len(columns)), bool)
        for less in rows_less.T:
            fits &= frequent[np.ix_(less, columns)]
        for less in columns_less.T:
            fits &= frequent[np.ix_(rows, less)]
        count += int(np.count_nonzero(fits))
        _check_number(count, min_support)
        row, column = np.nonzero(fits)
        parts.append(np.stack([rows[row], columns[column]], axis=1))
    return np.concatenate(parts)


def _gather(
    names: tuple[ItemsetNames, ItemsetNames],
    pairs: NDArray[np.int64],
    shares: SecretShares,
    known: NDArray[np.int64],
    candidates: tuple[int, ...],
) -> SharedItemsets:
    """Combine the itemsets of the first party, of the second and of both in one canonical list; `shares` are of all."""
    first, second = names
    alone = [np.zeros((len(side), 2), np.int64) for side in names]
    alone[0][:, 0] = np.arange(1, len(first) + 1)
    alone[1][:, 1] = np.arange(1, len(second) + 1)
    pairs = np.concatenate([*alone, pairs])
    owner = np.where(pairs[:, 1] == 0, Role.FIRST, np.where(pairs[:, 0] == 0, Role.SECOND, 0)).astype(np.uint8)

    one, other = (side.itemsets.with_empty().select(pairs[:, which]) for which, side in enumerate(names))
    codes = one.joined_with(Itemsets(other.offsets, other.items + np.int32(len(first.vocabulary))))
    vocabulary, renumber = numbered([*first.vocabulary, *second.vocabulary])
    itemsets, order = codes.in_order(renumber, lambda row: f"itemset {row + 1}")
    if order is not None:
        shares, owner, known = shares[order], owner[order], known[order]
    return SharedItemsets(vocabulary, itemsets, shares, owner, known, candidates)

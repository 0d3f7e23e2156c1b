"""Made-up rows with nearly the supports of published itemsets, from the itemsets alone.

Problem      people want rows to try tools on, and may see patterns only.
Method       items that are listed together are covered by small bases (see `basis_sets`). For each basis, how many rows
             have just which of its items is fitted to the listed supports by iterative proportional fitting, which
             assumes nothing beyond them: of all such tables it tends to the one of largest entropy. Rows then get
             the items of one basis after another: among rows with the same items of those dealt out, new items
             are dealt out in the shares of the table, by largest remainders, in an order that hashes give.
Promises     nothing is read but the itemsets: what they promise, the rows promise, since they are a function of them.
             The same itemsets give the same rows on every machine: sums are of whole numbers, which are exact in any
             order, and products and quotients of two floats are defined to the last bit by IEEE 754.
Cost         2^10 cells for each basis and itemset in it, and a sort of the rows for each basis.
Departures   a listed itemset that no basis holds whole, and one whose support contradicts others, is met only roughly;
             the answer says by how much supports are off.
Reference    Deming, Stephan: On a least squares adjustment of a sampled frequency table, 1940 (the fitting)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.differential_privacy.basis_sets import find_bases
from discreet.errors import DataError
from discreet.itemsets import Itemsets
from discreet.tables.tabular import Tabular
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.patterns.patternset import PatternSet

__all__ = ["SyntheticRows", "synthetic_rows"]

_MOST_ITEMS = 10
_SWEEPS = 60
_MOST_CELLS = 1 << 31
_WHOLE = 2.0**48
"""Tables have whole numbers that add up to about this, so that their sums stay below 2^53."""


@dataclass(frozen=True, eq=False)
class SyntheticRows(Tabular):
    """Made-up rows, and how far their supports are from those of the itemsets they were made from.

    Attributes
    ----------
    rows : Transactions
        The rows, as many as the itemsets say there are.
    average : Fraction
        By how many rows a listed itemset's support is off, on average.
    worst : int
        By how many at most.
    """

    rows: Transactions
    average: Fraction
    worst: int

    def to_dict(self) -> JsonObject:
        """Return the JSON form of the fit."""
        return {"average": str(self.average), "worst": self.worst}

    def to_arrow(self) -> pa.Table:
        """Return the rows, as an Arrow table with a column of lists."""
        return self.rows.to_arrow()

    def __repr__(self) -> str:
        return f"<SyntheticRows: {self.rows.n:,} rows, supports off by at most {self.worst:,}>"


def synthetic_rows(patterns: PatternSet) -> SyntheticRows:
    """Return made-up rows with nearly the supports of these itemsets; nothing else is read.

    Parameters
    ----------
    patterns : PatternSet
        The itemsets: with noise, blocked, or any others.

    Returns
    -------
    SyntheticRows
        The rows, and how far their supports are off.

    Raises
    ------
    DataError
        There would be too many rows for their number of items.

    Examples
    --------
    >>> import discreet
    >>> found = discreet.PatternSet.from_itemsets([("a", 6), ("b", 5), ("ab", 4)], n=9, min_support=4, target="all")
    >>> made = discreet.synthetic_rows(found)
    >>> made.worst, sorted("".join(sorted(row)) for row in made.rows)
    (0, ['', '', 'a', 'a', 'ab', 'ab', 'ab', 'ab', 'b'])
    """
    n, items = patterns.n, len(patterns.vocabulary)
    if n * max(items, 1) > _MOST_CELLS:
        raise DataError(f"{n:,} rows of {items:,} items are too many to make up; publish fewer items")
    listed = [tuple(one.tolist()) for one in patterns.itemsets]
    supports = dict(zip(listed, patterns.supports.tolist(), strict=True))
    held = np.zeros((n, items), bool)
    done: set[int] = set()
    for number, basis in enumerate(_in_order(_bases(listed, items))):
        within = {one: support for one, support in supports.items() if {*one} <= {*basis}}
        _deal(held, basis, _fitted(basis, within, n), done, _hashes(n, number))
        done |= {*basis}
    rows = _as_rows(held, patterns)
    counted = patterns.itemsets.count_in(rows.itemsets, rows.weights, items)
    off = np.abs(counted - patterns.supports)
    average = Fraction(int(off.sum()), len(off)) if len(off) else Fraction(0)
    return SyntheticRows(rows, average, int(off.max(initial=0)))


def _bases(listed: Sequence[tuple[int, ...]], items: int) -> list[tuple[int, ...]]:
    """Return small sets of items that cover all items, and all pairs that are listed, alone or in a larger itemset."""
    pairs = {(one, other) for itemset in listed for at, one in enumerate(itemset) for other in itemset[at + 1 :]}
    return find_bases(items, sorted(pairs), most=_MOST_ITEMS)


def _in_order(bases: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the bases so that each shares as many items as possible with those before it."""
    left, ordered, done = sorted(bases, key=lambda basis: (-len(basis), basis)), [], set[int]()
    while left:
        best = max(left, key=lambda basis: len(done.intersection(basis)))
        left.remove(best)
        ordered.append(best)
        done |= {*best}
    return ordered


def _fitted(basis: Sequence[int], supports: dict[tuple[int, ...], int], n: int) -> NDArray[np.float64]:
    """Return how many rows have just which items of a basis, in units that add up to about 2^48.

    Bit i of a cell stands for the basis's item i. Every number is whole, so sums are exact whatever their order.
    """
    place = {item: bit for bit, item in enumerate(basis)}
    masks = np.array([sum(1 << place[item] for item in one) for one in supports], np.int64)
    wanted = [float(support) * (_WHOLE / max(n, 1)) for support in supports.values()]
    cells = np.arange(1 << len(basis))
    table = np.full(len(cells), np.floor(_WHOLE / len(cells)))
    holding = [(cells & mask) == mask for mask in masks.tolist()]
    for _ in range(_SWEEPS):
        worst = 0.0
        for inside, target in zip(holding, wanted, strict=True):
            now, total = float(table[inside].sum()), float(table.sum())
            worst = max(worst, abs(now - target))
            with_it = target / now if now else 0.0
            without = (_WHOLE - target) / (total - now) if total > now else 0.0
            table = np.rint(table * np.where(inside, with_it, without))
        if worst * n < _WHOLE / 4:  # a quarter of a row
            break
    return table


def _deal(
    held: NDArray[np.bool_],
    basis: Sequence[int],
    table: NDArray[np.float64],
    done: set[int],
    hashes: NDArray[np.uint64],
) -> None:
    """Deal out the items of a basis that rows do not have yet, in the shares of its table."""
    known = [item for item in basis if item in done]
    new = [item for item in basis if item not in done]
    place = {item: bit for bit, item in enumerate(basis)}
    shares = _shares(table, [place[item] for item in known], [place[item] for item in new])
    codes = held[:, known] @ (1 << np.arange(len(known)))
    order = np.lexsort([hashes, codes])
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for first, last in zip(starts.tolist(), [*starts.tolist()[1:], len(order)], strict=True):
        share = shares[int(codes[order[first]])]
        if not share.any():
            share = shares.sum(axis=0)
        dealt = np.repeat(np.arange(len(share)), _apportioned(share, last - first))
        for bit, item in enumerate(new):
            held[order[first:last], item] = (dealt >> bit) & 1


def _shares(table: NDArray[np.float64], known: list[int], new: list[int]) -> NDArray[np.float64]:
    """Return the table with a line for each set of known items, and a column for each set of new ones."""
    cells = np.arange(len(table))
    line = sum((((cells >> bit) & 1) << at for at, bit in enumerate(known)), np.zeros(len(cells), np.int64))
    column = sum((((cells >> bit) & 1) << at for at, bit in enumerate(new)), np.zeros(len(cells), np.int64))
    shares = np.zeros((1 << len(known), 1 << len(new)))
    shares[line, column] = table
    return shares


def _apportioned(share: NDArray[np.float64], seats: int) -> NDArray[np.int64]:
    """Return whole numbers in these shares that add up to `seats`, by largest remainders."""
    total = float(share.sum())
    if not total:
        share, total = np.ones(len(share)), float(len(share))
    exact = share * (seats / total)
    given = np.floor(exact)
    missing = seats - int(given.sum())
    by_remainder = np.lexsort([np.arange(len(share)), given - exact])
    given[by_remainder[: max(missing, 0)]] += 1
    if missing < 0:  # floats rounded up
        given[np.flatnonzero(given)[:-missing]] -= 1
    return given.astype(np.int64)


def _hashes(count: int, number: int) -> NDArray[np.uint64]:
    """Return a number for each row that looks random (SplitMix64), others for every basis."""
    mixed = (np.arange(count, dtype=np.uint64) + np.uint64(number << 40)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    return mixed


def _as_rows(held: NDArray[np.bool_], patterns: PatternSet) -> Transactions:
    """Return the rows, in an order that follows from what they hold."""
    order = np.lexsort(held.T[::-1]) if held.size else np.arange(len(held))
    ordered = held[order[::-1]]
    itemsets = Itemsets.from_lengths(ordered.sum(axis=1), np.nonzero(ordered)[1].astype(np.int32))
    return Transactions(itemsets, patterns.vocabulary)

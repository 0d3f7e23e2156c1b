"""Baskets with planted patterns, as Agrawal and Srikant made them.

Problem      rows in which sets of items tend to occur together, of a wanted number, mean length and pattern size.
Method       agrawal1994, section 2.4.3. First the patterns: each takes an exponentially distributed share of its items
           from the previous one, the others at random, and has a weight and a level of corruption. Then the rows: each
           is filled with patterns, chosen by weight and corrupted, until its length is reached; a pattern that does not
           fit is added anyway in half the cases and moved to the next row in the others.
Promises     same parameters and seed, same rows (on one release of NumPy); no row is empty.
Cost         O(rows * mean_length) time; 4 bytes per item and 8 per row, plus some 30 MB for the current batch.
Departures   1. Rows are filled in parallel: lanes of adjacent rows advance together, and a pattern moves to the next
              row of its lane; what does not fit in a lane's last row is lost.
             2. A pattern that corruption would empty counts as not chosen: its weight is lowered by that probability.
             3. As in the authors' own program, a length is 1 + Poisson(mean - 1), so that none is 0; a pattern drawing
             the same item twice holds it once; and items have exponential weights (`weighted_items`), which
             gives the spread of supports that the public files have: T10I4D100K holds 870 of its 1000 items. In the
              paper all items are equal: `weighted_items=False`.
             4. A row that is still empty accepts a pattern that does not fit. Whether a pattern fits is decided before
              items that are already in the row are dropped.
Names        |D| -> rows, N -> items, |T| -> mean_length, |I| -> pattern_length, |L| -> patterns.
Reference    agrawal1994: R. Agrawal, R. Srikant, Fast Algorithms for Mining Association Rules, VLDB 1994.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.transactions.generate.batches import as_transactions, gather, numbered, positions, spans
from discreet.transactions.generate.parameters import LABEL_BYTES, check_mean, check_memory, check_share, check_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.transactions.generate.batches import Progress, RowBatch
    from discreet.transactions.transactions import Transactions

__all__ = ["quest"]

_LANE_ROWS = 32  # rows that one lane fills in sequence
_CORRUPTION_SPREAD = 0.1**0.5  # the paper's variance is 0.1


def quest(
    *,
    rows: int,
    items: int,
    mean_length: float,
    pattern_length: float,
    patterns: int,
    seed: int = 1,
    correlation: float = 0.5,
    corruption: float = 0.5,
    weighted_items: bool = True,
    progress: Progress | None = None,
) -> Transactions:
    """Generate rows of the items "1", "2", ... in which `patterns` sets of items are planted.

    `correlation` is the mean share of its items that a pattern takes from the previous one, `corruption` the mean
    probability with which a pattern loses an item, then another, each time it is added to a row. The defaults of both
    are the paper's. `progress` is called after every batch with the share of the rows that is done, and their number.

    >>> baskets = quest(rows=1000, items=100, mean_length=10, pattern_length=4, patterns=50)
    >>> len(baskets)
    1000
    """
    check_whole("rows", rows)
    check_whole("items", items)
    check_whole("patterns", patterns)
    check_whole("seed", seed, least=0)
    check_mean("mean_length", mean_length, most=items, most_name="items")
    check_mean("pattern_length", pattern_length, most=items, most_name="items")
    check_share("correlation", correlation)
    check_share("corruption", corruption)
    room = int(rows * mean_length * 1.2) + 1000
    check_memory(8 * rows + 4 * room + LABEL_BYTES * (items + patterns * pattern_length))
    rng = np.random.Generator(np.random.PCG64(seed))
    item_weights = rng.exponential(size=items) if weighted_items else np.ones(items)
    sizes = np.minimum(1 + rng.poisson(pattern_length - 1, patterns), items)
    planted = _draw_patterns(rng, item_weights, sizes, correlation, corruption)
    batches = _batches(rng, planted, rows, mean_length)
    return as_transactions(gather(batches, rows=rows, items=items, room=room, progress=progress), numbered(items))


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The potentially large itemsets: pattern p consists of items[starts[p]:starts[p] + sizes[p]]."""

    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    items: NDArray[np.int32]
    corruption: NDArray[np.float64]  # the probability of losing an item, above 0 and below 1
    reach: NDArray[np.float64]  # cumulative weights, the last being 1


def _draw_patterns(
    rng: np.random.Generator,
    item_weights: NDArray[np.float64],
    wanted: NDArray[np.int64],
    correlation: float,
    corruption: float,
) -> _Patterns:
    """Draw patterns of the wanted sizes, or slightly smaller if an item was drawn twice."""
    patterns = len(wanted)
    shared = np.rint(np.minimum(1, rng.exponential(correlation, patterns)) * wanted).astype(np.int64)
    fresh = _draw(rng, _reach(item_weights), int(wanted.sum())).tolist()
    drawn: list[list[int]] = []
    before: list[int] = []
    for size, common in zip(wanted.tolist(), shared.tolist(), strict=True):
        pattern = dict.fromkeys(rng.permutation(before)[:common].tolist() if common and before else ())
        pattern.update(dict.fromkeys(fresh.pop() for _ in range(size - len(pattern))))
        before = list(pattern)
        drawn.append(before)
    sizes = np.fromiter(map(len, drawn), np.int64, count=patterns)
    levels = np.clip(rng.normal(corruption, _CORRUPTION_SPREAD, patterns), 1e-9, 1 - 1e-9)
    return _Patterns(
        starts=np.cumsum(sizes) - sizes,
        sizes=sizes,
        items=np.array([item for pattern in drawn for item in pattern], np.int32),
        corruption=levels,
        reach=_reach(rng.exponential(size=patterns) * (1 - levels**sizes)),
    )


def _reach(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cumulative weights up to 1: a uniform number falls into the interval of the item it chooses."""
    reach = np.cumsum(weights)
    reach /= reach[-1]
    return reach


def _draw(rng: np.random.Generator, reach: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    return np.searchsorted(reach, rng.random(count), side="right")


def _batches(rng: np.random.Generator, planted: _Patterns, rows: int, mean_length: float) -> Iterator[RowBatch]:
    for first, end in spans(rows, mean_length):
        lengths = 1 + rng.poisson(mean_length - 1, end - first)
        row, pattern, kept = _assign(rng, planted, lengths)
        by_row = np.argsort(row, kind="stable")
        filled = np.bincount(row, weights=kept, minlength=len(lengths)).astype(np.int64)
        yield filled, _corrupt(rng, planted, pattern[by_row], kept[by_row])


def _assign(
    rng: np.random.Generator, planted: _Patterns, lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return which patterns each row gets and how many items of each are kept: (row, pattern, kept)."""
    row = np.arange(0, len(lengths), _LANE_ROWS)  # the current row of each lane
    end = np.minimum(row + _LANE_ROWS, len(lengths))
    room = lengths[row]
    empty = np.ones(len(row), np.bool_)
    pattern, kept = _choose(rng, planted, len(row))
    taken = []
    while len(row):
        put = (kept <= room) | empty | (rng.random(len(row)) < 0.5)  # noqa: PLR2004 - half the cases
        taken.append((row[put], pattern[put], kept[put]))
        room = np.where(put, room - kept, 0)  # a row that refused a pattern is complete
        finished = room <= 0
        row = row + finished
        empty = finished
        pattern[put], kept[put] = _choose(rng, planted, int(put.sum()))
        going = row < end
        row, end, room, pattern, kept = (state[going] for state in (row, end, room, pattern, kept))
        empty = empty[going]
        room = np.where(empty, lengths[row], room)
    rows, patterns, counts = zip(*taken, strict=True)
    return np.concatenate(rows), np.concatenate(patterns), np.concatenate(counts)


def _choose(rng: np.random.Generator, planted: _Patterns, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose patterns by weight, and how many items corruption leaves of each: 1 or more."""
    pattern = _draw(rng, planted.reach, count)
    level, size = planted.corruption[pattern], planted.sizes[pattern]
    lost = np.log1p(-rng.random(count) * (1 - level**size)) / np.log(level)  # geometric, below size
    return pattern, size - np.minimum(lost.astype(np.int64), size - 1)


def _corrupt(
    rng: np.random.Generator, planted: _Patterns, pattern: NDArray[np.int64], kept: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return `kept` items, chosen at random, of each pattern in turn."""
    size = planted.sizes[pattern]
    codes = planted.items[positions(planted.starts[pattern], size)]
    chosen = np.zeros(len(codes), np.bool_)
    place = np.cumsum(size) - size
    left = kept.copy()
    longer = np.arange(len(pattern))  # patterns that have a next item
    for seen in range(int(size.max(initial=0))):
        longer = longer[size[longer] > seen]
        take = rng.random(len(longer)) * (size[longer] - seen) < left[longer]  # as likely as items are wanted
        chosen[place[longer] + seen] = take
        left[longer] -= take
    return codes[chosen]

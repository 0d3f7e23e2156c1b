"""Rows as in shops and on web sites: few items in most rows, most items in few, and a long tail of long rows.

Problem      rows of a given number, mean and longest length over a given number of items, with the skew of real data.
Method       Item popularity falls as a power of the item's rank. Row lengths follow a lognormal curve truncated at the
             longest length and shifted to the given mean; rows are assigned to lengths in proportion and then
             shuffled, not drawn one by one. The items are partitioned into pools, one for each cluster; a row belongs
             to one cluster and draws part of its items from the cluster's pool, the others from all items. A cluster
             is as frequent as its pool is popular, so that clusters do not change the popularity of items.
Promises     same parameters and seed, same rows; the lengths add up to round(rows * mean_length), the longest is
             max_length, none is 0; every item occurs if the lengths add up to at least the number of items.
Cost         O(rows * mean_length * log(items)) time; 4 bytes per item and 12 per row, plus some 40 MB for the current
             batch: 20 million rows of mean length 6.5 take 750 MB and half a minute. Slower if rows contain nearly
             all items.
Names        The defaults and the curve of lengths fit what is known about BMS-POS (cao2010, table 4 and figure 6), for
             which `skewed(rows=515597, items=1657, mean_length=6.5, max_length=164)` is a substitute.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError, param
from discreet.transactions.generate.batches import as_transactions, gather, numbered, occurring, positions, spans
from discreet.transactions.generate.parameters import (
    LABEL_BYTES,
    check_mean,
    check_memory,
    check_share,
    check_whole,
    refusal,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.itemsets import Itemsets
    from discreet.transactions.generate.batches import Progress, RowBatch
    from discreet.transactions.transactions import Transactions

__all__ = ["skewed"]

_SPREAD = 0.93  # of the logarithm of lengths; BMS-POS's quantiles lie on the curve with this spread
_STEEPEST = 10  # an exponent at which a second item is already rare
_ROUNDS = 12  # of redrawing what a row drew twice, before all items are ranked for the row
_RANKED = 1 << 20  # numbers drawn at a time for such rankings


def skewed(
    *,
    rows: int,
    items: int,
    mean_length: float,
    max_length: int,
    exponent: float = 1.0,
    clusters: int = 40,
    cluster_strength: float = 0.3,
    seed: int = 1,
    progress: Progress | None = None,
) -> Transactions:
    """Generate rows of the items "1" to `items` with power-law items, heavy-tailed lengths and planted clusters.

    The item of rank r has weight r ** -exponent (ranks are assigned at random). Each of a row's items comes from the
    row's own cluster with probability `cluster_strength`; there are at most as many clusters as items.
    `progress` is called after every batch with the share of the rows that is done, and their number.

    >>> skewed(rows=1000, items=200, mean_length=6.5, max_length=50)
    <Transactions: 1,000 rows, 200 items, longest 50, mean 6.5>
    """
    check_whole("rows", rows)
    check_whole("items", items)
    check_whole("max_length", max_length)
    check_whole("clusters", clusters)
    check_whole("seed", seed, least=0)
    if max_length > items:
        raise refusal("max_length", f"a whole number between 1 and items ({items})", max_length)
    check_mean("mean_length", mean_length, most=max_length, most_name=param("max_length"))
    check_share("cluster_strength", cluster_strength)
    if isinstance(exponent, bool) or not isinstance(exponent, Real) or not 0 <= float(exponent) <= _STEEPEST:
        raise refusal("exponent", f"a number from 0 to {_STEEPEST}", exponent)
    total = round(rows * mean_length)
    if total < rows - 1 + max_length:
        raise ParameterError(
            f"{param('mean_length')} must be at least {(rows - 1 + max_length) / rows:.4g} for {rows} rows of which "
            f"one has {max_length} items, got {mean_length!r}; raise it or rows, or lower {param('max_length')}",
            parameter="mean_length",
        )
    check_memory(12 * rows + 4 * total + LABEL_BYTES * items)
    rng = np.random.Generator(np.random.PCG64(seed))
    shelf = _fill_shelf(rng, items, exponent, min(clusters, items))
    lengths = _draw_lengths(rng, rows, total, max_length)
    batches = _batches(rng, shelf, lengths, cluster_strength)
    made = gather(batches, rows=rows, items=items, room=total, progress=progress)
    _place_missing(rng, made, items)
    return as_transactions(made, numbered(items))


def _draw_lengths(rng: np.random.Generator, rows: int, total: int, longest: int) -> NDArray[np.int32]:
    """Return lengths from 1 to `longest` that add up to `total` and include `longest`."""
    sizes = np.arange(1, longest + 1)
    logs = np.log(sizes)
    low, high = -60.0, 60.0
    for _ in range(60):  # bisection: the mean of the curve grows with its centre
        centre = (low + high) / 2
        curve = -((logs - centre) ** 2) / (2 * _SPREAD**2) - logs
        share = np.exp(curve - curve.max())
        share /= share.sum()
        low, high = (centre, high) if share @ sizes * rows < total else (low, centre)
    places = np.rint(np.cumsum(share) * rows).astype(np.int64)
    lengths = np.repeat(sizes.astype(np.int32), np.diff(places, prepend=0))
    lengths[-1] = longest
    while missing := total - int(lengths.sum(dtype=np.int64)):
        step = 1 if missing > 0 else -1
        movable = np.flatnonzero((lengths[:-1] + step >= 1) & (lengths[:-1] + step <= longest))
        lengths[movable[_spread(min(abs(missing), len(movable)), len(movable))]] += step
    rng.shuffle(lengths)
    return lengths


def _spread(count: int, places: int) -> NDArray[np.int64]:
    """Return `count` distinct positions, evenly spread."""
    return np.arange(count) * places // count


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The items in numerical order, pool after pool, each with a width equal to its popularity."""

    log_weights: NDArray[np.float64]
    reach: NDArray[np.float64]  # where each item ends, the last at 1
    pool_start: NDArray[np.float64]
    pool_end: NDArray[np.float64]


def _fill_shelf(rng: np.random.Generator, items: int, exponent: float, clusters: int) -> _Shelf:
    log_weights = -exponent * np.log(1.0 + rng.permutation(items))
    reach = np.cumsum(np.exp(log_weights))
    reach /= reach[-1]
    ends = np.arange(1, clusters + 1) * items // clusters
    pool_end = reach[ends - 1]
    return _Shelf(log_weights, reach, np.concatenate(([0.0], pool_end[:-1])), pool_end)


def _batches(
    rng: np.random.Generator, shelf: _Shelf, lengths: NDArray[np.int32], cluster_strength: float
) -> Iterator[RowBatch]:
    for first, end in spans(len(lengths), float(lengths.mean())):
        batch = lengths[first:end].astype(np.int64)
        yield batch, _fill_rows(rng, shelf, batch, cluster_strength)


def _fill_rows(
    rng: np.random.Generator, shelf: _Shelf, lengths: NDArray[np.int64], cluster_strength: float
) -> NDArray[np.int32]:
    """Return distinct items for each row: what a row draws twice is redrawn.

    An item in a row is encoded as row * items + item, so that sorting brings rows and repeated items together.
    """
    items = len(shelf.reach)
    cluster = np.searchsorted(shelf.pool_end, rng.random(len(lengths)), side="right")

    def draw(row: NDArray[np.int64]) -> NDArray[np.int64]:
        place = rng.random(len(row))
        own = np.flatnonzero(rng.random(len(row)) < cluster_strength)
        pool = cluster[row[own]]
        place[own] = shelf.pool_start[pool] + place[own] * (shelf.pool_end[pool] - shelf.pool_start[pool])
        item = np.searchsorted(shelf.reach, place, side="right")
        return row * items + np.minimum(item, items - 1)  # rounding can reach the very end

    unfinished = draw(np.repeat(np.arange(len(lengths)), lengths))
    finished = []
    for _ in range(_ROUNDS):
        unfinished.sort(kind="stable")  # five times as fast as the default on nearly sorted rows
        again = np.flatnonzero(unfinished[1:] == unfinished[:-1])
        row = unfinished[again] // items
        short = np.zeros(len(lengths), np.bool_)
        short[row] = True
        unfinished[again] = draw(row)
        still = short[unfinished // items]
        finished.append(unfinished[~still])
        unfinished = unfinished[still]
    finished.append(_rank(rng, shelf, np.unique(unfinished), lengths))
    placed = np.concatenate(finished)
    placed.sort(kind="stable")
    return (placed % items).astype(np.int32)


def _rank(
    rng: np.random.Generator, shelf: _Shelf, held: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Complete these rows by ranking all items that a row lacks; return all their items.

    The order of log(weight) plus Gumbel noise is the order in which drawing by weight would choose the items.
    """
    items = len(shelf.reach)
    rows, starts, counts = np.unique(held // items, return_index=True, return_counts=True)
    completed = [held]
    step = max(1, _RANKED // items)
    for first in range(0, len(rows), step):
        chunk = rows[first : first + step]
        score = shelf.log_weights + rng.gumbel(size=(len(chunk), items))
        own = held[positions(starts[first : first + step], counts[first : first + step])]
        score[np.searchsorted(chunk, own // items), own % items] = -np.inf
        missing = lengths[chunk] - counts[first : first + step]
        best = np.argsort(-score, axis=1)
        wanted = np.arange(items) < missing[:, np.newaxis]
        completed.append((chunk[:, np.newaxis] * items + best)[wanted])
    return np.concatenate(completed)


def _place_missing(rng: np.random.Generator, made: Itemsets, items: int) -> None:
    """Put every item that no row has in place of one that occurs elsewhere, if possible."""
    offsets, codes = made.offsets, made.items
    absent = np.flatnonzero(~occurring(codes, items))
    if not len(absent):
        return
    looked_at = _spread(min(len(codes), 8 * items), len(codes))
    spare = np.delete(looked_at, np.unique(codes[looked_at], return_index=True)[1])  # all but each item's first place
    chosen = rng.permutation(spare)[: len(absent)]
    codes[chosen] = absent[: len(chosen)]
    rows = np.unique(np.searchsorted(offsets, chosen, side="right") - 1)
    lengths = offsets[rows + 1] - offsets[rows]
    place = positions(offsets[rows], lengths)
    codes[place] = np.sort(np.repeat(np.arange(len(rows)), lengths) * items + codes[place]) % items

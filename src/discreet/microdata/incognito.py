"""Incognito: every minimal full-domain generalization that makes a table k-anonymous.

Problem      a generalization puts each column on one level of its hierarchy. Find all generalizations that leave at
             most `limit` rows in groups of fewer than k, and in which no column can be one level lower.
Method       incognito2005: search the generalizations of one column, then of every two, and so on, each from the
             least general upwards. A generalization of some columns is considered only if it passes with any one of
             the columns left out (subset property). One above a generalization that passed passes without being
             counted (generalization property). Otherwise its groups are rolled up from those of one just below it.
Why          both properties hold with suppression, too. Raising a level and leaving a column out both merge whole
             groups, since a level is a function of the one below. A row in a group of k or more stays in one, so the
             number of rows in smaller groups can only fall.
Promises     minimal_generalizations(...) == an exhaustive search; sorted by the sum of the levels, then by the levels
             of the columns in order, so that the first is the one to use.
Cost         the search is exponential in the number of columns: at most one grouping for each generalization of each
             subset of columns, Π(levels + 1) in all. Memory: one flag (a byte) for each of these, and the groups of
             the generalizations of one height, as many as fit into a fixed amount of memory.
Departures   the generalizations that passed are an array over the levels, and marking everything above one is a single
             assignment. All candidates of a subset start from the groups of the highest generalization that is below
             all of them: the paper's super-roots, computed once per subset instead of once per family of roots.
Names        lattice node -> levels;  frequency set -> EquivalenceClasses;  S_i -> passing;  C_i -> candidates.
Reference    incognito2005: K. LeFevre, D. J. DeWitt, R. Ramakrishnan, Incognito: efficient full-domain k-anonymity,
             2005   (tests/microdata/test_laws.py, test_adult.py)
"""

from __future__ import annotations

import math
from itertools import combinations, groupby
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.errors import ParameterError, param
from discreet.microdata.equivalence_classes import group_rows
from discreet.microdata.quasi_table import roll_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.microdata.equivalence_classes import EquivalenceClasses
    from discreet.microdata.quasi_table import Ladder, QuasiTable

__all__ = ["minimal_generalizations"]

Levels: TypeAlias = tuple[int, ...]
ColumnSet: TypeAlias = tuple[int, ...]

_MOST_GENERALIZATIONS = 1 << 26
_MOST_GROUPS_KEPT = 1 << 22


def minimal_generalizations(table: QuasiTable, *, k: int, limit: int) -> tuple[Levels, ...]:
    """Return the levels of every minimal generalization, best first; none if even the top level does not suffice."""
    heights = table.heights
    if math.prod(height + 2 for height in heights) > _MOST_GENERALIZATIONS:
        raise ParameterError(
            f"{len(heights):,} {param('quasi_identifiers')} with these hierarchies have more than "
            f"{_MOST_GENERALIZATIONS:,} "
            "generalizations to search; name fewer of them, or remove levels from their hierarchies",
            parameter="quasi_identifiers",
        )
    groups = table.groups()
    everything = tuple(range(len(heights)))
    passing: dict[ColumnSet, NDArray[np.bool_]] = {(): np.ones((), bool)}
    for size in range(1, len(heights) + 1):
        passing = {
            columns: _search(groups, table.ladders, columns, _candidates(columns, heights, passing), k=k, limit=limit)
            for columns in combinations(everything, size)
        }
    return tuple(sorted(_minimal(passing[everything]), key=lambda levels: (sum(levels), levels)))


def _candidates(
    columns: ColumnSet, heights: Levels, passing: Mapping[ColumnSet, NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """Return which levels of these columns passed with any one of the columns left out."""
    candidates = np.ones([heights[column] + 1 for column in columns], bool)
    for at in range(len(columns)):
        candidates &= np.expand_dims(passing[columns[:at] + columns[at + 1 :]], at)
    return candidates


def _search(
    rows: EquivalenceClasses,
    all_ladders: Sequence[Ladder],
    columns: ColumnSet,
    candidates: NDArray[np.bool_],
    *,
    k: int,
    limit: int,
) -> NDArray[np.bool_]:
    """Return which candidates pass, from the least general upwards."""
    passing = np.zeros_like(candidates)
    nodes = np.argwhere(candidates)
    if not len(nodes):
        return passing
    ladders = [all_ladders[column] for column in columns]
    lowest = tuple(nodes.min(axis=0).tolist())
    below_all = _project(rows, ladders, columns, lowest)
    failed: dict[Levels, EquivalenceClasses] = {}
    for level_nodes in _by_height(nodes):
        failed_before, failed, room = failed, {}, _MOST_GROUPS_KEPT
        for levels in level_nodes:
            if passing[levels]:
                continue
            near, start = _nearest(levels, failed_before) or (below_all, lowest)
            groups = roll_up(near, ladders, start, levels)
            if groups.rows_below(k) <= limit:
                passing[tuple(slice(level, None) for level in levels)] = True
            elif len(groups) <= room:
                room -= len(groups)
                failed[levels] = groups
    return passing


def _project(
    rows: EquivalenceClasses, ladders: Sequence[Ladder], columns: ColumnSet, levels: Levels
) -> EquivalenceClasses:
    """Return the groups by some of the columns, at these levels."""
    codes = np.empty((len(rows), len(columns)), np.int32, order="F")
    for at, (column, ladder) in enumerate(zip(columns, ladders, strict=True)):
        codes[:, at] = ladder.between(0, levels[at])[rows.codes[:, column]]
    return group_rows(codes, rows.sizes, [ladder.radix(level) for ladder, level in zip(ladders, levels, strict=True)])


def _by_height(nodes: NDArray[np.int64]) -> Iterator[list[Levels]]:
    """Yield the nodes with the same sum of levels together, lowest first."""
    ordered = nodes[np.argsort(nodes.sum(axis=1), kind="stable")].tolist()
    for _, together in groupby(ordered, key=sum):
        yield [tuple(levels) for levels in together]


def _nearest(levels: Levels, failed: Mapping[Levels, EquivalenceClasses]) -> tuple[EquivalenceClasses, Levels] | None:
    """Return the smallest set of groups among those of the nodes one step below."""
    below = [(*levels[:at], level - 1, *levels[at + 1 :]) for at, level in enumerate(levels) if level]
    known = [(failed[node], node) for node in below if node in failed]
    return min(known, key=lambda pair: len(pair[0]), default=None)


def _minimal(passing: NDArray[np.bool_]) -> Iterator[Levels]:
    """Yield the levels that pass while none one step below does."""
    minimal = passing.copy()
    for axis in range(passing.ndim):
        above = np.roll(passing, 1, axis=axis)
        above[(slice(None),) * axis + (0,)] = False
        minimal &= ~above
    yield from map(tuple, np.argwhere(minimal).tolist())

"""Search for rows with given supports in which every kind of row occurs at least k times.

Problem      given a complete collection of itemsets and k, find how often each kind of row occurs, never or at least k
             times, so that mining such rows returns the collection.
Method       an integer program: the counts of the kinds that are I on a maximal itemset M (see `witness_kinds`) sum to
             f_I^M. One such equation for each I, on the first M that contains it, is equivalent to all supports: if f
             is 0, no kind could break it. Unpublished itemsets that a solution makes frequent become inequalities,
             and it is solved again. If too many kinds can occur, column generation lists those that the linear
             program prices in. If there are many, dives come first: the linear program is solved, kinds with values
             below k are fixed to at least k or to 0, and so on. The integer program is then tried among the kinds
             used.
Promises     the same input gives the same answer; steps are counted, not timed.
Cost         that of integer programs. None means that nothing was found, not that there is nothing.
Departures   HiGHS works in floats, so an answer must be checked: see `witness`.
Names        kind -> a set of published items, as the bits of an int.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.channels.witness_kinds import as_bits, as_rows, put_together
from discreet.errors import TooManyPatterns
from discreet.highs import Program, Relaxed, solve_relaxed, solve_whole
from discreet.patterns.mining import mine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.channels.witness_kinds import Problem

__all__ = ["search_kinds"]

_MOST_LISTED = 3_000
"""If more kinds of rows can occur, only those that the linear program prices in are used."""

_MOST_GIVEN = 1_000
"""The most kinds of starting rows that are used, most frequent first."""

_MOST_ITERATIONS = 100_000
"""Simplex iterations for one linear program."""

_MOST_MINED = 20_000
"""The most maximal itemsets of a solution that is not a witness yet."""

_STEPS_TO_PRICE = 500
"""With a smaller budget, the search stops if more than a few kinds can occur."""

_FEW_LISTED = 400

_STEPS_OF_A_ROUND = 8
_ROUNDS = 300
"""The most linear programs in total."""

_WIDTH = 200
"""How many partial kinds are kept while kinds are assembled by price."""

_KINDS_AT_ONCE = 40
_INEQUALITIES_AT_ONCE = 60
_FEW_KINDS = 40
"""Up to this many kinds go to the integer program at once."""

_KINDS_IN_A_STEP = 100
"""A node counts one step for this many kinds of rows."""

_TRIES = 4
_SHARE_OF_A_TRY = 16
_BATCH = 5
_SCALE = 64
"""Fractional row counts are mined in units of this fraction of a row."""

_SMALL = 1e-6
_COST_OF_GAP = 1e4
_MIXER = 0x9E3779B97F4A7C15


@dataclass(eq=False)
class _Pool:
    """The kinds of rows in use with their limits, the unpublished itemsets that are watched, and the rounds left."""

    problem: Problem
    complete: bool
    rounds: int = _ROUNDS
    limits: dict[int, int] = field(default_factory=dict)
    watched: list[int] = field(default_factory=list)
    columns: dict[int, tuple[list[int], int]] = field(default_factory=dict)


def search_kinds(problem: Problem, given: Mapping[int, int], steps: int) -> dict[int, int] | None:
    """Return how often each kind of row occurs; the `given` kinds, with their counts, are tried among others."""
    if not problem.patterns.n:
        return {}
    thorough = steps >= _STEPS_TO_PRICE
    every = put_together(problem, {}, {}, most=_MOST_LISTED if thorough else _FEW_LISTED, cut=False)
    pool = _Pool(problem, complete=every is not None, rounds=min(_ROUNDS, steps // _STEPS_OF_A_ROUND + 1))
    if every is None and not thorough:
        return None
    if every is not None:
        _add(pool, every)
    else:
        common = sorted(given, key=lambda kind: (-given[kind], kind))[:_MOST_GIVEN]
        listed = [as_bits(itemset.tolist()) for itemset in problem.patterns.itemsets]
        _add(pool, [0, *common, *listed])
    return _solve(pool, steps)


def _add(pool: _Pool, kinds: Iterable[int]) -> bool:
    """Add kinds that can occur; return whether any is new."""
    limit = pool.problem.limit
    new = {kind: most for kind in kinds if kind not in pool.limits and (most := limit(kind))}
    pool.limits |= new
    return bool(new)


def _program(pool: _Pool, kinds: Sequence[int], *, leasts: Sequence[int], limits: Sequence[int]) -> Program:
    problem, equations, watched = pool.problem, pool.problem.equations, pool.watched
    starts, rows = [0], []
    for kind in kinds:
        column, seen = pool.columns.get(kind, ([], 0))
        if not column:
            on = (equations.get((target, kind & items)) for target, items in enumerate(problem.maximal))
            column += [each for each in on if each is not None]
        column += [len(equations) + each for each in range(seen, len(watched)) if not watched[each] & ~kind]
        pool.columns[kind] = column, len(watched)
        rows += column
        starts.append(len(rows))
    exact = [problem.groups[target][group] for target, group in equations]
    below = problem.patterns.min_support - 1
    return Program(
        starts=np.array(starts, np.int32),
        rows=np.array(rows, np.int32),
        lowers=np.array([*exact, *(0 for _ in watched)], np.int64),
        uppers=np.array([*exact, *(below for _ in watched)], np.int64),
        leasts=np.array(leasts, np.int64),
        limits=np.array(limits, np.int64),
    )


def _solve(pool: _Pool, steps: int) -> dict[int, int] | None:
    """Solve the integer program; if there are many kinds, first among those that dives into the linear program use."""
    few = pool.complete and len(pool.limits) <= _FEW_KINDS
    used: set[int] = set()
    left, share = steps, steps // _SHARE_OF_A_TRY + 1
    for number in range(_TRIES):
        if few:
            tries: list[tuple[Iterable[int], set[int]]] = [(pool.limits, set())]
        else:
            met = _dive(pool, number)
            if not met:
                break
            used |= set(met)
            tries = [(met, {kind for kind in met if met[kind] > pool.problem.k - _SMALL}), (used, set())]
        for kinds, often in tries:
            found, spent = _whole(pool, sorted(kinds), often, number, min(left, share))
            if found is not None:
                return found
            left -= spent
    if not few and not used:
        return None  # the linear program has no solution
    return _whole(pool, sorted(pool.limits), set(), _TRIES, left)[0]


def _dive(pool: _Pool, number: int) -> dict[int, float]:
    """Solve the linear program, fix some kinds with values below k to at least k or to 0, and repeat.

    Returns the kinds that were used on the way, with their final values; none if there is no solution at all.
    """
    met: dict[int, float] = {}
    fixed: dict[int, bool] = {}
    last: dict[int, bool] = {}
    while (values := _relaxed(pool, number, fixed | last)) is not None or last:
        if values is None:  # the last ones were fixed the wrong way
            fixed |= {kind: not up for kind, up in last.items()}
            last = {}
            continue
        fixed |= last
        met = dict.fromkeys(met, 0.0) | {kind: value for kind, value in values.items() if value > _SMALL}
        rare = sorted((value, kind) for kind, value in met.items() if _SMALL < value < pool.problem.k - _SMALL)
        if not rare:
            break
        batch = 1 + len(rare) // _BATCH
        last = {kind: 2 * value >= pool.problem.k for value, kind in rare[:batch] + rare[-batch:]}
    return met


def _relaxed(pool: _Pool, number: int, fixed: Mapping[int, bool]) -> dict[int, float] | None:
    """Solve the linear program, with other costs for another number, some kinds at least k times and some never."""
    k = pool.problem.k
    while pool.rounds:
        pool.rounds -= 1
        kinds = list(pool.limits)
        leasts = [k if fixed.get(kind) else 0 for kind in kinds]
        limits = [most if fixed.get(kind, True) else 0 for kind, most in pool.limits.items()]
        relaxed = solve_relaxed(
            _program(pool, kinds, leasts=leasts, limits=limits),
            costs=_costs(kinds, number),
            of_gap=_COST_OF_GAP,
            iterations=_MOST_ITERATIONS,
        )
        if relaxed is None:
            return None
        if relaxed.gap > _SMALL:
            if pool.complete or not _price(pool, relaxed):
                return None
        elif not _watch_relaxed(pool, relaxed):
            return dict(zip(kinds, relaxed.values.tolist(), strict=True))
    return None


def _costs(kinds: Sequence[int], number: int) -> NDArray[np.float64]:
    """Return reproducible pseudo-random costs between 0 and 1; other numbers lead to other solutions."""
    return np.array([((kind + 1) * (2 * number + 1) * _MIXER % 2**64 >> 32) / 2**32 for kind in kinds])


def _price(pool: _Pool, relaxed: Relaxed) -> bool:
    """Add kinds that bring the linear program nearer to a solution; return whether there are any."""
    equations, prices = pool.problem.equations, relaxed.prices.tolist()
    worth = {each: prices[number] for each, number in equations.items()}
    costs = {each: cost for each, cost in zip(pool.watched, prices[len(equations) :], strict=True) if cost < -_SMALL}
    found = put_together(pool.problem, worth, costs, most=_WIDTH, cut=True) or {}
    gains = {kind: gain for kind, gain in found.items() if kind not in pool.limits and gain > 1}
    return _add(pool, sorted(gains, key=lambda kind: (-gains[kind], kind))[:_KINDS_AT_ONCE])


def _whole(
    pool: _Pool, kinds: Sequence[int], often: set[int], number: int, steps: int
) -> tuple[dict[int, int] | None, int]:
    """Solve the integer program with some of the kinds; also return the steps used."""
    spent, step = 0, 1 + len(kinds) // _KINDS_IN_A_STEP
    leasts, limits = [pool.problem.k] * len(kinds), [pool.limits[kind] for kind in kinds]
    costs = _costs(kinds, number)
    or_none = np.array([kind not in often for kind in kinds], bool)
    while spent + step <= steps:
        program = _program(pool, kinds, leasts=leasts, limits=limits)
        values, nodes = solve_whole(program, or_none=or_none, costs=costs, nodes=(steps - spent) // step)
        spent += nodes * step
        if values is None:
            break
        found = {kind: value for kind, value in zip(kinds, values.tolist(), strict=True) if value}
        new = _watch(pool, found, pool.problem.patterns.min_support)
        if not new:
            return (found if new is not None else None), spent
    return None, spent


def _watch_relaxed(pool: _Pool, relaxed: Relaxed) -> bool:
    parts = np.floor(relaxed.values * _SCALE).astype(np.int64).tolist()
    found = {kind: part for kind, part in zip(pool.limits, parts, strict=True) if part > 0}
    return bool(_watch(pool, found, (pool.problem.patterns.min_support - 1) * _SCALE + 1))


def _watch(pool: _Pool, found: Mapping[int, int], min_support: int) -> bool | None:
    """Watch unpublished itemsets that a solution makes frequent; return whether any is new, None if too many."""
    problem = pool.problem
    try:
        frequent = mine(
            as_rows(found, problem), min_support=min_support, target="maximal", max_patterns=_MOST_MINED, threads=1
        )
    except TooManyPatterns:
        return None
    new: dict[int, None] = {}
    for itemset in frequent.itemsets:
        items = itemset.tolist()
        if problem.published(as_bits(items)):
            continue
        for first in range(len(items)):
            least = as_bits(items)
            for item in items[first:] + items[:first]:
                if not problem.published(least & ~(1 << item)):
                    least &= ~(1 << item)
            new[least] = None
        if len(new) >= _INEQUALITIES_AT_ONCE:
            break
    fresh = [each for each in new if each not in set(pool.watched)]
    pool.watched += fresh
    return bool(fresh)

"""The least that hiding can lose, as an integer program: a copy that is proved best, or how far it may be from it.

Problem      given what every sensitive row puts at stake, choose what each row loses so that the fewest itemsets fall
             below the minimum support, and say how few any choice can reach.
Method       rows with the same patterns and the same groups at stake are one class. A variable counts the rows of a
             class that lose one of the minimal sets that break its patterns; one more says for each group whether it is
             lost. The weights of the lost groups are minimized by HiGHS, beginning with a known solution.
Promises     the bound holds for every way of hiding these patterns that only removes items, rules or not; what the
             solution removes hides what it must, which the caller proves again on the rows.
Cost         exponential at worst: limited in the size of the program and in rounds of HiGHS, so that the same input
             gives the same answer.
Departures   the bound comes from HiGHS, in floating point: a proof as far as that can be relied on.
Reference    docs/papers/oliveira2002.md, tests/laws/test_hiding_least.py
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations, compress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from discreet.highs import Minimizing, minimize
from discreet.itemsets import Itemsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from discreet.hiding.rowwise import Removals, Stakes
    from discreet.hiding.sensitive_rows import SensitiveRows
    from discreet.hiding.victims import Pattern

__all__ = ["Optimum", "find_optimum"]

_MOST_CLASSES = 12_000
_MOST_OPTIONS = 400
"""The most sets that may be removed from the rows of one class."""

_MOST_ENTRIES = 250_000
"""The most entries of the program's matrix."""

_WORK = 800_000
"""Entries of the matrix times rounds of HiGHS' search: a few seconds."""

_LEAST_ROUNDS, _MOST_ROUNDS = 8, 500


class Optimum(NamedTuple):
    """What to remove, and the number of itemsets that every way of hiding loses."""

    removals: Removals
    at_least: int


class _Option(NamedTuple):
    """Items to remove, the groups that this hits, and the patterns that it breaks."""

    items: frozenset[int]
    hits: frozenset[int]
    breaks: frozenset[int]

    def is_as_good_as(self, other: _Option) -> bool:
        return self.hits <= other.hits and self.breaks >= other.breaks


@dataclass(frozen=True, slots=True, eq=False)
class _Class:
    """Rows (by their place among the sensitive ones) with the same options, of which the program chooses."""

    rows: NDArray[np.int64]
    options: list[_Option]


def find_optimum(
    stakes: Stakes, sensitive: SensitiveRows, to_lose: NDArray[np.int64], known: Removals, *, work: int = _WORK
) -> Optimum | None:
    """Return what is best to remove, beginning with what is `known`; None if the program is too large."""
    if not stakes.complete:
        return None
    if not len(stakes.weights):
        return Optimum(known, 0)
    classes = _classes(stakes, sensitive, to_lose)
    if classes is None:
        return None
    allowed = sensitive.counts() - to_lose
    program = _program(stakes, classes, allowed, _as_values(stakes, classes, known, sensitive))
    if len(program.columns) > _MOST_ENTRIES:
        return None
    steps = min(_MOST_ROUNDS, max(_LEAST_ROUNDS, work // max(1, len(program.columns))))
    found = minimize(program, steps=steps)
    if found is None:
        return None
    return Optimum(_as_removals(stakes, classes, found.values[len(stakes.weights) :]), found.bound)


def _classes(stakes: Stakes, sensitive: SensitiveRows, to_lose: NDArray[np.int64]) -> list[_Class] | None:
    """Return the classes of rows with their options; None if there are too many."""
    groups = len(stakes.weights)
    owners = np.searchsorted(stakes.rows, sensitive.holders.items)
    order = np.argsort(owners, kind="stable")
    patterns = (sensitive.holders.owners[order] + groups).astype(np.int32)
    held = Itemsets.from_lengths(np.bincount(owners, minlength=len(stakes.rows)), patterns)
    both = stakes.groups.joined_with(held)
    ranks = both.ranks()
    _, firsts, which = np.unique(ranks, return_index=True, return_inverse=True)
    if len(firsts) > _MOST_CLASSES:
        return None
    touched = [frozenset(items.tolist()) for items in stakes.touched]
    may_stay = to_lose < sensitive.counts()
    members = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    classes, entries = [], 0
    for first, rows in zip(firsts.tolist(), members, strict=True):
        at_stake = both[first].tolist()
        here = [number - groups for number in at_stake if number >= groups]
        options = _options(here, sensitive.patterns, may_stay)
        hit = [number for number in at_stake if number < groups]
        if options is None:
            return None
        entries += len(options) * len(hit)
        if entries > 4 * _MOST_ENTRIES:
            return None
        effects = [
            _Option(
                items,
                frozenset(compress(hit, (not touched[group].isdisjoint(items) for group in hit))),
                frozenset(place for place in here if not items.isdisjoint(sensitive.patterns[place])),
            )
            for items in options
        ]
        classes.append(_Class(rows, _undominated(effects)))
    return classes


def _options(
    here: list[int], patterns: tuple[Pattern, ...], may_stay: NDArray[np.bool_]
) -> list[frozenset[int]] | None:
    """Return every minimal set that breaks the patterns that must be broken, and some of those that may stay."""
    must = [place for place in here if not may_stay[place]]
    may = [place for place in here if may_stay[place]]
    found: dict[frozenset[int], None] = {}
    for some in chain.from_iterable(combinations(may, size) for size in range(len(may), -1, -1)):
        for items in _hitting_sets([frozenset(patterns[place]) for place in (*must, *some)]):
            found[items] = None
            if len(found) > _MOST_OPTIONS:
                return None
    return sorted(found, key=lambda items: (len(items), sorted(items)))


def _hitting_sets(sets: list[frozenset[int]], chosen: frozenset[int] = frozenset()) -> Iterator[frozenset[int]]:
    """Yield sets that meet all of the given ones; those that are not minimal are dominated by others."""
    left = next((one for one in sets if one.isdisjoint(chosen)), None)
    if left is None:
        yield chosen
        return
    for item in sorted(left):
        yield from _hitting_sets(sets, chosen | {item})


def _undominated(options: list[_Option]) -> list[_Option]:
    kept: list[_Option] = []
    for one in options:
        if not any(other.is_as_good_as(one) for other in kept):
            kept = [other for other in kept if not one.is_as_good_as(other)] + [one]
    return kept


_Line: TypeAlias = tuple[list[int], list[int], float, float]
"""A line of a program: columns, their coefficients, and between which bounds the sum has to be."""


def _program(stakes: Stakes, classes: list[_Class], allowed: NDArray[np.int64], known: NDArray[np.int64]) -> Minimizing:
    """Return the program: a variable for each group, whether it is lost, then one for each option of each class."""
    groups = len(stakes.weights)
    sizes = np.array([len(each.rows) for each in classes for _ in each.options], np.int64)
    hitting: list[list[int]] = [[] for _ in range(groups)]
    keeping: list[list[int]] = [[] for _ in allowed]
    lines: list[_Line] = []
    column = groups
    for each in classes:
        mine = range(column, column + len(each.options))
        lines.append(([*mine], [1] * len(mine), len(each.rows), len(each.rows)))
        whole = frozenset().union(*(option.breaks for option in each.options))
        for place, option in zip(mine, each.options, strict=True):
            for group in option.hits:
                hitting[group].append(place)
            for pattern in whole - option.breaks:
                keeping[pattern].append(place)
        column += len(each.options)
    lines += _losses(stakes, classes, hitting)
    lines += [([less, more], [1, -1], -np.inf, 0) for less, more in _one_item_more(stakes.itemsets)]
    lines += [
        (places, [1] * len(places), -np.inf, int(allowed[pattern])) for pattern, places in enumerate(keeping) if places
    ]
    return Minimizing(
        costs=np.concatenate([stakes.weights, np.zeros(len(sizes), np.int64)]),
        limits=np.concatenate([np.ones(groups, np.int64), sizes]),
        starts=np.cumsum([0, *(len(line[0]) for line in lines)]),
        columns=_flat(line[0] for line in lines),
        values=_flat(line[1] for line in lines),
        lowers=np.array([line[2] for line in lines], np.float64),
        uppers=np.array([line[3] for line in lines], np.float64),
        known=known,
    )


def _losses(stakes: Stakes, classes: list[_Class], hitting: list[list[int]]) -> Iterator[_Line]:
    """Yield for each group that it is lost if more rows hit it than it has to spare."""
    most = np.zeros(len(hitting), np.int64)
    for each in classes:
        for group in frozenset().union(*(option.hits for option in each.options)):
            most[group] += len(each.rows)
    for group, places in enumerate(hitting):
        slack = int(stakes.slacks[group])
        if most[group] > slack:
            yield [*places, group], [1] * len(places) + [slack - int(most[group])], -np.inf, slack


def _one_item_more(itemsets: Itemsets) -> Iterator[tuple[int, int]]:
    """Yield pairs of itemsets of which the second has one item more: it is lost if the first is."""
    place = {items.tobytes(): number for number, items in enumerate(itemsets)}
    for more, items in enumerate(itemsets):
        for at in range(len(items)):
            less = place.get(np.delete(items, at).tobytes())
            if less is not None:
                yield less, more


def _flat(lists: Iterable[list[int]]) -> NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(lists), np.int64)


def _as_values(
    stakes: Stakes, classes: list[_Class], removals: Removals, sensitive: SensitiveRows
) -> NDArray[np.int64]:
    """Return a known way of hiding as values of the variables: of each row an option that is as good."""
    gone: dict[int, set[int]] = {}
    for row, item in zip(np.searchsorted(stakes.rows, removals[0]).tolist(), removals[1].tolist(), strict=True):
        gone.setdefault(row, set()).add(item)
    slacks = stakes.slacks.copy()
    chosen: list[int] = []
    for each in classes:
        counts = [0] * len(each.options)
        for row in each.rows.tolist():
            items = gone.get(row, set())
            broken = {
                place
                for option in each.options
                for place in option.breaks
                if not items.isdisjoint(sensitive.patterns[place])
            }
            fits = [
                place
                for place, option in enumerate(each.options)
                if option.breaks >= broken
                and all(not items.isdisjoint(stakes.touched[group].tolist()) for group in option.hits)
            ]
            counts[fits[0] if fits else 0] += 1
        for option, count in zip(each.options, counts, strict=True):
            slacks[list(option.hits)] -= count
        chosen += counts
    return np.concatenate([(slacks < 0).astype(np.int64), np.array(chosen, np.int64)])


def _as_removals(stakes: Stakes, classes: list[_Class], counts: NDArray[np.int64]) -> Removals:
    """Return what the rows lose: of each class the first rows take the first option, and so on."""
    rows, items = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    column = 0
    for each in classes:
        ends = np.cumsum(counts[column : column + len(each.options)])
        for option, mine in zip(each.options, np.split(each.rows, ends[:-1]), strict=True):
            for item in option.items:
                rows.append(mine)
                items.append(np.full(len(mine), item, np.int64))
        column += len(each.options)
    places, removed = np.concatenate(rows), np.concatenate(items)
    order = np.lexsort((removed, places))
    return stakes.rows[places[order]], removed[order].astype(np.int32)

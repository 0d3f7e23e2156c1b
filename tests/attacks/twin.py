"""Which small groups of rows follow from a publication: slow, and meant to be seen to be right.

Written from the definition, never from the package: nothing of `discreet` is imported, so agreement with it means
something.

A group (A, B) is all rows that hold every item of A and no item of B. It is entailed small for k if it has between 1
and k - 1 rows in every data set that fits the publication. A data set is a number of rows for each cell. A cell is
one set of published items: the rows that hold exactly these.

There are three ways to the same answer:

enumeration     every data set that fits is written down. Exact. For a handful of items and rows.
integers        the least and the greatest size of each group, by integer programs over the cells. Exact.
linear          the same where cells may hold parts of rows. More "data sets" fit, so bounds are wider or the same.
                What is entailed here is entailed; some of what is entailed may be missed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, product
from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_matrix

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

Itemset = frozenset[str]
Group = tuple[Itemset, Itemset]  # present, absent
Sizes = dict[Group, tuple[int, int]]  # the least and the greatest number of rows, over all data sets that fit

SLACK = 1e-6  # solvers compute with floats: a bound this near a whole number is that number
ABSENT, PRESENT, EITHER = 0, 1, 2  # what a group says of an item
FEW_ITEMS = 11  # so many items are looked at all at once
WINDOW = 9  # the most items of a window, where there are more
INFEASIBLE = 2  # the status by which linprog and milp say that nothing fits


# ---------------------------------------------------------------------------------------------------- publications


@dataclass(frozen=True)
class Publication:
    """What a reader sees. `min_support` is None where unlisted itemsets may have any support."""

    n: int
    supports: dict[Itemset, int]  # every listed itemset; closed ones are expanded first
    min_support: int | None = None
    exclusive: tuple[Itemset, ...] = ()  # a row holds at most one item of each

    def __post_init__(self) -> None:
        """Refuse a complete collection with holes: a part of a frequent itemset is frequent."""
        if self.supports.get(frozenset(), self.n) != self.n:
            raise ValueError("the empty itemset is in every row")
        if self.min_support is not None:
            for itemset in self.supports:
                for item in itemset:
                    part = itemset - {item}
                    if part and part not in self.supports:
                        raise ValueError(f"{sorted(itemset)} is listed, {sorted(part)} is not")

    @property
    def items(self) -> tuple[str, ...]:
        """Return the published items in their order."""
        return tuple(sorted(frozenset().union(*self.supports)))


def subsets(items: Collection[str]) -> Iterator[Itemset]:
    """Yield every subset, the empty one included."""
    for length in range(len(items) + 1):
        for chosen in combinations(sorted(items), length):
            yield frozenset(chosen)


def expand_closed(closed: Mapping[Itemset, int]) -> dict[Itemset, int]:
    """Return every non-empty subset of a closed itemset, with the greatest support of a listed superset.

    That is its support if all closed frequent itemsets are listed. The empty itemset is left out: n says it.
    """
    supports: dict[Itemset, int] = {}
    for itemset, support in closed.items():
        for part in subsets(itemset):
            if part:
                supports[part] = max(support, supports.get(part, 0))
    return supports


def all_groups(items: Collection[str]) -> Iterator[Group]:
    """Yield every group that names at least one of the items."""
    for present in subsets(items):
        for absent in subsets(frozenset(items) - present):
            if present or absent:
                yield present, absent


def outside(publication: Publication, groups: Sizes) -> Sizes:
    """Return the groups whose items are not listed together. The size of any other is plain to see."""
    return {
        (present, absent): sizes
        for (present, absent), sizes in groups.items()
        if present | absent not in publication.supports
    }


def rules(publication: Publication, items: Collection[str]) -> dict[Itemset, tuple[int, int]]:
    """Return the least and the greatest support of each set of these items of which the publication says something.

    Of unlisted itemsets the minimal ones are enough: a larger one is in no more rows than any of its parts.
    """
    window = frozenset(items)
    known = {frozenset(): (publication.n, publication.n)}
    known |= {itemset: (support, support) for itemset, support in publication.supports.items() if itemset <= window}
    if publication.min_support is not None:
        listed = set(known)
        for itemset in subsets(window):
            if itemset not in listed and all(itemset - {item} in listed for item in itemset):
                known[itemset] = (0, publication.min_support - 1)
    return known


def allowed_cells(publication: Publication, items: Collection[str]) -> list[Itemset]:
    """Return the sets of these items that a row may hold, larger ones first."""
    cells = [cell for cell in subsets(items) if all(len(cell & together) <= 1 for together in publication.exclusive)]
    return cells[::-1]


def cut_down(rows: Counter[Itemset], items: Collection[str]) -> Counter[Itemset]:
    """Return the rows with these items alone."""
    window = frozenset(items)
    cut: Counter[Itemset] = Counter()
    for row, times in rows.items():
        cut[row & window] += times
    return cut


def agrees(publication: Publication, items: Collection[str], rows: Counter[Itemset]) -> bool:
    """Tell whether the rows fit what is said of these items."""
    cut = cut_down(rows, items)
    if any(len(row & together) > 1 for row in cut for together in publication.exclusive):
        return False
    return all(
        low <= sum(times for row, times in cut.items() if itemset <= row) <= high
        for itemset, (low, high) in rules(publication, items).items()
    )


# ---------------------------------------------------------------------------------------------------- enumeration


def fitting_data_sets(publication: Publication) -> Iterator[dict[Itemset, int]]:
    """Yield every data set that fits, as numbers of rows per cell. A cell that is not named has none.

    Cells are filled one after another, larger ones first. The support of an itemset is the sum over the cells that
    hold it, and the last of these is the itemset itself. So a listed itemset's own cell must take just what is
    missing from its support, and the empty cell takes the rest of n.
    """
    cells = list(subsets(publication.items))[::-1]
    allowed = set(allowed_cells(publication, publication.items))
    known = rules(publication, publication.items)
    # The rows that may still be given to cells that hold the itemset.
    room = {itemset: high for itemset, (_, high) in known.items()}
    concerned = {cell: [itemset for itemset in known if itemset <= cell] for cell in cells}
    chosen: dict[Itemset, int] = {}

    def fill(position: int) -> Iterator[dict[Itemset, int]]:
        if position == len(cells):
            yield {cell: count for cell, count in chosen.items() if count}
            return
        cell = cells[position]
        least, most = 0, min(room[itemset] for itemset in concerned[cell])
        if cell in known and known[cell][0] == known[cell][1]:  # the support is known: the cell takes what is missing
            least = room[cell]
        if cell not in allowed:
            most = 0
        for count in range(least, most + 1):
            chosen[cell] = count
            for itemset in concerned[cell]:
                room[itemset] -= count
            yield from fill(position + 1)
            for itemset in concerned[cell]:
                room[itemset] += count

    yield from fill(0)


def entailed_by_enumeration(publication: Publication, k: int, most_items: int = 4) -> Sizes:
    """Return the groups that have 1 to k - 1 rows in every data set that fits, with their least and greatest size."""
    if len(publication.items) > most_items:
        raise ValueError(f"{len(publication.items)} items are too many to write down all data sets")
    low, high = None, None
    for rows in fitting_data_sets(publication):
        sizes = group_sizes(publication.items, rows)
        low = sizes if low is None else np.minimum(low, sizes)
        high = sizes if high is None else np.maximum(high, sizes)
    if low is None or high is None:
        raise ValueError("no data set fits the publication")
    found = {}
    for group in all_groups(publication.items):
        place = place_of(publication.items, group)
        if low[place] >= 1 and high[place] <= k - 1:
            found[group] = (int(low[place]), int(high[place]))
    return found


# ---------------------------------------------------------------------------------------------------- sizes of groups


def group_sizes(items: tuple[str, ...], counts: Mapping[Itemset, float]) -> np.ndarray:
    """Return the size of every group at once: one axis for each item, with the places ABSENT, PRESENT and EITHER.

    A cell says of each item whether it is absent or present. The rows where it is either are the sum of both.
    """
    sizes = np.zeros((2,) * len(items), dtype=float if _has_parts(counts) else np.int64)
    for cell, count in counts.items():
        sizes[tuple(PRESENT if item in cell else ABSENT for item in items)] += count
    for axis in range(len(items)):
        sizes = np.concatenate([sizes, sizes.sum(axis=axis, keepdims=True)], axis=axis)
    return sizes


def _has_parts(counts: Mapping[Itemset, float]) -> bool:
    return any(isinstance(count, float) for count in counts.values())


def memberships(items: tuple[str, ...], chosen: np.ndarray, cells: list[Itemset]) -> np.ndarray:
    """Return for each cell how many of the chosen groups it belongs to. The way of `group_sizes`, backwards.

    A cell without an item belongs to groups that say ABSENT or EITHER of it, and to no others.
    """
    belongs = chosen.astype(float)
    for axis in range(len(items)):
        absent, present, either = np.split(belongs, 3, axis=axis)
        belongs = np.concatenate([absent + either, present + either], axis=axis)
    return np.array([belongs[tuple(PRESENT if item in cell else ABSENT for item in items)] for cell in cells])


def place_of(items: tuple[str, ...], group: Group) -> tuple[int, ...]:
    """Return where the group stands in the array that `group_sizes` gives."""
    present, absent = group
    return tuple(PRESENT if item in present else ABSENT if item in absent else EITHER for item in items)


def group_at(items: tuple[str, ...], place: tuple[int, ...]) -> Group:
    """Return the group that stands there."""
    present = frozenset(item for item, said in zip(items, place, strict=True) if said == PRESENT)
    absent = frozenset(item for item, said in zip(items, place, strict=True) if said == ABSENT)
    return present, absent


# ---------------------------------------------------------------------------------------------------- programs


class Program:
    """The data sets that fit a publication, as the solutions of linear rules: one unknown for each cell."""

    def __init__(self, publication: Publication, items: Collection[str]) -> None:
        """Write down one rule for each set of these items of which the publication says something."""
        if not frozenset(items) <= frozenset(publication.items):
            raise ValueError("only published items can be looked at")
        self.publication = publication
        self.items = tuple(sorted(items))
        self.cells = allowed_cells(publication, items)
        known = rules(publication, items)
        pairs = [
            (row, column)
            for row, itemset in enumerate(known)
            for column, cell in enumerate(self.cells)
            if itemset <= cell
        ]
        across, down = [row for row, _ in pairs], [column for _, column in pairs]
        self.matrix = csr_matrix((np.ones(len(pairs)), (across, down)), shape=(len(known), len(self.cells)))
        self.least = np.array([low for low, _ in known.values()], dtype=float)
        self.most = np.array([high for _, high in known.values()], dtype=float)

    def fitting(self, rows: Counter[Itemset]) -> Counter[Itemset]:
        """Return the rows with the items of the program alone. Refuse rows that do not fit the publication."""
        if not agrees(self.publication, self.items, rows):
            raise ValueError("the rows do not fit the publication")
        return cut_down(rows, self.items)

    def members(self, group: Group) -> np.ndarray:
        """Return 1 for each cell that belongs to the group, 0 for the others."""
        present, absent = group
        return np.array([float(present <= cell and not absent & cell) for cell in self.cells])

    def linear(self, goal: np.ndarray) -> np.ndarray:
        """Return the numbers of rows that make the goal least, where parts of rows are allowed."""
        exact = self.least == self.most
        answer = linprog(
            goal,
            A_eq=self.matrix[exact],
            b_eq=self.most[exact],
            A_ub=self.matrix[~exact] if not exact.all() else None,
            b_ub=self.most[~exact] if not exact.all() else None,  # the least is 0 there, as for any sum of rows
            bounds=(0, self.publication.n),
            method="highs",
        )
        return _solution(answer)

    def integer(self, goal: np.ndarray) -> np.ndarray:
        """Return the whole numbers of rows that make the goal least."""
        answer = milp(
            goal,
            constraints=LinearConstraint(self.matrix, self.least, self.most),
            integrality=np.ones(len(self.cells)),
            bounds=Bounds(0, self.publication.n),
            options={"mip_rel_gap": 0},
        )
        counts = np.rint(_solution(answer))
        supports = self.matrix @ counts  # whole numbers far below 2 ** 53: exact
        if (counts < 0).any() or (supports < self.least).any() or (supports > self.most).any():
            raise RuntimeError("the solver's numbers of rows do not fit the publication")
        return counts


def _solution(answer: object) -> np.ndarray:
    if answer.status == INFEASIBLE:
        raise ValueError("no data set fits the publication")
    if not answer.success:
        raise RuntimeError(answer.message)
    return answer.x


def _entailed(
    program: Program, k: int, solve: Callable[[np.ndarray], np.ndarray], rows: Counter[Itemset] | None
) -> Sizes:
    """Return the groups that are small in all solutions.

    A solution in which a group is empty, or has k rows or more, shows that the group is not entailed. Each program
    that is solved yields one solution, and that one rules out many groups. Only those that are left need programs of
    their own.
    """
    items = program.items
    possible = np.ones((3,) * len(items), dtype=bool)
    possible[(EITHER,) * len(items)] = False  # names no item: this is no group

    def rule_out(counts: Mapping[Itemset, float]) -> None:
        sizes = group_sizes(items, counts)
        possible[(sizes <= SLACK) | (sizes >= k - SLACK)] = False

    def extreme(goal: np.ndarray) -> float:
        counts = solve(goal)
        rule_out(dict(zip(program.cells, counts.tolist(), strict=True)))
        return float(goal @ counts)

    if rows is not None:
        rule_out(program.fitting(rows))

    # First all groups that are left are made small together, then large together, as long as that rules out some.
    # The first of these programs also refuses a publication that nothing fits.
    left = -1
    while left != possible.sum():
        left = possible.sum()
        for sign in (1, -1):
            extreme(sign * memberships(items, possible, program.cells))
    found = {}
    for place in product((ABSENT, PRESENT, EITHER), repeat=len(items)):
        if not possible[place]:
            continue
        group = group_at(items, place)
        members = program.members(group)
        low = ceil(extreme(members) - SLACK)
        if low < 1:
            continue
        high = floor(-extreme(-members) + SLACK)
        if high <= k - 1:
            found[group] = (low, high)
    return found


def entailed_by_lp(
    publication: Publication,
    k: int,
    items: Collection[str] | None = None,
    rows: Counter[Itemset] | None = None,
) -> Sizes:
    """Return the groups of these items (by default all) that linear programs show to be small, with their bounds.

    Only what is said of these items alone is used. `rows`, if given, is a data set that fits. It saves time and
    changes no answer.
    """
    program = Program(publication, publication.items if items is None else items)
    return _entailed(program, k, program.linear, rows)


def entailed_by_milp(publication: Publication, k: int, rows: Counter[Itemset] | None = None) -> Sizes:
    """Return the groups of all items that are small in every data set of whole rows, with their bounds."""
    program = Program(publication, publication.items)
    return _entailed(program, k, program.integer, rows)


# ---------------------------------------------------------------------------------------------------- windows


def maximal(itemsets: Collection[Itemset]) -> list[Itemset]:
    """Return the itemsets that are in no other, larger ones first, then by label."""
    kept: list[Itemset] = []
    for itemset in sorted(set(itemsets), key=lambda one: (-len(one), sorted(one))):
        if not any(itemset <= other for other in kept):
            kept.append(itemset)
    return kept


def windows(publication: Publication) -> list[Itemset]:
    """Return the sets of items that somebody outside looks at together.

    That is all items, if they are few. Otherwise it is each union of two maximal listed itemsets that is not too
    large. A maximal itemset by itself shows nothing new: the sizes of all its groups follow from listed supports.
    """
    if len(publication.items) <= FEW_ITEMS:
        return [frozenset(publication.items)]
    unions = {one | other for one, other in combinations(maximal(publication.supports), 2)}
    return maximal([union for union in unions if len(union) <= WINDOW])


def entailed(publication: Publication, k: int, rows: Counter[Itemset] | None = None) -> Sizes:
    """Return the groups that linear programs over some window show to be small, with the best bounds of any window."""
    found: Sizes = {}
    for window in windows(publication):
        for group, (low, high) in entailed_by_lp(publication, k, window, rows).items():
            least, most = found.get(group, (low, high))
            found[group] = (max(low, least), min(high, most))
    return found

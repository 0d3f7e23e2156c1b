"""Generalize non-sensitive items, from the root of their hierarchy down, and drop what still discloses a sensitive one.

Problem      given rows, the sensitive items, a hierarchy of the others and rho, choose what to generalize and what to
             drop so that what is left is rho-uncertain and little is lost.
Method       cao2010, Algorithm 3, TDControl: everything is published as the root. Then the node whose split gains the
             most information is split, net of what must be dropped to keep the rows rho-uncertain; and so on until no
             split gains. In the kernel: see cpp/uncertainty_topdown.hpp.
Promises     every intermediate state is rho-uncertain, so the search can stop at any split. The result is that of the
             printed algorithm, with the departures below and ties decided by label.
Cost         each split evaluates only the nodes whose gain, before anything is dropped, is not below the best net gain
             known; an evaluation scans only the rows below the node.
Departures   before the first split, what can be inferred from the root and other sensitive items is dropped (the paper
             assumes that this state is safe). Only antecedents with a child of the split node are examined: the rows of
             others are not all below the node. Nodes with a single child are not in the hierarchy. The root itself is
             never dropped.
Names        pnig(x) -> net of a split;  s_x -> chosen;  L -> the nodes that items are published as.
Reference    cao2010, section 5 and A.2   (docs/papers/cao2010.md, tests/papers/test_cao2010.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.uncertainty.hierarchy import leaf_of_items
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.publication import Publication
from discreet.uncertainty.suppress_control import Choice
from discreet.uncertainty.time_budget import Interrupted, TimeBudget, TimeUp

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Hierarchy

__all__ = ["Particularization", "Split", "all_at_root", "state_of", "td_control"]


@dataclass(frozen=True, slots=True)
class Split:
    """What splitting a node gains, and what must be dropped for it; in units of one item's loss over all leaves."""

    node: int
    gain: int
    cost: int
    chosen: tuple[Choice, ...]

    @property
    def net(self) -> int:
        """The potential net information gain: pnig of cao2010, times the number of leaves."""
        return self.gain - self.cost


@dataclass(frozen=True, slots=True)
class Particularization:
    """The publication and how it was reached: what was dropped at the start, each split made, and the alternatives.

    `considered` is empty unless it was requested. `finished` is False if time ran out while a split could still gain.
    """

    publication: Publication
    start: tuple[Choice, ...]
    splits: tuple[Split, ...]
    considered: tuple[tuple[Split, ...], ...]
    finished: bool


def td_control(
    rows: Transactions,
    *,
    rho: Fraction | Limits,
    sensitive: NDArray[np.int32],
    hierarchy: Hierarchy,
    budget: TimeBudget | None = None,
    explain: bool = False,
) -> Particularization:
    """Return what to generalize and what to drop so that no sensitive item can be inferred with `rho` or more.

    With `explain` every node is evaluated before each split, and the results are in `considered`. Ctrl-C raises
    Interrupted with the publication reached.
    """
    budget = budget or TimeBudget()
    search = all_at_root(rows, rho=rho, sensitive=sensitive, hierarchy=hierarchy)
    splits: list[Split] = []
    considered: list[tuple[Split, ...]] = []
    inner = len(hierarchy.labels) - hierarchy.leaf_count
    finished = False
    try:
        while not finished and budget.goes_on(len(splits) / max(1, inner), len(splits)):
            made = search.step(explain=explain, watch=budget.watch)
            if made is None:
                finished = True
            else:
                splits.append(_split(made[0]))
                considered.append(tuple(map(_split, made[1])))
    except TimeUp:
        pass  # in the middle of a step, which changed nothing
    except KeyboardInterrupt:
        raise Interrupted(state_of(search, rows, hierarchy)) from None
    return Particularization(
        publication=state_of(search, rows, hierarchy),
        start=tuple(Choice(*choice) for choice in search.start),
        splits=tuple(splits),
        considered=tuple(considered) if explain else (),
        finished=finished,
    )


def all_at_root(
    rows: Transactions,
    *,
    rho: Fraction | Limits,
    sensitive: NDArray[np.int32],
    hierarchy: Hierarchy,
    watch: Callable[[], object] | None = None,
) -> _kernel.TopDown:
    """Return the search in its first state: everything generalized to the root, and what is unsafe even then dropped.

    `watch` is called a few times a second; an exception that it raises ends the search.
    """
    part, whole = Limits.parse(rho).shares(rows.vocabulary, sensitive, rows.n)
    return _kernel.TopDown(
        rows.itemsets,
        rows.weights,
        total=rows.n,
        leaf_of=leaf_of_items(hierarchy, rows.vocabulary, sensitive),
        parent=hierarchy.parent,
        leaves_below=hierarchy.leaves_below,
        rho_part=part,
        rho_whole=whole,
        watch=watch,
    )


def state_of(search: _kernel.TopDown, rows: Transactions, hierarchy: Hierarchy) -> Publication:
    """Return what would be published if the search ended here."""
    return Publication(
        vocabulary=rows.vocabulary,
        hierarchy=hierarchy,
        suppressed=np.flatnonzero(search.dropped()).astype(np.int32),
        node_of=search.node_of(),
    )


def _split(given: tuple[int, int, int, list[tuple[int, int, int]]]) -> Split:
    node, gain, cost, chosen = given
    return Split(node, gain, cost, tuple(Choice(*choice) for choice in chosen))

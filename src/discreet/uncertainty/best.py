"""Search for the least loss: choose together which items to generalize and which sensitive items to keep.

Problem      given rows, the sensitive items, a hierarchy of the others and rho, choose what to generalize and what to
             drop so that what is left is rho-uncertain and as little as possible is lost.
Method       a solution is a cut through the hierarchy and an order of the sensitive items. At the cut, the items are
             considered one after another. Each is kept if that is worth more than what has to be dropped for it,
             sensitive or not: the cheapest part of every rule that it would make too certain
             (cpp/uncertainty_cut.hpp). The search starts from cuts of every height, including the leaves and the
             root, and from the result of TDControl. It continues from the most promising ones: it splits and merges
             each node, and moves each item to the front or to the end of the order, as long as that gains.
Promises     the result is rho-uncertain, and loses no more than dropping all sensitive items (`simple`) or TDControl,
             from which it starts. It is deterministic: without a time limit, the search ends after a fixed amount of
             work.
Cost         a step scans the rows of each sensitive item a few times; the work of all steps is bounded, except the
             time that TDControl takes.
Departures   this is not in the paper. TDControl decides top-down and never undoes what it dropped or generalized; nor
             is what it charges for dropping a node the actual loss (docs/papers/cao2010.md).
Reference    cao2010, section 3, for the problem and the loss   (docs/papers/cao2010.md)
"""

from __future__ import annotations

import contextlib
import os
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.uncertainty.hierarchy import leaf_of_items
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.publication import Publication
from discreet.uncertainty.td_control import all_at_root, state_of
from discreet.uncertainty.time_budget import Interrupted, TimeBudget, TimeUp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Hierarchy

__all__ = ["Best", "best", "sensitive_kept_at"]

_SEARCHES = 4
"""How many of the starts get a full search."""

_WORK = 400_000_000
"""The budget of one search, in rows and words of bitmaps: one to four seconds."""

_WORK_OF_STEP = _WORK // 8
"""The budget of one step: it keeps the most valuable items, as many as the budget allows."""


@dataclass(frozen=True, slots=True)
class Best:
    """The publication; `finished` is False if time ran out before the search ended."""

    publication: Publication
    finished: bool


def best(
    rows: Transactions,
    *,
    rho: Fraction | Limits,
    sensitive: NDArray[np.int32],
    hierarchy: Hierarchy,
    budget: TimeBudget | None = None,
) -> Best:
    """Return what to generalize and what to drop so that no sensitive item can be inferred with `rho` or more.

    With a time limit, the search continues until then, or until no start leads any further. Ctrl-C raises Interrupted
    with the best publication found.
    """
    budget = budget or TimeBudget()
    ground = _Ground(rows, rho, sensitive, hierarchy)
    top_down = _Search(ground, budget)
    starts = {top_down: top_down.start_top_down}
    for split in ground.cuts_of_one_height():
        search = _Search(ground, budget)
        starts[search] = partial(search.start_at, split)
    searches = list(starts)
    try:
        _run_all(list(starts.values()), searches, budget)
        searches.sort(key=_Search.price)
        chosen = searches if budget.limited else searches[:_SEARCHES]
        _run_all([search.improve for search in chosen], chosen, budget)
    except KeyboardInterrupt:
        raise Interrupted(ground.publication(min(searches, key=_Search.price))) from None
    found = min(searches, key=_Search.price)
    return Best(ground.publication(found), finished=not any(search.gave_up for search in searches))


def sensitive_kept_at(
    rows: Transactions,
    *,
    cut: NDArray[np.bool_],
    rho: Fraction | Limits,
    sensitive: NDArray[np.int32],
    hierarchy: Hierarchy,
    most_work: int,
) -> Publication:
    """Return which sensitive items to keep at a cut, given by flags of its nodes; no other item is dropped."""
    ground = _Ground(rows, rho, sensitive, hierarchy, one_cut=True)
    search = _Search(ground, TimeBudget(), others_stay=True, most_work=most_work)
    split = np.zeros(len(cut), np.uint8)
    for node in np.flatnonzero(cut).tolist():
        while (node := int(hierarchy.parent[node])) >= 0:
            split[node] = 1
    search.start_at(split)
    return ground.publication(search)


class _Ground:
    """What all searches share: the rows, the hierarchy, and the value of each item and node."""

    def __init__(
        self,
        rows: Transactions,
        rho: Fraction | Limits,
        sensitive: NDArray[np.int32],
        hierarchy: Hierarchy,
        *,
        one_cut: bool = False,
    ) -> None:
        part, whole = Limits.parse(rho).shares(rows.vocabulary, sensitive, rows.n)
        self.rows, self.vocabulary, self.rho = rows, rows.vocabulary, rho
        self.hierarchy, self.sensitive = hierarchy, sensitive
        self.leaf_of = leaf_of_items(hierarchy, rows.vocabulary, sensitive)
        self.problem = _kernel.UncertaintyProblem(
            rows.itemsets,
            rows.weights,
            total=rows.n,
            leaf_of=self.leaf_of,
            parent=hierarchy.parent,
            leaves_below=hierarchy.leaves_below,
            rho_part=part,
            rho_whole=whole,
            one_cut=one_cut,
        )
        self.supports = supports = rows.item_supports()
        self.by_worth = sensitive[np.lexsort((sensitive, -supports[sensitive]))]
        self.simple_loss = int(supports[sensitive].sum()) * max(1, hierarchy.leaf_count)
        self.node_losses = self._occurrences(supports) * hierarchy.leaves_below
        self.inner = [node for node in range(len(hierarchy.labels)) if hierarchy.leaves_below[node]]
        self.children: list[list[int]] = [[] for _ in hierarchy.labels]
        for node, above in enumerate(hierarchy.parent.tolist()):
            if above >= 0:
                self.children[above].append(node)

    def _occurrences(self, supports: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many item occurrences in the rows each node stands for."""
        counts = np.zeros(len(self.hierarchy.labels), np.int64)
        held = self.leaf_of >= 0
        counts[self.leaf_of[held]] = supports[held]
        for node, above in enumerate(self.hierarchy.parent.tolist()):
            if above >= 0:
                counts[above] += counts[node]
        return counts

    def cuts_of_one_height(self) -> Iterator[NDArray[np.uint8]]:
        """Yield the cuts from the root down to the leaves, as flags of the split nodes; the fastest come first."""
        heights = np.zeros(len(self.hierarchy.labels), np.int64)
        for node, above in enumerate(self.hierarchy.parent.tolist()):
            if above >= 0:
                heights[above] = max(heights[above], heights[node] + 1)
        for height in range(int(heights.max(initial=0)), -1, -1):
            yield (heights > height).astype(np.uint8)

    def cut(self, split: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which nodes are published: those that are not split and whose parent is."""
        above = np.append(split, np.uint8(1))[self.hierarchy.parent]  # -1: nothing is above the root
        return np.asarray((split == 0) & (above == 1))

    def neighbours(self, split: NDArray[np.uint8], node: int) -> NDArray[np.uint8] | None:
        """Return the cut with the node split, or merged if it was; None if the node is neither in nor above the cut."""
        other = split.copy()
        if split[node]:
            below = [node]
            while below:
                other[last := below.pop()] = 0
                below += self.children[last]
            return other
        above = self.hierarchy.parent[node]
        if above >= 0 and not split[above]:
            return None
        other[node] = 1
        return other

    def publication(self, found: _Search) -> Publication:
        """Return the publication that a search found."""
        node_of = np.append(self.hierarchy.climb(self.cut(found.split)), -1)[self.leaf_of].astype(np.int32)
        return Publication(
            vocabulary=self.vocabulary,
            hierarchy=self.hierarchy,
            suppressed=np.flatnonzero(found.kept[self._codes(node_of)] == 0).astype(np.int32),
            node_of=node_of,
        )

    def solution(self, publication: Publication) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return a publication in the form of a search: which nodes are split, and which codes are kept."""
        split = np.zeros(len(self.hierarchy.labels), np.uint8)
        for node in np.unique(publication.node_of).tolist():
            while node >= 0 and (node := int(self.hierarchy.parent[node])) >= 0:
                split[node] = 1
        kept = np.ones(len(self.vocabulary) + len(split), np.uint8)
        kept[self._codes(publication.node_of)[publication.suppressed]] = 0
        return split, kept

    def _codes(self, node_of: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return each published item's code in the kernel: its own number, or a node's number after those."""
        inner = np.append(self.hierarchy.leaves_below, 0)[node_of] > 0
        return np.where(inner, len(self.vocabulary) + node_of, np.arange(len(self.vocabulary)))


class _Search:
    """A search from one start: the best solution so far, and the remaining budget."""

    def __init__(
        self, ground: _Ground, budget: TimeBudget, *, others_stay: bool = False, most_work: int | None = None
    ) -> None:
        self._ground, self._budget = ground, budget
        self._others_stay, self._most_work = others_stay, _WORK_OF_STEP if most_work is None else most_work
        # Initially nothing is generalized and all sensitive items are dropped.
        self.split = (ground.hierarchy.leaves_below > 0).astype(np.uint8)
        self.kept = np.ones(len(ground.vocabulary) + len(self.split), np.uint8)
        self.kept[ground.sensitive] = 0
        self.loss = ground.simple_loss
        self._cut: tuple[NDArray[np.uint8], _kernel.UncertaintyCut] | None = None  # of the last evaluation
        self.work, self.steps = 0, 0
        self.gave_up = False

    @property
    def done(self) -> float:
        """The share of the budget that is used."""
        return self.work / _WORK

    def price(self) -> tuple[int, int]:
        """Return the loss and, to break ties, how much sensitive information is published."""
        shown = self.kept[self._ground.sensitive] == 1
        return self.loss, int(self._ground.supports[self._ground.sensitive[shown]].sum())

    def start_at(self, split: NDArray[np.uint8]) -> None:
        """Evaluate a cut and make it the current best, even if it loses more than `simple`."""
        with self._until_time_is_up():
            self.loss, self.kept = self._evaluate(split, self._ground.by_worth)
            self.split = split

    def start_top_down(self) -> None:
        """Run TDControl, as far as time allows, and make its result the current best."""
        ground, watch = self._ground, self._budget.watch
        with self._until_time_is_up():
            search = all_at_root(
                ground.rows, rho=ground.rho, sensitive=ground.sensitive, hierarchy=ground.hierarchy, watch=watch
            )
            with self._until_time_is_up():
                while search.step(explain=False, watch=watch) is not None:
                    self.steps += 1
            self.split, self.kept = ground.solution(state_of(search, ground.rows, ground.hierarchy))
            self.loss = search.loss

    def improve(self) -> None:
        """Move from one better solution to the next until there is none, or the budget is used up."""
        with contextlib.suppress(_WorkDone), self._until_time_is_up():
            while self._improve_cut() | self._improve_kept(last=True) or self._improve_kept(last=False):
                pass

    @contextlib.contextmanager
    def _until_time_is_up(self) -> Iterator[None]:
        """Stop when time runs out, and record it."""
        try:
            yield
        except TimeUp:
            self.gave_up = True
        finally:
            self._cut = None  # its rows take memory

    def _improve_cut(self) -> bool:
        """Split and merge every node, highest first."""
        better = False
        for node in reversed(self._ground.inner):
            other = self._ground.neighbours(self.split, node)
            if other is None or self._ground.node_losses[self._ground.cut(other)].sum() >= self.loss:
                continue
            better |= self._try(other, self._kept_first()) or self._try(other, self._ground.by_worth)
        return better

    def _improve_kept(self, *, last: bool) -> bool:
        """Move every kept item to the end of the order, or every dropped one to the front."""
        better = False
        for item in self._ground.by_worth.tolist():
            if bool(self.kept[item]) == last:
                others = self._kept_first(without=item)
                better |= self._try(self.split, np.array([*others, item] if last else [item, *others], np.int32))
        return better

    def _kept_first(self, *, without: int = -1) -> NDArray[np.int32]:
        order = self._ground.by_worth
        order = order[order != without]
        kept = self.kept[order] == 1
        return np.concatenate([order[kept], order[~kept]])

    def _try(self, split: NDArray[np.uint8], order: NDArray[np.int32]) -> bool:
        loss, kept = self._evaluate(split, order)
        if loss >= self.loss:
            return False
        self.loss, self.split, self.kept = loss, split, kept
        return True

    def _evaluate(self, split: NDArray[np.uint8], order: NDArray[np.int32]) -> tuple[int, NDArray[np.uint8]]:
        self._budget.watch()
        if not self._budget.limited and self.work >= _WORK:
            raise _WorkDone
        if self._cut is None or split is not self._cut[0]:
            self._cut = split, _kernel.UncertaintyCut(self._ground.problem, split)
        loss, kept, work = _kernel.keep_at_cut(
            self._ground.problem,
            self._cut[1],
            order=order,
            most_work=self._most_work,
            others_stay=self._others_stay,
            watch=self._budget.watch,
        )
        self.work += work
        self.steps += 1
        return loss, kept


class _WorkDone(Exception):  # noqa: N818 - says what happened
    """A search has used up its budget."""


def _run_all(jobs: Sequence[Callable[[], None]], searches: Sequence[_Search], budget: TimeBudget) -> None:
    """Run jobs on all cores and report progress; Ctrl-C stops them too."""
    with ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1)) as pool:
        left = {pool.submit(job) for job in jobs}
        try:
            while left:
                ended, left = wait(left, timeout=0.1)
                for job in ended:
                    job.result()
                budget.goes_on(sum(s.done for s in searches) / len(searches), sum(s.steps for s in searches))
        except BaseException:
            budget.stop()
            raise

"""What a release measures changes by no more, between neighbours, than each step accounts for.

A release is run on one data set, with its outcomes recorded; then on a neighbour, whose steps are given the same
outcomes. So both runs ask the same questions, and what each step measured is compared with the sensitivity it names.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest

import discreet
from discreet.differential_privacy import private_itemsets
from discreet.differential_privacy.counting import LocalCounts
from discreet.differential_privacy.private_itemsets import DpRequest

if TYPE_CHECKING:
    from discreet.differential_privacy.budget import Spent

Rows = list[list[str]]
NAMES = ("noisy_count", "frequent_labels", "noisy_place", "noisy_top", "noisy_bins")
TRIPLES = [[f"{letter}{number}" for number in range(3)] for letter in "abcdef"]
EVERYTHING = [label for triple in TRIPLES for label in triple]
LONE = [f"lone {number}" for number in range(9)]


@dataclass
class Watched:
    """What each step measured, and what came of it; outcomes of another run are given again."""

    outcomes: list[Any] = field(default_factory=list)
    measured: list[Any] = field(default_factory=list)
    steps: list[Spent] = field(default_factory=list)

    def run(self, rows: Rows, **asked: object) -> discreet.DpPatterns:
        """Release rows, all steps watched."""
        given = list(self.outcomes)
        with ExitStack() as stack:
            for name in NAMES:
                right = getattr(private_itemsets, name)

                def watched(exact: Any, *rest: Any, right: Any = right, **options: Any) -> Any:
                    outcome, step = right(exact, *rest, **options)
                    outcome = given[len(self.steps)] if given else outcome
                    self.measured.append(exact)
                    self.steps.append(step)
                    if not given:
                        self.outcomes.append(outcome)
                    return outcome, step

                stack.enter_context(mock.patch.object(private_itemsets, name, watched))
            return discreet.dp_patterns(discreet.Transactions.from_rows(rows), **asked)  # type: ignore[arg-type]


def beyond(rows: Rows, neighbour: Rows, **asked: object) -> list[str]:
    """Return the steps whose measured numbers differ by more than they account for."""
    one = Watched()
    one.run(rows, **asked)
    other = Watched(outcomes=one.outcomes)
    other.run(neighbour, **asked)
    assert [step.name for step in one.steps] == [step.name for step in other.steps]
    compared = zip(one.steps, one.measured, other.measured, strict=True)
    return [step.name for step, here, there in compared if _changed(step, here, there) > step.sensitivity]


def _changed(step: Spent, here: Any, there: Any) -> int:
    """Return by how much two measured inputs differ, in the metric of the step's mechanism."""
    if step.mechanism == "make_laplace_threshold":
        gaps = [abs(here.get(label, 0) - there.get(label, 0)) for label in {*here, *there}]
        return sum(gaps) if max(gaps, default=0) <= 1 else 10**9
    gap = np.atleast_1d(np.asarray(here, np.int64) - np.asarray(there, np.int64))
    if step.mechanism == "make_laplace":
        return int(np.abs(gap).sum())
    if step.mechanism == "make_noisy_max":
        return int(np.abs(gap).max())
    return int(gap.max(initial=0) - gap.min(initial=0))  # of a selection: by how much differences of counts change


BASE: Rows = [triple for triple in TRIPLES for _ in range(400)] + [["a0"], ["b1", "c2"], []]
ADDED = {
    "a row of all items": EVERYTHING,
    "a row that nobody shares": LONE,
    "both": EVERYTHING + LONE,
    "an empty row": [],
    "a common row": TRIPLES[0],
}
ASKED: dict[str, dict[str, object]] = {
    "known items": {"min_support": 200, "universe": EVERYTHING},
    "found items": {"min_support": 200, "delta": "1e-3", "max_items": 2},
    "the first": {"top": 30, "universe": EVERYTHING},
}


@pytest.mark.parametrize("public_n", [False, True])
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("added", ADDED)
def test_no_step_changes_by_more_than_it_accounts_for(added: str, asked: str, *, public_n: bool) -> None:
    rows, row = BASE, ADDED[added]
    neighbour = [*rows[1:], row] if public_n else [*rows, row]
    given = {"epsilon": 20, "public_n": public_n} | ASKED[asked]
    assert beyond(rows, neighbour, **given) == []
    assert beyond(neighbour, rows, **given) == []


def test_the_last_step_accounts_for_every_basis() -> None:
    for public_n in (False, True):
        found = Watched().run(BASE, epsilon=20, min_support=200, universe=EVERYTHING, public_n=public_n)
        assert len(found.bases) > 1
        assert found.steps[-1].name == "bins"
        assert found.steps[-1].sensitivity == (2 if public_n else 1) * len(found.bases)
        counts = LocalCounts.of(discreet.Transactions.from_rows(BASE)).within(EVERYTHING)
        bases = [[EVERYTHING.index(label) for label in basis] for basis in found.bases]
        assert counts.bins(bases).sum() == len(BASE) * len(bases)  # a row is in one bin of each


def test_planted_faults_are_noticed() -> None:
    given: dict[str, Any] = {"epsilon": 20, "min_support": 200, "universe": EVERYTHING}
    right = private_itemsets.noisy_bins
    once = lambda counts, *, sensitivity, **rest: right(counts, sensitivity=min(1, sensitivity), **rest)  # noqa: E731
    with mock.patch.object(private_itemsets, "noisy_bins", once):
        assert beyond(BASE, [*BASE, EVERYTHING], **given) == ["bins"]
    with mock.patch.object(DpRequest, "changes", 1):  # one row replaced, taken for one removed
        assert "bins" in beyond(BASE, [*BASE[1:], EVERYTHING], public_n=True, **given)
    with mock.patch.object(LocalCounts, "truncated", _whole):
        assert "universe" in beyond(BASE, [*BASE, EVERYTHING], epsilon=20, min_support=200, delta="1e-3", max_items=2)
    scores = private_itemsets._scores  # noqa: SLF001
    twice = lambda *given: 2 * scores(*given)  # noqa: E731
    with mock.patch.object(private_itemsets, "_scores", twice):
        assert "depth" in beyond(BASE, [*BASE, EVERYTHING], **given)


def _whole(self: LocalCounts, most: int) -> dict[str, int]:
    del most
    return dict(zip(self.labels, self.items().tolist(), strict=True))

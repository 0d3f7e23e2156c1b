"""Agrawal and Srikant's baskets: their laws, and their likeness to the public file of the same parameters."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import fim
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.itemsets import Itemsets
from discreet.transactions.generate import quest

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.transactions.transactions import Transactions

SMALL = {"rows": 3000, "items": 200, "mean_length": 8, "pattern_length": 4, "patterns": 100}


def test_same_seed_same_rows():
    assert quest(**SMALL, seed=7) == quest(**SMALL, seed=7)


def test_another_seed_gives_other_rows():
    assert quest(**SMALL, seed=7) != quest(**SMALL, seed=8)


def test_watching_the_progress_changes_nothing():
    seen = []
    made = quest(**SMALL | {"rows": 100_000}, progress=lambda share, rows: seen.append((share, rows)))
    assert made == quest(**SMALL | {"rows": 100_000})
    assert seen[-1] == (1.0, 100_000)
    assert seen == sorted(seen)
    assert len(seen) > 2


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 200),
    items=st.integers(1, 60),
    patterns=st.integers(1, 30),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    means=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    weighted=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_any_parameters_give_so_many_rows_none_empty_of_labels_that_occur(
    *, rows, items, patterns, shares, means, weighted, seed
):
    made = quest(
        rows=rows,
        items=items,
        mean_length=1 + means[0] * (items - 1),
        pattern_length=1 + means[1] * (items - 1),
        patterns=patterns,
        seed=seed,
        correlation=shares[0],
        corruption=shares[1],
        weighted_items=weighted,
    )
    assert len(made) == made.n == rows
    assert made.itemsets.lengths.min() >= 1
    assert set(made.vocabulary) <= {str(number) for number in range(1, items + 1)}
    assert made.item_supports().min() >= 1


def test_one_pattern_without_corruption_makes_all_rows_alike():
    made = quest(rows=500, items=50, mean_length=5, pattern_length=5, patterns=1, corruption=0, seed=3)
    assert len(made.vocabulary) <= 12  # a single pattern, so no item besides its own


def test_corruption_drops_items_as_the_paper_says():
    """One pattern, one of it in each row: l items are left, or l - 1, l - 2, ..., each c times as often as the last."""
    made = quest(rows=100_000, items=1000, mean_length=1, pattern_length=6, patterns=1, seed=3)
    size = len(made.vocabulary)
    assert size >= 4
    left = np.bincount(made.itemsets.lengths)[::-1][:size]
    level = left[1:4] / left[:3]
    assert 0.1 < level[0] < 0.9
    assert level == pytest.approx(level[0], rel=0.05)
    supports = made.item_supports()
    assert supports == pytest.approx(supports.mean(), rel=0.02)  # which items go is left to chance


def test_correlation_makes_patterns_overlap():
    apart = quest(**SMALL, correlation=0, weighted_items=False)
    overlapping = quest(**SMALL, correlation=0.9, weighted_items=False)
    assert len(overlapping.vocabulary) < len(apart.vocabulary)


@pytest.fixture(scope="module")
def public(data_folder: Path) -> list[list[int]]:
    with gzip.open(data_folder / "T10I4D100K.dat.gz", "rt") as lines:
        return [[int(token) for token in line.split()] for line in lines]


@pytest.fixture(scope="module")
def twin() -> Transactions:
    return quest(rows=100_000, items=1000, mean_length=10, pattern_length=4, patterns=2000)


def test_lengths_are_those_of_the_public_file(public, twin):
    theirs = np.array([len(row) for row in public])
    ours = twin.itemsets.lengths
    assert ours.mean() == pytest.approx(theirs.mean(), rel=0.02)  # 10.10 in the file
    assert ours.std() == pytest.approx(theirs.std(), rel=0.03)  # 3.67; Poisson's own would be 3.16
    assert abs(ours.max() - theirs.max()) <= 4


def test_item_supports_are_those_of_the_public_file(public, twin):
    theirs = np.unique(np.concatenate([np.array(row) for row in public]), return_counts=True)[1]
    assert len(theirs) == 870
    assert _likeness(twin, theirs) < 0.2


def test_items_that_are_all_alike_would_not_pass_for_the_public_file(public):
    theirs = np.unique(np.concatenate([np.array(row) for row in public]), return_counts=True)[1]
    plain = quest(rows=100_000, items=1000, mean_length=10, pattern_length=4, patterns=2000, weighted_items=False)
    assert _likeness(plain, theirs) > 0.4


def test_frequent_pairs_are_as_many_as_in_the_public_file(public, twin):
    theirs = len(fim.fpgrowth(public, target="s", supp=-200, zmin=2, zmax=2))
    assert theirs == 3873
    assert _frequent_sets(twin, 200, length=2) == pytest.approx(theirs, rel=0.15)


def test_frequent_pairs_come_from_the_patterns(twin):
    """The same items dealt out to rows at random have a third of the frequent pairs at most."""
    rng = np.random.default_rng(1)
    dealt = type(twin).from_codes(Itemsets(twin.offsets.copy(), rng.permutation(twin.items)), twin.vocabulary)
    assert _frequent_sets(dealt, 200, length=2) * 3 < _frequent_sets(twin, 200, length=2)


def _likeness(made: Transactions, supports) -> float:
    """Return the largest relative difference in how many items reach a support, over five supports."""
    ours = made.item_supports()
    return max(abs(np.sum(ours >= s) / np.sum(supports >= s) - 1) for s in (1, 100, 500, 1000, 2000))


def _frequent_sets(made: Transactions, support: int, *, length: int) -> int:
    rows = [row.tolist() for row in np.split(made.items, made.offsets[1:-1])]
    return len(fim.fpgrowth(rows, target="s", supp=-support, zmin=length, zmax=length))

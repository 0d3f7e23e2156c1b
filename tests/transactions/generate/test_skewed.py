"""Rows with power-law items, heavy-tailed lengths and clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.transactions.generate import skewed

SMALL = {"rows": 4000, "items": 300, "mean_length": 6.5, "max_length": 60}


def test_same_seed_same_rows():
    assert skewed(**SMALL, seed=7) == skewed(**SMALL, seed=7)


def test_another_seed_gives_other_rows():
    assert skewed(**SMALL, seed=7) != skewed(**SMALL, seed=8)


@settings(max_examples=80, deadline=None)
@given(
    rows=st.integers(1, 150),
    items=st.integers(1, 80),
    longest=st.floats(0, 1),
    mean=st.floats(0, 1),
    exponent=st.floats(0, 10),
    clusters=st.floats(0, 1),
    strength=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_lengths_and_items_are_as_promised(*, rows, items, longest, mean, exponent, clusters, strength, seed):
    max_length = 1 + round(longest * (items - 1))
    least = (rows - 1 + max_length) / rows
    mean_length = least + mean * (max_length - least)
    assume(mean_length <= max_length)  # not so by a rounding error, now and then
    made = skewed(
        rows=rows,
        items=items,
        mean_length=mean_length,
        max_length=max_length,
        exponent=exponent,
        clusters=1 + round(clusters * (items - 1)),
        cluster_strength=strength,
        seed=seed,
    )
    lengths = made.itemsets.lengths
    assert len(lengths) == rows
    assert lengths.sum() == round(rows * mean_length)
    assert lengths.min() >= 1
    assert lengths.max() == max_length
    assert set(made.vocabulary) <= {str(number) for number in range(1, items + 1)}
    assert made.item_supports().min() >= 1
    if lengths.sum() >= items:
        assert len(made.vocabulary) == items


def test_it_stands_in_for_bms_pos():
    seen = []
    made = skewed(
        rows=515_597, items=1657, mean_length=6.5, max_length=164, progress=lambda *report: seen.append(report)
    )
    lengths = made.itemsets.lengths
    assert (len(made), len(made.vocabulary), lengths.max()) == (515_597, 1657, 164)
    assert lengths.mean() == pytest.approx(6.5, rel=0.0001)
    # cao2010, figure 6: sorted by length, these prefixes of BMS-POS end at lengths 2, 3, 5, 9 and 23
    ends = np.sort(lengths)[[100_000, 200_000, 300_000, 400_000, 500_000]]
    assert np.abs(ends - [2, 3, 5, 9, 23]).max() <= 2
    # cao2010, section 7: 306,983 of its rows have at most 5 items
    assert np.sum(lengths <= 5) == pytest.approx(306_983, rel=0.05)
    assert seen[-1] == (1.0, 515_597)


@pytest.mark.parametrize("exponent", [0.6, 0.8, 1.0])
def test_supports_fall_as_a_power_of_the_rank(exponent):
    made = skewed(rows=100_000, items=2000, mean_length=5, max_length=50, exponent=exponent, cluster_strength=0)
    supports = np.sort(made.item_supports())[::-1]
    ranks = np.arange(20, 1000)  # the first ones meet their rows' ends, and the last ones are few
    slope = np.polyfit(np.log(ranks), np.log(supports[ranks - 1]), 1)[0]
    assert slope == pytest.approx(-exponent, abs=0.06)


@pytest.mark.parametrize("strength", [0, 0.3, 0.8])
def test_clusters_leave_the_popularity_of_items_as_it_is(strength):
    made = skewed(rows=50_000, items=500, mean_length=5, max_length=50, clusters=20, cluster_strength=strength)
    supports = np.sort(made.item_supports())[::-1]
    slope = np.polyfit(np.log(np.arange(20, 400)), np.log(supports[19:399]), 1)[0]
    assert slope == pytest.approx(-1, abs=0.2)


def test_rows_hold_more_items_of_one_pool_the_stronger_the_clusters_are():
    shares = [_same_pool(strength) for strength in (0, 0.3, 0.8)]
    assert shares[0] < 0.2
    assert shares[1] > shares[0] + 0.05
    assert shares[2] > 0.5


def _same_pool(strength: float) -> float:
    """Return the share of two-item rows whose items come from one of ten pools of thirty neighbours."""
    made = skewed(**SMALL | {"rows": 20_000}, exponent=0.3, clusters=10, cluster_strength=strength)
    pairs = made.offsets[:-1][made.itemsets.lengths == 2]
    pools = np.array([(int(label) - 1) // 30 for label in made.vocabulary])
    return float(np.mean(pools[made.items[pairs]] == pools[made.items[pairs + 1]]))


def test_rows_that_hold_nearly_all_items_are_filled():
    made = skewed(rows=200, items=40, mean_length=38, max_length=40, exponent=10)
    assert made.itemsets.lengths.sum() == 200 * 38
    assert len(made.vocabulary) == 40


def test_there_are_no_more_clusters_than_items():
    assert skewed(**SMALL, clusters=300) == skewed(**SMALL, clusters=5000)

"""Trees over learned orders hold every item that is not sensitive, and the default method is safe in each."""

from __future__ import annotations

import pytest

from benchmarks.uncertainty_hierarchies import ORDERS, TREES, learned_hierarchy, measure
from discreet.transactions.generate import skewed


@pytest.mark.parametrize("name", ORDERS)
def test_every_order_gives_a_tree_over_all_items(name: str):
    rows = skewed(rows=200, items=20, mean_length=3, max_length=8, seed=1)
    tree = learned_hierarchy(rows, ["1", "2"], ORDERS[name], 4)
    assert set(tree.leaf_numbers) == set(rows.vocabulary) - {"1", "2"}
    assert tree.leaves_below.max() == tree.leaf_count


def test_no_tree_makes_the_default_worse_than_simple():
    sets = {"few": lambda: skewed(rows=200, items=20, mean_length=3, max_length=8, seed=1)}
    found = list(measure(sets, TREES, 1, seconds=0.1))
    lost = {loss.method: loss.loss for loss in found}
    assert {*lost} == {"simple", *TREES}
    assert all(loss <= lost["simple"] for loss in lost.values())
    assert not list(measure(sets, TREES, 1, seconds=0.1, known=found))

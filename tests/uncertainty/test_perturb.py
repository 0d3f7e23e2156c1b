"""Select-a-size: what is kept and added, and how its loss is measured."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.itemsets import Itemsets
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.hierarchy import Hierarchy, fanout_hierarchy, hierarchy_of_all
from discreet.uncertainty.perturb import perturb, perturbation_loss
from tests.uncertainty_twin import fanout_tree, select_a_size_loss

ROWS = Transactions.from_rows([["a", "b"], ["c"], [], ["a", "b", "c", "d", "e"]])
TREE = fanout_hierarchy("abcde", 2)


def test_beta_0_changes_nothing_and_beta_1_turns_everything_over() -> None:
    same = perturb(ROWS, beta=0, hierarchy=TREE)
    assert (same.rows, same.information_loss, same.removed, same.added) == (ROWS, 0, 0, 0)
    turned = perturb(ROWS, beta=1, hierarchy=TREE)
    assert list(turned.rows) == [set("cde"), set("abde"), set("abcde"), set()]
    assert (turned.removed, turned.added) == (8, 3 + 4 + 5)
    assert turned.information_loss == 1


def test_the_same_seed_gives_the_same_rows_and_another_seed_others() -> None:
    rows = Transactions.from_rows([["a", "b", "c"], ["d"]] * 50)
    one, again, other = (
        perturb(rows, beta="0.3", hierarchy=TREE.with_leaves("x"), seed=seed).rows for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_every_place_is_turned_over_with_probability_beta() -> None:
    """Of 40,000 places with beta 1/5 about 8,000 turn; beyond 6 deviations (of 80) the method is wrong."""
    rows = Transactions.from_rows([["a", "b"], ["c", "d"]] * 5000)
    done = perturb(rows, beta="0.2", hierarchy=hierarchy_of_all(rows, None))
    assert abs(done.removed - 4000) < 6 * 57
    assert abs(done.added - 4000) < 6 * 57


def test_folded_rows_are_randomized_one_by_one() -> None:
    rows = Transactions.from_rows([["a", "b", "c", "d"]] * 400)
    done = perturb(rows.fold(), beta="0.5", hierarchy=fanout_hierarchy("abcd"))
    assert len(done.rows) == 400
    assert len(done.rows.fold()) == 16


@pytest.mark.parametrize("seed", range(40))
def test_the_loss_is_that_of_the_definition(seed: int) -> None:
    draw = random.Random(seed)
    labels = "abcdefg"[: draw.randint(1, 7)]
    before = [frozenset(x for x in labels if draw.random() < 0.5) for _ in range(6)]
    before.append(frozenset(labels))
    fanout = draw.randint(2, 4)
    rows = Transactions.from_rows(before)
    done = perturb(rows, beta=Fraction(1, 3), hierarchy=fanout_hierarchy(labels, fanout), seed=seed)
    assert done.information_loss == select_a_size_loss(before, list(done.rows), fanout_tree(labels, fanout))


def test_the_loss_in_a_hierarchy_whose_branches_are_not_neighbours_by_label() -> None:
    tree = Hierarchy.from_lines([["a", "X", "ALL"], ["c", "X", "ALL"], ["b", "Y", "ALL"], ["d", "Y", "ALL"]])
    before = Transactions.from_rows([["a", "b", "d"], ["a", "b", "c", "d"]])
    after = Transactions.from_codes(Itemsets(np.array([0, 2, 4]), np.array([1, 2, 1, 3], np.int32)), before.vocabulary)
    # row 1: abd -> bc changes a, c, d: ALL; lost a, d. Row 2: abcd -> bd lost a, c: X.
    assert perturbation_loss(before, after, tree) == (Fraction(2 * 4 + 2 * 2, 4 * 7), 4)


def test_sensitive_items_stand_under_the_root_of_an_owners_hierarchy() -> None:
    tree = hierarchy_of_all(ROWS, [["a", "X", "ALL"], ["b", "X", "ALL"], ["c", "ALL"]])
    assert tree.labels == ("a", "b", "c", "d", "e", "X", "ALL")
    assert tree.parent.tolist() == [5, 5, 6, 6, 6, 6, -1]


@pytest.mark.parametrize("beta", [-0.1, 1.1, "much"])
def test_a_beta_that_is_no_probability_is_refused(beta: object) -> None:
    with pytest.raises(ParameterError, match="beta must be a share between 0 and 1"):
        perturb(ROWS, beta=beta, hierarchy=TREE)  # type: ignore[arg-type]

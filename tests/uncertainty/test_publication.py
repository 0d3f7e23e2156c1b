"""What becomes of rows when items are dropped and generalized, and how much is lost."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.transactions.layout import Layout
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.transactions.writing import write
from discreet.uncertainty.hierarchy import Hierarchy, fanout_hierarchy, leaf_of_items
from discreet.uncertainty.publication import Publication

if TYPE_CHECKING:
    from pathlib import Path


def publish(
    rows: Transactions, hierarchy: Hierarchy, sensitive: set[str], cut: set[str], drop: set[str]
) -> Publication:
    """Publish the nodes of the cut; what is in no node of it stays what it is."""
    private = np.array([item for item, label in enumerate(rows.vocabulary) if label in sensitive], np.int32)
    leaves = leaf_of_items(hierarchy, rows.vocabulary, private)
    above = hierarchy.climb(np.isin(hierarchy.labels, list(cut)))[leaves]
    dropped = np.array([item for item, label in enumerate(rows.vocabulary) if label in drop], np.int32)
    node_of = np.where((leaves < 0) | (above < 0), leaves, above).astype(np.int32)
    return Publication(rows.vocabulary, hierarchy, dropped, node_of)


ROWS = Transactions.from_rows([["a", "b", "x"], ["c", "y"], ["y"], []])
TREE = fanout_hierarchy(["a", "b", "c", "d"], 2)


def test_items_are_dropped_and_generalized_in_every_row_and_empty_rows_stay() -> None:
    made = publish(ROWS, TREE, {"x", "y"}, {"a..b"}, {"y"}).apply(ROWS)
    assert list(made) == [{"a..b", "x"}, {"c"}, set(), set()]
    assert made.n == 4
    assert "y" not in made.vocabulary


def test_two_items_of_a_row_under_one_node_are_one_item_of_it() -> None:
    made = publish(ROWS, TREE, {"x", "y"}, {"ALL"}, set()).apply(ROWS)
    assert list(made) == [{"ALL", "x"}, {"ALL", "y"}, {"y"}, set()]


def test_weights_stay_and_ids_go() -> None:
    named = Transactions.from_rows([["a"], ["a"], ["x"]], ids=["Ann", "Bob", "Eve"])
    plan = publish(named, TREE, {"x"}, set(), {"x"})
    assert plan.apply(named).ids is None
    folded = named.fold()
    assert plan.apply(folded).weights.tolist() == [2, 1]
    assert plan.information_loss(folded) == plan.information_loss(named) == Fraction(1, 3)


def test_information_loss_counts_all_leaves_held_or_not() -> None:
    plan = publish(ROWS, TREE, {"x", "y"}, {"a..b"}, {"y"})
    assert plan.information_loss(ROWS) == (Fraction(1, 2) * 2 + 1 * 2) / 6
    assert publish(ROWS, TREE, {"x", "y"}, set(), set()).information_loss(ROWS) == 0


def test_rows_without_items_lose_nothing() -> None:
    empty = Transactions.from_rows([[], []])
    plan = Publication(empty.vocabulary, fanout_hierarchy([]), np.array([], np.int32), np.array([], np.int32))
    assert plan.information_loss(empty) == 0
    assert list(plan.apply(empty)) == [set(), set()]


def test_rows_with_other_items_are_refused() -> None:
    plan = publish(ROWS, TREE, {"x", "y"}, set(), set())
    with pytest.raises(ParameterError, match="other items than those the publication was made for"):
        plan.apply(Transactions.from_rows([["a"]]))


def test_a_one_hot_column_of_a_dropped_item_goes(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("a,b,c,x,y\n1,1,0,1,0\n0,0,1,0,1\n", encoding="utf-8")
    rows = read(tmp_path / "in.csv", format="onehot")
    write(publish(rows, TREE, {"x", "y"}, {"a..b"}, {"y"}).apply(rows), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "c,x,a..b\n0,1,1\n1,0,0\n"


def test_a_table_gets_columns_for_what_mixes_columns(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age,sex,ill\n1,F,yes\n2,M,no\n", encoding="utf-8")
    rows = read(tmp_path / "in.csv", format="table")
    tree = fanout_hierarchy(["age=1", "age=2", "sex=F", "sex=M", "ill=no", "zip=1"], 2)
    made = publish(rows, tree, {"ill=yes"}, {"age=1..2", "ill..sex=*"}, {"ill=yes"}).apply(rows)
    write(made, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines() == [
        "age,sex,ill,ill..sex",
        "1..2,,,*",
        "1..2,M,,*",
    ]


def test_a_long_table_numbers_its_rows_anew(tmp_path: Path) -> None:
    rows = Transactions.from_rows([["a"], ["x"]], ids=["Ann", "Bob"])
    layout = Layout(shape="long", container="csv", id_column="who", item_column="what")
    plan = publish(rows, TREE, {"x"}, set(), {"x"})
    write(plan.apply(rows), tmp_path / "out.csv", layout=layout)
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "who,what\n1,a\n2,\n"

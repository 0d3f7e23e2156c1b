"""Hierarchies of items: read, built, numbered, written; and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, ParameterError
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from discreet.uncertainty.hierarchy import (
    Hierarchy,
    fanout_hierarchy,
    hierarchy_bytes,
    hierarchy_for,
    leaf_of_items,
    read_hierarchy,
)

if TYPE_CHECKING:
    from pathlib import Path


def tree(*lines: str) -> Hierarchy:
    return Hierarchy.from_lines([line.split(";") for line in lines])


def parents(hierarchy: Hierarchy) -> dict[str, str]:
    labels = hierarchy.labels
    return {labels[node]: labels[above] for node, above in enumerate(hierarchy.parent.tolist()) if above >= 0}


DRINKS = ("beer;alcohol;ALL", "wine;alcohol;ALL", "fish;meat;ALL", "beef;meat;ALL")


def test_leaves_come_first_in_order_then_parents_after_their_children() -> None:
    made = tree(*DRINKS)
    assert made.labels == ("beef", "beer", "fish", "wine", "meat", "alcohol", "ALL")
    assert made.parent.tolist() == [4, 5, 4, 5, 6, 6, -1]
    assert made.leaves_below.tolist() == [0, 0, 0, 0, 2, 2, 4]
    assert made.leaf_count == 4


def test_a_line_may_be_text_as_in_a_file() -> None:
    """Its characters were once taken for cells."""
    lines = ["tea;drink;ALL", "milk;drink;ALL"]
    cells = [line.split(";") for line in lines]
    assert [*Hierarchy.from_lines(lines).lines()] == [*Hierarchy.from_lines(cells).lines()]


def test_the_order_of_lines_does_not_matter() -> None:
    assert tree(*reversed(DRINKS)).labels == tree(*DRINKS).labels


def test_a_label_may_be_repeated_to_fill_a_line() -> None:
    assert parents(tree("1;1..2;ALL", "2;1..2;ALL", "3;3;ALL")) == {"1": "1..2", "2": "1..2", "1..2": "ALL", "3": "ALL"}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("a;A;X;ALL", "b;B;X;ALL", "c;C;ALL"), {"a": "X", "b": "X", "X": "ALL", "c": "ALL"}),
        (("a;X;ALL", "b;X;ALL"), {"a": "X", "b": "X"}),
        (("a;A;ALL",), {}),
        (("a",), {}),
    ],
)
def test_nodes_with_one_child_are_left_out(lines: tuple[str, ...], expected: dict[str, str]) -> None:
    assert parents(tree(*lines)) == expected


def test_the_papers_tree_over_sorted_items() -> None:
    made = fanout_hierarchy(["10", "9", "1", "2", "3"], 2)
    assert made.labels == ("1", "2", "3", "9", "10", "1..2", "3..9", "1..9", "ALL")
    assert parents(made)["10"] == "ALL"  # nodes with one child only are left out (docs/papers/cao2010.md)


def test_a_tree_over_table_items_keeps_to_columns_where_it_can() -> None:
    made = fanout_hierarchy(["age=1", "age=2", "sex=F", "sex=M", "zip=1", "zip=2", "zip=3", "zip=4"], 2)
    assert made.labels[8:] == ("age=1..2", "sex=F..M", "zip=1..2", "zip=3..4", "age..sex=*", "zip=1..4", "ALL")


def test_neighbours_by_support_share_a_node_named_after_the_most_frequent() -> None:
    tree = fanout_hierarchy("abcde", 2, supports={"a": 9, "b": 1, "c": 8, "d": 2, "e": 3})
    assert tree.labels[:5] == tuple("abcde")
    assert parents(tree) == {
        "b": "d+1",
        "d": "d+1",
        "e": "c+1",
        "c": "c+1",
        "d+1": "c+3",
        "c+1": "c+3",
    } | dict.fromkeys(["c+3", "a"], "ALL")


def test_neighbours_by_support_keep_to_columns_where_they_can() -> None:
    labels = ["sex=m", "sex=f", "age=1", "age=2", "age=3", "age=4"]
    tree = fanout_hierarchy(labels, 2, supports=dict(zip(labels, [5, 9, 4, 3, 2, 1], strict=True)))
    assert set(tree.labels[6:]) == {"sex=f+1", "age=3+1", "age=1+1", "age=1+3", "ALL"}


def test_neighbours_are_by_label_or_by_support_or_refused() -> None:
    rows = Transactions.from_rows(["ab", "a", "a", "bc", "d"])
    none = np.zeros(0, np.int32)
    assert hierarchy_for(rows, none, None, 2, "support").labels != hierarchy_for(rows, none, None, 2).labels
    with pytest.raises(ParameterError, match="neighbours must be label or support, got 'size'"):
        hierarchy_for(rows, none, None, 2, "size")  # type: ignore[arg-type]


def test_a_node_never_bears_the_name_of_an_item() -> None:
    made = fanout_hierarchy(["ALL", "1..2", "1", "2"], 2)
    assert len(set(made.labels)) == len(made.labels)
    assert made.labels[-1] == "ALL*"


def test_a_node_never_bears_the_name_of_a_sensitive_item() -> None:
    rows = Transactions.from_rows([["a", "ALL"], ["b"]])
    made = hierarchy_for(rows, np.array([rows.vocabulary.item("ALL")], np.int32), None)
    assert made.labels == ("a", "b", "ALL*")


@pytest.mark.parametrize("fanout", [1, 0, -3, 2.5, True, "2"])
def test_a_fanout_below_two_is_refused(fanout: object) -> None:
    with pytest.raises(ParameterError, match="fanout must be a whole number of at least 2"):
        fanout_hierarchy(["a", "b"], fanout)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, 1])
def test_a_tree_may_have_no_node_or_one(count: int) -> None:
    made = fanout_hierarchy([str(item) for item in range(count)])
    assert made.leaf_count == len(made.labels) == count


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (("a;B;C", "d;C;B"), "cycle"),
        (("a;B;a",), "cycle"),
        (("a;X", "b;Y"), "two roots, at the ends of lines 1 and 2;"),
        (("a;B;ALL", "b;B;C;ALL"), "line 2 .* puts its cell 2 under another parent than line 1 does"),
        (("a;B;ALL", "a;C;ALL"), "line 2 .* begins with the same item as line 1; keep one"),
        (("a;B;ALL", "B;C;ALL"), "line 2 .* puts its cell 1 under another parent than line 1 does"),
        (("a;B;ALL", "B;ALL"), "line 2 .* begins with a label that is a parent of others"),
        (("a;;ALL",), "line 1 .* has an empty cell, number 2"),
        ((), "holds no lines"),
    ],
)
def test_what_is_no_tree_is_refused(lines: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        tree(*lines)


def test_a_missing_item_is_not_named() -> None:
    with pytest.raises(DataError, match=r"no line for 1 item of the rows; add a line item;parent;…;ALL for each"):
        leaf_of_items(tree(*DRINKS), Vocabulary(["beer", "pork"]), np.array([], np.int32))


def test_a_sensitive_item_inside_is_refused_as_leaf_and_as_parent() -> None:
    for label in ("wine", "meat"):
        with pytest.raises(DataError, match="has a line for a sensitive item"):
            leaf_of_items(tree(*DRINKS), Vocabulary(["beer", label]), np.array([1], np.int32))


def test_leaves_of_items_and_minus_one_for_sensitive_ones() -> None:
    vocabulary = Vocabulary(["beer", "viagra", "wine"])
    assert leaf_of_items(tree(*DRINKS), vocabulary, np.array([1], np.int32)).tolist() == [1, -1, 3]


def test_climbing_to_a_cut() -> None:
    made = tree(*DRINKS)
    cut = np.isin(made.labels, ["beer", "wine", "meat"])
    assert [made.labels[node] for node in made.climb(cut)[:4]] == ["meat", "beer", "meat", "wine"]
    assert made.climb(cut)[-1] == -1


def test_the_file_form_is_read_back(tmp_path: Path) -> None:
    made = tree('"x;y";B;ALL', "b;B;ALL", "c;ALL")  # the first cell holds quotes here, and so needs them in the file
    path = tmp_path / "items.csv"
    path.write_bytes(hierarchy_bytes(made))
    again = read_hierarchy(path)
    assert (again.labels, again.parent.tolist()) == (made.labels, made.parent.tolist())


def test_a_fault_in_a_file_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("a;B;ALL\n\nb;B;C;ALL\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"line 3 of .*items.csv puts its cell 2 under another parent") as caught:
        read_hierarchy(path)
    assert caught.value.line == 3


@given(st.sets(st.integers(0, 200), max_size=40), st.integers(2, 6))
def test_every_tree_survives_its_file_form_and_has_no_single_children(numbers: set[int], fanout: int) -> None:
    made = fanout_hierarchy(map(str, numbers), fanout)
    children = np.bincount(made.parent[made.parent >= 0], minlength=len(made.labels))
    assert children[: made.leaf_count].sum() == 0
    assert np.all((children[made.leaf_count :] >= 2) & (children[made.leaf_count :] <= fanout))
    assert np.all(made.parent[:-1] > np.arange(len(made.labels))[:-1])
    if made.labels:
        again = Hierarchy.from_lines(line.split(";") for line in hierarchy_bytes(made).decode().splitlines())
        assert (again.labels, again.parent.tolist()) == (made.labels, made.parent.tolist())
        assert len({len(line.split(";")) for line in hierarchy_bytes(made).decode().splitlines()}) == 1

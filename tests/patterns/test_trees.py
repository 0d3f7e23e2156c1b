"""Decision trees: counts as printed, and a verdict that a look at every cell confirms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from sklearn.tree import DecisionTreeClassifier, export_text

from discreet.channels.audit import audit
from discreet.errors import DataError
from discreet.patterns.trees import read_tree

if TYPE_CHECKING:
    from pathlib import Path

RPART = """n= 150

node), split, n, loss, yval, (yprob)
      * denotes terminal node

1) root 150 100 setosa (0.33333333 0.33333333 0.33333333)
  2) Petal.Length< 2.45 50   0 setosa (1.00000000 0.00000000 0.00000000) *
  3) Petal.Length>=2.45 100  50 versicolor (0.00000000 0.50000000 0.50000000)
    6) Petal.Width< 1.75 54   5 versicolor (0.00000000 0.90740741 0.09259259) *
    7) Petal.Width>=1.75 46   1 virginica (0.00000000 0.02173913 0.97826087) *
"""

LEAVES = st.lists(st.integers(0, 9), min_size=2, max_size=2)
TREES = st.recursive(LEAVES, lambda inner: st.tuples(inner, inner), max_leaves=4)


def printed(tree: object, depth: int = 0, place: str = "x") -> str:
    """Return a tree as export_text prints it; a leaf is the counts of its classes."""
    bars = "|   " * depth
    if isinstance(tree, list):
        return f"{bars}|--- weights: [{', '.join(f'{count:.2f}' for count in tree)}] class: 0\n"
    left, right = tree
    return (
        f"{bars}|--- {place} <= 0.50\n{printed(left, depth + 1, place + 'l')}"
        f"{bars}|--- {place} >  0.50\n{printed(right, depth + 1, place + 'r')}"
    )


def cells(tree: object) -> list[int]:
    """Return the counts of every class in every leaf."""
    return tree if isinstance(tree, list) else [*cells(tree[0]), *cells(tree[1])]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.tuples(TREES, TREES), st.integers(2, 6))
def test_a_tree_is_unsafe_exactly_if_a_cell_is_small(tmp_path: Path, tree: object, k: int):
    """Leaves divide the rows: every number that follows is a sum of cells."""
    file = tmp_path / "tree.txt"
    file.write_text(printed(tree), encoding="utf-8")
    if not sum(cells(tree)):
        with pytest.raises(DataError, match="no rows"):
            read_tree(file)
        return
    found = read_tree(file)
    verdict = audit(found.patterns, k=k, exclusive=found.exclusive).verdict
    small = any(0 < count < k for count in cells(tree))
    assert verdict == ("not-safe" if small else "incomplete")


def test_scikit_learns_own_text_has_the_counts_of_its_nodes(tmp_path: Path):
    draw = np.random.default_rng(3)
    features = draw.integers(0, 5, (200, 3))
    classes = (features[:, 0] + draw.integers(0, 3, 200)) > 3
    tree = DecisionTreeClassifier(max_depth=3, random_state=1).fit(features, classes)
    file = tmp_path / "tree.txt"
    file.write_text(export_text(tree, feature_names=["age", "sex", "ward"], show_weights=True), encoding="utf-8")
    found = read_tree(file)
    nodes = [support for items, support in found.patterns if not any(item.startswith("class ") for item in items)]
    assert sorted(nodes) == sorted(tree.tree_.n_node_samples[1:].tolist())
    assert found.patterns.n == 200


def test_what_r_prints_of_an_rpart_tree(tmp_path: Path):
    file = tmp_path / "rpart.txt"
    file.write_text(RPART, encoding="utf-8")
    counts = dict(read_tree(file).patterns)
    assert counts[frozenset({"Petal.Length>=2.45", "Petal.Width>=1.75", "class 2"})] == 1
    assert counts[frozenset({"Petal.Length>=2.45"})] == 100
    assert len(counts) == 9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "is not a tree"),
        ("|--- x <= 1\n|   |--- class: 0\n|--- x >  1\n|   |--- class: 1\n", "no counts"),
        ("|--- x <= 1\n|   |--- weights: [0.50] class: 0\n", "no counts"),
        ("|--- x <= 1\n|   |--- truncated branch of depth 2\n", "no counts"),
        (RPART.replace("root 150", "root 151"), "its parts have 150"),
        (RPART.replace("  3) Petal.Length>=2.45 100  50 versicolor (0.00000000 0.50000000 0.50000000)\n", ""), "above"),
    ],
)
def test_what_is_no_whole_tree_is_refused(tmp_path: Path, text: str, said: str):
    file = tmp_path / "tree.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_tree(file)


ARRAYS = ("children_left", "children_right", "feature", "threshold", "n_node_samples", "value")


def dumped(model: DecisionTreeClassifier, **more: object) -> dict[str, object]:
    """Return a fitted tree as the page on trees dumps it."""
    return {name: getattr(model.tree_, name).tolist() for name in ARRAYS} | more


def fitted() -> DecisionTreeClassifier:
    rng = np.random.default_rng(3)
    cells = rng.integers(20, 80, (150, 2))
    return DecisionTreeClassifier(max_depth=3, random_state=0).fit(cells, (cells[:, 0] > 40) ^ (rng.random(150) < 0.1))


def test_the_json_of_scikit_learns_arrays_says_the_same_as_its_text(tmp_path: Path):
    model = fitted()
    (tmp_path / "tree.json").write_text(json.dumps(dumped(model, feature_names=["age", "stay"])))
    (tmp_path / "tree.txt").write_text(export_text(model, feature_names=["age", "stay"], show_weights=True))
    one, two = (read_tree(tmp_path / name) for name in ("tree.json", "tree.txt"))
    assert (one.patterns.n, len(one.patterns)) == (150, len(two.patterns))
    assert sorted(one.patterns.supports.tolist()) == sorted(two.patterns.supports.tolist())
    answers = [audit(each.patterns, k=10, exclusive=each.exclusive) for each in (one, two)]
    assert len(answers[0].channels) == len(answers[1].channels)
    assert answers[0].verdict == answers[1].verdict == "not-safe"
    assert any("age <= " in label for label in one.patterns.vocabulary)
    assert "class 0" in list(one.patterns.vocabulary)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"children_left": None}, "no list 'children_left'"),
        ({"threshold": [1.5]}, "different lengths"),
        ({"children_left": [0, -1, -1]}, "not a later node"),
        ({"children_right": [1, -1, -1]}, "not a later node"),
        ({"n_node_samples": [11, 4, 6]}, "says 11 rows, but its parts have 10"),
        ({"n_node_samples": [10.0, 4, 6]}, "not a whole number"),
        ({"value": [[[4, 6]], [[1.5, 2.5]], [[3, 3]]]}, "no counts of its 4 rows"),
        ({"feature_names": []}, "does not name"),
        ({"class_names": ["ill"]}, "1 names for 2 classes"),
    ],
)
def test_arrays_that_are_no_tree_are_refused(tmp_path: Path, change: dict[str, object], said: str):
    whole = {
        "children_left": [1, -1, -1],
        "children_right": [2, -1, -1],
        "feature": [0, -2, -2],
        "threshold": [30.5, -2.0, -2.0],
        "n_node_samples": [10, 4, 6],
        "value": [[[4, 6]], [[0.25, 0.75]], [[0.5, 0.5]]],
    }
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(whole | {"class_names": ["ill", "well"]}))
    assert dict(read_tree(path).patterns)[frozenset({"feature 0 <= 30.5", "class ill"})] == 1
    path.write_text(json.dumps(whole | change))
    with pytest.raises(DataError, match=said):
        read_tree(path)

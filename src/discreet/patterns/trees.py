"""Decision trees as other tools print them, read as itemsets with supports.

Problem      given the text of a tree, return how many rows each of its nodes stands for, and of each class in a leaf.
Method       a node is the conjunction of the tests above it. Each outcome of a test is an item (`age <= 30.5` and
             `age > 30.5` are two), each class of a leaf is one, and the rows of a node are an itemset's support.
Promises     counts are those of the text: a node whose parts do not add up to it is refused, and so are trees that have
             no counts, or counts that are not whole.
Departures   leaves and nodes are all there, but not all itemsets of their items: an audit calls them incomplete.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.patterns.patternset import PatternSet
from discreet.tables.tabular import Tabular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from discreet.json_types import ParsedDocument

__all__ = ["DecisionTree", "read_tree"]

_ROUNDING = Fraction(1, 1000)
"""How far the count of a class may be from whole: shares are stored as floats."""

_BRANCH = re.compile(r"(?P<bars>(?:\|   )*)\|--- (?P<rest>.*?)\s*$")
_WEIGHTS = re.compile(r"weights: \[(?P<numbers>[^\]]*)\]")
_RPART = re.compile(
    r"\s*(?P<node>\d+)\) (?P<split>.*?)\s+(?P<n>\d+)\s+(?P<loss>[-\d.e+]+)\s+(?P<value>\S+)"
    r"(?:\s+\((?P<shares>[-\d.e+ ]+)\))?\s*(?P<leaf>\*)?\s*$"
)


@dataclass(frozen=True)
class DecisionTree(Tabular):
    """A tree, read.

    Attributes
    ----------
    patterns : PatternSet
        Every node, and every class of every leaf, as itemsets with the number of their rows.
    exclusive : list of list of str
        The outcomes of which a row has one: those of each test, and the classes.
    """

    patterns: PatternSet
    exclusive: list[list[str]] = field(repr=False)

    def to_arrow(self) -> pa.Table:
        """Return the itemsets with the number of their rows, as an Arrow table."""
        return self.patterns.to_arrow()


@dataclass
class _Node:
    """A node with the items above it; `classes` are the counts of a leaf, `n` is None until it is known."""

    items: tuple[str, ...]
    line: int
    n: int | None = None
    classes: dict[str, int] = field(default_factory=dict)
    below: list[_Node] = field(default_factory=list)


def read_tree(path: str | Path) -> DecisionTree:
    r"""Read a decision tree: of scikit-learn as `export_text` gives it or as JSON, or what R prints of an rpart tree.

    Parameters
    ----------
    path : str or Path
        The text. Of scikit-learn, `export_text(tree, show_weights=True)`: without weights it says no counts. JSON has
        the arrays of a fitted tree's `tree_`: `children_left`, `children_right`, `feature`, `threshold`,
        `n_node_samples` and, of a classifier, `value`; and `feature_names` and `class_names`, if they are to be named.

    Returns
    -------
    DecisionTree
        Its nodes as itemsets, for `audit(tree.patterns, exclusive=tree.exclusive, ...)`.

    Raises
    ------
    DataError
        The text is no such tree, has no counts, or counts that do not add up.

    Examples
    --------
    >>> import discreet
    >>> from pathlib import Path
    >>> text = "|--- age <= 30.50\n|   |--- weights: [8.00, 2.00] class: 0\n"
    >>> _ = Path("tree.txt").write_text(text + "|--- age >  30.50\n|   |--- weights: [0.00, 9.00] class: 1\n")
    >>> dict(discreet.read_tree("tree.txt").patterns)[frozenset({"age <= 30.50"})]
    10
    >>> Path("tree.txt").unlink()
    """
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - paths may be text
            text = file.read()
    except UnicodeDecodeError:
        raise DataError(f"{path} has bytes that are not UTF-8 text; save the printed tree as UTF-8") from None
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; check the name") from None
    lines = text.splitlines()
    if text.lstrip().startswith("{"):
        root = _of_json(text, str(path))
    elif any(_BRANCH.match(line) for line in lines):
        root = _of_scikit_learn(lines, str(path))
    elif any(line.startswith("node), split, n") for line in lines):
        root = _of_rpart(lines, str(path))
    else:
        raise DataError(
            f"{path} is not a tree; give what scikit-learn's export_text or R's print of an rpart tree shows, or the "
            "JSON of tree_"
        )
    return _tree(root, str(path))


def _of_scikit_learn(lines: Sequence[str], name: str) -> _Node:
    root = _Node((), 1)
    above = [root]
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        branch = _BRANCH.match(line)
        if branch is None:
            raise DataError(f"{name}, line {number} is no branch of a tree; give export_text's whole output")
        depth = len(branch["bars"]) // 4
        if depth >= len(above):
            raise DataError(f"{name}, line {number} has no branch above it; give export_text's whole output")
        del above[depth + 1 :]
        rest = re.sub(r"\s+", " ", branch["rest"])
        if weights := _WEIGHTS.search(rest):
            above[-1].classes = _whole(weights["numbers"].split(","), name, number)
        elif rest.startswith(("class:", "value:", "truncated branch")):
            raise DataError(f"{name}, line {number} has no counts; export the tree with show_weights=True, and whole")
        else:
            node = _Node((*above[-1].items, rest), number)
            above[-1].below.append(node)
            above.append(node)
    return root


_ARRAYS = ("children_left", "children_right", "feature", "threshold", "n_node_samples")
_LEAF = -1


def _of_json(text: str, name: str) -> _Node:
    """Return the tree of scikit-learn's arrays: node i has the children `children_left[i]` and `children_right[i]`."""
    try:
        given = json.loads(text)
    except ValueError:
        raise DataError(f"{name} begins like JSON, but is not; dump the arrays of tree_ again") from None
    if missing := [key for key in _ARRAYS if not isinstance(given.get(key), list)]:
        raise DataError(f"{name} has no list {missing[0]!r}; dump {', '.join(_ARRAYS)} and value of tree_")
    lengths = {len(given[key]) for key in (*_ARRAYS, *(["value"] if given.get("value") else []))}
    if len(lengths) != 1 or lengths == {0}:
        raise DataError(f"{name} has lists of different lengths; dump all arrays of one tree_")
    nodes = [_Node((), place + 1) for place in range(lengths.pop())]
    seen = {0}
    for place, node in enumerate(nodes):  # scikit-learn lists a node before those below it
        children = (given["children_left"][place], given["children_right"][place])
        node.n = _count(given["n_node_samples"][place], name, place)
        if children == (_LEAF, _LEAF):
            node.classes = _classes(given, node.n, name, place)
            continue
        test = _test(given, name, place)
        for child, outcome in zip(children, (f"{test[0]} <= {test[1]}", f"{test[0]} > {test[1]}"), strict=True):
            if type(child) is not int or not place < child < len(nodes) or child in seen:
                raise DataError(
                    f"{name}: node {place} has a child that is not a later node of its own; dump tree_ again"
                )
            seen.add(child)
            nodes[child].items = (*node.items, outcome)
            node.below.append(nodes[child])
    if len(seen) != len(nodes):
        raise DataError(f"{name} has nodes that no branch leads to; dump tree_ again")
    return nodes[0]


def _count(value: object, name: str, place: int) -> int:
    if type(value) is not int or value < 0:
        raise DataError(f"{name}: node {place} has a number of rows that is not a whole number; dump n_node_samples")
    return value


def _test(given: ParsedDocument, name: str, place: int) -> tuple[str, str]:
    feature, threshold = given["feature"][place], given["threshold"][place]
    names = given.get("feature_names")
    if type(feature) is not int or feature < 0 or not isinstance(threshold, (int, float)):
        raise DataError(f"{name}: node {place} has children, but no test; dump feature and threshold of tree_")
    if names is not None and (not isinstance(names, list) or feature >= len(names)):
        raise DataError(
            f"{name}: node {place} tests feature {feature}, which feature_names does not name; list them all"
        )
    return f"feature {feature}" if names is None else str(names[feature]), repr(threshold)


def _classes(given: ParsedDocument, n: int, name: str, place: int) -> dict[str, int]:
    """Return the counts of a leaf's classes; newer versions of scikit-learn hold shares, which are turned back."""
    if not given.get("value"):
        return {}
    value = given["value"][place]
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], list):
        raise DataError(f"{name}: node {place} has no list of its classes; dump value of a tree with one output")
    numbers = value[0]
    if len(numbers) == 1:
        return {}  # a regression tree: the mean of the leaf, and no counts
    if not all(isinstance(each, (int, float)) and each >= 0 for each in numbers):
        raise DataError(f"{name}: node {place} has classes that are no counts; dump value of tree_")
    shares = [Fraction(each) for each in numbers]
    counts = [round(share * n / (sum(shares) or 1)) for share in shares]
    if sum(counts) != n or any(
        abs(share * n / sum(shares) - count) > _ROUNDING for share, count in zip(shares, counts, strict=True)
    ):
        raise DataError(
            f"{name}: the classes of node {place} are no counts of its {n:,} rows; fit without weights of rows"
        )
    named = given.get("class_names")
    labels = [f"class {each}" for each in (range(len(counts)) if named is None else named)]
    if len(labels) != len(counts):
        raise DataError(f"{name}: class_names has {len(labels)} names for {len(counts)} classes; list them all")
    return dict(zip(labels, counts, strict=True))


def _whole(texts: Sequence[str], name: str, line: int) -> dict[str, int]:
    numbers = [float(text) for text in texts]
    if any(number != int(number) or number < 0 for number in numbers):
        raise DataError(f"{name}, line {line} has weights that are no counts; fit the tree without weights of rows")
    return {f"class {place}": int(number) for place, number in enumerate(numbers)}


def _of_rpart(lines: Sequence[str], name: str) -> _Node:
    nodes: dict[int, _Node] = {}
    start = next(number for number, line in enumerate(lines) if line.startswith("node), split, n"))
    classes = "(yprob)" in lines[start]
    for number, line in enumerate(lines[start + 1 :], start + 2):
        found = _RPART.match(line)
        if found is None:
            if line.strip() and "denotes terminal node" not in line:
                raise DataError(f"{name}, line {number} is no node of an rpart tree; give the whole printout")
            continue
        place = int(found["node"])
        above = nodes.get(place // 2)
        if above is None and place != 1:
            raise DataError(f"{name}, line {number} has no node above it; give the whole printout")
        items = () if above is None else (*above.items, re.sub(r"\s+", " ", found["split"]))
        node = nodes[place] = _Node(items, number, int(found["n"]))
        if above is not None:
            above.below.append(node)
        if found["leaf"] and classes and found["shares"]:
            shares = [float(text) for text in found["shares"].split()]
            node.classes = {f"class {i}": round(share * int(found["n"])) for i, share in enumerate(shares, 1)}
    if 1 not in nodes:
        raise DataError(f"{name} has no root; give the whole printout of the tree")
    return nodes[1]


def _tree(root: _Node, name: str) -> DecisionTree:
    """Add the counts up, and return all nodes as itemsets."""
    _add_up(root, name)
    pairs = {frozenset(node.items): node.n or 0 for node in _nodes(root) if node.items and node.n}
    for node in _nodes(root):
        pairs |= {frozenset({*node.items, label}): count for label, count in node.classes.items() if count}
    tests = {tuple(sorted({child.items[-1] for child in node.below if child.n})) for node in _nodes(root)}
    labels = sorted({label for node in _nodes(root) for label, count in node.classes.items() if count})
    exclusive = [list(each) for each in sorted(tests) if len(each) > 1]
    exclusive += [labels] if len(labels) > 1 else []
    n = root.n or 0
    if not n:
        raise DataError(f"{name} is a tree of no rows; there is nothing to judge")
    return DecisionTree(PatternSet.from_itemsets(pairs.items(), n=n, min_support=1, target="selected"), exclusive)


def _nodes(node: _Node) -> Iterator[_Node]:
    yield node
    for each in node.below:
        yield from _nodes(each)


def _add_up(node: _Node, name: str) -> int:
    """Return the rows of a node, by its parts; refuse one that says another number."""
    counts = [_add_up(each, name) for each in node.below] or list(node.classes.values())
    total = sum(counts) if counts else node.n
    if total is None:
        raise DataError(f"{name}, line {node.line} has no counts; export the tree with show_weights=True, and whole")
    if node.n is not None and node.n != total:
        raise DataError(f"{name}, line {node.line} says {node.n:,} rows, but its parts have {total:,}")
    node.n = total
    return total

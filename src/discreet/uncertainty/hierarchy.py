"""The hierarchy of the items that are not sensitive: what each of them can be generalized to.

It is read from a file in ARX's format, `leaf;parent;…;root` without a header, or it is the paper's tree over sorted
items: neighbours share a parent, `fanout` children each, level by level up to ALL. Neighbours may also be items of
similar support, which is not in the paper: then a node of many leaves loses little, because its items are rare, and
frequent items need no node (docs/limitations.md says what this gains). Lines may repeat a label to reach the length of
the others (`4;4;ALL`). A node with one child adds nothing and is removed in favour of the child (cao2010 could never
split such a node).

The hierarchy never contains sensitive items: generalizing one would reveal that there was something to hide (cao2010,
appendix B).
"""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from discreet.errors import DataError
from discreet.tables.byte_source import open_bytes
from discreet.tables.csv import given_lines, hierarchy_lines
from discreet.thresholds import one_of, whole_number
from discreet.transactions.label_names import matches
from discreet.transactions.vocabulary import Vocabulary
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.tables.csv import HierarchyLine
    from discreet.transactions.label_names import NamedLabel
    from discreet.transactions.transactions import Transactions

    Lines = Mapping[str, Callable[[], int]]  # labels, each with its line in the file

__all__ = [
    "Hierarchy",
    "HierarchySource",
    "Neighbours",
    "check_hierarchy",
    "fanout_hierarchy",
    "hierarchy_bytes",
    "hierarchy_for",
    "hierarchy_of_all",
    "leaf_of_items",
    "read_hierarchy",
]

HierarchySource: TypeAlias = "Hierarchy | str | os.PathLike[str] | Iterable[Sequence[str]]"
"""A hierarchy, a file of lines `leaf;parent;…;root`, or such lines as Python lists."""

Neighbours = Literal["label", "support"]
"""Which items are adjacent in a generated tree: those with adjacent labels, or those of similar support."""

ROOT = "ALL"
_FEWEST_CHILDREN = 2


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """A tree of labels as arrays: leaves first, in canonical order, then every node after its children, the root last.

    `parent[node]` is -1 for the root. `leaves_below[node]` is the number of leaves below a node, 0 for a leaf itself,
    as in the paper: publishing `node` in place of an item loses `leaves_below[node] / leaf_count` of it. `name`
    identifies the hierarchy in error messages.
    """

    labels: tuple[str, ...]
    parent: NDArray[np.int32]
    leaves_below: NDArray[np.int64]
    name: str = "the hierarchy"

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        self.parent.flags.writeable = False
        self.leaves_below.flags.writeable = False

    @classmethod
    def from_lines(cls, lines: Iterable[Sequence[str]]) -> Hierarchy:
        """Build from Python lists: the leaf, its parent, … the root.

        >>> Hierarchy.from_lines([["beer", "alcohol", "ALL"], ["wine", "alcohol", "ALL"], ["fish", "meat", "ALL"]])
        <Hierarchy: 3 leaves, 2 nodes above them>
        """
        return _from_lines(given_lines(lines), "the hierarchy")

    @property
    def leaf_count(self) -> int:
        """The number of leaves, whether or not they occur in rows."""
        return int(np.count_nonzero(self.leaves_below == 0))

    @cached_property
    def leaf_numbers(self) -> dict[str, int]:
        """The number of each leaf by its label."""
        return {label: leaf for leaf, label in enumerate(self.labels[: self.leaf_count])}

    def climb(self, cut: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return for every node the node of the cut at or above it, -1 if there is none."""
        found = np.full(len(self.labels), -1, np.int32)
        for node in range(len(self.labels) - 1, -1, -1):
            if cut[node]:
                found[node] = node
            elif (above := self.parent[node]) >= 0:
                found[node] = found[above]
        return found

    def cuts_of_one_height(self) -> Iterator[NDArray[np.bool_]]:
        """Yield the cuts from the leaves up to the root, as flags of their nodes."""
        heights = np.array(_heights(self.parent.tolist()), np.int64)
        for height in range(int(heights.max(initial=0)) + 1):
            above = np.append(heights, height + 1)[self.parent]  # -1: nothing is above the root
            yield (heights <= height) & (above > height)

    def lines(self) -> Iterator[list[str]]:
        """Yield `leaf, parent, …, root` for every leaf; labels are repeated to make all lines the same length."""
        parent = self.parent.tolist()
        height = _heights(parent)
        for leaf in range(self.leaf_count):
            line, node = [], leaf
            for level in range(max(height) + 1):
                if parent[node] >= 0 and height[parent[node]] <= level:
                    node = parent[node]
                line.append(self.labels[node])
            yield line

    def walk(self) -> NDArray[np.int64]:
        """Return every leaf's position in a depth-first walk, in which the leaves of a node are adjacent."""
        paths = []
        for leaf in range(self.leaf_count):
            path = [node := leaf]
            while (node := int(self.parent[node])) >= 0:
                path.append(node)
            paths.append(path[::-1])
        places = np.zeros(self.leaf_count, np.int64)
        places[sorted(range(self.leaf_count), key=paths.__getitem__)] = np.arange(self.leaf_count)
        return places

    def with_leaves(self, labels: Iterable[str]) -> Hierarchy:
        """Return the same tree with more items directly under its root."""
        more = [label for label in labels if label not in self.leaf_numbers]
        if not more:
            return self
        if node := set(more) & set(self.labels):
            raise DataError(
                f"{counted(len(node), 'item')} of the rows {'is a node' if len(node) == 1 else 'are nodes'} of "
                f"{self.name}: the rows may have been published already; give rows as they were"
            )
        own = len(self.labels) - self.leaf_count
        root = self.labels[-1] if own else _free(ROOT, {*self.labels, *more})
        parent_of = {
            self.labels[node]: self.labels[above] for node, above in enumerate(self.parent.tolist()) if above >= 0
        }
        beside = [*more, *(() if own else self.labels)]
        if own or len(beside) > 1:
            parent_of |= dict.fromkeys(beside, root)
        return _numbered(Vocabulary([*self.leaf_numbers, *more]).labels, parent_of)

    def __repr__(self) -> str:
        return f"<Hierarchy: {self.leaf_count:,} leaves, {len(self.labels) - self.leaf_count:,} nodes above them>"


def read_hierarchy(path: str | os.PathLike[str]) -> Hierarchy:
    """Read a file of lines `leaf;parent;…;root`."""
    with open_bytes(path) as source:
        return _from_lines(hierarchy_lines(source.chunks(), name=source.name), source.name)


def fanout_hierarchy(
    labels: Iterable[str],
    fanout: int = 4,
    *,
    supports: Mapping[str, int] | None = None,
    taken: Iterable[str] = (),
) -> Hierarchy:
    """Return the paper's tree: items in order, each `fanout` neighbours under one parent, up to ALL.

    With `supports`, neighbours are items of similar support (in a table, within a column), and a node is named after
    the most frequent of its items. If a node's name is an item's or is `taken`, a star is appended.

    >>> fanout_hierarchy(["1", "2", "3", "4", "5"], 2).labels
    ('1', '2', '3', '4', '5', '1..2', '3..4', '1..4', 'ALL')
    >>> fanout_hierarchy(["1", "2", "3", "4"], 2, supports={"1": 5, "2": 70, "3": 6, "4": 80}).labels
    ('1', '2', '3', '4', '3+1', '4+1', 'ALL')
    """
    whole_number(fanout, parameter="fanout", least=_FEWEST_CHILDREN)
    ordered = Vocabulary(labels).labels
    walk = ordered if supports is None else sorted(ordered, key=lambda label: (_column(label), supports[label]))
    name = _range_label if supports is None else _crowd_label
    borne = {*ordered, *taken}
    parent_of: dict[str, str] = {}
    level = [(label, place, place) for place, label in enumerate(walk)]  # a node, and its first and last position
    while len(level) > 1:
        above = []
        for start in range(0, len(level), fanout):
            children = level[start : start + fanout]
            if len(children) == 1:
                above += children
                continue
            first, last = children[0][1], children[-1][2]
            label = ROOT if len(level) <= fanout else name(walk[first], walk[last], last - first)
            label = _free(label, borne)
            borne.add(label)
            parent_of |= {child: label for child, _, _ in children}
            above.append((label, first, last))
        level = above
    return _numbered(ordered, parent_of)


def _free(label: str, taken: Collection[str]) -> str:
    """Return the label, with stars appended until it is not taken."""
    while label in taken:
        label += "*"
    return label


def _range_label(first: str, last: str, more: int) -> str:  # noqa: ARG001 - a range implies how many items it contains
    """Name a node after its first and last item; a node within one table column keeps the column's name."""
    column, equals, value = first.partition("=")
    if not equals:
        return f"{first}..{last}"
    other, _, last_value = last.partition("=")
    return f"{column}={value}..{last_value}" if column == other else _columns_label(first, last)


def _crowd_label(first: str, last: str, more: int) -> str:
    """Name a node after its last item, the most frequent one, and the number of the others."""
    return f"{last}+{more}" if _column(first) == _column(last) else _columns_label(first, last)


def _columns_label(first: str, last: str) -> str:
    """Name a node that spans several columns of a table; it becomes a column of its own."""
    return f"{first.partition('=')[0]}..{last.partition('=')[0]}=*"


def _column(label: str) -> str:
    """Return the table column that an item is a value of; empty if there is none."""
    column, equals, _ = label.partition("=")
    return column if equals else ""


def hierarchy_for(
    rows: Transactions,
    sensitive: NDArray[np.int32],
    hierarchy: HierarchySource | None,
    fanout: int = 4,
    neighbours: Neighbours = "label",
) -> Hierarchy:
    """Return the given hierarchy, or the paper's tree over the non-sensitive items of the rows."""
    one_of(neighbours, get_args(Neighbours), parameter="neighbours")
    if hierarchy is None:
        private = set(sensitive.tolist())
        others = (label for item, label in enumerate(rows.vocabulary) if item not in private)
        counts = rows.item_supports().tolist() if neighbours == "support" else None
        supports = None if counts is None else dict(zip(rows.vocabulary, counts, strict=True))
        return fanout_hierarchy(others, fanout, supports=supports, taken=rows.vocabulary)
    if isinstance(hierarchy, Hierarchy):
        return hierarchy
    if isinstance(hierarchy, (str, os.PathLike)):
        return read_hierarchy(hierarchy)
    return Hierarchy.from_lines(hierarchy)


def hierarchy_of_all(
    rows: Transactions, hierarchy: HierarchySource | None, fanout: int = 4, neighbours: Neighbours = "label"
) -> Hierarchy:
    """Return a hierarchy that includes the sensitive items: for measuring loss, never for publishing."""
    none = np.zeros(0, np.int32)
    return hierarchy_for(rows, none, hierarchy, fanout, neighbours).with_leaves(rows.vocabulary)


def leaf_of_items(hierarchy: Hierarchy, vocabulary: Vocabulary, sensitive: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the leaf of every item, -1 for the sensitive ones; refuse a hierarchy that does not fit the rows."""
    private = {vocabulary[item] for item in sensitive.tolist()}
    if not private.isdisjoint(hierarchy.labels):
        raise DataError(f"{hierarchy.name} has a line for a sensitive item; {_NEVER_GENERALIZED}")
    numbers = hierarchy.leaf_numbers
    leaves = np.full(len(vocabulary), -1, np.int32)
    others = [item for item, label in enumerate(vocabulary) if label not in private]
    if missing := sum(vocabulary[item] not in numbers for item in others):
        raise DataError(f"{hierarchy.name} has no line for {counted(missing, 'item')} of the rows; {_line(hierarchy)}")
    leaves[others] = [numbers[vocabulary[item]] for item in others]
    return leaves


_NEVER_GENERALIZED = "such items are published as they are or not at all, so remove it"


def check_hierarchy(
    hierarchy: Hierarchy, rows: Transactions, sensitive: NDArray[np.int32], named: Sequence[NamedLabel]
) -> None:
    """Refuse a hierarchy that does not fit the rows; also if it has a sensitive label that no row has yet."""
    found = matches([each.label for each in named], hierarchy.labels, of=rows.vocabulary.labels)
    if inside := [each for each in named if found[each.label]]:
        raise DataError(
            f"{hierarchy.name} has a line for what {inside[0].place} names as sensitive; {_NEVER_GENERALIZED}"
        )
    known = np.array([label in hierarchy.leaf_numbers for label in rows.vocabulary], bool)
    known[sensitive] = True
    missing = np.flatnonzero(~known[rows.items])
    if len(missing):
        row = int(np.searchsorted(rows.offsets, missing[0], side="right"))
        raise DataError(
            f"row {row:,} has an item for which {hierarchy.name} has no line, and so have "
            f"{counted(int(len(known) - known.sum()), 'item')} in all; {_line(hierarchy)}"
        )


def _line(hierarchy: Hierarchy) -> str:
    return f"add a line item;parent;…;{hierarchy.labels[-1] if hierarchy.labels else ROOT} for each"


def hierarchy_bytes(hierarchy: Hierarchy) -> bytes:
    """Return the hierarchy as a file for ARX and `read_hierarchy`."""
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(hierarchy.lines())
    return text.getvalue().encode()


def _from_lines(lines: Iterator[HierarchyLine], name: str) -> Hierarchy:
    leaves: dict[str, Callable[[], int]] = {}  # each with its line
    lines_of: dict[str, Callable[[], int]] = {}
    parent_of: dict[str, str] = {}
    for number, cells in lines:
        if fault := _fault(cells, leaves, parent_of, lines_of):
            raise DataError(f"line {number():,} of {name} {fault}", line=number())
        leaves[cells[0]] = number
        for cell in cells:
            lines_of.setdefault(cell, number)
    if not leaves:
        raise DataError(f"{name} holds no lines; write leaf;parent;…;root for each item that is not sensitive")
    _refuse_what_is_no_tree(leaves, parent_of, name)
    return replace(_numbered(Vocabulary(leaves).labels, _without_single_children(leaves, parent_of)), name=name)


def _fault(cells: tuple[str, ...], leaves: Lines, parent_of: dict[str, str], lines_of: Lines) -> str | None:
    """Return what is wrong with a line; if nothing is, record its parents."""
    if "" in cells:
        return f"has an empty cell, number {cells.index('') + 1}; write leaf;parent;…;root"
    if cells[0] in leaves:
        return f"begins with the same item as line {leaves[cells[0]]():,}; keep one"
    for place, (child, parent) in enumerate(pairwise(cells), 1):
        if child != parent and parent_of.setdefault(child, parent) != parent:
            return f"puts its cell {place} under another parent than line {lines_of[child]():,} does; decide on one"
    return None


def _refuse_what_is_no_tree(leaves: Lines, parent_of: Mapping[str, str], name: str) -> None:
    roots: dict[str, str] = {}
    for leaf in leaves:
        node, passed = leaf, {leaf}
        while node in parent_of:
            node = parent_of[node]
            if node in passed:
                line = leaves[leaf]()
                raise DataError(
                    f"{name} has a cycle: from the item of line {line:,} upwards a label comes again; end every line "
                    "at one root",
                    line=line,
                )
            passed.add(node)
        roots.setdefault(node, leaf)
    if both := sorted(leaves.keys() & set(parent_of.values())):
        line = leaves[both[0]]()
        raise DataError(
            f"line {line:,} of {name} begins with a label that is a parent of others; in published rows nobody could "
            "tell which is meant, so rename the parent",
            line=line,
        )
    if len(roots) > 1:
        one, other = (leaves[leaf]() for leaf in list(roots.values())[:2])
        raise DataError(
            f"{name} has two roots, at the ends of lines {one:,} and {other:,}; end every line with the same label"
        )


def _without_single_children(leaves: Iterable[str], parent_of: Mapping[str, str]) -> dict[str, str]:
    """Return the same tree without nodes that have only one child."""
    children: dict[str, set[str]] = {}
    for child, parent in parent_of.items():
        children.setdefault(parent, set()).add(child)
    kept: dict[str, str] = {}
    for leaf in leaves:
        node = leaf
        while (above := parent_of.get(node)) is not None and node not in kept:
            while len(children[above]) == 1 and above in parent_of:
                above = parent_of[above]
            if len(children[above]) > 1:
                kept[node] = above
            node = above
    return kept


def _numbered(leaves: Sequence[str], parent_of: Mapping[str, str]) -> Hierarchy:
    """Return the tree with sorted leaves, then nodes by height and smallest leaf: children come before parents."""
    heights: dict[str, int] = {}
    smallest: dict[str, int] = {}
    below: dict[str, int] = {}
    for number, leaf in enumerate(leaves):
        node, height = leaf, 0
        while node in parent_of:
            node, height = parent_of[node], height + 1
            heights[node] = max(heights.get(node, 0), height)
            smallest.setdefault(node, number)
            below[node] = below.get(node, 0) + 1
    labels = (*leaves, *sorted(heights, key=lambda node: (heights[node], smallest[node])))
    numbers = {label: node for node, label in enumerate(labels)}
    parent = np.fromiter((numbers[parent_of[x]] if x in parent_of else -1 for x in labels), np.int32, count=len(labels))
    leaves_below = np.fromiter((below.get(label, 0) for label in labels), np.int64, count=len(labels))
    return Hierarchy(labels=labels, parent=parent, leaves_below=leaves_below)


def _heights(parent: Sequence[int]) -> list[int]:
    heights = [0] * len(parent)
    for node, above in enumerate(parent):
        if above >= 0:
            heights[above] = max(heights[above], heights[node] + 1)
    return heights

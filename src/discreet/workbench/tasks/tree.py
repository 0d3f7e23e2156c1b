"""An editable hierarchy: items under groups, groups under groups, everything under one root.

It is kept as arrays, because a table may have hundreds of thousands of items. A worker makes it; every edit takes a few
operations on arrays, and a page is shown some children of the groups that are open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError
from discreet.uncertainty.hierarchy import Hierarchy, fanout_hierarchy, hierarchy_bytes, read_hierarchy
from discreet.workbench.label_list import LabelList

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["ItemTree"]

ROOT = "ALL"
_NOT_HERE = -2


@dataclass(frozen=True, eq=False)
class ItemTree:
    """The parent of each node by number: items first, then groups, then groups that were added by hand.

    The root's parent is -1, that of a removed group -2. Every edit returns a new tree, and an equal request names the
    same tree: two trees are equal if they are one.
    """

    names: LabelList
    leaf_count: int
    parent: NDArray[np.int32]
    root: int
    added_names: tuple[str, ...] = ()

    @classmethod
    def neighbours(cls, labels: Sequence[str], fanout: int, columns: Sequence[str] = ()) -> ItemTree:
        """Return the paper's tree: adjacent items in order, `fanout` of them under each group.

        The values of each of the `columns` have a branch of their own.
        """
        if not columns:
            return cls._of(fanout_hierarchy(labels, fanout))
        leaves: list[str] = []
        groups: list[str] = []
        above_leaves, above_groups, taken = [], [], {*labels, ROOT}
        for column, values in _by_column(labels, columns).items():
            branch = fanout_hierarchy(values, fanout)
            own, top = branch.leaf_count, len(groups)
            inner = branch.labels[own:-1]  # the last one is its root, which is named after the column
            for name in (f"{column}=*", *inner):
                groups.append(_free(name, taken))
                taken.add(groups[-1])
            place = np.append(top + 1 + np.arange(len(inner)), top)  # of its groups among all
            above = place[np.maximum(branch.parent - own, -1)]
            leaves += branch.labels[:own]
            above_leaves.append(above[:own])
            above_groups += [np.array([-1]), above[own : own + len(inner)]]
        root = len(leaves) + len(groups)
        below = np.concatenate([*above_leaves, *above_groups])
        parent = np.append(np.where(below < 0, root, below + len(leaves)), -1).astype(np.int32)
        return cls(LabelList.of([*leaves, *groups, ROOT]), len(leaves), parent, root)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ItemTree:
        """Read a file of lines `leaf;parent;…;root`, as ARX writes them."""
        return cls._of(read_hierarchy(path))

    @classmethod
    def _of(cls, hierarchy: Hierarchy) -> ItemTree:
        labels, parent = list(hierarchy.labels), hierarchy.parent.astype(np.int32)
        if len(labels) == hierarchy.leaf_count:  # one item, and nothing above it
            labels.append(ROOT)
            parent = np.append(np.full(hierarchy.leaf_count, hierarchy.leaf_count, np.int32), np.int32(-1))
        return cls(LabelList.of(labels), hierarchy.leaf_count, parent, len(labels) - 1)

    def __len__(self) -> int:
        return len(self.parent)

    def __getitem__(self, node: int) -> str:
        return self.names[node] if node < len(self.names) else self.added_names[node - len(self.names)]

    def number(self, label: str) -> int | None:
        """Return the number of a label, None if there is none."""
        if label in self.added_names:
            node: int | None = len(self.names) + self.added_names.index(label)
        else:
            node = self.names.number(label)
        return None if node is None or self.parent[node] == _NOT_HERE else node

    def is_group(self, node: int) -> bool:
        """Return whether a node is a group that is there."""
        return self.leaf_count <= node < len(self) and self.parent[node] != _NOT_HERE

    def added(self, name: str, under: int | None = None) -> ItemTree:
        """Return the tree with an empty group: under another one, or under the root."""
        name = name.strip()
        if not name or name in self.added_names or self.names.number(name) is not None:
            raise ParameterError(
                f"a group needs a name of its own, got {name!r}; choose one that no item or group has",
                parameter="group",
            )
        group = under if under is not None and self.is_group(under) else self.root
        parent = np.append(self.parent, np.int32(group))
        return replace(self, parent=parent, added_names=(*self.added_names, name))

    def moved(self, node: int, under: int) -> ItemTree:
        """Return the tree with an item or a group moved under another group; dropped on an item: next to that item."""
        if not (self._is_here(node) and self._is_here(under)) or node == self.root:
            return self
        target = under if self.is_group(under) else int(self.parent[under])
        if node in self.above(target):
            raise ParameterError(
                f"{self[node]!r} cannot be placed under itself; choose another group", parameter="group"
            )
        parent = self.parent.copy()
        parent[node] = target
        return replace(self, parent=parent)

    def removed(self, node: int | None) -> ItemTree:
        """Return the tree without a group; its children move up."""
        if node is None or not self.is_group(node) or node == self.root:
            raise ParameterError("only a group can be removed, and not the root", parameter="group")
        parent = self.parent.copy()
        parent[parent == node] = parent[node]
        parent[node] = _NOT_HERE
        return replace(self, parent=parent)

    def with_items(self, labels: Iterable[str]) -> ItemTree:
        """Return the tree with more items, directly under the root."""
        there = set(self.names)
        more = [label for label in labels if label not in there]
        if not more:
            return self
        names = list(self.names)
        leaves, groups = names[: self.leaf_count], names[self.leaf_count :]
        shift = np.where(np.arange(len(self)) < self.leaf_count, 0, len(more)).astype(np.int32)
        moved = np.where(self.parent >= 0, self.parent + shift[self.parent], self.parent)
        root = self.root + len(more)
        parent = np.concatenate([moved[: self.leaf_count], np.full(len(more), root), moved[self.leaf_count :]]).astype(
            np.int32
        )
        return ItemTree(LabelList.of([*leaves, *more, *groups]), self.leaf_count + len(more), parent, root)

    def above(self, node: int) -> list[int]:
        """Return a node and all groups above it, the root last."""
        path = [node]
        while (node := int(self.parent[node])) >= 0:
            path.append(node)
        return path

    def children(self, node: int, hidden: Collection[int] = ()) -> NDArray[np.int64]:
        """Return the children of a group, groups first; without the hidden ones, which are sensitive."""
        found = np.flatnonzero(self.parent == node)
        if len(hidden):
            found = found[~np.isin(found, np.fromiter(hidden, np.int64))]
        split = int(np.searchsorted(found, self.leaf_count))
        return np.concatenate([found[split:], found[:split]])

    def lines(self, hidden: Iterable[str] = ()) -> list[list[str]]:
        """Return `leaf, parent, …, root` for every item but the sensitive ones; groups without items are left out."""
        gone, parent = set(hidden), self.parent.tolist()
        labels = [*self.names, *self.added_names]
        lines = []
        for leaf in sorted(range(self.leaf_count), key=labels.__getitem__):
            if labels[leaf] in gone:
                continue
            line, node = [labels[leaf]], leaf
            while (node := parent[node]) >= 0:
                line.append(labels[node])
            lines.append(line)
        return lines

    def file_bytes(self, hidden: Iterable[str] = ()) -> bytes:
        """Return the hierarchy as a file for ARX and `discreet anonymize --hierarchy`."""
        return hierarchy_bytes(Hierarchy.from_lines(self.lines(hidden)))

    def _is_here(self, node: int) -> bool:
        return 0 <= node < len(self) and self.parent[node] != _NOT_HERE


def _by_column(labels: Iterable[str], columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the labels of each column of a table, in the order of the columns."""
    parts: dict[str, list[str]] = {column: [] for column in columns}
    for label in labels:
        column = label.partition("=")[0]
        if column not in parts:  # a name with an equals sign in it
            column = next((name for name in columns if label.startswith(f"{name}=")), column)
        parts.setdefault(column, []).append(label)
    return {column: values for column, values in parts.items() if values}


def _free(label: str, taken: Collection[str]) -> str:
    """Return the label, with stars appended until it is not taken."""
    while label in taken:
        label += "*"
    return label

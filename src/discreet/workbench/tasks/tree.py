"""A hierarchy that can be edited: items under groups, groups under groups, everything under one root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.uncertainty.hierarchy import Hierarchy, fanout_hierarchy, hierarchy_bytes, read_hierarchy

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

__all__ = ["EditableTree"]

ROOT = "ALL"


class EditableTree:
    """Who stands under whom; `leaves` are items, all other labels are groups."""

    def __init__(self, leaves: Iterable[str], parent: dict[str, str], root: str = ROOT) -> None:
        """Take items, the parent of everything but the root, and the root."""
        self.leaves = set(leaves)
        self.parent = dict(parent)
        self.root = root
        self.edits = 0
        self._lines: list[list[str]] | None = None

    @classmethod
    def neighbours(cls, labels: Iterable[str], fanout: int) -> EditableTree:
        """Return the paper's tree: neighbours in order, `fanout` of them under each group."""
        return cls._of(fanout_hierarchy(labels, fanout))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> EditableTree:
        """Read a file of lines `leaf;parent;…;root`, as ARX writes them."""
        return cls._of(read_hierarchy(path))

    @classmethod
    def _of(cls, hierarchy: Hierarchy) -> EditableTree:
        labels, parents = hierarchy.labels, hierarchy.parent.tolist()
        pairs = zip(labels, parents, strict=True)
        root = labels[-1] if len(labels) > hierarchy.leaf_count else ROOT
        parent = {label: labels[above] if above >= 0 else root for label, above in pairs if label != root}
        return cls(labels[: hierarchy.leaf_count], parent, root)

    def add(self, name: str, under: str | None = None) -> None:
        """Make an empty group."""
        name = name.strip()
        if not name or name in self.parent or name == self.root:
            raise ParameterError(
                f"a group needs a name of its own, got {name!r}; choose one that no item or group has",
                parameter="group",
            )
        self.parent[name] = self._group(under or self.root)
        self._edited()

    def move(self, label: str, under: str) -> None:
        """Put an item or a group under another group; on an item: beside it."""
        target = self._group(under)
        above: str | None = target
        while above is not None:
            if above == label:
                raise ParameterError(
                    f"{label!r} cannot be placed under itself; choose another group", parameter="group"
                )
            above = self.parent.get(above)
        if label in self.parent:
            self.parent[label] = target
            self._edited()

    def remove(self, name: str) -> None:
        """Take a group away; what stood under it moves up."""
        if name in self.leaves or name not in self.parent:
            raise ParameterError("only a group can be removed, and not the root", parameter="group")
        up = self.parent.pop(name)
        self._edited()
        for label, above in self.parent.items():
            if above == name:
                self.parent[label] = up

    def _edited(self) -> None:
        self.edits += 1
        self._lines = None

    def without(self, labels: Iterable[str]) -> EditableTree:
        """Return the tree without some items: those that are sensitive."""
        gone = set(labels)
        parent = {label: above for label, above in self.parent.items() if label not in gone}
        return EditableTree(self.leaves - gone, parent, self.root)

    def with_items(self, labels: Iterable[str]) -> EditableTree:
        """Return the tree with more items, right under the root."""
        more = [label for label in labels if label not in self.parent]
        return EditableTree(self.leaves | set(more), self.parent | dict.fromkeys(more, self.root), self.root)

    def lines(self) -> list[list[str]]:
        """Return `leaf, parent, …, root` for every item, in order; groups without items are left out."""
        if self._lines is None:
            self._lines = []
            for leaf in sorted(self.leaves):
                line = [leaf]
                while (above := self.parent.get(line[-1])) is not None:
                    line.append(above)
                self._lines.append(line)
        return self._lines

    def file_bytes(self) -> bytes:
        """Return the file that ARX and `discreet anonymize --hierarchy` read."""
        return hierarchy_bytes(Hierarchy.from_lines(self.lines()))

    def children(self) -> dict[str, list[str]]:
        """Return what stands under each group, groups first."""
        below: dict[str, list[str]] = {self.root: []}
        for label, above in self.parent.items():
            below.setdefault(above, []).append(label)
            if label not in self.leaves:
                below.setdefault(label, [])
        for labels in below.values():
            labels.sort(key=lambda label: (label in self.leaves, label))
        return below

    def _group(self, label: str) -> str:
        return self.parent[label] if label in self.leaves else label

"""An editable hierarchy: items under groups, groups under groups, everything under one root."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.uncertainty.hierarchy import Hierarchy, fanout_hierarchy, hierarchy_bytes, read_hierarchy

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

__all__ = ["ItemTree"]

ROOT = "ALL"


@dataclass(frozen=True)
class ItemTree:
    """The parent of each label; `leaves` are items, all other labels are groups. Every edit returns a new tree."""

    leaves: frozenset[str]
    parent: dict[str, str]
    """The parent of every label except the root."""
    root: str = ROOT

    @classmethod
    def neighbours(cls, labels: Iterable[str], fanout: int) -> ItemTree:
        """Return the paper's tree: adjacent items in order, `fanout` of them under each group."""
        return cls._of(fanout_hierarchy(labels, fanout))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ItemTree:
        """Read a file of lines `leaf;parent;…;root`, as ARX writes them."""
        return cls._of(read_hierarchy(path))

    @classmethod
    def _of(cls, hierarchy: Hierarchy) -> ItemTree:
        labels, parents = hierarchy.labels, hierarchy.parent.tolist()
        pairs = zip(labels, parents, strict=True)
        root = labels[-1] if len(labels) > hierarchy.leaf_count else ROOT
        parent = {label: labels[above] if above >= 0 else root for label, above in pairs if label != root}
        return cls(frozenset(labels[: hierarchy.leaf_count]), parent, root)

    def added(self, name: str, under: str | None = None) -> ItemTree:
        """Return the tree with an empty group: under another one, or under the root."""
        name = name.strip()
        if not name or name in self.parent or name == self.root:
            raise ParameterError(
                f"a group needs a name of its own, got {name!r}; choose one that no item or group has",
                parameter="group",
            )
        group = under if under == self.root or under in self.parent.keys() - self.leaves else None
        return replace(self, parent=self.parent | {name: group or self.root})

    def moved(self, label: str, under: str) -> ItemTree:
        """Return the tree with an item or a group moved under another group; dropped on an item: next to that item."""
        target = self._group(under)
        above: str | None = target
        while above is not None:
            if above == label:
                raise ParameterError(
                    f"{label!r} cannot be placed under itself; choose another group", parameter="group"
                )
            above = self.parent.get(above)
        return replace(self, parent=self.parent | {label: target}) if label in self.parent else self

    def removed(self, name: str) -> ItemTree:
        """Return the tree without a group; its children move up."""
        if name in self.leaves or name not in self.parent:
            raise ParameterError("only a group can be removed, and not the root", parameter="group")
        up = self.parent[name]
        others = ((label, above) for label, above in self.parent.items() if label != name)
        return replace(self, parent={label: up if above == name else above for label, above in others})

    def without(self, labels: Iterable[str]) -> ItemTree:
        """Return the tree without some items, which are sensitive."""
        gone = frozenset(labels)
        parent = {label: above for label, above in self.parent.items() if label not in gone}
        return replace(self, leaves=self.leaves - gone, parent=parent)

    def with_items(self, labels: Iterable[str]) -> ItemTree:
        """Return the tree with more items, directly under the root."""
        more = [label for label in labels if label not in self.parent]
        return replace(self, leaves=self.leaves.union(more), parent=self.parent | dict.fromkeys(more, self.root))

    def lines(self) -> list[list[str]]:
        """Return `leaf, parent, …, root` for every item, in order; groups without items are left out."""
        lines = []
        for leaf in sorted(self.leaves):
            line = [leaf]
            while (above := self.parent.get(line[-1])) is not None:
                line.append(above)
            lines.append(line)
        return lines

    def file_bytes(self) -> bytes:
        """Return the hierarchy as a file for ARX and `discreet anonymize --hierarchy`."""
        return hierarchy_bytes(Hierarchy.from_lines(self.lines()))

    @cached_property
    def children(self) -> dict[str, list[str]]:
        """The children of each group, groups first."""
        below: dict[str, list[str]] = {self.root: []}
        for label, above in self.parent.items():
            below.setdefault(above, []).append(label)
            if label not in self.leaves:
                below.setdefault(label, [])
        for labels in below.values():
            labels.sort(key=lambda label: (label in self.leaves, label))
        return below

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the fields, without cached values."""
        return ItemTree, (self.leaves, self.parent, self.root)

    def _group(self, label: str) -> str:
        return self.parent[label] if label in self.leaves else label

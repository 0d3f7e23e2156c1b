"""A publication as a file, to publish later rows in the same way.

The file says what every item is published as, or that it is dropped; which items are sensitive; the hierarchy; and the
rho that the first rows were made safe for. It is for the owner of the rows only, because it names what was dropped.

It keeps the sensitive labels as they were named, columns and labels that no row had included: an item of later rows
that one of them stands for is sensitive, and dropped if the first rows did not have it.

A mapping that is safe for one month's rows need not be safe for the next: rows that a mapping was applied to must be
checked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError, param
from discreet.tables.private_files import read_private, write_private
from discreet.thresholds import Rho
from discreet.transactions.label_names import matches
from discreet.uncertainty.hierarchy import Hierarchy
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.publication import Publication

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable
    from collections.abc import Mapping as Map

    from discreet.transactions.transactions import Transactions

__all__ = ["Mapping", "carry_over", "mapping_of", "read_mapping", "write_mapping"]

_KIND = "discreet mapping"
_VERSION = 2
_WITH_LIMITS = 3
"""The version of a file in which some labels have limits of their own, which versions before it would not keep."""


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """What items are published as: `published_as[label]` is a label, or None if the item is dropped.

    `limits` has the sensitive labels as their owner named them, `sensitive` are the items that they stood for.
    """

    limits: Limits
    method: str
    sensitive: tuple[str, ...]
    published_as: Map[str, str | None]
    hierarchy: Hierarchy

    @property
    def named(self) -> tuple[str, ...]:
        """The sensitive labels as their owner named them."""
        return tuple(self.limits.names)

    def private(self, labels: Collection[str]) -> set[str]:
        """Return which of some labels are sensitive."""
        found = matches([*self.named, *self.sensitive], labels, of=[*self.published_as, *self.sensitive])
        return {label for items in found.values() for label in items}

    def knows(self, names: Iterable[str]) -> set[str]:
        """Return which of some names stand for something in the first rows, or were sensitive labels there."""
        found = matches(names, self.published_as)
        return {name for name, items in found.items() if items or name in self.named}


def mapping_of(publication: Publication, *, limits: Limits, method: str) -> Mapping:
    """Return the mapping of a publication; items below a published node share it, whether or not they occur in rows.

    `limits` has the sensitive labels, those that no row has included; if none, the sensitive items are named.
    """
    hierarchy, vocabulary = publication.hierarchy, publication.vocabulary
    dropped = publication.dropped().tolist()
    nodes = publication.node_of.tolist()
    cut = np.zeros(len(hierarchy.labels), bool)
    cut[publication.node_of[publication.node_of >= 0]] = True
    gone = {node for node, drop in zip(nodes, dropped, strict=True) if drop}
    published = {
        hierarchy.labels[leaf]: None if node in gone else hierarchy.labels[node]
        for leaf, node in enumerate(hierarchy.climb(cut)[: hierarchy.leaf_count].tolist())
        if node >= 0
    }
    sensitive = [item for item, node in enumerate(nodes) if node < 0]
    published |= {vocabulary[item]: None if dropped[item] else vocabulary[item] for item in sensitive}
    return Mapping(
        limits=limits if limits.names else Limits(limits.rho, dict.fromkeys(vocabulary[item] for item in sensitive)),
        method=method,
        sensitive=tuple(vocabulary[item] for item in sensitive),
        published_as=published,
        hierarchy=hierarchy,
    )


def carry_over(mapping: Mapping, rows: Transactions) -> tuple[Publication, tuple[str, ...]]:
    """Return the publication of other rows by a mapping, and the items it does not know, which are dropped."""
    vocabulary = rows.vocabulary
    private = mapping.private(vocabulary.labels)
    unknown = tuple(label for label in vocabulary if label not in mapping.published_as)
    hierarchy = mapping.hierarchy.with_leaves(label for label in unknown if label not in private)
    number = {label: node for node, label in enumerate(hierarchy.labels)}
    node_of = np.full(len(vocabulary), -1, np.int32)
    suppressed = []
    for item, label in enumerate(vocabulary):
        published = mapping.published_as.get(label)
        if label in private and published != label:
            published = None
        if published is None:
            suppressed.append(item)
        if label not in private:
            node_of[item] = number[label if published is None else published]
    return Publication(vocabulary, hierarchy, np.array(suppressed, np.int32), node_of), unknown


def write_mapping(
    mapping: Mapping, path: str | os.PathLike[str], *, force: bool = False, passphrase: str | bytes | None = None
) -> None:
    """Write a mapping atomically, encrypted if there is a passphrase."""
    document = {
        "kind": _KIND,
        "version": _WITH_LIMITS if mapping.limits.own else _VERSION,
        "rho": str(mapping.limits.rho),
        **({"limits": {name: str(limit) for name, limit in mapping.limits.own.items()}} if mapping.limits.own else {}),
        "method": mapping.method,
        "named": list(mapping.named),
        "sensitive": list(mapping.sensitive),
        "published_as": dict(mapping.published_as),
        "hierarchy": list(mapping.hierarchy.lines()),
    }
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    write_private(path, [text.encode()], force=force, passphrase=passphrase)


def read_mapping(path: str | os.PathLike[str], *, passphrase: str | bytes | None = None) -> Mapping:
    """Read a file that `write_mapping` wrote."""
    path = Path(path)
    try:
        content = read_private(path, passphrase)
    except OSError as error:
        raise DataError(
            f"cannot read the mapping {path}: {error.strerror}; name a file of {param('mapping')}"
        ) from None
    try:
        document = json.loads(content.decode())
    except (ValueError, RecursionError):
        raise _no_mapping(path, "it is not JSON") from None
    if not isinstance(document, dict) or document.get("kind") != _KIND:
        raise _no_mapping(path, "it does not say that it is one")
    if document.get("version") not in (_VERSION, _WITH_LIMITS):
        raise _no_mapping(path, "it is of another version, which may have forgotten sensitive labels that no row had")
    try:
        return _parsed(document)
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise _no_mapping(path, f"{error}" if isinstance(error, DataError) else "a part is missing or wrong") from None


def _parsed(document: Map[str, Any]) -> Mapping:
    lines = document["hierarchy"]
    hierarchy = Hierarchy.from_lines(lines) if lines else Hierarchy((), np.zeros(0, np.int32), np.zeros(0, np.int64))
    published, sensitive, named = document["published_as"], document["sensitive"], document["named"]
    private, nodes = set(sensitive), set(hierarchy.labels)
    for label, name in published.items():
        fits = name in {None, label} if label in private else label in hierarchy.leaf_numbers and name in nodes | {None}
        if not fits:
            raise KeyError(label)
    if not private <= published.keys() or not all(isinstance(label, str) for label in (*named, *sensitive)):
        raise KeyError("sensitive")
    own = {str(name): Rho.parse(Fraction(limit)) for name, limit in document.get("limits", {}).items()}
    if not own.keys() <= {*named} or bool(own) != (document["version"] == _WITH_LIMITS):
        raise KeyError("limits")
    data = [*published, *sensitive]
    return Mapping(
        limits=Limits(Rho.parse(Fraction(document["rho"])), {name: own.get(name) for name in named}, data),
        method=str(document["method"]),
        sensitive=tuple(sensitive),
        published_as=published,
        hierarchy=hierarchy,
    )


def _no_mapping(path: Path, why: str) -> DataError:
    return DataError(f"{path} is not a mapping of discreet: {why}; write one with anonymize {param('mapping')} FILE")

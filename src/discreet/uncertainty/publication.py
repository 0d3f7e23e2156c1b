"""How rows are published: which items are dropped, and the labels of the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError
from discreet.itemsets import Itemsets
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.empty_cells import column_of_items
from discreet.uncertainty.utility import average_loss

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.transactions.layout import Layout
    from discreet.transactions.vocabulary import Vocabulary
    from discreet.uncertainty.hierarchy import Hierarchy

__all__ = ["Publication", "published_layout"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Publication:
    """What becomes of every item of a vocabulary, the same in all rows.

    `suppressed` are the items that are dropped, sensitive or not. `node_of[item]` is the hierarchy node that an item is
    published as: its own leaf if it is unchanged, and -1 for a sensitive item, which is published unchanged or dropped.
    """

    vocabulary: Vocabulary
    hierarchy: Hierarchy
    suppressed: NDArray[np.int32]
    node_of: NDArray[np.int32]

    def __post_init__(self) -> None:
        """Check that every item has a node, and freeze the arrays."""
        nodes = len(self.hierarchy.labels)
        if len(self.node_of) != len(self.vocabulary) or (len(self.node_of) and self.node_of.max() >= nodes):
            raise ParameterError("node_of must name a node for every item of the vocabulary", parameter="node_of")
        if len(self.suppressed) and not 0 <= self.suppressed.min() <= self.suppressed.max() < len(self.vocabulary):
            raise ParameterError("suppressed must be items of the vocabulary", parameter="suppressed")
        for array in (self.suppressed, self.node_of):
            array.flags.writeable = False

    def dropped(self) -> NDArray[np.bool_]:
        """Return for every item whether it is dropped."""
        dropped = np.zeros(len(self.vocabulary), bool)
        dropped[self.suppressed] = True
        return dropped

    def generalized(self) -> NDArray[np.bool_]:
        """Return for every item whether it is published under the name of a node above it."""
        above = np.append(self.hierarchy.leaves_below, 0)[self.node_of] > 0
        return above & ~self.dropped()

    def published_label(self, item: int) -> str:
        """Return the published label of an item that is not dropped."""
        node = int(self.node_of[item])
        return self.vocabulary[item] if node < 0 else self.hierarchy.labels[node]

    def apply(self, rows: Transactions) -> Transactions:
        """Return the rows as they are published, in order; a row without remaining items stays as an empty row.

        The rows' ids are left out: with them, a reader would not need to infer anything.
        """
        self._check(rows)
        kept = ~self.dropped()
        labels = list(dict.fromkeys(self.published_label(item) for item in np.flatnonzero(kept).tolist()))
        numbers = {label: number for number, label in enumerate(labels)}
        becomes = np.full(len(self.vocabulary), -1, np.int32)
        for item in np.flatnonzero(kept).tolist():
            becomes[item] = numbers[self.published_label(item)]
        stays = rows.itemsets.keeping(kept[rows.items])
        codes = Itemsets(stays.offsets, becomes[stays.items])
        published = Transactions.from_codes(codes, labels, layout=published_layout(rows.layout, labels))
        return published if rows.weights is None else replace(published, weights=rows.weights)

    def without_columns(self, columns: Collection[str]) -> Publication:
        """Return the publication that also drops every value of these columns of a table."""
        gone = np.flatnonzero(column_of_items(self.vocabulary.labels, tuple(columns)) >= 0).astype(np.int32)
        return replace(self, suppressed=np.union1d(self.suppressed, gone).astype(np.int32))

    def information_loss(self, rows: Transactions) -> Fraction:
        """Return the average information loss over all item occurrences (cao2010, section 3.2)."""
        self._check(rows)
        return average_loss(self, rows.item_supports())

    def _check(self, rows: Transactions) -> None:
        if rows.vocabulary != self.vocabulary:
            raise ParameterError(
                "these rows have other items than those the publication was made for; carry it over with a mapping",
                parameter="rows",
            )

    def __repr__(self) -> str:
        counts = f"{len(self.suppressed):,} items dropped, {int(self.generalized().sum()):,} generalized"
        return f"<Publication: {counts}, of {len(self.vocabulary):,}>"


def published_layout(came: Layout | None, labels: Sequence[str]) -> Layout | None:
    """Return the layout of published rows: the original one, without ids, with columns for new labels.

    A one-hot column of a dropped item would say that no row has it, so such columns are removed.
    """
    if came is None or came.shape not in ("onehot", "table"):
        return None if came is None else replace(came, id_column=came.id_column if came.shape == "long" else None)
    columns = [column for column in came.columns if column != came.id_column]
    if came.shape == "onehot":
        published = set(labels)
        columns = [column for column in columns if column in published]
    else:
        known = set(columns)
        columns += [column for label in labels if (column := label.partition("=")[0]) not in known and "=" in label]
    return replace(came, id_column=None, columns=tuple(dict.fromkeys(columns)))

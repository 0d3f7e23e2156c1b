"""What audits and blocking need from rows, wherever the rows are stored.

`RowSource` is the rows. `FrequentRows` is the same rows at one minimum support, where infrequent items are ignored.
`KeptRows` is what blocking has left of them. This module implements them for Transactions in memory and
`discreet.spark` for Spark; all code above these protocols is shared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from discreet.channels.exclusive import exclusive_in_rows
from discreet.channels.grouping import count_in_groups, groups_of_rows, rows_in_groups
from discreet.channels.kinds import kinds_of
from discreet.channels.projection import project_rows
from discreet.channels.quasi_identifiers import chosen_items, restrict_rows
from discreet.channels.suppressive import Kept
from discreet.patterns.counted_patterns import mine_or_count
from discreet.patterns.mining import DEFAULT_MAX_PATTERNS, mine
from discreet.transactions.disk_rows import are_on_disk, frequent_rows, repeat_often
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from discreet.channels.channel import Channels
    from discreet.channels.detection import DetectionMethod
    from discreet.channels.exclusive import Exclusive
    from discreet.channels.exclusive_names import Named
    from discreet.channels.grouping import Groups
    from discreet.itemsets import Itemsets
    from discreet.patterns.patternset import PatternSet, Target
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["FrequentRows", "KeptRows", "LocalRows", "RowSource"]

_MANY_ROWS = 1 << 16
"""So many rows that it pays to see whether they repeat each other."""


@runtime_checkable
class RowSource(Protocol):
    """Rows of items."""

    @property
    def n(self) -> int:
        """The number of rows."""

    @property
    def rows(self) -> Any:  # the engine's own type of rows
        """The rows as the caller passed them."""

    def all_labels(self) -> Sequence[str]:
        """Return the labels of all items."""

    def labels_named(self, names: Sequence[str]) -> Collection[str]:
        """Return the labels of all items; at least those that are named, by label or column, or look like it."""

    def exclusive(self, named: Named | None) -> Exclusive:
        """Return the sets of items of which a row contains at most one: values of a column, and `named` ones."""

    def restricted(self, quasi_identifiers: Names | None) -> RowSource:
        """Return the rows without any items but the quasi-identifiers; the number of rows stays the same."""

    def frequent(self, min_support: int) -> FrequentRows:
        """Return the rows at a minimum support."""


class FrequentRows(Protocol):
    """Rows restricted to the items of at least `min_support` rows."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The labels of these items, and possibly others."""

    @property
    def kinds(self) -> Transactions | None:
        """The distinct rows restricted to these items, with weights; None if there are too many."""

    @property
    def closed(self) -> PatternSet:
        """The closed frequent itemsets, mined once."""

    def mine(
        self, *, target: Target, max_length: int | None = None, max_patterns: int = DEFAULT_MAX_PATTERNS
    ) -> PatternSet:
        """Return the frequent itemsets: see `discreet.mine`."""

    def groups(self, targets: Itemsets, *, below: int, method: DetectionMethod = "auto") -> Groups:
        """Return the groups of fewer than `below` rows that agree on a target."""

    def count_exposed(self, *lists: Channels) -> int:
        """Return how many rows are in a group of any of the lists."""

    def keep_all(self, closed: PatternSet, asked: NDArray[np.bool_] | None = None) -> KeptRows:
        """Return all rows as the starting point of suppression; `asked` selects the items of groups, None for all."""

    def with_virtual_rows(self, virtual: Itemsets, k: int) -> Any:  # the engine's own type of rows
        """Return the rows plus k copies of each virtual row."""


class KeptRows(Protocol):
    """The rows kept so far, and their closed itemsets."""

    @property
    def n(self) -> int:
        """The number of rows kept."""

    @property
    def rows(self) -> Any:  # the engine's own type of rows
        """The rows kept."""

    @property
    def kinds(self) -> Transactions | None:
        """The same as `FrequentRows.kinds`, of the rows kept."""

    @property
    def closed(self) -> PatternSet:
        """The closed itemsets of the rows kept."""

    @property
    def gone(self) -> tuple[Transactions, ...]:
        """The rows left out, restricted to frequent items."""

    def without_small_groups(self, *, k: int) -> Self:
        """Leave out rows until no group of fewer than k rows can be computed from the closed itemsets."""

    def without_channels(self, channels: Channels) -> Self:
        """Leave out the rows of some channels."""


@dataclass(frozen=True, eq=False)
class LocalRows:
    """Rows in memory or on the disk, and their patterns at a minimum support; `progress` is called as they are mined.

    Of rows on the disk, what is asked is answered from the distinct ones, restricted to frequent items and to those in
    `only`, if given.
    """

    rows: Transactions
    min_support: int = 1
    _seen: dict[int | tuple[str, ...], LocalRows] = field(default_factory=dict, repr=False)
    progress: Callable[[float, int], object] | None = field(default=None, repr=False)
    only: NDArray[np.bool_] | None = field(default=None, repr=False)

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.rows.n

    @property
    def vocabulary(self) -> Vocabulary:
        """The labels of all items."""
        return self.rows.vocabulary

    def all_labels(self) -> Sequence[str]:
        """Return the labels of all items."""
        return self.rows.vocabulary.labels

    def labels_named(self, names: Sequence[str]) -> Collection[str]:
        """Return the labels of all items."""
        del names
        return self.rows.vocabulary.labels

    @cached_property
    def _here(self) -> Transactions:
        """The rows to look at, in memory: folded where that makes them much fewer."""
        rows = self.rows
        if are_on_disk(rows) or repeat_often(rows, self.min_support, at_least=_MANY_ROWS):
            return frequent_rows(rows, self.min_support, only=self.only)
        return rows

    @cached_property
    def kinds(self) -> Transactions | None:
        """The distinct rows restricted to frequent items, with weights."""
        return kinds_of(self._here, self.min_support)

    def exclusive(self, named: Named | None) -> Exclusive:
        """Return the sets of items of which a row contains at most one."""
        return exclusive_in_rows(self.rows, named)

    def restricted(self, quasi_identifiers: Names | None) -> LocalRows:
        """Return the rows without any items but the quasi-identifiers; the number of rows stays the same."""
        if quasi_identifiers is None:
            return self
        names = tuple(parse_names(quasi_identifiers, "quasi_identifiers"))
        if names not in self._seen:
            rows, only = self.rows, None
            if are_on_disk(rows):
                only = chosen_items(rows.vocabulary, names)
            else:
                rows = restrict_rows(rows, names)
            self._seen[names] = LocalRows(rows, self.min_support, progress=self.progress, only=only)
        return self._seen[names]

    def frequent(self, min_support: int) -> LocalRows:
        """Return the rows at a minimum support; cached for the last one."""
        if min_support not in self._seen:
            self._seen[min_support] = LocalRows(self.rows, min_support, progress=self.progress, only=self.only)
        return self._seen[min_support]

    @cached_property
    def closed(self) -> PatternSet:
        """The closed frequent itemsets, mined once; only counted if they are very many."""
        return mine_or_count(self._here, min_support=self.min_support, progress=self.progress)

    def mine(
        self, *, target: Target, max_length: int | None = None, max_patterns: int = DEFAULT_MAX_PATTERNS
    ) -> PatternSet:
        """Return the frequent itemsets."""
        return mine(
            self._here,
            min_support=self.min_support,
            target=target,
            max_length=max_length,
            max_patterns=max_patterns,
            progress=self.progress,
        )

    def groups(self, targets: Itemsets, *, below: int, method: DetectionMethod = "auto") -> Groups:
        """Return the groups of fewer than `below` rows that agree on a target."""
        if method == "projection":
            return project_rows(self._here, targets, below=below)
        return groups_of_rows(self._here, targets, below=below)

    def count_exposed(self, *lists: Channels) -> int:
        """Return how many rows are in a group of any of the lists."""
        return count_in_groups(self._here, lists)

    def find_exposed(self, *lists: Channels) -> NDArray[np.bool_]:
        """Return which rows are in a group of any of the lists."""
        return rows_in_groups(self.rows, lists)

    def keep_all(self, closed: PatternSet, asked: NDArray[np.bool_] | None = None) -> Kept:
        """Return all rows as the starting point of suppression; `asked` selects the items of groups, None for all."""
        rows = self._here if are_on_disk(self.rows) else self.rows
        return Kept(rows, np.arange(len(rows)), closed, 0, asked=asked)

    def with_virtual_rows(self, virtual: Itemsets, k: int) -> Transactions | None:
        """Return the rows plus k copies of each virtual row; None for rows on the disk, which stay there."""
        rows = self.rows
        if are_on_disk(rows):
            return None
        added = np.repeat(np.arange(len(virtual)), k)
        weights = None
        if rows.weights is not None:
            weights = np.concatenate([rows.weights, np.ones(len(added), np.int64)])
        return Transactions(rows.itemsets.followed_by(virtual.select(added)), rows.vocabulary, weights)

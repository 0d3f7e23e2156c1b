"""What audits and blocking ask of rows, wherever the rows are held.

`RowSource` is the rows; `FrequentRows` is the same seen through one minimum support, below which no item plays a part;
`KeptRows` is what blocking has left of them. Here they are Transactions in memory; `discreet.spark` has its own, and
everything above these few questions is the same code for both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from discreet.channels.exclusive import exclusive_in_rows
from discreet.channels.grouping import groups_of_rows, rows_of_channels
from discreet.channels.kinds import kinds_of
from discreet.channels.projection import project_rows
from discreet.channels.quasi_identifiers import restrict_rows
from discreet.channels.suppressive import Kept
from discreet.patterns.mining import DEFAULT_MAX_PATTERNS, mine
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
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


@runtime_checkable
class RowSource(Protocol):
    """Rows of items."""

    @property
    def n(self) -> int:
        """How many rows."""

    @property
    def rows(self) -> Any:  # what the engine at hand calls rows
        """What the caller gave."""

    def exclusive(self, named: Named | None) -> Exclusive:
        """Return the items of which a row holds at most one: values of a column, and what is named; see `exclusive`."""

    def restricted(self, quasi_identifiers: Names | None) -> RowSource:
        """Return the rows with everything but the quasi-identifiers left out; their number stays."""

    def frequent(self, min_support: int) -> FrequentRows:
        """Look at the rows through a minimum support."""


class FrequentRows(Protocol):
    """Rows, as far as the items of at least `min_support` rows are concerned."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The names of these items, and perhaps of others."""

    @property
    def kinds(self) -> Transactions | None:
        """The rows with these items alone, each kind once with its weight; None where they are too many."""

    @property
    def closed(self) -> PatternSet:
        """The closed frequent itemsets, mined once."""

    def mine(
        self, *, target: Target, max_length: int | None = None, max_patterns: int = DEFAULT_MAX_PATTERNS
    ) -> PatternSet:
        """Return the frequent itemsets: see `discreet.mine`."""

    def groups(self, targets: Itemsets, *, below: int, method: DetectionMethod = "auto") -> Groups:
        """Return the groups of fewer than `below` rows that are equal as far as a target is concerned."""

    def count_exposed(self, channels: Channels) -> int:
        """Return how many rows the channels single out, all together."""

    def keep_all(self, closed: PatternSet) -> KeptRows:
        """Return all rows, to leave some of them out."""

    def with_virtual_rows(self, virtual: Itemsets, k: int) -> Any:  # rows as the engine has them
        """Return the rows and k more that are equal to each virtual one."""


class KeptRows(Protocol):
    """Rows that stay, and the closed itemsets among them."""

    @property
    def n(self) -> int:
        """How many rows stay."""

    @property
    def rows(self) -> Any:  # rows as the engine has them
        """The rows that stay."""

    @property
    def kinds(self) -> Transactions | None:
        """The same as `FrequentRows.kinds`, of the rows that stay."""

    @property
    def closed(self) -> PatternSet:
        """Their closed itemsets."""

    @property
    def gone(self) -> tuple[Transactions, ...]:
        """The rows that were left out, as far as frequent items are concerned."""

    def without_small_groups(self, *, k: int) -> Self:
        """Leave rows out until no group of fewer than k of them can be computed from the closed itemsets."""

    def without_channels(self, channels: Channels) -> Self:
        """Leave out the rows of some channels."""


@dataclass(frozen=True, eq=False)
class LocalRows:
    """Rows in memory, and what is asked of them at a minimum support."""

    rows: Transactions
    min_support: int = 1
    _seen: dict[int | tuple[str, ...], LocalRows] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """How many rows."""
        return self.rows.n

    @property
    def vocabulary(self) -> Vocabulary:
        """The names of all items."""
        return self.rows.vocabulary

    @cached_property
    def kinds(self) -> Transactions | None:
        """The rows with frequent items alone, each kind once with its weight."""
        return kinds_of(self.rows, self.min_support)

    def exclusive(self, named: Named | None) -> Exclusive:
        """Return the items of which a row holds at most one."""
        return exclusive_in_rows(self.rows, named)

    def restricted(self, quasi_identifiers: Names | None) -> LocalRows:
        """Return the rows with everything but the quasi-identifiers left out; their number stays."""
        if quasi_identifiers is None:
            return self
        names = tuple(parse_names(quasi_identifiers, "quasi-identifiers"))
        if names not in self._seen:
            self._seen[names] = LocalRows(restrict_rows(self.rows, names), self.min_support)
        return self._seen[names]

    def frequent(self, min_support: int) -> LocalRows:
        """Look at the rows through a minimum support; for the same one, what was found is kept."""
        if min_support not in self._seen:
            self._seen[min_support] = LocalRows(self.rows, min_support)
        return self._seen[min_support]

    @cached_property
    def closed(self) -> PatternSet:
        """The closed frequent itemsets, mined once."""
        return self.mine(target="closed")

    def mine(
        self, *, target: Target, max_length: int | None = None, max_patterns: int = DEFAULT_MAX_PATTERNS
    ) -> PatternSet:
        """Return the frequent itemsets."""
        return mine(
            self.rows,
            min_support=self.min_support,
            target=target,
            max_length=max_length,
            max_patterns=max_patterns,
        )

    def groups(self, targets: Itemsets, *, below: int, method: DetectionMethod = "auto") -> Groups:
        """Return the groups of fewer than `below` rows that are equal as far as a target is concerned."""
        if method == "projection":
            return project_rows(self.rows, targets, below=below)
        return groups_of_rows(self.rows, targets, below=below)

    def count_exposed(self, channels: Channels) -> int:
        """Return how many rows the channels single out, all together."""
        exposed = self.find_exposed(channels)
        return int(exposed.sum() if self.rows.weights is None else self.rows.weights[exposed].sum())

    def find_exposed(self, channels: Channels) -> NDArray[np.bool_]:
        """Say which rows these are."""
        return rows_of_channels(self.rows, channels)

    def keep_all(self, closed: PatternSet) -> Kept:
        """Return all rows, to leave some of them out."""
        return Kept(self.rows, np.arange(len(self.rows)), closed, 0)

    def with_virtual_rows(self, virtual: Itemsets, k: int) -> Transactions:
        """Return the rows and k more that are equal to each virtual one."""
        rows = self.rows
        added = np.repeat(np.arange(len(virtual)), k)
        weights = None
        if rows.weights is not None:
            weights = np.concatenate([rows.weights, np.ones(len(added), np.int64)])
        return Transactions(rows.itemsets.followed_by(virtual.select(added)), rows.vocabulary, weights)

"""Rows that another engine stores, and the jobs that they run in place.

`mine`, `hide` and `check` pass their parameters, once checked, to such rows. `audit` and `block` use smaller
operations: see `discreet.channels.row_source`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from fractions import Fraction

    from discreet.hiding.hide import Hidden, HidingMethod
    from discreet.hiding.request import Below
    from discreet.hiding.restrictions import Restrictions
    from discreet.patterns.patternset import PatternSet, Target
    from discreet.thresholds import MinSupport
    from discreet.transactions.label_names import NamedLabel
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.empty_cells import EmptyCells
    from discreet.uncertainty.limits import Limits

__all__ = ["RemoteRows"]


@runtime_checkable
class RemoteRows(Protocol):
    """Rows that are not in memory."""

    def mine(self, *, min_support: MinSupport, target: Target, max_length: int | None, max_patterns: int) -> PatternSet:
        """Return the frequent itemsets: see `discreet.mine`."""

    def hide(
        self,
        *,
        restrict: Restrictions,
        method: HidingMethod,
        disclosure: Fraction,
        min_support: MinSupport | None,
        protect: Restrictions | None,
        ignore_unknown: bool,
        below: Below | None,
    ) -> Hidden:
        """Return the rows without what must not be minable from them: see `discreet.hide`."""

    def check(
        self,
        *,
        limits: Limits,
        sensitive: Sequence[NamedLabel],
        known: Collection[str],
        ignore_unknown: bool,
        empty_cells: EmptyCells,
        exact_knowledge: bool,
    ) -> Checked:
        """Check that no sensitive item can be inferred with its limit or more: see `discreet.check`."""

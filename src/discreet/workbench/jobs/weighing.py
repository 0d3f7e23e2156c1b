"""Weigh one setting: what would be published with it, how exactly, and who would be exposed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.errors import DiscreetError
from discreet.workbench.typed_words import sentence_of

if TYPE_CHECKING:
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.transactions.transactions import Transactions
    from discreet.workbench.jobs.patterns import Costs
    from discreet.workbench.jobs.rows_cache import OnProgress
    from discreet.workbench.tasks.point import Point, PointAudit

__all__ = ["Weighed", "weigh_setting"]


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """What a setting gives; only `refusal` if it gives nothing.

    patterns   the closed itemsets that would be published
    exact      the share of the closed itemsets that would be published with their own figures
    worst      the largest change of a support
    exposed    the rows in a small group that could be computed from what would be published
    safe       whether neither a small group nor anything sensitive follows from it, as far as was searched
    """

    patterns: int = 0
    exact: Fraction = Fraction(1)
    worst: Fraction = Fraction(0)
    exposed: int = 0
    safe: bool = True
    n: int = 0
    refusal: str = ""

    @property
    def verdict(self) -> str:
        """The verdict about what would be published."""
        if self.refusal:
            return "NOT POSSIBLE"
        if not self.safe:
            return "NOT SAFE"
        return "SAFE" if self.patterns else "NOTHING TO PUBLISH"

    @classmethod
    def of_look(cls, look: PointAudit) -> Weighed | None:
        """Return what is known of patterns as they are; None until the attacker has looked."""
        if look.exposed is None:
            return None
        safe = look.verdict in {"safe", "nothing to publish"}
        return cls(look.audit.closed_count, exposed=look.exposed, safe=safe, n=look.audit.n or 0)

    @classmethod
    def of_cost(cls, cost: Costs, n: int) -> Weighed | None:
        """Return what a method that was tried gives."""
        if cost.refusal:
            return cls(n=n, refusal=cost.refusal)
        if cost.worst is None or cost.listed is None:
            return None
        return cls(cost.patterns, _kept(cost.changed_patterns, len(cost.listed)), cost.worst, n=n)


def _kept(changed: int, whole: int) -> Fraction:
    return Fraction(whole - changed, whole) if whole else Fraction(1)


def weigh_setting(report: OnProgress, rows: Transactions, point: Point, method: ReleaseMethod) -> Weighed:
    """Return what is published with a setting: patterns as they are are audited, others are made safe."""
    report(None, "Weighing a pinned setting")
    try:
        if method == "none":
            found = audit(rows, **point.keywords)
            return Weighed(found.closed_count, exposed=found.exposed_rows or 0, safe=found.safe, n=rows.n)
        done = block(rows, method=method, **point.keywords)
    except DiscreetError as error:  # shown in its column
        return Weighed(n=rows.n, refusal=sentence_of(error))
    closed, after = done.change.closed.supports, done.change.supports
    changed = int((closed != after).sum())
    return Weighed(len(done.patterns), _kept(changed, len(closed)), done.distortion.worst, n=rows.n)

"""Patterns of rows that pass an audit, unchanged or made safe, and what to do if they do not pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.errors import NotSafe
from discreet.patterns.mining import mine
from discreet.thresholds import MinSupport
from discreet.wording import counted

if TYPE_CHECKING:
    from discreet.channels.attacker import StepBudget
    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.channels.exclusive import Exclusive
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.thresholds import MinSupport
    from discreet.transactions.transactions import Transactions

__all__ = ["SafePatterns", "Wanted", "make_safe", "what_to_do"]


@dataclass(frozen=True, eq=False, slots=True)
class SafePatterns:
    """Patterns that passed an audit; for the owner, the original ones, and a data set that has them."""

    patterns: PatternSet
    before: Audit | None
    blocked: Blocked | None
    data: Transactions


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to publish, apart from the support, and how it is audited."""

    k: int
    method: ReleaseMethod
    target: Literal["closed", "all"]
    attack_steps: StepBudget
    exclusive: Exclusive
    quasi_identifiers: tuple[str, ...] | None = None

    def audit(self, rows: Transactions, *, min_support: MinSupport) -> Audit:
        """Audit the unchanged rows."""
        return audit(
            rows,
            k=self.k,
            min_support=min_support,
            attack_steps=self.attack_steps,
            exclusive=self.exclusive,
            quasi_identifiers=self.quasi_identifiers,
        )


def make_safe(rows: Transactions, min_support: MinSupport, wanted: Wanted) -> SafePatterns:
    """Return patterns of the rows that pass an audit, or raise NotSafe."""
    if wanted.method != "none":
        done = block(
            rows,
            k=wanted.k,
            min_support=min_support,
            method=wanted.method,
            target=wanted.target,
            attack_steps=wanted.attack_steps,
            exclusive=wanted.exclusive,
            quasi_identifiers=wanted.quasi_identifiers,
        )
        return SafePatterns(done.patterns, None, done, done.witness)
    before = wanted.audit(rows, min_support=min_support)
    if not before.safe:
        raise NotSafe(what_to_do(before, wanted.method))
    return SafePatterns(mine(rows, min_support=min_support, target=wanted.target), before, None, rows)


def what_to_do(found: Audit, method: ReleaseMethod) -> str:
    """Return a sentence that groups follow from patterns, and what would help."""
    groups = len(found.channels) + len(found.border or ())
    others = [name for name in ("additive", "suppressive") if name != method]
    return (
        f"{counted(groups, 'group')} of fewer than {found.k:,} of {found.n or 0:,} rows "
        f"{'follows' if groups == 1 else 'follow'} from the patterns; raise min_support, or choose the method "
        f"{' or '.join(others)}"
    )

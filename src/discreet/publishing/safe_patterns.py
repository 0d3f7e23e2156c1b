"""Patterns of rows that pass an audit, unchanged or made safe, and what to do if they do not pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypedDict, cast

import discreet
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.channels.exclusive import exclusive_in_patterns
from discreet.channels.witness import Witness, find_witness
from discreet.errors import NothingToPublish, NotSafe, ParameterError, param
from discreet.patterns.mining import mine
from discreet.patterns.patternset import trimmed
from discreet.patterns.rules import rules as find_rules
from discreet.publishing.audiences import AttackCheck, ConclusionCheck, PublishedPatterns
from discreet.publishing.bundle import bundle_files
from discreet.publishing.free_text import check_labels, check_share
from discreet.publishing.promises import published_names
from discreet.stages import share_of
from discreet.wording import counted, share

if TYPE_CHECKING:
    from discreet.channels.attacker import Attack, StepBudget
    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.channels.conclusions import Asked
    from discreet.channels.exclusive import Exclusive
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.publishing.wrapping import Wrapping
    from discreet.thresholds import MinSupport, Rho
    from discreet.transactions.transactions import Transactions

__all__ = [
    "SafePatterns",
    "Wanted",
    "as_published",
    "audit_as_published",
    "make_safe",
    "published_patterns",
    "what_to_do",
]


@dataclass(frozen=True, eq=False, slots=True)
class SafePatterns:
    """Patterns that passed an audit; for the owner, the original ones, and a data set that has them."""

    patterns: PatternSet
    before: Audit | None
    blocked: Blocked | None
    data: Transactions


class _AuditKeywords(TypedDict):
    k: int
    attack_steps: StepBudget
    exclusive: Exclusive
    quasi_identifiers: tuple[str, ...] | None
    sensitive: frozenset[str] | None
    rho: Rho | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to publish, apart from the support, and how it is audited."""

    k: int
    method: ReleaseMethod
    target: Literal["closed", "all"]
    attack_steps: StepBudget
    exclusive: Exclusive
    quasi_identifiers: tuple[str, ...] | None = None
    asked: Asked | None = None

    def audit(self, rows: Transactions, *, min_support: MinSupport) -> Audit:
        """Audit the unchanged rows."""
        return audit(rows, min_support=min_support, progress=share_of("auditing the rows"), **self.keywords)

    @property
    def keywords(self) -> _AuditKeywords:
        """What `audit` and `block` are to look for."""
        return {
            "k": self.k,
            "attack_steps": self.attack_steps,
            "exclusive": self.exclusive,
            "quasi_identifiers": self.quasi_identifiers,
            "sensitive": None if self.asked is None else self.asked.sensitive,
            "rho": None if self.asked is None else self.asked.rho,
        }


def make_safe(rows: Transactions, min_support: MinSupport, wanted: Wanted) -> SafePatterns:
    """Return patterns of the rows that pass an audit, or raise NotSafe."""
    if wanted.method != "none":
        done = block(rows, min_support=min_support, method=wanted.method, target=wanted.target, **wanted.keywords)
        return SafePatterns(done.patterns, None, done, done.witness)
    before = wanted.audit(rows, min_support=min_support)
    if not before.safe:
        raise NotSafe(what_to_do(before, wanted.method))
    return SafePatterns(mine(rows, min_support=min_support, target=wanted.target), before, None, rows)


def as_published(patterns: PatternSet) -> PatternSet:
    """Return patterns without unpublished labels, and with the least listed support as `min_support`."""
    public = trimmed(patterns)
    if not len(public):
        raise NothingToPublish(f"no itemset is in enough rows to be published; lower {param('min_support')}")
    return replace(public, min_support=max(1, int(public.supports.min())))


def audit_as_published(patterns: PatternSet, wanted: Wanted) -> tuple[PatternSet, Audit, tuple[str, ...] | None]:
    """Return what is public of patterns, after an audit of just that, and the quasi-identifiers in it; or NotSafe."""
    public = as_published(patterns)
    check_labels(public.vocabulary.labels)
    names = None if wanted.quasi_identifiers is None else _named(wanted.quasi_identifiers, public)
    told = wanted.exclusive.within(public.vocabulary)
    known = exclusive_in_patterns(public, told.named, columns=told.columns)  # as the verifier will read it
    asked = wanted.asked
    sensitive = None if asked is None else asked.sensitive.intersection(public.vocabulary.labels)
    found = audit(
        public,
        k=wanted.k,
        method="closed",
        attack_steps=wanted.attack_steps,
        exclusive=known,
        quasi_identifiers=names,
        sensitive=sensitive or None,
        rho=asked.rho if asked is not None and sensitive else None,
        progress=share_of("auditing what will be published"),
    )
    complete = found.verdict == "safe" or (found.verdict == "incomplete" and public.target == "selected")
    if not complete or found.attack is None:
        raise NotSafe(what_to_do(found, wanted.method))
    return public, found, names


def _named(quasi_identifiers: tuple[str, ...], public: PatternSet) -> tuple[str, ...]:
    """Return the quasi-identifiers that are published; refuse a promise about none of them."""
    names = published_names(quasi_identifiers, public.vocabulary.labels)
    if not names:
        raise ParameterError(
            f"none of the items in {param('quasi_identifiers')} is in an itemset to be published, so the promise would "
            f"be about nothing; lower {param('min_support')}, or name others",
            parameter="quasi_identifiers",
        )
    return tuple(names)


def what_to_do(found: Audit, method: ReleaseMethod) -> str:
    """Return a sentence that groups or conclusions follow from patterns, and what would help."""
    if found.groups_safe and found.conclusions and found.rho is not None:
        return (
            f"{counted(len(found.conclusions), 'conclusion')} about sensitive items of {share(found.rho)} or more "
            f"{'follows' if len(found.conclusions) == 1 else 'follow'} from the patterns; choose the method additive "
            f"or suppressive, which withhold what tells them{', or raise rho' if found.rho < 1 else ''}"
        )
    groups = len(found.channels) + len(found.border or ())
    others = [name for name in ("additive", "suppressive") if name != method]
    return (
        f"{counted(groups, 'group')} of fewer than {found.k:,} of {found.n or 0:,} rows "
        f"{'follows' if groups == 1 else 'follow'} from the patterns; raise {param('min_support')}, or choose the "
        f"method {' or '.join(others)}"
    )


def published_patterns(
    patterns: PatternSet,
    wrapping: Wrapping,
    wanted: Wanted,
    *,
    data: tuple[Transactions, ...] = (),
) -> tuple[PublishedPatterns, Witness | None]:
    """Return everything public, after an audit of just that: patterns alone, whatever was found in the rows.

    If a proof is to be written, also return a data set that proves it, for which `data` may serve.
    """
    public, found, names = audit_as_published(patterns, wanted)
    witness = found.witness
    if wrapping.proof is not None and public.target == "selected":
        raise NotSafe(
            "itemsets had to be withheld, and a proof is about all itemsets, withheld ones included; leave proof out"
        )
    if wrapping.proof is not None and witness is None:
        apart = found.exclusive.itemsets(public.vocabulary)
        witness = find_witness(public, k=wanted.k, exclusive=apart, starts=data)
        if witness is None:
            raise NotSafe(
                "nothing follows as far as was looked, but no data set was found that proves it, so there is no proof "
                f"to write; raise {param('min_support')}, or leave proof out"
            )
    rules = None if wrapping.min_confidence is None else find_rules(public, min_confidence=wrapping.min_confidence)
    if rules is not None:
        check_share(rules.min_confidence, parameter="min_confidence")
    published = PublishedPatterns(
        patterns=public,
        k=wanted.k,
        attack=AttackCheck.of(cast("Attack", found.attack), wanted.attack_steps),
        proved=found.proved,
        exclusive=found.exclusive,
        rules=rules,
        title=wrapping.title,
        quasi_identifiers=names,
        conclusions=None if wanted.asked is None else ConclusionCheck.of(found, wanted.asked.rho),
        unit=wrapping.unit,
        persons=wrapping.persons,
        version=discreet.__version__,
        files=bundle_files(rules=rules is not None),
    )
    return published, None if witness is None else Witness(witness, wanted.k, public.min_support)

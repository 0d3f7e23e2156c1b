"""What `verify` checks about the safety of published patterns: a new audit, and a proof if one is claimed.

A bundle may come from anyone, so it must not decide how long this takes: the attacker uses the steps that the
certificate names, up to a limit. A claim about more steps is neither believed nor called false: it is not judged.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from discreet.answers.small_groups import smallest_group
from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, LARGEST_BUDGET
from discreet.channels.audit import audit
from discreet.channels.exclusive import exclusive_in_patterns
from discreet.channels.witness import is_witness
from discreet.errors import DataError
from discreet.publishing.audiences import AttackCheck
from discreet.publishing.promises import published_names
from discreet.thresholds import K

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.channels.attacker import StepBudget
    from discreet.channels.audit import Audit
    from discreet.channels.exclusive import Exclusive
    from discreet.channels.witness import Witness
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.certificate import Certificate

__all__ = ["MOST_ATTACK_STEPS", "check_audit", "check_proof", "exclusive_told", "steps_claimed"]

MOST_ATTACK_STEPS = 2 * DEFAULT_ATTACK_STEPS
"""The most steps that a bundle may claim for the attacker and that are repeated, unless the caller allows more."""


def check_audit(patterns: PatternSet, certificate: Certificate, most: StepBudget) -> tuple[Audit, str]:
    """Audit patterns as far as their certificate says, within a budget; return the audit, and the answer."""
    promise = certificate.promise
    claimed = steps_claimed(promise)
    k = K.parse(promise.get("k"))
    found = audit(
        patterns,
        k=k,
        method="closed",
        attack_steps=claimed if _allowed(claimed, most) else most,
        exclusive=exclusive_told(promise, patterns),
        quasi_identifiers=_identifying(promise, patterns),
    )
    if found.kind == "incomplete" or found.attack is None:
        raise DataError("the itemsets are not all frequent ones, nor all closed ones, so nothing can be promised")
    if not found.safe:
        raise DataError(f"a group of fewer than {k:,} rows follows from what is published: {smallest_group(found)}")
    if not len(patterns):
        raise DataError("there is no itemset in it, so nothing is published that could be judged")
    if not _allowed(claimed, most) and asdict(AttackCheck.of(found.attack, claimed)) != promise["attack"]:
        steps = "as many steps as it takes" if claimed == "all" else f"up to {claimed:,} steps"
        raise DataError(
            f"it cannot be judged: the certificate says that the attacker took {steps}, and no more than {most:,} are "
            "taken here, within which nothing was found; allow more with attack_steps (--attack-steps)"
        )
    return found, f"no group of fewer than {k:,} rows follows, as far as the certificate says that was looked"


def steps_claimed(promise: Mapping[str, Any]) -> StepBudget:
    """Return how many attacker's steps a promise claims."""
    said = promise.get("attack")
    steps = said.get("steps") if isinstance(said, dict) else None
    if steps != "all" and (type(steps) is not int or not 1 <= steps <= LARGEST_BUDGET):
        raise DataError("the certificate does not say how far the attacker looked")
    return cast("StepBudget", steps)


def _allowed(claimed: StepBudget, most: StepBudget) -> bool:
    return most == "all" or (claimed != "all" and claimed <= most)


def _identifying(promise: Mapping[str, Any], patterns: PatternSet) -> list[str] | None:
    """Return what strangers may know according to a certificate; refuse names of nothing that is published."""
    names = promise.get("quasi_identifiers")
    if names is not None and (not names or names != published_names(names, patterns.vocabulary.labels)):
        raise DataError("the certificate does not name quasi-identifiers that are published, and only those")
    return names


def exclusive_told(promise: Mapping[str, Any], patterns: PatternSet) -> Exclusive:
    """Return which items exclude each other according to a certificate; refuse sets that the patterns contradict."""
    said = promise.get("exclusive")
    columns: Any = said.get("columns") if isinstance(said, dict) else None
    named: Any = said.get("named") if isinstance(said, dict) else None
    if not _texts(columns) or not isinstance(named, list) or not all(_texts(labels) for labels in named):
        raise DataError("the certificate does not say which items exclude each other")
    return exclusive_in_patterns(patterns, named, columns=columns)


def _texts(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(text, str) for text in given)


def check_proof(
    patterns: PatternSet, found: Audit, certificate: Certificate, witness: Witness | None
) -> tuple[None, str]:
    """Check that a data set proves that nothing follows: the given one, or else one that was found."""
    if not isinstance(certificate.promise.get("proved"), bool):
        raise DataError("the certificate does not say whether it is proved")
    shows = f"every kind of row occurs at least {found.k:,} times in a data set that has just these patterns"
    if witness is not None:
        apart = found.exclusive.itemsets(patterns.vocabulary)
        if not is_witness(patterns, witness.rows, k=found.k, exclusive=apart):
            raise DataError(
                "the file given as proof does not prove it: its rows do not have just these patterns, or some kind of "
                f"row occurs fewer than {found.k:,} times"
            )
        return None, f"{shows}, the one given: no group of fewer than {found.k:,} rows follows at all"
    if not found.proved:
        raise DataError(
            "it cannot be judged: the certificate says that it is proved, and no data set that proves it was found "
            "here; ask the owner for the file of the proof (--proof)"
        )
    return None, f"{shows}, found again: no group of fewer than {found.k:,} rows follows at all"

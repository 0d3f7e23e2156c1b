"""What `verify` checks about the safety of published patterns: a new audit, and a proof if one is claimed.

A bundle may come from anyone, so it must not decide how long this takes: the attacker uses the steps that the
certificate names, up to a limit. A claim about more steps is neither believed nor called false: it is not judged.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from discreet.answers.conclusion_words import surest_conclusion
from discreet.answers.small_groups import smallest_group
from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, LARGEST_BUDGET
from discreet.channels.audit import audit
from discreet.channels.collection import lists_every_subset
from discreet.channels.conclusions import Asked
from discreet.channels.exclusive import exclusive_in_patterns
from discreet.channels.witness import is_witness
from discreet.errors import DataError, param
from discreet.publishing.audiences import AttackCheck, ConclusionCheck
from discreet.publishing.promises import published_names
from discreet.thresholds import K, Rho
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.channels.attacker import Attack, StepBudget
    from discreet.channels.audit import Audit
    from discreet.channels.exclusive import Exclusive
    from discreet.channels.witness import Witness
    from discreet.json_types import JsonValue, ParsedDocument
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.certificate import Certificate

__all__ = [
    "MOST_ATTACK_STEPS",
    "check_audit",
    "check_proof",
    "conclusions_told",
    "exclusive_told",
    "fraction_told",
    "steps_claimed",
]

MOST_ATTACK_STEPS = 2 * DEFAULT_ATTACK_STEPS
"""The most steps that a bundle may claim for the attacker and that are repeated, unless the caller allows more."""

_FRACTION = re.compile(r"[0-9]{1,9}(/[0-9]{1,9})?", re.ASCII)


def check_audit(patterns: PatternSet, certificate: Certificate, most: StepBudget) -> tuple[Audit, str]:
    """Audit patterns as far as their certificate says, within a budget; return the audit, and the answer."""
    promise = certificate.promise
    claimed = steps_claimed(promise)
    k = K.parse(promise.get("k"))
    asked = conclusions_told(promise, patterns)
    found = audit(
        patterns,
        k=k,
        method="closed",
        attack_steps=claimed if _allowed(claimed, most) else most,
        exclusive=exclusive_told(promise, patterns),
        quasi_identifiers=_identifying(promise, patterns),
        sensitive=None if asked is None else asked.sensitive or None,
        rho=asked.rho if asked is not None and asked.sensitive else None,
    )
    if found.attack is None or (found.kind == "incomplete" and not _only_withheld(patterns)):
        raise DataError("the itemsets are not all frequent ones, nor all closed ones, so nothing can be promised")
    if not found.groups_safe:
        raise DataError(f"a group of fewer than {k:,} rows follows from what is published: {smallest_group(found)}")
    if found.conclusions:
        raise DataError(
            f"a sensitive item can be concluded with {found.rho} or more from what is published: "
            f"{surest_conclusion(found)}"
        )
    if not len(patterns):
        raise DataError("there is no itemset in it, so nothing is published that could be judged")
    said = [promise["attack"], promise.get("conclusion_search")]
    if not _allowed(claimed, most) and _figures(found, claimed, asked) != said:
        steps = "as many steps as it takes" if claimed == "all" else f"up to {claimed:,} steps"
        raise DataError(
            f"it cannot be judged: the certificate says that the attacker took {steps}, and no more than {most:,} are "
            f"taken here, within which nothing was found; allow more with {param('attack_steps')}"
        )
    also = ""
    if asked is not None:
        about = counted(len(asked.sensitive), "sensitive item") if asked.sensitive else "a sensitive item"
        also = f", and no conclusion of {asked.rho} or more about {about},"
    return found, f"no group of fewer than {k:,} rows{also} follows, as far as the certificate says that was looked"


def _figures(found: Audit, claimed: StepBudget, asked: Asked | None) -> list[Mapping[str, JsonValue] | None]:
    """Return how far it was looked, as a promise has it."""
    attack = asdict(AttackCheck.of(cast("Attack", found.attack), claimed))
    return [attack, None if asked is None else ConclusionCheck.of(found, asked.rho).search]


def _only_withheld(patterns: PatternSet) -> bool:
    """Return whether these can be all frequent itemsets but those withheld, with which larger ones go."""
    return patterns.target == "selected" and lists_every_subset(patterns)


def conclusions_told(promise: ParsedDocument, patterns: PatternSet) -> Asked | None:
    """Return what nobody can conclude according to a certificate; None if it does not speak of that."""
    names: Any = promise.get("sensitive")
    rho = promise.get("rho")
    if names is None and rho is None:
        return None
    limit = fraction_told(rho)
    known = set(patterns.vocabulary.labels)
    if limit is None or not 0 < limit <= 1 or not _texts(names) or names != sorted(known.intersection(names)):
        raise DataError("the certificate does not say which published items nobody can conclude, and with which share")
    quasi = _identifying(promise, patterns)
    return Asked(frozenset(names), None if quasi is None else tuple(quasi), Rho(limit))


def fraction_told(text: object) -> Fraction | None:
    """Return a fraction in a certificate; None if it is not one in its only form."""
    if not isinstance(text, str) or not _FRACTION.fullmatch(text) or text.endswith("/0"):
        return None
    value = Fraction(text)
    return value if str(value) == text else None


def steps_claimed(promise: ParsedDocument) -> StepBudget:
    """Return how many attacker's steps a promise claims."""
    said = promise.get("attack")
    steps = said.get("steps") if isinstance(said, dict) else None
    if steps != "all" and (type(steps) is not int or not 1 <= steps <= LARGEST_BUDGET):
        raise DataError("the certificate does not say how far the attacker looked")
    return cast("StepBudget", steps)


def _allowed(claimed: StepBudget, most: StepBudget) -> bool:
    return most == "all" or (claimed != "all" and claimed <= most)


def _identifying(promise: ParsedDocument, patterns: PatternSet) -> list[str] | None:
    """Return what strangers may know according to a certificate; refuse names of nothing that is published."""
    names = promise.get("quasi_identifiers")
    if names is not None and (not names or names != published_names(names, patterns.vocabulary.labels)):
        raise DataError("the certificate does not name quasi-identifiers that are published, and only those")
    return names


def exclusive_told(promise: ParsedDocument, patterns: PatternSet) -> Exclusive:
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
            f"here; ask the owner for the file of the proof ({param('proof')})"
        )
    return None, f"{shows}, found again: no group of fewer than {found.k:,} rows follows at all"

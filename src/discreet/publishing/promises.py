"""What a bundle of patterns promises, in figures and in words, and what it does not."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.publishing.published import PublishedPatterns

__all__ = ["NOT_PROMISED", "promise_of", "statement_of"]

DEFINITION = "atzori2008"
"""Whose inference channels: Atzori, Bonchi, Giannotti, Pedreschi, Anonymity preserving pattern discovery (2008)."""

NOT_PROMISED = (
    "Published supports need not be the exact numbers of rows: they may have been changed, by as much as it takes.",
    "Nothing is promised against someone who knows from elsewhere what some rows hold, or how many rows there are.",
    "Nothing is promised about other publications from the same rows, unless the owner keeps a ledger of all of them.",
    "Combinations beyond those published were checked as far as stated, by rules that do not find all that follows.",
    "A group of k people or more who share a sensitive item is not protected: this is anonymity, not secrecy.",
    "Without a signature, nothing tells who wrote this.",
)


def promise_of(published: PublishedPatterns) -> dict[str, Any]:
    """Return the promise as the figures that a verifier checks."""
    patterns, rules = published.patterns, published.rules
    return {
        "definition": DEFINITION,
        "k": published.k,
        "n": patterns.n,
        "min_support": patterns.min_support,
        "target": patterns.target,
        "itemsets": len(patterns),
        "border": None if published.border is None else asdict(published.border),
        "rules": None if rules is None else {"min_confidence": str(rules.min_confidence), "count": len(rules)},
        "quasi_identifiers": None if published.quasi_identifiers is None else list(published.quasi_identifiers),
    }


def statement_of(published: PublishedPatterns) -> str:
    """Return the promise in words."""
    most, border = published.k - 1, published.border
    group = "one person" if most == 1 else f"1 to {most:,} people"
    text = (
        f"No group of {group} can be computed from the published supports, for any items published together: every "
        f"number of rows that follows from them is 0 or at least {published.k:,}."
    )
    if published.quasi_identifiers is not None:
        text += " Only the items that the owner takes to identify people were looked at, and only they are published."
    if border is None:
        return f"{text} Combinations beyond those published were not looked at."
    reach = "all of them" if border.complete else f"those of up to {border.longest:,} items"
    return (
        f"{text} What follows for combinations beyond those published was checked up to {border.depth} "
        f"{'item' if border.depth == 1 else 'items'} further: {reach}."
    )

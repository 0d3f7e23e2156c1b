"""What a bundle of patterns promises, in figures and in words, and what it does not."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.transactions.label_names import matches
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.channels.exclusive import Exclusive
    from discreet.json_types import JsonObject
    from discreet.publishing.audiences import PublishedPatterns
    from discreet.wording import Unit

__all__ = [
    "not_promised",
    "promise_of",
    "published_names",
    "small_group",
    "statement_of",
    "what_nobody_concludes",
    "what_was_looked_at",
]

DEFINITION = "atzori2008"
"""Inference channels as in Atzori, Bonchi, Giannotti, Pedreschi, Anonymity preserving pattern discovery (2008)."""

_SHARED = "A group of k or more that shares a sensitive item is not protected: this is anonymity, not secrecy."
_BELOW_RHO = "Shares below rho are told, and other items, or that an item is absent, may be concluded of any group."
_WITHHELD = (
    "Of an itemset that is not listed nothing is told: it is rare, or was withheld, because of a sensitive item or of "
    "other releases."
)

_NOT_PROMISED = (
    "Published supports need not be the exact numbers of rows: they may have been changed, by as much as it takes.",
    "Certainty is excluded, not likelihood: that a group is small may be likely, as long as it need not be so.",
    "Nothing is promised against someone who knows from elsewhere what some rows hold, or how many there are in truth.",
    "Nothing is promised against someone who knows by which method the supports were made safe.",
    "Nothing is promised about other publications from the same rows, unless the owner keeps a ledger of all of them.",
    "Where it is not proved, and not all items were looked at together, a small group may follow that no window holds.",
    _SHARED,
    "Without a signature, nothing tells who wrote this.",
)


_SEVERAL_ROWS = "Groups are counted in rows: where one person has several rows, k rows can be fewer people."


def not_promised(published: PublishedPatterns) -> tuple[str, ...]:
    """Return what is not promised."""
    told = [_BELOW_RHO if one is _SHARED and published.conclusions else one for one in _NOT_PROMISED]
    return (*told, *([_WITHHELD] if published.selected else []), *([] if published.persons else [_SEVERAL_ROWS]))


def promise_of(published: PublishedPatterns) -> JsonObject:
    """Return the promise as the figures that a verifier checks."""
    patterns, rules, told = published.patterns, published.rules, published.conclusions
    return {
        "definition": DEFINITION,
        "k": published.k,
        "n": patterns.n,
        "min_support": patterns.min_support,
        "target": patterns.target,
        "itemsets": len(patterns),
        "attack": asdict(published.attack),
        "proved": published.proved,
        "exclusive": {
            "columns": list(published.exclusive.columns),
            "named": [list(labels) for labels in published.exclusive.named],
        },
        "rules": None if rules is None else {"min_confidence": str(rules.min_confidence), "count": len(rules)},
        "quasi_identifiers": None if published.quasi_identifiers is None else list(published.quasi_identifiers),
        "rho": None if told is None else str(told.rho),
        "sensitive": None if told is None else list(told.sensitive),
        "conclusion_search": None if told is None else told.search,
        "unit": published.unit.text,
        "persons": published.persons,
    }


def published_names(names: object, labels: Sequence[str]) -> list[str]:
    """Return which of these names, of items or columns, stand for any of the labels.

    >>> published_names(["sex", "age", "tea"], ["age=7", "milk", "tea"])
    ['age', 'tea']
    """
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise DataError("quasi-identifiers are not a list of names")
    return sorted(name for name, items in matches(names, labels).items() if items)


def statement_of(published: PublishedPatterns) -> str:
    """Return the promise in words."""
    group = small_group(published.k, published.unit)
    if published.quasi_identifiers is None:
        whose, which = "", "any items"
    else:
        whose, which = " that is described by items which strangers may know", "any of these items"
    together = (
        f"No group of {group}{whose} can be computed from the published supports, for {which} published together: "
        f"every number of {published.unit.plural} that follows from them is 0 or at least {published.k:,}."
    )
    text = [together, what_was_looked_at(published), *what_nobody_concludes(published)]
    if published.selected:
        text.append("Not all frequent itemsets are listed: one that is not is rare, or was withheld.")
    if published.exclusive.columns or published.exclusive.named:
        text.append(_exclusive(published.exclusive))
    if published.quasi_identifiers is not None:
        text.append(
            "What strangers may know is the owner's list of quasi-identifiers; whoever knows other published items of "
            "a person as well may single out a smaller group."
        )
    return " ".join(text)


def what_was_looked_at(published: PublishedPatterns) -> str:
    """Return in words what was ruled out beyond items published together, and how."""
    attack, k = published.attack, published.k
    group = f"group of {small_group(k, published.unit)}"
    chosen = published.quasi_identifiers is not None
    if attack.complete:
        looked = (
            f"Beyond them, no {group} follows either, whichever {'of these' if chosen else 'published'} items it has "
            "or lacks: all published items were looked at together, exactly."
        )
    else:
        looked = (
            f"Beyond them, no {group} follows within any window of published items that the attacker looked at, "
            f"whichever of {'these' if chosen else 'its'} items it has or lacks: "
            f"{counted(attack.windows, 'window')} of up to {counted(attack.items_per_window, 'item')}"
            f"{_not_looked_at(attack.left_out)}."
        )
    if published.proved:
        looked += (
            f" And it is proved that no {group} follows at all, of whichever published items: there is a data set that "
            f"has just these supports, and in which every kind of row occurs at least {k:,} times."
        )
    return looked


def _not_looked_at(left_out: int) -> str:
    return f"; {left_out:,} more {'was' if left_out == 1 else 'were'} not looked at" if left_out else ""


def what_nobody_concludes(published: PublishedPatterns) -> list[str]:
    """Return in words what nobody can conclude about sensitive items; nothing if the owner named none."""
    told = published.conclusions
    if told is None:
        return []
    if not told.sensitive:
        text = "No item that the owner named as sensitive is published, so nothing follows about one."
    else:
        whose = "strangers may know" if published.quasi_identifiers is not None else "are not sensitive"
        are = "is" if len(told.sensitive) == 1 else "are"
        text = (
            f"Of no group that is described by items which {whose}, nor of everybody, does it follow that a share of "
            f"{told.rho} or more has a sensitive item, of which {len(told.sensitive):,} {are} published: this was "
            f"counted for all items published together, and looked for beyond them in {counted(told.windows, 'window')}"
            f"{_not_looked_at(told.left_out)}."
        )
    return [text]


def small_group(k: int, unit: Unit) -> str:
    """Return the size of a group that must not follow, in words."""
    return f"one {unit.singular}" if k - 1 == 1 else f"1 to {k - 1:,} {unit.plural}"


def _exclusive(exclusive: Exclusive) -> str:
    """Return what readers are assumed to know about items that exclude each other."""
    known = []
    if exclusive.columns:
        known.append(f"two values of one column ({counted(len(exclusive.columns), 'column')})")
    if exclusive.named:
        known.append(f"two items of one set that the owner named ({counted(len(exclusive.named), 'set')})")
    return f"Readers were taken to know that no row has {', or '.join(known)}."

"""What to do about an audit's answer: commands that can be pasted, each with what it is good for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from discreet.channels.audit import Audit

__all__ = ["Advice", "Question", "advise"]

_QUICK_TO_BLOCK = 120
"""Closed itemsets up to which blocking is tried out to tell its price; its attacks grow with them."""

_MOST_SUPPORTS = 20
"""Supports that are looked at beyond the first without a channel, before the search is given up."""

_HINTED = 4
"""Items and sets of items that a hint names."""

Way = Literal["additive", "suppressive"]
_WAYS: tuple[tuple[Way, str, str], ...] = (
    ("additive", "adds {} virtually", "raises supports, as if rows had been added, and tells the price"),
    ("suppressive", "leaves {} out", "leaves rows out, and tells the price"),
)


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do: the words of a command, None where there is nothing to run, and what it is good for."""

    command: list[str] | None
    words: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"command": self.command, "words": self.words}


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked: `again` is the command without its support, None where what it read is gone."""

    source: Any
    again: list[str] | None
    min_support: str | None
    options: dict[str, Any]
    quasi_identifiers: str | None = None
    try_out: bool = field(default=True, kw_only=True)


def advise(found: Audit, question: Question) -> list[Advice]:
    """Return what would make the patterns safe, what could stay as it is, and what the audit was not told.

    With `question.try_out`, small collections are blocked to tell what it costs.
    """
    return [*_ways_to_block(found, question), *_higher_support(found, question), *_what_excludes(found, question)]


def _ways_to_block(found: Audit, question: Question) -> list[Advice]:
    """Return the commands that make the patterns safe, with what each would cost where that is quick to know."""
    if found.safe or found.rows is None or question.again is None or found.min_support is None:
        return []
    words = ["discreet", "block", *question.again[2:], "-s", str(found.min_support), "--method"]
    if not question.try_out or found.closed_count > _QUICK_TO_BLOCK:
        return [Advice([*words, method], untried) for method, _, untried in _WAYS]
    prices = ((method, _price(found, question, method, does)) for method, does, _ in _WAYS)
    return [Advice([*words, method], price) for method, price in prices if price is not None]


def _price(found: Audit, question: Question, method: Way, does: str) -> str | None:
    """Say what blocking would change; None where it cannot."""
    from discreet.cli.wording import counted, percent
    from discreet.engines import block
    from discreet.errors import NotSafe, TooManyPatterns

    try:
        done = block(
            question.source,
            k=found.k,
            min_support=found.min_support or 1,
            method=method,
            quasi_identifiers=question.quasi_identifiers,
            **question.options,
        )
    except (NotSafe, TooManyPatterns):
        return None
    worst = done.distortion.worst
    cost = f"{does.format(counted(done.distortion.rows, 'row'))}; supports change by "
    cost += f"{percent(worst.numerator, worst.denominator)} at most"
    return f"{cost}: some itemsets are lost" if method == "suppressive" and worst == 1 else cost


def _higher_support(found: Audit, question: Question) -> list[Advice]:
    """Say at which support nothing would have to be changed, or that there is none."""
    from discreet.cli.wording import number, percent

    if found.safe or found.collection is None or found.n is None:
        return []
    if found.n < found.k:
        return [Advice(None, _NOTHING_STAYS)]
    lowest = _lowest_support(found, question)
    if lowest is None:  # nothing is claimed: the collection may be incomplete, or the search have become too long
        return []
    if lowest > int(found.collection.patterns.supports.max(initial=0)):
        return [Advice(None, _NOTHING_STAYS)]
    share = percent(lowest, found.n)
    if found.rows is None:
        words = f"Of these patterns, those in at least {number(lowest)} rows ({share}) can stay as they are."
        return [Advice(None, words)]
    words = f"{share}: the lowest support at which nothing has to be changed"
    return [] if question.again is None else [Advice([*question.again, "-s", str(lowest)], words)]


def _lowest_support(found: Audit, question: Question) -> int | None:
    """Return the lowest support that is safe, from the itemsets that the audit was about, or None."""
    from discreet.channels.lowest_support import lowest_safe_support
    from discreet.engines import in_spark

    if found.min_support is None:
        return None
    options, source = question.options, question.source
    if question.quasi_identifiers is None:
        options, source = options | {"exclusive": found.exclusive}, found.collection
    elif in_spark(source):  # everything that is public tells of the quasi-identifiers, and is not at hand
        return None
    return lowest_safe_support(
        source,
        k=found.k,
        min_support=found.min_support,
        quasi_identifiers=question.quasi_identifiers,
        most_runs=_MOST_SUPPORTS,
        **options,
    )


_NOTHING_STAYS = "There is no support at which a pattern could be published unchanged."


def _what_excludes(found: Audit, question: Question) -> list[Advice]:
    """Name the items that look like values of one attribute, so that the audit can be told."""
    from discreet.channels.exclusive import looks_exclusive
    from discreet.cli.wording import itemset_text
    from discreet.transactions.transactions import Transactions

    if found.attack is None or found.collection is None:
        return []
    rows = question.source if isinstance(question.source, Transactions) else None
    looks = looks_exclusive(found.collection.patterns if rows is None else rows, found.min_support, found.exclusive)
    if not looks:
        return []
    first = looks[0].labels
    items = itemset_text(first[:_HINTED]) + (", …" if len(first) > _HINTED else "")
    others = ", …" if len(looks) > _HINTED else ""
    names = ", ".join(look.name for look in looks[1:_HINTED]) + others
    also = f"; so do those of {names}" if names else ""
    words = f"{items} never occur together and look like values of one attribute{also}: "
    named = [word for look in looks for word in ("--exclusive", look.name)]
    if question.again is None:
        return [Advice(None, f"{words}readers may know it, so tell it with --exclusive {looks[0].name!r}.")]
    support = [] if question.min_support is None else ["-s", question.min_support]
    return [Advice([*question.again, *support, *named], f"{words}readers may know it, so tell it")]

"""Advice about an audit as steps: commands that can be pasted, each with what it is good for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.answers.answer import Step

if TYPE_CHECKING:
    from discreet.channels.advice import Advice, Price
    from discreet.channels.audit import Audit

__all__ = ["steps_of"]

_HINTED = 4
"""Items and sets of items that a hint names."""

_WAYS = {
    "additive": ("adds {} virtually", "raises supports, as if rows had been added, and shows the cost"),
    "suppressive": ("leaves {} out", "leaves rows out, and shows the cost"),
}


def steps_of(found: Audit, advice: Advice, again: list[str] | None, min_support: str | None) -> list[Step]:
    """Return what would make the patterns safe, what could stay as it is, and what the audit was not told.

    `again` is the command without its support, None where what it read is gone.
    """
    return [
        *_ways_to_block(found, advice, again),
        *_higher_support(found, advice, again),
        *_what_excludes(advice, again, min_support),
    ]


def _ways_to_block(found: Audit, advice: Advice, again: list[str] | None) -> list[Step]:
    """Return the commands that make the patterns safe, with what each would cost where that is known."""
    if again is None:
        return []
    words = ["discreet", "block", *again[2:], "-s", str(found.min_support), "--method"]
    return [Step([*words, method], _price(method, price)) for method, price in advice.blocking.items()]


def _price(method: str, price: Price | None) -> str:
    from discreet.wording import counted, share

    does, untried = _WAYS[method]
    if price is None:
        return untried
    cost = f"{does.format(counted(price.rows, 'row'))}; supports change by "
    cost += f"{share(price.worst)} at most"
    return f"{cost}: some itemsets are lost" if method == "suppressive" and price.worst == 1 else cost


def _higher_support(found: Audit, advice: Advice, again: list[str] | None) -> list[Step]:
    """Say at which support nothing would have to be changed, or that there is none."""
    from discreet.wording import number, percent

    if advice.hopeless:
        return [Step(None, "There is no support at which a pattern could be published unchanged.")]
    if advice.lowest is None or found.n is None:
        return []
    share = percent(advice.lowest, found.n)
    if found.rows is None:
        words = f"Of these patterns, those in at least {number(advice.lowest)} rows ({share}) can stay as they are."
        return [Step(None, words)]
    words = f"{share}: the lowest support at which nothing has to be changed"
    return [] if again is None else [Step([*again, "-s", str(advice.lowest)], words)]


def _what_excludes(advice: Advice, again: list[str] | None, min_support: str | None) -> list[Step]:
    """Name the items that look like values of one attribute, so that the audit can be told."""
    from discreet.wording import itemset_text

    looks = advice.exclusive
    if not looks:
        return []
    first = looks[0].labels
    items = itemset_text(first[:_HINTED]) + (", …" if len(first) > _HINTED else "")
    others = ", …" if len(looks) > _HINTED else ""
    names = ", ".join(look.name for look in looks[1:_HINTED]) + others
    also = f"; so do those of {names}" if names else ""
    words = f"{items} never occur together and look like values of one attribute{also}: "
    named = [word for look in looks for word in ("--exclusive", look.name)]
    if again is None:
        return [Step(None, f"{words}readers may know it, so say so with --exclusive {looks[0].name!r}.")]
    support = [] if min_support is None else ["-s", min_support]
    return [Step([*again, *support, *named], f"{words}readers may know it, so say so")]

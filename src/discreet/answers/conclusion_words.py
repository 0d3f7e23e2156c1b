"""What patterns tell about sensitive items, in sentences."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, cast

import numpy as np

from discreet.answers.answer import Listing
from discreet.channels.conclusions import shortest
from discreet.transactions.vocabulary import in_order
from discreet.wording import ROWS, counted, itemset_text, label_text, number, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.answers.answer import Evidence
    from discreet.channels.audit import Audit
    from discreet.channels.conclusions import Conclusion, Conclusions
    from discreet.wording import Unit

__all__ = ["conclusion_text", "conclusions_left_out", "conclusions_told", "surest_conclusion", "surest_conclusions"]

_SHOWN = 5
_WIDTH = 200
"""How many characters of labels describe a group at most, half of it by what it has and half by what it lacks."""

_LOOKED_AT = 50
"""How many of the surest conclusions are put into fewer words, of which the first different ones are shown."""


def conclusions_told(found: Audit) -> str:
    """Return how many conclusions there are, or that there is none; nothing if none were looked for."""
    if found.conclusions is None or found.rho is None:
        return ""
    least = f"of {share(found.rho)} or more"
    if not found.conclusions:
        return f"no conclusion about a sensitive item {least}"
    return f"{counted(len(found.conclusions), 'conclusion')} about sensitive items {least}"


def surest_conclusions(found: Audit, most: int = _SHOWN) -> list[Evidence]:
    """Return the surest conclusions in sentences: those with exact numbers, then those with bounds."""
    if found.conclusions is None or found.public is None:
        return []
    certain, bounded = found.conclusions.certain, found.conclusions.bounded
    few = certain.chosen(np.arange(min(len(certain), _LOOKED_AT)))
    short = shortest(found.public, few) if len(few) else few
    titles = (
        "The surest conclusions about sensitive items that anyone can count:",
        "Conclusions about sensitive items that follow by bounds:",
    )
    evidence: list[Evidence] = []
    for title, every, shown in zip(titles, (certain, bounded), (short, bounded), strict=True):
        if not len(every):
            continue
        evidence.append(Listing(title, _sentences(shown, found.unit, most)))
        if len(every) > most:
            evidence.append(f"… of {number(len(every))} in all (--json lists them).")
    return [*evidence, *conclusions_left_out(found)]


def surest_conclusion(found: Audit) -> str:
    """Return the surest conclusion of an audit that has any, in words."""
    (_, words), *_ = _sentences(cast("Conclusions", found.conclusions), found.unit, 1)
    return words


def conclusions_left_out(found: Audit) -> list[str]:
    """Return where conclusions were not looked for; nothing if they were looked for everywhere, or not at all."""
    if found.conclusions is None or not found.conclusions.left_out:
        return []
    windows = counted(found.conclusions.windows or 0, "window")
    looked = f"Conclusions by bounds were looked for in {windows}"
    return [f"{looked}; others were left out, where more may follow (--attack-steps)."]


def _sentences(conclusions: Conclusions, unit: Unit, most: int) -> list[tuple[str, str]]:
    order = conclusions.vocabulary
    return [
        (
            share(one.share),
            conclusion_text(one, have=in_order(one.present, order), lack=in_order(one.absent, order), unit=unit),
        )
        for one in _different(conclusions, most)
    ]


def _different(conclusions: Conclusions, most: int) -> list[Conclusion]:
    """Return the surest conclusions, without those that must be about the same rows as an earlier one."""
    chosen: list[Conclusion] = []
    for one in islice(conclusions, _LOOKED_AT):
        if not any(
            other.item == one.item
            and (other.rows, other.having) == (one.rows, one.having)
            and other.present <= one.present
            and other.absent <= one.absent
            for other in chosen
        ):
            chosen.append(one)
        if len(chosen) == most:
            break
    return chosen


def conclusion_text(
    one: Conclusion, *, have: Sequence[str], lack: Sequence[str], unit: Unit = ROWS, of: str = ""
) -> str:
    """Return a conclusion as a sentence; `have` and `lack` are the items of the group in order, which is part of `of`.

    >>> from discreet.channels.conclusions import Conclusion
    >>> from fractions import Fraction
    >>> some = Conclusion(frozenset("a"), frozenset("b"), "s", (212, 212), (209, 209), Fraction(209, 212))
    >>> conclusion_text(some, have=("a",), lack=("b",))
    'of the 212 rows with a and without b, 209 have s'
    >>> some = Conclusion(frozenset("a"), frozenset(), "s", (50, 60), (40, 50), Fraction(2, 3))
    >>> conclusion_text(some, have=("a",), lack=())
    'of at most 60 rows with a, at least 40 have s'
    """
    words = [f"with {itemset_text(have, _WIDTH)}"] if have else []
    words += [f"without {itemset_text(lack, _WIDTH)}"] if lack else []
    group = f"{unit.plural}{of}{''.join(f' {word}' for word in [' and '.join(words)] if word)}"
    (least, most), (low, high) = one.rows, one.having
    item = label_text(one.item)
    if least == most == low:
        return f"all {number(most)} {group} have {item}"
    if least != most:
        rows = f"of at most {number(most)} {group}"
    else:
        rows = f"of the {number(most)} {group}" if words else f"of all {number(most)} {group}"
    some = number(low) if low == high else f"at least {number(low)}"
    return f"{rows}, {some} have {item}"

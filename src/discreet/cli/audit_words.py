"""The answer of an audit in words: the verdict, whom the channels single out, what it does not cover, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.cli.group_words import beyond_the_published, worst_groups

if TYPE_CHECKING:
    from rich.console import RenderableType

    from discreet.channels.audit import Audit
    from discreet.cli.audit_advice import Step

__all__ = ["tell", "verdict"]

_WORDS = {
    "safe": ("SAFE", "green"),
    "not-safe": ("NOT SAFE", "red"),
    "incomplete": ("NO CHANNEL FOUND", "yellow"),
    "nothing": ("NOTHING TO PUBLISH", "yellow"),
}


def tell(found: Audit, steps: list[Step], *, explain: bool) -> None:
    """Print the answer, its evidence, its limits, and what to do next."""
    from discreet.cli.attack_words import exclusive_items, how_far, what_is_proved
    from discreet.cli.screen import next_steps, paragraph, show

    parts = [verdict(found)]
    if len(found.channels):
        parts.append(worst_groups(found))
        if exposure := _exposure(found):
            parts.append(paragraph(exposure))
    parts += beyond_the_published(found)
    texts = [*what_is_proved(found), *_limits(found)]
    if found.verdict != "nothing":
        texts += [*exclusive_items(found), how_far(found)]
    parts += [paragraph(text) for text in texts]
    if explain:
        parts.append(paragraph(_DEFINITIONS))
    if commands := [(step.command, step.words) for step in steps if step.command is not None]:
        parts.append(next_steps(commands))
    parts += [paragraph(step.words) for step in steps if step.command is None]
    show(*parts)


_DEFINITIONS = (
    "A channel is a pair of itemsets I and J, I within J, with 0 < f < k, where f is the sum over all X from I to J of "
    "sup(X), added where X has an even number of items more than I and subtracted where odd: the number of rows with "
    "all of I and nothing else of J (Atzori, Bonchi, Giannotti, Pedreschi, Definition 9). One channel implies another "
    "that asks for fewer items to be present and fewer to be absent (Definition 15); those listed are implied by no "
    "other. Beyond the channels, a group follows where every data set that agrees with all that is published has 1 to "
    "k-1 rows in it: the attacker solves a linear program for the least and for the greatest number, in whole numbers, "
    "over the items of a window at a time. A bound is a sum of published figures, which anyone can redo; sup(X) is the "
    "number of rows with all of X, n that of all rows, and what is not published has at most threshold − 1."
)


def verdict(found: Audit) -> RenderableType:
    """Return the first line: the word, and what it is about."""
    from discreet.cli.screen import answer

    word, colour = _WORDS[found.verdict]
    if found.verdict == "safe" and found.proved:
        word = "SAFE, PROVED"
    return answer(_verdict(found), verdict=word, style=f"bold {colour}")


def _verdict(found: Audit) -> str:
    from discreet.wording import number

    rows = "the rows" if found.n is None else f"{number(found.n)} rows"
    few = f"fewer than {found.k} of {rows}"
    if found.verdict == "nothing":
        support = "" if found.min_support is None else f" in at least {number(found.min_support)} of {rows}"
        return f"no itemset occurs{support}"
    if found.verdict == "incomplete":
        return f"no group of {few} was found, but not all itemsets are there: this does not mean that it is safe"
    if found.safe:
        return f"no group of {few} {_how_safe(found)}"
    return _not_safe(found, few)


def _how_safe(found: Audit) -> str:
    if found.proved or (found.attack is not None and found.attack.complete):
        return "can be computed from these patterns"
    if found.attack is None:
        return "can be computed by the paper's sums; the attacker is off"
    return "was found to follow from these patterns; not proved"


def _not_safe(found: Audit, few: str) -> str:
    from discreet.wording import counted

    count = len(found.channels)
    if not count:
        groups = len(found.border or ())
        return f"{counted(groups, 'group')} of {few} follow{'s' if groups == 1 else ''} from these patterns"
    certain = f"{counted(count, 'channel')} single{'s' if count == 1 else ''} out {few}"
    if found.from_rules and any(c.low < 1 or c.high >= found.k for c in found.channels):
        sure = sum(c.low >= 1 and c.high < found.k for c in found.channels)
        return f"{certain} ({sure} certainly, {count - sure} possibly, as far as the printed figures tell)"
    return certain


def _exposure(found: Audit) -> str:
    import numpy as np

    from discreet.wording import counted, label_text

    channels = found.channels
    lengths = np.diff(channels.fulls.offsets)
    in_channels = np.bincount(channels.which, minlength=len(channels.fulls))
    weight = np.bincount(channels.fulls.items, np.repeat(in_channels, lengths), minlength=len(channels.vocabulary))
    most = np.argsort(-weight, kind="stable")[:3]
    items = ", ".join(
        label_text(channels.vocabulary[item]) + (f" ({counted(int(weight[item]), 'channel')})" if place == 0 else "")
        for place, item in enumerate(most.tolist())
        if weight[item]
    )
    exposed = found.exposed_rows
    rows = "" if exposed is None else f"Exposed: {counted(exposed, 'row')} in all. "
    return f"{rows}Items that expose most: {items}." if items else rows.strip()


def _limits(found: Audit) -> list[str]:
    """Say what the answer does not cover."""
    if found.from_rules:
        return ["From rules alone: an itemset that no rule mentions cannot be judged."]
    if found.kind == "incomplete":
        return [
            "The collection is incomplete: nothing is known of the itemsets that are missing, and whoever knows them "
            "can compute more. If that is meant, --accept-incomplete ends with status 0."
            if found.safe
            else "The collection is incomplete: whoever knows the missing itemsets can compute more."
        ]
    if found.rows is None:
        return ["From patterns alone: nothing is known of the rows themselves, or of what else was published of them."]
    return []

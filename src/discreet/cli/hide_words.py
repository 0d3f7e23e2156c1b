"""What `discreet hide` says: what is hidden, what it cost, and what two copies give back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.cli.screen import answer, next_steps, paragraph, show, table
from discreet.patterns.expression import And, Item
from discreet.wording import counted, itemset_text, number, share

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from rich.console import RenderableType

    from discreet.hiding.copies import TwoCopies
    from discreet.hiding.hide import BoundedRule, Hidden
    from discreet.hiding.side_effects import LostPatterns, SideEffects

__all__ = ["tell"]

SHOWN = 10


def tell(
    done: Hidden, pair: TwoCopies | None, against: str | None, written: list[tuple[Path, str]], output: list[str]
) -> None:
    """Show the summary; `output` are the words that read the rows again, where `query` can."""
    parts = [_verdict(done, pair, against), paragraph(_what_was_done(done))]
    if done.restrictive:
        parts += _patterns(done)
    if done.rules:
        parts += _rules(done)
    if pair is not None and against is not None:
        parts += _pair(done, pair, against)
    if done.side_effects is not None:
        parts += _costs(done, done.side_effects)
    if pair is not None and not pair.safe:
        written = [(written[0][0], f"safe alone, but NOT together with {against}"), *written[1:]]
    parts.append(paragraph("\n".join(f"Written to {path}: {what}." for path, what in written)))
    parts.append(
        paragraph("This summary is for you alone: it shows what was hidden. Give every recipient the same copy.")
    )
    if (step := _check(done, output)) is not None:
        parts.append(next_steps([step]))
    show(*parts)


def _verdict(done: Hidden, pair: TwoCopies | None, against: str | None) -> RenderableType:
    if pair is not None and not pair.safe:
        return answer(f"together with {against} it reveals what it hides", verdict="NOT SAFE", style="bold red")
    hidden = []
    if done.restrictive:
        left = sum(pattern.after > 0 for pattern in done.restrictive)
        what = counted(len(done.restrictive), "itemset" if done.rules else "restrictive itemset")
        hidden.append(f"{what}, in no row any more" if not left else f"{what}, in no more rows than allowed")
    if done.rules:
        hidden.append(f"{counted(len(done.rules), 'rule')} below {'its' if len(done.rules) == 1 else 'their'} bound")
    return answer("; ".join(hidden), verdict="HIDDEN", style="bold green")


def _what_was_done(done: Hidden) -> str:
    if not done.removed_items:
        return f"None of the {counted(done.n, 'row')} had to be changed."
    items, rows = counted(done.removed_items, "item"), counted(done.n, "row")
    return (
        f"{items} ({share(done.dissimilarity)} of all) removed from {number(done.changed_rows)} of {rows}; "
        f"{number(done.sensitive_rows)} held a restrictive itemset. All other rows are untouched."
    )


def _patterns(done: Hidden) -> list[RenderableType]:
    lines = [
        (number(pattern.before), number(pattern.after), itemset_text(_in_order(done, pattern.items)))
        for pattern in done.restrictive[:SHOWN]
    ]
    return [table(("rows", "now", "itemset"), lines, title="Restrictive itemsets"), *_more(len(done.restrictive))]


def _rules(done: Hidden) -> list[RenderableType]:
    def sides(rule: BoundedRule) -> str:
        before, after = (itemset_text(_in_order(done, side), 28) for side in (rule.antecedent, rule.consequent))
        return f"{before} => {after}"

    def confidence(now: Fraction | None, below: Fraction) -> str:
        if now is None:
            return "none"
        rounded_up = now < below and share(now) == share(below)
        return f"under {share(now)}" if rounded_up else share(now)

    lines = [
        (confidence(rule.before, rule.below), confidence(rule.after, rule.below), share(rule.below), sides(rule))
        for rule in done.rules[:SHOWN]
    ]
    return [table(("confidence", "now", "below", "rule"), lines, title="Rules"), *_more(len(done.rules))]


def _more(count: int) -> list[RenderableType]:
    return [paragraph(f"… and {number(count - SHOWN)} more (--json lists them all)")] if count > SHOWN else []


def _pair(done: Hidden, pair: TwoCopies, against: str) -> list[RenderableType]:
    parts: list[RenderableType] = [
        paragraph(
            f"Whoever also has {against} gets {number(pair.restored_items)} of the "
            f"{counted(done.removed_items, 'removed item')} back by taking what either copy holds."
            + (f" {counted(pair.rules_restored, 'rule')} at or above the bound again." if pair.rules_restored else "")
        )
    ]
    shown = [
        (
            number(this),
            number(other),
            number(together),
            number(allowed),
            itemset_text(_in_order(done, pattern.items), 40),
        )
        for pattern, (this, other, together, allowed) in zip(done.restrictive, pair.patterns, strict=True)
        if together > allowed
    ]
    if shown:
        names = ("here", "there", "together", "allowed", "itemset")
        parts += [table(names, shown[:SHOWN], title="Rows that hold a restrictive itemset"), *_more(len(shown))]
    return parts


def _costs(done: Hidden, effects: SideEffects) -> list[RenderableType]:
    legitimate = effects.patterns_before - effects.restrictive_before
    text = (
        f"Of {counted(effects.patterns_before, 'itemset')} in at least {number(effects.min_support)} rows, "
        f"{number(effects.restrictive_before)} are restrictive; {number(effects.restrictive_after)} of these can still "
        f"be mined ({share(effects.hiding_failure)}). Of the {number(legitimate)} others "
        f"{share(effects.misses_cost)} are lost; none is new."
    )
    parts: list[RenderableType] = [paragraph(text)]
    if effects.lost is None:
        parts.append(paragraph("They are too many to list those lost; raise -s to see them."))
    elif len(effects.lost):
        parts.append(_lost_table(done, effects.lost))
        parts += _more_lost(len(effects.lost))
    return parts


def _lost_table(done: Hidden, lost: LostPatterns) -> RenderableType:
    worst = np.argsort(-lost.before, kind="stable")[:SHOWN].tolist()
    lines = []
    for place in worst:
        items, before, after = lost[place]
        lines.append((number(before), number(after), itemset_text(_in_order(done, items))))
    return table(("rows", "now", "itemset"), lines, title="The most frequent of those lost")


def _more_lost(count: int) -> list[RenderableType]:
    return [paragraph(f"… and {number(count - SHOWN)} more (--lost FILE lists them all)")] if count > SHOWN else []


def _in_order(done: Hidden, labels: frozenset[str]) -> list[str]:
    place = done.rows.vocabulary.positions
    return sorted(labels, key=lambda label: (place.get(label, len(place)), label))


def _check(done: Hidden, output: list[str]) -> tuple[list[str], str] | None:
    """Return the command that looks a restrictive itemset up in what was written."""
    for pattern in done.restrictive:
        if pattern.before and output:
            labels = [Item(label) for label in _in_order(done, pattern.items)]
            expression = And(tuple(labels)) if len(labels) > 1 else labels[0]
            words = ["discreet", "query", *output, f"({expression})", "--ignore-unknown"]
            return words, "looks one of them up in what was written"
    return None

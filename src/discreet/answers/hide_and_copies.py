"""What hiding says: what is hidden, what it cost, and what two copies restore."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.answers.answer import Answer, Headline, Step, TextTable
from discreet.patterns.expression import And, Item
from discreet.transactions.vocabulary import in_order
from discreet.wording import counted, itemset_text, number, share

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from discreet.answers.answer import Evidence
    from discreet.hiding.copies import TwoCopies
    from discreet.hiding.hide import BoundedRule, Hidden
    from discreet.hiding.side_effects import LostPatterns, SideEffects

__all__ = ["hide_answer"]

_SHOWN = 10


def hide_answer(
    done: Hidden, pair: TwoCopies | None, against: str | None, written: list[tuple[Path, str]], output: list[str]
) -> Answer:
    """Return what hiding says; `output` are the words that read the rows again, if `query` can."""
    evidence: list[Evidence] = [_what_was_done(done)]
    if done.restrictive:
        evidence += _patterns(done)
    if done.rules:
        evidence += _rules(done)
    if pair is not None and against is not None:
        evidence += _pair(done, pair, against)
    if done.side_effects is not None:
        evidence += _costs(done, done.side_effects)
    if pair is not None and not pair.safe:
        written = [(written[0][0], f"hidden alone, but NOT together with {against}"), *written[1:]]
    evidence += [
        "\n".join(f"Written to {path}: {what}." for path, what in written),
        "This summary is for you alone: it shows what was hidden. Give every recipient the same copy.",
    ]
    return Answer(_verdict(done, pair, against), evidence, _check(done, output))


def _verdict(done: Hidden, pair: TwoCopies | None, against: str | None) -> Headline:
    if pair is not None and not pair.safe:
        return Headline("NOT HIDDEN", "bad", f"together with {against} it reveals what it hides")
    hidden = []
    if done.restrictive:
        left = sum(pattern.after > 0 for pattern in done.restrictive)
        what = counted(len(done.restrictive), "itemset" if done.rules else "restrictive itemset")
        hidden.append(f"{what}, in no row any more" if not left else f"{what}, in no more rows than allowed")
    if done.rules:
        hidden.append(f"{counted(len(done.rules), 'rule')} below {'its' if len(done.rules) == 1 else 'their'} bound")
    word = "PARTLY HIDDEN" if done.verdict == "partly-hidden" else "HIDDEN"
    return Headline(word, "good", "; ".join(hidden))


def _what_was_done(done: Hidden) -> str:
    if not done.removed_items:
        return f"None of the {counted(done.n, 'row')} had to be changed."
    items, rows = counted(done.removed_items, "item"), counted(done.n, "row")
    return (
        f"{items} ({share(done.dissimilarity)} of all) removed from {number(done.changed_rows)} of {rows}; "
        f"{number(done.sensitive_rows)} held a restrictive itemset. All other rows are untouched."
    )


def _patterns(done: Hidden) -> list[Evidence]:
    lines = [
        (number(pattern.before), number(pattern.after), itemset_text(in_order(pattern.items, done.rows.vocabulary)))
        for pattern in done.restrictive[:_SHOWN]
    ]
    return [TextTable("Restrictive itemsets", ("rows", "now", "itemset"), lines), *_more(len(done.restrictive))]


def _rules(done: Hidden) -> list[Evidence]:
    def sides(rule: BoundedRule) -> str:
        before, after = (
            itemset_text(in_order(side, done.rows.vocabulary), 28) for side in (rule.antecedent, rule.consequent)
        )
        return f"{before} => {after}"

    def confidence(now: Fraction | None, below: Fraction) -> str:
        if now is None:
            return "none"
        rounded_up = now < below and share(now) == share(below)
        return f"under {share(now)}" if rounded_up else share(now)

    lines = [
        (confidence(rule.before, rule.below), confidence(rule.after, rule.below), share(rule.below), sides(rule))
        for rule in done.rules[:_SHOWN]
    ]
    return [TextTable("Rules", ("confidence", "now", "below", "rule"), lines), *_more(len(done.rules))]


def _more(count: int, where: str = "--json") -> list[str]:
    return [f"… and {number(count - _SHOWN)} more ({where} lists them all)"] if count > _SHOWN else []


def _pair(done: Hidden, pair: TwoCopies, against: str) -> list[Evidence]:
    parts: list[Evidence] = [
        (
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
            itemset_text(in_order(pattern.items, done.rows.vocabulary), 40),
        )
        for pattern, (this, other, together, allowed) in zip(done.restrictive, pair.patterns, strict=True)
        if together > allowed
    ]
    if shown:
        names = ("here", "there", "together", "allowed", "itemset")
        parts += [TextTable("Rows that hold a restrictive itemset", names, shown[:_SHOWN]), *_more(len(shown))]
    return parts


def _costs(done: Hidden, effects: SideEffects) -> list[Evidence]:
    legitimate = effects.patterns_before - effects.restrictive_before
    text = (
        f"Of {counted(effects.patterns_before, 'itemset')} in at least {number(effects.min_support)} rows, "
        f"{number(effects.restrictive_before)} are restrictive; {number(effects.restrictive_after)} of these can still "
        f"be mined ({share(effects.hiding_failure)}). Of the {number(legitimate)} others "
        f"{share(effects.misses_cost)} are lost; none is new."
    )
    parts: list[Evidence] = [text]
    if effects.lost is None:
        parts.append("They are too many to list those lost; raise -s to see them.")
    elif len(effects.lost):
        parts.append(_lost_table(done, effects.lost))
        parts += _more(len(effects.lost), "--lost FILE")
    return parts


def _lost_table(done: Hidden, lost: LostPatterns) -> TextTable:
    worst = np.argsort(-lost.before, kind="stable")[:_SHOWN].tolist()
    lines = []
    for place in worst:
        items, before, after = lost[place]
        lines.append((number(before), number(after), itemset_text(in_order(items, done.rows.vocabulary))))
    return TextTable("The most frequent of those lost", ("rows", "now", "itemset"), lines)


def _check(done: Hidden, output: list[str]) -> list[Step]:
    """Return the command that looks up a restrictive itemset in the output."""
    for pattern in done.restrictive:
        if pattern.before and output:
            labels = [Item(label) for label in in_order(pattern.items, done.rows.vocabulary)]
            expression = And(tuple(labels)) if len(labels) > 1 else labels[0]
            words = ["discreet", "query", *output, f"({expression})", "--ignore-unknown"]
            return [Step(words, "looks one of them up in what was written")]
    return []

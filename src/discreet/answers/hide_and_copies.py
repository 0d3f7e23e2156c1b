"""What hiding says: what is hidden, what it cost, and what two copies restore."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.answers.answer import Answer, Headline, Step, TextTable
from discreet.patterns.expression import And, Item
from discreet.transactions.vocabulary import in_order
from discreet.wording import counted, itemset_text, label_text, number, share

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from discreet.answers.answer import Evidence
    from discreet.hiding.copies import TwoCopies
    from discreet.hiding.hide import BoundedRule, Hidden
    from discreet.hiding.recipients import HiddenForAll
    from discreet.hiding.side_effects import LostPatterns, SideEffects

__all__ = ["chosen_text", "hide_answer", "recipients_evidence"]

_SHOWN = 10


def hide_answer(
    done: Hidden,
    pair: TwoCopies | None,
    against: str | None,
    written: list[tuple[Path, str]],
    output: list[str],
    *,
    shared: HiddenForAll | None = None,
    wholly: Fraction | None = None,
) -> Answer:
    """Return what hiding says; `output` are the words that read the rows again, if `query` can.

    `wholly` is the misses cost if no row kept any of the itemsets.
    """
    evidence: list[Evidence] = [_what_was_done(done)]
    if done.restrictive:
        evidence += _patterns(done)
    if done.below is not None:
        evidence.append(_who_mines_lower(done, done.below))
    if done.rules:
        evidence += _rules(done)
    if shared is not None:
        evidence += recipients_evidence(shared)
    if pair is not None and against is not None:
        evidence += _pair(done, pair, against)
    if done.candidates:
        evidence += [chosen_text(done), _candidates(done)]
    if done.side_effects is not None:
        evidence += _costs(done, done.side_effects)
        if wholly is not None:
            evidence.append(
                f"If no row kept any of them, {share(wholly)} of the other itemsets would be lost (by rowwise), in "
                f"place of {share(done.side_effects.misses_cost)}."
            )
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
        if done.below is not None:
            hidden.append(
                f"{what}, {'' if len(done.restrictive) == 1 else 'each '}in fewer than {number(done.below)} rows"
            )
        else:
            hidden.append(f"{what}, in no row any more" if not left else f"{what}, in no more rows than allowed")
    if done.rules:
        hidden.append(f"{counted(len(done.rules), 'rule')} below {'its' if len(done.rules) == 1 else 'their'} bound")
    word = "PARTLY HIDDEN" if done.verdict == "partly-hidden" else "HIDDEN"
    if done.below is not None:
        word += f" (below {number(done.below)})"
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


def _who_mines_lower(done: Hidden, below: int) -> str:
    """Return what a reader finds who mines at a lower support."""
    left = [pattern.after for pattern in done.restrictive if pattern.after]
    if not left:
        return "Whoever mines at a lower support finds none of them either: no row has one any more."
    highest = max(left)
    what = "it" if len(done.restrictive) == 1 else "some of them"
    found = f"Whoever mines at {counted(highest, 'row')} or fewer finds {what} still"
    at_border = sum(after == below - 1 for after in left)
    if done.margin or at_border <= 1:
        return f"{found}."
    return (
        f"{found}, and {number(at_border)} of them at exactly {number(below - 1)}, which gives away that they were "
        "lowered; --margin spreads them."
    )


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


def recipients_evidence(shared: HiddenForAll) -> list[Evidence]:
    """Return what a copy for each recipient would cost, and what two of them would give back."""
    copies = [("one for all", shared.shared, "")]
    copies += [(label_text(each.name), each.own, number(each.seen_less)) for each in shared.recipients]
    lines = [
        (
            number(len(done.restrictive) + len(done.rules)),
            less,
            number(done.removed_items),
            "" if done.side_effects is None else share(done.side_effects.misses_cost),
            name,
        )
        for name, done, less in copies
    ]
    title = "What a copy for each recipient would cost"
    parts: list[Evidence] = [TextTable(title, ("hidden", "because of others", "items removed", "lost", "copy"), lines)]
    if back := [pair for pair in shared.pairs if not pair.safe]:
        rows = [
            (*map(number, pair.restored), " and ".join(label_text(name) for name in pair.names))
            for pair in back[:_SHOWN]
        ]
        heads = ("of the first list", "of the second", "copies")
        parts += [TextTable("What two separate copies would give back together", heads, rows), *_more(len(back))]
    said = "hides all lists, so that nobody gains by showing it to another"
    if shared.pairs and not back:
        said += "; separate copies would give nothing back either"
    return [*parts, f"The copy that was written is for all: it {said}."]


def chosen_text(done: Hidden) -> str:
    """Return which of the methods that were tried won, why, and how far that may be from the best that there is."""
    best = next(each for each in done.candidates if each.method == done.method)
    equal = [each for each in done.candidates if each.lost == best.lost]
    if len(equal) == 1:
        why = "it loses the fewest itemsets"
    elif sum(each.removed_items == best.removed_items for each in equal) == 1:
        why = "none loses fewer itemsets, and of those that lose as many it removes the fewest items"
    else:
        why = "none loses fewer itemsets or removes fewer items, and it is the first of those equal"
    return f"Chosen: {done.method}, as {why}. {_how_far(best.lost, done.at_least)}"


def _candidates(done: Hidden) -> TextTable:
    lines = [
        (number(each.lost), share(each.misses_cost), number(each.removed_items), each.method)
        for each in done.candidates
    ]
    return TextTable("Methods tried", ("itemsets lost", "share", "items removed", "method"), lines)


def _how_far(lost: int, at_least: int | None) -> str:
    """Return how far the result may be from the best that there is."""
    if at_least is None:
        return "How far that is from the least possible is not known: the rows are too many for an integer program."
    if lost <= at_least:
        return "No way of hiding loses fewer: proved by an integer program (HiGHS)."
    return (
        f"No way of hiding loses fewer than {number(at_least)}, by an integer program (HiGHS), so that is at most "
        f"{counted(lost - at_least, 'itemset')} from the least possible."
    )


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

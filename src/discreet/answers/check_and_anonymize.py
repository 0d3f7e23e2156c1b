"""What `check` and `anonymize` say: whether a sensitive item can be inferred, the cost, what became of items."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from math import floor
from typing import TYPE_CHECKING

from discreet.answers.answer import Answer, Headline, Step, TextTable
from discreet.uncertainty.empty_cells import empty_cell
from discreet.uncertainty.local import GUESSED
from discreet.uncertainty.rare_rows import RareRows
from discreet.uncertainty.utility import losses_by_item, publication_tree
from discreet.wording import counted, itemset_text, label_text, number, percent, share

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from discreet.answers.answer import Evidence
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.anonymize import Anonymized
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.local import LocalRecoding
    from discreet.uncertainty.loss_curve import LossCurve
    from discreet.uncertainty.publication import Publication
    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.uncertainty.utility import RemainingRules, WhatIsLeft

__all__ = ["anonymize_answer", "check_answer", "curve_answer", "least_text", "left_table", "loss_text", "rule_text"]

_ROWS_SHOWN = 12
_ITEMS_SHOWN = 10
_RULES_SHOWN = 5
_LINES_OF_TREE = 60
_LIMITS_SHOWN = 3


def check_answer(found: Checked, steps: Sequence[Step] = (), *, explain: bool = False) -> Answer:
    """Return what a check says: the inference of highest confidence, and whom it endangers."""
    headline = Headline(
        "PROTECTED", "good", f"in these rows nobody can conclude a sensitive item with {_limit_text(found)}"
    )
    if found.worst_rule is None:
        headline = Headline("PROTECTED", "good", "no row holds a sensitive item")
    elif not found.safe:
        headline = Headline("NOT PROTECTED", "bad", "someone who knows part of a row can conclude a sensitive item")
    evidence: list[Evidence] = list(_surest(found, "The surest conclusion"))
    if not found.safe:
        evidence.append(_extent(found))
    if found.empty_cells:
        evidence.append(_gaps(found))
    if found.safe and found.worst_rule is not None:
        evidence.append(
            "That is about the rows as they stand. If sensitive items left single rows before, what their absence "
            "tells is not counted."
        )
    if not found.exact_knowledge and found.safe:
        evidence.append(
            "That is for someone who knows items of a row. Whoever also knows what it does not hold can be surer: see "
            "--exact-knowledge."
        )
    return Answer(headline, [*evidence, *([_DEFINITION] if explain else [])], steps)


def _limit_text(found: Checked) -> str:
    """Return what no conclusion may reach."""
    own = [f"{label_text(name)} {share(limit)}" for name, limit in found.limits.items()]
    more = f" and {number(len(own) - _LIMITS_SHOWN)} more" if len(own) > _LIMITS_SHOWN else ""
    return f"{share(found.rho)} or more" + (f" ({', '.join(own[:_LIMITS_SHOWN])}{more})" if own else "")


def _surest(found: Checked, title: str) -> Iterator[str]:
    """Yield the surest conclusion and, if items have limits of their own, the one that its limit says most about."""
    if found.worst_rule is not None and (found.safe or found.critical_rule == found.worst_rule):
        yield f"{title}:\n  {_sentence(found.worst_rule)}"
    if found.critical_rule is not None and found.critical_rule != found.worst_rule:
        how = "comes nearest to its own limit" if found.safe else "exceeds its own limit most"
        yield f"The conclusion that {how}:\n  {_sentence(found.critical_rule)}"


def _gaps(found: Checked) -> str:
    """Return what the labels of empty cells mean."""
    named = itemset_text([empty_cell(column) for column in found.empty_cells])
    text = f"An empty cell ({named}) counts as a sensitive value: one may have been dropped there."
    if found.safe:
        return text
    return f"{text} If such cells were empty from the start, use --empty-cells missing."


def _extent(found: Checked) -> str:
    """Return how many items and rows are in danger, and which the rule above endangers."""
    concluded = (
        f"{counted(len(found.affected), 'sensitive item')} can be concluded with {_limit_text(found)}: "
        f"{itemset_text(found.affected, 70)}."
    )
    if found.endangered is None or found.endangered_by_one is None:  # Spark's rows have no numbers
        rows = 0 if found.critical_rule is None else found.critical_rule.together
        return f"It endangers {counted(rows, 'row')}.\n{concluded}"
    return (
        f"It endangers {_row_numbers(found.endangered)}.\n{concluded}\n"
        f"For {counted(len(found.endangered_by_one), 'row')} of {number(found.n)} it is enough to know one item."
    )


_DEFINITION = (
    "Rows are rho-uncertain (cao2010, Definition 3.1) if, for every part X of every row, the empty one included, and "
    "every sensitive item a that is not in X, conf(X -> a) = sup(X with a) / sup(X) is less than rho."
)


def anonymize_answer(
    done: Anonymized,
    rows: Transactions,
    remaining: RemainingRules | None,
    steps: Sequence[Step] = (),
    *,
    output: Path,
    mapping: Path | None = None,
    drawn: Path | None = None,
    tree: bool = False,
) -> Answer:
    """Return what anonymizing says: the cost, what became of items, and what was written."""
    rules = None if remaining is None else (remaining.before, remaining.kept)
    evidence: list[Evidence] = [_price(done), left_table(done.left, rules)]
    if done.candidates:
        lines = [(loss_text(loss), _VERDICTS[verdict], method) for method, loss, verdict in done.candidates]
        evidence.append(TextTable("What was tried", ("lost", "promise", "method"), lines))
    if done.publication is not None:
        evidence += [_what_was_done(done, done.publication), *_costliest(done.publication, rows)]
        if tree:
            evidence.append(_tree(done.publication))
    if done.recoding is not None:
        meaning = _RARE if done.method == "rare-rows" else _GUESSES
        evidence += [_what_left_rows(done, done.recoding), meaning, _false_rules(done.recoding)]
        if tree:
            evidence.append(_tree(done.recoding.publication))
    if done.candidates:
        passed_over = min(loss for _, loss, _ in done.candidates) < done.information_loss
        evidence.append(_WON + _PASSED_OVER if passed_over else _WON)
    evidence += _surest(done.checked, "The surest conclusion that is left")
    if remaining is not None:
        evidence += _rules(remaining, row_by_row=done.recoding is not None)
    return Answer(_verdict(done), [*evidence, _written(done, output, mapping, drawn)], steps)


def curve_answer(found: LossCurve, output: Path | None) -> Answer:
    """Return what the curve of loss over rho says."""
    first, *others = found.sentences
    heads, lines = found.table
    evidence: list[Evidence] = ["\n".join(others)] if others else []
    how = "what loses least" if found.competing else found.method
    evidence.append(TextTable(f"What is lost and what is left, by {how}", heads, lines))
    if not all(point.finished for point in found.points):
        evidence.append("The time limit ended some of the searches: more time may lose less.")
    said = "This is for you alone: no rows were written."
    return Answer(first, [*evidence, said if output is None else f"Written to {output}. {said}"])


def _verdict(done: Anonymized) -> Headline:
    limit = _limit_text(done.checked)
    if not done.safe:
        return Headline("NOT PROTECTED", "bad", f"a sensitive item can still be concluded with {limit}")
    if done.method == "perturb":
        reached = limit.replace(" or more", "", 1)
        return Headline("PROTECTED AT FACE VALUE", "open", f"by chance, no conclusion reaches {reached} in these rows")
    if done.verdict == "face-value":
        return Headline(
            "PROTECTED AT FACE VALUE", "open", f"in these rows nobody can conclude a sensitive item with {limit}"
        )
    return Headline("PROTECTED", "good", f"nobody can conclude a sensitive item with {limit}")


def _price(done: Anonymized) -> str:
    loss = f"{loss_text(done.information_loss)} of the information in {counted(done.n, 'row')} is lost"
    if done.method == "perturb":
        return (
            f"{loss}, by the measure that cao2010 has for randomized rows. Randomizing keeps the promise on average "
            "only; another seed gives other rows."
        )
    if done.method != "simple":
        loss += f"; dropping every sensitive item would lose {loss_text(done.simple_loss)}"
    if not done.finished:
        loss += ". The search was stopped: this is the best so far, checked like any other, and more time may lose less"
    least = least_text(done)
    return f"{loss}.\n{least}" if least else f"{loss}."


def least_text(done: Anonymized) -> str:
    """Return what no recoding that is the same in all rows can lose less than, rounded down; empty if not known."""
    bound = None if done.bounded is None else done.bounded()
    if bound is None:
        return ""
    if bound.optimum:
        least = "" if bound.optimum == done.information_loss else f" than {loss_text(bound.optimum)}"
        said = f"With this hierarchy no recoding that is the same in all rows can lose less{least}: all were tried."
        return said + _not_bound(done, bound.optimum)
    if (whole := floor(10_000 * bound.loss)) == 0:
        return ""
    least = "" if bound.loss == done.information_loss else f" than {loss_text(Fraction(whole, 10_000))}"
    more = " The search for a higher bound was cut short." if least and bound.cut_short else ""
    return f"No recoding that is the same in all rows can lose less{least}.{more}" + _not_bound(done, bound.loss)


def _not_bound(done: Anonymized, bound: Fraction) -> str:
    """Return that a method which changes rows one by one went below the bound of the others."""
    return f" {done.method} is not the same in all rows." if done.information_loss < bound else ""


def left_table(left: WhatIsLeft, rules: tuple[int, int] | None = None) -> TextTable:
    """Return what is left, by what people do with rows; `rules` are all, and those that are as sure as before."""
    lines = [
        ("rows as they were", *left.rows),
        ("sensitive items", *left.sensitive_items),
        ("sensitive items in rows", *left.sensitive_entries),
        ("other items in rows", *left.other_entries),
    ]
    title = "What is left"
    if left.itemsets is not None:
        title += f" (itemsets and rules of at most three items, in {counted(left.itemsets.min_support, 'row')} or more)"
        lines += [
            ("frequent itemsets", left.itemsets.before, left.itemsets.kept),
            ("frequent itemsets with a sensitive item", *left.itemsets.sensitive[:2]),
            ("itemsets with the same support", left.itemsets.before, left.itemsets.exact),
        ]
    if rules is not None:
        lines.append(("rules with the same confidence", *rules))
    return TextTable(
        title,
        ("before", "now", "share", "of"),
        [(number(before), number(now), percent(now, before) if before else "", words) for words, before, now in lines],
    )


def _what_left_rows(done: Anonymized, recoding: LocalRecoding | RareRows) -> str:
    """Return what became of items that left single rows."""
    entries, removed = recoding.entries
    gone, generalized = done.suppressed, done.generalized
    text = (
        f"Taken out: {number(removed)} of {counted(entries, 'entry', 'entries')} of sensitive items, in "
        f"{counted(recoding.changed_rows, 'row')}; {counted(len(gone['sensitive']), 'sensitive item')} "
        f"{'is' if len(gone['sensitive']) == 1 else 'are'} in no row any more."
    )
    if isinstance(recoding, RareRows):
        text += (
            f" {counted(recoding.rare, 'row')} {'is' if recoding.rare == 1 else 'are'} rare, which means that fewer "
            f"than {number(recoding.below)} rows that are not rare have all the same other items, and lost every "
            "sensitive item."
        )
    if gone["other"]:
        text += f" {counted(len(gone['other']), 'other item')} left with a column."
    if generalized:
        nodes = counted(len(set(generalized.values())), "node")
        text += f" {counted(len(generalized), 'item')} generalized to {nodes}, in all rows."
    return text


_VERDICTS = {"protected": "PROTECTED", "face-value": "PROTECTED AT FACE VALUE", "not-protected": "NOT PROTECTED"}
_GUESSES = (
    "At face value means: in the rows as they stand. An item that is absent may have been taken out. Whoever knows "
    "part of a row and this method is never certain of that, but can guess: of small data sets that were changed, "
    "every possible input counted, a guess about someone reached rho in "
    f"{percent(GUESSED.numerator, GUESSED.denominator)}. Whoever knows more can be certain of a sensitive item: that "
    "another one was taken out of the row, that some row had it although none has it now, or which item is behind a "
    "generalized one."
)

_WON = (
    "Because methods competed, the promise is that of local, whichever won. Do not tell anybody which one did: it "
    "follows from all rows, and whoever knows it can be certain of a sensitive item of someone."
)
_PASSED_OVER = (
    " What loses less was passed over: where other items are generalized or dropped, that it won would tell something "
    "to whoever reads the rows."
)


_RARE = (
    "Whether a row is rare follows from its other items alone, and all sensitive items leave it, whether it has any or "
    "not: that they are absent there tells nothing. In the other rows items leave all rows or none, and they pass the "
    "check by themselves, too. What a reader learns are the decisions: how many rows make one rare, what is "
    "generalized, and what was dropped from all rows."
)


def _false_rules(recoding: LocalRecoding | RareRows) -> str:
    found = recoding.false_rules
    return (
        f"Of {counted(found.published, 'rule')} of at most three items that can be mined now in "
        f"{counted(found.min_support, 'row')} or more with a confidence of {share(found.min_confidence)} or more, "
        f"{number(found.false)} {'was' if found.false == 1 else 'were'} not there before."
    )


def _what_was_done(done: Anonymized, publication: Publication) -> str:
    gone, generalized = done.suppressed, done.generalized
    private = int((publication.node_of < 0).sum())
    others = len(publication.vocabulary) - private
    text = (
        f"Dropped: {number(len(gone['sensitive']))} of {counted(private, 'sensitive item')} and "
        f"{number(len(gone['other']))} of {counted(others, 'other')}."
    )
    if generalized:
        text += (
            f" {counted(len(generalized), 'item')} generalized to {counted(len(set(generalized.values())), 'node')}."
        )
    if done.unknown:
        text += (
            f" {counted(len(done.unknown), 'item')} that the mapping does not know "
            f"{'is' if len(done.unknown) == 1 else 'are'} among the dropped: {itemset_text(done.unknown)}."
        )
    return text


def _costliest(publication: Publication, rows: Transactions) -> list[Evidence]:
    losses = losses_by_item(publication, rows)
    lines = [
        (
            number(int(losses.supports[place])),
            percent(int(losses.lost[place]), losses.whole),
            _fate(losses.published_as[place], sensitive=bool(losses.sensitive[place])),
            label_text(losses.labels[place]),
        )
        for place in range(min(_ITEMS_SHOWN, len(losses)))
        if losses.lost[place]
    ]
    return [TextTable("What cost most", ("rows", "lost", "published as", "item"), lines)] if lines else []


def _fate(name: str | None, *, sensitive: bool) -> str:
    if name is None:
        return "dropped, sensitive" if sensitive else "dropped"
    return label_text(name, 24)


def _tree(publication: Publication) -> str:
    lines = [
        f"{'  ' * (depth + 1)}{label_text(label)}{': ' if fate else ''}{fate}"
        for depth, label, fate in islice(publication_tree(publication), _LINES_OF_TREE + 1)
    ]
    more = ["  …"] if len(lines) > _LINES_OF_TREE else []
    return "\n".join(["The hierarchy, as far as it was touched", *lines[:_LINES_OF_TREE], *more])


def _rules(remaining: RemainingRules, *, row_by_row: bool) -> list[Evidence]:
    changed = f"{number(remaining.changed)} have another support or confidence, " if row_by_row else ""
    said = (
        f"Of {counted(remaining.before, 'rule')} of at most three items in {counted(remaining.min_support, 'row')} or "
        f"more, with a confidence of {share(remaining.min_confidence)} or more, {number(remaining.kept)} are "
        f"exactly what they were, {changed}{number(remaining.blurred)} are now part of a generalized one, and "
        f"{number(remaining.lost)} are lost. {number(len(remaining.generalized))} of the "
        f"{counted(len(remaining.published), 'rule')} that can be mined now are generalized."
    )
    if row_by_row:  # rows that lost an item bound nothing
        return [said]
    lines = [
        (
            number(bound.support),
            share(bound.confidence),
            share(bound.at_most),
            f"{itemset_text(bound.antecedent, 30)} -> {itemset_text(bound.consequent, 30)}",
        )
        for bound in islice(remaining.bounds(), _RULES_SHOWN)
    ]
    if not lines:
        return [said]
    title = "Generalized rules, and how sure at most a rule with items in the nodes' places can be"
    return [said, TextTable(title, ("rows", "sure", "at most", "rule"), lines)]


def _written(done: Anonymized, output: Path, mapping: Path | None, drawn: Path | None) -> str:
    verdict = "NOT FOR RELEASE." if not done.safe else "this may be published."
    if done.safe and done.method == "perturb":
        verdict = "checked, but nothing is promised."
    elif done.verdict == "face-value":
        verdict = "this may be published, as protected at face value."
    lines = [f"Written to {output}: {verdict}"]
    if mapping is not None:
        lines.append(
            f"Written to {mapping}: for you alone, NOT FOR RELEASE; with --apply it publishes other rows in the same "
            "way."
        )
    if drawn is not None:
        lines.append(f"Written to {drawn}: for you alone, NOT FOR RELEASE.")
    return "\n".join([*lines, "This summary is for you alone as well: it shows what was dropped."])


def rule_text(rule: SensitiveRule) -> str:
    """Return a sensitive rule as a sentence."""
    cases = f"{number(rule.together)} of {counted(rule.holding, 'row')} ({percent(rule.together, rule.holding)})"
    who = f"anyone who has {itemset_text(rule.antecedent)} also has" if rule.antecedent else "anyone has"
    return f"{who} {label_text(rule.consequent)}: {cases}"


def _sentence(rule: SensitiveRule) -> str:
    text = rule_text(rule)
    return f"{text[0].upper()}{text[1:]}."


def loss_text(loss: Fraction) -> str:
    """Return an information loss in per cent, to a hundredth: methods may differ by little."""
    return f"{100 * float(loss):.2f} %"


def _row_numbers(positions: NDArray[np.int64]) -> str:
    """Return rows by their numbers in the file, shortened if there are many."""
    shown = [number(int(position) + 1) for position in positions[:_ROWS_SHOWN]]
    more = len(positions) - len(shown)
    listed = ", ".join(shown) + (f" and {number(more)} more" if more else "")
    return f"row {listed}" if len(positions) == 1 else f"rows {listed}"

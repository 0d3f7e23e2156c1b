"""What `check` and `anonymize` say: whether a sensitive item can be inferred, the cost, what became of items."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from discreet.answers.answer import Answer, Headline, Step, TextTable
from discreet.uncertainty.empty_cells import empty_cell
from discreet.uncertainty.utility import losses_by_item, publication_tree
from discreet.wording import counted, itemset_text, label_text, number, percent, share

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from discreet.answers.answer import Evidence
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.anonymize import Anonymized
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.publication import Publication
    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.uncertainty.utility import RemainingRules

__all__ = ["anonymize_answer", "check_answer", "loss_text", "rule_text"]

_ROWS_SHOWN = 12
_ITEMS_SHOWN = 10
_RULES_SHOWN = 5
_LINES_OF_TREE = 60


def check_answer(found: Checked, steps: Sequence[Step] = (), *, explain: bool = False) -> Answer:
    """Return what a check says: the inference of highest confidence, and whom it endangers."""
    headline = Headline("PROTECTED", "good", f"nobody can conclude a sensitive item with {share(found.rho)} or more")
    if found.worst_rule is None:
        headline = Headline("PROTECTED", "good", "no row holds a sensitive item")
    elif not found.safe:
        headline = Headline("NOT PROTECTED", "bad", "someone who knows part of a row can conclude a sensitive item")
    evidence: list[Evidence] = []
    if found.worst_rule is not None:
        evidence.append(f"The surest conclusion:\n  {_sentence(found.worst_rule)}")
    if not found.safe:
        evidence.append(_extent(found))
    if found.empty_cells:
        evidence.append(_gaps(found))
    if not found.exact_knowledge and found.safe:
        evidence.append(
            "That is for someone who knows items of a row. Whoever also knows what it does not hold can be surer: see "
            "--exact-knowledge."
        )
    return Answer(headline, [*evidence, *([_DEFINITION] if explain else [])], steps)


def _gaps(found: Checked) -> str:
    """Return what the labels of empty cells mean."""
    named = itemset_text([empty_cell(column) for column in found.empty_cells])
    text = f"An empty cell ({named}) counts as a sensitive value: one may have been dropped there."
    if found.safe:
        return text
    return f"{text} If such cells were empty from the start, use --empty-cells missing."


def _extent(found: Checked) -> str:
    """Return how many items and rows are in danger, and which the worst rule endangers."""
    concluded = (
        f"{counted(len(found.affected), 'sensitive item')} can be concluded with {share(found.rho)} or more: "
        f"{itemset_text(found.affected, 70)}."
    )
    if found.endangered is None or found.endangered_by_one is None:  # Spark's rows have no numbers
        rows = 0 if found.worst_rule is None else found.worst_rule.together
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
    evidence: list[Evidence] = [_price(done)]
    if done.publication is not None:
        evidence += [_what_was_done(done, done.publication), *_costliest(done.publication, rows)]
        if tree:
            evidence.append(_tree(done.publication))
    if done.worst_rule is not None:
        evidence.append(f"The surest conclusion that is left:\n  {_sentence(done.worst_rule)}")
    if remaining is not None:
        evidence += _rules(remaining)
    return Answer(_verdict(done), [*evidence, _written(done, output, mapping, drawn)], steps)


def _verdict(done: Anonymized) -> Headline:
    limit = share(done.rho)
    if not done.safe:
        return Headline("NOT PROTECTED", "bad", f"a sensitive item can still be concluded with {limit} or more")
    if done.method == "perturb":
        return Headline("PROTECTED AT FACE VALUE", "open", f"by chance, no conclusion reaches {limit} in these rows")
    return Headline("PROTECTED", "good", f"nobody can conclude a sensitive item with {limit} or more")


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
    return f"{loss}."


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


def _rules(remaining: RemainingRules) -> list[Evidence]:
    said = (
        f"Of {counted(remaining.before, 'rule')} of at most three items in {counted(remaining.min_support, 'row')} or "
        f"more, with a confidence of {share(remaining.min_confidence)} or more, {number(remaining.kept)} are "
        f"exactly what they were, {number(remaining.blurred)} are now part of a generalized one, and "
        f"{number(remaining.lost)} are lost. {number(len(remaining.generalized))} of the "
        f"{counted(len(remaining.published), 'rule')} that can be mined now are generalized."
    )
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

"""What `anonymize` says: the verdict, the price, what became of items, and what to do next."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from discreet.cli.screen import answer, next_steps, paragraph, show, table
from discreet.cli.uncertainty_words import loss_text, reading_again, rule_text
from discreet.uncertainty.utility import losses_by_item, publication_tree
from discreet.wording import counted, itemset_text, label_text, number, percent, share

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.anonymize import Anonymized
    from discreet.uncertainty.publication import Publication
    from discreet.uncertainty.utility import RemainingRules

__all__ = ["tell"]

ITEMS_SHOWN = 10
RULES_SHOWN = 5
LINES_OF_TREE = 60


def tell(
    done: Anonymized,
    rows: Transactions,
    remaining: RemainingRules | None,
    *,
    output: Path,
    mapping: Path | None,
    drawn: Path | None,
    check: list[str] | None,
    tree: bool,
) -> None:
    """Print the answer; `check` are the options that check the written rows again."""
    parts = [_verdict(done), paragraph(_price(done))]
    if done.publication is not None:
        parts.append(paragraph(_what_was_done(done, done.publication)))
        parts += _costliest(done.publication, rows)
        if tree:
            parts.append(_tree(done.publication))
    if done.worst_rule is not None:
        parts.append(paragraph(f"The surest conclusion that is left:\n  {rule_text(done.worst_rule)}"))
    if remaining is not None:
        parts += _rules(remaining)
    parts.append(paragraph(_written(done, output, mapping, drawn)))
    if check is not None:
        again = ["discreet", "check", *reading_again(done.rows, output), *check]
        parts.append(next_steps([(again, "checks the written rows once more")]))
    show(*parts)


def _verdict(done: Anonymized) -> RenderableType:
    limit = share(done.rho)
    if not done.safe:
        return answer(
            f"a sensitive item can still be concluded with {limit} or more", verdict="NOT SAFE", style="bold red"
        )
    if done.method == "perturb":
        return answer(f"by chance, no conclusion reaches {limit} in these rows", verdict="CHECKED", style="bold yellow")
    return answer(f"nobody can conclude a sensitive item with {limit} or more", verdict="SAFE", style="bold green")


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


def _costliest(publication: Publication, rows: Transactions) -> list[RenderableType]:
    losses = losses_by_item(publication, rows)
    lines = [
        (
            number(int(losses.supports[place])),
            percent(int(losses.lost[place]), losses.whole),
            _fate(losses.published_as[place], sensitive=bool(losses.sensitive[place])),
            label_text(losses.labels[place]),
        )
        for place in range(min(ITEMS_SHOWN, len(losses)))
        if losses.lost[place]
    ]
    return [table(["rows", "lost", "published as", "item"], lines, title="What cost most")] if lines else []


def _fate(name: str | None, *, sensitive: bool) -> str:
    if name is None:
        return "dropped, sensitive" if sensitive else "dropped"
    return label_text(name, 24)


def _tree(publication: Publication) -> RenderableType:
    lines = [
        f"{'  ' * (depth + 1)}{label_text(label)}{': ' if fate else ''}{fate}"
        for depth, label, fate in islice(publication_tree(publication), LINES_OF_TREE + 1)
    ]
    more = ["  …"] if len(lines) > LINES_OF_TREE else []
    return paragraph("\n".join(["The hierarchy, as far as it was touched", *lines[:LINES_OF_TREE], *more]))


def _rules(remaining: RemainingRules) -> list[RenderableType]:
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
        for bound in islice(remaining.bounds(), RULES_SHOWN)
    ]
    if not lines:
        return [paragraph(said)]
    title = "Generalized rules, and how sure at most a rule with items in the nodes' places can be"
    return [paragraph(said), table(["rows", "sure", "at most", "rule"], lines, title=title)]


def _written(done: Anonymized, output: Path, mapping: Path | None, drawn: Path | None) -> str:
    verdict = "NOT SAFE to publish." if not done.safe else "this may be published."
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

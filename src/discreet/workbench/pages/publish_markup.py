"""Markup of the page *Publish patterns*: numbers, costs, and the quasi-identifiers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from discreet.channels.derivation import MINUS, bounds_of
from discreet.publishing.page import itemset
from discreet.wording import counted, number, one_line, percent, share
from discreet.workbench.pages.page_kit import fact, table
from discreet.workbench.tasks.publish import identifying_words

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.channels.derivation import Deduction, Figure
    from discreet.workbench.jobs.patterns import Costs
    from discreet.workbench.tasks.publish import Look

__all__ = ["costs_markup", "facts_markup", "identifying_markup", "proof_markup"]

_MOST_FIGURES = 24


def identifying_markup(quasi_identifiers: str | None) -> str:
    """Return the quasi-identifiers, if not every item is one."""
    return escape(one_line(identifying_words(quasi_identifiers)))


def facts_markup(look: Look, n: int) -> str:
    """Return the numbers of an audit of `n` rows, and how far the attacker searched."""
    from_share = percent(min(look.min_support, n), n)
    unknown = "?" if look.given_up else "…"
    facts = (
        (number(look.audit.closed_count), f"closed itemsets from {from_share} up"),
        (number(len(look.audit.channels)), "channels"),
        (unknown if look.attacked is None else number(look.found_by_attacker), "groups that the attacker found"),
    )
    return f'<div class="facts">{"".join(fact(value, words) for value, words in facts)}</div>{_reach(look)}'


def _reach(look: Look) -> str:
    """Return how far the attacker searched, and what a proof of safety means."""
    found = look.attacked
    if found is None or not look.audit.closed_count:
        return ""
    if found.complete:
        words = "The attacker looked at all items together, and missed nothing."
    else:
        left_out = f"; {number(found.left_out)} {'was' if found.left_out == 1 else 'were'} left out"
        words = (
            f"The attacker looked at {counted(found.windows, 'window')} of up to "
            f"{counted(found.items_per_window, 'item')}{left_out if found.left_out else ''}."
            if found.windows
            else "The attacker's steps came to an end before it had looked at any window to the end."
        )
    if found.proved:
        words += (
            " PROVED: some data set agrees with these patterns and has every kind of row not at all or at least "
            f"{number(look.k)} times. So no small group is certain, of whatever items; one may still be likely."
        )
    return f'<p class="note">{words}</p>'


def proof_markup(proof: Deduction | None, low: int, high: int) -> str:
    """Return the sums that bound a group found by the attacker, with their figures."""
    if proof is None:
        return "<p>The attacker found it; <code>audit --json</code> gives the sums of the 200 smallest groups.</p>"
    parts = [
        "<p>It follows from published figures, added and subtracted:</p>",
        *(
            f'<p class="arithmetic">{escape(bound.text(most=_MOST_FIGURES))}</p>'
            for bound in bounds_of(proof, low, high)
        ),
    ]
    by_items = {figure.items: figure for figure in (*(proof.low or ()), *(proof.high or ()))}
    if len(by_items) <= _MOST_FIGURES:
        parts.append(f'<ul class="letters">{"".join(_figure(each) for each in by_items.values())}</ul>')
    return "".join(parts)


def _figure(figure: Figure) -> str:
    if figure.items is None:
        return f"<li><b>{number(figure.value + 1)} {MINUS} 1</b> rows at most have what is not published</li>"
    whose = f"have {itemset(figure.items)}" if figure.items else "in all"
    return f"<li><b>{number(figure.value)}</b> {whose}</li>"


def costs_markup(costs: tuple[Costs, ...], at: tuple[int, int, str | None], *, stale: bool) -> str:
    """Return what both methods cost at a support, a k and some quasi-identifiers; dimmed if the point has moved."""
    support, k, names = at
    where = f"At {counted(support, 'row')}, k = {k}{identifying_markup(names)}:"
    refusals = "".join(
        f'<p class="refusal">{each.method}: {escape(each.refusal)}</p>' for each in costs if each.refusal
    )
    return f'<div class="{"stale" if stale else ""}"><p class="note">{where}</p>{_cost_table(costs)}{refusals}</div>'


def _cost_table(costs: tuple[Costs, ...]) -> str:
    """Return both methods side by side."""
    good = [each for each in costs if not each.refusal]
    lines = [
        ("rows added, or left out", [number(each.rows) for each in good]),
        ("rows after", [number(each.n_after) for each in good]),
        ("closed itemsets", [number(each.patterns) for each in good]),
        ("… changed", [number(each.changed_patterns) for each in good]),
        ("… lost", [number(each.lost_patterns) for each in good]),
        ("all itemsets changed", [_share(each.changed) for each in good]),
        ("average change", [_share(each.average) for each in good]),
        ("largest change", [_share(each.worst) for each in good]),
    ]
    return table(("", *(each.method for each in good)), [(name, *cells) for name, cells in lines])


def _share(value: Fraction | None) -> str:
    return "" if value is None else share(value)

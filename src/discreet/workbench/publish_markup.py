"""What the page *Publish patterns* tells as markup: numbers, costs, and what identifies people."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from discreet.wording import counted, number, one_line, percent
from discreet.workbench.frame import fact, table
from discreet.workbench.publishing_task import identifying_words

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.workbench.publishing_task import Look
    from discreet.workbench.work import Costs

__all__ = ["costs_markup", "facts_markup", "identifying_markup"]


def identifying_markup(quasi_identifiers: str | None) -> str:
    """Return what identifies people, where that is not everything."""
    return escape(one_line(identifying_words(quasi_identifiers)))


def facts_markup(look: Look, n: int) -> str:
    """Return the numbers of a look at `n` rows."""
    share = percent(min(look.min_support, n), n)
    border = {"unknown": "…", "given up": "?"}.get(look.border, number(len(look.audit.border or ())))
    facts = (
        (number(look.audit.closed_count), f"closed itemsets from {share} up"),
        (number(len(look.audit.channels)), "channels inside"),
        (border, "across the border"),
    )
    return f'<div class="facts">{"".join(fact(value, words) for value, words in facts)}</div>'


def costs_markup(costs: tuple[Costs, ...], at: tuple[int, int, str | None], *, stale: bool) -> str:
    """Return what both ways cost at a support, a k and some quasi-identifiers; dimmed where the point has gone on."""
    support, k, names = at
    where = f"At {counted(support, 'row')}, k = {k}{identifying_markup(names)}:"
    refusals = "".join(
        f'<p class="refusal">{each.method}: {escape(each.refusal)}</p>' for each in costs if each.refusal
    )
    return f'<div class="{"stale" if stale else ""}"><p class="note">{where}</p>{_cost_table(costs)}{refusals}</div>'


def _cost_table(costs: tuple[Costs, ...]) -> str:
    """Return both ways side by side."""
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
    return "" if value is None else percent(value.numerator, value.denominator)

"""The public reports on patterns and on rows: what is published, what is promised about it, and what is not.

A board member reads the first screen; an engineer scrolls to the chart, the table, the definitions and the limits. A
report is made from the public value alone (`audiences`), so that it cannot disclose whether anything was changed,
where, how, and by how much; nor does it depend on signatures, which may be added later. Published rows are in a
separate file; their report names none of their items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.publishing.charts import pattern_figure
from discreet.publishing.page import filled, page
from discreet.publishing.promises import small_group, what_nobody_concludes, what_was_looked_at
from discreet.publishing.tables import MOST_LINES, BrowsingTable, Counts, Items, Lengths, Shares, largest
from discreet.wording import counted, number, percent

if TYPE_CHECKING:
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.publishing.audiences import PublishedPatterns, PublishedRows
    from discreet.wording import Unit

__all__ = ["HIERARCHY", "pattern_table", "public_report", "rows_report"]

HIERARCHY = "hierarchy.csv"
"""The file of a bundle of generalized rows that says what they mean."""


def public_report(published: PublishedPatterns) -> str:
    """Return the page as HTML: the same value gives the same bytes."""
    patterns, rules, exclusive = published.patterns, published.rules, published.exclusive
    least = int(patterns.supports.min(initial=patterns.n))
    title = published.title or _default_title(patterns, published.unit)
    body = filled(
        "report.html",
        title=title,
        lead=_lead(patterns, least, published.unit),
        count=len(patterns),
        n=number(patterns.n),
        k=number(published.k),
        small=small_group(published.k, published.unit),
        unit=published.unit,
        persons=published.persons,
        least=number(least),
        beyond=what_was_looked_at(published),
        unlooked=_unlooked(published),
        overview=_overview(patterns),
        chart=pattern_figure(patterns),
        listed=_listed(patterns),
        table=pattern_table(patterns) if len(patterns) else None,
        most_lines=MOST_LINES,
        rules=rules,
        rule_table=_rule_table(rules) if rules is not None and len(rules) else None,
        closed="The patterns listed here are the closed ones." if patterns.target == "closed" else "",
        exclusive=exclusive if exclusive.columns or exclusive.named else None,
        quasi_identifiers=published.quasi_identifiers,
        conclusions=published.conclusions,
        concluded=what_nobody_concludes(published),
        selected=published.selected,
        files=published.files,
        version=published.version,
    )
    return page(title=title, body=body, script="tables.js")


def rows_report(published: PublishedRows) -> str:
    """Return the page as HTML: the same value gives the same bytes."""
    title = published.title or f"Data about {published.unit.counted(published.n)}"
    body = filled(
        "rows.html",
        title=title,
        lead=f"{published.unit.counted(published.n)}, each a set of items.",
        n=number(published.n),
        items=number(published.items),
        promise=published.statement,
        not_promised=published.not_promised,
        files=published.files,
        generalized=HIERARCHY in published.files,
        version=published.version,
    )
    return page(title=title, body=body)


def _default_title(patterns: PatternSet, unit: Unit) -> str:
    return f"What {unit.counted(patterns.n)} {'has' if patterns.n == 1 else 'have'} in common"


def _lead(patterns: PatternSet, least: int, unit: Unit) -> str:
    if not len(patterns):
        return f"No combination of items may be published, only how many {unit.plural} there are."
    return (
        f"{counted(len(patterns), 'combination')} of items, each with the number of {unit.plural} that have all of "
        f"them. Even the rarest is shared by {unit.counted(least)}, {percent(least, patterns.n)} of all."
    )


def _overview(patterns: PatternSet) -> str:
    if not len(patterns):
        return "Nothing is published but the number of rows."
    lengths = patterns.itemsets.lengths
    items = len(np.unique(patterns.items))
    longest = int(lengths.max())
    sizes = "a single item" if longest == 1 else f"1 to {number(longest)} items"
    if int(lengths.min()) > 1:
        sizes = f"{number(int(lengths.min()))} to {number(longest)} items"
    return (
        f"{counted(len(patterns), 'pattern')} of {sizes}, made of {counted(items, 'different item')}. "
        f"The rarest is in {number(int(patterns.supports.min()))} of {number(patterns.n)} rows, the most frequent in "
        f"{number(int(patterns.supports.max()))}."
    )


def _listed(patterns: PatternSet) -> str:
    which = {"closed": "All closed itemsets", "selected": "Itemsets"}.get(patterns.target, "All itemsets")
    return f"{which} that at least {number(patterns.min_support)} of {number(patterns.n)} rows hold"


def pattern_table(patterns: PatternSet) -> BrowsingTable:
    """Return the most frequent itemsets, to sort, search and page through."""
    kept = largest(patterns.supports)
    items = Items("Items", patterns.vocabulary, patterns.itemsets.select(kept))
    rows = Counts("Support", patterns.supports[kept])
    return BrowsingTable(
        "Patterns, each with the number of rows that hold it, and their share of all rows",
        (items, Lengths("Length", items), rows, Shares("Share", rows, patterns.n)),
    )


def _rule_table(rules: RuleSet) -> BrowsingTable:
    kept = largest(rules.supports)
    both = Counts("Support", rules.supports[kept])
    return BrowsingTable(
        "Rules, each with the number of rows that hold both sides",
        (
            Items("If a row holds", rules.vocabulary, rules.antecedents.select(kept)),
            Items("it also holds", rules.vocabulary, rules.consequents.select(kept)),
            both,
            Shares("Confidence", both, rules.antecedent_supports[kept]),
        ),
    )


def _unlooked(published: PublishedPatterns) -> str:
    """Return what remains open, if anything."""
    if published.proved or published.attack.complete:
        return ""
    return " What follows only from more items together than a window holds is not known. [2]"

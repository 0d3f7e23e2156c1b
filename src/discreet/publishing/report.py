"""The public report: what is published, what is promised about it, and what is not, in one page for everyone.

A board member reads the first screen; an engineer scrolls to the chart, the table, the definitions and the limits. The
report is made of the public value alone (`audiences.PublishedPatterns`), so that it cannot tell what must not be told:
whether anything was changed, where, how, and by how much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.publishing.charts import pattern_figure
from discreet.publishing.page import code, enumeration, filled, item, page
from discreet.publishing.promises import small_group, what_was_looked_at
from discreet.publishing.tables import MOST_LINES, Counts, Items, Lengths, Shares, browsing_table, largest
from discreet.wording import counted, number, percent

if TYPE_CHECKING:
    from discreet.channels.exclusive import Exclusive
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.publishing.audiences import PublishedPatterns

__all__ = ["SIGNATURE", "public_report", "verify_command"]


def public_report(published: PublishedPatterns) -> str:
    """Return the page as HTML: the same value, the same bytes."""
    patterns, k = published.patterns, published.k
    least = int(patterns.supports.min(initial=patterns.n))
    title = published.title or _default_title(patterns)
    body = filled(
        "report.html",
        title=title,
        lead=_lead(patterns, least),
        count=number(len(patterns)),
        n=number(patterns.n),
        k=number(k),
        small=small_group(k),
        least=number(least),
        beyond=what_was_looked_at(published.attack, k, proved=published.proved),
        unlooked=_unlooked(published),
        overview=_overview(patterns),
        chart=pattern_figure(patterns),
        listed=_listed(patterns),
        table=_pattern_table(patterns),
        rules_link='<li><a href="#rules">The rules</a></li>\n' if published.rules is not None else "",
        rules="" if published.rules is None else _rules(published.rules),
        closed=_closed(patterns),
        known=_known(published.exclusive),
        quasi=_quasi(published.quasi_identifiers),
        files_listed=enumeration([code(name) for name in published.files]),
        verify=verify_command(signed=published.signed),
        signature=SIGNATURE if published.signed else "",
        unsigned="" if published.signed else _UNSIGNED,
        rules_check="" if published.rules is None else "; the rules must be those that follow",
        version=published.version,
    )
    return page(title=title, body=body, script="tables.js")


SIGNATURE = (
    ", and with <code>--trust</code> and the publisher's certificate <code>PUBLIC.pem</code>, which you must have from "
    "them by another way, so is a changed or missing signature"
)
"""What verifying a signature takes, as the end of a sentence about digests."""

_UNSIGNED = "<li><strong>No signature.</strong> Nothing here tells who published this.</li>\n"


def verify_command(*, signed: bool) -> str:
    """Return the command with which anyone checks a release."""
    return "discreet verify FOLDER --trust PUBLIC.pem" if signed else "discreet verify FOLDER"


def _default_title(patterns: PatternSet) -> str:
    return f"What {counted(patterns.n, 'person has', 'people have')} in common"


def _lead(patterns: PatternSet, least: int) -> str:
    if not len(patterns):
        return "No combination of items may be published, only how many people the data are about."
    return (
        f"{counted(len(patterns), 'combination')} of items, each with the number of people who have all of them. Even "
        f"the rarest is shared by {number(least)} people, {percent(least, patterns.n)} of all."
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
    which = "All closed itemsets" if patterns.target == "closed" else "All itemsets"
    return (
        f"{which} that at least {number(patterns.min_support)} of {number(patterns.n)} rows hold, as in "
        f"<code>patterns.csv</code> and <code>patterns.parquet</code>.{_most_frequent(len(patterns))}"
    )


def _closed(patterns: PatternSet) -> str:
    return "The patterns listed here are the closed ones." if patterns.target == "closed" else ""


def _pattern_table(patterns: PatternSet) -> str:
    if not len(patterns):
        return ""
    kept = largest(patterns.supports)
    items = Items("Items", patterns.vocabulary, patterns.itemsets.select(kept))
    rows = Counts("Support", patterns.supports[kept])
    return browsing_table(
        "Patterns, each with the number of rows that hold it, and their share of all rows",
        items,
        Lengths("Length", items),
        rows,
        Shares("Share", rows, patterns.n),
        rest="<code>patterns.csv</code> has all of them.",
    )


def _most_frequent(count: int) -> str:
    """Say that a table has not all lines, where it has not."""
    return f" The table has the {number(MOST_LINES)} most frequent." if count > MOST_LINES else ""


def _rules(rules: RuleSet) -> str:
    """Return the section of the rules."""
    least = percent(rules.min_confidence.numerator, rules.min_confidence.denominator)
    return filled(
        "rules.html",
        count=counted(len(rules), "rule"),
        confidence=least,
        most=_most_frequent(len(rules)),
        table=_rule_table(rules) if len(rules) else "",
    )


def _rule_table(rules: RuleSet) -> str:
    kept = largest(rules.supports)
    both = Counts("Support", rules.supports[kept])
    return browsing_table(
        "Rules, each with the number of rows that hold both sides",
        Items("If a row holds", rules.vocabulary, rules.antecedents.select(kept)),
        Items("it also holds", rules.vocabulary, rules.consequents.select(kept)),
        both,
        Shares("Confidence", both, rules.antecedent_supports[kept]),
        rest="<code>rules.csv</code> has all of them.",
    )


def _unlooked(published: PublishedPatterns) -> str:
    """Say what remains open, where anything does."""
    if published.proved or published.attack.complete:
        return ""
    return " What follows only from more items together than a window holds is not known. [2]"


def _known(exclusive: Exclusive) -> str:
    """Say what readers were taken to know of items that exclude each other."""
    if not exclusive.columns and not exclusive.named:
        return ""
    columns = " ".join(item(name) for name in exclusive.columns)
    sets = "; ".join(" ".join(item(label) for label in labels) for labels in exclusive.named)
    known = [f"two values of one of the columns {columns}"] if columns else []
    known += [f"two items of one of these sets: {sets}"] if sets else []
    return (
        "<li><strong>What everyone knows.</strong> Readers were taken to know that no row has "
        f"{', or '.join(known)}. What else is known of the items was not reckoned with.</li>\n"
    )


def _quasi(names: tuple[str, ...] | None) -> str:
    if names is None:
        return ""
    listed = " ".join(item(name) for name in names)
    return (
        "<li><strong>Chosen items.</strong> The owner took these alone to be known to strangers, and nothing else was "
        f"looked at or published: {listed}.</li>\n"
    )

"""The few patterns that a summary shows of the many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.cli.screen import paragraph, table
from discreet.cli.wording import counted, itemset_text, number, percent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from discreet.patterns.patternset import PatternSet

__all__ = ["first_line", "pattern_sizes", "pattern_table"]

SHOWN = 10
"""Lines of evidence; the rest is for a file."""


def first_line(found: PatternSet) -> str:
    """Return how many itemsets there are, and in how many rows each occurs."""
    kind = "" if found.target == "all" else f"{found.target} "
    length = "" if found.max_length is None else f" of at most {counted(found.max_length, 'item')}"
    rows = f"at least {number(found.min_support)} of {counted(found.n, 'row')}"
    share = f" ({percent(found.min_support, found.n)})" if 0 < found.min_support <= found.n else ""
    if len(found) == 0:
        return f"No itemset{length} occurs in {rows}{share}"
    verb = "occurs" if len(found) == 1 else "occur"
    return f"{counted(len(found), kind + 'itemset')}{length} {verb} in {rows}{share}"


def pattern_table(found: PatternSet) -> RenderableType:
    """Return the most frequent combinations: single items tell little, so they come in only where nothing else is."""
    lengths = np.diff(found.offsets)
    chosen = np.flatnonzero(lengths > 1)
    title = "The most frequent combinations"
    if not len(chosen):
        chosen, title = np.arange(len(found)), "The most frequent items"
    chosen = chosen[np.argsort(-found.supports[chosen], kind="stable")[:SHOWN]]
    labels = found.vocabulary
    rows = []
    for pattern in chosen.tolist():
        items = found.items[found.offsets[pattern] : found.offsets[pattern + 1]].tolist()
        support = int(found.supports[pattern])
        rows.append((number(support), percent(support, found.n), itemset_text(labels[item] for item in items)))
    return table(["rows", "share", "items"], rows, title=title)


def pattern_sizes(found: PatternSet) -> RenderableType:
    """Return how many itemsets there are of each size."""
    counts = np.bincount(np.diff(found.offsets))
    sizes = [f"{number(int(counts[size]))} of {counted(size, 'item')}" for size in np.flatnonzero(counts).tolist()]
    if len(sizes) > SHOWN:
        rest = int(counts[np.flatnonzero(counts)[SHOWN - 1 :]].sum())
        sizes = [*sizes[: SHOWN - 1], f"{number(rest)} of more, up to {len(counts) - 1}"]
    return paragraph(f"By size: {', '.join(sizes)}.")

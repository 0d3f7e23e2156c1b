"""Itemsets as lines of a restrictive file, and those that can be picked on a page because a line can express them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError
from discreet.hiding.restrictions import Restriction, read_restrictions, separator_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.layout import Layout

__all__ = ["Offer", "offer_of", "pattern_line"]

_MOST_SHOWN = 1000
_PLAIN = re.compile(r"[\w.=\-]+", re.ASCII)


def pattern_line(labels: Iterable[str], layout: Layout | None) -> str:
    """Return an itemset as a line of a restrictive file.

    >>> pattern_line(["bread", 'the "good" milk'], None)
    'bread "the ""good"" milk"'
    """
    between = " " if separator_of(layout) == "blanks" else ", "
    quote = '"'
    return between.join(
        label if _PLAIN.fullmatch(label) else f"{quote}{label.replace(quote, quote * 2)}{quote}" for label in labels
    )


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """Itemsets to pick from, with their supports, and how many were left out because no line can express a label."""

    itemsets: tuple[tuple[tuple[str, ...], int], ...]
    left_out: int


def offer_of(found: PatternSet, layout: Layout | None) -> Offer:
    """Return itemsets to pick from: those of at least two items first, most frequent first."""
    order = np.lexsort([-found.supports, found.itemsets.lengths < 2])[:_MOST_SHOWN]  # noqa: PLR2004 - two and more
    itemsets = found.itemsets.select(order).labels(found.vocabulary.labels)
    supports = found.supports[order].tolist()
    shown = [(tuple(labels), support) for labels, support in zip(itemsets, supports, strict=True)]
    named = {each for each in {each for labels, _ in shown for each in labels} if _has_a_line(each, layout)}
    kept = tuple((labels, support) for labels, support in shown if named.issuperset(labels))
    return Offer(kept, len(shown) - len(kept))


def _has_a_line(label: str, layout: Layout | None) -> bool:
    """Return whether a label survives a round trip through a line: one with a line break does not."""
    line = pattern_line([label], layout)
    if line.splitlines() != [line]:
        return False
    try:
        (read,) = read_restrictions([line], separator=separator_of(layout))
    except ParameterError:
        return False
    return isinstance(read, Restriction) and read.items == {label}

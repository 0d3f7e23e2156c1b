"""Hide patterns in rows: which ones, how much may stay, and what each method costs."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError
from discreet.hiding.restrictions import Restriction, read_restrictions, separator_of
from discreet.wording import counted, number, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.hiding.hide import RestrictedPattern
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.layout import Layout
    from discreet.workbench.jobs.rows import HiddenRows, HidingCost

__all__ = ["HideTask", "pattern_line", "pickable", "what_is_left"]

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


def pickable(found: PatternSet, layout: Layout | None) -> tuple[list[tuple[tuple[str, ...], int]], int]:
    """Return itemsets to pick from, with their supports: those of two items and more first, the most frequent first.

    And how many are left out among them, because no line can name one of their labels.
    """
    order = np.lexsort([-found.supports, found.itemsets.lengths < 2])[:_MOST_SHOWN]  # noqa: PLR2004 - two and more
    itemsets = found.itemsets.select(order).labels(found.vocabulary.labels)
    supports = found.supports[order].tolist()
    shown = [(tuple(labels), support) for labels, support in zip(itemsets, supports, strict=True)]
    named = {each for each in {each for labels, _ in shown for each in labels} if _has_a_line(each, layout)}
    kept = [(labels, support) for labels, support in shown if named.issuperset(labels)]
    return kept, len(shown) - len(kept)


def _has_a_line(label: str, layout: Layout | None) -> bool:
    """Say whether a label can stand in a line and be read as the same: one with a line break cannot."""
    line = pattern_line([label], layout)
    if line.splitlines() != [line]:
        return False
    try:
        (read,) = read_restrictions([line], separator=separator_of(layout))
    except ParameterError:
        return False
    return isinstance(read, Restriction) and read.items == {label}


def what_is_left(restrictive: Sequence[RestrictedPattern], rules: int) -> str:
    """Say in how many rows hidden itemsets are still, whatever share was allowed; and how many rules were bounded."""
    parts = []
    if restrictive:
        what = counted(len(restrictive), "itemset")
        left = [pattern for pattern in restrictive if pattern.after]
        if not left:
            parts.append(f"{what}, in no row any more")
        else:
            most = max(left, key=lambda pattern: Fraction(pattern.after, pattern.before))
            which = "" if len(restrictive) == 1 else f"{number(len(left))} of them "
            where = "in" if len(left) == 1 else "in at most"
            rows = f"{number(most.after)} of {number(most.before)} rows ({percent(most.after, most.before)})"
            parts.append(f"{what}, {which}still {where} {rows}, as allowed")
    if rules:
        parts.append(f"{counted(rules, 'rule')} below {'its' if rules == 1 else 'their'} bound")
    return "; ".join(parts)


class HideTask:
    """Everything on the page *Hide patterns in rows*."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.lowest = ""
        self.picked: tuple[tuple[str, ...], ...] = ()
        self.pasted = ""
        self.method = "iga"
        self.percent = 0
        self.costs: tuple[HidingCost, ...] = ()
        self.costs_of: list[str] = []
        self.hidden: HiddenRows | None = None
        self.hidden_of: list[str] = []

    def forget(self) -> None:
        """Start anew: there is another file, or it is read in another way."""
        self.__init__()  # type: ignore[misc]

    def lines(self, layout: Layout | None) -> list[str]:
        """Return what must not be minable, a line for each."""
        pasted = [line.strip() for line in self.pasted.splitlines() if line.strip()]
        return [*(pattern_line(labels, layout) for labels in self.picked), *pasted]

    @property
    def nearest_tried(self) -> int:
        """The threshold nearest to the chosen one at which the methods were tried."""
        return min((cost.percent for cost in self.costs), key=lambda tried: abs(tried - self.percent))

    def pick(self, added: Iterable[tuple[str, ...]], removed: Iterable[tuple[str, ...]]) -> None:
        """Pick some itemsets, and no longer some others; what else is picked stays."""
        gone = set(removed)
        kept = [labels for labels in self.picked if labels not in gone]
        self.picked = tuple(dict.fromkeys([*kept, *added]))

    def paste_what_is_not_offered(self, offered: Iterable[tuple[str, ...]], layout: Layout | None) -> None:
        """Make lines of what was picked and can no longer be: what is to be hidden must be seen on the page."""
        there = set(offered)
        gone = [labels for labels in self.picked if labels not in there]
        if gone:
            self.pick((), gone)
            lines = [pattern_line(labels, layout) for labels in gone]
            self.pasted = "\n".join([*lines, *([self.pasted] if self.pasted else [])])

    def take_costs(self, costs: tuple[HidingCost, ...], lines: list[str]) -> None:
        """Take what the methods cost for these lines."""
        self.costs, self.costs_of = costs, lines

    def take(self, hidden: HiddenRows, lines: list[str]) -> None:
        """Take the rows."""
        self.hidden, self.hidden_of = hidden, lines

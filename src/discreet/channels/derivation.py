"""How a group follows from published figures: sums that anyone can check by hand.

A channel's group is f = sum over I <= X <= J of (-1)^|X - I| sup(X) (see `channel`). A group that the attacker found
has a sum of published figures for each bound. In the sum of a lower bound, no kind of row counts for more than it does
in the group; in the sum of an upper bound, none counts for less. The sum is the dual solution of the linear program
that found the bound (see `attacker`), in fractions and without redundant figures. This module turns both into text. Two
figures of which one is subtracted from the other are shown as a difference: 595 − 560 rows have some items and lack one
more.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil, floor, lcm
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet import _kernel
from discreet.itemsets import Itemsets
from discreet.wording import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.channels.attacker import Attack
    from discreet.channels.audit import Audit
    from discreet.json_types import JsonObject

__all__ = [
    "MINUS",
    "MOST_FIGURES",
    "Bound",
    "Deduction",
    "Figure",
    "Part",
    "Term",
    "bounds_of",
    "deduce",
    "figures_of",
    "fraction_text",
    "parts_of",
    "proved_groups",
    "sum_behind",
    "sum_in_words",
    "sum_text",
]

MINUS = "−"

MOST_FIGURES = 10
"""Longer sums are not spelled out, unless requested."""

_MOST_PROOFS = 200
"""How many groups have their proofs in the JSON form, smallest first."""

_FEWEST_DIFFERENCES = 2
"""A single difference needs no brackets, and a sum with one reads better in plain order."""

_VULGAR = {Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 4): "¼", Fraction(3, 4): "¾"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure in a sum, and its coefficient.

    `items` is the itemset whose support it is, the empty one for the number of rows. None stands for the greatest
    possible support of an unpublished itemset, one less than the threshold.
    """

    times: Fraction
    items: tuple[str, ...] | None
    value: int

    def to_json(self) -> list[Any]:
        """Return the JSON form: the coefficient, and the itemset or "sigma"."""
        times: int | str = self.times.numerator if self.times.denominator == 1 else str(self.times)
        return [times, "sigma" if self.items is None else list(self.items)]


@dataclass(frozen=True, slots=True)
class Deduction:
    """The sums that bound a group from below and from above; None if only whole rows give the bound."""

    low: tuple[Figure, ...] | None
    high: tuple[Figure, ...] | None

    def to_json(self) -> JsonObject | None:
        """Return the JSON form."""
        if self.low is None or self.high is None:
            return None
        return {"low": [figure.to_json() for figure in self.low], "high": [figure.to_json() for figure in self.high]}


def deduce(
    found: Attack, numbers: Sequence[int] | NDArray[np.int64] | None = None, *, shortest: bool = True
) -> list[Deduction]:
    """Return the sums behind groups that an attack found, by their numbers; behind all groups if `numbers` is None.

    With `shortest`, sums of at most 40 figures have no redundant figure.
    """
    chosen = np.arange(len(found.groups)) if numbers is None else np.asarray(numbers, np.int64)
    groups = found.groups
    twice = np.concatenate([chosen, chosen])
    places = np.concatenate([found.low_places[chosen], found.high_places[chosen]])
    bases = groups.bases.select(twice)
    fulls = groups.fulls.select(groups.which[twice])
    proofs = _kernel.prove(
        found.known.arrays,
        windows=found.windows.select(places),
        present=bases,
        absent=fulls.without(bases),
        high=np.repeat(np.array([0, 1], np.uint8), len(chosen)),
        bounds=np.concatenate([groups.lows[chosen], groups.highs[chosen]]),
        shortest=shortest,
        threads=min(2, os.cpu_count() or 1) if len(chosen) > 1 else 0,
    )
    sums = _sums(found, proofs)
    return [Deduction(low, high) for low, high in zip(sums[: len(chosen)], sums[len(chosen) :], strict=True)]


def proved_groups(found: Attack) -> list[JsonObject]:
    """Return the JSON form of the groups found; the smallest ones come with the sums that prove them."""
    rows = found.groups.to_dicts(ranges=True)
    proved = found.groups.smallest_first()[:_MOST_PROOFS]
    for place, deduction in zip(proved.tolist(), deduce(found, proved), strict=True):
        rows[place]["proof"] = deduction.to_json()
    return rows


def _sums(found: Attack, proofs: tuple[Any, ...]) -> list[tuple[Figure, ...] | None]:
    starts, above, below, figures, ceilings = (array.tolist() for array in proofs[:5])
    named = list(Itemsets(*proofs[5]).labels(found.known.vocabulary.labels))
    sums: list[tuple[Figure, ...] | None] = []
    for first, last in pairwise(starts):
        terms = []
        for term in range(first, last):
            times = Fraction(above[term], below[term])
            terms.append(Figure(times, None if ceilings[term] else tuple(named[term]), figures[term]))
        sums.append(tuple(terms) or None)
    return sums


@dataclass(frozen=True, slots=True)
class Term:
    """One support in a sum: its itemset, and whether it is subtracted."""

    items: tuple[str, ...]
    support: int
    minus: bool


def sum_behind(found: Audit, channel: int, *, most: int) -> list[Term] | None:
    """Return the terms whose sum is the size of a channel's group, by the channel's number in the audit.

    None if there are more than `most`, if the size is itself a published support, or if some support between base
    and full set is unknown.

    >>> from discreet.channels.audit import audit
    >>> from discreet.transactions.transactions import Transactions
    >>> found = audit(Transactions.from_rows(["abc", "abc", "ab", "c", "c"]), k=2, min_support=2)
    >>> [("".join(term.items), term.support, term.minus) for term in sum_behind(found, 0, most=8)]
    [('ab', 3, False), ('abc', 2, True)]
    """
    if found.collection is None or found.kind == "incomplete":
        return None
    channels = found.channels
    base = channels.bases[channel]
    absent = np.setdiff1d(channels.fulls[int(channels.which[channel])], base, assume_unique=True)
    if not len(absent) or 2 ** len(absent) > most:
        return None
    terms = []
    for size in range(len(absent) + 1):
        for added in combinations(absent.tolist(), size):
            items = np.sort(np.concatenate([base, np.array(added, base.dtype)]))
            support = found.collection.support_of(items)
            terms.append(Term(tuple(channels.labels(items)), support, minus=size % 2 == 1))
    return terms


def figures_of(terms: Iterable[Term]) -> tuple[Figure, ...]:
    """Return the terms of a channel's sum as published figures."""
    return tuple(Figure(Fraction(-1 if term.minus else 1), term.items, term.support) for term in terms)


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower or upper bound of a group's size, and the sum that gives it; None if only whole rows do."""

    side: Literal["exactly", "at least", "at most"]
    rows: int
    figures: tuple[Figure, ...] | None

    def text(self, *, most: int = MOST_FIGURES, elsewhere: str = "") -> str:
        """Return the bound with its sum; `elsewhere` says where to find a sum that is too long.

        >>> figures = tuple(Figure(Fraction(sign), (), value) for sign, value in ((1, 24), (1, 14), (-1, 35)))
        >>> Bound("at least", 3, figures).text(), Bound("at least", 3, figures).text(most=2)
        ('at least 24 + 14 − 35 = 3', 'at least 3, by a sum of 3 published figures')
        """
        if self.figures is None:
            return f"{self.side} {number(self.rows)}: no other number of whole rows fits"
        if len(self.figures) > most:
            where = f" ({elsewhere})" if elsewhere else ""
            return f"{self.side} {number(self.rows)}, by a sum of {len(self.figures)} published figures{where}"
        return f"{'' if self.side == 'exactly' else f'{self.side} '}{self.sum_text()} = {self.result}"

    def sum_text(self, name: Callable[[tuple[str, ...]], str] | None = None) -> str:
        """Return the sum as one would write it; a sum that gives the exact number keeps its order."""
        return sum_text(self.figures or (), name=name, differences=self.side != "exactly")

    @property
    def parts(self) -> list[Part]:
        """The parts of the sum, none if it is too long to be spelled out."""
        if self.figures is None or len(self.figures) > MOST_FIGURES:
            return []
        return parts_of(self.figures, differences=self.side != "exactly")

    @property
    def divisor(self) -> int:
        """What the parts are divided by."""
        return lcm(*(figure.times.denominator for figure in self.figures or ()))

    @property
    def result(self) -> str:
        """The value of the sum: `3`, or `2½, so 3` if it is rounded to whole rows."""
        total = sum((figure.times * figure.value for figure in self.figures or ()), Fraction(0))
        whole = floor(total) if self.side == "at most" else ceil(total)
        rounded = "" if total == whole else f", so {number(whole)}"
        return f"{fraction_text(total)}{rounded}"


def bounds_of(proof: Deduction, low: int, high: int) -> tuple[Bound, ...]:
    """Return the bounds that prove a group of `low` to `high` rows: one sum if it gives the exact number, else two."""
    if low == high and proof.low is not None and proof.low == proof.high:
        return (Bound("exactly", low, proof.low),)
    return Bound("at least", low, proof.low), Bound("at most", high, proof.high)


def sum_text(
    figures: Sequence[Figure], *, name: Callable[[tuple[str, ...]], str] | None = None, differences: bool = True
) -> str:
    """Return a sum as one would write it, with or without brackets around differences.

    With `name`, figures are shown by name instead of by value.

    >>> def figure(times, items, value): return Figure(Fraction(times), tuple(items), value)
    >>> sum_text([figure(-1, "h", 595), figure(1, "eh", 560), figure(1, "hm", 438), figure(-1, "ehm", 414)])
    '(438 − 414) − (595 − 560)'
    >>> sum_text([figure(1, "", 9), figure(-1, "a", 4), Figure(Fraction(-1), None, 2)])
    '9 − 4 − (3 − 1)'
    >>> sum_text([figure("1/2", "a", 9), figure("-3/2", "b", 2)], name="".join)
    '(a − 3 × b) / 2'
    """
    first, *others = (part.text(name) for part in parts_of(figures, differences=differences))
    text = " ".join([first.removeprefix("+ "), *others])
    below = lcm(*(figure.times.denominator for figure in figures))
    return text if below == 1 else f"({text}) / {below}"


def sum_in_words(figures: Sequence[Figure], rows: int) -> str:
    """Return a sum with the names of its figures, their values, and the number of rows that follows.

    >>> sum_in_words([Figure(Fraction(1), ("a",), 5), Figure(Fraction(-1), ("a", "b"), 3)], 2)
    'sup(a) − sup(a, b) = 5 − 3 = 2'
    """

    def support(items: tuple[str, ...]) -> str:
        return f"sup({', '.join(items)})" if items else "n"

    return f"{sum_text(figures, name=support)} = {sum_text(figures)} = {number(rows)}"


def parts_of(figures: Sequence[Figure], *, differences: bool = True) -> list[Part]:
    """Return the parts of a sum, multiplied by the common denominator of the coefficients.

    Parts are differences if there are several, otherwise the figures in their order.
    """
    below = lcm(*(figure.times.denominator for figure in figures))
    whole = [Figure(figure.times * below, figure.items, figure.value) for figure in figures]
    parts = _differences(whole) if differences else []
    return parts if sum(part.less is not None for part in parts) >= _FEWEST_DIFFERENCES else _plain(whole)


@dataclass(frozen=True, slots=True)
class Part:
    """A figure in a sum, with the figure subtracted from it, if any; both have the coefficient `whole.times`."""

    whole: Figure
    less: Figure | None

    def text(self, name: Callable[[tuple[str, ...]], str] | None = None) -> str:
        """Return the part with its sign."""
        times = abs(self.whole.times)
        factor = "" if times == 1 else f"{number(int(times))} × "
        text = _figure(self.whole, name)
        if self.less is not None:
            text = f"({text} {MINUS} {_figure(self.less, name)})"
        return f"{MINUS if self.whole.times < 0 else '+'} {factor}{text}"


def _figure(figure: Figure, name: Callable[[tuple[str, ...]], str] | None) -> str:
    if figure.items is None:  # an unpublished itemset has fewer rows than the threshold
        return f"({'threshold' if name else number(figure.value + 1)} {MINUS} 1)"
    return name(figure.items) if name else number(figure.value)


def _plain(figures: Iterable[Figure]) -> list[Part]:
    """Return the figures in their order, starting with one that is added."""
    parts = [Part(figure, None) for figure in figures]
    first = next((place for place, part in enumerate(parts) if part.whole.times > 0), 0)
    return [parts[first], *parts[:first], *parts[first + 1 :]] if parts else []


def _differences(figures: Iterable[Figure]) -> list[Part]:
    """Return the figures paired into as many differences as possible: rows that have some items and lack one more."""
    left: dict[frozenset[str], Figure] = {}
    parts = []
    for figure in figures:
        if figure.items is None or frozenset(figure.items) in left:  # two publications may list the same itemset
            parts.append(Part(figure, None))
        else:
            left[frozenset(figure.items)] = figure
    while True:
        pairs = [
            (item, items)
            for items, figure in left.items()
            for item in items
            if (smaller := left.get(items - {item})) is not None and smaller.times == -figure.times
        ]
        if not pairs:
            break
        often = Counter(item for item, _ in pairs)
        best = min(often, key=lambda item: (-often[item], item))
        parts += [Part(left.pop(items - {best}), left.pop(items)) for item, items in pairs if item == best]
    parts += [Part(figure, None) for figure in left.values()]
    return sorted(parts, key=lambda part: (part.whole.times < 0, part.less is None))


def fraction_text(value: Fraction) -> str:
    """Return a number as people write it by hand.

    >>> [fraction_text(Fraction(text)) for text in ("1200", "5/2", "1/2", "-1/3", "17/7")]
    ['1,200', '2½', '½', '−⅓', '2 3/7']
    """
    whole, rest = divmod(abs(value), 1)
    sign = MINUS if value < 0 else ""
    if not rest:
        return f"{sign}{number(whole)}"
    part = _VULGAR.get(rest, f"{' ' if whole else ''}{rest}")
    return f"{sign}{number(whole) if whole else ''}{part}"

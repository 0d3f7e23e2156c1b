"""Audit several publications together: a reader may use some supports from one and others from another.

Problem      given collections of frequent itemsets that are each safe, and k, find itemsets I within J such that
             sum over I <= X <= J of (-1)^|X - I| sup(X) can be 1 .. k-1 if every sup(X) may come from any collection
           that lists X (n is the support of the empty itemset); or, with two groups of collections, such that the
           difference of two such sums, one in each group, can be 1 .. k-1 or its negative.
Method       for all J of one length at once, a table of the lowest and highest sum of every I within J, from the lowest
             and highest support of each X (a Moebius transform on ranges). If 1 .. k-1 is outside that range, or
           between two multiples of the greatest common divisor of all differences, the pair is safe. For the others
           the reachable sums are listed exactly: one bit per sum, shifted for each choice.
Promises     a pair that is found is reached by some choice; if none is found, no choice reaches any. If that would
           take too much time or memory, TooMuchToAudit is raised, which does not mean "safe".
Cost         2^|J| |J| for every J of any of the collections, and for the pairs that ranges do not settle, the number of
             supports with a choice times the number of sums.
Departures   atzori2008, section 9, treats one collection and selections from it; this is for several.
Names        f_I^J -> sum;  collections -> tables;  I, J -> base, full.
Reference    atzori2008, section 9   (docs/papers/atzori2008.md, tests/publishing/test_joint.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from discreet import _kernel
from discreet.channels.border import find_border_channels
from discreet.channels.collection import collection_of
from discreet.channels.grouping import EVERY_SIZE, groups_of_patterns
from discreet.channels.quasi_identifiers import restrict_channels
from discreet.errors import DataError, NotSafe, TooManyPatterns, param
from discreet.itemsets import Itemsets
from discreet.patterns.patternset import PatternSet
from discreet.transactions.label_names import matches
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.channels.border import Border, Derived
    from discreet.channels.grouping import Groups
    from discreet.publishing.combined_conclusions import Told

    Numbers = NDArray[np.int64]
    ChoicesOf = Callable[[int], tuple[int, ...]]

__all__ = [
    "Clash",
    "SupportTable",
    "TooMuchToAudit",
    "among",
    "border_clash",
    "border_of",
    "changed_clash",
    "differing_clash",
    "differing_itemsets",
    "inside",
    "mixed_clash",
    "support_table",
]

_MOST_CELLS = 1 << 26
"""The most cells of the tables for one length of J: half a gigabyte."""

_QUICK_DEPTH = 2
"""How far the quick rules carry exact supports outward."""

_CELLS_AT_ONCE = 1 << 20
_MOST_PAIRS = 200_000
_MOST_BITS = 1 << 24


class TooMuchToAudit(NotSafe):
    """Releases are too large to be audited together, so the new one is refused."""


class Clash(NamedTuple):
    """What releases disclose together.

    `mixed`: supports of both give the number of rows that contain all of `base` and nothing else of `full`, and it is
    small. `difference`: these numbers differ by this many rows. `changed`: the support of `base` (and `full`) differs
    in releases of the same rows, so that one of them was changed. `entailed`: `rows` to `high` of the rows described by
    `of` contain `base` and nothing else of `full`, whatever the rows were, and `proof` is the reason. `conclusion`:
    what follows about a sensitive item of such a group.
    """

    kind: Literal["mixed", "difference", "changed", "entailed", "conclusion"]
    base: frozenset[str]
    full: frozenset[str]
    rows: int
    high: int = 0
    of: str = ""
    proof: str = ""
    conclusion: Told | None = None


@dataclass(frozen=True, eq=False)
class SupportTable:
    """The itemsets that any of several releases lists, and their supports in each release.

    Row s of `supports` is itemset s, the last row is the empty itemset; a column is a release, and -1 means that it
    does not list the itemset. The itemsets are in canonical order and closed under subsets.
    """

    itemsets: Itemsets
    supports: NDArray[np.int64]
    vocabulary: Vocabulary

    @property
    def agreed(self) -> bool:
        """Whether every itemset has the same support in all releases that print it."""
        return bool((_least(self.supports) == self.supports.max(axis=1)).all())

    def of_releases(self, releases: Sequence[int]) -> SupportTable:
        """Return the part of the table that some of the releases (columns) print."""
        part = SupportTable(self.itemsets, self.supports[:, releases], self.vocabulary)
        return part.select(part.supports.max(axis=1) >= 0)

    def select(self, rows: NDArray[np.bool_]) -> SupportTable:
        """Return some rows, the last one among them."""
        kept = np.flatnonzero(rows)
        return SupportTable(self.itemsets.select(kept[:-1]), self.supports[kept], self.vocabulary)

    def labels(self, number: int) -> list[str]:
        """Return the labels of an itemset, none for the empty one."""
        items = self.itemsets[number].tolist() if number < len(self.itemsets) else []
        return [self.vocabulary[item] for item in items]


def among(table: SupportTable, quasi_identifiers: Sequence[str] | None) -> SupportTable:
    """Return the part of a table that is about quasi-identifiers: itemsets of these items or columns, None for all."""
    return table if quasi_identifiers is None else table.select(inside(table, quasi_identifiers))


def inside(table: SupportTable, quasi_identifiers: Sequence[str] | None) -> NDArray[np.bool_]:
    """Return for each row of a table whether it is made of quasi-identifiers; the empty itemset is."""
    if quasi_identifiers is None:
        return np.ones(len(table.supports), bool)
    asked = _asked(table.vocabulary, quasi_identifiers)
    within = table.itemsets.keeping(asked[table.itemsets.items]).lengths == table.itemsets.lengths
    return np.append(within, True)


def support_table(releases: Sequence[PatternSet]) -> SupportTable:
    """Tabulate the supports of several releases; closed itemsets stand for everything they imply."""
    try:
        whole = [collection_of(patterns).everything for patterns in releases]
    except TooManyPatterns as error:
        raise TooMuchToAudit(f"the releases are too large to be audited together: {error}") from None
    vocabulary = Vocabulary(chain.from_iterable(patterns.vocabulary for patterns in whole))
    listings = []
    for patterns in whole:
        place = np.array([vocabulary.positions[label] for label in patterns.vocabulary], np.int32)
        listings.append(patterns.itemsets.canonical(place))
    every = Itemsets.none().followed_by(*listings)
    origin = np.repeat(np.arange(len(whole)), [len(patterns) for patterns in whole])
    order = every.order()
    every = every.select(order)
    new = every.is_new()
    supports = np.full((int(new.sum()) + 1, len(whole)), -1, np.int64)
    listed = np.concatenate([patterns.supports for patterns in whole])[order]
    supports[np.cumsum(new) - 1, origin[order]] = listed
    supports[-1] = [patterns.n for patterns in whole]
    return SupportTable(every.select(np.flatnonzero(new)), supports, vocabulary)


def mixed_clash(table: SupportTable, *, k: int) -> Clash | None:
    """Return a pair for which supports from any of the releases give 1 to k-1 rows, or None."""
    lows, highs = _least(table.supports), table.supports.max(axis=1)

    def choices_of(number: int) -> tuple[int, ...]:
        return tuple(sorted({int(support) for support in table.supports[number] if support >= 0}))

    return _Search(table, lows, highs, choices_of).first_clash(k)


def differing_clash(table: SupportTable, ours: Sequence[int], theirs: Sequence[int], *, k: int) -> Clash | None:
    """Return a pair whose numbers of rows in two snapshots can differ by 1 to k-1, or None.

    `ours` and `theirs` are the releases (columns) of one snapshot and of the other.
    """
    _, searches = _differences(table, ours, theirs)
    found = next((found for search in searches if (found := search.first_clash(k)) is not None), None)
    return None if found is None else found._replace(kind="difference")


def differing_itemsets(table: SupportTable, ours: Sequence[int], theirs: Sequence[int], *, k: int) -> NDArray[np.bool_]:
    """Return for each row of a table whether a pair of which it is the full set is such a clash."""
    shared, searches = _differences(table, ours, theirs)
    wrong = np.zeros(len(table.supports), bool)
    for search in searches:
        wrong[np.flatnonzero(shared)[search.clashing(k)]] = True
    return wrong


def _differences(
    table: SupportTable, ours: Sequence[int], theirs: Sequence[int]
) -> tuple[NDArray[np.bool_], list[_Search]]:
    """Return which rows of a table both snapshots have, and the searches for what is more in one, and in the other."""
    shared = (table.supports[:, ours].max(axis=1) >= 0) & (table.supports[:, theirs].max(axis=1) >= 0)
    both = table.select(shared)

    def more(one: Sequence[int], other: Sequence[int]) -> _Search:
        def choices_of(number: int) -> tuple[int, ...]:
            here, there = ([int(s) for s in both.supports[number, side] if s >= 0] for side in (one, other))
            return tuple(sorted({a - b for a in here for b in there}))

        lows = _least(both.supports[:, one]) - both.supports[:, other].max(axis=1)
        highs = both.supports[:, one].max(axis=1) - _least(both.supports[:, other])
        return _Search(both, lows, highs, choices_of)

    return shared, [more(ours, theirs), more(theirs, ours)]


def changed_clash(table: SupportTable, one: int, other: int) -> Clash | None:
    """Return an itemset with different supports in two releases (columns), or None."""
    here, there = table.supports[:, one], table.supports[:, other]
    differing = np.flatnonzero((here >= 0) & (there >= 0) & (here != there))
    if not len(differing):
        return None
    number = int(differing[0])
    labels = frozenset(table.labels(number))
    return Clash("changed", labels, labels, abs(int(here[number] - there[number])))


def border_of(
    table: SupportTable, releases: Sequence[int], thresholds: Sequence[int | None], *, k: int
) -> Border | None:
    """Return what follows by quick rules for itemsets that no release prints; None if the figures disagree.

    `releases` (columns) agree in all supports, so they are read as one. If one of them prints every item, an itemset
    that none prints has fewer rows than its threshold; None if it may have withheld some.
    """
    known = table.supports[:, releases].max(axis=1)
    listed = np.flatnonzero(known[:-1] >= 0)
    itemsets, supports, n = table.itemsets.select(listed), known[listed], int(known[-1])
    single = table.supports[listed[itemsets.lengths == 1]]
    told = {release: thresholds[release] for release in releases if (single[:, release] >= 0).all()}
    whole = [threshold for threshold in told.values() if threshold is not None]
    union = PatternSet.unchecked(
        itemsets=itemsets,
        supports=supports,
        vocabulary=table.vocabulary,
        n=n,
        min_support=min(whole, default=n + 1),
        target="all",
    )

    def groups_of(derived: Derived, targets: Itemsets) -> Groups:
        return groups_of_patterns(
            itemsets.followed_by(derived.itemsets),
            np.concatenate([supports, derived.supports]),
            n,
            targets,
            below=EVERY_SIZE,
            border=True,
        )

    try:
        return find_border_channels(union, groups_of, k=k, depth=_QUICK_DEPTH)
    except DataError:  # supports raised in one release need not fit those of another: nothing follows
        return None


def border_clash(found: Border | None, quasi_identifiers: Sequence[str] | None = None) -> Clash | None:
    """Return the smallest group that follows beyond all releases by the quick rules, or None."""
    if found is None or not len(found.channels):
        return None
    channels = found.channels
    if quasi_identifiers is not None:
        channels = restrict_channels(channels, _asked(channels.vocabulary, quasi_identifiers))
    if not len(channels):
        return None
    place = int(channels.smallest_first()[0])
    channel = channels[place]
    return Clash("mixed", channel.base, channel.full, int(channels.highs[place]))


def _asked(vocabulary: Vocabulary, quasi_identifiers: Sequence[str]) -> NDArray[np.bool_]:
    """Return which items are named, by label or by column; names of nothing here are fine."""
    known = {label for each in matches(quasi_identifiers, vocabulary.labels, of=()).values() for label in each}
    return np.array([label in known for label in vocabulary], bool)


def _least(supports: NDArray[np.int64]) -> Numbers:
    least: Numbers = np.where(supports >= 0, supports, np.iinfo(np.int64).max).min(axis=1)
    return least


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for one clash; itemset s has a support in lows[s] .. highs[s], one of choices_of(s)."""

    table: SupportTable
    lows: Numbers
    highs: Numbers
    choices_of: ChoicesOf

    def first_clash(self, k: int) -> Clash | None:
        """Return the first clash by full set, then base."""
        return next((self._clash(*found) for found in self._clashes(k)), None)

    def clashing(self, k: int) -> NDArray[np.int64]:
        """Return the numbers of all full sets of clashes; the last row is the empty set."""
        return np.array(sorted({full for full, _, _ in self._clashes(k)}), np.int64)

    def _clashes(self, k: int) -> Iterator[tuple[int, int, int]]:
        """Yield the number of a full set, the base as a bit mask, and the rows."""
        if not self.lows.any() and not self.highs.any():
            return  # differences of equal values
        step = self._step()
        looked_at = 0
        for subsets, firsts in self._lattices():
            width = subsets.shape[1]
            rows_at_once = max(1, _CELLS_AT_ONCE // width)
            for start in range(0, len(subsets), rows_at_once):
                some = subsets[start : start + rows_at_once]
                low, high = _sums(self.lows[some], self.highs[some])
                full, base = np.nonzero(_may_hit(low, high, k, step))
                looked_at += len(full) if step else 0
                if looked_at > _MOST_PAIRS:
                    raise TooMuchToAudit(
                        f"more than {_MOST_PAIRS:,} pairs of itemsets would have to be looked at one by one; publish "
                        f"fewer itemsets (raise {param('min_support')})"
                    )
                for row, mask in zip(full.tolist(), base.tolist(), strict=True):
                    rows = self._reachable(some[row], mask, int(low[row, mask]), k) if step else int(low[row, mask])
                    if rows is not None:
                        yield firsts + start + row, mask, rows

    def _step(self) -> int:
        """Return the greatest common divisor of all differences between choices: sums move in such steps."""
        loose = np.flatnonzero(self.lows != self.highs)
        gaps = {value - choices[0] for s in loose.tolist() for choices in [self.choices_of(s)] for value in choices}
        return reduce(np.gcd, gaps, 0)

    def _lattices(self) -> Iterator[tuple[NDArray[np.int32], int]]:
        """Yield, for the itemsets of each length, the numbers of their subsets by bit mask, and the first's number."""
        itemsets = self.table.itemsets
        offsets, lengths = itemsets.offsets, itemsets.lengths
        less = _kernel.one_item_less(itemsets, len(self.table.vocabulary))
        empty = len(itemsets)  # the last row of the supports
        shorter, first_shorter = np.array([[empty]], np.int32), empty
        yield shorter, empty
        for length in range(1, int(lengths.max(initial=0)) + 1):
            first, last = np.searchsorted(lengths, [length, length + 1]).tolist()
            if (last - first) << length > _MOST_CELLS:
                raise TooMuchToAudit(
                    f"{last - first:,} itemsets of {length} items are too many to be audited together; publish fewer "
                    f"itemsets (raise {param('min_support')})"
                )
            without = less[offsets[first] : offsets[last]].reshape(last - first, length)
            subsets = np.empty((last - first, 1 << length), np.int32)
            subsets[:, -1] = np.arange(first, last)
            for mask in range((1 << length) - 1):
                gone = ((~mask & ((1 << length) - 1)).bit_length()) - 1  # an item that is not in the subset
                rest = (mask >> (gone + 1) << gone) | (mask & ((1 << gone) - 1))
                parent = without[:, gone] - first_shorter if length > 1 else np.zeros(last - first, np.int64)
                subsets[:, mask] = shorter[parent, rest]
            yield subsets, first
            shorter, first_shorter = subsets, first

    def _reachable(self, subsets: NDArray[np.int32], base: int, low: int, k: int) -> int | None:
        """Return a sum of 1 to k-1 rows that some choice gives, or None; bit b stands for the sum low + b."""
        top = k - 1 - low
        if top > _MOST_BITS:
            raise TooMuchToAudit("the supports of the releases differ by too much to be audited together")
        absent = (len(subsets) - 1) & ~base
        reached, within = 1, (1 << (top + 1)) - 1
        part = absent
        while True:  # every subset of what is absent
            number = int(subsets[base | part])
            if self.lows[number] != self.highs[number]:
                choices = self.choices_of(number)
                gaps = (
                    [c - choices[0] for c in choices]
                    if part.bit_count() % 2 == 0
                    else [choices[-1] - c for c in choices]
                )
                reached = reduce(int.__or__, (reached << gap for gap in gaps if gap <= top)) & within
            if not part:
                break
            part = (part - 1) & absent
        hits = reached >> max(0, 1 - low)
        if not hits:
            return None
        return max(1, low) + (hits & -hits).bit_length() - 1

    def _clash(self, full: int, base: int, rows: int) -> Clash:
        labels = self.table.labels(full)
        held = frozenset(label for bit, label in enumerate(labels) if base >> bit & 1)
        return Clash("mixed", held, frozenset(labels), rows)


def _sums(lows: Numbers, highs: Numbers) -> tuple[Numbers, Numbers]:
    """Return the least and the greatest sum for every base within full sets: rows are full sets, columns bit masks."""
    count, width = lows.shape
    for bit in range(width.bit_length() - 1):
        low = lows.reshape(count, -1, 2, 1 << bit)
        high = highs.reshape(count, -1, 2, 1 << bit)
        without_low = low[:, :, 0] - high[:, :, 1]
        high[:, :, 0] -= low[:, :, 1]
        low[:, :, 0] = without_low
    return lows, highs


def _may_hit(low: Numbers, high: Numbers, k: int, step: int) -> NDArray[np.bool_]:
    """Return where one of low, low + step, ... up to high is in 1 .. k-1; with step 0, there is only low."""
    if step == 0:
        return (low >= 1) & (low < k)
    first = np.where(low >= 1, low, low + -(-(1 - low) // step) * step)
    return (first < k) & (first <= high)

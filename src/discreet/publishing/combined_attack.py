"""Run the attacker on several releases together: what follows from all their figures, whatever the rows were.

Problem      given releases that are each safe, of the same rows or of rows to which others were added, and k, find a
             group whose size is within 1 .. k-1 in every data set that agrees with all of them; given sensitive items
             and rho, a conclusion about one (see `channels.conclusions`).
Method       releases of the same rows are equations about the same cells (see `channels.attacker`). If rows were only
             added, the earlier rows are those that contain one more item, a marker that nobody publishes: an earlier
             release gives the supports of its itemsets with the marker. With more than two snapshots, each has its
             marker, and rows with one also have those of all later ones.
Promises     every group that is returned follows, with the sum that proves it, unless only whole rows give it. None
             means that none was found within the attacker's steps. Figures that no data set has raise DataError: one
             of the releases was changed, or rows left.
Cost         the attacker's; for a release among others, the smallest itemsets that it does not list are listed, at
             most a hundred thousand of them.
Departures   of two snapshots, the one with fewer rows is assumed to be contained in the other.
Reference    atzori2008, section 9
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _kernel
from discreet.answers.small_groups import proof_text
from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, attack
from discreet.channels.collection import collection_of
from discreet.channels.conclusions import conclusions_beyond
from discreet.channels.derivation import Deduction, Figure, bounds_of, deduce
from discreet.channels.exclusive import Exclusive, exclusive_in_patterns
from discreet.channels.knowledge import Knowledge, Layer
from discreet.itemsets import Itemsets
from discreet.patterns.patternset import PatternSet
from discreet.publishing.combined_conclusions import Told
from discreet.transactions.label_names import matches
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.channels.collection import Collection
    from discreet.channels.conclusions import Asked

__all__ = ["AllReleases", "Entailed", "PrintedRelease"]

_MOST_RARE = 100_000
"""The most unlisted itemsets of a release that are listed here."""

_LONGEST_RARE = 16
"""The most items in a window of the kernel."""


@dataclass(frozen=True, eq=False, slots=True)
class PrintedRelease:
    """A release as readers have it: its patterns, which items exclude each other, and which rows it is about.

    `snapshot` is the same for releases of the same rows; `name` is for messages.
    """

    patterns: PatternSet
    snapshot: object
    name: str
    exclusive: Exclusive = field(default_factory=Exclusive)


class Entailed(NamedTuple):
    """A group that follows: `low` to `high` of the rows described by `of` contain `base` and nothing else of `full`."""

    base: frozenset[str]
    full: frozenset[str]
    low: int
    high: int
    of: str
    proof: str


class AllReleases:
    """Several releases as readers have them, as one body of knowledge.

    `border` are itemsets that none of them prints, around which windows are made; those of other items are skipped.
    `columns_differ` is whether items that a release does not have may have been left out of it, or of its rows. Then
    nothing is known about them there; else they are rarer than its threshold.
    """

    def __init__(
        self,
        releases: Sequence[PrintedRelease],
        border: Sequence[Sequence[str]] = (),
        *,
        columns_differ: bool = False,
    ) -> None:
        snapshots: dict[object, list[PrintedRelease]] = {}
        for one in sorted(releases, key=lambda one: one.patterns.n):  # the sort is stable for equal numbers of rows
            snapshots.setdefault(one.snapshot, []).append(one)
        self._labels = Vocabulary(chain.from_iterable(one.patterns.vocabulary for one in releases))
        markers = _markers(len(snapshots) - 1, self._labels)
        space = _Space(Vocabulary.from_canonical([*self._labels, *markers]), self._labels, columns_differ)
        self._marked = [
            (one, marker) for marker, alike in zip([*markers, None], snapshots.values(), strict=True) for one in alike
        ]
        self._names = dict(zip(markers, [alike[0].name for alike in snapshots.values()], strict=False))
        layers = [layer for one, marker in self._marked for layer in space.layers(one, marker)]
        counts = [alike[0].patterns.n for alike in snapshots.values()]
        layers += [space.nested(one, other, n) for (one, other), n in zip(pairwise(markers), counts, strict=False)]
        apart = _exclusive(releases, self._labels).itemsets(space.vocabulary)
        self._known = Knowledge(space.vocabulary, tuple(layers), apart)
        self._maximal = space.maximal(releases, markers)
        around = [[*itemset, *markers] for itemset in border if all(item in self._labels.positions for item in itemset)]
        self._border = space.itemsets(around) if around else None

    def group(self, *, k: int, quasi_identifiers: Sequence[str] | None = None) -> Entailed | None:
        """Return the smallest group that follows, with the sums that prove it."""
        asked = None
        if quasi_identifiers is not None:
            named = {
                label for each in matches(quasi_identifiers, self._labels.labels, of=()).values() for label in each
            }
            asked = np.array([label in named or label in self._names for label in self._known.vocabulary], bool)
        found = attack(self._known, k=k, maximal=self._maximal, border=self._border, asked=asked)
        if not len(found.groups):
            return None
        place = int(found.groups.smallest_first()[0])
        group = found.groups[place]
        (proof,) = deduce(found, [place])
        proof = Deduction(
            *(
                None if sums is None else tuple(_as_printed(one, self._marked) for one in sums)
                for sums in (proof.low, proof.high)
            )
        )
        return Entailed(
            base=group.base - frozenset(self._names),
            full=group.full - frozenset(self._names),
            low=group.low,
            high=group.high,
            of=self._whose(group.base, group.absent),
            proof=proof_text(
                bounds_of(proof, group.low, group.high), {marker: f"in {name}" for marker, name in self._names.items()}
            ),
        )

    def conclusion(self, asked: Asked) -> Told | None:
        """Return the surest conclusion about a sensitive item that follows by bounds."""
        known = None
        if asked.quasi_identifiers is not None:
            known = (*asked.quasi_identifiers, *self._names)
        found = conclusions_beyond(
            self._known,
            replace(asked, quasi_identifiers=known),
            maximal=self._maximal,
            border=self._border,
            steps=DEFAULT_ATTACK_STEPS,
        )
        if not found:
            return None
        one, markers = found[0], frozenset(self._names)
        plain = replace(one, present=one.present - markers, absent=one.absent - markers)
        return Told(plain, self._whose(one.present, one.absent))

    def _whose(self, present: frozenset[str], absent: frozenset[str]) -> str:
        """Return in words the rows that the markers of a group stand for."""
        within = [name for marker, name in self._names.items() if marker in present]  # the fewest rows first
        without = [name for marker, name in self._names.items() if marker in absent]
        of = f" of {within[0]}" if within else ""
        return f"{of} beyond those of {without[-1]}" if without else of


def _as_printed(figure: Figure, marked: Sequence[tuple[PrintedRelease, str | None]]) -> Figure:
    """Return a figure unchanged; if no release prints it, as the greatest support of an unpublished itemset."""
    if not figure.items:
        return figure
    markers = {marker for _, marker in marked if marker in figure.items}
    plain = [label for label in figure.items if label not in markers]
    if not plain or len(markers) > 1:
        return figure
    for one, marker in marked:
        places = [one.patterns.vocabulary.item(label) for label in plain]
        if {marker} - {None} != markers or None in places:
            continue
        if collection_of(one.patterns).support_of(np.array(places, np.int32)) == figure.value:
            return figure
    return replace(figure, items=None)


def _markers(count: int, labels: Vocabulary) -> list[str]:
    """Return marker names that no item has."""
    sign = "\0"
    while any(label.startswith(sign) for label in labels):
        sign += "\0"
    return [f"{sign}{number}" for number in range(count)]


def _exclusive(releases: Sequence[PrintedRelease], vocabulary: Vocabulary) -> Exclusive:
    """Return which items exclude each other according to any of the releases."""
    nothing = PatternSet.unchecked(
        itemsets=Itemsets.none(),
        supports=np.zeros(0, np.int64),
        vocabulary=vocabulary,
        n=0,
        min_support=1,
        target="all",
    )
    columns = dict.fromkeys(chain.from_iterable(one.exclusive.columns for one in releases))
    named = [list(labels) for one in releases for labels in one.exclusive.named]
    return exclusive_in_patterns(nothing, named, columns=columns)


@dataclass(frozen=True, eq=False, slots=True)
class _Space:
    """The items of all releases and the markers, numbered together; `labels` are the items alone."""

    vocabulary: Vocabulary
    labels: Vocabulary
    columns_differ: bool

    def itemsets(self, listed: Sequence[Sequence[str]]) -> Itemsets:
        """Return itemsets of labels as items, ascending."""
        position = self.vocabulary.positions
        return Itemsets.of([position[label] for label in labels] for labels in listed).canonical()

    def numbered(self, itemsets: Itemsets, vocabulary: Vocabulary, more: Sequence[str]) -> Itemsets:
        """Return itemsets of another vocabulary in this one, each with some more items."""
        place = np.array([self.vocabulary.positions[label] for label in vocabulary], np.int32)
        codes = np.array([self.vocabulary.positions[label] for label in more], np.int32)
        return itemsets.canonical(place).joined_with(Itemsets.of_matrix(np.tile(codes, (len(itemsets), 1))))

    def layers(self, release: PrintedRelease, marker: str | None) -> list[Layer]:
        """Return what a release says about the rows with the marker: what it lists, and a limit on the rest."""
        collection = collection_of(release.patterns)
        whole = collection.kind != "incomplete"  # else nothing is known about unlisted itemsets
        closed = collection.closed if whole else release.patterns
        ceiling = max(0, closed.min_support - 1)
        marks = [] if marker is None else [marker]
        alone = len(self.labels) == len(self.vocabulary)  # there is no marker
        listed = Layer(
            itemsets=self.numbered(closed.itemsets, closed.vocabulary, marks),
            lows=closed.supports,
            highs=closed.supports,
            n=closed.n,
            ceiling=ceiling if alone and whole else None,
            closed=whole,
            marker=None if marker is None else self.vocabulary.positions[marker],
        )
        if alone or not whole:
            return [listed]
        rare = self._rare(collection, marks)
        nothing = np.zeros(len(rare), np.int64)
        return [listed, Layer(rare, nothing, nothing + ceiling, n=None, ceiling=None, closed=False)]

    def _rare(self, collection: Collection, marks: list[str]) -> Itemsets:
        """Return the smallest itemsets that a release does not list."""
        known = collection.everything
        labels = len(known.vocabulary)
        singles = collection.single_items
        many = comb(len(singles), 2) > _MOST_RARE
        supports = np.zeros(labels, np.int64)
        supports[singles.items] = singles.supports
        border, _ = _kernel.find_border(
            known.itemsets, labels, _LONGEST_RARE, item_supports=supports if many else None, total=known.n
        )
        rare = Itemsets(*border)
        within = self.numbered(rare.part(0, min(len(rare), _MOST_RARE)), known.vocabulary, marks)
        if self.columns_differ:
            return within
        frequent = {known.vocabulary[item] for item in singles.items.tolist()}
        missing = [[label, *marks] for label in self.labels if label not in frequent]
        return self.itemsets(missing).followed_by(within)

    def nested(self, one: str, other: str, n: int) -> Layer:
        """Return the layer that says that all n rows with one marker have the other."""
        counts = np.array([n, n], np.int64)
        return Layer(self.itemsets([[one], [one, other]]), counts, counts, n=None, ceiling=None, closed=False)

    def maximal(self, releases: Sequence[PrintedRelease], markers: Sequence[str]) -> Itemsets:
        """Return the maximal itemsets of all releases, each with all markers."""
        collections = [collection_of(release.patterns) for release in releases]
        every = [self.numbered(each.maximal, each.patterns.vocabulary, markers) for each in collections]
        return Itemsets.none().followed_by(*every).distinct().maximal(len(self.vocabulary))

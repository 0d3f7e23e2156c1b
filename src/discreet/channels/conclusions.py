"""What published patterns tell about sensitive items: groups of rows of which a large share is known to have one.

Problem      given what is published, the quasi-identifiers Q, the sensitive items S and rho, find the *conclusions*: a
             group (items of Q present, others of Q absent; possibly none, which is everybody) and an item s of S, such
             that in every data set that fits, the group has a row at least and a share of rho or more of it has s.
Method       within the collection, by counting: if J and s are published together, the groups of J (the rows with X
             and nothing else of J) and their rows with s follow from the supports. The share of a group is a weighted
             mean of the shares of its finer groups: one over J reaches rho if and only if a finest one does. So the
             kernel solves the finest groups of each maximal J and returns those that reach rho. Beyond the
             collection, as the `attacker` does: in a window of a few items, the least surplus of the rows with s over
             rho times all rows of the group is a linear program, which is not negative if and only if the share
             reaches rho wherever the group has rows.
Promises     exact, in whole numbers. Every conclusion listed is true in every data set that fits; within the
             collection, a group that reaches rho is listed, or some of the groups it is made of are.
Cost         that of channel detection from closed itemsets, for the maximal itemsets with a sensitive item; beyond
             them as many steps as the attacker may take. Of one window, a few conclusions are enough.
Departures   none of the papers asks this of patterns. A group that may be empty in some data set that fits does not
             count, whatever the share otherwise.
Names        rho, S -> as in cao2010;  J -> target without the item;  finest group -> present, absent.
Reference    cao2010 asks the same of rows   (docs/sensitive-items.md, tests/conclusions_twin.py)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from discreet import _kernel
from discreet.channels.attacker import LONGEST_GROUP, MOST_CELLS, WindowState, fold_rows, refuse_impossible
from discreet.channels.detection import from_supports
from discreet.channels.grouping import EVERY_SIZE, groups_of_patterns, shares_of_patterns
from discreet.channels.windows import whole_window, windows_around
from discreet.errors import ParameterError, param
from discreet.itemsets import Itemsets
from discreet.thresholds import Rho
from discreet.transactions.label_names import matches, resolve, without_limits
from discreet.transactions.shapes.cell_rules import parse_names

if TYPE_CHECKING:
    from collections.abc import Collection as Some
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.channels.collection import Collection
    from discreet.channels.grouping import Groups
    from discreet.channels.knowledge import Knowledge
    from discreet.channels.windows import Windows
    from discreet.json_types import JsonObject
    from discreet.patterns.patternset import PatternSet
    from discreet.thresholds import ShareLike
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "Asked",
    "Conclusion",
    "Conclusions",
    "conclusions_beyond",
    "conclusions_within",
    "find_conclusions",
    "shortest",
    "targets_reached",
]

_FINEST = 10**9
"""The greatest denominator of rho, so that the products of the linear programs stay exact."""

_EMPTY_ITEMSET = -2

_ENOUGH_OF_ONE = 4
_ENOUGH_OF_ALL = 256
"""After so many conclusions in one window, or in one of all items, its other groups are not looked at."""


@dataclass(frozen=True)
class Asked:
    """Which conclusions are looked for: about these labels, with rho or more, of groups of quasi-identifiers.

    `widely` takes a name with a star for a beginning even if an item has just that name, as in releases of other data.
    """

    sensitive: frozenset[str]
    quasi_identifiers: tuple[str, ...] | None
    rho: Rho
    widely: bool = False

    @classmethod
    def parse(
        cls,
        sensitive: Names | frozenset[str] | None,
        rho: ShareLike | None,
        quasi_identifiers: Names | None,
        labels: Some[str],
        *,
        ignore_unknown: bool,
    ) -> Asked | None:
        """Return what is asked of data with these labels, None if nothing is; refuse half a question.

        A frozenset lists the sensitive labels themselves.
        """
        if sensitive is None and rho is None:
            return None
        if sensitive is None or rho is None:
            missing, given = ("sensitive", "rho") if sensitive is None else ("rho", "sensitive")
            raise ParameterError(
                f"{param(given)} needs {param(missing)}: which items nobody may conclude, and with which confidence",
                parameter=missing,
            )
        limit = Rho.parse(rho)
        if limit.denominator > _FINEST:
            raise ParameterError(
                f"{param('rho')} must have at most 9 decimals, or a denominator of at most {_FINEST:,}", parameter="rho"
            )
        if isinstance(sensitive, frozenset):
            items = sensitive
        else:
            named = without_limits(parse_names(sensitive, "sensitive"))
            found = resolve(named, labels, parameter="sensitive", ignore_unknown=ignore_unknown)
            items = frozenset(label for each in found.values() for label in each)
        known = None
        if quasi_identifiers is not None:
            known = parse_names(quasi_identifiers, "quasi_identifiers")
            both = items & {label for each in matches(known, labels).values() for label in each}
            if both:
                raise ParameterError(
                    f"{len(both):,} of the items are both in {param('sensitive')} and in {param('quasi_identifiers')}; "
                    "an item that readers may know cannot be kept from them: name it in one of the two",
                    parameter="sensitive",
                )
        return cls(items, known, limit)

    def sensitive_in(self, vocabulary: Vocabulary) -> NDArray[np.bool_]:
        """Return for each item whether it is sensitive."""
        return np.array([label in self.sensitive for label in vocabulary.labels], bool)

    def quasi_in(self, vocabulary: Vocabulary) -> NDArray[np.bool_]:
        """Return for each item whether groups may be made of it."""
        if self.quasi_identifiers is None:
            return ~self.sensitive_in(vocabulary)
        found = matches(self.quasi_identifiers, vocabulary.labels, of=() if self.widely else None)
        known = {label for labels in found.values() for label in labels}
        return np.array([label in known for label in vocabulary.labels], bool)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Of the rows with some items and without others, so many have a sensitive item, in every data set that fits.

    Attributes
    ----------
    present, absent : frozenset of str
        The items that every row of the group has, and those that none has; both empty for all rows.
    item : str
        The sensitive item.
    rows : tuple of int
        The least and the greatest size of the group.
    having : tuple of int
        The least and the greatest number of rows of the group that have the item.
    share : Fraction
        The share of the group that is known to have it at least: that of the two numbers, or rho if they leave less.
    """

    present: frozenset[str]
    absent: frozenset[str]
    item: str
    rows: tuple[int, int]
    having: tuple[int, int]
    share: Fraction

    @property
    def certain(self) -> bool:
        """Whether both numbers are known exactly."""
        return self.rows[0] == self.rows[1] and self.having[0] == self.having[1]


@dataclass(frozen=True, eq=False, repr=False)
class Conclusions(Sequence[Conclusion]):
    """Conclusions as arrays, surest first, then those about most rows; labels are looked up when one is read.

    Conclusion c: of `row_lows[c]` to `row_highs[c]` rows with `present[c]` and without `absent[c]`, `having_lows[c]` to
    `having_highs[c]` have `items[c]`.
    """

    vocabulary: Vocabulary
    rho: Fraction
    present: Itemsets
    absent: Itemsets
    items: NDArray[np.int32]
    row_lows: NDArray[np.int64]
    row_highs: NDArray[np.int64]
    having_lows: NDArray[np.int64]
    having_highs: NDArray[np.int64]
    windows: int | None = None
    """In how many windows it was looked for what follows by bounds; None if that was not looked for."""
    left_out: int = 0

    @classmethod
    def none(cls, vocabulary: Vocabulary, rho: Fraction) -> Conclusions:
        """Return no conclusion."""
        empty = np.zeros(0, np.int64)
        return cls(vocabulary, rho, Itemsets.none(), Itemsets.none(), np.zeros(0, np.int32), empty, empty, empty, empty)

    def chosen(self, numbers: NDArray[np.int64]) -> Conclusions:
        """Return the conclusions with these numbers, in this order."""
        return Conclusions(
            self.vocabulary,
            self.rho,
            self.present.select(numbers),
            self.absent.select(numbers),
            self.items[numbers],
            self.row_lows[numbers],
            self.row_highs[numbers],
            self.having_lows[numbers],
            self.having_highs[numbers],
        )

    def surest_first(self) -> Conclusions:
        """Return them in their order: by share, then by rows, then by items."""
        # A quotient of whole numbers is rounded correctly, so equal shares are equal; only the order depends on it.
        share = np.maximum(self.having_lows / np.maximum(self.row_highs, 1), float(self.rho))
        order = np.lexsort((self.absent.ranks(), self.present.ranks(), self.items, -self.row_lows, -share))
        return self.chosen(order)

    def merged(self) -> Conclusions:
        """Return each conclusion once, with the narrowest bounds."""
        keys = np.stack([self.present.ranks(), self.absent.ranks(), self.items.astype(np.int64)])
        _, first, which = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        best = self.chosen(first)
        for name, join in (("lows", np.maximum), ("highs", np.minimum)):
            for of in ("row", "having"):
                join.at(getattr(best, f"{of}_{name}"), which.ravel(), getattr(self, f"{of}_{name}"))
        return best

    @property
    def certain(self) -> Conclusions:
        """Those whose numbers are known exactly."""
        return self.chosen(np.flatnonzero(self._exact))

    @property
    def bounded(self) -> Conclusions:
        """Those of which only bounds are known."""
        return self.chosen(np.flatnonzero(~self._exact))

    @property
    def _exact(self) -> NDArray[np.bool_]:
        return np.asarray((self.row_lows == self.row_highs) & (self.having_lows == self.having_highs))

    def followed_by(self, more: Conclusions) -> Conclusions:
        """Return these and `more`, in no order."""
        return Conclusions(
            self.vocabulary,
            self.rho,
            self.present.followed_by(more.present),
            self.absent.followed_by(more.absent),
            np.concatenate([self.items, more.items]),
            np.concatenate([self.row_lows, more.row_lows]),
            np.concatenate([self.row_highs, more.row_highs]),
            np.concatenate([self.having_lows, more.having_lows]),
            np.concatenate([self.having_highs, more.having_highs]),
        )

    def to_dict(self) -> JsonObject:
        """Return the JSON form of all of them, and how far it was looked by bounds."""
        return {
            "rho": str(self.rho),
            "conclusions": self.certain.to_dicts(),
            "bounded_conclusions": self.bounded.to_dicts(),
            "conclusion_search": None if self.windows is None else {"windows": self.windows, "left_out": self.left_out},
        }

    def __len__(self) -> int:
        """Return the number of conclusions."""
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> Conclusion: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Conclusion]: ...
    def __getitem__(self, index: int | slice) -> Conclusion | Sequence[Conclusion]:
        """Return one conclusion with its labels, or several."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        return Conclusion(
            present=frozenset(self.vocabulary[item] for item in self.present[number].tolist()),
            absent=frozenset(self.vocabulary[item] for item in self.absent[number].tolist()),
            item=self.vocabulary[int(self.items[number])],
            rows=(int(self.row_lows[number]), int(self.row_highs[number])),
            having=(int(self.having_lows[number]), int(self.having_highs[number])),
            share=self.share_of(number),
        )

    def share_of(self, number: int) -> Fraction:
        """Return the share that a conclusion is known to reach."""
        return max(Fraction(int(self.having_lows[number]), int(self.row_highs[number])), Fraction(self.rho))

    def __iter__(self) -> Iterator[Conclusion]:
        """Yield the conclusions in order."""
        return (self[number] for number in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Return whether both list the same conclusions, by label."""
        return isinstance(other, Conclusions) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def to_dicts(self) -> list[JsonObject]:
        """Return the JSON form: whole numbers, or the least and the greatest one if they differ; shares as text."""
        labels = self.vocabulary.labels
        rows: list[JsonObject] = []
        for number, (present, absent) in enumerate(
            zip(self.present.labels(labels), self.absent.labels(labels), strict=True)
        ):
            low, high = int(self.row_lows[number]), int(self.row_highs[number])
            least, most = int(self.having_lows[number]), int(self.having_highs[number])
            rows.append(
                {
                    "present": present,
                    "absent": absent,
                    "item": labels[int(self.items[number])],
                    "rows": low if low == high else [low, high],
                    "having": least if least == most else [least, most],
                    "share": str(self.share_of(number)),
                }
            )
        return rows

    def __repr__(self) -> str:
        return f"<Conclusions: {len(self):,}>"


def find_conclusions(
    collection: Collection,
    known: Knowledge | None,
    asked: Asked,
    *,
    border: Itemsets | None = None,
    rows: Transactions | None = None,
    steps: int | None,
) -> Conclusions:
    """Return what a collection tells about sensitive items, surest first: by counting, and if `known`, by bounds.

    `known` is what the collection reveals; the other parameters are those of `attacker.attack`.
    """
    within = conclusions_within(collection, asked)
    if known is None:
        return within
    beyond = conclusions_beyond(known, asked, maximal=collection.maximal, border=border, rows=rows, steps=steps)
    every = within.followed_by(beyond).merged().surest_first()
    return replace(every, windows=beyond.windows, left_out=beyond.left_out)


def conclusions_within(collection: Collection, asked: Asked) -> Conclusions:
    """Return what follows by counting from itemsets that are published together, surest first."""
    vocabulary = collection.patterns.vocabulary
    source = _listed_whole(collection) if collection.kind == "incomplete" else None
    targets, items = _targets(collection.maximal if source is None else _maximal(source), vocabulary, asked)
    if not len(targets):
        return Conclusions.none(vocabulary, asked.rho)

    def solve(known: PatternSet) -> tuple[Groups, NDArray[np.int64]]:
        return shares_of_patterns(known.itemsets, known.supports, known.n, targets, items=items, rho=asked.rho)

    groups, having = from_supports(collection, solve) if source is None else solve(source)
    fulls, item = targets.select(groups.targets), items[groups.targets]
    absent = fulls.keeping(fulls.items != np.repeat(item, fulls.lengths)).without(groups.bases)
    counts = groups.counts
    return Conclusions(vocabulary, asked.rho, groups.bases, absent, item, counts, counts, having, having).surest_first()


def targets_reached(
    collection: Collection, targets: Itemsets, items: NDArray[np.int32], rho: Fraction
) -> NDArray[np.int64]:
    """Return which of the targets have a group, of all items but the one in `items`, that reaches rho."""

    def solve(known: PatternSet) -> NDArray[np.int64]:
        groups, _ = shares_of_patterns(known.itemsets, known.supports, known.n, targets, items=items, rho=rho)
        return np.unique(groups.targets)

    return from_supports(collection, solve)


def _targets(maximal: Itemsets, vocabulary: Vocabulary, asked: Asked) -> tuple[Itemsets, NDArray[np.int32]]:
    """Return the maximal sets of one sensitive item and quasi-identifiers, and the sensitive item of each."""
    quasi = asked.quasi_in(vocabulary)
    parts, items = [Itemsets.none()], []
    for item in np.flatnonzero(asked.sensitive_in(vocabulary)).tolist():
        holding = maximal.select(np.unique(maximal.owners[maximal.items == item]))
        if not len(holding):
            continue
        inside = holding.keeping(quasi[holding.items] | (holding.items == item))
        parts.append(inside.distinct().maximal(len(vocabulary)))
        items.append(np.full(len(parts[-1]), item, np.int32))
    return Itemsets.none().followed_by(*parts), np.concatenate([np.zeros(0, np.int32), *items])


def _maximal(patterns: PatternSet) -> Itemsets:
    return patterns.itemsets.maximal(len(patterns.vocabulary)) if len(patterns) else Itemsets.none()


def _listed_whole(collection: Collection) -> PatternSet:
    """Return the itemsets of an incomplete collection all of whose subsets are listed."""
    patterns = collection.patterns
    itemsets = patterns.itemsets
    less = _kernel.one_item_less(itemsets, len(patterns.vocabulary))
    whole = np.zeros(len(itemsets), bool)
    for first, last, matrix in itemsets.by_length():
        smaller = less[itemsets.offsets[first] : itemsets.offsets[last]].reshape(matrix.shape)
        whole[first:last] = ((smaller == _EMPTY_ITEMSET) | ((smaller >= 0) & whole[np.maximum(smaller, 0)])).all(axis=1)
    chosen = np.flatnonzero(whole)
    return replace(patterns, itemsets=itemsets.select(chosen), supports=patterns.supports[chosen])


def conclusions_beyond(
    known: Knowledge,
    asked: Asked,
    *,
    maximal: Itemsets,
    border: Itemsets | None = None,
    rows: Transactions | None = None,
    steps: int | None,
) -> Conclusions:
    """Return what follows by bounds for items that are not published together, surest first.

    The parameters are those of `attacker.attack`.
    """
    sensitive, quasi = asked.sensitive_in(known.vocabulary), asked.quasi_in(known.vocabulary)
    if not sensitive[known.items].any():
        return replace(Conclusions.none(known.vocabulary, asked.rho), windows=0)
    data = None if rows is None else fold_rows(rows, known)

    def look_at(windows: Windows) -> tuple[Any, Any, NDArray[np.uint8]]:
        found, still_open, states, _, _ = _kernel.attack(
            known.arrays,
            rows=None if data is None else data[0],
            weights=None if data is None else data[1],
            windows=windows.itemsets,
            asked=quasi.astype(np.uint8),
            k=0,
            steps=-1 if steps is None else steps,
            cells=MOST_CELLS,
            groups=LONGEST_GROUP,
            exact=windows.whole,
            threads=min(2, os.cpu_count() or 1) if len(windows.itemsets) > 1 else 0,
            progress=None,
            sensitive=sensitive.astype(np.uint8),
            above=asked.rho.numerator,
            below=asked.rho.denominator,
            most=_ENOUGH_OF_ALL if windows.whole else _ENOUGH_OF_ONE,
        )
        refuse_impossible(states)
        return found, still_open, states

    windows = whole_window(known)
    answer = None if windows is None else look_at(windows)
    if windows is None or answer is None or answer[2][0] == WindowState.TOO_LARGE:
        windows = windows_around(known, maximal, border, sensitive=sensitive, quasi=quasi)
        answer = look_at(windows)
    (_, present, absent, lows, highs), items, having_lows, having_highs = answer[0]
    every = Conclusions(
        known.vocabulary,
        asked.rho,
        Itemsets(*present),
        Itemsets(*absent),
        items,
        lows,
        highs,
        having_lows,
        having_highs,
    )
    looked_at = int((answer[2] == WindowState.LOOKED_AT).sum())
    left_out = windows.left_out + len(answer[2]) - looked_at
    return replace(every.merged().surest_first(), windows=looked_at, left_out=left_out)


def shortest(collection: Collection, conclusions: Conclusions) -> Conclusions:
    """Return conclusions with exact numbers in fewer words, each once, surest first.

    Items are left out of a group while its share does not fall: of those that can be, the one whose absence leaves the
    greatest share goes first, and of equal ones one that the group lacks. Where the items are not published together,
    the group stays as it is.
    """
    source = _listed_whole(collection) if collection.kind == "incomplete" else None
    fulls = conclusions.present.joined_with(conclusions.absent)
    single = Itemsets.from_lengths(np.ones(len(conclusions), np.int64), conclusions.items)
    targets = fulls.joined_with(single)
    maximal = collection.maximal if source is None else _maximal(source)
    together = targets.count_in(maximal, None, len(conclusions.vocabulary)) > 0
    numbers = np.flatnonzero(together).tolist()

    def solve(known: PatternSet) -> list[Groups]:
        each = (targets.part(number, number + 1) for number in numbers)
        return [groups_of_patterns(known.itemsets, known.supports, known.n, one, below=EVERY_SIZE) for one in each]

    cells = from_supports(collection, solve) if source is None else solve(source)
    short = list(
        dict.fromkeys(_shortened(conclusions, number, here) for number, here in zip(numbers, cells, strict=True))
    )
    rows, having = (np.array([each[place] for each in short], np.int64) for place in (3, 4))
    shortened = Conclusions(
        conclusions.vocabulary,
        conclusions.rho,
        Itemsets.of([each[0] for each in short]),
        Itemsets.of([each[1] for each in short]),
        np.array([each[2] for each in short], np.int32),
        rows,
        rows,
        having,
        having,
    )
    return shortened.followed_by(conclusions.chosen(np.flatnonzero(~together))).merged().surest_first()


def _shortened(
    conclusions: Conclusions, number: int, cells: Groups
) -> tuple[tuple[int, ...], tuple[int, ...], int, int, int]:
    """Return a group in fewer words: present items, absent items, the sensitive item, its rows, and those having it."""
    item = int(conclusions.items[number])
    absent, present = conclusions.absent[number].tolist(), conclusions.present[number].tolist()
    place = {each: at for at, each in enumerate([*absent, *present, item])}
    held = np.zeros((len(place), len(cells.counts)), bool)
    held[[place[each] for each in cells.bases.items.tolist()], cells.bases.owners] = True
    left = [*((each, False) for each in absent), *((each, True) for each in present)]

    def count(described: list[tuple[int, bool]]) -> tuple[int, int]:
        inside = np.ones(len(cells.counts), bool)
        for each, present_in in described:
            inside &= held[place[each]] == present_in
        return int(cells.counts[inside].sum()), int(cells.counts[inside & held[place[item]]].sum())

    rows, having = count(left)
    share = Fraction(having, rows)
    while left:
        tried = [count([*left[:out], *left[out + 1 :]]) for out in range(len(left))]
        shares = [Fraction(some, of) for of, some in tried]
        best = max(range(len(left)), key=lambda out: (shares[out], -out))
        if shares[best] < share:
            break
        rows, having = tried[best]
        del left[best]
    return (
        tuple(each for each, present_in in left if present_in),
        tuple(each for each, present_in in left if not present_in),
        item,
        rows,
        having,
    )

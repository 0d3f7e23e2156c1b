"""Attack a publication as strongly as we can afford: find what follows from it, whatever the rows were.

Problem      given what is published (see `knowledge`) and k, find groups of rows (some items present, some absent) that
             have 1 to k-1 rows in *every* data set that agrees with it.
Method       the attacker problem of statistical disclosure control, for itemsets. In a window of a few items (see
             `windows`) every combination of present and absent items is a cell with an unknown number of rows. A
             published support is a sum of cells, and so is a group: two linear programs bound it. The kernel solves
             them exactly, in whole numbers. Only groups that are small in some compatible data set are candidates,
             and every solution found is another such data set, which rules out most other candidates.
Promises     every group listed is entailed, and its bounds are the best that its window gives. Every other candidate of
             an examined window can be empty, or have k rows or more, as far as the window shows. `complete` means
             that one window held all items and that whole rows (see `whole_rows`) settle every group.
Cost         one step for each window and each program, more for large ones. Because the budget counts steps, every
             machine gives the same answer.
Departures   atzori2008, section 9, leaves these inferences open.
Names        present items -> base;  present and absent items -> full.
Reference    atzori2008, section 9; Calders, Computational complexity of itemset frequency satisfiability (2004)
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from discreet import _kernel
from discreet.channels.channel import Channels
from discreet.channels.whole_rows import settle
from discreet.channels.windows import WIDEST, Windows, choose_windows, whole_window
from discreet.errors import DataError, ParameterError, param
from discreet.itemsets import Itemsets
from discreet.thresholds import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.channels.knowledge import Knowledge
    from discreet.channels.whole_rows import Settled
    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "DEFAULT_ATTACK_STEPS",
    "LARGEST_BUDGET",
    "LONGEST_GROUP",
    "MOST_CELLS",
    "Attack",
    "StepBudget",
    "WindowState",
    "attack",
    "check_steps",
    "fold_rows",
    "no_data_set",
    "refuse_impossible",
]

StepBudget: TypeAlias = "int | Literal['all']"
"""A budget of steps, or no limit."""

DEFAULT_ATTACK_STEPS = 100_000
"""The default number of windows and programs in one attack: a few seconds at most."""

LARGEST_BUDGET = 10**12
"""The largest number of steps; beyond it there is no difference to all."""

MOST_CELLS = 4096
"""Windows with more cells that can be nonempty are left out."""

LONGEST_GROUP = 12
"""The most items of a group."""


class WindowState(IntEnum):
    """What became of a window."""

    NOT_REACHED = 0
    LOOKED_AT = 1
    TOO_LARGE = 2
    IMPOSSIBLE = 3


@dataclass(frozen=True, eq=False)
class Attack:
    """What an attacker found, and how far it searched.

    groups      what is entailed: base (present), full (present and absent), lows and highs
    low_places  the number of the window that gives each group's lower bound
    high_places the same for the upper bound
    windows     the windows, in order; the first `looked_at` of them were examined
    left_out    windows not examined: too large, or beyond the budget
    candidates  groups that were small in the data set given, or in the first one found
    programs    linear programs solved
    complete    whether no other group over all items can be entailed
    unsettled   the items of the groups that whole rows were to settle, for which the steps did not suffice
    """

    known: Knowledge = field(repr=False)
    groups: Channels
    low_places: NDArray[np.int64] = field(repr=False)
    high_places: NDArray[np.int64] = field(repr=False)
    windows: Itemsets = field(repr=False)
    looked_at: int
    left_out: int
    candidates: int
    programs: int
    complete: bool
    items_per_window: int
    unsettled: Itemsets = field(default_factory=Itemsets.none, repr=False)

    def joined_by(self, more: Channels) -> Attack:
        """Return these groups and `more` that follow by other means, without duplicates.

        The window of each added group is its full set.
        """
        known = set(_keys(self.groups))
        new = [number for number, one in enumerate(_keys(more)) if one not in known]
        fitting = [number for number in new if len(more.fulls[int(more.which[number])]) <= WIDEST]
        if not fitting:
            return self
        chosen = np.array(fitting, np.int64)
        fulls = more.fulls.select(more.which[chosen])
        places = len(self.windows) + np.arange(len(chosen))
        groups, order = _ordered(
            self.known.vocabulary,
            self.groups.bases.followed_by(more.bases.select(chosen)),
            self.groups.fulls.select(self.groups.which).followed_by(fulls),
            np.concatenate([self.groups.lows, more.lows[chosen]]),
            np.concatenate([self.groups.highs, more.highs[chosen]]),
        )
        return replace(
            self,
            groups=groups,
            low_places=np.concatenate([self.low_places, places])[order],
            high_places=np.concatenate([self.high_places, places])[order],
            windows=self.windows.followed_by(fulls),
        )

    def without(self, channels: Channels) -> Attack:
        """Return this attack without the groups that are channels already."""
        known = set(_keys(channels))
        kept = np.array([number for number, one in enumerate(_keys(self.groups)) if one not in known], np.int64)
        return replace(
            self,
            groups=self.groups.chosen(kept),
            low_places=self.low_places[kept],
            high_places=self.high_places[kept],
        )

    def to_dict(self) -> dict[str, int | bool]:
        """Return the JSON form of how far the search went."""
        return {
            "windows": self.looked_at,
            "left_out": self.left_out,
            "candidates": self.candidates,
            "programs": self.programs,
            "complete": self.complete,
            "items_per_window": self.items_per_window,
        }


def check_steps(steps: object) -> int | None:
    """Return the number of steps, None for no limit; raise ParameterError if it is invalid."""
    if steps == "all":
        return None
    number = whole_number(steps, parameter="attack_steps", expected="a whole number of at least 1, or all")
    if number > LARGEST_BUDGET:
        raise ParameterError(
            f"{param('attack_steps')} must be at most {LARGEST_BUDGET:,}, or all", parameter="attack_steps"
        )
    return number


def attack(
    known: Knowledge,
    *,
    k: int,
    maximal: Itemsets,
    border: Itemsets | None = None,
    rows: Transactions | None = None,
    asked: NDArray[np.bool_] | None = None,
    steps: int | None = DEFAULT_ATTACK_STEPS,
    progress: Callable[[float, int], object] | None = None,
) -> Attack:
    """Return the groups of 1 to k-1 rows that follow from what is known.

    `rows` is a data set that agrees with it, if one is available. It shortens the search and changes nothing else.
    `asked` selects the items that groups may be made of. `steps` is the budget, None for no limit. `progress` is called
    with the share that is done and the number of windows examined.
    """
    data = None if rows is None else fold_rows(rows, known)

    def look_at(windows: Windows) -> tuple[_Found, _Found, NDArray[np.uint8], int, int]:
        found, still_open, states, candidates, programs = _kernel.attack(
            known.arrays,
            rows=None if data is None else data[0],
            weights=None if data is None else data[1],
            windows=windows.itemsets,
            asked=None if asked is None else asked.astype(np.uint8),
            k=k,
            steps=-1 if steps is None else steps,
            cells=MOST_CELLS,
            groups=LONGEST_GROUP,
            exact=windows.whole,
            threads=min(2, os.cpu_count() or 1) if len(windows.itemsets) > 1 else 0,
            progress=progress,
        )
        refuse_impossible(states)
        return _Found.of(found), _Found.of(still_open), states, candidates, programs

    windows = whole_window(known)
    answer = None if windows is None else look_at(windows)
    if windows is None or answer is None or answer[2][0] == WindowState.TOO_LARGE:
        windows = choose_windows(known, maximal, border, everything=steps is None)
        answer = look_at(windows)
    found, open_groups, states, candidates, programs = answer
    still_open, unsettled = len(open_groups.windows), Itemsets.none()
    if windows.whole and still_open:
        settled = settle(known, windows.itemsets[0], open_groups.present, open_groups.absent, k=k, steps=steps)
        found, still_open = _with_whole_rows(found, open_groups, settled), len(settled.open)
        if settled.tried:
            unsettled = open_groups.present.joined_with(open_groups.absent).select(settled.open)
    groups, low_places, high_places = _merged(known, found)
    looked_at = states == WindowState.LOOKED_AT
    lengths = windows.itemsets.lengths
    return Attack(
        known=known,
        groups=groups,
        low_places=low_places,
        high_places=high_places,
        windows=windows.itemsets,
        looked_at=int(looked_at.sum()),
        left_out=windows.left_out + int((~looked_at).sum()),
        candidates=candidates,
        programs=programs,
        complete=(windows.whole and bool(looked_at.all()) and not still_open) or not len(known.items),
        items_per_window=int(lengths[looked_at].max(initial=0)),
        unsettled=unsettled,
    )


def refuse_impossible(states: NDArray[np.uint8]) -> None:
    """Raise an error if some window shows that no data set fits."""
    if (states == WindowState.IMPOSSIBLE).any():
        raise no_data_set()


def no_data_set() -> DataError:
    """Return the refusal of patterns that no data set has."""
    return DataError(
        "the supports contradict each other: no data set can have them all; check how the patterns were made, and that "
        "none is missing"
    )


class _Found(NamedTuple):
    """Groups by the window they were found in: present items, absent items, and bounds."""

    windows: NDArray[np.int64]
    present: Itemsets
    absent: Itemsets
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]

    @classmethod
    def of(cls, arrays: tuple[Any, ...]) -> _Found:
        """Build from the arrays that the kernel returns."""
        windows, present, absent, lows, highs = arrays
        return cls(windows, Itemsets(*present), Itemsets(*absent), lows, highs)


def _with_whole_rows(found: _Found, left: _Found, settled: Settled) -> _Found:
    """Return what was found plus what only whole rows show about the open groups."""
    if not settled.entailed:
        return found
    numbers = np.array(list(settled.entailed), np.int64)
    bounds = np.array(list(settled.entailed.values()), np.int64)
    return _Found(
        np.concatenate([found.windows, np.zeros(len(numbers), np.int64)]),
        found.present.followed_by(left.present.select(numbers)),
        found.absent.followed_by(left.absent.select(numbers)),
        np.concatenate([found.lows, bounds[:, 0]]),
        np.concatenate([found.highs, bounds[:, 1]]),
    )


def fold_rows(rows: Transactions, known: Knowledge) -> tuple[Itemsets, NDArray[np.int64]]:
    """Return the distinct rows, restricted to published items, and how often each occurs."""
    number = np.full(len(rows.vocabulary), -1, np.int32)
    place = rows.vocabulary.positions
    for item in known.items.tolist():
        here = place.get(known.vocabulary[item])
        if here is not None:
            number[here] = item
    published = rows.itemsets.renumbered(number)
    firsts, weights = _kernel.fold_rows(published, rows.weights)
    return published.select(firsts), weights


def _merged(known: Knowledge, found: _Found) -> tuple[Channels, NDArray[np.int64], NDArray[np.int64]]:
    """Return each group once with the best bounds of any window, by full set and base, and these windows."""
    bases, lows, highs = found.present, found.lows, found.highs
    fulls = bases.joined_with(found.absent)
    base_rank, full_rank = bases.ranks(), fulls.ranks()
    by_low, by_high = (np.lexsort([bound, base_rank, full_rank]) for bound in (-lows, highs))
    fresh = (np.diff(base_rank[by_low]) != 0) | (np.diff(full_rank[by_low]) != 0)
    first = np.flatnonzero(np.concatenate([[True], fresh])) if len(by_low) else np.zeros(0, np.int64)
    lowest, highest = by_low[first], by_high[first]
    channels = Channels(
        known.vocabulary,
        fulls.select(lowest),
        np.arange(len(lowest)),
        bases.select(lowest),
        lows[lowest],
        highs[highest],
    )
    return channels, found.windows[lowest], found.windows[highest]


def _keys(channels: Channels) -> list[tuple[bytes, bytes]]:
    return [
        (channels.bases[number].tobytes(), channels.fulls[which].tobytes())
        for number, which in enumerate(channels.which.tolist())
    ]


def _ordered(
    vocabulary: Vocabulary,
    bases: Itemsets,
    fulls: Itemsets,
    lows: NDArray[np.int64],
    highs: NDArray[np.int64],
) -> tuple[Channels, NDArray[np.int64]]:
    """Return groups sorted by full set, then base, and the permutation."""
    order = np.lexsort([bases.ranks(), fulls.ranks()])
    channels = Channels(
        vocabulary,
        fulls.select(order),
        np.arange(len(order)),
        bases.select(order),
        lows[order],
        highs[order],
    )
    return channels, order

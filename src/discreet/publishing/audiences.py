"""What a release says to which audience: one value for everything public, another for the owner alone.

Nothing passes from the second to the first. Someone who knows whether, where or how patterns were changed may be able
to undo the change (atzori2008, section 7.2). So the public value has no field for it: not the method, nor the requested
support, nor the number of rows before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.channels.conclusions import Asked
from discreet.channels.exclusive import Exclusive
from discreet.channels.tradeoff import tradeoff
from discreet.thresholds import Rho
from discreet.wording import ROWS, Unit

if TYPE_CHECKING:
    import os
    from fractions import Fraction

    from discreet.channels.attacker import Attack, StepBudget
    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.channels.tradeoff import Tradeoff
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet

__all__ = [
    "AttackCheck",
    "ConclusionCheck",
    "OwnerFile",
    "OwnerStory",
    "PublishedPatterns",
    "PublishedRows",
    "ReleaseMethod",
]

ReleaseMethod = Literal["additive", "suppressive", "none"]
"""How patterns are made safe; with "none" they are published unchanged, or not at all."""

_MOST_ROWS_NAMED = 1000
"""The most exposed rows whose positions the owner's report lists."""

_POINTS = 8
"""The number of supports in the owner's trade-off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackCheck:
    """How far the attacker searched. Anyone can repeat the search with the published patterns, and get these figures.

    steps              its budget, or "all"
    windows            sets of published items that it examined
    items_per_window   the number of items of the largest one
    left_out           windows that it did not examine
    candidates         groups that were small in the first compatible data set
    programs           linear programs solved to rule them out
    complete           whether one window held all items, so that the answer is exact
    """

    steps: StepBudget
    windows: int
    items_per_window: int
    left_out: int
    candidates: int
    programs: int
    complete: bool

    @classmethod
    def of(cls, found: Attack, steps: StepBudget) -> AttackCheck:
        """Return how far an attack that found nothing searched."""
        return cls(
            steps=steps,
            windows=found.looked_at,
            items_per_window=found.items_per_window,
            left_out=found.left_out,
            candidates=found.candidates,
            programs=found.programs,
            complete=found.complete,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConclusionCheck:
    """What nobody can conclude, and how far that was looked for. Anyone can repeat it, and get these figures.

    rho         no group is known to have a sensitive item with this share or more
    sensitive   the sensitive items that are published, in order
    windows     sets of published items in which it was looked for conclusions by bounds
    left_out    windows in which it was not
    """

    rho: Fraction
    sensitive: tuple[str, ...]
    windows: int = 0
    left_out: int = 0

    @classmethod
    def of(cls, found: Audit, rho: Fraction) -> ConclusionCheck:
        """Return what an audit that found no conclusion looked for; none of the sensitive items if it did not look."""
        if found.asked is None or found.conclusions is None:
            return cls(rho=rho, sensitive=())
        return cls(
            rho=rho,
            sensitive=tuple(sorted(found.asked.sensitive)),
            windows=found.conclusions.windows or 0,
            left_out=found.conclusions.left_out,
        )

    @property
    def search(self) -> dict[str, int]:
        """How far it was looked, as figures."""
        return {"windows": self.windows, "left_out": self.left_out}


@dataclass(frozen=True, eq=False, kw_only=True)
class PublishedPatterns:
    """Everything that is public.

    patterns            the safe itemsets; their `min_support` is the least listed support (see `release`)
    k                   no group of 1 to k-1 rows can be computed
    attack              how far the attacker searched, beyond items published together
    proved              whether a data set that anyone can find proves that no group of 1 to k-1 rows follows at all
    exclusive           published items of which a row has at most one, as assumed by the audit
    rules               association rules among the safe supports, if they are published
    title               the owner's title
    quasi_identifiers   the columns or items that groups are made of, if the owner said what strangers may know
    conclusions         what nobody can conclude about sensitive items, if the owner named any
    unit                what a row is
    persons             whether a column said whose a row is, so that each row is one person
    version             of the program
    files               the names of the bundle's files
    """

    patterns: PatternSet
    k: int
    attack: AttackCheck
    proved: bool = False
    exclusive: Exclusive = field(default_factory=Exclusive)
    rules: RuleSet | None = None
    title: str | None = None
    quasi_identifiers: tuple[str, ...] | None = None
    conclusions: ConclusionCheck | None = None
    unit: Unit = ROWS
    persons: bool = False
    version: str
    files: tuple[str, ...]

    @property
    def asked(self) -> Asked | None:
        """What nobody may conclude, as an audit is asked."""
        told = self.conclusions
        return None if told is None else Asked(frozenset(told.sensitive), self.quasi_identifiers, Rho(told.rho))

    @property
    def selected(self) -> bool:
        """Whether itemsets were withheld: an unlisted one is rare, or was withheld."""
        return self.patterns.target == "selected"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRows:
    """Everything that is public about rows.

    n           the number of rows
    items       the number of distinct items, including generalized ones
    statement   what is promised, in words
    not_promised   what is not
    title       the owner's title
    unit        what a row is
    version     of the program
    files       the names of the bundle's files
    """

    n: int
    items: int
    statement: str
    not_promised: tuple[str, ...]
    title: str | None
    unit: Unit = ROWS
    version: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnerFile:
    """A file for the owner alone, and the names that it uses.

    Attributes
    ----------
    path : path
        The file.
    source : str
        What the report calls the rows.
    command : tuple of str
        The command that it gives for repeating the release.
    bundle : str, optional
        What it calls the bundle: by default the folder; a name that ends with .zip is that of a packed one.
    notes : tuple of str
        What else it tells, a sentence each.
    """

    path: str | os.PathLike[str]
    source: str = "rows"
    command: tuple[str, ...] = ()
    bundle: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class OwnerStory:
    """Everything that is for the owner alone.

    published      everything that is public
    before         the audit of the original patterns, from the rows
    blocked        what was changed, and the cost; None if nothing was (method none)
    source         DATA as typed
    command        the words of the command, to repeat it
    bundle         the folder of the bundle as typed, or the name of the zip that it is packed in
    policy         the digest of the policy that was followed; None if there was none
    apart          the itemsets that were withheld because of earlier releases; None if there were none
    notes          what else there is to tell, a sentence each
    """

    published: PublishedPatterns
    before: Audit
    blocked: Blocked | None
    source: str
    command: tuple[str, ...]
    bundle: str
    policy: str | None = None
    apart: PatternSet | None = None
    notes: tuple[str, ...] = ()

    @property
    def withheld(self) -> PatternSet | None:
        """The itemsets that were withheld because of sensitive items; None if nothing was withheld for want of any."""
        return None if self.blocked is None else self.blocked.withheld

    @property
    def exposed_rows(self) -> tuple[int, ...]:
        """The 1-based positions of the rows in a small group that follows, at most a thousand."""
        if self.before.exposed is None:
            return ()
        return tuple((np.flatnonzero(self.before.exposed)[:_MOST_ROWS_NAMED] + 1).tolist())

    @cached_property
    def tradeoff(self) -> Tradeoff | None:
        """The channels from the chosen support to a little above the last one, for k, half of it and twice as much."""
        collection, lowest, k = self.before.collection, self.before.min_support, self.before.k
        if collection is None or lowest is None or not len(collection.closed):
            return None
        ks = sorted({max(2, k // 2), k, 2 * k})
        ends = tradeoff(collection.closed, min_support=[lowest], k=ks).lowest.values()
        last = max((end for end in ends if end is not None), default=lowest)
        highest = min(int(collection.closed.supports.max()), last + max(1, (last - lowest) // 3))
        supports = np.unique(np.linspace(lowest, max(lowest, highest), _POINTS).astype(np.int64))
        return tradeoff(collection.closed, min_support=supports.tolist(), k=ks)

"""What a release says, to whom: one value holds all that is public, another all that is for the owner alone.

Nothing passes from the second to the first. Whoever knows whether, where or how patterns were changed may be able to
undo the change (atzori2008, section 7.2), so the public value has no room for it: not the method, nor the support that
was asked for, nor the number of rows before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.channels.border import Border
    from discreet.channels.tradeoff import Tradeoff
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet

__all__ = ["BorderCheck", "OwnerStory", "PublishedPatterns", "PublishedRows", "ReleaseMethod"]

ReleaseMethod = Literal["additive", "suppressive", "none"]
"""How patterns are made safe; with none they are published as they are, or not at all."""


@dataclass(frozen=True, slots=True)
class BorderCheck:
    """How far beyond the published itemsets was looked: anyone can look as far, with the published patterns alone.

    `depth` times the border was moved outward; `itemsets` outside the collection were looked at, of at most `longest`
    items; `complete` says whether that was all of them.
    """

    depth: int
    itemsets: int
    longest: int
    complete: bool

    @classmethod
    def of(cls, search: Border) -> BorderCheck:
        """Keep of a search that found nothing how far it looked."""
        return cls(depth=search.depth, itemsets=search.sets, longest=search.longest, complete=search.complete)


@dataclass(frozen=True, eq=False, kw_only=True)
class PublishedPatterns:
    """All that the public gets to know.

    patterns            the safe itemsets; their `min_support` is the least support that is listed (see `release`)
    k                   no group of 1 to k-1 rows can be computed
    border              how far beyond the published itemsets that was checked; None where it was not
    rules               association rules among the safe supports, where they are published
    title               the owner's words
    quasi_identifiers   the only columns or items that were looked at and published, where the owner named some
    version             of the program
    files               the names of the bundle's files
    signed              whether the certificate carries a signature
    """

    patterns: PatternSet
    k: int
    border: BorderCheck | None
    rules: RuleSet | None = None
    title: str | None = None
    quasi_identifiers: tuple[str, ...] | None = None
    version: str
    files: tuple[str, ...]
    signed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRows:
    """All that the public gets to know of rows.

    n           how many rows
    items       how many different items they hold, generalized ones among them
    statement   what is promised, in words
    not_promised   what is not
    title       the owner's words
    version     of the program
    files       the names of the bundle's files
    signed      whether the certificate carries a signature
    """

    n: int
    items: int
    statement: str
    not_promised: tuple[str, ...]
    title: str | None
    version: str
    files: tuple[str, ...]
    signed: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class OwnerStory:
    """All that the owner gets to know, and nobody else.

    published      what the public gets to know
    method         how it was made safe
    before         the audit of the patterns as they were, from the rows
    blocked        what was changed, and what it cost; None where nothing was (method none)
    tradeoff       channels at other supports and other k
    exposed_rows   the 1-based places of the rows that the channels found single out, the first thousand of them
    source         DATA as it was typed
    command        the words of the command, to repeat it
    bundle         the folder of the bundle as it was typed
    """

    published: PublishedPatterns
    method: ReleaseMethod
    before: Audit
    blocked: Blocked | None
    tradeoff: Tradeoff | None
    exposed_rows: tuple[int, ...]
    source: str
    command: tuple[str, ...]
    bundle: str

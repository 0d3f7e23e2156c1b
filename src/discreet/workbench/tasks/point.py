"""The point on the chart: what is asked of the patterns there, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict

from discreet.channels.exclusive_names import parse_exclusive
from discreet.wording import ROWS, Unit, counted, number, sizes_below

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.channel import Channels
    from discreet.channels.derivation import Deduction
    from discreet.channels.tradeoff import Tradeoff
    from discreet.patterns.patternset import PatternSet
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.workbench.jobs.patterns import Attacked

__all__ = [
    "NOT_MEANT",
    "BundleKeywords",
    "PageVerdict",
    "Point",
    "PointAudit",
    "PointKeywords",
    "PointVerdict",
    "Roles",
    "Tone",
    "concealing_words",
    "identifying_words",
]

NOT_MEANT = (
    "SAFE is about what follows from these patterns for certain: it does not mean that nobody can guess, nor that "
    "nobody who knows more, or has other figures about the same people, finds out more."
)
"""What SAFE does not mean."""

PointVerdict = Literal["safe", "not safe", "nothing to publish", "checking", "not checked"]
Tone = Literal["good", "bad", "wait", "none"]
_TONES: dict[PointVerdict, Tone] = {"safe": "good", "not safe": "bad", "nothing to publish": "none"}


class PageVerdict(NamedTuple):
    """The verdict about what is chosen now, with its tone and what it does not mean."""

    word: str
    sentence: str
    tone: Tone
    caution: str = ""


class Roles(TypedDict):
    """The roles of items, as keywords of `audit`, `block` and `compare`."""

    quasi_identifiers: str | None
    sensitive: str | None
    rho: str | None
    exclusive: list[tuple[str, ...]] | None


class PointKeywords(Roles):
    """What `audit`, `block` and `compare` are asked with."""

    min_support: int
    k: int


class BundleKeywords(Roles):
    """What `release` is asked with, apart from the support."""

    k: int
    method: ReleaseMethod
    title: str | None


class Point(NamedTuple):
    """What is asked of the patterns: a support, a k, and the roles of items, as they are typed."""

    min_support: int
    k: int
    quasi_identifiers: str | None = None
    sensitive: str | None = None
    rho: str | None = None
    exclusive: tuple[str, ...] = ()

    @property
    def roles(self) -> Roles:
        """The roles as options of commands; those that were not given are None."""
        return {
            "quasi_identifiers": self.quasi_identifiers,
            "sensitive": self.sensitive,
            "rho": self.rho,
            "exclusive": list(parse_exclusive(list(self.exclusive), typed=True)) or None,
        }

    @property
    def keywords(self) -> PointKeywords:
        """What `audit`, `block` and `compare` are asked with."""
        return {"min_support": self.min_support, "k": self.k, **self.roles}


def concealing_words(sensitive: str | None, rho: str | None) -> str:
    """Return what nobody may conclude, if anything was named."""
    return f", where nobody may conclude {sensitive} with {rho} or more" if sensitive else ""


def identifying_words(quasi_identifiers: str | None) -> str:
    """Return the quasi-identifiers, if not every item is one: without them, "safe" would claim too much."""
    return f", where nothing but {quasi_identifiers} identifies anyone" if quasi_identifiers else ""


@dataclass(frozen=True, eq=False)
class PointAudit:
    """What the patterns at one support disclose for one k.

    `attacked` is what the attacker found, None if it has not run; it will not run if that was `given_up`. The verdict
    can be "safe" only if it has run.
    """

    point: Point
    patterns: PatternSet
    audit: Audit
    attacked: Attacked | None = None
    given_up: bool = False
    curve: Tradeoff | None = None
    """The channels at every support, where the chart has no curve for this k."""
    unit: Unit = ROWS
    departures: tuple[str, ...] = ()
    """How the point departs from the house rule."""

    @property
    def min_support(self) -> int:
        """The support, in rows."""
        return self.point.min_support

    @property
    def k(self) -> int:
        """The least size of a group that may be known."""
        return self.point.k

    @property
    def quasi_identifiers(self) -> str | None:
        """The items or columns that identify, None if all do."""
        return self.point.quasi_identifiers

    @property
    def verdict(self) -> PointVerdict:
        """Whether what would be published is safe, as far as is known."""
        if not self.audit.safe or self.found_by_attacker or self.conclusions:
            return "not safe"
        if self.attacked is None:
            return "not checked" if self.given_up else "checking"
        return "safe" if self.audit.closed_count else "nothing to publish"

    @property
    def tone(self) -> Tone:
        """How the verdict is to be taken."""
        return _TONES.get(self.verdict, "wait")

    @property
    def word(self) -> str:
        """The verdict as shown on the page."""
        proved = self.verdict == "safe" and self.attacked is not None and self.attacked.proved
        proved = proved and not self.point.sensitive  # a proof says nothing about conclusions
        return "SAFE, PROVED" if proved else self.verdict.upper()

    @property
    def found_by_attacker(self) -> int:
        """How many groups the attacker has found."""
        return 0 if self.attacked is None else len(self.attacked.groups)

    @property
    def conclusions(self) -> int:
        """How many conclusions about sensitive items the attacker has found."""
        return 0 if self.attacked is None else self.attacked.conclusions

    @property
    def groups(self) -> int:
        """How many small groups are known."""
        return len(self.audit.channels) + self.found_by_attacker

    @cached_property
    def worst(self) -> list[tuple[Channels, int]]:
        """All groups, channels first, the smallest of each first: each as its list and its index in it."""
        lists = [self.audit.channels, *([] if self.attacked is None else [self.attacked.groups])]
        return [(groups, place) for groups in lists for place in groups.smallest_first().tolist()]

    def proof(self, worst: int) -> Deduction | None:
        """Return the sums behind one of the worst groups, if the attacker found it and returned them."""
        rank = worst - len(self.audit.channels)
        if self.attacked is None or not 0 <= rank < len(self.attacked.proofs):
            return None
        return self.attacked.proofs[rank]

    @property
    def exposed(self) -> int | None:
        """How many rows are in a small group; None until the attacker has run."""
        return None if self.attacked is None else self.attacked.exposed

    @property
    def sentence(self) -> str:
        """The verdict's sentence: rows first, if they are known."""
        if self.verdict == "nothing to publish":
            return self._sentence
        return " · ".join([self._sentence, *self.departures])

    @property
    def _sentence(self) -> str:
        rows = self.unit.counted(self.audit.n or 0)
        few = f"a group of {sizes_below(self.k)}"
        identifying = identifying_words(self.quasi_identifiers)
        if self.conclusions:
            return f"as they are: {self._concluded(rows, few)}{identifying}"
        if self.groups and self.exposed is not None:
            are = "is" if self.exposed == 1 else "are"
            return f"as they are: {number(self.exposed)} of {rows} {are} in {few} that anyone can compute{identifying}"
        if self.groups:
            them = f"{counted(self.groups, 'group')} of {few.removeprefix('a group of ')} of {rows}"
            counting = "" if self.given_up else "; counting who is in them …"
            return f"as they are: {them} can be computed{identifying}{counting}"
        if self.verdict == "nothing to publish":
            return "no itemset is in so many rows"
        if self.attacked is not None:
            sure = self.attacked.proved or self.attacked.complete
            found = "can be computed" if sure else "was found to follow, which is not proved"
            nobody = f", and nothing in {self.point.sensitive} is concluded with {self.point.rho} or more"
            concealed = nobody if self.point.sensitive else ""
            return f"as they are: none of {rows} is in {few} that {found}{concealed}{identifying}"
        ended = "the attacker was cancelled, or could not begin: move the point to let it look again"
        return f"no channel; {ended if self.given_up else 'the attacker is looking …'}"

    def _concluded(self, rows: str, few: str) -> str:
        """Return what can be concluded about sensitive items, and who is in a small group besides."""
        count = counted(self.conclusions, "conclusion")
        words = f"{count} about {self.point.sensitive} with {self.point.rho} or more can be drawn"
        return words + (f", and {number(self.exposed or 0)} of {rows} are in {few}" if self.groups else "")

    @property
    def reach(self) -> str:
        """How far the attacker searched, and what a proof of safety means."""
        found = self.attacked
        if found is None or not self.audit.closed_count:
            return ""
        if found.complete:
            words = "The attacker looked at all items together, and missed nothing."
        else:
            left_out = f"; {number(found.left_out)} {'was' if found.left_out == 1 else 'were'} left out"
            words = (
                f"The attacker looked at {counted(found.windows, 'window')} of up to "
                f"{counted(found.items_per_window, 'item')}{left_out if found.left_out else ''}."
                if found.windows
                else "The attacker's steps came to an end before it had looked at any window to the end."
            )
        if found.proved:
            words += (
                " PROVED: some data set agrees with these patterns and has every kind of row not at all or at least "
                f"{number(self.k)} times. So no small group is certain, of whatever items; one may still be likely."
            )
        return words

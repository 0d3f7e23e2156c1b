"""Publish patterns: what they give away at a support and a k, and what it costs to publish them.

One mining at the lowest support serves every look: a higher support only takes itemsets away. A look without the
attacker takes milliseconds, and follows the hand; the attacker looks when the hand rests, in a process of its own,
because it may take long. Until it has looked, nothing is called safe.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from discreet.channels.audit import audit
from discreet.channels.channel import check_k
from discreet.channels.collection import Collection, collection_of
from discreet.errors import InternalFault, ParameterError, param
from discreet.patterns.threshold import absolute_support
from discreet.wording import counted, number

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.channel import Channels
    from discreet.channels.derivation import Deduction
    from discreet.patterns.patternset import PatternSet
    from discreet.workbench.jobs.patterns import Attacked, Bundle, Costs, Mined

__all__ = ["Look", "PublishTask", "Released", "Verdict", "identifying_words"]

Verdict = Literal["safe", "not safe", "nothing to publish", "checking", "not checked"]


def identifying_words(quasi_identifiers: str | None) -> str:
    """Say what identifies people, where that is not everything: without it, "safe" would say too much."""
    return f", where nothing but {quasi_identifiers} identifies anyone" if quasi_identifiers else ""


@dataclass(frozen=True, eq=False)
class Look:
    """What the patterns at one support give away for one k.

    `attacked` is what the attacker found, None where it has not looked, and will not where that was `given_up`; only
    where it has looked can the verdict be "safe".
    """

    min_support: int
    k: int
    patterns: PatternSet
    audit: Audit
    quasi_identifiers: str | None = None
    attacked: Attacked | None = None
    given_up: bool = False

    @property
    def verdict(self) -> Verdict:
        """Whether what would be published is safe, as far as is known by now."""
        if not self.audit.safe or self.found_by_attacker:
            return "not safe"
        if self.attacked is None:
            return "not checked" if self.given_up else "checking"
        return "safe" if self.audit.closed_count else "nothing to publish"

    @property
    def word(self) -> str:
        """The verdict as the page calls it out."""
        proved = self.verdict == "safe" and self.attacked is not None and self.attacked.proved
        return "SAFE, PROVED" if proved else self.verdict.upper()

    @property
    def found_by_attacker(self) -> int:
        """How many groups the attacker found, as far as it has looked."""
        return 0 if self.attacked is None else len(self.attacked.groups)

    @cached_property
    def worst(self) -> list[tuple[Channels, int]]:
        """The smallest groups, channels first, each as its list and its place in it."""
        lists = [self.audit.channels, *([] if self.attacked is None else [self.attacked.groups])]
        return [(groups, place) for groups in lists for place in groups.smallest_first().tolist()]

    def proof(self, worst: int) -> Deduction | None:
        """Return the sums behind one of the worst groups, where the attacker found it and gave them."""
        rank = worst - len(self.audit.channels)
        if self.attacked is None or not 0 <= rank < len(self.attacked.proofs):
            return None
        return self.attacked.proofs[rank]

    @property
    def sentence(self) -> str:
        """The verdict's sentence."""
        fewer = f"fewer than {number(self.k)} of {counted(self.audit.n or 0, 'row')}"
        identifying = identifying_words(self.quasi_identifiers)
        groups = len(self.audit.channels) + self.found_by_attacker
        if groups:
            them = f"{counted(groups, 'group')} of {fewer} can be computed"
            return f"as they are: {them}{identifying}"  # while the bundle beside it may be safe
        if self.verdict == "nothing to publish":
            return "no itemset is in so many rows"
        if self.attacked is not None:
            sure = self.attacked.proved or self.attacked.complete
            found = "can be computed" if sure else "was found to follow, which is not proved"
            return f"no group of {fewer} {found}{identifying}"
        if self.given_up:
            return "no channel; the attacker was cancelled: move the point to let it look again"
        return "no channel; the attacker is looking …"


@dataclass(frozen=True, slots=True)
class Released:
    """What a bundle was made with."""

    min_support: int
    k: int
    method: str
    quasi_identifiers: str | None
    title: str

    @property
    def options(self) -> dict[str, Any]:
        """All but the support, whose option has two names."""
        return {
            "k": self.k,
            "method": self.method,
            "quasi_identifiers": self.quasi_identifiers,
            "title": self.title or None,
        }


class PublishTask:
    """Everything on the page *Publish patterns*."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.lowest = ""
        """The support down to which was mined."""
        self.quasi_identifiers = ""
        """What identified people in what was mined, empty where every item may."""
        self.mined: Mined | None = None
        self.min_support = 0
        self.k = 10
        self.look: Look | None = None
        self.chosen = 0
        self.costs: tuple[Costs, ...] = ()
        self.costs_at: tuple[int, int, str | None] | None = None
        self.bundle: Bundle | None = None
        self.bundle_at: Released | None = None
        self.looked_at: Look | None = None
        """The look that the attacker was last given."""
        self.method = "additive"
        self.title = ""
        self._collection: Collection | None = None

    def forget(self) -> None:
        """Start anew: there is another file, or it is read in another way."""
        kept = self.k, self.method, self.title
        self.__init__()  # type: ignore[misc]
        self.k, self.method, self.title = kept

    def take(self, mined: Mined, lowest: str, quasi_identifiers: str = "") -> None:
        """Take what was mined, and look at it where most would be published."""
        self.mined, self.lowest, self.quasi_identifiers = mined, lowest, quasi_identifiers
        self._collection = collection_of(mined.found)
        self.costs, self.bundle = (), None
        least = mined.found.min_support
        self.min_support = max(least, self.min_support) if self.min_support <= self.n else least
        self.look_again()

    @property
    def names(self) -> str | None:
        """The quasi-identifiers of what was mined, None where every item may identify."""
        return self.quasi_identifiers or None

    @property
    def n(self) -> int:
        """The number of rows."""
        return 0 if self.mined is None else self.mined.found.n

    def move(self, *, min_support: int | str | None = None, k: int | str | None = None) -> None:
        """Go to another support and k, or stay where one of them is wrong.

        Below the lowest support that was mined there is nothing to see.
        """
        if self.mined is None:
            return
        next_k, next_support = self.k, self.min_support
        if k is not None:
            next_k = check_k(int(k) if isinstance(k, str) and k.isdecimal() and k.isascii() else k)
        if min_support is not None:
            asked, least = absolute_support(min_support, self.n), self.mined.found.min_support
            if asked < least:
                raise ParameterError(
                    f"{param('min_support')} is {asked:,} rows, but the patterns go down to {least:,} only; mine with "
                    "a lower support first",
                    parameter="min_support",
                )
            next_support = min(asked, max(self.n, 1))
        self.min_support, self.k, self.chosen = next_support, next_k, 0

    def look_at(self, min_support: int, k: int) -> Look:
        """Audit the patterns of one support for one k, without the attacker."""
        if self._collection is None:
            raise InternalFault("nothing was mined")
        patterns = self._collection.at_support(min_support)
        found = audit(patterns, k=k, border=False)
        return Look(min_support, k, patterns, found, quasi_identifiers=self.names)

    def look_again(self) -> None:
        """Look where the point is now."""
        self.look = self.look_at(self.min_support, self.k)

    @property
    def to_attack(self) -> bool:
        """Whether the attacker has yet to be given the last look."""
        look = self.look
        return look is not None and look.attacked is None and not look.given_up and self.looked_at is not look

    def settle(self, look: Look, found: Attacked) -> None:
        """Take what the attacker found in a look, unless the point has gone on."""
        if self.look is look:
            self.look = replace(look, attacked=found)

    def give_up(self) -> None:
        """Note that the attacker does not look, because somebody did not want to wait."""
        if self.look is not None and self.look.attacked is None:
            self.look = replace(self.look, given_up=True)

    @property
    def fresh(self) -> bool:
        """Whether the last look is one at where the point is now."""
        return self.look is not None and (self.look.min_support, self.look.k) == (self.min_support, self.k)

    def take_costs(self, costs: tuple[Costs, ...], at: tuple[int, int, str | None]) -> None:
        """Take what the two ways of blocking cost."""
        self.costs, self.costs_at = costs, at

    def take_bundle(self, bundle: Bundle, at: Released) -> None:
        """Take the bundle that was made."""
        self.bundle, self.bundle_at = bundle, at

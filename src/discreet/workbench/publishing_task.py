"""Publish patterns: what they give away at a support and a k, and what it costs to publish them.

One mining at the lowest support serves every look: a higher support only takes itemsets away. A look without the
border takes milliseconds, and follows the hand; what follows across the border is looked for when the hand rests, in a
process of its own, because it may take long. Until then nothing is called safe.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from discreet.channels.audit import audit
from discreet.channels.channel import check_k
from discreet.channels.collection import Collection, collection_of
from discreet.errors import ParameterError
from discreet.patterns.threshold import absolute_support
from discreet.wording import counted, number

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.border import Border
    from discreet.channels.channel import Channels
    from discreet.patterns.patternset import PatternSet
    from discreet.workbench.work import Bundle, Costs, Mined

__all__ = ["Look", "PublishingTask", "Released", "Verdict", "identifying_words"]

Verdict = Literal["safe", "not safe", "checking", "not checked"]


def identifying_words(quasi_identifiers: str | None) -> str:
    """Say what identifies people, where that is not everything: without it, "safe" would say too much."""
    return f", where nothing but {quasi_identifiers} identifies anyone" if quasi_identifiers else ""


@dataclass(frozen=True, eq=False)
class Look:
    """What the patterns at one support give away for one k.

    `border` says what is known of what lies across it; only where it was searched can the verdict be "safe".
    """

    min_support: int
    k: int
    patterns: PatternSet
    audit: Audit
    border: Literal["unknown", "searched", "given up"] = "unknown"
    quasi_identifiers: str | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether what would be published is safe, as far as is known by now."""
        if not self.audit.safe:
            return "not safe"
        return {"searched": "safe", "unknown": "checking", "given up": "not checked"}[self.border]  # type: ignore[return-value]

    @cached_property
    def worst(self) -> list[tuple[Channels, int]]:
        """The smallest groups, inside first, each as its list and its place in it."""
        inside = [(self.audit.channels, place) for place in self.audit.channels.smallest_first().tolist()]
        border = self.audit.border
        return inside + ([] if border is None else [(border, place) for place in border.smallest_first().tolist()])

    @property
    def sentence(self) -> str:
        """The verdict's sentence."""
        fewer = f"fewer than {number(self.k)} of {counted(self.audit.n or 0, 'row')}"
        identifying = identifying_words(self.quasi_identifiers)
        channels, border = len(self.audit.channels), 0 if self.audit.border is None else len(self.audit.border)
        groups = channels + border
        if groups:
            verb = "singles" if groups == 1 else "single"
            them = f"{counted(groups, 'channel')} {verb} out {fewer}"
            return f"as they are: {them}{identifying}"  # while the bundle beside it may be safe
        if self.border == "searched":
            return f"no group of {fewer} can be computed{identifying}"
        if self.border == "given up":
            return "no channel inside; the search across the border was cancelled: move the point to search again"
        return "no channel inside; looking across the border …"


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


class PublishingTask:
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
        self.searched: Look | None = None
        """The look whose border was last searched, or is being searched."""
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
                    f"min_support is {asked:,} rows, but the patterns go down to {least:,} only; mine with a lower "
                    "support first",
                    parameter="min_support",
                )
            next_support = min(asked, max(self.n, 1))
        self.min_support, self.k, self.chosen = next_support, next_k, 0

    def look_at(self, min_support: int, k: int) -> Look:
        """Audit the patterns of one support for one k, without what lies across the border."""
        if self._collection is None:
            raise RuntimeError("nothing was mined")
        patterns = self._collection.at_support(min_support)
        found = audit(patterns, k=k, border=False)
        return Look(min_support, k, patterns, found, quasi_identifiers=self.names)

    def look_again(self) -> None:
        """Look where the point is now."""
        self.look = self.look_at(self.min_support, self.k)

    def settle(self, look: Look, border: Border | None) -> None:
        """Take what was found across the border of a look, unless the point has gone on."""
        if self.look is look:
            self.look = replace(look, audit=replace(look.audit, border_search=border), border="searched")

    def give_up(self) -> None:
        """Note that the border is not searched, because somebody did not want to wait."""
        if self.look is not None and self.look.border == "unknown":
            self.look = replace(self.look, border="given up")

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

"""Publish patterns: what they give away at a support and a k, and what it costs to publish them.

One mining at the lowest support serves every look: a higher support only takes itemsets away. A look without the
border takes milliseconds, and follows the hand; what follows across the border is looked for when the hand rests. Until
then nothing is called safe.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from discreet.channels.audit import audit
from discreet.channels.collection import Collection, collection_of
from discreet.errors import ParameterError
from discreet.patterns.threshold import absolute_support
from discreet.wording import counted, number

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.channel import Channels
    from discreet.transactions.transactions import Transactions
    from discreet.workbench.work import Bundle, Costs, Mined

__all__ = ["Look", "PublishingTask", "Verdict"]

Verdict = Literal["safe", "not safe", "checking", "nothing"]


@dataclass(frozen=True, eq=False)
class Look:
    """What the patterns at one support give away for one k.

    `settled` says whether the border was searched, too: only then can the verdict be "safe".
    """

    min_support: int
    k: int
    audit: Audit
    settled: bool

    @property
    def verdict(self) -> Verdict:
        """Whether what would be published is safe, as far as is known by now."""
        if not self.audit.safe:
            return "not safe"
        return "safe" if self.settled else "checking"

    @cached_property
    def worst(self) -> list[tuple[Channels, int]]:
        """The smallest groups, inside first, each as its list and its place in it."""
        inside = [(self.audit.channels, place) for place in self.audit.channels.smallest_first().tolist()]
        border = self.audit.border
        return inside + ([] if border is None else [(border, place) for place in border.smallest_first().tolist()])

    @property
    def sentence(self) -> str:
        """The verdict's sentence."""
        n = self.audit.n or 0
        channels, border = len(self.audit.channels), 0 if self.audit.border is None else len(self.audit.border)
        groups = channels + border
        if groups:
            verb = "singles" if groups == 1 else "single"
            return f"{counted(groups, 'channel')} {verb} out fewer than {number(self.k)} of {number(n)} rows"
        if self.settled:
            return f"no group of fewer than {number(self.k)} of {number(n)} rows can be computed"
        return "no channel inside; looking beyond the border …"


class PublishingTask:
    """Everything on the page *Publish patterns*."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.lowest = ""
        self.quasi_identifiers = ""
        self.mined: Mined | None = None
        self.min_support = 0
        self.k = 10
        self.look: Look | None = None
        self.chosen = 0
        self.costs: tuple[Costs, ...] = ()
        self.costs_at: tuple[int, int] | None = None
        self.bundle: Bundle | None = None
        self.bundle_at: tuple[int, int, str] | None = None
        self._collection: Collection | None = None

    def forget(self) -> None:
        """Start anew: there is another file, or it is read in another way."""
        k = self.k
        self.__init__()  # type: ignore[misc]
        self.k = k

    def take(self, mined: Mined, lowest: str) -> None:
        """Take what was mined, and look at it where most would be published."""
        self.mined, self.lowest = mined, lowest
        self._collection = collection_of(mined.found)
        self.costs, self.bundle = (), None
        least = mined.found.min_support
        self.min_support = max(least, self.min_support) if self.min_support <= self.n else least
        self.look_again()

    @property
    def names(self) -> str | None:
        """The quasi-identifiers, None where every item may identify."""
        return self.quasi_identifiers.strip() or None

    @property
    def n(self) -> int:
        """The number of rows."""
        return 0 if self.mined is None else self.mined.found.n

    @property
    def verdict(self) -> Verdict:
        """The verdict of the last look."""
        return "nothing" if self.look is None else self.look.verdict

    def move(self, *, min_support: int | str | None = None, k: int | None = None) -> None:
        """Go to another support or k; below the lowest support that was mined there is nothing to see."""
        if self.mined is None:
            return
        if min_support is not None:
            asked, least = absolute_support(min_support, self.n), self.mined.found.min_support
            if asked < least:
                raise ParameterError(
                    f"min_support is {asked:,} rows, but the patterns go down to {least:,} only; mine with a lower "
                    "support first",
                    parameter="min_support",
                )
            self.min_support = min(asked, max(self.n, 1))
        if k is not None:
            self.k = k
        self.chosen = 0

    def look_at(self, min_support: int, k: int, *, border: bool) -> Look:
        """Audit the patterns of one support for one k. Takes long with `border` where there are many."""
        if self._collection is None:
            raise RuntimeError("nothing was mined")
        patterns = self._collection.at_support(min_support)
        return Look(min_support, k, audit(patterns, k=k, border=border), settled=border)

    def look_again(self) -> None:
        """Look where the point is now, without the border."""
        self.look = self.look_at(self.min_support, self.k, border=False)

    @property
    def fresh(self) -> bool:
        """Whether the last look is one at where the point is now."""
        return self.look is not None and (self.look.min_support, self.look.k) == (self.min_support, self.k)

    def take_costs(self, costs: tuple[Costs, ...], at: tuple[int, int]) -> None:
        """Take what the two ways of blocking cost."""
        self.costs, self.costs_at = costs, at

    def take_bundle(self, bundle: Bundle, at: tuple[int, int, str]) -> None:
        """Take the bundle that was made."""
        self.bundle, self.bundle_at = bundle, at

    def restricted(self, rows: Transactions) -> Transactions:
        """Return the rows with quasi-identifiers alone, where some were named."""
        from discreet.channels.quasi import restrict_rows

        return restrict_rows(rows, self.names)

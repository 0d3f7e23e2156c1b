"""The answer of an audit: whether patterns give anyone away, whom, and how far was looked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from discreet.channels.deduction import deduce
from discreet.channels.exclusive import Exclusive
from discreet.channels.row_source import FrequentRows, LocalRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.channels.attacker import Attack
    from discreet.channels.channel import Channels
    from discreet.channels.collection import Collection, Kind
    from discreet.channels.detection import Method
    from discreet.transactions.transactions import Transactions

__all__ = ["Audit", "Verdict"]

Verdict: TypeAlias = Literal["safe", "not-safe", "incomplete", "nothing"]

_MOST_PROOFS = 200
"""Groups whose proofs are part of the JSON form, the smallest first."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """The answer of an audit: `safe`, the `channels`, and the `border` channels (None where they were not looked for).

    The border channels are what an attacker can conclude beyond the itemsets listed; `attack` says how far it looked.
    `witness` is a data set that agrees with all that is published and has every kind of row 0 or at least k times:
    where there is one, `proved` is true, and nothing follows at all.
    `kind` says what was audited: all or closed itemsets of a complete collection, or an incomplete one, of which "safe"
    means no more than that no channel was found. Channels of rules have a range: `certain` ones lie within 1 .. k-1
    whatever was rounded away.
    """

    k: int
    n: int | None
    min_support: int | None
    method: Method
    kind: Kind
    closed_count: int
    maximal_count: int
    channels: Channels
    attack: Attack | None
    exclusive: Exclusive = field(default_factory=Exclusive)
    witness: Transactions | None = field(default=None, repr=False)
    from_rules: bool = False
    rows: Any = field(default=None, repr=False)
    source: FrequentRows | None = field(default=None, repr=False)
    collection: Collection | None = field(default=None, repr=False)

    @property
    def safe(self) -> bool:
        """Whether no channel of either kind was found."""
        return not len(self.channels) and not (self.border is not None and len(self.border))

    @property
    def verdict(self) -> Verdict:
        """The answer in a word: an incomplete collection is never called safe, nor is one without any itemset."""
        if not self.safe:
            return "not-safe"
        if self.kind == "incomplete":
            return "incomplete"
        return "safe" if self.closed_count else "nothing"

    @property
    def border(self) -> Channels | None:
        """What follows for groups beyond the itemsets listed."""
        return None if self.attack is None else self.attack.groups

    @property
    def proved(self) -> bool:
        """Whether a data set was found that shows that no group of 1 to k-1 rows follows."""
        return self.witness is not None

    @property
    def exposed_rows(self) -> int | None:
        """How many rows the channels single out, all together; None where no rows are at hand."""
        return None if self.source is None else self.source.count_exposed(self.channels)

    @cached_property
    def exposed(self) -> NDArray[np.bool_] | None:
        """Which rows the channels single out; None where no rows are in memory."""
        return self.source.find_exposed(self.channels) if isinstance(self.source, LocalRows) else None

    @property
    def least_listed_support(self) -> int | None:
        """The least support of any itemset listed; None where none is."""
        if self.collection is None or not len(self.collection.patterns):
            return None
        return int(self.collection.patterns.supports.min())

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        channels = self.channels.to_dicts()
        if self.from_rules:
            for row, low, high in zip(channels, self.channels.lows.tolist(), self.channels.highs.tolist(), strict=True):
                row |= {"low": low, "high": high, "certain": low >= 1 and high < self.k}
        answer: dict[str, Any] = {
            "safe": self.safe,
            "verdict": self.verdict,
            "k": self.k,
            "n": self.n,
            "min_support": self.min_support,
            "method": self.method,
            "kind": self.kind,
            "itemsets": {"closed": self.closed_count, "maximal": self.maximal_count},
            "count": len(self.channels),
            "channels": channels,
            "border": None if self.attack is None else _as_dicts(self.attack),
            "attack": None if self.attack is None else self.attack.to_dict(),
            "proved": self.proved,
        }
        return answer

    def __repr__(self) -> str:
        """Say the answer in one line."""
        word = "safe" if self.safe else "not safe"
        border = "" if self.border is None else f", {len(self.border):,} across the border"
        return f"<Audit: {word} for k = {self.k}; channels: {len(self.channels):,}{border}>"

    def _repr_html_(self) -> str:
        """Show the verdict and the smallest groups in a notebook."""
        word = "SAFE" if self.safe else "NOT SAFE"
        shown = self.channels._repr_html_() if len(self.channels) else ""
        return f"<p><b>{word}</b> {repr(self)[1:-1]}</p>{shown}"


def _as_dicts(found: Attack) -> list[dict[str, Any]]:
    """Return the JSON form of what was found: the smallest groups have the sums that prove them."""
    rows = found.groups.to_dicts(ranges=True)
    proved = found.groups.smallest_first()[:_MOST_PROOFS]
    for number, deduction in zip(proved.tolist(), deduce(found, proved), strict=True):
        rows[number]["proof"] = deduction.to_json()
    return rows

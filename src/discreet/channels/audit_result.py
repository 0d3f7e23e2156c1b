"""The result of an audit: whether patterns disclose small groups, which ones, and how far the search went."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from discreet.channels.derivation import deduce
from discreet.channels.exclusive import Exclusive
from discreet.channels.row_source import FrequentRows, LocalRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.channels.attacker import Attack
    from discreet.channels.channel import Channels
    from discreet.channels.collection import Collection, CollectionKind
    from discreet.channels.detection import DetectionMethod
    from discreet.transactions.transactions import Transactions

__all__ = ["Audit", "Verdict"]

Verdict: TypeAlias = Literal["safe", "not-safe", "incomplete", "nothing"]

_MOST_PROOFS = 200
"""How many groups have their proofs in the JSON form, smallest first."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """The result of an audit: the verdict, the channels, and what an attacker concludes beyond them.

    Attributes
    ----------
    k : int
        The least size of a group that may be known.
    n : int or None
        The number of rows, where it is known.
    min_support : int or None
        The minimum support in rows, where it is known.
    method : str
        How channels were detected.
    kind : str
        What was audited: a complete collection of all or closed itemsets, or an incomplete one, for which "safe" means
        no more than that no channel was found.
    closed_count, maximal_count : int
        The numbers of closed and of maximal itemsets.
    channels : sequence of Channel
        The channels of the collection. Those of rules have a range of sizes.
    attack : Attack or None
        What the attacker found, and how far it searched; None if it was not run.
    exclusive : Exclusive
        Which items were taken to exclude each other.
    witness : Transactions or None
        A data set that agrees with everything published and has every kind of row 0 or at least k times. It proves that
        no small group follows.
    from_rules : bool
        Whether rules were audited.
    rows : Transactions or None
        The rows, where rows were audited.
    source, collection
        The frequent rows and the closed itemsets that the answer was computed from.
    """

    k: int
    n: int | None
    min_support: int | None
    method: DetectionMethod
    kind: CollectionKind
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
        """Whether no channel was found, neither in the collection nor across its border."""
        return not len(self.channels) and not (self.border is not None and len(self.border))

    @property
    def verdict(self) -> Verdict:
        """The verdict as one word: "safe", "not-safe", "incomplete" or "nothing".

        An incomplete collection is never called safe, nor is one without any itemset.
        """
        if not self.safe:
            return "not-safe"
        if self.kind == "incomplete":
            return "incomplete"
        return "safe" if self.closed_count else "nothing"

    @property
    def border(self) -> Channels | None:
        """The groups that follow across the border; None if the search did not include them."""
        return None if self.attack is None else self.attack.groups

    @property
    def proved(self) -> bool:
        """Whether a witness proves that no group of 1 to k-1 rows follows."""
        return self.witness is not None

    @property
    def exposed_rows(self) -> int | None:
        """How many rows the channels single out in total; None if the rows are not known."""
        return None if self.source is None else self.source.count_exposed(self.channels)

    @cached_property
    def exposed(self) -> NDArray[np.bool_] | None:
        """Which rows the channels single out; None if the rows are not in memory."""
        return self.source.find_exposed(self.channels) if isinstance(self.source, LocalRows) else None

    @property
    def least_listed_support(self) -> int | None:
        """The least support of any listed itemset; None if there is none."""
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
        word = "safe" if self.safe else "not safe"
        border = "" if self.border is None else f", {len(self.border):,} across the border"
        return f"<Audit: {word} for k = {self.k}; channels: {len(self.channels):,}{border}>"

    def _repr_html_(self) -> str:
        """Show the verdict and the smallest groups in a notebook."""
        word = "SAFE" if self.safe else "NOT SAFE"
        shown = self.channels._repr_html_() if len(self.channels) else ""
        return f"<p><b>{word}</b> {repr(self)[1:-1]}</p>{shown}"


def _as_dicts(found: Attack) -> list[dict[str, Any]]:
    """Return the JSON form of the groups found; the smallest ones come with the sums that prove them."""
    rows = found.groups.to_dicts(ranges=True)
    proved = found.groups.smallest_first()[:_MOST_PROOFS]
    for number, deduction in zip(proved.tolist(), deduce(found, proved), strict=True):
        rows[number]["proof"] = deduction.to_json()
    return rows

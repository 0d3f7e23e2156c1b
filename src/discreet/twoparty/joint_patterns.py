"""The result of mining together: what may be released, and the names of what may not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _kernel
from discreet.errors import ProtocolViolation
from discreet.patterns.patternset import PatternSet, trimmed
from discreet.twoparty.estimate import encryptions_of_paper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.twoparty.agreement import Agreed, Protocol
    from discreet.twoparty.frequent_itemsets import SharedItemsets

__all__ = ["JointPatterns"]


@dataclass(frozen=True, eq=False, repr=False)
class JointPatterns:
    """Itemsets over the data of two parties that may be released, with their supports.

    `withheld` are the names of frequent itemsets that may not be released. They are for the two parties alone: a single
    item among them says that between 1 and k-1 rows lack it. `withheld_after` were released by the protocol and then
    withheld because an attacker could combine them to a small group (see `judging`). `candidates` counts the
    itemsets that were tried with cryptography, level by level, in DkA-SAPM those that span both; `tested` those whose
    subsets are all safe, where small groups were looked for; `columns` is how many items are frequent in the first
    party's anonymized half and in the second's, if rows were cleared unseen. `left` are the numbers of the rows that
    were left after each round, from 1, if DkA-SAPM went on with them: for the two parties alone.
    """

    protocol: Protocol
    horizontal: bool
    n: int
    min_support: int
    k: int
    patterns: PatternSet
    withheld: tuple[tuple[str, ...], ...]
    candidates: tuple[int, ...]
    tested: int = 0
    columns: tuple[int, int] | None = None
    left: tuple[tuple[int, ...], ...] | None = None
    withheld_after: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def from_shared(
        cls,
        agreed: Agreed,
        found: SharedItemsets,
        safe: NDArray[np.bool_],
        supports: NDArray[np.int64],
        *,
        columns: tuple[int, int] | None = None,
        left: tuple[tuple[int, ...], ...] | None = None,
    ) -> JointPatterns:
        """Combine the itemsets found, which of them are safe, and the opened supports of those."""
        if ((supports < agreed.min_support) | (supports > agreed.n)).any():
            raise ProtocolViolation(
                "the shares that the partner opened give a support that cannot be; nothing was kept, start both again"
            )
        patterns = PatternSet(
            itemsets=found.itemsets.select(np.flatnonzero(safe)),
            supports=supports,
            vocabulary=found.vocabulary,
            n=agreed.n,
            min_support=agreed.min_support,
            target="selected"
            if agreed.protocol == "ic-sapm"
            else "all",  # even if nothing is withheld, so that nobody can tell
        )
        return cls(
            protocol=agreed.protocol,
            horizontal=agreed.horizontal,
            n=agreed.n,
            min_support=agreed.min_support,
            k=agreed.k,
            patterns=trimmed(patterns),  # without labels that occur only in withheld itemsets
            withheld=_labelled(found, np.flatnonzero(~safe)),
            candidates=found.candidates,
            tested=_tested(found, safe),
            columns=columns,
            left=left,
        )

    @property
    def encryptions(self) -> int | None:
        """How many encryptions the paper's protocol would have needed; None for different people."""
        if self.horizontal:
            return None
        return encryptions_of_paper(
            self.protocol,
            n=self.n,
            candidates=sum(self.candidates),
            tested=self.tested,
            left=[len(rows) for rows in self.left or ()],
        )

    def to_dict(self) -> JsonObject:
        """Return the JSON form, without the figures of the transcript, which only the transport knows."""
        return {
            "protocol": self.protocol,
            "n": self.n,
            "min_support": self.min_support,
            "k": self.k,
            "itemsets": self.patterns.to_dict()["itemsets"],
            "withheld": [list(names) for names in self.withheld],
            "withheld_after": [list(names) for names in self.withheld_after],
            "encryptions": self.encryptions,
            **({} if self.columns is None else {"columns": list(self.columns)}),
            **({} if self.left is None else {"left": [list(rows) for rows in self.left]}),
        }

    def __repr__(self) -> str:
        return f"<JointPatterns: {len(self.patterns):,} itemsets to release, {len(self.withheld):,} withheld>"


def _tested(found: SharedItemsets, safe: NDArray[np.bool_]) -> int:
    """Count the itemsets all of whose subsets are safe: pruning leaves these to be tested."""
    less = _kernel.one_item_less(found.itemsets, len(found.vocabulary))
    unsafe = ~np.append(safe, [True])[np.where(less < 0, len(safe), less)]  # the empty itemset comes last
    ruled_out = found.itemsets.owners[unsafe]
    return len(found) - len(np.unique(ruled_out))


def _labelled(found: SharedItemsets, chosen: NDArray[np.int64]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(labels) for labels in found.itemsets.select(chosen).labels(found.vocabulary.labels))

"""Sensitive rules: anyone with these items also has that sensitive one (cao2010, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.wording import share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["SensitiveRule", "attainable_share", "sensitive_flags"]


@dataclass(frozen=True, slots=True)
class SensitiveRule:
    """Of the `holding` rows with all of `antecedent` (all rows if it is empty), `together` contain `consequent`."""

    antecedent: tuple[str, ...]
    consequent: str
    together: int
    holding: int

    @property
    def confidence(self) -> Fraction:
        """How certain someone who knows the antecedent can be of the consequent."""
        return Fraction(self.together, self.holding)

    @property
    def rank(self) -> tuple[Fraction, bool, int]:
        """A key by which the surest rule comes first; of equal ones a short one, and of these that of the most rows."""
        long = len(self.antecedent) > 1
        return -self.confidence, long, 0 if long else -self.together

    def in_words(self) -> str:
        """Return the rule with its arithmetic.

        >>> SensitiveRule(("cheese",), "test", 1, 2).in_words()
        'cheese → test: 1 of 2 rows, 50 %'
        """
        known = ", ".join(self.antecedent) or "nothing"
        return f"{known} → {self.consequent}: {self.together:,} of {self.holding:,} rows, {share(self.confidence)}"

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "antecedent": list(self.antecedent),
            "consequent": self.consequent,
            "confidence": float(self.confidence),
            "together": self.together,
            "holding": self.holding,
        }


def sensitive_flags(vocabulary: Vocabulary, sensitive: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return for every item whether it is sensitive, as kernel flags."""
    flags = np.zeros(len(vocabulary), np.uint8)
    flags[sensitive] = 1
    return flags


def attainable_share(share: Fraction, n: int) -> tuple[int, int]:
    """Return the smallest fraction with a denominator of at most n that is not below `share`, as (part, whole).

    A confidence is such a fraction, so it reaches this one if and only if it reaches `share`. This one fits the
    kernel's integers, however many digits `share` was written with.

    >>> attainable_share(Fraction("0.5"), 10), attainable_share(Fraction("0.333333333334"), 10)
    ((1, 2), (3, 8))
    """
    if share.denominator <= max(n, 1):
        return share.numerator, share.denominator
    # Descend the Stern-Brocot tree, below < share < above, making as many equal turns at once as stay on their side.
    below, above = (0, 1), (1, 1)
    while below[1] + above[1] <= n:
        to_share = share.numerator * below[1] - below[0] * share.denominator
        beyond = above[0] * share.denominator - share.numerator * above[1]
        if to_share > beyond:
            turns = min(to_share // beyond, (n - below[1]) // above[1])
            below = (below[0] + turns * above[0], below[1] + turns * above[1])
        else:
            turns = min(beyond // to_share, (n - above[1]) // below[1])
            above = (above[0] + turns * below[0], above[1] + turns * below[1])
    return above

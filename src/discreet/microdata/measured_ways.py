"""What all ways to publish have in common, with noise or without: what is kept, how far it is off, and the promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.microdata.comparison import Way
    from discreet.microdata.noisy_ways import NoisyWay

__all__ = ["MeasuredWay", "against_whom"]

_AGAINST = {
    "patterns-first": "whoever reads these patterns, and other releases that are in the ledger",
    "anonymize": "whoever knows part of a row",
    "data-first": "whoever knows the quasi-identifiers of a row",
    "noise": "everyone, whatever they know or will know",
}
"""By method, or else by road."""


def against_whom(road: str, method: str) -> str:
    """Return against whom a way protects.

    >>> against_whom("data-first", "anonymize"), against_whom("noise", "dp, epsilon 1")
    ('whoever knows part of a row', 'everyone, whatever they know or will know')
    """
    return _AGAINST.get(method) or _AGAINST[road]


class MeasuredWay(NamedTuple):
    """One way; errors are relative ones of supports, and an itemset that is lost counts 1."""

    name: str
    kept: int
    lost: int
    invented: int
    average: Fraction
    worst: Fraction
    promise: str
    against: str

    @classmethod
    def of(cls, way: Way | NoisyWay) -> MeasuredWay:
        """Return what a way has in common with all others."""
        against = against_whom(way.road, way.method)
        return cls(way.method, way.kept, way.lost, way.invented, way.average, way.worst, way.promise, against)

"""Refusals that `discreet.errors` does not tell apart: nothing to publish, or several releases that tell too much."""

from __future__ import annotations

from typing import Any

from discreet.errors import NotSafe, UnsafeTogether

__all__ = ["EntailedTogether", "NothingToPublish"]


class NothingToPublish(NotSafe):
    """No itemset is left that could be published; nothing was written."""


class EntailedTogether(UnsafeTogether):
    """A group follows from several releases together, whatever the rows were; nothing was written.

    `rows` to `high` of the rows that `of` speaks of hold all of `base` and nothing else of `full`. `proof` is the
    arithmetic behind it.
    """

    def __init__(self, message: str, *, high: int, of: str, proof: str, **evidence: Any) -> None:
        """Keep the evidence beside the sentence, which names nobody's items."""
        super().__init__(message, kind="entailed", **evidence)
        self.high = high
        self.of = of
        self.proof = proof

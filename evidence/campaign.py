"""What a campaign is, and how its outcome is written down."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Campaign", "Outcome", "data_folder"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often something was tried, how often discreet refused to answer, and how often it broke its promise."""

    what: str
    tried: int
    refused: int
    broken: int
    note: str = ""

    def line(self) -> str:
        """Write one row of the table."""
        return f"| {self.what} | {self.tried:,} | {self.refused:,} | {self.broken:,} | {self.note} |"


@dataclass(frozen=True, slots=True)
class Campaign:
    """One promise and what tries to break it.

    `run(count)` makes about `count` trials of each kind, and yields an outcome after each part, so that a campaign that
    is stopped has told what it saw. `many` is how many trials the evidence rests on. With `few` it is one of the tests,
    which see to it that campaigns stay able to run; then it needs no public data. 0 is for campaigns that build first.
    """

    name: str
    promise: str
    run: Callable[[int], Iterator[Outcome]]
    few: int
    many: int


def data_folder() -> Path:
    """Return the folder of public data sets."""
    return Path(os.environ.get("DISCREET_DATA") or Path(__file__).parents[2] / "shared" / "data")

"""An answer: the verdict, a sentence, its evidence, and what to do next. The renderer decides how it looks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.answers.small_groups import GroupList
    from discreet.json_types import JsonObject

__all__ = ["Answer", "Evidence", "Headline", "Listing", "Step", "TextTable"]


@dataclass(frozen=True, slots=True)
class Headline:
    """A verdict: its word, good, bad or open, and the sentence it is about."""

    verdict: str
    tone: Literal["good", "bad", "open"]
    sentence: str


@dataclass(frozen=True, slots=True)
class TextTable:
    """Cells as text: numbers in all columns except the last."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Listing:
    """Names under a title, each with an explanation."""

    title: str
    entries: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Step:
    """What to do: the words of a command, None if there is nothing to run, and its purpose."""

    command: Sequence[str] | None
    words: str

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {"command": self.command, "words": self.words}


Evidence: TypeAlias = "str | Headline | TextTable | Listing | GroupList"
"""A piece of evidence; a text is a paragraph."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a result says; the headline is a sentence if there is no verdict."""

    headline: Headline | str
    evidence: Sequence[Evidence] = ()
    next_steps: Sequence[Step] = ()

    def about(self, read: str) -> Answer:
        """Return the answer with how its rows were read, right below the verdict."""
        return replace(self, evidence=(read, *self.evidence))

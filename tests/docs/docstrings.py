"""Docstrings of the public API, cut into their numpydoc sections.

A docstring is a summary, more paragraphs if need be, and sections under underlined titles: Parameters, Attributes,
Returns, Raises, Examples. An entry of a section is a line (`k : int`, `low, high : int`, `DataError`) and an indented
text.
"""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import discreet

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SECTIONS", "Docstring", "Entry", "members", "public_names"]

SECTIONS = ("Parameters", "Attributes", "Returns", "Raises", "Examples")


@dataclass(frozen=True)
class Entry:
    """One entry of a section: its names, its type as text, and what is said about it."""

    names: tuple[str, ...]
    type: str
    text: str


@dataclass(frozen=True)
class Docstring:
    """A docstring: what comes before the sections, and the sections by title."""

    opening: str
    sections: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, documented: object) -> Docstring:
        """Cut the docstring of an object; refuse sections of other titles, out of order, or twice."""
        lines = (inspect.getdoc(documented) or "").split("\n")
        starts = [place for place in range(len(lines) - 1) if lines[place] and set(lines[place + 1]) == {"-"}]
        titles = [lines[place] for place in starts]
        if titles != [title for title in SECTIONS if title in titles]:
            raise ValueError(f"sections must be among {', '.join(SECTIONS)}, in this order, got {', '.join(titles)}")
        cuts = [*starts, len(lines)]
        parts = {lines[start]: "\n".join(lines[start + 2 : end]).strip("\n") for start, end in pairwise(cuts)}
        return cls("\n".join(lines[: cuts[0]]).strip(), parts)

    @cached_property
    def summary(self) -> str:
        """The first paragraph."""
        return self.opening.partition("\n\n")[0]

    def entries(self, title: str) -> list[Entry]:
        """Return the entries of a section; none where there is no such section."""
        found: list[Entry] = []
        for block in _blocks(self.sections.get(title, "")):
            head, _, text = block.partition("\n")
            names, _, kind = head.partition(" : ")
            found.append(Entry(tuple(names.split(", ")), kind, textwrap.dedent(text).strip()))
        return found

    def named(self, *titles: str) -> set[str]:
        """Return the names that the sections of these titles document."""
        return {name.lstrip("*") for title in titles for entry in self.entries(title) for name in entry.names}


def _blocks(text: str) -> Iterator[str]:
    """Yield the parts of a text that begin with a line that is not indented."""
    block: list[str] = []
    for line in text.split("\n"):
        if block and line and not line.startswith(" "):
            yield "\n".join(block)
            block = []
        block.append(line)
    if any(block):
        yield "\n".join(block)


def public_names() -> list[str]:
    """Return what `discreet` exports, the version left out."""
    return [name for name in discreet.__all__ if name != "__version__"]


def members(cls: type) -> Iterator[tuple[str, str, Any]]:
    """Yield the public methods and properties that a class defines itself: name, kind and function."""
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield name, "property", member.fget
        elif hasattr(member, "func"):  # functools.cached_property
            yield name, "property", member.func
        elif isinstance(member, (classmethod, staticmethod)):
            yield name, type(member).__name__, member.__func__
        elif inspect.isfunction(member):
            yield name, "method", member

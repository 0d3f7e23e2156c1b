"""The same as a command and as Python: every result can be had again without the page."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.workbench.source import Source

__all__ = ["Equivalent", "command_of", "equivalent"]


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A job in the two languages of the program."""

    command: str
    python: str


def command_of(name: str, source: Source, options: dict[str, Any]) -> tuple[str, ...]:
    """Return the words of a command on the source: options by their names, left out where they are None.

    A name of one letter gets one dash; a value of True is a flag.
    """
    words = ["discreet", name, source.name or "DATA", *source.reading.words()]
    for option, value in options.items():
        if value is None or value is False:
            continue
        dash = "-" if len(option) == 1 else "--"
        words.append(f"{dash}{option.replace('_', '-')}")
        if value is not True:
            words.append(str(value))
    return tuple(words)


def equivalent(command: tuple[str, ...], source: Source, call: str, keywords: dict[str, Any]) -> Equivalent:
    """Return the command as it can be pasted, and Python that reads the source and calls `call` with the keywords."""
    reading = "".join(f", {name}={value!r}" for name, value in source.reading.keywords().items())
    given = ", ".join(f"{name}={value!r}" for name, value in keywords.items() if value is not None)
    python = f"import discreet\n\nrows = discreet.read({source.name or 'DATA'!r}{reading})\n{call}(rows, {given})"
    return Equivalent(shlex.join(command), python)

"""Every result as a command and as Python code, so that it can be reproduced without the page."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.channels.exclusive_names import parse_exclusive
from discreet.command_words import option_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from discreet.workbench.input_file import InputFile

__all__ = ["EARLIER", "Equivalent", "call_of", "command_of", "equivalent", "equivalent_for_rows", "reading_of"]


EARLIER = "EARLIER-BUNDLE"
"""What commands call a bundle that left before."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A job as shell commands, ready to paste, and as Python code; and the commands as their words."""

    command: str
    python: str
    commands: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, commands: Iterable[Iterable[str]], python: str) -> Equivalent:
        """Return a job by the words of its commands."""
        words = tuple(tuple(each) for each in commands)
        return cls("\n".join(shlex.join(each) for each in words), python, words)


def command_of(name: str, source: InputFile, options: Mapping[str, object]) -> tuple[str, ...]:
    """Return the words of a command on the source; options that are None or False are left out."""
    given = {option: value for option, value in options.items() if value is not False}
    return ("discreet", name, _file_of(source), *source.reading.words(), *option_words(given))


def _file_of(source: InputFile) -> str:
    """Return the file's name as a command-line argument: it must not start with a dash or mean standard input."""
    name = source.name or "DATA"
    return f"./{name}" if name.startswith("-") else name


def reading_of(source: InputFile) -> str:
    """Return Python that reads the source."""
    options = "".join(f", {name}={value!r}" for name, value in source.reading.keywords().items())
    return f"discreet.read({source.name or 'DATA'!r}{options})"


def call_of(name: str, arguments: str, keywords: Mapping[str, object]) -> str:
    """Return Python that calls a function of the package; keywords that are None are left out."""
    if isinstance(exclusive := keywords.get("exclusive"), list) and exclusive:
        keywords = {**keywords, "exclusive": [list(each) for each in parse_exclusive(exclusive, typed=True)]}
    given = "".join(f", {name}={value!r}" for name, value in keywords.items() if value is not None)
    return f"discreet.{name}({arguments}{given})"


def equivalent_for_rows(
    source: InputFile, *, file: str, command: tuple[str, ...], name: str, call: str, promise: Mapping[str, object]
) -> Equivalent:
    """Return how to make safe rows, in `file` or as `name`, and to release them under a promise."""
    return equivalent(
        source,
        [command, command_of("release", source, {"rows": file, **promise, "o": "public"})],
        [
            f"{name} = {call}",
            call_of(
                "release_rows", f"{name}.rows, original=rows", {"name": source.name, **promise, "output": "public"}
            ),
        ],
    )


def equivalent(source: InputFile, commands: Iterable[Iterable[str]], calls: Iterable[str]) -> Equivalent:
    """Return the commands, and Python that reads the source into `rows` and makes the calls."""
    python = "\n".join(["import discreet", "", f"rows = {reading_of(source)}", *calls])
    return Equivalent.of(commands, python)

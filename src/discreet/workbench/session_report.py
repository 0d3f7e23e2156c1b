"""The session as a script, and its part of the owner's report.

The script has the commands that make each result again, as the pages show them, with the decisions as comments. Each
result gets names of its own, so that none takes the place of another. A script holds what the owner typed and marked,
and no rows; what an earlier session made is only named, because a command that comes from a file is not to be run.

The report is made with the bundle, and decisions come later. So the session is written into it whenever it is opened:
settings that were compared, decisions, and the script.
"""

from __future__ import annotations

import shlex
from itertools import pairwise
from typing import TYPE_CHECKING

from discreet.publishing import page
from discreet.wording import one_line
from discreet.workbench.as_command import EARLIER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from discreet.workbench.decisions import LogEntry
    from discreet.workbench.workspace import Workspace

__all__ = ["session_script", "tell_session"]


_BEFORE = '<section id="repeat">'
_BEGIN, _END = "<!-- the session -->", "<!-- the session ends -->"


def tell_session(workspace: Workspace, report: Path) -> None:
    """Write the session into the owner's report, in place of what was there of it."""
    text = report.read_text(encoding="utf-8")
    head, begun, rest = text.partition(_BEGIN)
    text = head + rest.partition(_END)[2] if begun else text
    entries = workspace.log.entries
    pinned = [(each.setting, each.weighed) for each in workspace.pins.pinned]
    told = page.part("session", pinned, entries, session_script(entries), template="workbench/books.html")
    made = text.replace(_BEFORE, f"{_BEGIN}{told}{_END}{_BEFORE}", 1)
    unfinished = report.with_name(f".{report.name}")
    unfinished.write_text(made, encoding="utf-8")
    unfinished.replace(report)


_WRITTEN = ("-o", "--owner-report")
_READ = ("--rows",)
_GIVEN = ("--restrict", "--sensitive", "--hierarchy")
_GIVEN_FILES = ("private.txt", "hierarchy.csv")


def session_script(entries: Iterable[LogEntry]) -> str:
    """Return a shell script that makes all results again, in the folder with the data."""
    lines = [
        "#!/bin/sh",
        "# What was made in the workbench, in order. For the owner alone. Run it in the folder with the data.",
        "set -eu",
    ]
    left = ""
    for place, entry in enumerate(entries, start=1):
        lines += ["", *_about(place, entry)]
        if entry.earlier:
            continue
        lines += _commands(place, entry, left)
        if entry.left and entry.page == "publish":
            left = f"{place}-public"
    return "\n".join(lines) + "\n"


def _about(place: int, entry: LogEntry) -> list[str]:
    """Return comments on an entry; a line end in a text would end the comment, so there is none."""
    setting = f" {entry.setting}" if entry.setting else ""
    told = [f"{place}. {entry.kind}, {entry.made}:{setting} {entry.verdict}"]
    told += [each.words for each in entry.decisions] or ["not decided"]
    if entry.earlier:
        told.append("made in an earlier session: see the script of that one")
    return [f"# {one_line(line)}" for line in told]


def _commands(place: int, entry: LogEntry, left: str) -> list[str]:
    """Return the commands of an entry; `left` is the bundle that left before, from which a selection may be made."""
    files = sorted({name for words in entry.commands for name in _given(words, entry.page)})
    notes = [f"# It needs {place}-{name}: {name} as it was downloaded with this result." for name in files]
    if left and entry.page == "publish":
        notes.append(f"# On the page it was judged together with {left}, and what left before.")
    named = [[left if left and word == EARLIER else word for word in words] for words in entry.commands]
    return [*notes, *(shlex.join(_numbered(words, place, entry.page)) for words in named)]


def _given(words: Sequence[str], page: str) -> list[str]:
    """Return the files that a command needs besides the data: results about rows have lists and a tree."""
    if page == "publish":
        return []
    values = [value.rpartition("=")[2] for option, value in pairwise(words) if option in _GIVEN]
    return [value for value in values if value in _GIVEN_FILES or value.endswith(".txt")]


def _numbered(words: Sequence[str], place: int, page: str) -> list[str]:
    """Return a command whose files, other than the data, have the entry's number in front.

    >>> _numbered(["discreet", "release", "a.csv", "-o", "public"], 2, "publish")
    ['discreet', 'release', 'a.csv', '-o', '2-public']
    """
    given, found = set(_given(words, page)), list(words[:1])
    for option, value in pairwise(words):
        name, equals, file = value.rpartition("=")
        if option in (*_WRITTEN, *_READ):
            found.append(f"{place}-{value}")
        elif option in _GIVEN and file in given:
            found.append(f"{name}{equals}{place}-{file}")
        else:
            found.append(value)
    return found

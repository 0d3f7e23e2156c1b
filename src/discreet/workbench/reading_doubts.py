"""What to ask about a file that could not be read with certainty: the ways to read it, and its first lines."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from discreet.transactions.options import OPTION_TEXTS
from discreet.wording import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.workbench.jobs.process import Failure

__all__ = ["first_lines", "plainly", "ways_to_read"]

_KINDS = {
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"RIFF": "a picture or a sound",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "an archive or a document",
    b"\xd0\xcf\x11\xe0": "a document",
}
_READ = (b"PK", b"\xd0\xcf")
"""How workbooks begin, too: their reader says what is wrong with one."""
_SHAPES = ("table", "fimi", "basket", "spmf")


def plainly(failure: Failure, path: Path | None, name: str) -> Failure:
    """Return what a page says of a file whose format is not known: what it is, or that it is to be chosen."""
    if path is None:
        return failure
    with path.open("rb") as file:
        head = file.read(4096)
    unknown = failure.field == "format"
    what = next((words for magic, words in _KINDS.items() if head.startswith(magic)), "")
    if (what and (unknown or not head.startswith(_READ))) or (unknown and b"\0" in head):
        what = what or "neither a text nor a table that is read here"
        sentence = (
            f"{name} is {what}: drop a table (CSV, Excel, Parquet), rows, a file of patterns, a bundle or a policy"
        )
        return replace(failure, sentence=sentence, field="rows", choices=())
    if not unknown:
        return failure
    sentence = f"the name of {name} does not say what it holds: choose how to read it"
    return replace(failure, sentence=sentence, field="rows", choices=tuple(("format", shape) for shape in _SHAPES))


_NEEDS_MORE = {("format", "long")}
"""Ways that need other fields, too."""


def ways_to_read(failure: Failure) -> list[tuple[str, Any]]:
    """Return the options of reading that a refusal names with a value."""
    known = {*OPTION_TEXTS}
    return [
        (name, value)
        for name, value in failure.choices
        if name in known and value is not None and (name, value) not in _NEEDS_MORE
    ]


def first_lines(path: Path | None) -> list[str]:
    """Return the first lines of a text file; none if it is not a text."""
    if path is None or not path.is_file():
        return []
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            head = file.read(2000)
        lines = head.decode("utf-8-sig").splitlines()[:4]
    except (OSError, EOFError, ValueError, zlib.error):
        return []
    return [one_line(line)[:160] for line in lines]

"""What is asked about a file.

Before it can be read: what it is, the ways to read it, and its first lines. Before anything is called safe: ids,
constants, and whether a row is a person.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from discreet.transactions.options import OPTION_TEXTS
from discreet.wording import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.transactions.options import ReadOptions
    from discreet.workbench.input_file import Preview
    from discreet.workbench.jobs.process import Failure

__all__ = ["ColumnQuestion", "OneRow", "column_questions", "first_lines", "one_row_words", "plainly", "ways_to_read"]


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


OneRow = Literal["", "person", "several"]
"""Whether a row is a person: not answered, yes, or no."""

_SHOWN = 3
_ASKED = {
    "id": ("different in every row, as ids are", "Leave {} out", "It is no id"),
    "constant": ("the same in every row", "Leave {} out", "That is right"),
    "near-empty": ("empty in nearly every row", "Leave {} out", "That is right"),
    "person": ("likely to say whose a row is: k counts rows, not people", "One row for each {}", "It does not"),
}


@dataclass(frozen=True, slots=True)
class ColumnQuestion:
    """Something about columns that smells: what it is, and the two answers."""

    kind: str
    columns: tuple[str, ...]
    sentence: str
    do: str
    keep: str


def column_questions(seen: Preview, reading: ReadOptions) -> tuple[ColumnQuestion, ...]:
    """Return what to ask about the columns of a table."""
    found = []
    for kind, (words, do, keep) in _ASKED.items():
        columns = tuple(column.name for column in seen.columns if column.role == kind)
        if kind == "person":
            columns = () if reading.person_column else columns[:1]
        if columns:
            more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
            are = "are" if len(columns) > 1 else "is"
            names = ", ".join(columns[:_SHOWN]) + more
            them = columns[0] if kind == "person" else "them" if len(columns) > 1 else "it"
            found.append(ColumnQuestion(kind, columns, f"{names} {are} {words}.", do.format(them), keep))
    return tuple(found)


def one_row_words(one_row: OneRow, *, by_person: bool) -> str:
    """Return what has to be said with SAFE about people, because k counts rows.

    >>> one_row_words("person", by_person=False), one_row_words("several", by_person=True)
    ('', '')
    """
    if by_person or one_row == "person":
        return ""
    if one_row == "several":
        return "k counts rows: a person with several rows counts several times."
    return "k counts rows: whether each row is another person was not answered."

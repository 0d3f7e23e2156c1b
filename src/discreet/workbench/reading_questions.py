"""What is asked about rows before anything is called safe: ids, constants, and whether a row is a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from discreet.transactions.options import ReadOptions
    from discreet.workbench.input_file import Preview

__all__ = ["ColumnQuestion", "OneRow", "column_questions", "one_row_words"]

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

"""The slow twins: every row format in a few obvious lines of Python, to compare the fast readers with."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

BLANKS = " \t\r\n\v\f"
MISSING = ("", "?", "NA")


class Malformed(ValueError):  # noqa: N818
    """A quote is not closed, or text follows a closing quote."""


def slow_fimi(text: str) -> list[set[str]]:
    return [set(line.split()) for line in text.removesuffix("\n").split("\n")]


def slow_cells(text: str, delimiter: str = ",") -> list[list[str]]:  # noqa: C901 - one character after another
    """Cut CSV text one character after another."""
    ends = delimiter + "\r\n"
    blanks = " \t\v\f".replace(delimiter, "")
    text += "" if text.endswith(("\r", "\n")) else "\n"
    lines: list[list[str]] = []
    line: list[str] = []
    at = 0
    blank_line = True
    while at < len(text):
        start = at
        while text[at] in blanks:
            at += 1
        if text[at] == '"':
            blank_line = False
            at += 1
            cell = ""
            while text[at : at + 1] != '"' or text[at : at + 2] == '""':
                if at >= len(text):
                    raise Malformed
                cell += text[at]
                at += 2 if text[at] == '"' else 1
            at += 1
            while text[at : at + 1] and text[at] in blanks:
                at += 1
            if text[at : at + 1] not in list(ends):
                raise Malformed
        else:
            while text[at] not in ends:
                at += 1
            cell = text[start:at]
        line.append(cell.strip(BLANKS))
        blank_line = blank_line and line == [""]
        if text[at] in "\r\n":
            if not blank_line or line != [""]:
                lines.append(line)
            line, blank_line = [], True
        at += 1
    return lines


def slow_basket(text: str, delimiter: str = ",") -> list[set[str]]:
    return [set(line) - {""} for line in slow_cells(text, delimiter)]


def slow_long(text: str, id_column: str, item_column: str) -> dict[str, set[str]]:
    header, *lines = slow_cells(text)
    rows: dict[str, set[str]] = {}
    for line in lines:
        cells = dict(zip(header, line, strict=True))
        rows.setdefault(cells[id_column], set()).update({cells[item_column]} - {""})
    return rows


def slow_onehot(text: str) -> list[set[str]]:
    header, *lines = slow_cells(text)
    truth = {"0": False, "1": True, "false": False, "true": True}
    return [{label for label, cell in zip(header, line, strict=True) if truth[cell.lower()]} for line in lines]


def slow_table(
    text: str,
    *,
    drop: tuple[str, ...] = (),
    bins: dict[str, list[str]] | None = None,
    rules: dict[str, dict[str, str]] | None = None,
    drop_rows: bool = False,
) -> list[set[str]]:
    header, *lines = slow_cells(text)
    rows = []
    for line in lines:
        cells = {column: cell for column, cell in zip(header, line, strict=True) if column not in drop}
        values = {
            column: slow_value(cell, (bins or {}).get(column), (rules or {}).get(column))
            for column, cell in cells.items()
        }
        if drop_rows and None in values.values():
            continue
        rows.append({f"{column}={value}" for column, value in values.items() if value is not None})
    return rows


def slow_value(cell: str, edges: list[str] | None, rules: dict[str, str] | None) -> str | None:
    if rules is not None and cell != "*" and cell in rules:
        cell = rules[cell]
    elif rules is not None and cell not in MISSING and "*" in rules:
        cell = rules["*"]
    if cell in MISSING:
        return None
    if edges is None:
        return cell
    number = Fraction(cell)
    if number <= Fraction(edges[0]):
        return f"<={edges[0]}"
    for low, high in pairwise(edges):
        if Fraction(low) < number <= Fraction(high):
            return f"({low},{high}]"
    return f">{edges[-1]}"

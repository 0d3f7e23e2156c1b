"""The rows of a file by other means than ours: begun from docs/formats.md alone, over `tests/cells_twin.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from tests.cells_twin import (
    BLANKS,
    Refused,
    content_of,
    json_values,
    parquet_columns,
    records,
    separator_of,
    sheet,
    shown,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Rows", "rows_of"]

MISSING = ("", "?", "NA")
FLAGS = {"0": False, "1": True, "false": False, "true": True}


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of labels, the ids they have, and how they stood in the file."""

    rows: list[frozenset[str]]
    shape: str
    ids: list[str] | None = None
    separator: str | None = None
    header: bool | None = None


def rows_of(name: str, content: bytes, **options: Any) -> Rows:
    """Read a file as its name and the options say."""
    content = content_of(name, content)
    name = name.removesuffix(".gz")
    if name.endswith((".dat", ".txt")):
        return _text(text_of(content, options.get("encoding")), options.get("format"))
    if name.endswith(".parquet"):
        return _columns(parquet_columns(content), options)
    if name.endswith((".json", ".jsonl")):
        return _json(json_values(content), options)
    if name.endswith((".xlsx", ".ods")):
        return _lines(sheet(name, content), options, basket=False)
    text = text_of(content, options.get("encoding"))
    usual = "\t" if name.endswith(".tsv") else ","
    separator = options.get("delimiter") or (usual if options.get("format") == "basket" else separator_of(text, usual))
    found = _lines(records(text, separator), options, basket=True)
    return Rows(found.rows, found.shape, found.ids, separator, found.header)


def _text(text: str, shape: str | None) -> Rows:
    """Read fimi or spmf."""
    if re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text):
        raise Refused("a control character")
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    if any("\r" in line for line in lines):
        raise Refused("a carriage return inside a line")
    shape = shape or ("spmf" if text.startswith("@") else "fimi")
    if not text:
        raise Refused("no row")
    if shape == "fimi":
        return Rows([frozenset(_words(line)) for line in lines], "fimi")
    names: dict[str, str] = {}
    rows = []
    for line in lines:
        if line.startswith("@ITEM="):
            number, found, label = line.removeprefix("@ITEM=").partition("=")
            label = label.strip(BLANKS)
            if not found or not label or names.setdefault(number.strip(BLANKS), label) != label:
                raise Refused("an item without a name, or with two")
        elif not line.startswith(("@", "%", "#")):
            rows.append(_words(line))
    if not rows:
        raise Refused("no row")
    return Rows([frozenset(names.get(word, word) for word in row) for row in rows], "spmf")


def _words(line: str) -> list[str]:
    return [word for word in line.replace("\t", " ").split(" ") if word]


def _lines(lines: list[list[str]], options: dict[str, Any], *, basket: bool) -> Rows:
    """Read lines of cells: a table, or baskets."""
    if not lines:
        raise Refused("no row")
    shape = options.get("format")
    even = len({len(line) for line in lines}) == 1
    if shape == "basket" or (basket and shape is None and not even):
        return Rows([frozenset(filter(None, line)) for line in lines], "basket", header=False)
    if not even:
        raise Refused("lines of different length")
    header = options.get("header") is not False
    names = lines[0] if header else options.get("columns") or [f"c{at}" for at in range(1, len(lines[0]) + 1)]
    if len(names) != len(lines[0]):
        raise Refused("more or fewer names than columns")
    names = [name or f"c{at}" for at, name in enumerate(names, 1)]
    if len(set(names)) < len(names):
        raise Refused("two columns of one name")
    below = lines[header:]
    columns = {name: [line[at] for line in below] for at, name in enumerate(names)}
    found = _columns(columns, options, count=len(below))
    return Rows(found.rows, found.shape, found.ids, header=header)


def _json(values: list[Any], options: dict[str, Any]) -> Rows:
    """Read JSON: lists, or records."""
    if len(values) == 1 and isinstance(values[0], list) and all(isinstance(each, list | dict) for each in values[0]):
        values = values[0]
    if not values:
        raise Refused("no row")
    if all(isinstance(each, list) for each in values):
        return Rows([_list(each) for each in values], "lists")
    if not all(isinstance(each, dict) for each in values):
        raise Refused("neither lists nor records")
    names = dict.fromkeys(name for each in values for name in each)
    columns = {name.strip(BLANKS) or f"c{at}": [each.get(name) for each in values] for at, name in enumerate(names, 1)}
    if len(columns) < len(names):
        raise Refused("two columns of one name")
    return _columns(columns, options, count=len(values))


def _list(labels: list[Any] | None) -> frozenset[str]:
    found = [shown(label) for label in labels or []]
    if any(label is None or "\0" in label for label in found):
        raise Refused("a label that is missing, or has a NUL")
    return frozenset(map(str, found))


def _columns(columns: dict[str, list[Any]], options: dict[str, Any], count: int | None = None) -> Rows:
    """Read named columns: lists, long, one-hot or a table."""
    count = len(next(iter(columns.values()), [])) if count is None else count
    if not count:
        raise Refused("no row")
    for option in ("id_column", "item_column", "person_column"):
        if options.get(option) not in (None, *columns):
            raise Refused(f"no column that {option} names")
    of_lists = [name for name, cells in columns.items() if any(isinstance(cell, list) for cell in cells)]
    if of_lists:
        return _of_persons(_lists(columns, of_lists, options), "lists", columns, options)
    cells = {name.strip(BLANKS): [_cell(cell) for cell in column] for name, column in columns.items()}
    shape = options.get("format") or _shape(cells, options)
    if shape == "long":
        return _long(cells, options)
    named = {options.get("id_column"), options.get("person_column"), *options.get("drop", ())}
    items = {name: column for name, column in cells.items() if name not in named}
    if shape == "onehot":
        return _of_persons(_flagged(items, count), shape, cells, options)
    return _table(items, cells, count, options)


def _lists(columns: dict[str, list[Any]], of_lists: list[str], options: dict[str, Any]) -> list[frozenset[str]]:
    if len(of_lists) > 1 and not options.get("item_column"):
        raise Refused("several columns of lists")
    cells = columns[options.get("item_column") or of_lists[0]]
    if not all(cell is None or isinstance(cell, list) for cell in cells):
        raise Refused("a cell that is no list")
    return [_list(each) for each in cells]


def _flagged(items: dict[str, list[str]], count: int) -> list[frozenset[str]]:
    if not all(cell.lower() in FLAGS for column in items.values() for cell in column):
        raise Refused("a cell that is neither 0 nor 1")
    return [frozenset(name for name, column in items.items() if FLAGS[column[at].lower()]) for at in range(count)]


def _cell(value: object) -> str:
    text = shown(value)
    return "" if text is None else text.strip(BLANKS)


def _shape(cells: dict[str, list[str]], options: dict[str, Any]) -> str:
    if options.get("id_column") and options.get("item_column"):
        return "long"
    named = {options.get("id_column"), options.get("person_column"), *options.get("drop", ())}
    return (
        "onehot"
        if all({cell.lower() for cell in column} <= set(FLAGS) for name, column in cells.items() if name not in named)
        else "table"
    )


def _long(cells: dict[str, list[str]], options: dict[str, Any]) -> Rows:
    rows: dict[str, set[str]] = {}
    whose = cells[options.get("person_column") or options["id_column"]]
    for identity, item in zip(whose, cells[options["item_column"]], strict=True):
        if not identity:
            raise Refused("a line without an id")
        rows.setdefault(identity, set()).update({item} - {""})
    return Rows([frozenset(row) for row in rows.values()], "long", list(rows))


def _table(items: dict[str, list[str]], cells: dict[str, list[str]], count: int, options: dict[str, Any]) -> Rows:
    if any(f"{one}=" == other[: len(one) + 1] for one in items for other in items):
        raise Refused("a column named like another with more behind it")
    rows: list[frozenset[str] | None] = []
    for at in range(count):
        row = {name: column[at] for name, column in items.items()}
        if options.get("missing") == "drop-row" and any(cell in MISSING for cell in row.values()):
            rows.append(None)
            continue
        labels = {name: _changed(name, cell, options) for name, cell in row.items() if cell not in MISSING}
        rows.append(frozenset(f"{name}={label}" for name, label in labels.items()))
    return _of_persons(rows, "table", cells, options)


def _changed(name: str, cell: str, options: dict[str, Any]) -> str:
    """Put a number into its interval, or rename a value."""
    if name in options.get("bins", {}):
        edges = sorted(Decimal(edge) for edge in options["bins"][name])
        try:
            value = Decimal(cell)
        except InvalidOperation as error:
            raise Refused("no number") from error
        if not value.is_finite():
            raise Refused("no number")
        above = sum(edge < value for edge in edges)
        if above == 0:
            return f"<={edges[0]}"
        return f">{edges[-1]}" if above == len(edges) else f"({edges[above - 1]},{edges[above]}]"
    names = options.get("map", {}).get(name, {})
    return names.get(cell, names.get("*", cell))


def _of_persons(
    rows: Iterable[frozenset[str] | None], shape: str, columns: dict[str, list[Any]], options: dict[str, Any]
) -> Rows:
    """Merge what one person has into one row, or name the rows; None is a row that was dropped."""
    person, identity = options.get("person_column"), options.get("id_column")
    if not person:
        kept = [(at, row) for at, row in enumerate(rows) if row is not None]
        if not kept:
            raise Refused("no row")
        ids = None if identity is None else [_cell(columns[identity][at]) for at, _ in kept]
        if ids and (len(set(ids)) < len(ids) or "" in ids):
            raise Refused("an id that is missing, or occurs twice")
        return Rows([row for _, row in kept], shape, ids)
    found: dict[str, frozenset[str]] = {}
    for whose, row in zip(map(_cell, columns[person]), rows, strict=True):
        if whose in MISSING:
            raise Refused("a row of nobody")
        if row is not None:
            found[whose] = found.get(whose, frozenset()) | row
    return Rows(list(found.values()), shape, list(found))

"""Parse lists of labels in text cells, many cells at a time.

A dialect is how a cell writes a list: `json` ["a", "b"], `python` frozenset({'a', 'b'}) and similar, `braces` {a,b} as
in arules, `bare` [a, b] as Spark casts an array to text, `round` (a, b) as pandas prints a set, `blanks` a b as PAMI
joins labels. Cells of the usual form are checked against its grammar and split by Arrow; any other cell is parsed
individually, which also finds the invalid one. `cut_at` splits cells at a separator that someone named.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeGuard

import numpy as np

from discreet.errors import DataError
from discreet.tables.table import BLANKS

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

__all__ = ["EXPECTED", "Dialect", "cut_at", "cut_cells", "dialect_of", "parse_cell", "split_braces"]

Dialect = Literal["json", "python", "braces", "bare", "round", "blanks"]

_JSON_TEXT = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
_PLAIN_TEXT = r"'[^'\"\\\r\n\x00]*'"
_BARE_TEXT = r"[^\s\v{},\[(](?:[^{},\[(]*[^\s\v{},\[(])?"
_FORMS = {  # the grammar of a regular cell: how the list opens, what separates two labels, how it closes
    "json": [
        (rf"^\[{_JSON_TEXT}(?:, {_JSON_TEXT})*\]$", '["', '", "', '"]'),
        (rf"^\[{_JSON_TEXT}(?:,{_JSON_TEXT})*\]$", '["', '","', '"]'),
    ],
    "python": [
        (rf"^frozenset\(\{{{_PLAIN_TEXT}(?:, {_PLAIN_TEXT})*\}}\)$", "frozenset({'", "', '", "'})"),
        (rf"^\[{_PLAIN_TEXT}(?:, {_PLAIN_TEXT})*\]$", "['", "', '", "']"),
    ],
    "braces": [(rf"^\{{{_BARE_TEXT}(?:,{_BARE_TEXT})*\}}$", "{", ",", "}")],
}
_ENCLOSED = (r"^\{.*\}$", r"^\[.*\]$", r"^\(.*\)$")
_WORDS = re.compile(r"\S+", re.ASCII)
_OPENINGS = ("(", "[", "{", "frozenset", "set")
_TOO_LARGE = 10**18
_NUMBER = r"\s*-?(?:[0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?|Inf)\s*"
_COMMA = re.compile(rf"([\[(]{_NUMBER},{_NUMBER}[\])])|,", re.IGNORECASE)


def dialect_of(cell: str, among: tuple[Dialect, ...]) -> Dialect | None:
    """Return the first dialect that a cell may be written in."""
    return next((dialect for dialect in among if parse_cell(cell, dialect) is not None), None)


def cut_cells(
    cells: pa.StringArray, dialect: Dialect, place: Callable[[int], str]
) -> tuple[pa.ListArray, Callable[[str], str]] | list[list[str | int]]:
    """Return the cells' lists: in bulk, with a function that turns each distinct text into a label, or one by one."""
    import pyarrow.compute as pc

    for grammar, opening, comma, closing in _FORMS.get(dialect, ()):
        if not pc.all(pc.match_substring_regex(cells, grammar)).as_py():
            continue
        if dialect == "json":  # afterwards every quote is a delimiter, so commas between quotes separate labels
            cells = pc.replace_substring(cells, "\\\\", "\\u005c")
            cells = pc.replace_substring(cells, '\\"', "\\u0022")
        inner = pc.utf8_slice_codeunits(cells, len(opening), -len(closing))
        return pc.split_pattern(inner, comma), _unescaped if dialect == "json" else _plain
    return _one_by_one(cells.to_pylist(), dialect, place)


def _plain(text: str) -> str:
    return text


def _unescaped(text: str) -> str:
    return str(json.loads(f'"{text}"')) if "\\" in text else text


_UNDECIDABLE = "a label that contains a comma cannot be distinguished from two labels in this form"
EXPECTED = {
    "json": 'a JSON list of labels such as ["a", "b"]',
    "python": "a set of labels such as frozenset({'a', 'b'})",
    "braces": f"labels in braces such as {{a,b}}; {_UNDECIDABLE}",
    "bare": f"labels in brackets such as [a, b]; {_UNDECIDABLE}",
    "round": f"labels in parentheses such as (a, b); {_UNDECIDABLE}",
    "blanks": "labels with blanks between them such as a b",
}


def _one_by_one(cells: list[str], dialect: Dialect, place: Callable[[int], str]) -> list[list[str | int]]:
    lists = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns about odd literals; they are refused below anyway
        for row, cell in enumerate(cells):
            labels = parse_cell(cell, dialect)
            if labels is None:
                doubt = (
                    "; a label with a comma in it cannot be distinguished from two labels here"
                    if dialect == "braces"
                    else ""
                )
                raise DataError(f"{place(row)}: expected {EXPECTED[dialect]}{doubt}")
            lists.append(labels)
    return lists


def parse_cell(cell: str, dialect: Dialect) -> list[str | int] | None:
    """Return the labels in one cell, or None if it is not in the dialect."""
    match dialect:
        case "json":
            return _from_json(cell)
        case "python":
            return _from_python(cell)
        case "braces":
            labels = split_braces(cell)
            return None if labels is None else [*labels]
        case "bare" | "round":
            labels = _split_bare(cell, "[]" if dialect == "bare" else "()")
            return None if labels is None else [*labels]
        case "blanks":
            return [*_WORDS.findall(cell)] or None


def _from_json(cell: str) -> list[str | int] | None:
    try:
        labels = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return _only_labels(labels) if isinstance(labels, list) else None


def _only_labels(labels: list[object]) -> list[str | int] | None:
    kept = [label for label in labels if isinstance(label, str) or _is_label_number(label)]
    return kept if len(kept) == len(labels) else None


def _is_label_number(label: object) -> TypeGuard[int]:
    return isinstance(label, int) and not isinstance(label, bool) and abs(label) < _TOO_LARGE


def _from_python(cell: str) -> list[str | int] | None:
    """Parse a set, list or tuple of texts and whole numbers, as Python prints it; nothing is executed."""
    text = cell.strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns about odd literals
            node = ast.parse(text, mode="eval").body
        kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return None
    if (tokenize.STRING, tokenize.STRING) in pairwise(kinds) or not text.startswith(_OPENINGS):
        return None  # 'a' 'b' would become one label; numpy prints two that way. 0,5 is a number, not a tuple
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("frozenset", "set"):
        if node.keywords or len(node.args) > 1:
            return None
        if not node.args:
            return []
        node = node.args[0]
    if not isinstance(node, (ast.Set, ast.List, ast.Tuple)):
        return None
    return _only_labels([_literal(element) for element in node.elts])


def _literal(node: ast.expr) -> object:
    """Return a constant, including numpy's forms: np.int64(3), np.str_('a')."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("np", "numpy")
        and len(node.args) == 1
        and not node.keywords
    ):
        node = node.args[0]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int) else None
    return node.value if isinstance(node, ast.Constant) else None


def split_braces(cell: str) -> list[str] | None:
    """Return the labels of arules' {a,b}, or None if they are ambiguous.

    A comma between the two ends of an interval, such as age=[20,40), belongs to the label. An empty label, or blanks
    around one, mean that some label contains a comma.
    """
    text = cell.strip()
    if not (text.startswith("{") and text.endswith("}")) or len(text) < len("{}"):
        return None
    inner = text[1:-1]
    if not inner:
        return []
    labels, start = [], 0
    for comma in _COMMA.finditer(inner):
        if comma[1] is None:
            labels.append(inner[start : comma.start()])
            start = comma.end()
    labels.append(inner[start:])
    if "{" in inner or "}" in inner or not all(map(_is_whole, labels)):
        return None
    return labels


def _is_whole(label: str) -> bool:
    """Return whether this is a label rather than a piece of one: a piece is empty, or has a blank at an end."""
    return bool(label) and label == label.strip(BLANKS)


def _split_bare(cell: str, brackets: str) -> list[str] | None:
    """Return the labels of Spark's [a, b] or pandas' (a, b), or None if they are ambiguous."""
    text = cell.strip()
    labels = text[1:-1].split(", ") if text.startswith(brackets[0]) and text.endswith(brackets[1]) else [""]
    return labels if all(map(_is_whole, labels)) else None


def cut_at(cells: pa.StringArray, separator: str, place: Callable[[int], str]) -> pa.ListArray:
    """Return the labels between separators, without the blanks around them and the brackets around all of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = _trimmed(cells)
    for grammar in _ENCLOSED:
        if len(trimmed) and pc.all(pc.match_substring_regex(trimmed, grammar)).as_py():
            trimmed = pc.utf8_slice_codeunits(trimmed, 1, -1)
            break
    lists = pc.split_pattern(trimmed, separator)
    labels = _trimmed(lists.flatten())
    empty = np.flatnonzero(pc.equal(labels, "").to_numpy(zero_copy_only=False))
    if len(empty):
        row = np.searchsorted(np.cumsum(pc.list_value_length(lists).to_numpy()), empty[0], side="right")
        raise DataError(f"{place(int(row))}: a label between two separators is empty; correct it")
    return pa.ListArray.from_arrays(lists.offsets, labels)


def _trimmed(cells: pa.Array) -> pa.StringArray:
    import pyarrow.compute as pc

    return pc.utf8_trim(cells, BLANKS)  # type: ignore[attr-defined, no-any-return]  # missing in the stubs

"""Signs that a file is not what it is about to be read as: each is refused, with the ways on.

An exact answer about misread rows is a wrong answer. These checks apply where nobody said how to read a file; each of
them names the options that settle the question, and asks nothing of files whose format was given.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError, param
from discreet.wording import counted, number, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.tables.byte_source import ByteSource
    from discreet.tables.csv import CsvText
    from discreet.transactions.transactions import Transactions

__all__ = [
    "WIDEST_LONG_TABLE",
    "pattern_columns",
    "refuse_comments",
    "refuse_documents",
    "refuse_long_tables",
    "refuse_odd_lines",
    "refuse_other_lines",
    "refuse_pair_as_header",
    "refuse_pattern_columns",
    "refuse_pattern_lines",
    "refuse_row_as_header",
    "refuse_separator_line",
    "refuse_spmf_lines",
    "refuse_truth_as_header",
]

_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|\?xml|svg)", re.IGNORECASE)
_DOCUMENTS = {
    b"%PDF-": "a PDF document",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF87a": "an image",
    b"GIF89a": "an image",
    b"{\\rtf": "a text document",
    b"PAR1\x15": "a Parquet file",
    b"SQLite format 3\0": "a SQLite database",
}
"""The first bytes of files that are not text of rows, though a name may say so."""

_COMMENT = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*([#%])")
_PATTERN_COLUMNS = (
    {"items", "support"},
    {"items", "count"},
    {"items", "freq"},
    {"itemset", "support"},
    {"itemset", "count"},
    {"itemset", "freq"},
    {"itemsets", "support"},
    {"antecedents", "consequents"},
    {"antecedent", "consequent"},
    {"lhs", "rhs"},
    {"rules", "support"},
)
_SPMF_LINE = re.compile(rb"\A(?:\xef\xbb\xbf)?[ \t]*@|\n@ITEM=")
_SPMF_SUPPORT = re.compile(rb"#SUP:", re.IGNORECASE)
_SEPARATOR_LINE = re.compile(rb"(?:\xef\xbb\xbf)?sep=(.)\r?\n", re.IGNORECASE)
_SEQUENCE = re.compile(rb"(?:.*[ \t])?-2")
_UTILITIES = re.compile(rb"[^:]+:[ \t]*[0-9.]+[ \t]*:[0-9. \t-]+")
_CELLS_IN_A_TOKEN = re.compile(rb"[^ \t,;|]+(?:([,;|])[^ \t,;|]*)*")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?", re.ASCII)
_TRUTH = {"0", "1", "true", "false"}
_FEW_LINES = 10
_SMALL_TABLE = 20
WIDEST_LONG_TABLE = 3


def refuse_documents(source: ByteSource) -> None:
    """Refuse a file that is not text of rows, judged by its first bytes: a document, an image, a web page."""
    for mark, what in _DOCUMENTS.items():
        if source.head.startswith(mark):
            raise DataError(
                f"{source.name} is {what}, whatever its name says; rename it if that can be read, or save the rows as "
                "text"
            )
    if _MARKUP.match(source.head):
        raise DataError(
            f"{source.name} is a web page or an XML document, not rows; a sign-in page is often saved in place of what "
            "should be downloaded, so get the file again"
        )


def refuse_comments(source: ByteSource, shape: str) -> None:
    """Refuse a text file whose first line is a comment by the look of it."""
    if mark := _COMMENT.match(source.head):
        sign = mark[1].decode()
        raise DataError(
            f"line 1 of {source.name} begins with {sign}, as comments do; remove such lines, or give "
            f"{param('format', shape)} if {sign} is part of an item",
            line=1,
        )


def refuse_pattern_lines(source: ByteSource) -> None:
    """Refuse itemsets as SPMF prints them, where rows were expected."""
    if _SPMF_SUPPORT.search(source.head):
        raise DataError(
            f"{source.name} holds itemsets with their supports (#SUP:), not rows; audit them with {param('patterns')}"
        )


def refuse_spmf_lines(source: ByteSource) -> None:
    """Refuse a text file with lines that SPMF's converter writes, though it does not begin as those files do."""
    if _SPMF_LINE.search(source.head):
        raise DataError(
            f"a line of {source.name} begins with @, as in files of SPMF; give {param('format', 'spmf')}, or "
            f"{param('format', 'fimi')} if @ is part of an item"
        )


def refuse_other_lines(source: ByteSource) -> None:
    """Refuse a text file whose lines have another form than labels with blanks between them."""
    head = source.head.removeprefix(b"\xef\xbb\xbf")
    whole = head[: head.rfind(b"\n") + 1] or head  # the last line may be cut off
    lines = [line.strip() for line in whole.splitlines() if line.strip()]
    if not lines:
        return
    for form, what in ((_SEQUENCE, "end with -2, as sequences do"), (_UTILITIES, "have utilities behind colons")):
        if all(form.fullmatch(line) for line in lines):
            raise DataError(
                f"the lines of {source.name} {what} in files of SPMF; write one row of items per line, or give "
                f"{param('format', 'fimi')} if all of it is labels"
            )
    tokens = [_CELLS_IN_A_TOKEN.fullmatch(line) for line in lines]
    signs = {token[1] for token in tokens if token is not None and token[1]}
    several = sum(token is not None and token[1] is not None for token in tokens)
    if all(tokens) and len(signs) == 1 and several * 2 >= len(lines):
        sign = signs.pop().decode()
        raise DataError(
            f"the lines of {source.name} have no blanks, but {sign} between what may be cells; give "
            f"{param('format', 'table')} or {param('format', 'basket')}, with {param('delimiter', sign)}, or "
            f"{param('format', 'fimi')} if a line is one label"
        )


def refuse_separator_line(source: ByteSource) -> None:
    """Refuse a CSV file whose first line says which separator Excel should use."""
    if mark := _SEPARATOR_LINE.match(source.head):
        raise DataError(
            f"line 1 of {source.name} is no row, but says what separates cells, as for Excel; remove it, and give "
            f"{param('delimiter', mark[1].decode('utf-8', 'replace'))} if that does not show",
            line=1,
        )


def refuse_pattern_columns(columns: Sequence[str], name: str) -> None:
    """Refuse a table of itemsets or rules, where rows were expected."""
    if known := pattern_columns(columns):
        raise DataError(
            f"{name} has the columns {' and '.join(sorted(known))}, as itemsets and rules of a miner do; audit "
            f"them with {param('patterns')} or {param('rules')}, or give {param('format', 'table')} if they are "
            "rows"
        )


def pattern_columns(columns: Sequence[str]) -> set[str] | None:
    """Return the columns that a table of itemsets or rules has, if these have them all."""
    named = {column.lower() for column in columns}
    return next((known for known in _PATTERN_COLUMNS if known <= named), None)


def refuse_odd_lines(text: CsvText, *, sniffed: bool = False) -> None:
    """Refuse lines that differ in length where nearly all others agree: a table with a damaged line, or a comment.

    If the delimiter was `sniffed`, all must agree: it was chosen because the first lines look like a table.
    """
    lengths = text.first.lengths
    widths, counts = np.unique(lengths, return_counts=True)
    usual = int(widths[counts.argmax()])
    most = int(counts.max())
    nearly_all = len(lengths) >= _FEW_LINES and most * 10 >= len(lengths) * 9
    if usual < 2 or not (nearly_all or (sniffed and most < len(lengths))):  # noqa: PLR2004 - a table has columns
        return
    odd = int(np.flatnonzero(lengths != usual)[0])
    line = text.first.line_of(odd)
    raise DataError(
        f"line {line:,} of {text.name} has {counted(int(lengths[odd]), 'cell')}, but {percent(most, len(lengths))} "
        f"of the lines have {usual:,}; correct or remove it, or give {param('format', 'basket')} if lines may differ "
        "in length",
        line=line,
    )


def refuse_row_as_header(columns: Sequence[str], rows: Transactions, name: str) -> None:
    """Refuse a table whose header looks like one of its rows."""
    labels = rows.vocabulary.labels  # in the order of their texts
    again = sum(
        label in labels[(at := bisect_left(labels, label)) : at + 1] for label in map("{0}={0}".format, columns)
    )
    if again >= 2 or (again and len(columns) <= 2):  # noqa: PLR2004 - several, or half of them
        raise _unclear_header(
            f"{number(again)} of the {number(len(columns))} cells in the first line of {name} occur as values below it"
        )
    numbers = {column for column in columns if _NUMBER.fullmatch(column)}
    if len(numbers) * 2 > len(columns) and _values_are_numbers(numbers, rows.vocabulary.labels):
        raise _unclear_header(
            f"{number(len(numbers))} of the {number(len(columns))} cells in the first line of {name} are numbers, as "
            "the values below them are"
        )


def refuse_truth_as_header(columns: Sequence[str], name: str) -> None:
    """Refuse a one-hot table whose header is a row of 0 and 1 itself."""
    if all(column.lower() in _TRUTH for column in columns):
        raise _unclear_header(f"the first line of {name} holds nothing but 0 and 1, as the lines below it do")


def refuse_pair_as_header(id_column: str, item_column: str, rows: Transactions, name: str) -> None:
    """Refuse a long table whose header is an id and an item that occur below it."""
    if item_column in rows.vocabulary.positions and rows.ids is not None and id_column in set(rows.ids):
        raise _unclear_header(f"both cells in the first line of {name} occur as values below it")


def _unclear_header(what: str) -> ParameterError:
    return ParameterError(
        f"{what}; give {param('header', value=False)} if it is a row, or {param('header', value=True)} if it names "
        "the columns",
        parameter="header",
    )


def _values_are_numbers(columns: set[str], labels: Sequence[str]) -> bool:
    values = [value for column, _, value in (label.partition("=") for label in labels) if column in columns]
    return sum(_NUMBER.fullmatch(value) is not None for value in values) * 10 >= len(values) * 9


def refuse_long_tables(columns: Sequence[str], rows: Transactions, name: str) -> None:
    """Refuse a narrow table two of whose columns look like the ids and the items of a long one."""
    if not 2 <= len(columns) <= WIDEST_LONG_TABLE or len(rows) < _SMALL_TABLE:  # noqa: PLR2004 - an id, an item
        return
    cells = [_cells(column, rows) for column in columns]
    for one, other in combinations(range(len(columns)), 2):
        repeats = all(len(np.unique(cells[at])) < len(rows) for at in (one, other))
        if repeats and len(np.unique(cells[one] * len(rows.vocabulary) + cells[other])) == len(rows):
            raise ParameterError(
                f"in columns {columns[one]!r} and {columns[other]!r} of {name} values repeat, but pairs never do, as "
                f"in a long table (a row's id, one of its items); give {param('format', 'long')} with "
                f"{param('id_column')} and {param('item_column')}, or {param('format', 'table')} if each line is a row",
                parameter="format",
            )


def _cells(column: str, rows: Transactions) -> NDArray[np.int64]:
    """Return the item that each row has of a column; -1 where it has none."""
    of_column = np.fromiter((label.startswith(f"{column}=") for label in rows.vocabulary.labels), bool)
    there = of_column[rows.items]
    found = np.full(len(rows), -1, np.int64)
    found[np.repeat(np.arange(len(rows)), rows.itemsets.lengths)[there]] = rows.items[there]
    return found

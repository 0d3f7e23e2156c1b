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
from discreet.tables.arrow_arrays import arrow_numbers, numpy_numbers
from discreet.transactions.column_profile import may_be_grouped
from discreet.wording import counted, number, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.tables.byte_source import ByteSource
    from discreet.tables.csv import CsvText
    from discreet.tables.table import Table
    from discreet.transactions.transactions import Transactions

__all__ = [
    "RULE_COLUMNS",
    "WIDEST_LONG_TABLE",
    "pattern_columns",
    "refuse_comments",
    "refuse_documents",
    "refuse_doubtful_text",
    "refuse_long_tables",
    "refuse_odd_lines",
    "refuse_pair_as_header",
    "refuse_pattern_columns",
    "refuse_ragged_tables",
    "refuse_row_as_header",
    "refuse_ruled_lines",
    "refuse_separator_line",
    "refuse_single_columns",
    "refuse_truth_as_header",
    "refuse_unnamed_columns",
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
RULE_COLUMNS = (
    {"antecedents", "consequents"},
    {"antecedent", "consequent"},
    {"lhs", "rhs"},
    {"rules", "support"},
)
_PATTERN_COLUMNS = (
    {"items", "support"},
    {"items", "count"},
    {"items", "freq"},
    {"itemset", "support"},
    {"itemset", "count"},
    {"itemset", "freq"},
    {"itemsets", "support"},
    *RULE_COLUMNS,
)
_SPMF_LINE = re.compile(rb"\A(?:\xef\xbb\xbf)?[ \t]*@|\n@ITEM=")
_SPMF_SUPPORT = re.compile(rb"#SUP:", re.IGNORECASE)
_SEPARATOR_LINE = re.compile(rb"(?:\xef\xbb\xbf)?sep=(.)\r?\n", re.IGNORECASE)
_SEQUENCE = re.compile(rb"(?:.*[ \t])?-2")
_UTILITIES = re.compile(rb"[^:]+:[ \t]*[0-9.]+[ \t]*:[0-9. \t-]+")
_CELLS_IN_A_TOKEN = re.compile(rb"[^ \t,;|]+(?:([,;|])[^ \t,;|]*)*")
_SIGNS = (b"\t", b";", b"|", b",")
_LIST_SIGNS = (";", "|", ",")
_OTHER_SIGNS = (":", " ")
_IN_BRACKETS = re.compile(rb"[\[(][^\])]*[\])]")
_BETWEEN = {sign: re.compile(rb"[^\s%b0-9]%b[^\s%b0-9]" % (3 * (re.escape(sign),))) for sign in (b",", b";", b"|")}
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_WORDS = re.compile(rb"[A-Za-z\x80-\xff] +[A-Za-z\x80-\xff]")
_LEAST_LINES = 3
_RULE = re.compile(r"[-=+:]{2,}|")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}", re.ASCII)
_TRUTH = {"0", "1", "true", "false"}
_FEW_LINES = 10
_SMALL_TABLE = 20
_FEWEST_GROUPS = 10
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


def refuse_doubtful_text(source: ByteSource) -> None:
    """Refuse a text file that looks like something else than labels between blanks."""
    _refuse_pattern_lines(source)
    refuse_comments(source, "fimi")
    _refuse_spmf_lines(source)
    _refuse_other_lines(source)
    _refuse_table_lines(source)


def refuse_comments(source: ByteSource, shape: str) -> None:
    """Refuse a text file whose first line is a comment by the look of it."""
    if mark := _COMMENT.match(source.head):
        sign = mark[1].decode()
        raise DataError(
            f"line 1 of {source.name} begins with {sign}, as comments do; remove such lines, or give "
            f"{param('format', shape)} if {sign} is part of an item",
            line=1,
        )


def _refuse_pattern_lines(source: ByteSource) -> None:
    """Refuse itemsets as SPMF prints them, where rows were expected."""
    if _SPMF_SUPPORT.search(source.head):
        raise DataError(
            f"{source.name} holds itemsets with their supports (#SUP:), not rows; audit them with {param('patterns')}"
        )


def _refuse_spmf_lines(source: ByteSource) -> None:
    """Refuse a text file with lines that SPMF's converter writes, though it does not begin as those files do."""
    if _SPMF_LINE.search(source.head):
        raise DataError(
            f"a line of {source.name} begins with @, as in files of SPMF; give {param('format', 'spmf')}, or "
            f"{param('format', 'fimi')} if @ is part of an item"
        )


def _refuse_other_lines(source: ByteSource) -> None:
    """Refuse a text file whose lines have another form than labels with blanks between them."""
    lines = [line.strip() for line in _first_lines(source)]
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
        raise _other_cells(
            source.name, "have no blanks, but {} between what may be cells", signs.pop(), "a line is one"
        )


def _refuse_table_lines(source: ByteSource) -> None:
    """Refuse a text file whose lines look like those of a table: as many separators in each, or a header."""
    lines = _first_lines(source)
    if any(_CONTROL.search(line) for line in lines):
        return  # no text at all, which the reader says better
    bare = [_IN_BRACKETS.sub(b"", line) for line in lines]
    for sign in _SIGNS:
        cuts = {line.count(sign) for line in bare}
        if len(lines) > 1 and len(cuts) == 1 and cuts != {0}:
            raise _other_cells(source.name, "have as many {} each, as those of a table do", sign)
    for sign, between in _BETWEEN.items():
        if 2 * sum(between.search(line) is not None for line in bare) > len(lines):
            raise _other_cells(source.name, "have {} between words without a blank", sign)
    if sum(b"\t" in line for line in lines) * 2 >= len(lines) and any(map(_WORDS.search, lines)):
        raise _other_cells(source.name, "have {} between what may be cells with blanks in them", b"\t")
    if _is_table_with_header([line.split() for line in lines]):
        raise DataError(
            f"the first line of {source.name} may name columns: its words occur nowhere else, and all lines have as "
            f"many; save it as .csv if it is a table, or give {param('format', 'fimi')} if each line is a row of items"
        )


def _first_lines(source: ByteSource) -> list[bytes]:
    """Return the whole lines at the beginning of a text file, without blank ones."""
    head = source.head.removeprefix(b"\xef\xbb\xbf")
    whole = head[: head.rfind(b"\n") + 1] or head  # the last line may be cut off
    return [line for line in whole.splitlines() if line.strip()]


def _other_cells(name: str, what: str, sign: bytes, otherwise: str = "it is part of a label") -> DataError:
    shown = sign.decode()
    if sign == b"\t":
        shown, otherwise = "tabs", "tabs stand between labels, as blanks do"
    return DataError(
        f"the lines of {name} {what.format(shown)}; give {param('format', 'table')} or {param('format', 'basket')}, "
        f"with {param('delimiter', sign.decode())}, or {param('format', 'fimi')} if {otherwise}"
    )


def _is_table_with_header(lines: Sequence[Sequence[bytes]]) -> bool:
    """Return whether lines of words look like a table: a first line apart, and below it each word in one place only."""
    if len(lines) < _LEAST_LINES or len({len(line) for line in lines}) > 1 or len(lines[0]) < 2:  # noqa: PLR2004
        return False
    places: dict[bytes, set[int]] = {}
    for line in lines[1:]:
        for at, word in enumerate(line):
            places.setdefault(word, set()).add(at)
    repeated = sum(map(len, lines[1:])) > len(places)
    return repeated and all(len(at) == 1 for at in places.values()) and not any(word in places for word in lines[0])


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
    what = "correct or remove it"
    if odd == 0 and most == len(lengths) - 1 and abs(int(lengths[0]) - usual) == 1:  # R leaves out that of row names
        what = "if it names the columns, make it as long as they are"
    raise DataError(
        f"line {line:,} of {text.name} has {counted(int(lengths[odd]), 'cell')}, but {percent(most, len(lengths))} "
        f"of the lines have {usual:,}; {what}, or give {param('format', 'basket')} if lines may differ in length",
        line=line,
    )


def refuse_ragged_tables(text: CsvText) -> None:
    """Refuse lines that differ in length where they could be a table's: baskets hold the same items in any place.

    A table has a first line whose cells occur nowhere else, or values that each stand in one place of the line only.
    """
    import pyarrow.compute as pc

    codes, lengths = text.first.codes.astype(np.int64), text.first.lengths
    widths, counts = np.unique(lengths, return_counts=True)
    usual, longest, first = int(widths[counts.argmax()]), int(widths[-1]), int(lengths[0])
    names = codes[:first]
    alone = len(np.unique(names)) == first and not np.isin(names, codes[first:]).any()
    if first > 1 and first in (usual, longest) and alone:
        why = "each cell of the first one occurs nowhere else, as names of columns do"
    elif min(usual, int(counts.max())) > 1 and 2 * int(counts.max()) >= len(lengths):
        places = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        filled = (numpy_numbers(pc.binary_length(text.first.texts)) > 0)[codes]
        codes, places = codes[filled], places[filled]
        repeated = np.bincount(codes) > 1
        ways = np.bincount(np.unique(codes * longest + places) // longest, minlength=len(repeated))[repeated]
        if not len(ways) or (ways > 1).any():
            return
        why = "each value has its place in the line, as in a column"
    else:
        return
    raise ParameterError(
        f"the lines of {text.name} differ in length, but {why}; give {param('format', 'basket')} if each line is a row "
        "of items; if they are a table's, make all of them equally long",
        parameter="format",
    )


def refuse_single_columns(table: Table, rows: Transactions) -> None:
    """Refuse a table of one column whose cells have separators: baskets in quotes, or another delimiter."""
    if len(table.columns) != 1:
        return
    column = table.columns[0]
    texts = [label[len(column) + 1 :] for label in rows.vocabulary.labels]
    signs = [sign for sign in (*_LIST_SIGNS, *_OTHER_SIGNS) if sign in texts[0]]
    for sign in signs:
        cuts = {text.count(sign) for text in (column, *texts)}
        if len(texts) >= _LEAST_LINES and len(cuts) == 1:
            raise DataError(
                f"{table.name} has one column, but every line of it has as many {'blanks' if sign == ' ' else sign}; "
                f"give {param('delimiter', sign)} if that separates cells, or {param('format', 'table')} if a line is "
                "one cell"
            )
    for sign in _LIST_SIGNS:
        if 2 * sum(sign in text for text in texts) > len(texts):
            raise DataError(
                f"{table.name} has one column, whose cells look like lists with {sign} between their parts; take the "
                f"quotes away and give {param('format', 'basket')} if the parts are items, or give "
                f"{param('format', 'table')} if a cell is one item"
            )


def refuse_ruled_lines(text: CsvText) -> None:
    """Refuse a table with a line drawn with dashes below the names, as programs print it."""
    block = text.first
    if len(block.lengths) < 2:  # noqa: PLR2004 - names and a line
        return
    start, end = np.cumsum(block.lengths[:2])
    cells = block.texts.take(arrow_numbers(block.codes[start:end])).to_pylist()
    if any(cells) and all(_RULE.fullmatch(cell) for cell in cells):
        line = block.line_of(1)
        raise DataError(f"line {line:,} of {text.name} is no row, but drawn with dashes; remove it", line=line)


def refuse_row_as_header(columns: Sequence[str], rows: Transactions, name: str) -> None:
    """Refuse a table whose header looks like one of its rows."""
    labels = rows.vocabulary.labels  # in the order of their texts
    again = {
        column
        for column in columns
        if (label := f"{column}={column}") in labels[(at := bisect_left(labels, label)) : at + 1]
    }
    if len(again) >= 2 or (again and len(columns) <= 2):  # noqa: PLR2004 - several, or half of them
        raise _unclear_header(
            f"{number(len(again))} of the {number(len(columns))} cells in the first line of {name} occur as values "
            "below it"
        )
    numbers = {column for column in columns if _NUMBER.fullmatch(column)}
    if len(numbers) * 2 > len(columns) and _values_are(_NUMBER, numbers, labels):
        raise _unclear_header(
            f"{number(len(numbers))} of the {number(len(columns))} cells in the first line of {name} are numbers, as "
            "the values below them are"
        )
    dates = {column for column in columns if _DATE.fullmatch(column)}
    alike = again | {
        column
        for form, found in ((_NUMBER, numbers), (_DATE, dates))
        for column in found
        if _values_are(form, {column}, labels)
    }
    if len(alike) >= 2 and 2 * len(alike) > len(columns):  # noqa: PLR2004 - several
        raise _unclear_header(
            f"{number(len(alike))} of the {number(len(columns))} cells in the first line of {name} look like the "
            "values below them"
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


def _values_are(form: re.Pattern[str], columns: set[str], labels: Sequence[str]) -> bool:
    """Return whether nearly all values of these columns have this form."""
    values = [value for column, _, value in (label.partition("=") for label in labels) if column in columns]
    return sum(form.fullmatch(value) is not None for value in values) * 10 >= len(values) * 9


def refuse_unnamed_columns(table: Table, rows: Transactions) -> None:
    """Refuse values below a first line that does not name their column: a title, or a row of baskets.

    The first column may lack a name, as the numbers of rows do.
    """
    if rows.layout is None:
        return
    for place in table.unnamed:
        column = table.columns[place]
        held = any(label.startswith(f"{column}=") for label in rows.vocabulary.labels)
        if place and held and column in rows.layout.columns:
            baskets = f"give {param('format', 'basket')} if the lines are rows of items, or "
            raise ParameterError(
                f"column {place + 1:,} of {table.name} has values, but no name in its first line; name it there, "
                f"remove a title above the names, or {baskets if table.container == 'csv' else 'give '}"
                f"{param('header', value=True)} if the column has no name",
                parameter="header",
            )


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
    for at, column in enumerate(columns):
        several = len(np.unique(cells[at]))
        if may_be_grouped(column) and _FEWEST_GROUPS <= several < len(rows):
            raise ParameterError(
                f"column {column!r} of {name} is the same in several rows, as where each line is one item of a row; "
                f"give {param('format', 'long')} with {param('id_column')} and {param('item_column')}, or "
                f"{param('format', 'table')} if each line is a row",
                parameter="format",
            )


def _cells(column: str, rows: Transactions) -> NDArray[np.int64]:
    """Return the item that each row has of a column; -1 where it has none."""
    of_column = np.fromiter((label.startswith(f"{column}=") for label in rows.vocabulary.labels), bool)
    there = of_column[rows.items]
    found = np.full(len(rows), -1, np.int64)
    found[np.repeat(np.arange(len(rows)), rows.itemsets.lengths)[there]] = rows.items[there]
    return found

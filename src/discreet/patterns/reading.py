"""Read patterns and rules that discreet or another tool wrote."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from discreet.errors import DataError, ParameterError, param
from discreet.patterns.file_hints import FileHints
from discreet.patterns.imported_patterns import agreed
from discreet.patterns.json_document import json_document
from discreet.patterns.list_columns import read_columns
from discreet.patterns.pattern_read import PatternRead
from discreet.patterns.tools import (
    arules,
    mlxtend,
    native,
    orange,
    other_table,
    pami,
    printouts,
    rapidminer,
    spark,
    spmf,
    weka,
)
from discreet.tables.byte_source import open_bytes
from discreet.tables.containers import CONTAINERS, container_of, suffix_of
from discreet.tables.csv import csv_table
from discreet.tables.frames import frame_table, is_frame
from discreet.tables.sheets import sheet_table
from discreet.tables.table import ArrowBatch, ColumnsByName, Table
from discreet.thresholds import MinSupport, one_of
from discreet.transactions.doubtful_files import RULE_COLUMNS, pattern_columns
from discreet.transactions.frame_rows import rows_in, shape_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
    from discreet.tables.byte_source import ByteSource
    from discreet.tables.table import Batch, RawColumn
    from discreet.transactions.transactions import Transactions

__all__ = ["PatternContainer", "given_in", "patterns_of", "read_patterns", "read_rules", "rules_of"]

PatternContainer = Literal["csv", "json", "parquet", "sheet", "text", "printed"]
"""The kind of file: `sheet` is Excel or OpenDocument, `text` SPMF's, `printed` what tools show on the screen."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]|[^\S \t\r\n]|\r(?!\n|\Z)")  # \S: of Unicode, with its line breaks
_HEADER = re.compile(
    rb"[^\n]*(?<!\w)(?:items?|itemsets?|patterns?|rules|[lr]hs|antecedents?|premises?)(?!\w)", re.IGNORECASE
)
_AS_IT_IS = FileHints()
_ALSO: dict[str, PatternContainer] = {".ndjson": "json", ".spmf": "text"}


def read_patterns(
    source: Any,  # a path, or any data frame
    *,
    n: int | None = None,
    min_support: MinSupport | None = None,
    container: PatternContainer | None = None,
    items_column: str | None = None,
    support_column: str | None = None,
    item_separator: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> ImportedPatterns:
    r"""Read itemsets with their supports from a file or a data frame.

    It recognises discreet's own files, mlxtend's frames (`support`, `itemsets`), Spark's (`items`, `freq`), SPMF's
    text, arules' CSV and PAMI's.

    Parameters
    ----------
    source : path or data frame
        "-" is standard input.
    n : int, optional
        The number of rows the itemsets were mined from; needed if supports are shares.
    min_support : int, str, float or Fraction, optional
        The threshold they were mined with. If the source itself has `n` or `min_support`, it must agree.
    container : {"csv", "json", "parquet", "sheet", "text", "printed"}, optional
        What the file is, if its name does not say so.
    items_column, support_column : str, optional
        The columns of the itemsets and of their supports, if their names do not tell.
    item_separator : str, optional
        What separates the labels in a cell, such as ", ".
    delimiter : str, optional
        What separates the cells of a CSV, if the header does not show it.
    encoding : str, optional
        The encoding of a text file, if it is not UTF-8 (UTF-16 with its mark is recognised).
    sheet : str or int, optional
        The sheet of a workbook, by its name or number from 1; needed if several sheets hold anything.

    Returns
    -------
    ImportedPatterns
        The itemsets, with what the source says about them and what it does not.

    Raises
    ------
    DataError
        The file cannot be read, or is not in a form that is recognised.
    ParameterError
        A parameter has an unusable value, contradicts the file, or is missing.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "found.txt")
    >>> _ = file.write_text("a #SUP: 3\na b #SUP: 2\n")
    >>> discreet.read_patterns(file, n=4)
    <ImportedPatterns: 2 itemsets (unknown), n 4, from spmf>
    """
    agreed("n", n, None)
    options = FileHints(
        items_column=items_column,
        support_column=support_column,
        item_separator=item_separator,
        delimiter=delimiter,
        encoding=encoding,
        sheet=sheet,
    )
    with _opened(source, container, options) as opened:
        content = opened.content
        if isinstance(content, Table):
            given = patterns_of(content, n=n, min_support=min_support, options=options)
        elif isinstance(content, weka.WekaText):
            given = weka.read_patterns(content, n=n, min_support=min_support)
        else:
            given = spmf.read_patterns(content, n=n, min_support=min_support)
        return replace(given, read=opened.record(given, shape="itemsets"))


def read_rules(
    source: Any,  # a path, or any data frame
    *,
    n: int | None = None,
    container: PatternContainer | None = None,
    support_column: str | None = None,
    item_separator: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> ImportedRules:
    r"""Read association rules from a file or a data frame.

    It recognises discreet's own files, mlxtend's rules (`antecedents`, `consequents`, `support`, `confidence`), Spark's
    (`antecedent`, `consequent`), SPMF's text and arules' CSV (`rules`, or `lhs` and `rhs`).

    Parameters
    ----------
    source : path or data frame
        "-" is standard input.
    n : int, optional
        The number of rows, needed if supports are shares.
    container, support_column, item_separator, delimiter, encoding, sheet : optional
        As for `read_patterns`.

    Returns
    -------
    ImportedRules
        The rules, with what the source says about them and what it does not.

    Raises
    ------
    DataError
        The file cannot be read, or is not in a form that is recognised.
    ParameterError
        A parameter has an unusable value, contradicts the file, or is missing.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "rules.txt")
    >>> _ = file.write_text("a ==> b #SUP: 2 #CONF: 0.5\n")
    >>> discreet.read_rules(file, n=6)
    <ImportedRules: 1 rules, n 6, from spmf>
    """
    agreed("n", n, None)
    options = FileHints(
        support_column=support_column,
        item_separator=item_separator,
        delimiter=delimiter,
        encoding=encoding,
        sheet=sheet,
    )
    with _opened(source, container, options) as opened:
        content = opened.content
        if isinstance(content, Table):
            given = rules_of(content, n=n, options=options)
        elif isinstance(content, weka.WekaText):
            given = weka.read_rules(content, n=n)
        else:
            given = spmf.read_rules(content, n=n)
        return replace(given, read=opened.record(given, shape="rules"))


def given_in(
    frame: Any, *, n: int | None, min_support: MinSupport | None
) -> Transactions | ImportedPatterns | ImportedRules:
    """Return the patterns, the rules or the rows of a data frame.

    Rows show in its structure: nothing but 0 and 1, or one column, of lists. A frame of which the names of the columns
    say one thing and the cells another is refused.
    """
    agreed("n", n, None)
    if not is_frame(frame):
        raise ParameterError(
            f"{param('source')} must be rows, patterns, rules or a data frame of them, got {type(frame).__name__}; "
            "read a file with discreet.read, discreet.read_patterns or discreet.read_rules",
            parameter="source",
        )
    table = frame_table(frame)
    named, shape = _names_patterns(table), shape_shown(table)
    if named and shape is not None:
        raise DataError(
            f"{table.name} has columns named as those of itemsets or rules, and nothing in them but 0 and 1, as rows "
            "have; say which it is: make patterns of it with discreet.read_patterns, or rows with "
            "Transactions.from_arrow(frame, format='onehot')"
        )
    if shape is not None:
        return rows_in(table, shape)
    given: ImportedPatterns | ImportedRules
    what: Literal["rules", "itemsets"]
    if any(name.startswith("antecedent") for name in table.columns):
        given, what = rules_of(table, n=n), "rules"
    else:
        given, what = patterns_of(table, n=n, min_support=min_support), "itemsets"
    return replace(
        given, read=PatternRead.of(given, shape=what, name=table.name, container="frame", source=None, separator=None)
    )


def _names_patterns(table: Table) -> bool:
    """Return whether the names of a table's columns are those of itemsets or rules."""
    return (
        pattern_columns(table.columns) is not None
        or {"Patterns", "Support"} <= set(table.columns)
        or rapidminer.has_itemsets(table)
        or rapidminer.has_rules(table)
        or other_table.has_itemsets(table)
        or other_table.sides_of(table) is not None
    )


def patterns_of(  # noqa: PLR0911 - one for each tool
    table: Table, *, n: int | None, min_support: MinSupport | None, options: FileHints = _AS_IT_IS
) -> ImportedPatterns:
    """Read itemsets from a table; its columns identify the tool, unless the options say which they are."""
    names = set(table.columns)
    if options.about_columns:
        names = set()
    if names and rapidminer.has_itemsets(table):
        return rapidminer.read_patterns(table, n=n, min_support=min_support)
    if {"items", "itemsets"} <= names:
        raise ParameterError(
            f"{table.name} has 2 columns that could hold the itemsets; say which with {param('items_column')}",
            parameter="items_column",
        )
    if {"itemsets", "support"} <= names:
        return mlxtend.read_patterns(table, n=n, min_support=min_support)
    if {"items", "freq"} <= names:
        return spark.read_patterns(table, n=n, min_support=min_support)
    if {"items", "support"} <= names:
        read = read_columns(table, ("items",), ("support", "count"), dialects=("json", "braces"))
        if read.dialect == "braces":
            return arules.patterns_from(read, n=n, min_support=min_support)
        return native.patterns_from(read, table, n=n, min_support=min_support)
    if {"Patterns", "Support"} <= names:
        return pami.read_patterns(table, n=n, min_support=min_support)
    if options.about_columns or other_table.has_itemsets(table):
        return other_table.read_patterns(table, options, n=n, min_support=min_support)
    raise _unknown(
        table,
        "patterns",
        "items and support (ours, arules), itemsets and support (mlxtend), items and freq (Spark) or Patterns and "
        "Support (PAMI)",
        f"name them with {param('items_column')} and {param('support_column')}",
    )


def rules_of(  # noqa: PLR0911 - one for each tool
    table: Table, *, n: int | None, options: FileHints = _AS_IT_IS
) -> ImportedRules:
    """Read rules from a table; its columns identify the tool, unless the options say which they are."""
    names = set(table.columns)
    numbers = {"support", "confidence"} <= names
    if options.about_columns:
        return other_table.read_rules(table, options, n=n)
    if orange.is_orange(table):
        return orange.read_rules(table, n=n)
    if rapidminer.has_rules(table):
        return rapidminer.read_rules(table, n=n)
    if numbers and {"antecedents", "consequents"} <= names:
        return mlxtend.read_rules(table, n=n)
    if numbers and {"antecedent", "consequent"} <= names:
        if "antecedent_support" in names or "n" in table.remarks:
            return native.read_rules(table, n=n)
        return spark.read_rules(table, n=n)
    lowered = {column.lower() for column in names}
    if numbers and ("rules" in lowered or {"lhs", "rhs"} <= lowered):
        return arules.read_rules(table, n=n)
    if other_table.sides_of(table) is not None:
        return other_table.read_rules(table, options, n=n)
    raise _unknown(
        table,
        "rules",
        "support and confidence with antecedent and consequent (ours, Spark), antecedents and consequents (mlxtend), "
        "rules, or lhs and rhs (arules)",
        "rename them",
    )


def _unknown(table: Table, wanted: Literal["patterns", "rules"], expected: str, way_on: str) -> DataError:
    known = pattern_columns(table.columns)
    here = "rules" if known in RULE_COLUMNS else "patterns"
    if known is not None and here != wanted:
        return DataError(
            f"{table.name}: expected the columns of {wanted}, found {' and '.join(sorted(known))}, as a file of {here} "
            f"has; give it as {param(here)}"
        )
    # Without the names found: if someone passed rows by mistake, the first line may be a person's.
    return DataError(
        f"{table.name}: expected the columns {expected}, not found among its {len(table.columns):,}; {way_on}, or, "
        "if it holds rows, read it as rows"
    )


class _Opened(NamedTuple):
    """What was opened: a table, WEKA's text or SPMF's bytes, and the file that it came from, if it was one."""

    content: Table | weka.WekaText | ByteSource
    container: str
    source: ByteSource | None

    def record(self, given: ImportedPatterns | ImportedRules, *, shape: Literal["itemsets", "rules"]) -> PatternRead:
        """Return how the patterns or rules were read."""
        separator = self.content.delimiter if isinstance(self.content, Table) and self.container == "csv" else None
        return PatternRead.of(
            given,
            name=self.content.name,
            container=self.container,
            source=self.source,
            separator=separator,
            shape=shape,
        )


@contextmanager
def _opened(source: Any, container: PatternContainer | None, options: FileHints = _AS_IT_IS) -> Iterator[_Opened]:
    """Open a file or a frame as a table, or as bytes if it is SPMF's text."""
    if container is not None:
        one_of(container, get_args(PatternContainer), parameter="container")
    if not isinstance(source, (str, os.PathLike)):
        yield _Opened(frame_table(source), "frame", None)
        return
    path = Path(source)
    with ExitStack() as stack:
        if os.fspath(source) != "-" and path.is_dir():
            yield _Opened(_folder_table(path), "folder", None)
            return
        opened = stack.enter_context(open_bytes(source, encoding=options.encoding))
        found = container or _container(path, opened)
        if options.sheet is not None and found != "sheet":
            raise ParameterError(
                f"{param('sheet')} is for workbooks of Excel and OpenDocument, and {opened.name} is none; leave it out",
                parameter="sheet",
            )
        if not opened.head:
            raise DataError(f"{opened.name} is empty; expected patterns or rules")
        if found == "printed":
            yield _Opened(_printed(opened), found, opened)
        elif found == "text":
            yield _Opened(opened, found, opened)
        else:
            yield _Opened(stack.enter_context(_opener(found, options)(opened)), found, opened)


def _opener(container: PatternContainer, options: FileHints) -> Callable[[ByteSource], AbstractContextManager[Table]]:
    if container == "csv":
        return partial(csv_table, delimiter=options.delimiter)
    if container == "sheet":
        return partial(sheet_table, sheet=None if options.sheet is None else str(options.sheet))
    return json_document if container == "json" else CONTAINERS["parquet"].open


def _container(path: Path, opened: ByteSource) -> PatternContainer:
    """Determine what a file is by its name, otherwise by its beginning."""
    suffix, _ = suffix_of(path)
    named = _ALSO.get(suffix) or container_of(path)[0]
    head = opened.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if named is not None and named != "text":
        return "json" if named == "jsonl" else named
    if head.startswith(b"PAR1"):
        return "parquet"
    if b"#SUP:" in head:
        return "text"
    if _is_printed(opened.head.decode(errors="replace")):
        return "printed"
    if head.startswith((b"{", b"[")):
        return "json"
    is_text = named == "text" and suffix != ".dat"  # .dat means rows; patterns in it could look like anything
    return "text" if is_text and not _HEADER.match(head) else "csv"


def _is_printed(text: str) -> bool:
    text = text.removeprefix("\ufeff")
    return any(
        looks(text) for looks in (weka.is_weka, arules.is_inspected, rapidminer.is_rapidminer, printouts.is_printout)
    )


def _printed(opened: ByteSource) -> Table | weka.WekaText:
    """Read what a tool shows on the screen."""
    try:
        text = b"".join(opened.chunks()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(
            f"{opened.name} is not UTF-8 text; give {param('encoding')}, as in cp1252, or save it as UTF-8"
        ) from None
    if control := _CONTROL.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise DataError(
            f"{opened.name}, line {line:,}: it has a control character, or a blank that is no space or tab; remove it",
            line=line,
        )
    if weka.is_weka(text):
        return weka.WekaText(text, opened.name)
    if arules.is_inspected(text):
        return arules.inspected_table(text, opened.name)
    if rapidminer.is_rapidminer(text):
        return rapidminer.printed_table(text, opened.name)
    if printouts.is_printout(text):
        return printouts.printed_table(text, opened.name)
    raise DataError(
        f"{opened.name} is not what pandas, R, WEKA or RapidMiner print of itemsets or rules; give a CSV or JSON file"
    )


def _folder_table(folder: Path) -> Table:
    """Read the folder of parts that Spark writes instead of one file."""
    parts = sorted(part for part in folder.iterdir() if part.name.startswith("part-"))
    if not parts:
        raise DataError(f"{folder} is a folder without Spark's part files; name a file in it")
    with _opened(parts[0], None) as opened:
        first = opened.content
        if not isinstance(first, Table):
            raise DataError(f"{folder}: expected parts that are .parquet, .json or .csv")

    def batches() -> Iterator[Batch]:
        before = 0
        for part in parts:
            with _opened(part, None) as opened:
                table = opened.content
                if not isinstance(table, Table):
                    raise DataError(f"{part}: expected the columns of the first part")
                for batch in table.batches:
                    named = ColumnsByName(first.columns, partial(_values_in, table, batch))
                    yield ArrowBatch(columns=named, rows=batch.rows, before=before, name=str(folder))
                    before += batch.rows

    return replace(first, name=str(folder), batches=batches())


def _values_in(table: Table, batch: Batch, column: str) -> RawColumn:
    if column not in table.columns:
        raise DataError(f"{table.name}: expected the column {column} as in the first part")
    return batch.values(table.columns.index(column))

"""Read patterns and rules that discreet or another tool wrote."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from discreet.errors import DataError
from discreet.patterns.imported import agreed
from discreet.patterns.json_document import json_document
from discreet.patterns.list_columns import read_columns
from discreet.patterns.tools import arules, mlxtend, native, pami, spark, spmf
from discreet.tables.byte_source import open_bytes
from discreet.tables.containers import CONTAINERS, container_of, suffix_of
from discreet.tables.frames import frame_table
from discreet.tables.table import ArrowBatch, ColumnsByName, Table
from discreet.thresholds import MinSupport, one_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.patterns.imported import GivenPatterns, GivenRules
    from discreet.tables.byte_source import ByteSource
    from discreet.tables.table import Batch, RawColumn

__all__ = ["Container", "patterns_of", "read_patterns", "read_rules", "rules_of"]

Container = Literal["csv", "json", "parquet", "sheet", "text"]
"""The kind of file; `text` is SPMF's, `sheet` one of Excel or OpenDocument."""

_ALSO: dict[str, Container] = {".ndjson": "json", ".spmf": "text"}


def read_patterns(
    source: Any,  # a path, or any data frame
    *,
    n: int | None = None,
    min_support: MinSupport | None = None,
    container: Container | None = None,
) -> GivenPatterns:
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
    container : {"csv", "json", "parquet", "sheet", "text"}, optional
        What the file is, if its name does not say so.

    Returns
    -------
    GivenPatterns
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
    <GivenPatterns: 2 itemsets (unknown), n 4, from spmf>
    """
    agreed("n", n, None)
    with _opened(source, container) as opened:
        if isinstance(opened, Table):
            return patterns_of(opened, n=n, min_support=min_support)
        return spmf.read_patterns(opened, n=n, min_support=min_support)


def read_rules(
    source: Any,  # a path, or any data frame
    *,
    n: int | None = None,
    container: Container | None = None,
) -> GivenRules:
    r"""Read association rules from a file or a data frame.

    It recognises discreet's own files, mlxtend's rules (`antecedents`, `consequents`, `support`, `confidence`), Spark's
    (`antecedent`, `consequent`), SPMF's text and arules' CSV (`rules`, or `lhs` and `rhs`).

    Parameters
    ----------
    source : path or data frame
        "-" is standard input.
    n : int, optional
        The number of rows, needed if supports are shares.
    container : {"csv", "json", "parquet", "sheet", "text"}, optional
        What the file is, if its name does not say so.

    Returns
    -------
    GivenRules
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
    <GivenRules: 1 rules, n 6, from spmf>
    """
    agreed("n", n, None)
    with _opened(source, container) as opened:
        return rules_of(opened, n=n) if isinstance(opened, Table) else spmf.read_rules(opened, n=n)


def patterns_of(table: Table, *, n: int | None, min_support: MinSupport | None) -> GivenPatterns:
    """Read itemsets from a table; its columns identify the tool."""
    columns = set(table.columns)
    if {"itemsets", "support"} <= columns:
        return mlxtend.read_patterns(table, n=n, min_support=min_support)
    if {"items", "freq"} <= columns:
        return spark.read_patterns(table, n=n, min_support=min_support)
    if {"items", "support"} <= columns:
        read = read_columns(table, ("items",), ("support", "count"), dialects=("json", "braces"))
        if read.dialect == "braces":
            return arules.patterns_from(read, n=n, min_support=min_support)
        return native.patterns_from(read, table, n=n, min_support=min_support)
    if {"Patterns", "Support"} <= columns:
        return pami.read_patterns(table, n=n, min_support=min_support)
    raise _unknown(
        table,
        "items and support (ours, arules), itemsets and support (mlxtend), items and freq (Spark) or Patterns and "
        "Support (PAMI)",
    )


def rules_of(table: Table, *, n: int | None) -> GivenRules:
    """Read rules from a table; its columns identify the tool."""
    columns = set(table.columns)
    numbers = {"support", "confidence"} <= columns
    if numbers and {"antecedents", "consequents"} <= columns:
        return mlxtend.read_rules(table, n=n)
    if numbers and {"antecedent", "consequent"} <= columns:
        if "antecedent_support" in columns or "n" in table.remarks:
            return native.read_rules(table, n=n)
        return spark.read_rules(table, n=n)
    lowered = {column.lower() for column in columns}
    if numbers and ("rules" in lowered or {"lhs", "rhs"} <= lowered):
        return arules.read_rules(table, n=n)
    raise _unknown(
        table,
        "support and confidence with antecedent and consequent (ours, Spark), antecedents and consequents (mlxtend), "
        "rules, or lhs and rhs (arules)",
    )


def _unknown(table: Table, expected: str) -> DataError:
    # Without the names found: if someone passed rows by mistake, the first line may be a person's.
    return DataError(
        f"{table.name}: expected the columns {expected}, not found among its {len(table.columns):,}; rename them, or, "
        "if it holds rows, read it as rows"
    )


@contextmanager
def _opened(source: Any, container: Container | None) -> Iterator[Table | ByteSource]:
    """Open a file or a frame as a table, or as bytes if it is SPMF's text."""
    if container is not None:
        one_of(container, get_args(Container), parameter="container")
    if not isinstance(source, (str, os.PathLike)):
        yield frame_table(source)
        return
    path = Path(source)
    with ExitStack() as stack:
        if os.fspath(source) != "-" and path.is_dir():
            yield _folder_table(path)
            return
        opened = stack.enter_context(open_bytes(source))
        found = container or _container(path, opened)
        if not opened.head:
            raise DataError(f"{opened.name} is empty; expected patterns or rules")
        if found == "text":
            yield opened
        else:
            opener = json_document if found == "json" else CONTAINERS[found].open
            yield stack.enter_context(opener(opened))


def _container(path: Path, opened: ByteSource) -> Container:
    """Determine what a file is by its name, otherwise by its beginning."""
    suffix, _ = suffix_of(path)
    named = _ALSO.get(suffix) or container_of(path)[0]
    if named is not None and suffix != ".dat":  # .dat means rows; patterns in it could look like anything
        return "json" if named == "jsonl" else named
    head = opened.head.lstrip()
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"{", b"[")):
        return "json"
    return "text" if b"#SUP:" in head else "csv"


def _folder_table(folder: Path) -> Table:
    """Read the folder of parts that Spark writes instead of one file."""
    parts = sorted(part for part in folder.iterdir() if part.name.startswith("part-"))
    if not parts:
        raise DataError(f"{folder} is a folder without Spark's part files; name a file in it")
    with _opened(parts[0], None) as first:
        if not isinstance(first, Table):
            raise DataError(f"{folder}: expected parts that are .parquet, .json or .csv")

    def batches() -> Iterator[Batch]:
        before = 0
        for part in parts:
            with _opened(part, None) as table:
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

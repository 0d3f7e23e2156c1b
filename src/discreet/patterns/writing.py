"""Write patterns and rules atomically, in the format that the file name implies."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Literal, get_args

from discreet.errors import OutputError
from discreet.patterns.tools import arules, mlxtend, native, spark, spmf
from discreet.tables.containers import suffix_of
from discreet.tables.whole import check_output, output_file, whole_file
from discreet.thresholds import one_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet

    Writer = Callable[[Any, Path], None]
    Blocks = Callable[[Any], Iterator[bytes]]

__all__ = ["Form", "check_pattern_file", "write_patterns", "write_rules"]

Form = Literal["ours", "spmf", "mlxtend", "spark", "arules"]
"""The tool whose format a file gets."""

_PATTERNS: dict[tuple[str, str], Blocks | Writer] = {
    ("ours", ".json"): lambda patterns: chain(native.json_blocks(patterns), [b"\n"]),
    ("ours", ".csv"): native.csv_blocks,
    ("ours", ".parquet"): native.write_parquet,
    ("spmf", ".txt"): spmf.text_blocks,
    ("mlxtend", ".csv"): mlxtend.csv_blocks,
    ("spark", ".json"): spark.json_blocks,
    ("spark", ".parquet"): spark.write_parquet,
    ("arules", ".csv"): arules.csv_blocks,
}
_RULES: dict[tuple[str, str], Blocks | Writer] = {
    ("ours", ".json"): lambda rules: chain(native.rules_json_blocks(rules), [b"\n"]),
    ("ours", ".csv"): native.rules_csv_blocks,
    ("ours", ".parquet"): native.write_rules_parquet,
    ("spmf", ".txt"): spmf.rules_text_blocks,
    ("mlxtend", ".csv"): mlxtend.rules_csv_blocks,
    ("spark", ".json"): spark.rules_json_blocks,
    ("spark", ".parquet"): spark.write_rules_parquet,
    ("arules", ".csv"): arules.rules_csv_blocks,
}


def check_pattern_file(path: str | os.PathLike[str], *, form: Form | None = None, force: bool = False) -> Path:
    """Refuse an unwritable file for patterns or rules before any work is done for it."""
    _chosen(path, form)
    return check_output(path, force=force)


def write_patterns(
    patterns: PatternSet, path: str | os.PathLike[str], *, form: Form | None = None, force: bool = False
) -> None:
    """Write itemsets to a file atomically.

    Parameters
    ----------
    patterns : PatternSet
        The itemsets.
    path : path
        `.json`, `.csv` and `.parquet` in discreet's own format, `.txt` in SPMF's; text is compressed if `.gz` follows.
    form : {"ours", "spmf", "mlxtend", "spark", "arules"}, optional
        Another tool's format: mlxtend (`.csv`), spark (`.json`, `.parquet`) or arules (`.csv`).
    force : bool, default False
        Whether to replace an existing file.

    Raises
    ------
    OutputError
        The file exists or cannot be written.
    ParameterError
        There is no such form, or it has no file of this kind.
    DataError
        The form cannot represent a label.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "found.csv")
    >>> found = discreet.mine(discreet.Transactions.from_rows(["ab", "a"]), min_support=1)
    >>> discreet.write_patterns(found, file)
    >>> discreet.read_patterns(file).to_patternset() == found
    True
    """
    _write(patterns, path, _PATTERNS, form, force=force)


def write_rules(rules: RuleSet, path: str | os.PathLike[str], *, form: Form | None = None, force: bool = False) -> None:
    """Write association rules to a file atomically.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    path, form, force
        As for `write_patterns`.

    Raises
    ------
    OutputError
        The file exists or cannot be written.
    ParameterError
        There is no such form, or it has no file of this kind.
    DataError
        The form cannot represent a label.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "rules.json")
    >>> found = discreet.mine(discreet.Transactions.from_rows(["ab", "a"]), min_support=1)
    >>> discreet.write_rules(discreet.rules(found, min_confidence=0.5), file)
    >>> discreet.read_rules(file)
    <ImportedRules: 2 rules, n 2, from ours>
    """
    _write(rules, path, _RULES, form, force=force)


def _write(
    found: PatternSet | RuleSet,
    path: str | os.PathLike[str],
    writers: dict[tuple[str, str], Any],
    form: Form | None,
    *,
    force: bool,
) -> None:
    chosen, suffix = _chosen(path, form)
    writer = writers[chosen, suffix]
    if suffix == ".parquet":
        with whole_file(path, force=force) as temporary:
            writer(found, temporary)
        return
    blocks = writer(found)  # refuses labels before a file is created
    with output_file(path, force=force, level=6) as file:
        file.writelines(blocks)


def _chosen(path: str | os.PathLike[str], form: Form | None) -> tuple[Form, str]:
    """Return the format, and the suffix that identifies the container."""
    if form is not None:
        one_of(form, get_args(Form), parameter="form")
    suffix, packed = suffix_of(path)
    asked: Form = form or ("spmf" if suffix == ".txt" else "ours")
    if (asked, suffix) not in _PATTERNS:
        names = [other for tool, other in _PATTERNS if tool == asked] + [".txt (SPMF)"] * (form is None)
        raise OutputError(f"{path}: the name of the file must end in {' or '.join(names)} to say what to write")
    if packed and suffix == ".parquet":
        raise OutputError(f"{path}: Parquet is packed already; leave .gz out of the name")
    return asked, suffix

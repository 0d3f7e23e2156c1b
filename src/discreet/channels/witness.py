"""Prove that patterns are safe, by a data set that agrees with them and in which every row occurs at least k times.

Problem      given a complete collection of itemsets and k, find a witness: rows over the published items with exactly
             these frequent itemsets, in which every kind of row occurs at least k times. If there is one, nobody can
             conclude from the collection that some group has 1 to k-1 rows, over any items and at any depth: in the
             witness every group is empty or has at least k rows, and the witness may be the data.
Method       the rows themselves, if they qualify; otherwise an integer program (see `witness_search`).
Promises     what is returned is a witness: it is mined again, in whole numbers. The same input gives the same answer.
Cost         checking is mining; the search has a budget of steps. None means that none was found, not that there is
             none.
Names        k-anonymous data set that is compatible with the output -> witness.
Reference    atzori2008   (docs/papers/atzori2008.md, tests/channels/test_witness.py)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.channels.witness_kinds import as_bits, as_rows, problem_of
from discreet.channels.witness_search import search_kinds
from discreet.errors import DataError, TooManyPatterns
from discreet.patterns.mining import mine
from discreet.patterns.patternset import trimmed
from discreet.tables.private_files import read_private, write_private
from discreet.thresholds import K, whole_number
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary, label_key

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from discreet.itemsets import Itemsets
    from discreet.patterns.patternset import PatternSet

__all__ = ["DEFAULT_STEPS", "Witness", "find_witness", "is_witness", "read_witness", "write_witness"]

DEFAULT_STEPS = 2_000
"""The budget: nodes of all integer programs together."""

_MOST_COUNTED = 2**32 - 1
"""The most rows that one machine mines."""


def is_witness(patterns: PatternSet, witness: Transactions, *, k: int, exclusive: Itemsets | None = None) -> bool:
    """Return whether mining these rows gives exactly the patterns, and every kind of row occurs at least k times.

    Rows may contain published items only, and at most one item of each of the `exclusive` itemsets, which are over the
    patterns' vocabulary. An incomplete collection has no witness.

    >>> rows = Transactions.from_rows(["abc", "abc", "ab", "ab", "c", "c"])
    >>> is_witness(mine(rows, min_support=3), rows, k=2), is_witness(mine(rows, min_support=3), rows, k=3)
    (True, False)
    """
    k = K.parse(k)
    if patterns.target not in ("all", "closed") or patterns.max_length is not None or witness.n != patterns.n:
        return False
    folded = witness.fold()
    if folded.weights is None or folded.weights.min(initial=k) < k:
        return False
    held = {folded.vocabulary[item] for item in np.unique(folded.items).tolist()}
    if not held <= set(trimmed(patterns).vocabulary):
        return False
    apart = [frozenset(labels) for labels in _labels_of(exclusive, patterns.vocabulary)]
    if any(len(row & labels) > 1 for row in folded for labels in apart):
        return False
    try:
        mined = mine(
            folded, min_support=patterns.min_support, target=patterns.target, max_patterns=len(patterns) + 1, threads=1
        )
    except TooManyPatterns:
        return False
    return mined == patterns


def find_witness(
    patterns: PatternSet,
    *,
    k: int,
    exclusive: Itemsets | None = None,
    rows: Transactions | None = None,
    starts: Sequence[Transactions] = (),
    steps: int = DEFAULT_STEPS,
) -> Transactions | None:
    """Return rows that prove the patterns safe for k, without duplicates and with weights; None if none are found.

    `rows` are the rows that the patterns were mined from, and `starts` other rows to start from. Without them the
    search finds less if many kinds of rows are possible. A row contains at most one item of each `exclusive` itemset.
    `steps` bounds the work, which is counted rather than timed.

    >>> rows = Transactions.from_rows(["abc", "ab", "ab", "ab", "c", "c", ""])
    >>> found = find_witness(mine(rows, min_support=3), k=2)
    >>> [("".join(sorted(row)), weight) for row, weight in zip(found, found.weights.tolist())]
    [('c', 3), ('ab', 4)]
    """
    k, steps = K.parse(k), whole_number(steps, parameter="steps")
    if patterns.target not in ("all", "closed") or patterns.max_length is not None:
        return None
    known = trimmed(patterns)
    given: dict[int, int] = {}
    for each in (*([] if rows is None else [rows]), *starts):
        folded = _projected(each, known.vocabulary)
        if is_witness(patterns, folded, k=k, exclusive=exclusive):
            return folded
        given |= _kinds_of(folded)
    place = known.vocabulary.positions
    apart = [
        as_bits(place[label] for label in labels if label in place)
        for labels in _labels_of(exclusive, patterns.vocabulary)
    ]
    problem = problem_of(known, k, apart)
    found = None if problem is None else search_kinds(problem, given, steps)
    if problem is None or found is None:
        return None
    candidate = as_rows(found, problem)
    return candidate if is_witness(patterns, candidate, k=k, exclusive=exclusive) else None


def _labels_of(itemsets: Itemsets | None, vocabulary: Vocabulary) -> list[list[str]]:
    if itemsets is None:
        return []
    return list(itemsets.labels(vocabulary.labels))


def _projected(rows: Transactions, vocabulary: Vocabulary) -> Transactions:
    """Return the distinct rows restricted to the items of another vocabulary, with weights."""
    numbers = np.array([vocabulary.positions.get(label, -1) for label in rows.vocabulary], np.int32)
    return Transactions(rows.itemsets.renumbered(numbers), vocabulary, rows.weights).fold()


def _kinds_of(rows: Transactions) -> dict[int, int]:
    weights = np.ones(len(rows), np.int64) if rows.weights is None else rows.weights
    return {as_bits(row.tolist()): weight for row, weight in zip(rows.itemsets, weights.tolist(), strict=True)}


@dataclass(frozen=True, eq=False)
class Witness:
    """Rows that prove patterns safe, without duplicates and with weights, and for which k and minimum support."""

    rows: Transactions
    k: int
    min_support: int


def write_witness(
    witness: Witness, path: str | os.PathLike[str], *, force: bool = False, passphrase: str | bytes | None = None
) -> None:
    """Write a witness atomically; only the owner may read the file, which is encrypted if there is a passphrase."""
    folded = witness.rows.fold()
    kinds = zip(folded, [] if folded.weights is None else folded.weights.tolist(), strict=True)
    key = label_key({label for row in folded for label in row})
    listed = sorted((([*sorted(row, key=key)], count) for row, count in kinds), key=lambda each: _place(each[0], key))
    head = {"k": witness.k, "n": folded.n, "min_support": witness.min_support}
    lines = [json.dumps({"items": items, "count": count}, ensure_ascii=False) for items, count in listed]
    text = json.dumps(head)[:-1] + ', "rows": [' + ",".join(f"\n{line}" for line in lines) + "\n]}\n"
    write_private(path, [text.encode()], force=force, passphrase=passphrase)


def _place(items: list[str], key: Callable[[str], tuple[int, str]]) -> tuple[int, list[tuple[int, str]]]:
    return len(items), [key(label) for label in items]


def read_witness(path: str | os.PathLike[str], *, passphrase: str | bytes | None = None) -> Witness:
    """Read a file that `write_witness` wrote; use `is_witness` to check that the rows prove anything."""
    path = Path(path)
    try:
        content = read_private(path, passphrase)
    except OSError as error:
        raise DataError(f"cannot read the witness {path}: {error.strerror}; name a file that has one") from None
    try:
        document = json.loads(content.decode())
    except (ValueError, RecursionError):
        raise _no_witness(path, "it is not JSON in UTF-8") from None
    if wrong := _wrong_with(document):
        raise _no_witness(path, wrong)
    rows, counts = ([row[name] for row in document["rows"]] for name in ("items", "count"))
    plain = Transactions.from_rows(rows)
    weighted = Transactions(plain.itemsets, plain.vocabulary, np.array(counts, np.int64))
    return Witness(weighted, document["k"], document["min_support"])


def _wrong_with(document: Any) -> str | None:  # any JSON value
    if not isinstance(document, dict) or document.keys() != {"k", "n", "min_support", "rows"}:
        return "it must have k, n, min_support and rows, and nothing else"
    for name, least in (("k", 2), ("n", 0), ("min_support", 1)):
        if not _is_count(document[name], least):
            return f"{name} is not a whole number of at least {least}"
    rows = document["rows"]
    if not isinstance(rows, list):
        return "rows is not a list"
    for number, row in enumerate(rows, start=1):
        if wrong := _wrong_with_row(row, document["k"]):
            return f"row {number:,} {wrong}"
    same = len({frozenset(row["items"]) for row in rows}) < len(rows)
    if same or sum(row["count"] for row in rows) != document["n"]:
        return "two of its rows hold the same items" if same else "the counts of its rows do not add up to n"
    return None


def _wrong_with_row(row: Any, k: int) -> str | None:  # any JSON value
    if not isinstance(row, dict) or row.keys() != {"items", "count"}:
        return "must have items and count, and nothing else"
    items = row["items"]
    if not isinstance(items, list) or not all(isinstance(label, str) for label in items):
        return "has items that are not a list of texts"
    if len(set(items)) < len(items):
        return "holds an item twice"
    return None if _is_count(row["count"], k) else f"does not occur at least k = {k} times"


def _is_count(given: object, least: int) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and least <= given <= _MOST_COUNTED


def _no_witness(path: Path, why: str) -> DataError:
    return DataError(f"{path} is not a witness file of discreet: {why}; give a file as it was written")

"""WEKA's printed results: large itemsets of Apriori (`-I`), and the rules of Apriori and FPGrowth.

A rule says how many rows have its left side, and how many both. n stands in the Explorer's run information. Apriori
writes labels such as outlook=sunny with blanks between them, so a label that has a blank is distinguished only where
the output lists the attributes, or the itemsets of one item; otherwise it is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.errors import DataError
from discreet.patterns.imported_patterns import Claims, agreed
from discreet.patterns.list_columns import Columns, LabelNumbers, ListColumn
from discreet.patterns.printed_numbers import Supports
from discreet.tables.table import BLANKS
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
    from discreet.thresholds import MinSupport

__all__ = ["WekaText", "is_weka", "read_patterns", "read_rules"]

_SIGNS = re.compile(
    r"^(?:Apriori\s*\n=+\s*$|=== Run information ===|FPGrowth found [0-9]+ rules|Large Itemsets L\([0-9]+\):|"
    r"Best rules found:)",
    re.MULTILINE,
)
_INSTANCES = re.compile(r"Instances:\s+([0-9]{1,18})")
_LEVEL = re.compile(r"Large Itemsets L\(([0-9]{1,9})\):")
_SIZE = re.compile(r"Size of set of large itemsets L\(([0-9]{1,9})\): ([0-9]{1,18})")
_BEHIND = ("Best rules found:", "No large itemsets and rules found!", "===", "Elapsed time:")
_ITEMSET = re.compile(r"(.+) ([0-9]{1,18})")
_RULE = re.compile(
    r"\s*([0-9]{1,18})\. (.+?)(?:(?<=\]):)? ([0-9]{1,18}) ==> (.+?)(?:(?<=\]):)? ([0-9]{1,18})\s+"
    r"<? ?conf:\(([0-9.]+)\).*"
)
_LIKE_A_RULE = re.compile(r"\s*[0-9]+\. |.*==>")


def is_weka(text: str) -> bool:
    """Return whether a text is what WEKA's associators print."""
    return _SIGNS.search(text) is not None


class WekaText(NamedTuple):
    """What WEKA printed, and the name of the file."""

    text: str
    name: str


@dataclass(frozen=True)
class _Output:
    """The lines of an output, the names of the attributes as far as it lists them, and the itemsets of one item."""

    name: str
    lines: list[str]
    names: frozenset[str]
    single: frozenset[str]

    @classmethod
    def of(cls, source: WekaText) -> _Output:
        lines = [line.rstrip(BLANKS) for line in source.text.split("\n")]
        single = frozenset(_single_items(lines))
        names = frozenset(_attributes(lines)) or {label.partition("=")[0] for label in single}
        return cls(source.name, lines, frozenset(names), single)

    @property
    def instances(self) -> int | None:
        found = next((found for line in self.lines if (found := _INSTANCES.fullmatch(line.strip()))), None)
        return None if found is None else int(found[1])

    def labels(self, text: str, line: int) -> list[str]:
        """Split the labels of one itemset."""
        if text.startswith("[") and text.endswith("]"):
            found = text[1:-1].split(", ")
        else:
            found = text.split(" ")
            if self.names and not all("=" in label for label in found):
                starts = [start for start in _starts(text) if _name_at(text, start) in self.names]
                found = [text[one:two].removesuffix(" ") for one, two in pairwise([*starts, len(text)])]
                found = found if starts[:1] == [0] else []
        if not found or not all(0 < label.find("=") < len(label) - 1 and label == label.strip() for label in found):
            raise DataError(
                f"{self.name}, line {line}: labels cannot be distinguished, as one has a blank; print the itemsets of "
                "one item as well (-I), or give the patterns as a table",
                line=line,
            )
        return found

    def check_known(self, labels: list[str], line: int) -> None:
        """Refuse a label that is not frequent alone: then the output is not whole, or labels were split wrongly."""
        if not self.single.issuperset(labels):
            raise DataError(
                f"{self.name}, line {line}: a label is not among the itemsets of one item; the output is not whole",
                line=line,
            )


def _check_sizes(itemsets: list[list[str]], sizes: dict[int, int], name: str) -> None:
    """Refuse fewer or more itemsets than the output says it has."""
    listed = Counter(map(len, itemsets))
    for level, said in sizes.items():
        if listed[level] != said:
            raise DataError(f"{name} says it has {said:,} itemsets of {level:,} items, but lists {listed[level]:,}")


def _attributes(lines: list[str]) -> list[str]:
    """Return the attributes of the run information."""
    at = next((at for at, line in enumerate(lines) if line.startswith("Attributes:")), None)
    if at is None:
        return []
    names = []
    for line in lines[at + 1 :]:
        if not line.startswith("      "):
            break
        names.append(line.strip())
    return [] if any(name.startswith("[list of attributes") for name in names) else names


def _single_items(lines: list[str]) -> list[str]:
    """Return the labels of the itemsets of one item."""
    at = next((at for at, line in enumerate(lines) if line == "Large Itemsets L(1):"), None)
    labels = []
    for line in lines[at + 1 :] if at is not None else ():
        if line and not (found := _ITEMSET.fullmatch(line)):
            break
        if line and found:
            labels.append(found[1])
    return labels


def _is_label(text: str) -> bool:
    return text.find("=") > 0 and text == text.strip()


def _starts(text: str) -> list[int]:
    return [0, *(at + 1 for at, character in enumerate(text) if character == " ")]


def _name_at(text: str, start: int) -> str:
    return text[start:].partition("=")[0]


def read_patterns(source: WekaText, *, n: int | None, min_support: MinSupport | None) -> ImportedPatterns:
    """Read the large itemsets."""
    output, name = _Output.of(source), source.name
    itemsets, counts, numbers = [], [], []
    size, sizes = 0, {}
    for number, line in enumerate(output.lines, start=1):
        if level := _LEVEL.fullmatch(line):
            if int(level[1]) != size + 1:
                raise DataError(
                    f"{name}, line {number}: expected the itemsets of {counted(size + 1, 'item')}", line=number
                )
            size = int(level[1])
        elif said := _SIZE.fullmatch(line):
            sizes[int(said[1])] = int(said[2])
        elif size and line.startswith(_BEHIND):
            break
        elif size and line:
            found = _ITEMSET.fullmatch(line)
            labels = [] if found is None else [found[1]] if size == 1 else output.labels(found[1], number)
            if found is None or len(labels) != size or not all(map(_is_label, labels)):
                raise DataError(f"{name}, line {number}: expected {size} labels and a count", line=number)
            output.check_known(labels, number)
            itemsets.append(labels)
            counts.append(int(found[2]))
            numbers.append(number)
    if not itemsets:
        raise DataError(f"{name} lists rules but no itemsets; run Apriori with -I (outputItemSets), or audit the rules")
    _check_sizes(itemsets, sizes, name)
    columns = _columns(name, numbers, {"items": itemsets}, {})
    return columns.patterns(
        Supports(np.array(counts, np.int64), n),
        origin="weka",
        min_support=min_support,
        claims=Claims(n=output.instances),
    )


def read_rules(source: WekaText, *, n: int | None) -> ImportedRules:
    """Read the rules, with the counts of both sides together and of the left side."""
    output, name = _Output.of(source), source.name
    left, right, wholes, befores, shares = [], [], [], [], []
    numbers: list[int] = []
    for number, line in enumerate(output.lines, start=1):
        found = _RULE.fullmatch(line)
        if found and int(found[1]) == len(numbers) + 1:
            left.append(output.labels(found[2], number))
            right.append(output.labels(found[4], number))
            befores.append(int(found[3]))
            wholes.append(int(found[5]))
            shares.append(found[6])
            numbers.append(number)
        elif _LIKE_A_RULE.match(line):
            raise DataError(
                f"{name}, line {number}: expected rule {len(numbers) + 1:,}, such as a=1 7 ==> b=2 6    conf:(0.86)",
                line=number,
            )
    if not numbers:
        raise DataError(f"{name} lists no rules; lower the confidence, or audit the itemsets")
    columns = _columns(name, numbers, {"antecedent": left, "consequent": right}, {"confidence": shares})
    return columns.rules(
        np.array(wholes, np.int64),
        origin="weka",
        n=agreed("n", n, output.instances),
        antecedent_supports=np.array(befores, np.int64),
    )


def _columns(name: str, numbers: list[int], lists: dict[str, list[list[str]]], texts: dict[str, list[str]]) -> Columns:
    shared = LabelNumbers()

    def place(row: int) -> str:
        return f"{name}, line {numbers[row]}"

    readers = {column: _read(shared, place, rows) for column, rows in lists.items()}
    return Columns(
        place=place,
        lists={column: reader.lists() for column, reader in readers.items()},
        labels=shared.labels,
        numbers={column: [cells] for column, cells in texts.items()},
    )


def _read(shared: LabelNumbers, place: Callable[[int], str], rows: list[list[str]]) -> ListColumn:
    column = ListColumn(shared, place)
    column.add(rows)
    return column

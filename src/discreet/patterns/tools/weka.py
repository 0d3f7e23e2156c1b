"""WEKA's printed results: large itemsets of Apriori (`-I`), and the rules of Apriori and FPGrowth.

A rule says how many rows have its left side, and how many both. n stands in the Explorer's run information. Apriori
writes labels such as outlook=sunny with blanks between them, so a label that has a blank is distinguished only where
the output lists the attributes, or the itemsets of one item; otherwise it is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.errors import DataError
from discreet.patterns.imported import Claims, agreed
from discreet.patterns.list_columns import Columns, LabelNumbers, ListColumn
from discreet.patterns.printed_numbers import Supports

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.patterns.imported import GivenPatterns, GivenRules
    from discreet.thresholds import MinSupport

__all__ = ["WekaText", "is_weka", "read_patterns", "read_rules"]

_SIGNS = re.compile(
    r"^(?:Apriori\s*\n=+\s*$|=== Run information ===|FPGrowth found [0-9]+ rules|Large Itemsets L\([0-9]+\):|"
    r"Best rules found:)",
    re.MULTILINE,
)
_INSTANCES = re.compile(r"Instances:\s+([0-9]+)")
_LEVEL = re.compile(r"Large Itemsets L\(([0-9]+)\):")
_ITEMSET = re.compile(r"(.+) ([0-9]+)")
_RULE = re.compile(r"\s*[0-9]+\. (.+?):? ([0-9]+) ==> (.+?):? ([0-9]+)\s+<? ?conf:\(([0-9.]+)\).*")
_NUMBERED = re.compile(r"\s*[0-9]+\. .*==>")


def is_weka(text: str) -> bool:
    """Return whether a text is what WEKA's associators print."""
    return _SIGNS.search(text) is not None


class WekaText(NamedTuple):
    """What WEKA printed, and the name of the file."""

    text: str
    name: str


@dataclass(frozen=True)
class _Output:
    """The lines of an output, and the names of the attributes as far as it lists them."""

    name: str
    lines: list[str]
    names: frozenset[str]

    @classmethod
    def of(cls, source: WekaText) -> _Output:
        lines = [line.rstrip() for line in source.text.splitlines()]
        return cls(source.name, lines, frozenset(_attributes(lines) or _single_items(lines)))

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
                found = [text[one:two].strip() for one, two in pairwise([*starts, len(text)])]
                found = found if starts[:1] == [0] else []
        if not found or not all(0 < label.find("=") < len(label) - 1 for label in found):
            raise DataError(
                f"{self.name}, line {line}: labels cannot be distinguished, as one has a blank; print the itemsets of "
                "one item as well (-I), or give the patterns as a table",
                line=line,
            )
        return found


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
    """Return the attributes of the itemsets of one item."""
    at = next((at for at, line in enumerate(lines) if line == "Large Itemsets L(1):"), None)
    names = []
    for line in lines[at + 1 :] if at is not None else ():
        if not (found := _ITEMSET.fullmatch(line)):
            break
        names.append(found[1].partition("=")[0])
    return names


def _starts(text: str) -> list[int]:
    return [0, *(at + 1 for at, character in enumerate(text) if character == " ")]


def _name_at(text: str, start: int) -> str:
    return text[start:].partition("=")[0]


def read_patterns(source: WekaText, *, n: int | None, min_support: MinSupport | None) -> GivenPatterns:
    """Read the large itemsets."""
    output, name = _Output.of(source), source.name
    itemsets, counts, numbers = [], [], []
    size = 0
    for number, line in enumerate(output.lines, start=1):
        if level := _LEVEL.fullmatch(line):
            size = int(level[1])
        elif not line:
            size = 0
        elif size:
            found = _ITEMSET.fullmatch(line)
            labels = [] if found is None else output.labels(found[1], number)
            if found is None or len(labels) != size:
                raise DataError(f"{name}, line {number}: expected {size} labels and a count", line=number)
            itemsets.append(labels)
            counts.append(int(found[2]))
            numbers.append(number)
    if not itemsets:
        raise DataError(f"{name} lists rules but no itemsets; run Apriori with -I (outputItemSets), or audit the rules")
    columns = _columns(name, numbers, {"items": itemsets}, {})
    return columns.patterns(
        Supports(np.array(counts, np.int64), n),
        origin="weka",
        min_support=min_support,
        claims=Claims(n=output.instances),
    )


def read_rules(source: WekaText, *, n: int | None) -> GivenRules:
    """Read the rules, with the counts of both sides together and of the left side."""
    output, name = _Output.of(source), source.name
    left, right, wholes, befores, shares, numbers = [], [], [], [], [], []
    for number, line in enumerate(output.lines, start=1):
        if found := _RULE.fullmatch(line):
            left.append(output.labels(found[1], number))
            right.append(output.labels(found[3], number))
            befores.append(int(found[2]))
            wholes.append(int(found[4]))
            shares.append(found[5])
            numbers.append(number)
        elif _NUMBERED.match(line):
            raise DataError(
                f"{name}, line {number}: expected a rule such as a=1 7 ==> b=2 6    conf:(0.86)", line=number
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

"""Text of SPMF: `1 2 5 #SUP: 3` per itemset, `1 2 ==> 4 #SUP: 3 #CONF: 0.75` per rule.

A token is a label, unless `@ITEM=1=label` lines at the top define the tokens; that is how labels with blanks are
written. Line breaks cannot be written at all. The format contains neither n nor which itemsets these are. Lines that
start with `%`, `@` or `#` are remarks; `#SUP:` alone is the empty itemset.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, OutputError
from discreet.patterns.encoding import bytes_of, floats_as_text, pattern_texts, rule_texts, strung
from discreet.patterns.list_columns import Columns, LabelNumbers, ListColumn
from discreet.patterns.printed_numbers import Supports
from discreet.tables.text_blocks import blocks, pieces, tails

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.tables.byte_source import ByteSource
    from discreet.tables.table import RawColumn
    from discreet.thresholds import MinSupport
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["read_patterns", "read_rules", "rules_text_blocks", "text_blocks"]

_WORD = r"[^\s\x00-\x1f\x7f#@%][^\s\x00-\x1f\x7f]*"
_USUAL = rf"^{_WORD}(?: {_WORD})* #SUP: [0-9]{{1,18}}$"
_PLAIN_LABEL = re.compile(_WORD)
_WORDS = re.compile(r"\S+", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_NAMED = re.compile(r"@ITEM=([^=\s]+)=(.*)")


class _Lines:
    """The lines of a file, some megabytes at a time; `names` are the labels of the `@ITEM` lines so far."""

    def __init__(self, source: ByteSource) -> None:
        self.name = source.name
        self.names: dict[str, str] = {}
        self.numbers: list[NDArray[np.int64]] = []  # the line number of each row
        self._blocks = blocks(source, b"\n")

    def place(self, row: int) -> str:
        """Name a row by its line."""
        before = 0
        for numbers in self.numbers:
            if row < before + len(numbers):
                return f"{self.name}, line {int(numbers[row - before])}"
            before += len(numbers)
        return f"{self.name}, line {row - before + 1}"

    def __iter__(self) -> Iterator[pa.Array | list[str]]:
        """Yield blocks: regular lines as one array, others as a list without remarks."""
        import pyarrow.compute as pc

        before = 0
        for block in self._blocks:
            lines = pieces(block.removesuffix(b"\n"), "\n", self.name)
            if pc.all(pc.match_substring_regex(lines, _USUAL)).as_py():
                self.numbers.append(np.arange(before + 1, before + len(lines) + 1))
                yield lines
            else:
                numbered = (
                    (number, line.removesuffix("\r")) for number, line in enumerate(lines.to_pylist(), before + 1)
                )
                kept = [(number, line) for number, line in numbered if self._is_row(number, line)]
                self.numbers.append(np.array([number for number, _ in kept], np.int64))
                yield [line for _, line in kept]
            before += len(lines)
        if not any(map(len, self.numbers)) and not self.names:
            raise DataError(f"{self.name} is empty; expected lines that end in #SUP: and a number")

    def _is_row(self, number: int, line: str) -> bool:
        if named := _NAMED.fullmatch(line):
            if self.names.setdefault(named[1], named[2]) != named[2]:
                raise DataError(f"{self.name}, line {number}: the item has two labels; keep one", line=number)
            return False
        first = _WORDS.search(line)
        if first is None or (first[0] != "#SUP:" and first[0][0] in "@%#"):
            return False
        if _CONTROL.search(line):
            raise DataError(f"{self.name}, line {number}: it has a control character; remove it", line=number)
        return True

    def fault(self, at: int, example: str) -> DataError:
        """Return the error for a row of the current block."""
        line = int(self.numbers[-1][at])
        return DataError(
            f"{self.name}, line {line}: expected a line such as {example}; if the file holds rows, read it as rows",
            line=line,
        )

    def labels(self, words: LabelNumbers) -> list[str]:
        """Return the labels of words."""
        if not self.names:
            return words.labels
        if len(set(self.names.values())) < len(self.names):
            raise DataError(f"{self.name}: two @ITEM lines give the same label; keep one")
        if any(word not in self.names for word in words.labels):
            raise DataError(f"{self.name}: an item has no @ITEM line though others do; add it")
        return [self.names[word] for word in words.labels]


def read_patterns(source: ByteSource, *, n: int | None, min_support: MinSupport | None) -> ImportedPatterns:
    """Read itemsets; a line without items gives the support of the empty itemset, which is n."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = _Lines(source)
    words = LabelNumbers()
    column = ListColumn(words, lines.place)
    supports: list[RawColumn] = []
    for rows in lines:
        both = None if isinstance(rows, list) else tails(rows, " #SUP: ")
        if both is not None:
            column.add(pc.split_pattern(both[0], " "))
            supports.append(both[1])
            continue
        listed = rows if isinstance(rows, list) else rows.to_pylist()
        found = [_itemset(row, lines, at) for at, row in enumerate(listed)]
        column.add([labels for labels, _ in found])
        supports.append(pa.array([support for _, support in found], pa.string()))
    columns = Columns(
        place=lines.place, lists={"items": column.lists()}, labels=lines.labels(words), numbers={"support": supports}
    )
    return columns.patterns(Supports(columns.counts("support"), n), origin="spmf", min_support=min_support)


def _itemset(row: str, lines: _Lines, at: int) -> tuple[list[str], str]:
    words = _WORDS.findall(row)
    if "#SUP:" in words:
        end = words.index("#SUP:")
        if len(words) > end + 1 and all(word[0] == "#" for word in words[end + 2 : end + 3]):
            return words[:end], words[end + 1]
    raise lines.fault(at, "1 2 5 #SUP: 3")


def read_rules(source: ByteSource, *, n: int | None) -> ImportedRules:
    """Read rules."""
    lines = _Lines(source)
    words = LabelNumbers()
    left, right = ListColumn(words, lines.place), ListColumn(words, lines.place)
    supports: list[str] = []
    shares: list[str] = []
    for rows in lines:
        listed = rows if isinstance(rows, list) else rows.to_pylist()
        found = [_rule(row, lines, at) for at, row in enumerate(listed)]
        left.add([rule[0] for rule in found])
        right.add([rule[1] for rule in found])
        supports += [rule[2] for rule in found]
        shares += [rule[3] for rule in found]
    columns = Columns(
        place=lines.place,
        lists={"antecedent": left.lists(), "consequent": right.lists()},
        labels=lines.labels(words),
        numbers={"support": [supports], "confidence": [shares]},
    )
    return columns.rules(columns.counts("support"), origin="spmf", n=n)


def _rule(row: str, lines: _Lines, at: int) -> tuple[list[str], list[str], str, str]:
    words = _WORDS.findall(row)
    if {"==>", "#SUP:", "#CONF:"} <= set(words):
        arrow, support, share = words.index("==>"), words.index("#SUP:"), words.index("#CONF:")
        if arrow < support == share - 2 < len(words) - 3:
            return words[:arrow], words[arrow + 1 : support], words[support + 1], words[share + 1]
    raise lines.fault(at, "1 2 ==> 4 #SUP: 3 #CONF: 0.75")


def _named(vocabulary: Vocabulary, used: NDArray[np.int32]) -> tuple[bytes, Callable[[str], str]]:
    """Return the `@ITEM` lines, if some label needs them, and how a label is then written."""
    labels = [vocabulary[item] for item in used.tolist()]
    for number, label in enumerate(labels, start=1):
        if "\n" in label or "\r" in label:
            raise OutputError(
                f"label {number} of the vocabulary has a line break, which SPMF's text cannot carry; "
                "write .csv, .json or .parquet, or rename it"
            )
    if all(_PLAIN_LABEL.fullmatch(label) for label in labels) and "==>" not in labels:
        return b"", lambda label: label
    codes = {label: str(number) for number, label in enumerate(labels, start=1)}
    try:
        lines = "".join(f"@ITEM={code}={label}\n" for label, code in codes.items()).encode()
    except UnicodeEncodeError:
        raise DataError("a label holds half of a surrogate pair; replace it by proper Unicode text") from None
    return b"@CONVERTED_FROM_TEXT\n" + lines, lambda label: codes.get(label, "0")


def text_blocks(patterns: PatternSet) -> Iterator[bytes]:
    """Return SPMF's text of itemsets in blocks of bytes; a label that it cannot represent is refused."""
    header, write = _named(patterns.vocabulary, np.unique(patterns.items))
    return _text_blocks(patterns, header, write)


def _text_blocks(patterns: PatternSet, header: bytes, write: Callable[[str], str]) -> Iterator[bytes]:
    yield header
    for rows, labels in pattern_texts(patterns, write, " "):
        yield bytes_of(strung(labels, " #SUP: ", patterns.supports[rows], "\n"))


def rules_text_blocks(rules: RuleSet) -> Iterator[bytes]:
    """Return SPMF's text of rules in blocks of bytes; a label that it cannot represent is refused."""
    header, write = _named(rules.vocabulary, np.union1d(rules.antecedents.items, rules.consequents.items))
    return _rules_text_blocks(rules, header, write)


def _rules_text_blocks(rules: RuleSet, header: bytes, write: Callable[[str], str]) -> Iterator[bytes]:
    yield header
    for rows, antecedents, consequents in rule_texts(rules, write, " "):
        shares = floats_as_text(rules.supports[rows] / rules.antecedent_supports[rows])
        yield bytes_of(
            strung(antecedents, " ==> ", consequents, " #SUP: ", rules.supports[rows], " #CONF: ", shares, "\n")
        )

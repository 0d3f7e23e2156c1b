"""Text of SPMF: `1 2 5 #SUP: 3` per itemset, `1 2 ==> 4 #SUP: 3 #CONF: 0.75` per rule.

A token is a label, unless `@ITEM=1=label` lines at the top say what the tokens stand for; that is how labels with blanks
are written. Line breaks cannot be written at all. The form says neither n nor which itemsets these are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError, OutputError
from discreet.patterns.formats.given import Claims, given_patterns, given_rules
from discreet.patterns.formats.list_columns import LabelNumbers, ListColumn
from discreet.patterns.formats.printed import confidences, whole_numbers
from discreet.patterns.formats.written import bytes_of, floats_as_text, pattern_texts, rule_texts, strung

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.patterns.formats.given import GivenPatterns, GivenRules
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.patterns.threshold import MinSupport
    from discreet.transactions.formats.opening import ByteSource
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["read_patterns", "read_rules", "rules_text_blocks", "text_blocks"]

_BLOCK = 1 << 22
_TOKEN = r"[^\s#@%][^\s]*"  # noqa: S105 - a piece of a pattern
_USUAL = rf"^{_TOKEN}(?: {_TOKEN})* #SUP: [0-9]{{1,18}}$"
_ITEMSET = re.compile(r"(.*?)\s*#SUP:\s*(\S+)\s*(?:#.*)?")
_RULE = re.compile(r"(.*?)\s*==>\s*(.*?)\s*#SUP:\s*(\S+)\s*#CONF:\s*(\S+)\s*(?:#.*)?")
_NAMED = re.compile(r"@ITEM=([^=\s]+)=(.*)", re.DOTALL)
_PLAIN_LABEL = re.compile(r"[^\s#@%][^\s]*")


class _Lines:
    """The lines of a file, some megabytes at a time; `names` are the labels that its `@ITEM` lines gave so far."""

    def __init__(self, source: ByteSource) -> None:
        self.name = source.name
        self.names: dict[str, str] = {}
        self.numbers: list[NDArray[np.int64]] = []  # the line number of each row
        self._blocks = _line_blocks(source)

    def place(self, row: int) -> str:
        """Name a row by its line."""
        before = 0
        for numbers in self.numbers:
            if row < before + len(numbers):
                return f"{self.name}, line {int(numbers[row - before])}"
            before += len(numbers)
        return f"{self.name}, line {row - before + 1}"

    def __iter__(self) -> Iterator[tuple[pa.StringArray | list[str], NDArray[np.int64]]]:
        """Yield blocks: lines that all have the usual form as one array, others as a list without `@` and `%` lines."""
        import pyarrow.compute as pc

        before = 0
        for block in self._blocks:
            lines = _cut_lines(block, self.name)
            if pc.all(pc.match_substring_regex(lines, _USUAL)).as_py():
                yield lines, np.arange(before + 1, before + len(lines) + 1)
            else:
                kept = [(number, line.rstrip("\r")) for number, line in enumerate(lines.to_pylist(), before + 1)]
                kept = [(number, line) for number, line in kept if self._is_row(number, line)]
                yield [line for _, line in kept], np.array([number for number, _ in kept], np.int64)
            before += len(lines)

    def _is_row(self, number: int, line: str) -> bool:
        if named := _NAMED.fullmatch(line):
            if self.names.setdefault(named[1], named[2]) != named[2]:
                raise DataError(f"{self.name}, line {number}: the item has two labels; keep one", line=number)
            return False
        return bool(line.strip()) and not line.startswith(("@", "%"))

    def label_of(self) -> Callable[[str], str]:
        """Return what turns a token into a label."""
        if not self.names:
            return lambda token: token
        if len(set(self.names.values())) < len(self.names):
            raise DataError(f"{self.name}: two @ITEM lines give the same label; keep one")

        def named(token: str) -> str:
            label = self.names.get(token)
            if label is None:
                raise DataError(f"{self.name}: an item has no @ITEM line though others do; add it")
            return label

        return named


def _line_blocks(source: ByteSource) -> Iterator[bytes]:
    waiting = b""
    for chunk in source.chunks():
        waiting += chunk
        if len(waiting) >= _BLOCK:
            end = waiting.rfind(b"\n") + 1
            if end:
                yield waiting[: end - 1]
                waiting = waiting[end:]
    if waiting:
        yield waiting.removesuffix(b"\n")


def _cut_lines(block: bytes, name: str) -> pa.StringArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.split_pattern(pa.array([block], pa.binary()).cast(pa.string()), "\n").flatten()
    except pa.ArrowInvalid:
        raise DataError(f"{name} is not UTF-8 text; save it as UTF-8") from None


def read_patterns(source: ByteSource, *, n: int | None, min_support: MinSupport | None) -> GivenPatterns:
    """Read itemsets; a line without items gives the support of the empty itemset, which is n."""
    lines = _Lines(source)
    tokens = LabelNumbers()
    column = ListColumn(tokens, lines.place)
    supports: list[Any] = []
    for rows, numbers in lines:
        lines.numbers.append(numbers)
        if isinstance(rows, list):
            found = [_matched(_ITEMSET, row, lines.name, numbers[at]) for at, row in enumerate(rows)]
            column.add([labels.split() for labels, _ in found])
            supports.append([support for _, support in found])
        else:
            labels, counts = _two_parts(rows)
            column.add(labels)
            supports.append(counts.to_pylist() if supports and isinstance(supports[0], list) else counts)
    if not lines.numbers:
        raise DataError(f"{source.name} is empty; expected lines such as 1 2 5 #SUP: 3")
    label_of = lines.label_of()
    return given_patterns(
        column.lists(),
        [label_of(token) for token in tokens.labels],
        _whole(supports, lines),
        origin="spmf",
        place=lines.place,
        claims=Claims(),
        n=n,
        min_support=min_support,
    )


def _whole(chunks: list[Any], lines: _Lines) -> NDArray[np.int64]:
    if any(isinstance(chunk, list) for chunk in chunks):
        chunks = [chunk if isinstance(chunk, list) else chunk.to_pylist() for chunk in chunks]
    return whole_numbers(chunks, "support", lines.place)


def _two_parts(rows: pa.StringArray) -> tuple[pa.ListArray, pa.StringArray]:
    """Cut lines of the usual form into their lists of tokens and their supports."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = pc.split_pattern(rows, " #SUP: ", max_splits=1, reverse=True).flatten()
    even = pa.array(np.arange(0, 2 * len(rows), 2))
    return pc.split_pattern(parts.take(even), " "), parts.take(pc.add(even, 1))


def _matched(form: re.Pattern[str], row: str, name: str, number: int) -> tuple[str, ...]:
    match = form.fullmatch(row)
    if match is None:
        example = "1 2 5 #SUP: 3" if form is _ITEMSET else "1 2 ==> 4 #SUP: 3 #CONF: 0.75"
        raise DataError(f"{name}, line {number}: expected a line such as {example}", line=int(number))
    return match.groups()


def read_rules(source: ByteSource, *, n: int | None) -> GivenRules:
    """Read rules."""
    lines = _Lines(source)
    tokens = LabelNumbers()
    sides = ListColumn(tokens, lines.place), ListColumn(tokens, lines.place)
    supports: list[str] = []
    shares: list[str] = []
    for rows, numbers in lines:
        lines.numbers.append(numbers)
        for row, number in zip(rows if isinstance(rows, list) else rows.to_pylist(), numbers, strict=True):
            left, right, support, share = _matched(_RULE, row, lines.name, number)
            sides[0].add([left.split()])
            sides[1].add([right.split()])
            supports.append(support)
            shares.append(share)
    if not lines.numbers:
        raise DataError(f"{source.name} is empty; expected lines such as 1 2 ==> 4 #SUP: 3 #CONF: 0.75")
    label_of = lines.label_of()
    return given_rules(
        sides[0].lists(),
        sides[1].lists(),
        [label_of(token) for token in tokens.labels],
        whole_numbers([supports], "support", lines.place),
        confidences([shares], lines.place),
        origin="spmf",
        place=lines.place,
        n=n,
    )


def _named(vocabulary: Vocabulary, used: NDArray[np.int32]) -> tuple[bytes, Callable[[str], str]]:
    """Return the `@ITEM` lines, where some label needs them, and how a label is then written."""
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
    """Return SPMF's text of itemsets in blocks of bytes; a label that it cannot carry is refused."""
    header, write = _named(patterns.vocabulary, np.unique(patterns.items))
    return _text_blocks(patterns, header, write)


def _text_blocks(patterns: PatternSet, header: bytes, write: Callable[[str], str]) -> Iterator[bytes]:
    yield header
    for rows, labels in pattern_texts(patterns, write, " "):
        yield bytes_of(strung(labels, " #SUP: ", patterns.supports[rows], "\n"))


def rules_text_blocks(rules: RuleSet) -> Iterator[bytes]:
    """Return SPMF's text of rules in blocks of bytes; a label that it cannot carry is refused."""
    header, write = _named(rules.vocabulary, np.union1d(rules.antecedent_items, rules.consequent_items))
    return _rules_text_blocks(rules, header, write)


def _rules_text_blocks(rules: RuleSet, header: bytes, write: Callable[[str], str]) -> Iterator[bytes]:
    yield header
    for rows, antecedents, consequents in rule_texts(rules, write, " "):
        shares = floats_as_text(rules.supports[rows] / rules.antecedent_supports[rows])
        yield bytes_of(
            strung(antecedents, " ==> ", consequents, " #SUP: ", rules.supports[rows], " #CONF: ", shares, "\n")
        )

"""What must not be minable: restrictive itemsets and bounded rules, as values and as the lines of a file.

A line is an itemset (`bread milk`), an itemset with a disclosure threshold of its own (`bread milk @ 0.1`), or a rule
with the confidence that it must stay below (`bread milk => beer @ 0.6`). Labels are separated by blanks if the rows
came from FIMI or SPMF files, otherwise by commas. A label that contains a separator, or that is `@` or `=>`, must be in
double quotes; a double quote inside is doubled, as in CSV.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal

from discreet.errors import DataError, ParameterError, param
from discreet.tables.byte_source import open_bytes
from discreet.tables.table import BLANKS
from discreet.thresholds import Share
from discreet.transactions.label_names import NamedLabel, resolve
from discreet.transactions.vocabulary import as_label

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from fractions import Fraction

    from discreet.transactions.layout import Layout

__all__ = [
    "Restriction",
    "Restrictions",
    "RuleBound",
    "Separator",
    "expand_columns",
    "read_restrictions",
    "separator_of",
]

Separator = Literal["blanks", "commas"]
Restrictions = str | PathLike[str] | Iterable["str | Iterable[Hashable] | Restriction | RuleBound"]
"""A file name, or a list of lines as in such a file, of itemsets, or of the values below."""

_MOST_EXPANDED = 10_000
"""How many patterns the columns that one line names may stand for."""

_BOUND = re.compile(r"(?<!\S)@(?:\s+(?P<share>\S+))?\s*\Z")
_ARROW = re.compile(r"(?<!\S)=>(?!\S)")
_OTHER_ARROW = re.compile(r"(?<!\S)(?:-+>|==+>|[→⇒⟶⟹])(?!\S)")
_QUOTED = {
    "blanks": re.compile(r'(?<!\S)"(?:[^"]|"")*"(?!\S)'),
    "commas": re.compile(r'(?<![^\s,])"(?:[^"]|"")*"(?![^\s,])'),
}
_LABEL = {
    "blanks": re.compile(r'"(?P<quoted>(?:[^"]|"")*)"(?!\S)|(?P<bare>\S+)'),
    "commas": re.compile(r'\s*"(?P<quoted>(?:[^"]|"")*)"\s*(?=,|\Z)|(?P<bare>[^,]+)'),
}


@dataclass(frozen=True, slots=True)
class Restriction:
    """An itemset that must not be minable, nor any itemset that contains it.

    `disclosure` is the share of its rows that may keep it; None stands for the default of the whole request. `place` is
    where it was specified, for error messages.
    """

    items: frozenset[str]
    disclosure: Fraction | None = None
    place: str = field(default="the pattern", compare=False)

    @property
    def labels(self) -> frozenset[str]:
        """The labels that it names."""
        return self.items

    def __post_init__(self) -> None:
        """Refuse a restriction without items."""
        if not self.items:
            raise ParameterError(
                f"{self.place} holds no item; every row holds the empty itemset, so nothing could hide it",
                parameter="restrict",
            )


@dataclass(frozen=True, slots=True)
class RuleBound:
    """A rule whose confidence must fall below a bound."""

    antecedent: frozenset[str]
    consequent: frozenset[str]
    below: Fraction
    place: str = field(default="the rule", compare=False)

    @property
    def labels(self) -> frozenset[str]:
        """The labels that it names, on both sides."""
        return self.antecedent | self.consequent

    def __post_init__(self) -> None:
        """Refuse an invalid rule, and a bound that no confidence can be below."""
        if not self.antecedent or not self.consequent:
            raise ParameterError(f"{self.place} needs items on both sides of =>", parameter="restrict")
        if self.antecedent & self.consequent:
            raise ParameterError(
                f"{self.place} has an item on both sides of =>; a rule concludes from some items to others",
                parameter="restrict",
            )
        if self.below == 0:
            raise ParameterError(
                f"{self.place} asks for a confidence below 0; give a larger bound, or {param('restrict')} the whole "
                "itemset",
                parameter="restrict",
            )


def separator_of(layout: Layout | None) -> Separator:
    """Return the label separator of files that accompany rows with this layout."""
    return "blanks" if layout is None or layout.shape in ("fimi", "spmf") else "commas"


def read_restrictions(
    given: Restrictions,
    *,
    separator: Separator,
    parameter: str = "restrict",
) -> list[Restriction | RuleBound]:
    """Return the restrictions in a file or a list, in order.

    >>> read_restrictions(["a b @ 20%", "a => c @ 0.6"], separator="blanks")[1].below
    Share(3, 5)
    """
    found = list(_entries(given, separator, parameter))
    if not found:
        raise ParameterError(f"{param(parameter)} names no pattern; give one at least", parameter=parameter)
    return found


def expand_columns(
    entries: Iterable[Restriction | RuleBound],
    labels: Collection[str],
    *,
    known: Collection[str] = (),
    parameter: str = "restrict",
    ignore_unknown: bool = False,
) -> list[Restriction | RuleBound]:
    """Return the restrictions with each column's name replaced by each of its values; refuse unknown labels.

    `known` are labels that are accepted although they stand for nothing.

    >>> [sorted(each.items) for each in expand_columns([Restriction(frozenset(["a", "sex"]))], ["a", "sex=f", "sex=m"])]
    [['a', 'sex=f'], ['a', 'sex=m']]
    """
    entries = list(entries)
    named = [NamedLabel(label, entry.place) for entry in entries for label in sorted(entry.labels)]
    found = resolve(named, labels, parameter=parameter, known=known, ignore_unknown=ignore_unknown)
    columns = {label: values for label, values in found.items() if values and values != [label]}
    if not columns:
        return entries
    return [one for entry in entries for one in _expanded(entry, columns, parameter)]


def _expanded(
    entry: Restriction | RuleBound, columns: Mapping[str, list[str]], parameter: str
) -> Iterator[Restriction | RuleBound]:
    names = sorted(entry.labels)
    choices = [columns.get(name, [name]) for name in names]
    if (count := prod(map(len, choices))) > _MOST_EXPANDED:
        raise ParameterError(
            f"{entry.place} names columns whose values make {count:,} patterns, and {_MOST_EXPANDED:,} are the most; "
            "name the values that matter",
            parameter=parameter,
        )
    for chosen in product(*choices):
        value = dict(zip(names, chosen, strict=True))
        if isinstance(entry, Restriction):
            yield replace(entry, items=frozenset(chosen))
        else:
            sides = (frozenset(value[name] for name in side) for side in (entry.antecedent, entry.consequent))
            antecedent, consequent = sides
            yield replace(entry, antecedent=antecedent, consequent=consequent)


def _entries(
    given: Restrictions,
    separator: Separator,
    parameter: str,
) -> Iterator[Restriction | RuleBound]:
    if isinstance(given, (str, PathLike)):
        for number, line in enumerate(_lines(given), 1):
            yield _parsed(line, separator, f"line {number:,} of {fspath(given)}", parameter)
        return
    if isinstance(given, Mapping):
        raise ParameterError(
            f"{param(parameter)} is a list of patterns, got a {type(given).__name__}; hide_for takes a list for each "
            "recipient",
            parameter=parameter,
        )
    for number, entry in enumerate(given, 1):
        place = f"entry {number:,} of {parameter}"
        if isinstance(entry, (Restriction, RuleBound)):
            yield entry
        elif isinstance(entry, str):
            yield _parsed(entry, separator, place, parameter)
        else:
            yield Restriction(frozenset(as_label(cell) for cell in entry), place=place)


def _lines(path: str | PathLike[str]) -> list[str]:
    """Return a file's lines, without an empty one after the last newline."""
    with open_bytes(path) as source:
        data = b"".join(source.chunks()).removeprefix(b"\xef\xbb\xbf")
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise DataError(
                f"line {line:,} of {source.name} has bytes that are not UTF-8 text; save the file as UTF-8", line=line
            ) from None
    return text.removesuffix("\n").split("\n") if text else []


def _parsed(line: str, separator: Separator, place: str, parameter: str) -> Restriction | RuleBound:
    masked = _QUOTED[separator].sub(lambda quoted: "x" * len(quoted[0]), line)
    share = None
    if bound := _BOUND.search(masked):
        share = Share.parse(bound["share"] or "", parameter=parameter, what=f"the number after @ in {place}")
        masked = masked[: bound.start()]
    if other := _OTHER_ARROW.search(masked):
        raise ParameterError(
            f"{place} has {other[0]}, which is neither a label nor what rules are written with; write a rule as "
            "a b => c @ 0.6, and put a label of that name in double quotes",
            parameter=parameter,
        )
    arrows = list(_ARROW.finditer(masked))
    if not arrows:
        return Restriction(_labels(line[: len(masked)], separator, place, parameter), share, place)
    if len(arrows) > 1:
        raise ParameterError(
            f"{place} has more than one =>; put a label of that name in double quotes", parameter=parameter
        )
    if share is None:
        raise ParameterError(
            f"{place} is a rule without a bound; end it in @ and the confidence to stay below, like @ 0.6",
            parameter=parameter,
        )
    sides = (line[: arrows[0].start()], line[arrows[0].end() : len(masked)])
    antecedent, consequent = (_labels(side, separator, place, parameter) for side in sides)
    return RuleBound(antecedent, consequent, share, place)


def _labels(text: str, separator: Separator, place: str, parameter: str) -> frozenset[str]:
    labels = set()
    for found in _LABEL[separator].finditer(text):
        label = found["quoted"].replace('""', '"') if found["bare"] is None else found["bare"]
        label = label.strip(BLANKS) if separator == "commas" else label
        if separator == "commas" and found["bare"] is not None and label.startswith('"'):
            raise ParameterError(
                f"{place} has a double quote without a partner, or text after a closing one; "
                "double a quote that is part of a label",
                parameter=parameter,
            )
        if label:
            labels.add(label)
    return frozenset(labels)

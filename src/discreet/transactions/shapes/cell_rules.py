"""How a table's cells become values: bins for numbers, maps for values, and what counts as missing.

The rules are Python dictionaries or command-line options:

    --bins hours-per-week=20,40      <=20, (20,40], >40
    --map capital-gain:0=0,*=+       0 stays 0, every other value becomes +
    --drop a,b    --columns a,b,c    names with CSV quoting; @FILE holds one per line

Numbers are compared as decimals, exactly.
"""

from __future__ import annotations

import csv
import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

from discreet.errors import ParameterError, param
from discreet.tables.table import BLANKS

__all__ = [
    "MISSING_CELLS",
    "Bins",
    "Edge",
    "Map",
    "Names",
    "NotANumber",
    "NumberForms",
    "TableRules",
    "are_decimals",
    "parse_bins",
    "parse_map",
    "parse_names",
]

MISSING_CELLS = frozenset({"", "?", "NA"})
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?", re.ASCII)
_WITH_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+", re.ASCII)
_LIKE_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}", re.ASCII)
_MINUS = "\N{MINUS SIGN}"

Edge: TypeAlias = "int | float | str | Decimal"
Names: TypeAlias = "str | os.PathLike[str] | Iterable[str]"


class NotANumber(ValueError):  # noqa: N818 - says what the cell is
    """A cell of a column with bins is not a number."""


@dataclass(frozen=True, slots=True)
class Bins:
    """The intervals of one column: `edges` ascend, `names` has one more."""

    edges: tuple[Decimal, ...]
    names: tuple[str, ...]

    def name(self, text: str) -> str:
        """Return the interval that contains the number, which may have a decimal comma."""
        text = text.replace(_MINUS, "-")
        if _WITH_COMMA.fullmatch(text):
            text = text.replace(",", ".")
        if not _NUMBER.fullmatch(text):
            raise NotANumber
        return self.names[bisect_left(self.edges, Decimal(text))]


class NumberForms:
    """How the numbers of a column are written, cell by cell: whether its commas or points may separate thousands."""

    def __init__(self) -> None:
        self._signs: set[str] = set()
        self._decimal: set[str] = set()
        self._intervals: set[str] = set()

    def add(self, text: str, interval: str) -> None:
        """Look at a number, and the interval in which it lies if its comma or point is a decimal one."""
        self._intervals.add(interval)
        for sign in ",.":
            if sign in text:
                self._signs.add(sign)
                if not _LIKE_THOUSANDS.fullmatch(text):
                    self._decimal.add(sign)

    @property
    def doubt(self) -> str | None:
        """What makes the numbers doubtful, in words; points do only where no interval but one has any number."""
        if len(self._signs) > 1:
            return "some numbers have commas and some have points"
        if "," in self._signs - self._decimal:
            return "the commas could be decimal commas or separate thousands"
        if "." in self._signs - self._decimal and len(self._intervals) == 1:
            return "the points could be decimal points or separate thousands"
        return None


def are_decimals(texts: Iterable[str]) -> bool:
    """Return whether texts are numbers whose commas or points are certainly decimal ones.

    >>> are_decimals(["1,5", "20"]), are_decimals(["1,500"]), are_decimals(["1,5", "2.5"])
    (True, False, False)
    """
    forms = NumberForms()
    for text in texts:
        if not (_NUMBER.fullmatch(text) or _WITH_COMMA.fullmatch(text)):
            return False
        forms.add(text, text)
    return forms.doubt is None


@dataclass(frozen=True, slots=True)
class Map:
    """What the values of one column become; `other` is for those not named, None to leave them unchanged."""

    values: dict[str, str]
    other: str | None

    def value(self, text: str) -> str:
        """Return what a value becomes."""
        return self.values.get(text, text if self.other is None else self.other)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRules:
    """How a table's cells become items."""

    drop: tuple[str, ...]
    identifying: tuple[str, ...]
    keep: tuple[str, ...]
    bins: dict[str, Bins]
    map: dict[str, Map]
    missing: Literal["drop-row", "skip"]

    @classmethod
    def parse(
        cls,
        *,
        drop: Names | None,
        identifying: Names | None,
        keep: Names | None,
        bins: Mapping[str, Iterable[Edge]] | str | Iterable[str] | None,
        map: Mapping[str, Mapping[str, str]] | str | Iterable[str] | None,  # noqa: A002 - the option's name
        missing: Literal["drop-row", "skip"] | None,
    ) -> TableRules:
        """Parse the options of `discreet.read` that have these names."""
        return cls(
            drop=parse_names(drop, "drop"),
            identifying=parse_names(identifying, "identifying"),
            keep=parse_names(keep, "keep"),
            bins=parse_bins(bins),
            map=parse_map(map),
            missing=missing or "skip",
        )


def parse_bins(bins: Mapping[str, Iterable[Edge]] | str | Iterable[str] | None) -> dict[str, Bins]:
    """Parse `--bins` in either form.

    >>> parse_bins("hours-per-week=20,40")["hours-per-week"].name("40")
    '(20,40]'
    """
    if bins is None:
        return {}
    if isinstance(bins, Mapping):
        return {column: _bins(column, edges) for column, edges in bins.items()}
    found: dict[str, Bins] = {}
    for text in [bins] if isinstance(bins, str) else bins:
        column, equals, edges = text.rpartition("=")
        if not equals or not column:
            raise ParameterError(f"{param('bins')} must be like hours-per-week=20,40, got {text!r}", parameter="bins")
        if column in found:
            raise ParameterError(
                f"{param('bins')} names column {column!r} twice; give all its edges at once", parameter="bins"
            )
        found[column] = _bins(column, edges.split(","))
    return found


def _bins(column: str, edges: Iterable[Edge]) -> Bins:
    texts = [edge.strip(BLANKS) if isinstance(edge, str) else str(edge) for edge in edges]
    if not texts or not all(_NUMBER.fullmatch(text) for text in texts):
        raise ParameterError(f"the edges of {param('bins')} {column}=… must be numbers, like 20,40", parameter="bins")
    values = tuple(Decimal(text) for text in texts)
    if any(low >= high for low, high in pairwise(values)):
        raise ParameterError(f"the edges of {param('bins')} {column}=… must ascend, like 20,40", parameter="bins")
    between = [f"({low},{high}]" for low, high in pairwise(texts)]
    return Bins(edges=values, names=(f"<={texts[0]}", *between, f">{texts[-1]}"))


def parse_map(rules: Mapping[str, Mapping[str, str]] | str | Iterable[str] | None) -> dict[str, Map]:
    """Parse `--map` in either form.

    >>> parse_map("capital-gain:0=0,*=+")["capital-gain"].value("2174")
    '+'
    """
    if rules is None:
        return {}
    if isinstance(rules, Mapping):
        pairs = {column: {str(old): str(new) for old, new in values.items()} for column, values in rules.items()}
    else:
        pairs = {}
        for text in [rules] if isinstance(rules, str) else rules:
            column, colon, rest = text.partition(":")
            if not colon or not column:
                raise ParameterError(f"{param('map')} must be like capital-gain:0=0,*=+, got {text!r}", parameter="map")
            values = pairs.setdefault(column, {})
            for pair in _split(rest, "map"):
                old, equals, new = (part.strip(BLANKS) for part in pair.partition("="))
                if not equals:
                    raise ParameterError(
                        f"{param('map')} must be like capital-gain:0=0,*=+, got {text!r}", parameter="map"
                    )
                if values.setdefault(old, new) != new:
                    raise ParameterError(
                        f"{param('map')} gives {old!r} of column {column!r} two values", parameter="map"
                    )
    if empty := next((column for column, values in pairs.items() if not values), None):
        raise ParameterError(f"{param('map')} {empty}:… says nothing; give at least one old=new", parameter="map")
    return {
        column: Map(values={old: new for old, new in values.items() if old != "*"}, other=values.get("*"))
        for column, values in pairs.items()
    }


def parse_names(names: Names | None, option: str) -> tuple[str, ...]:
    """Parse a list of column names: a list, `a,b,c`, `@FILE` or a path (one name per line).

    >>> parse_names('age,"height, cm"', "drop")
    ('age', 'height, cm')
    """
    if names is None:
        return ()
    if isinstance(names, str) and names.startswith("@"):
        names = Path(names[1:])
    if isinstance(names, os.PathLike):
        names = _lines(Path(names), option)
    listed = tuple(name.strip(BLANKS) for name in (_split(names, option) if isinstance(names, str) else names))
    if not listed or not all(listed):
        raise ParameterError(f"{param(option)} must name columns, like a,b,c", parameter=option)
    if len(set(listed)) < len(listed):
        raise ParameterError(f"{param(option)} names a column twice", parameter=option)
    return listed


def _lines(path: Path, option: str) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ParameterError(f"{param(option)}: cannot read {path}: {reason}", parameter=option) from None
    return [line for line in lines if line.strip(BLANKS)]


def _split(text: str, option: str) -> list[str]:
    try:
        return next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise ParameterError(f"{param(option)} is not a list like a,b,c: {text!r}", parameter=option) from None

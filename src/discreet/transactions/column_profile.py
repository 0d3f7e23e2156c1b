"""What a table's columns hold, as far as it matters for publishing patterns: ids, constants, numbers, people.

Roles are suggestions: they come from counts and, for people and quasi-identifiers, from names. Nothing is decided by
them except what `look` suggests and what an answer notes. Identifiers are refused where rows are published.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.errors import ParameterError, param
from discreet.transactions.shapes.cell_rules import are_decimals, parse_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions

__all__ = [
    "ColumnProfile",
    "ColumnRole",
    "column_notes",
    "column_profiles",
    "identifiers",
    "may_be_grouped",
    "may_be_known",
    "may_be_private",
    "refuse_identifiers",
]

ColumnRole = Literal[
    "id", "person", "group", "constant", "near-constant", "near-empty", "number", "quasi-identifier", "value"
]
ColumnType = Literal["number", "truth", "date", "text"]

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}", re.ASCII)
_TRUTH = {"0", "1", "true", "false", "yes", "no", "y", "n", "t", "f"}
_PERSON = re.compile(
    r"patient|person|customer|client|member|user|subject|citizen|insured|household|employee|_nbr$", re.IGNORECASE
)
_GROUP = re.compile(
    r"(^|[^a-z])(receipt|invoice|order|basket|transaction|ticket|cart|bon|beleg|rechnung|session|visit|stay|case|fall|"
    r"encounter|episode)s?[ _.-]*(id|nr|no|nbr|num|number|nummer|key)?$",
    re.IGNORECASE,
)
_FEWEST_GROUPS = 10
_CODE = re.compile(r"(id|code|type|class|group)$", re.IGNORECASE)
_QUASI = re.compile(
    r"^(age|sex|gender|race|zip|post|birth|city|town|area|region|district|country|county|state|nation|ethnic|marital|"
    r"occupation|education|religion|income)",
    re.IGNORECASE,
)
_PRIVATE = re.compile(
    r"(^|[^a-z])(diag|disease|illness|drug|medic|hiv|treatment|therapy|religion|income|salary|debt|crime|conviction|"
    r"orientation)",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"(^|[^a-z])(id|nr|no|nbr|num|number|ssn|nhs|mrn|iban|phone|tel|telephone|mobile|fax|e?mail|insurance|account|"
    r"passport|licen[cs]e|name|surname|address|street)([^a-z]|$)",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_LONG_NUMBER = 6
_FEW_ROWS = 20
_MANY_VALUES = 12
_EXAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """One column: how many different values it has, how many rows lack one, and what it is likely to be.

    `most` is in how many rows its most frequent value is; `examples` are frequent values; `edges` are numbers that cut
    a column of numbers into three intervals of about as many rows each.
    """

    name: str
    type: ColumnType
    distinct: int
    missing: int
    most: int
    role: ColumnRole
    examples: tuple[str, ...]
    edges: tuple[str, ...] = ()


def may_be_known(name: str) -> bool:
    """Return whether a column or an item has a name of what strangers often know about people.

    >>> may_be_known("age 60-69"), may_be_known("sex"), may_be_known("diagnosis")
    (True, True, False)
    """
    return _QUASI.match(name) is not None


def may_be_private(name: str) -> bool:
    """Return whether a column or an item has a name of what people keep to themselves.

    >>> may_be_private("diagnosis flu"), may_be_private("age")
    (True, False)
    """
    return _PRIVATE.search(name) is not None


def may_be_grouped(name: str) -> bool:
    """Return whether a column has a name of what may have several lines, one for each of its parts.

    >>> may_be_grouped("InvoiceNo"), may_be_grouped("stay"), may_be_grouped("length_of_stay_days")
    (True, True, False)
    """
    return _GROUP.search(name) is not None


def column_profiles(rows: Transactions, columns: Sequence[str]) -> list[ColumnProfile]:
    """Return what each column of a table holds."""
    supports = rows.item_supports()
    labels = rows.vocabulary.labels  # in the order of their texts, so that those of a column stand together

    def items(column: str) -> np.ndarray:
        return np.arange(bisect_left(labels, f"{column}="), bisect_left(labels, f"{column}>"))  # > follows =

    return [_profile(rows, column, items(column), supports) for column in columns]


def _profile(rows: Transactions, column: str, items: np.ndarray, supports: np.ndarray) -> ColumnProfile:
    counts = supports[items]
    items, counts = items[counts > 0], counts[counts > 0]
    order = np.argsort(-counts, kind="stable")
    texts = [rows.vocabulary[item][len(column) + 1 :] for item in items[order][:1000].tolist()]
    present, most = int(counts.sum()), int(counts.max(initial=0))
    kind = _type_of(texts)
    role = _role(column, kind, rows.n, len(items), present, most)
    return ColumnProfile(
        name=column,
        type=kind,
        distinct=len(items),
        missing=rows.n - present,
        most=most,
        role=role,
        examples=tuple(texts[:_EXAMPLES]),
        edges=_edges(rows, column, items, counts) if role == "number" else (),
    )


def identifiers(rows: Transactions) -> tuple[str, ...]:
    """Return the columns of a table that are different in nearly every row and are not measures.

    A name, a mail address, a telephone or an insurance number: whoever has it needs nothing else to find the row. A
    column whose name says so, or whose values are mail addresses, need be different in half of the rows only.
    """
    layout = rows.layout
    if layout is None or layout.shape != "table" or rows.n < _FEW_ROWS:
        return ()
    columns = [column for column in layout.columns if column != layout.id_column]
    supports = rows.item_supports()
    held = {column: list[str]() for column in columns}
    filled = dict.fromkeys(columns, 0)
    for label, support in zip(rows.vocabulary, supports.tolist(), strict=True):
        if support and (column := next((c for c in _beginnings(label) if c in held), None)) is not None:
            held[column].append(label[len(column) + 1 :])
            filled[column] += support
    return tuple(column for column in columns if _identifies(column, held[column], filled[column]))


def _beginnings(label: str) -> Iterator[str]:
    """Yield what can be the column of a label."""
    return (label[:at] for at, char in enumerate(label) if char == "=")


def _identifies(column: str, values: Sequence[str], filled: int) -> bool:
    if filled < _FEW_ROWS or 2 * len(values) <= filled:
        return False
    numeric = are_decimals(values)
    if numeric and not all(value.isascii() and value.isdigit() for value in values):
        return False  # a sign or a decimal point: a measure
    mails = sum(_MAIL.fullmatch(value) is not None for value in values)
    if _IDENTIFIER.search(column) or _PERSON.search(column) or 2 * mails > len(values):
        return True
    if 10 * len(values) < 9 * filled or all(_DATE.fullmatch(value) for value in values):
        return False
    return not numeric or _numbers_people(values)


def _numbers_people(values: Sequence[str]) -> bool:
    """Return whether whole numbers look assigned: one after another, padded with zeros, or long and of one length."""
    lengths = {len(value) for value in values}
    numbers = [int(value) for value in values]
    running = max(numbers) - min(numbers) < 2 * len(numbers)
    padded = any(value.startswith("0") and len(value) > 1 for value in values)
    return running or padded or (len(lengths) == 1 and lengths.pop() >= _LONG_NUMBER)


def refuse_identifiers(rows: Transactions, allowed: Names | None, *, others: Collection[str] = ()) -> None:
    """Refuse to publish columns that identify people, except those that are allowed, and others that are changed."""
    accepted = parse_names(allowed, "allow_identifiers")
    known = () if rows.layout is None else rows.layout.columns
    if strange := [name for name in accepted if name not in known]:
        raise ParameterError(
            f"{param('allow_identifiers')} names {strange[0]!r}, which is not a column of these rows",
            parameter="allow_identifiers",
        )
    found = [column for column in identifiers(rows) if column not in accepted and column not in others]
    if found:
        names = ",".join(found)
        more = f" (and {len(found) - 1} more: {', '.join(found[1:4])})" if len(found) > 1 else ""
        raise ParameterError(
            f"the column {found[0]!r} is different in nearly every row and is not a measure: like a name, or a number "
            f"of one person, it tells whose row it is{more}; leave it out ({param('identifying', names)}), or give "
            f"{param('allow_identifiers', names)} to publish it",
            parameter="allow_identifiers",
        )


def _type_of(texts: Sequence[str]) -> ColumnType:
    if texts and all(text.lower() in _TRUTH for text in texts):
        return "truth"
    if texts and are_decimals(texts):
        return "number"
    return "date" if texts and all(_DATE.fullmatch(text) for text in texts) else "text"


def _role(  # noqa: PLR0911, PLR0917 - one line for each role
    column: str, kind: ColumnType, n: int, distinct: int, present: int, most: int
) -> ColumnRole:
    if present * 20 < n:
        return "near-empty"
    if distinct == 1 and present == n:
        return "constant"
    if distinct == present and n >= _FEW_ROWS:
        return "id"
    if distinct * 20 > n and distinct < present and _PERSON.search(column):
        return "person"
    if distinct < present and distinct >= _FEWEST_GROUPS and distinct * 100 > n and may_be_grouped(column):
        return "group"
    if most * 100 >= n * 95:
        return "near-constant"
    if kind == "number" and distinct > _MANY_VALUES and not _CODE.search(column):
        return "number"
    return "quasi-identifier" if _QUASI.search(column) else "value"


def _edges(rows: Transactions, column: str, items: np.ndarray, counts: np.ndarray) -> tuple[str, ...]:
    values = []
    for item, count in zip(items.tolist(), counts.tolist(), strict=True):
        text = rows.vocabulary[item][len(column) + 1 :].replace(",", ".")
        if _NUMBER.fullmatch(text):
            values.append((Decimal(text), int(count)))
    values.sort()
    below, present = 0, sum(count for _, count in values)
    edges: list[str] = []
    for value, count in values[:-1]:
        below += count
        if below * 3 >= present * (len(edges) + 1) and len(edges) < 2:  # noqa: PLR2004 - three intervals
            edges.append(f"{value.normalize():f}")
    return tuple(edges)


def column_notes(profiles: Sequence[ColumnProfile]) -> tuple[str, ...]:
    """Return what an owner should look at before an answer about such columns is relied on."""
    sentences = {
        "id": "different in every row, as ids are: leave {} out",
        "person": "the same in several rows, as one person's: rows are counted, not people, unless you name the person "
        "column",
        "group": "the same in several rows, as where each line is one part of something: lines are counted, unless you "
        "read them as a long table (its format is long)",
        "constant": "the same in every row",
        "near-empty": "empty in nearly every row",
    }
    notes = []
    for role, words in sentences.items():
        names = [profile.name for profile in profiles if profile.role == role]
        if names:
            shown = ", ".join(names[:_EXAMPLES]) + (
                f" and {len(names) - _EXAMPLES} more" if len(names) > _EXAMPLES else ""
            )
            several = len(names) > 1
            are = "are" if several else "is"
            notes.append(f"Note: {shown} {are} {words.format('them' if several else 'it')}.")
    return tuple(notes)

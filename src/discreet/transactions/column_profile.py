"""What a table's columns hold, as far as it matters for publishing patterns: ids, constants, numbers, people.

Roles are suggestions: they come from counts and, for people and quasi-identifiers, from names. Nothing is decided by
them except what `look` suggests and what an answer notes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.transactions.transactions import Transactions

__all__ = ["ColumnProfile", "ColumnRole", "column_notes", "column_profiles"]

ColumnRole = Literal["id", "person", "constant", "near-constant", "near-empty", "number", "quasi-identifier", "value"]
ColumnType = Literal["number", "truth", "date", "text"]

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}", re.ASCII)
_TRUTH = {"0", "1", "true", "false", "yes", "no", "y", "n", "t", "f"}
_PERSON = re.compile(
    r"patient|person|customer|client|member|user|subject|citizen|insured|household|employee|_nbr$", re.IGNORECASE
)
_CODE = re.compile(r"(id|code|type|class|group)$", re.IGNORECASE)
_QUASI = re.compile(
    r"^(age|sex|gender|race|zip|post|birth|city|town|area|region|district|country|county|state|nation|ethnic|marital|"
    r"occupation|education|religion|income)",
    re.IGNORECASE,
)
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


def column_profiles(rows: Transactions, columns: Sequence[str]) -> list[ColumnProfile]:
    """Return what each column of a table holds."""
    supports = rows.item_supports()
    values: dict[str, list[int]] = {column: [] for column in columns}
    for item, label in enumerate(rows.vocabulary):
        column = label.partition("=")[0]
        if column not in values:  # a name with an equals sign in it
            column = next(name for name in columns if label.startswith(f"{name}="))
        values[column].append(item)
    return [_profile(rows, column, np.array(items, np.int64), supports) for column, items in values.items()]


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


def _type_of(texts: Sequence[str]) -> ColumnType:
    if texts and all(text.lower() in _TRUTH for text in texts):
        return "truth"
    if texts and all(_NUMBER.fullmatch(text) for text in texts):
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
    if most * 100 >= n * 95:
        return "near-constant"
    if kind == "number" and distinct > _MANY_VALUES and not _CODE.search(column):
        return "number"
    return "quasi-identifier" if _QUASI.search(column) else "value"


def _edges(rows: Transactions, column: str, items: np.ndarray, counts: np.ndarray) -> tuple[str, ...]:
    values = sorted(
        (Decimal(rows.vocabulary[item][len(column) + 1 :]), int(count))
        for item, count in zip(items.tolist(), counts.tolist(), strict=True)
        if _NUMBER.fullmatch(rows.vocabulary[item][len(column) + 1 :])
    )
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

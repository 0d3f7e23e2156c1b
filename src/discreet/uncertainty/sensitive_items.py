"""The sensitive items: named by their owner, or drawn for an experiment; and the confidence no inference may reach."""

from __future__ import annotations

import hashlib
import os
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.errors import ParameterError, param
from discreet.tables.table import BLANKS
from discreet.thresholds import Share, ShareLike
from discreet.transactions.generate.parameters import check_whole
from discreet.transactions.vocabulary import as_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "Sensitive",
    "absent_labels",
    "draw_sensitive",
    "read_labels",
    "sensitive_codes",
]

Sensitive: TypeAlias = "str | os.PathLike[str] | Iterable[str]"
"""Labels, or the path of a file with one label per line."""


def read_labels(sensitive: Sensitive) -> tuple[str, ...]:
    """Return the distinct labels in a list or a file; refuse an empty one."""
    if isinstance(sensitive, (str, os.PathLike)):
        path = Path(sensitive)
        try:
            lines: Iterable[str] = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the name
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise ParameterError(
                f"cannot read the {param('sensitive')} items from {str(path)!r}: {reason}; name a file with one label "
                "per line",
                parameter="sensitive",
            ) from None
        labels = dict.fromkeys(label for line in lines if (label := line.strip(BLANKS)))
        where = str(path)
    else:
        labels = dict.fromkeys(as_label(label) for label in sensitive)
        where = param("sensitive")
    if not labels:
        raise ParameterError(
            f"{where} names no item, so there is nothing to protect; write one label per line",
            parameter="sensitive",
        )
    return tuple(labels)


def sensitive_codes(sensitive: Sensitive, vocabulary: Vocabulary) -> NDArray[np.int32]:
    """Return the named items, ascending; labels that are not in the vocabulary are ignored."""
    matches = _matches(read_labels(sensitive), vocabulary)
    return np.unique(np.array([item for items in matches.values() for item in items], np.int32))


def absent_labels(sensitive: Sensitive, rows: Transactions) -> tuple[str, ...]:
    """Return the named labels that no row contains: often a typing error."""
    held = rows.item_supports() > 0
    matches = _matches(read_labels(sensitive), rows.vocabulary)
    return tuple(label for label, items in matches.items() if not held[items].any())


def _matches(labels: Iterable[str], vocabulary: Vocabulary) -> dict[str, list[int]]:
    """Find the items of each label; in a table a column's name stands for all its values."""
    columns: dict[str, list[int]] = {}
    for item, label in enumerate(vocabulary):
        column, equals, _ = label.partition("=")
        if equals:
            columns.setdefault(column, []).append(item)
    return {label: columns.get(label, []) if (named := vocabulary.item(label)) is None else [named] for label in labels}


def draw_sensitive(vocabulary: Vocabulary, share: ShareLike, *, seed: int) -> tuple[str, ...]:
    """Draw a share of all items; with the same seed, a smaller share draws a subset of a larger one.

    Items are ordered by a hash of the seed and the label, and the first ones are drawn.

    >>> from discreet.transactions.vocabulary import Vocabulary
    >>> few, many = (draw_sensitive(Vocabulary("abcdefghij"), share, seed=1) for share in ("20%", "50%"))
    >>> len(few), len(many), set(few) < set(many)
    (2, 5, True)
    """
    check_whole("seed", seed, least=0)
    exact = Share.parse(share, parameter="sensitive_share")
    if exact == 0:
        raise ParameterError(
            f"{param('sensitive_share')} must be above 0, got 0: there would be nothing to protect",
            parameter="sensitive_share",
        )
    wanted = int(exact * len(vocabulary) + Fraction(1, 2))
    order = sorted(range(len(vocabulary)), key=lambda item: _place(seed, vocabulary[item]))
    return tuple(vocabulary[item] for item in sorted(order[: max(1, wanted)]))


def _place(seed: int, label: str) -> bytes:
    return hashlib.sha256(f"{seed}:{label}".encode(errors="surrogatepass")).digest()

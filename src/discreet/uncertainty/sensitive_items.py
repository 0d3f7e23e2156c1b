"""The sensitive items: named by their owner, or drawn for an experiment; and the confidence no inference may reach."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.errors import ParameterError, param
from discreet.tables.table import BLANKS
from discreet.thresholds import Share, ShareLike
from discreet.transactions.generate.parameters import check_whole
from discreet.transactions.label_names import NamedLabel, columns_of, entry_of, matches, resolve
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.vocabulary import as_label

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "Sensitive",
    "absent_labels",
    "draw_sensitive",
    "named_labels",
    "read_labels",
    "sensitive_codes",
    "sensitive_items",
]

Sensitive: TypeAlias = "str | os.PathLike[str] | Iterable[str | NamedLabel]"
"""Labels; as text, `a,b,c`, `@FILE` or the path of a file with one label per line.

Each may have a limit of its own: `hiv @ 0.1`. A NamedLabel is taken as it is.
"""

_ENDINGS = frozenset({".csv", ".dat", ".list", ".lst", ".txt"})


def read_labels(sensitive: Sensitive) -> tuple[str, ...]:
    """Return the distinct labels in a list or a file; refuse an empty one."""
    return tuple(dict.fromkeys(each.label for each in named_labels(sensitive)))


def named_labels(sensitive: Sensitive) -> list[NamedLabel]:
    """Return the labels in a list or a file, with their places; refuse an empty one.

    Text is the name of a file if there is one, if it looks like one, or after `@`; any other text is a list.
    """
    if isinstance(sensitive, str) and not _is_file(sensitive):
        sensitive = parse_names(sensitive, "sensitive")
    if isinstance(sensitive, (str, os.PathLike)):
        path = Path(os.fspath(sensitive).removeprefix("@"))
        try:
            lines: Iterable[str] = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the name
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise ParameterError(
                f"cannot read the {param('sensitive')} items from {str(path)!r}: {reason}; name a file with one label "
                "per line",
                parameter="sensitive",
            ) from None
        where = str(path)
        named = [
            entry_of(label, f"line {number:,} of {path}")
            for number, line in enumerate(lines, 1)
            if (label := line.strip(BLANKS))
        ]
    else:
        where = param("sensitive")
        if isinstance(sensitive, Mapping):
            raise ParameterError(
                f"{where} is a list of labels, got a {type(sensitive).__name__}; write a label with a limit of its own "
                "as 'label @ 0.1'",
                parameter="sensitive",
            )
        named = [
            each if isinstance(each, NamedLabel) else entry_of(as_label(each), f"entry {number:,} of {where}")
            for number, each in enumerate(sensitive, 1)
        ]
    if not named:
        raise ParameterError(
            f"{where} names no item, so there is nothing to protect; write one label per line",
            parameter="sensitive",
        )
    return named


def _is_file(text: str) -> bool:
    """Return whether text names a file: a list may be of one label, but a mistyped file must not pass for a label."""
    if text.startswith("@") or "\0" in text:
        return True
    return bool(text.strip()) and (("," not in text and Path(text).suffix in _ENDINGS) or Path(text).is_file())


def sensitive_items(
    named: Sequence[NamedLabel], rows: Transactions, *, known: Collection[str] = (), ignore_unknown: bool = False
) -> NDArray[np.int32]:
    """Return the named items of the rows, ascending; a column's name stands for all its values."""
    found = resolve(
        named,
        rows.vocabulary.labels,
        parameter="sensitive",
        known={*known, *columns_of(rows)},
        ignore_unknown=ignore_unknown,
    )
    return np.unique(
        np.array([rows.vocabulary.positions[label] for each in found.values() for label in each], np.int32)
    )


def sensitive_codes(sensitive: Sensitive, vocabulary: Vocabulary) -> NDArray[np.int32]:
    """Return the named items of a vocabulary, ascending; labels that are not in it are ignored."""
    found = matches(read_labels(sensitive), vocabulary.labels)
    return np.unique(np.array([vocabulary.positions[label] for each in found.values() for label in each], np.int32))


def absent_labels(sensitive: Sensitive, rows: Transactions) -> tuple[str, ...]:
    """Return the named labels that no row contains: often a typing error."""
    held = rows.item_supports() > 0
    found = matches(read_labels(sensitive), rows.vocabulary.labels)
    return tuple(
        name for name, labels in found.items() if not any(held[rows.vocabulary.positions[label]] for label in labels)
    )


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

"""The labels of a data set, and their integers."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from operator import eq
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["Vocabulary", "are_whole_numbers", "as_label", "in_order", "label_key", "numbered"]

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


class Vocabulary:
    """Labels in canonical order: label number i names item i.

    The order is numeric if every label is a whole number, otherwise by text (Unicode code points); equal numbers
    ("1", "01") are ordered by text. Because integers follow labels, sorting items sorts labels, and ties broken on
    items are ties broken on labels.

    Parameters
    ----------
    labels : iterable of str
        Distinct texts, in any order.
    """

    def __init__(self, labels: Iterable[str]) -> None:
        """Accept labels in any order; repeated ones count once."""
        distinct = set(labels)
        # By text, no key is needed, and sorting takes a fourth of the time.
        key = label_key(distinct) if are_whole_numbers(distinct) else None
        self.labels: tuple[str, ...] = tuple(sorted(distinct, key=key))

    @classmethod
    def from_canonical(cls, labels: Iterable[str]) -> Vocabulary:
        """Build from labels that are known to be distinct and in canonical order, as the kernel's parser returns them.

        Parameters
        ----------
        labels : iterable of str
            The labels.

        Returns
        -------
        Vocabulary
            The vocabulary.
        """
        self = cls.__new__(cls)
        self.labels = tuple(labels)
        return self

    @cached_property
    def positions(self) -> dict[str, int]:
        """Every label's integer."""
        return {label: item for item, label in enumerate(self.labels)}

    def item(self, label: str) -> int | None:
        """Return the integer of a label.

        Parameters
        ----------
        label : str
            The label.

        Returns
        -------
        int or None
            Its position, or None if the label does not occur.
        """
        return self.positions.get(label)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, item: int) -> str:
        return self.labels[item]

    def __iter__(self) -> Iterator[str]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self.positions

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.labels == other.labels

    def __hash__(self) -> int:
        return hash(self.labels)

    def __repr__(self) -> str:
        return f"<Vocabulary: {len(self):,} labels>"


def numbered(labels: Vocabulary | Sequence[str]) -> tuple[Vocabulary, NDArray[np.int32] | None]:
    """Return the vocabulary of distinct labels in any order, and each one's number in it; None if none changes."""
    if isinstance(labels, Vocabulary):
        return labels, None
    key = label_key(labels) if are_whole_numbers(labels) else None
    keys = labels if key is None else [key(label) for label in labels]
    order = sorted(range(len(labels)), key=keys.__getitem__)  # labels mostly come in runs, which sorting makes use of
    vocabulary = Vocabulary.from_canonical(map(labels.__getitem__, order))
    if any(map(eq, vocabulary.labels, islice(vocabulary.labels, 1, None))):
        raise DataError("two labels are the same text; give every item a label of its own")
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    return vocabulary, numbers


def in_order(labels: Iterable[str], vocabulary: Vocabulary) -> list[str]:
    """Return labels in the order of a vocabulary, unknown ones last."""
    place = vocabulary.positions
    return sorted(labels, key=lambda label: (place.get(label, len(place)), label))


def are_whole_numbers(labels: Iterable[str]) -> bool:
    """Return whether every label is a whole number, so that labels are ordered numerically (vacuously true if none)."""
    return all(_WHOLE_NUMBER.fullmatch(label) for label in labels)


def label_key(labels: Iterable[str]) -> Callable[[str], tuple[int, str]]:
    """Return the sort key of the canonical order for these labels."""
    if are_whole_numbers(labels):
        return lambda label: (int(label), label)
    return lambda label: (0, label)


def as_label(cell: Hashable) -> str:
    """Return a label's text; a whole number becomes its decimal digits."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, (int, np.integer)) and not isinstance(cell, bool):
        return str(int(cell))
    raise DataError(f"a label must be text or a whole number, got {type(cell).__name__}; convert it to text first")

"""Labels in one text, so that hundreds of thousands of them are sent, kept and searched without an object for each.

A table of people has a label for every value of every column. As Python strings they take seconds to send from one
process to another, and as long to search, and meanwhile a server answers nobody. As one text with the places where
labels begin, both take milliseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["LabelList"]

_BETWEEN = "\0"


@dataclass(frozen=True, eq=False)
class LabelList:
    """Labels by their numbers. `text` has a separator before, between and after them; each begins at `starts`."""

    text: str
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, labels: Sequence[str]) -> LabelList:
        """Put labels into one text.

        >>> LabelList.of(["age=30", "sex=f"])[1]
        'sex=f'
        """
        lengths = np.fromiter((len(label) + 1 for label in labels), np.int64, count=len(labels))
        starts = 1 + np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        return cls(_BETWEEN + "".join(f"{label}{_BETWEEN}" for label in labels), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> str:
        return self.text[int(self.starts[number]) : int(self.starts[number + 1]) - 1]

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def number(self, label: str) -> int | None:
        """Return the number of a label.

        >>> LabelList.of(["ab", "b"]).number("b"), LabelList.of(["ab", "b"]).number("a")
        (1, None)
        """
        at = -1
        while (at := self.text.find(f"{_BETWEEN}{label}{_BETWEEN}", at + 1)) >= 0:
            place = int(np.searchsorted(self.starts, at + 1))
            if place < len(self) and int(self.starts[place]) == at + 1 and self[place] == label:
                return place
        return None

    @cached_property
    def _lower(self) -> str | None:
        lower = self.text.lower()
        return lower if len(lower) == len(self.text) else None

    def search(self, words: str, most: int) -> list[int]:
        """Return the numbers of the first labels that have all of the words, in any case; at most so many.

        >>> LabelList.of(["drug aspirin", "Drug insulin"]).search("in drug", 9)
        [0, 1]
        """
        parts = words.replace(_BETWEEN, "").lower().split()
        if not parts:
            return list(range(min(most, len(self))))
        rarest = max(parts, key=len)
        found: list[int] = []
        for number in self._holding(rarest):
            label = self[number].lower()
            if all(part in label for part in parts):
                found.append(number)
                if len(found) == most:
                    break
        return found

    def _holding(self, word: str) -> Iterator[int]:
        """Yield the numbers of the labels that have a word in lower case."""
        anywhere = re.compile(re.escape(word), re.IGNORECASE)
        at = 0
        while True:
            if self._lower is not None:
                at = self._lower.find(word, at)
            else:  # a letter that has another length in lower case
                match = anywhere.search(self.text, at)
                at = -1 if match is None else match.start()
            if at < 0:
                return
            number = int(np.searchsorted(self.starts, at, side="right")) - 1
            yield number
            at = int(self.starts[number + 1])

"""The confidence that no conclusion about a sensitive item may reach: rho, or a limit of the item's own.

A list of sensitive items may give some of them a limit of their own (`hiv @ 0.1`, `diag* @ 0.2`). An item that several
entries stand for has the limit of the narrowest one: its own name, then its column's, then the longest beginning. If a
wider entry has a lower limit, it is not clear which of the two is meant, and they are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError, param
from discreet.transactions.label_names import beginning_of, matches
from discreet.uncertainty.sensitive_rules import attainable_share

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.transactions.label_names import NamedLabel
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What no conclusion may reach: `rho`, or what `names` says of a label, as the owner names what is sensitive.

    `data` are the labels of the data that the names are about, if the rows in question were made of it: whether a name
    with a star is one of them decides what it stands for.
    """

    rho: Fraction
    names: Mapping[str, Fraction | None] = field(default_factory=dict)
    data: Collection[str] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def parse(cls, given: Fraction | Limits) -> Limits:
        """Return limits; a fraction is that of all items."""
        return given if isinstance(given, Limits) else cls(given)

    @classmethod
    def of(cls, rho: Fraction, named: Iterable[NamedLabel], data: Collection[str] | None = None) -> Limits:
        """Return the limits of named labels; refuse a label that has two.

        >>> from fractions import Fraction
        >>> from discreet.transactions.label_names import entry_of
        >>> limits = Limits.of(Fraction(1, 2), [entry_of("hiv @ 0.1", "line 1"), entry_of("flu", "line 2")])
        >>> {label: str(limit) for label, limit in limits.of_items(["flu", "hiv"], ["flu", "hiv", "tea"]).items()}
        {'flu': '1/2', 'hiv': '1/10'}
        """
        names: dict[str, Fraction | None] = {}
        for each in named:
            if names.setdefault(each.label, each.limit) != each.limit:
                raise ParameterError(
                    f"{each.place} names {each.label!r} once more, with another limit; name it once",
                    parameter="sensitive",
                )
        return cls(rho, names, data)

    @property
    def own(self) -> dict[str, Fraction]:
        """The labels that have a limit of their own."""
        return {name: limit for name, limit in self.names.items() if limit is not None}

    @property
    def lowest(self) -> Fraction:
        """The lowest limit of all."""
        return min(map(self.of_name, self.names), default=self.rho)

    def of_name(self, name: str) -> Fraction:
        """Return the limit of a label, as it is named."""
        own = self.names[name]
        return self.rho if own is None else own

    def of_items(self, labels: Iterable[str], among: Collection[str]) -> dict[str, Fraction]:
        """Return the limit of each of some sensitive items of rows that have these labels.

        An item that no name stands for has the lowest limit.

        The empty cells of a column, `column=`, can stand for any value of it: they have the lowest of these limits.
        """
        if not self.own:
            return dict.fromkeys(labels, self.rho)
        names: dict[str, list[str]] = {label: [] for label in labels}
        for name, items in matches(self.names, names, of=among if self.data is None else self.data).items():
            for label in items:
                names[label].append(name)
        return {label: self._of(label, covering) for label, covering in names.items()}

    def grouped(self, vocabulary: Vocabulary, items: NDArray[np.int32]) -> list[tuple[Fraction, NDArray[np.int32]]]:
        """Return the sensitive items of each limit."""
        if not self.own:
            return [(self.rho, items)]
        limits = list(self.of_items([vocabulary[item] for item in items.tolist()], vocabulary.labels).values())
        return [(limit, items[np.array([own == limit for own in limits], bool)]) for limit in sorted(set(limits))]

    def shares(
        self, vocabulary: Vocabulary, items: NDArray[np.int32], n: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the limit of each item as the kernel has it, `part / whole`, reached by the same confidences."""
        shares = np.ones((2, len(vocabulary)), np.int64)
        for limit, chosen in self.grouped(vocabulary, items):
            shares[:, chosen] = np.array(attainable_share(limit, n))[:, None]
        return shares[0], shares[1]

    def _of(self, label: str, names: Sequence[str]) -> Fraction:
        if label.endswith("="):
            names = [name for name in self.names if name in names or self._is_of_column(name, label)]
            return min(map(self.of_name, names), default=self.lowest)
        if not names:
            return self.lowest
        narrowest, *wider = sorted(names, key=lambda name: (name != label, beginning_of(name) is not None, -len(name)))
        limit = self.of_name(narrowest)
        for name in wider:
            if (lower := self.of_name(name)) < limit:
                raise ParameterError(
                    f"{param('sensitive')} names {narrowest!r} with the limit {float(limit):.6g}, and {name!r}, which "
                    f"stands for it as well, with the lower {float(lower):.6g}; name all that have the lower one apart",
                    parameter="sensitive",
                )
        return limit

    @staticmethod
    def _is_of_column(name: str, label: str) -> bool:
        """Return whether a name is that of a column, of a value in it or of a beginning; `label` is `column=`."""
        begins = beginning_of(name)
        return name == label[:-1] or name.startswith(label) or (begins is not None and label.startswith(begins))

"""An inference channel, and many of them as arrays.

Anyone who knows the support of every itemset between a base I and a full set J can compute how many rows contain all of
I and nothing else of J: f = sum over I <= X <= J of (-1)^|X - I| sup(X). If 0 < f < k, fewer than k people are singled
out, and the pair is an inference channel (atzori2008, Lemma 1 and Definition 9).

Names        I, J -> base, full;  f_I^J -> support of the channel;  Ch(k, F) -> all channels;  MCh -> maximal channels.
Reference    atzori2008   (docs/papers/atzori2008.md, tests/papers/test_atzori2008.py)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, overload

import numpy as np

from discreet.itemsets import Itemsets
from discreet.patterns.counted_patterns import CountedPatterns
from discreet.patterns.label_lists import label_column
from discreet.tables.arrow_arrays import arrow_numbers
from discreet.tables.tabular import Tabular
from discreet.wording import html_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["Channel", "Channels", "maximal_itemsets"]

_NOTHING: frozenset[str] = frozenset()
_MOST_ABSENT = 3
"""With more items that the group lacks, the sum has more terms than anyone reads."""


@dataclass(frozen=True, slots=True)
class Channel(Tabular):
    """A pair of itemsets from whose supports, and those between them, a small group can be computed.

    `low` to `high` rows hold all of `base` and nothing else of `full`.

    Attributes
    ----------
    base : frozenset of str
        Items that every row of the group holds.
    full : frozenset of str
        `base` and the items that no row of the group holds.
    low, high : int
        The least and the greatest possible size of the group; equal if the supports are known exactly.
    """

    base: frozenset[str]
    full: frozenset[str]
    low: int
    high: int

    @property
    def support(self) -> int:
        """How many rows are singled out; the least number where only a range is known."""
        return self.low

    @property
    def absent(self) -> frozenset[str]:
        """The items that no row of the group holds."""
        return self.full - self.base

    def implied_by(self, other: Channel) -> bool:
        """Return whether `other` is at least as fine: more items present, and more absent.

        This is the order of atzori2008, Definition 15: the finer pattern never has more rows.

        Parameters
        ----------
        other : Channel
            The channel to compare with.

        Returns
        -------
        bool
            Whether knowing `other` gives this channel as well.

        Examples
        --------
        >>> import discreet
        >>> coarse = discreet.Channel(frozenset("e"), frozenset("de"), 1, 1)
        >>> coarse.implied_by(discreet.Channel(frozenset("e"), frozenset("cde"), 1, 1))
        True
        """
        return self.base <= other.base and self.absent <= other.absent

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table of one row: `base`, `full`, `low` and `high`."""
        import pyarrow as pa

        sets = {name: [sorted(getattr(self, name))] for name in ("base", "full")}
        return pa.table({**sets, "low": [self.low], "high": [self.high]}, schema=_columns())

    @property
    def size(self) -> str:
        """How many rows are singled out, in words."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,} to {self.high:,}"

    def _repr_html_(self) -> str:
        """Show the group, and how its size is computed, in a notebook."""
        have, lack = (", ".join(sorted(part)) or "\u2014" for part in (self.base, self.absent))
        sums = ""
        if 1 <= len(self.absent) <= _MOST_ABSENT:
            sums = f"Its size is {_alternating_sum(sorted(self.base), sorted(self.absent))}."
        return html_table(("rows", "have", "have none of"), [(self.size, have, lack)], below=sums)


def _alternating_sum(base: Sequence[str], absent: Sequence[str]) -> str:
    """Return the sum of atzori2008, Lemma 1, in words.

    >>> _alternating_sum(["a"], ["b", "c"])
    'sup(a) \u2212 sup(a, b) \u2212 sup(a, c) + sup(a, b, c)'
    """
    terms = []
    for size in range(len(absent) + 1):
        for more in combinations(absent, size):
            items = [*base, *more]
            support = f"sup({', '.join(items)})" if items else "n"
            terms.append(f"{'−' if size % 2 else '+'} {support}")
    return " ".join(terms).removeprefix("+ ")


def _columns() -> pa.Schema:
    import pyarrow as pa

    labels = pa.list_(pa.string())
    return pa.schema([("base", labels), ("full", labels), ("low", pa.int64()), ("high", pa.int64())])


@dataclass(frozen=True, eq=False, repr=False)
class Channels(Tabular, Sequence[Channel]):
    """Channels as arrays, ordered by full set, then by base; labels are looked up only when a channel is read.

    Channel c has base `bases[c]`, full set `fulls[which[c]]` and between `lows[c]` and `highs[c]` rows.
    """

    vocabulary: Vocabulary
    fulls: Itemsets
    which: NDArray[np.int64]
    bases: Itemsets
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of channels."""
        return len(self.which)

    def chosen(self, numbers: NDArray[np.int64]) -> Channels:
        """Return the channels with these numbers, in this order."""
        bases = self.bases.select(numbers)
        return replace(self, which=self.which[numbers], bases=bases, lows=self.lows[numbers], highs=self.highs[numbers])

    def in_terms_of(self, vocabulary: Vocabulary) -> Channels:
        """Return the same channels with the numbers that their items have in another vocabulary."""
        if vocabulary is self.vocabulary:
            return self
        numbers = np.array([vocabulary.positions[label] for label in self.vocabulary], np.int32)
        fulls, bases = self.fulls.canonical(numbers), self.bases.canonical(numbers)
        return replace(self, vocabulary=vocabulary, fulls=fulls, bases=bases)

    @overload
    def __getitem__(self, index: int) -> Channel: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Channel]: ...
    def __getitem__(self, index: int | slice) -> Channel | Sequence[Channel]:
        """Return one channel with its labels, or several."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        return Channel(
            base=frozenset(self.labels(self.bases[number])),
            full=frozenset(self.labels(self.fulls[int(self.which[number])])),
            low=int(self.lows[number]),
            high=int(self.highs[number]),
        )

    def __iter__(self) -> Iterator[Channel]:
        """Yield the channels in order."""
        return (self[number] for number in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Return whether both list the same channels, by label."""
        return isinstance(other, Channels) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def labels(self, items: NDArray[np.int32]) -> list[str]:
        """Return the labels of an itemset, in canonical order."""
        return [self.vocabulary[item] for item in items.tolist()]

    def smallest_first(self) -> NDArray[np.int64]:
        """Return the channels' numbers, smallest groups first."""
        return np.argsort(self.highs, kind="stable")

    def to_dicts(self, *, ranges: bool = False) -> list[JsonObject]:
        """Return the JSON form: base, full and support, or with `ranges` low and high."""
        fulls = list(self.fulls.labels(self.vocabulary.labels))
        bases = self.bases.labels(self.vocabulary.labels)
        rows = []
        for number, (base, which) in enumerate(zip(bases, self.which.tolist(), strict=True)):
            row: JsonObject = {"base": base, "full": fulls[which]}
            if ranges:
                row |= {"low": int(self.lows[number]), "high": int(self.highs[number])}
            else:
                row["support"] = int(self.lows[number])
            rows.append(row)
        return rows

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each channel: `base`, `full`, `low` and `high`."""
        import pyarrow as pa

        labels = self.vocabulary.labels
        sets = [label_column(sets, labels) for sets in (self.bases, self.fulls.select(self.which))]
        return pa.table([*sets, arrow_numbers(self.lows), arrow_numbers(self.highs)], schema=_columns())

    def __repr__(self) -> str:
        return f"<Channels: {len(self):,}>"

    def _repr_html_(self) -> str:
        """Show the smallest groups in a notebook."""
        shown = 10
        rows = []
        for number in self.smallest_first()[:shown].tolist():
            channel = self[number]
            cells = [", ".join(sorted(part)) or "—" for part in (channel.base, channel.absent)]
            rows.append((channel.size, *cells))
        more = f"… and {len(self) - shown:,} more" if len(self) > shown else ""
        return html_table(("rows", "have", "have none of"), rows, below=more)


def maximal_itemsets(patterns: PatternSet, asked: NDArray[np.bool_] | None = None) -> Itemsets:
    """Return the maximal itemsets of a collection that lists them; the empty itemset if there is no other.

    `asked` selects the items that they may consist of.
    """
    if not len(patterns):
        return Itemsets.only_empty()
    itemsets = patterns.maximal if isinstance(patterns, CountedPatterns) else patterns.itemsets
    if asked is not None:
        itemsets = itemsets.keeping(asked[itemsets.items]).distinct()
    return itemsets.maximal(len(patterns.vocabulary))

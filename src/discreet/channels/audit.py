"""May these patterns be published? The three doors: rows, patterns, rules.

Problem      given what would be published and k, say whether anyone can compute from it a group of 1 to k-1 rows.
Method       the channels of the collection (see `detection`), and those through its border (see `border`).
Promises     safe means: no channel of either kind. Every method and every door gives the same answer where they apply.
Departures   of an incomplete collection only channels count whose every set is listed; of rules, supports are rebuilt
             from printed figures and channels are certain or possible. Both answers say so.
Reference    atzori2008, waim2008
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _kernel
from discreet.channels.border import Border, Derived, find_border_channels
from discreet.channels.channel import Channels, Itemsets, check_k
from discreet.channels.collection import Collection, Kind, collection_of
from discreet.channels.detection import Method, channels_of_patterns, check_method, groups_within
from discreet.channels.grouping import EVERY_SIZE, Groups, small_groups
from discreet.channels.intervals import interval_channels
from discreet.channels.quasi import restrict_patterns
from discreet.channels.row_source import FrequentRows, LocalRows, RowSource
from discreet.channels.rule_supports import supports_behind
from discreet.errors import DataError, ParameterError, TooManyPatterns
from discreet.patterns.formats.given import GivenPatterns, GivenRules
from discreet.patterns.mining import at_least_one
from discreet.patterns.patternset import PatternSet
from discreet.patterns.threshold import absolute_support
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.patterns.threshold import MinSupport
    from discreet.transactions.formats.cell_rules import Names

__all__ = ["DEFAULT_BORDER_DEPTH", "Audit", "audit"]

DEFAULT_BORDER_DEPTH = 2
_MOST_ON_THE_BORDER = 2_000_000
"""Frequent itemsets listed to find their border by."""

_LONGEST_TRIED = 20


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """The answer of an audit: `safe`, the `channels`, and the `border` channels (None where they were not looked for).

    `kind` says what was audited: all or closed itemsets of a complete collection, or an incomplete one, of which "safe"
    means no more than that no channel was found. Channels of rules have a range: `certain` ones lie within 1 .. k-1
    whatever was rounded away.
    """

    k: int
    n: int | None
    min_support: int | None
    method: Method
    kind: Kind
    closed_count: int
    maximal_count: int
    channels: Channels
    border_search: Border | None
    from_rules: bool = False
    rows: Any = field(default=None, repr=False)
    source: FrequentRows | None = field(default=None, repr=False)
    collection: Collection | None = field(default=None, repr=False)

    @property
    def safe(self) -> bool:
        """Whether no channel of either kind was found."""
        return not len(self.channels) and not (self.border is not None and len(self.border))

    @property
    def border(self) -> Channels | None:
        """The border-crossing channels."""
        return None if self.border_search is None else self.border_search.channels

    @property
    def exposed_rows(self) -> int | None:
        """How many rows the channels single out, all together; None where no rows are at hand."""
        return None if self.source is None else self.source.count_exposed(self.channels)

    @cached_property
    def exposed(self) -> NDArray[np.bool_] | None:
        """Which rows the channels single out; None where no rows are in memory."""
        return self.source.find_exposed(self.channels) if isinstance(self.source, LocalRows) else None

    @property
    def least_listed_support(self) -> int | None:
        """The least support of any itemset listed; None where none is."""
        if self.collection is None or not len(self.collection.patterns):
            return None
        return int(self.collection.patterns.supports.min())

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        channels = self.channels.to_dicts()
        if self.from_rules:
            for row, low, high in zip(channels, self.channels.lows.tolist(), self.channels.highs.tolist(), strict=True):
                row |= {"low": low, "high": high, "certain": low >= 1 and high < self.k}
        answer: dict[str, Any] = {
            "safe": self.safe,
            "k": self.k,
            "n": self.n,
            "min_support": self.min_support,
            "method": self.method,
            "kind": self.kind,
            "itemsets": {"closed": self.closed_count, "maximal": self.maximal_count},
            "count": len(self.channels),
            "channels": channels,
            "border": None if self.border is None else self.border.to_dicts(ranges=True),
        }
        if self.border_search is not None:
            search = self.border_search
            answer["border_search"] = {
                "depth": search.depth,
                "itemsets": search.sets,
                "longest": search.longest,
                "complete": search.complete,
            }
        return answer

    def __repr__(self) -> str:
        """Say the answer in one line."""
        word = "safe" if self.safe else "not safe"
        border = "" if self.border is None else f", {len(self.border):,} across the border"
        return f"<Audit: {word} for k = {self.k}; channels: {len(self.channels):,}{border}>"

    def _repr_html_(self) -> str:
        """Show the verdict and the smallest groups in a notebook."""
        word = "SAFE" if self.safe else "NOT SAFE"
        shown = self.channels._repr_html_() if len(self.channels) else ""
        return f"<p><b>{word}</b> {repr(self)[1:-1]}</p>{shown}"


def audit(
    source: Transactions | RowSource | PatternSet | GivenPatterns | GivenRules | Any,  # any data frame of patterns
    *,
    k: int,
    min_support: MinSupport | None = None,
    n: int | None = None,
    method: str = "auto",
    all_channels: bool = False,
    border: bool = True,
    border_depth: int = DEFAULT_BORDER_DEPTH,
    quasi_identifiers: Names | None = None,
) -> Audit:
    """Say whether the frequent itemsets of `source` give away any group of 1 to k-1 rows.

    `source` is Transactions (then give `min_support`), a PatternSet, patterns or rules read from another tool's file,
    or a data frame of the shapes mlxtend, Spark or arules give (then `n` where it has shares or no n of its own).

    >>> rows = Transactions.from_rows(["abc", "abc", "ab", "c", "c"])
    >>> found = audit(rows, k=2, min_support=2)
    >>> found.safe, [(sorted(c.base), sorted(c.full), c.support) for c in found.channels]
    (False, [(['a', 'b'], ['a', 'b', 'c'], 1)])
    """
    k = check_k(k)
    depth = at_least_one("border_depth", border_depth) if border else 0
    if isinstance(source, Transactions):
        source = LocalRows(source)
    if isinstance(source, RowSource):
        checked = check_method(method, rows=True)
        if min_support is None:
            raise ParameterError("an audit of rows needs a minimum support; give min_support", parameter="min_support")
        rows = source.restricted(quasi_identifiers)
        return _audit_rows(rows, k, min_support, checked, depth, all_channels=all_channels)
    checked = check_method(method, rows=False)
    if not isinstance(source, (PatternSet, GivenPatterns, GivenRules)):
        source = _read_frame(source, n=n, min_support=min_support)
    elif n is not None or min_support is not None:
        given = "min_support" if n is None else "n"
        raise ParameterError(f"{given} is part of the patterns or rules already; leave it out", parameter=given)
    if isinstance(source, GivenRules):
        return _audit_rules(source, k, checked)
    return _audit_patterns(
        restrict_patterns(collection_of(source), quasi_identifiers), k, checked, depth, all_channels=all_channels
    )


def _read_frame(frame: Any, *, n: int | None, min_support: MinSupport | None) -> GivenPatterns | GivenRules:
    from discreet.patterns.formats import read_patterns, read_rules
    from discreet.patterns.formats.tables import frame_table

    if any(name.startswith("antecedent") for name in frame_table(frame).columns):
        return read_rules(frame, n=n)
    return read_patterns(frame, n=n, min_support=min_support)


def _audit_rows(
    source: RowSource, k: int, min_support: MinSupport, method: Method, depth: int, *, all_channels: bool
) -> Audit:
    rows = source.frequent(absolute_support(min_support, source.n))
    closed = rows.mine(target="closed")
    collection = Collection(closed, "closed", said=True)
    maximal = rows.mine(target="maximal")
    if method in ("direct", "closed"):
        channels = channels_of_patterns(collection, k=k, method=method, all_channels=all_channels)
    else:
        targets = Itemsets(maximal.offsets, maximal.items) if len(maximal) else Itemsets.only_empty()
        if all_channels and len(maximal):
            everything = collection.everything
            # the empty itemset too: all rows together may be fewer than k
            targets = Itemsets(np.concatenate([[0], everything.offsets]).astype(np.int64), everything.items)
        channels = small_groups(rows.groups(targets, below=k, method=method), targets, rows.vocabulary)

    def groups_of(derived: Derived, targets: Itemsets) -> Groups:
        del derived  # rows know all supports
        return rows.groups(targets, below=EVERY_SIZE)

    search = None
    if depth:
        search = find_border_channels(_frequent(rows), groups_of, k=k, depth=depth)
    return Audit(
        k=k,
        n=source.n,
        min_support=closed.min_support,
        method=method,
        kind="all",
        closed_count=len(closed),
        maximal_count=len(maximal),
        channels=channels,
        border_search=search,
        rows=source.rows,
        source=rows,
        collection=collection,
    )


def _frequent(rows: FrequentRows) -> PatternSet:
    """Return all frequent itemsets, or those up to the greatest length at which they are not too many to list."""
    try:
        return rows.mine(target="all", max_patterns=_MOST_ON_THE_BORDER)
    except TooManyPatterns:
        pass
    found = rows.mine(target="all", max_length=1)
    for length in range(2, _LONGEST_TRIED):
        try:
            found = rows.mine(target="all", max_length=length, max_patterns=_MOST_ON_THE_BORDER)
        except TooManyPatterns:
            break
    return found


def _audit_patterns(collection: Collection, k: int, method: Method, depth: int, *, all_channels: bool) -> Audit:
    try:
        return _audit_collection(collection, k, method, depth, all_channels=all_channels)
    except DataError:
        if collection.said or collection.kind != "closed":
            raise
    # Nobody said that they are all closed ones, and they cannot be: then some are missing.
    return _audit_collection(replace(collection, kind="incomplete"), k, method, depth, all_channels=all_channels)


def _audit_collection(collection: Collection, k: int, method: Method, depth: int, *, all_channels: bool) -> Audit:
    patterns = collection.patterns
    if collection.kind == "incomplete":
        itemsets = Itemsets(patterns.offsets, patterns.items)
        channels = interval_channels(
            itemsets, patterns.supports, patterns.supports, patterns.n, patterns.vocabulary, k=k
        )
        return _answer(collection, k, method, channels, None)
    channels = channels_of_patterns(collection, k=k, method=method, all_channels=all_channels)

    def groups_of(derived: Derived, targets: Itemsets) -> Groups:
        return groups_within(collection, targets, below=EVERY_SIZE, beside=derived, border=True)

    search = None
    if depth:
        search = find_border_channels(_listed(collection), groups_of, k=k, depth=depth)
    return _answer(collection, k, method, channels, search)


def _listed(collection: Collection) -> PatternSet:
    """Return all itemsets of a collection, or the single items where they are too many to list."""
    try:
        return collection.everything
    except TooManyPatterns:
        return collection.single_items


def _answer(collection: Collection, k: int, method: Method, channels: Channels, search: Border | None) -> Audit:
    patterns = collection.patterns
    incomplete = collection.kind == "incomplete"
    return Audit(
        k=k,
        n=patterns.n,
        min_support=patterns.min_support,
        method=method,
        kind=collection.kind,
        closed_count=len(patterns) if incomplete else len(collection.closed),
        maximal_count=len(collection.maximal) if len(patterns) else 0,
        channels=channels,
        border_search=search,
        collection=collection,
    )


def _audit_rules(rules: GivenRules, k: int, method: Method) -> Audit:
    known = supports_behind(rules)
    channels = interval_channels(known.itemsets, known.lows, known.highs, known.n, rules.vocabulary, k=k)
    flags = _kernel.find_maximal(known.itemsets.offsets, known.itemsets.items, len(rules.vocabulary))
    return Audit(
        k=k,
        n=known.n,
        min_support=int(known.lows.min()) if len(known.lows) else None,
        method=method,
        kind="incomplete",
        closed_count=len(known.itemsets),
        maximal_count=int(flags.sum()),
        channels=channels,
        border_search=None,
        from_rules=True,
    )

"""Decide whether patterns may be published. There are three entry points: rows, patterns and rules.

Problem      given what would be published and k, decide whether anyone can compute a group of 1 to k-1 rows from it;
             given sensitive items and rho as well, whether anyone can conclude one of them with rho or more.
Method       the channels of the collection (see `detection`); inferences beyond it, by quick rules (see `border`) and
             by linear programs (see `attacker`); and if nothing is found, a data set that proves it (see `witness`).
             Conclusions about sensitive items are found by counting and by linear programs (see `conclusions`).
Promises     "safe" means no channel, and no group that the attacker found within its budget. All methods and all entry
             points that apply agree. "proved" means that no group of 1 to k-1 rows follows, over any items.
             A verdict that depends on the number of rows, where that is not known for certain, is refused.
Departures   in an incomplete collection, a channel counts only if all its itemsets are listed. For rules, supports are
             rebuilt from printed figures, and channels are certain or possible. Both answers say so.
Reference    atzori2008, waim2008
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, Attack, StepBudget, check_steps, no_data_set
from discreet.channels.audit_scope import MINING, AuditScope, attack_collection, attack_rules, part_of
from discreet.channels.border import Border, Derived, find_border_channels, frequent_up_to, listed_in
from discreet.channels.collection import Collection, CollectionKind, collection_of
from discreet.channels.conclusions import Asked
from discreet.channels.derivation import bounds_of, deduce, figures_of, proved_groups, sum_behind, sum_in_words
from discreet.channels.detection import DetectionMethod, channels_of_patterns, check_method, groups_within
from discreet.channels.exclusive import Exclusive, exclusive_of_source
from discreet.channels.grouping import EVERY_SIZE, Groups, small_groups
from discreet.channels.intervals import interval_channels
from discreet.channels.knowledge import Layer
from discreet.channels.quasi_identifiers import restrict_channels, restrict_patterns, without_unknown
from discreet.channels.row_source import FrequentRows, LocalRows, RowSource
from discreet.channels.rule_supports import supports_behind
from discreet.channels.unsure_n import refuse_unsure_n
from discreet.channels.witness import find_witness
from discreet.errors import DataError, ParameterError, param
from discreet.patterns.counted_patterns import CountedPatterns
from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
from discreet.patterns.patternset import PatternSet
from discreet.patterns.reading import given_in
from discreet.tables.arrow_arrays import arrow_numbers, arrow_texts
from discreet.tables.tabular import Tabular
from discreet.thresholds import K, MinSupport, ShareLike, Support
from discreet.transactions.transactions import Transactions
from discreet.wording import ROWS, html_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.channels.channel import Channels
    from discreet.channels.conclusions import Conclusions
    from discreet.channels.exclusive_names import Named
    from discreet.itemsets import Itemsets
    from discreet.json_types import JsonObject
    from discreet.patterns.pattern_read import PatternRead
    from discreet.transactions.read_record import ReadRecord
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.wording import Unit

__all__ = ["Audit", "Verdict", "audit", "is_safe"]

Verdict: TypeAlias = Literal["safe", "not-safe", "incomplete", "nothing"]

_MOST_TERMS = 8
"""Terms of a sum that a notebook shows."""

_WITNESS_STEPS = 200
"""The budget of an audit's search for a proof of safety."""

_QUICK_DEPTH = 2
"""How far the quick rules carry exact supports outward."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Tabular):
    """The result of an audit: the verdict, the channels, and what an attacker infers beyond them.

    Attributes
    ----------
    k : int
        The least size of a group that may be known.
    n : int or None
        The number of rows, if known.
    min_support : int or None
        The minimum support in rows, if known.
    method : str
        How channels were detected.
    kind : str
        What was audited: a complete collection of all or closed itemsets, or an incomplete one, for which "safe" means
        no more than that no channel was found.
    closed_count, maximal_count : int
        The numbers of closed and of maximal itemsets.
    channels : sequence of Channel
        The channels of the collection. Those of rules have a range of sizes.
    attack : Attack or None
        What the attacker found, and how far it searched; None if it was not run.
    exclusive : Exclusive
        Which items were taken to exclude each other.
    witness : Transactions or None
        A data set that agrees with everything published and has every kind of row 0 or at least k times. It proves that
        no small group follows.
    from_rules : bool
        Whether rules were audited.
    asked : Asked or None
        Which conclusions about sensitive items were looked for; None if none were.
    conclusions : sequence of Conclusion or None
        The conclusions about sensitive items, surest first; None if none were looked for.
    rows : Transactions or None
        The rows, if rows were audited.
    source, collection
        The frequent rows and the closed itemsets that the answer was computed from.
    public
        The collection that the conclusions were drawn from: all items, not only quasi-identifiers.
    read : ReadRecord, PatternRead or None
        How the rows, patterns or rules were read, if they were read from anything.
    """

    k: int
    n: int | None
    min_support: int | None
    method: DetectionMethod
    kind: CollectionKind
    closed_count: int
    maximal_count: int
    channels: Channels
    attack: Attack | None
    exclusive: Exclusive = field(default_factory=Exclusive)
    witness: Transactions | None = field(default=None, repr=False)
    from_rules: bool = False
    asked: Asked | None = None
    conclusions: Conclusions | None = None
    rows: Any = field(default=None, repr=False)
    source: FrequentRows | None = field(default=None, repr=False)
    collection: Collection | None = field(default=None, repr=False)
    public: Collection | None = field(default=None, repr=False)
    read: ReadRecord | PatternRead | None = field(default=None, repr=False)

    @property
    def unit(self) -> Unit:
        """What a row is, if the rows' owner said so."""
        read = getattr(self.rows, "read", None)
        return ROWS if read is None else read.what_a_row_is

    @property
    def safe(self) -> bool:
        """Whether no small group was found, and no conclusion about a sensitive item if those were looked for."""
        return self.groups_safe and not self.conclusions

    @property
    def groups_safe(self) -> bool:
        """Whether no channel was found, neither in the collection nor across its border."""
        return not len(self.channels) and not (self.border is not None and len(self.border))

    @property
    def rho(self) -> Fraction | None:
        """The share that no conclusion about a sensitive item may reach; None if none were looked for."""
        return None if self.asked is None else self.asked.rho

    @property
    def verdict(self) -> Verdict:
        """The verdict as one word: "safe", "not-safe", "incomplete" or "nothing".

        An incomplete collection is never called safe, nor is one without any itemset.
        """
        if not self.safe:
            return "not-safe"
        if self.kind == "incomplete":
            return "incomplete"
        return "safe" if self.closed_count else "nothing"

    @property
    def border(self) -> Channels | None:
        """The groups that follow across the border; None if the search did not include them."""
        return None if self.attack is None else self.attack.groups

    @property
    def proved(self) -> bool:
        """Whether a witness proves that no group of 1 to k-1 rows follows; it says nothing about conclusions."""
        return self.witness is not None

    @property
    def small_groups(self) -> tuple[Channels, ...]:
        """The lists of small groups that follow: the channels, and what the attacker found beyond them."""
        return tuple(groups for groups in (self.channels, self.border) if groups is not None and len(groups))

    @cached_property
    def exposed_rows(self) -> int | None:
        """How many rows are in a small group that follows; None if the rows are not known."""
        return None if self.source is None else self.source.count_exposed(*self.small_groups)

    @cached_property
    def exposed(self) -> NDArray[np.bool_] | None:
        """Which rows are in a small group that follows; None if the rows are not in memory."""
        return self.source.find_exposed(*self.small_groups) if isinstance(self.source, LocalRows) else None

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        channels = self.channels.to_dicts()
        if self.from_rules:
            for row, low, high in zip(channels, self.channels.lows.tolist(), self.channels.highs.tolist(), strict=True):
                row |= {"low": low, "high": high, "certain": low >= 1 and high < self.k}
        answer: JsonObject = {
            "safe": self.verdict == "safe",
            "verdict": self.verdict,
            "k": self.k,
            "n": self.n,
            "min_support": self.min_support,
            "method": self.method,
            "kind": self.kind,
            "itemsets": {"closed": self.closed_count, "maximal": self.maximal_count},
            "count": len(self.channels),
            "channels": channels,
            "border": None if self.attack is None else proved_groups(self.attack),
            "attack": None if self.attack is None else self.attack.to_dict(),
            "proved": self.proved,
        }
        if self.asked is not None and self.conclusions is not None:
            answer |= {"sensitive": len(self.asked.sensitive)} | self.conclusions.to_dict()
        return answer

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each small group: `where` it was found, `base`, `full`, `low`, `high`.

        A group is a channel `in the patterns`, or follows `across the border`.
        """
        import pyarrow as pa

        found = {"in the patterns": self.channels, "across the border": self.border}
        tables = []
        for where, groups in found.items():
            if groups is not None:
                column = arrow_texts([where]).take(arrow_numbers(np.zeros(len(groups), np.int32)))
                table = groups.to_arrow()
                tables.append(pa.table([column, *table.columns], names=["where", *table.column_names]))
        return pa.concat_tables(tables)

    def __repr__(self) -> str:
        return f"<Audit: {self.verdict.replace('-', ' ')} {self._counts()}>"

    def _counts(self) -> str:
        """Return for which k, and how many groups and conclusions were found."""
        border = "" if self.border is None else f", {len(self.border):,} across the border"
        told = "" if self.conclusions is None else f"; conclusions of {self.rho} or more: {len(self.conclusions):,}"
        return f"for k = {self.k}; channels: {len(self.channels):,}{border}{told}"

    def _repr_html_(self) -> str:
        """Show the verdict, the smallest groups, how one of them is computed, and what to do, in a notebook."""
        word = self.verdict.replace("-", " ").upper()
        looked_at_all = self.proved or (self.attack is not None and self.attack.complete)
        doubt = "; not proved" if self.verdict == "safe" and not looked_at_all else ""
        read = [] if self.read is None else [self.read.sentence()]
        parts = [html_table((), [], above=words) for words in (f"{word} {self._counts()}{doubt}", *read)]
        for title, groups in (("In the patterns:", self.channels), ("Across the border:", self.border)):
            if groups is not None and len(groups):
                parts += [html_table((), [], above=title), groups._repr_html_()]
        parts += [html_table((), [], above=words) for words in (*self._arithmetic(), self._advice())]
        return "".join(parts)

    def _arithmetic(self) -> Iterator[str]:
        """Yield how the smallest group of each kind is computed, if that takes few figures."""
        if len(self.channels):
            place = int(self.channels.smallest_first()[0])
            terms = sum_behind(self, place, most=_MOST_TERMS)
            if terms is not None:
                yield f"The smallest one: {sum_in_words(figures_of(terms), int(self.channels.lows[place]))}"
        if self.attack is not None and len(self.attack.groups):
            groups = self.attack.groups
            place = int(groups.smallest_first()[0])
            for bound in bounds_of(deduce(self.attack, [place])[0], int(groups.lows[place]), int(groups.highs[place])):
                if bound.figures is not None:
                    yield f"Across the border, {bound.side}: {sum_in_words(bound.figures, bound.rows)}"

    def _advice(self) -> str:
        """Return what to do, in terms of Python."""
        if self.verdict == "safe":
            return "Publish with discreet.release, which keeps the evidence."
        if self.verdict != "not-safe":
            return "Not judged as a whole: audit the rows, or all patterns of one support."
        if self.rows is None:
            return "Publish fewer patterns, or, where the rows are, what discreet.block makes of them."
        return (
            f"discreet.block(rows, k={self.k}, min_support={self.min_support}, method='suppressive') makes them safe; "
            "discreet.tradeoff shows from which min_support on nothing is to be blocked."
        )


def audit(
    source: Transactions | RowSource | PatternSet | ImportedPatterns | ImportedRules | Any,  # any data frame
    *,
    k: int,
    min_support: MinSupport | None = None,
    n: int | None = None,
    method: str = "auto",
    all_channels: bool = False,
    border: bool = True,
    attack_steps: StepBudget = DEFAULT_ATTACK_STEPS,
    exclusive: Named | Exclusive | None = None,
    quasi_identifiers: Names | frozenset[str] | None = None,
    sensitive: Names | frozenset[str] | None = None,
    rho: ShareLike | None = None,
    ignore_unknown: bool = False,
    progress: Callable[[float, int], object] | None = None,
) -> Audit:
    """Decide whether the frequent itemsets of `source` disclose any group of 1 to k-1 rows, or a sensitive item.

    Parameters
    ----------
    source : Transactions, PatternSet, ImportedPatterns, ImportedRules or data frame
        Rows, or patterns or rules: mined here, read from another tool's file, or in a data frame of mlxtend, Spark or
        arules. A frame of rows has one-hot columns, or one column of lists (pandas, polars, Arrow, Spark).
    k : int
        The least size of a group that may be known, at least 2.
    min_support : int, str, float or Fraction, optional
        Which itemsets of rows would be published, as for `mine`; the threshold of patterns in a data frame.
    n : int, optional
        The number of rows, for a data frame that has shares or no n of its own.
    method : str, default "auto"
        How channels are detected; every method gives the same answer.
    all_channels : bool, default False
        Whether to list all channels, not only the maximal ones.
    border : bool, default True
        Whether to search across the border for what an attacker infers about unpublished itemsets. Without it the
        answer is that of atzori2008 alone.
    attack_steps : int or "all"
        The attacker's budget.
    exclusive : names, path or lists of names, optional
        Items of which a row has at most one. The values of a table's column are known to be exclusive.
    quasi_identifiers : names, optional
        Look only for groups that are described by these items or columns (`diag*`: what begins with diag).
    sensitive : names, optional
        Items or columns that nobody may conclude: no group of quasi-identifiers (of all other items, without a list)
        may be known to have one of them in a share of `rho` or more.
    rho : str, float or Fraction, optional
        That share, above 0; needed with `sensitive`.
    ignore_unknown : bool, default False
        Skip labels in `quasi_identifiers`, `sensitive` and `exclusive` that stand for nothing in the data.
    progress : callable, optional
        Called a few times a second with the share of the work that is done, and the number of itemsets found or of
        windows examined so far.

    Returns
    -------
    Audit
        The verdict and its evidence.

    Raises
    ------
    ParameterError
        A parameter has an unusable value, is missing, or does not apply to this source.
    DataError
        The patterns or rules contradict each other, or the frame is not in a known form.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows(["abc", "abc", "ab", "c", "c"])
    >>> found = discreet.audit(rows, k=2, min_support=2)
    >>> found.safe, [(sorted(c.base), sorted(c.full), c.support) for c in found.channels]
    (False, [(['a', 'b'], ['a', 'b', 'c'], 1)])
    """
    k, steps = K.parse(k), check_steps(attack_steps)
    source = _source(source, n, min_support)
    checked = check_method(method, rows=isinstance(source, RowSource))
    if ignore_unknown:
        quasi_identifiers, exclusive = without_unknown(source, quasi_identifiers, exclusive)
    labels = source.all_labels() if isinstance(source, RowSource) else source.vocabulary.labels
    asked = Asked.parse(sensitive, rho, quasi_identifiers, labels, ignore_unknown=ignore_unknown)
    look = AuditScope(k, steps, exclusive, quasi_identifiers, border, all_channels, sensitive=asked, progress=progress)
    if isinstance(source, LocalRows) and progress is not None:
        source = replace(source, progress=part_of(progress, 0, MINING if border else 1))
    if isinstance(source, RowSource):
        if min_support is None:
            raise ParameterError(
                f"an audit of rows needs a minimum support; give {param('min_support')}", parameter="min_support"
            )
        return _audit_rows(source, min_support, checked, look)
    found = replace(_audit_given(source, checked, look), read=source.read)
    if not isinstance(source, PatternSet):
        refuse_unsure_n(source, found, lambda other: _audit_given(other, checked, replace(look, prove=False)))
    return found


def _source(
    given: Any, n: int | None, min_support: MinSupport | None
) -> RowSource | PatternSet | ImportedPatterns | ImportedRules:
    """Return what is audited: rows, patterns or rules; a data frame shows which it holds."""
    if isinstance(given, (PatternSet, ImportedPatterns, ImportedRules)):
        if n is None and min_support is None:
            return given
        twice = "min_support" if n is None else "n"
        raise ParameterError(f"{param(twice)} is part of the patterns or rules already; leave it out", parameter=twice)
    if not isinstance(given, (Transactions, RowSource)):
        given = given_in(given, n=n, min_support=min_support)
        if isinstance(given, (ImportedPatterns, ImportedRules)):
            return given
    if n is not None:
        raise ParameterError(f"{param('n')} is for patterns; rows are counted, so leave it out", parameter="n")
    return LocalRows(given) if isinstance(given, Transactions) else given


def _audit_given(
    source: PatternSet | ImportedPatterns | ImportedRules, method: DetectionMethod, look: AuditScope
) -> Audit:
    if isinstance(source, ImportedRules):
        return _audit_rules(source, method, look)
    return _audit_patterns(collection_of(source, without_n=True), method, look)


def is_safe(
    collection: Collection, *, k: int, steps: int | None, exclusive: Exclusive, quasi_identifiers: Names | None
) -> bool:
    """Return whether an audit of a collection finds nothing; does not search for a proof."""
    look = AuditScope(k, steps, exclusive, quasi_identifiers, border=True, prove=False)
    return _audit_patterns(collection, "auto", look).safe


def _audit_rows(everything: RowSource, min_support: MinSupport, method: DetectionMethod, look: AuditScope) -> Audit:
    k, all_channels = look.k, look.all_channels
    source = everything.restricted(look.quasi_identifiers)
    sigma = Support.parse(min_support).of(source.n)
    rows = source.frequent(sigma)
    closed = rows.closed
    collection = Collection(closed, "closed", said=True)
    maximal = collection.maximal
    if method in ("direct", "closed"):
        channels = channels_of_patterns(collection, k=k, method=method, all_channels=all_channels)
    else:
        targets = maximal
        if all_channels and len(closed):
            # including the empty itemset: there may be fewer than k rows in total
            targets = collection.everything.itemsets.with_empty()
        channels = small_groups(rows.groups(targets, below=k, method=method), targets, rows.vocabulary)

    def groups_of(derived: Derived, targets: Itemsets) -> Groups:
        del derived  # all supports are known from the rows
        return rows.groups(targets, below=EVERY_SIZE)

    public = collection  # anything public may reveal something about the quasi-identifiers
    if look.quasi_identifiers is not None and (look.border or look.sensitive is not None):
        public = Collection(everything.frequent(sigma).closed, "closed", said=True)
    exclusive = exclusive_of_source(everything, public.patterns, look.exclusive)
    found = first = kinds = None
    if look.border:
        kinds = everything.frequent(sigma).kinds
        first = find_border_channels(frequent_up_to(rows, collection), groups_of, k=k, depth=_QUICK_DEPTH)
        found = attack_collection(public, first, exclusive, look, kinds)
    return _proved(
        Audit(
            k=k,
            n=source.n,
            min_support=closed.min_support,
            method=method,
            kind="all",
            closed_count=len(closed),
            maximal_count=len(maximal) if len(closed) else 0,
            channels=channels,
            attack=found,
            exclusive=exclusive,
            asked=look.sensitive,
            conclusions=look.conclusions(public, found, first, kinds),
            rows=source.rows,
            read=getattr(source.rows, "read", None),
            source=rows,
            collection=collection,
            public=public,
        ),
        look,
    )


def _proved(found: Audit, look: AuditScope) -> Audit:
    """Search for a data set that proves that nothing follows, if nothing was found."""
    if (
        not look.prove
        or not found.safe
        or not look.border
        or found.collection is None
        or look.quasi_identifiers is not None
    ):
        return found
    if found.kind == "incomplete" or not found.collection.counted or not len(found.collection.patterns):
        return found
    rows = None if found.source is None else found.source.kinds
    patterns = found.collection.patterns
    if isinstance(patterns, CountedPatterns):
        return found
    exclusive = found.exclusive.itemsets(patterns.vocabulary)
    return replace(
        found, witness=find_witness(patterns, k=found.k, exclusive=exclusive, rows=rows, steps=_WITNESS_STEPS)
    )


def _audit_patterns(collection: Collection, method: DetectionMethod, look: AuditScope) -> Audit:
    try:
        return _audit_collection(collection, method, look)
    except DataError:
        other = collection.if_not_whole
        if other is None:
            raise
    return _audit_collection(other, method, look)


def _audit_collection(public: Collection, method: DetectionMethod, look: AuditScope) -> Audit:
    collection = restrict_patterns(public, look.quasi_identifiers)
    patterns = collection.patterns
    exclusive = look.exclusive_in(public.patterns)
    if collection.kind == "incomplete":
        n = patterns.n if collection.counted else None
        channels = interval_channels(
            patterns.itemsets, patterns.supports, patterns.supports, n, patterns.vocabulary, k=look.k
        )
        found = attack_collection(public, None, exclusive, look).without(channels) if look.border else None
        return _answer(collection, public, method, look, channels=channels, found=found, exclusive=exclusive)
    channels = channels_of_patterns(collection, k=look.k, method=method, all_channels=look.all_channels)

    def groups_of(derived: Derived, targets: Itemsets) -> Groups:
        return groups_within(collection, targets, below=EVERY_SIZE, derived=derived, border=True)

    found = first = None
    if look.border and not collection.counted:
        found = attack_collection(public, None, exclusive, look).without(channels)
    elif look.border:
        first = find_border_channels(listed_in(collection), groups_of, k=look.k, depth=_QUICK_DEPTH)
        if first.impossible:
            raise no_data_set()
        found = attack_collection(public, first, exclusive, look)
    answer = _answer(collection, public, method, look, channels=channels, found=found, exclusive=exclusive, first=first)
    return _proved(answer, look)


def _answer(
    collection: Collection,
    public: Collection,
    method: DetectionMethod,
    look: AuditScope,
    *,
    channels: Channels,
    found: Attack | None,
    exclusive: Exclusive,
    first: Border | None = None,
) -> Audit:
    patterns = collection.patterns
    incomplete = collection.kind == "incomplete"
    return Audit(
        k=look.k,
        n=patterns.n if collection.counted else None,
        min_support=patterns.min_support,
        method=method,
        kind=collection.kind,
        closed_count=len(patterns) if incomplete else len(collection.closed),
        maximal_count=len(collection.maximal) if len(patterns) else 0,
        channels=channels,
        attack=found,
        exclusive=exclusive,
        asked=look.sensitive,
        conclusions=look.conclusions(public, found, first),
        collection=collection,
        public=public,
    )


def _audit_rules(rules: ImportedRules, method: DetectionMethod, look: AuditScope) -> Audit:
    known = supports_behind(rules)
    channels = interval_channels(known.itemsets, known.lows, known.highs, known.n, rules.vocabulary, k=look.k)
    asked = look.asked(rules.vocabulary)
    if asked is not None:
        channels = restrict_channels(channels, asked)
    maximal = known.itemsets.maximal(len(rules.vocabulary))
    exclusive = look.exclusive_in_rules(rules.vocabulary)
    public = known.exact(rules.vocabulary)
    found = None
    if look.border and len(known.itemsets):
        layer = Layer(known.itemsets, known.lows, known.highs, known.n, ceiling=None, closed=False)
        found = attack_rules(rules.vocabulary, layer, maximal, exclusive, look).without(channels)
    return Audit(
        k=look.k,
        n=known.n,
        min_support=int(known.lows.min()) if len(known.lows) else None,
        method=method,
        kind="incomplete",
        closed_count=len(known.itemsets),
        maximal_count=len(maximal),
        channels=channels,
        attack=found,
        exclusive=exclusive,
        asked=look.sensitive,
        conclusions=look.conclusions(public, found),
        from_rules=True,
        public=public,
    )

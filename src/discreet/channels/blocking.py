"""Make patterns safe with little distortion, and prove the result safe.

Problem      given rows, a minimum support and k, return patterns from which no group of 1 to k-1 rows can be computed.
Method       raise supports (see `additive`) or leave rows out (see `suppressive`). Run the attacker on the result, and
             free the groups it finds (see `repair`), or leave those rows out. Then audit the result from its patterns
             alone, by a different method than the one that found the channels. Repeat until that audit is safe.
             With `sensitive`, itemsets are withheld at the end (see `withholding`).
Promises     the returned patterns have passed that audit. They are compatible with a data set, the `witness`: the rows
             plus the virtual ones, or the rows kept. If safety cannot be reached, NotSafe is raised instead. If every
             row of a table has a value in some columns, so do the virtual rows, so that they cannot be noticed.
Departures   sigma below k is raised to k (section 5). If suppression leaves fewer than sigma rows, nothing may be
             published, not even the number of rows.
Reference    atzori2008, section 7   (docs/papers/atzori2008.md, tests/papers/test_blocking.py)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from discreet import _kernel
from discreet.channels.addable import AddableRows
from discreet.channels.additive import VirtualRows, choose_virtual_rows, raised, with_rows, without_new_itemsets
from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, attack, check_steps
from discreet.channels.audit import audit
from discreet.channels.channel import Channels, maximal_itemsets
from discreet.channels.collection import collection_of
from discreet.channels.distortion import Distortion, measure_distortion
from discreet.channels.exclusive import Exclusive, exclusive_of_source
from discreet.channels.fewest_rows import suppress_fewest
from discreet.channels.grouping import small_groups
from discreet.channels.knowledge import Knowledge
from discreet.channels.quasi_identifiers import chosen_items, without_unknown
from discreet.channels.removal import find_removal
from discreet.channels.repair import choose_freeing_rows
from discreet.channels.row_source import LocalRows, RowSource
from discreet.channels.suppressive import Kept, falls_of
from discreet.channels.withholding import withhold
from discreet.errors import NotSafe, ParameterError, param
from discreet.itemsets import Itemsets
from discreet.patterns.expansion import expand_closed
from discreet.stages import share_of, tell
from discreet.tables.tabular import Tabular
from discreet.thresholds import K, MinSupport, Support, one_of, refuse_few_rows
from discreet.transactions.disk_rows import are_on_disk
from discreet.transactions.frame_rows import rows_given
from discreet.transactions.label_names import resolve, without_limits
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.transactions import Transactions
from discreet.wording import html_table, label_text, share

if TYPE_CHECKING:
    from fractions import Fraction

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.channels.attacker import Attack, StepBudget
    from discreet.channels.audit import Audit
    from discreet.channels.exclusive_names import Named
    from discreet.channels.row_source import FrequentRows, KeptRows
    from discreet.json_types import JsonObject
    from discreet.patterns.patternset import PatternSet
    from discreet.thresholds import ShareLike
    from discreet.transactions.read_record import ReadRecord
    from discreet.transactions.shapes.cell_rules import Names

__all__ = ["Blocked", "BlockingMethod", "Change", "Merged", "block"]

BlockingMethod = Literal["additive", "suppressive"]
_MOST_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Merged:
    """Channels that k virtual rows equal to `base` block together: no row has `base` and nothing else of `full`."""

    base: frozenset[str]
    full: frozenset[str]


@dataclass(frozen=True, eq=False)
class Change:
    """What blocking did: the closed itemsets before, their supports after, and what each virtual row blocks."""

    closed: PatternSet
    supports: NDArray[np.int64]
    virtual: Itemsets
    blocked: tuple[Channels, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Blocked(Tabular):
    """Safe patterns, and what they cost.

    Only `patterns` may be published. Everything else shows what was changed, and is for the owner alone.

    Attributes
    ----------
    method : {"additive", "suppressive"}
        How the patterns were made safe.
    k : int
        The least size of a group that may be known.
    min_support : int
        The minimum support in rows, at least k.
    asked_support : int
        The minimum support that was asked for.
    n_before, n_after : int
        The number of rows before and after.
    channels_before, channels_after : int
        The number of maximal channels before and after.
    plain_rows : int or None
        How many of the virtual rows hold no item that was published.
    patterns : PatternSet
        The patterns that may be published.
    before : array of int64
        The supports of `patterns` in the original rows.
    proof : Audit
        The audit of the result.
    witness : Transactions or None
        Rows from which exactly these patterns would be mined.
    change : Change
        What was added or left out.
    rho : Fraction or None
        The share that no group is known to reach for a sensitive item, if that was asked for.
    withheld : PatternSet or None
        The itemsets that were withheld for it.
    read : ReadRecord or None
        How the rows were read, if they were read from anything.
    """

    method: BlockingMethod
    k: int
    min_support: int
    asked_support: int
    n_before: int
    n_after: int
    channels_before: int
    channels_after: int
    plain_rows: int | None
    patterns: PatternSet
    before: NDArray[np.int64] = field(repr=False)
    proof: Audit = field(repr=False)
    witness: Any = field(repr=False)
    change: Change = field(repr=False)
    rho: Fraction | None = None
    withheld: PatternSet | None = field(default=None, repr=False)
    read: ReadRecord | None = field(default=None, repr=False)

    @cached_property
    def distortion(self) -> Distortion:
        """Four measures of what the change cost."""
        return measure_distortion(self.change.closed, self.change.supports, n_after=self.n_after)

    @cached_property
    def merged(self) -> tuple[Merged, ...]:
        """What each virtual row blocks; empty if rows were left out."""
        return _merged(self.change)

    @property
    def verdict(self) -> Literal["safe", "nothing"]:
        """The verdict as one word: "safe", or "nothing" if no itemset is left to publish."""
        return "safe" if len(self.patterns) else "nothing"

    def to_dict(self) -> JsonObject:
        """Return the JSON form, including the supports before blocking."""
        place = {label: item for item, label in enumerate(self.change.closed.vocabulary)}
        itemsets = [
            {"items": labels, "support": support, "before": before}
            for (labels, support), before in zip(self.patterns.listed(), self.before.tolist(), strict=True)
        ]
        merged = [
            {"base": sorted(merge.base, key=place.__getitem__), "full": sorted(merge.full, key=place.__getitem__)}
            for merge in self.merged
        ]
        document: JsonObject = {
            "safe": self.verdict == "safe",
            "verdict": self.verdict,
            "method": self.method,
            "k": self.k,
            "min_support": self.min_support,
            "n_before": self.n_before,
            "n_after": self.n_after,
            "channels_before": self.channels_before,
            "channels_after": self.channels_after,
            "merged": merged,
            "distortion": self.distortion.to_dict(),
            "itemsets": itemsets,
            "plain_rows": self.plain_rows,
        }
        if self.withheld is not None:
            document |= {"rho": str(self.rho), "withheld": self.withheld.to_dict()["itemsets"]}
        return document

    def to_arrow(self) -> pa.Table:
        """Return the patterns that may be published, as an Arrow table of `items` and `support`."""
        return self.patterns.to_arrow()

    def __repr__(self) -> str:
        change = f"{self.distortion.rows:,} rows {'added' if self.method == 'additive' else 'left out'}"
        return f"<Blocked: {len(self.patterns):,} itemsets safe for k = {self.k}; {change}>"

    def _repr_html_(self) -> str:
        """Show what blocking changed, and the itemsets, in a notebook."""
        change = self.distortion
        costs = [
            ("rows added" if self.method == "additive" else "rows left out", f"{change.rows:,}"),
            ("supports changed", share(change.changed)),
            ("changed on average by", share(change.average)),
            ("changed at most by", share(change.worst)),
        ]
        advice = "Publish patterns alone, with discreet.release; the cost is for you alone."
        return html_table(("cost", ""), costs, above=repr(self)[1:-1], below=advice) + self.patterns._repr_html_()


def block(
    rows: Transactions | RowSource | Any,  # any data frame of rows
    *,
    k: int,
    min_support: MinSupport,
    method: BlockingMethod,
    target: Literal["closed", "all"] = "closed",
    border: bool = True,
    attack_steps: StepBudget = DEFAULT_ATTACK_STEPS,
    exclusive: Named | Exclusive | None = None,
    merging: Literal["best", "paper"] = "best",
    minimal: bool = False,
    quasi_identifiers: Names | None = None,
    sensitive: Names | frozenset[str] | None = None,
    rho: ShareLike | None = None,
    ignore_unknown: bool = False,
) -> Blocked:
    """Return patterns of the rows from which no group of 1 to k-1 rows can be computed.

    Parameters
    ----------
    rows : Transactions or data frame
        The rows; of a frame, one-hot columns or one column of lists.
    k : int
        The least size of a group that may be known, at least 2.
    min_support : int, str, float or Fraction
        The itemsets to publish, as for `mine`; a support below k is raised to k.
    method : {"additive", "suppressive"}
        Raise supports, as if rows had been added, or leave some rows out.
    target : {"closed", "all"}
        Which itemsets to publish.
    border : bool, default True
        Whether to block what an attacker infers across the border as well, within `attack_steps`.
        Without it the answer is that of atzori2008 alone.
    attack_steps : int or "all"
        The attacker's budget.
    exclusive : names, path or lists of names, optional
        Items of which a row has at most one, as for `audit`.
    merging : {"best", "paper"}
        How additive blocking merges channels: for the fewest virtual rows, or in the paper's plain order.
    minimal : bool, default False
        Whether suppressive blocking searches for the fewest rows to leave out, which can take long.
    quasi_identifiers : names, optional
        Protect only against groups described by these items or columns (`diag*`: what begins with diag); all itemsets
        are published.
    sensitive : names, optional
        Items or columns that nobody may conclude: itemsets are withheld until no group is known to have one of these
        with a share of `rho` or more.
    rho : str, float or Fraction, optional
        This share, in (0, 1]; needed with `sensitive`.
    ignore_unknown : bool, default False
        Skip labels in `quasi_identifiers`, `sensitive` and `exclusive` that stand for nothing in the data.

    Returns
    -------
    Blocked
        The safe patterns, and for the owner what they cost.

    Raises
    ------
    NotSafe
        There are too few rows to publish anything, or the attacker cannot be stopped this way.
    ParameterError
        A parameter has an unusable value.
    TooManyPatterns
        With `target="all"`, the closed itemsets expand to more than memory holds.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows(["abc", "abc", "ab", "ab", "c", "c", "b"])
    >>> done = discreet.block(rows, k=2, min_support=2, method="suppressive")
    >>> done.n_after, [(sorted(itemset), support) for itemset, support in done.patterns]
    (6, [(['c'], 4), (['a', 'b'], 4), (['a', 'b', 'c'], 2)])
    """
    k = K.parse(k)
    if minimal and method != "suppressive":
        raise ParameterError(
            f"{param('minimal')} is for method suppressive, where rows are left out", parameter="minimal"
        )
    one_of(method, get_args(BlockingMethod), parameter="method")
    one_of(target, ("closed", "all"), parameter="target")
    one_of(merging, ("best", "paper"), parameter="merging")
    if (sensitive is None) != (rho is None):
        missing = "sensitive" if sensitive is None else "rho"
        raise ParameterError(
            f"{param('sensitive')} and {param('rho')} go together; give {param(missing)}", parameter=missing
        )
    steps = check_steps(attack_steps)
    if not isinstance(rows, RowSource):
        rows = rows_given(rows)
    source = rows if isinstance(rows, RowSource) else LocalRows(rows, progress=share_of("mining"))
    if minimal and not isinstance(source, LocalRows):
        raise ParameterError(
            f"{param('minimal')} looks for the fewest rows among rows in memory; use the local engine for it, or "
            "leave it out",
            parameter="minimal",
        )
    if ignore_unknown:
        quasi_identifiers, exclusive = without_unknown(source, quasi_identifiers, exclusive)
    asked = Support.parse(min_support).of(source.n)
    sigma = max(asked, k)
    refuse_few_rows(source.n, sigma, k)
    frequent = source.frequent(sigma)
    closed = frequent.closed
    items = _items_of_groups(source, closed, quasi_identifiers)
    maximal = maximal_itemsets(closed, items)
    tell("finding channels")
    channels = small_groups(frequent.groups(maximal, below=k), maximal, closed.vocabulary)
    apart = exclusive_of_source(source, closed, exclusive)
    concealed = _sensitive_in(source, closed, sensitive, ignore_unknown=ignore_unknown)
    goal = _Goal(k, steps, apart, border=border, items=items)
    if method == "additive":
        safe, proof, virtual, blocked = _raise_supports(frequent, closed, channels, goal, paper=merging == "paper")
        witness, plain = frequent.with_virtual_rows(virtual.itemsets, k), virtual.plain * k
        change = Change(closed, safe.supports, virtual.itemsets, blocked)
    else:
        kept, proof = _leave_rows_out(frequent.keep_all(closed, items), goal, minimal=minimal)
        safe, witness, plain = kept.closed, kept.rows, None
        change = Change(closed, _supports_after(closed, kept), Itemsets.none(), ())
    published, before = _published(frequent, closed, safe, target)
    held_back = None
    if concealed is not None:
        held_back = withhold(
            published,
            k=k,
            sensitive=concealed,
            rho=cast("ShareLike", rho),
            quasi_identifiers=None if items is None else _labels_in(published, items),
            exclusive=apart,
            attack_steps=attack_steps,
        )
        if held_back.patterns is not published:
            published, proof = held_back.patterns, held_back.proof
            before = _supports_in(published, frequent.mine(target="all"))
    return Blocked(
        method=method,
        k=k,
        min_support=sigma,
        asked_support=asked,
        n_before=source.n,
        n_after=safe.n,
        channels_before=len(channels),
        channels_after=len(proof.channels),
        plain_rows=plain,
        patterns=published,
        before=before,
        proof=proof,
        witness=_laid_out(witness, rows, source),
        change=change,
        rho=None if held_back is None else held_back.proof.rho,
        withheld=None if held_back is None else held_back.withheld,
        read=getattr(source.rows, "read", None),
    )


def _sensitive_in(
    source: RowSource, closed: PatternSet, sensitive: Names | frozenset[str] | None, *, ignore_unknown: bool
) -> frozenset[str] | None:
    """Return the labels of the sensitive items that are frequent; None if there are none, or none was named."""
    if sensitive is None:
        return None
    wanted = sensitive
    if not isinstance(wanted, frozenset):
        named = without_limits(parse_names(wanted, "sensitive"))
        labels = source.labels_named([each.label for each in named])
        found = resolve(named, labels, parameter="sensitive", ignore_unknown=ignore_unknown)
        wanted = frozenset(label for items in found.values() for label in items)
    return (
        wanted.intersection(closed.vocabulary[item] for item in closed.itemsets.used(len(closed.vocabulary)).tolist())
        or None
    )


def _items_of_groups(
    source: RowSource, closed: PatternSet, quasi_identifiers: Names | None
) -> NDArray[np.bool_] | None:
    """Return a mask of the items that a group may be described by, None for all."""
    if quasi_identifiers is None:
        return None
    names = parse_names(quasi_identifiers, "quasi_identifiers")
    return chosen_items(closed.vocabulary, names, source.labels_named(names))


def _laid_out(witness: Any, rows: Any, source: RowSource) -> Any:  # the engine's own type of rows
    """Return the witness rows with the layout of the input rows; they have no ids of their own.

    Of rows on the disk only the frequent items were looked at, so there is no witness.
    """
    if isinstance(source, LocalRows) and are_on_disk(source.rows):
        return None
    if not isinstance(rows, Transactions) or rows.layout is None:
        return witness
    columns = tuple(column for column in rows.layout.columns if column != rows.layout.id_column)
    kept = rows.layout if rows.layout.shape == "long" else replace(rows.layout, id_column=None, columns=columns)
    return replace(witness, layout=kept)


@dataclass(frozen=True, slots=True)
class _Goal:
    """What the result must withstand; `items` selects those that a group may be described by, None for all."""

    k: int
    steps: int | None
    exclusive: Exclusive
    border: bool
    items: NDArray[np.bool_] | None = None

    def prove(self, safe: PatternSet, turn: int = 0) -> Audit:
        """Audit from the patterns alone, a second method: the channels were found in the rows."""
        return audit(
            safe,
            k=self.k,
            method="closed",
            border=self.border,
            attack_steps="all" if self.steps is None else self.steps,
            exclusive=self.exclusive,
            quasi_identifiers=None if self.items is None else _labels_in(safe, self.items),
            progress=share_of(f"round {turn + 1}, auditing the result"),
        )

    def refusal(self, words: str, closed: PatternSet) -> NotSafe:
        """Return the refusal, with the columns whose removal opens most if there are any."""
        if self.items is not None:
            return NotSafe(words)
        removal = find_removal(collection_of(closed), k=self.k, lowest=None, columns=self.exclusive.columns)
        if removal is None or not removal.columns:
            return NotSafe(words)
        open_now = removal.left.at_support(removal.support)
        if not self.prove(open_now).safe:
            return NotSafe(words)
        names = ", ".join(map(label_text, removal.names))
        return NotSafe(
            f"{words}; without the column{'s' if len(removal.names) > 1 else ''} {names}, nothing has to be changed "
            f"at {removal.support:,} rows"
        )

    def attack(self, safe: PatternSet, witness: Transactions | None, turn: int) -> Attack | None:
        """Run the attacker, starting from the witness if there is one; None if the border is not to be searched."""
        if not self.border:
            return None
        known = Knowledge.of(collection_of(safe), self.exclusive.itemsets(safe.vocabulary))
        return attack(
            known,
            k=self.k,
            maximal=maximal_itemsets(safe),
            rows=witness,
            asked=self.items,
            steps=self.steps,
            progress=share_of(f"round {turn + 1}, attacking the result"),
        )


def _labels_in(patterns: PatternSet, items: NDArray[np.bool_]) -> frozenset[str]:
    """Return the labels of the chosen items."""
    return frozenset(label for label, chosen in zip(patterns.vocabulary, items, strict=True) if chosen)


def _raise_supports(
    rows: FrequentRows, closed: PatternSet, channels: Channels, goal: _Goal, *, paper: bool
) -> tuple[PatternSet, Audit, VirtualRows, tuple[Channels, ...]]:
    kinds = rows.kinds if goal.border else None
    addable = AddableRows.of(kinds, closed, goal.exclusive, k=goal.k) if goal.border else AddableRows.closed(closed)
    if addable.limited:
        addable = addable.and_closures(channels)
        if not addable.block_all(channels):
            raise goal.refusal(_COLUMNS_IN_THE_WAY, closed)
    candidates = addable.itemsets if addable.limited else AddableRows.closed(closed).itemsets
    tell("choosing rows to add")
    virtual = choose_virtual_rows(closed, channels, candidates, paper=paper and not addable.limited)
    if addable.limited and len(without_new_itemsets(kinds, closed, Itemsets.none(), virtual.itemsets, goal.k)) < len(
        virtual
    ):
        raise goal.refusal(_COLUMNS_IN_THE_WAY, closed)
    blocked: tuple[Channels, ...] = (channels,)
    for turn in range(_MOST_ROUNDS):
        safe = raised(closed, virtual.itemsets, goal.k)
        found = goal.attack(safe, None if kinds is None else with_rows(kinds, virtual.itemsets, goal.k), turn)
        if found is None or not len(found.groups):
            proof = goal.prove(safe, turn)
            if proof.safe:
                return safe, proof, virtual, blocked
            if len(proof.channels) or proof.attack is None:
                break
            found = proof.attack
        tell(f"round {turn + 1}, choosing more rows to add")
        chosen = choose_freeing_rows(found, addable.and_closures(found.groups), k=goal.k, turn=turn)
        grown = without_new_itemsets(kinds, closed, virtual.itemsets, chosen, goal.k)
        if len(grown) == len(virtual.itemsets):
            break
        blocked += (found.groups,)
        virtual = VirtualRows(grown, virtual.plain)
    raise goal.refusal(
        "raising supports cannot block every group that follows here; leave rows out instead (method suppressive), or "
        f"raise {param('min_support')}",
        closed,
    )


_COLUMNS_IN_THE_WAY = (
    "every row has a published value in some columns, and no virtual row that has one blocks all channels; leave "
    f"rows out instead (method suppressive), raise {param('min_support')}, or leave such a column out"
)


def _merged(change: Change) -> tuple[Merged, ...]:
    """Return what each virtual row blocks."""
    virtual, labels = change.virtual, change.closed.vocabulary.labels
    fulls: list[set[int]] = [set() for _ in range(len(virtual))]
    for channels in change.blocked:
        unions = Itemsets(*_kernel.merge_covered(virtual, channels.bases, channels.fulls.select(channels.which)))
        for number, seen in enumerate(fulls):
            seen.update(unions[number].tolist())
            seen.update(virtual[number].tolist())
    return tuple(
        Merged(frozenset(labels[item] for item in virtual[number].tolist()), frozenset(labels[item] for item in full))
        for number, full in enumerate(fulls)
    )


def _leave_rows_out(kept: KeptRows, goal: _Goal, *, minimal: bool) -> tuple[KeptRows, Audit]:
    closed = kept.closed
    sigma = closed.min_support
    if minimal and isinstance(kept, Kept):  # `block` refuses `minimal` for rows that are not in memory
        kept = suppress_fewest(kept, k=goal.k).kept
    turn = -1
    while True:
        turn += 1
        tell(f"round {turn + 1}, leaving rows out")
        kept = kept.without_small_groups(k=goal.k)
        if kept.n < sigma:
            raise NotSafe(
                f"leaving rows out leaves {kept.n:,} of them, fewer than the {sigma:,} that an "
                "itemset must occur in; nothing may be published, the number of rows included"
            )
        found = goal.attack(kept.closed, kept.kinds, turn)
        left = None if found is None else found.groups
        if left is None or not len(left):
            proof = goal.prove(kept.closed, turn)
            if proof.safe:
                return kept, proof
            left = proof.channels if len(proof.channels) else proof.border
        before = kept.n
        kept = kept.without_channels(left) if left is not None else kept
        if kept.n == before:
            raise goal.refusal(f"leaving rows out cannot block all channels here; raise {param('min_support')}", closed)


def _supports_after(closed: PatternSet, kept: KeptRows) -> NDArray[np.int64]:
    """Return the closed itemsets' supports in the rows kept, 0 if no longer frequent."""
    after = closed.supports.copy()
    for removed in kept.gone:
        after -= falls_of(closed, removed)
    return np.where(after >= closed.min_support, after, 0)


def _published(
    rows: FrequentRows, closed: PatternSet, safe: PatternSet, target: Literal["closed", "all"]
) -> tuple[PatternSet, NDArray[np.int64]]:
    """Return the patterns of the target, and their supports before blocking."""
    if target == "closed":
        return safe, _supports_in(safe, closed)
    now = expand_closed(safe)
    return now, _supports_in(now, rows.mine(target="all"))


def _supports_in(wanted: PatternSet, known: PatternSet) -> NDArray[np.int64]:
    """Return the supports of the itemsets in another collection, 0 if not listed there."""
    places = np.array([known.vocabulary.positions[label] for label in wanted.vocabulary], np.int32)
    itemsets = wanted.itemsets.canonical(places)
    return itemsets.supports_in(known.itemsets, known.supports, len(known.vocabulary))

"""Make patterns safe with the least distortion, and prove it.

Problem      given rows, a minimum support and k, return patterns from which no group of 1 to k-1 rows can be computed.
Method       raise supports (see `additive`) or leave rows out (see `suppressive`); then audit the result from its
             patterns alone, across the border too, by another method than the one that found the channels, and go on
             until that audit is safe.
Promises     what is returned has passed that audit. It is compatible with a data set, the `witness`: the rows with the
             virtual ones added, or the rows kept. Where safety cannot be reached, NotSafe is raised instead.
Departures   sigma below k is raised to k (section 5). After suppression with fewer than sigma rows left, nothing may be
             published, the number of rows included.
Reference    atzori2008, section 7   (docs/papers/atzori2008.md, tests/papers/test_blocking.py)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from discreet import _kernel
from discreet.channels.additive import VirtualRows, choose_virtual_rows
from discreet.channels.audit import DEFAULT_BORDER_DEPTH, audit
from discreet.channels.channel import Channels, Itemsets, check_k
from discreet.channels.distortion import Distortion, measure_distortion
from discreet.channels.fewest_rows import suppress_fewest
from discreet.channels.grouping import small_groups
from discreet.channels.row_source import LocalRows
from discreet.channels.suppressive import Kept, falls_of
from discreet.errors import NotSafe, ParameterError
from discreet.patterns.expansion import expand_closed
from discreet.patterns.threshold import absolute_support
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.channels.audit import Audit
    from discreet.channels.row_source import FrequentRows, KeptRows, RowSource
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.threshold import MinSupport
    from discreet.transactions.formats.cell_rules import Names
    from discreet.transactions.vocabulary import Vocabulary

__all__ = ["Blocked", "Merged", "block"]

Method = Literal["additive", "suppressive"]
_MOST_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Merged:
    """Channels that k virtual rows equal to `base` block together: nobody holds `base` and nothing else of `full`."""

    base: frozenset[str]
    full: frozenset[str]


@dataclass(frozen=True, eq=False, repr=False)
class Blocked:
    """Safe patterns, and what they cost.

    `patterns` may be published; everything else here is for the owner alone: it tells what was changed.
    """

    method: Method
    k: int
    min_support: int
    asked_support: int
    n_before: int
    n_after: int
    channels_before: int
    channels_after: int
    merged: tuple[Merged, ...]
    plain_rows: int | None
    distortion: Distortion
    patterns: PatternSet
    before: NDArray[np.int64] = field(repr=False)
    proof: Audit = field(repr=False)
    witness: Any = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, supports before blocking included."""
        place = {label: item for item, label in enumerate(self.patterns.vocabulary)}
        itemsets = self.patterns.to_dict()["itemsets"]
        for row, before in zip(itemsets, self.before.tolist(), strict=True):
            row["before"] = before
        return {
            "method": self.method,
            "k": self.k,
            "min_support": self.min_support,
            "n_before": self.n_before,
            "n_after": self.n_after,
            "channels_before": self.channels_before,
            "channels_after": self.channels_after,
            "merged": [
                {"base": sorted(merge.base, key=place.__getitem__), "full": sorted(merge.full, key=place.__getitem__)}
                for merge in self.merged
            ],
            "distortion": self.distortion.to_dict(),
            "itemsets": itemsets,
            "plain_rows": self.plain_rows,
        }

    def __repr__(self) -> str:
        """Say what was done, in one line."""
        change = f"{self.distortion.rows:,} rows {'added' if self.method == 'additive' else 'left out'}"
        return f"<Blocked: {len(self.patterns):,} itemsets safe for k = {self.k}; {change}>"


def block(
    rows: Transactions | RowSource,
    *,
    k: int,
    min_support: MinSupport,
    method: Method,
    target: Literal["closed", "all"] = "closed",
    border: bool = True,
    border_depth: int = DEFAULT_BORDER_DEPTH,
    merging: Literal["best", "paper"] = "best",
    minimal: bool = False,
    quasi_identifiers: Names | None = None,
) -> Blocked:
    """Return patterns of the rows from which no group of 1 to k-1 rows can be computed.

    `method` is "additive" (supports are raised, as if rows had been added) or "suppressive" (some rows are left out).
    With `border`, what follows for itemsets that are not published is blocked, too. `merging="paper"` merges channels
    in plain order; `minimal` looks for the fewest rows that can be left out.

    >>> rows = Transactions.from_rows(["abc", "abc", "ab", "ab", "c", "c", "b"])
    >>> done = block(rows, k=2, min_support=2, method="suppressive")
    >>> done.n_after, [(sorted(itemset), support) for itemset, support in done.patterns]
    (6, [(['c'], 4), (['a', 'b'], 4), (['a', 'b', 'c'], 2)])
    """
    k = check_k(k)
    if minimal and method != "suppressive":
        raise ParameterError("minimal is for method suppressive, where rows are left out", parameter="minimal")
    if method not in get_args(Method):
        raise ParameterError(f"method must be additive or suppressive, got {method!r}", parameter="method")
    if target not in ("closed", "all"):
        raise ParameterError(f"target must be closed or all, got {target!r}", parameter="target")
    source = (LocalRows(rows) if isinstance(rows, Transactions) else rows).restricted(quasi_identifiers)
    asked = absolute_support(min_support, source.n)
    sigma = max(asked, k)
    if source.n < sigma:
        raise NotSafe(
            f"there are {source.n:,} rows, fewer than the {sigma:,} that an itemset must occur in; nothing may be "
            "published, the number of rows included"
        )
    frequent = source.frequent(sigma)
    closed = frequent.mine(target="closed")
    channels = _maximal_channels(frequent, k)
    depth = border_depth if border else None
    if method == "additive":
        safe, proof, virtual, blocked = _raise_supports(closed, channels, k, depth, paper=merging == "paper")
        merged, plain = _merged(virtual.itemsets, blocked, closed.vocabulary), virtual.plain * k
        witness, after = frequent.with_virtual_rows(virtual.itemsets, k), safe.supports
    else:
        kept, proof = _leave_rows_out(frequent.keep_all(closed), k, depth, minimal=minimal)
        merged, plain = (), None
        safe, witness, after = kept.closed, kept.rows, _supports_after(closed, kept)
    published, before = _published(frequent, closed, safe, target)
    return Blocked(
        method=method,
        k=k,
        min_support=sigma,
        asked_support=asked,
        n_before=source.n,
        n_after=safe.n,
        channels_before=len(channels),
        channels_after=len(proof.channels),
        merged=merged,
        plain_rows=plain,
        distortion=measure_distortion(closed, after, n_after=safe.n),
        patterns=published,
        before=before,
        proof=proof,
        witness=witness,
    )


def _maximal_channels(rows: FrequentRows, k: int) -> Channels:
    maximal = rows.mine(target="maximal")
    targets = Itemsets(maximal.offsets, maximal.items) if len(maximal) else Itemsets.only_empty()
    return small_groups(rows.groups(targets, below=k), targets, rows.vocabulary)


def _prove(safe: PatternSet, k: int, depth: int | None) -> Audit:
    """Audit from the patterns alone: channels were found in the rows, so this is another way."""
    return audit(safe, k=k, method="closed", border=depth is not None, border_depth=depth or 1)


def _raise_supports(
    closed: PatternSet, channels: Channels, k: int, depth: int | None, *, paper: bool
) -> tuple[PatternSet, Audit, VirtualRows, list[Channels]]:
    blocked = [channels]
    virtual = choose_virtual_rows(closed, channels, paper=paper)
    for _ in range(_MOST_ROUNDS):
        safe = _raised(closed, virtual.itemsets, k)
        proof = _prove(safe, k, depth)
        if proof.safe:
            return safe, proof, virtual, blocked
        left = proof.channels if len(proof.channels) else proof.border
        open_ones = None if left is None else _coverable(left, closed)
        if open_ones is None or not len(open_ones):
            break
        more = choose_virtual_rows(closed, open_ones)
        blocked.append(open_ones)
        virtual = VirtualRows(virtual.itemsets.followed_by(more.itemsets), virtual.plain + more.plain)
    raise NotSafe(
        f"raising supports cannot block {len(proof.channels) + len(proof.border or ()):,} groups that follow for "
        "itemsets that are not published; leave rows out instead (method suppressive), or raise min_support"
    )


def _coverable(channels: Channels, closed: PatternSet) -> Channels:
    """Keep the channels whose base is frequent: others cannot be raised without publishing more."""
    counts = _kernel.count_supersets(
        channels.bases.offsets, channels.bases.items, closed.offsets, closed.items, None, len(closed.vocabulary)
    )
    kept = np.flatnonzero((counts > 0) | (np.diff(channels.bases.offsets) == 0))
    bases = Itemsets(*_kernel.select_rows(channels.bases.offsets, channels.bases.items, kept))
    return replace(
        channels, which=channels.which[kept], bases=bases, lows=channels.lows[kept], highs=channels.highs[kept]
    )


def _raised(closed: PatternSet, virtual: Itemsets, k: int) -> PatternSet:
    """Return the closed itemsets as if k rows equal to each of the virtual ones had been added."""
    more = _kernel.count_supersets(
        closed.offsets, closed.items, virtual.offsets, virtual.items, None, len(closed.vocabulary)
    )
    return replace(closed, supports=closed.supports + k * more, n=closed.n + k * len(virtual))


def _merged(virtual: Itemsets, blocked: list[Channels], vocabulary: Vocabulary) -> tuple[Merged, ...]:
    """Say what each virtual row blocks."""
    held = _membership(virtual, len(vocabulary))
    fulls = held.copy()
    for channels in blocked:
        base = _membership(channels.bases, len(vocabulary))
        absent = _membership(channels.fulls, len(vocabulary))[channels.which] & ~base
        lacks = (~held).astype(np.float32) @ base.T.astype(np.float32) > 0  # something of the base
        meets = held.astype(np.float32) @ absent.T.astype(np.float32) > 0
        fulls |= (~(lacks | meets)).astype(np.float32) @ absent.astype(np.float32) > 0
    labels = np.array(vocabulary.labels, object)
    return tuple(
        Merged(frozenset(labels[base].tolist()), frozenset(labels[full].tolist()))
        for base, full in zip(held, fulls, strict=True)
    )


def _membership(itemsets: Itemsets, labels: int) -> NDArray[np.bool_]:
    """Return which itemset (a row) holds which item (a column)."""
    held = np.zeros((len(itemsets), labels), bool)
    held[np.repeat(np.arange(len(itemsets)), np.diff(itemsets.offsets)), itemsets.items] = True
    return held


def _leave_rows_out(kept: KeptRows, k: int, depth: int | None, *, minimal: bool) -> tuple[KeptRows, Audit]:
    sigma = kept.closed.min_support
    if minimal:
        if not isinstance(kept, Kept):
            raise ParameterError(
                "minimal looks for the fewest rows among rows in memory; use the local engine for it, or leave it out",
                parameter="minimal",
            )
        kept = suppress_fewest(kept, k=k).kept
    while True:
        kept = kept.without_small_groups(k=k)
        if kept.n < sigma:
            raise NotSafe(
                f"leaving rows out leaves {kept.n:,} of them, fewer than the {sigma:,} that an "
                "itemset must occur in; nothing may be published, the number of rows included"
            )
        proof = _prove(kept.closed, k, depth)
        if proof.safe:
            return kept, proof
        left = proof.channels if len(proof.channels) else proof.border
        before = kept.n
        kept = kept.without_channels(left) if left is not None else kept
        if kept.n == before:
            raise NotSafe("leaving rows out cannot block all channels here; raise min_support")


def _supports_after(closed: PatternSet, kept: KeptRows) -> NDArray[np.int64]:
    """Return the closed itemsets' supports in the rows kept, 0 where they are no longer frequent."""
    after = closed.supports.copy()
    for removed in kept.gone:
        after -= falls_of(closed, removed)
    return np.where(after >= closed.min_support, after, 0)


def _published(
    rows: FrequentRows, closed: PatternSet, safe: PatternSet, target: Literal["closed", "all"]
) -> tuple[PatternSet, NDArray[np.int64]]:
    """Return the patterns of the target, and their supports before."""
    if target == "closed":
        return safe, _supports_in(safe, closed)
    now = expand_closed(safe)
    return now, _supports_in(now, rows.mine(target="all"))


def _supports_in(wanted: PatternSet, known: PatternSet) -> NDArray[np.int64]:
    """Return the supports that itemsets have in another collection, 0 where they are not listed."""
    return _kernel.find_supports(
        wanted.offsets, wanted.items, known.offsets, known.items, known.supports, len(known.vocabulary)
    )

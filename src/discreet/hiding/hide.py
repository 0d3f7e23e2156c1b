"""Make restrictive patterns unminable from rows that are handed over, at any support, and prove it.

Problem      given rows, restrictive patterns and rule bounds, remove as few items as possible so that nobody can mine
             the patterns.
Method       find the sensitive rows in an inverted file, choose victims by one of four algorithms, and remove them from
             as many sensitive rows as the disclosure threshold requires. Then enforce the rule bounds. The result is
             indexed again, and every pattern and rule is looked up in it.
Promises     no item is ever added; no row disappears or moves; rows without a restrictive pattern or bounded rule are
             untouched; of the rows with a pattern at most the share ψ keeps it; every rule is below its bound; the
             same input gives the same rows.
Cost         linear in the items of the rows and in the sensitive rows of all patterns.
Reference    oliveira2002   (docs/papers/oliveira2002.md, tests/papers/test_oliveira2002.py, tests/laws/test_hiding.py)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from discreet import _kernel
from discreet.errors import InternalFault
from discreet.hiding.inverted_file import InvertedFile
from discreet.hiding.request import Request
from discreet.hiding.rule_bounds import bound_rules, rule_counts
from discreet.hiding.sensitive_rows import find_sensitive_rows, sanitize
from discreet.hiding.side_effects import measure_side_effects
from discreet.hiding.victims import Victims, iga, maxfia, minfia, naive
from discreet.itemsets import Itemsets
from discreet.thresholds import MinSupport, Share, ShareLike, Support, one_of
from discreet.transactions.identifying import public_ids
from discreet.transactions.remote_rows import RemoteRows
from discreet.transactions.transactions import Transactions, check_rows
from discreet.transactions.vocabulary import in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.hiding.restrictions import Restrictions
    from discreet.hiding.sensitive_rows import SensitiveRows
    from discreet.hiding.side_effects import SideEffects

__all__ = ["BoundedRule", "Hidden", "HidingMethod", "RestrictedPattern", "hide", "hide_in_memory"]

HidingMethod = Literal["naive", "minfia", "maxfia", "iga"]
_CHOOSE = {"naive": naive, "minfia": minfia, "maxfia": maxfia, "iga": iga}


@dataclass(frozen=True, slots=True)
class RestrictedPattern:
    """A restrictive pattern, the share of its rows that may keep it, and its support before and after."""

    items: frozenset[str]
    disclosure: Fraction
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class BoundedRule:
    """A rule, its bound, and its confidence before and after (None if no row contains its antecedent)."""

    antecedent: frozenset[str]
    consequent: frozenset[str]
    below: Fraction
    before: Fraction | None
    after: Fraction | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hidden:
    """Rows from which the restrictive patterns cannot be mined, and what that cost.

    Only `rows` may be handed over. Everything else shows what was hidden, and where, and is for the owner alone.

    Attributes
    ----------
    method : {"naive", "minfia", "maxfia", "iga"}
        How victims were chosen.
    disclosure : Fraction
        The share of a pattern's rows that may keep it, unless the pattern has its own share.
    n : int
        The number of rows.
    sensitive_rows : int
        How many rows contained a restrictive pattern.
    changed_rows, removed_items : int
        How many rows lost items, and how many items in total.
    dissimilarity : Fraction
        The share of all items that was removed.
    side_effects : SideEffects or None
        What became of the other itemsets, if `min_support` was given.
    rows : Transactions
        The rows that may be handed over.
    restrictive : tuple of RestrictedPattern
        Each restrictive pattern with its support before and after.
    rules : tuple of BoundedRule
        Each bounded rule with its confidence before and after.
    removed_from, removed : arrays of int32
        Which item (its number in the vocabulary) was removed from which row (from 0).
    """

    method: HidingMethod
    disclosure: Fraction
    n: int
    sensitive_rows: int
    changed_rows: int
    removed_items: int
    dissimilarity: Fraction
    side_effects: SideEffects | None
    rows: Any
    restrictive: tuple[RestrictedPattern, ...]
    rules: tuple[BoundedRule, ...]
    removed_from: NDArray[np.int32] = field(repr=False)
    removed: NDArray[np.int32] = field(repr=False)

    @property
    def verdict(self) -> Literal["hidden", "partly-hidden"]:
        """The verdict as one word: "hidden", or "partly-hidden" if rows may keep a pattern and some do."""
        return "partly-hidden" if any(pattern.after for pattern in self.restrictive) else "hidden"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "verdict": self.verdict,
            "method": self.method,
            "disclosure": float(self.disclosure),
            "n": self.n,
            "sensitive_rows": self.sensitive_rows,
            "changed_rows": self.changed_rows,
            "removed_items": self.removed_items,
            "dissimilarity": float(self.dissimilarity),
            "side_effects": None if self.side_effects is None else self.side_effects.to_dict(),
            "restrictive": [
                {
                    "items": in_order(pattern.items, self.rows.vocabulary),
                    "disclosure": float(pattern.disclosure),
                    "before": pattern.before,
                    "after": pattern.after,
                }
                for pattern in self.restrictive
            ],
            "rules": [
                {
                    "antecedent": in_order(rule.antecedent, self.rows.vocabulary),
                    "consequent": in_order(rule.consequent, self.rows.vocabulary),
                    "below": float(rule.below),
                    "before": None if rule.before is None else float(rule.before),
                    "after": None if rule.after is None else float(rule.after),
                }
                for rule in self.rules
            ],
        }

    def __repr__(self) -> str:
        change = f"{self.removed_items:,} items removed from {self.changed_rows:,} of {self.n:,} rows"
        return f"<Hidden: {len(self.restrictive) + len(self.rules):,} patterns and rules; {change}>"


def hide(
    rows: Transactions | InvertedFile | RemoteRows,
    *,
    restrict: Restrictions,
    method: HidingMethod,
    disclosure: ShareLike = 0,
    min_support: MinSupport | None = None,
    protect: Restrictions | None = None,
    ignore_unknown: bool = False,
) -> Hidden:
    """Return the rows changed so that given patterns and rules cannot be mined from them.

    Parameters
    ----------
    rows : Transactions, InvertedFile or Spark data frame
        The rows, or an index of them.
    restrict : list or path
        What must not be minable: itemsets, or lines as in a restrictive file ("bread milk @ 0.1", "bread => beer @
        0.6"), or the name of such a file.
    method : {"naive", "minfia", "maxfia", "iga"}
        How to choose the item to remove from a row.
    disclosure : str, float or Fraction, default 0
        The share of a pattern's rows that may keep it.
    min_support : int, str, float or Fraction, optional
        Measure the side effects on the itemsets mined at this support.
    protect : list or path, optional
        Patterns to spare: of two equally good victims the one outside them is removed.
    ignore_unknown : bool, default False
        Whether to accept a label that is not in the data. By default it is refused, as a likely typing error.

    Returns
    -------
    Hidden
        The changed rows, and for the owner what changed.

    Raises
    ------
    ParameterError
        A parameter has an unusable value, a label is unknown, or a pattern is both restricted and protected.
    DataError
        The index does not fit, or a label is not usable.
    InternalFault
        The result failed its check.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows(["ABCD", "ABC", "ABD", "ACD", "ABC", "BD"])
    >>> done = discreet.hide(rows, restrict=["A B D", "A C D"], method="iga")
    >>> done, ["".join(sorted(row)) for row in done.rows]
    (<Hidden: 2 patterns and rules; 3 items removed from 3 of 6 rows>, ['ABC', 'ABC', 'AB', 'AC', 'ABC', 'BD'])
    """
    one_of(method, get_args(HidingMethod), parameter="method")
    psi = Share.parse(disclosure, parameter="disclosure")
    if isinstance(rows, RemoteRows):
        return rows.hide(
            restrict=restrict,
            method=method,
            disclosure=psi,
            min_support=min_support,
            protect=protect,
            ignore_unknown=ignore_unknown,
        )
    if min_support is not None:
        min_support = Support.parse(min_support)
    if not isinstance(rows, InvertedFile):
        check_rows(rows)
    return hide_in_memory(
        rows,
        restrict=restrict,
        method=method,
        psi=psi,
        min_support=min_support,
        protect=protect,
        ignore_unknown=ignore_unknown,
    )


def hide_in_memory(
    rows: Transactions | InvertedFile,
    *,
    restrict: Restrictions,
    method: HidingMethod,
    psi: Fraction,
    min_support: MinSupport | None = None,
    protect: Restrictions | None = None,
    ignore_unknown: bool = False,
    supports: NDArray[np.int64] | None = None,
) -> Hidden:
    """Hide as `hide` does; pass the items' `supports` in all rows if `rows` are only the sensitive ones."""
    index = rows if isinstance(rows, InvertedFile) else InvertedFile.build(rows)
    data = index.transactions() if isinstance(rows, InvertedFile) else rows.unfold()
    request = Request.of(index, restrict, protect, psi, ignore_unknown=ignore_unknown, supports=supports)
    sensitive = find_sensitive_rows(index, request.known_patterns)
    victims = _of_known(_CHOOSE[method](request.patterns), request)
    lengths = data.itemsets.lengths.astype(np.int32)
    removed_from, removed = sanitize(sensitive, victims, request.known_disclosures, lengths, len(data.vocabulary))
    after = _without(data, removed_from, removed)
    left = InvertedFile.build(after, only=request.known_items)
    more_from, more = bound_rules(left, request.known_rules)
    if len(more):
        removed_from, removed = np.concatenate([removed_from, more_from]), np.concatenate([removed, more])
        order = np.lexsort((removed, removed_from))
        removed_from, removed = removed_from[order], removed[order]
        after = _without(data, removed_from, removed)
        left = InvertedFile.build(after, only=request.known_items)
    effects = None
    if min_support is not None:
        effects = measure_side_effects(data, after, Itemsets.of(request.known_patterns), min_support=min_support)
    return Hidden(
        method=method,
        disclosure=psi,
        n=index.n,
        sensitive_rows=sensitive.row_count(),
        changed_rows=int(np.count_nonzero(np.diff(removed_from, prepend=-1))),
        removed_items=len(removed),
        dissimilarity=Fraction(len(removed), len(data.items)) if len(data.items) else Fraction(0),
        side_effects=effects,
        rows=after,
        restrictive=_proved_patterns(request, sensitive, left),
        rules=_proved_rules(request, index, left),
        removed_from=removed_from,
        removed=removed,
    )


def _without(rows: Transactions, removed_from: NDArray[np.int32], removed: NDArray[np.int32]) -> Transactions:
    left = Itemsets(*_kernel.remove_items(rows.itemsets, removed_from, removed))
    return Transactions(left, rows.vocabulary, ids=public_ids(rows), layout=rows.layout)


def _of_known(victims: Victims, request: Request) -> Victims:
    """Keep the victims of patterns whose labels are all in the data."""
    known = [place for place, pattern in enumerate(request.patterns.patterns) if request.known(pattern)]
    stays = None if victims.stays is None else tuple(victims.stays[place] for place in known)
    return Victims(tuple(victims.items[place] for place in known), stays, victims.most_conflicts_first)


def _proved_patterns(request: Request, sensitive: SensitiveRows, left: InvertedFile) -> tuple[RestrictedPattern, ...]:
    """Look up every pattern in the sanitized rows, and compare with what was allowed."""
    before = iter(sensitive.counts().tolist())
    after = iter(find_sensitive_rows(left, request.known_patterns).counts().tolist())
    proved = []
    for restriction, pattern, disclosure in zip(
        request.restrictions, request.patterns.patterns, request.disclosures, strict=True
    ):
        was, now = (next(before), next(after)) if request.known(pattern) else (0, 0)
        if now > was * disclosure:
            raise InternalFault(_FAULT.format(place=restriction.place))
        proved.append(RestrictedPattern(restriction.items, disclosure, was, now))
    return tuple(proved)


def _proved_rules(request: Request, index: InvertedFile, left: InvertedFile) -> tuple[BoundedRule, ...]:
    proved = []
    for bound, rule in zip(request.bounds, request.rules, strict=True):
        was = now = None
        if request.known(rule.items):
            was, now = (_confidence(*rule_counts(each, rule.antecedent, rule.consequent)) for each in (index, left))
        if now is not None and now >= bound.below:
            raise InternalFault(_FAULT.format(place=bound.place))
        proved.append(BoundedRule(bound.antecedent, bound.consequent, bound.below, was, now))
    return tuple(proved)


_FAULT = "hiding did not do what {place} asks, and nothing was given out"


def _confidence(whole: int, antecedent: int) -> Fraction | None:
    return Fraction(whole, antecedent) if antecedent else None

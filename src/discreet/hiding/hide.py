"""Make restrictive patterns unminable from rows that are handed over, at any support, and prove it.

Problem      given rows, restrictive patterns and rule bounds, remove as few items as possible so that nobody can mine
             the patterns.
Method       find the sensitive rows in an inverted file, choose victims by one of the paper's four algorithms or by the
             itemsets that they would cost, and remove them from as many sensitive rows as the disclosure threshold
             requires. Then enforce the rule bounds. The result is
             indexed again, and every pattern and rule is looked up in it.
Promises     no item is ever added; no row disappears or moves; rows without a restrictive pattern or bounded rule are
             untouched; of the rows with a pattern at most the share ψ keeps it; every rule is below its bound; the
             same input gives the same rows.
Cost         linear in the items of the rows and in the sensitive rows of all patterns.
Reference    oliveira2002   (docs/papers/oliveira2002.md, tests/papers/test_oliveira2002.py, tests/laws/test_hiding.py)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from discreet.errors import ParameterError, param
from discreet.hiding.inverted_file import InvertedFile
from discreet.hiding.least_lost import Candidate, find_best
from discreet.hiding.request import Below, Request
from discreet.hiding.rowwise import Legitimate
from discreet.hiding.sanitizing import BoundedRule, HidingJob, PaperMethod, RestrictedPattern
from discreet.hiding.sensitive_part import count_in_rows, sensitive_part, without_removed
from discreet.hiding.side_effects import Baseline
from discreet.itemsets import Itemsets
from discreet.tables.tabular import Tabular
from discreet.thresholds import MinSupport, Share, ShareLike, Support, one_of
from discreet.transactions.disk_rows import are_on_disk
from discreet.transactions.frame_rows import rows_given
from discreet.transactions.remote_rows import RemoteRows
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import in_order
from discreet.wording import html_table, itemset_text, number

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.hiding.restrictions import Restrictions
    from discreet.hiding.side_effects import Minable, SideEffects
    from discreet.json_types import JsonObject
    from discreet.transactions.read_record import ReadRecord

__all__ = ["BoundedRule", "Hidden", "HidingMethod", "RestrictedPattern", "hide", "hide_in_memory"]

_SHOWN = 10
"""Patterns that a notebook shows."""

HidingMethod = Literal["naive", "minfia", "maxfia", "iga", "rowwise", "best"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Hidden(Tabular):
    """Rows from which the restrictive patterns cannot be mined, and what that cost.

    Only `rows` may be handed over. Everything else shows what was hidden, and where, and is for the owner alone.

    Attributes
    ----------
    method : {"naive", "minfia", "maxfia", "iga", "rowwise", "program"}
        How victims were chosen; of "best" the method that won ("program" is an integer program).
    candidates : tuple of Candidate
        What "best" tried, with what each lost; otherwise empty.
    at_least : int or None
        The number of itemsets that every way of hiding loses, if "best" could find it.
    disclosure : Fraction
        The share of a pattern's rows that may keep it, unless the pattern has its own share; 1 with `below`.
    below, margin : int or None
        The number of rows that patterns had to stay below, and the margin, if that was asked for.
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
    read : ReadRecord or None
        How the rows were read, if they were read from anything.
    """

    method: str
    candidates: tuple[Candidate, ...]
    at_least: int | None
    disclosure: Fraction
    below: int | None
    margin: int | None
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
    read: ReadRecord | None = field(default=None, repr=False)

    @property
    def verdict(self) -> Literal["hidden", "partly-hidden"]:
        """The verdict as one word: "hidden", or "partly-hidden" if a share of rows may keep a pattern and some do.

        With `below`, "hidden" means that every pattern is in fewer rows than that.
        """
        some_left = self.below is None and any(pattern.after for pattern in self.restrictive)
        return "partly-hidden" if some_left else "hidden"

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "verdict": self.verdict,
            "method": self.method,
            **self._choice(),
            "disclosure": float(self.disclosure),
            **({} if self.below is None else {"below": self.below, "margin": self.margin}),
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

    def _choice(self) -> JsonObject:
        if not self.candidates:
            return {}
        return {"candidates": [each.to_dict() for each in self.candidates], "at_least": self.at_least}

    def to_arrow(self) -> pa.Table:
        """Return the rows that may be handed over, as an Arrow table: a column of lists, `items`, and `id` if any."""
        table: pa.Table = self.rows.to_arrow()
        return table

    def __repr__(self) -> str:
        change = f"{self.removed_items:,} items removed from {self.changed_rows:,} of {self.n:,} rows"
        return f"<Hidden: {len(self.restrictive) + len(self.rules):,} patterns and rules; {change}>"

    def _repr_html_(self) -> str:
        """Show what was removed, in a notebook."""
        facts = [
            *(
                (
                    f"rows with {itemset_text(in_order(each.items, self.rows.vocabulary))}",
                    f"{each.before:,} \u2192 {each.after:,}",
                )
                for each in self.restrictive[:_SHOWN]
            ),
            ("patterns and rules hidden", number(len(self.restrictive) + len(self.rules))),
            ("rows changed", number(self.changed_rows)),
            ("items removed", number(self.removed_items)),
        ]
        advice = "Hand over rows alone; what was hidden is for you alone."
        return html_table(("", ""), facts, above=repr(self)[1:-1], below=advice)


def hide(
    rows: Transactions | InvertedFile | RemoteRows | Any,  # any data frame of rows
    *,
    restrict: Restrictions,
    method: HidingMethod | None = None,
    disclosure: ShareLike = 0,
    min_support: MinSupport | None = None,
    protect: Restrictions | None = None,
    ignore_unknown: bool = False,
    below: MinSupport | None = None,
    margin: MinSupport | None = None,
) -> Hidden:
    """Return the rows changed so that given patterns and rules cannot be mined from them.

    Parameters
    ----------
    rows : Transactions, InvertedFile or data frame
        The rows, or an index of them; of a frame, one-hot columns or one column of lists.
    restrict : list or path
        What must not be minable: itemsets, or lines as in a restrictive file ("bread milk @ 0.1", "bread => beer @
        0.6"), or the name of such a file.
    method : {"naive", "minfia", "maxfia", "iga", "rowwise", "best"}, optional
        How to choose the items to remove from a row. "rowwise" looks at the itemsets that would be lost, and "best"
        tries all and keeps what loses least; both need `min_support`. By default "best" if that is given.
    disclosure : str, float or Fraction, default 0
        The share of a pattern's rows that may keep it.
    min_support : int, str, float or Fraction, optional
        Measure the side effects on the itemsets mined at this support, and spare them if the method can.
    protect : list or path, optional
        Patterns to spare: of two equally good victims the one outside them is removed.
    ignore_unknown : bool, default False
        Whether to accept a label that is not in the data. By default it is refused, as a likely typing error.
    below : int, str, float or Fraction, optional
        A pattern need only be in fewer rows than this. Far less is lost, but whoever mines at a lower support still
        finds it. `min_support` is the same then, unless it is given.
    margin : int, str, float or Fraction, optional
        With `below`: patterns end so many rows lower, or such a share of `below`, and not all at the same support.

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
    psi = Share.parse(disclosure, parameter="disclosure")
    if below is not None and min_support is None:
        min_support = Support.parse(below, parameter="below")
    if not isinstance(rows, (InvertedFile, RemoteRows)):
        rows = rows_given(rows)
    limit = _limit(below, margin, psi, getattr(rows, "n", 0))
    method = _method(method, measured=min_support is not None)
    if limit is not None:
        psi = Share(1)
    if isinstance(rows, RemoteRows):
        return rows.hide(
            restrict=restrict,
            method=method,
            disclosure=psi,
            min_support=min_support,
            protect=protect,
            ignore_unknown=ignore_unknown,
            below=limit,
        )
    if min_support is not None:
        min_support = Support.parse(min_support)
    hide_here = partial(hide_in_memory, rows)
    if isinstance(rows, Transactions) and are_on_disk(rows):
        hide_here = partial(_hide_on_disk, rows)
    done = hide_here(
        restrict=restrict,
        method=method,
        psi=psi,
        min_support=min_support,
        protect=protect,
        ignore_unknown=ignore_unknown,
        below=limit,
    )
    return replace(done, read=rows.read) if isinstance(rows, Transactions) else done


def _limit(below: MinSupport | None, margin: MinSupport | None, psi: Fraction, n: int) -> Below | None:
    """Return the support that patterns must stay below; refuse options that contradict each other."""
    if below is None and margin is not None:
        raise ParameterError(f"{param('margin')} belongs to {param('below')}; give that too", parameter="margin")
    if below is None:
        return None
    if psi:
        raise ParameterError(
            f"{param('below')} is the number of rows that an itemset must stay below, {param('disclosure')} the share "
            "that may keep it; give one of the two",
            parameter="below",
        )
    return Below.of(below, margin, n)


def _method(method: HidingMethod | None, *, measured: bool) -> HidingMethod:
    """Return the method; refuse one that has to know which itemsets count, if nothing says which."""
    if method is None and measured:
        return "best"
    least_lost = ("rowwise", "best")
    if method is None:
        raise ParameterError(
            f"{param('method')} is missing; name one of {', '.join(get_args(PaperMethod))}, or give "
            f"{param('min_support')}, and the method that loses the fewest itemsets is chosen",
            parameter="method",
        )
    one_of(method, get_args(HidingMethod), parameter="method")
    if method in least_lost and not measured:
        raise ParameterError(
            f"{param('method', value=method)} spares the itemsets of a support; give {param('min_support')}",
            parameter="method",
        )
    return method


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
    below: Below | None = None,
    before: Minable | None = None,
) -> Hidden:
    """Hide as `hide` does.

    If `rows` are only the sensitive ones, pass the items' `supports` in all rows and, with a minimum support, `before`:
    all rows, to be mined. What became of other itemsets is then for the caller to measure.
    """
    index = rows if isinstance(rows, InvertedFile) else InvertedFile.build(rows)
    request = Request.of(index, restrict, protect, psi, ignore_unknown=ignore_unknown, supports=supports, below=below)
    job = HidingJob.of(rows, request, index)
    baseline = None
    if min_support is not None and before is not None:
        baseline = Baseline.of(before, job.patterns, Support.parse(min_support).of(index.n))
    elif min_support is not None:
        baseline = Baseline.of_rows(job.rows, job.patterns, min_support=min_support)
    return _done(job, baseline, method, psi, measured=before is None)


def _hide_on_disk(
    rows: Transactions,
    *,
    restrict: Restrictions,
    method: HidingMethod,
    psi: Fraction,
    min_support: MinSupport | None,
    protect: Restrictions | None,
    ignore_unknown: bool,
    below: Below | None,
) -> Hidden:
    """Hide as `hide` does, with only the rows in memory that hold something restrictive."""
    supports = rows.item_supports()
    sigma = None if min_support is None else Support.parse(min_support).of(rows.n)
    none = InvertedFile.build(replace(rows, itemsets=Itemsets.none()))
    request = Request.of(none, restrict, protect, psi, ignore_unknown=ignore_unknown, supports=supports, below=below)
    part = sensitive_part(rows, request, None if sigma is None else supports >= sigma)
    index = InvertedFile.build(part.rows, only=request.known_items)
    job = HidingJob.of(part.rows, request, index, lengths=part.lengths)
    baseline = None
    if sigma is not None:
        baseline = Baseline.of_rows(part.rows, job.patterns, min_support=sigma, rest=part.rest)
    done = _done(job, baseline, method, psi)
    changed = part.places[done.removed_from]
    left = without_removed(rows, changed, done.removed)
    job.prove(done.restrictive, done.rules, partial(count_in_rows, left))
    return replace(
        done,
        rows=left,
        n=rows.n,
        dissimilarity=Fraction(len(done.removed), len(rows.items) or 1),
        removed_from=changed,
    )


def _done(
    job: HidingJob, baseline: Baseline | None, method: HidingMethod, psi: Fraction, *, measured: bool = True
) -> Hidden:
    """Do a job by a method, and measure what it cost against a baseline if that is to be `measured`."""
    below = job.request.below
    candidates: tuple[Candidate, ...] = ()
    at_least = None
    won: str = method
    if method == "best" and baseline is not None:
        copy, won, candidates, at_least = find_best(job, baseline)
    elif method == "rowwise" and baseline is not None:
        copy = job.copy(job.removed_by_row(job.stakes(Legitimate(*baseline.legitimate(), baseline.sigma))))
    else:
        copy = job.copy(job.removed_by_paper(method))
    return Hidden(
        method=won,
        candidates=candidates,
        at_least=at_least,
        disclosure=psi,
        below=None if below is None else below.rows,
        margin=None if below is None else below.margin,
        n=job.index.n,
        sensitive_rows=job.sensitive.row_count(),
        changed_rows=int(np.count_nonzero(np.diff(copy.removed_from, prepend=-1))),
        removed_items=len(copy.removed),
        dissimilarity=Fraction(len(copy.removed), len(job.rows.items)) if len(job.rows.items) else Fraction(0),
        side_effects=baseline.measure_rows(copy.rows) if baseline is not None and measured else None,
        rows=copy.rows,
        restrictive=job.proved_patterns(copy.left),
        rules=job.proved_rules(copy.left),
        removed_from=copy.removed_from,
        removed=copy.removed,
    )

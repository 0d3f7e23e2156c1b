"""Anonymize rows by any of the methods, and prove the result.

Problem      publish rows so that nobody who knows part of a row can infer a sensitive item with confidence rho or more.
Promises     what is returned was checked, by the exact checker and not by the method that made it. If a method other
             than `perturb` fails its check, that is a bug of discreet: it raises instead of returning.
Reference    cao2010   (docs/papers/cao2010.md)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from discreet.errors import InternalFault
from discreet.thresholds import Rho, ShareLike, one_of
from discreet.transactions.column_profile import refuse_identifiers
from discreet.transactions.identifying import refuse_identifying
from discreet.transactions.transactions import check_rows
from discreet.uncertainty.best import best
from discreet.uncertainty.check import check_items, columns_with_gaps
from discreet.uncertainty.hierarchy import check_hierarchy, hierarchy_for, hierarchy_of_all
from discreet.uncertainty.perturb import perturb
from discreet.uncertainty.sensitive_items import named_labels, sensitive_items
from discreet.uncertainty.simple import simple
from discreet.uncertainty.suppress_control import suppress_control
from discreet.uncertainty.td_control import td_control
from discreet.uncertainty.time_budget import Interrupted, TimeBudget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.hierarchy import Hierarchy, HierarchySource, Neighbours
    from discreet.uncertainty.perturb import Perturbed
    from discreet.uncertainty.publication import Publication
    from discreet.uncertainty.sensitive_items import Sensitive
    from discreet.uncertainty.sensitive_rules import SensitiveRule

__all__ = ["AnonymizeMethod", "Anonymized", "anonymize", "apply_publication"]

AnonymizeMethod = Literal["best", "tdcontrol", "suppress", "simple", "perturb"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Anonymized:
    """Anonymized rows, whether they are safe to publish, and what was lost.

    Only `rows` may be published, and only if `safe` is True. Everything else is for the owner.

    Attributes
    ----------
    method : str
        How the rows were anonymized.
    rho : Fraction
        The confidence that no inference may reach.
    n : int
        The number of rows.
    rows : Transactions
        The rows to publish.
    publication : Publication or None
        What became of each item; None after "perturb", which changes rows one by one.
    information_loss : Fraction
        The share of information lost.
    simple_loss : Fraction
        What dropping every sensitive item would have lost.
    checked : Checked
        The check of the published rows.
    finished : bool
        False if a time limit or Ctrl-C ended the search. The rows are then the best found so far, and were still
        checked.
    unknown : tuple of str
        Items that the mapping does not contain and that were therefore dropped.
    """

    method: str
    rho: Fraction
    n: int
    rows: Transactions
    publication: Publication | None
    information_loss: Fraction
    simple_loss: Fraction
    checked: Checked = field(repr=False)
    finished: bool = True
    unknown: tuple[str, ...] = ()

    @property
    def safe(self) -> bool:
        """Whether the published rows passed the check."""
        return self.checked.safe

    @property
    def verdict(self) -> Literal["protected", "not-protected", "face-value"]:
        """The verdict as one word; "face-value" after "perturb", which promises nothing beyond the rows as they are."""
        return "face-value" if self.safe and self.method == "perturb" else self.checked.verdict

    @property
    def worst_rule(self) -> SensitiveRule | None:
        """The rule with the greatest confidence in the published rows."""
        return self.checked.worst_rule

    @property
    def suppressed(self) -> dict[str, list[str]]:
        """The labels that were dropped, sensitive ones and others."""
        if self.publication is None:
            return {"sensitive": [], "other": []}
        private = self.publication.node_of[self.publication.suppressed] < 0
        labels = self.publication.vocabulary.labels
        return {
            name: [labels[item] for item in np.sort(self.publication.suppressed[chosen]).tolist()]
            for name, chosen in (("sensitive", private), ("other", ~private))
        }

    @property
    def generalized(self) -> dict[str, str]:
        """What each generalized item is published as."""
        if self.publication is None:
            return {}
        return {
            self.publication.vocabulary[item]: self.publication.published_label(item)
            for item in np.flatnonzero(self.publication.generalized()).tolist()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "method": self.method,
            "rho": float(self.rho),
            "n": self.n,
            "information_loss": float(self.information_loss),
            "suppressed": self.suppressed,
            "generalized": self.generalized,
            "worst_rule": None if self.worst_rule is None else self.worst_rule.to_dict(),
            "safe": self.verdict == "protected",
            "verdict": self.verdict,
            "finished": self.finished,
            "simple_loss": float(self.simple_loss),
        }

    def __repr__(self) -> str:
        verdict = "checked" if self.method == "perturb" and self.safe else "safe" if self.safe else "NOT safe"
        return f"<Anonymized: {verdict} for rho = {float(self.rho):.3g}, {float(self.information_loss):.1%} lost>"


def anonymize(
    rows: Transactions,
    *,
    rho: ShareLike,
    sensitive: Sensitive,
    hierarchy: HierarchySource | None = None,
    fanout: int = 4,
    neighbours: Neighbours = "label",
    method: AnonymizeMethod = "best",
    time_limit: float | None = None,
    beta: ShareLike | None = None,
    seed: int = 1,
    ignore_unknown: bool = False,
    keep_order: bool = False,
    allow_identifiers: Names | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Anonymized:
    """Return rows from which no sensitive item can be inferred with a confidence of `rho` or more.

    Parameters
    ----------
    rows : Transactions
        The rows.
    rho : str, float or Fraction
        The confidence that no inference may reach, above 0.
    sensitive : labels or path
        The sensitive items, or a file with one label per line; the name of a table's column stands for its values,
        and `diag*` for every item that begins with diag.
    hierarchy : lines or path, optional
        What the other items can be generalized to: a file of lines `leaf;parent;…;root`, or such lines. By default
        items are grouped by `fanout` and `neighbours`.
    fanout : int, default 4
        How many neighbours share a node of the default hierarchy.
    neighbours : {"label", "support"}
        Which items are neighbours in the default hierarchy.
    method : {"best", "tdcontrol", "suppress", "simple", "perturb"}
        How to anonymize. "perturb" changes rows at random, and its result need not be safe.
    time_limit : float, optional
        Seconds after which "best" and "tdcontrol" return the best result so far.
    beta : str, float or Fraction, optional
        The strength of "perturb"; 1 - rho by default.
    seed : int, default 1
        The seed of "perturb".
    ignore_unknown : bool, default False
        Accept labels that are neither an item nor a column of the rows.
    keep_order : bool, default False
        Keep the rows in their order, which can tell what they hide: in a sorted file, neighbours have things in
        common. By default the order follows from what the rows hold.
    allow_identifiers : names, optional
        Columns of a table to publish although they are different in nearly every row and no measure: names, numbers
        of people, mail addresses. Without it they are refused.
    progress : callable, optional
        Called a few times a second with the share done and a count.

    Returns
    -------
    Anonymized
        The rows to publish, and for the owner what was lost.

    Raises
    ------
    ParameterError
        A parameter has an unusable value.
    DataError
        The hierarchy is not a tree over the items.
    InternalFault
        The result failed its check.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows([["cheese", "test"], ["cheese", "milk"], ["milk"], ["milk", "bread"]])
    >>> done = discreet.anonymize(rows, rho="0.5", sensitive=["test"], method="simple")
    >>> done, list(done.rows)[0]
    (<Anonymized: safe for rho = 0.5, 14.3% lost>, frozenset({'cheese'}))
    """
    one_of(method, get_args(AnonymizeMethod), parameter="method")
    check_rows(rows)
    refuse_identifiers(rows, allow_identifiers)
    limit = Rho.parse(rho)
    named = named_labels(sensitive)
    codes = sensitive_items(named, rows, ignore_unknown=ignore_unknown)
    names = tuple(each.label for each in named)
    if method == "perturb":
        made = perturb(  # at random, row by row
            rows if keep_order else rows.by_content(),
            beta=1 - limit if beta is None else beta,
            hierarchy=hierarchy_of_all(rows, hierarchy, fanout, neighbours),
            seed=seed,
            progress=progress,
        )
        return _checked(rows, made, limit, codes, names, keep_order=keep_order)
    tree = hierarchy_for(rows, codes, hierarchy, fanout, neighbours)
    if hierarchy is not None:
        check_hierarchy(tree, rows, codes, named)
    prove = partial(_proved, rows, names=names, method=method, rho=limit, sensitive=codes, keep_order=keep_order)
    try:
        plan, finished = _plan(
            rows, rho=limit, sensitive=codes, tree=tree, method=method, budget=TimeBudget(time_limit, progress)
        )
    except Interrupted as stopped:
        raise Interrupted(prove(stopped.so_far, finished=False)) from None
    return prove(plan, finished=finished)


def apply_publication(
    rows: Transactions,
    publication: Publication,
    *,
    method: str,
    rho: Fraction,
    finished: bool = True,
    unknown: tuple[str, ...] = (),
    names: Iterable[str] | None = None,
    keep_order: bool = False,
) -> Anonymized:
    """Apply a publication, measure what it loses, and check the result.

    `names` are the sensitive labels and columns as their owner names them; by default, the sensitive items.
    """
    made = publication.apply(rows)
    refuse_identifying(made, "the anonymized rows", rows)
    made = made if keep_order else made.by_content()
    private = publication.node_of < 0
    kept = [made.vocabulary.item(rows.vocabulary[item]) for item in np.flatnonzero(private).tolist()]
    codes = np.array([item for item in kept if item is not None], np.int32)
    named = [rows.vocabulary[item] for item in np.flatnonzero(private).tolist()] if names is None else names
    return Anonymized(
        method=method,
        rho=rho,
        n=rows.n,
        rows=made,
        publication=publication,
        information_loss=publication.information_loss(rows),
        simple_loss=_simple_loss(rows, private),
        checked=check_items(made, rho, codes, empty_cells=columns_with_gaps(named, made)),
        finished=finished,
        unknown=unknown,
    )


def _plan(
    rows: Transactions,
    *,
    rho: Fraction,
    sensitive: NDArray[np.int32],
    tree: Hierarchy,
    method: AnonymizeMethod,
    budget: TimeBudget,
) -> tuple[Publication, bool]:
    """Choose what is published, and return whether the search finished."""
    if method == "simple":
        return simple(rows, sensitive=sensitive, hierarchy=tree), True
    if method == "suppress":
        return suppress_control(rows, rho=rho, sensitive=sensitive, hierarchy=tree).publication, True
    if method == "tdcontrol":
        reached = td_control(rows, rho=rho, sensitive=sensitive, hierarchy=tree, budget=budget)
        return reached.publication, reached.finished
    found = best(rows, rho=rho, sensitive=sensitive, hierarchy=tree, budget=budget)
    return found.publication, found.finished


def _proved(
    rows: Transactions,
    plan: Publication,
    *,
    names: tuple[str, ...],
    method: AnonymizeMethod,
    rho: Fraction,
    sensitive: NDArray[np.int32],
    finished: bool,
    keep_order: bool,
) -> Anonymized:
    """Apply a plan and check the result; where empty cells tell a sensitive value, their columns go as a whole."""
    applied = partial(
        apply_publication, rows, names=names, method=method, rho=rho, finished=finished, keep_order=keep_order
    )
    done = applied(plan)
    if done.safe:
        return done
    if not (columns := done.checked.empty_cells):
        raise InternalFault(f"method {method} left a rule that reaches rho")
    baseline = simple(rows, sensitive=sensitive, hierarchy=plan.hierarchy)
    all_columns = {rows.vocabulary[item].partition("=")[0] for item in sensitive.tolist()}
    tried = [applied(plan.without_columns(columns))]
    if method == "best" or not tried[0].safe:
        tried += [applied(baseline), applied(baseline.without_columns(all_columns.union(columns)))]
    safe = [each for each in tried if each.safe]
    if not safe:
        raise InternalFault(f"method {method} left a rule that reaches rho")
    return min(safe, key=lambda each: each.information_loss)


def _checked(
    rows: Transactions,
    made: Perturbed,
    rho: Fraction,
    sensitive: NDArray[np.int32],
    names: tuple[str, ...],
    *,
    keep_order: bool,
) -> Anonymized:
    private = np.zeros(len(rows.vocabulary), bool)
    private[sensitive] = True
    return Anonymized(
        method="perturb",
        rho=rho,
        n=rows.n,
        rows=made.rows if keep_order else made.rows.by_content(),
        publication=None,
        information_loss=made.information_loss,
        simple_loss=_simple_loss(rows, private),
        checked=check_items(made.rows, rho, sensitive, empty_cells=columns_with_gaps(names, made.rows)),
    )


def _simple_loss(rows: Transactions, sensitive: NDArray[np.bool_]) -> Fraction:
    """Return the loss of dropping every sensitive item."""
    supports = rows.item_supports()
    held = int(supports.sum())
    return Fraction(int(supports[sensitive].sum()), held) if held else Fraction(0)

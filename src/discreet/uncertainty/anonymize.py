"""Anonymize rows by any of the methods, and prove the result.

Problem      publish rows so that nobody who knows part of a row can infer a sensitive item with confidence rho or more.
Promises     what is returned was checked, by the exact checker and not by the method that made it. If a method other
             than `perturb` fails its check, that is a bug of discreet: it raises instead of returning.
Reference    cao2010   (docs/papers/cao2010.md)
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from discreet.errors import InternalFault, ParameterError, param
from discreet.tables.tabular import Tabular
from discreet.thresholds import Rho, ShareLike, one_of
from discreet.transactions.column_profile import refuse_identifiers
from discreet.transactions.frame_rows import rows_given
from discreet.transactions.identifying import refuse_identifying
from discreet.uncertainty.best import best
from discreet.uncertainty.check import check_items, columns_with_gaps
from discreet.uncertainty.hierarchy import check_hierarchy, hierarchy_for, hierarchy_of_all
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.local import local
from discreet.uncertainty.lower_bound import lower_bound
from discreet.uncertainty.perturb import perturb
from discreet.uncertainty.rare_rows import rare_rows
from discreet.uncertainty.sensitive_items import named_labels, sensitive_items
from discreet.uncertainty.simple import simple
from discreet.uncertainty.suppress_control import suppress_control
from discreet.uncertainty.td_control import td_control
from discreet.uncertainty.time_budget import Interrupted, TimeBudget
from discreet.uncertainty.utility import what_is_left
from discreet.wording import html_table, share

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.transactions.read_record import ReadRecord
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.hierarchy import Hierarchy, HierarchySource, Neighbours
    from discreet.uncertainty.local import LocalRecoding
    from discreet.uncertainty.lower_bound import LowerBound
    from discreet.uncertainty.perturb import Perturbed
    from discreet.uncertainty.publication import Publication
    from discreet.uncertainty.rare_rows import RareRows
    from discreet.uncertainty.sensitive_items import Sensitive
    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.uncertainty.utility import WhatIsLeft

__all__ = ["AT_FACE_VALUE", "AnonymizeMethod", "Anonymized", "anonymize", "apply_publication"]

AnonymizeMethod = Literal["best", "tdcontrol", "suppress", "simple", "rare-rows", "local", "perturb"]

_ROW_BY_ROW: tuple[Literal["rare-rows", "local"], ...] = ("rare-rows", "local")

AT_FACE_VALUE = ("local", "perturb")
"""Methods that promise nothing beyond the published rows as they are."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Anonymized(Tabular):
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
        What became of each item; None after "perturb", "local" and "rare-rows", where rows change one by one.
    information_loss : Fraction
        The share of information lost.
    simple_loss : Fraction
        What dropping every sensitive item would have lost.
    left : WhatIsLeft
        How many rows, sensitive items and other items are published as they were.
    checked : Checked
        The check of the published rows.
    finished : bool
        False if a time limit or Ctrl-C ended the search. The rows are then the best found so far, and were still
        checked.
    unknown : tuple of str
        Items that the mapping does not contain and that were therefore dropped.
    recoding : LocalRecoding, RareRows or None
        What left which rows, after "local" and, if any row is rare, after "rare-rows".
    candidates : tuple of (str, Fraction, str)
        If `allow_local` let methods compete: each one, what it loses, and the verdict that it has by itself.
    bounded : callable or None
        Computes `lower_bound` and `optimum`, in a few seconds at most; None after "perturb" and if a mapping was
        applied. They are about recodings that are the same in all rows: "local" and "rare-rows" can lose less.
    read : ReadRecord or None
        How the rows were read, if they were read from anything.
    """

    method: str
    rho: Fraction
    n: int
    rows: Transactions
    publication: Publication | None
    information_loss: Fraction
    simple_loss: Fraction
    left: WhatIsLeft
    checked: Checked = field(repr=False)
    finished: bool = True
    unknown: tuple[str, ...] = ()
    recoding: LocalRecoding | RareRows | None = field(default=None, repr=False)
    candidates: tuple[tuple[str, Fraction, str], ...] = ()
    bounded: Callable[[], LowerBound] | None = field(default=None, repr=False)
    read: ReadRecord | None = field(default=None, repr=False)

    @property
    def lower_bound(self) -> Fraction | None:
        """What no recoding that is the same in all rows can lose less than; None if `bounded` is."""
        return None if self.bounded is None else self.bounded().loss

    @property
    def optimum(self) -> Fraction | None:
        """The least loss of such a recoding with this hierarchy; None if `bounded` is, or on more than a few items."""
        return None if self.bounded is None else self.bounded().optimum

    @property
    def safe(self) -> bool:
        """Whether the published rows passed the check."""
        return self.checked.safe

    @property
    def verdict(self) -> Literal["protected", "not-protected", "face-value"]:
        """The verdict as one word; "face-value" if nothing is promised beyond the rows as they are.

        That is so of all methods if they competed: which of them won tells something about the rows.
        """
        weaker = self.candidates or self.method in AT_FACE_VALUE
        return "face-value" if self.safe and weaker else self.checked.verdict

    @property
    def worst_rule(self) -> SensitiveRule | None:
        """The rule with the greatest confidence in the published rows."""
        return self.checked.worst_rule

    @property
    def in_all_rows(self) -> Publication | None:
        """What became of items in all rows, whatever else left single ones; None after "perturb"."""
        return self.publication if self.recoding is None else self.recoding.publication

    @property
    def suppressed(self) -> dict[str, list[str]]:
        """The labels that were dropped from all rows, sensitive ones and others."""
        if self.recoding is not None:
            return self.recoding.gone
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
        made = self.in_all_rows
        if made is None:
            return {}
        items = np.flatnonzero(made.generalized()).tolist()
        return {made.vocabulary[item]: made.published_label(item) for item in items}

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        bound = None if self.bounded is None else self.bounded()
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
            "lower_bound": None if bound is None else float(bound.loss),
            **({} if bound is None or not bound.cut_short else {"lower_bound_cut_short": True}),
            **({} if bound is None or bound.optimum is None else {"optimum": float(bound.optimum)}),
            "left": self.left.to_dict(),
            **({} if self.recoding is None else {self.method.replace("-", "_"): self.recoding.to_dict()}),
            **({"candidates": self._competitors()} if self.candidates else {}),
            **{name: value for name, value in self.checked.to_dict().items() if name in {"limits", "critical_rule"}},
        }

    def _competitors(self) -> list[JsonObject]:
        return [
            {"method": method, "information_loss": float(loss), "verdict": verdict}
            for method, loss, verdict in self.candidates
        ]

    def to_arrow(self) -> pa.Table:
        """Return the rows to publish, as an Arrow table: a column of lists, `items`, and `id` if there are ids."""
        return self.rows.to_arrow()

    def __repr__(self) -> str:
        verdict = {"protected": "safe", "face-value": "checked", "not-protected": "NOT safe"}[self.verdict]
        return f"<Anonymized: {verdict} for rho = {float(self.rho):.3g}, {float(self.information_loss):.1%} lost>"

    def _repr_html_(self) -> str:
        """Show what is lost, in a notebook."""
        facts = [
            ("method", self.method),
            ("information lost", share(self.information_loss)),
            ("lost if every sensitive item were dropped", share(self.simple_loss)),
        ]
        if self.worst_rule is not None:
            facts.append(("the surest inference that is left", self.worst_rule.in_words()))
        advice = (
            "Publish rows alone, with discreet.release_rows." if self.safe else "Not for release: the check failed."
        )
        return html_table(("", ""), facts, above=repr(self)[1:-1], below=advice)


def anonymize(
    rows: Transactions | Any,  # any data frame of rows
    *,
    rho: ShareLike,
    sensitive: Sensitive,
    hierarchy: HierarchySource | None = None,
    fanout: int = 4,
    neighbours: Neighbours = "label",
    method: AnonymizeMethod = "best",
    allow_local: bool = False,
    time_limit: float | None = None,
    beta: ShareLike | None = None,
    seed: int = 1,
    ignore_unknown: bool = False,
    keep_order: bool = False,
    allow_identifiers: Names | None = None,
    progress: Callable[[float, int], object] | None = None,
) -> Anonymized:
    """Return rows from which no sensitive item can be inferred with a confidence of `rho` or more.

    Parameters
    ----------
    rows : Transactions or data frame
        The rows; of a frame, one-hot columns or one column of lists.
    rho : str, float or Fraction
        The confidence that no inference may reach, above 0.
    sensitive : labels or path
        The sensitive items, or a file with one label per line; the name of a table's column stands for its values,
        and `diag*` for every item that begins with diag. Each may have a limit of its own: "hiv @ 0.1".
    hierarchy : lines or path, optional
        What the other items can be generalized to: a file of lines `leaf;parent;…;root`, or such lines. By default
        items are grouped by `fanout` and `neighbours`.
    fanout : int, default 4
        How many neighbours share a node of the default hierarchy.
    neighbours : {"label", "support"}
        Which items are neighbours in the default hierarchy.
    method : {"best", "tdcontrol", "suppress", "simple", "rare-rows", "local", "perturb"}
        How to anonymize. "rare-rows" takes all sensitive items out of rows whose other items are rare, and keeps the
        full promise. "local" takes sensitive items out of single rows: far less is lost, and less is promised.
        "perturb" changes rows at random, and its result need not be safe.
    allow_local : bool, default False
        Let "best" compete with "rare-rows" and "local", and return what loses least, with the promise of "local". What
        would tell something by having won is not taken.
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
    if allow_local and method != "best":
        raise ParameterError(
            f"{param('allow_local')} is for the method best, which then also tries rare-rows and local; leave it out",
            parameter="allow_local",
        )
    rows = rows_given(rows)
    refuse_identifiers(rows, allow_identifiers)
    named = named_labels(sensitive)
    limits = Limits.of(Rho.parse(rho), named, rows.vocabulary.labels)
    codes = sensitive_items(named, rows, ignore_unknown=ignore_unknown)
    if method == "perturb":
        made = perturb(  # at random, row by row
            rows if keep_order else rows.by_content(),
            beta=1 - limits.lowest if beta is None else beta,
            hierarchy=hierarchy_of_all(rows, hierarchy, fanout, neighbours),
            seed=seed,
            progress=progress,
        )
        return _checked(rows, made, limits, codes, keep_order=keep_order)
    tree = hierarchy_for(rows, codes, hierarchy, fanout, neighbours)
    if hierarchy is not None:
        check_hierarchy(tree, rows, codes, named)
    one_by_one = partial(_row_by_row, rows, limits, codes, tree, keep_order=keep_order)
    if method in _ROW_BY_ROW:
        return one_by_one(method, TimeBudget(None, progress))
    prove = partial(_proved, rows, method=method, limits=limits, sensitive=codes, keep_order=keep_order)
    plan_with = partial(_plan, rows, limits=limits, sensitive=codes, tree=tree, method=method)
    beside = TimeBudget()
    with ThreadPoolExecutor(len(_ROW_BY_ROW)) as pool:  # no thread is started for nothing
        others = [pool.submit(one_by_one, name, beside) for name in _ROW_BY_ROW if allow_local]
        try:
            if time_limit is not None:
                wait(others)  # a limit is for the search alone, which would share the processor
            plan, finished = plan_with(budget=TimeBudget(time_limit, progress))
            done = prove(plan, finished=finished)
            every = (done, *(other.result() for other in others))
        except BaseException as stopped:
            beside.stop()
            if isinstance(stopped, Interrupted):
                so_far = prove(stopped.so_far, finished=False)
                raise Interrupted(replace(so_far, candidates=_as_candidates(so_far) if allow_local else ())) from None
            raise
    if not allow_local:
        return done
    return replace(_least_told(*every), candidates=_as_candidates(*every))


def _least_told(*every: Anonymized) -> Anonymized:
    """Return what loses least without telling, by having won, whose sensitive items left.

    Given the rows with only those sensitive items that are left, the same must be published: a reader who does not know
    which method won then takes them for a possible input. If local generalizes, it is taken: it does so for those rows,
    too. If not, only what leaves all other items as they were may win: given such rows, local leaves them, loses
    nothing, and is taken of equals.
    """
    local_alone = next(each for each in every if each.method == "local")
    if not _others_as_they_were(local_alone):
        return local_alone
    fit = filter(_others_as_they_were, every)
    return min(fit, key=lambda each: (each.information_loss, each.method != "local"))


def _others_as_they_were(done: Anonymized) -> bool:
    return not done.generalized and not done.suppressed["other"]


def _as_candidates(*every: Anonymized) -> tuple[tuple[str, Fraction, str], ...]:
    """Return what competed, what it loses, and its own verdict."""
    return tuple((each.method, each.information_loss, each.verdict) for each in every)


def apply_publication(
    rows: Transactions,
    publication: Publication,
    *,
    method: str,
    limits: Limits,
    finished: bool = True,
    unknown: tuple[str, ...] = (),
    keep_order: bool = False,
    bounded: Callable[[], LowerBound] | None = None,
) -> Anonymized:
    """Apply a publication, measure what it loses, and check the result.

    `limits` has the sensitive labels and columns as their owner names them; if none, the sensitive items are named.
    `bounded` gives the least loss that is possible.
    """
    made = publication.apply(rows)
    refuse_identifying(made, "the anonymized rows", rows)
    made = made if keep_order else made.by_content()
    private = publication.node_of < 0
    kept = [made.vocabulary.item(rows.vocabulary[item]) for item in np.flatnonzero(private).tolist()]
    codes = np.array([item for item in kept if item is not None], np.int32)
    named = limits.names or [rows.vocabulary[item] for item in np.flatnonzero(private).tolist()]
    return Anonymized(
        method=method,
        rho=limits.rho,
        n=rows.n,
        rows=made,
        publication=publication,
        information_loss=publication.information_loss(rows),
        simple_loss=_simple_loss(rows, private),
        left=what_is_left(rows, made, np.flatnonzero(private).astype(np.int32)),
        checked=check_items(made, limits, codes, empty_cells=columns_with_gaps(named, made)),
        finished=finished,
        unknown=unknown,
        bounded=bounded,
        read=rows.read,
    )


def _plan(
    rows: Transactions,
    *,
    limits: Limits,
    sensitive: NDArray[np.int32],
    tree: Hierarchy,
    method: AnonymizeMethod,
    budget: TimeBudget,
) -> tuple[Publication, bool]:
    """Choose what is published, and return whether the search finished."""
    if method == "simple":
        return simple(rows, sensitive=sensitive, hierarchy=tree), True
    if method == "suppress":
        return suppress_control(rows, rho=limits, sensitive=sensitive, hierarchy=tree).publication, True
    if method == "tdcontrol":
        reached = td_control(rows, rho=limits, sensitive=sensitive, hierarchy=tree, budget=budget)
        return reached.publication, reached.finished
    found = best(rows, rho=limits, sensitive=sensitive, hierarchy=tree, budget=budget)
    return found.publication, found.finished


def _proved(
    rows: Transactions,
    plan: Publication,
    *,
    method: AnonymizeMethod,
    limits: Limits,
    sensitive: NDArray[np.int32],
    finished: bool,
    keep_order: bool,
) -> Anonymized:
    """Apply a plan and check the result; where empty cells tell a sensitive value, their columns go as a whole."""
    applied = partial(
        apply_publication,
        rows,
        method=method,
        limits=limits,
        finished=finished,
        keep_order=keep_order,
        bounded=partial(lower_bound, rows, limits=limits, sensitive=sensitive, hierarchy=plan.hierarchy),
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


def _row_by_row(  # noqa: PLR0917 - what all methods need, in order
    rows: Transactions,
    limits: Limits,
    sensitive: NDArray[np.int32],
    tree: Hierarchy,
    method: Literal["rare-rows", "local"],
    budget: TimeBudget,
    *,
    keep_order: bool,
) -> Anonymized:
    """Anonymize by a method that changes each row in its own way."""
    if method == "local":
        in_single_rows = local(rows, limits=limits, sensitive=sensitive, hierarchy=tree, budget=budget)
        return _checked_rows(rows, in_single_rows, limits, sensitive, method=method, keep_order=keep_order)
    made = rare_rows(rows, limits=limits, sensitive=sensitive, hierarchy=tree, budget=budget)
    if made.below == 1:  # nothing is rare, so that items leave all rows or none
        return _proved(
            rows,
            made.publication,
            method=method,
            limits=limits,
            sensitive=sensitive,
            finished=True,
            keep_order=keep_order,
        )
    common = made.rows.select(np.flatnonzero(made.common))
    if not check_items(common, limits, _items_of(common, rows, sensitive)).safe:
        raise InternalFault("method rare-rows left a rule that reaches rho in rows that are not rare")
    return _checked_rows(rows, made, limits, sensitive, method=method, keep_order=keep_order)


def _items_of(published: Transactions, rows: Transactions, sensitive: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the sensitive items of the rows that are still published, as the published rows number them."""
    kept = [published.vocabulary.item(rows.vocabulary[item]) for item in sensitive.tolist()]
    return np.array([item for item in kept if item is not None], np.int32)


def _checked_rows(
    rows: Transactions,
    made: LocalRecoding | RareRows,
    limits: Limits,
    sensitive: NDArray[np.int32],
    *,
    method: str,
    keep_order: bool,
) -> Anonymized:
    """Check rows that lost sensitive items one by one."""
    refuse_identifying(made.rows, "the anonymized rows", rows)
    published = made.rows if keep_order else made.rows.by_content()
    private = np.zeros(len(rows.vocabulary), bool)
    private[sensitive] = True
    codes = _items_of(published, rows, sensitive)
    checked = check_items(published, limits, codes, empty_cells=made.gaps)
    if not checked.safe:
        raise InternalFault(f"method {method} left a rule that reaches rho")
    return Anonymized(
        method=method,
        rho=limits.rho,
        n=rows.n,
        rows=published,
        publication=None,
        information_loss=made.information_loss,
        simple_loss=_simple_loss(rows, private),
        left=what_is_left(rows, published, sensitive),
        checked=checked,
        recoding=made,
        read=rows.read,
        bounded=partial(lower_bound, rows, limits=limits, sensitive=sensitive, hierarchy=made.publication.hierarchy),
    )


def _checked(
    rows: Transactions,
    made: Perturbed,
    limits: Limits,
    sensitive: NDArray[np.int32],
    *,
    keep_order: bool,
) -> Anonymized:
    private = np.zeros(len(rows.vocabulary), bool)
    private[sensitive] = True
    return Anonymized(
        method="perturb",
        rho=limits.rho,
        n=rows.n,
        rows=made.rows if keep_order else made.rows.by_content(),
        publication=None,
        information_loss=made.information_loss,
        simple_loss=_simple_loss(rows, private),
        left=what_is_left(rows, made.rows, sensitive),
        checked=check_items(made.rows, limits, sensitive, empty_cells=columns_with_gaps(limits.names, made.rows)),
        read=rows.read,
    )


def _simple_loss(rows: Transactions, sensitive: NDArray[np.bool_]) -> Fraction:
    """Return the loss of dropping every sensitive item."""
    supports = rows.item_supports()
    held = int(supports.sum())
    return Fraction(int(supports[sensitive].sum()), held) if held else Fraction(0)

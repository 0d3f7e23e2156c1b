"""Anonymize rows by any of the methods, and prove the result.

Problem      publish rows so that nobody who knows part of one can conclude a sensitive item with rho or more.
Promises     what is returned was checked, by the exact checker and not by the method that made it; a method other than
             `perturb` that fails its check is a bug of ours, and raises instead of returning.
Reference    cao2010   (docs/papers/cao2010.md)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from discreet.errors import InternalFault, ParameterError
from discreet.transactions.transactions import check_rows
from discreet.uncertainty.anonymized import Anonymized, published, simple_loss
from discreet.uncertainty.best import best
from discreet.uncertainty.checking import check_items
from discreet.uncertainty.hierarchy import hierarchy_for, hierarchy_of_all
from discreet.uncertainty.patience import Interrupted, Patience
from discreet.uncertainty.perturb import perturb
from discreet.uncertainty.sensitive_items import exact_rho, sensitive_codes
from discreet.uncertainty.simple import simple
from discreet.uncertainty.suppress_control import suppress_control
from discreet.uncertainty.td_control import td_control

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.patterns.threshold import Share
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Given, Hierarchy, Neighbours
    from discreet.uncertainty.perturb import Perturbed
    from discreet.uncertainty.publication import Publication
    from discreet.uncertainty.sensitive_items import Sensitive

__all__ = ["Method", "anonymize"]

Method = Literal["best", "tdcontrol", "suppress", "simple", "perturb"]


def anonymize(
    rows: Transactions,
    *,
    rho: Share,
    sensitive: Sensitive,
    hierarchy: Given | None = None,
    fanout: int = 4,
    neighbours: Neighbours = "label",
    method: Method = "best",
    time_limit: float | None = None,
    beta: Share | None = None,
    seed: int = 1,
    progress: Callable[[float, int], None] | None = None,
) -> Anonymized:
    """Return rows from which no sensitive item can be concluded with a confidence of `rho` or more.

    Parameters
    ----------
    rows : Transactions
        The rows.
    rho : str, float or Fraction
        The confidence that nobody may reach, above 0.
    sensitive : labels or path
        The sensitive items, or a file with one label per line.
    hierarchy : lines or path, optional
        What the other items can be generalized to: a file of lines `leaf;parent;…;root`, or such lines. Without one,
        items are grouped by `fanout` and `neighbours`.
    fanout : int, default 4
        How many neighbours share a node of the hierarchy that is made where none is given.
    neighbours : {"label", "support"}
        Which items are neighbours in that hierarchy.
    method : {"best", "tdcontrol", "suppress", "simple", "perturb"}
        How to anonymize. "perturb" changes rows at random, and its result need not be safe.
    time_limit : float, optional
        Seconds after which "best" and "tdcontrol" return the best result so far.
    beta : str, float or Fraction, optional
        The strength of "perturb"; 1 - rho by default.
    seed : int, default 1
        The seed of "perturb".
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
    if method not in get_args(Method):
        raise ParameterError(
            f"method must be best, tdcontrol, suppress, simple or perturb, got {method!r}", parameter="method"
        )
    check_rows(rows)
    limit = exact_rho(rho)
    codes = sensitive_codes(sensitive, rows.vocabulary)
    if method == "perturb":
        made = perturb(
            rows,
            beta=1 - limit if beta is None else beta,
            hierarchy=hierarchy_of_all(rows, hierarchy, fanout, neighbours),
            seed=seed,
            progress=progress,
        )
        return _checked(rows, made, limit, codes)
    tree = hierarchy_for(rows, codes, hierarchy, fanout, neighbours)
    try:
        plan, finished = _plan(
            rows, rho=limit, sensitive=codes, tree=tree, method=method, patience=Patience(time_limit, progress)
        )
    except Interrupted as stopped:
        raise Interrupted(_proved(rows, stopped.so_far, method, limit, finished=False)) from None
    return _proved(rows, plan, method, limit, finished=finished)


def _plan(
    rows: Transactions,
    *,
    rho: Fraction,
    sensitive: NDArray[np.int32],
    tree: Hierarchy,
    method: Method,
    patience: Patience,
) -> tuple[Publication, bool]:
    """Choose what is published, and say whether the search came to its end."""
    if method == "simple":
        return simple(rows, sensitive=sensitive, hierarchy=tree), True
    if method == "suppress":
        return suppress_control(rows, rho=rho, sensitive=sensitive, hierarchy=tree).publication, True
    if method == "tdcontrol":
        reached = td_control(rows, rho=rho, sensitive=sensitive, hierarchy=tree, patience=patience)
        return reached.publication, reached.finished
    found = best(rows, rho=rho, sensitive=sensitive, hierarchy=tree, patience=patience)
    return found.publication, found.finished


def _proved(rows: Transactions, plan: Publication, method: Method, rho: Fraction, *, finished: bool) -> Anonymized:
    done = published(rows, plan, method=method, rho=rho, finished=finished)
    if not done.safe:
        raise InternalFault(f"method {method} left a rule that reaches rho")
    return done


def _checked(rows: Transactions, made: Perturbed, rho: Fraction, sensitive: NDArray[np.int32]) -> Anonymized:
    private = np.zeros(len(rows.vocabulary), bool)
    private[sensitive] = True
    return Anonymized(
        method="perturb",
        rho=rho,
        n=rows.n,
        rows=made.rows,
        publication=None,
        information_loss=made.information_loss,
        simple_loss=simple_loss(rows, private),
        checked=check_items(made.rows, rho, sensitive),
    )

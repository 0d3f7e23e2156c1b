"""Check whether someone who knows part of a row can infer a sensitive item in it.

Problem      given rows, the sensitive items and rho, find the sensitive rule of highest confidence: if that is below
             rho, the rows are rho-uncertain.
Method       for each sensitive item, a search over the sets that are closed among the rows that contain it, bounded by
             the number of other rows that contain the rest of such a row: see cpp/uncertainty_check.hpp.
Promises     exact over antecedents of every length, including the empty one and those with sensitive items; whole
             numbers throughout. The returned rule is the worst one even if it is below rho: that is the proof. Among
             rules of equal confidence, one with a single item and the most rows comes first, and no item of an
             antecedent is redundant.
Cost         one scan of the rows that contain a row's rarest item, for each row with a sensitive item. After that, the
             search has little left to do on typical data. In the worst case it is exponential in a row's length.
Departures   the definition covers every X within a row, so the empty antecedent counts, and "less than" is strict.
Names        chi -> antecedent;  alpha -> consequent;  sup(chi alpha) -> together;  sup(chi) -> holding.
Reference    cao2010, Definition 3.1   (docs/papers/cao2010.md, tests/papers/test_cao2010.py)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from discreet import _kernel
from discreet.itemsets import Itemsets
from discreet.thresholds import Rho, ShareLike, one_of
from discreet.transactions.remote_rows import RemoteRows
from discreet.transactions.transactions import check_rows
from discreet.transactions.vocabulary import in_order
from discreet.uncertainty.empty_cells import EmptyCells, counted_columns, empty_cell, table_columns, with_empty_cells
from discreet.uncertainty.exact_knowledge import exact_rules
from discreet.uncertainty.mapping import read_mapping
from discreet.uncertainty.sensitive_items import named_labels, sensitive_items
from discreet.uncertainty.sensitive_rules import SensitiveRule, attainable_share, sensitive_flags

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.sensitive_items import Sensitive

__all__ = ["Checked", "check", "check_items", "columns_with_gaps", "worst_rule"]


@dataclass(frozen=True, eq=False, repr=False)
class Checked:
    """Whether rows are rho-uncertain, the rule with the greatest confidence, and the rows it applies to.

    Attributes
    ----------
    safe : bool
        Whether no sensitive item can be inferred with rho or more.
    rho : Fraction
        The confidence that no inference may reach.
    n : int
        The number of rows.
    worst_rule : SensitiveRule or None
        The rule with the greatest confidence.
    affected : tuple of str
        The sensitive items that can be inferred with rho or more.
    endangered : array of int64 or None
        The rows (from 0) that contain both sides of `worst_rule`; None if rows have no numbers, as in Spark.
    endangered_by_one : array of int64 or None
        The rows where knowing one item, or none, is enough to infer another with rho or more.
    empty_cells : tuple of str
        The columns whose empty cells count as a sensitive value; the label of such a cell is `column=`.
    exact_knowledge : bool
        Whether someone was assumed who knows all that a row holds and lacks, except the answer.
    """

    safe: bool
    rho: Fraction
    n: int
    worst_rule: SensitiveRule | None
    affected: tuple[str, ...]
    endangered: NDArray[np.int64] | None = field(repr=False)
    endangered_by_one: NDArray[np.int64] | None = field(repr=False)
    empty_cells: tuple[str, ...] = ()
    exact_knowledge: bool = False

    @property
    def verdict(self) -> Literal["protected", "not-protected"]:
        """The verdict as one word: "protected" or "not-protected"."""
        return "protected" if self.safe else "not-protected"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "safe": self.safe,
            "verdict": self.verdict,
            "rho": float(self.rho),
            "worst_rule": None if self.worst_rule is None else self.worst_rule.to_dict(),
            "empty_cells": list(self.empty_cells),
            "exact_knowledge": self.exact_knowledge,
        }

    def __repr__(self) -> str:
        if self.worst_rule is None:
            return "<Checked: safe, no sensitive item in any row>"
        surest = f"{float(self.worst_rule.confidence):.3g}"
        return f"<Checked: {'safe' if self.safe else 'NOT safe'}, at most {surest} for rho = {float(self.rho):.3g}>"


def check(
    rows: Transactions | RemoteRows,
    *,
    rho: ShareLike,
    sensitive: Sensitive,
    mapping: str | os.PathLike[str] | None = None,
    ignore_unknown: bool = False,
    empty_cells: EmptyCells = "auto",
    exact_knowledge: bool = False,
    passphrase: str | bytes | None = None,
) -> Checked:
    """Check that no sensitive item can be inferred from the rest of a row with a confidence of `rho` or more.

    Parameters
    ----------
    rows : Transactions or Spark data frame
        The rows.
    rho : str, float or Fraction
        The confidence that no inference may reach, above 0.
    sensitive : labels or path
        The sensitive items, or a file with one label per line; the name of a table's column stands for its values,
        and `diag*` for every item that begins with diag.
    mapping : path, optional
        A file of `anonymize --mapping`: labels that it knows are accepted, because they were dropped.
    ignore_unknown : bool, default False
        Accept labels that are neither an item nor a column of the rows.
    empty_cells : {"auto", "sensitive", "missing"}
        What an empty cell of a table counts as, in a column with sensitive values: a sensitive value, because one was
        dropped there, or nothing, because it was missing from the start. By default it is sensitive if a value named
        for the column no longer occurs, or if the column itself is named, or all its values.
    exact_knowledge : bool, default False
        Assume someone who also knows what a row does not hold: all that is published about it, except the answer.
    passphrase : str or bytes, optional
        What the mapping was encrypted with.

    Returns
    -------
    Checked
        The verdict, and the most certain rule.

    Raises
    ------
    ParameterError
        A parameter has an unusable value, the file of labels cannot be read, or a label is unknown.
    DataError
        A label is not a text, or the mapping is not one, or the passphrase does not open it.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows([["cheese", "test"], ["cheese", "milk"], ["milk"], ["milk", "bread"]])
    >>> checked = discreet.check(rows, rho="0.5", sensitive=["test"])
    >>> checked.safe, checked.worst_rule
    (False, SensitiveRule(antecedent=('cheese',), consequent='test', together=1, holding=2))
    >>> checked.endangered.tolist(), checked.affected
    ([0], ('test',))
    """
    if not isinstance(rows, RemoteRows):
        check_rows(rows)
    limit, named = Rho.parse(rho), named_labels(sensitive)
    known = (
        set() if mapping is None else read_mapping(mapping, passphrase=passphrase).knows(each.label for each in named)
    )
    one_of(empty_cells, get_args(EmptyCells), parameter="empty_cells")
    if isinstance(rows, RemoteRows):
        return rows.check(
            rho=limit,
            sensitive=named,
            known=known,
            ignore_unknown=ignore_unknown,
            empty_cells=empty_cells,
            exact_knowledge=exact_knowledge,
        )
    codes = sensitive_items(named, rows, known=known, ignore_unknown=ignore_unknown)
    columns = columns_with_gaps([each.label for each in named], rows, empty_cells)
    return check_items(rows, limit, codes, empty_cells=columns, exact_knowledge=exact_knowledge)


def columns_with_gaps(names: Iterable[str], rows: Transactions, how: EmptyCells = "auto") -> tuple[str, ...]:
    """Return the columns of a table whose empty cells count as sensitive: see `empty_cells`."""
    columns = table_columns(rows)
    if not columns:
        return ()
    held = {rows.vocabulary[item] for item in np.flatnonzero(rows.item_supports()).tolist()}
    return counted_columns(names, columns, held, how)


def check_items(
    rows: Transactions,
    rho: Fraction,
    sensitive: NDArray[np.int32],
    *,
    empty_cells: tuple[str, ...] = (),
    exact_knowledge: bool = False,
) -> Checked:
    """Check rows whose sensitive items are given by number; there may be none."""
    if empty_cells:
        labels = [rows.vocabulary[item] for item in sensitive.tolist()]
        rows = with_empty_cells(rows, empty_cells)
        place = rows.vocabulary.positions
        sensitive = np.sort(np.array([place[label] for label in (*labels, *map(empty_cell, empty_cells))], np.int32))
    found = replace(_checked(rows, rho, sensitive), empty_cells=empty_cells)
    if not exact_knowledge:
        return found
    return _with_exact_rules(replace(found, exact_knowledge=True), exact_rules(rows, sensitive), rows)


def _with_exact_rules(found: Checked, rules: Mapping[str, SensitiveRule], rows: Transactions) -> Checked:
    surest = max(rules.values(), key=lambda rule: rule.confidence, default=None)
    if surest is None or (found.worst_rule is not None and surest.confidence <= found.worst_rule.confidence):
        return found
    over = {label for label, rule in rules.items() if rule.confidence >= found.rho}
    held = Itemsets.of([sorted(rows.vocabulary.positions[each] for each in (*surest.antecedent, surest.consequent))])
    same = (rows.itemsets.lengths == len(held.items)) & (_rows_among(held.items, rows) == len(held.items))
    return replace(
        found,
        safe=surest.confidence < found.rho,
        worst_rule=surest,
        affected=tuple(in_order(over.union(found.affected), rows.vocabulary)),
        endangered=np.flatnonzero(same),
    )


def _rows_among(items: NDArray[np.int32], rows: Transactions) -> NDArray[np.int64]:
    """Return how many of these items each row holds."""
    return rows.itemsets.keeping(np.isin(rows.items, items)).lengths


def _checked(rows: Transactions, rho: Fraction, sensitive: NDArray[np.int32]) -> Checked:
    worst = worst_rule(rows, sensitive)
    safe = worst is None or worst.confidence < rho
    affected, by_one = _affected(rows, sensitive, rho) if not safe else (np.zeros(0, np.int32), np.zeros(0, np.int64))
    return Checked(
        safe=safe,
        rho=rho,
        n=rows.n,
        worst_rule=worst,
        affected=tuple(rows.vocabulary[item] for item in affected.tolist()),
        endangered=np.zeros(0, np.int64) if worst is None else _rows_of(worst, rows),
        endangered_by_one=by_one,
    )


def worst_rule(rows: Transactions, sensitive: NDArray[np.int32]) -> SensitiveRule | None:
    """Return the sensitive rule of highest confidence, None if no row contains a sensitive item."""
    found = _kernel.find_worst_rule(
        rows.itemsets, rows.weights, total=rows.n, sensitive=sensitive_flags(rows.vocabulary, sensitive)
    )
    if found is None:
        return None
    antecedent, consequent, together, holding = found
    label = rows.vocabulary.labels
    return SensitiveRule(tuple(label[item] for item in antecedent.tolist()), label[consequent], together, holding)


def _affected(
    rows: Transactions, sensitive: NDArray[np.int32], rho: Fraction
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    part, whole = attainable_share(rho, rows.n)
    flags = sensitive_flags(rows.vocabulary, sensitive)
    items, by_one = _kernel.find_affected(
        rows.itemsets, rows.weights, total=rows.n, sensitive=flags, rho_part=part, rho_whole=whole
    )
    return items, np.flatnonzero(by_one)


def _rows_of(rule: SensitiveRule, rows: Transactions) -> NDArray[np.int64]:
    """Return the positions of the rows that contain both sides of a rule."""
    labels = (*rule.antecedent, rule.consequent)
    wanted = np.array([rows.vocabulary.positions[label] for label in labels], np.int32)
    return np.flatnonzero(_rows_among(wanted, rows) == len(labels))

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
from discreet.tables.tabular import Tabular
from discreet.thresholds import Rho, ShareLike, one_of
from discreet.transactions.disk_rows import are_on_disk
from discreet.transactions.frame_rows import rows_given
from discreet.transactions.remote_rows import RemoteRows
from discreet.transactions.vocabulary import in_order
from discreet.uncertainty.disk_check import check_in_passes
from discreet.uncertainty.empty_cells import EmptyCells, counted_columns, empty_cell, table_columns, with_empty_cells
from discreet.uncertainty.exact_knowledge import exact_rules
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.mapping import read_mapping
from discreet.uncertainty.sensitive_items import named_labels, sensitive_items
from discreet.uncertainty.sensitive_rules import SensitiveRule, sensitive_flags
from discreet.wording import html_table, share

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.json_types import JsonObject
    from discreet.transactions.read_record import ReadRecord
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.sensitive_items import Sensitive

__all__ = ["Checked", "check", "check_items", "columns_with_gaps", "verdict_on", "worst_rule"]


@dataclass(frozen=True, eq=False, repr=False)
class Checked(Tabular):
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
        The sensitive items that can be inferred with rho or more, or with their own limit.
    endangered : array of int64 or None
        The rows (from 0) that contain both sides of `critical_rule`; None if rows have no numbers, as in Spark.
    endangered_by_one : array of int64 or None
        The rows where knowing one item, or none, is enough to infer another with its limit or more.
    empty_cells : tuple of str
        The columns whose empty cells count as a sensitive value; the label of such a cell is `column=`.
    exact_knowledge : bool
        Whether someone was assumed who knows all that a row holds and lacks, except the answer.
    limits : dict of str to Fraction
        The labels that have a limit of their own, in place of rho.
    critical_rule : SensitiveRule or None
        The rule that exceeds its item's limit most or, if none does, comes nearest to it: the greatest confidence in
        proportion to the limit. Without limits of their own it is `worst_rule`.
    read : ReadRecord or None
        How the rows were read, if they were read from anything.
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
    limits: Mapping[str, Fraction] = field(default_factory=dict)
    critical_rule: SensitiveRule | None = None
    read: ReadRecord | None = field(default=None, repr=False)

    @property
    def verdict(self) -> Literal["protected", "not-protected"]:
        """The verdict as one word: "protected" or "not-protected"."""
        return "protected" if self.safe else "not-protected"

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        told: JsonObject = {
            "safe": self.safe,
            "verdict": self.verdict,
            "rho": float(self.rho),
            "worst_rule": None if self.worst_rule is None else self.worst_rule.to_dict(),
            "empty_cells": list(self.empty_cells),
            "exact_knowledge": self.exact_knowledge,
        }
        if self.limits:
            told["limits"] = {name: float(limit) for name, limit in self.limits.items()}
            told["critical_rule"] = None if self.critical_rule is None else self.critical_rule.to_dict()
        return told

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with the most certain rule, and the critical one if it is another.

        Its columns are `antecedent`, `consequent`, `together` and `holding` (numbers of rows), `confidence` and
        `limit`.
        """
        import pyarrow as pa

        rules = list(dict.fromkeys(rule for rule in (self.worst_rule, self.critical_rule) if rule is not None))
        columns = {
            "antecedent": pa.array([list(rule.antecedent) for rule in rules], pa.list_(pa.string())),
            "consequent": pa.array([rule.consequent for rule in rules], pa.string()),
            "together": pa.array([rule.together for rule in rules], pa.int64()),
            "holding": pa.array([rule.holding for rule in rules], pa.int64()),
            "confidence": pa.array([float(rule.confidence) for rule in rules], pa.float64()),
            "limit": pa.array([float(self.limits.get(rule.consequent, self.rho)) for rule in rules], pa.float64()),
        }
        return pa.table(columns)

    def _repr_html_(self) -> str:
        """Show the verdict, the surest inference with its arithmetic, and what to do, in a notebook."""
        facts = [("rows", f"{self.n:,}"), ("no inference may reach", share(self.rho))]
        if self.worst_rule is not None:
            facts.append(("the surest inference", self.worst_rule.in_words()))
        if self.critical_rule is not None and self.critical_rule != self.worst_rule:
            facts.append(("the worst for its own limit", self.critical_rule.in_words()))
        if self.endangered is not None and not self.safe:
            facts.append(("rows it is about", f"{len(self.endangered):,}"))
        advice = "discreet.anonymize makes such rows safe; discreet.loss_curve shows at what cost."
        return html_table(("", ""), facts, above=repr(self)[1:-1], below="" if self.safe else advice)

    def __repr__(self) -> str:
        if self.worst_rule is None:
            return "<Checked: safe, no sensitive item in any row>"
        surest = f"{float(self.worst_rule.confidence):.3g}"
        rho = f"{float(self.rho):.3g}{' and own limits' if self.limits else ''}"
        return f"<Checked: {'safe' if self.safe else 'NOT safe'}, at most {surest} for rho = {rho}>"


def check(
    rows: Transactions | RemoteRows | Any,  # any data frame of rows
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

    That is about these rows alone. If sensitive items left single rows before, what their absence tells is not counted.

    Parameters
    ----------
    rows : Transactions or data frame
        The rows; of a frame, one-hot columns or one column of lists.
    rho : str, float or Fraction
        The confidence that no inference may reach, above 0.
    sensitive : labels or path
        The sensitive items, or a file with one label per line; the name of a table's column stands for its values,
        and `diag*` for every item that begins with diag. Each may have a limit of its own: "hiv @ 0.1".
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
        rows = rows_given(rows)
    named = named_labels(sensitive)
    limits = Limits.of(Rho.parse(rho), named)
    known = (
        set() if mapping is None else read_mapping(mapping, passphrase=passphrase).knows(each.label for each in named)
    )
    one_of(empty_cells, get_args(EmptyCells), parameter="empty_cells")
    if isinstance(rows, RemoteRows):
        return rows.check(
            limits=limits,
            sensitive=named,
            known=known,
            ignore_unknown=ignore_unknown,
            empty_cells=empty_cells,
            exact_knowledge=exact_knowledge,
        )
    codes = sensitive_items(named, rows, known=known, ignore_unknown=ignore_unknown)
    columns = columns_with_gaps([each.label for each in named], rows, empty_cells)
    found = check_items(rows, limits, codes, empty_cells=columns, exact_knowledge=exact_knowledge)
    return replace(found, read=rows.read)


def columns_with_gaps(names: Iterable[str], rows: Transactions, how: EmptyCells = "auto") -> tuple[str, ...]:
    """Return the columns of a table whose empty cells count as sensitive: see `empty_cells`."""
    columns = table_columns(rows)
    if not columns:
        return ()
    held = {rows.vocabulary[item] for item in np.flatnonzero(rows.item_supports()).tolist()}
    return counted_columns(names, columns, held, how)


def check_items(
    rows: Transactions,
    rho: Fraction | Limits,
    sensitive: NDArray[np.int32],
    *,
    empty_cells: tuple[str, ...] = (),
    exact_knowledge: bool = False,
) -> Checked:
    """Check rows whose sensitive items are given by number; there may be none."""
    limits = Limits.parse(rho)
    labels = [rows.vocabulary[item] for item in sensitive.tolist()] + [empty_cell(column) for column in empty_cells]
    if are_on_disk(rows):
        return check_in_passes(
            rows,
            labels,
            whole_rows=exact_knowledge,
            extended=lambda part: with_empty_cells(part, empty_cells),
            check=lambda kinds: replace(
                check_items(kinds, limits, _numbers(labels, kinds), exact_knowledge=exact_knowledge),
                empty_cells=empty_cells,
            ),
        )
    rows = with_empty_cells(rows, empty_cells)
    sensitive = _numbers(labels, rows)
    groups = limits.grouped(rows.vocabulary, sensitive)
    rules = [(rule, limit) for limit, items in groups if (rule := worst_rule(rows, items))]
    found = verdict_on(rules, limits, rows.n, empty_cells=empty_cells)
    affected, by_one = (np.zeros(0, np.int32), np.zeros(0, np.int64))
    if not found.safe:
        affected, by_one = _affected(rows, sensitive, limits)
    found = replace(
        found,
        affected=tuple(rows.vocabulary[item] for item in affected.tolist()),
        endangered=np.zeros(0, np.int64) if found.critical_rule is None else _rows_of(found.critical_rule, rows),
        endangered_by_one=by_one,
    )
    if not exact_knowledge:
        return found
    exact = exact_rules(rows, sensitive)
    own = limits.of_items(exact, rows.vocabulary.labels)
    known = {limit: rule.confidence for rule, limit in rules}
    more = [(rule, own[label]) for label, rule in exact.items()]
    surer = [(rule, limit) for rule, limit in more if rule.confidence > known[limit]]
    over = {*found.affected, *(rule.consequent for rule, limit in more if rule.confidence >= limit)}
    found = replace(found, exact_knowledge=True, affected=tuple(in_order(over, rows.vocabulary)))
    return _made_surer(found, verdict_on([*rules, *surer], limits, rows.n), rows) if surer else found


def _numbers(labels: Iterable[str], rows: Transactions) -> NDArray[np.int32]:
    """Return the numbers of some labels, ascending."""
    place = rows.vocabulary.positions
    return np.sort(np.array([place[label] for label in labels], np.int32))


def verdict_on(
    rules: Sequence[tuple[SensitiveRule, Fraction]], limits: Limits, n: int, *, empty_cells: tuple[str, ...] = ()
) -> Checked:
    """Return the verdict on rows by their surest rule of each limit, or of each sensitive item, without row numbers."""
    critical = min(rules, key=lambda pair: (-pair[0].confidence / pair[1], *pair[0].rank), default=None)
    return Checked(
        safe=critical is None or critical[0].confidence < critical[1],
        rho=limits.rho,
        n=n,
        worst_rule=min((rule for rule, _ in rules), key=lambda rule: rule.rank, default=None),
        affected=tuple(rule.consequent for rule, limit in rules if rule.confidence >= limit),
        endangered=None,
        endangered_by_one=None,
        empty_cells=empty_cells,
        limits=limits.own,
        critical_rule=None if critical is None else critical[0],
    )


def _made_surer(found: Checked, exact: Checked, rows: Transactions) -> Checked:
    """Return a check with the rules of someone who knows all of a row."""
    endangered = found.endangered
    if (rule := exact.critical_rule) is not None and rule is not found.critical_rule:
        held = _rows_of(rule, rows)
        endangered = held[rows.itemsets.lengths[held] == len(rule.antecedent) + 1]
    return replace(found, safe=exact.safe, worst_rule=exact.worst_rule, critical_rule=rule, endangered=endangered)


def _rows_among(items: NDArray[np.int32], rows: Transactions) -> NDArray[np.int64]:
    """Return how many of these items each row holds."""
    return rows.itemsets.keeping(np.isin(rows.items, items)).lengths


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
    rows: Transactions, sensitive: NDArray[np.int32], limits: Limits
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    part, whole = limits.shares(rows.vocabulary, sensitive, rows.n)
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

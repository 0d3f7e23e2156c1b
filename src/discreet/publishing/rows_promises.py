"""What can be promised about rows, and how it is checked.

rho      nobody who knows part of a row can infer a sensitive item of it with a confidence of rho or more (cao2010).
         Anyone can check that, so the certificate names the remaining sensitive items. What else is sensitive, it names
         if the owner allows it; otherwise it says how many labels are, and that readers must ask.
hidden   itemsets that the owner keeps secret are in no row, or in at most a share of the rows that contained them
         (oliveira2002). Nobody else may know which itemsets: so nobody else can check it, and the certificate says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.errors import DataError, NotSafe, ParameterError, param
from discreet.hiding.restrictions import RuleBound, expand_columns, read_restrictions, separator_of
from discreet.itemsets import Itemsets
from discreet.publishing.free_text import LONGEST_TEXT
from discreet.thresholds import Share
from discreet.transactions.label_names import columns_of, matches
from discreet.uncertainty.check import check_items, columns_with_gaps
from discreet.uncertainty.empty_cells import table_columns
from discreet.uncertainty.sensitive_items import named_labels, sensitive_items
from discreet.wording import counted, label_text, limit

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.empty_cells import EmptyCells
    from discreet.uncertainty.mapping import Mapping as KeptMapping
    from discreet.uncertainty.sensitive_items import Sensitive

__all__ = ["RowsPromise", "hidden_promise", "parse_promise", "recheck", "rho_promise"]

_MOST_SHOWN = 100
"""How many sensitive labels a certificate may name: its readers read them."""

_MOST_NAMED = 1_000_000

_ALWAYS = (
    "Nothing is promised about other publications about the same people.",
    "Without a signature, nothing tells who wrote this.",
)

_NOT_EXACT = (
    "Nothing is promised against someone who also knows what a row does not hold: all that is published of it, except "
    "the answer."
)
_OWNERS_ORDER = (
    "The rows are in an order that the owner chose: what neighbours have in common may follow from it, whatever was "
    "removed."
)


@dataclass(frozen=True, slots=True)
class RowsPromise:
    """A promise that rows keep: its figures, its words, its limits; `evidence` is for the owner."""

    figures: Mapping[str, Any]
    statement: str
    not_promised: tuple[str, ...]
    evidence: str
    verdict: Literal["protected", "hidden", "partly-hidden"]

    @property
    def names(self) -> tuple[str, ...]:
        """The sensitive labels that the promise names."""
        protected = self.figures.get("protected")
        return () if protected is None else tuple(protected["names"] or ())

    def in_order(self, order: Literal["content", "owner"]) -> RowsPromise:
        """Return the promise about rows whose order follows from their content, or is the owner's."""
        figures = {**self.figures, "order": order}
        if order == "content":
            return replace(self, figures=figures)
        return replace(self, figures=figures, not_promised=(_OWNERS_ORDER, *self.not_promised))


def rho_promise(
    rows: Transactions,
    rho: Fraction,
    sensitive: Sensitive | None,
    *,
    original: Transactions | None = None,
    mapping: KeptMapping | None = None,
    ignore_unknown: bool = False,
    name_sensitive: bool = False,
    empty_cells: EmptyCells = "auto",
    exact_knowledge: bool = False,
) -> RowsPromise:
    """Promise that no sensitive item can be inferred with `rho` or more, or raise NotSafe.

    Labels that only the original rows or the mapping have are known: they were dropped. If no label is known, the
    promise would be about nothing, and is refused.
    """
    if sensitive is None:
        raise ParameterError(
            f"the promise rho needs to know what is sensitive; give {param('sensitive')}", parameter="sensitive"
        )
    _refuse_no_rows(rows)
    named = named_labels(sensitive)
    names = tuple(dict.fromkeys(each.label for each in named))
    known = _dropped(names, original) | (set() if mapping is None else mapping.knows(names))
    items = sensitive_items(named, rows, known=known, ignore_unknown=ignore_unknown)
    held = matches(names, rows.vocabulary.labels)
    meant = sorted(name for name in names if held[name] or name in known or name in columns_of(rows))
    if not meant:
        raise ParameterError(
            f"{param('sensitive')} names nothing that the rows have, or are known to have had, so the promise would be "
            f"about nothing; give DATA, the rows before, or {param('mapping')}",
            parameter="sensitive",
        )
    if name_sensitive and len(meant) > _MOST_SHOWN:
        raise ParameterError(
            f"{param('name_sensitive')} names at most {_MOST_SHOWN} labels, got {len(meant):,}; name columns, or leave "
            "it out",
            parameter="name_sensitive",
        )
    gaps = columns_with_gaps(names, rows, empty_cells)
    shown = meant if name_sensitive else None
    return _rho_words(rows, rho, items, len(meant), shown, gaps=gaps, exact=exact_knowledge)


def _refuse_no_rows(rows: Transactions) -> None:
    if not rows.n:
        raise ParameterError("there are no rows, so there is nothing to promise", parameter="rows")


def _dropped(names: Sequence[str], original: Transactions | None) -> set[str]:
    """Return the names that stand for items of the original rows."""
    if original is None:
        return set()
    found = matches(names, original.vocabulary.labels)
    return {*columns_of(original), *(name for name, labels in found.items() if labels)}


def _rho_words(
    rows: Transactions,
    rho: Fraction,
    named: NDArray[np.int32],
    count: int,
    names: list[str] | None,
    *,
    gaps: tuple[str, ...],
    exact: bool,
) -> RowsPromise:
    held = rows.item_supports() > 0
    left = [rows.vocabulary[item] for item in named.tolist() if held[item]]
    worst = _check_rho(rows, rho, named[held[named]], gaps, exact=exact)
    known = "all that the row holds and lacks, except the answer," if exact else "part of a row"
    also = f", or an empty cell of {counted(len(gaps), 'column')}, which can stand for one," if gaps else ""
    return RowsPromise(
        {
            "definition": "cao2010",
            "rho": str(rho),
            "sensitive": left,
            "protected": {"count": count, "names": names},
            "empty_cells": list(gaps),
            "knowledge": "exact" if exact else "items",
        },
        f"Nobody who knows {known} concludes an item in it that the owner calls sensitive{also} with a confidence of "
        f"{limit(rho)} or more, however much of the row is known. {_what_is_sensitive(len(left), count, names)}",
        (
            *(() if exact else (_NOT_EXACT,)),
            "Items that are not sensitive can be concluded with any confidence.",
            "Nothing is promised against someone who knows more about a person than what the row holds.",
            *_ALWAYS,
        ),
        "no sensitive item is left" if worst is None else f"a sensitive item follows with {limit(worst)} at most",
        "protected",
    )


def _what_is_sensitive(left: int, count: int, names: list[str] | None) -> str:
    """Return what is protected, or that readers must ask."""
    if names is not None:
        listed = ", ".join(label_text(name, LONGEST_TEXT) for name in names)
        said = f"Sensitive {'is' if count == 1 else 'are'}, as the owner says: {listed}."
    else:
        said = (
            f"The owner calls {counted(count, 'item or column', 'items or columns')} sensitive and does not name "
            f"{'it' if count == 1 else 'them'} here: ask which before you rely on this."
        )
    rest = f"{counted(left, 'sensitive item')} {'is' if left == 1 else 'are'} left in the rows; the certificate lists "
    return f"{said} {rest}{'it' if left == 1 else 'them'}." if left else f"{said} No row has a sensitive item any more."


def hidden_promise(
    rows: Transactions,
    restrict: str | os.PathLike[str] | None,
    disclosure: Fraction,
    original: Transactions | None,
    *,
    ignore_unknown: bool = False,
) -> RowsPromise:
    """Promise that restrictive itemsets are hidden, or raise NotSafe; a share of them may stay if the owner says so."""
    if restrict is None:
        raise ParameterError(
            f"the promise hidden needs to know what is; give {param('restrict')}", parameter="restrict"
        )
    _refuse_no_rows(rows)
    asked = read_restrictions(restrict, separator=separator_of(rows.layout))
    before = rows if original is None else original
    labels = {*rows.vocabulary, *before.vocabulary}
    columns = {*columns_of(rows), *columns_of(before)}
    known = {name for name, items in matches({name for one in asked for name in one.labels}, labels).items() if items}
    count = sum(one.labels <= known | columns for one in asked)
    partly = False
    for one in expand_columns(asked, labels, known=columns, ignore_unknown=ignore_unknown):
        if isinstance(one, RuleBound):
            both, antecedent = _supports(rows, [one.antecedent | one.consequent, one.antecedent])
            kept = antecedent == 0 or Fraction(both, antecedent) < one.below
        else:
            share = disclosure if one.disclosure is None else one.disclosure
            (left,) = _supports(rows, [one.items])
            kept = left <= share * _before(original, one.items, share)
            partly = partly or left > 0
        if not kept:
            raise NotSafe(f"{one.place} is not hidden in these rows; hide it first (discreet hide)")
    if not count:
        raise ParameterError(
            f"no pattern of {param('restrict')} consists of labels that the rows have, or are known to have had, so "
            "the promise would be about nothing; give DATA, the rows before hiding",
            parameter="restrict",
        )
    return _hidden_words(count, f"{counted(count, 'restriction')} kept", "partly-hidden" if partly else "hidden")


def _hidden_words(count: int, evidence: str, verdict: Literal["hidden", "partly-hidden"] = "hidden") -> RowsPromise:
    return RowsPromise(
        {"definition": "oliveira2002", "restrictions": count},
        f"{counted(count, 'pattern')} that the owner restricts {'was' if count == 1 else 'were'} hidden in these rows, "
        "as far as the owner asked for.",
        (
            "Which patterns are hidden is the owner's knowledge: nobody else can check that they are.",
            "Nobody is anonymous in these rows: what is hidden are patterns, not people.",
            *_ALWAYS,
        ),
        evidence,
        verdict,
    )


def recheck(rows: Transactions, figures: Mapping[str, Any]) -> RowsPromise:
    """Check what anyone can check about a promise; raise DataError if it is not kept."""
    if figures.get("definition") == "oliveira2002":
        return _hidden_words(_count(figures.get("restrictions")), "what is hidden, only the owner can check")
    sensitive, protected = figures.get("sensitive"), figures.get("protected")
    if figures.get("definition") != "cao2010" or not isinstance(sensitive, list) or not isinstance(protected, dict):
        raise DataError("the certificate makes a promise that this version does not know; use another version")
    count, names = _count(protected.get("count")), protected.get("names")
    if names is not None:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise DataError("the certificate's names of what is sensitive are not a list of labels")
        if len(set(names)) != count or names != sorted(names) or count > _MOST_SHOWN:
            raise DataError("the certificate says another number of sensitive labels than it names")
        # what the names stand for is looked up in the rows, whatever the certificate says is left of it
        sensitive = [label for items in matches(names, rows.vocabulary.labels).values() for label in items]
    try:
        named = [item for label in sensitive if (item := rows.vocabulary.item(label)) is not None]
        gaps, knowledge = figures.get("empty_cells"), figures.get("knowledge")
        if not isinstance(gaps, list) or gaps != [column for column in table_columns(rows) if column in gaps]:
            raise DataError("the certificate does not say which columns have empty cells that count")
        if knowledge not in ("items", "exact"):
            raise DataError("the certificate does not say what readers are taken to know")
        codes, exact = np.unique(np.array(named, np.int32)), knowledge == "exact"
        return _rho_words(rows, _rho(figures.get("rho")), codes, count, names, gaps=tuple(gaps), exact=exact)
    except NotSafe as error:
        raise DataError(str(error)) from None


def _check_rho(
    rows: Transactions, rho: Fraction, sensitive: NDArray[np.int32], gaps: tuple[str, ...], *, exact: bool
) -> Fraction | None:
    """Return the highest confidence of a sensitive item, None if no row contains one."""
    checked = check_items(rows, rho, sensitive, empty_cells=gaps, exact_knowledge=exact)
    if not checked.safe:
        raise NotSafe(f"a sensitive item can be concluded with {limit(rho)} or more; anonymize the rows first")
    return None if checked.worst_rule is None else Fraction(checked.worst_rule.confidence)


def _count(said: object) -> int:
    """Return how many labels or patterns a certificate is about; a promise about none says nothing."""
    if type(said) is not int or not 0 < said <= _MOST_NAMED:
        raise DataError("the certificate does not say how many labels or patterns its promise is about")
    return said


def _rho(said: object) -> Fraction:
    """Return rho from its form in a certificate."""
    written = isinstance(said, str) and re.fullmatch(r"[0-9]{1,9}(/[0-9]{1,9})?", said, re.ASCII)
    try:
        rho = Fraction(written[0]) if written else Fraction(0)
    except ZeroDivisionError:
        rho = Fraction(0)
    if not 0 < rho <= 1:
        raise DataError("the certificate's rho is not a share between 0 and 1")
    return rho


def _before(original: Transactions | None, items: Collection[str], share: Fraction) -> int:
    if share == 0:
        return 0
    if original is None:
        raise ParameterError(
            "to know which share of the rows is left, the rows before hiding are needed; give DATA as well",
            parameter="DATA",
        )
    return _supports(original, [items])[0]


def _supports(rows: Transactions, itemsets: Sequence[Collection[str]]) -> list[int]:
    """Return the support of each itemset."""
    counts = []
    for labels in itemsets:
        codes = [rows.vocabulary.item(label) for label in labels]
        if None in codes:
            counts.append(0)
            continue
        itemset = Itemsets.of([sorted(code for code in codes if code is not None)])
        found = itemset.count_in(rows.itemsets, rows.weights, len(rows.vocabulary))
        counts.append(int(found[0]))
    return counts


def parse_promise(promise: str | None) -> tuple[str, Fraction]:
    """Parse `rho=0.5`, `hidden` or `hidden=0.1`.

    >>> parse_promise("rho=0.5"), parse_promise("hidden")
    (('rho', Share(1, 2)), ('hidden', Fraction(0, 1)))
    """
    kind, _, bound = (promise or "").partition("=")
    if kind == "rho" and bound:
        return kind, Share.parse(bound, parameter="promise")
    if kind == "hidden":
        return kind, Share.parse(bound, parameter="promise") if bound else Fraction(0)
    raise ParameterError(
        f"{param('promise')} must be rho=R, hidden or hidden=PSI, got {promise!r}", parameter="promise"
    )

"""What can be promised about rows, and how it is checked.

rho      nobody who knows part of a row can infer a sensitive item of it with a confidence of rho or more (cao2010).
         Anyone can check that, so the certificate names the remaining sensitive items. What else is sensitive, it names
         if the owner allows it; otherwise it says how many labels are, and that readers must ask.
hidden   itemsets that the owner keeps secret are in no row, or in at most a share of the rows that contained them
         (oliveira2002). Nobody else may know which itemsets: so nobody else can check it, and the certificate says so.
"""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from discreet.errors import DataError, NotSafe, ParameterError, param
from discreet.hiding.restrictions import RuleBound, expand_columns, read_restrictions, separator_of
from discreet.itemsets import Itemsets
from discreet.publishing.certificate import AnotherVersion
from discreet.publishing.free_text import LONGEST_TEXT
from discreet.thresholds import Share
from discreet.transactions.label_names import columns_of, matches
from discreet.uncertainty.check import check_items, columns_with_gaps
from discreet.uncertainty.empty_cells import empty_cell, has_gaps, table_columns
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.local import GUESSED
from discreet.uncertainty.rare_rows import common_rows
from discreet.uncertainty.recoding import Recoding, in_fewer_rows, rare_below, recoding_of
from discreet.uncertainty.sensitive_items import named_labels, sensitive_items
from discreet.wording import counted, label_text, limit, number, percent

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.json_types import ParsedDocument
    from discreet.transactions.label_names import NamedLabel
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.empty_cells import EmptyCells
    from discreet.uncertainty.hierarchy import Hierarchy
    from discreet.uncertainty.mapping import Mapping as KeptMapping
    from discreet.uncertainty.sensitive_items import Sensitive

__all__ = ["RowsPromise", "hidden_promise", "parse_promise", "recheck", "rho_promise"]

_MOST_SHOWN = 100
"""How many sensitive labels a certificate may name: its readers read them."""

_MOST_NAMED = 1_000_000

_FEW = 10
"""How many limits of their own a statement names."""

_ALWAYS = (
    "Nothing is promised about other publications about the same people.",
    "Without a signature, nothing tells who wrote this.",
)

_AT_FACE_VALUE = "In the rows as they stand: "
_LOCAL = (
    "Sensitive items left single rows. Whoever knows part of a published row, and how that was done, is not certain "
    "that one was there, but can guess: of small data sets that were changed, every possible input counted, a guess "
    f"about someone reached rho in {percent(GUESSED.numerator, GUESSED.denominator)}. Whoever knows more can be "
    "certain of a sensitive item: that another one left the row, that some row had it although none has it now, or "
    "which item is behind a generalized one."
)
_WEAKER = ("local", "unknown")
_RARE = (
    "All sensitive items left these, whether they had any or not: that they are absent there tells nothing about a "
    "row. How many rows that is, and what left all rows, follow from all rows. That nothing else left was seen in the "
    "original rows, which only the owner has: nobody else can check it. Rules that hold here need not hold in the "
    "original rows."
)
_UNKNOWN = (
    "How these rows were made is not known here. If sensitive items left single rows, that they are absent tells "
    "something, and whoever knows how they left can guess them. The owner can promise more with the original rows, if "
    "they show that each item left all rows or none."
)
_SEEN_BY_THE_OWNER = (
    "That each item left all rows or none was seen in the original rows, which only the owner has: nobody else can "
    "check it."
)
_NOT_SAID = (
    "the certificate does not say how items left the rows: an earlier version wrote it, and did not ask; publish them "
    "again, with the original rows"
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
class _About:
    """What a promise of rho depends on, besides the rows and what is sensitive."""

    gaps: tuple[str, ...]
    recoding: Recoding
    below: int | None
    _: KW_ONLY
    exact: bool


@dataclass(frozen=True, slots=True)
class RowsPromise:
    """A promise that rows keep: its figures, its words, its limits; `evidence` is for the owner."""

    figures: ParsedDocument
    statement: str
    not_promised: tuple[str, ...]
    evidence: str
    verdict: Literal["protected", "face-value", "hidden", "partly-hidden"]

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
    face_value: bool = False,
    rare_rows: bool = False,
    hierarchy: Hierarchy | None = None,
) -> RowsPromise:
    """Promise that no sensitive item can be inferred with `rho` or more, or raise NotSafe.

    Labels that only the original rows or the mapping have are known: they were dropped. If no label is known, the
    promise would be about nothing, and is refused. It is about the rows at face value, unless no sensitive item is left
    or the original rows show that items left all rows or none, and always if `face_value` says so. That all sensitive
    items left rare rows must be said (`rare_rows`) and shown, because `local` can give the same rows.
    """
    named = _named(sensitive)
    _refuse_no_rows(rows)
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
    fewer = in_fewer_rows(rows, items, original)
    recoding: Recoding = "local" if face_value else recoding_of(rows, items, original)
    limits, below = Limits.of(rho, named), None
    if rare_rows and recoding != "global":
        shown_by = None if face_value else original
        recoding, below = "rare-rows", _shown_rare_below(rows, limits, items, shown_by, hierarchy)
    gaps = columns_with_gaps(names, rows, "sensitive" if face_value and empty_cells == "auto" else empty_cells)
    if empty_cells != "missing":
        gaps = _with_emptied(gaps, fewer, rows)
    shown = meant if name_sensitive else None
    about = _About(gaps, recoding, below, exact=exact_knowledge)
    return _rho_words(rows, limits, items, len(meant), shown, about=about)


def _named(sensitive: Sensitive | None) -> list[NamedLabel]:
    if sensitive is None:
        raise ParameterError(
            f"the promise rho needs to know what is sensitive; give {param('sensitive')}", parameter="sensitive"
        )
    return named_labels(sensitive)


def _with_emptied(gaps: tuple[str, ...], fewer: Sequence[str], rows: Transactions) -> tuple[str, ...]:
    """Return the columns whose empty cells count, with those of labels that are in fewer rows than they were."""
    touched = columns_with_gaps(fewer, rows, "sensitive") if fewer else ()
    return tuple(column for column in table_columns(rows) if column in {*gaps, *touched}) if touched else gaps


def _shown_rare_below(
    rows: Transactions,
    limits: Limits,
    items: NDArray[np.int32],
    original: Transactions | None,
    hierarchy: Hierarchy | None,
) -> int:
    """Return below how many rows a row is rare, if the original rows show that all sensitive items left just those."""
    below = None if original is None else rare_below(rows, items, original, hierarchy)
    if below is None or not _common_rows_keep(rows, limits, items, below):
        raise ParameterError(
            f"{param('rare_rows')} needs original rows, DATA, which show that all sensitive items left rare rows "
            f"and nothing else left; name these and {param('hierarchy')}, or leave it out for a promise at face "
            "value",
            parameter="rare_rows",
        )
    return below


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
    limits: Limits,
    named: NDArray[np.int32],
    count: int,
    names: list[str] | None,
    *,
    about: _About,
) -> RowsPromise:
    gaps, exact, recoding = about.gaps, about.exact, about.recoding
    held = rows.item_supports() > 0
    left = [rows.vocabulary[item] for item in named.tolist() if held[item]]
    own = {
        label: limit
        for label, limit in limits.of_items([*left, *map(empty_cell, gaps)], rows.vocabulary.labels).items()
        if limit != limits.rho
    }
    checked = _check_rho(rows, limits, named[held[named]], gaps, exact=exact)
    known = "all that the row holds and lacks, except the answer," if exact else "part of a row"
    also = f", or an empty cell of {counted(len(gaps), 'column')}, which can stand for one," if gaps else ""
    return RowsPromise(
        {
            "definition": "cao2010",
            "rho": str(limits.rho),
            **({"limits": {label: str(limit) for label, limit in own.items()}} if own else {}),
            "sensitive": left,
            "protected": {"count": count, "names": names},
            "empty_cells": list(gaps),
            "knowledge": "exact" if exact else "items",
            "recoding": recoding,
            **({} if about.below is None else {"rare_below": about.below}),
        },
        f"{_AT_FACE_VALUE if recoding in _WEAKER else ''}"
        f"Nobody who knows {known} concludes an item in it that the owner calls "
        f"sensitive{also} with a confidence of "
        f"{limit(limits.rho)} or more{_own_words(own)}, however much of the row is known. "
        f"{_what_is_sensitive(len(left), count, names)}",
        (
            *_limits_of(about, rows, left),
            *(() if exact else (_NOT_EXACT,)),
            "Items that are not sensitive can be concluded with any confidence.",
            "Nothing is promised against someone who knows more about a person than what the row holds.",
            *_ALWAYS,
        ),
        _evidence(checked),
        "face-value" if recoding in _WEAKER else "protected",
    )


def _common_rows_keep(rows: Transactions, limits: Limits, sensitive: NDArray[np.int32], below: int) -> bool:
    """Return whether rare rows have no sensitive item, and the others keep the promise by themselves."""
    private = np.zeros(len(rows.vocabulary), bool)
    private[sensitive] = True
    itemsets = rows.itemsets
    others = itemsets.keeping(~private[itemsets.items])
    common = common_rows(others, rows.weights, below=below, labels=len(rows.vocabulary))
    if (private[itemsets.items] & ~common[itemsets.owners]).any():
        return False
    return check_items(rows.select(np.flatnonzero(common)), limits, sensitive).safe


def _limits_of(about: _About, rows: Transactions, left: list[str]) -> Iterator[str]:
    """Yield what is not promised because of how items left the rows, or may have left them."""
    if about.recoding == "rare-rows":
        yield (
            f"Rows are rare if fewer than {number(about.below or 0)} rows that are not rare have all their other "
            f"items. {_RARE}"
        )
        return
    if about.recoding == "global":
        if left:
            yield _SEEN_BY_THE_OWNER
        return
    yield _LOCAL if about.recoding == "local" else _UNKNOWN
    others = [column for column in columns_with_gaps(left, rows, "sensitive") if column not in about.gaps]
    if count := sum(has_gaps(rows, column) for column in others):
        yield (
            f"Empty cells of {counted(count, 'column')} that {'has' if count == 1 else 'have'} sensitive values are "
            "taken to have been empty from the start."
        )


def _own_words(own: Mapping[str, Fraction]) -> str:
    """Return which items have limits of their own; the certificate has them all."""
    if not own:
        return ""
    listed = ", ".join(f"{label_text(label, LONGEST_TEXT)} {limit(bound)}" for label, bound in [*own.items()][:_FEW])
    rest = f", and {counted(len(own) - _FEW, 'more', 'more')} that the certificate lists" if len(own) > _FEW else ""
    return f", or its own limit ({listed}{rest})"


def _evidence(checked: Checked) -> str:
    """Return what is left to conclude."""
    rules = [rule for rule in (checked.worst_rule, checked.critical_rule) if rule is not None]
    if not rules:
        return "no sensitive item is left"
    surest = f"a sensitive item follows with {limit(rules[0].confidence)} at most"
    if rules[0] == rules[1]:
        return surest
    return f"{surest}, and one whose own limit is nearest with {limit(rules[1].confidence)}"


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
            raise NotSafe(
                f"{one.place} is not hidden in these rows; hide it first (discreet hide, without {param('below')})"
            )
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


def recheck(rows: Transactions, figures: ParsedDocument) -> RowsPromise:
    """Check what anyone can check about a promise; raise DataError if it is not kept."""
    if figures.get("definition") == "oliveira2002":
        return _hidden_words(_count(figures.get("restrictions")), "what is hidden, only the owner can check")
    sensitive, protected = figures.get("sensitive"), figures.get("protected")
    if figures.get("definition") != "cao2010" or not isinstance(sensitive, list) or not isinstance(protected, dict):
        raise DataError("the certificate makes a promise that this version does not know; use another version")
    count, names = _count(protected.get("count")), protected.get("names")
    if names is not None:
        _check_names(names, count)
        # what the names stand for is looked up in the rows, whatever the certificate says is left of it
        sensitive = [label for items in matches(names, rows.vocabulary.labels).values() for label in items]
    try:
        named = [item for label in sensitive if (item := rows.vocabulary.item(label)) is not None]
        gaps, knowledge = figures.get("empty_cells"), figures.get("knowledge")
        if not isinstance(gaps, list) or gaps != [column for column in table_columns(rows) if column in gaps]:
            raise DataError("the certificate does not say which columns have empty cells that count")
        if knowledge not in ("items", "exact"):
            raise DataError("the certificate does not say what readers are taken to know")
        recoding = _recoding(figures.get("recoding"))
        codes, exact = np.unique(np.array(named, np.int32)), knowledge == "exact"
        limits = _limits(figures, {*sensitive, *map(empty_cell, gaps)})
        below = _rare_below(figures.get("rare_below"), recoding)
        if below is not None and not _common_rows_keep(rows, limits, codes, below):
            raise DataError("rows that are rare have sensitive items, or those that are not do not keep the promise")
        about = _About(tuple(gaps), recoding, below, exact=exact)
        return _rho_words(rows, limits, codes, count, names, about=about)
    except (NotSafe, ParameterError) as error:
        raise DataError(str(error)) from None


def _check_names(names: object, count: int) -> None:
    """Refuse what is not a list of this many different labels, in order."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError("the certificate's names of what is sensitive are not a list of labels")
    if len(set(names)) != count or names != sorted(names) or count > _MOST_SHOWN:
        raise DataError("the certificate says another number of sensitive labels than it names")


def _check_rho(
    rows: Transactions, limits: Limits, sensitive: NDArray[np.int32], gaps: tuple[str, ...], *, exact: bool
) -> Checked:
    """Return the check of the rows; refuse rows that fail it."""
    checked = check_items(rows, limits, sensitive, empty_cells=gaps, exact_knowledge=exact)
    if not checked.safe:
        own = ", or its own limit," if limits.own else ""
        raise NotSafe(
            f"a sensitive item can be concluded with {limit(limits.rho)}{own} or more; anonymize the rows first"
        )
    return checked


def _count(said: object) -> int:
    """Return how many labels or patterns a certificate is about; a promise about none says nothing."""
    if type(said) is not int or not 0 < said <= _MOST_NAMED:
        raise DataError("the certificate does not say how many labels or patterns its promise is about")
    return said


def _recoding(said: object) -> Recoding:
    """Return how items left the rows, from its form in a certificate."""
    if said is None:
        raise AnotherVersion(_NOT_SAID)
    for known in get_args(Recoding):
        if said == known:
            return known  # type: ignore[no-any-return]
    raise DataError("the certificate names a way of recoding that this version does not know")


def _rare_below(said: object, recoding: Recoding) -> int | None:
    """Return below how many rows a row is rare, from its form in a certificate."""
    if recoding != "rare-rows" and said is None:
        return None
    if recoding != "rare-rows" or type(said) is not int or said < 2:  # noqa: PLR2004 - below 1 row none is
        raise DataError("the certificate does not say which rows are rare")
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


def _limits(figures: ParsedDocument, items: Collection[str]) -> Limits:
    """Return the limits from their form in a certificate: each is that of an item, by its whole name."""
    rho, own = _rho(figures.get("rho")), figures.get("limits", {})
    if not isinstance(own, dict) or not own.keys() <= {*items} or ("limits" in figures and not own):
        raise DataError("the certificate's limits are not those of sensitive items that are left")
    return Limits(rho, {**dict.fromkeys(items), **{label: _rho(said) for label, said in own.items()}}, items)


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

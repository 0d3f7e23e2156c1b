"""Compare ways to publish: what each leaves of the itemsets of the rows, and what each promises.

Problem      given rows, a minimum support, k, and the roles of items, publish itemsets in up to five ways, and report
             for each what became of the itemsets F that are frequent in the rows, and what is promised about it.
Method       patterns first: `block`, additive and suppressive, for the quasi-identifiers; with sensitive items and rho,
             it also withholds. Data first: `kanon` by the quasi-identifiers, Datafly and Incognito (its first
             generalization), and `anonymize` for the sensitive items; then mining at the same number of rows.
Promises     an itemset is kept if the result contains it with the same items, and lost otherwise: kept + lost = |F|.
             The average is the third measure of section 8.1, over F and the empty itemset: a lost itemset counts 1.
Cost         the jobs, and mining; F is counted and measured from its closed itemsets, and listed only to withhold some.
Departures   the paper calls the two approaches numerically incomparable, because generalizing changes the items. Here
             an item of the result is the same if its value is unchanged and no other value became it. Itemsets of the
             result with any other item count as generalized, and the itemsets of F behind them as lost. The paper
             blocks for all items; here, for the same roles, only quasi-identifiers describe groups.
Reference    atzori2008, section 8.3   (docs/papers/atzori2008.md, tests/microdata/test_comparison.py)
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from discreet.channels.audit import audit
from discreet.channels.blocking import BlockingMethod, block
from discreet.channels.distortion import count_itemsets, measure_changes, measure_distortion
from discreet.errors import NotSafe, ParameterError, param
from discreet.microdata.column_hierarchy import read_hierarchies
from discreet.microdata.kanon import kanon, table_rows
from discreet.microdata.noisy_ways import NoisyWay, epsilons_to_try, noisy_ways
from discreet.microdata.quasi_table import table_columns
from discreet.microdata.same_items import invented_itemsets, unchanged_items
from discreet.patterns.mining import mine
from discreet.stages import share_of, tell
from discreet.tables.tabular import Tabular
from discreet.thresholds import K, MinSupport, Rho, ShareLike, Support
from discreet.transactions.label_names import entry_text, without_limits
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.sensitive_items import Sensitive, named_labels
from discreet.wording import counted, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from discreet.channels.blocking import Blocked
    from discreet.channels.exclusive_names import Named
    from discreet.differential_privacy.budget import Decimals
    from discreet.json_types import JsonObject
    from discreet.microdata.column_hierarchy import Hierarchies
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.shapes.cell_rules import Names

__all__ = ["Comparison", "Way", "compare"]

Road = Literal["patterns-first", "data-first"]
Generalizing = Literal["datafly", "incognito"]
_DIGITS = 4
_AGAINST = {
    "patterns-first": "whoever reads these patterns, and other releases that are in the ledger",
    "anonymize": "whoever knows part of a row",
    "data-first": "whoever knows the quasi-identifiers of a row",
}
"""Against whom ways protect: by method, or else by road."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What one way of publishing leaves of the itemsets.

    kept, lost       itemsets of the table that are still published with the same items, and the others
    invented         published itemsets of the table's own items that are not frequent in it
    generalized      published itemsets with a generalized item such as `age=*`, which the table itself does not contain
    average          the average relative error of the supports, over all itemsets of the table
    rows_added       virtual rows
    rows_left_out    rows that no support counts any more; all rows if nothing may be published
    channels         groups of 1 to k-1 rows that can still be computed from what is published
    generalization   data first: the level of each quasi-identifier
    alternatives     Incognito: how many minimal generalizations there are
    exact            itemsets that are kept with the exact support
    worst            the largest relative error of a support; a lost itemset counts 1
    cells_lost       data first: items of rows that the published rows no longer have as they were
    withheld         patterns first: how many itemsets were withheld for rho
    conclusions      conclusions about sensitive items that follow by counting; None if nothing is sensitive
    keeps_k          whether the promise is about groups of fewer than k rows
    keeps_rho        whether it is about sensitive items
    promise          the promise in a sentence, and what is not part of it
    seconds          how long it took; ignored when two ways are compared for equality
    """

    road: Road
    method: str
    kept: int
    lost: int
    invented: int
    generalized: int
    average: Fraction
    rows_added: int
    rows_left_out: int
    channels: int
    generalization: Mapping[str, int] | None
    alternatives: int | None
    exact: int
    worst: Fraction
    cells_lost: int | None
    withheld: int | None
    conclusions: int | None
    keeps_k: bool
    keeps_rho: bool
    promise: str
    seconds: float = field(compare=False)

    @property
    def name(self) -> str:
        """The way in words."""
        return self.method

    @property
    def against(self) -> str:
        """Against whom it protects."""
        return _AGAINST.get(self.method) or _AGAINST[self.road]

    def to_dict(self) -> JsonObject:
        """Return the JSON form: the average and the worst with four digits."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        levels = None if self.generalization is None else dict(self.generalization)
        measured = {name: round(float(getattr(self, name)), _DIGITS) for name in ("average", "worst", "seconds")}
        return fields | measured | {"generalization": levels, "against": self.against}


@dataclass(frozen=True, kw_only=True)
class Comparison(Tabular):
    """Ways to publish the itemsets of rows, measured.

    Attributes
    ----------
    n : int
        The number of rows.
    k : int
        The least size of a group that may be known.
    min_support : int
        The minimum support in rows, at least k.
    asked_support : int
        The requested minimum support.
    quasi_identifiers : tuple of str or None
        The columns that were generalized, and of which groups are made; None if none are named.
    rho : Fraction or None
        The confidence that no conclusion about a sensitive item may reach, if any are named.
    itemsets : int
        How many itemsets are frequent in the rows.
    ways : tuple of Way
        The ways, up to five.
    absent : mapping of str to str
        The methods that are not among them, each with the reason.
    noisy : tuple of NoisyWay
        Differential privacy at the epsilons that were asked for, if any.
    """

    n: int
    k: int
    min_support: int
    asked_support: int
    quasi_identifiers: tuple[str, ...] | None
    rho: Fraction | None
    itemsets: int
    ways: tuple[Way, ...]
    absent: Mapping[str, str]
    noisy: tuple[NoisyWay, ...] = ()

    @property
    def measured(self) -> tuple[Way | NoisyWay, ...]:
        """All ways with what they have in common: exact ones, then those with noise."""
        return (*self.ways, *self.noisy)

    @property
    def sentence(self) -> str:
        """What was compared, in a sentence."""
        return f"{len(self.measured)} ways to publish {counted(self.itemsets, 'itemset')} of {counted(self.n, 'row')}"

    def of_road(self, road: Road) -> tuple[Way, ...]:
        """Return the ways of one approach.

        Parameters
        ----------
        road : str
            "patterns-first" or "data-first": which of them is anonymized first.

        Returns
        -------
        tuple of Way
            Its ways.
        """
        return tuple(way for way in self.ways if way.road == road)

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "n": self.n,
            "k": self.k,
            "min_support": self.min_support,
            "quasi_identifiers": None if self.quasi_identifiers is None else list(self.quasi_identifiers),
            "itemsets": self.itemsets,
            "ways": [way.to_dict() for way in self.ways],
            "rho": None if self.rho is None else str(self.rho),
            "absent": dict(self.absent),
            "noisy": [way.to_dict() for way in self.noisy],
        }

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each way, its shares as floats, without `generalization`.

        Ways with noise are of the road "noise"; what they do not have is null.
        """
        import pyarrow as pa

        names = [name for name in Way.__slots__ if name != "generalization"]
        columns = {name: [getattr(way, name, None) for way in self.measured] for name in names}
        columns |= {name: [float(getattr(way, name)) for way in self.measured] for name in ("average", "worst")}
        return pa.table(columns)

    def __repr__(self) -> str:
        return f"<Comparison: {self.sentence}>"


def compare(
    table: Any,  # Transactions, a path or any data frame
    *,
    k: int,
    min_support: MinSupport,
    quasi_identifiers: Names | None = None,
    sensitive: Sensitive | None = None,
    rho: ShareLike | None = None,
    hierarchies: Hierarchies | None = None,
    suppress: int | None = None,
    ignore_unknown: bool = False,
    allow_identifiers: Names | None = None,
    epsilon: str | Sequence[Decimals] | None = None,
    exclusive: Named | None = None,
) -> Comparison:
    """Publish the itemsets of rows in several ways, for the same roles, and measure what each leaves of them.

    Two ways anonymize the patterns (additive and suppressive blocking); the others anonymize the data first: as a
    k-anonymous table (Datafly and Incognito), if quasi-identifiers are named, and as rows from which no sensitive item
    can be concluded, if those are. Then differential privacy is tried.

    Parameters
    ----------
    table : Transactions, path or data frame
        The table, or any rows if no quasi-identifiers are named.
    k : int
        The least size of a group that may be known, at least 2.
    min_support : int, str, float or Fraction
        The itemsets to publish, as for `mine`; a support below k is raised to k.
    quasi_identifiers : names, optional
        The columns that `kanon` generalizes, and of which groups are made that `block` protects; without them, groups
        are made of all items, and there is no k-anonymous table.
    sensitive : labels or path, optional
        The items or columns that nobody may conclude with `rho` or more, as for `anonymize` and `block`.
    rho : str, float or Fraction, optional
        The confidence that no conclusion may reach.
    hierarchies, suppress, allow_identifiers
        As for `kanon`.
    ignore_unknown : bool, default False
        Skip names that stand for nothing in the data.
    epsilon : str or list of decimals, optional
        Also try differential privacy at each of these: for a look, as `release_dp` publishes. Without it, at 0.1, 0.5,
        1 and 2 if OpenDP is installed; "none" tries none.
    exclusive : names, path or lists of names, optional
        Items of which a row has at most one, as for `block`.

    Returns
    -------
    Comparison
        One `Way` each, with what it kept, lost and cost, and what it promises.

    Raises
    ------
    ParameterError
        A parameter has an unusable value, or there is nothing to compare blocking with: no quasi-identifiers, no
        sensitive items and no noise.
    DataError
        A hierarchy or the table cannot be used.

    Examples
    --------
    >>> import discreet
    >>> rows = [{"age=30", "flu"}] * 6 + [{"age=31", "flu"}] * 6 + [{"age=40", "cold"}]
    >>> table = discreet.Transactions.from_rows(rows)
    >>> found = discreet.compare(table, k=3, min_support=4, quasi_identifiers=["age"])
    >>> [(way.method, way.kept, way.lost) for way in found.ways]
    [('additive', 5, 0), ('suppressive', 5, 0), ('datafly', 5, 0), ('incognito', 1, 4)]
    """
    epsilons, no_noise = epsilons_to_try(epsilon)
    asked = _Asked.parse(
        table,
        k=k,
        min_support=min_support,
        quasi_identifiers=quasi_identifiers,
        sensitive=sensitive,
        rho=rho,
        ignore_unknown=ignore_unknown,
        exclusive=exclusive,
        noise=bool(epsilons),
        untried=no_noise,
    )
    ladders = None if asked.columns is None else read_hierarchies(hierarchies, asked.columns)
    ways = [_patterns_first(asked, method) for method in get_args(BlockingMethod)]
    absent = {} if no_noise is None else {"dp": no_noise}
    for method in get_args(Generalizing):
        if asked.columns is None or ladders is None:
            absent[method] = "no quasi-identifiers are named, and a table is k-anonymous by those"
            continue
        start = time.perf_counter()
        tell(f"generalizing with {method}")
        made = kanon(
            asked.rows,
            k=asked.k,
            quasi_identifiers=list(asked.columns),
            hierarchies=hierarchies,
            method=method,
            suppress=suppress,
            allow_identifiers=allow_identifiers,
        )
        same = unchanged_items(asked.rows, made, ladders)
        way = _data_first(asked, method, made.rows, same, seconds=time.perf_counter() - start)
        choices = len(made.alternatives) if method == "incognito" else None
        ways.append(replace(way, generalization=made.generalization, alternatives=choices))
    if asked.sensitive is None or asked.rho is None:
        absent["anonymize"] = "no sensitive items are named, and rows are protected for those"
    else:
        start = time.perf_counter()
        done = anonymize(
            asked.rows,
            rho=asked.rho,
            sensitive=asked.sensitive,
            ignore_unknown=ignore_unknown,
            allow_identifiers=allow_identifiers,
            progress=share_of("anonymizing rows"),
        )
        gone = {*done.generalized, *(label for labels in done.suppressed.values() for label in labels)}
        same = np.array([label not in gone for label in asked.rows.vocabulary], bool)
        ways.append(_data_first(asked, "anonymize", done.rows, same, seconds=time.perf_counter() - start))
    return Comparison(
        n=asked.rows.n,
        k=asked.k,
        min_support=asked.sigma,
        asked_support=asked.support,
        quasi_identifiers=asked.columns,
        rho=asked.rho,
        itemsets=asked.whole,
        ways=tuple(ways),
        absent=absent,
        noisy=noisy_ways(asked.rows, min_support=asked.sigma, itemsets=asked.whole, epsilons=epsilons),
    )


class _Asked(NamedTuple):
    """The rows and their roles, k and rho, the supports asked for and used, and how many itemsets are frequent."""

    rows: Transactions
    k: int
    support: int
    sigma: int
    whole: int
    columns: tuple[str, ...] | None
    sensitive: tuple[str, ...] | None
    rho: Fraction | None
    ignore_unknown: bool
    exclusive: Named | None

    @classmethod
    def parse(
        cls,
        table: Any,  # Transactions, a path or any data frame
        *,
        k: int,
        min_support: MinSupport,
        quasi_identifiers: Names | None,
        sensitive: Sensitive | None,
        rho: ShareLike | None,
        ignore_unknown: bool,
        exclusive: Named | None,
        noise: bool,
        untried: str | None,
    ) -> _Asked:
        """Read the table, and refuse half a question."""
        k = K.parse(k)
        if (sensitive is None) != (rho is None):
            missing, given = ("sensitive", "rho") if sensitive is None else ("rho", "sensitive")
            raise ParameterError(
                f"{param(given)} needs {param(missing)}: which items nobody may conclude, and with which confidence",
                parameter=missing,
            )
        if quasi_identifiers is None and sensitive is None and not noise:
            raise ParameterError(
                f"there is nothing to compare blocking with: give {param('quasi_identifiers')}, for a k-anonymous "
                f"table, {param('sensitive')} and {param('rho')}, for protected rows, or {param('epsilon')}, for noise"
                + ("" if untried is None else ", which needs OpenDP; pip install 'discreet[dp]'"),
                parameter="quasi_identifiers",
            )
        rows = table_rows(table)
        columns = None
        if quasi_identifiers is not None:
            columns = table_columns(rows, quasi_identifiers, ignore_unknown=ignore_unknown)
        support = Support.parse(min_support).of(rows.n)
        sigma = max(support, k)  # an itemset of fewer rows is itself a channel
        return cls(
            rows=rows,
            k=k,
            support=support,
            sigma=sigma,
            whole=count_itemsets(mine(rows, min_support=sigma)),
            columns=columns,
            sensitive=None if sensitive is None else _labels(sensitive),
            rho=None if rho is None else Rho.parse(rho),
            ignore_unknown=ignore_unknown,
            exclusive=exclusive,
        )

    def still_told(self, patterns: PatternSet) -> tuple[int, int | None]:
        """Return how many groups of fewer than k can be counted by all items, and how many conclusions by the roles."""
        channels = len(audit(patterns, k=self.k, border=False).channels)
        if self.sensitive is None:
            return channels, None
        found = audit(
            patterns,
            k=self.k,
            border=False,
            quasi_identifiers=self.columns,
            sensitive=self.sensitive,
            rho=self.rho,
            ignore_unknown=True,
        )
        return channels, len(found.conclusions or ())

    def promise(self, method: str) -> str:
        """Return what a method promises, and what it does not."""
        who = "any items" if self.columns is None else ", ".join(self.columns)
        rho = "" if self.rho is None else percent(self.rho.numerator, self.rho.denominator)
        if method in get_args(BlockingMethod):
            told = f", and no such group is known to have a sensitive item with {rho} or more" if rho else ""
            more = "" if self.columns is None else "; whoever knows other items may find a smaller group"
            not_this = more if rho else f"{more}; what a larger group has in common may follow"
            return f"no group of fewer than {self.k:,} rows, by {who}, follows from the supports{told}{not_this}"
        if method == "anonymize":
            return (
                f"whoever knows any part of a row concludes no other sensitive item with {rho} or more; rows can "
                "be published, and small groups be seen in them"
            )
        return (
            f"every combination of {who} is shared by at least {self.k:,} rows, which can be published; what a group "
            "has in common, sensitive or not, may follow"
        )


class _Measured(NamedTuple):
    """How many itemsets are kept, how many with the exact support, and the average and the largest change."""

    kept: int
    exact: int
    average: Fraction
    worst: Fraction


def _patterns_first(asked: _Asked, method: BlockingMethod) -> Way:
    start, rows = time.perf_counter(), asked.rows
    try:
        done = block(
            rows,
            k=asked.k,
            min_support=asked.sigma,
            method=method,
            quasi_identifiers=asked.columns,
            sensitive=asked.sensitive,
            rho=asked.rho,
            ignore_unknown=asked.ignore_unknown,
            exclusive=asked.exclusive,
        )
    except NotSafe:
        measured, added, left_out = _Measured(0, 0, Fraction(1), Fraction(1)), 0, rows.n
        withheld, channels, conclusions = 0, 0, None if asked.sensitive is None else 0
        invented = 0
    else:
        invented = invented_itemsets(asked.rows, asked.sigma, done.patterns)
        measured = _measure_blocked(done, asked.whole)
        added, left_out = max(0, done.n_after - rows.n), max(0, rows.n - done.n_after)
        withheld = 0 if done.withheld is None else len(done.withheld)
        channels, conclusions = asked.still_told(done.patterns)
    return Way(
        road="patterns-first",
        method=method,
        kept=measured.kept,
        lost=asked.whole - measured.kept,
        invented=invented,
        generalized=0,
        average=measured.average,
        rows_added=added,
        rows_left_out=left_out,
        channels=channels,
        generalization=None,
        alternatives=None,
        exact=measured.exact,
        worst=measured.worst,
        cells_lost=None,
        withheld=None if asked.rho is None else withheld,
        conclusions=conclusions,
        keeps_k=True,
        keeps_rho=asked.rho is not None,
        promise=asked.promise(method),
        seconds=time.perf_counter() - start,
    )


def _measure_blocked(done: Blocked, whole: int) -> _Measured:
    """Measure patterns; raising supports and leaving rows out make no infrequent itemset frequent."""
    moved = done.n_after != done.n_before
    if done.withheld is None or not len(done.withheld):
        change = done.distortion
        exact = whole - (int(change.changed * (whole + 1)) - moved)
        return _Measured(count_itemsets(done.patterns), exact, change.average, change.worst)
    kept, supports = len(done.patterns), done.patterns.supports  # what withholds lists every itemset that is left
    change = measure_changes(
        np.concatenate([[done.n_before, 1], done.before]),
        np.concatenate([[done.n_after, 0], supports]),
        np.array([1, whole - kept, *([1] * kept)], object),
        rows=abs(done.n_after - done.n_before),
    )
    return _Measured(kept, int((supports == done.before).sum()), change.average, change.worst)


def _data_first(asked: _Asked, method: str, made: Transactions, same: NDArray[np.bool_], *, seconds: float) -> Way:
    closed = mine(made, min_support=asked.sigma)
    measured = _measure_unchanged(asked.rows, made, same, asked.sigma, asked.whole)
    unchanged = {label for label, stays in zip(asked.rows.vocabulary, same.tolist(), strict=True) if stays}
    places = np.array([label in unchanged for label in made.vocabulary], bool)
    channels, conclusions = asked.still_told(closed)
    return Way(
        road="data-first",
        method=method,
        kept=measured.kept,
        lost=asked.whole - measured.kept,
        invented=invented_itemsets(asked.rows, asked.sigma, closed, unchanged),
        generalized=count_itemsets(closed) - measured.kept,
        average=measured.average,
        rows_added=0,
        rows_left_out=asked.rows.n - made.n,
        channels=channels,
        generalization=None,
        alternatives=None,
        exact=measured.exact,
        worst=measured.worst,
        cells_lost=int(asked.rows.item_supports().sum() - made.item_supports()[places].sum()),
        withheld=None,
        conclusions=conclusions,
        keeps_k=method != "anonymize",
        keeps_rho=method == "anonymize",
        promise=asked.promise(method),
        seconds=seconds,
    )


def _measure_unchanged(
    rows: Transactions, published: Transactions, same: NDArray[np.bool_], sigma: int, whole: int
) -> _Measured:
    """Measure what published rows leave of all itemsets.

    Restricted to items that mean the same, they are the rows without the suppressed ones, so all itemsets with the same
    closure change by the same amount. All other itemsets are lost, and count 1.
    """
    closed = mine(_only(rows, same), min_support=sigma)
    among = count_itemsets(closed)
    lost = Fraction(among < whole)
    if published.n == rows.n:
        return _Measured(among, among, Fraction(whole - among, whole + 1), lost)
    known = [rows.vocabulary.item(label) for label in published.vocabulary]
    places = np.array([-1 if item is None or not same[item] else item for item in known], np.int32)
    left = _only(published, places >= 0)
    after = closed.itemsets.count_in(left.itemsets.canonical(places), left.weights, len(rows.vocabulary))
    change = measure_distortion(closed, np.where(after >= sigma, after, 0), n_after=published.n)
    kept = count_itemsets(mine(left, min_support=sigma))
    average = (change.average * (among + 1) + whole - among) / (whole + 1)  # the empty itemset is never lost
    exact = among - (int(change.changed * (among + 1)) - 1)  # of which the empty itemset is one
    return _Measured(kept, exact, average, max(change.worst, lost))


def _only(rows: Transactions, wanted: NDArray[np.bool_]) -> Transactions:
    """Return the rows restricted to the wanted items."""
    return Transactions(rows.itemsets.keeping(wanted[rows.items]), rows.vocabulary, rows.weights)


def _labels(sensitive: Sensitive) -> tuple[str, ...]:
    """Return the sensitive labels, as one writes them; all have the same limit."""
    return tuple(dict.fromkeys(entry_text(each.label) for each in without_limits(named_labels(sensitive))))

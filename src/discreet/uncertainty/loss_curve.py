"""What protecting costs at several rho: the curve to choose rho by.

Problem      given rows, the sensitive items and several rho, find what a method loses at each.
Method       `anonymize` for each rho, from the lowest up; items with a limit of their own keep it.
Promises     at each rho the loss, and what is left, are those of `anonymize` with that rho, whose result was checked.
Departures   none of the papers draws this. A method that searches may lose more at a higher rho than at a lower one.
             The rows for the lower rho are then safe for the higher as well and lose less: it is named as `better`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.errors import ParameterError, param
from discreet.tables.tabular import Tabular
from discreet.thresholds import Rho
from discreet.transactions.frame_rows import rows_given
from discreet.uncertainty.anonymize import anonymize
from discreet.wording import html_table, percent, share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from fractions import Fraction

    import pyarrow as pa

    from discreet.json_types import JsonObject
    from discreet.thresholds import ShareLike
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.anonymize import AnonymizeMethod
    from discreet.uncertainty.hierarchy import HierarchySource, Neighbours
    from discreet.uncertainty.sensitive_items import Sensitive
    from discreet.uncertainty.utility import WhatIsLeft

__all__ = ["LossCurve", "LossPoint", "loss_curve", "parse_rhos"]

_MOST = 100
"""The most points of a curve."""


@dataclass(frozen=True, slots=True)
class LossPoint:
    """What is lost, and what is left, at one rho.

    Attributes
    ----------
    rho : Fraction
        The confidence that no inference may reach.
    information_loss : Fraction
        The share of information lost.
    surest : Fraction or None
        The greatest confidence that is left; None if no sensitive item is.
    left : WhatIsLeft
        How many rows, sensitive items and other items are as they were.
    finished : bool
        False if a time limit ended the search.
    better : Fraction or None
        A lower rho whose rows lose less; they keep this rho as well, with the same promise or a fuller one.
    method : str
        How the rows were anonymized: with `allow_local`, the method that lost least.
    verdict : str
        What is promised: "protected", or "face-value" after "local" and where methods competed.
    """

    rho: Fraction
    information_loss: Fraction
    surest: Fraction | None
    left: WhatIsLeft
    finished: bool
    better: Fraction | None = None
    method: str = ""
    verdict: str = ""

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "rho": float(self.rho),
            "information_loss": float(self.information_loss),
            "surest": None if self.surest is None else float(self.surest),
            "left": self.left.to_dict(),
            "finished": self.finished,
            "better": None if self.better is None else float(self.better),
            "method": self.method,
            "verdict": self.verdict,
        }


@dataclass(frozen=True, slots=True)
class LossCurve(Tabular):
    """What one method loses at several rho, ascending. It is for the owner of the rows.

    Attributes
    ----------
    method : str
        How the rows were anonymized.
    n : int
        The number of rows.
    simple_loss : Fraction
        What dropping every sensitive item loses, at any rho.
    points : tuple of LossPoint
        The loss at each rho.
    competing : bool
        Whether `allow_local` let methods compete, so that points can be of different methods.
    """

    method: str
    n: int
    simple_loss: Fraction
    points: tuple[LossPoint, ...]
    competing: bool = False

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each rho, its shares as floats: see `LossPoint`."""
        import pyarrow as pa

        columns: dict[str, list[Any]] = {"rho": [], "information_loss": [], "surest": [], "finished": [], "better": []}
        for point in self.points:
            row = point.to_dict()
            for name, cells in columns.items():
                cells.append(row[name])
        kinds = {name: pa.bool_() if name == "finished" else pa.float64() for name in columns}
        return pa.table({name: pa.array(cells, kinds[name]) for name, cells in columns.items()})

    def _repr_html_(self) -> str:
        """Show what is lost at each rho, in a notebook."""
        heads, lines = self.table
        return html_table(heads, lines, below=". ".join(self.sentences))

    @property
    def sentences(self) -> list[str]:
        """What the curve shows."""
        first, last = self.points[0], self.points[-1]
        told = [f"{share(first.information_loss)} of the information is lost at rho = {share(first.rho)}"]
        if last is not first:
            told[0] += f", {share(last.information_loss)} at {share(last.rho)}"
        told[0] += f"; dropping every sensitive item loses {share(self.simple_loss)}"
        told += [
            f"At {share(point.rho)}, what was made for {share(point.better)} loses less and protects more"
            for point in self.points
            if point.better is not None
        ]
        if self.competing:
            told.append("Methods compete, so that less is promised: PROTECTED AT FACE VALUE")
        return told

    @property
    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The points as text: the heads of columns, and a line for each point."""
        lines = [
            (
                share(point.rho),
                share(point.information_loss),
                *(percent(now, max(1, before)) for before, now in (point.left.rows, point.left.sensitive_entries)),
                "nothing left" if point.surest is None else share(point.surest),
                *([point.method] if self.competing else []),
            )
            for point in self.points
        ]
        heads = ("rho", "lost", "rows as they were", "sensitive kept", "surest")
        return (*heads, "by") if self.competing else heads, lines

    def to_dict(self) -> JsonObject:
        """Return the JSON form."""
        return {
            "method": self.method,
            "n": self.n,
            "simple_loss": float(self.simple_loss),
            "points": [point.to_dict() for point in self.points],
        }

    def __repr__(self) -> str:
        return f"<LossCurve: {self.sentences[0]}>"


def parse_rhos(given: str | Iterable[ShareLike]) -> list[Rho]:
    """Return the distinct rho of a list, ascending.

    >>> [str(rho) for rho in parse_rhos("0.5,10%,0.1")]
    ['1/10', '1/2']
    """
    listed = given.split(",") if isinstance(given, str) else list(given)
    rhos = sorted({Rho.parse(each, parameter="curve") for each in listed})
    if not 1 <= len(rhos) <= _MOST:
        raise ParameterError(
            f"{param('curve')} must be 1 to {_MOST} confidences, like 0.1,0.2,0.5,0.8; got {len(rhos):,}",
            parameter="curve",
        )
    return rhos


def loss_curve(
    rows: Transactions | Any,  # any data frame of rows
    *,
    curve: str | Iterable[ShareLike],
    sensitive: Sensitive,
    hierarchy: HierarchySource | None = None,
    fanout: int = 4,
    neighbours: Neighbours = "label",
    method: AnonymizeMethod = "best",
    allow_local: bool = False,
    time_limit: float | None = None,
    ignore_unknown: bool = False,
    allow_identifiers: Names | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> LossCurve:
    """Return what protecting the sensitive items costs at several rho.

    Parameters
    ----------
    rows : Transactions or data frame
        The rows; of a frame, one-hot columns or one column of lists.
    curve : str or list
        The confidences that no inference may reach, as `rho` of `anonymize`: "0.1,0.2,0.5", or a list.
    sensitive : labels or path
        The sensitive items, as for `anonymize`; those with a limit of their own keep it at every rho.
    hierarchy, fanout, neighbours : optional
        What the other items can be generalized to, as for `anonymize`.
    method : {"best", "tdcontrol", "suppress", "simple", "rare-rows", "local"}
        How to anonymize.
    allow_local : bool, default False
        As for `anonymize`: at each rho "best" competes with "rare-rows" and "local".
    time_limit : float, optional
        Seconds for each rho.
    ignore_unknown : bool, default False
        Accept labels that are neither an item nor a column of the rows.
    allow_identifiers : names, optional
        As for `anonymize`.
    progress : callable, optional
        Called a few times a second with the share done and a count.

    Returns
    -------
    LossCurve
        The loss at each rho, and what is left; for the owner of the rows.

    Raises
    ------
    ParameterError
        A parameter has an unusable value.
    DataError
        The hierarchy is not a tree over the items.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows([["cheese", "test"], ["cheese", "milk"], ["milk"], ["milk", "bread"]])
    >>> found = discreet.loss_curve(rows, curve=[0.3, 0.6], sensitive=["test"])
    >>> [float(point.information_loss) for point in found.points]
    [0.14285714285714285, 0.0]
    """
    rhos, rows = parse_rhos(curve), rows_given(rows)
    if method == "perturb":
        raise ParameterError(
            f"{param('curve')} does not go with perturb, which changes rows at random and promises nothing",
            parameter="method",
        )
    points: list[LossPoint] = []
    simple_loss: Fraction = Rho(1)
    for rho in rhos:
        done = anonymize(
            rows,
            rho=rho,
            sensitive=sensitive,
            hierarchy=hierarchy,
            fanout=fanout,
            neighbours=neighbours,
            method=method,
            allow_local=allow_local,
            time_limit=time_limit,
            ignore_unknown=ignore_unknown,
            allow_identifiers=allow_identifiers,
            progress=_part_of(progress, len(points), len(rhos)),
        )
        as_full = [point for point in points if point.verdict in ("protected", done.verdict)]
        lowest = min(as_full, key=lambda point: point.information_loss, default=None)
        points.append(
            LossPoint(
                rho=rho,
                information_loss=done.information_loss,
                surest=None if done.worst_rule is None else done.worst_rule.confidence,
                left=done.left,
                finished=done.finished,
                better=None if lowest is None or lowest.information_loss >= done.information_loss else lowest.rho,
                method=done.method,
                verdict=done.verdict,
            )
        )
        simple_loss = done.simple_loss
    return LossCurve(method=method, n=rows.n, simple_loss=simple_loss, points=tuple(points), competing=allow_local)


def _part_of(progress: Callable[[float, int], None] | None, done: int, of: int) -> Callable[[float, int], None] | None:
    """Return the progress of one of several jobs as that of all."""
    if progress is None:
        return None
    return lambda now, count: progress((done + now) / of, count)

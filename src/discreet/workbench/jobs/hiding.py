"""Jobs of *Hide patterns in rows*: what each method costs, and the rows to hand over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.answers.hide_and_copies import chosen_text, recipients_evidence
from discreet.errors import InternalFault
from discreet.hiding.hide import HidingMethod, hide
from discreet.hiding.recipients import hide_for
from discreet.publishing.rows_bundle import release_rows
from discreet.tables.containers import writable_name
from discreet.transactions.rewriting import rewrite
from discreet.workbench.jobs.patterns import BUNDLE, packed_bundle

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from discreet.answers.answer import Evidence
    from discreet.hiding.hide import BoundedRule, RestrictedPattern
    from discreet.hiding.recipients import HideOptions
    from discreet.hiding.side_effects import SideEffects
    from discreet.transactions.transactions import Transactions
    from discreet.workbench.jobs.patterns import PackedBundle
    from discreet.workbench.jobs.rows_cache import OnProgress

__all__ = [
    "HIDING_METHODS",
    "PERCENTS",
    "HiddenRows",
    "Hiding",
    "HidingCost",
    "Original",
    "compare_hiding",
    "hide_rows",
    "unique_rows",
]

HIDING_METHODS: tuple[HidingMethod, ...] = ("naive", "minfia", "maxfia", "iga", "rowwise")
"""The methods that are compared; "best" is the best of them."""
PERCENTS = tuple(range(0, 101, 10))
"""The disclosure thresholds that are tried."""


@dataclass(frozen=True, slots=True)
class HidingCost:
    """What one method costs at one disclosure threshold, in per cent."""

    method: str
    percent: int
    hiding_failure: Fraction
    misses_cost: Fraction
    changed_rows: int
    removed_items: int


def compare_hiding(
    report: OnProgress, rows: Transactions, lines: tuple[str, ...], min_support: str, chosen: int
) -> tuple[HidingCost, ...]:
    """Try the methods at every disclosure threshold, and at the chosen one."""
    costs: list[HidingCost] = []
    percents = sorted({*PERCENTS, chosen})
    steps = len(HIDING_METHODS) * len(percents)
    for method in HIDING_METHODS:
        for percent in percents:
            report(len(costs) / steps, f"Trying {method} at {percent} %")
            done = hide(rows, restrict=lines, method=method, disclosure=f"{percent}%", min_support=min_support)
            effects = done.side_effects
            if effects is None:
                raise InternalFault("nothing was measured")
            costs.append(
                HidingCost(
                    method,
                    percent,
                    effects.hiding_failure,
                    effects.misses_cost,
                    done.changed_rows,
                    done.removed_items,
                )
            )
    return tuple(costs)


def unique_rows(rows: Transactions) -> int:
    """Return how many rows are like no other."""
    counts = np.bincount(rows.itemsets.ranks(), weights=rows.weights)
    return int(np.count_nonzero(counts == 1))


@dataclass(frozen=True, slots=True)
class Original:
    """The file that rows were read from."""

    path: Path
    whole: bool
    """Whether the rows contain everything in the file, so that unchanged lines may be copied from it."""


@dataclass(frozen=True, slots=True)
class Hiding:
    """What to hide and how: restrictive lines, a method, a disclosure threshold, and a support for side effects."""

    lines: tuple[str, ...]
    method: HidingMethod
    percent: int
    min_support: str
    recipients: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What each recipient must not mine, if there are several; `lines` are all of that."""

    @property
    def promise(self) -> str:
        """The promise about the rows."""
        return f"hidden={self.percent}%" if self.percent else "hidden"


@dataclass(frozen=True, slots=True, eq=False)
class HiddenRows:
    """Rows without the patterns: their files, what became of each pattern, and the cost."""

    hiding: Hiding
    method: str
    """The method that was used; of "best" the one that won."""
    chosen: str
    """Why it won, and how far that may be from the least possible; empty if "best" was not asked for."""
    n: int
    changed_rows: int
    removed_items: int
    restrictive: tuple[RestrictedPattern, ...]
    rules: tuple[BoundedRule, ...]
    side_effects: SideEffects | None
    unique: int
    """How many of the rows are like no other."""
    file: Path
    restrict_file: Path
    bundle: PackedBundle
    lists: dict[str, Path] = field(default_factory=dict)
    """The list of each recipient, if there are several."""
    shared: tuple[Evidence, ...] = ()
    """What a copy for each of them would have been."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that a page links to."""
        return *self.bundle.files, self.file, self.restrict_file, *self.lists.values()


def hide_rows(report: OnProgress, folder: Path, rows: Transactions, original: Original, hiding: Hiding) -> HiddenRows:
    """Hide patterns; write the rows, and a bundle of them, into an empty folder."""
    restrict_file = _list_file(folder / "private.txt", hiding.lines)
    report(0.1, f"Hiding by {hiding.method}")
    how: HideOptions = {
        "method": hiding.method,
        "disclosure": f"{hiding.percent}%",
        "min_support": hiding.min_support,
    }
    lists = {
        name: _list_file(folder / f"private-{place}.txt", lines)
        for place, (name, lines) in enumerate(hiding.recipients, start=1)
    }
    shared = hide_for(rows, recipients=lists, **how) if lists else None
    done = hide(rows, restrict=restrict_file, **how) if shared is None else shared.shared
    report(0.5, "Writing the rows")
    file = folder / f"hidden-{writable_name(original.path.name)}"
    rewrite(
        done.rows,
        file,
        source=original.path,
        removed_from=done.removed_from,
        removed=done.removed,
        as_read=original.whole,
        sha256=None if rows.read is None else rows.read.sha256,
        encoding=None if rows.read is None else rows.read.encoding,
    )
    report(0.7, "Making the bundle")
    released = release_rows(
        done.rows,
        name=original.path.name,
        promise=hiding.promise,
        restrict=restrict_file,
        original=rows,
        output=folder / BUNDLE,
    )
    effects = done.side_effects
    return HiddenRows(
        hiding,
        done.method,
        chosen_text(done) if done.candidates else "",
        done.n,
        done.changed_rows,
        done.removed_items,
        done.restrictive,
        done.rules,
        None if effects is None else replace(effects, lost=None),
        unique_rows(done.rows),
        file,
        restrict_file,
        packed_bundle(folder, released),
        lists,
        () if shared is None else tuple(recipients_evidence(shared)),
    )


def _list_file(path: Path, lines: tuple[str, ...]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path

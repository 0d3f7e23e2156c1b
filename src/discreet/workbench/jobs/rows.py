"""What runs in a process of its own for rows that are handed over: hiding patterns, protecting sensitive items.

As in `work`, each function takes `report` first, and then values that can be sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discreet.errors import InternalFault
from discreet.workbench.jobs.patterns import packed_bundle

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction
    from pathlib import Path

    from discreet.hiding.hide import BoundedRule, RestrictedPattern
    from discreet.hiding.side_effects import SideEffects
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.workbench.jobs.patterns import Bundle

    Report = Callable[[float | None, str], None]

__all__ = [
    "HIDING_METHODS",
    "PERCENTS",
    "PROTECTING_METHODS",
    "Handed",
    "HiddenRows",
    "HidingCost",
    "ProtectedRows",
    "ProtectingCost",
    "check_rows",
    "compare_hiding",
    "compare_protecting",
    "hide_rows",
    "protect_rows",
]

HIDING_METHODS: tuple[Literal["naive", "minfia", "maxfia", "iga"], ...] = ("naive", "minfia", "maxfia", "iga")
PROTECTING_METHODS: tuple[Literal["best", "tdcontrol", "suppress", "simple", "perturb"], ...] = (
    "best",
    "tdcontrol",
    "suppress",
    "simple",
    "perturb",
)
PERCENTS = tuple(range(0, 101, 10))
"""The disclosure thresholds that are tried."""


@dataclass(frozen=True, slots=True)
class Handed:
    """Rows that were read, and the file they came from."""

    rows: Transactions
    path: Path
    whole: bool
    """Whether the rows hold all that their file does, so that untouched lines may be copied from it."""


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
    report: Report, rows: Transactions, restrict: list[str], min_support: str, chosen: int
) -> tuple[HidingCost, ...]:
    """Try the four methods at every disclosure threshold, and at the chosen one."""
    from discreet.hiding.hide import hide

    costs: list[HidingCost] = []
    percents = sorted({*PERCENTS, chosen})
    steps = len(HIDING_METHODS) * len(percents)
    for method in HIDING_METHODS:
        for percent in percents:
            report(len(costs) / steps, f"Trying {method} at {percent} %")
            done = hide(rows, restrict=restrict, method=method, disclosure=f"{percent}%", min_support=min_support)
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


@dataclass(frozen=True, slots=True, eq=False)
class HiddenRows:
    """Rows without the patterns: where they are, what became of each pattern, and what it cost."""

    method: str
    percent: int
    min_support: str
    n: int
    changed_rows: int
    removed_items: int
    restrictive: tuple[RestrictedPattern, ...]
    rules: tuple[BoundedRule, ...]
    side_effects: SideEffects | None
    file: Path
    restrict_file: Path
    bundle: Bundle


def hide_rows(
    report: Report,
    folder: Path,
    handed: Handed,
    restrict: list[str],
    choice: tuple[Literal["naive", "minfia", "maxfia", "iga"], int, str],
) -> HiddenRows:
    """Hide the patterns by one method; write the rows, and a bundle of them, into an empty folder.

    `choice` is method, per cent, and support.
    """
    from dataclasses import replace

    from discreet.hiding.hide import hide
    from discreet.publishing.rows_bundle import release_rows
    from discreet.transactions.rewriting import rewrite

    method, percent, min_support = choice
    restrict_file = folder / "private.txt"
    restrict_file.write_text("".join(f"{line}\n" for line in restrict), encoding="utf-8")
    report(0.1, f"Hiding by {method}")
    done = hide(handed.rows, restrict=restrict_file, method=method, disclosure=f"{percent}%", min_support=min_support)
    report(0.5, "Writing the rows")
    file = folder / f"safe-{handed.path.name}"
    rewrite(
        done.rows,
        file,
        source=handed.path,
        removed_from=done.removed_from,
        removed=done.removed,
        as_read=handed.whole,
    )
    report(0.7, "Making the bundle")
    released = release_rows(
        done.rows,
        name=handed.path.name,
        promise=f"hidden={percent}%" if percent else "hidden",
        restrict=restrict_file,
        original=handed.rows,
        output=folder / "bundle",
    )
    effects = done.side_effects
    return HiddenRows(
        method,
        percent,
        min_support,
        done.n,
        done.changed_rows,
        done.removed_items,
        done.restrictive,
        done.rules,
        None if effects is None else replace(effects, lost=None),
        file,
        restrict_file,
        packed_bundle(folder, released.sentence, released.files),
    )


def check_rows(report: Report, rows: Transactions, rho: str, sensitive: list[str]) -> Checked:
    """Say whether the rows as they are would be safe."""
    from discreet.uncertainty.check import check

    report(None, "Checking the rows as they are")
    return check(rows, rho=rho, sensitive=sensitive)


@dataclass(frozen=True, slots=True)
class ProtectingCost:
    """What one method loses, and the surest conclusion that it leaves."""

    method: str
    safe: bool
    information_loss: Fraction
    worst_rule: SensitiveRule | None
    suppressed: int
    generalized: int


def compare_protecting(
    report: Report, rows: Transactions, rho: str, sensitive: list[str], hierarchy: list[list[str]] | None
) -> tuple[ProtectingCost, ...]:
    """Try every method at one rho."""
    from discreet.uncertainty.anonymize import anonymize

    costs: list[ProtectingCost] = []

    def tell(method: str) -> Callable[[float, int], None]:
        return lambda done, _: report((len(costs) + done) / len(PROTECTING_METHODS), f"Trying {method}")

    for method in PROTECTING_METHODS:
        report(len(costs) / len(PROTECTING_METHODS), f"Trying {method}")
        done = anonymize(rows, rho=rho, sensitive=sensitive, hierarchy=hierarchy, method=method, progress=tell(method))
        gone = done.suppressed
        costs.append(
            ProtectingCost(
                method,
                done.safe,
                done.information_loss,
                done.worst_rule,
                len(gone["sensitive"]) + len(gone["other"]),
                len(done.generalized),
            )
        )
    return tuple(costs)


@dataclass(frozen=True, slots=True, eq=False)
class ProtectedRows:
    """Rows that keep the promise: where they are, and what became of the items."""

    method: str
    rho: str
    information_loss: Fraction
    worst_rule: SensitiveRule | None
    suppressed: frozenset[str]
    generalized: dict[str, str]
    file: Path
    sensitive_file: Path
    hierarchy_file: Path
    bundle: Bundle


def protect_rows(  # noqa: PLR0917 - sent through a pipe, in order
    report: Report,
    folder: Path,
    handed: Handed,
    sensitive: list[str],
    hierarchy: list[list[str]] | None,
    choice: tuple[Literal["best", "tdcontrol", "suppress", "simple", "perturb"], str],
) -> ProtectedRows:
    """Protect by one method; write the rows, and a bundle of them, into an empty folder; `choice` is method and rho."""
    from discreet.publishing.rows_bundle import release_rows
    from discreet.transactions.writing import write
    from discreet.uncertainty.anonymize import anonymize
    from discreet.uncertainty.hierarchy import hierarchy_bytes, hierarchy_for
    from discreet.uncertainty.sensitive_items import sensitive_codes

    method, rho = choice
    done = anonymize(
        handed.rows,
        rho=rho,
        sensitive=sensitive,
        hierarchy=hierarchy,
        method=method,
        progress=lambda share, _: report(0.7 * share, f"Protecting by {method}"),
    )
    report(0.7, "Writing the rows")
    file = folder / f"safe-{handed.path.name}"
    write(done.rows, file)
    private, tree = folder / "private.txt", folder / "hierarchy.csv"
    private.write_text("".join(f"{label}\n" for label in sensitive), encoding="utf-8")
    codes = sensitive_codes(sensitive, handed.rows.vocabulary)
    tree.write_bytes(hierarchy_bytes(hierarchy_for(handed.rows, codes, hierarchy)))
    report(0.8, "Making the bundle")
    released = release_rows(
        done.rows,
        name=handed.path.name,
        promise=f"rho={rho}",
        sensitive=sensitive,
        hierarchy=tree if done.generalized else None,
        original=handed.rows,
        output=folder / "bundle",
    )
    gone = done.suppressed
    return ProtectedRows(
        method,
        rho,
        done.information_loss,
        done.worst_rule,
        frozenset(gone["sensitive"]) | frozenset(gone["other"]),
        done.generalized,
        file,
        private,
        tree,
        packed_bundle(folder, released.sentence, released.files),
    )

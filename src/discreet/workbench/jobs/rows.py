"""Jobs on rows that are handed over: hide patterns, protect sensitive items, and compare the methods for both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

from discreet.errors import InternalFault
from discreet.hiding.hide import HidingMethod, hide
from discreet.publishing.rows_bundle import release_rows
from discreet.tables.containers import writable_name
from discreet.transactions.rewriting import rewrite
from discreet.transactions.writing import write
from discreet.uncertainty.anonymize import AnonymizeMethod, anonymize
from discreet.uncertainty.check import check
from discreet.uncertainty.hierarchy import hierarchy_bytes, hierarchy_for
from discreet.uncertainty.sensitive_items import sensitive_codes
from discreet.workbench.jobs.patterns import BUNDLE, packed_bundle

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction
    from pathlib import Path

    from discreet.hiding.hide import BoundedRule, RestrictedPattern
    from discreet.hiding.side_effects import SideEffects
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.workbench.jobs.patterns import PackedBundle
    from discreet.workbench.jobs.rows_cache import OnProgress
    from discreet.workbench.tasks.tree import ItemTree

__all__ = [
    "HIDING_METHODS",
    "PERCENTS",
    "PROTECTING_METHODS",
    "HiddenRows",
    "Hiding",
    "HidingCost",
    "Original",
    "ProtectedRows",
    "ProtectingCost",
    "Protection",
    "check_rows",
    "compare_hiding",
    "compare_protecting",
    "hide_rows",
    "protect_rows",
]

HIDING_METHODS: tuple[HidingMethod, ...] = get_args(HidingMethod)
PROTECTING_METHODS: tuple[AnonymizeMethod, ...] = get_args(AnonymizeMethod)
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
    """Try the four methods at every disclosure threshold, and at the chosen one."""
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

    @property
    def promise(self) -> str:
        """The promise about the rows."""
        return f"hidden={self.percent}%" if self.percent else "hidden"


@dataclass(frozen=True, slots=True, eq=False)
class HiddenRows:
    """Rows without the patterns: their files, what became of each pattern, and the cost."""

    hiding: Hiding
    n: int
    changed_rows: int
    removed_items: int
    restrictive: tuple[RestrictedPattern, ...]
    rules: tuple[BoundedRule, ...]
    side_effects: SideEffects | None
    file: Path
    restrict_file: Path
    bundle: PackedBundle

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that a page links to."""
        return *self.bundle.files, self.file, self.restrict_file


def hide_rows(report: OnProgress, folder: Path, rows: Transactions, original: Original, hiding: Hiding) -> HiddenRows:
    """Hide patterns; write the rows, and a bundle of them, into an empty folder."""
    restrict_file = folder / "private.txt"
    restrict_file.write_text("".join(f"{line}\n" for line in hiding.lines), encoding="utf-8")
    report(0.1, f"Hiding by {hiding.method}")
    done = hide(
        rows,
        restrict=restrict_file,
        method=hiding.method,
        disclosure=f"{hiding.percent}%",
        min_support=hiding.min_support,
    )
    report(0.5, "Writing the rows")
    file = folder / f"safe-{writable_name(original.path.name)}"
    rewrite(
        done.rows,
        file,
        source=original.path,
        removed_from=done.removed_from,
        removed=done.removed,
        as_read=original.whole,
        sha256=None if rows.read is None else rows.read.sha256,
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
        done.n,
        done.changed_rows,
        done.removed_items,
        done.restrictive,
        done.rules,
        None if effects is None else replace(effects, lost=None),
        file,
        restrict_file,
        packed_bundle(folder, released),
    )


def check_rows(report: OnProgress, rows: Transactions, rho: str, sensitive: tuple[str, ...]) -> Checked:
    """Check whether the rows are safe unchanged."""
    report(None, "Checking the rows as they are")
    return check(rows, rho=rho, sensitive=sensitive)


@dataclass(frozen=True, slots=True)
class ProtectingCost:
    """What one method loses, and the inference of highest confidence that it leaves."""

    method: str
    safe: bool
    information_loss: Fraction
    worst_rule: SensitiveRule | None
    suppressed: int
    generalized: int


@dataclass(frozen=True, slots=True)
class Protection:
    """What nobody may infer: the confidence, the sensitive items, and the tree of the others."""

    rho: str
    sensitive: tuple[str, ...]
    tree: ItemTree | None

    def options(self) -> dict[str, Any]:
        """Return the options of `anonymize`."""
        hierarchy = None if self.tree is None else self.tree.lines()
        return {"rho": self.rho, "sensitive": self.sensitive, "hierarchy": hierarchy}


def compare_protecting(report: OnProgress, rows: Transactions, wanted: Protection) -> tuple[ProtectingCost, ...]:
    """Try every method."""
    costs: list[ProtectingCost] = []
    options = wanted.options()

    def tell(method: str) -> Callable[[float, int], None]:
        return lambda done, _: report((len(costs) + done) / len(PROTECTING_METHODS), f"Trying {method}")

    for method in PROTECTING_METHODS:
        report(len(costs) / len(PROTECTING_METHODS), f"Trying {method}")
        done = anonymize(rows, **options, method=method, progress=tell(method))
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
    """Rows that keep the promise: their files, and what became of the items."""

    method: AnonymizeMethod
    rho: str
    information_loss: Fraction
    worst_rule: SensitiveRule | None
    suppressed: frozenset[str]
    generalized: dict[str, str]
    file: Path
    sensitive_file: Path
    hierarchy_file: Path
    bundle: PackedBundle

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that a page links to."""
        return *self.bundle.files, self.file, self.sensitive_file, self.hierarchy_file


def protect_rows(  # noqa: PLR0917 - sent through a pipe, in order
    report: OnProgress, folder: Path, rows: Transactions, name: str, wanted: Protection, method: AnonymizeMethod
) -> ProtectedRows:
    """Protect by one method; write the rows, and a bundle of them, into an empty folder."""

    def tell(share: float, _: int) -> None:
        report(0.7 * share, f"Protecting by {method}")

    options = wanted.options()
    done = anonymize(rows, **options, method=method, progress=tell)
    report(0.7, "Writing the rows")
    file, private, tree = (folder / each for each in (f"safe-{writable_name(name)}", "private.txt", "hierarchy.csv"))
    write(done.rows, file, checked=True)
    private.write_text("".join(f"{label}\n" for label in wanted.sensitive), encoding="utf-8")
    codes = sensitive_codes(wanted.sensitive, rows.vocabulary)
    tree.write_bytes(hierarchy_bytes(hierarchy_for(rows, codes, options["hierarchy"])))
    report(0.8, "Making the bundle")
    released = release_rows(
        done.rows,
        name=name,
        promise=f"rho={wanted.rho}",
        sensitive=wanted.sensitive,
        hierarchy=tree if done.generalized else None,
        original=rows,
        output=folder / BUNDLE,
    )
    gone = done.suppressed
    return ProtectedRows(
        method,
        wanted.rho,
        done.information_loss,
        done.worst_rule,
        frozenset(gone["sensitive"]) | frozenset(gone["other"]),
        done.generalized,
        file,
        private,
        tree,
        packed_bundle(folder, released),
    )

"""Jobs of *Protect sensitive items*: what rows give away, the tree of the other items, what each method costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, get_args

import numpy as np

from discreet.answers.check_and_anonymize import least_text
from discreet.publishing.rows_bundle import release_rows
from discreet.tables.containers import writable_name
from discreet.thresholds import Rho
from discreet.transactions.label_names import entry_text, listed
from discreet.transactions.writing import write
from discreet.uncertainty.anonymize import AnonymizeMethod, anonymize
from discreet.uncertainty.check import check
from discreet.uncertainty.hierarchy import hierarchy_bytes, hierarchy_for
from discreet.uncertainty.loss_curve import loss_curve
from discreet.uncertainty.proxies import find_proxies
from discreet.uncertainty.sensitive_items import named_labels, sensitive_codes, sensitive_items
from discreet.uncertainty.utility import remaining_rules, what_is_left
from discreet.workbench.jobs.hiding import unique_rows
from discreet.workbench.jobs.patterns import BUNDLE, packed_bundle
from discreet.workbench.tasks.tree import ItemTree

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction
    from pathlib import Path

    from numpy.typing import NDArray

    from discreet.transactions.label_names import NamedLabel
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.anonymize import Anonymized
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.hierarchy import HierarchySource
    from discreet.uncertainty.loss_curve import LossCurve
    from discreet.uncertainty.proxies import Proxies
    from discreet.uncertainty.sensitive_rules import SensitiveRule
    from discreet.uncertainty.utility import WhatIsLeft
    from discreet.workbench.jobs.patterns import PackedBundle
    from discreet.workbench.jobs.rows_cache import OnProgress

__all__ = [
    "PROTECTING_METHODS",
    "RHOS",
    "Fates",
    "LookedAt",
    "ProtectedRows",
    "ProtectingCost",
    "Protection",
    "ProtectionKeywords",
    "check_rows",
    "compare_protecting",
    "curve_of_losses",
    "grow_tree",
    "look_at_rows",
    "protect_rows",
    "read_tree",
    "write_tree",
]

PROTECTING_METHODS: tuple[AnonymizeMethod, ...] = get_args(AnonymizeMethod)
RHOS = tuple(range(10, 100, 10))
"""The rho of a curve, in per cent."""
TREE_FILE = "hierarchy.csv"
_NAMED_AS_DROPPED = 40


# What the rows give away


@dataclass(frozen=True, slots=True, eq=False)
class LookedAt:
    """Whether rows are safe as they are, and which other items give the sensitive ones away."""

    checked: Checked
    proxies: Proxies


def look_at_rows(report: OnProgress, rows: Transactions, rho: str, sensitive: tuple[str, ...]) -> LookedAt:
    """Check whether the rows are safe unchanged, and find the items that give sensitive ones away."""
    report(None, "Looking for what gives them away")
    codes = sensitive_items(named_labels(listed(sensitive, "sensitive")), rows)
    proxies = find_proxies(rows, codes, Rho.parse(rho))
    return LookedAt(check_rows(report, rows, rho, sensitive), proxies)


def check_rows(report: OnProgress, rows: Transactions, rho: str, sensitive: tuple[str, ...]) -> Checked:
    """Check whether the rows are safe unchanged."""
    report(None, "Checking the rows as they are")
    return check(rows, rho=rho, sensitive=listed(sensitive, "sensitive"))


# The tree


def grow_tree(report: OnProgress, rows: Transactions, fanout: int) -> ItemTree:
    """Grow the tree over all items: `fanout` neighbours under each group, and a branch for each column of a table."""
    report(None, "Growing the tree")
    labels, layout = _held(rows), rows.layout
    columns = () if layout is None or layout.shape != "table" else layout.columns
    return ItemTree.neighbours(labels, fanout, columns)


def read_tree(report: OnProgress, rows: Transactions, path: Path) -> ItemTree:
    """Read a tree in ARX's format, and remove its file; items that it lacks are put under its root."""
    report(None, "Reading the tree")
    try:
        return ItemTree.read(path).with_items(_held(rows))
    finally:
        path.unlink(missing_ok=True)


def write_tree(report: OnProgress, folder: Path, _: Transactions, tree: ItemTree, hidden: tuple[str, ...]) -> Path:
    """Write a tree in ARX's format, without the sensitive items."""
    report(None, "Writing the tree")
    path = folder / TREE_FILE
    path.write_bytes(tree.file_bytes(hidden))
    return path


def _held(rows: Transactions) -> list[str]:
    """Return the labels of the items that rows hold."""
    return [rows.vocabulary[item] for item in np.flatnonzero(rows.item_supports()).tolist()]


# What the methods cost


@dataclass(frozen=True, slots=True)
class ProtectingCost:
    """What one method loses, and the inference of highest confidence that it leaves."""

    method: str
    safe: bool
    information_loss: Fraction
    worst_rule: SensitiveRule | None
    suppressed: int
    generalized: int
    left: WhatIsLeft


class ProtectionKeywords(TypedDict):
    """Keywords of `anonymize` and `loss_curve`: the sensitive items, and the tree of the others."""

    sensitive: list[NamedLabel]
    hierarchy: HierarchySource | None


@dataclass(frozen=True, slots=True)
class Protection:
    """What nobody may infer: the confidence, the sensitive items, and the tree of the others."""

    rho: str
    sensitive: tuple[str, ...]
    tree: ItemTree | None

    def keywords(self) -> ProtectionKeywords:
        """Return the keywords of `anonymize`, apart from rho."""
        hierarchy = None if self.tree is None else self.tree.lines(self.sensitive)
        return {"sensitive": listed(self.sensitive, "sensitive"), "hierarchy": hierarchy}


def compare_protecting(report: OnProgress, rows: Transactions, wanted: Protection) -> tuple[ProtectingCost, ...]:
    """Try every method."""
    costs: list[ProtectingCost] = []
    options = wanted.keywords()

    def tell(method: str) -> Callable[[float, int], None]:
        return lambda done, _: report((len(costs) + done) / len(PROTECTING_METHODS), f"Trying {method}")

    for method in PROTECTING_METHODS:
        report(len(costs) / len(PROTECTING_METHODS), f"Trying {method}")
        done = anonymize(rows, rho=wanted.rho, **options, method=method, progress=tell(method))
        gone = done.suppressed
        costs.append(
            ProtectingCost(
                method,
                done.safe,
                done.information_loss,
                done.worst_rule,
                len(gone["sensitive"]) + len(gone["other"]),
                len(done.generalized),
                done.left,
            )
        )
    return tuple(costs)


def curve_of_losses(report: OnProgress, rows: Transactions, wanted: Protection, method: AnonymizeMethod) -> LossCurve:
    """Protect by one method at several rho, and return what each loses."""
    options = wanted.keywords()
    rhos = [f"{percent}%" for percent in RHOS]
    return loss_curve(
        rows,
        curve=rhos,
        **options,
        method=method,
        progress=lambda share, _: report(share, "Trying one rho after another"),
    )


# Protected rows


@dataclass(frozen=True, slots=True, eq=False)
class Fates:
    """What became of each node of the tree: how many items at and below it were dropped and generalized.

    `published_as` is the group that an item is published as, -1 if it is published as it is or not at all.
    """

    dropped: NDArray[np.int32]
    generalized: NDArray[np.int32]
    published_as: NDArray[np.int32]

    @classmethod
    def of(cls, tree: ItemTree, done: Anonymized) -> Fates:
        """Count what became of the items below every node."""
        labels = [*tree.names, *tree.added_names]
        number = {label: node for node, label in enumerate(labels)}
        dropped, generalized = (np.zeros(len(tree), np.int32) for _ in range(2))
        published_as = np.full(len(tree), -1, np.int32)
        for count, gone in ((dropped, done.suppressed["other"]), (generalized, done.generalized)):
            for label in gone:
                if label in number:
                    count[tree.above(number[label])] += 1
        for label, group in done.generalized.items():
            if label in number:
                published_as[number[label]] = number.get(group, -1)
        return cls(dropped, generalized, published_as)


@dataclass(frozen=True, slots=True, eq=False)
class ProtectedRows:
    """Rows that keep the promise: their files, and what became of the items."""

    method: AnonymizeMethod
    verdict: str
    """What the bundle promises: "protected" or "face-value"."""
    rare_rows: bool
    """Whether rare rows lost all sensitive items."""
    rho: str
    information_loss: Fraction
    least: str
    """What no recoding that is the same in all rows can lose less than, in words; empty if not known."""
    worst_rule: SensitiveRule | None
    dropped: int
    dropped_first: tuple[str, ...]
    """The first of the labels that were dropped."""
    generalized: int
    only_dropped: bool
    """Whether all that was done is that every marked item was dropped."""
    fates: Fates | None
    left: WhatIsLeft
    rules: tuple[int, int] | None
    """With a support, the rules of the original rows, and those of them that are as sure as before."""
    unique: int
    """How many of the rows are like no other."""
    file: Path
    sensitive_file: Path
    hierarchy_file: Path
    bundle: PackedBundle

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that a page links to."""
        return *self.bundle.files, self.file, self.sensitive_file, self.hierarchy_file


def protect_rows(  # noqa: PLR0917 - sent through a pipe, in order
    report: OnProgress,
    folder: Path,
    rows: Transactions,
    name: str,
    wanted: Protection,
    method: AnonymizeMethod,
    min_support: int | None = None,
) -> ProtectedRows:
    """Protect by one method; write the rows, and a bundle of them, into an empty folder.

    With a support, what is left of the itemsets and rules is counted, too.
    """

    def tell(share: float, _: int) -> None:
        report(0.7 * share, f"Protecting by {method}")

    options = wanted.keywords()
    done = anonymize(rows, rho=wanted.rho, **options, method=method, progress=tell)
    report(0.7, "Writing the rows")
    file, private, tree = (folder / each for each in (f"protected-{writable_name(name)}", "private.txt", TREE_FILE))
    write(done.rows, file, checked=True)
    private.write_text("".join(f"{entry_text(label)}\n" for label in wanted.sensitive), encoding="utf-8")
    codes = sensitive_codes(options["sensitive"], rows.vocabulary)
    tree.write_bytes(hierarchy_bytes(hierarchy_for(rows, codes, options["hierarchy"])))
    report(0.8, "Making the bundle")
    released = release_rows(
        done.rows,
        name=name,
        promise=f"rho={wanted.rho}",
        sensitive=options["sensitive"],
        hierarchy=tree if done.generalized else None,
        original=rows,
        face_value=method == "local",
        rare_rows=(rare := method == "rare-rows" and done.recoding is not None),
        output=folder / BUNDLE,
    )
    gone = done.suppressed
    dropped = sorted({*gone["sensitive"], *gone["other"]})
    return ProtectedRows(
        method,
        released.verdict,
        rare,
        wanted.rho,
        done.information_loss,
        least_text(done),
        done.worst_rule,
        len(dropped),
        tuple(dropped[:_NAMED_AS_DROPPED]),
        len(done.generalized),
        len(gone["sensitive"]) == len(codes) and not gone["other"] and not done.generalized,
        None if wanted.tree is None else Fates.of(wanted.tree, done),
        what_is_left(rows, done.rows, codes, min_support=min_support),
        _rules_left(rows, done, min_support),
        unique_rows(done.rows),
        file,
        private,
        tree,
        packed_bundle(folder, released),
    )


def _rules_left(rows: Transactions, done: Anonymized, min_support: int | None) -> tuple[int, int] | None:
    if min_support is None or (made := done.in_all_rows) is None:
        return None
    found = remaining_rules(rows, done.rows, made, min_support=min_support)
    return found.before, found.kept

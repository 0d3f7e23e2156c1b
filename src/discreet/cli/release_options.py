"""The options of `discreet release`: what is published, with which evidence, and where it is recorded."""

# `command` reads the annotations at run time.

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from discreet.cli.command import Option, as_words
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import ATTACK_STEPS, EXCLUSIVE, RHO, AttackOptions, IgnoreUnknown, Wait
from discreet.errors import ParameterError

with on_first_use():
    from discreet.transactions.shapes import cell_rules


__all__ = ["BundleOptions", "ConcealedOptions", "DpOptions", "PatternOptions", "RowsOptions"]

_CONFIDENCE = "50%"

_PATTERNS = "Patterns"
_patterns = partial(Option, panel=_PATTERNS)
_rows = partial(Option, panel="Rows")
_dp = partial(Option, panel="Differential privacy")


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternOptions:
    """Which patterns are published, and how they are made safe."""

    min_support: Annotated[
        str | None,
        _patterns("--min-support", "-s", metavar="S", help="In how many rows an itemset must occur: 8, 60% or 0.6."),
    ] = None
    k: Annotated[int | None, _patterns("-k", metavar="K", help="No group of 1 to K-1 rows may be computable.")] = None
    method: Annotated[
        Literal["additive", "suppressive", "none", "dp"] | None,
        _patterns(
            "--method",
            metavar="NAME",
            help="additive raises supports, suppressive leaves rows out, none publishes as it is, or not at all; dp "
            "adds noise (differential privacy).",
        ),
    ] = None
    target: Annotated[
        Literal["closed", "all"], _patterns("--target", metavar="KIND", help="Which itemsets: closed or all.")
    ] = "closed"
    attack_steps: Annotated[str | None, ATTACK_STEPS(panel=_PATTERNS)] = None
    exclusive: Annotated[list[str] | None, EXCLUSIVE(panel=_PATTERNS)] = None
    quasi_identifiers: Annotated[
        str | None,
        _patterns(
            "--quasi-identifiers", metavar="LIST", help="Only these items or columns identify anyone: a,b,c or @FILE."
        ),
    ] = None
    rules: Annotated[bool, _patterns("--rules", help="Also publish association rules, from the safe supports.")] = False
    min_confidence: Annotated[
        str, _patterns("--min-confidence", metavar="C", help="Rules of at least this confidence: 80% or 0.8.")
    ] = _CONFIDENCE
    owner_report: Annotated[
        Path | None,
        _patterns(
            "--owner-report", writes=True, metavar="FILE", help="Write what was found and changed. Not for release."
        ),
    ] = None
    proof: Annotated[
        Path | None,
        _patterns(
            "--proof",
            writes=True,
            metavar="FILE",
            help="Write a data set that proves that no group follows, for verify --proof. Not for release.",
        ),
    ] = None

    @property
    def attack(self) -> AttackOptions:
        """What readers are assumed to know and to compute."""
        return AttackOptions(attack_steps=self.attack_steps, exclusive=self.exclusive)

    @property
    def confidence(self) -> str | None:
        """The least confidence of the rules to publish, None if none are."""
        if not self.rules and self.min_confidence != _CONFIDENCE:
            raise ParameterError("--min-confidence is for --rules; give --rules as well", parameter="min_confidence")
        return self.min_confidence if self.rules else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DpOptions:
    """Differential privacy: what it may cost, and what is public anyway."""

    epsilon: Annotated[
        str | None,
        _dp(
            "--epsilon",
            metavar="E",
            help="With --method dp: no row changes any probability by more than a factor exp(E).",
        ),
    ] = None
    delta: Annotated[
        str | None,
        _dp("--delta", metavar="D", help="Except with this probability, such as 1e-6; for items found in the rows."),
    ] = None
    universe: Annotated[
        Path | None,
        _dp("--universe", metavar="FILE", help="All items that could occur, one per line; the list is public anyway."),
    ] = None
    max_items: Annotated[
        int | None, _dp("--max-items", metavar="L", help="How many items of a row count while items are found (10).")
    ] = None
    top: Annotated[
        int | None, _dp("--top", metavar="K", help="The K most frequent itemsets at most; -s may be left out.")
    ] = None
    public_n: Annotated[
        bool,
        _dp(
            "--public-n",
            help="The number of rows is public and gets no noise. The promise is then about a row replaced, not added.",
        ),
    ] = False
    budget_epsilon: Annotated[
        str | None,
        _dp(
            "--budget-epsilon",
            metavar="E",
            help="With --ledger: what all its releases may spend together; the ledger keeps it.",
        ),
    ] = None
    budget_delta: Annotated[str | None, _dp("--budget-delta", metavar="D", help="The same for delta.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcealedOptions:
    """What nobody may conclude, of patterns or of rows."""

    sensitive: Annotated[
        str | None,
        Option(
            "--sensitive",
            metavar="LIST",
            help="Items or columns that nobody may conclude with confidence R or more: a,b,c or @FILE; with --rows "
            "also just FILE, one label per line.",
        ),
    ] = None
    rho: Annotated[str | None, RHO] = None

    def of_rows(self) -> "tuple[str, ...] | Path | None":
        """Return the sensitive items of --promise rho=R: a file, or a list."""
        if self.rho is not None:
            raise ParameterError("--rho is for patterns; with --rows write --promise rho=R", parameter="rho")
        if self.sensitive is None or self.sensitive.startswith("@"):
            return None if self.sensitive is None else Path(self.sensitive[1:])
        file = Path(self.sensitive)
        return file if file.exists() else cell_rules.parse_names(self.sensitive, "sensitive")

    def words(self) -> list[str]:
        """Return these options as typed."""
        return as_words(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsOptions:
    """Rows instead of patterns: what `hide -o` or `anonymize -o` wrote, and the promise about it."""

    rows: Annotated[
        Path | None, _rows("--rows", metavar="FILE", help="Publish these rows, of hide -o or anonymize -o.")
    ] = None
    promise: Annotated[
        str | None,
        _rows("--promise", metavar="PROMISE", help="rho=R: no sensitive item follows with R; hidden: see --restrict."),
    ] = None
    restrict: Annotated[
        Path | None, _rows("--restrict", metavar="FILE", help="hidden: the itemsets that no row may hold.")
    ] = None
    hierarchy: Annotated[
        Path | None, _rows("--hierarchy", metavar="FILE", help="rho: what generalized items stand for (ARX's CSV).")
    ] = None
    mapping: Annotated[
        Path | None,
        _rows(
            "--mapping",
            metavar="FILE",
            help="rho: a file of anonymize --mapping, which names the labels that were dropped.",
        ),
    ] = None
    name_sensitive: Annotated[
        bool,
        _rows(
            "--name-sensitive", help="rho: name the sensitive labels in the bundle; else it says how many there are."
        ),
    ] = False
    keep_order: Annotated[
        bool, _rows("--keep-order", help="Keep the rows in their order, which can tell what they hide.")
    ] = False
    allow_identifiers: Annotated[
        str | None,
        _rows(
            "--allow-identifiers",
            metavar="LIST",
            help="Columns to publish although they are different in nearly every row, as names are.",
        ),
    ] = None
    empty_cells: Annotated[
        Literal["auto", "sensitive", "missing"],
        _rows("--empty-cells", metavar="KIND", help="rho: what empty cells of a table count as; see discreet check."),
    ] = "auto"
    exact_knowledge: Annotated[
        bool, _rows("--exact-knowledge", help="rho: also against someone who knows what a row does not hold.")
    ] = False
    face_value: Annotated[
        bool,
        _rows("--face-value", help="rho: sensitive items were taken out of single rows (anonymize --method local)."),
    ] = False
    rare_rows: Annotated[
        bool,
        _rows("--rare-rows", help="rho: all left rare rows (anonymize --method rare-rows), which DATA must show."),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleOptions:
    """What else the bundle contains, and where it is recorded."""

    ignore_unknown: IgnoreUnknown = False
    title: Annotated[str | None, Option("--title", metavar="TEXT", help="What the report is called.")] = None
    sign: Annotated[
        list[Path] | None,
        Option("--sign", metavar="IDENTITY", help="Sign with this identity.pem of discreet keygen (again for each)."),
    ] = None
    key_passphrase_file: Annotated[
        list[Path] | None,
        Option(
            "--key-passphrase-file",
            metavar="FILE",
            help="The passphrase of an encrypted IDENTITY is in this file (again for each); else the terminal asks.",
        ),
    ] = None
    ledger: Annotated[
        Path | None,
        Option("--ledger", metavar="FILE", help="Audit together with the releases in FILE, and add this one."),
    ] = None
    new_ledger: Annotated[bool, Option("--new-ledger", help="Begin the ledger FILE with this release.")] = False
    rows_left: Annotated[
        bool,
        Option("--rows-left", help="With --ledger: some rows of earlier releases have left since."),
    ] = False
    rows_added: Annotated[
        bool,
        Option(
            "--rows-added",
            help="With --ledger: all rows of earlier releases are still there. Allows more than saying neither.",
        ),
    ] = False
    fit_ledger: Annotated[
        bool,
        Option(
            "--fit-ledger",
            help="With --ledger: withhold itemsets that are not safe together with earlier releases, else refuse all.",
        ),
    ] = False
    accept_void: Annotated[
        bool,
        Option(
            "--accept-void",
            help="With --ledger: publish although exact releases and those with noise of the same people are in it, "
            "which voids what noise promises.",
        ),
    ] = False
    wait: Wait = 300

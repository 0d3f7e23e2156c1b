"""`discreet anonymize`: publish rows from which no sensitive item can be inferred."""

# `command` reads the annotations at run time.

import sys
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypedDict

import discreet
from discreet.answers.answer import Step
from discreet.cli.command import Option, as_words, command
from discreet.cli.failures import warn, warn_of_absent, warn_of_gaps, warn_of_order
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import (
    RHO,
    SENSITIVE,
    AllowIdentifiers,
    Data,
    EncryptOptions,
    Force,
    IgnoreUnknown,
    KeepOrder,
    TalkingOptions,
    data_words,
    read_rows,
)
from discreet.cli.progress import progress_bar
from discreet.cli.standard_output import give
from discreet.command_words import option_words
from discreet.errors import ParameterError
from discreet.tables.whole import all_or_none, check_output, whole_file
from discreet.thresholds import Rho, Share, Support
from discreet.transactions.label_names import entry_text, listed
from discreet.transactions.options import ReadOptions
from discreet.uncertainty.time_budget import Interrupted
from discreet.wording import itemset_text

with on_first_use():
    from discreet.answers import check_and_anonymize as check_answers
    from discreet.publishing import anonymized_report, charts
    from discreet.transactions import column_profile
    from discreet.transactions import writing as row_writing
    from discreet.uncertainty import anonymize as anonymizers
    from discreet.uncertainty import limits as item_limits
    from discreet.uncertainty import loss_curve as loss_curves
    from discreet.uncertainty import mapping as mappings
    from discreet.uncertainty import sensitive_items, utility

if TYPE_CHECKING:
    from discreet.transactions.label_names import NamedLabel
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.anonymize import Anonymized
    from discreet.uncertainty.mapping import Mapping
    from discreet.uncertainty.sensitive_items import Sensitive
    from discreet.uncertainty.utility import RemainingRules

__all__ = ["MappingOptions", "MethodOptions", "SensitiveOptions", "anonymize"]

_ROW_BY_ROW = ("rare-rows", "local", "perturb")

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet anonymize hospital.csv --rho 0.5 --sensitive-share 20% --seed 1 --mapping map.json -o safe.csv
discreet anonymize hospital.csv --curve 0.2,0.5,0.8 --sensitive-share 20% --method tdcontrol -o losses.svg
discreet generate hospital --seed 2 -o next.csv
discreet anonymize next.csv --apply map.json -o next-safe.csv
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveOptions:
    """Which items are sensitive, and what the others can become."""

    sensitive: Annotated[str | None, SENSITIVE] = None
    ignore_unknown: IgnoreUnknown = False
    sensitive_share: Annotated[
        str | None,
        Option(
            "--sensitive-share",
            metavar="P",
            help="Draw this share of the items instead (40% or 0.4), to try things out.",
        ),
    ] = None
    seed: Annotated[
        int | None,
        Option("--seed", metavar="N", min=0, help="For --sensitive-share and for perturb; 1 unless given."),
    ] = None
    hierarchy: Annotated[
        Path | None,
        Option(
            "--hierarchy",
            metavar="FILE",
            help="What the other items can be generalized to: lines leaf;parent;…;root, without a header.",
        ),
    ] = None
    fanout: Annotated[
        int | None,
        Option(
            "--fanout", metavar="F", min=2, help="Without FILE: a tree with F neighbours under a node; 4 unless given."
        ),
    ] = None
    neighbours: Annotated[
        Literal["label", "support"] | None,
        Option(
            "--neighbours",
            metavar="HOW",
            help="Which items are neighbours in that tree: by label, unless given, or by support, which mostly keeps "
            "more.",
        ),
    ] = None

    def check(self) -> None:
        """Refuse options that exclude each other."""
        if self.sensitive is None and self.sensitive_share is None:
            raise ParameterError(
                "nothing is named that should be protected: give --sensitive LIST, items or columns, or "
                "--sensitive-share P",
                parameter="sensitive",
            )
        if self.sensitive is not None and self.sensitive_share is not None:
            raise ParameterError("--sensitive names the items, so --sensitive-share cannot", parameter="sensitive")
        if self.hierarchy is not None and self.fanout is not None:
            raise ParameterError("--hierarchy is the tree, so --fanout cannot make one", parameter="fanout")
        if self.hierarchy is not None and self.neighbours is not None:
            raise ParameterError("--hierarchy is the tree, so --neighbours cannot order one", parameter="neighbours")

    def labels(self, rows: "Transactions") -> "list[NamedLabel]":
        """Return the labels that are named or drawn."""
        if self.sensitive is not None:
            return sensitive_items.named_labels(self.sensitive)
        seed = 1 if self.seed is None else self.seed
        return listed(
            sensitive_items.draw_sensitive(rows.vocabulary, self.sensitive_share or "", seed=seed), "sensitive_share"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodOptions:
    """How the rows are made safe."""

    method: Annotated[
        Literal["best", "tdcontrol", "suppress", "simple", "rare-rows", "local", "perturb"],
        Option(
            "--method",
            metavar="NAME",
            help="best, tdcontrol (generalizes and drops), suppress (drops), simple (drops every sensitive item), "
            "rare-rows (also takes all sensitive items out of rows whose other items are rare), local (takes them out "
            "of single rows: loses least, promises less) or perturb (randomizes). What local and perturb write is "
            "never called safe.",
        ),
    ] = "best"
    allow_local: Annotated[
        bool,
        Option(
            "--allow-local",
            help="best: also try rare-rows and local, and take what loses least, with the promise of local.",
        ),
    ] = False
    beta: Annotated[
        str | None,
        Option("--beta", metavar="B", help="perturb: how likely each item is flipped; 1-R unless given."),
    ] = None
    time_limit: Annotated[
        float | None,
        Option("--time-limit", metavar="S", help="best, tdcontrol: stop after S seconds and use the best so far."),
    ] = None

    def check(self, private: SensitiveOptions) -> None:
        """Refuse options that exclude each other."""
        if self.allow_local and self.method != "best":
            raise ParameterError("--allow-local is for --method best", parameter="allow_local")
        if self.beta is not None and self.method != "perturb":
            raise ParameterError("--beta is for --method perturb", parameter="beta")
        if private.seed is not None and private.sensitive_share is None and self.method != "perturb":
            raise ParameterError("--seed is for --sensitive-share and for --method perturb", parameter="seed")
        if self.time_limit is not None and self.method not in ("best", "tdcontrol"):
            raise ParameterError("--time-limit is for --method best and tdcontrol", parameter="time_limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingOptions:
    """What is kept for the owner, and reused."""

    apply: Annotated[
        Path | None,
        Option("--apply", metavar="MAPPING", help="Publish as a file of --mapping says, and check the result."),
    ] = None
    mapping: Annotated[
        Path | None,
        Option("--mapping", writes=True, metavar="FILE", help="Write what became of each item. Not for release."),
    ] = None
    drawn: Annotated[
        Path | None,
        Option(
            "--drawn",
            writes=True,
            metavar="FILE",
            help="Write the labels that --sensitive-share drew. Not for release.",
        ),
    ] = None
    owner_report: Annotated[
        Path | None,
        Option(
            "--owner-report",
            writes=True,
            metavar="FILE",
            help="Write a page about what is left and what was done. Not for release.",
        ),
    ] = None

    def check(self, private: SensitiveOptions, how: MethodOptions) -> None:
        """Refuse options that exclude each other."""
        if self.apply is not None and (as_words(private) or as_words(how) or self.mapping or self.drawn):
            raise ParameterError(
                "--apply uses the sensitive items, the hierarchy and the method of the mapping; omit all other "
                "options except --rho",
                parameter="apply",
            )
        if self.mapping is not None and (how.allow_local or how.method in _ROW_BY_ROW):
            raise ParameterError(
                f"--mapping and --apply do not go with {'local' if how.allow_local else how.method}, which changes "
                "each row in its own way; leave --mapping out",
                parameter="mapping",
            )
        if self.drawn is not None and private.sensitive_share is None:
            raise ParameterError("--drawn is for --sensitive-share", parameter="drawn")

    def check_plain(self, passphrase: bytes | None) -> None:
        """Refuse a passphrase where what was drawn is written as plain text."""
        if passphrase is not None and self.drawn is not None:
            raise ParameterError(
                "--drawn is plain text, for --sensitive to read, and is not encrypted; leave it out, or the passphrase",
                parameter="drawn",
            )

    def words_for_check(self, encrypting: EncryptOptions) -> list[str]:
        """Return the options by which `check` knows the labels that were dropped."""
        kept = self.mapping or self.apply
        return ["--ignore-unknown"] if kept is None else ["--mapping", str(kept), *encrypting.words()]


def _check_curve_alone(others: list[str]) -> None:
    if others:
        raise ParameterError(
            f"--curve shows losses and writes no rows, so {others[0]} has no use; leave one of them out",
            parameter="curve",
        )


class _RowsKeywords(TypedDict):
    keep_order: bool
    allow_identifiers: str | None


@command(examples=EXAMPLES, files_last=True)
def anonymize(
    *,
    data: Data = None,
    rho: Annotated[
        str | None,
        RHO,
    ] = None,
    curve: Annotated[
        str | None,
        Option(
            "--curve",
            metavar="R1,R2,…",
            help="In place of --rho: only show what is lost at each of these R. -o is then a chart, .svg or .html.",
        ),
    ] = None,
    private: SensitiveOptions,
    how: MethodOptions,
    keeping: MappingOptions,
    encrypting: EncryptOptions,
    min_support: Annotated[
        str | None,
        Option(
            "--min-support",
            "-s",
            metavar="S",
            help="Also count the itemsets and rules in at least S rows, before and after.",
        ),
    ] = None,
    min_confidence: Annotated[
        str | None,
        Option("--min-confidence", metavar="C", help="The least confidence of these rules; 50% unless given."),
    ] = None,
    tree: Annotated[bool, Option("--tree", help="Show what was dropped and generalized in the hierarchy.")] = False,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            writes=True,
            metavar="OUT",
            help="Where to write the rows, in the format of DATA; needed without --curve.",
        ),
    ] = None,
    keep_order: KeepOrder = False,
    allow_identifiers: AllowIdentifiers = None,
    force: Force = False,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> int:
    """Publish rows from which no sensitive item can be concluded.

    Some items are dropped from all rows, and items that are not sensitive may be generalized, until nobody who knows
    part of a row can conclude another sensitive item with confidence R or more. The result has been checked as
    `discreet check` does it. The rows' ids are left out, and so is their order. What is shown here is for you alone.

    Status 0 means safe or, after local and perturb, protected at face value; 1 not safe: only perturb and --apply can
    end so. With --curve no rows are written: it shows
    what is lost at several R, to choose one.
    """
    if min_confidence is not None and min_support is None:
        raise ParameterError("--min-confidence is for the rules that -s counts; give -s", parameter="min_confidence")
    if curve is not None:
        asked = {"rho": rho, "min_support": min_support, "tree": tree or None, "keep_order": keep_order or None}
        _check_curve_alone([*option_words(asked), *as_words(keeping), *as_words(encrypting)])
        return _show_curve((curve, private, how, allow_identifiers), reading, data, (output, force), talking)
    if output is None:
        raise ParameterError("-o/--output is missing: give OUT; see discreet anonymize --help", parameter="output")
    limit = None if rho is None else Rho.parse(rho)
    keeping.check(private, how)
    _check_files(output, keeping, force=force)
    if min_support is not None:
        Support.parse(min_support)
        Share.parse(min_confidence or "50%", parameter="min_confidence")
    passphrase = encrypting.passphrase(reads=[keeping.apply], writes=[keeping.mapping, keeping.owner_report])
    keeping.check_plain(passphrase)
    about: _RowsKeywords = {"keep_order": keep_order, "allow_identifiers": allow_identifiers}
    rows, labels, done = (
        _applied(
            mappings.read_mapping(keeping.apply, passphrase=passphrase),
            limit,
            reading,
            data,
            about,
            quiet=talking.quiet,
        )
        if keeping.apply is not None
        else _made(limit, private, how, reading, data, about=about, quiet=talking.quiet)
    )
    warn_of_order(kept=keep_order)
    _warn_of_empty_cells(rows, done)
    done, remaining = _with_patterns(rows, done, labels, min_support, min_confidence or "50%")
    steps = []
    if rho is not None and (named := private.sensitive or keeping.drawn):
        written = ReadOptions.of_layout(row_writing.layout_for(done.rows, output), output)
        again = [*data_words(str(output), written), "--rho", rho, "--sensitive", str(named)]
        if sensitive_items.absent_labels(labels, done.rows):  # they were dropped
            again += keeping.words_for_check(encrypting)
        steps = [Step(["discreet", "check", *again], "checks the written rows once more")]
    answer = cache(
        partial(
            check_answers.anonymize_answer,
            done,
            rows,
            remaining,
            steps,
            output=output,
            mapping=keeping.mapping,
            drawn=keeping.drawn,
            tree=tree,
        )
    )
    with all_or_none():
        discreet.write(done.rows, output, force=force, checked=True)
        _keep(keeping, done, labels, passphrase, force=force)
        if keeping.owner_report is not None:
            anonymized_report.write_anonymized_report(
                answer(), keeping.owner_report, force=force, passphrase=passphrase
            )
    give(
        lambda: done.to_dict() | ({} if remaining is None else {"rules": remaining.to_dict()}),
        answer,
        json=talking.json,
    )
    return 0 if done.safe else 1


def _show_curve(
    asked: tuple[str, SensitiveOptions, MethodOptions, str | None],
    reading: ReadOptions,
    data: str | None,
    chart: tuple[Path | None, bool],
    talking: TalkingOptions,
) -> int:
    """Show what is lost at each rho, and draw it."""
    (curve, private, how, allow_identifiers), (output, force) = asked, chart
    private.check()
    how.check(private)
    loss_curves.parse_rhos(curve)
    if output is not None:
        charts.check_chart_file(output, force=force)
    rows = read_rows(data, reading, quiet=talking.quiet)
    with progress_bar("Anonymizing", unit="steps", quiet=talking.quiet, steady=False) as progress:
        found = discreet.loss_curve(
            rows,
            curve=curve,
            sensitive=private.labels(rows),
            hierarchy=private.hierarchy,
            fanout=4 if private.fanout is None else private.fanout,
            neighbours=private.neighbours or "label",
            method=how.method,
            allow_local=how.allow_local,
            time_limit=how.time_limit,
            ignore_unknown=private.ignore_unknown,
            allow_identifiers=allow_identifiers,
            progress=progress,
        )
    if output is not None:
        charts.write_loss_chart(found, output, force=force)
    give(found.to_dict, lambda: check_answers.curve_answer(found, output), json=talking.json)
    return 0


def _check_files(output: Path, keeping: MappingOptions, *, force: bool) -> None:
    """Refuse unwritable files."""
    for path in (output, keeping.mapping, keeping.drawn, keeping.owner_report):
        if path is not None:
            check_output(path, force=force)


_Made: TypeAlias = "tuple[Transactions, list[NamedLabel], Anonymized]"
"""The rows, the sensitive labels, and the result."""


def _made(
    rho: "Rho | None",
    private: SensitiveOptions,
    how: MethodOptions,
    reading: ReadOptions,
    data: str | None,
    *,
    about: _RowsKeywords,
    quiet: bool,
) -> _Made:
    """Anonymize the rows."""
    if rho is None:
        raise ParameterError("--rho is missing: give R, as in --rho 0.5", parameter="rho")
    private.check()
    how.check(private)
    rows = read_rows(data, reading, quiet=quiet)
    labels = private.labels(rows)
    made = _run(rows, labels, rho, private, how, about=about, quiet=quiet)
    warn_of_absent(sensitive_items.absent_labels(labels, rows), data or "the database")
    return rows, labels, made


def _run(
    rows: "Transactions",
    sensitive: "Sensitive",
    rho: "Rho",
    private: SensitiveOptions,
    how: MethodOptions,
    *,
    about: _RowsKeywords,
    quiet: bool,
) -> "Anonymized":
    """Run the method; if Ctrl-C interrupts it, offer the best result so far."""
    try:
        with progress_bar("Anonymizing", unit="steps", quiet=quiet, steady=how.method == "perturb") as progress:
            return discreet.anonymize(
                rows,
                rho=rho,
                sensitive=sensitive,
                ignore_unknown=private.ignore_unknown,
                **about,
                hierarchy=private.hierarchy,
                fanout=4 if private.fanout is None else private.fanout,
                neighbours=private.neighbours or "label",
                method=how.method,
                allow_local=how.allow_local,
                beta=how.beta,
                time_limit=how.time_limit,
                seed=1 if private.seed is None else private.seed,
                progress=progress,
            )
    except Interrupted as interrupted:
        so_far: Anonymized = interrupted.so_far
        if _wanted(so_far):
            return so_far
        raise


def _wanted(so_far: "Anonymized") -> bool:
    """Ask whether the best result so far is good enough; if nobody can answer, it is not."""
    if sys.stdin is None or not sys.stdin.isatty() or sys.stderr is None or not sys.stderr.isatty():
        return False
    loss, simple = map(check_answers.loss_text, (so_far.information_loss, so_far.simple_loss))
    print(  # noqa: T201
        f"\nStopped. The best so far is safe and loses {loss} (dropping every sensitive item would lose {simple}). "
        "Write it? [y/N] ",
        end="",
        file=sys.stderr,
        flush=True,
    )
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _applied(
    mapping: "Mapping", rho: "Rho | None", reading: ReadOptions, data: str | None, about: _RowsKeywords, *, quiet: bool
) -> _Made:
    """Publish rows by a mapping, and check them."""
    rows = read_rows(data, reading, quiet=quiet)
    column_profile.refuse_identifiers(rows, about["allow_identifiers"])
    publication, unknown = mappings.carry_over(mapping, rows)
    limits = mapping.limits if rho is None else replace(mapping.limits, rho=rho)
    done = anonymizers.apply_publication(
        rows, publication, method="apply", limits=limits, unknown=unknown, keep_order=about["keep_order"]
    )
    return rows, listed(mapping.named, "apply"), done


def _warn_of_empty_cells(rows: "Transactions", done: "Anonymized") -> None:
    """Warn that in a table a dropped value leaves a visible gap: if every row has a value, an empty cell stands out."""
    if rows.layout is None or rows.layout.shape != "table":
        return
    filled = {label.partition("=")[0] for label in done.rows.vocabulary}
    private, others = (
        dict.fromkeys(column for label in done.suppressed[kind] if (column := label.partition("=")[0]) in filled)
        for kind in ("sensitive", "other")
    )
    if private:
        warn_of_gaps(private)
    if others:
        warn(
            f"an empty cell of {itemset_text(others)} now stands for a value that was dropped; whoever knows someone's "
            "value there can single out these rows, which the check does not look at: leave out the whole column, "
            "with --drop, or merge values, with --hierarchy"
        )


def _keep(
    keeping: MappingOptions, done: "Anonymized", labels: "list[NamedLabel]", passphrase: bytes | None, *, force: bool
) -> None:
    """Write the files for the owner."""
    if keeping.mapping is not None and done.publication is not None:
        mapping = mappings.mapping_of(
            done.publication, limits=item_limits.Limits.of(done.rho, labels), method=done.method
        )
        mappings.write_mapping(mapping, keeping.mapping, force=force, passphrase=passphrase)
    if keeping.drawn is not None:
        with whole_file(keeping.drawn, force=force, private=True) as temporary:
            temporary.write_text("".join(f"{entry_text(each.label)}\n" for each in labels), encoding="utf-8")


def _with_patterns(
    rows: "Transactions",
    done: "Anonymized",
    labels: "list[NamedLabel]",
    min_support: str | None,
    min_confidence: str,
) -> "tuple[Anonymized, RemainingRules | None]":
    """Count what is left of itemsets and rules as well, if a support was given."""
    if min_support is None:
        return done, None
    private = sensitive_items.sensitive_codes(labels, rows.vocabulary)
    done = replace(done, left=utility.what_is_left(rows, done.rows, private, min_support=min_support))
    if done.recoding is not None:
        before = done.recoding.publication.apply(rows)
        found = utility.false_rules(before, done.rows, min_support=min_support, min_confidence=min_confidence)
        done = replace(done, recoding=replace(done.recoding, false_rules=found))
    if (made := done.in_all_rows) is None:
        return done, None
    return done, utility.remaining_rules(rows, done.rows, made, min_support=min_support, min_confidence=min_confidence)

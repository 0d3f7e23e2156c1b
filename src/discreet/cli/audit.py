"""`discreet audit`: check whether anyone can be singled out from patterns."""

# `command` reads the annotations at run time.

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import discreet
from discreet.cli.audit_each import audit_each, refuse_others, write_findings
from discreet.cli.command import Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import (
    RHO,
    AttackOptions,
    Data,
    EngineOptions,
    Force,
    IgnoreUnknown,
    PatternFileOptions,
    QuasiIdentifiers,
    SensitiveToGroups,
    TalkingOptions,
    check_sensitive,
    data_words,
)
from discreet.cli.progress import auditing_note, patience_note
from discreet.cli.standard_output import give, note_read, what_was_read
from discreet.command_words import FileList, option_words
from discreet.errors import ParameterError
from discreet.tables.whole import check_folder
from discreet.transactions.options import ReadOptions

with on_first_use():
    from discreet import engines
    from discreet.answers import audit_and_block as audit_answers
    from discreet.answers import findings as audit_findings
    from discreet.channels import row_source
    from discreet.publishing import audit_report as audit_reports

if TYPE_CHECKING:
    from discreet.channels.audit import Audit
    from discreet.channels.row_source import RowSource
    from discreet.cli.options import RuleFileKeywords
    from discreet.patterns.trees import DecisionTree

__all__ = ["audit"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet audit hospital.csv -s 20% -k 10
discreet mine hospital.csv -s 20% -o patterns.csv
discreet audit --patterns patterns.csv -k 10 --json
discreet audit hospital.csv -s 5% -k 10 --sensitive 'diagnosis asthma' --rho 0.5
discreet audit --patterns patterns.csv -k 10 --format-out sarif
discreet audit --each patterns.csv -k 10
discreet audit --patterns patterns.csv -k 10 --report audit.html
"""


@command(examples=EXAMPLES, files_last=True)
def audit(
    *,
    data: Data = None,
    min_support: Annotated[
        str | None,
        Option("--min-support", "-s", metavar="S", help="In how many rows an itemset must occur: 8, 60% or 0.6."),
    ] = None,
    k: Annotated[int, Option("-k", metavar="K", help="No group of 1 to K-1 rows may be computable.")],
    patterns: Annotated[
        Path | None,
        Option(
            "--patterns",
            metavar="FILE",
            help="Audit these itemsets instead of rows: of ours, mlxtend, Spark, SPMF, PAMI, arules, and others.",
        ),
    ] = None,
    rules: Annotated[
        Path | None, Option("--rules", metavar="FILE", help="Audit these association rules instead of rows.")
    ] = None,
    tree: Annotated[
        Path | None,
        Option(
            "--tree",
            metavar="FILE",
            help="Audit a decision tree instead of rows: as scikit-learn's export_text or rpart prints it, or JSON.",
        ),
    ] = None,
    each: Annotated[
        bool,
        Option("--each", help="DATA are files of itemsets: judge each of them on its own, and sum up."),
    ] = False,
    n: Annotated[
        int | None, Option("--n", metavar="N", help="The number of rows, where FILE does not say.", min=1)
    ] = None,
    method: Annotated[
        Literal["auto", "direct", "closed", "projection"],
        Option("--method", metavar="NAME", help="auto, direct, closed or projection: all give the same answer."),
    ] = "auto",
    all_channels: Annotated[bool, Option("--all-channels", help="List every channel, not only the finest.")] = False,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: SensitiveToGroups = None,
    rho: Annotated[str | None, RHO] = None,
    ignore_unknown: IgnoreUnknown = False,
    accept_incomplete: Annotated[
        bool,
        Option(
            "--accept-incomplete",
            help="End with status 0 where nothing is found in a collection with itemsets missing.",
        ),
    ] = False,
    report: Annotated[
        Path | None,
        Option(
            "--report",
            metavar="FILE",
            help="Write a page for a checker's file (HTML), and the same as JSON next to it: not for the public.",
            writes=True,
            suffix=".json",
        ),
    ] = None,
    acro: Annotated[
        Path | None,
        Option(
            "--acro",
            metavar="DIR",
            help="Write a folder in the form of ACRO 1.0.2, for a checker who works with SACRO: not for the public.",
            writes=True,
        ),
    ] = None,
    force: Force = False,
    explain: Annotated[bool, Option("--explain", help="Add the definitions, with the paper's names.")] = False,
    file: PatternFileOptions,
    attack: AttackOptions,
    reading: ReadOptions,
    where: EngineOptions,
    talking: TalkingOptions,
    format_out: Annotated[
        Literal["junit", "sarif", "github"] | None,
        Option(
            "--format-out",
            metavar="NAME",
            help="Print the findings for a pipeline: junit (XML), sarif (SARIF 2.1.0) or github (workflow commands).",
            panel="Talking",
        ),
    ] = None,
) -> int:
    """Say whether anyone can be singled out from patterns.

    From published supports, anyone can compute how many rows have some items and not others. Where that is between 1
    and K-1, the people in them may be recognized. Beyond these sums, an attacker looks for groups whose size is bounded
    by what is published. With --sensitive and --rho, the audit also lists groups of which a share of R or more is known
    to have a sensitive item. Status 0 means safe, 1 anything else.
    """
    options = attack.keywords()
    check_sensitive(sensitive, rho)
    if format_out is not None and talking.json:
        raise ParameterError(
            "--json and --format-out both say what standard output gets; give one of them", parameter="format_out"
        )
    if each:
        refuse_others(
            {
                "--patterns": patterns, "--rules": rules, "--tree": tree, "--sql": reading.sql, "--report": report,
                "--acro": acro, "--engine": where.words() or None, "--explain": explain or None,
            }
        )  # fmt: skip
        return audit_each(
            _files(data),
            read=partial(discreet.read_patterns, n=n, min_support=min_support, **file.keywords(reading, "--each")),
            judge=partial(
                discreet.audit,
                k=k,
                method=method,
                all_channels=all_channels,
                quasi_identifiers=quasi_identifiers,
                sensitive=sensitive,
                rho=rho,
                ignore_unknown=ignore_unknown,
                **options,
            ),
            accept_incomplete=accept_incomplete,
            form=format_out,
            json=talking.json,
        )
    _check_outputs(report, acro, force=force)
    doors = _Doors(data=data, patterns=patterns, rules=rules, tree=tree, n=n, file=file, reading=reading, where=where)
    source = doors.open(min_support, quiet=talking.quiet)
    if tree is not None:
        options["exclusive"] = (*(options["exclusive"] or ()), *source.exclusive)
        source = source.patterns
    with auditing_note(quiet=talking.quiet, in_spark=where.engine == "spark") as progress:
        found = discreet.audit(
            source,
            k=k,
            min_support=min_support if doors.of_rows else None,
            method=method,
            all_channels=all_channels,
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            rho=rho,
            ignore_unknown=ignore_unknown,
            progress=progress,
            **options,
        )
    passes = found.verdict == "safe" or (accept_incomplete and found.verdict == "incomplete")
    again = None
    if data != "-":
        again = doors.words(k, quasi_identifiers, attack, ignore_unknown=ignore_unknown)
        again += option_words({"sensitive": sensitive, "rho": rho})
    typed = [*(again or []), *([] if min_support is None else ["-s", min_support])]
    _write_outputs(found, report, acro, typed, force=force)
    if format_out is not None:
        write_findings([(audit_findings.findings_of(found, passes=passes), doors.files)], format_out)
        return 0 if passes else 1
    with patience_note("Looking for what would be safe", quiet=talking.quiet):
        advice = engines.advise(
            source,
            found,
            attack_steps=options["attack_steps"],
            quasi_identifiers=quasi_identifiers,
            ignore_unknown=ignore_unknown,
            try_out=again is not None and not talking.json and where.engine != "disk",
        )
    steps = audit_answers.audit_steps(found, advice, again, min_support)
    give(
        lambda: found.to_dict() | {"advice": [step.to_dict() for step in steps]},
        lambda: audit_answers.audit_answer(found, steps, explain=explain),
        json=talking.json,
    )
    return 0 if passes else 1


def _check_outputs(report: Path | None, acro: Path | None, *, force: bool) -> None:
    """Refuse what cannot be written, before any work is done for it."""
    if report is not None:
        audit_reports.report_files(report, force=force)
    if acro is not None:
        check_folder(acro, force=force)


def _write_outputs(found: "Audit", report: Path | None, acro: Path | None, typed: list[str], *, force: bool) -> None:
    """Write what goes to a checker."""
    if report is not None:
        discreet.audit_report(found, report, read=what_was_read(), command=typed, force=force)
    if acro is not None:
        discreet.acro_output(found, acro, command=typed, force=force)


def _files(data: str | None) -> tuple[str, ...]:
    if data is None or data == "-":
        return ()
    return data.files if isinstance(data, FileList) else (data,)


@dataclass(frozen=True)
class _Doors:
    """The three kinds of input for an audit, of which one is given."""

    data: str | None
    patterns: Path | None
    rules: Path | None
    tree: Path | None
    n: int | None
    file: PatternFileOptions
    reading: ReadOptions
    where: EngineOptions

    @property
    def of_rows(self) -> bool:
        """Whether rows are audited, and no file of what was mined."""
        return self.patterns is None and self.rules is None and self.tree is None

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that are audited, as typed; none for standard input or a database."""
        given = self.patterns or self.rules or self.tree or self.data
        if given in (None, "-") or self.reading.sql is not None:
            return ()
        return given.files if isinstance(given, FileList) else (str(given),)

    def open(self, min_support: str | None, *, quiet: bool) -> Any:  # rows, patterns or rules
        """Read the input of the audit."""
        doors = (
            ("DATA", self.data or self.reading.sql),
            ("--patterns", self.patterns),
            ("--rules", self.rules),
            ("--tree", self.tree),
        )
        given = [name for name, value in doors if value]
        if len(given) > 1:
            raise ParameterError(f"{' and '.join(given)} are given; audit one thing at a time", parameter=given[1])
        if self.data is None and self.reading.sql is None and self.where.words():
            raise ParameterError(f"{self.where.words()[0]} is for rows; {given[0]} is audited here", parameter="engine")
        if self.patterns is not None:
            keywords = self.file.keywords(self.reading, "--patterns")
            itemsets = discreet.read_patterns(self.patterns, n=self.n, min_support=min_support, **keywords)
            note_read(itemsets.read)
            return itemsets
        if self.rules is not None:
            keywords = self.file.keywords(self.reading, "--rules")
            if "items_column" in keywords:
                raise ParameterError(
                    "--items-column is for --patterns; the columns of --rules are antecedent and consequent",
                    parameter="items_column",
                )
            found = discreet.read_rules(self.rules, n=self.n, **cast("RuleFileKeywords", keywords))
            note_read(found.read)
            return found
        self.file.refuse()
        if self.tree is not None:
            return self._open_tree(self.tree, min_support)
        return self._open_rows(min_support, quiet=quiet)

    def _open_tree(self, tree: Path, min_support: str | None) -> "DecisionTree":
        typed = [(word, word) for word in self.reading.words() if word.startswith("--")]
        for option, value in (("--n", self.n), ("--min-support", min_support), *typed):
            if value is not None:
                raise ParameterError(f"{option} is for rows or patterns; a tree says it itself", parameter=option)
        return discreet.read_tree(tree)

    def _open_rows(self, min_support: str | None, *, quiet: bool) -> "RowSource":
        if self.n is not None:
            raise ParameterError("--n is for --patterns and --rules; rows are counted", parameter="n")
        if min_support is None:
            raise ParameterError(
                "--min-support (-s) is missing: say in how many rows an itemset must occur", parameter="min_support"
            )
        rows = self.where.rows(self.data, self.reading, quiet=quiet)
        if isinstance(rows, discreet.Transactions):
            return row_source.LocalRows(rows)  # advice reuses what the audit mined
        return rows

    def words(self, k: int, quasi_identifiers: str | None, attack: AttackOptions, *, ignore_unknown: bool) -> list[str]:
        """Return this command without its support, ready to paste."""
        words = ["discreet", "audit"]
        given = self.patterns or self.rules
        if self.patterns is not None:
            words += ["--patterns", str(self.patterns)]
        elif self.rules is not None:
            words += ["--rules", str(self.rules)]
        elif self.tree is not None:
            words += ["--tree", str(self.tree)]
        else:
            words += [*data_words(self.data, self.reading), *self.where.words()]
        words += ["-k", str(k)]
        words += [] if self.n is None else ["--n", str(self.n)]
        words += [] if given is None else [*self.file.words(), *self.reading.words()]
        words += [] if quasi_identifiers is None else ["--quasi-identifiers", quasi_identifiers]
        return [*words, *attack.words(), *(["--ignore-unknown"] if ignore_unknown else [])]

"""`discreet release`: publish patterns or rows with evidence that others can re-check."""

# `command` reads the annotations at run time.

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, cast

from discreet.cli.command import Option, as_words, command
from discreet.cli.failures import warn, warn_of_gaps, warn_of_order
from discreet.cli.options import (
    ATTACK_STEPS,
    EXCLUSIVE,
    RHO,
    AttackOptions,
    Data,
    EncryptOptions,
    EngineOptions,
    Force,
    IgnoreUnknown,
    TalkingOptions,
    Wait,
    check_sensitive,
    data_words,
    read_rows,
)
from discreet.cli.passphrase import key_passphrases
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.command_words import flag, option
from discreet.errors import NotSafe, OutputError, ParameterError, UnsafeTogether, spelled
from discreet.transactions.options import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.answers.answer import Step
    from discreet.publishing.audiences import ReleaseMethod
    from discreet.publishing.noisy_bundle import DpRelease
    from discreet.publishing.release import Release
    from discreet.publishing.rows_bundle import RowsRelease

__all__ = ["BundleOptions", "ConcealedOptions", "DpOptions", "PatternOptions", "RowsOptions", "release"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet release hospital.csv -s 20% -k 10 --method suppressive -o public
discreet verify public --data hospital.csv
discreet release --from public -s 40% -o smaller
discreet release hospital.csv -s 20% -k 10 --method suppressive --sensitive 'diagnosis asthma' --rho 0.5 -o told-less
"""

_CONFIDENCE = "50%"

Value = TypeVar("Value")
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
    """Differential privacy: what it may cost, and what is public before."""

    epsilon: Annotated[
        str | None,
        _dp("--epsilon", metavar="E", help="With --method dp: no row changes a probability by a factor beyond exp(E)."),
    ] = None
    delta: Annotated[
        str | None,
        _dp("--delta", metavar="D", help="Except with this probability, such as 1e-6; for items found in the rows."),
    ] = None
    universe: Annotated[
        Path | None, _dp("--universe", metavar="FILE", help="All items that could occur, one per line: public before.")
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
            help="The number of rows is public; else it has noise. Then one row replaced is what is protected.",
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
        from discreet.transactions.shapes.cell_rules import parse_names

        if self.rho is not None:
            raise ParameterError("--rho is for patterns; with --rows write --promise rho=R", parameter="rho")
        if self.sensitive is None or self.sensitive.startswith("@"):
            return None if self.sensitive is None else Path(self.sensitive[1:])
        file = Path(self.sensitive)
        return file if file.exists() else parse_names(self.sensitive, "sensitive")

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
            "--mapping", metavar="FILE", help="rho: a file of anonymize --mapping, by which dropped labels are known."
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
        _rows("--face-value", help="rho: sensitive items left single rows (anonymize --method local)."),
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


@command(examples=EXAMPLES)
def release(
    *,
    data: Data = None,
    earlier: Annotated[
        Path | None,
        Option("--from", metavar="BUNDLE", help="Select from this bundle instead: always safe, needs no DATA."),
    ] = None,
    output: Annotated[
        Path, Option("--output", "-o", writes=True, metavar="DIR", help="The folder to publish: whole or not at all.")
    ],
    bundle: BundleOptions,
    encrypting: EncryptOptions,
    force: Force = False,
    concealing: ConcealedOptions,
    patterns: PatternOptions,
    dp: DpOptions,
    rows: RowsOptions,
    reading: ReadOptions,
    where: EngineOptions,
    talking: TalkingOptions,
) -> int:
    """Publish with evidence that others can re-check.

    DIR gets patterns.csv, patterns.parquet, report.html and certificate.json, all of it public. What is not safe is
    refused: status 1, and nothing is written. Of what was changed DIR says nothing, because that could undo it; the
    owner's report does.

    With --sensitive and --rho, itemsets are withheld until no group is known to have a sensitive item with so large a
    share. DIR says that some may be withheld, and names the sensitive items that it has, so that others can check it.

    --rows FILE --promise rho=R promises at face value, which means about the rows in FILE alone, if it is not known how
    they were made. Name the original rows as DATA, too: if they show that items left all rows or none, the rows are
    PROTECTED.

    --method dp adds noise: differential privacy, which holds whatever readers know. It takes --epsilon, and --universe
    or --delta, and no -k; every run spends epsilon again. How DATA is read is fixed before: it takes --format, and of a
    CSV --delimiter and --header. With --engine spark, Spark counts, and the noise is added here, once.
    """
    from discreet.answers.releases import refusal_answer, refusal_document, release_answer
    from discreet.publishing.ledger_file import check_ledger_path

    if as_words(encrypting):
        check_ledger_path(bundle.ledger, new=bundle.new_ledger)  # before the terminal asks
    wrapping: dict[str, Any] = {
        "output": output,
        "title": bundle.title,
        "sign": bundle.sign,
        "key_passphrase": key_passphrases(bundle.sign or [], bundle.key_passphrase_file or []),
        "ledger": bundle.ledger,
        "new_ledger": bundle.new_ledger,
        "wait": bundle.wait,
        "passphrase": encrypting.passphrase(
            reads=[bundle.ledger, rows.mapping], writes=[patterns.owner_report, patterns.proof]
        ),
        "force": force,
    }
    accepting, void = {"ignore_unknown": bundle.ignore_unknown}, {"accept_void": bundle.accept_void}
    told = {"rows_left": bundle.rows_left, "rows_added": bundle.rows_added}
    said = {flag(name): value for name, value in told.items()} | {"--fit-ledger": bundle.fit_ledger}
    run: Callable[[], Release | RowsRelease | DpRelease]
    _check_dp(
        patterns, (dp, where), rows, {"--from": earlier, **said, **accepting, **dict.fromkeys(concealing.words(), True)}
    )
    if patterns.method == "dp":
        run = partial(_release_dp, data, (patterns, dp, bundle), (reading, where), talking, wrapping)
    elif rows.rows is not None:
        _refuse_others("--rows", patterns, {"--from": earlier, **said})
        sensitive = concealing.of_rows()
        run = partial(
            _release_rows, data, rows, reading, talking, wrapping | accepting | void | {"sensitive": sensitive}
        )
    elif earlier is not None:
        kept: dict[str, object] = {"--attack-steps": patterns.attack_steps, "--exclusive": patterns.exclusive}
        kept |= {"--quasi-identifiers": patterns.quasi_identifiers, "--ignore-unknown": bundle.ignore_unknown}
        kept |= {"--sensitive": concealing.sensitive, "--rho": concealing.rho, "--fit-ledger": bundle.fit_ledger}
        _refuse_others("--from", rows, {"DATA": data, "-k": patterns.k, "--method": patterns.method, **kept})
        of_rows = {flag(name): value for name, value in reading.keywords().items() if name != "identifying"}
        _refuse_others("--from", rows, of_rows)
        run = partial(_select, earlier, patterns, wrapping | told | void | {"identifying": reading.identifying})
    else:
        _refuse_others("DATA", rows, {})
        check_sensitive(concealing.sensitive, concealing.rho)
        wrapping |= accepting | told | void | {"fit_ledger": bundle.fit_ledger}
        run = partial(_release, data, (patterns, concealing), reading, talking, wrapping)
    try:
        done = run()
    except NotSafe as refusal:
        again, fitted, others = None, None, []
        if data is not None and data != "-":
            around = (bundle, encrypting, concealing)
            again = _words(data, patterns, around, reading, output)
            if isinstance(refusal, UnsafeTogether) and not bundle.fit_ledger:
                fitted = [*again, "-s", str(patterns.min_support), "--fit-ledger"]
            if patterns.method == "none" and not isinstance(refusal, UnsafeTogether):
                others = _alternatives(data, patterns, around, reading, output)
        give(
            partial(refusal_document, refusal, promise=rows.promise),
            partial(refusal_answer, refusal, bundle.ledger, again, others, fitted=fitted, promise=rows.promise),
            json=talking.json,
        )
        return 1
    answer = partial(
        release_answer,
        done,
        None if data in (None, "-") else data_words(data, reading),
        owner_report=patterns.owner_report,
        proof=patterns.proof,
        ledger=bundle.ledger,
        new_ledger=bundle.new_ledger,
    )
    try:
        give(done.to_dict, answer, json=talking.json)
    except OutputError as error:  # what is public cannot be taken back
        warn(f"{spelled(error.message, option)}; {output} is published all the same")
    return 0


_Wrapping: TypeAlias = "tuple[BundleOptions, EncryptOptions, ConcealedOptions]"


def _words(
    data: str | None, patterns: PatternOptions, wrapping: _Wrapping, reading: ReadOptions, output: Path
) -> list[str]:
    """Return the command without its support, ready to paste."""
    others = [*as_words(replace(patterns, min_support=None)), *(word for group in wrapping for word in as_words(group))]
    return ["discreet", "release", *data_words(data, reading), *others, "-o", str(output)]


def _alternatives(
    data: str, patterns: PatternOptions, wrapping: _Wrapping, reading: ReadOptions, output: Path
) -> "list[Step]":
    """Return what to do if patterns are not safe unchanged."""
    from discreet.answers.answer import Step

    support = ["-s", str(patterns.min_support)]
    leaving_out = _words(data, replace(patterns, method="suppressive"), wrapping, reading, output)
    audit = ["discreet", "audit", *data_words(data, reading), *support, "-k", str(patterns.k), *patterns.attack.words()]
    audit += [] if patterns.quasi_identifiers is None else ["--quasi-identifiers", patterns.quasi_identifiers]
    audit += wrapping[2].words() + (["--ignore-unknown"] if wrapping[0].ignore_unknown else [])
    return [
        Step([*leaving_out, *support], "leaves rows out until they are" + ", and withholds" * bool(wrapping[2].rho)),
        Step(audit, "shows the groups they give away"),
    ]


def _refuse_others(door: str, group: Any, others: dict[str, Any]) -> None:  # any option group
    """Refuse options that do not apply to what is published."""
    given = [word for word in as_words(group) if word.startswith("-")] + [name for name in others if others[name]]
    if given:
        raise ParameterError(f"{given[0]} does not go with {door}; leave one of them out", parameter=given[0])


def _release(
    data: str | None,
    asked: tuple[PatternOptions, ConcealedOptions],
    reading: ReadOptions,
    talking: TalkingOptions,
    wrapping: dict[str, Any],
) -> "Release":
    from discreet.publishing.bundle import check_bundle_folder
    from discreet.publishing.release import OwnerFile
    from discreet.publishing.release import release as run

    patterns, concealing = asked
    confidence = patterns.confidence
    attack = patterns.attack.keywords()
    k = _needed(patterns.k, "-k")
    min_support = _needed(patterns.min_support, "--min-support (-s)")
    method = cast("ReleaseMethod", _needed(patterns.method, "--method"))
    check_bundle_folder(wrapping["output"], force=wrapping["force"])
    rows = read_rows(data, reading, quiet=talking.quiet)
    words = [*data_words(data, reading), *as_words(patterns), *concealing.words()]
    command = ["discreet", "release", *words, "-o", str(wrapping["output"])]
    owner_report = None
    if patterns.owner_report is not None:
        owner_report = OwnerFile(patterns.owner_report, source=data or "the database", command=tuple(command))
    with patience_note("Making it safe", quiet=talking.quiet):
        return run(
            rows,
            k=k,
            min_support=min_support,
            method=method,
            target=patterns.target,
            attack_steps=attack["attack_steps"],
            exclusive=attack["exclusive"],
            min_confidence=confidence,
            quasi_identifiers=patterns.quasi_identifiers,
            sensitive=concealing.sensitive,
            rho=concealing.rho,
            owner_report=owner_report,
            proof=patterns.proof,
            **wrapping,
        )


def _check_dp(patterns: PatternOptions, noisy: tuple[Any, ...], rows: RowsOptions, others: dict[str, Any]) -> None:
    """Refuse options of differential privacy without it, and others with it."""
    if patterns.method != "dp":
        for group in noisy:
            _refuse_others(f"--method {patterns.method}" if patterns.method else "what has no --method dp", group, {})
        return
    _refuse_others("--method dp", replace(patterns, min_support=None, method=None), others)
    _refuse_others("--method dp", rows, {})


def _release_dp(
    data: str | None,
    asked: tuple[PatternOptions, DpOptions, BundleOptions],
    read: tuple[ReadOptions, EngineOptions],
    talking: TalkingOptions,
    wrapping: dict[str, Any],
) -> "DpRelease":
    from discreet.publishing.bundle import check_bundle_folder
    from discreet.publishing.noisy_bundle import release_dp

    patterns, dp, bundle = asked
    reading, where = read
    epsilon = _needed(dp.epsilon, "--epsilon")
    check_bundle_folder(wrapping["output"], force=wrapping["force"])
    rows = where.rows(data, reading, quiet=talking.quiet, in_memory="release")
    with patience_note("Adding noise", quiet=talking.quiet):
        return release_dp(
            rows,
            epsilon=epsilon,
            delta=dp.delta,
            min_support=patterns.min_support,
            top=dp.top,
            universe=dp.universe,
            max_items=dp.max_items,
            public_n=dp.public_n,
            budget_epsilon=dp.budget_epsilon,
            budget_delta=dp.budget_delta,
            accept_void=bundle.accept_void,
            reading=reading,
            **wrapping,
        )


def _needed(value: Value | None, option: str) -> Value:
    if value is None:
        raise ParameterError(f"{option} is missing; see discreet release --help", parameter=option)
    return value


def _select(earlier: Path, patterns: PatternOptions, wrapping: dict[str, Any]) -> "Release":
    from discreet.publishing.release import release_from

    support = _needed(patterns.min_support, "--min-support (-s)")
    return release_from(
        earlier, min_support=support, min_confidence=patterns.confidence, proof=patterns.proof, **wrapping
    )


def _release_rows(
    data: str | None, rows: RowsOptions, reading: ReadOptions, talking: TalkingOptions, wrapping: dict[str, Any]
) -> "RowsRelease":
    from discreet.publishing.rows_bundle import release_rows

    given = read_rows(str(rows.rows), replace(reading, identifying=None), quiet=talking.quiet)
    original = None if data is None and reading.sql is None else read_rows(data, reading, quiet=talking.quiet)
    warn_of_order(kept=rows.keep_order)
    with patience_note("Checking the rows", quiet=talking.quiet):
        done = release_rows(
            given,
            name=str(rows.rows),
            promise=rows.promise,
            restrict=rows.restrict,
            hierarchy=rows.hierarchy,
            mapping=rows.mapping,
            name_sensitive=rows.name_sensitive,
            original=original,
            identifying=reading.identifying,
            keep_order=rows.keep_order,
            allow_identifiers=rows.allow_identifiers,
            empty_cells=rows.empty_cells,
            exact_knowledge=rows.exact_knowledge,
            face_value=rows.face_value,
            rare_rows=rows.rare_rows,
            **wrapping,
        )
    if gaps := done.certificate.promise.get("empty_cells"):
        warn_of_gaps(gaps)
    return done

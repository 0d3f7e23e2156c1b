"""`discreet release`: publish patterns or rows with evidence that others can re-check."""

# `command` reads the annotations at run time.

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, TypeVar, cast

import discreet
from discreet.answers.answer import Step
from discreet.cli.command import Option, as_words, command
from discreet.cli.failures import warn, warn_of_gaps, warn_of_order
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import (
    Data,
    EncryptOptions,
    EngineOptions,
    Force,
    TalkingOptions,
    check_sensitive,
    data_words,
    read_rows,
)
from discreet.cli.progress import patience_note
from discreet.cli.release_options import BundleOptions, ConcealedOptions, DpOptions, PatternOptions, RowsOptions
from discreet.cli.standard_output import give
from discreet.command_words import flag, option
from discreet.errors import NotSafe, OutputError, ParameterError, UnsafeTogether, spelled
from discreet.publishing.ledger_file import check_ledger_path
from discreet.transactions.options import ReadOptions

with on_first_use():
    from discreet.answers import releases as release_answers
    from discreet.cli import passphrase as passphrases
    from discreet.publishing import bundle as bundles
    from discreet.publishing import release as releases_of_patterns

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.publishing.audiences import ReleaseMethod
    from discreet.publishing.noisy_bundle import DpRelease
    from discreet.publishing.release import Release
    from discreet.publishing.rows_bundle import RowsRelease
    from discreet.publishing.wrapping import WrappingKeywords

__all__ = ["release"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet release hospital.csv -s 20% -k 10 --method suppressive -o public
discreet verify public --data hospital.csv
discreet release --from public -s 40% -o smaller
discreet release hospital.csv -s 20% -k 10 --method suppressive --sensitive 'diagnosis asthma' --rho 0.5 -o told-less
"""

Value = TypeVar("Value")


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
    refused: status 1, and nothing is written. DIR does not say what was changed, because readers could then undo it;
    the owner's report does.

    With --sensitive and --rho, itemsets are withheld until there is no group of which a share of R or more is known to
    have a sensitive item. DIR says that some may be withheld, and names the sensitive items that it has, so that others
    can check it.

    --rows FILE --promise rho=R publishes rows. Name the original rows as DATA, too: if they show that each item left
    either all rows or none, the rows are PROTECTED. Otherwise the promise is at face value: about the rows in FILE
    alone, however they were made.

    --method dp adds noise: differential privacy, which holds whatever readers know. It takes --epsilon, and --universe
    or --delta, and no -k; every run spends epsilon again. How DATA is read must be fixed in advance: give --format and,
    for a CSV file, --delimiter and --header. With --engine spark, Spark counts, and the noise is added here, once.
    """
    if as_words(encrypting):
        check_ledger_path(bundle.ledger, new=bundle.new_ledger)  # before the terminal asks
    wrapping: WrappingKeywords = {
        "output": output,
        "title": bundle.title,
        "sign": bundle.sign,
        "key_passphrase": passphrases.key_passphrases(bundle.sign or [], bundle.key_passphrase_file or []),
        "ledger": bundle.ledger,
        "new_ledger": bundle.new_ledger,
        "wait": bundle.wait,
        "passphrase": encrypting.passphrase(
            reads=[bundle.ledger, rows.mapping], writes=[patterns.owner_report, patterns.proof]
        ),
        "accept_void": bundle.accept_void,
        "force": force,
    }
    told = {"rows_left": bundle.rows_left, "rows_added": bundle.rows_added}
    said = {flag(name): value for name, value in told.items()} | {"--fit-ledger": bundle.fit_ledger}
    run: Callable[[], Release | RowsRelease | DpRelease]
    _check_dp(
        patterns,
        (dp, where),
        rows,
        {"--from": earlier, **said, "ignore_unknown": bundle.ignore_unknown, **dict.fromkeys(concealing.words(), True)},
    )
    if patterns.method == "dp":
        run = partial(_release_dp, data, (patterns, dp), (reading, where), talking, wrapping)
    elif rows.rows is not None:
        _refuse_others("--rows", patterns, {"--from": earlier, **said})
        run = partial(_release_rows, data, (rows, concealing, bundle), reading, talking, wrapping)
    elif earlier is not None:
        kept: dict[str, object] = {"--attack-steps": patterns.attack_steps, "--exclusive": patterns.exclusive}
        kept |= {"--quasi-identifiers": patterns.quasi_identifiers, "--ignore-unknown": bundle.ignore_unknown}
        kept |= {"--sensitive": concealing.sensitive, "--rho": concealing.rho, "--fit-ledger": bundle.fit_ledger}
        _refuse_others("--from", rows, {"DATA": data, "-k": patterns.k, "--method": patterns.method, **kept})
        of_rows = {flag(name): value for name, value in reading.keywords().items() if name != "identifying"}
        _refuse_others("--from", rows, of_rows)
        run = partial(_select, earlier, (patterns, bundle), reading, wrapping)
    else:
        _refuse_others("DATA", rows, {})
        check_sensitive(concealing.sensitive, concealing.rho)
        run = partial(_release, data, (patterns, concealing, bundle), reading, talking, wrapping)
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
            partial(release_answers.refusal_document, refusal, promise=rows.promise),
            partial(
                release_answers.refusal_answer,
                refusal,
                bundle.ledger,
                again,
                others,
                fitted=fitted,
                promise=rows.promise,
            ),
            json=talking.json,
        )
        return 1
    answer = partial(
        release_answers.release_answer,
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
    support = ["-s", str(patterns.min_support)]
    leaving_out = _words(data, replace(patterns, method="suppressive"), wrapping, reading, output)
    audit = ["discreet", "audit", *data_words(data, reading), *support, "-k", str(patterns.k), *patterns.attack.words()]
    audit += [] if patterns.quasi_identifiers is None else ["--quasi-identifiers", patterns.quasi_identifiers]
    audit += wrapping[2].words() + (["--ignore-unknown"] if wrapping[0].ignore_unknown else [])
    return [
        Step([*leaving_out, *support], "leaves rows out until they are" + ", and withholds" * bool(wrapping[2].rho)),
        Step(audit, "shows the groups they give away"),
    ]


def _refuse_others(door: str, group: object, others: Mapping[str, object]) -> None:
    """Refuse options that do not apply to what is published."""
    given = [word for word in as_words(group) if word.startswith("-")] + [name for name in others if others[name]]
    if given:
        raise ParameterError(f"{given[0]} does not go with {door}; leave one of them out", parameter=given[0])


def _release(
    data: str | None,
    asked: tuple[PatternOptions, ConcealedOptions, BundleOptions],
    reading: ReadOptions,
    talking: TalkingOptions,
    wrapping: "WrappingKeywords",
) -> "Release":
    patterns, concealing, bundle = asked
    confidence = patterns.confidence
    attack = patterns.attack.keywords()
    k = _needed(patterns.k, "-k")
    min_support = _needed(patterns.min_support, "--min-support (-s)")
    method = cast("ReleaseMethod", _needed(patterns.method, "--method"))
    bundles.check_bundle_folder(Path(wrapping["output"]), force=wrapping["force"])
    rows = read_rows(data, reading, quiet=talking.quiet)
    words = [*data_words(data, reading), *as_words(patterns), *concealing.words()]
    command = ["discreet", "release", *words, "-o", str(wrapping["output"])]
    owner_report = None
    if patterns.owner_report is not None:
        owner_report = releases_of_patterns.OwnerFile(
            patterns.owner_report, source=data or "the database", command=tuple(command)
        )
    with patience_note("Making it safe", quiet=talking.quiet):
        return discreet.release(
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
            ignore_unknown=bundle.ignore_unknown,
            rows_left=bundle.rows_left,
            rows_added=bundle.rows_added,
            fit_ledger=bundle.fit_ledger,
            owner_report=owner_report,
            proof=patterns.proof,
            **wrapping,
        )


def _check_dp(
    patterns: PatternOptions, noisy: tuple[object, ...], rows: RowsOptions, others: Mapping[str, object]
) -> None:
    """Refuse options of differential privacy without it, and others with it."""
    if patterns.method != "dp":
        for group in noisy:
            _refuse_others(f"--method {patterns.method}" if patterns.method else "what has no --method dp", group, {})
        return
    _refuse_others("--method dp", replace(patterns, min_support=None, method=None), others)
    _refuse_others("--method dp", rows, {})


def _release_dp(
    data: str | None,
    asked: tuple[PatternOptions, DpOptions],
    read: tuple[ReadOptions, EngineOptions],
    talking: TalkingOptions,
    wrapping: "WrappingKeywords",
) -> "DpRelease":
    patterns, dp = asked
    reading, where = read
    epsilon = _needed(dp.epsilon, "--epsilon")
    bundles.check_bundle_folder(Path(wrapping["output"]), force=wrapping["force"])
    rows = where.rows(data, reading, quiet=talking.quiet, in_memory="release")
    with patience_note("Adding noise", quiet=talking.quiet):
        return discreet.release_dp(
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
            reading=reading,
            **wrapping,
        )


def _needed(value: Value | None, option: str) -> Value:
    if value is None:
        raise ParameterError(f"{option} is missing; see discreet release --help", parameter=option)
    return value


def _select(
    earlier: Path,
    asked: tuple[PatternOptions, BundleOptions],
    reading: ReadOptions,
    wrapping: "WrappingKeywords",
) -> "Release":
    patterns, bundle = asked
    support = _needed(patterns.min_support, "--min-support (-s)")
    return discreet.release_from(
        earlier,
        min_support=support,
        min_confidence=patterns.confidence,
        rows_left=bundle.rows_left,
        rows_added=bundle.rows_added,
        identifying=reading.identifying,
        proof=patterns.proof,
        **wrapping,
    )


def _release_rows(
    data: str | None,
    asked: tuple[RowsOptions, ConcealedOptions, BundleOptions],
    reading: ReadOptions,
    talking: TalkingOptions,
    wrapping: "WrappingKeywords",
) -> "RowsRelease":
    rows, concealing, bundle = asked
    sensitive = concealing.of_rows()
    given = read_rows(str(rows.rows), replace(reading, identifying=None), quiet=talking.quiet)
    original = None if data is None and reading.sql is None else read_rows(data, reading, quiet=talking.quiet)
    warn_of_order(kept=rows.keep_order)
    with patience_note("Checking the rows", quiet=talking.quiet):
        done = discreet.release_rows(
            given,
            name=str(rows.rows),
            promise=rows.promise,
            sensitive=sensitive,
            ignore_unknown=bundle.ignore_unknown,
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

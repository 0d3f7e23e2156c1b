"""`discreet block`: make patterns safe with the least distortion."""

# `command` reads the annotations at run time.

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import discreet
from discreet.cli.command import Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import (
    RHO,
    AttackOptions,
    Data,
    EngineOptions,
    Force,
    IgnoreUnknown,
    MinSupport,
    OutputFile,
    QuasiIdentifiers,
    SensitiveToGroups,
    TalkingOptions,
    check_sensitive,
)
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.errors import NotSafe
from discreet.tables.whole import all_or_none, check_output
from discreet.transactions.options import ReadOptions

with on_first_use():
    from discreet.answers import audit_and_block as audit_answers
    from discreet.answers import releases as release_answers
    from discreet.patterns import writing as pattern_writing
    from discreet.spark import writing as spark_writing


__all__ = ["block"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet block hospital.csv -s 20% -k 10 --method suppressive
discreet block hospital.csv -s 20% -k 10 --method additive -o safe.csv
discreet block hospital.csv -s 20% -k 10 --method suppressive --sensitive 'diagnosis asthma' --rho 0.5
"""


@command(examples=EXAMPLES, files_last=True)
def block(
    *,
    data: Data = None,
    min_support: MinSupport,
    k: Annotated[int, Option("-k", metavar="K", help="No group of 1 to K-1 rows may be computable.")],
    method: Annotated[
        Literal["additive", "suppressive"],
        Option("--method", metavar="NAME", help="additive raises supports, suppressive leaves rows out."),
    ],
    target: Annotated[
        Literal["closed", "all"], Option("--target", metavar="KIND", help="Which itemsets: closed or all.")
    ] = "closed",
    merging: Annotated[
        Literal["best", "paper"],
        Option("--merging", metavar="HOW", help="additive: best searches for few rows, paper merges in order."),
    ] = "best",
    minimal: Annotated[bool, Option("--minimal", help="suppressive: look for the fewest rows to leave out.")] = False,
    quasi_identifiers: QuasiIdentifiers = None,
    sensitive: SensitiveToGroups = None,
    rho: Annotated[str | None, RHO] = None,
    ignore_unknown: IgnoreUnknown = False,
    witness: Annotated[
        Path | None,
        Option(
            "--witness",
            writes=True,
            metavar="FILE",
            help="Write rows that have exactly these patterns. Not for release.",
        ),
    ] = None,
    output: OutputFile = None,
    force: Force = False,
    attack: AttackOptions,
    reading: ReadOptions,
    where: EngineOptions,
    talking: TalkingOptions,
) -> int:
    """Make patterns safe with the least distortion.

    What is written with -o may be published: it has been audited again, from the patterns alone. What is shown here is
    for you alone: it says what was changed, and anyone who knows that could undo the change.

    With --sensitive and --rho, itemsets are withheld until there is no group of which a share of R or more is known to
    have a sensitive item. Readers then cannot tell whether an itemset that is not listed is rare or was withheld.

    FILE is .csv, .json or .parquet, or .txt for the form that SPMF writes. Status 0 means safe, 1 that it cannot be
    made safe, or that no itemset is left: then nothing is written.
    """
    options = attack.keywords()
    check_sensitive(sensitive, rho)
    if output is not None:
        pattern_writing.check_pattern_file(output, force=force)
    in_spark = where.engine == "spark"
    if witness is not None:
        (spark_writing.check_folder if in_spark else check_output)(witness, force=force)
    all_rows = "--witness" if witness is not None else "--minimal" if minimal else None
    rows = where.rows(data, reading, quiet=talking.quiet, in_memory=all_rows)
    try:
        with patience_note("Blocking", quiet=talking.quiet):
            done = discreet.block(
                rows,
                k=k,
                min_support=min_support,
                method=method,
                target=target,
                merging=merging,
                minimal=minimal,
                quasi_identifiers=quasi_identifiers,
                sensitive=sensitive,
                rho=rho,
                ignore_unknown=ignore_unknown,
                **options,
            )
    except NotSafe as refusal:
        give(
            partial(release_answers.refusal_document, refusal),
            partial(release_answers.block_refusal, refusal),
            json=talking.json,
        )
        return 1
    if done.verdict == "nothing":
        output = witness = None
    with all_or_none():
        if witness is not None and in_spark:
            spark_writing.write_parquet(done.witness, witness, force=force)
        elif witness is not None:
            discreet.write(done.witness, witness, force=force, private=True)
        if output is not None:
            discreet.write_patterns(done.patterns, output, force=force)
    looked = None if done.proof.attack is None else done.proof.attack.to_dict()
    give(
        lambda: done.to_dict() | {"attack": looked, "proved": done.proof.proved},
        lambda: audit_answers.block_answer(done, output, witness),
        json=talking.json,
    )
    return 0 if done.verdict == "safe" else 1

"""`discreet block`: make patterns safe with the least distortion."""

# Typer reads the annotations while the program runs.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from discreet.cli.help import HelpfulCommand, command_app
from discreet.cli.option_groups import spread_groups
from discreet.cli.options import (
    AttackOptions,
    Data,
    EngineOptions,
    Force,
    MinSupport,
    OutputFile,
    QuasiIdentifiers,
    ReadingOptions,
    TalkingOptions,
)
from discreet.cli.standard_output import write_json
from discreet.errors import NotSafe, ParameterError

if TYPE_CHECKING:
    from discreet.channels.blocking import Blocked

__all__ = ["app", "block", "what_it_took"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet block hospital.csv -s 20% -k 10 --method suppressive
discreet block hospital.csv -s 20% -k 10 --method additive -o safe.csv
"""

app = command_app()


@app.command("block", cls=HelpfulCommand, epilog=EXAMPLES)
@spread_groups
def block(
    *,
    data: Data = None,
    min_support: MinSupport,
    k: Annotated[int, typer.Option("-k", metavar="K", help="No group of 1 to K-1 rows may be computable.")],
    method: Annotated[
        Literal["additive", "suppressive"],
        typer.Option("--method", metavar="NAME", help="additive raises supports, suppressive leaves rows out."),
    ],
    target: Annotated[
        Literal["closed", "all"], typer.Option("--target", metavar="KIND", help="Which itemsets: closed or all.")
    ] = "closed",
    merging: Annotated[
        Literal["best", "paper"],
        typer.Option("--merging", metavar="HOW", help="additive: best searches for few rows, paper merges in order."),
    ] = "best",
    minimal: Annotated[
        bool, typer.Option("--minimal", help="suppressive: look for the fewest rows to leave out.")
    ] = False,
    quasi_identifiers: QuasiIdentifiers = None,
    witness: Annotated[
        Path | None,
        typer.Option("--witness", metavar="FILE", help="Write rows that have exactly these patterns. Not for release."),
    ] = None,
    output: OutputFile = None,
    force: Force = False,
    attack: AttackOptions,
    reading: ReadingOptions,
    where: EngineOptions,
    talking: TalkingOptions,
) -> None:
    """Make patterns safe with the least distortion.

    What is written with -o may be published: it has been audited again, from the patterns alone. What is shown here is
    for you alone: it tells what was changed, and with that the change could be undone.

    FILE is .csv, .json or .parquet, or .txt for the form that SPMF writes.
    """
    from discreet.cli.progress import patience_note
    from discreet.engines import block as run
    from discreet.patterns.writing import check_pattern_file, write_patterns
    from discreet.spark.writing import check_folder, write_parquet
    from discreet.tables.whole import all_or_none, check_output
    from discreet.transactions.writing import write

    options = attack.keywords()
    if output is not None:
        check_pattern_file(output, force=force)
    in_spark = where.engine == "spark"
    if witness is not None:
        if output is not None and witness.resolve() == output.resolve():
            raise ParameterError(
                f"--witness and --output are the same file, {output}; one is not for release and the other is, so "
                "name two",
                parameter="witness",
            )
        (check_folder if in_spark else check_output)(witness, force=force)
    rows = where.rows(reading, data, quiet=talking.quiet)
    try:
        with patience_note("Blocking", quiet=talking.quiet):
            done = run(
                rows,
                k=k,
                min_support=min_support,
                method=method,
                target=target,
                merging=merging,
                minimal=minimal,
                quasi_identifiers=quasi_identifiers,
                **options,
            )
    except NotSafe as refusal:
        if talking.json:
            write_json({"safe": False, "reason": str(refusal)})
        raise
    with all_or_none():
        if witness is not None and in_spark:
            write_parquet(done.witness, witness, force=force)
        elif witness is not None:
            write(done.witness, witness, force=force, private=True)
        if output is not None:
            write_patterns(done.patterns, output, force=force)
    if talking.json:
        proof = done.proof
        looked = None if proof.attack is None else proof.attack.to_dict()
        write_json(done.to_dict() | {"attack": looked, "proved": proof.proved})
    else:
        _tell(done, output, witness)


def _tell(done: "Blocked", output: Path | None, witness: Path | None) -> None:
    from discreet.cli.attack_words import exclusive_items, how_far, what_is_proved
    from discreet.cli.screen import answer, paragraph, show, table
    from discreet.wording import counted, itemset_text, number

    proof = done.proof
    itemsets = counted(len(done.patterns), f"{done.patterns.target} itemset")
    certain = proof.proved or (proof.attack is not None and proof.attack.complete)
    parts = [
        answer(
            f"{itemsets} from which no group of fewer than {done.k} rows "
            f"{'can be computed' if certain else 'was found to follow'}",
            verdict="SAFE, PROVED" if proof.proved else "SAFE",
            style="bold green",
        ),
        paragraph(_what_was_done(done)),
        paragraph(_cost(done)),
        *(paragraph(text) for text in (*what_is_proved(proof), *exclusive_items(proof), how_far(proof))),
    ]
    if done.merged:
        rows = [(number(done.k), itemset_text(_in_order(done, merge.base)) or "nothing") for merge in done.merged[:10]]
        parts.append(table(("rows", "added, each with exactly"), rows, title="Virtual rows"))
        if len(done.merged) > len(rows):
            parts.append(paragraph(f"… and {number(len(done.merged) - len(rows))} more (--json lists them all)"))
    if output is not None:
        parts.append(paragraph(f"Written to {output}: this may be published."))
    if witness is not None:
        parts.append(paragraph(f"Written to {witness}: rows that have exactly these patterns, NOT FOR RELEASE."))
    parts.append(
        paragraph("This summary is for you alone. Whoever knows what was changed, or how, may be able to undo it.")
    )
    show(*parts)


def what_it_took(done: "Blocked") -> str:
    """Say what was changed, and what that cost."""
    return f"{_what_was_done(done)} {_cost(done)}"


def _in_order(done: "Blocked", labels: frozenset[str]) -> list[str]:
    return sorted(labels, key=lambda label: done.patterns.vocabulary.item(label) or 0)


def _what_was_done(done: "Blocked") -> str:
    from discreet.wording import counted, number

    found = _blocked(done)
    if done.method == "additive":
        text = (
            f"{found} blocked as if {counted(done.distortion.rows, 'row')} had been added to {number(done.n_before)}."
        )
        if done.plain_rows is not None and done.plain_rows > done.distortion.rows:
            text += f" Merging in plain order would have added {number(done.plain_rows)}."
    else:
        text = f"{found} blocked by leaving out {counted(done.distortion.rows, 'row')} of {number(done.n_before)}."
    if done.min_support > done.asked_support:
        text += f" The minimum support was raised to {number(done.min_support)}, since fewer are a group."
    return text


def _blocked(done: "Blocked") -> str:
    """Say what gave people away: channels, and groups that the attacker found beyond them."""
    from discreet.wording import counted

    beyond = len(done.change.blocked) > 1  # one for the channels, and one for each time that the attacker found any
    if beyond and not done.channels_before:
        return "Groups that follow for items that are not published together were"
    more = ", and groups that follow for items that are not published together, were" if beyond else ""
    return f"{counted(done.channels_before, 'channel')}{more}"


def _cost(done: "Blocked") -> str:
    from discreet.wording import share

    distortion = done.distortion
    return (
        f"The price: {share(distortion.changed)} of all supports are changed, by {share(distortion.average)} on "
        f"average over all, and by {share(distortion.worst)} at worst."
    )

"""`discreet mine`: find the itemsets that enough rows share."""

# Typer reads the annotations while the program runs.

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from discreet.cli.help import HelpfulCommand, command_app
from discreet.cli.option_groups import spread_groups
from discreet.cli.options import Data, Engine, Force, MinSupport, OutputFile, ReadingOptions, TalkingOptions

if TYPE_CHECKING:
    from discreet.patterns.patternset import PatternSet

__all__ = ["app"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet mine hospital.csv -s 5%
discreet mine hospital.csv -s 200 --target maximal --json
discreet mine hospital.csv -s 5% --drop sex -o patterns.csv
"""

app = command_app()


@app.command("mine", cls=HelpfulCommand, epilog=EXAMPLES)
@spread_groups
def mine(
    *,
    data: Data = None,
    min_support: MinSupport,
    target: Annotated[
        Literal["all", "closed", "maximal"],
        typer.Option("--target", metavar="KIND", help="Which itemsets: all, closed or maximal."),
    ] = "closed",
    max_length: Annotated[
        int | None,
        typer.Option("--max-length", metavar="L", min=1, help="Leave out itemsets of more than L items."),
    ] = None,
    max_patterns: Annotated[
        int,
        typer.Option("--max-patterns", metavar="N", min=1, help="Stop with an error at more than N itemsets."),
    ] = 20_000_000,
    threads: Annotated[
        int | None,
        typer.Option("--threads", metavar="N", min=1, help="Use N threads; otherwise as many as there are cores."),
    ] = None,
    engine: Engine = "local",  # noqa: ARG001 - there is one engine so far
    output: OutputFile = None,
    force: Force = False,
    reading: ReadingOptions,
    talking: TalkingOptions,
) -> None:
    """Find the itemsets that enough rows share.

    An itemset is closed if every larger one occurs in fewer rows, and maximal if every larger one occurs in too few.
    The closed ones tell the support of all others, so they are what is usually wanted.

    FILE is .csv, .json or .parquet, or .txt for the form that SPMF writes.
    """
    from discreet.cli.progress import progress_bar
    from discreet.patterns import mining
    from discreet.patterns.formats import check_pattern_file, write_patterns

    if output is not None:
        check_pattern_file(output, force=force)
    rows = reading.rows(data)
    with progress_bar("Mining", unit="itemsets", quiet=talking.quiet) as progress:
        found = mining.mine(
            rows,
            min_support=min_support,
            target=target,
            max_length=max_length,
            max_patterns=max_patterns,
            threads=threads,
            progress=progress,
        )
    if output is not None:
        write_patterns(found, output, force=force)
    if talking.json:
        _print_json(found)
    else:
        _summarise(found, output, [*reading.words(data), "-s", min_support])

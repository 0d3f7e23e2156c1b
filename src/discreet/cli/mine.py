"""`discreet mine`: find the itemsets that enough rows share."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import discreet
from discreet.answers.answer import Answer, Step
from discreet.cli.command import Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import Data, EngineOptions, Force, MinSupport, OutputFile, TalkingOptions, data_words
from discreet.cli.progress import progress_bar
from discreet.cli.standard_output import what_a_row_is, what_was_read, write_json_blocks
from discreet.transactions.options import ReadOptions
from discreet.wording import free_name

with on_first_use():
    from discreet.answers import pattern_summary
    from discreet.cli import screen
    from discreet.patterns import writing as pattern_writing
    from discreet.patterns.tools import native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.answers.answer import Evidence
    from discreet.patterns.patternset import PatternSet
    from discreet.spark.rows import SparkRows
    from discreet.transactions.transactions import Transactions

__all__ = ["mine"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet mine hospital.csv -s 5%
discreet mine hospital.csv -s 200 --target maximal --json
discreet mine hospital.csv -s 5% --max-length 4 -o patterns.csv
"""


@command(examples=EXAMPLES, files_last=True)
def mine(
    *,
    data: Data = None,
    min_support: MinSupport,
    target: Annotated[
        Literal["all", "closed", "maximal"],
        Option("--target", metavar="KIND", help="Which itemsets: all, closed or maximal."),
    ] = "closed",
    max_length: Annotated[
        int | None,
        Option("--max-length", metavar="L", min=1, help="Leave out itemsets of more than L items."),
    ] = None,
    max_patterns: Annotated[
        int,
        Option("--max-patterns", metavar="N", min=1, help="Stop with an error at more than N itemsets."),
    ] = 20_000_000,
    threads: Annotated[
        int | None,
        Option("--threads", metavar="N", min=1, help="Use N threads; otherwise as many as there are cores."),
    ] = None,
    output: OutputFile = None,
    force: Force = False,
    reading: ReadOptions,
    where: EngineOptions,
    talking: TalkingOptions,
) -> None:
    """Find the itemsets that enough rows share.

    An itemset is closed if every larger one occurs in fewer rows, and maximal if every larger one occurs in too few.
    The closed ones tell the support of all others, so they are what is usually wanted.

    FILE is .csv, .json or .parquet, or .txt for the form that SPMF writes.
    """
    if output is not None:
        pattern_writing.check_pattern_file(output, force=force)
    rows = where.rows(data, reading, quiet=talking.quiet)
    with progress_bar("Mining", unit="itemsets", quiet=talking.quiet, steady=False) as progress:
        found = discreet.mine(
            rows,
            min_support=min_support,
            target=target,
            max_length=max_length,
            max_patterns=max_patterns,
            threads=threads,
            progress=progress,
        )
    if output is not None:
        discreet.write_patterns(found, output, force=force)
    if talking.json:
        read = what_was_read()
        more = {} if read is None else {"read": read.to_dict()}
        write_json_blocks(native.json_blocks(found, more))
        return
    again = ["discreet", "mine", *data_words(data, reading), *where.words(), "-s", str(min_support)]
    answer = _answer(found, rows, output, None if data == "-" else again)
    read = what_was_read()
    screen.show(answer if read is None else answer.about(read.sentences()))


def _answer(
    found: "PatternSet", rows: "Transactions | SparkRows", output: Path | None, again: list[str] | None
) -> "Answer":
    evidence: list[Evidence] = []
    if len(found):
        evidence += [
            pattern_summary.pattern_table(found, _item_supports(found, rows), screen.screen_width()),
            pattern_summary.pattern_sizes(found),
        ]
    if output is not None:
        evidence.append(f"Written to {output}.")
    steps = [] if again is None else _steps(found, output, again)  # standard input cannot be read again
    return Answer(pattern_summary.first_line(found, what_a_row_is()), evidence, steps)


def _item_supports(found: "PatternSet", rows: "Transactions | SparkRows") -> "NDArray[np.int64]":
    return (
        rows.item_supports()
        if isinstance(rows, discreet.Transactions)
        else rows.frequent(found.min_support).item_supports
    )


def _steps(found: "PatternSet", output: Path | None, again: list[str]) -> "list[Step]":
    cap = [] if found.max_length is None else ["--max-length", str(found.max_length)]
    if not len(found):
        fewer = [*again[:-1], str(max(1, found.min_support // 2)), *cap]
        return [] if found.min_support == 1 else [Step(fewer, "asks for half as many rows")]
    steps = []
    if output is None:
        target = [] if found.target == "closed" else ["--target", found.target]
        write = [*again, *target, *cap, "-o", free_name("patterns", ".csv")]
        steps.append(Step(write, "writes them to a file (also .json, .parquet, .txt)"))
    if found.target != "maximal":
        largest = [*again, "--target", "maximal"]
        steps.append(Step(largest, "lists only the largest; all others are part of one of them"))
    return steps

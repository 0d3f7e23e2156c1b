"""`discreet check`: say whether a sensitive item can be concluded from published rows."""

# Typer reads the annotations while the program runs.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.help import HelpfulCommand, command_app
from discreet.cli.option_groups import spread_groups
from discreet.cli.options import RHO, Data, EngineOptions, TalkingOptions, data_words
from discreet.cli.standard_output import write_json
from discreet.transactions.options import ReadOptions

if TYPE_CHECKING:
    from rich.console import RenderableType

    from discreet.spark.rows import SparkRows
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.check import Checked

__all__ = ["app", "check"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet anonymize hospital.csv --rho 0.5 --sensitive-share 20% --drawn private.txt -o safe.csv
discreet check hospital.csv --rho 0.5 --sensitive private.txt
discreet check safe.csv --rho 0.5 --sensitive private.txt --json
"""

app = command_app()


@app.command("check", cls=HelpfulCommand, epilog=EXAMPLES)
@spread_groups
def check(
    *,
    data: Data = None,
    rho: Annotated[str, RHO],
    sensitive: Annotated[
        Path,
        typer.Option("--sensitive", metavar="FILE", help="The sensitive items, one label per line."),
    ],
    explain: Annotated[bool, typer.Option("--explain", help="Add the definition, with the paper's names.")] = False,
    reading: ReadOptions,
    where: EngineOptions,
    talking: TalkingOptions,
) -> int:
    """Say whether a sensitive item can be concluded from rows.

    Someone may know any part of a row, sensitive items included. Of all rows that hold this part, some hold another
    sensitive item: where that is a share of R or more, the item can be concluded. The answer is exact, over parts of
    every size, the empty one included. Status 0 means safe, 1 not safe.
    """
    from discreet.cli.progress import patience_note
    from discreet.cli.uncertainty_words import warn_of_absent
    from discreet.engines import check as run
    from discreet.thresholds import Rho
    from discreet.uncertainty.sensitive_items import read_labels

    limit = Rho.parse(rho)
    labels = read_labels(sensitive)
    rows = where.rows(data, reading, quiet=talking.quiet)
    warn_of_absent(_absent(labels, rows), data or "the database")
    with patience_note("Checking", quiet=talking.quiet):
        found = run(rows, rho=limit, sensitive=labels)
    if talking.json:
        write_json(found.to_dict())
    else:
        _tell(found, data, [*data_words(data, reading), "--rho", rho, "--sensitive", str(sensitive)], explain=explain)
    return 0 if found.safe else 1


def _absent(labels: tuple[str, ...], rows: "Transactions | SparkRows") -> tuple[str, ...]:
    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.sensitive_items import absent_labels

    if isinstance(rows, Transactions):
        return absent_labels(labels, rows)
    from discreet.spark.check import held_labels

    return tuple(label for label, items in held_labels(rows, labels).items() if not items)


def _tell(found: "Checked", data: str | None, again: list[str], *, explain: bool) -> None:
    from discreet.cli.screen import answer, next_steps, paragraph, show
    from discreet.cli.uncertainty_words import beside, rule_text
    from discreet.wording import share

    parts: list[RenderableType]
    if found.worst_rule is None:
        parts = [answer("no row holds a sensitive item", verdict="SAFE", style="bold green")]
    elif found.safe:
        parts = [
            answer(
                f"nobody can conclude a sensitive item with {share(found.rho)} or more",
                verdict="SAFE",
                style="bold green",
            ),
            paragraph(f"The surest conclusion:\n  {rule_text(found.worst_rule)}"),
        ]
    else:
        parts = [
            answer(
                "someone who knows part of a row can conclude a sensitive item", verdict="NOT SAFE", style="bold red"
            ),
            paragraph(f"The surest conclusion:\n  {rule_text(found.worst_rule)}"),
            paragraph(_extent(found)),
        ]
    if explain:
        parts.append(paragraph(_DEFINITION))
    if not found.safe and data is not None and data != "-":  # standard input cannot be read again
        step = ["discreet", "anonymize", *again, "-o", beside(data, "safe")]
        parts.append(next_steps([(step, "drops and generalizes as little as it can, until this check is passed")]))
    show(*parts)


def _extent(found: "Checked") -> str:
    """Say how many items and rows are in danger, and which the worst rule endangers."""
    from discreet.cli.uncertainty_words import row_numbers
    from discreet.wording import counted, itemset_text, number, share

    concluded = (
        f"{counted(len(found.affected), 'sensitive item')} can be concluded with {share(found.rho)} or more: "
        f"{itemset_text(found.affected, 70)}."
    )
    if found.endangered is None or found.endangered_by_one is None:  # Spark's rows have no numbers
        rows = 0 if found.worst_rule is None else found.worst_rule.together
        return f"It endangers {counted(rows, 'row')}.\n{concluded}"
    return (
        f"It endangers {row_numbers(found.endangered)}.\n{concluded}\n"
        f"For {counted(len(found.endangered_by_one), 'row')} of {number(found.n)} it is enough to know one item."
    )


_DEFINITION = (
    "Rows are rho-uncertain (cao2010, Definition 3.1) if, for every part X of every row, the empty one included, and "
    "every sensitive item a that is not in X, conf(X -> a) = sup(X with a) / sup(X) is less than rho."
)

"""`discreet check`: check whether a sensitive item can be inferred from published rows."""

# `command` reads the annotations at run time.

from typing import TYPE_CHECKING, Annotated, Literal

import discreet
from discreet.answers.answer import Step
from discreet.cli.command import Option, command
from discreet.cli.failures import warn_of_absent
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import (
    RHO,
    SENSITIVE,
    Data,
    EngineOptions,
    IgnoreUnknown,
    MappingFile,
    PassphraseFile,
    TalkingOptions,
    data_words,
    passphrase_of,
)
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.thresholds import Rho
from discreet.transactions.options import ReadOptions

with on_first_use():
    from discreet.answers import check_and_anonymize as check_answers
    from discreet.spark import check as spark_check
    from discreet.tables import containers
    from discreet.uncertainty import sensitive_items

if TYPE_CHECKING:
    from discreet.spark.rows import SparkRows
    from discreet.transactions.label_names import NamedLabel
    from discreet.transactions.transactions import Transactions

__all__ = ["check"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet anonymize hospital.csv --rho 0.5 --sensitive-share 20% --drawn private.txt --mapping map.json -o safe.csv
discreet check hospital.csv --rho 0.5 --sensitive private.txt
discreet check safe.csv --rho 0.5 --sensitive private.txt --mapping map.json --json
"""


@command(examples=EXAMPLES)
def check(
    *,
    data: Data = None,
    rho: Annotated[str, RHO],
    sensitive: Annotated[str, SENSITIVE],
    mapping: MappingFile = None,
    passphrase_file: PassphraseFile = None,
    ignore_unknown: IgnoreUnknown = False,
    empty_cells: Annotated[
        Literal["auto", "sensitive", "missing"],
        Option(
            "--empty-cells",
            metavar="KIND",
            help="What an empty cell of a table is in a column with sensitive values: sensitive, as one of them was "
            "dropped there; missing from the start; or auto: sensitive if a value of LIST is gone from its column.",
        ),
    ] = "auto",
    exact_knowledge: Annotated[
        bool,
        Option(
            "--exact-knowledge",
            help="Assume someone who also knows what a row does not hold: all that is published of it, except the "
            "answer.",
        ),
    ] = False,
    explain: Annotated[bool, Option("--explain", help="Add the definition, with the paper's names.")] = False,
    reading: ReadOptions,
    where: EngineOptions,
    talking: TalkingOptions,
) -> int:
    """Say whether a sensitive item can be concluded from rows.

    Someone may know any part of a row, sensitive items included. Of all rows that hold this part, some hold another
    sensitive item: where that is a share of R or more, the item can be concluded. The answer is exact, over parts of
    every size, the empty one included. It is about these rows alone, however they were made. Status 0 means safe,
    1 not safe.
    """
    limit = Rho.parse(rho)
    labels = sensitive_items.named_labels(sensitive)
    passphrase = passphrase_of(mapping, file=passphrase_file)
    rows = where.rows(data, reading, quiet=talking.quiet)
    with patience_note("Checking", quiet=talking.quiet):
        found = discreet.check(
            rows,
            rho=limit,
            sensitive=labels,
            mapping=mapping,
            passphrase=passphrase,
            ignore_unknown=ignore_unknown,
            empty_cells=empty_cells,
            exact_knowledge=exact_knowledge,
        )
    if mapping is None:
        warn_of_absent(_absent(labels, rows), data or "the database")
    steps = []
    if not found.safe and data is not None and data != "-":  # standard input cannot be read again
        again = [*data_words(data, reading), "--rho", rho, "--sensitive", sensitive]
        again += ["--ignore-unknown"] if ignore_unknown or mapping is not None else []
        purpose = "drops and generalizes as little as it can, until this check is passed"
        steps = [Step(["discreet", "anonymize", *again, "-o", _name_like(data)], purpose)]
    give(found.to_dict, lambda: check_answers.check_answer(found, steps, explain=explain), json=talking.json)
    return 0 if found.safe else 1


def _absent(labels: "list[NamedLabel]", rows: "Transactions | SparkRows") -> tuple[str, ...]:
    if isinstance(rows, discreet.Transactions):
        return sensitive_items.absent_labels(labels, rows)

    return tuple(label for label, items in spark_check.held_labels(rows, labels).items() if not items)


def _name_like(data: str) -> str:
    """Return a file name for safe rows, with the suffixes of DATA, in the current folder."""
    return f"safe{containers.known_suffixes(containers.writable_name(data)) or '.dat'}"

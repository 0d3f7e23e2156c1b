"""`discreet kanon`: generalize a table until nobody stands out in it."""

# `command` reads the annotations at run time.

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import discreet
from discreet.answers.answer import Answer, Headline, Step, TextTable
from discreet.cli.command import Option, command
from discreet.cli.failures import warn_of_order
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import (
    AllowIdentifiers,
    Data,
    Force,
    IgnoreUnknown,
    KeepOrder,
    TalkingOptions,
    data_words,
    read_rows,
)
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give, what_a_row_is
from discreet.errors import ParameterError
from discreet.tables.whole import check_output
from discreet.thresholds import K
from discreet.transactions.options import ReadOptions
from discreet.wording import label_text, number, percent

with on_first_use():
    from discreet.transactions import writing as row_writing

if TYPE_CHECKING:
    from discreet.microdata.kanon import AnonymousTable
    from discreet.transactions.transactions import Transactions

__all__ = ["kanon"]

EXAMPLES = """
discreet kanon --database :memory: --sql "SELECT 20 + i % 9 AS age, i % 4 AS area FROM range(500) t(i)" \
-k 15 --quasi-identifiers age,area -o table.csv
discreet kanon table.csv -k 200 --quasi-identifiers area --method incognito --json -o fewer.csv
"""
ALTERNATIVES_SHOWN = 10


@command(examples=EXAMPLES, files_last=True)
def kanon(
    *,
    data: Data = None,
    k: Annotated[int, Option("-k", metavar="K", help="How many rows must share every combination.")],
    quasi_identifiers: Annotated[
        str,
        Option(
            "--quasi-identifiers",
            metavar="LIST",
            help="The columns by which a stranger could recognize someone: a,b,c or @FILE.",
        ),
    ],
    ignore_unknown: IgnoreUnknown = False,
    hierarchies: Annotated[
        Path | None,
        Option(
            "--hierarchies",
            metavar="DIR",
            help="A folder with what the values of each such column become: age.csv for age. "
            "Without it, a value can only become *.",
        ),
    ] = None,
    method: Annotated[
        Literal["datafly", "incognito"],
        Option(
            "--method", metavar="NAME", help="datafly (one good way) or incognito (every minimal way, and the best)."
        ),
    ] = "datafly",
    suppress: Annotated[
        int | None,
        Option(
            "--suppress",
            metavar="ROWS",
            min=0,
            help="How many rows may be left out of OUT; otherwise K with datafly, none with incognito.",
        ),
    ] = None,
    take: Annotated[
        int,
        Option(
            "--take", metavar="N", min=1, help="incognito: which of the minimal generalizations to use, best first."
        ),
    ] = 1,
    output: Annotated[
        Path,
        Option("--output", "-o", writes=True, metavar="OUT", help="Where to write the table, in the format of DATA."),
    ],
    keep_order: KeepOrder = False,
    allow_identifiers: AllowIdentifiers = None,
    force: Force = False,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> None:
    """Generalize a table until nobody stands out in it.

    Every combination of the named columns is then shared by at least K rows of OUT. A file in DIR has a line for each
    value of its column, from the value to what it becomes level by level, as in 34;30-39;* (the form of ARX); a
    column is put on one level as a whole. Rows that stay in smaller groups are left out, as are the rows' ids and
    their order.

    This anonymizes the data first. If you want to publish patterns, audit and block change far less.
    """
    if reading.format not in (None, "table"):
        raise ParameterError(
            f"only a table has columns to generalize; --format must be table, got {reading.format!r}",
            parameter="format",
        )
    K.parse(k)
    check_output(output, force=force)
    rows = read_rows(data, replace(reading, format="table"), quiet=talking.quiet)
    with patience_note("Generalizing", quiet=talking.quiet):
        result = discreet.kanon(
            rows,
            k=k,
            quasi_identifiers=quasi_identifiers,
            hierarchies=hierarchies,
            method=method,
            suppress=suppress,
            take=take,
            keep_order=keep_order,
            allow_identifiers=allow_identifiers,
            ignore_unknown=ignore_unknown,
        )
    warn_of_order(kept=keep_order)
    discreet.write(result.rows, output, force=force, checked=True)
    again = [*data_words(data, reading), "-k", str(k), "--quasi-identifiers", quasi_identifiers]
    again += ["--ignore-unknown"] if ignore_unknown else []
    give(result.to_dict, lambda: _answer(result, rows, output, None if data == "-" else again), json=talking.json)


def _answer(result: "AnonymousTable", rows: "Transactions", output: Path, again: list[str] | None) -> "Answer":
    columns = [label_text(column) for column in result.generalization]
    named = columns[0] if len(columns) == 1 else f"{', '.join(columns[:-1])} and {columns[-1]}"
    people = what_a_row_is().counted(result.rows.n)
    who = f"every combination of {named} is shared by at least {number(result.k)} of {people}"
    before, after = _values(rows, result), _values(result.rows, result)
    lines = [
        (str(level), str(result.heights[column]), number(before[column]), number(after[column]), label_text(column))
        for column, level in result.generalization.items()
    ]
    return Answer(
        Headline(f"{number(result.k)}-ANONYMOUS", "good", who),
        [
            TextTable("What was generalized", ("level", "of", "values", "now", "column"), lines),
            _left_out(result),
            *([_alternatives(result)] if result.alternatives else []),
            f"Written to {output}.",
        ],
        [] if again is None else _steps(result, output, again),  # standard input cannot be read again
    )


def _values(rows: "Transactions", result: "AnonymousTable") -> dict[str, int]:
    """Return the number of values of each quasi-identifier."""
    held = [label for label, support in zip(rows.vocabulary, rows.item_supports().tolist(), strict=True) if support]
    return {column: sum(label.startswith(f"{column}=") for label in held) for column in result.generalization}


def _left_out(result: "AnonymousTable") -> str:
    whole = result.rows.n + result.suppressed_rows
    if not result.suppressed_rows:
        return f"All {what_a_row_is().counted(whole)} are in it; none had to be left out."
    share = percent(result.suppressed_rows, whole)
    verb = "is" if result.suppressed_rows == 1 else "are"
    return f"{what_a_row_is().counted(result.suppressed_rows)} ({share}) in smaller groups {verb} left out."


def _alternatives(result: "AnonymousTable") -> str:
    """Return the minimal generalizations as rows of levels."""
    if len(result.alternatives) == 1:
        return "It is the only minimal generalization."
    shown = result.alternatives[:ALTERNATIVES_SHOWN]
    levels = ["-".join(str(level) for level in each.values()) for each in shown]
    more = len(result.alternatives) - len(shown)
    rest = f" and {number(more)} more (--json lists them)" if more else ""
    taken = number(result.alternatives.index(result.generalization) + 1)
    return (
        f"Minimal, as levels in this order of columns: {', '.join(levels)}{rest}. Number {taken} was used; "
        "--take N uses another."
    )


def _steps(result: "AnonymousTable", output: Path, again: list[str]) -> "list[Step]":
    layout = row_writing.layout_for(result.rows, output)
    audit = ["discreet", "audit", *again, "-s", "10%"]
    steps = [Step(audit, "asks whether the table's patterns need any change at all")]
    if layout.shape == "table" and layout.header:
        mine = ["discreet", "mine", *data_words(str(output), ReadOptions.of_layout(layout, output)), "-s", "10%"]
        steps.insert(0, Step(mine, "shows which patterns are left"))
    return steps

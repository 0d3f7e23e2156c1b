"""`discreet look`: what a file is, and what to do with it."""

# `command` reads the annotations while the program runs.

import shlex
from typing import TYPE_CHECKING, Annotated

from discreet.answers.answer import Answer, Step, TextTable
from discreet.cli.command import Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import Data, TalkingOptions, data_words
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give, note_read
from discreet.errors import ParameterError
from discreet.transactions.options import ReadOptions
from discreet.wording import counted, label_text, number, percent

with on_first_use():
    from discreet.patterns import look as looks

if TYPE_CHECKING:
    from discreet.answers.answer import Evidence
    from discreet.patterns.look import Look

__all__ = ["look"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet look hospital.csv
discreet look hospital.csv --json
"""

_K = "10"
_ROLES = {
    "id": "different in every row: an id",
    "person": "says whose a row is",
    "group": "has several lines: a long table?",
    "constant": "the same in every row",
    "near-constant": "the same in nearly every row",
    "near-empty": "empty in nearly every row",
    "number": "numbers: cut them into intervals",
    "quasi-identifier": "strangers may know it",
    "value": "",
}


@command(examples=EXAMPLES)
def look(
    *,
    data: Data = None,
    show: Annotated[
        bool, Option("--show", help="Show frequent values of each column, too: they are part of the data.")
    ] = False,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> None:
    """Say what a file is, and what to do with it.

    Reads DATA as any other command would, and shows its columns: how many values they have, which look like ids, which
    say whose a row is, which are the same nearly everywhere, which numbers want intervals. Then it counts itemsets at
    falling supports, and prints the commands to run next.
    """
    if data is None and reading.sql is None:
        raise ParameterError("DATA is missing: name a file, or - for standard input", parameter="DATA")
    with patience_note(f"Looking at {data or 'the database'}", quiet=talking.quiet):
        found = looks.look_at(data, reading)
    note_read(found.read)
    steps = [] if data == "-" else _steps(data, found)
    give(
        lambda: (
            found.to_dict()
            | {"notes": list(found.read.notes), "next": [shlex.join(step.command or ()) for step in steps]}
        ),
        lambda: _answer(data, found, steps, show=show),
        json=talking.json,
    )


def _answer(data: str | None, found: "Look", steps: "list[Step]", *, show: bool) -> "Answer":
    evidence: list[Evidence] = []
    if found.columns:
        heads = ["values", "missing", "column"]
        lines = [
            (
                number(column.distinct),
                percent(column.missing, found.read.rows) if column.missing else "",
                _about(column.name, _ROLES[column.role], column.examples if show else ()),
            )
            for column in found.columns
        ]
        evidence.append(TextTable("Columns", heads, lines))
    lines = [
        (
            count.min_support,
            "over 50,000" if count.closed is None else number(count.closed),
            "too many to read" if count.closed is None else "",
        )
        for count in found.counts
    ]
    title = "Closed itemsets at falling supports" + (", as the next command reads the rows" if found.columns else "")
    evidence.append(TextTable(title, ["support", "itemsets", ""], lines))
    return Answer(f"{label_text(data or 'the query')} can be read: {counted(found.read.rows, 'row')}", evidence, steps)


def _about(name: str, words: str, examples: tuple[str, ...]) -> str:
    parts = [
        label_text(name),
        *([words] if words else []),
        *([" ".join(map(label_text, examples))] if examples else []),
    ]
    return ": ".join(parts)


def _steps(data: str | None, found: "Look") -> "list[Step]":
    words = data_words(data, found.options)
    if found.min_support is None:
        explode = ", ".join(found.named("near-constant")[:3])
        return [] if not explode else [Step(None, f"Columns such as {explode} make itemsets explode; use --keep.")]
    thresholds = ["-s", found.min_support, "-k", _K]
    quasi = found.named("quasi-identifier")
    more = f" (strangers may know {', '.join(quasi[:3])})" if quasi else ""
    return [
        Step(["discreet", "audit", *words, *thresholds], f"asks whether these patterns single anyone out{more}"),
        Step(
            ["discreet", "release", *words, *thresholds, "--method", "suppressive", "-o", "public"],
            "makes them safe and publishes them, with evidence",
        ),
    ]

"""The options that commands share, in one wording."""

# Typer reads these annotations while the program runs, so nothing here is postponed or hidden from it.

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from discreet.cli.option_groups import as_words, flag
from discreet.cli.progress import patience_note
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.spark.rows import SparkRows
    from discreet.thresholds import Support
    from discreet.transactions.transactions import Transactions

__all__ = [
    "RHO",
    "AttackOptions",
    "Data",
    "EngineOptions",
    "Force",
    "MinSupport",
    "OutputFile",
    "QuasiIdentifiers",
    "ReadingOptions",
    "TalkingOptions",
]

_reading = partial(typer.Option, rich_help_panel="Reading DATA")
_working = partial(typer.Option, rich_help_panel="Where the work is done")
_talking = partial(typer.Option, rich_help_panel="Talking")
_attacking = partial(typer.Option, rich_help_panel="What readers can conclude")


def _support(text: str) -> Any:  # a Support; Typer reads what is written here
    """Parse a minimum support, so that one that means nothing is refused before any row is read for it."""
    from discreet.thresholds import Support

    return Support.parse(text)


Data = Annotated[
    str | None,
    typer.Argument(metavar="DATA", help="The rows: a file, or - for standard input.", show_default=False),
]

if TYPE_CHECKING:
    MinSupport = Support  # what a command is given
else:
    MinSupport = Annotated[
        str,
        typer.Option(
            "--min-support",
            "-s",
            metavar="S",
            help="In how many rows an itemset must occur: a number of rows (8), or a share of them (60% or 0.6).",
            callback=_support,
        ),
    ]

RHO = typer.Option(
    "--rho",
    metavar="R",
    help="The confidence that no conclusion about a sensitive item may reach: 0.5 or 50% keeps everyone below even "
    "odds.",
)

OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write the result to FILE, whole or not at all.", show_default=False
    ),
]

QuasiIdentifiers = Annotated[
    str | None,
    typer.Option(
        "--quasi-identifiers", metavar="LIST", help="Only these items or columns identify anyone: a,b,c or @FILE."
    ),
]

Force = Annotated[bool, typer.Option("--force", help="Replace an output that exists already.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkingOptions:
    """What a command says, and how."""

    json: Annotated[bool, _talking("--json", help="Print one JSON document and nothing else.")] = False
    quiet: Annotated[bool, _talking("--quiet", "-q", help="Show no progress.")] = False
    debug: Annotated[  # main() looks for this one itself, since it also explains faults in the other options
        bool, _talking("--debug", help="After an error, show where it occurred.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackOptions:
    """What readers are taken to know and to compute: the keywords of `discreet.audit` and `discreet.block`."""

    border: Annotated[
        bool,
        _attacking(
            "--border/--no-border",
            help="Let an attacker look for what follows beyond the itemsets published; without it, the answer is that "
            "of the paper alone.",
        ),
    ] = True
    attack_steps: Annotated[
        str | None,
        _attacking(
            "--attack-steps",
            metavar="N|all",
            help="How far the attacker looks: so many windows and linear programs (100000 unless given), or all.",
        ),
    ] = None
    exclusive: Annotated[
        list[str] | None,
        _attacking(
            "--exclusive",
            metavar="LIST",
            help="Items of which a row has at most one: a,b,c, a column or a beginning, or @FILE (again for each set). "
            "The values of a table's column are known to be.",
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return these options as keywords, or refuse them."""
        from discreet.channels.attacker import DEFAULT_ATTACK_STEPS, check_steps
        from discreet.channels.exclusive_names import parse_exclusive

        given = self.attack_steps
        steps: Any = DEFAULT_ATTACK_STEPS if given is None else given
        if given is not None and given.isascii() and given.isdigit():
            steps = int(given)
        check_steps(steps)
        if not self.border and given is not None:
            raise ParameterError(
                "--no-border leaves the attacker out, so it has no steps; omit --attack-steps or --no-border",
                parameter="attack_steps",
            )
        return {
            "border": self.border,
            "attack_steps": steps,
            "exclusive": parse_exclusive(self.exclusive, typed=True) if self.exclusive else None,
        }

    def words(self) -> list[str]:
        """Return these options as they can be typed again."""
        words = [] if self.border else ["--no-border"]
        words += [] if self.attack_steps is None else ["--attack-steps", self.attack_steps]
        return [*words, *(word for named in self.exclusive or () for word in ("--exclusive", named))]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How DATA becomes rows of items: the keywords of `discreet.read`."""

    format: Annotated[
        Literal["fimi", "spmf", "basket", "long", "onehot", "table", "lists"] | None,
        _reading(
            "--format",
            metavar="NAME",
            help="fimi, spmf, basket, long, onehot, table or lists: what DATA is, where its name does not say.",
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        _reading(
            "--delimiter",
            metavar="CHAR",
            help=r"What separates cells, if not a comma (\t: a tab).",
        ),
    ] = None
    id_column: Annotated[
        str | None,
        _reading("--id-column", metavar="COLUMN", help="The column that names the row."),
    ] = None
    item_column: Annotated[
        str | None,
        _reading("--item-column", metavar="COLUMN", help="long: the column that holds the item."),
    ] = None
    no_header: Annotated[
        bool,
        _reading("--no-header", help="The first line is data; see --columns."),
    ] = False
    columns: Annotated[
        str | None,
        _reading("--columns", metavar="LIST", help="The columns' names, in order: a,b,c or @FILE."),
    ] = None
    drop: Annotated[
        str | None,
        _reading("--drop", metavar="LIST", help="table: columns to leave out: a,b,c or @FILE."),
    ] = None
    bins: Annotated[
        list[str] | None,
        _reading(
            "--bins",
            metavar="COLUMN=LIMITS",
            help="table: make intervals, as in hours=20,40 (again for each column).",
        ),
    ] = None
    map: Annotated[
        list[str] | None,
        _reading(
            "--map",
            metavar="COLUMN:OLD=NEW",
            help="table: rename values, as in gain:0=none,*=some (again for each column).",
        ),
    ] = None
    missing: Annotated[
        Literal["drop-row", "skip"] | None,
        _reading(
            "--missing",
            metavar="drop-row|skip",
            help="table: skip a missing cell (the default), or drop its row.",
        ),
    ] = None
    sql: Annotated[
        str | None,
        _reading("--sql", metavar="SELECT", help="Read what this query gives, instead of DATA."),
    ] = None
    database: Annotated[
        str | None,
        _reading("--database", metavar="PATH", help="The database of --sql: a path or a URL."),
    ] = None

    def rows(self, data: str | None, *, quiet: bool = False) -> "Transactions":
        """Read the rows that DATA and these options stand for."""
        if data is None and self.sql is None:
            raise ParameterError(
                "DATA is missing: name a file, or - for standard input, or give --sql with --database",
                parameter="DATA",
            )
        from discreet.transactions.reading import read

        with patience_note(f"Reading {data or 'the database'}", quiet=quiet):
            return read(data, **self.keywords())

    def keywords(self) -> dict[str, Any]:
        """Return these options as the keywords of `discreet.read`."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"header": not given.pop("no_header"), **given}

    def words(self, data: str | None) -> list[str]:
        """Return DATA and these options as they can be typed again."""
        named = [] if data is None else [f"./{data}" if data.startswith("-") and data != "-" else data]
        return [*named, *as_words(self)]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Where the work is done: in this process, or in Spark."""

    engine: Annotated[
        Literal["local", "spark"],
        _working("--engine", metavar="local|spark", help="In this process, or in Apache Spark: the same answers."),
    ] = "local"
    spark_master: Annotated[
        str | None,
        _working("--spark-master", metavar="URL", help="spark: the cluster, as local[4] or spark://host:7077."),
    ] = None
    spark_conf: Annotated[
        list[str] | None,
        _working("--spark-conf", metavar="K=V", help="spark: a setting, as spark.executor.memory=8g (again for each)."),
    ] = None

    def rows(self, reading: ReadingOptions, data: str | None, *, quiet: bool = False) -> "Transactions | SparkRows":
        """Read the rows that DATA and the reading options stand for, into the engine's hands."""
        if self.engine == "local":
            for name in ("spark_master", "spark_conf"):
                if getattr(self, name):
                    raise ParameterError(f"{flag(name)} is for --engine spark; add it", parameter=name)
            return reading.rows(data, quiet=quiet)
        if data is None and reading.sql is None:
            raise ParameterError("DATA is missing: name a file or folder, or give --sql", parameter="DATA")
        from discreet.spark.reading import read_into_spark
        from discreet.spark.spark_session import spark_session

        with patience_note("Starting Spark", quiet=quiet):
            session = spark_session(self.spark_master, self.spark_conf or ())
        with patience_note(f"Reading {data or 'the database'}", quiet=quiet):
            return read_into_spark(session, data, **reading.keywords())

    def words(self) -> list[str]:
        """Return these options as they can be typed again."""
        return as_words(self)

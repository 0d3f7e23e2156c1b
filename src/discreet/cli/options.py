"""The options that commands share, with one wording."""

# `command` reads these annotations at run time, so they are neither postponed nor guarded by TYPE_CHECKING.

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict, cast

from discreet.cli.command import Argument, Option, as_words
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import note_read
from discreet.command_words import FileList, flag
from discreet.errors import ParameterError
from discreet.thresholds import Support
from discreet.transactions.options import ReadOptions

with on_first_use():
    from discreet.channels import attacker, exclusive_names
    from discreet.cli import passphrase as passphrases
    from discreet.spark import reading as spark_reading
    from discreet.spark import spark_session as sessions
    from discreet.tables import private_files
    from discreet.transactions import disk_rows
    from discreet.transactions import reading as row_reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.channels.attacker import StepBudget
    from discreet.spark.rows import SparkRows
    from discreet.transactions.transactions import Transactions

__all__ = [
    "ATTACK_STEPS",
    "EXCLUSIVE",
    "RHO",
    "SENSITIVE",
    "AllowIdentifiers",
    "AttackKeywords",
    "AttackOptions",
    "Data",
    "EncryptOptions",
    "EngineOptions",
    "Force",
    "IgnoreUnknown",
    "KeepOrder",
    "MappingFile",
    "MinSupport",
    "OneData",
    "OutputFile",
    "PassphraseFile",
    "PatternFileKeywords",
    "PatternFileOptions",
    "QuasiIdentifiers",
    "RuleFileKeywords",
    "SensitiveToGroups",
    "TalkingOptions",
    "Wait",
    "check_sensitive",
    "data_words",
    "passphrase_of",
    "read_rows",
]

_working = partial(Option, panel="Where the work is done")
_talking = partial(Option, panel="Talking")
_of_patterns = partial(Option, panel="Reading FILE")
_ATTACKER = "What readers can conclude"


_OF_ANY_FILE = {"delimiter", "encoding", "sheet"}


def _support(text: str) -> "Support":
    """Parse a minimum support, so that an invalid one is refused before any row is read."""
    return Support.parse(text)


Data = Annotated[
    str | None,
    Argument(metavar="DATA", help="The rows: files, a folder, or - for standard input.", several=True),
]
OneData = Annotated[
    str | None,
    Argument(metavar="DATA", help="The rows: a file, a folder, or - for standard input."),
]

if TYPE_CHECKING:
    MinSupport = Support  # the type that a command gets
else:
    MinSupport = Annotated[
        str,
        Option(
            "--min-support",
            "-s",
            metavar="S",
            help="In how many rows an itemset must occur: a number of rows (8), or a share of them (60% or 0.6).",
            parse=_support,
        ),
    ]

ATTACK_STEPS = partial(
    Option,
    "--attack-steps",
    metavar="N|all",
    help="How far the attacker looks: so many windows and linear programs (100000 unless given), or all.",
)

EXCLUSIVE = partial(
    Option,
    "--exclusive",
    metavar="LIST",
    help="Items of which a row has at most one: a,b,c, a column or a beginning, or @FILE (again for each set). "
    "The values of a table's column are known to be.",
)

RHO = Option(
    "--rho",
    metavar="R",
    help="The confidence that no conclusion about a sensitive item may reach: 0.5 or 50% keeps everyone below even "
    "odds.",
)

SENSITIVE = Option(
    "--sensitive",
    metavar="LIST",
    help="The sensitive items: labels, columns or beginnings (a,diag*), or a file with one per line; each may have a "
    "limit of its own in place of R ('hiv @ 0.1,flu').",
)

SensitiveToGroups = Annotated[
    str | None,
    Option(
        "--sensitive",
        metavar="LIST",
        help="Items or columns that nobody may conclude of a group with confidence R or more: a,diag* or @FILE.",
    ),
]


def check_sensitive(sensitive: str | None, rho: str | None) -> None:
    """Refuse sensitive items without a confidence, and the reverse."""
    if (sensitive is None) != (rho is None):
        missing, given = ("--sensitive", "--rho") if sensitive is None else ("--rho", "--sensitive")
        raise ParameterError(
            f"{given} needs {missing}: which items nobody may conclude, and with which confidence", parameter=missing
        )


OutputFile = Annotated[
    Path | None,
    Option("--output", "-o", writes=True, metavar="FILE", help="Write the result to FILE, whole or not at all."),
]

QuasiIdentifiers = Annotated[
    str | None,
    Option(
        "--quasi-identifiers", metavar="LIST", help="Only these items or columns identify anyone: a,diag* or @FILE."
    ),
]

IgnoreUnknown = Annotated[
    bool, Option("--ignore-unknown", help="Accept labels that are neither an item nor a column of the data.")
]

KeepOrder = Annotated[
    bool,
    Option("--keep-order", help="Keep the rows in their order, which can tell what they hide: see the warning."),
]

AllowIdentifiers = Annotated[
    str | None,
    Option(
        "--allow-identifiers",
        metavar="LIST",
        help="Columns to publish although they are different in nearly every row, as names are: a,b,c or @FILE.",
    ),
]

MappingFile = Annotated[
    Path | None,
    Option(
        "--mapping", metavar="FILE", help="A file of anonymize --mapping: labels that were dropped are known by it."
    ),
]

Force = Annotated[bool, Option("--force", help="Replace an output that exists already.")]

Wait = Annotated[
    int,
    Option(
        "--wait", metavar="SECONDS", min=0, help="How long to wait for a ledger while another release is being made."
    ),
]


PassphraseFile = Annotated[
    Path | None,
    Option(
        "--passphrase-file",
        metavar="FILE",
        help="The passphrase of files that are encrypted; without it, the terminal asks.",
    ),
]


def passphrase_of(*paths: Path | None, file: Path | None) -> bytes | None:
    """Return the passphrase for files that are read, if one of them is encrypted or a file of it is given."""
    return EncryptOptions(passphrase_file=file).passphrase(reads=paths, writes=())


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptOptions:
    """Whether the files for the owner alone are encrypted, and where the passphrase is."""

    encrypt: Annotated[
        bool, Option("--encrypt", help="Encrypt the files for you alone with a passphrase that the terminal asks for.")
    ] = False
    passphrase_file: Annotated[
        Path | None,
        Option(
            "--passphrase-file",
            metavar="FILE",
            help="The passphrase, to encrypt files and to open encrypted ones, is in this file instead.",
        ),
    ] = None

    def passphrase(self, *, reads: "Sequence[Path | None]", writes: "Sequence[Path | None]") -> bytes | None:
        """Return the passphrase for the owner's files of this run: one for all, or None if none is to be encrypted.

        A file of `reads` that does not exist is one to be made; one of `writes` that is encrypted stays so.
        """
        named = [path for path in (*reads, *writes) if path is not None]
        encrypted = [path for path in reads if private_files.is_encrypted(path)]
        if not (self.encrypt or self.passphrase_file or any(map(private_files.is_encrypted, named))):
            return None
        if not named:
            given = "encrypt" if self.encrypt else "passphrase_file"
            raise ParameterError(
                f"{flag(given)} is about files for you alone, and none is named; leave it out", parameter=given
            )
        private_files.need_cryptography()
        for path in reads:
            if path is not None and path.is_file():
                private_files.check_encrypted(path, encrypted=path in encrypted, passphrase=b"")
        return passphrases.passphrase(self.passphrase_file, twice=not encrypted, what=str((encrypted or named)[0]))

    def passphrase_of_copy(self, file: Path, copy: Path) -> tuple[bytes | None, bytes | None]:
        """Return the passphrase that opens a file, and that of a copy of it, if it is another one."""
        if private_files.is_encrypted(file):
            return self.passphrase(reads=[file], writes=[]), None
        return None, self.passphrase(reads=[], writes=[copy])

    def words(self) -> list[str]:
        """Return what a later command needs to open the files, as typed."""
        return [] if self.passphrase_file is None else ["--passphrase-file", str(self.passphrase_file)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkingOptions:
    """The form of a command's output."""

    json: Annotated[bool, _talking("--json", help="Print one JSON document and nothing else.")] = False
    quiet: Annotated[bool, _talking("--quiet", "-q", help="Show no progress.")] = False
    debug: Annotated[  # main() handles this one itself, because it also applies to errors in the other options
        bool, _talking("--debug", help="After an error, show where it occurred.")
    ] = False


class AttackKeywords(TypedDict):
    """Keywords of `audit` and `block`: what an attacker does, and which items exclude each other."""

    border: bool
    attack_steps: "StepBudget"
    exclusive: tuple[tuple[str, ...], ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackOptions:
    """What readers are assumed to know and to compute: the keywords of `discreet.audit` and `discreet.block`."""

    border: Annotated[
        bool,
        Option(
            "--border/--no-border",
            panel=_ATTACKER,
            help="Let an attacker look for what follows beyond the itemsets published; without it, the answer is that "
            "of the paper alone.",
        ),
    ] = True
    attack_steps: Annotated[str | None, ATTACK_STEPS(panel=_ATTACKER)] = None
    exclusive: Annotated[list[str] | None, EXCLUSIVE(panel=_ATTACKER)] = None

    def keywords(self) -> AttackKeywords:
        """Return these options as keywords; raise an error if they are invalid."""
        given = self.attack_steps
        number = given is not None and given.isascii() and given.isdigit()
        steps = attacker.DEFAULT_ATTACK_STEPS if given is None else cast("StepBudget", int(given) if number else given)
        attacker.check_steps(steps)
        if not self.border and given is not None:
            raise ParameterError(
                "--no-border leaves the attacker out, so it has no steps; omit --attack-steps or --no-border",
                parameter="attack_steps",
            )
        return {
            "border": self.border,
            "attack_steps": steps,
            "exclusive": exclusive_names.parse_exclusive(self.exclusive, typed=True) if self.exclusive else None,
        }

    def words(self) -> list[str]:
        """Return these options as typed."""
        return as_words(self)


class RuleFileKeywords(TypedDict, total=False):
    """Keywords of `read_rules`."""

    support_column: str
    item_separator: str
    delimiter: str
    encoding: str
    sheet: str


class PatternFileKeywords(RuleFileKeywords, total=False):
    """Keywords of `read_patterns`."""

    items_column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternFileOptions:
    """How a file of patterns or rules is read: keywords of `discreet.read_patterns` and `discreet.read_rules`."""

    items_column: Annotated[
        str | None,
        _of_patterns("--items-column", metavar="COLUMN", help="The column of the itemsets, if its name does not tell."),
    ] = None
    support_column: Annotated[
        str | None,
        _of_patterns(
            "--support-column",
            metavar="COLUMN",
            help="The column of the supports, counts or shares, if its name does not tell.",
        ),
    ] = None
    item_separator: Annotated[
        str | None,
        _of_patterns(
            "--item-separator",
            metavar="TEXT",
            help="What separates the labels in a cell, if it is not a list in brackets.",
        ),
    ] = None

    def keywords(self, reading: ReadOptions, door: str) -> PatternFileKeywords:
        """Return these options as keywords, with those for rows that apply to files of any kind."""
        told = reading.keywords()
        for name in told.keys() - _OF_ANY_FILE:
            raise ParameterError(f"{flag(name)} is for rows, but {door} is given; leave it out", parameter=name)
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        given = {name: value for name, value in given.items() if value is not None}
        return cast("PatternFileKeywords", {**given, **told})

    def refuse(self) -> None:
        """Refuse these options for rows."""
        for word in as_words(self)[:1]:
            raise ParameterError(f"{word} says something about --patterns; leave it out for DATA", parameter=word)

    def words(self) -> list[str]:
        """Return these options as typed."""
        return as_words(self)


def read_rows(data: str | None, reading: ReadOptions, *, quiet: bool = False, on_disk: bool = False) -> "Transactions":
    """Read the rows that DATA and the reading options specify, into memory or onto the disk."""
    if data is None and reading.sql is None:
        raise ParameterError(
            "DATA is missing: name a file, or - for standard input, or give --sql",
            parameter="DATA",
        )
    with patience_note(f"Reading {data or 'the database'}", unit="bytes", quiet=quiet) as progress:
        rows = row_reading.read_as(data, reading, on_disk=on_disk, progress=progress)
    note_read(rows.read)
    return rows


def data_words(data: str | None, reading: ReadOptions) -> list[str]:
    """Return DATA and the reading options as typed."""
    given = data.files if isinstance(data, FileList) else () if data is None else (data,)
    named = [f"./{each}" if each.startswith("-") and each != "-" else each for each in given]
    return [*named, *reading.words()]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Where the work is done: in this process, with the rows in memory or on the disk, or in Spark."""

    engine: Annotated[
        Literal["local", "disk", "spark"],
        _working(
            "--engine",
            metavar="NAME",
            help="local, disk (mine, audit, block, hide, check: more than fits into memory) or spark: the same "
            "answers.",
        ),
    ] = "local"
    spark_master: Annotated[
        str | None,
        _working("--spark-master", metavar="URL", help="spark: the cluster, as local[4] or spark://host:7077."),
    ] = None
    spark_conf: Annotated[
        list[str] | None,
        _working("--spark-conf", metavar="K=V", help="spark: a setting, as spark.executor.memory=8g (again for each)."),
    ] = None

    def rows(
        self, data: str | None, reading: ReadOptions, *, quiet: bool = False, in_memory: str | None = None
    ) -> "Transactions | SparkRows":
        """Read the rows that DATA and the reading options specify, into the engine.

        Rows on the disk are refused for what needs all of them in memory, which `in_memory` names.
        """
        if self.engine != "spark":
            for name in ("spark_master", "spark_conf"):
                if getattr(self, name):
                    raise ParameterError(f"{flag(name)} is for --engine spark; add it", parameter=name)
            here = read_rows(data, reading, quiet=quiet, on_disk=self.engine == "disk")
            if in_memory is not None:
                disk_rows.refuse_on_disk(here, in_memory)
            return here
        if data is None and reading.sql is None:
            raise ParameterError("DATA is missing: name a file or folder, or give --sql", parameter="DATA")
        if isinstance(data, FileList):
            raise ParameterError("Spark reads one file, or a folder of them; name that", parameter="DATA")
        with patience_note("Starting Spark", quiet=quiet):
            session = sessions.spark_session(self.spark_master, self.spark_conf or ())
        with patience_note(f"Reading {data or 'the database'}", quiet=quiet):
            rows = spark_reading.read_into_spark(session, data, reading)
            note_read(rows.read)
        return rows

    def refuse_disk(self, word: str) -> None:
        """Refuse an option that holds all rows in memory where they are to stay on the disk."""
        if self.engine == "disk":
            raise ParameterError(
                f"{word} holds all rows in memory, which --engine disk does without; leave one of the two out",
                parameter=word,
            )

    def words(self) -> list[str]:
        """Return these options as typed."""
        return as_words(self)

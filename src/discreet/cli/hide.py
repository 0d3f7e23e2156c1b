"""`discreet hide`: make given patterns unminable from the rows."""

# `command` reads the annotations at run time.

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import discreet
from discreet.cli.command import Option, command
from discreet.cli.failures import NOT_SAFE
from discreet.cli.index_option import Index, NamedIndex, open_or_make
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import (
    Data,
    EncryptOptions,
    EngineOptions,
    Force,
    IgnoreUnknown,
    TalkingOptions,
    data_words,
    read_rows,
)
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.errors import OutputError, ParameterError
from discreet.json_types import JsonObject
from discreet.tables.private_files import PassphraseKey, encrypted_bytes
from discreet.tables.whole import check_output, whole_file
from discreet.thresholds import Share, Support
from discreet.transactions.options import ReadOptions

with on_first_use():
    from discreet.answers import hide_and_copies as hide_answers
    from discreet.hiding import copies, owner_files, saved_index
    from discreet.spark import hide as spark_hide
    from discreet.spark import writing as spark_writing
    from discreet.transactions import rewriting
    from discreet.transactions import writing as row_writing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from discreet.hiding.copies import TwoCopies
    from discreet.hiding.hide import Hidden
    from discreet.hiding.inverted_file import InvertedFile
    from discreet.hiding.recipients import HiddenForAll
    from discreet.spark.rows import SparkRows
    from discreet.transactions.transactions import Transactions

__all__ = ["hide"]

EXAMPLES = """
discreet generate quest --rows 2000 --items 30 --mean-length 10 --pattern-length 4 --patterns 40 --seed 1 -o rows.dat
discreet generate quest --rows 3 --items 30 --mean-length 3 --pattern-length 3 --patterns 40 --seed 1 -o private.txt
discreet hide rows.dat --restrict private.txt -s 20% -o safe.dat
discreet hide rows.dat --restrict private.txt --below 20% --margin 10% -o below.dat
discreet hide rows.dat --restrict private.txt --method minfia --disclosure 10% -o other.dat --against safe.dat
discreet generate quest --rows 2 --items 30 --mean-length 3 --pattern-length 3 --patterns 40 --seed 7 -o partner.txt
discreet hide rows.dat --restrict supplier=private.txt --restrict partner=partner.txt --method iga -o for-both.dat
"""


def _named_list(text: str) -> tuple[str | None, Path]:
    """Return a file, and the recipient that it is for, if one is named."""
    name, equals, file = text.partition("=")
    return (name, Path(file)) if name and equals and file and not Path(text).exists() else (None, Path(text))


def _lists(restrict: list[tuple[str | None, Path]]) -> "Path | dict[str, Path]":
    """Return the list of all, or that of each recipient."""
    names = [name for name, _ in restrict]
    if names == [None]:
        return restrict[0][1]
    if None in names or len({*names}) < len(names):
        raise ParameterError(
            "--restrict is given several times, so each must name another recipient: --restrict supplier=FILE "
            "--restrict partner=FILE",
            parameter="restrict",
        )
    return {name: file for name, file in restrict if name is not None}


@command(examples=EXAMPLES, files_last=True)
def hide(
    *,
    data: Data = None,
    restrict: Annotated[
        list[tuple[str | None, Path]],
        Option(
            "--restrict",
            metavar="FILE",
            help="What must not be minable: an itemset or a rule per line. Or NAME=FILE, again for each recipient: OUT "
            "hides all lists.",
            parse=_named_list,
        ),
    ],
    method: Annotated[
        Literal["naive", "minfia", "maxfia", "iga", "rowwise", "best"] | None,
        Option(
            "--method",
            metavar="NAME",
            help="What leaves a row: naive the whole itemset, minfia its rarest item, maxfia its most frequent one, "
            "iga one that serves many itemsets. With -s: rowwise what costs the fewest other itemsets, row by row; "
            "best tries all and keeps the one that loses least, the default.",
        ),
    ] = None,
    disclosure: Annotated[
        str,
        Option(
            "--disclosure", metavar="PSI", help="The share of its rows that may keep an itemset: 0 to 1, or 0% to 100%."
        ),
    ] = "0",
    below: Annotated[
        str | None,
        Option(
            "--below",
            metavar="S",
            help="An itemset need only be in fewer than S rows: a number (8), or a share (60% or 0.6). Far less is "
            "lost, but who mines below S finds it.",
        ),
    ] = None,
    margin: Annotated[
        str | None,
        Option(
            "--margin",
            metavar="M",
            help="With --below: so many rows fewer (8), or such a share of S (10%), and not all at one support.",
        ),
    ] = None,
    min_support: Annotated[
        str | None,
        Option(
            "--min-support",
            "-s",
            metavar="S",
            help="Measure what it cost, over the itemsets in at least S rows, and spare them: a number (8), or a share "
            "(60% or 0.6). With --below the same S, unless given.",
        ),
    ] = None,
    protect: Annotated[
        Path | None,
        Option(
            "--protect", metavar="FILE", help="Itemsets to spare, one per line, where several items could be removed."
        ),
    ] = None,
    ignore_unknown: IgnoreUnknown = False,
    index: Index = None,
    encrypting: EncryptOptions,
    log: Annotated[
        Path | None,
        Option("--log", writes=True, metavar="FILE", help="Write every row and item removed, as CSV. For you alone."),
    ] = None,
    lost: Annotated[
        Path | None,
        Option(
            "--lost",
            writes=True,
            metavar="FILE",
            help="With -s: write the itemsets lost, .csv or .parquet. For you alone.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        Option("--against", metavar="OTHER", help="Show what OUT and this other copy of the rows reveal together."),
    ] = None,
    output: Annotated[
        Path,
        Option("--output", "-o", writes=True, metavar="OUT", help="Where to write the rows, in the format of DATA."),
    ],
    force: Force = False,
    reading: ReadOptions,
    where: EngineOptions,
    talking: TalkingOptions,
) -> int:
    """Change rows so that given patterns cannot be mined.

    Nobody who mines OUT finds the itemsets of FILE, whatever support they use. Only items are removed, as few as the
    method can, and rows that need no change keep their bytes. A line of FILE is an itemset (a b), an itemset that a
    share of its rows may keep (a b @ 0.1), or a rule that must stay below a confidence (a b => c @ 0.6). Labels are
    separated by blanks if DATA is fimi or spmf, else by commas; put a label that has a separator in double quotes.

    OUT may be handed over. What is shown here is for you alone, and so are the other files. Two copies that were made
    with different lists or methods together give back what each of them hides, so give every recipient the same. With
    a list for each recipient, OUT hides all lists, and the answer shows what separate copies would cost and give back.
    """
    Share.parse(disclosure, parameter="disclosure")
    if below is not None:
        Support.parse(below, parameter="below")
    if min_support is not None:
        Support.parse(min_support)
    in_spark, lists = where.engine == "spark", _lists(restrict)
    if in_spark:
        _refuse_local_options(lists, {"index": index, "log": log, "against": against})
    files = _Files.checked(output, log, lost, force=force, in_spark=in_spark)
    passphrase = encrypting.passphrase(reads=[index], writes=[log, lost])
    if lost is not None and min_support is None and below is None:
        raise ParameterError("--lost lists what -s measures; give -s", parameter="lost")
    if index is None:
        in_memory = _compared_in_memory(lists, against)
        source = _Source.of_rows(data, reading, where, quiet=talking.quiet, in_memory=in_memory)
    else:
        where.refuse_disk("--index")
        named = open_or_make(index, data, reading, passphrase=passphrase, quiet=talking.quiet)
        source = _Source(named.index, _file(data), named=named)
    with patience_note("Hiding", quiet=talking.quiet):
        done, shared = _hidden(
            source.rows,
            lists,
            method=method,
            disclosure=disclosure,
            min_support=min_support,
            protect=protect,
            ignore_unknown=ignore_unknown,
            below=below,
            margin=margin,
        )
    wholly = None
    if below is not None and not in_spark and isinstance(lists, Path) and done.side_effects is not None:
        with patience_note("Comparing with hiding wholly", quiet=talking.quiet):
            wholly = _wholly(source.rows, lists, min_support or below, protect, ignore_unknown=ignore_unknown)
    as_written = reading if in_spark else _reading_of(done, output, reading)
    pair = None if against is None else copies.compare_copies(done, read_rows(against, as_written, quiet=talking.quiet))
    with patience_note(f"Writing {output}", quiet=talking.quiet):
        files.write(done, source, reading, passphrase)
    again = [] if in_spark else data_words(str(output), as_written)  # a query cannot read Spark's folders
    give(
        lambda: _document(done if shared is None else shared, pair) | _cost_of(wholly),
        lambda: hide_answers.hide_answer(done, pair, against, files.written(), again, shared=shared, wholly=wholly),
        json=talking.json,
    )
    return 0 if pair is None or pair.safe else NOT_SAFE


def _hidden(rows: Any, lists: Path | dict[str, Path], **how: Any) -> "tuple[Hidden, HiddenForAll | None]":
    """Return the copy to write and, with a list for each recipient, what separate ones would be."""
    if isinstance(lists, Path):
        return discreet.hide(rows, restrict=lists, **how), None
    shared = discreet.hide_for(rows, recipients=lists, **how)
    return shared.shared, shared


def _wholly(
    rows: Any, restrict: Path, min_support: str, protect: Path | None, *, ignore_unknown: bool
) -> "Fraction | None":
    """Return the misses cost if no row kept any of the itemsets, by the row-wise method; None if rules are named."""
    try:
        full = discreet.hide(
            rows,
            restrict=restrict,
            method="rowwise",
            min_support=min_support,
            protect=protect,
            ignore_unknown=ignore_unknown,
        )
    except ParameterError:  # what --below takes and full hiding does not
        return None
    return None if full.side_effects is None else full.side_effects.misses_cost


def _cost_of(wholly: "Fraction | None") -> JsonObject:
    return {} if wholly is None else {"hidden_wholly": {"method": "rowwise", "misses_cost": float(wholly)}}


def _document(done: "Hidden | HiddenForAll", pair: "TwoCopies | None") -> JsonObject:
    if pair is None:
        return done.to_dict()
    verdict = {} if pair.safe else {"verdict": "not-hidden"}
    return done.to_dict() | verdict | {"against": pair.to_dict()}


def _refuse_local_options(lists: Path | dict[str, Path], given: dict[str, object]) -> None:
    if isinstance(lists, dict):
        raise ParameterError(
            "--restrict NAME=FILE compares copies row by row, which Spark does not; use --engine local for it",
            parameter="restrict",
        )
    for name, value in given.items():
        if value is not None:
            raise ParameterError(
                f"--{name} is about rows by their numbers, which Spark does not keep; use --engine local for it",
                parameter=name,
            )


def _compared_in_memory(lists: Path | dict[str, Path], against: str | None) -> str | None:
    """Return what compares copies of the rows, for which all of them must be in memory."""
    if isinstance(lists, dict):
        return "a list for each recipient"
    return None if against is None else "--against"


def _reading_of(done: "Hidden", output: Path, reading: ReadOptions) -> ReadOptions:
    """Return the options to read OUT, and similar copies: those of DATA, if they have the same format."""
    layout = row_writing.layout_for(done.rows, output)
    return reading if reading.whole and layout == done.rows.layout else ReadOptions.of_layout(layout, output)


@dataclass(frozen=True, slots=True)
class _Source:
    """The rows or their index; `path` is the file to copy unchanged rows from, if there is one, and its digest."""

    rows: "Transactions | InvertedFile | SparkRows"
    path: str | None
    sha256: str | None = None
    named: NamedIndex | None = None

    @classmethod
    def of_rows(
        cls, data: str | None, reading: ReadOptions, where: EngineOptions, *, quiet: bool, in_memory: str | None
    ) -> "_Source":
        rows = where.rows(data, reading, quiet=quiet, in_memory=in_memory)
        record = getattr(rows, "read", None)  # Spark keeps none
        return cls(rows, _file(data), None if record is None else record.sha256)


def _file(data: str | None) -> str | None:
    return data if data is not None and Path(data).is_file() else None  # a pipe can be read only once


@dataclass(frozen=True, slots=True)
class _Files:
    """The output files: the rows to hand over, and those for the owner alone."""

    output: Path
    log: Path | None
    lost: Path | None
    force: bool
    in_spark: bool

    @classmethod
    def checked(cls, output: Path, log: Path | None, lost: Path | None, *, force: bool, in_spark: bool) -> "_Files":
        paths = [path for path in (output, log, lost) if path is not None]
        for path in paths:
            if in_spark and path is output:
                spark_writing.check_folder(path, force=force)
            else:
                check_output(path, force=force)
        if lost is not None and lost.suffix not in (".csv", ".parquet"):
            raise OutputError(f"--lost writes .csv or .parquet, got {lost}")
        return cls(output, log, lost, force, in_spark)

    def write(self, done: "Hidden", source: _Source, reading: ReadOptions, passphrase: bytes | None) -> None:
        """Write everything or nothing: the owner's files are renamed after the rows."""
        owners: list[tuple[Path, Iterator[bytes]]] = []
        if self.log is not None:
            owners.append((self.log, owner_files.change_log(done)))
        if self.lost is not None and done.side_effects is not None:
            owners.append(
                (self.lost, owner_files.lost_patterns(done.side_effects, parquet=self.lost.suffix == ".parquet"))
            )
        if source.named is not None and source.named.unsaved is not None:
            owners.append((source.named.unsaved, saved_index.index_bytes(source.named.index)))
        key = None if passphrase is None else PassphraseKey.of(passphrase)
        with ExitStack() as waiting:
            for path, chunks in owners:
                temporary = waiting.enter_context(whole_file(path, force=self.force, private=True))
                with temporary.open("wb") as file:
                    file.writelines(chunks if key is None else encrypted_bytes(chunks, key))
            self._write_rows(done, source, reading)

    def _write_rows(self, done: "Hidden", source: _Source, reading: ReadOptions) -> None:
        if self.in_spark:
            spark_writing.write_parquet(
                done.rows, self.output, force=self.force, check=partial(spark_hide.prove_written, done)
            )
            return
        if source.path is None:
            discreet.write(done.rows, self.output, force=self.force, checked=True)
            return
        rewriting.rewrite(
            done.rows,
            self.output,
            source=source.path,
            removed_from=done.removed_from,
            removed=done.removed,
            as_read=reading.whole,
            digest=None if source.named is None else source.named.index.source,
            sha256=source.sha256,
            encoding=reading.encoding,
            force=self.force,
        )

    def written(self) -> list[tuple[Path, str]]:
        """Return the files with their descriptions."""
        named = [
            (self.output, "the rows, which may be handed over"),
            (self.log, "every row and item removed, for you alone"),
            (self.lost, "the itemsets lost, with both supports, for you alone"),
        ]
        return [(path, what) for path, what in named if path is not None]

"""`discreet generate`: make synthetic rows."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import discreet
from discreet.answers.answer import Answer, Listing, Step
from discreet.cli.command import Argument, CommandGroup, Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import Force, TalkingOptions
from discreet.cli.progress import patience_note, progress_bar
from discreet.cli.standard_output import give
from discreet.tables.whole import check_output
from discreet.wording import counted

with on_first_use():
    from discreet.publishing import synthetic_bundle
    from discreet.transactions import generate as generators
    from discreet.transactions import writing as row_writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.transactions.generate.batches import Progress
    from discreet.transactions.transactions import Transactions

__all__ = ["generate", "hospital", "like", "quest", "skewed"]

Seed = Annotated[int, Option("--seed", min=0, metavar="N", help="Same seed, same rows.")]
Rows = Annotated[int, Option("--rows", min=1, metavar="D", help="How many rows.")]
Items = Annotated[int, Option("--items", min=1, metavar="N", help="How many different items at most.")]
MeanLength = Annotated[float, Option("--mean-length", metavar="T", help="How many items a row has on average.")]
NewFile = Annotated[
    Path,
    Option(
        "--output", "-o", writes=True, metavar="OUT", help="Where to write the rows; the name says in which format."
    ),
]

generate = CommandGroup(
    "generate",
    examples="discreet generate hospital -o hospital.csv\ndiscreet generate quest --rows 100000 -o baskets.dat.gz",
    help="Make up rows to try things on.",
)


@command(
    group=generate, examples="discreet generate quest --rows 20000 --mean-length 8 -o baskets.dat", files_last=True
)
def quest(
    *,
    rows: Rows = 10_000,
    items: Items = 1000,
    mean_length: MeanLength = 10,
    pattern_length: Annotated[
        float, Option("--pattern-length", metavar="I", help="How many items a planted pattern has on average.")
    ] = 4,
    patterns: Annotated[int, Option("--patterns", min=1, metavar="L", help="How many patterns are planted.")] = 1000,
    seed: Seed = 1,
    output: NewFile,
    force: Force = False,
    talking: TalkingOptions,
) -> None:
    """Make market baskets with planted patterns, as Agrawal and Srikant did in 1994."""

    def make(progress: "Progress | None") -> "Transactions":
        return generators.quest(
            rows=rows,
            items=items,
            mean_length=mean_length,
            pattern_length=pattern_length,
            patterns=patterns,
            seed=seed,
            progress=progress,
        )

    _make_and_write(make, output, force=force, talking=talking)


@command(
    group=generate,
    files_last=True,
    examples="discreet generate skewed -o clicks.dat\n"
    "discreet generate skewed --rows 515597 --items 1657 --mean-length 6.5 --max-length 164 -o like-bms-pos.dat",
)
def skewed(
    *,
    rows: Rows = 10_000,
    items: Items = 1000,
    mean_length: MeanLength = 6.5,
    max_length: Annotated[
        int | None,
        Option("--max-length", min=1, metavar="L", help="How many items the longest row has; otherwise 100, or all."),
    ] = None,
    exponent: Annotated[
        float, Option("--exponent", metavar="E", help="How fast popularity falls: item r has weight r to the -E.")
    ] = 1.0,
    clusters: Annotated[int, Option("--clusters", min=1, metavar="C", help="How many kinds of rows there are.")] = 40,
    cluster_strength: Annotated[
        float,
        Option("--cluster-strength", metavar="P", help="The share of a row's items that come from its kind."),
    ] = 0.3,
    seed: Seed = 1,
    output: NewFile,
    force: Force = False,
    talking: TalkingOptions,
) -> None:
    """Make rows as shops have them: a few items in most rows, most items in few.

    Popularity falls as a power of the rank, a few rows are very long, and rows come in kinds.
    """

    def make(progress: "Progress | None") -> "Transactions":
        return generators.skewed(
            rows=rows,
            items=items,
            mean_length=mean_length,
            max_length=min(100, items) if max_length is None else max_length,
            exponent=exponent,
            clusters=clusters,
            cluster_strength=cluster_strength,
            seed=seed,
            progress=progress,
        )

    _make_and_write(make, output, force=force, talking=talking)


@command(group=generate, examples="discreet generate hospital --rows 2000 --seed 7 -o hospital.csv", files_last=True)
def hospital(
    *,
    rows: Rows = 5000,
    seed: Seed = 1,
    output: NewFile,
    force: Force = False,
    talking: TalkingOptions,
) -> None:
    """Make hospital stays that nobody had, with diagnoses, drugs, ages and postcodes."""

    def make(progress: "Progress | None") -> "Transactions":
        del progress  # it is made at once
        return generators.hospital(rows=rows, seed=seed)

    _make_and_write(make, output, force=force, talking=talking)


@command(
    group=generate,
    examples="discreet generate hospital -o hospital.csv\n"
    "discreet release hospital.csv -s 20% -k 10 --method suppressive -o public\n"
    "discreet generate like public -o synthetic",
)
def like(
    *,
    bundle: Annotated[Path, Argument(metavar="BUNDLE", help="A folder of published patterns, exact or with noise.")],
    output: Annotated[
        Path, Option("--output", "-o", writes=True, metavar="DIR", help="The folder to write: whole or not at all.")
    ],
    force: Force = False,
    talking: TalkingOptions,
) -> None:
    """Make rows that fit published patterns, from these alone.

    DIR gets synthetic-rows.csv, the patterns, the certificate of BUNDLE (source.json), a report and a certificate. They
    say that the rows are made up, and by how much their supports are off. The same BUNDLE gives the same rows, and
    discreet verify makes them again. BUNDLE is verified first.
    """
    with patience_note("Making rows up", quiet=talking.quiet):
        done = discreet.synthesize(bundle, output=output, force=force)
    told = done.certificate.promise
    off = f"supports are off by {counted(done.made.worst, 'row')} at most, {float(done.made.average):.1f} on average"
    answer = Answer(
        f"{counted(told['n'], 'made-up row')} that fit {counted(told['itemsets'], 'itemset')}; {off}",
        [Listing(f"In {done.bundle}", [(name, _PURPOSES[name]) for name in done.files])],
        [
            Step(["discreet", "verify", str(done.bundle)], "makes the rows again, and compares them"),
            Step(
                ["discreet", "mine", str(done.bundle / synthetic_bundle.SYNTHETIC_ROWS), "-s", "20%"],
                "what many of them share",
            ),
        ],
    )
    give(done.to_dict, lambda: answer, json=talking.json)


_PURPOSES = {
    "synthetic-rows.csv": "the made-up rows",
    "patterns.csv": "the patterns that they were made from",
    "source.json": "the certificate of their bundle",
    "report.html": "what this is, for people",
    "certificate.json": "what is promised, and a digest of every other file",
}


def _make_and_write(
    make: "Callable[[Progress | None], Transactions]", output: Path, *, force: bool, talking: TalkingOptions
) -> None:
    nothing = discreet.Transactions.from_rows([])
    row_writing.layout_for(nothing, check_output(output, force=force))  # refuses a name that implies no format
    with progress_bar("Making rows up", unit="rows", quiet=talking.quiet) as progress:
        rows = make(progress)
    with patience_note(f"Writing {output}", quiet=talking.quiet):
        discreet.write(rows, output, force=force)
    written = f"{counted(rows.n, 'row')} of {counted(len(rows.vocabulary), 'item')} are in {output}"
    mine = Step(["discreet", "mine", str(output), "-s", "5%"], "what many of them share")
    give(
        lambda: {"n": rows.n, "items": len(rows.vocabulary), "output": str(output)},
        lambda: Answer(written, next_steps=[mine]),
        json=talking.json,
    )

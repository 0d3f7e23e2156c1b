"""`discreet demo`: the whole job on data made on the spot.

The demo is a story in steps. Each step does one job of the program, leaves its files in the folder, and adds what it
found to what is shown at the end; a new job becomes a new step.
"""

# Typer reads the annotations while the program runs.

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.help import HelpfulCommand, command_app
from discreet.cli.option_groups import spread_groups
from discreet.cli.options import Force, TalkingOptions
from discreet.cli.standard_output import write_json
from discreet.transactions.whole_folder import whole_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.channels.audit import Audit
    from discreet.patterns.patternset import PatternSet
    from discreet.transactions.transactions import Transactions

__all__ = ["app", "demo"]

STAYS = 4000
SEED = 1
MIN_SUPPORT = "5%"
K = 10

ROWS = "hospital.csv"
PATTERNS = "patterns.csv"
FILES = {
    ROWS: "the stays, one on each line",
    PATTERNS: "the itemsets, each with the number of stays that have it",
}

app = command_app()


@app.command("demo", cls=HelpfulCommand, epilog="discreet demo\ndiscreet demo -o tour")
@spread_groups
def demo(
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Leave the files in DIR; otherwise in a temporary folder."),
    ] = None,
    force: Force = False,
    talking: TalkingOptions,
) -> None:
    """Show the whole job on made-up hospital data.

    Makes the stays of 4,000 patients who do not exist, finds what many of them share, asks whether that may be
    published, and leaves the files for you to look at and to try the other commands on.
    """
    with _folder(output, force=force) as (folder, final):
        rows = _make_rows(folder / ROWS)
        found = _mine(rows, folder / PATTERNS)
        judged = _audit(rows)
    if talking.json:
        files = {name: str(final / name) for name in FILES}
        verdict = {"safe": judged.safe, "k": judged.k, "channels": len(judged.channels)}
        write_json({"folder": str(final), "files": files, **found.heading(), "audit": verdict})
    else:
        _tell(final, rows, found, judged)


def _make_rows(path: Path) -> "Transactions":
    """Make the stays, and read them back as a user would."""
    from discreet.transactions.generate import hospital
    from discreet.transactions.reading import read
    from discreet.transactions.writing import write

    write(hospital(rows=STAYS, seed=SEED), path)
    return read(path)


def _mine(rows: "Transactions", path: Path) -> "PatternSet":
    """Find what many stays have in common."""
    from discreet.patterns.formats import write_patterns
    from discreet.patterns.mining import mine

    found = mine(rows, min_support=MIN_SUPPORT)
    write_patterns(found, path)
    return found


def _audit(rows: "Transactions") -> "Audit":
    """Ask whether the patterns give anyone away."""
    from discreet.channels import audit

    return audit(rows, k=K, min_support=MIN_SUPPORT)


def _tell(folder: Path, rows: "Transactions", found: "PatternSet", judged: "Audit") -> None:
    from discreet.cli.audit_words import verdict, worst_groups
    from discreet.cli.evidence import first_line, pattern_sizes, pattern_table
    from discreet.cli.screen import answer, listing, next_steps, paragraph, show

    data = str(folder / ROWS)
    show(
        answer(first_line(found, rows="made-up stays")),
        pattern_table(found, rows.item_supports()),
        pattern_sizes(found),
        paragraph("May these patterns be published?"),
        verdict(judged),
        worst_groups(judged, shown=2),
        listing(FILES.items(), title=f"Files in {folder}"),
        next_steps(
            [
                (
                    ["discreet", "audit", data, "-s", MIN_SUPPORT, "-k", str(K)],
                    "shows more of these groups, and the support at which there are none",
                ),
                (["discreet", "mine", data, "-s", "1%"], "looks for what fewer stays share"),
            ]
        ),
    )


@contextmanager
def _folder(output: Path | None, *, force: bool) -> "Iterator[tuple[Path, Path]]":
    """Give the folder to write in, and the one where the files will be found."""
    if output is None:
        new = Path(tempfile.mkdtemp(prefix="discreet-demo-"))
        try:
            yield new, new
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
    else:
        with whole_folder(output, force=force, keep_others=True) as temporary:
            yield temporary, output

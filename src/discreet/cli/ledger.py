"""`discreet ledger`: look into the book of earlier releases."""

# Typer reads the annotations while the program runs.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.help import HelpfulCommand, command_app
from discreet.cli.option_groups import spread_groups
from discreet.cli.options import TalkingOptions
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import write_json
from discreet.errors import NotSafe, ParameterError

if TYPE_CHECKING:
    from discreet.publishing.ledger import Entry

__all__ = ["app", "check", "ledger", "show"]

MAKE = """
discreet generate hospital -o hospital.csv
discreet release hospital.csv -s 20% -k 10 --method suppressive -o public --ledger releases.ledger
"""

LedgerFile = Annotated[Path, typer.Argument(metavar="FILE", help="The ledger that release --ledger keeps.")]

app = command_app(invoke_without_command=True, epilog=f"{MAKE}discreet ledger show releases.ledger")


@app.callback()
def ledger(context: typer.Context) -> None:
    """Show and check the ledger of earlier releases."""
    if context.invoked_subcommand is None:
        from discreet.cli.standard_output import write_text

        write_text(context.get_help() + "\n")


@app.command(cls=HelpfulCommand, epilog=f"{MAKE}discreet ledger show releases.ledger")
@spread_groups
def show(*, file: LedgerFile, talking: TalkingOptions) -> None:
    """List the releases in a ledger."""
    from discreet.publishing.ledger import open_ledger

    with open_ledger(file) as book:
        entries = book.entries
    if talking.json:
        write_json({"releases": [entry.to_dict() for entry in entries]})
    else:
        _tell(file, entries)


@app.command(
    cls=HelpfulCommand,
    epilog=f"{MAKE}discreet ledger check releases.ledger\ndiscreet ledger check releases.ledger public",
)
@spread_groups
def check(
    *,
    file: LedgerFile,
    bundle: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A bundle to check together with the releases in FILE.")
    ] = None,
    rows_left: Annotated[
        bool, typer.Option("--rows-left", help="With DIR: some rows of the releases in FILE have left since.")
    ] = False,
    talking: TalkingOptions,
) -> int:
    """Audit the releases in a ledger together, or a bundle beside them.

    Releases of the same rows are read as one, and so are those of rows that were only added. Status 0 means that no
    group of fewer than k rows follows from all of them.
    """
    from discreet.publishing.earlier_releases import check_bundle, check_entries
    from discreet.publishing.ledger import open_ledger

    if file.is_dir():
        raise ParameterError(
            f"{file} is a folder; name the ledger first: discreet ledger check FILE {file}", parameter="FILE"
        )
    if rows_left and bundle is None:
        raise ParameterError("--rows-left is about DIR; name it after FILE", parameter="rows_left")
    unread: tuple[int, ...] = ()
    with open_ledger(file) as book, patience_note("Auditing the releases together", quiet=talking.quiet):
        entries = book.entries
        try:
            unread = check_entries(entries) if bundle is None else check_bundle(bundle, entries, rows_left=rows_left)
        except NotSafe as refusal:
            found: NotSafe | None = refusal
        else:
            found = None
    from discreet.cli.release_words import refusal_document, tell_check

    if talking.json:
        answer = {"safe": True, "verdict": "safe", "releases": len(entries), "not_read_together": list(unread)}
        write_json(answer if found is None else refusal_document(found))
    else:
        tell_check(file, bundle, len(entries), unread if found is None else found)
    return 0 if found is None else 1


def _tell(file: Path, entries: "tuple[Entry, ...]") -> None:
    from discreet.cli.screen import answer, next_steps, show, table
    from discreet.wording import counted, from_here, number

    parts = [answer(f"{counted(len(entries), 'release')} in {file}")]
    if entries:
        snapshots: dict[str | None, int] = {}
        rows = []
        for entry in entries:
            promise, source = entry.certificate.promise, entry.certificate.input
            rows.append(
                (
                    number(entry.number),
                    entry.day,
                    f"rows {snapshots.setdefault(source, len(snapshots) + 1)}" if source is not None else "unknown",
                    *(
                        number(promise[name]) if name in promise else "-"
                        for name in ("k", "n", "min_support", "itemsets")
                    ),
                    from_here(entry.folder),
                )
            )
        heads = ("release", "day", "of", "k", "n", "support", "itemsets", "folder")
        parts.append(table(heads, rows, title="Releases of the same rows have the same number after “of”."))
    parts.append(next_steps([(["discreet", "ledger", "check", str(file)], "audits all of them together")]))
    show(*parts)

"""`discreet ledger`: inspect the record of earlier releases."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import Annotated, Any

from discreet.cli.command import Argument, CommandGroup, Option, command
from discreet.cli.options import TalkingOptions, Wait
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.errors import NotSafe, ParameterError

__all__ = ["check", "ledger", "show"]

MAKE = """
discreet generate hospital -o hospital.csv
discreet release hospital.csv -s 20% -k 10 --method suppressive -o public --ledger releases.ledger
"""

LedgerFile = Annotated[Path, Argument(metavar="FILE", help="The ledger that release --ledger keeps.")]

ledger = CommandGroup(
    "ledger",
    examples=f"{MAKE}discreet ledger show releases.ledger",
    help="Show and check the ledger of earlier releases.",
)


@command(group=ledger, examples=f"{MAKE}discreet ledger show releases.ledger")
def show(*, file: LedgerFile, wait: Wait = 300, talking: TalkingOptions) -> None:
    """List the releases in a ledger."""
    from discreet.answers.releases import ledger_answer
    from discreet.publishing.ledger import open_ledger

    with open_ledger(file, wait=wait) as book:
        entries = book.entries
    give(
        lambda: {"releases": [entry.to_dict() for entry in entries]},
        lambda: ledger_answer(file, entries),
        json=talking.json,
    )


@command(
    group=ledger,
    examples=f"{MAKE}discreet ledger check releases.ledger\ndiscreet ledger check releases.ledger public",
)
def check(
    *,
    file: LedgerFile,
    bundle: Annotated[
        Path | None, Argument(metavar="DIR", help="A bundle to check together with the releases in FILE.")
    ] = None,
    rows_left: Annotated[
        bool, Option("--rows-left", help="With DIR: some rows of the releases in FILE have left since.")
    ] = False,
    wait: Wait = 300,
    talking: TalkingOptions,
) -> int:
    """Audit the releases in a ledger together, or a bundle with them.

    Releases of the same rows are read as one, and so are those of rows that were only added. Status 0 means that no
    group of fewer than k rows follows from all of them.
    """
    from discreet.answers.releases import refusal_document, together_answer
    from discreet.publishing.earlier_releases import check_bundle, check_entries
    from discreet.publishing.ledger import open_ledger

    if file.is_dir():
        raise ParameterError(
            f"{file} is a folder; name the ledger first: discreet ledger check FILE {file}", parameter="FILE"
        )
    if rows_left and bundle is None:
        raise ParameterError("--rows-left is about DIR; name it after FILE", parameter="rows_left")
    found: NotSafe | tuple[int, ...]
    with open_ledger(file, wait=wait) as book, patience_note("Auditing the releases together", quiet=talking.quiet):
        entries = book.entries
        try:
            found = check_entries(entries) if bundle is None else check_bundle(bundle, entries, rows_left=rows_left)
        except NotSafe as refusal:
            found = refusal

    def document() -> dict[str, Any]:
        if isinstance(found, NotSafe):
            return refusal_document(found)
        return {"safe": True, "verdict": "safe", "releases": len(entries), "not_read_together": list(found)}

    give(document, lambda: together_answer(file, bundle, len(entries), found), json=talking.json)
    return 1 if isinstance(found, NotSafe) else 0

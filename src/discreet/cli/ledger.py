"""`discreet ledger`: inspect and keep the record of earlier releases."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import discreet
from discreet.cli.command import Argument, CommandGroup, Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import EncryptOptions, Force, PassphraseFile, TalkingOptions, Wait, passphrase_of
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.command_words import flag
from discreet.differential_privacy.budget import decimal_text, parse_decimal
from discreet.errors import DataError, LedgerDiffers, NotSafe, ParameterError
from discreet.json_types import JsonObject
from discreet.publishing.ledger_file import check_told
from discreet.publishing.privacy_budget import budget_notes
from discreet.publishing.receipts import parse_receipt

with on_first_use():
    from discreet.answers import releases as release_answers
    from discreet.publishing import bundle as bundles
    from discreet.publishing import earlier_releases, ledger_upgrade

if TYPE_CHECKING:
    from discreet.publishing.ledger import Ledger
    from discreet.publishing.receipts import Receipt

__all__ = ["add", "backup", "budget", "check", "ledger", "show", "supersede", "upgrade", "withdraw"]

MAKE = """
discreet generate hospital -o hospital.csv
discreet release hospital.csv -s 20% -k 10 --method suppressive -o public --ledger releases.ledger --new-ledger
"""

LedgerFile = Annotated[Path, Argument(metavar="FILE", help="The ledger that release --ledger keeps.")]
Number = Annotated[int, Argument(metavar="NUMBER", help="The number of a release, as ledger show has it.")]
Reason = Annotated[str | None, Option("--reason", metavar="TEXT", help="Why, in one line.")]
Bundle = Annotated[Path, Argument(metavar="DIR", help="The folder that discreet release wrote.")]

ledger = CommandGroup(
    "ledger",
    examples=f"{MAKE}discreet ledger show releases.ledger",
    help="Show, check and keep the ledger of earlier releases.",
)


@command(group=ledger, examples=f"{MAKE}discreet ledger show releases.ledger")
def show(
    *, file: LedgerFile, wait: Wait = 300, passphrase_file: PassphraseFile = None, talking: TalkingOptions
) -> None:
    """List the releases in a ledger."""
    passphrase = passphrase_of(file, file=passphrase_file)
    with discreet.open_ledger(file, wait=wait, passphrase=passphrase) as book:
        entries, last, limits = book.entries, book.receipt, book.budget
    give(
        lambda: {**last.to_dict(), "budget": limits, "releases": [entry.to_dict() for entry in entries]},
        lambda: release_answers.ledger_answer(file, entries, last, budget_notes(entries, limits)),
        json=talking.json,
    )


@command(
    group=ledger,
    examples=f"{MAKE}discreet ledger check releases.ledger\ndiscreet ledger check releases.ledger public\n"
    "discreet ledger check releases.ledger --head public.receipt.json",
)
def check(
    *,
    file: LedgerFile,
    bundle: Annotated[
        Path | None, Argument(metavar="DIR", help="A bundle to check together with the releases in FILE.")
    ] = None,
    head: Annotated[
        list[str] | None,
        Option(
            "--head",
            metavar="NUMBER:HEAD",
            help="An entry that FILE must hold, as release prints it, or the file of a receipt (again for each).",
        ),
    ] = None,
    rows_left: Annotated[
        bool, Option("--rows-left", help="With DIR: some rows of the releases in FILE have left since.")
    ] = False,
    rows_added: Annotated[
        bool, Option("--rows-added", help="With DIR: all rows of the releases in FILE are still there.")
    ] = False,
    wait: Wait = 300,
    passphrase_file: PassphraseFile = None,
    talking: TalkingOptions,
) -> int:
    """Audit the releases in a ledger together, or a bundle with them.

    Releases of the same rows are read as one, and so are those of rows that were only added. Status 0 means that no
    group of fewer than k rows follows from all of them, and that the ledger lost nothing that DIR, the receipts next to
    it, or --head can show: no entry is missing, none was changed, and no older copy was restored.
    """
    if file.is_dir():
        raise ParameterError(
            f"{file} is a folder; name the ledger first: discreet ledger check FILE {file}", parameter="FILE"
        )
    check_told(rows_left=rows_left, rows_added=rows_added, ledger=file)
    if bundle is None and (rows_left or rows_added):
        name = "rows_left" if rows_left else "rows_added"
        raise ParameterError(f"{flag(name)} is about DIR; name it after FILE", parameter=name)
    passphrase = passphrase_of(file, file=passphrase_file)
    shown = [(parse_receipt(text), text) for text in head or ()]
    found: NotSafe | LedgerDiffers | tuple[int, ...]
    about: JsonObject = {}
    count = 0
    try:
        with (
            discreet.open_ledger(file, wait=wait, passphrase=passphrase) as book,
            patience_note("Auditing the releases together", quiet=talking.quiet),
        ):
            entries = book.entries
            for receipt, name in shown:
                book.check(receipt, name)
            count = len(entries)
            about = {"releases": count, **book.receipt.to_dict()}
            if bundle is None:
                found = earlier_releases.check_entries(entries, book.budget)
            else:
                about["recorded"] = _recorded(book, bundle)
                told = {"rows_left": rows_left, "rows_added": rows_added}
                found = earlier_releases.check_bundle(bundle, entries, limits=book.budget, **told)
    except (NotSafe, LedgerDiffers) as refusal:
        found = refusal

    def document() -> JsonObject:
        if isinstance(found, LedgerDiffers):
            return {"safe": False, "verdict": "does-not-hold", "problem": found.problem, "reason": str(found)}
        if isinstance(found, NotSafe):
            return release_answers.refusal_document(found)
        return {"safe": True, "verdict": "safe", **about, "not_read_together": list(found)}

    give(document, lambda: release_answers.together_answer(file, bundle, count, found), json=talking.json)
    return 0 if isinstance(found, tuple) else 1


def _recorded(book: "Ledger", bundle: Path) -> int | None:
    """Return the number of a bundle in the ledger; refuse a ledger that must have known it, and does not."""
    book.check_receipts(bundle)
    certificate = bundles.read_certificate(bundle)
    if certificate is None:
        return None  # the bundle is checked afterwards, and refused
    entry = book.entry_of(certificate)
    if entry is None and book.made(certificate):
        raise LedgerDiffers(
            f"{bundle} is of rows that {book.path} knows, and is not in it: an entry was lost, or it was published "
            f"without the ledger; restore the newest backup, or add it: discreet ledger add {book.path} {bundle}",
            "gap",
        )
    return None if entry is None else entry.number


@command(group=ledger, examples=f'{MAKE}discreet ledger withdraw releases.ledger 1 --reason "a wrong table"')
def withdraw(
    *,
    file: LedgerFile,
    number: Number,
    reason: Reason = None,
    wait: Wait = 300,
    passphrase_file: PassphraseFile = None,
    talking: TalkingOptions,
) -> None:
    """Record that a release was withdrawn.

    verify --ledger refuses it from then on. What was public once can be known: new releases are audited together with
    it all the same.
    """
    passphrase = passphrase_of(file, file=passphrase_file)
    with discreet.open_ledger(file, wait=wait, passphrase=passphrase) as book:
        last = book.withdraw(number, reason=reason)
    _tell(file, f"release {number} in {file} is recorded as withdrawn", last, talking)


@command(
    group=ledger,
    examples=f"{MAKE}discreet release --from public -s 40% -o smaller --ledger releases.ledger\n"
    "discreet ledger supersede releases.ledger 1 --by 2",
)
def supersede(
    *,
    file: LedgerFile,
    number: Number,
    by: Annotated[int, Option("--by", metavar="NUMBER", help="The number of the release that replaces it.")],
    reason: Reason = None,
    wait: Wait = 300,
    passphrase_file: PassphraseFile = None,
    talking: TalkingOptions,
) -> None:
    """Record that a release was superseded by a later one.

    verify --ledger says so from then on. New releases are audited together with it all the same.
    """
    passphrase = passphrase_of(file, file=passphrase_file)
    with discreet.open_ledger(file, wait=wait, passphrase=passphrase) as book:
        last = book.supersede(number, by=by, reason=reason)
    _tell(file, f"release {number} in {file} is recorded as superseded by release {by}", last, talking)


@command(
    group=ledger,
    examples=f"{MAKE}discreet ledger budget releases.ledger --epsilon 2 --reason 'one release each quarter'",
)
def budget(
    *,
    file: LedgerFile,
    epsilon: Annotated[
        str | None, Option("--epsilon", metavar="E", help="What all releases with noise may spend together.")
    ] = None,
    delta: Annotated[str | None, Option("--delta", metavar="D", help="The same for delta.")] = None,
    reason: Reason = None,
    wait: Wait = 300,
    passphrase_file: PassphraseFile = None,
    talking: TalkingOptions,
) -> None:
    """Record what all releases with noise in a ledger may spend together.

    release --method dp, run and ledger check obey it from then on, whatever their options say. This is the only way to
    raise a budget; each one stays in the ledger, with its day and reason.
    """
    given = {"epsilon": epsilon, "delta": delta}
    limits = {
        name: decimal_text(parse_decimal(text, parameter=name)) for name, text in given.items() if text is not None
    }
    if not limits:
        raise ParameterError("--epsilon is missing: say what all releases may spend together", parameter="epsilon")
    passphrase = passphrase_of(file, file=passphrase_file)
    with discreet.open_ledger(file, wait=wait, passphrase=passphrase) as book:
        last = book.set_budget(limits, reason=reason)
    said = " and ".join(f"{name} = {limit}" for name, limit in limits.items())
    _tell(file, f"all releases with noise in {file} may spend {said} together", last, talking)


@command(
    group=ledger,
    examples=f"{MAKE}discreet release --from public -s 40% -o smaller\ndiscreet ledger add releases.ledger smaller",
)
def add(
    *,
    file: LedgerFile,
    bundle: Bundle,
    rows_left: Annotated[
        bool, Option("--rows-left", help="Some rows of the releases in FILE had left when it was made.")
    ] = False,
    rows_added: Annotated[
        bool, Option("--rows-added", help="All rows of the releases in FILE were still there when it was made.")
    ] = False,
    wait: Wait = 300,
    passphrase_file: PassphraseFile = None,
    talking: TalkingOptions,
) -> None:
    """Record a bundle that is public already.

    For one that was published without the ledger, or that a restored backup of the ledger lacks. It is recorded whether
    or not it is safe together with the others: ledger check tells that. Its receipt is written next to it.
    """
    check_told(rows_left=rows_left, rows_added=rows_added, ledger=file)
    passphrase = passphrase_of(file, file=passphrase_file)
    found = discreet.verify(bundle)
    if not found.holds:
        raise DataError(f"{bundle} does not hold: {found.checks[-1].words}; only a bundle that holds is recorded")
    with discreet.open_ledger(file, wait=wait, passphrase=passphrase) as book:
        last = book.add(bundle, rows_left=rows_left, rows_added=rows_added)
    _tell(file, f"{bundle} is release {last.number} in {file}", last, talking)


@command(group=ledger, examples=f"{MAKE}discreet ledger backup releases.ledger -o releases.backup")
def backup(
    *,
    file: LedgerFile,
    output: Annotated[Path, Option("--output", "-o", metavar="COPY", help="The file to write.")],
    force: Force = False,
    wait: Wait = 300,
    encrypting: EncryptOptions,
    talking: TalkingOptions,
) -> None:
    """Copy a ledger, whole, while no release is being made.

    To restore it, copy it back under the name of the ledger, and let ledger check compare it with the newest receipt.
    The copy of an encrypted ledger has the same passphrase; any other ledger gets an encrypted copy with --encrypt.
    """
    opening, copying = encrypting.passphrase_of_copy(file, output)
    with discreet.open_ledger(file, wait=wait, passphrase=opening) as book:
        last = book.copy(output, force=force, passphrase=copying)
    _tell(file, f"{output} is a copy of {file}", last, talking)


@command(group=ledger, examples="discreet ledger upgrade old.ledger -o new.ledger")
def upgrade(
    *,
    file: Annotated[Path, Argument(metavar="FILE", help="A ledger of discreet 0.1, which stays as it is.")],
    output: Annotated[Path, Option("--output", "-o", metavar="NEW", help="The ledger to write.")],
    wait: Wait = 300,
    encrypting: EncryptOptions,
    talking: TalkingOptions,
) -> None:
    """Take over a ledger of discreet 0.1: the same key, the same releases."""
    passphrase = encrypting.passphrase(reads=[], writes=[output])
    last = ledger_upgrade.upgrade_ledger(file, output, wait=wait, passphrase=passphrase)
    _tell(output, f"{output} holds what {file} held; use it from now on", last, talking)


def _tell(file: Path, what: str, last: "Receipt", talking: TalkingOptions) -> None:
    give(last.to_dict, lambda: release_answers.noted_answer(file, what, last), json=talking.json)

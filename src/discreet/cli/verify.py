"""`discreet verify`: check a bundle by itself, and against the rows it was made from."""

# `command` reads the annotations at run time.

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import discreet
from discreet.cli.command import Argument, Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import AttackOptions, PassphraseFile, TalkingOptions, Wait, passphrase_of, read_rows
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.command_words import option
from discreet.errors import spelled
from discreet.transactions.options import ReadOptions

with on_first_use():
    from discreet.answers import releases as release_answers
    from discreet.publishing import second_audit

if TYPE_CHECKING:
    from discreet.channels.attacker import StepBudget

__all__ = ["verify"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet release hospital.csv -s 20% -k 10 --method suppressive -o public
discreet verify public
discreet verify public --data hospital.csv --json
"""


@command(examples=EXAMPLES)
def verify(
    *,
    bundle: Annotated[Path, Argument(metavar="DIR", help="The folder that discreet release wrote.")],
    data: Annotated[
        str | None,
        Option("--data", metavar="DATA", help="Also check whether the patterns are those of these rows."),
    ] = None,
    trust: Annotated[
        list[Path] | None,
        Option("--trust", metavar="PUBLIC", help="It must be signed by the owner of this public.pem (again for each)."),
    ] = None,
    ledger: Annotated[
        Path | None,
        Option(
            "--ledger",
            metavar="FILE",
            help="It must be a release in this ledger, not withdrawn; with --data, of exactly these rows.",
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        Option("--proof", metavar="FILE", help="Check this proof of the owner, which release --proof wrote."),
    ] = None,
    attack_steps: Annotated[
        str | None,
        Option(
            "--attack-steps",
            metavar="N|all",
            help="The most steps of the attacker (200000 unless given), however many DIR claims.",
        ),
    ] = None,
    timestamp: Annotated[
        Path | None,
        Option(
            "--timestamp",
            metavar="RESPONSE",
            help="It must have existed, signed as it is, at the time of this time stamp (RFC 3161); keys must have "
            "been valid then, not now.",
        ),
    ] = None,
    timestamp_root: Annotated[
        Path | None,
        Option(
            "--timestamp-root",
            metavar="CA",
            help="The root certificate, in PEM, of the time stamping service you trust.",
        ),
    ] = None,
    wait: Wait = 300,
    passphrase_file: PassphraseFile = None,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> int:
    """Check that a bundle keeps its promise, and holds nothing else.

    Status 0 says that everything holds, 1 that something does not: a file was changed, is missing, does not belong
    there, or holds more than it says; or a group of fewer than k rows follows from what is published. The answer names
    it, with the reason. A bundle of another version cannot be judged: status 1, or 0 if all trusted keys signed it.
    """
    most: StepBudget = second_audit.MOST_ATTACK_STEPS
    if attack_steps is not None:
        most = AttackOptions(attack_steps=attack_steps).keywords()["attack_steps"]
    passphrase = passphrase_of(ledger, proof, file=passphrase_file)
    without_rows = data is None and reading.sql is None
    rows = None if without_rows else read_rows(data, reading, quiet=talking.quiet)
    with (
        patience_note("Verifying", quiet=talking.quiet),
        nullcontext() if ledger is None else discreet.open_ledger(ledger, wait=wait, passphrase=passphrase) as book,
    ):
        found = discreet.verify(
            bundle,
            data=rows,
            trust=trust,
            ledger=book,
            proof=proof,
            passphrase=passphrase,
            attack_steps=most,
            timestamp=timestamp,
            timestamp_root=timestamp_root,
        )
    give(
        lambda: found.to_dict(lambda message: spelled(message, option)),
        lambda: release_answers.verify_answer(bundle, found, program=discreet.__version__),
        json=talking.json,
    )
    return 0 if found.holds or (found.trusted and found.verdict == "not-judged") else 1

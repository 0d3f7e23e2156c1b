"""`discreet run`: do what a policy says."""

# `command` reads the annotations at run time.

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import discreet
from discreet.cli.command import Argument, Option, as_words, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import EncryptOptions, Force, TalkingOptions, Wait
from discreet.cli.passphrase import key_passphrases
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give, note_read
from discreet.command_words import FileList, option, option_words
from discreet.errors import NotSafe, ParameterError, PolicyDiffers, spelled
from discreet.publishing.ledger_file import check_ledger_path

with on_first_use():
    from discreet.answers import policy_runs as policy_answers
    from discreet.answers import releases as release_answers

if TYPE_CHECKING:
    from discreet.json_types import JsonObject

__all__ = ["run"]

EXAMPLES = """
discreet generate hospital --rows 2000 -o hospital.csv
discreet policy init hospital.csv
discreet run --new-ledger --check
discreet run --new-ledger
"""


@command(examples=EXAMPLES)
def run(
    *,
    policy: Annotated[Path, Argument(metavar="POLICY", help="The policy; discreet.toml unless given.")] = Path(
        "discreet.toml"
    ),
    data: Annotated[
        list[str] | None,
        Option("--data", metavar="FILE", help="The rows, instead of those that POLICY names (again for each)."),
    ] = None,
    check: Annotated[bool, Option("--check", help="Only judge: would it be safe? Writes nothing.")] = False,
    dry: Annotated[bool, Option("--dry", help="Show what would be published. Writes nothing.")] = False,
    output: Annotated[
        Path | None,
        Option("--output", "-o", writes=True, metavar="DIR", help="The folder to publish, instead of POLICY's."),
    ] = None,
    new_ledger: Annotated[bool, Option("--new-ledger", help="Begin the ledger with this release.")] = False,
    accept_policy: Annotated[
        bool,
        Option(
            "--accept-policy", help="Go on although POLICY says something else than when the last release was made."
        ),
    ] = False,
    rows_left: Annotated[
        bool, Option("--rows-left", help="Some rows of earlier releases have left since, whatever POLICY says.")
    ] = False,
    fit_ledger: Annotated[
        bool, Option("--fit-ledger", help="Withhold what is not safe together with earlier releases.")
    ] = False,
    wait: Wait = 300,
    key_passphrase_file: Annotated[
        list[Path] | None,
        Option(
            "--key-passphrase-file",
            metavar="FILE",
            help="The passphrase of an encrypted identity is in this file (again for each); else the terminal asks.",
        ),
    ] = None,
    encrypting: EncryptOptions,
    force: Force = False,
    talking: TalkingOptions,
) -> int:
    """Do what a policy says, from reading to verifying.

    Stops with status 1, and writes nothing, if the data have other columns or lack items that POLICY names, if POLICY
    has changed since the last release in its ledger, or if what it asks for is not safe, on its own or together with
    earlier releases. In that case it says what could be published instead: --fit-ledger does it.
    """
    if check and dry:
        raise ParameterError("--check and --dry exclude each other; give one of them", parameter="check")
    found = discreet.read_policy(policy)
    check_ledger_path(found.ledger, new=new_ledger)  # before the terminal asks
    rehearsing = check or dry
    report = None if found.owner_report is None else Path(found.owner_report)
    words = {"data": data, "output": output, "new_ledger": new_ledger or None, "rows_left": rows_left or None}
    words |= {"accept_policy": accept_policy or None, "fit_ledger": fit_ledger or None}
    again = ["discreet", "run", str(policy), *option_words(words), *as_words(encrypting)]
    try:
        with patience_note("Following the policy", quiet=talking.quiet):
            done = discreet.run_policy(
                found,
                data=None if data is None else data[0] if len(data) == 1 else FileList.of(data),
                output=output,
                mode="check" if check else "dry" if dry else "publish",
                new_ledger=new_ledger,
                accept_policy=accept_policy,
                rows_left=rows_left,
                fit_ledger=fit_ledger,
                wait=wait,
                passphrase=encrypting.passphrase(reads=[found.ledger], writes=[report]),
                key_passphrase=None if rehearsing else key_passphrases(found.sign, key_passphrase_file or []),
                force=force,
            )
    except PolicyDiffers as stop:
        reason = spelled(stop.message, option)
        document: JsonObject = {"safe": False, "verdict": "stopped", "problem": stop.problem, "reason": reason}
        give(lambda: document, partial(policy_answers.stopped_answer, reason, str(policy)), json=talking.json)
        return 1
    except NotSafe as refusal:
        give(
            partial(release_answers.refusal_document, refusal),
            partial(
                release_answers.refusal_answer,
                refusal,
                found.ledger,
                None,
                fitted=None if fit_ledger else [*again, "--fit-ledger"],
            ),
            json=talking.json,
        )
        return 1
    note_read(done.read)
    give(done.to_dict, partial(policy_answers.run_answer, done, again, new_ledger=new_ledger), json=talking.json)
    return 0 if done.safe else 1

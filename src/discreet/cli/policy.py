"""`discreet policy`: write and check the file that says how data are published every month."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import Annotated

import discreet
from discreet.answers.answer import Answer, Step
from discreet.cli.command import Argument, CommandGroup, Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import Data, Force, TalkingOptions, data_words
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give, write_json
from discreet.errors import ParameterError
from discreet.policy.keys import schema as of_policies
from discreet.tables.whole import check_output, whole_file
from discreet.transactions.options import ReadOptions

with on_first_use():
    from discreet.answers import policy_runs as policy_answers
    from discreet.policy import draft as drafts
    from discreet.policy import policy as policies


__all__ = ["check", "init", "policy", "schema"]

MAKE = "discreet generate hospital -o hospital.csv\ndiscreet policy init hospital.csv\n"

policy = CommandGroup(
    "policy",
    examples=f"{MAKE}discreet policy check discreet.toml",
    help="Write and check a policy: how data are published every month.",
)


@command(group=policy, examples=f"{MAKE}discreet policy init hospital.csv --unit patients -o hospital.toml")
def init(
    *,
    data: Data = None,
    output: Annotated[
        Path | None,
        Option("--output", "-o", writes=True, metavar="FILE", help="The policy to write; discreet.toml unless given."),
    ] = None,
    force: Force = False,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> None:
    """Write a first policy for DATA.

    It has what discreet look finds out: how DATA is read, its columns, which of them look like ids, whose a row is,
    where to cut numbers, and a support. Every guess has a comment; what readers may know and what is sensitive is
    proposed in comments alone. It can be run as it is.
    """
    if data is None and reading.sql is None:
        raise ParameterError("DATA is missing: name a file, or give --sql", parameter="DATA")
    file = Path(policies.POLICY_FILE) if output is None else output
    check_output(file, force=force)
    with patience_note(f"Looking at {data or 'the database'}", quiet=talking.quiet):
        text = drafts.drafted(data, reading, file)
    found = policies.parse_policy(text, file)
    with whole_file(file, force=force) as temporary:
        temporary.write_text(text, encoding="utf-8")
    answer = Answer(
        f"{file} is a policy for {' '.join(data_words(data, ReadOptions())) or 'the query'}; look at its guesses",
        (),
        [
            Step(["discreet", "run", str(file), "--new-ledger", "--check"], "asks whether it would be safe"),
            Step(["discreet", "run", str(file), "--new-ledger"], "publishes for the first time"),
        ],
    )
    give(found.to_dict, lambda: answer, json=talking.json)


@command(group=policy, examples=f"{MAKE}discreet policy check discreet.toml")
def check(
    *,
    file: Annotated[Path, Argument(metavar="FILE", help="The policy, as in discreet.toml.")],
    talking: TalkingOptions,
) -> None:
    """Say what a policy says, if it can be used.

    Status 0 means that every key is known and has a value that can be used, 2 that one has not: the error names it,
    with its line. Whether data are as the policy says, discreet run --check tells.
    """
    found = discreet.read_policy(file)
    give(found.to_dict, lambda: policy_answers.policy_answer(found), json=talking.json)


@command(group=policy, examples="discreet policy schema")
def schema(*, talking: TalkingOptions) -> None:  # noqa: ARG001 - it is JSON in any case
    """Print the JSON schema of policies, for editors and other programs."""
    write_json(of_policies())

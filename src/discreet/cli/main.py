"""The command `discreet`: what it offers, and how it ends."""

# Typer reads the annotations while the program runs.

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import typer
import typer.main

from discreet.cli.failures import report_failure
from discreet.cli.help import HelpfulGroup
from discreet.cli.standard_output import write_text

__all__ = ["Commands", "app", "discreet", "main"]


class Commands(HelpfulGroup):
    """The commands, in the order in which a newcomer meets them."""

    modules: ClassVar[Mapping[str, str]] = {
        "demo": "Show the whole job on made-up hospital data.",
        "mine": "Find the itemsets that enough rows share.",
        "audit": "Say whether anyone can be singled out from patterns.",
        "tradeoff": "Show how many channels there are at which support.",
        "block": "Make patterns safe with the least distortion.",
        "release": "Publish with evidence that others can re-check.",
        "verify": "Check that a bundle is as published, and keeps its promise.",
        "ledger": "Show and check the ledger of earlier releases.",
        "hide": "Make given patterns unminable from the rows.",
        "anonymize": "Publish rows from which no sensitive item can be concluded.",
        "check": "Say whether a sensitive item can be concluded from rows.",
        "kanon": "Generalize a table until nobody stands out in it.",
        "compare": "Compare anonymous patterns with patterns of an anonymous table.",
        "party": "Mine together with a partner, neither showing rows.",
        "keygen": "Make the identity by which a partner recognizes you.",
        "query": "Count the rows that hold some items and not others.",
        "ui": "Look, try, decide: the workbench in your browser.",
        "generate": "Make rows to try things on.",
    }


app = typer.Typer(
    cls=Commands,
    invoke_without_command=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="discreet demo\ndiscreet generate hospital -o hospital.csv\ndiscreet mine hospital.csv -s 5%",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from discreet import __version__

        write_text(f"discreet {__version__}\n")
        raise typer.Exit


@app.callback()
def discreet(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - answered before anything else is looked at
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="After an error, show where it occurred.")] = False,  # noqa: ARG001
) -> None:
    """Publish patterns, not people.

    May these patterns, or these rows, leave the building? And if not, what is the smallest change that makes them
    safe?
    """
    if context.invoked_subcommand is None:
        write_text(context.get_help() + "\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: see `discreet.cli.failures` for those that are not its own."""
    words = tuple(sys.argv[1:] if argv is None else argv)
    try:
        return _run(list(words))
    except typer.Exit as end:
        return end.exit_code
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - here every fault becomes a sentence and a status
        return report_failure(error, debug="--debug" in words)


def _run(words: list[str]) -> int:
    command = typer.main.get_command(app)
    if "_DISCREET_COMPLETE" in os.environ:  # the shell asks what could come next
        command.main(prog_name="discreet")
    with command.make_context("discreet", words) as context:
        status = command.invoke(context)
    return int(status or 0)

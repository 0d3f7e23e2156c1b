"""The command `discreet`: its commands, and its exit status."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar, Final

import click
from click.shell_completion import get_completion_class

from discreet.cli.command import CommandGroup
from discreet.cli.failures import report_failure, warnings_as_sentences
from discreet.cli.standard_output import write_text
from discreet.errors import InternalFault
from discreet.tables.scratch import remove_abandoned, remove_own
from discreet.tables.system import ENDING_SIGNALS

__all__ = ["Commands", "discreet", "main"]


class Commands(CommandGroup):
    """The commands, in the order in which a newcomer meets them."""

    modules: ClassVar[Mapping[str, str]] = {
        "demo": "Show the whole job on made-up hospital data.",
        "look": "Say what a file is, and what to do with it.",
        "mine": "Find the itemsets that enough rows share.",
        "audit": "Say whether anyone can be singled out from patterns.",
        "tradeoff": "Show how the number of channels depends on the support.",
        "block": "Make patterns safe with the least distortion.",
        "release": "Publish with evidence that others can re-check.",
        "verify": "Check that a bundle keeps its promise, and holds nothing else.",
        "sign": "Verify a bundle, and add your signature to it.",
        "ledger": "Show, check and keep the ledger of earlier releases.",
        "policy": "Write and check a policy: how data are published every month.",
        "run": "Do what a policy says, from reading to verifying.",
        "hide": "Change rows so that given patterns cannot be mined.",
        "anonymize": "Publish rows from which no sensitive item can be concluded.",
        "check": "Say whether a sensitive item can be concluded from rows.",
        "kanon": "Generalize a table until nobody stands out in it.",
        "compare": "Compare ways to publish: what each loses, and what it promises.",
        "party": "Mine together with a partner, without showing rows.",
        "keygen": "Make the identity by which a partner recognizes you.",
        "query": "Count the rows that hold some items and not others.",
        "encrypt": "Encrypt a file with a passphrase, for you alone.",
        "decrypt": "Show what an encrypted file holds.",
        "ui": "Look, try, decide: the workbench in your browser.",
        "generate": "Make up rows to try things on.",
    }


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from discreet import __version__

        write_text(f"discreet {__version__}\n")
        context.exit()


def _print_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Print the completion script for a shell."""
    if shell is not None:
        completion = get_completion_class(shell)
        if completion is None:
            raise InternalFault(f"Click knows no completion for {shell}")
        write_text(completion(discreet, {}, "discreet", _COMPLETE).source() + "\n")
        context.exit()


_COMPLETE: Final = "_DISCREET_COMPLETE"
_OPTIONS: Final = [
    click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the version.",
    ),
    click.Option(["--debug"], is_flag=True, help="After an error, show where it occurred."),
    click.Option(
        ["--show-completion"],
        type=click.Choice(["bash", "zsh", "fish"]),
        metavar="SHELL",
        is_eager=True,
        expose_value=False,
        callback=_print_completion,
        help="Print the script that completes words in bash, zsh or fish.",
    ),
]

discreet = Commands(
    "discreet",
    help="Publish patterns, not people.\n\nMay these patterns, or these rows, leave the building? And if not, what is "
    "the smallest change that makes them safe?",
    examples="discreet demo\ndiscreet generate hospital -o hospital.csv\ndiscreet mine hospital.csv -s 5%",
    params=_OPTIONS,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: see `discreet.cli.failures` for errors."""
    words = tuple(sys.argv[1:] if argv is None else argv)
    try:
        with _ended_like_ctrl_c(), warnings_as_sentences():
            remove_abandoned()
            return _run(list(words))
    except click.exceptions.Exit as end:
        return end.exit_code
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every error becomes a sentence and a status here
        if isinstance(error, KeyboardInterrupt):
            remove_own()
        return report_failure(error, debug="--debug" in words)


@contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """End on SIGTERM and SIGHUP as on Ctrl-C, with everything cleaned up, unless they are ignored (as by nohup)."""
    ways = ENDING_SIGNALS if threading.current_thread() is threading.main_thread() else ()
    changed = [way for way in ways if signal.getsignal(way) is signal.SIG_DFL]
    for way in changed:
        signal.signal(way, signal.default_int_handler)
    try:
        yield
    finally:
        for way in changed:
            signal.signal(way, signal.SIG_DFL)


def _run(words: list[str]) -> int:
    if _COMPLETE in os.environ:  # the shell requests completions
        discreet.main(prog_name="discreet")
    with discreet.make_context("discreet", words) as context:
        status = discreet.invoke(context)
    return int(status or 0)

"""`discreet ui`: the workbench, a page in the browser that is served on this machine only."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import Annotated

from discreet.cli.command import Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.standard_output import write_text
from discreet.errors import EngineError
from discreet.publishing.ledger_file import check_ledger_path

with on_first_use():
    from discreet.workbench import server

__all__ = ["ui"]

EXAMPLES = """
discreet ui
discreet ui --port 8080 --no-browser
discreet ui --ledger releases.ledger --new-ledger
"""

_MEGA = 1_000_000


@command(examples=EXAMPLES)
def ui(
    *,
    port: Annotated[
        int | None,
        Option("--port", metavar="P", min=1, help="Serve on this port; otherwise a free one is chosen."),
    ] = None,
    no_browser: Annotated[bool, Option("--no-browser", help="Only print the address; open no browser.")] = False,
    max_size: Annotated[
        int, Option("--max-size", metavar="MB", min=1, help="How large a file may be dropped on the page.")
    ] = 1000,
    ledger: Annotated[
        Path | None,
        Option(
            "--ledger",
            metavar="FILE",
            help="Record every bundle of patterns here, and judge it together with all that is there.",
        ),
    ] = None,
    new_ledger: Annotated[bool, Option("--new-ledger", help="Begin the ledger with the first bundle.")] = False,
    debug: Annotated[bool, Option("--debug", help="After an error, show where it occurred.")] = False,  # noqa: ARG001
) -> None:
    """Look, try, decide: the workbench in your browser.

    Serves a page on this machine alone, until Ctrl-C. The address that is printed holds a token; whoever does not have
    it is refused. Files that you drop stay here, and are removed at the end. A bundle of patterns is judged together
    with those that were downloaded before; with --ledger, with all that the ledger has.
    """
    try:
        import nicegui  # noqa: F401
    except ModuleNotFoundError as error:
        raise EngineError(
            "the workbench needs NiceGUI, which is not installed; pip install 'discreet[workbench]'"
        ) from error
    check_ledger_path(ledger, new=new_ledger)

    def announce(address: str) -> None:
        write_text(f"The workbench is at {address}\nCtrl-C ends it, and removes what was dropped there.\n")

    server.serve(port=port, browser=not no_browser, max_size=max_size * _MEGA, announce=announce, ledger=ledger)

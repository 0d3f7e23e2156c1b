"""`discreet party`: mine together with a partner, neither showing rows."""

# Typer reads the annotations while the program runs.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from discreet.cli.help import HelpfulCommand, command_app
from discreet.cli.option_groups import spread_groups
from discreet.cli.options import Force, MinSupport, OutputFile, ReadingOptions, TalkingOptions
from discreet.cli.standard_output import write_json
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from discreet.twoparty.party import Joint

__all__ = ["app", "party"]

EXAMPLES = """
discreet keygen our-keys
discreet party --estimate --rows 8124 --columns 40,40 -s 35% -k 10
"""
SHOWN = 10

app = command_app()


@app.command("party", cls=HelpfulCommand, epilog=EXAMPLES)
@spread_groups
def party(
    *,
    listen: Annotated[
        str | None, typer.Option("--listen", metavar="HOST:PORT", help="Wait for the partner at this address.")
    ] = None,
    connect: Annotated[
        str | None, typer.Option("--connect", metavar="HOST:PORT", help="Call the partner at this address.")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="DATA", help="Your rows: a file, or - for standard input.")
    ] = None,
    min_support: MinSupport,
    k: Annotated[int, typer.Option("-k", metavar="K", help="No group of 1 to K-1 people may be computable.")],
    protocol: Annotated[
        Literal["ic-sapm", "dka-sapm"],
        typer.Option(
            "--protocol",
            metavar="NAME",
            help="ic-sapm withholds what would single someone out, dka-sapm makes the joint rows K-anonymous first.",
        ),
    ] = "ic-sapm",
    identity: Annotated[
        Path | None, typer.Option("--identity", metavar="FILE", help="Your identity.pem, which keygen made.")
    ] = None,
    trust: Annotated[
        Path | None, typer.Option("--trust", metavar="FILE", help="The partner's public.pem; nobody else is let in.")
    ] = None,
    intersect: Annotated[
        bool, typer.Option("--intersect", help="Keep the people that both sides have, found by their ids.")
    ] = False,
    horizontal: Annotated[
        bool, typer.Option("--horizontal", help="The sides hold different people with the same items.")
    ] = False,
    labels: Annotated[
        str | None,
        typer.Option("--labels", metavar="LIST", help="horizontal: the items to look at: a,b,c or @FILE."),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", metavar="SECONDS", help="How long to wait for a partner that is not there or silent."
        ),
    ] = 30.0,
    output: OutputFile = None,
    force: Force = False,
    reading: ReadingOptions,
    talking: TalkingOptions,
) -> None:
    """Mine together with a partner, neither showing rows.

    Both sides hold other columns about the same people, in the same order, and run this command at the same time, one
    with --listen, one with --connect. Both get the frequent itemsets over all columns from which no group of 1 to K-1
    people can be computed, and of the others that are frequent the names alone. Neither side learns anything else about
    the other's rows; the names of what is frequent on either side alone are exchanged.

    What is written with -o may be published. The list of what was withheld is for the two of you alone.
    """
    if identity is None or trust is None:
        missing = "--identity" if identity is None else "--trust"
        raise ParameterError(f"{missing} is missing: give a file that discreet keygen made", parameter=missing)
    from discreet.cli.progress import stage_note
    from discreet.patterns import formats
    from discreet.twoparty.party import party as run

    if output is not None:
        formats.check_pattern_file(output, force=force)
    _warn_of_readable_key(identity)
    rows = reading.rows(data, quiet=talking.quiet)
    with stage_note(quiet=talking.quiet) as tell:
        done = run(
            rows,
            min_support=min_support,
            k=k,
            identity=identity,
            trust=trust,
            protocol=protocol,
            listen=listen,
            connect=connect,
            intersect=intersect,
            horizontal=horizontal,
            labels=labels,
            timeout=timeout,
            watch=tell,
        )
    if output is not None:
        formats.write_patterns(done.patterns, output, force=force)
    if talking.json:
        write_json(done.to_dict())
    else:
        _tell(done, output)


def _warn_of_readable_key(identity: Path) -> None:
    if identity.is_file() and identity.stat().st_mode & 0o077:
        typer.echo(f"warning: other users of this machine can read {identity}; chmod 600 {identity}", err=True)


def _tell(done: "Joint", output: Path | None) -> None:
    from discreet.cli.screen import answer, next_steps, paragraph, show

    found = done.found
    parts = [answer(_verdict(done), verdict="SAFE", style="bold green")]
    if len(found.patterns):
        parts.append(_released(done))
    parts += [paragraph(_withheld(done)), paragraph(_cost(done))]
    if output is not None:
        parts += [
            paragraph(f"Written to {output}: this may be published. The names above are for the two of you alone."),
            next_steps(
                [
                    (
                        ["discreet", "audit", "--patterns", str(output), "-k", str(found.k)],
                        "asks also what follows for itemsets that are not published",
                    )
                ]
            ),
        ]
    show(*parts)


def _verdict(done: "Joint") -> str:
    from discreet.cli.wording import counted, number

    found = done.found
    return (
        f"{counted(len(found.patterns), 'itemset')} from which no group of fewer than {found.k} of "
        f"{number(found.n)} people can be computed"
    )


def _released(done: "Joint") -> "RenderableType":
    from discreet.cli.screen import table
    from discreet.cli.wording import itemset_text, number, percent

    patterns = done.patterns
    listed = patterns.to_dict()["itemsets"]
    lines = [
        (number(each["support"]), percent(each["support"], patterns.n), itemset_text(each["items"]))
        for each in listed[:SHOWN]
    ]
    more = len(listed) - len(lines)
    title = "What may be published" + (f" (the first {SHOWN}; --json and -o have all)" if more else "")
    return table(("people", "share", "items"), lines, title=title)


def _withheld(done: "Joint") -> str:
    from discreet.cli.wording import counted, itemset_text, number

    if not done.withheld:
        return "No frequent itemset had to be withheld."
    shown = [f"  {itemset_text(each)}" for each in done.withheld[:SHOWN]]
    more = len(done.withheld) - len(shown)
    rest = [f"  … and {number(more)} more (--json lists them all)"] if more else []
    count = counted(len(done.withheld), "frequent itemset")
    return "\n".join([f"{count} withheld, not for release:", *shown, *rest])


def _cost(done: "Joint") -> str:
    from discreet.cli.wording import counted

    cost = done.transcript
    return (
        f"{cost.bytes_sent / 1e6:,.1f} MB sent and {cost.bytes_received / 1e6:,.1f} MB received in "
        f"{counted(cost.rounds, 'round')} and {cost.seconds:,.1f} seconds."
    )

"""`discreet tradeoff`: show how many channels there are at each support."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import discreet
from discreet.answers.answer import Answer, Headline, Step, TextTable
from discreet.cli.command import Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import Data, Force, IgnoreUnknown, QuasiIdentifiers, TalkingOptions, data_words, read_rows
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give, what_a_row_is
from discreet.transactions.options import ReadOptions
from discreet.wording import free_name, number, percent

with on_first_use():
    from discreet.channels import threshold_lists
    from discreet.cli import screen
    from discreet.publishing import charts

if TYPE_CHECKING:
    from discreet.channels.tradeoff import Tradeoff

__all__ = ["tradeoff"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet tradeoff hospital.csv -s 10%,20%,30%,40% -k 10,25
discreet tradeoff hospital.csv -s 10%..60%:11 -k 5,10,25,50 -o tradeoff.svg
discreet tradeoff hospital.csv -s 500..2000:4 -k 10 --json
"""

SHOWN = 20
"""How many supports are shown; --json lists them all."""


def _checked_supports(text: str) -> str:
    """Refuse invalid supports before any row is read."""
    threshold_lists.parse_supports(text)
    return text


def _checked_ks(text: str) -> str:
    threshold_lists.parse_ks(text)
    return text


@command(examples=EXAMPLES, files_last=True)
def tradeoff(
    *,
    data: Data = None,
    min_support: Annotated[
        str,
        Option(
            "--min-support",
            "-s",
            metavar="S1,S2,…",
            help="Supports to look at: each as 8, 60% or 0.6; A..B:N for N of them evenly from A to B; or @FILE.",
            parse=_checked_supports,
        ),
    ],
    ks: Annotated[
        str,
        Option(
            "-k",
            metavar="K1,K2,…",
            help="No group of 1 to K-1 rows shall be computable: several K at once, or @FILE.",
            parse=_checked_ks,
        ),
    ],
    quasi_identifiers: QuasiIdentifiers = None,
    ignore_unknown: IgnoreUnknown = False,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            writes=True,
            metavar="FILE",
            help="Draw the curves into FILE, .svg or .html, whole or not at all.",
        ),
    ] = None,
    force: Force = False,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> int:
    """Show how the number of channels depends on the support.

    The lower the support, the more patterns, and the more channels: groups of 1 to K-1 rows that can be computed from
    the patterns. For each K, this finds the lowest support without a channel, and counts the channels at each support.

    Status 1 means that no itemset has any of the supports: then there is nothing to publish, and nothing is drawn.
    """
    if output is not None:
        charts.check_chart_file(output, force=force)
    rows = read_rows(data, reading, quiet=talking.quiet)
    with patience_note("Counting channels", quiet=talking.quiet):
        found = discreet.tradeoff(
            rows, min_support=min_support, k=ks, quasi_identifiers=quasi_identifiers, ignore_unknown=ignore_unknown
        )
    if found.verdict == "nothing":
        give(found.to_dict, lambda: _nothing(found), json=talking.json)
        return 1
    if output is not None:
        charts.write_tradeoff_chart(found, output, force=force)
    chosen = [] if quasi_identifiers is None else ["--quasi-identifiers", quasi_identifiers]
    chosen += ["--ignore-unknown"] if ignore_unknown else []
    again = None if data == "-" else [*data_words(data, reading), *chosen]
    give(found.to_dict, lambda: _answer(found, output, again, ["-s", min_support, "-k", ks]), json=talking.json)
    return 0


def _nothing(found: "Tradeoff") -> "Answer":
    least = f"at least {number(int(found.min_supports[0]))} of {what_a_row_is().counted(found.n)}"
    return Answer(Headline("NOTHING TO PUBLISH", "open", f"no itemset occurs in {least}; lower -s"))


def _answer(found: "Tradeoff", output: Path | None, again: list[str] | None, thresholds: list[str]) -> "Answer":
    first, *others = found.sentences
    return Answer(
        first,
        [
            *(["\n".join(others)] if others else []),
            _table(found),
            "Counted from the patterns themselves. The audit adds what follows for other itemsets.",
            *([] if output is None else [f"Written to {output}."]),
        ],
        [] if again is None else _steps(found, output, again, thresholds),  # standard input cannot be read again
    )


def _table(found: "Tradeoff") -> "TextTable":
    """Return channels by support and k, as many columns as fit the screen."""
    rows = _spread(len(found.min_supports))
    heads = ["support", "rows", "closed itemsets"]
    lines = [
        [percent(min(support, found.n), found.n), number(support), number(int(found.closed[row]))]
        for row, support in zip(rows, found.min_supports[rows].tolist(), strict=True)
    ]
    room = screen.screen_width() - 4 - sum(2 + max(map(len, column)) for column in zip(heads, *lines, strict=True))
    for k, counts in zip(found.ks.tolist(), found.channels[rows].T.tolist(), strict=True):
        cells = [f"k = {k}", *(number(count) for count in counts)]
        room -= 2 + max(map(len, cells))
        if room < 0:
            break
        heads.append(cells[0])
        for line, cell in zip(lines, cells[1:], strict=True):
            line.append(cell)
    all_shown = len(rows) == len(found.min_supports) and len(heads) == 3 + len(found.ks)
    rest = "" if all_shown else " (some of them: --json lists all)"
    # The last column of a table is left-aligned; this one is for numbers.
    return TextTable(f"Channels at each support{rest}", [*heads, ""], [[*line, ""] for line in lines])


def _spread(count: int) -> list[int]:
    """Return all indices, or some evenly spaced between the first and the last."""
    if count <= SHOWN:
        return list(range(count))
    return [place * (count - 1) // (SHOWN - 1) for place in range(SHOWN)]


def _steps(found: "Tradeoff", output: Path | None, again: list[str], thresholds: list[str]) -> "list[Step]":
    steps = []
    safe = {k: support for k, support in found.lowest.items() if support is not None and support <= found.highest}
    if safe:
        k, support = next(iter(safe.items()))
        audit = ["discreet", "audit", *again, "-s", str(support), "-k", str(k)]
        steps.append(Step(audit, "asks also what follows for itemsets that are not published"))
    unsafe = found.ks[(found.channels[0] > 0) & (found.ks <= found.n)].tolist()
    if unsafe:
        at = ["-s", str(found.min_supports[0]), "-k", str(unsafe[0])]
        block = ["discreet", "block", *again, *at, "--method", "additive"]
        steps.append(Step(block, "or keeps the low support, and changes what it must"))
    if output is None:
        draw = ["discreet", "tradeoff", *again, *thresholds, "-o", free_name("tradeoff", ".svg")]
        steps.append(Step(draw, "draws the curves (or .html)"))
    return steps

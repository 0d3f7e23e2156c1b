"""`discreet compare`: what is left of patterns if they, or the data, are anonymized, and what each way promises."""

# `command` reads the annotations at run time.

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import discreet
from discreet.answers.answer import Answer, Listing, TextTable
from discreet.cli.command import Option, command
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import (
    EXCLUSIVE,
    RHO,
    AllowIdentifiers,
    Data,
    Force,
    IgnoreUnknown,
    MinSupport,
    TalkingOptions,
    check_sensitive,
    read_rows,
)
from discreet.cli.progress import patience_note
from discreet.cli.standard_output import give
from discreet.errors import ParameterError
from discreet.thresholds import K
from discreet.transactions.options import ReadOptions
from discreet.wording import counted, label_text, number, share

with on_first_use():
    from discreet.channels import exclusive_names
    from discreet.publishing import charts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from discreet.microdata.comparison import Comparison, Way
    from discreet.microdata.noisy_ways import NoisyWay

__all__ = ["compare"]

EXAMPLES = """
discreet compare --database :memory: --sql "SELECT 20 + i % 9 AS age, i % 4 AS area, i % 7 < 5 AS flu \
FROM range(500) t(i)" -s 100 -k 15 --quasi-identifiers age,area
discreet generate hospital -o hospital.csv
discreet compare hospital.csv -s 20% -k 10
discreet compare hospital.csv -s 20% -k 10 --sensitive 'diagnosis asthma' --rho 0.5
"""


@command(examples=EXAMPLES)
def compare(
    *,
    data: Data = None,
    min_support: MinSupport,
    k: Annotated[int, Option("-k", metavar="K", help="Groups of fewer than K rows must not be recognizable.")],
    quasi_identifiers: Annotated[
        str | None,
        Option(
            "--quasi-identifiers",
            metavar="LIST",
            help="The columns by which a stranger could recognize someone: age,diag* or @FILE. A k-anonymous table is "
            "compared as well.",
        ),
    ] = None,
    sensitive: Annotated[
        str | None,
        Option(
            "--sensitive",
            metavar="LIST",
            help="What nobody may conclude: labels, columns or beginnings (a,diag*), or a file with one per line; "
            "anonymized rows are compared as well.",
        ),
    ] = None,
    rho: Annotated[str | None, RHO] = None,
    ignore_unknown: IgnoreUnknown = False,
    allow_identifiers: AllowIdentifiers = None,
    hierarchies: Annotated[
        Path | None,
        Option(
            "--hierarchies",
            metavar="DIR",
            help="For the table: a folder with what the values of each such column become: age.csv for age. "
            "Without it, a value can only become *.",
        ),
    ] = None,
    suppress: Annotated[
        int | None,
        Option(
            "--suppress",
            metavar="ROWS",
            min=0,
            help="For the table: how many rows may be left out; otherwise K with datafly, none with incognito.",
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        Option(
            "--epsilon",
            metavar="LIST",
            help="Try noise (differential privacy) at each of these, or none; 0.1,0.5,1,2 if OpenDP is installed "
            "(discreet[dp]).",
        ),
    ] = None,
    exclusive: Annotated[list[str] | None, EXCLUSIVE()] = None,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            writes=True,
            metavar="FILE",
            help="Draw a chart: .svg, or .html with the numbers. Not for release.",
        ),
    ] = None,
    force: Force = False,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> None:
    """Compare ways to publish: what each loses, and what it promises.

    For the same roles, K and R: patterns first mines the rows and then blocks what gives people away, as block does
    (additive raises supports, suppressive leaves rows out). Data first generalizes the table, as kanon does with
    datafly or incognito, or anonymizes rows for the sensitive items, as anonymize does, and then mines what is left.
    Noise is differential privacy, as of release --method dp.

    What is shown here, and the chart, are for you alone.
    """
    check_sensitive(sensitive, rho)
    if quasi_identifiers is not None and reading.format not in (None, "table"):
        raise ParameterError(
            f"only a table has columns to generalize; --format must be table, got {reading.format!r}",
            parameter="format",
        )
    K.parse(k)
    if output is not None:
        charts.check_chart_file(output, force=force)
    reading = reading if quasi_identifiers is None else replace(reading, format="table")
    rows = read_rows(data, reading, quiet=talking.quiet)
    with patience_note("Comparing", quiet=talking.quiet):
        found = discreet.compare(
            rows,
            k=k,
            min_support=min_support,
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            rho=rho,
            hierarchies=hierarchies,
            suppress=suppress,
            ignore_unknown=ignore_unknown,
            allow_identifiers=allow_identifiers,
            epsilon=epsilon,
            exclusive=exclusive_names.parse_exclusive(exclusive, typed=True) or None,
        )
    if output is not None:
        charts.write_comparison_chart(found, output, force=force)
    give(found.to_dict, lambda: _answer(found), json=talking.json)


def _answer(found: "Comparison") -> "Answer":
    patterns, data = found.of_road("patterns-first"), found.of_road("data-first")
    loses = ["kept", "invented", "exact", "coarser", "average", "worst", "rows", "cells", "way"]
    promises = ["k", *([] if found.rho is None else ["rho"]), "small groups"]
    promises += [*([] if found.rho is None else ["conclusions"]), "way"]
    roads = {
        "data-first": [way.kept for way in data],
        "noise": [way.kept for way in found.noisy],
    }
    others = [f", {road} {_range(kept)}" for road, kept in roads.items() if kept]
    return Answer(
        f"patterns-first keeps {_range(way.kept for way in patterns)} of {counted(found.itemsets, 'itemset')}"
        + "".join(others),
        [
            TextTable(
                "What is left of the itemsets, and what it costs",
                loses,
                [*map(_losses, found.ways), *map(_noisy_losses, found.noisy)],
            ),
            _meaning(found, patterns, data),
            TextTable(
                "What is promised, and what can be counted from the patterns all the same",
                promises,
                [_promises(way) for way in found.ways],
            ),
            Listing("The promises, and against whom", list(_alike(found))),
            *_limits(found),
        ],
    )


def _range(values: "Iterable[int]") -> str:
    low, high = (each(chosen) for chosen in [list(values)] for each in (min, max))
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _losses(way: "Way") -> list[str]:
    rows = f"+{number(way.rows_added)}" if way.rows_added else f"-{number(way.rows_left_out)}"
    return [
        number(way.kept),
        number(way.invented),
        number(way.exact),
        number(way.generalized),
        share(way.average),
        share(way.worst),
        "0" if rows == "-0" else rows,
        "-" if way.cells_lost is None else "0" if not way.cells_lost else f"-{number(way.cells_lost)}",
        way.method,
    ]


def _promises(way: "Way") -> list[str]:
    k = ["yes" if way.keeps_k else "no"]
    if way.conclusions is None:
        return [*k, number(way.channels), way.method]
    return [*k, "yes" if way.keeps_rho else "no", number(way.channels), number(way.conclusions), way.method]


def _noisy_losses(way: "NoisyWay") -> list[str]:
    left = [number(way.kept), number(way.invented), "-", "-", share(way.average), share(way.worst)]
    return [*left, "-", "-", way.name.removeprefix("dp, ")]


def _alike(found: "Comparison") -> "Iterator[tuple[str, str]]":
    """Yield the methods that make the same promise, and the promise."""
    alike: dict[tuple[str, str], list[str]] = {}
    for way in found.measured:
        alike.setdefault((way.promise, way.against), []).append(way.name)
    for (promise, against), names in alike.items():
        yield ", ".join(names), f"{promise} (against {against})"


def _meaning(found: "Comparison", patterns: "tuple[Way, ...]", data: "tuple[Way, ...]") -> str:
    if not found.itemsets:
        return f"No itemset of the data has {counted(found.min_support, 'row')}: there is nothing to keep; lower -s."
    best = min(patterns, key=lambda way: way.average)
    change = f"off by {share(best.average)} on average" if best.average else "exact"
    blocked = f"Supports of the {counted(found.itemsets, 'itemset')} are {change} with {best.method} blocking"
    if not data:
        return f"{blocked}."
    lost, coarser = _range(way.lost for way in data), _range(way.generalized for way in data)
    return (
        f"{blocked}; anonymizing the data first loses {lost} of them, and gives {coarser} coarser ones, with "
        "generalized values."
    )


def _limits(found: "Comparison") -> list[str]:
    texts = []
    for way in found.of_road("patterns-first"):
        if way.rows_left_out == found.n:
            texts.append(f"Blocking that is {way.method} finds nothing here that could be published.")
        elif way.withheld:
            are = "is" if way.withheld == 1 else "are"
            texts.append(f"With {way.method} blocking, {counted(way.withheld, 'itemset')} {are} withheld for rho.")
    if most := max(way.channels for way in found.ways):
        names = found.quasi_identifiers
        who = "any items" if names is None else f"other items than {', '.join(label_text(name) for name in names)}"
        texts.append(
            f"Whoever knows {who} of a person can compute up to {counted(most, 'group')} of fewer than "
            f"{number(found.k)} rows from the patterns (small groups)."
        )
    if found.noisy:
        texts.append("With noise (differential privacy), another run gives other figures.")
    texts += [f"Not compared: {', '.join(methods)}, since {why}." for why, methods in _reasons(found).items()]
    if found.min_support > found.asked_support:
        texts.append(f"The minimum support was raised to {number(found.min_support)}, since fewer are a group.")
    return texts


def _reasons(found: "Comparison") -> dict[str, list[str]]:
    """Return why methods are absent, and which."""
    reasons: dict[str, list[str]] = {}
    for method, why in found.absent.items():
        reasons.setdefault(why, []).append(method)
    return reasons

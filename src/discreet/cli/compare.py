"""`discreet compare`: what is left of a table's patterns if the patterns, or the data, are anonymized."""

# `command` reads the annotations at run time.

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from discreet.cli.command import Option, command
from discreet.cli.options import Data, IgnoreUnknown, MinSupport, TalkingOptions, read_rows
from discreet.cli.standard_output import give
from discreet.errors import ParameterError
from discreet.transactions.options import ReadOptions
from discreet.wording import counted, label_text, number, share

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.answers.answer import Answer
    from discreet.microdata.comparison import Comparison, Way

__all__ = ["compare"]

EXAMPLES = """
discreet compare --database :memory: --sql "SELECT 20 + i % 9 AS age, i % 4 AS area, i % 7 < 5 AS flu \
FROM range(500) t(i)" -s 100 -k 15 --quasi-identifiers age,area
"""


@command(examples=EXAMPLES)
def compare(
    *,
    data: Data = None,
    min_support: MinSupport,
    k: Annotated[int, Option("-k", metavar="K", help="Groups of fewer than K rows must not be recognizable.")],
    quasi_identifiers: Annotated[
        str,
        Option(
            "--quasi-identifiers",
            metavar="LIST",
            help="Data first: the columns by which a stranger could recognize someone: a,b,c or @FILE.",
        ),
    ],
    ignore_unknown: IgnoreUnknown = False,
    hierarchies: Annotated[
        Path | None,
        Option(
            "--hierarchies",
            metavar="DIR",
            help="Data first: a folder with what the values of each such column become: age.csv for age. "
            "Without it, a value can only become *.",
        ),
    ] = None,
    suppress: Annotated[
        int | None,
        Option(
            "--suppress",
            metavar="ROWS",
            min=0,
            help="Data first: how many rows may be left out; otherwise K with datafly, none with incognito.",
        ),
    ] = None,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> None:
    """Compare anonymous patterns with patterns of an anonymous table.

    Patterns first mines the table and then blocks what gives people away, as block does: additive raises supports,
    suppressive leaves rows out. Data first generalizes the table, as kanon does with datafly or incognito, and then
    mines what is left. The answer says what becomes of the table's itemsets in each of the four ways.

    Nothing is written. What is shown here is for you alone.
    """
    from discreet.cli.progress import patience_note
    from discreet.microdata.comparison import compare as run
    from discreet.thresholds import K

    if reading.format not in (None, "table"):
        raise ParameterError(
            f"only a table has columns to generalize; --format must be table, got {reading.format!r}",
            parameter="format",
        )
    K.parse(k)
    rows = read_rows(data, replace(reading, format="table"), quiet=talking.quiet)
    with patience_note("Comparing", quiet=talking.quiet):
        found = run(
            rows,
            k=k,
            min_support=min_support,
            quasi_identifiers=quasi_identifiers,
            hierarchies=hierarchies,
            suppress=suppress,
            ignore_unknown=ignore_unknown,
        )
    give(found.to_dict, lambda: _answer(found), json=talking.json)


def _answer(found: "Comparison") -> "Answer":
    from discreet.answers.answer import Answer, TextTable

    patterns, data = found.of_road("patterns-first"), found.of_road("data-first")
    heads = ["kept", "lost", "coarser", "average", "rows", "channels", "seconds", "way"]
    title = "Additive and suppressive are patterns-first, datafly and incognito data-first"
    return Answer(
        f"patterns-first keeps {_range(way.kept for way in patterns)} of {counted(found.itemsets, 'itemset')}, "
        f"data-first {_range(way.kept for way in data)}",
        [
            TextTable(title, heads, [_line(way) for way in found.ways]),
            _meaning(found, patterns, data),
            *_limits(found, data),
        ],
    )


def _range(values: "Iterable[int]") -> str:
    low, *_, high = sorted(values)
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _line(way: "Way") -> list[str]:
    rows = f"+{number(way.rows_added)}" if way.rows_added else f"-{number(way.rows_left_out)}"
    return [
        number(way.kept),
        number(way.lost),
        number(way.generalized),
        share(way.average),
        "0" if rows == "-0" else rows,
        number(way.channels),
        f"{way.seconds:.2f}",
        way.method,
    ]


def _meaning(found: "Comparison", patterns: "tuple[Way, ...]", data: "tuple[Way, ...]") -> str:
    if not found.itemsets:
        return f"No itemset of the table has {counted(found.min_support, 'row')}: there is nothing to keep; lower -s."
    best = min(patterns, key=lambda way: way.average)
    change = f"off by {share(best.average)} on average" if best.average else "exact"
    lost, coarser = _range(way.lost for way in data), _range(way.generalized for way in data)
    return (
        f"Supports of the {counted(found.itemsets, 'itemset')} are {change} with {best.method} blocking; "
        f"anonymizing the table first loses {lost} of them, and gives {coarser} coarser ones, with "
        "generalized values."
    )


def _limits(found: "Comparison", data: "tuple[Way, ...]") -> list[str]:
    texts = []
    if most := max(way.channels for way in data):
        named = ", ".join(label_text(column) for column in found.quasi_identifiers)
        texts.append(
            f"The table is anonymous by {named} alone: from its patterns, up to {counted(most, 'group')} of fewer than "
            f"{number(found.k)} rows can still be computed (channels)."
        )
    if found.min_support > found.asked_support:
        texts.append(f"The minimum support was raised to {number(found.min_support)}, since fewer are a group.")
    return texts

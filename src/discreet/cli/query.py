"""`discreet query`: count the rows that contain some items and not others, from rows or from patterns alone."""

# `command` reads the annotations at run time.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import discreet
from discreet.answers.answer import Answer, Step
from discreet.cli.command import Argument, Option, command
from discreet.cli.index_option import Index, open_or_make
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.options import (
    EncryptOptions,
    IgnoreUnknown,
    OneData,
    PatternFileOptions,
    TalkingOptions,
    data_words,
    read_rows,
)
from discreet.cli.standard_output import give, note_read, what_a_row_is
from discreet.errors import ParameterError
from discreet.patterns.expression import And, Expression, Item, Not, Or
from discreet.patterns.expression_parser import parse_expression
from discreet.transactions.options import ReadOptions
from discreet.wording import counted, label_text, number, one_line, shortened

with on_first_use():
    from discreet.channels import vulnerable as vulnerable_patterns
    from discreet.patterns import query as queries

if TYPE_CHECKING:
    from discreet.json_types import JsonObject
    from discreet.patterns.derived_support import DerivedSupport
    from discreet.patterns.imported_patterns import ImportedPatterns
    from discreet.patterns.query import QueryResult

__all__ = ["query"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet query hospital.csv '"ward surgery" AND NOT "sex female"'
discreet query hospital.csv '("age 0-9" OR "age 10-19") AND "drug morphine"' --json
discreet mine hospital.csv -s 5% -o patterns.csv
discreet query --patterns patterns.csv '"ward surgery" AND NOT "sex female"'
discreet query --patterns patterns.csv '"ward surgery" AND NOT "sex female"' --vulnerable
discreet query hospital.csv --index hospital.index '"ward surgery"'
discreet query --index hospital.index '"ward surgery" AND "drug morphine"'
"""

ROWS_SHOWN = 15
TERMS_SHOWN = 8
LABELS_SHOWN = 6


@command(examples=EXAMPLES)
def query(
    *,
    data: OneData = None,
    expression: Annotated[
        str | None,
        Argument(metavar="EXPRESSION", help="What the rows hold, with AND, OR, NOT and parentheses."),
    ] = None,
    patterns: Annotated[
        str | None,
        Option(
            "--patterns",
            metavar="FILE",
            help="Ask these itemsets with their supports instead of DATA (-: standard input).",
        ),
    ] = None,
    n: Annotated[
        int | None,
        Option("--n", metavar="N", min=0, help="How many rows FILE was mined from, where it does not say."),
    ] = None,
    target: Annotated[
        Literal["all", "closed", "maximal"] | None,
        Option(
            "--target",
            metavar="KIND",
            help="Which itemsets FILE holds, where it does not say: all, closed or maximal.",
        ),
    ] = None,
    vulnerable: Annotated[
        bool,
        Option(
            "--vulnerable",
            help="With --patterns: say whether EXPRESSION is made of published itemsets alone, instead of counting.",
        ),
    ] = False,
    ignore_unknown: IgnoreUnknown = False,
    index: Index = None,
    encrypting: EncryptOptions,
    file: PatternFileOptions,
    reading: ReadOptions,
    talking: TalkingOptions,
) -> None:
    """Count the rows that hold some items and not others.

    NOT binds tighter than AND, AND tighter than OR; any letter case will do, and so will the signs for them. A label
    with blanks or parentheses, or one that reads like an operator, stands in double quotes; a double quote within them
    is written twice.

    Asked of --patterns, the count follows from the supports alone, as anyone who sees them could compute it; which
    rows they are, patterns do not tell. What does not follow is refused. With --vulnerable it says whether the items of
    every part of EXPRESSION are published together: of such an expression, patterns that an audit with K
    calls safe promise that no row or at least K rows match it.

    An --index answers without reading DATA, and needs none once it is there.
    """
    if expression is None and (patterns is not None or index is not None or reading.sql is not None):
        data, expression = None, data  # the only word is the expression
    if expression is None:
        raise ParameterError(
            "EXPRESSION is missing: give DATA and EXPRESSION, or --patterns FILE and EXPRESSION", parameter="EXPRESSION"
        )
    parsed = parse_expression(expression)
    passphrase = encrypting.passphrase(reads=[index], writes=[])
    if patterns is None:
        _refuse_pattern_options(n, target, vulnerable=vulnerable)
        file.refuse()
        if index is None:
            rows = read_rows(data, reading, quiet=talking.quiet)
            result = queries.query(rows, parsed, ignore_unknown=ignore_unknown)
        else:
            opened = open_or_make(index, data, reading, passphrase=passphrase, quiet=talking.quiet)
            result = queries.query(opened.index, parsed, ignore_unknown=ignore_unknown)
            opened.save(passphrase)
    else:
        _refuse_other_sources(data, index)
        given = discreet.read_patterns(patterns, n=n, **file.keywords(reading, "--patterns"))
        note_read(given.read)
        if vulnerable:
            _give_parts(given, parsed, json=talking.json)
            return
        result = queries.query(given, parsed, target=target, ignore_unknown=ignore_unknown)
    more = [
        *(["--index", str(index)] if index else []),
        *encrypting.words(),
        *(["--ignore-unknown"] if ignore_unknown else []),
    ]
    again = ["discreet", "query", *data_words(data, reading), f"({result.expression})", *more]
    can_be_pasted = data != "-" and all(one_line(word) == word for word in again)
    give(result.to_dict, lambda: _answer(result, again if can_be_pasted else None), json=talking.json)


def _give_parts(given: "ImportedPatterns", parsed: Expression, *, json: bool) -> None:
    """Print whether a pattern is made of published itemsets alone, and which of its parts are not."""
    parts = vulnerable_patterns.vulnerable_parts(given, parsed)
    missing = [labels for labels, published in parts if not published]
    document: JsonObject = {
        "vulnerable": not missing,
        "parts": [{"items": list(labels), "published": published} for labels, published in parts],
    }

    def answer() -> Answer:
        if not missing:
            promise = "If an audit with k calls them safe, no row matches it, or at least k rows do."
            return Answer("Vulnerable: the pattern is made of published itemsets alone", [promise])
        listed = "; ".join(_listed(list(labels)) for labels in missing[:LABELS_SHOWN])
        return Answer(
            "Not vulnerable: a part of the pattern is no published itemset", [f"Not published together: {listed}."]
        )

    give(lambda: document, answer, json=json)


def _refuse_pattern_options(n: int | None, target: str | None, *, vulnerable: bool) -> None:
    for option, value in (("--n", n), ("--target", target), ("--vulnerable", vulnerable or None)):
        if value is not None:
            raise ParameterError(f"{option} says something about --patterns; leave it out for DATA", parameter=option)


def _refuse_other_sources(data: str | None, index: Path | None) -> None:
    for word in [*(["DATA"] if data is not None else []), *(["--index"] if index else [])]:
        raise ParameterError(f"{word} and --patterns do not go together; ask one of the two", parameter=word)


def _answer(result: "QueryResult", again: list[str] | None) -> "Answer":
    if result.sum is not None:
        return Answer(_sentence(result), [_arithmetic(result.sum)])
    if result.rows is None or not len(result.rows):
        return Answer(_sentence(result))
    steps = []
    if again is not None and len(result.rows) > ROWS_SHOWN:
        steps = [Step([*again, "--json"], "gives the numbers of all of them")]
    return Answer(_sentence(result), [_row_numbers(result.rows[:ROWS_SHOWN].tolist(), len(result.rows))], steps)


def _sentence(result: "QueryResult") -> str:
    """Return the answer as a sentence: `8 of 8,124 rows have 34 and 85, and none of 39, 86`."""
    unit = what_a_row_is()
    who = unit.counted(result.count) if result.n is None else f"{number(result.count)} of {unit.counted(result.n)}"
    one = result.count == 1
    parts = _present_and_absent(result.expression)
    if parts is None:
        return f"{who} {'matches' if one else 'match'} {shortened(str(result.expression), 400)}"
    present, absent = parts
    if not present and len(absent) == 1:
        return f"{who} {'does' if one else 'do'} not have {_listed(absent)}"
    what = [_listed(present, last=" and ")] if present else []
    if absent:
        what.append(f"{'not' if len(absent) == 1 else 'none of'} {_listed(absent)}")
    return f"{who} {'has' if one else 'have'} {', and '.join(what)}"


def _present_and_absent(expression: Expression) -> tuple[list[str], list[str]] | None:
    """Return the labels that a row must contain and those it must not; None for any other expression."""
    present, absent = [], []
    for part in expression.parts if isinstance(expression, And) else (expression,):
        match part:
            case Item(label):
                present.append(label)
            case Not(Item(label)):
                absent.append(label)
            case Not(Or(parts)) if all(isinstance(each, Item) for each in parts):
                absent += [each.label for each in parts if isinstance(each, Item)]
            case _:
                return None
    return present, absent


def _listed(labels: list[str], *, last: str = ", ") -> str:
    """Return a few labels, and how many more there are."""
    texts = [label_text(label) for label in labels[:LABELS_SHOWN]]
    if len(labels) > LABELS_SHOWN:
        texts.append(f"{len(labels) - LABELS_SHOWN} more")
    return last.join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]


def _row_numbers(first: list[int], count: int) -> str:
    rows = "Row" if count == 1 else "Rows"
    more = f" and {number(count - len(first))} more" if count > len(first) else ""
    return f"{rows} {', '.join(map(str, first))}{more}."


def _arithmetic(derived: "DerivedSupport") -> str:
    """Return the sum that gives the count, if it is short enough to be read."""
    terms = len(derived.masks)
    if not 0 < terms <= TERMS_SHOWN:
        itemsets = f"the supports of {counted(terms, 'itemset')}" if terms else "the laws of logic"
        return f"Computed from {itemsets} alone."
    names, numbers = "", ""
    for coefficient, labels, support in derived.terms():
        sign = (" + " if coefficient > 0 else " − ") if names else ""
        times = "" if abs(coefficient) == 1 else f"{abs(coefficient)} × "
        names += f"{sign}{times}{_support_of(labels)}"
        numbers += f"{sign}{times}{number(support)}"
    if terms == 1:
        return f"{names} = {number(derived.count)}"
    return f"{names}\n= {numbers} = {number(derived.count)}"


def _support_of(labels: tuple[str, ...]) -> str:
    texts = [shortened(one_line(str(Item(label)))) for label in labels[:LABELS_SHOWN]]
    more = [f"+{len(labels) - LABELS_SHOWN}"] if len(labels) > LABELS_SHOWN else []
    return f"sup({' '.join(texts + more)})" if labels else "n"

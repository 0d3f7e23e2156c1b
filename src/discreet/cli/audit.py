"""`discreet audit`: say whether anyone can be singled out from patterns."""

# Typer reads the annotations while the program runs.

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from discreet.cli.help import HelpfulCommand, command_app
from discreet.cli.option_groups import spread_groups
from discreet.cli.options import Data, EngineOptions, ReadingOptions, TalkingOptions
from discreet.cli.standard_output import write_json
from discreet.errors import ParameterError

__all__ = ["app", "audit"]

EXAMPLES = """
discreet generate hospital -o hospital.csv
discreet audit hospital.csv -s 20% -k 10
discreet mine hospital.csv -s 20% -o patterns.csv
discreet audit --patterns patterns.csv -k 10 --json
"""

_USUAL_DEPTH = 2

app = command_app()


@app.command("audit", cls=HelpfulCommand, epilog=EXAMPLES)
@spread_groups
def audit(
    *,
    data: Data = None,
    min_support: Annotated[
        str | None,
        typer.Option("--min-support", "-s", metavar="S", help="In how many rows an itemset must occur: 8, 60% or 0.6."),
    ] = None,
    k: Annotated[int, typer.Option("-k", metavar="K", help="No group of 1 to K-1 rows may be computable.")],
    patterns: Annotated[
        Path | None,
        typer.Option(
            "--patterns",
            metavar="FILE",
            help="Audit these itemsets instead of rows: of ours, mlxtend, Spark, SPMF, PAMI, arules.",
        ),
    ] = None,
    rules: Annotated[
        Path | None, typer.Option("--rules", metavar="FILE", help="Audit these association rules instead of rows.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", metavar="N", help="The number of rows, where FILE does not say.", min=1)
    ] = None,
    method: Annotated[
        Literal["auto", "direct", "closed", "projection"],
        typer.Option("--method", metavar="NAME", help="auto, direct, closed or projection: all give the same answer."),
    ] = "auto",
    all_channels: Annotated[
        bool, typer.Option("--all-channels", help="List every channel, not only the finest.")
    ] = False,
    border: Annotated[
        bool,
        typer.Option("--border/--no-border", help="Look also at what follows for itemsets that are not published."),
    ] = True,
    border_depth: Annotated[
        int,
        typer.Option("--border-depth", metavar="D", min=1, help="How many items beyond the published sets to look."),
    ] = _USUAL_DEPTH,
    quasi_identifiers: Annotated[
        str | None,
        typer.Option(
            "--quasi-identifiers", metavar="LIST", help="Only these items or columns identify anyone: a,b,c or @FILE."
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Add the definitions, with the paper's names.")] = False,
    reading: ReadingOptions,
    where: EngineOptions,
    talking: TalkingOptions,
) -> int:
    """Say whether anyone can be singled out from patterns.

    Whoever knows the supports of some items together can compute how many rows have one of them and not another. Where
    that is between 1 and K-1, few enough people are meant to be recognized. Status 0 means safe, 1 not safe.
    """
    from discreet.cli.progress import patience_note
    from discreet.engines import audit as run

    doors = _Doors(data=data, patterns=patterns, rules=rules, n=n, reading=reading, where=where)
    source = doors.open(min_support, quiet=talking.quiet)
    options: dict[str, Any] = {"border": border, "border_depth": border_depth}
    with patience_note("Auditing", quiet=talking.quiet):
        found = run(
            source,
            k=k,
            min_support=min_support if patterns is None and rules is None else None,
            method=method,
            all_channels=all_channels,
            quasi_identifiers=quasi_identifiers,
            **options,
        )
    if talking.json:
        write_json(found.to_dict())
    else:
        again = None if data == "-" else doors.words(k, quasi_identifiers, border_depth if border else 0)
        from discreet.cli.audit_words import tell

        tell(found, again, options, explain=explain, quiet=talking.quiet)
    return 0 if found.safe else 1


@dataclass(frozen=True)
class _Doors:
    """The three things that can be audited, of which one is given."""

    data: str | None
    patterns: Path | None
    rules: Path | None
    n: int | None
    reading: ReadingOptions
    where: EngineOptions

    def open(self, min_support: str | None, *, quiet: bool) -> Any:  # rows, patterns or rules
        """Read what is to be audited."""
        doors = (("DATA", self.data or self.reading.sql), ("--patterns", self.patterns), ("--rules", self.rules))
        given = [name for name, value in doors if value]
        if len(given) > 1:
            raise ParameterError(f"{' and '.join(given)} are given; audit one thing at a time", parameter=given[1])
        if self.data is None and self.reading.sql is None and self.where.words():
            raise ParameterError(f"{self.where.words()[0]} is for rows; {given[0]} is audited here", parameter="engine")
        from discreet.patterns.formats import read_patterns, read_rules

        if self.patterns is not None:
            return read_patterns(self.patterns, n=self.n, min_support=min_support)
        if self.rules is not None:
            return read_rules(self.rules, n=self.n)
        if self.n is not None:
            raise ParameterError("--n is for --patterns and --rules; rows are counted", parameter="n")
        if min_support is None:
            raise ParameterError(
                "--min-support (-s) is missing: say in how many rows an itemset must occur", parameter="min_support"
            )
        return self.where.rows(self.reading, self.data, quiet=quiet)

    def words(self, k: int, quasi_identifiers: str | None, depth: int) -> list[str]:
        """Return this command without its support, to be pasted."""
        words = ["discreet", "audit"]
        if self.patterns is not None:
            words += ["--patterns", str(self.patterns)]
        elif self.rules is not None:
            words += ["--rules", str(self.rules)]
        else:
            words += [*self.reading.words(self.data), *self.where.words()]
        words += ["-k", str(k)]
        words += [] if self.n is None else ["--n", str(self.n)]
        words += [] if quasi_identifiers is None else ["--quasi-identifiers", quasi_identifiers]
        if depth == 0:
            return [*words, "--no-border"]
        return words if depth == _USUAL_DEPTH else [*words, "--border-depth", str(depth)]

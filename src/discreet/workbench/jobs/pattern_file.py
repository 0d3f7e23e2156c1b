"""Audit a file of patterns or rules that somebody else made, and write the checker's report on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from discreet.answers.audit_and_block import audit_headline, audit_limits
from discreet.answers.small_groups import smallest_groups
from discreet.channels.audit import audit
from discreet.errors import DataError
from discreet.patterns.reading import read_patterns, read_rules
from discreet.publishing.audit_report import audit_report
from discreet.wording import counted, sizes_below

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.answers.answer import Headline
    from discreet.answers.small_groups import Group
    from discreet.workbench.jobs.rows_cache import OnProgress

__all__ = ["PatternFileAudit", "audit_pattern_file"]

_SHOWN = 12


@dataclass(frozen=True, slots=True, eq=False)
class PatternFileAudit:
    """What a file of patterns or rules gives away, with the report for a checker's file."""

    kind: Literal["patterns", "rules"]
    headline: Headline
    sentence: str
    read: str
    count: int
    groups: tuple[Group, ...]
    more: int
    limits: tuple[str, ...]
    report: Path
    document: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that a page links to."""
        return self.report, self.document


def audit_pattern_file(report: OnProgress, folder: Path, path: Path, k: int, n: int | None) -> PatternFileAudit:
    """Audit a file of itemsets, or else of rules; `n` is the number of rows if the file has shares."""
    report(None, "Auditing the patterns")
    kind, given = _read(path, n)
    found = audit(given, k=k)
    told = next(iter(smallest_groups(found, _SHOWN)), None)
    page = folder / "audit.html"
    command = ["discreet", "audit", f"--{kind}", path.name, "-k", str(k), *([] if n is None else ["--n", str(n)])]
    read = replace(given.read, name=path.name)  # the folder of what was dropped is about to vanish
    audit_report(found, page, read=read, command=command)
    headline, count = audit_headline(found), len(found.channels) + len(found.border or ())
    return PatternFileAudit(
        kind=kind,
        headline=headline,
        sentence=_small_groups(count, k) if count else headline.sentence,
        read=given.read.sentence(),
        count=count,
        groups=() if told is None else told.groups,
        more=0 if told is None else told.more,
        limits=tuple(words.replace("--n", "“Rows in all”") for words in audit_limits(found)),
        report=page,
        document=page.with_suffix(".json"),
    )


def _small_groups(count: int, k: int) -> str:
    """Return what is bad about them: how many groups there are, and how small.

    >>> _small_groups(1, 10), _small_groups(2, 2)
    ('anyone can compute 1 group of 1 to 9 rows', 'anyone can compute 2 groups of 1 row')
    """
    return f"anyone can compute {counted(count, 'group')} of {sizes_below(k)} {'row' if k == 2 else 'rows'}"  # noqa: PLR2004


def _read(path: Path, n: int | None) -> tuple[Literal["patterns", "rules"], Any]:
    """Read itemsets; if the file has none, rules."""
    try:
        return "patterns", read_patterns(path, n=n)
    except DataError as error:
        if "expected the columns" not in str(error):
            raise
        try:
            return "rules", read_rules(path, n=n)
        except DataError as other:
            raise (error if "expected the columns" in str(other) else other) from None

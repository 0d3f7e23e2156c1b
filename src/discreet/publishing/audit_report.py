"""The checker's report on an audit: what was looked at and how, what was found, and room for a decision.

It is for the file of whoever decides what leaves a secure environment, not for the public: it names the small groups.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discreet
from discreet.answers.audit_and_block import audit_headline
from discreet.answers.findings import REASONS, findings_of
from discreet.errors import OutputError
from discreet.publishing.page import filled, page
from discreet.tables.private_files import write_private
from discreet.tables.whole import all_or_none, check_output
from discreet.wording import number, percent, share

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from discreet.answers.findings import Findings
    from discreet.channels.audit import Audit
    from discreet.patterns.pattern_read import PatternRead
    from discreet.transactions.read_record import ReadRecord

__all__ = ["audit_report", "report_files"]

_NOT_PROMISED = (
    "That a reader cannot guess: what is excluded is certainty about groups of 1 to k−1 rows, not likelihood.",
    "That other publications from the same data are harmless beside this one: only what is named here was looked at.",
    "That the file was read as it was meant: compare how it was read with what was handed in.",
)


def report_files(path: str | PathLike[str], *, force: bool = False) -> tuple[Path, Path]:
    """Return where a report and its JSON go; raise an error if they cannot be written there."""
    report = Path(path)
    if report.suffix.lower() == ".json":
        raise OutputError(f"{report} would be the report and the JSON next to it; name the report .html")
    return check_output(report, force=force), check_output(report.with_suffix(".json"), force=force)


def audit_report(
    found: Audit,
    path: str | PathLike[str],
    *,
    read: ReadRecord | PatternRead | None = None,
    command: Sequence[str] = (),
    force: bool = False,
) -> None:
    """Write a report on an audit for a checker's file, as HTML, and the same as JSON next to it.

    Only its owner can read it. It names the small groups: it is not for the public.

    Parameters
    ----------
    found : Audit
        The audit.
    path : str or path
        The report; its name with the suffix .json is that of the JSON.
    read : ReadRecord or PatternRead, optional
        How the file was read, if the audit was not of rows that were read.
    command : sequence of str, optional
        The words of the command that made the audit.
    force : bool, default False
        Whether to replace files that exist already.

    Raises
    ------
    OutputError
        A file exists already, or cannot be written.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows(["abc", "abc", "ab", "c", "c"])
    >>> discreet.audit_report(discreet.audit(rows, k=2, min_support=2), "audit.html", force=True)
    """
    html, beside = report_files(path, force=force)
    read = read or getattr(found.rows, "read", None)
    findings = findings_of(found, passes=found.verdict == "safe")
    document = {
        "report": "audit",
        "version": discreet.__version__,
        "command": list(command),
        "read": None if read is None else read.to_dict(),
        "sentence": audit_headline(found).sentence,
        "audit": found.to_dict(),
        "limits": list(findings.notes),
        "not_promised": list(_NOT_PROMISED),
    }
    with all_or_none():
        write_private(html, [_html(findings, read, shlex.join(command), discreet.__version__).encode()], force=force)
        write_private(beside, [json.dumps(document, indent=1).encode(), b"\n"], force=force)


def _html(findings: Findings, read: ReadRecord | PatternRead | None, command: str, version: str) -> str:
    headline = audit_headline(findings.found)
    groups = [
        (REASONS[rule], total, [one.text for one in findings.listed if one.rule == rule])
        for rule, total in findings.totals.items()
        if rule not in ("incomplete", "nothing")
    ]
    body = filled(
        "audit.html",
        headline=headline,
        tone={"good": "promised", "bad": "danger", "open": "open"}[headline.tone],
        looked_at=_looked_at(read),
        asked=_asked(findings.found),
        groups=groups,
        limits=findings.notes,
        not_promised=_NOT_PROMISED,
        command=command,
        version=version,
    )
    return page(
        title="Not for the public: an audit, for the checker's file", body=body, styles=("page.css", "audit.css")
    )


def _looked_at(read: ReadRecord | PatternRead | None) -> list[tuple[str, str]]:
    if read is None:
        return [("File", "none: rows in memory")]
    facts = [("File", read.name)]
    facts += [] if read.bytes is None else [("Size", f"{number(read.bytes)} bytes")]
    facts += [("SHA-256", "none: not a file" if read.sha256 is None else read.sha256)]
    return [*facts, ("How it was read", " ".join(read.sentences().split("\n")))]


def _asked(found: Audit) -> list[tuple[str, Any]]:
    n, sigma = found.n, found.min_support
    facts: list[tuple[str, Any]] = [("Least size of a group, k", number(found.k))]
    facts.append(("Number of rows, n", "not known" if n is None else number(n)))
    if sigma is not None:
        of_all = f" ({percent(sigma, n)})" if n and sigma <= n else ""
        facts.append(("Minimum support", f"{number(sigma)} rows{of_all}"))
    facts.append(("Closed itemsets", number(found.closed_count)))
    if found.asked is not None:
        facts += [("Sensitive items", number(len(found.asked.sensitive))), ("Confidence, rho", share(found.asked.rho))]
    return facts

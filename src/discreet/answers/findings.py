"""An audit for pipelines: as a JUnit document, as a SARIF 2.1.0 log, or as the workflow commands of GitHub.

Each form says the verdict, then one finding for each group or conclusion, up to a number; the total is said. What a
label may contain (line ends, control characters, marks that change the direction of text) is written out, so that no
label can end a command, close an element, or begin another one.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import quote

import discreet
from discreet.answers.answer import Listing
from discreet.answers.audit_and_block import audit_headline, audit_limits
from discreet.answers.conclusion_words import conclusions_left_out, surest_conclusions
from discreet.answers.small_groups import group_text, groups_beyond, proof_text, smallest_groups
from discreet.wording import number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from discreet.answers.small_groups import GroupList
    from discreet.channels.audit import Audit
    from discreet.json_types import JsonObject, JsonValue

__all__ = ["REASONS", "Audited", "Finding", "Findings", "Reason", "as_github", "as_junit", "as_sarif", "findings_of"]

Reason: TypeAlias = Literal["small-group", "bounded-group", "conclusion", "incomplete", "nothing"]

REASONS: dict[Reason, str] = {
    "small-group": "A group of fewer than k rows can be computed from what is published.",
    "bounded-group": "A group of fewer than k rows follows for items that are not published together.",
    "conclusion": "So large a share of a group is known to have a sensitive item.",
    "incomplete": "Itemsets are missing, so that the others cannot be called safe.",
    "nothing": "There is no itemset to judge.",
}
"""What can be found, by names that stay the same."""

_LISTED = 20
"""How many findings of a rule are listed."""

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a gate is shut: a rule, and a sentence."""

    rule: Reason
    text: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What an audit says to a pipeline.

    found     the audit
    passes    whether its status is 0
    verdict   the word and its sentence
    listed    the findings, those of a rule together, smallest or surest first
    totals    how many there are of each rule, listed or not
    notes     what is proved, and what was not looked at
    """

    found: Audit
    passes: bool
    verdict: str
    listed: tuple[Finding, ...]
    totals: dict[Reason, int]
    notes: tuple[str, ...]


Audited: TypeAlias = "tuple[Findings, Sequence[str]]"
"""What an audit says, and the files that were audited."""


def findings_of(found: Audit, *, passes: bool) -> Findings:
    """Return the findings of an audit; `passes` says whether its status is 0."""
    headline = audit_headline(found)
    listed: list[Finding] = []
    groups: tuple[tuple[Reason, list[GroupList]], ...] = (
        ("small-group", smallest_groups(found, _LISTED)),
        ("bounded-group", groups_beyond(found, _LISTED)),
    )
    for rule, lists in groups:
        listed += [Finding(rule, text) for each in lists for text in _sentences(each)]
    conclusions = [each for each in surest_conclusions(found, _LISTED // 2) if isinstance(each, Listing)]
    listed += [Finding("conclusion", text) for each in conclusions for _, text in each.entries]
    counts: dict[Reason, int] = {
        "small-group": len(found.channels),
        "bounded-group": len(found.border or ()),
        "conclusion": len(found.conclusions or ()),
    }
    verdict = found.verdict
    if verdict in ("incomplete", "nothing"):
        listed.append(Finding(verdict, headline.sentence))
        counts[verdict] = 1
    return Findings(
        found,
        passes,
        f"{headline.verdict}: {headline.sentence}",
        tuple(listed),
        {rule: count for rule, count in counts.items() if count},
        (*conclusions_left_out(found), *audit_limits(found)),
    )


def _sentences(groups: GroupList) -> Iterator[str]:
    for group in groups.groups:
        text = group_text(group.have, group.lack, group.low, group.high, unit=groups.unit)
        yield f"{text}: {proof_text(group.bounds)}" if group.bounds else text


def _more(findings: Findings) -> Iterator[tuple[Reason, str]]:
    """Yield, for each rule of which not all findings are listed, a sentence on how many there are."""
    for rule, total in findings.totals.items():
        listed = sum(one.rule == rule for one in findings.listed)
        if listed < total:
            yield rule, f"{number(listed)} of {number(total)} are listed (--json lists them all)"


def as_github(audited: Sequence[Audited]) -> str:
    """Return workflow commands of GitHub: errors if the gate is shut, warnings if it is open all the same."""
    return "".join(_commands(findings, files) for findings, files in audited)


def _commands(findings: Findings, files: Sequence[str]) -> str:
    level = "error" if not findings.passes else "warning" if findings.listed else "notice"
    commands = [(level, "discreet audit", findings.verdict)]
    commands += [(level, one.rule, one.text) for one in findings.listed if one.rule not in ("incomplete", "nothing")]
    commands += [(level, rule, text) for rule, text in _more(findings)]
    commands += [("notice", "discreet audit", note) for note in findings.notes]
    where = f"file={_github_value(files[0])}," if files else ""
    return "".join(
        f"::{level} {where}title={_github_value(title)}::{_github(text)}\n" for level, title, text in commands
    )


def _github(text: str) -> str:
    return "%0A".join(one_line(line).replace("%", "%25") for line in text.split("\n"))


def _github_value(text: str) -> str:
    return _github(text).replace(":", "%3A").replace(",", "%2C")


def as_junit(audited: Sequence[Audited], *, each: bool = False) -> str:
    """Return a JUnit document, with a suite for each audit: the verdict is the first test, a finding one that failed.

    An incomplete collection that was accepted is a test that was skipped. Where each of several files was audited, the
    numbers of tests stand at the suites alone.
    """
    suites = [_suite(findings, files) for findings, files in audited]
    numbers = "" if each else f" {suites[0][0]}"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="discreet audit"{numbers}>']
    return "\n".join([*lines, *(line for _, suite in suites for line in suite), "</testsuites>", ""])


def _suite(findings: Findings, files: Sequence[str]) -> tuple[str, list[str]]:
    """Return the numbers of tests of an audit, and the lines of its suite."""
    outcome = "failure" if not findings.passes else "skipped" if findings.listed else None
    cases: list[tuple[str, str, str, str]] = [("discreet.audit", "verdict", findings.found.verdict, findings.verdict)]
    cases += [
        (f"discreet.audit.{one.rule}", one.text, one.rule, one.text)
        for one in findings.listed
        if one.rule not in ("incomplete", "nothing")
    ]
    cases += [(f"discreet.audit.{rule}", f"{rule}: all of them", rule, text) for rule, text in _more(findings)]
    counts = {"failure": 0, "skipped": 0} | ({} if outcome is None else {outcome: len(cases)})
    numbers = f'tests="{len(cases)}" failures="{counts["failure"]}" errors="0" skipped="{counts["skipped"]}"'
    where = f' file="{_xml(files[0])}"' if files else ""
    lines = [f'<testsuite name="discreet audit" {numbers}>']
    values = _figures(findings) | {f"total {rule}": total for rule, total in findings.totals.items()}
    properties = (f'<property name="{name}" value="{_xml(str(value))}"/>' for name, value in values.items())
    lines += ["<properties>", *properties, "</properties>"]
    for room, name, kind, text in cases:
        kinds = f' type="{kind}"' if outcome == "failure" else ""
        inside = "" if outcome is None else f'<{outcome}{kinds} message="{_xml(text)}"/>'
        lines.append(f'<testcase classname="{room}" name="{_xml(name)}"{where}>{inside}</testcase>')
    said = "\n".join(_xml(text) for text in (findings.verdict, *findings.notes))
    return numbers, [*lines, f"<system-out>{said}</system-out>", "</testsuite>"]


def _xml(text: str) -> str:
    """Return text for an attribute or an element; what XML has no place for is written out before."""
    return escape("\n".join(one_line(line) for line in text.split("\n"))).replace("\n", "&#10;")


def _figures(findings: Findings) -> JsonObject:
    found = findings.found
    figures: JsonObject = {"verdict": found.verdict, "k": found.k, "n": found.n, "min_support": found.min_support}
    figures |= {} if found.rho is None else {"rho": str(found.rho)}
    return {name: value for name, value in figures.items() if value is not None}


def as_sarif(audited: Sequence[Audited]) -> JsonObject:
    """Return a log of SARIF 2.1.0: one run for each audit, whose results are its findings in its files."""
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(findings, files) for findings, files in audited]}


def _run(findings: Findings, files: Sequence[str]) -> JsonObject:
    rules = list(REASONS)
    level = "warning" if findings.passes else "error"
    places: list[JsonValue] = [
        {"physicalLocation": {"artifactLocation": {"uri": _uri(file)}, "region": {"startLine": 1}}} for file in files
    ]
    results: list[JsonObject] = [
        {
            "ruleId": rule,
            "ruleIndex": rules.index(rule),
            "level": level,
            "message": _message(text),
            "partialFingerprints": {"finding/v1": hashlib.sha256(f"{rule} {text}".encode()).hexdigest()},
            **({"locations": places} if places else {}),
        }
        for rule, text in (*((one.rule, one.text) for one in findings.listed), *_more(findings))
    ]
    told = [("note" if findings.passes else "error", findings.verdict), *(("note", note) for note in findings.notes)]
    return {
        "tool": {
            "driver": {
                "name": "discreet",
                "semanticVersion": discreet.__version__,
                "rules": [{"id": rule, "shortDescription": {"text": text}} for rule, text in REASONS.items()],
            }
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": 0 if findings.passes else 1,
                "toolExecutionNotifications": [{"level": level, "message": _message(text)} for level, text in told],
            }
        ],
        "results": results,
        "columnKind": "unicodeCodePoints",
        "properties": {
            **_figures(findings),
            "totals": dict(findings.totals.items()),
        },
    }


def _message(text: str) -> dict[str, str]:
    r"""Return a message in which no label stands for an argument or a link.

    >>> _message("a{0} [b](c)")
    {'text': 'a{{0}} \\[b\\](c)'}
    """
    text = text.replace("{", "{{").replace("}", "}}")
    return {"text": text.replace("[", r"\[").replace("]", r"\]") if "](" in text else text}


def _uri(file: str) -> str:
    """Return a file's name, as it was given, as an address.

    >>> _uri("my data/a:b.csv"), _uri("/data/a%.csv")
    ('my%20data/a%3Ab.csv', 'file:///data/a%25.csv')
    """
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))

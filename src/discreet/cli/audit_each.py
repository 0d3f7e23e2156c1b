"""`discreet audit --each`: several files of patterns in one call, each judged on its own, with one summary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from discreet.answers.answer import Answer, Headline, TextTable
from discreet.answers.audit_and_block import VERDICTS, audit_headline
from discreet.answers.findings import as_github, as_junit, as_sarif, findings_of
from discreet.cli.standard_output import give, write_json, write_out
from discreet.errors import ParameterError
from discreet.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from discreet.channels.audit import Audit
    from discreet.json_types import JsonObject
    from discreet.patterns.imported_patterns import ImportedPatterns

__all__ = ["audit_each", "refuse_others"]

_ORDER = ("safe", "nothing", "incomplete", "not-safe")


def audit_each(
    files: Sequence[str],
    *,
    read: Callable[[str], ImportedPatterns],
    judge: Callable[[ImportedPatterns], Audit],
    accept_incomplete: bool,
    form: str | None,
    json: bool,
) -> int:
    """Audit every file of patterns, give one answer, and return the exit status: 0 if all of them pass."""
    if not files:
        raise ParameterError(
            "--each judges files of patterns one by one; name them after the options", parameter="each"
        )
    found = [(file, judge(_read(file, read))) for file in files]
    passed = [_passes(each, accept_incomplete=accept_incomplete) for _, each in found]
    if form is not None:
        _write_findings(found, passed, form)
    else:
        give(lambda: _document(found, passed), lambda: _answer(found, passed), json=json)
    return 0 if all(passed) else 1


def _read(file: str, read: Callable[[str], ImportedPatterns]) -> ImportedPatterns:
    """Read a file; of several, what does not fit names the one that it does not fit."""
    try:
        return read(file)
    except ParameterError as error:
        raise ParameterError(f"{file}: {error.message}", parameter=error.parameter) from None


def refuse_others(others: Mapping[str, object]) -> None:
    """Refuse options that have no use where files are judged one by one."""
    for option, value in others.items():
        if value is not None:
            raise ParameterError(f"--each and {option} do not go together; leave one out", parameter=option)


def _passes(found: Audit, *, accept_incomplete: bool) -> bool:
    return found.verdict == "safe" or (accept_incomplete and found.verdict == "incomplete")


def _document(found: Sequence[tuple[str, Audit]], passed: Sequence[bool]) -> JsonObject:
    files = [{"file": file, "passes": ok, **each.to_dict()} for (file, each), ok in zip(found, passed, strict=True)]
    return {"passes": all(passed), "audited": len(passed), "failed": passed.count(False), "files": files}


def _answer(found: Sequence[tuple[str, Audit]], passed: Sequence[bool]) -> Answer:
    worst = max(found, key=lambda each: _ORDER.index(each[1].verdict))[1].verdict
    word, tone = VERDICTS[worst]
    headline = Headline(word, tone, f"{passed.count(True)} of {counted(len(found), 'file')} may pass, each on its own")
    told = [(file, audit_headline(each)) for file, each in found]
    rows = [(one.verdict, f"{file}: {one.sentence}") for file, one in told]
    note = (
        "Files of the same rows can be unsafe together though each is safe: release --ledger judges them together. "
        "For one file alone, audit --patterns FILE shows the groups and what can be done."
    )
    return Answer(headline, [TextTable("Files", ("verdict", "file"), rows), note])


def _write_findings(found: Sequence[tuple[str, Audit]], passed: Sequence[bool], form: str) -> None:
    findings = [(findings_of(each, passes=ok), (file,)) for (file, each), ok in zip(found, passed, strict=True)]
    if form == "sarif":
        write_json(as_sarif(findings))
    elif form == "junit":
        write_out([_joined([as_junit(one, file) for one, file in findings]).encode()])
    else:
        write_out(["".join(as_github(one, file) for one, file in findings).encode()])


def _joined(documents: Sequence[str]) -> str:
    """Return one JUnit document with the suites of all."""
    suites = [re.sub(r"(?s).*?(<testsuite .*</testsuite>).*", r"\1", document) for document in documents]
    return "\n".join(
        ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="discreet audit">', *suites, "</testsuites>", ""]
    )

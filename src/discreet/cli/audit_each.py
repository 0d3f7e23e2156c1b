"""`discreet audit --each`: several files of patterns in one call, each judged on its own, with one summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.answers.answer import Answer, Headline, TextTable
from discreet.cli.lazy_imports import on_first_use
from discreet.cli.standard_output import give, write_json, write_out
from discreet.errors import ParameterError
from discreet.wording import counted

with on_first_use():
    from discreet.answers import audit_and_block, findings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from discreet.answers.findings import Audited
    from discreet.channels.audit import Audit
    from discreet.json_types import JsonObject
    from discreet.patterns.imported_patterns import ImportedPatterns

__all__ = ["audit_each", "refuse_others", "write_findings"]

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
        told = zip(found, passed, strict=True)
        write_findings([(findings.findings_of(one, passes=ok), (file,)) for (file, one), ok in told], form, each=True)
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
    word, tone = audit_and_block.VERDICTS[worst]
    headline = Headline(word, tone, f"{passed.count(True)} of {counted(len(found), 'file')} may pass, each on its own")
    told = [(file, audit_and_block.audit_headline(each)) for file, each in found]
    rows = [(one.verdict, f"{file}: {one.sentence}") for file, one in told]
    note = (
        "Files of the same rows can be unsafe together though each is safe: release --ledger judges them together. "
        "For one file alone, audit --patterns FILE shows the groups and what can be done."
    )
    return Answer(headline, [TextTable("Files", ("verdict", "file"), rows), note])


def write_findings(audited: Sequence[Audited], form: str, *, each: bool = False) -> None:
    """Write what audits say to a pipeline, in its form."""
    if form == "sarif":
        write_json(findings.as_sarif(audited))
    else:
        text = findings.as_junit(audited, each=each) if form == "junit" else findings.as_github(audited)
        write_out([text.encode()])

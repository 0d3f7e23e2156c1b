"""An audit as an output of ACRO: a folder that its loader reads and SACRO's viewer shows to an output checker.

The output is what would be published, the itemsets. The verdict is its status: `pass`, `fail`, or `review` if nothing
was found in an incomplete collection. What was found is the summary, which begins with the status, since the viewer
takes it from there; the supports that a small group is computed from are the marked cells. Only the itemsets are meant
to leave: the rest of the folder is the checker's.
"""

from __future__ import annotations

import hashlib
import html
import json
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import discreet
from discreet.answers.audit_and_block import audit_headline
from discreet.answers.findings import findings_of
from discreet.errors import OutputError
from discreet.patterns.tools.native import csv_blocks
from discreet.tables.whole import whole_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from discreet.channels.audit import Audit
    from discreet.channels.channel import Channels
    from discreet.itemsets import Itemsets
    from discreet.json_types import JsonObject
    from discreet.patterns.patternset import PatternSet

__all__ = ["ACRO_VERSION", "acro_output"]

ACRO_VERSION = "1.0.2"
"""The version whose files these are; its loader refuses those of any other."""

_STATUS = {"safe": "pass", "not-safe": "fail"}
_CHECK = "DifferencingOfItemsets"
_OUTPUT = "output_0"


def acro_output(found: Audit, folder: str | PathLike[str], *, command: Sequence[str] = (), force: bool = False) -> None:
    """Write an audit as an output of ACRO 1.0.2, for an output checker who works with SACRO.

    The folder has the itemsets as CSV, results.json, config.json and a checksum of each. It names the small groups:
    only the CSV is meant to be released, and only if the checker agrees.

    Parameters
    ----------
    found : Audit
        The audit, of rows or of itemsets.
    folder : str or path
        The folder to write.
    command : sequence of str, optional
        The words of the command that made the audit.
    force : bool, default False
        Whether to replace a folder that exists already.

    Raises
    ------
    OutputError
        Rules were audited, or the folder exists already or cannot be written.

    Examples
    --------
    >>> import discreet
    >>> rows = discreet.Transactions.from_rows(["abc", "abc", "ab", "c", "c"])
    >>> discreet.acro_output(discreet.audit(rows, k=2, min_support=2), "acro", force=True)
    """
    public = found.public or found.collection
    if public is None or found.from_rules:
        raise OutputError("an output of ACRO is made of itemsets; audit the itemsets that the rules were made from")
    name = f"{_OUTPUT}_0.csv"
    header, *blocks = csv_blocks(public.patterns)
    files = {
        name: header.splitlines(keepends=True)[-1] + b"".join(blocks),
        "results.json": _json(_results(found, public.patterns, name, command)),
        "config.json": _json({"safe_threshold": found.k, "tool": _tool()}),
    }
    with whole_folder(Path(folder), force=force) as made:
        (made / "checksums").mkdir()
        for file, content in files.items():
            (made / file).write_bytes(content)
            (made / "checksums" / f"{file}.txt").write_text(hashlib.sha256(content).hexdigest(), encoding="utf-8")


def _json(document: JsonObject) -> bytes:
    return json.dumps(document, indent=4).encode()


def _tool() -> dict[str, str]:
    return {"@type": "SoftwareApplication", "name": "discreet", "version": discreet.__version__}


def _results(found: Audit, patterns: PatternSet, name: str, command: Sequence[str]) -> JsonObject:
    status = _STATUS.get(found.verdict, "review")
    marked = _marked(found, patterns)
    findings = findings_of(found, passes=found.verdict == "safe")
    headline = audit_headline(found)
    words = [f"{headline.verdict}: {headline.sentence}", *(f"{_CHECK}: {one.text}" for one in findings.listed)]
    summary = "; ".join([status, *(_shown(each).replace("; ", ", ") for each in words)])
    record: JsonObject = {
        "uid": _OUTPUT,
        "status": status,
        "type": "table",
        "properties": {"method": "frequent itemsets", "k": found.k, "n": found.n, "min_support": found.min_support},
        "files": [{"name": name, "sdc": {"summary": {_CHECK: len(marked)}, "cells": {_CHECK: marked}}}],
        "outcome": {},
        "command": shlex.join(command) or "discreet.audit",
        "summary": summary,
        "timestamp": datetime.now(UTC).replace(tzinfo=None).isoformat(),
        "comments": [_shown(each) for each in findings.notes],
        "exception": "",
        "fair": {"statbarn": "Frequencies", "risks": ["Differencing", "LowCount"], "check_status": {_CHECK: status}},
    }
    return {"version": ACRO_VERSION, "tool": _tool(), "results": {_OUTPUT: record}}


def _shown(sentence: str) -> str:
    """Return a sentence as the viewer can show it, which puts texts into its page as they are, items included."""
    return html.escape(sentence, quote=False)


def _marked(found: Audit, patterns: PatternSet) -> list[list[int]]:
    """Return the cells, by row and column, whose supports are the first and the last of a small group's sum."""
    groups = [each for each in (found.channels, found.border) if each is not None and len(each)]
    wanted = {labels for each in groups for labels in _ends(each)}
    listed = patterns.itemsets.labels(patterns.vocabulary.labels)
    return [[row, 0] for row, labels in enumerate(listed) if wanted and frozenset(labels) in wanted]


def _ends(groups: Channels) -> set[frozenset[str]]:
    def sets(itemsets: Itemsets) -> set[frozenset[str]]:
        return {frozenset(labels) for labels in itemsets.labels(groups.vocabulary.labels)}

    return sets(groups.bases) | sets(groups.fulls.select(np.unique(groups.which)))

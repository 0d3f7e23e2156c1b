"""The owner's page about rows that were anonymized: the verdict, what is left, what was done, and what it means.

It shows what was dropped: it is for the owner alone, and only the owner can read the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import discreet
from discreet.answers.answer import Headline, TextTable
from discreet.publishing.page import filled, page
from discreet.tables.private_files import write_private

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.answers.answer import Answer

__all__ = ["write_anonymized_report"]

_TONES = {"good": "promised", "bad": "danger", "open": "open"}


def write_anonymized_report(
    answer: Answer, path: Path, *, force: bool = False, passphrase: str | bytes | None = None
) -> None:
    """Write what `anonymize` says as a page for the owner; `answer` has a verdict."""
    headline = answer.headline
    if not isinstance(headline, Headline):
        raise TypeError("the answer of anonymize has a verdict")
    body = filled(
        "anonymized.html",
        headline=headline,
        tone=_TONES[headline.tone],
        tables=[(each.title, each.columns, each.rows) for each in answer.evidence if isinstance(each, TextTable)],
        paragraphs=[line for each in answer.evidence if isinstance(each, str) for line in each.split("\n")],
        version=discreet.__version__,
    )
    title = "Not for release: anonymized rows, for their owner"
    write_private(
        path,
        [page(title=title, body=body, styles=("page.css", "owner.css")).encode()],
        force=force,
        passphrase=passphrase,
    )

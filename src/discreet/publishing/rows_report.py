"""The public report on rows: what is published, what is promised about it, and what is not.

The rows themselves are in a file of their own beside the report, which names no item of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.publishing.page import filled, page
from discreet.publishing.report import verify_command
from discreet.wording import counted, number

if TYPE_CHECKING:
    from discreet.publishing.audiences import PublishedRows

__all__ = ["HIERARCHY", "rows_report"]

HIERARCHY = "hierarchy.csv"
"""The file of a bundle of generalized rows that tells what they mean."""


def rows_report(published: PublishedRows) -> str:
    """Return the page as HTML: the same value, the same bytes."""
    title = published.title or f"Data about {counted(published.n, 'person', 'people')}"
    body = filled(
        "rows.html",
        title=title,
        lead=f"{counted(published.n, 'row')}, one for each person, each a set of items.",
        n=number(published.n),
        items=number(published.items),
        promise=published.statement,
        not_promised=published.not_promised,
        verify=verify_command(signed=published.signed),
        signed=published.signed,
        files=published.files,
        generalized=HIERARCHY in published.files,
        version=published.version,
    )
    return page(title=title, body=body)

"""The public report on rows: it says what is promised and names no item."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discreet.publishing.audiences import PublishedRows
from discreet.publishing.report import rows_report
from tests.publishing.stories import HOSTILE, words_of


@pytest.fixture
def published() -> PublishedRows:
    return PublishedRows(
        n=59_602,
        items=497,
        statement="Nobody who knows part of a row can conclude a private item in half of the cases or more.",
        not_promised=("Items that are not private can be concluded.", "Rows may be recognized."),
        title=None,
        version="0.0",
        files=("certificate.json", "report.html", "rows.csv"),
    )


def test_the_promise_and_its_limits_come_first(published: PublishedRows):
    said = words_of(rows_report(published))
    assert "Data about 59,602 rows" in said
    assert "497" in said
    assert f"What is promised {published.statement}" in said
    assert f"What is not promised {' '.join(published.not_promised)}" in said
    assert "certificate.json , report.html and rows.csv ." in said


def test_generalized_rows_point_to_their_hierarchy(published: PublishedRows):
    assert "hierarchy" not in words_of(rows_report(published))
    generalized = replace(published, files=("certificate.json", "hierarchy.csv", "report.html", "rows.csv"))
    assert "Some items stand for several others: hierarchy.csv says for which." in words_of(rows_report(generalized))


def test_how_to_look_at_signatures_is_told(published: PublishedRows):
    assert "with --trust PUBLIC.pem , the public key of somebody who must have signed" in words_of(
        rows_report(published)
    )


def test_hostile_words_are_text_and_the_bytes_the_same(published: PublishedRows):
    hostile = replace(published, title=HOSTILE[0], statement=HOSTILE[1], not_promised=HOSTILE)
    page = rows_report(hostile)
    assert page == rows_report(hostile)
    assert "<script" not in page
    assert "<img" not in page
    assert "script-src 'none'" in page

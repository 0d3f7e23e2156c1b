"""`discreet audit --report FILE`: a page for a checker's file, and the same as JSON next to it."""

from __future__ import annotations

import hashlib
import json
from html import unescape
from typing import TYPE_CHECKING

import pytest

import discreet

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Return rows of which one can be computed, with a label that means mischief."""
    path = tmp_path / "rows.csv"
    path.write_text("a,<b>\u202e\na,<b>\u202e\na,c\na,c\na,<b>\u202e,c\n")
    return path


WORDS = ["audit", "rows.csv", "-s", 2, "-k", 2, "--format", "basket"]


def test_the_page_has_what_a_checker_files(call, rows: Path, tmp_path: Path) -> None:
    outcome = call(*WORDS, "--report", "audit.html")
    assert outcome.status == 1
    page, beside = tmp_path / "audit.html", tmp_path / "audit.json"
    assert [each.stat().st_mode & 0o777 for each in (page, beside)] == [0o600, 0o600]
    source = page.read_text(encoding="utf-8")
    text = unescape(source)
    digest = hashlib.sha256(rows.read_bytes()).hexdigest()
    for told in ("NOT SAFE", digest, "Read as baskets", "1 row has", "sup(", "discreet audit rows.csv", "-k 2"):
        assert told in text
    for told in ("Not for the public", "First checker", "Second checker", "Date", "What is not promised"):
        assert told in text
    assert discreet.__version__ in text
    assert "<b>" not in source.replace("<b>=", "")
    assert "\u202e" not in source
    assert "<script" not in source
    document = json.loads(beside.read_text())
    assert document["read"]["sha256"] == digest
    assert (document["audit"]["verdict"], document["version"]) == ("not-safe", discreet.__version__)
    assert document["limits"]
    assert document["not_promised"]


def test_what_was_asked_about_sensitive_items_is_told(call, rows: Path, tmp_path: Path) -> None:
    del rows
    assert call(*WORDS, "--sensitive", "c", "--rho", "0.5", "--report", "audit.html").status == 1
    text = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "<dt>Confidence, rho</dt><dd>50 %</dd>" in text
    assert "<dt>Sensitive items</dt><dd>1</dd>" in text


def test_nothing_is_replaced_without_force(call, rows: Path, tmp_path: Path) -> None:
    del rows
    (tmp_path / "audit.json").write_text("mine")
    assert "audit.json exists already" in call(*WORDS, "--report", "audit.html").refused()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["audit.json", "rows.csv"]
    assert call(*WORDS, "--report", "audit.html", "--force").status == 1
    assert "name the report .html" in call(*WORDS, "--report", "other.json").refused()


def test_the_json_beside_it_never_replaces_what_is_read(call, rows: Path, tmp_path: Path) -> None:
    del rows
    call("mine", "rows.csv", "--format", "basket", "-s", 1, "-o", "found.json")
    before = (tmp_path / "found.json").read_bytes()
    said = call("audit", "--patterns", "found.json", "-k", 2, "--report", "found.html", "--force").refused()
    assert "found.json is read here" in said
    assert (tmp_path / "found.json").read_bytes() == before

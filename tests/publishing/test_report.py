"""The public report: all that may be told, in words that hold, and nothing from which the rest would follow."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from jinja2 import UndefinedError

import discreet
from discreet.channels.blocking import block
from discreet.channels.exclusive import Exclusive
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.patterns.rules import rules
from discreet.publishing import report, tables
from discreet.publishing.page import filled, page
from discreet.publishing.report import public_report
from discreet.transactions.generate import hospital
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.publishing.stories import (
    FILES,
    HOSTILE,
    LOOKED,
    hospital_story,
    hostile_story,
    many_patterns,
    published_of,
    story_of,
    words_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.publishing.audiences import AttackCheck


def numbers_of(page: str) -> set[int]:
    """Return every whole number that stands in a page, with or without separators."""
    return {int(digits.replace(",", "")) for digits in re.findall(r"(?<![\w.#])\d[\d,]*(?![\w.])", page)}


def links_of(page: str) -> list[str]:
    """Return the addresses in the attributes of a page's elements."""
    found: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            del tag
            found.extend(value for name, value in attrs if name in {"src", "srcset", "href", "xlink:href", "action"})

    Reader().feed(page)
    return found


def small_patterns() -> PatternSet:
    return PatternSet.from_itemsets([("a", 30), ("b", 20), ("ab", 10)], n=40, min_support=10, target="closed")


def test_the_first_words_say_what_is_published_and_promised():
    said = words_of(public_report(published_of(small_patterns(), 10)))
    assert "What 40 rows have in common" in said
    assert "3 combinations of items, each with the number of rows that have all of them." in said
    assert "Even the rarest is shared by 10 rows, 25 % of all." in said
    assert (
        "No group of 1 to 9 rows can be computed from the published supports, for any items published together" in said
    )
    assert said.index("What is promised") < said.index("What is not promised") < said.index("How to check it")
    assert said.index("How to check it") < said.index("Overview") < said.index("Definitions") < said.index("Limits")
    assert "discreet verify FOLDER" in said
    for name in FILES:
        assert name in said


def test_two_is_the_least_k_and_reads_as_words():
    assert "No group of one row can be computed" in words_of(public_report(published_of(small_patterns(), 2)))


def looked(**figures: object) -> AttackCheck:
    return replace(LOOKED, **{"complete": False} | figures)


@pytest.mark.parametrize(
    ("attack", "proved", "sentence"),
    [
        (looked(complete=True), False, "all published items were looked at together, exactly."),
        (looked(windows=1400, items_per_window=9), False, "or lacks: 1,400 windows of up to 9 items."),
        (looked(left_out=1), False, "1 window of up to 2 items; 1 more was not looked at."),
        (looked(left_out=1234), False, "1 window of up to 2 items; 1,234 more were not looked at."),
        (
            looked(),
            True,
            "And it is proved that no group of 1 to 9 rows follows at all",
        ),
    ],
)
def test_how_far_was_looked_is_said(attack: AttackCheck, proved: bool, sentence: str):
    said = words_of(public_report(published_of(small_patterns(), 10, attack=attack, proved=proved)))
    assert said.count(sentence) == 2  # on the first screen, and among the limits
    open_end = "What follows only from more items together than a window holds is not known."
    assert (open_end in said) is not (attack.complete or proved)


def test_what_readers_were_taken_to_know_is_said():
    plain = words_of(public_report(published_of(small_patterns(), 10)))
    assert "What everyone knows." not in plain
    exclusive = Exclusive(sets=(("sex=f", "sex=m"),), columns=("sex",), named=(("a", "b"),))
    said = words_of(public_report(published_of(small_patterns(), 10, exclusive=exclusive)))
    assert "no row has two values of one of the columns sex , or two items of one of these sets: a b" in said


def test_a_change_is_not_told_by_any_word():
    """The same patterns are published with and without blocking: the page must be the same, word by word."""
    story = hospital_story("additive")
    said = words_of(public_report(story.published)).lower()
    forbidden = (
        "additive",
        "suppressive",
        "distortion",
        "virtual",
        "blocked",
        "before",
        "raised",
        "left out",
        "--method",
    )
    assert [word for word in forbidden if word in said] == []
    assert "may have been changed" in said
    unchanged = words_of(public_report(published_of(small_patterns(), 10)))
    assert "may have been changed" in unchanged  # always: silence would tell


def test_no_support_that_was_changed_is_in_the_page(data_folder):
    rows = read(data_folder / "mushroom.dat.gz")
    done = block(rows, k=10, min_support="60%", method="additive")
    page = public_report(published_of(done.patterns, 10))
    changed = set(done.before[done.before != done.patterns.supports].tolist()) | {done.n_before, done.min_support}
    published = set(done.patterns.supports.tolist())
    assert {8124, 7914, 7488, 7296, 4875} == changed
    assert numbers_of(page) >= published
    assert numbers_of(page) & (changed - published) == set()


def test_labels_that_are_not_published_stay_out():
    rows = hospital(rows=800, seed=3)
    found = mine(rows, min_support="12%")
    published = {label for labels, _ in found for label in labels}
    page = unescape(public_report(published_of(found, 5, attack=LOOKED)))
    rare = set(rows.vocabulary) - published
    assert len(rare) > 10
    assert [label for label in sorted(rare) if label in page] == []
    assert [label for label in sorted(published) if label not in page] == []


def test_the_same_value_gives_the_same_bytes():
    assert public_report(hospital_story().published) == public_report(hospital_story().published)


def test_only_the_script_of_the_page_may_run_and_nothing_be_loaded():
    page = public_report(hostile_story().published)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'" in policy
    assert {target for target in links_of(page) if not target.startswith("#")} == {"data:,"}
    assert re.findall(r"url\(|@import", page) == []
    assert set(re.findall(r"https?://[^\s\"<]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_hostile_words_are_text_everywhere():
    page = public_report(replace(hostile_story().published, quasi_identifiers=HOSTILE))
    assert "window.hacked = 1<" not in page.replace("window.hacked = 1&lt;", "")
    assert page.count("<script") == page.count("</script>") == 2  # the numbers of the table, and the page's own
    assert "<img" not in page
    assert "\u202e" not in page


def test_rules_are_told_with_their_confidence():
    patterns = small_patterns()
    found = rules(patterns, min_confidence=Fraction(1, 2))
    assert len(found)
    page = public_report(published_of(patterns, 10, rules=found))
    assert f"{len(found)} rule with a confidence of at least 50 %" in words_of(page)
    assert "the rules must be those that follow" in words_of(page)
    assert page.count('class="browse"') == 2
    assert 'id="rules"' not in public_report(published_of(patterns, 10))


def test_no_rules_are_told_as_well():
    patterns = small_patterns()
    page = public_report(published_of(patterns, 10, rules=rules(patterns, min_confidence="100%")))
    assert "0 rules with a confidence of at least 100 %" in words_of(page)


def test_how_to_look_at_signatures_is_told():
    said = words_of(public_report(published_of(small_patterns(), 10)))
    assert "with --trust PUBLIC.pem , the public key of somebody who must have signed" in said
    assert "Who published it. This page cannot tell." in said


def test_nothing_but_a_number_of_rows():
    nothing = PatternSet.from_itemsets([], n=500, min_support=500, target="closed")
    page = public_report(published_of(nothing, 10, attack=LOOKED))
    assert "No combination of items may be published" in words_of(page)
    assert "<table" not in page
    assert "<figure" not in page


def test_too_many_patterns_are_listed_by_frequency(monkeypatch: pytest.MonkeyPatch):
    for module in (report, tables):
        monkeypatch.setattr(module, "MOST_LINES", 50)
    page = public_report(published_of(many_patterns(80), 10, attack=LOOKED))
    (numbers,) = re.findall(r'<script type="application/json">(.*?)</script>', page)
    supports = json.loads(numbers)["columns"][2]["values"]
    assert sorted(supports) == list(range(1030, 1080))
    assert "The table has the 50 most frequent." in words_of(page)


def test_beyond_a_few_hundred_lines_a_reader_without_script_is_told_where_the_others_are():
    page = public_report(published_of(many_patterns(400), 10, attack=LOOKED))
    assert "The first 300 of 400. patterns.csv has all of them." in words_of(page)
    assert page.count('<th scope="row" class="items">') == 300


def test_blocked_by_either_method_or_not_the_page_has_the_same_form():
    """Only figures and labels differ between releases, whatever was done to make them safe."""
    rows = Transactions.from_rows(["abc"] * 40 + ["ab"] * 30 + ["c"] * 20 + ["a"])
    forms = set()
    for method in ("additive", "suppressive"):
        page = words_of(public_report(story_of(rows, k=3, min_support=20, method=method).published))
        forms.add(re.sub(r"\b(\d[\d,.]*)( %)?", "#", page.split("Definitions")[2]))
    assert len(forms) == 1


def test_a_template_escapes_what_it_does_not_call_safe():
    assert "<title>&lt;b&gt; &amp; &#x27;so&#x27; \\u202e</title>" in page(
        title="<b> & 'so' \u202e", body="<p>kept</p>"
    )
    assert "<p>kept</p>" in page(title="", body="<p>kept</p>")
    with pytest.raises(UndefinedError):
        filled("rows.html")


@pytest.mark.usefixtures("no_charts")
def test_a_report_says_rows_unless_it_was_told_what_a_row_is(tmp_path: Path) -> None:
    """People are spoken of only if a column says whose a row is, or the owner names the unit."""
    table = tmp_path / "stays.csv"
    table.write_text("patient,a,b\n" + "".join(f"{row % 60},x,{'y' if row % 2 else 'z'}\n" for row in range(120)))
    for name, options, noun, persons in (
        ("rows", {"drop": "patient"}, "rows", False),
        ("people", {"person_column": "patient"}, "people", True),
        ("patients", {"person_column": "patient", "unit": "patients"}, "patients", True),
        ("stays", {"drop": "patient", "unit": "stays"}, "stays", False),
    ):
        rows = discreet.read(table, **options)
        done = discreet.release(rows, k=5, min_support=20, method="none", output=tmp_path / name)
        said = words_of(public_report(done.published))
        assert f"What {done.published.patterns.n} {noun} have in common" in said
        assert f"No group of 1 to 4 {noun} can be computed" in said
        assert f"no group of fewer than 5 {noun}" in done.sentence
        assert ("one person has several rows" in " ".join(done.certificate.not_promised)) is not persons
        assert (done.certificate.promise["unit"], done.certificate.promise["persons"]) == (
            "person/people" if noun == "people" else noun,
            persons,
        )
        assert discreet.verify(tmp_path / name).holds

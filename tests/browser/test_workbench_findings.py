"""What was once wrong on the pages and belongs to no other file here: misread files, figures, words, and the chart."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from discreet import audit, mine, read
from discreet.cli.main import main
from tests.browser.workbench_page import EXAMPLE, PRIVATE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.workbench_page import Page

# How far the point is from its curve, as both are drawn, in pixels.
BESIDE_ITS_CURVE = """(() => {
  const [x, y] = ["cx", "cy"].map((name) => +document.querySelector("circle.point").getAttribute(name));
  const places = [...document.querySelector("polyline.line.chosen").points];
  return Math.min(...places.slice(1).map((to, at) => {
    const from = places[at], [dx, dy] = [to.x - from.x, to.y - from.y];
    const share = Math.max(0, Math.min(1, ((x - from.x) * dx + (y - from.y) * dy) / (dx * dx + dy * dy || 1)));
    return Math.hypot(from.x + share * dx - x, from.y + share * dy - y);
  }));
})()"""


def support(page: Page) -> str | None:
    return page.field("Support").get_attribute("value")


# What was read


def test_semicolons_are_seen_and_nothing_is_called_safe_for_them(page: Page, tmp_path: Path):
    german = tmp_path / "german.csv"
    lines = [f"{30 + row % 6};{11600 + row % 5};D{row * row % 7}" for row in range(400)]
    german.write_text("\n".join(["Alter;PLZ;Diagnose", *lines]) + "\n")
    page.open()
    page.drop(german)
    page.until(lambda: page.browser.texts(".cells th") == ["Alter", "PLZ", "Diagnose"])
    page.until(lambda: page.verdict == "NOT SAFE")


@pytest.mark.parametrize("kind", ["patterns", "rules"])
def test_our_own_patterns_and_rules_are_audited_as_such(page: Page, tmp_path: Path, kind: str, capsys):
    own = tmp_path / f"{kind}.csv"
    if kind == "patterns":
        assert main(["mine", str(EXAMPLE), "-s", "8", "-o", str(own), "--quiet"]) == 0
        capsys.readouterr()
    else:
        own.write_text("antecedents,consequents,support,confidence\n(a),(b),0.45,0.9\n(b),(a),0.45,0.8\n")
    page.open()
    page.drop(own)
    page.until(lambda: page.verdict not in ("NOTHING YET", "CHECKING"))
    if kind == "rules":
        page.write("Rows in all", "100")
        page.click("Audit it")
    page.until(lambda: page.verdict == "NOT SAFE")
    assert f"{kind}, not rows" in "".join(page.browser.texts(".first small"))


# Figures


def test_what_the_curve_says_the_exact_count_says_too(page: Page, stays: Path):
    page.open()
    page.drop(stays)
    page.until(lambda: page.judged and not page.working)
    for words in ("50", "37", "13%", "80", "200"):  # one below what is mined at first
        page.write("Support", words)
        page.until(lambda: not page.working and not page.browser.all(".stale, html.moving"))
        channels = len(audit(read(stays), k=10, min_support=int(support(page)), border=False).channels)
        page.until(lambda channels=channels: page.fact("channel") == f"{channels:,}")
        assert page.browser.ask(BESIDE_ITS_CURVE) < 1.5
    drawn = "".join(page.browser.texts(".curves svg text"))
    assert "channels: small groups that follow" in drawn
    assert "minimum support (share of rows, logarithmic)" in drawn
    assert {"k = 2", "k = 5", "k = 10", "k = 25", "k = 50"} <= {
        each.strip() for each in page.browser.texts(".legend span")
    }
    dashes = page.browser.ask(
        "[...document.querySelectorAll('polyline.line')].map((each) => getComputedStyle(each).strokeDasharray)"
    )
    assert len(set(dashes)) >= len(dashes) - 1  # told apart without colour; the first and the last are of other widths


def test_the_chart_tells_what_is_under_the_pointer_and_where_it_is_safe(page: Page, stays: Path):
    page.open()
    page.drop(stays)
    page.until(lambda: page.verdict == "NOT SAFE" and page.browser.all(".way"))
    marked = page.until(lambda: page.browser.texts(".curves .mark-words"))
    assert marked[0].startswith("safe as they are: ")
    assert page.browser.texts(".curves .region text") == ["no channel for k = 10"]
    point = page.browser.one("circle.point")
    page.browser.ask("arguments[0].scrollIntoView({block: 'center'})", point)
    ActionChains(page.browser.driver, duration=20).move_to_element(point).perform()
    patterns = f"{len(mine(read(stays), min_support=int(support(page))))} itemsets"
    told = page.until(lambda: [each for each in page.browser.texts(".hover-words") if each.strip()])[0]
    assert patterns in told
    assert "k = 10: " in told
    assert "exposed" in told


def test_a_table_of_costs_adds_up_and_the_owners_report_names_the_zip(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.judged and not page.working)
    page.write("k", "3")
    page.write("Support", "8")
    page.until(lambda: support(page) == "8" and page.judged and not page.working)
    page.click("Compare both ways to make it safe")
    page.until(lambda: "At 8 rows, k = 3" in "".join(page.browser.texts(".panel .note")))
    script = """Object.fromEntries([...document.querySelectorAll(".costs tr:has(td)")].map((line) =>
        [line.children[0].textContent, [...line.children].slice(1).map((each) => +each.textContent)]))"""
    found = page.browser.ask(script)
    closed = len(mine(read(EXAMPLE), min_support=8))
    parts = ("closed itemsets kept as they are", "… with another support", "… lost")
    assert [sum(found[each][place] for each in parts) for place in (0, 1)] == [closed, closed]
    page.click("Make the bundle")
    page.until(lambda: page.browser.all(".download a"))
    report = page.fetched("a[href$='owner-report.html']").decode()
    assert "bundle.zip" in report
    assert "temporary" not in report
    assert tempfile.gettempdir() not in report


def test_a_group_shows_its_arithmetic_in_sight_and_in_the_right_number(page: Page):
    page.open(size=(1440, 900))
    page.drop(EXAMPLE)
    page.until(lambda: page.judged and not page.working)
    page.press("ol.groups button", place=2)
    page.until(lambda: page.browser.all("ol.groups li:nth-child(3) .picture"))
    near = """((below, above) => below.getBoundingClientRect().top - above.getBoundingClientRect().bottom)(
        ...["ol.groups li:nth-child(3) .picture", "ol.groups li:nth-child(3) button"].map((each) =>
        document.querySelector(each)))"""
    assert 0 <= page.browser.ask(near) < 40
    counted = [page.fact("channel"), *page.browser.texts(".figures .fact span")]
    assert ("channel" in counted) == (page.fact("channel") == "1")


def test_a_number_of_rows_is_refused_as_k_in_a_sentence_for_the_field(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    page.write("k", "1,000,000")
    told = page.until(lambda: page.browser.texts(".q-field--error [role=alert]"))
    assert told[0].startswith("k is larger than the number of rows, 12")
    page.write("Support", "lots")
    page.write("k", "3")
    told = page.until(lambda: page.browser.texts(".q-field--error [role=alert]"))
    assert "min_support" not in told[0]
    assert "--" not in told[0]


# Words


def test_rows_with_hidden_patterns_are_not_called_safe_or_anonymous(page: Page):
    page.open("hide")
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all(".patterns tbody tr"))
    page.write("or paste them, one on each line", "a b")
    page.until(lambda: page.verdict == "NOT HIDDEN")
    page.made_something = True
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN")
    assert "does not make anyone anonymous" in "".join(page.browser.texts(".first small"))
    assert "SAFE" not in "".join(page.browser.texts("main"))
    page.browser.ask("document.querySelector(\"[aria-label='ψ in per cent'] [tabindex='0']\").focus()")
    page.browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.until(lambda: page.verdict == "NOT HIDDEN")  # what was made is not what is chosen now
    page.until(lambda: page.browser.all(".stale .download a"))
    page.press(".q-radio", 4)
    page.until(lambda: page.browser.all(".stale .download a"))


def test_protected_rows_are_not_called_anonymous(page: Page):
    page.open("protect")
    page.drop(PRIVATE)
    page.until(lambda: "Mark the items" in page.sentence)
    page.mark("alpha")
    page.until(lambda: page.verdict.endswith("PROTECTED"))
    page.made_something = True
    page.click("Protect the rows")
    page.until(lambda: page.browser.all(".download a") and page.verdict == "PROTECTED")
    assert "does not make anyone anonymous" in "".join(page.browser.texts(".first small"))


def test_nothing_is_changed_where_nothing_needs_to_be_and_methods_are_recommended(page: Page, tmp_path: Path):
    kinds = tmp_path / "kinds.dat"
    kinds.write_text("a b\n" * 40 + "b c\n" * 40 + "c\n" * 40)
    page.open()
    page.drop(kinds)
    page.until(lambda: page.verdict.startswith("SAFE"))
    chosen = "[...document.querySelectorAll('.q-radio[aria-checked=true]')].map((each) => each.textContent)"
    page.until(lambda: page.browser.ask(chosen) == ["as they are"])
    for task in ("hide", "protect"):
        page.go(task)
        page.until(lambda: page.browser.texts(".q-radio"))
        (recommended,) = page.browser.ask(chosen)
        assert recommended.startswith("best (recommended)")


def test_what_is_asked_has_names_for_the_blind(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    nameless = """[...document.querySelectorAll("[role=radiogroup], [role=slider], input, [role=checkbox]")]
        .filter((each) => each.checkVisibility() && !each.ariaLabel && !each.labels?.length
            && !each.getAttribute("aria-labelledby") && !each.closest("label")).map((each) => each.outerHTML)"""
    for task in ("publish", "hide", "protect"):
        if task != "publish":
            page.go(task)
            page.until(lambda: page.browser.all(".q-radio"))
        assert page.browser.ask(nameless) == []
        assert len(page.browser.all("h1")) == 1

"""The point on the page *Publish patterns*: what the fields say, what the figures tell, and what is published."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.browser.workbench_page import EXAMPLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.workbench_page import Page


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Return a table in which only the sex tells nobody apart."""
    path = tmp_path / "people.csv"
    lines = (f"person{row},{'abc'[row % 3]},{'mf'[row % 2]}\n" for row in range(60))
    path.write_text("name,town,sex\n" + "".join(lines))
    return path


def value(page: Page, label: str) -> str | None:
    """Return what stands in a field."""
    return page.field(label).get_attribute("value")


def empty(page: Page, label: str) -> None:
    """Empty a field."""
    field = page.field(label)
    page.browser.ask("arguments[0].select()", field)
    field.send_keys(Keys.DELETE)


def nothing_at_k_2(page: Page) -> None:
    """Go where nothing is left of the running example, and k = 2."""
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.write("k", "2")
    page.write("Support", "100%")
    page.until(lambda: page.verdict == "NOTHING TO PUBLISH" and value(page, "Support") == "12")


def test_a_k_beside_a_wrong_support_is_not_taken_and_does_not_stay(page: Page):
    nothing_at_k_2(page)
    page.write("Support", "lots")
    page.write("k", "50")
    page.until(lambda: page.browser.texts(".panel .q-field--error [role=alert]"))
    page.until(lambda: page.browser.all(".first.stale") and page.button("Make the bundle") is None)
    page.browser.one("circle.point").send_keys(Keys.ARROW_LEFT)
    page.until(lambda: (value(page, "Support"), value(page, "k")) == ("11", "2"))
    page.until(lambda: page.browser.texts(".panel .q-field--error") == [])
    page.until(lambda: page.button("Make the bundle") is not None and not page.browser.all(".stale"))


def test_the_error_beside_k_stays_as_long_as_what_it_is_about(page: Page):
    nothing_at_k_2(page)
    page.write("k", "x")
    page.until(lambda: page.browser.texts(".panel .q-field--error [role=alert]"))
    page.write("Quasi-identifiers", "a")  # everything is drawn anew
    page.until(lambda: page.outcome.startswith("Mining: done"))
    assert value(page, "k") == "x"
    assert "whole number" in page.browser.texts(".panel .q-field--error [role=alert]")[0]
    assert page.button("Make the bundle") is None


def test_safe_says_what_identifies_and_is_not_left_beside_other_quasi_identifiers(page: Page, people: Path):
    page.open()
    page.drop(people)
    page.until(lambda: page.verdict != "NOTHING YET")
    page.write("Quasi-identifiers", "sex")
    page.until(lambda: page.outcome.startswith("Mining: done"))
    page.until(lambda: page.verdict == "NOT UNDERSTOOD" and "name is different in every row" in page.sentence)
    assert page.button("Make the bundle") is None
    page.click("It is no id")
    page.until(lambda: page.verdict == "SAFE" and "nothing but sex identifies anyone" in page.sentence)
    page.click("Make the bundle")
    page.until(lambda: page.browser.all(".download a"))
    assert any("nothing but sex identifies anyone" in words for words in page.browser.texts(".panel .note"))
    empty(page, "Quasi-identifiers")
    page.until(lambda: page.browser.all(".first.stale") and page.button("Make the bundle") is None)
    assert any("others are typed now" in words for words in page.browser.texts(".panel .note"))
    page.write("Quasi-identifiers", "sex,twn")
    page.until(lambda: page.outcome == "Mining: not done")
    assert page.browser.all(".first.stale")
    assert page.button("Make the bundle") is None
    page.write("Quasi-identifiers", "sex")
    page.until(lambda: not page.browser.all(".stale") and page.button("Make the bundle") is not None)
    page.field("Quasi-identifiers").send_keys(",town")
    page.browser.driver.refresh()
    page.until(lambda: page.verdict == "SAFE" and value(page, "Quasi-identifiers") == "sex")


def test_a_search_that_was_ended_for_something_else_begins_anew(page: Page, endless: Path):
    page.open()
    page.drop(endless)
    page.until(lambda: page.verdict != "NOTHING YET")
    page.write("Support", "4%")
    page.until(lambda: value(page, "Support") == "160")  # it was mined for this
    page.until(lambda: "The attacker is looking" in page.working)
    page.write("Quasi-identifiers", "abc")
    page.until(lambda: page.browser.texts(".form .q-field--error [role=alert]"))
    page.until(lambda: "The attacker is looking" in page.working)
    page.go("protect")
    page.mark("3")
    page.until(lambda: page.verdict in ("PROTECTED", "NOT PROTECTED"))
    page.go("publish")
    page.until(lambda: "The attacker is looking" in page.working)
    page.click("Cancel")
    page.until(lambda: page.verdict == "NOT CHECKED")


def test_the_point_moves_the_support_alone_and_k_is_policy(page: Page, stays: Path):
    page.open()
    page.drop(stays)
    page.until(lambda: page.verdict == "NOT SAFE")
    chart = page.browser.one(".curves > svg")
    moves = ActionChains(page.browser.driver, duration=20)
    for down in (60, 100):  # anywhere in the chart, near any curve
        before = value(page, "Support")
        moves.move_to_element_with_offset(chart, down, down).click().perform()
        page.until(lambda before=before: value(page, "Support") != before and not page.browser.all("html.moving"))
        assert value(page, "k") == "10"
    point = page.browser.one("circle.point")
    for key, place in ((Keys.END, "600"), (Keys.HOME, point.get_attribute("aria-valuemin"))):
        point.send_keys(key)
        page.until(lambda place=place: value(page, "Support") == place)
    lowest = int(place)
    point.send_keys(Keys.SHIFT, Keys.ARROW_RIGHT)
    page.until(lambda: value(page, "Support") == f"{lowest + 1}")
    point.send_keys(Keys.PAGE_UP)
    page.until(lambda: int(value(page, "Support")) > lowest + 1)
    assert page.browser.all(".legend button") == []
    assert page.browser.ask("getComputedStyle(document.querySelector('.curves > svg')).touchAction") == "pan-y"
    page.write("k", "7")
    page.until(lambda: "k = 7" in (point.get_attribute("aria-valuetext") or ""))
    page.until(lambda: "k = 7, below the house rule of 10" in page.sentence)
    page.click("20")
    page.until(lambda: value(page, "k") == "20" and "k = 20, above the house rule of 10" in page.sentence)


def test_a_swipe_over_the_chart_moves_nothing(page: Page, stays: Path):
    page.open(size=(390, 844))
    page.drop(stays)
    page.until(lambda: page.verdict == "NOT SAFE" and value(page, "Support"))
    before = value(page, "Support")
    chart = page.browser.one(".curves > svg")
    page.browser.ask("arguments[0].scrollIntoView({block: 'center'})", chart)
    x, y = page.browser.ask("(({x, y}) => [x, y])(arguments[0].getBoundingClientRect())", chart)
    for kind, points in (("touchStart", [250]), ("touchMove", [200]), ("touchMove", [80]), ("touchEnd", [])):
        touched = [{"x": x + 220, "y": y + down} for down in points]
        page.browser.order("Input.dispatchTouchEvent", type=kind, touchPoints=touched)
    page.browser.one("circle.point").send_keys(Keys.SHIFT, Keys.ARROW_RIGHT)  # what was asked before has come by then
    page.until(lambda: value(page, "Support") == f"{int(before) + 1}")
    top = page.browser.ask("document.querySelector('.first').getBoundingClientRect().top")
    assert 0 <= top < 200  # the verdict stays in sight


def test_numbers_are_taken_as_people_type_them(page: Page, stays: Path):
    page.open()
    page.drop(stays)
    page.until(lambda: page.verdict == "NOT SAFE")
    for typed, taken in (("0,25", "150"), ("30 %", "180"), ("12,5%", "75")):
        page.write("Support", typed)
        page.until(lambda taken=taken: value(page, "Support") == taken)


def test_the_title_and_the_method_are_found_again(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.write("Title of the report", "Stays of a year")
    page.press(".q-radio", 2)
    page.until(lambda: page.browser.all(".q-radio")[2].get_attribute("aria-checked") == "true")
    page.go("hide")
    page.go("publish")
    page.until(lambda: value(page, "Title of the report") == "Stays of a year")
    assert page.browser.all(".q-radio")[2].get_attribute("aria-checked") == "true"


def test_sensitive_items_are_withheld_from_a_bundle(page: Page, tmp_path: Path):
    rows = ["south flu"] * 40 + ["south"] * 5 + ["north old flu"] * 15 + ["north old"] * 35 + ["north"] * 30
    (tmp_path / "stays.dat").write_text("".join(f"{row}\n" for row in rows + ["old"] * 20 + ["flu tea"] * 10))
    page.open()
    page.drop(tmp_path / "stays.dat")
    page.until(lambda: page.judged)
    page.write("Sensitive items", "flu")
    page.until(lambda: page.button("Make the bundle") is None)  # with which confidence?
    page.write("Rho", "60%")
    page.until(lambda: "about flu with 60% or more" in page.sentence)
    page.click("Make the bundle")
    promise = json.loads((page.bundle(tmp_path / "bundle") / "certificate.json").read_text())["promise"]
    assert (promise["rho"], promise["sensitive"], promise["target"]) == ("3/5", ["flu"], "selected")
    page.until(lambda: any("nobody may conclude flu with 60% or more" in note for note in page.browser.texts(".note")))
    page.go("hide")
    page.go("publish")
    page.until(lambda: value(page, "Sensitive items") == "flu")


def test_the_chart_answers_also_where_a_file_arrives_while_the_point_moves(page: Page, stays: Path):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    moving = """(window.moving = setInterval(() => {
        const key = Date.now() % 2 ? "ArrowRight" : "ArrowLeft";
        document.querySelector("circle.point")?.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    }, 15))"""
    page.browser.ask(moving)
    page.drop(stays)
    page.until(lambda: page.browser.texts(".file") == [stays.name] and page.outcome)
    page.browser.ask("clearInterval(window.moving)")
    page.until(lambda: not page.browser.all("html.moving"))
    before = value(page, "Support")
    page.browser.one("circle.point").send_keys(Keys.PAGE_UP)
    page.until(lambda: value(page, "Support") != before and not page.browser.all("html.moving"))


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_a_long_error_lies_over_nothing(page: Page, size: tuple[int, int]):
    page.open(size=size)
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.write("Support", "lots")
    ends = """[".pair .q-field__messages", ".curves"].map((each) => document.querySelector(each))
        .map((each) => [each.innerText, each.getBoundingClientRect()])
        .map(([text, {top, bottom}]) => [text, top, bottom])"""

    def clear() -> bool:
        (said, _, bottom), (_, chart, _) = page.browser.ask(ends)
        return "lots" in said and bottom <= chart

    page.until(clear)

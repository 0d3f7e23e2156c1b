"""Work that takes long: found again, seen from two tabs, cancelled; and nothing is called safe too soon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.workbench_page import EXAMPLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.workbench_page import Page


def test_work_is_found_again_after_a_reload_seen_from_two_tabs_and_cancelled(page: Page, endless: Path):
    page.open("hide")
    page.drop(endless)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    page.write("or paste them, one on each line", "1 2")
    page.write("Measure over itemsets from this support up", "3%")
    page.click("Compare the methods")
    page.until(lambda: "Trying" in page.working)
    address = page.browser.driver.current_url
    page.browser.driver.refresh()
    page.until(lambda: page.working)
    one = page.browser.driver.current_window_handle
    page.browser.driver.switch_to.new_window("tab")
    page.browser.driver.get(address)
    page.until(lambda: page.working)
    page.click("Cancel")
    page.until(lambda: page.outcome == "Comparing the methods: cancelled")
    page.browser.driver.close()
    page.browser.driver.switch_to.window(one)
    page.until(lambda: page.outcome == "Comparing the methods: cancelled")
    page.write("or paste them, one on each line", "1 3")
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN")


def test_nothing_moves_when_work_begins_and_ends(page: Page, endless: Path):
    page.open("hide")
    page.drop(endless)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    page.write("or paste them, one on each line", "1 2")
    page.write("Measure over itemsets from this support up", "3%")
    page.until(lambda: "1 pattern still" in page.sentence)
    where = """[...document.querySelectorAll('.panel, .panel .q-btn')].filter((each) => each.offsetParent)
        .map((each) => each.getBoundingClientRect().top + scrollY)"""
    idle = page.until(lambda: page.outcome.startswith("Reading endless.dat: done") and page.browser.ask(where))
    page.click("Compare the methods")
    page.until(lambda: "Trying" in page.working)
    assert page.browser.ask(where) == idle
    page.click("Cancel")
    page.until(lambda: page.outcome == "Comparing the methods: cancelled")
    assert page.browser.ask(where) == idle


def test_the_attacker_can_be_cancelled_and_nothing_is_then_called_safe(page: Page, endless: Path):
    page.open()
    page.drop(endless)
    page.until(lambda: page.verdict != "NOTHING YET")
    page.write("Support", "4%")
    page.until(lambda: page.fact("closed") == "32,179")
    page.until(lambda: "The attacker is looking" in page.working)
    assert page.button("Compare both ways to make it safe") is not None  # nobody has to wait for it
    page.click("Cancel")
    page.until(lambda: page.verdict == "NOT CHECKED")
    page.until(lambda: page.fact("attacker") == "?")
    page.write("Support", "100%")
    page.until(lambda: page.verdict == "NOTHING TO PUBLISH")


def test_a_second_file_replaces_the_first_even_while_that_is_worked_on(page: Page, endless: Path):
    page.open("hide")
    page.drop(endless)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    page.write("or paste them, one on each line", "1 2")
    page.write("Measure over itemsets from this support up", "3%")
    page.click("Compare the methods")
    page.until(lambda: "Trying" in page.working)
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.texts(".file") == ["running-example.dat"])
    page.until(lambda: page.outcome.startswith("Reading running-example.dat: done"))
    assert page.verdict == "NOTHING YET"


def test_two_tabs_are_two_desks_unless_they_have_the_same_address(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    address = page.browser.driver.current_url
    one = page.browser.driver.current_window_handle
    page.browser.driver.switch_to.new_window("tab")
    page.browser.driver.get(page.address)
    page.until(lambda: page.verdict == "NOTHING YET")
    page.browser.driver.get(address)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.browser.driver.close()
    page.browser.driver.switch_to.window(one)

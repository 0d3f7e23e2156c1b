"""What a page shows and gives belongs together, also after a reading that failed and work that was cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from selenium.webdriver.common.keys import Keys

from tests.browser.workbench_page import EXAMPLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.workbench_page import Page

ROWS_ALONE = "a[href*='hidden-hidden-']"


def people(page: Page, folder: Path) -> None:
    """Drop a table of people on the page at hand, and leave out their names."""
    table = folder / "people.csv"
    lines = [f"person{row},{'ab'[row % 2]},{'mf'[row % 3 > 0]},{'hiv' if row % 4 else 'flu'}\n" for row in range(24)]
    table.write_text("name,town,sex,ill\n" + "".join(lines))
    page.drop(table)
    page.until(lambda: page.outcome.startswith("Reading people.csv: done"))
    page.press(".correct .q-item")
    page.write("Leave out columns", "name")
    page.click("Read again")
    page.until(lambda: page.browser.texts(".cells td") and "person0" not in page.browser.texts(".cells td"))


def test_names_left_out_stay_out_when_the_next_reading_fails(page: Page, tmp_path: Path):
    page.open("hide")
    people(page, tmp_path)
    page.field("Leave out columns").send_keys(Keys.CONTROL, "a")
    page.field("Leave out columns").send_keys(Keys.DELETE)
    page.write("Id column", "nosuch")
    page.click("Read again")
    page.until(lambda: page.outcome == "Reading people.csv: not done")
    page.until(lambda: "nosuch" in "".join(page.browser.texts(".refusal")))
    assert page.field("Id column").get_attribute("value") == "nosuch"  # to be corrected
    assert page.field("Leave out columns").get_attribute("value") == ""
    page.write("or paste them, one on each line", "town=a, ill=hiv")
    page.write("Measure over itemsets from this support up", "30%")
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN" and page.browser.all(ROWS_ALONE))
    assert b"person" not in page.fetched(ROWS_ALONE)
    assert page.browser.ask("document.querySelector('.equivalent pre').textContent").count("--drop name") == 2
    page.go("protect")
    page.mark("ill=hiv")
    page.until(lambda: page.verdict in ("PROTECTED", "NOT PROTECTED"))


def test_nothing_is_read_again_while_work_runs_and_the_same_file_dropped_again_empties_the_fields(
    page: Page, endless: Path
):
    page.open("hide")
    page.drop(endless)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    page.press(".correct .q-item")
    page.write("Id column", "nosuch")
    page.write("or paste them, one on each line", "1 2")
    page.write("Measure over itemsets from this support up", "3%")
    page.until(lambda: page.button("Read again"))
    page.click("Compare the methods")
    page.until(lambda: "Trying" in page.working)
    page.until(lambda: not page.button("Read again"))
    page.drop(endless)
    page.until(lambda: page.field("Id column").get_attribute("value") == "")
    page.until(lambda: page.button("Read again"))


def test_a_click_in_the_instant_in_which_work_begins_is_not_lost(page: Page):
    page.made_something = True
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE" and not page.working)
    both = [page.button(words) for words in ("Compare both ways to make it safe", "Make the bundle")]
    page.browser.driver.execute_script("for (const each of arguments[0]) each.click()", both)
    page.until(lambda: page.browser.all(".download a"))
    assert page.outcome.startswith("Making the bundle: done")

"""One verdict at a time, about what is chosen now; what left before is judged together with what is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.transactions.generate import hospital
from discreet.transactions.writing import write
from tests.browser.workbench_page import EXAMPLE, Page, served

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.chromium import Chromium


def verdicts(page: Page) -> list[str]:
    """Return the words of all verdicts on the page."""
    return page.browser.ask(
        "[...document.querySelectorAll('.verdict')].filter((each) => each.checkVisibility({visibilityProperty: true}))"
        ".map((each) => each.querySelector('strong').textContent)"
    )


def test_a_page_has_one_verdict_and_it_is_about_what_is_chosen(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE" and "can compute" in page.sentence)
    page.write("k", "3")
    page.until(lambda: "house rule" in page.sentence and page.judged)
    page.write("Support", "8")
    page.until(lambda: page.verdict == "NOT SAFE" and page.sentence.startswith("as they are"))
    page.click("Make the bundle")
    page.until(lambda: page.browser.all(".download a"))
    page.until(lambda: page.verdict.startswith("SAFE") and page.sentence.startswith("the bundle"))
    assert "k = 3, below the house rule of 10" in page.sentence
    assert "does not mean" in "".join(page.browser.texts(".first .verdict small"))
    assert len(verdicts(page)) == 1
    page.write("Support", "9")  # the bundle is no longer what is chosen
    page.until(lambda: page.sentence.startswith("as they are"))
    page.until(lambda: page.browser.all(".stale .download a"))
    assert len(verdicts(page)) == 1


def test_conclusions_about_sensitive_items_are_in_the_verdict(page: Page, stays: Path):
    page.open()
    page.drop(stays)
    page.until(lambda: page.judged)
    page.write("Support", "70%")
    page.until(lambda: page.verdict.startswith("SAFE"))
    page.write("Sensitive items", "admission emergency")
    page.until(lambda: page.browser.all(".first.stale"))  # a rho is missing
    page.write("Rho", "60%")
    page.until(lambda: page.verdict == "NOT SAFE" and "about admission emergency with 60% or more" in page.sentence)
    assert "of all 600 rows" in "".join(page.browser.texts(".surest"))
    page.write("Rho", "lots")
    page.until(lambda: page.browser.texts(".q-field--error [role=alert]"))
    assert page.button("Make the bundle") is None
    page.write("Rho", "90%")
    page.until(lambda: page.verdict == "SAFE" and "90% or more" in page.sentence)


def test_a_verdict_is_gone_when_the_server_is_gone(browser: Chromium):
    with served() as (address, process):
        page = Page(browser, address)
        page.open()
        page.drop(EXAMPLE)
        page.until(lambda: page.verdict == "NOT SAFE")
        process.terminate()
        page.until(lambda: not verdicts(page))
        assert "has ended" in page.browser.one(".gone-words").text
        assert "what was dropped is removed" in page.browser.one(".gone-words").text
        assert "reconnect" not in page.browser.one("body").text  # nothing is waited for
        assert float(page.browser.ask("getComputedStyle(document.querySelector('.sheet')).opacity")) < 0.5
    browser.driver.get("about:blank")
    browser.logs()


def test_two_safe_bundles_of_one_session_do_not_give_five_patients_away(page: Page, tmp_path: Path):
    """The README's five patients: 1,125 - 1,048 - 1,083 + 1,011 rows, from two bundles each of which is safe."""
    rows = hospital()
    path = tmp_path / "hospital.csv"
    write(rows, path)
    page.open()
    page.drop(path)
    page.until(lambda: page.verdict == "NOT SAFE" and page.fact("closed itemsets") == "194")
    page.click("Make the bundle")
    page.until(lambda: page.verdict == "SAFE" and page.browser.all(".download a"))
    assert b"<html" in page.fetched("a[href$='patterns-report.html']")  # whoever has the report has its figures
    page.until(lambda: "1 bundle left it" in "".join(page.browser.texts(".panel .note")))
    page.write("Support", "1012")
    page.until(lambda: page.verdict.startswith("SAFE") and page.sentence.startswith("as they are"))
    page.press(".q-radio")
    page.click("Make the bundle")
    page.until(lambda: page.verdict == "NOT SAFE TOGETHER")
    page.click("Publish a selection of the bundle that left before")
    page.until(lambda: page.verdict == "SAFE" and page.sentence.startswith("the bundle"))
    assert "selected from the bundle that left before" in "".join(page.browser.texts(".panel .note"))
    assert (page.bundle(tmp_path / "selected") / "certificate.json").exists()

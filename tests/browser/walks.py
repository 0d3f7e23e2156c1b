"""Whole walks through the workbench: a steward to a signed bundle, a checker to the evidence, a retailer to one copy.

The tests walk on small data, and `python -m benchmarks.workbench walks` on all of it, with the clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.workbench_page import Page

__all__ = ["check", "file_box", "retail", "steward"]


def file_box(page: Page, words: str) -> int:
    """Return the place of the box for files that says so."""
    return page.until(lambda: [place for place, each in enumerate(page.browser.texts(".drop")) if words in each])[0]


def steward(page: Page, stays: Path, identity: Path) -> list[str]:
    """Go from a table of stays to a signed bundle without typing; every question is answered as suggested.

    Returns the questions.
    """
    page.open()
    page.drop(stays)
    page.until(lambda: page.judged or page.verdict == "NOT UNDERSTOOD")
    asked = page.until(lambda: page.browser.texts(".doubt b"))

    def answer() -> None:
        for suggested in page.browser.all(".doubt button")[:1]:
            suggested.click()
            page.acts += 1

    while before := page.browser.texts(".doubt b"):
        page.again(answer, until=lambda before=before: page.browser.texts(".doubt b") != before)
    page.until(lambda: page.judged)  # what is still looked for in the background need not be waited for
    page.click("Make the bundle")
    page.until(lambda: page.browser.all(".download a"))
    page.click("Verify or sign it")
    page.until(lambda: "/verify/" in page.browser.driver.current_url and page.verdict == "HOLDS")
    page.open_part("Sign it")
    page.drop(identity, place=file_box(page, "Drop your identity"))
    page.click("Sign the bundle")
    page.until(lambda: page.browser.texts(".download a") == ["Download the signed bundle (zip)"])
    return asked


def check(page: Page, itemsets: Path, rows: int) -> None:
    """Go from a colleague's itemsets, which are shares of so many rows, to the evidence for the file."""
    page.open()
    page.drop(itemsets)
    page.until(lambda: "give “Rows in all”" in "".join(page.browser.texts(".q-field--error [role=alert]")))
    page.write("Rows in all", f"{rows:,}")
    page.click("Audit it")
    page.until(lambda: page.browser.all("a[href$='audit-audit.html']"))


def retail(page: Page, baskets: Path, lists: dict[str, str]) -> None:
    """Go from baskets to one copy for several recipients, each with a list of what it must not mine."""
    page.open("hide")
    page.drop(baskets)
    page.until(lambda: page.browser.all(".patterns tbody tr"))
    page.open_part("Several recipients, one copy")
    for place, (name, lines) in enumerate(lists.items(), start=1):
        page.write(f"Name of recipient {place}", name)
        page.write(f"What recipient {place} must not mine, one on each line", lines)
    page.until(lambda: f"{len(lists)} patterns" in page.sentence)
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN")
    page.until(lambda: page.browser.all(".download a"))

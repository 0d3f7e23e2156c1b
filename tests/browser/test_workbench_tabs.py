"""Two tabs of the same address: both show the same, and what they say is about what they show."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet.cli.main import main
from tests.browser.workbench_page import EXAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.browser.workbench_page import Page

PASTE = "or paste them, one on each line"


@contextmanager
def second_tab(page: Page) -> Iterator[tuple[str, str]]:
    """Open the same address in another tab, and give both; the other one is looked at."""
    driver = page.browser.driver
    first, address = driver.current_window_handle, driver.current_url
    driver.switch_to.new_window("tab")
    second = driver.current_window_handle
    try:
        driver.get(address)
        page.until(lambda: page.browser.texts(".first .verdict"))
        yield first, second
    finally:
        driver.switch_to.window(second)
        driver.close()
        driver.switch_to.window(first)


def ticked(page: Page) -> list[int]:
    """Return the places of the patterns that are ticked."""
    boxes = page.browser.all(".patterns tbody .q-checkbox")
    return [place for place, box in enumerate(boxes) if box.get_attribute("aria-checked") == "true"]


def tick(page: Page, place: int) -> None:
    def clicked() -> bool:  # again where the list was drawn anew in between
        boxes = page.browser.all(".patterns tbody .q-checkbox")
        return bool(boxes) and boxes[place].click() is None

    page.until(clicked)


def pasted(page: Page) -> str | None:
    return page.field(PASTE).get_attribute("value")


@pytest.fixture
def hide_page(page: Page) -> Page:
    page.open("hide")
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    return page


def test_both_tabs_show_what_is_hidden(hide_page: Page):
    page, look_at = hide_page, hide_page.browser.driver.switch_to.window
    with second_tab(page) as (first, second):
        page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
        look_at(first)
        page.write(PASTE, "a b c")
        tick(page, 0)
        page.until(lambda: "2 patterns still" in page.sentence)
        look_at(second)
        page.until(lambda: (pasted(page), ticked(page)) == ("a b c", [0]))
        tick(page, 1)
        page.until(lambda: "3 patterns still" in page.sentence)
        look_at(first)
        page.until(lambda: (pasted(page), ticked(page)) == ("a b c", [0, 1]))
        look_at(second)
        page.click("Hide them")
        page.until(lambda: page.verdict == "HIDDEN")
        assert len(page.fetched("a[href$='private.txt']").splitlines()) == 3
        look_at(first)
        page.until(lambda: page.verdict == "HIDDEN")
        assert (pasted(page), ticked(page)) == ("a b c", [0, 1])
        tick(page, 0)  # taken back here, it is taken back there
        page.until(lambda: page.verdict == "NOT HIDDEN")
        look_at(second)
        page.until(lambda: ticked(page) == [1])


def test_nobody_writes_where_somebody_types(hide_page: Page):
    page, look_at = hide_page, hide_page.browser.driver.switch_to.window
    with second_tab(page) as (first, second):
        page.until(lambda: page.field(PASTE).is_displayed())
        page.field(PASTE).send_keys("d e")  # and stays there
        look_at(first)
        page.write(PASTE, "a b")
        page.until(lambda: "1 pattern still" in page.sentence)
        look_at(second)
        page.until(lambda: "1 pattern still" in page.sentence)
        assert pasted(page) == "d e"
        page.browser.ask("arguments[0].blur()", page.field(PASTE))
        look_at(first)
        page.until(lambda: pasted(page) == "d e")


def test_an_error_goes_when_the_lines_are_mended(hide_page: Page):
    page = hide_page
    page.write(PASTE, "no-such-label")
    page.click("Hide them")
    page.until(lambda: page.browser.texts(".q-field--error [role=alert]"))
    page.write(PASTE, "a b\nd e")
    page.until(lambda: "2 patterns still" in page.sentence)
    assert not page.browser.all(".q-field--error")


def test_what_is_said_of_a_bundle_is_said_of_the_one_that_is_listed(page: Page, tmp_path: Path, capsys):
    public = tmp_path / "public"
    words = ["release", str(EXAMPLE), "-s", "8", "-k", "3", "--method", "additive", "-o", str(public), "--quiet"]
    assert main(words) == 0
    capsys.readouterr()
    good = Path(shutil.make_archive(str(tmp_path / "good"), "zip", public))
    patterns = public / "patterns.csv"
    patterns.write_text(patterns.read_text() + "\n")
    bad = Path(shutil.make_archive(str(tmp_path / "bad"), "zip", public))
    page.open("verify")
    for path, verdict in ((bad, "DOES NOT HOLD"), (good, "HOLDS"), (bad, "DOES NOT HOLD")):
        page.drop(path)
        page.until(lambda name=path.name: page.browser.texts(".files li") == [name])
        page.until(lambda: page.verdict == "NOTHING YET")
        page.click("Verify")
        page.until(lambda: page.verdict != "NOTHING YET")
        assert page.verdict == verdict
    with second_tab(page) as (first, _):
        page.click("Forget these files")
        page.browser.driver.switch_to.window(first)
        page.until(lambda: page.verdict == "NOTHING YET" and not page.browser.texts(".files li"))

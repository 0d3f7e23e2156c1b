"""Every page and state without barriers, in light and dark: what axe-core looks for, forced colours, zoom, speech."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.keys import Keys

from discreet import release
from discreet.transactions.reading import read
from tests.browser.axe import barriers
from tests.browser.chromium import PHONE
from tests.browser.workbench_page import EXAMPLE, PRIVATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.browser.workbench_page import Page

# No figure is dimmed because others are on their way, nor just about to be bright again.
AT_REST = """!document.querySelector(".patterns.stale")
    && !document.getAnimations().some((each) => each instanceof CSSTransition)"""


def publishing(page: Page, _: Path) -> Iterator[str]:
    """Go through the states of *Publish*, to the books and the list of workspaces."""
    yield "empty"
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    yield "read"
    page.click("Compare both ways to make it safe")
    page.until(lambda: page.browser.all("table.costs"))
    page.click("Pin to compare")
    page.until(lambda: page.browser.all(".compared .word"))
    page.click("Make the bundle")
    page.until(lambda: page.browser.all(".download a"))
    yield "made"
    page.click("Reject it")
    page.until(lambda: page.browser.all(".decision .q-field--error"))
    page.write("Decided by", "Ana")
    page.write("Why", "agreed")
    page.click("Release it")
    page.until(lambda: page.browser.all(".decision .released"))
    yield "decided"
    page.go("books")
    page.until(lambda: page.verdict == "ALL DECIDED")
    yield "books"
    page.press(".brand")
    page.until(lambda: page.browser.all(".workspaces li"))
    yield "workspaces"


def hiding(page: Page, _: Path) -> Iterator[str]:
    """Go through the states of *Hide*."""
    page.go("hide")
    yield "empty"
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    page.write("or paste them, one on each line", "a b")
    page.until(lambda: page.verdict == "NOT HIDDEN")
    page.click("Compare the methods")
    page.until(lambda: page.browser.all(".curves .line"))
    yield "compared"
    page.click("Hide them")
    page.until(lambda: page.browser.all(".download a"))
    yield "made"


def protecting(page: Page, _: Path) -> Iterator[str]:
    """Go through the states of *Protect*."""
    page.go("protect")
    yield "empty"
    page.drop(PRIVATE)
    page.until(lambda: "Mark the items" in page.sentence)
    page.field("Sensitive items").send_keys("a")
    page.until(lambda: page.browser.all(".found li"))
    yield "searching"
    page.field("Sensitive items").send_keys(Keys.BACKSPACE)
    page.mark("alpha", "gamma")
    page.until(lambda: page.verdict == "NOT PROTECTED")
    page.click("Compare the methods")
    page.until(lambda: page.browser.all("table.costs"))
    page.click("Show the loss over rho")
    page.until(lambda: page.browser.all(".curves .line"))
    yield "compared"
    page.click("Protect the rows")
    page.until(lambda: page.verdict == "PROTECTED")
    yield "made"


def verifying(page: Page, folder: Path) -> Iterator[str]:
    """Go through the states of *Verify*."""
    release(read(EXAMPLE), min_support=8, k=3, method="additive", output=folder / "public")
    page.go("verify")
    yield "empty"
    page.drop(Path(shutil.make_archive(str(folder / "packed"), "zip", folder / "public")))
    page.click("Verify")
    page.until(lambda: page.verdict == "HOLDS")
    for title in ("Who must have signed it", "Sign it"):
        page.open_part(title)
    page.until(lambda: len(page.browser.all(".drop")) == 4)
    yield "verified"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("walk", [publishing, hiding, protecting, verifying], ids=lambda walk: walk.__name__)
def test_no_state_of_a_page_has_a_barrier(page: Page, tmp_path: Path, walk, dark: bool):
    page.open(dark=dark)
    found = {}
    for state in walk(page, tmp_path):
        page.until(lambda: not page.working and page.browser.ask(AT_REST))  # the list follows a bit later
        found[state] = barriers(page.browser)
    assert {state: told for state, told in found.items() if told} == {}


def test_the_verdict_is_spoken_from_a_region_that_stays(page: Page):
    page.open()
    page.browser.ask("window.region = document.querySelector('.first [role=status]')")
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    assert page.browser.ask(
        "window.region.isConnected && window.region.textContent.includes(arguments[0])", page.verdict
    )


def test_forced_colours_keep_what_is_chosen_in_sight(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    page.browser.order("Emulation.setEmulatedMedia", media="", features=[{"name": "forced-colors", "value": "active"}])
    shown = """(() => {
      const border = (selector) => {
        const found = document.querySelector(selector);
        const style = found && getComputedStyle(found);
        return style && style.borderStyle !== 'none' && parseFloat(style.borderWidth) >= 2;
      };
      return ["nav a[aria-current]", ".q-btn.main", ".verdict"].filter((each) => !border(each));
    })()"""
    page.until(lambda: page.browser.ask("matchMedia('(forced-colors: active)').matches"))
    assert page.browser.ask(shown) == []


@pytest.mark.parametrize("size", [PHONE, (640, 400)], ids=["phone", "200 %"])
def test_the_verdict_stays_in_sight_and_covers_no_box(page: Page, size: tuple[int, int]):
    page.open(size=size)
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    page.browser.ask("window.scrollTo(0, document.documentElement.scrollHeight)")
    box = "(({top, bottom}) => [top, bottom])(document.querySelector(arguments[0]).getBoundingClientRect())"
    top, bottom = page.until(lambda: page.browser.ask(box, ".first"))
    assert -1 <= top < bottom <= size[1] / 2
    page.browser.ask("document.querySelector('input[type=file]').focus()")
    page.browser.ask("document.querySelector('.drop').scrollIntoView()")
    page.until(lambda: page.browser.ask(box, ".drop")[0] >= page.browser.ask(box, ".first")[1] - 1)

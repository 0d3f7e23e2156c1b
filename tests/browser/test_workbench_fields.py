"""Whoever types in a field keeps the words: what the server writes without having read them does not replace them."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.workbench_page import EXAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.browser.workbench_page import Page

# What the page says is kept back, as a slow line would, until it is let go, in order.
HOLD = """(() => {
  const emit = socket.emit, held = [];
  socket.emit = (...words) => held.push(words);
  window.letGo = () => { socket.emit = emit; held.forEach((words) => socket.emit(...words)); };
})()"""


def value(page: Page, label: str) -> str | None:
    return page.field(label).get_attribute("value")


def judged_at(page: Page, support: str, k: str) -> bool:
    shown = (value(page, "Support"), value(page, "k")) == (support, k)
    return shown and page.judged and not page.working and not page.browser.all(".stale, html.moving")


@contextmanager
def another_tab(page: Page) -> Iterator[None]:
    """Go on in another tab of the same address, as if on another machine: the field in the first one is not left."""
    driver = page.browser.driver
    one, address = driver.current_window_handle, driver.current_url
    page.browser.order("Emulation.setFocusEmulationEnabled", enabled=True)
    driver.switch_to.new_window("tab")
    try:
        driver.get(address)
        yield
    finally:
        driver.close()
        driver.switch_to.window(one)
        page.browser.order("Emulation.setFocusEmulationEnabled", enabled=False)


def type_over(page: Page, label: str, words: str, *, leave: bool = False) -> None:
    field = page.field(label)
    page.browser.ask("arguments[0].select()", field)
    field.send_keys(words)
    if leave:
        page.browser.ask("arguments[0].blur()", field)


@pytest.fixture
def at_six(page: Page) -> Page:
    """Return a page at a support of 6 and k = 3."""
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.judged and not page.working)
    page.write("k", "3")
    page.write("Support", "6")
    page.until(lambda: judged_at(page, "6", "3"))
    return page


@pytest.mark.parametrize("leave", [False, True], ids=["still in the field", "left"])
def test_words_that_the_server_has_not_read_stay(at_six: Page, leave: bool):
    page = at_six
    page.browser.ask(HOLD)
    type_over(page, "Support", "8", leave=leave)
    with another_tab(page):
        page.until(lambda: judged_at(page, "6", "3"))
        page.write("Support", "10")
        page.until(lambda: judged_at(page, "10", "3"))
    page.until(lambda: page.fact("closed") == "2")  # what the other tab chose has come
    assert value(page, "Support") == "8"
    page.browser.ask("letGo()")
    if not leave:
        page.browser.ask("arguments[0].blur()", page.field("Support"))
    page.until(lambda: judged_at(page, "8", "3"))  # the last word counts


def test_words_that_the_server_has_read_stay_while_somebody_is_in_the_field(at_six: Page):
    page = at_six
    type_over(page, "Support", "8")
    with another_tab(page):
        page.until(lambda: judged_at(page, "6", "3"))
        page.write("Support", "10")
        page.until(lambda: judged_at(page, "10", "3"))
    page.until(lambda: page.fact("closed") == "2")
    assert value(page, "Support") == "8"
    page.browser.ask("arguments[0].blur()", page.field("Support"))
    page.until(lambda: judged_at(page, "8", "3"))


def test_two_fields_that_are_left_one_right_after_the_other_are_both_taken(at_six: Page):
    page = at_six
    for support, k in (("8", "2"), ("5", "4"), ("9", "3")):
        page.browser.ask(HOLD)
        type_over(page, "Support", support, leave=True)
        type_over(page, "k", k, leave=True)
        page.browser.ask("letGo()")
        page.until(lambda support=support, k=k: judged_at(page, support, k))


def test_every_field_for_words_is_such_a_field():
    pages = Path("src/discreet/workbench/pages")
    others = ("ui.input(", "ui.textarea(")
    assert [path.name for path in pages.glob("*.py") if any(each in path.read_text() for each in others)] == []


def test_ticks_stay_when_the_columns_are_read_again(page: Page, tmp_path: Path):
    table = tmp_path / "people.csv"
    lines = [f"r{row},{'mf'[row % 2]},{'abc'[row % 3]},{'flu' if row % 4 else 'hiv'}\n" for row in range(60)]
    table.write_text("id,sex,town,ill\n" + "".join(lines))
    page.open()
    page.drop(table)
    page.until(lambda: page.browser.all(".columns-table") and not page.working)
    for box in ("known town", "sensitive ill"):
        page.press(f"input[aria-label='{box}']")
    page.click("Leave out what is ticked")  # the id
    page.until(lambda: page.browser.texts(".columns-table th b") == ["sex", "town", "ill"])
    ticked = "[...document.querySelectorAll('.columns-table input:checked')].map((each) => each.ariaLabel)"
    page.until(lambda: page.browser.ask(ticked) == ["known town", "sensitive ill"])
    page.click("Use these roles")
    page.until(lambda: value(page, "Quasi-identifiers") == "town" and value(page, "Rho") == "50%")

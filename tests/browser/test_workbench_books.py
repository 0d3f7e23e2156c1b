"""Compare, save, tell: pinned settings, undo, decisions, the script, the project, and the list of workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from discreet import read_policy
from tests.browser.workbench_page import EXAMPLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.workbench_page import Page


def support(page: Page) -> str | None:
    return page.field("Support").get_attribute("value")


def example(page: Page, at: str = "8", k: str = "3") -> None:
    """Drop the example, and go to a support and a k."""
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    page.write("k", k)
    page.write("Support", at)
    page.until(lambda: support(page) == at and page.judged and not page.working and not page.browser.all(".stale"))


def compared(page: Page) -> dict[str, list[str]]:
    """Return the lines of the comparison by their headings."""
    script = """[...document.querySelectorAll(".compared tbody tr")].map((line) =>
        [...line.children].map((cell) => cell.textContent))"""
    return {heading: cells for heading, *cells in page.browser.ask(script)}


def saved_text(page: Page, words: str) -> str:
    """Click a button that saves a file, and return its text."""
    page.browser.ask(
        """(() => {
          window.saved = null;
          const make = URL.createObjectURL;
          URL.createObjectURL = (blob) => { blob.text().then((text) => (window.saved = text)); return make(blob); };
          HTMLAnchorElement.prototype.click = () => {};
        })()"""
    )
    page.click(words)
    return page.until(lambda: page.browser.ask("window.saved"))


def test_settings_are_pinned_compared_and_chosen(page: Page):
    page.open()
    example(page)
    page.click("Pin to compare")
    page.write("Support", "11")
    page.until(lambda: page.judged and "11" in (support(page) or "") and not page.working)
    page.click("Pin to compare")
    page.until(lambda: len(compared(page)["k"]) == 2)
    found = page.until(lambda: (lines := compared(page)) and "…" not in str(lines) and lines)
    assert [each.split()[0] for each in found["Support"]] == ["8", "11"]
    assert found["k"] == ["3", "3"]
    assert found["Verdict"][0] == "SAFE"  # with supports raised
    assert all("%" in cell for cell in found["Published exactly"])
    assert page.button("Pin to compare") is None  # it is pinned
    page.press("[aria-label='choose setting 1']")
    page.until(lambda: support(page) == "8" and page.judged)
    page.press("[aria-label='unpin setting 2']")
    page.until(lambda: len(compared(page)["k"]) == 1)


def test_the_point_is_undone_and_done_again_by_button_and_key(page: Page):
    page.open()
    example(page)
    page.write("Support", "10")
    page.until(lambda: page.judged and support(page) == "10" and not page.working)
    page.click("Undo")
    page.until(lambda: support(page) == "8" and page.judged and page.button("Redo"))
    page.browser.ask("document.activeElement.blur()")
    ActionChains(page.browser.driver).key_down(Keys.CONTROL).send_keys("y").key_up(Keys.CONTROL).perform()
    page.until(lambda: support(page) == "10" and page.judged and page.button("Undo"))
    ActionChains(page.browser.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    page.until(lambda: support(page) == "8")
    page.field("Title of the report").send_keys("abc", Keys.CONTROL, "z")  # a field undoes for itself
    assert support(page) == "8"


def test_a_bundle_is_decided_about_and_all_is_told(page: Page):
    page.open()
    example(page)
    page.click("Make the bundle")
    page.until(lambda: page.browser.all(".download a"))
    page.click("Reject it")
    page.until(lambda: "a decision needs who decides it" in "".join(page.browser.texts(".decision")))
    page.write("Decided by", "Ana <b>")
    page.write("Why", "too early")
    page.click("Reject it")
    page.until(lambda: page.browser.texts(".decision .rejected"))
    assert b"rejected by Ana <b>: too early" in page.fetched(".download a")  # in place of the bundle
    page.browser.logs()  # that refusal is an error to the browser
    page.write("Why", "the board agreed")
    page.click("Release it")
    page.until(lambda: page.browser.texts(".decision .released"))
    assert page.fetched(".download a")[:2] == b"PK"
    report = page.fetched("a[href$='owner-report.html']").decode()
    assert report.index("rejected by Ana &lt;b&gt;") < report.index("released by Ana &lt;b&gt;")
    page.go("books")
    page.until(lambda: page.verdict == "ALL DECIDED")
    assert len(page.browser.all(".log .decided")) == 2
    script = saved_text(page, "Save the script (run.sh)")
    assert f"discreet release {EXAMPLE.name} -s 8 -k 3 --method additive" in script
    assert "# released by Ana <b>" in script


def test_rows_that_were_handed_over_are_in_the_books_too(page: Page):
    page.open("hide")
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    page.write("or paste them, one on each line", "a b")
    page.until(lambda: page.verdict == "NOT HIDDEN")
    page.click("Undo")
    page.until(lambda: page.verdict == "NOTHING YET")
    page.click("Redo")
    page.until(lambda: page.verdict == "NOT HIDDEN")
    page.made_something = True
    page.click("Hide them")
    page.until(lambda: page.browser.all(".download a"))
    page.go("books")
    page.until(lambda: page.verdict == "TO BE DECIDED")
    assert "Rows with patterns hidden" in "".join(page.browser.texts(".log"))
    assert "discreet hide" in "".join(page.browser.texts("pre"))


def test_a_project_is_saved_and_opened_again(page: Page, tmp_path: Path):
    page.open()
    example(page, at="9", k="4")
    page.click("Pin to compare")
    page.until(lambda: compared(page))
    page.go("books")
    path = tmp_path / "running-example.discreet.toml"
    path.write_text(saved_text(page, "Save the project"), encoding="utf-8")
    assert read_policy(path).k == 4
    assert page.address.partition("token=")[2] not in path.read_text()
    page.open()
    page.drop(path)
    page.until(lambda: "Now drop its data" in "".join(page.browser.texts(".doubtful")))
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    assert (support(page), page.field("k").get_attribute("value")) == ("9", "4")
    assert "below the house rule of 10" in page.sentence
    page.until(lambda: compared(page) and "…" not in str(compared(page)))


def test_a_bad_project_is_one_sentence(page: Page, tmp_path: Path):
    page.open()
    path = tmp_path / "bad.discreet.toml"
    path.write_text('version = 1\n[workbench]\nversion = 1\nsurprise = "<script>alert(1)</script>"\n')
    page.drop(path)
    told = page.until(lambda: [each for each in page.browser.texts(".refusal") if each])
    assert len(told) == 1
    assert "bad.discreet.toml" in told[0]


def test_the_brand_leads_to_all_open_workspaces(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.judged)
    here = page.browser.driver.current_url.rpartition("/")[2]
    page.open()  # another one
    card = f".workspaces a[href='/publish/{here}']"
    page.again(lambda: page.browser.one(".brand").click(), until=lambda: page.browser.all(card))
    page.press(card)
    page.until(lambda: page.judged)
    assert EXAMPLE.name in "".join(page.browser.texts(".file"))
    page.again(lambda: page.browser.one(".brand").click(), until=lambda: page.browser.all(card))
    place = len(page.browser.all(".workspaces li"))

    def close() -> None:
        cards = page.browser.all(".workspaces li")
        mine = next(card for card in cards if card.find_elements("css selector", f"a[href='/publish/{here}']"))
        mine.find_element("css selector", "button").click()

    page.again(close, until=lambda: "removed" in "".join(page.browser.texts(".workspaces button")))
    page.again(close, until=lambda: len(page.browser.all(".workspaces li")) == place - 1)

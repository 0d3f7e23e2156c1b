"""Bad files, hostile labels, small screens, the dark, and no mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.keys import Keys

from discreet.transactions.transactions import Transactions
from discreet.transactions.writing import write
from discreet.wording import one_line
from tests.browser.chromium import DESK, PHONE
from tests.browser.workbench_page import EXAMPLE
from tests.publishing.stories import HOSTILE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.workbench_page import Page


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.csv", b"", "empty.csv holds no rows"),
        ("noise.parquet", bytes(range(256)), "noise.parquet"),
        ("cut.dat.gz", b"\x1f\x8b\x08\x00 no gzip at all", "cut.dat.gz is damaged"),
        ("scan.png", b"\x89PNG\r\n\x1a\n" + bytes(50), "scan.png is a picture: drop a table"),
        ("what.xyz", b"a b c\nd e", "choose how to read it"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(page: Page, tmp_path: Path, name: str, content: bytes, sentence: str):
    path = tmp_path / name
    path.write_bytes(content)
    page.open()
    page.drop(path)
    told = page.until(
        lambda: (
            page.browser.texts(".refusal") or page.browser.texts(".q-field--error [role=alert], .doubt[aria-label] b")
        )
    )
    assert sentence in told[0]
    assert "discreet-scratch" not in told[0]
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    assert page.browser.texts(".refusal") == []


def test_hostile_labels_are_shown_as_text_everywhere(page: Page, tmp_path: Path):
    labels = [
        *HOSTILE,
        "<img src=x onerror='window.hacked = 1'>",
        "x" * 10_000,
        "{{ 6 * 7 }}",
        "${6 * 7}",
        "`+alert(1)+`",
    ]
    rows = [[label for place, label in enumerate(labels) if (row + place) % 3] for row in range(30)] + [labels]
    path = tmp_path / "hostile.jsonl"
    write(Transactions.from_rows(rows), path)
    used = {one_line(label) for label in labels}
    page.open(size=PHONE)
    page.drop(path)
    page.until(lambda: page.judged)
    assert set(page.browser.texts(".item")) <= used
    assert page.browser.all(".item *, main img, main iframe") == []
    for task in ("hide", "protect"):
        page.go(task)
        page.until(lambda: page.browser.texts("ol.rows"))
        if task == "protect":
            page.field("Sensitive items").send_keys("<img")
            page.press(".found li")
            page.until(lambda: page.verdict in ("PROTECTED", "NOT PROTECTED"))
            assert page.browser.all(".tree img") == []
        assert page.browser.ask("document.documentElement.scrollWidth") <= PHONE[0]
    assert page.browser.ask("window.hacked") is None


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_page_fits_and_can_be_read(page: Page, size: tuple[int, int], dark: bool):
    page.open(size=size, dark=dark)
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    for task in ("publish", "hide", "protect", "verify", "books"):
        page.go(task)
        assert page.browser.ask("document.documentElement.scrollWidth") <= size[0]
        top = page.browser.ask("document.querySelector('.first').getBoundingClientRect().bottom")
        assert top < size[1] / 2
        assert page.browser.ask(LEAST_CONTRAST) >= 4.5


LEAST_CONTRAST = """(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (each) => {
    for (let at = each; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)|transparent/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const words = [...document.querySelectorAll('nav a, h2, p, .verdict span, .verdict strong, .fact span, .item, .note,'
    + '.q-btn:not([disabled]), .drop-words, .drop-hint, footer, a')].filter((each) => each.offsetParent);
  return Math.min(...words.map((each) => {
    const [one, other] = [light(getComputedStyle(each).color), light(behind(each))].sort((a, b) => b - a);
    return (one + 0.05) / (other + 0.05);
  }));
})()"""


def test_a_file_is_chosen_and_a_page_changed_without_a_mouse(page: Page):
    page.open()
    reached = []
    for _ in range(11):
        page.browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        active = page.browser.driver.switch_to.active_element
        reached.append(active.get_attribute("type") or active.text.partition("\n")[0])
    assert reached == [
        "discreet",
        "Publish patterns",
        "Hide patterns in rows",
        "Protect sensitive items",
        "Verify a bundle",
        "Keep the books",
        "I publish counts",
        "I hand rows over",
        "I hand rows of people over",
        "I was given a bundle",
        "file",
    ]


@pytest.mark.parametrize(
    ("task", "name", "words"),
    [("hide", "ψ in per cent", "--disclosure 3%"), ("protect", "rho in per cent", "--rho 53%")],
)
def test_sliders_move_by_keys(page: Page, task: str, name: str, words: str):
    page.open(task)
    page.drop(EXAMPLE)
    if task == "hide":
        page.until(lambda: page.browser.all(".patterns tbody tr"))
        page.write("or paste them, one on each line", "a b")
    else:
        page.until(lambda: "Mark the items" in page.sentence)
        page.mark("a")
    page.until(lambda: page.verdict.startswith("NOT"))
    page.browser.ask("document.querySelector(arguments[0]).focus()", f"[aria-label='{name}'] [tabindex='0']")
    for _ in range(3):
        page.browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.click("Hide them" if task == "hide" else "Protect the rows")
    page.until(lambda: words in "".join(page.browser.texts(".equivalent pre")))

"""Both reports in a browser: sorted, searched, in the dark, on a phone, on paper, without a script, under attack."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pypdfium2
import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from discreet.publishing.audiences import PublishedRows
from discreet.publishing.owner_report import owner_report
from discreet.publishing.report import public_report, rows_report
from discreet.transactions.reading import read
from discreet.wording import number, one_line, percent
from tests.browser.chromium import A4, DESK, PHONE
from tests.papers.adult import read_adult
from tests.publishing.stories import (
    HOSTILE,
    LOOKED,
    hospital_story,
    hostile_story,
    many_patterns,
    published_of,
    story_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.publishing.audiences import OwnerStory
    from tests.browser.chromium import Chromium

ROWS = ".browse tbody tr"


class Pages(NamedTuple):
    """A story and its two reports as files."""

    story: OwnerStory
    public: Path
    owner: Path


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pages]:
    folder = tmp_path_factory.mktemp("reports")
    made = {}
    for name, story in {"hospital": hospital_story(), "hostile": hostile_story()}.items():
        public, owner = folder / f"{name}.html", folder / f"{name}-owner.html"
        public.write_text(public_report(story.published), encoding="utf-8")
        owner.write_text(owner_report(story), encoding="utf-8")
        made[name] = Pages(story, public, owner)
    return made


def both(pages: dict[str, Pages]) -> list[Path]:
    return [page for each in pages.values() for page in (each.public, each.owner)]


def click(browser: Chromium, head: str) -> None:
    (button,) = [each for each in browser.all("thead button") if each.text == head]
    button.click()


def test_a_table_is_sorted_by_any_column_both_ways(browser: Chromium, pages: dict[str, Pages]):
    browser.open(pages["hospital"].public)
    patterns = pages["hospital"].story.published.patterns
    assert len(patterns) > 100
    assert browser.texts("th[aria-sort=ascending]") == ["Items"]
    columns = {"Length": (2, patterns.itemsets.lengths), "Support": (3, patterns.supports)}
    for head, (place, values) in columns.items():
        for way, expected in (("descending", -np.sort(-values)), ("ascending", np.sort(values))):
            click(browser, head)
            assert browser.texts(f"th[aria-sort={way}]") == [head]
            shown = browser.texts(f"{ROWS} > :nth-child({place})")
            assert shown == [number(value) for value in expected[:100].tolist()]
    click(browser, "Items")
    assert [browser.texts(f"{ROWS}:nth-child({row}) .item") for row in (1, 100)] == [
        [
            patterns.vocabulary[item]
            for item in patterns.items[patterns.offsets[row] : patterns.offsets[row + 1]].tolist()
        ]
        for row in (0, 99)
    ]


def test_a_table_is_sorted_with_the_keyboard(browser: Chromium, pages: dict[str, Pages]):
    browser.open(pages["hospital"].public)
    browser.ask("document.querySelector('.browse select').focus()")
    reached = []
    for _ in range(3):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.append(browser.driver.switch_to.active_element.text)
    assert reached == ["Items", "Length", "Support"]
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.texts("th[aria-sort=descending]") == ["Support"]


def test_search_finds_patterns_that_hold_every_word(browser: Chromium, pages: dict[str, Pages]):
    browser.open(pages["hospital"].public)
    patterns = pages["hospital"].story.published.patterns
    box = browser.one("input[type=search]")
    box.send_keys("EMERGENCY drug")
    wanted = [
        labels
        for labels, _ in patterns
        if any("emergency" in label for label in labels) and any("drug" in label for label in labels)
    ]
    assert 0 < len(wanted) < len(patterns)
    shown = [set(browser.texts(f"{ROWS}:nth-child({row + 1}) .item")) for row in range(min(len(wanted), 100))]
    assert all(labels in wanted for labels in shown)
    assert browser.one("output").text.endswith(f"of {len(wanted):,} found among {len(patterns):,}")
    box.clear()
    box.send_keys("no such thing")
    assert (browser.all(ROWS), browser.one("output").text) == ([], f"None of {len(patterns):,} found")
    browser.ask("arguments[0].value = '', arguments[0].dispatchEvent(new Event('input'))", box)
    Select(browser.one("select")).select_by_value("2")
    assert set(browser.texts(f"{ROWS} > :nth-child(2)")) == {"2"}


def test_a_hundred_thousand_patterns_stay_usable(browser: Chromium, tmp_path: Path):
    page = tmp_path / "many.html"
    many = many_patterns(100_000)
    page.write_text(public_report(published_of(many, 10, attack=LOOKED)))
    browser.open(page)
    assert len(browser.all(ROWS)) == 100
    assert browser.one("output").text == "1 to 100 of 100,000"
    click(browser, "Support")
    assert browser.texts(f"{ROWS}:first-child > :nth-child(3)") == ["100,999"]
    first, previous, following, last = browser.all(".pager button")
    last.click()
    assert browser.one("output").text == "99,901 to 100,000 of 100,000"
    assert browser.texts(f"{ROWS}:last-child > :nth-child(3)") == ["1,000"]
    previous.click()
    assert browser.one("output").text.startswith("99,801 to 99,900")
    first.click()
    following.click()
    assert browser.one("output").text.startswith("101 to 200")
    browser.one("input[type=search]").send_keys("00123")
    held = np.count_nonzero(many.items == many.vocabulary.item("item 00123"))
    assert browser.one("output").text == f"1 to 100 of {held} found among 100,000"
    assert len(browser.all(ROWS)) == 100


def test_lines_are_the_same_with_and_without_a_script(browser: Chromium, pages: dict[str, Pages]):
    for page in both(pages):
        browser.open(page, script=False)
        assert not any(each.is_displayed() for each in browser.all(".controls, .pager"))
        plain = browser.texts(f"{ROWS} > *")
        heads = browser.texts(".browse thead th")
        browser.open(page)
        assert browser.texts(".browse thead th") == heads
        drawn = browser.texts(f"{ROWS} > *")
        assert drawn == plain[: len(drawn)]
        assert len(drawn) == len(heads) * len(browser.all(ROWS)) > 0


@pytest.mark.parametrize(
    ("part", "whole"), [(0, 5), (5, 5), (1, 20_000), (1, 3), (99_999, 100_000), (123, 1000), (7, 100)]
)
def test_shares_are_worded_as_everywhere(browser: Chromium, pages: dict[str, Pages], part: int, whole: int):
    browser.open(pages["hostile"].public)
    assert browser.ask("asShare(...arguments)", part, whole) == percent(part, whole)


def test_nothing_is_asked_for_and_nothing_goes_wrong(browser: Chromium, pages: dict[str, Pages]):
    for page, dark in itertools.product(both(pages), (False, True)):
        browser.open(page, dark=dark)
        browser.one("input[type=search]").send_keys("a")
        assert browser.logs() == ([], [page.as_uri()])


def test_a_script_that_got_in_would_not_run(browser: Chromium, pages: dict[str, Pages]):
    browser.open(pages["hospital"].public)
    browser.ask("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hacked = 1\">')")
    browser.ask("document.body.append(Object.assign(document.createElement('script'), {text: 'window.hacked = 1'}))")
    browser.driver.execute_async_script("setTimeout(arguments[0], 200)")
    assert browser.ask("window.hacked") is None
    said, _ = browser.logs()
    assert [line for line in said if "Content Security Policy" not in line] == []
    assert any("image" in line for line in said)
    assert any("inline script" in line for line in said)


def test_hostile_labels_are_shown_as_text(browser: Chromium, pages: dict[str, Pages]):
    story, public, owner = pages["hostile"]
    used = {label for labels, _ in story.published.patterns for label in labels}
    assert len(used) > 5
    for page, script in itertools.product((public, owner), (True, False)):
        browser.open(page, script=script)
        assert set(browser.texts(f"{ROWS} .item")) == {one_line(label) for label in used}
        assert browser.all("img, iframe, .item *") == []
        if script:
            assert browser.ask("window.hacked") is None
    browser.open(public)
    assert browser.texts("h1") == [HOSTILE[0]]
    hebrew = browser.ask(
        "[...document.querySelectorAll('.item')].find((each) => each.textContent === arguments[0])", HOSTILE[4]
    )
    assert hebrew.value_of_css_property("direction") == "rtl"
    assert hebrew.value_of_css_property("unicode-bidi") == "isolate"


WIDER = """[...document.querySelectorAll('body *')].filter((each) =>
  !each.closest('.scroll, figure, .hidden, .skip, script') && each.getBoundingClientRect().right > innerWidth + 1
).map((each) => each.outerHTML.slice(0, 80))"""


def test_nothing_sticks_out_on_a_phone_or_a_desk(browser: Chromium, pages: dict[str, Pages]):
    for page, size in itertools.product(both(pages), (PHONE, DESK)):
        browser.open(page, size=size)
        assert browser.ask(WIDER) == []
        assert browser.ask("document.documentElement.scrollWidth") <= size[0]
        assert browser.ask(
            "[...document.querySelectorAll('th.items .item')].every((each) =>"
            " each.getBoundingClientRect().width < innerWidth)"
        )


def test_a_chart_is_whole_on_a_phone_with_words_that_can_be_read(browser: Chromium, pages: dict[str, Pages]):
    for page in both(pages):
        browser.open(page, size=PHONE)
        assert browser.all("figure svg")
        cut = "figure => figure.scrollWidth > figure.clientWidth + 1"
        assert browser.ask(f"[...document.querySelectorAll('figure')].filter({cut}).length") == 0
        words = "[...document.querySelectorAll('figure svg text')].map((each) => each.getBoundingClientRect())"
        boxes = browser.ask(f"{words}.filter((box) => box.width).map((box) => [box.left, box.right, box.height])")
        assert all(left >= 0 and right <= PHONE[0] for left, right, _ in boxes)
        assert min(high for *_, high in boxes) > 9


CONTRAST = """(() => {
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parts = (colour) => (colour.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const ground = (each) => {
    for (; each; each = each.parentElement) {
      const colour = parts(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const each of document.querySelectorAll('body *')) {
    const words = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!words || each.closest('script, title, desc, .stamp, .hidden')) continue;
    const style = getComputedStyle(each);
    const ink = light(parts(each.closest('svg') ? style.fill : style.color).slice(0, 3));
    const paper = light(ground(each));
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < 4.5) poor.push([ratio.toFixed(2), each.tagName, each.textContent.slice(0, 40)]);
  }
  return poor;
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_light_or_dark_every_word_can_be_read(browser: Chromium, pages: dict[str, Pages], dark: bool):
    for page in both(pages):
        browser.open(page, dark=dark)
        assert browser.ask(CONTRAST) == []
        red, green, blue = browser.ask("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert (red + green + blue < 3 * 64) is dark


def test_a_page_is_built_for_those_who_do_not_see_it(browser: Chromium, pages: dict[str, Pages]):
    for page in both(pages):
        browser.open(page)
        assert browser.ask("document.documentElement.lang") == "en"
        assert len(browser.all("h1")) == len(browser.all("main")) == 1
        levels = browser.ask("[...document.querySelectorAll('h1, h2, h3')].map((each) => Number(each.tagName[1]))")
        assert all(deeper - level <= 1 for level, deeper in itertools.pairwise(levels))
        assert browser.ask("[...document.querySelectorAll('table')].every((each) => each.caption?.textContent)")
        assert browser.ask("[...document.querySelectorAll('th')].every((each) => ['col', 'row'].includes(each.scope))")
        assert browser.ask("[...document.querySelectorAll('input, select')].every((each) => each.labels.length === 1)")
        assert browser.ask(
            "[...document.querySelectorAll('figure svg')].every((each) => each.getAttribute('role') === 'img'"
            " && each.getAttribute('aria-labelledby').split(' ').every((id) => document.getElementById(id)))"
        )
        assert browser.ask("document.querySelectorAll('figure svg').length") == 1
        names = browser.ask("[...document.querySelectorAll('[id]')].map((each) => each.id)")
        assert len(names) == len(set(names))
        targets = browser.ask("[...document.querySelectorAll('a')].map((each) => each.getAttribute('href').slice(1))")
        assert set(targets) <= set(names)


def unbroken(text: str) -> str:
    """Return text without what printing puts in where a line ends."""
    return re.sub(r"[\s\ufffe-]", "", text)


def test_on_paper_nothing_is_cut_off(browser: Chromium, pages: dict[str, Pages]):
    margin = 40  # points; the style asks for 16 mm
    for page in both(pages):
        browser.open(page)
        lines = len(browser.all(ROWS))
        with pypdfium2.PdfDocument(browser.printed()) as document:
            assert len(document) > 2
            whole = []
            for sheet in document:
                assert tuple(round(side) for side in sheet.get_size()) == A4
                words = sheet.get_textpage()
                boxes = [words.get_rect(place) for place in range(words.count_rects())]
                upright = [box for box in boxes if box[3] - box[1] < 40]  # all but the stamp across the page
                assert min(box[0] for box in upright) >= margin
                assert max(box[2] for box in upright) <= A4[0] - margin
                whole.append(words.get_text_range())
        assert lines
        assert browser.logs() == ([], [page.as_uri()])
        text = unbroken(" ".join(whole))
        for label in {*browser.texts(f"{ROWS} .item")}:
            assert unbroken(label) in text or not label.isascii()  # of other scripts, letters come in another order
        if page.stem.endswith("-owner"):
            assert all("NOT FOR RELEASE" in words for words in whole)
        else:
            assert not any("NOT FOR RELEASE" in words for words in whole)


def test_heads_come_again_on_every_printed_page_of_a_table(browser: Chromium, pages: dict[str, Pages]):
    browser.open(pages["hospital"].public)
    with pypdfium2.PdfDocument(browser.printed()) as document:
        sheets = [sheet.get_textpage().get_text_range() for sheet in document]
    holding = [text for text in sheets if text.count(" %") > 20]
    assert len(holding) > 2
    assert all("Support" in text and "Share" in text for text in holding)


@pytest.mark.parametrize("name", ["mushroom", "adult", "groceries"])
def test_public_data_look_right(browser: Chromium, data_folder: Path, tmp_path: Path, name: str):
    if name == "mushroom":
        story = story_of(read(data_folder / "mushroom.dat.gz"), k=10, min_support="60%", method="additive")
    elif name == "adult":
        story = story_of(read_adult(data_folder), k=50, min_support=22_000, method="suppressive")
    else:
        rows = read(data_folder / "groceries.csv.gz", format="basket")
        story = story_of(rows, k=10, min_support="2%", method="additive")
    for page, text in (("public", public_report(story.published)), ("owner", owner_report(story))):
        file = tmp_path / f"{page}.html"
        file.write_text(text, encoding="utf-8")
        for dark, size in ((False, DESK), (True, PHONE)):
            browser.open(file, size=size, dark=dark)
            assert browser.ask(CONTRAST) == []
            assert browser.ask(WIDER) == []
            assert browser.logs() == ([], [file.as_uri()])
            drawings = browser.ask("[...document.querySelectorAll('figure svg')].map((each) => each.clientHeight)")
            assert len(drawings) == 1
            assert drawings[0] > 50


def test_a_report_on_rows_reads_well(browser: Chromium, tmp_path: Path):
    published = PublishedRows(
        n=59_602,
        items=497,
        statement="Nobody who knows part of a row can conclude a private item in half of the cases or more.",
        not_promised=HOSTILE,
        title=HOSTILE[7],
        version="0.0",
        files=("certificate.json", "hierarchy.csv", "report.html", "rows.csv"),
    )
    page = tmp_path / "rows.html"
    page.write_text(rows_report(published), encoding="utf-8")
    for dark, size in itertools.product((False, True), (PHONE, DESK)):
        browser.open(page, size=size, dark=dark)
        assert browser.ask(CONTRAST) == []
        assert browser.ask(WIDER) == []
        assert browser.logs() == ([], [page.as_uri()])

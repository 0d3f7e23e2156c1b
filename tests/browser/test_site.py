"""The site of the documentation, built and opened from its folder, without a network."""

from __future__ import annotations

import re
from doctest import DocTestParser
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from tests.docs.pages import PAGES, ROOT, blocks
from tests.docs.site import build, navigation
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from selenium.webdriver.remote.webdriver import WebDriver

    from tests.browser.chromium import Chromium

pytestmark = pytest.mark.xdist_group("site")  # it is built once

FIRST_PAGE = 10
QUESTIONS = {
    "publish baskets from PostgreSQL": "questions.html#how-do-i-publish-baskets-from-postgresql",
    "what does status 1 mean": "questions.html#what-does-status-1-mean",
    "audit an arules file": "questions.html#how-do-i-audit-an-arules-file",
    "what is promised": "questions.html#what-is-promised",
    "how do I hide a rule": "questions.html#how-do-i-hide-a-rule",
    # the same and others in words that are not the headings': the search wants every word
    "read baskets from postgres": "questions.html#how-do-i-publish-baskets-from-postgresql",
    "exit code 1": "questions.html#what-does-status-1-mean",
    "audit association rules from R": "questions.html#how-do-i-audit-an-arules-file",
    "what does safe mean": "guarantees.html#what-the-words-mean",
    "hide an association rule": "questions.html#how-do-i-hide-a-rule",
    "which k should I use": "questions.html#which-k-should-i-take",
    "my file is not read": "questions.html#my-file-is-not-read-as-i-meant-it-what-now",
    "github action sarif": "questions.html#how-do-i-use-it-before-every-commit-or-as-a-github-action",
    "publish every week": "how-to/windows.html",
    "how do I cite": "questions.html#how-do-i-cite-it",
    "scikit-learn decision tree": "how-to/trees.html",
    "SACRO viewer": "how-to/gate.html#keep-the-evidence",
    "pyspark notebook": "notebooks/spark.html",
}


def _wait(browser: Chromium, found: Callable[[], Any]) -> Any:
    """Return what is found, as soon as it is."""
    return WebDriverWait(browser.driver, PATIENCE).until(lambda _: found())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site; a link to a page or heading that is not there ends the building."""
    folder = tmp_path_factory.mktemp("site")
    assert "No issues found" in build(folder)
    return folder / "site"


def test_every_page_is_in_the_navigation_and_no_link_is_broken(site: Path):
    pages = {page.relative_to(site).as_posix() for page in site.rglob("*.html")} - {"404.html"}
    assert len(pages) == len(PAGES)
    dead = []
    for page in pages:
        text = (site / page).read_text(encoding="utf-8")
        for link in re.findall(r'(?:href|src)="([^"#]+)', text):
            parts = urlsplit(link)
            if not parts.scheme and not (site / page).parent.joinpath(unquote(parts.path)).exists():
                dead.append(f"{page}: {link}")
    assert dead == []
    listed = navigation(site.parent / "pages")
    assert [page for page in pages if f'"{page.removesuffix("html")}md"' not in listed] == []


@pytest.fixture(scope="module")
def search(browser: Chromium, site: Path) -> Iterator[Chromium]:
    """Return a browser with the search of the first page open."""
    browser.open(site / "index.html")
    _wait(browser, lambda: browser.driver.execute_script("return document.querySelector('.md-search__button')"))
    browser.driver.execute_script("document.querySelector('.md-search__button').click()")
    yield browser
    browser.driver.get("about:blank")


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_are_answered_on_the_first_page_of_the_search(search: Chromium, question: str):
    driver = search.driver
    find_root = "return [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r?.querySelector('input'))"
    root = _wait(search, lambda: driver.execute_script(find_root))
    field = root.find_element(By.CSS_SELECTOR, "input")
    field.clear()
    field.send_keys(question)

    def found() -> list[str]:
        links = driver.execute_script("return [...arguments[0].querySelectorAll('ol a')].map(e => e.href)", root)
        return [re.sub(r"\?[^#]*", "", link).rpartition("/site/")[2] for link in links[:FIRST_PAGE]]

    assert _wait(search, lambda: QUESTIONS[question] in found()), found()


@pytest.fixture
def tab(browser: Chromium) -> Iterator[WebDriver]:
    """Return a driver with a tab of its own, which leaves the page with the search alone."""
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    yield browser.driver
    browser.driver.close()
    browser.driver.switch_to.window(first)


def test_a_cell_is_copied_without_prompts_and_answers(browser: Chromium, tab: WebDriver, site: Path):
    tab.get((site / "notebooks" / "retailer.html").as_uri())
    _wait(browser, lambda: tab.find_elements(By.CSS_SELECTOR, "[data-md-type=copy]"))
    copied = """
        const done = arguments[arguments.length - 1];
        Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => done(text)}});
        document.execCommand = () => done(getSelection().toString() || document.activeElement.value);
        [...document.querySelectorAll(".language-pycon")][1].querySelector("[data-md-type=copy]").click();
    """
    block = blocks(ROOT / "docs" / "notebooks" / "retailer.md")[1]
    typed = [example.source for example in DocTestParser().get_examples(block.text)]
    assert tab.execute_async_script(copied).split() == "".join(typed).split()


@pytest.mark.parametrize(("wanted", "scheme"), [("light", "default"), ("dark", "slate")])
def test_the_site_is_dark_for_readers_who_want_it_dark(browser: Chromium, tab: WebDriver, site: Path, wanted, scheme):
    media = {"features": [{"name": "prefers-color-scheme", "value": wanted}]}
    tab.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    tab.get((site / "glossary.html").as_uri())
    _wait(browser, lambda: tab.execute_script("return document.body.dataset.mdColorScheme") == scheme)


def test_nothing_is_asked_for_elsewhere(search: Chromium):
    _, asked = search.logs()
    assert [each for each in asked if not each.startswith(("file:", "data:", "about:", "blob:"))] == []

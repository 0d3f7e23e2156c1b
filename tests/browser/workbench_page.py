"""The workbench as tests use it: a server of its own process, and a page to drop files on and to click around in."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import sys
import time
import zipfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selenium.webdriver.remote.webelement import WebElement

    from tests.browser.chromium import Chromium

EXAMPLE = Path("tests/data/running-example.dat").absolute()
PRIVATE = Path("tests/data/uncertainty-example.dat").absolute()


_LISTEN = """(() => {
  arguments[0].scrollIntoView({block: 'center'});  // not under the verdict
  window.heard = false;
  arguments[0].addEventListener("click", () => (window.heard = true), {once: true, capture: true});
})()"""
_NOT_YET = (
    ValueError,  # it is not there
    KeyError,  # nor is this line of a table
    StaleElementReferenceException,  # it was drawn anew just now
    ElementNotInteractableException,
    ElementClickInterceptedException,  # something slides over it
)


@contextmanager
def served(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run `discreet ui` and give its address, token included, and its process."""
    words = [sys.executable, "-m", "discreet", "ui", "--no-browser", *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, process.stderr and process.stderr.read()
            yield found[0], process
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)


class Workbenches:
    """The workbench of the tests: one process for many, and another once a bundle was made: it keeps the books."""

    def __init__(self) -> None:
        self._running = ExitStack()
        self._address: str | None = None

    @property
    def address(self) -> str:
        """The address of a workbench that no bundle has left; one is started if there is none."""
        if self._address is None:
            self._address, _ = self._running.enter_context(served())
        return self._address

    def close(self) -> None:
        """End the workbench: the next test gets another."""
        self._address = None
        self._running.close()


class Page:
    """One tab on one workspace."""

    def __init__(self, browser: Chromium, address: str) -> None:
        self.browser = browser
        self.address = address
        self.made_something = False
        """Whether a bundle may have been made, so that this workbench's ledger is no longer empty."""
        self.acts = 0
        """How often something was clicked, written, dropped or opened."""

    def open(self, task: str = "publish", **how: Any) -> None:
        """Open a task on a new workspace."""
        self.browser.open(self.address, **how)
        self.until(lambda: self.browser.texts(".first .verdict"))
        if task != "publish":
            self.go(task)

    def go(self, task: str) -> None:
        """Follow the link to another task of the same workspace."""
        self.press(f"nav a[href^='/{task}/']")
        self.until(lambda: f"/{task}/" in self.browser.driver.current_url and self.browser.texts(".first .verdict"))

    def drop(self, path: Path, place: int = 0) -> None:
        """Give a file to one of the places for it."""
        self.browser.all("input[type=file]")[place].send_keys(str(path))
        self.acts += 1

    def drag_file(self, path: Path, place: int = 0) -> None:
        """Drag a file from outside the window onto one of the places for it, as the system's file manager would."""
        zone = self.browser.all(".drop")[place]
        self.browser.ask("arguments[0].scrollIntoView({block: 'center'})", zone)
        box = self.browser.ask("(({x, y}) => [x, y])(arguments[0].getBoundingClientRect())", zone)
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.browser.order("Input.dispatchDragEvent", type=kind, x=box[0] + 20, y=box[1] + 20, data=data)

    def drag(self, what: Callable[[], WebElement], onto: Callable[[], WebElement]) -> None:
        """Drag an element onto another with the mouse."""
        self.browser.ask("arguments[0].scrollIntoView({block: 'center'})", what())
        moves = ActionChains(self.browser.driver, duration=60).click_and_hold(what()).move_by_offset(6, 4)
        moves.move_to_element(onto()).move_by_offset(2, 1).release().perform()

    @property
    def verdict(self) -> str:
        """The word of the verdict."""
        return "".join(self.browser.texts(".first strong"))

    @property
    def judged(self) -> bool:
        """Whether the attacker has looked at what would be published, or a channel was found before."""
        return self.verdict in {"SAFE", "SAFE, PROVED", "NOT SAFE", "NOTHING TO PUBLISH"}

    @property
    def sentence(self) -> str:
        """The sentence of the verdict."""
        return "".join(self.browser.texts(".first .verdict span"))

    def fact(self, words: str) -> str:
        """Return the figure that counts something."""
        figures = zip(*(self.browser.texts(f".figures .fact {part}") for part in ("b", "span")), strict=True)
        return next((figure for figure, counted in figures if words in counted), "")

    def until(self, test: Callable[[], Any], seconds: float = PATIENCE) -> Any:
        """Wait until something is so, and return it."""
        end = time.monotonic() + seconds
        while True:
            try:
                if found := test():
                    return found
            except _NOT_YET:
                pass
            assert time.monotonic() < end, f"waited in vain; the page shows {self.browser.texts('main')}"
            time.sleep(0.05)

    def again(self, act: Callable[[], Any], *, until: Callable[[], Any]) -> None:
        """Do something until it shows: what a pointer is to hit may slide away under it, and then people try again."""
        end = time.monotonic() + PATIENCE
        while True:
            with suppress(*_NOT_YET):
                act()
            try:
                self.until(until, seconds=5)
            except AssertionError:
                if time.monotonic() > end:
                    raise
            else:
                return

    @property
    def working(self) -> str:
        """What is said of the work under way; nothing where there is none."""
        return "".join(self.browser.texts(".work.running"))

    @property
    def outcome(self) -> str:
        """What is said of the work that ended last; nothing while some is under way."""
        return "".join(self.browser.texts(".work.idle [role=status]"))

    def button(self, words: str) -> WebElement | None:
        """Return the button with these words that can be clicked, if there is one."""
        script = """[...document.querySelectorAll("button")].find((each) =>
            each.checkVisibility() && !each.disabled && each.innerText.trim() === arguments[0])"""
        return self.browser.ask(script, words)  # one question, however many buttons there are

    def click(self, words: str) -> None:
        """Click a button, once it is there."""
        self.made_something |= "bundle" in words

        def clicked() -> bool:
            found = self.button(words)
            if found is None:
                return False
            self.browser.ask(_LISTEN, found)  # it may be dimmed in between, and then hears nothing
            found.click()
            return self.browser.ask("window.heard !== false")

        self.until(clicked)
        self.acts += 1

    def press(self, selector: str, place: int = 0) -> None:
        """Click what a CSS selector names, once it is there and is not just being drawn anew."""

        def pressed() -> bool:
            found = self.browser.all(selector)[place:][:1]
            for each in found:
                each.click()
            return bool(found)

        self.until(pressed)
        self.acts += 1

    def open_part(self, title: str) -> None:
        """Open a part of the page that is closed at first."""

        def found() -> WebElement:
            return self.until(lambda: [each for each in self.browser.all(".q-expansion-item") if title in each.text])[0]

        def opened() -> bool:
            return "q-expansion-item--expanded" in str(found().get_attribute("class"))

        def click() -> None:
            if not opened():
                self.browser.ask("arguments[0].scrollIntoView({block: 'center'})", found())  # not under the verdict
                found().find_element("css selector", ".q-item").click()

        self.again(click, until=opened)
        self.acts += 1

    def field(self, label: str) -> WebElement:
        """Return the input with a label."""
        return self.browser.one(f":is(input, textarea)[aria-label={json.dumps(label, ensure_ascii=False)}]")

    def write(self, label: str, words: str) -> None:
        """Write something into a field, once it is there, and leave it."""

        def written() -> bool:
            field = self.field(label)
            self.browser.ask("arguments[0].select()", field)
            field.send_keys(words)
            whole = field.get_attribute("value") == words
            self.browser.ask("arguments[0].blur()", field)
            return whole

        self.until(written)
        self.acts += 1

    def fetched(self, selector: str) -> bytes:
        """Return what the link that a CSS selector names leads to, fetched as the page would."""
        link = self.browser.one(selector).get_attribute("href")
        script = """
            const [address, done] = arguments;
            fetch(address).then((answer) => answer.blob()).then((blob) => {
              const reader = new FileReader();
              reader.onload = () => done(reader.result);
              reader.readAsDataURL(blob);
            });"""
        return base64.b64decode(self.browser.driver.execute_async_script(script, link).partition(",")[2])

    def bundle(self, folder: Path) -> Path:
        """Download the bundle and unpack it."""
        self.until(lambda: self.browser.all(".download a"))
        with zipfile.ZipFile(io.BytesIO(self.fetched(".download a"))) as packed:
            packed.extractall(folder)
        return folder

    def mark(self, *labels: str) -> None:
        """Choose sensitive items."""
        field = self.field("Sensitive items")
        for label in labels:
            field.send_keys(label)
            self.until(
                lambda label=label: [each for each in self.browser.all(".found li") if each.text.strip() == label]
            )[0].click()
            self.until(lambda label=label: label in self.browser.texts(".chosen li span"))
        field.send_keys(Keys.ESCAPE)

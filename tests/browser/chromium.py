"""A headless Chromium as tests of pages use it: open a page, look at it, print it, and see what it asked for."""

from __future__ import annotations

import base64
import json
import shutil
from typing import TYPE_CHECKING, Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

from tests.patience import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from selenium.webdriver.remote.webelement import WebElement

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
A4 = (595, 842)  # in points
DESK = (1280, 800)
PHONE = (390, 844)


def installed() -> tuple[str, str] | None:
    """Return where the browser and its driver are, or None."""
    names = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    browser = next((path for path in names if path), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Chromium:
    """One browser for many pages. `driver` is Selenium's own, for what is not here."""

    def __init__(self, browser: str, driver: str, profile: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))

    def open(self, page: Path | str, *, size: tuple[int, int] = DESK, dark: bool = False, script: bool = True) -> None:
        """Open a file or an address, at a size of window, in light or dark, with or without its script."""
        self.driver.get("about:blank")  # what follows holds for the next page, and not for the one before
        self.logs()
        self.order("Emulation.setScriptExecutionDisabled", value=not script)
        self.order(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.order("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.driver.get(page if isinstance(page, str) else page.as_uri())
        if script:  # tables are drawn again by their script, on a busy machine a little later
            WebDriverWait(self.driver, PATIENCE).until(lambda _: not self.all(".browse .controls[hidden]"))

    def close_other_tabs(self) -> None:
        """Close all tabs but the first."""
        first, *others = self.driver.window_handles
        for each in others:
            self.driver.switch_to.window(each)
            self.driver.close()
        self.driver.switch_to.window(first)

    def order(self, command: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the Chrome DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def ask(self, script: str, *arguments: Any) -> Any:
        """Return what a JavaScript expression gives in the page."""
        return self.driver.execute_script(f"return {script}", *arguments)

    def all(self, selector: str) -> list[WebElement]:
        """Return the elements that a CSS selector names."""
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> WebElement:
        """Return the element that a CSS selector names."""
        (found,) = self.all(selector)
        return found

    def texts(self, selector: str) -> list[str]:
        """Return the texts of the elements that a CSS selector names, hidden parts included."""
        return self.ask("[...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector)

    def logs(self) -> tuple[list[str], list[str]]:
        """Return what the console said and what was requested since the last time.

        Addresses that hold their content (data:) are no requests; the browser's own first page is not ours.
        """
        said = [entry["message"] for entry in self.driver.get_log("browser")]
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        ours = [each for each in sent if not each["documentURL"].startswith("chrome")]
        asked = [each["request"]["url"] for each in ours if not each["request"]["url"].startswith("data:")]
        return said, asked

    def printed(self) -> bytes:
        """Return the page as a PDF, on the paper that its style names, as people print: without backgrounds."""
        done = self.order("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        return base64.b64decode(done["data"])

    def picture(self) -> bytes:
        """Return what the window shows as a PNG."""
        return base64.b64decode(self.order("Page.captureScreenshot", format="png")["data"])

    def quit(self) -> None:
        """Close the browser."""
        self.driver.quit()

"""Make the pictures of the workbench in docs/workbench from the running program: `python -m tests.browser.pictures`.

Every task on made-up data, on a wide screen in light and dark, and on a narrow one. Look at each of them before
committing: nothing overlaps, nothing is cut off, the verdict comes first.
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from PIL import Image
from selenium.webdriver.common.keys import Keys

from discreet.transactions.generate import hospital
from discreet.transactions.writing import write
from tests.browser.chromium import DESK, PHONE, Chromium, installed
from tests.browser.workbench_page import Page, served

FOLDER = Path("docs/workbench")
SENSITIVE = ("diagnosis depression", "diagnosis dementia")
LOOKS = {"": (DESK, False), "-dark": (DESK, True), "-narrow": (PHONE, False)}


def main() -> int:
    """Make all pictures, and return the exit status."""
    found = installed()
    if found is None:
        print("there is no Chromium with its driver; install chromium and chromium-driver", file=sys.stderr)  # noqa: T201
        return 2
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, served() as (address, _):
        browser = Chromium(*found, profile=Path(folder) / "profile")
        try:
            rows = Path(folder) / "hospital.csv"
            write(hospital(rows=2000, seed=1), rows)
            page = Page(browser, address)
            for name, act in (("publish", publish), ("hide", hide), ("protect", protect), ("verify", verify)):
                page.open(name)
                act(page, rows)
                take(page, name)
        finally:
            browser.quit()
    return 0


def publish(page: Page, rows: Path) -> None:
    """Drop a file, compare both ways to make it safe, and make a bundle, which is kept for `verify`."""
    page.drop(rows)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.click("Compare both ways to make it safe")
    page.until(lambda: page.browser.all("table.costs"))
    page.click("Make the bundle")
    page.bundle(rows.parent / "public")


def hide(page: Page, rows: Path) -> None:
    """Pick two patterns, compare the methods, and make the rows."""
    page.drop(rows)
    for place in (2, 4):
        page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))[place].click()
    page.until(lambda: "2 patterns" in page.sentence)
    page.click("Compare the four methods")
    page.until(lambda: page.browser.one(".curves").is_displayed(), 120)
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN", 120)


def protect(page: Page, rows: Path) -> None:
    """Mark two items, compare the methods, and make the rows."""
    page.drop(rows)
    page.until(lambda: "Mark the items" in page.sentence)
    field = page.field("Sensitive items")
    for words in SENSITIVE:
        field.send_keys(words)
        time.sleep(0.5)
        page.until(lambda: page.browser.all(".q-menu .q-item"))[0].click()
    field.send_keys(Keys.ESCAPE)
    page.click("Compare the methods")
    page.until(lambda: len(page.browser.all("table.costs tbody tr")) == 5, 180)
    page.click("Protect the rows")
    page.until(lambda: page.browser.all(".download a"), 180)


def verify(page: Page, rows: Path) -> None:
    """Verify the bundle of `publish`."""
    archive = rows.parent / "bundle.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted((rows.parent / "public").iterdir()):
            packed.write(path, path.name)
    page.drop(archive)
    page.click("Verify")
    page.until(lambda: page.verdict == "HOLDS")


def take(page: Page, name: str) -> None:
    """Take a picture of the whole page in every look."""
    browser = page.browser
    browser.ask("document.activeElement?.blur()")
    for ending, (size, dark) in LOOKS.items():
        browser.order(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=True
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.order("Emulation.setEmulatedMedia", media="", features=[scheme])
        time.sleep(1)
        clip = {
            "x": 0,
            "y": 0,
            "width": size[0],
            "height": browser.ask("document.documentElement.scrollHeight"),
            "scale": 0.75,
        }
        shot = browser.order("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        picture = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
        picture.quantize(256, method=Image.Quantize.FASTOCTREE).save(FOLDER / f"{name}{ending}.png", optimize=True)


if __name__ == "__main__":
    sys.exit(main())

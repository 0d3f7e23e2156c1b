"""Make pictures of the workbench from the running program.

    python -m tests.browser.pictures [--docs] [WALK...] [FOLDER]

Every task on made-up data, in every important state, at three widths, in light and dark, and as people with colour
deficiencies see it, all at twice the usual density, in FOLDER (build/pictures if none is given). Those that the
documentation shows are copied to docs/workbench; with --docs, only these are made, and with names of walks (publish,
asked, books, hide, protect, verify) only those of these walks. Look at each of them before committing: nothing
overlaps, nothing is cut off, the verdict comes first.
"""

from __future__ import annotations

import base64
import io
import shutil
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image

from discreet import read, release
from discreet.transactions.generate import hospital
from discreet.transactions.writing import write
from tests.browser.chromium import Chromium, installed
from tests.browser.workbench_page import Page, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FOLDER = Path("build/pictures")
SHOWN = Path("docs/workbench")
SENSITIVE = ("diagnosis depression", "diagnosis dementia")
DENSITY = 2
COLOURS = 40


class Look(NamedTuple):
    """A width and height of the window, and how its colours are seen."""

    size: tuple[int, int]
    dark: bool = False
    sight: str = "none"


WIDE, TABLET, PHONE = (1440, 900), (768, 1024), (390, 844)
LOOKS = {
    "": Look(WIDE),
    "-dark": Look(WIDE, dark=True),
    "-tablet": Look(TABLET),
    "-tablet-dark": Look(TABLET, dark=True),
    "-narrow": Look(PHONE),
    "-narrow-dark": Look(PHONE, dark=True),
    "-deuteranopia": Look(WIDE, sight="deuteranopia"),
    "-protanopia": Look(WIDE, sight="protanopia"),
    "-achromatopsia": Look(WIDE, sight="achromatopsia"),
}
IN_DOCS = {
    "publish-made": ("", "-dark", "-narrow"),
    "hide-made": ("",),
    "protect-made": ("",),
    "verify-holds": ("",),
}
"""The looks of a state that the documentation shows."""


def main(words: list[str]) -> int:
    """Make all pictures, and return the exit status."""
    found = installed()
    if found is None:
        print("there is no Chromium with its driver; install chromium and chromium-driver", file=sys.stderr)  # noqa: T201
        return 2
    docs = "--docs" in words
    named = [word for word in words if word in WALKS]
    folder = Path(next((word for word in words if word != "--docs" and word not in WALKS), FOLDER))
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        browser = Chromium(*found, profile=Path(place) / "profile")
        try:
            rows = Path(place) / "hospital.csv"
            write(hospital(rows=2000, seed=1), rows)
            walks = [name for name in WALKS if not docs or any(shown.startswith(f"{name}-") for shown in IN_DOCS)]
            for name in (each for each in walks if each in (named or walks)):
                with served() as (address, process):  # each begins with an empty ledger
                    page = Page(browser, address)
                    page.open(name if name in PAGES else "publish", size=WIDE)
                    for state in WALKS[name](page, rows):
                        shown = f"{name}-{state}"
                        if docs and shown not in IN_DOCS:
                            continue
                        if state == "ended":
                            process.terminate()
                            page.until(lambda: browser.one(".gone-words").is_displayed())
                        take(page, folder, shown, IN_DOCS.get(shown, ()) if docs else LOOKS)
                        for ending in IN_DOCS.get(shown, ()):
                            shutil.copy(folder / f"{shown}{ending}.png", SHOWN / f"{name}{ending}.png")
        finally:
            browser.quit()
    return 0


def publish(page: Page, rows: Path) -> Iterator[str]:
    """Drop a file, compare both ways to make it safe, and make a bundle, which is kept for `verify`."""
    yield "empty"
    page.drop(rows)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.until(lambda: page.browser.all(".way") and "being computed" not in "".join(page.browser.texts(".way")))
    page.until(lambda: not page.working)
    yield "read"
    page.click("Compare both ways to make it safe")
    page.until(lambda: page.browser.all("table.costs"))
    page.click("Make the bundle")
    page.bundle(rows.parent / "public")
    page.until(lambda: not page.browser.all(".stale"))
    yield "made"
    yield "ended"


def asked(page: Page, rows: Path) -> Iterator[str]:
    """Drop a file that is asked about, one with ids, one that is none, and itemsets of another tool."""
    people = rows.parent / "people.csv"
    lines = [f"{'MF'[row % 2]},{'abc'[row % 3]},s{row:03}" for row in range(90)]
    people.write_text("\n".join(lines))
    page.drop(people)
    page.until(lambda: page.verdict == "NOT UNDERSTOOD")
    yield "header"
    people.write_text("\n".join(["sex,town,id", *lines]))
    page.drop(people)
    page.until(lambda: page.browser.all(".columns-table"))
    yield "columns"
    noise = rows.parent / "picture.png"
    noise.write_bytes(bytes(range(256)) * 8)
    page.drop(noise)
    page.until(lambda: page.verdict == "NOT UNDERSTOOD")
    yield "noise"
    itemsets = rows.parent / "itemsets.csv"
    itemsets.write_text('items,freq\n[a],60\n[b],50\n"[a, b]",45\n')
    page.drop(itemsets)
    page.until(lambda: page.verdict == "NOT SAFE")
    yield "itemsets"


def books(page: Page, rows: Path) -> Iterator[str]:
    """Pin settings, decide about a bundle, and look at the books and at all workspaces."""
    page.drop(rows)
    page.until(lambda: page.verdict == "NOT SAFE" and not page.working)
    for support in ("20%", "15%"):
        page.write("Support", support)
        page.until(lambda: page.judged and not page.working and not page.browser.all(".stale"))
        page.click("Pin to compare")
    page.until(lambda: len(page.browser.all(".compared td .word")) == 2)
    page.click("Make the bundle")
    page.until(lambda: page.browser.all(".download a"))
    page.write("Decided by", "Ana Lopes")
    page.write("Why", "the board agreed on 12 November")
    page.click("Release it")
    page.until(lambda: page.browser.all(".decision .released"))
    yield "pinned"
    page.go("books")
    page.until(lambda: page.verdict == "ALL DECIDED")
    yield "decided"
    page.press(".brand")
    page.until(lambda: page.browser.all(".workspaces li"))
    yield "workspaces"


def hide(page: Page, rows: Path) -> Iterator[str]:
    """Pick two patterns, compare the methods, and make the rows."""
    yield "empty"
    page.drop(rows)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    for place in (2, 4):
        page.again(
            lambda place=place: page.browser.all(".patterns tbody .q-checkbox")[place].click(),
            until=lambda place=place: f"{place // 2} pattern" in page.sentence,
        )
    page.click("Compare the methods")
    page.until(lambda: page.browser.all(".curves .line"))
    yield "compared"
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN")
    yield "made"


def protect(page: Page, rows: Path) -> Iterator[str]:
    """Mark two items, compare the methods, and make the rows."""
    yield "empty"
    page.drop(rows)
    page.until(lambda: "Mark the items" in page.sentence)
    page.mark(*SENSITIVE)
    page.until(lambda: page.browser.all(".proxy"))
    page.until(lambda: page.browser.all(".tree .name"))
    yield "marked"
    page.click("Compare the methods")
    page.until(lambda: page.browser.all("table.costs"))
    page.click("Show the loss over rho")
    page.until(lambda: page.browser.all(".curves .line"))
    page.click("Protect the rows")
    page.until(lambda: page.browser.all(".download a"))
    yield "made"


def verify(page: Page, rows: Path) -> Iterator[str]:
    """Verify something that is no bundle, and the bundle of `publish`."""
    yield "empty"
    page.drop(rows)
    page.click("Verify")
    page.until(lambda: page.verdict == "NO BUNDLE")
    yield "none"
    archive, public = rows.parent / "bundle.zip", rows.parent / "public"
    if not public.exists():
        release(read(rows), min_support="10%", k=10, method="additive", output=public)
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(public.iterdir()):
            packed.write(path, path.name)
    page.drop(archive)
    page.until(lambda: page.verdict == "NOTHING YET")
    page.click("Verify")
    page.until(lambda: page.verdict == "HOLDS")
    yield "holds"


PAGES = ("publish", "hide", "protect", "verify")
WALKS: dict[str, Callable[[Page, Path], Iterator[str]]] = {
    "publish": publish,
    "asked": asked,
    "books": books,
    "hide": hide,
    "protect": protect,
    "verify": verify,
}


def take(page: Page, folder: Path, name: str, looks: Iterable[str]) -> None:
    """Take pictures of the whole page in some looks."""
    browser = page.browser
    page.until(lambda: not page.working)
    browser.ask("document.activeElement?.blur()")
    browser.ask("window.scrollTo(0, 0)")
    for ending in looks:
        look = LOOKS[ending]
        width, height = look.size
        how = {"deviceScaleFactor": DENSITY, "mobile": True}
        browser.order("Emulation.setDeviceMetricsOverride", width=width, height=height, **how)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if look.dark else "light"}
        browser.order("Emulation.setEmulatedMedia", media="", features=[scheme])
        browser.order("Emulation.setEmulatedVisionDeficiency", type=look.sight)
        time.sleep(0.7)  # charts are drawn again for their width
        whole = browser.ask("document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": width, "height": whole, "scale": 1}
        shot = browser.order("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        picture = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
        few = picture.quantize(COLOURS, method=Image.Quantize.FASTOCTREE)
        few.save(folder / f"{name}{ending}.png", optimize=True)
    browser.order("Emulation.setEmulatedVisionDeficiency", type="none")
    browser.order("Emulation.setEmulatedMedia", media="", features=[])
    browser.order(
        "Emulation.setDeviceMetricsOverride", width=WIDE[0], height=WIDE[1], deviceScaleFactor=1, mobile=False
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

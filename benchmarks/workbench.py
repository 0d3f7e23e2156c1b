"""How long the workbench keeps people waiting: the first picture, each move of the point, and a file of 50 MB.

    python -m benchmarks.workbench

Needs Chromium and its driver. Every time is taken inside the page, from what the hand did (the file was chosen, a key
or the mouse moved the point) to the paint that follows the answer. Prints a table; asserts nothing.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cases import data_folder
from tests.browser.chromium import Chromium, installed
from tests.browser.workbench_page import Page, served

if TYPE_CHECKING:
    from collections.abc import Callable

MEGABYTES = 50
STEPS = 60
AGAIN = 5

# From the choice of a file until curves and a verdict are painted, in milliseconds.
FIRST_PICTURE = """
    const done = arguments[arguments.length - 1], input = document.querySelector("input[type=file]");
    window.firstPicture = new Promise((tell) => input.addEventListener("change", () => {
      const start = performance.now();
      const look = () => {
        const line = document.querySelector(".curves polyline"), word = document.querySelector(".first strong");
        const drawn = line?.getBoundingClientRect().width > 0 && word.textContent !== "NOTHING YET";
        if (drawn) requestAnimationFrame(() => setTimeout(() => tell(performance.now() - start)));
        else requestAnimationFrame(look);
      };
      look();
    }, { capture: true }));
    done();"""

# The page dims its figures from a move of the point until they fit it; and it writes figures as often as it can.
MOVES = """
    const done = arguments[arguments.length - 1], root = document.documentElement;
    window.moves = { waits: [], written: [] };
    let start = null;
    new MutationObserver(() => {
      const moving = root.classList.contains("moving");
      if (moving && start === null) start = performance.now();
      if (!moving && start !== null) {
        const from = start;
        start = null;
        requestAnimationFrame(() => setTimeout(() => window.moves.waits.push(performance.now() - from)));
      }
    }).observe(root, { attributes: true, attributeFilter: ["class"] });
    new MutationObserver(() => window.moves.written.push(performance.now()))
      .observe(document.querySelector(".figures"), { subtree: true, childList: true, characterData: true });
    done();"""


def main() -> int:
    """Measure all of it, and return the exit status."""
    found = installed()
    if found is None:
        print("there is no Chromium with its driver; install chromium and chromium-driver", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, served() as (address, _):
        mushroom = Path(folder) / "mushroom.dat"
        mushroom.write_bytes(_unpacked("mushroom.dat.gz"))
        large = [_repeated("retail.dat.gz", Path(folder) / "large.dat", header=False)]
        large.append(_repeated("diabetic_data.csv.gz", Path(folder) / "large.csv", header=True))
        browser = Chromium(*found, profile=Path(folder) / "profile")
        page = Page(browser, address)
        try:
            print("| what | times | limit |\n|---|---|---|")
            for measure in (first_picture, single_moves, mouse_drag):
                print(measure(page, mushroom))
            for rows in large:
                print(large_file(page, rows))
        finally:
            browser.quit()
    return 0


def first_picture(page: Page, rows: Path) -> str:
    """From the drop to the first curves."""
    times = []
    for _ in range(AGAIN):
        page.open()
        page.browser.driver.execute_async_script(FIRST_PICTURE)
        page.drop(rows)
        times.append(page.browser.driver.execute_async_script("window.firstPicture.then(arguments[0])"))
    return _line("mushroom 20 %: first picture after the drop", times, "2,000 ms")


def single_moves(page: Page, rows: Path) -> str:
    """One key at a time, each waited for: along the axis, and from curve to curve."""
    _ready(page, rows)
    keys = ["ArrowRight", "ArrowUp", "PageUp", "ArrowDown", "ArrowLeft", "PageDown"] * (STEPS // 6)
    for place, key in enumerate(keys, start=1):
        code = {"key": key, "code": key}
        page.browser.ask("document.querySelector('.point').focus()")
        page.browser.order("Input.dispatchKeyEvent", type="keyDown", **code)
        page.browser.order("Input.dispatchKeyEvent", type="keyUp", **code)
        page.until(lambda place=place: page.browser.ask("window.moves.waits.length") >= place)
    return _line("mushroom 20 %: a key until the figures fit", page.browser.ask("window.moves.waits"), "200 ms")


def mouse_drag(page: Page, rows: Path) -> str:
    """Drag over the whole axis in one go; how long the figures stand still in between."""
    _ready(page, rows)
    box = page.browser.ask("(({x, y, width, height}) => [x, y, width, height])"
                           "(document.querySelector('.curves svg').getBoundingClientRect())")  # fmt: skip
    height = box[1] + box[3] / 2
    mouse = _mouse(page)
    places = [box[0] + 60 + (box[2] - 100) * step / STEPS for step in range(STEPS)]
    mouse("mousePressed", places[0], height)
    for place in places:
        mouse("mouseMoved", place, height)
        time.sleep(1 / 60)
    mouse("mouseReleased", places[-1], height)
    page.until(lambda: not page.browser.ask("document.documentElement.classList.contains('moving')"))
    written = page.browser.ask("window.moves.written")
    gaps = [later - earlier for earlier, later in pairwise(written)]
    return _line(f"mushroom 20 %: between figures in one drag of {STEPS} moves", gaps, "200 ms")


def large_file(page: Page, rows: Path) -> str:
    """How often the bar or its words change while a large file is sent, read and mined, and how long it all takes."""
    page.open()
    start = time.monotonic()
    page.drop(rows)
    seen: list[tuple[float, Any]] = [(start, None)]
    while page.verdict == "NOTHING YET":
        bar = page.browser.ask(
            "[...document.querySelectorAll('.work, .drop')].map((each) => each.textContent).join(' ')"
            " + [...document.querySelectorAll('[role=progressbar], progress')].map((each) =>"
            " each.getAttribute('aria-valuenow') ?? each.value).join(' ')"
        )
        if bar != seen[-1][1]:
            seen.append((time.monotonic(), bar))
    whole = time.monotonic() - start
    still = max(later - earlier for (earlier, _), (later, _) in pairwise(seen))
    size = rows.stat().st_size / 1e6
    told = f"{whole:.1f} s in all, {len(seen) - 1} changes of the bar, at most {still:.1f} s between two"
    return f"| {size:.0f} MB ({rows.suffix}): from the drop to the verdict | {told} | the bar moves |"


def _unpacked(name: str) -> bytes:
    return gzip.decompress((data_folder() / name).read_bytes())


def _repeated(name: str, path: Path, *, header: bool) -> Path:
    """Write the rows of a data set again and again, until there are enough."""
    first, rest = _unpacked(name).split(b"\n", 1)
    head, body = (first + b"\n", rest) if header else (b"", first + b"\n" + rest)
    path.write_bytes(head + body * (MEGABYTES * 1_000_000 // len(body) + 1))
    return path


def _ready(page: Page, rows: Path) -> None:
    page.open()
    page.drop(rows)
    page.until(lambda: page.verdict in {"SAFE", "NOT SAFE"})
    page.until(lambda: not page.working)
    page.browser.ask("document.querySelector('.curves').scrollIntoView({block: 'center'})")
    page.browser.driver.execute_async_script(MOVES)


def _mouse(page: Page) -> Callable[[str, float, float], object]:
    def act(kind: str, x: float, y: float) -> object:
        return page.browser.order("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    return act


def _line(what: str, times: list[float], limit: str) -> str:
    ordered = sorted(times)
    middle, last = ordered[len(ordered) // 2], ordered[-1]
    return f"| {what} | {middle:,.0f} ms in the middle, {last:,.0f} ms at most of {len(times)} | {limit} |"


if __name__ == "__main__":
    sys.exit(main())

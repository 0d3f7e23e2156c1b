"""How long the workbench keeps people waiting: the first picture, each move of the point, large files, other requests.

    python -m benchmarks.workbench [NAME...]

Needs Chromium and its driver, and Linux. Waits are taken inside the page, from what the hand did (the file was chosen,
a key moved the point) to the paint that follows the answer. On a busy machine they say little; so there is processor
time beside them: what the server's process and the page's thread worked meanwhile, which is what the wait would be on
an idle machine, and more, because work that only happened at the same time counts, too. Meanwhile another client asks
for a small file again and again: what the server worked before it answered is what a second tab would feel. Bytes are
those of the websocket, from the server to the page. Prints tables; asserts nothing. NAME limits it to some of the data
sets.
"""

from __future__ import annotations

import gzip
import http.client
import json
import sys
import tempfile
import time
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from selenium.common.exceptions import JavascriptException

from benchmarks.cases import data_folder
from discreet import keygen, mine, read
from discreet.transactions.generate import hospital
from discreet.transactions.writing import write
from tests.browser.chromium import Chromium, installed
from tests.browser.walks import check, retail, steward
from tests.browser.workbench_page import Page, served

if TYPE_CHECKING:
    from collections.abc import Callable

HEADS = (
    "data",
    "first picture",
    "key to figure",
    "a key: server worked",
    "a key: server and page worked",
    "another request: server worked",
    "bytes: drop",
    "bytes: a key",
)
MEGABYTES = 200
STEPS = 20

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

# From the choice of the first item until the verdict about it is painted.
JUDGED = """
    const done = arguments[arguments.length - 1];
    window.judged = [];
    addEventListener("mousedown", (event) => {
      if (!event.target.closest(".found li")) return;
      const start = performance.now();
      const look = () => {
        if (!/PROTECTED/.test(document.querySelector(".first strong")?.textContent)) requestAnimationFrame(look);
        else setTimeout(() => window.judged.push(performance.now() - start));
      };
      look();
    }, true);
    done();"""

# Wait until the figures of one more move than so many are painted, and tell how long that took.
MOVED = """
    const [seen, done] = arguments;
    const look = () => (window.moves.waits.length > seen ? done(window.moves.waits[seen]) : setTimeout(look, 5));
    look();"""


def main(names: list[str]) -> int:
    """Measure all of it, and return the exit status."""
    found = installed()
    if found is None:
        print("there is no Chromium with its driver; install chromium and chromium-driver", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, served() as (address, process):
        browser = Chromium(*found, profile=Path(folder) / "profile")
        page = Page(browser, address)
        work = Work(browser, process.pid)
        try:
            print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
            for name, make in DATA.items():
                if not names or name in names:
                    with Knocking(address, work) as others:
                        print(walk(page, name, make(Path(folder)), others, work), flush=True)
            for name, (make, items) in MARKED.items():
                if not names or f"protect-{name}" in names:
                    with Knocking(address, work) as others:
                        print(protecting(page, name, make(Path(folder)), items, others), flush=True)
            if not names or "walks" in names:
                print("\n".join(walks(page, Path(folder))), flush=True)
            if not names or "drag" in names:
                print(mouse_drag(page, mushroom(Path(folder))), flush=True)
            if not names or "large" in names:
                with Knocking(address, work) as others:
                    large = _repeated("retail.dat.gz", Path(folder) / "large.dat", header=False)
                    print(large_file(page, large, others), flush=True)
        finally:
            browser.quit()
    return 0


class Work:
    """How long processors have worked, in milliseconds, for the server and for the page."""

    def __init__(self, browser: Chromium, server: int) -> None:
        self._server = server
        driver: Any = browser.driver.service
        self._driver = driver.process.pid

    def start(self, *, page: bool = False) -> Callable[[], float]:
        """Return a function that tells what was worked from now on by the server, and for the `page`, too."""
        processes = [self._server, *(_renderers(self._driver) if page else [])]
        before = _worked(processes)
        return lambda: sum(now - before.get(thread, 0.0) for thread, now in _worked(processes).items())


def _worked(processes: list[int]) -> dict[Path, float]:
    """Return the milliseconds of every thread of some processes."""
    worked = {}
    for thread in (thread for process in processes for thread in Path(f"/proc/{process}/task").iterdir()):
        with suppress(OSError):  # it has ended
            worked[thread] = int((thread / "schedstat").read_text().split()[0]) / 1e6
    return worked


def _renderers(process: int) -> list[int]:
    """Return the processes below one that draw pages."""
    below = [
        int(child)
        for thread in Path(f"/proc/{process}/task").iterdir()
        for child in (thread / "children").read_text().split()
    ]
    drawing = b"--type=renderer" in Path(f"/proc/{process}/cmdline").read_bytes()
    return [*([process] if drawing else []), *(each for child in below for each in _renderers(child))]


class Knocking:
    """Another client, which asks for a small file again and again; it keeps how long the server worked meanwhile."""

    def __init__(self, address: str, work: Work) -> None:
        self._place = urlsplit(address)
        self._work = work
        self.worked: list[float] = []
        self._over = Event()
        self._thread = Thread(target=self._knock, daemon=True)

    def _knock(self) -> None:
        path = f"/workbench.css?{self._place.query}"
        while not self._over.wait(0.05):
            worked = self._work.start()
            with closing(http.client.HTTPConnection("127.0.0.1", self._place.port, timeout=300)) as line:
                line.request("GET", path, headers={"Host": self._place.netloc})
                line.getresponse().read()
            self.worked.append(worked())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def groceries(folder: Path) -> Path:
    """Return 9,835 baskets of a grocery."""
    return _written(folder / "groceries.dat", _unpacked("groceries.dat.gz"))


def made_up(folder: Path) -> Path:
    """Return 5,000 made-up hospital stays."""
    path = folder / "hospital.csv"
    write(hospital(), path, force=True)
    return path


def mushroom(folder: Path) -> Path:
    """Return 8,124 mushrooms, each with 23 items."""
    return _written(folder / "mushroom.dat", _unpacked("mushroom.dat.gz"))


def adult(folder: Path) -> Path:
    """Return 32,561 people of a census, with a header as the file should have had."""
    head = b"age,workclass,weight,education,years,marital,occupation,relation,race,sex,gain,loss,hours,country,income\n"
    return _written(folder / "adult.csv", head + _unpacked("adult.data.csv.gz"))


def diabetic(folder: Path) -> Path:
    """Return 101,766 hospital stays with 50 columns."""
    return _written(folder / "diabetic.csv", _unpacked("diabetic_data.csv.gz"))


MARKED = {
    "hospital": (made_up, ("diagnosis depression", "diagnosis dementia")),
    "diabetic": (diabetic, ("readmitted=<30", "diabetesMed=Yes")),
}
DATA = {"groceries": groceries, "hospital": made_up, "mushroom": mushroom, "adult": adult, "diabetic": diabetic}


def walk(page: Page, name: str, rows: Path, others: Knocking, work: Work) -> str:
    """Drop a file, and move the point by single keys, each waited for."""
    browser = page.browser
    page.open()
    _bytes(page)
    browser.driver.set_script_timeout(600)
    browser.driver.execute_async_script(FIRST_PICTURE)
    others.worked.clear()
    page.drop(rows)
    first = browser.driver.execute_async_script("window.firstPicture.then(arguments[0])")
    page.until(lambda: not page.working)
    dropped = _bytes(page)[0]
    browser.ask("document.querySelector('.curves').scrollIntoView({block: 'center'})")
    browser.driver.execute_async_script(MOVES)
    keys = ["ArrowRight", "PageUp", "ArrowLeft", "PageDown"] * (STEPS // 4)
    sizes, worked, served_in, waits = [], [], [], []
    for key in keys:
        code = {"key": key, "code": key}
        if not browser.ask("window.moves !== undefined"):  # the page lost its connection, and was loaded again
            page.until(lambda: browser.all(".curves .point"))
            browser.driver.execute_async_script(MOVES)
        seen = browser.ask("window.moves.waits.length")
        browser.ask("document.querySelector('.point').focus()")
        key_work, server_work = work.start(page=True), work.start()
        browser.order("Input.dispatchKeyEvent", type="keyDown", **code)
        try:
            waits.append(browser.driver.execute_async_script(MOVED, seen))
            served_in.append(server_work())
            worked.append(key_work())
        except JavascriptException:
            print(f"({name}: the page was loaded again at {key})", file=sys.stderr)
        browser.order("Input.dispatchKeyEvent", type="keyUp", **code)
        sizes.append(_bytes(page)[0])
    cells = (f"{first:,.0f} ms", *(_middle(each, "ms") for each in (waits, served_in, worked)))
    return f"| {name} | {' | '.join(cells)} | {_middle(others.worked, 'ms')} | {dropped:,} | {_middle(sizes, '')} |"


def protecting(page: Page, name: str, rows: Path, items: tuple[str, ...], others: Knocking) -> str:
    """Mark an item on *Protect*: how long its verdict takes, what is sent, and how long others wait."""
    browser = page.browser
    waits: list[float] = []
    sent = [(0, 0)]
    others.worked.clear()
    for item in items:
        page.open("protect")
        _bytes(page)
        page.drop(rows)
        page.until(lambda: "Mark the items" in page.sentence)
        read_in, largest = _bytes(page)
        browser.driver.execute_async_script(JUDGED)
        page.mark(item)
        waits.append(page.until(lambda: browser.ask("window.judged.shift()")))
        page.until(lambda: browser.texts(".tree .name") and not page.working)
        marked = _bytes(page)
        sent.append((read_in + marked[0], max(largest, marked[1])))
    told = f"{max(each for each, _ in sent):,} bytes in all, {max(each for _, each in sent):,} at once"
    return (
        f"{name} on *Protect*, from an item to its verdict: {_middle(waits, 'ms')}; {told}; worked for another "
        f"request: {_middle(others.worked, 'ms')}"
    )


def walks(page: Page, folder: Path) -> list[str]:
    """Walk as a steward, a checker and a retailer on whole data: how long that takes, and with how many acts."""
    told = []

    def timed(words: str, walk: Callable[[], object]) -> None:
        start, page.acts = time.monotonic(), 0
        walk()
        told.append(f"{words}: {time.monotonic() - start:.1f} s, {page.acts} acts")

    identity, _ = keygen(folder / "steward")
    stays, itemsets = diabetic(folder), folder / "itemsets.csv"
    timed("a steward, diabetic, to a signed bundle", lambda: steward(page, stays, identity))
    found = mine(read(mushroom(folder)), min_support="40%", target="all")
    found.to_pandas()[["support", "itemsets"]].to_csv(itemsets)  # as mlxtend's frames are written
    timed(f"a checker, {len(found)} itemsets of mushroom, to the evidence", lambda: check(page, itemsets, found.n))
    lists = {"supplier": "whole milk,yogurt", "partner": "rolls/buns,sausage"}
    baskets = _written(folder / "groceries.csv", _unpacked("groceries.csv.gz"))
    timed("a retailer, groceries, to one copy for two", lambda: retail(page, baskets, lists))
    return told


def _bytes(page: Page) -> tuple[int, int]:
    """Return the bytes that came over the websocket since the last time: in all, and in the largest message."""
    sizes = [0]
    for entry in page.browser.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.webSocketFrameReceived":
            sizes.append(len(message["params"]["response"]["payloadData"]))
    return sum(sizes), max(sizes)


def _middle(values: list[float] | list[int], unit: str) -> str:
    ordered = sorted(values)
    return f"{ordered[len(ordered) // 2]:,.0f} {unit}, at most {ordered[-1]:,.0f}".replace(" ,", ",")


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


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
    return f"mushroom 20 %, between figures in one drag of {STEPS} moves: {_middle(gaps, 'ms')}"


def large_file(page: Page, rows: Path, others: Knocking) -> str:
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
    knocked = f"worked for another request: {_middle(others.worked, 'ms')}"
    return f"{size:.0f} MB ({rows.suffix}), from the drop to the verdict: {told}; {knocked}"


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The workbench in a browser: from a dropped file to a bundle that `discreet verify` accepts."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from discreet.channels.audit import audit
from discreet.cli.main import main
from discreet.transactions.generate import hospital
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.transactions.writing import write
from discreet.wording import one_line
from tests.browser.chromium import DESK, PHONE
from tests.publishing.stories import HOSTILE

if TYPE_CHECKING:
    from tests.browser.workbench_page import Page

EXAMPLE = Path("tests/data/running-example.dat").absolute()
PRIVATE = Path("tests/data/uncertainty-example.dat").absolute()


@pytest.fixture(scope="module")
def stays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of made-up hospital stays."""
    path = tmp_path_factory.mktemp("rows") / "hospital.csv"
    write(hospital(rows=600, seed=3), path)
    return path


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return rows with so many itemsets that comparing the methods of hiding takes a while."""
    dense = np.random.default_rng(5).random((4_000, 30)) < 0.5
    path = tmp_path_factory.mktemp("rows") / "endless.dat"
    path.write_text("\n".join(" ".join(map(str, np.flatnonzero(row))) for row in dense))
    return path


def verified(bundle: Path, *options: str) -> bool:
    return main(["verify", str(bundle), *options, "--quiet"]) == 0


# Publish


def test_a_file_becomes_a_bundle_that_verifies(page: Page, stays: Path, tmp_path: Path, capsys):
    page.open()
    page.drop(stays)
    page.until(lambda: page.verdict == "NOT SAFE")
    assert "Read as basket" in "".join(page.browser.texts("main"))
    page.until(lambda: page.browser.texts(".fact b")[-1] != "…")
    support = int(page.field("Support").get_attribute("value"))
    found = audit(read(stays), k=10, min_support=support)
    groups = len(found.channels) + len(found.border)
    page.until(lambda: page.sentence == f"as they are: {groups:,} channels single out fewer than 10 of 600 rows")
    page.click("Compare both ways to make it safe")
    page.until(lambda: page.browser.all("table.costs"))
    page.click("Make the bundle")
    bundle = page.bundle(tmp_path / "public")
    assert verified(bundle, "--data", str(stays))
    promise = json.loads((bundle / "certificate.json").read_text())["promise"]
    assert (promise["k"], promise["itemsets"]) == (10, found.closed_count)
    report = page.fetched(".links a[href$='patterns-report.html']").decode()
    assert report == (bundle / "report.html").read_text()
    capsys.readouterr()


def test_the_verdict_follows_the_point_and_safe_is_said_only_after_the_border(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.write("k", "3")
    page.until(lambda: page.sentence.startswith(f"{_groups(EXAMPLE, 1, 3)} channels"))
    point = page.browser.one("circle.point")
    for _ in range(12):
        point.send_keys(Keys.ARROW_RIGHT)
    page.until(lambda: point.get_attribute("aria-valuenow") == "12")
    page.until(lambda: page.verdict == "SAFE")
    page.until(lambda: "no group" in page.sentence)
    page.write("Support", "8")
    page.until(lambda: page.verdict == "NOT SAFE")
    assert page.until(lambda: page.browser.texts("svg.lattice .count"))
    assert "=" in page.browser.texts(".arithmetic")[0]


def _groups(path: Path, support: int, k: int) -> int:
    found = audit(read(path), k=k, min_support=support)
    return len(found.channels) + len(found.border)


def test_a_channel_can_be_chosen_and_its_sum_is_right(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all("ol.groups button"))
    page.write("Support", "8")
    page.write("k", "3")
    page.until(lambda: page.sentence.startswith(f"{_groups(EXAMPLE, 8, 3)} channels"))
    groups = page.browser.all("ol.groups button")
    assert len(groups) == 6
    for group in groups:
        group.click()
        page.until(lambda group=group: group.get_attribute("aria-pressed") == "true")
        assert group == page.browser.driver.switch_to.active_element  # the next is a key away
        if sums := page.browser.texts(".arithmetic"):
            left, _, right = sums[0].partition("=")
            assert eval(left.replace("−", "-").replace(",", "")) == int(right)  # noqa: S307 - digits and signs


def test_a_guess_can_be_corrected_and_the_error_stands_beside_its_field(page: Page, tmp_path: Path):
    table = tmp_path / "people.csv"
    table.write_text("age,town\n" + "".join(f"{20 + row % 40},{'ab'[row % 2]}\n" for row in range(60)))
    page.open()
    page.drop(table)
    page.until(lambda: "Read as table" in "".join(page.browser.texts("main")))
    page.browser.one(".correct .q-item").click()
    page.write("Intervals", "age=forty")
    page.click("Read again")
    page.until(lambda: page.browser.texts(".correct .q-field--error [role=alert]"))
    assert "age" in page.browser.texts(".correct .q-field--error [role=alert]")[0]
    page.write("Intervals", "age=40")
    page.click("Read again")
    page.until(lambda: "age=<=40" in page.browser.texts("ol.rows .item"))
    assert page.browser.texts(".correct .q-field--error") == []
    page.write("Quasi-identifiers", "town")
    page.click("Mine")
    page.until(lambda: page.browser.texts(".figures .fact b")[0] == "2")


# Hide


def test_patterns_are_hidden_and_the_rows_bundled(page: Page, tmp_path: Path, capsys):
    page.open("hide")
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))[0].click()
    page.until(lambda: "1 pattern still" in page.sentence)
    page.write("or paste them, one on each line", "a b c")
    page.until(lambda: "2 patterns still" in page.sentence)
    page.until(lambda: page.verdict == "NOT HIDDEN")
    page.click("Compare the four methods")
    page.until(lambda: page.browser.one(".curves").is_displayed())
    assert len(page.browser.all("polyline.line")) == 8
    assert [row[: row.index("0")] for row in page.browser.texts("table.costs tbody tr")][:1] == ["naive"]
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN")
    safe = tmp_path / "safe.dat"
    safe.write_bytes(page.fetched("a[href$='safe-running-example.dat']"))
    private = page.fetched("a[href$='private.txt']").decode().splitlines()
    rows = list(read(safe))
    assert len(private) == 2
    assert not any(set(line.split()) <= row for line in private for row in rows)
    bundle = page.bundle(tmp_path / "public")
    assert verified(bundle)
    assert list(read(bundle / "rows.dat")) == rows
    capsys.readouterr()


def test_what_cannot_be_hidden_is_said_beside_the_field(page: Page):
    page.open("hide")
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all(".patterns tbody tr"))
    page.write("or paste them, one on each line", "no-such-label")
    page.click("Hide them")
    told = page.until(lambda: page.browser.texts(".q-field--error [role=alert]"))
    assert "'no-such-label', which no row holds" in told[0]


# Protect


def mark(page: Page, *labels: str) -> None:
    field = page.field("Sensitive items")
    for label in labels:
        field.send_keys(label)
        page.until(
            lambda label=label: [each for each in page.browser.all(".q-menu .q-item") if each.text.strip() == label]
        )[0].click()
    field.send_keys(Keys.ESCAPE)


def test_sensitive_items_are_protected_and_the_rows_bundled(page: Page, tmp_path: Path, capsys):
    page.open("protect")
    page.drop(PRIVATE)
    page.until(lambda: "Mark the items" in page.sentence)
    mark(page, "alpha", "gamma")
    page.until(lambda: page.verdict == "NOT SAFE")
    page.until(lambda: "who has alpha also has gamma: 2 of 2 rows (100 %)" in page.sentence)
    page.click("Compare the methods")
    page.until(lambda: len(page.browser.all("table.costs tbody tr")) == 5)
    page.click("Protect the rows")
    page.until(lambda: page.verdict == "SAFE")
    bundle = page.bundle(tmp_path / "public")
    assert verified(bundle)
    kinds = page.browser.ask("[...document.querySelectorAll('.tree li')].map((each) => each.className)")
    assert {"kept"} <= set(kinds)
    private = tmp_path / "private.txt"
    private.write_text("alpha\ngamma\n")
    rows = tmp_path / "rows.dat"
    rows.write_bytes(page.fetched("a[href$='safe-uncertainty-example.dat']"))
    assert main(["check", str(rows), "--rho", "0.5", "--sensitive", str(private)]) == 0
    capsys.readouterr()


def test_a_tree_is_edited_by_keyboard_imported_and_exported(page: Page, tmp_path: Path):
    page.open("protect")
    page.drop(PRIVATE)
    page.until(lambda: "Mark the items" in page.sentence)
    mark(page, "alpha")
    page.until(lambda: page.browser.texts(".tree .name"))
    page.write("Name of a new group", "letters")
    page.click("Add the group")
    page.until(lambda: "letters" in page.browser.texts(".tree .name"))

    def node(label: str):
        return next(each for each in page.browser.all(".tree button") if label in each.text.split())

    node("a1").send_keys("x")
    node("letters").send_keys("v")
    page.until(lambda: node("letters").text.split()[-1] == "1")
    tree = tmp_path / "tree.csv"
    tree.write_text("a1;a;ALL\na2;a;ALL\nb1;b;ALL\nb2;b;ALL\n")
    page.drop(tree, place=1)
    page.until(lambda: {"a", "b"} <= set(page.browser.texts(".tree .name")))
    assert "letters" not in page.browser.texts(".tree .name")
    assert "gamma" in page.browser.texts(".tree .name")
    broken = tmp_path / "broken.csv"
    broken.write_text("a1;a;ALL\na1;b;ALL\n")
    page.drop(broken, place=1)
    told = page.until(lambda: page.browser.texts(".panel:nth-child(2) .refusal"))
    assert told[0].startswith("line 2 of broken.csv is the second one for 'a1'")


def test_files_and_branches_are_dragged_with_the_mouse(page: Page, tmp_path: Path):
    page.open("protect")
    page.drag_file(PRIVATE)
    page.until(lambda: "Mark the items" in page.sentence)
    mark(page, "alpha")
    tree = tmp_path / "tree.csv"
    tree.write_text("a1;a;ALL\na2;a;ALL\nb1;b;ALL\nb2;b;ALL\ngamma;b;ALL\nbeta;b;ALL\n")
    page.until(lambda: page.browser.texts(".tree .name"))
    page.drag_file(tree, place=1)
    page.until(lambda: {"a", "b"} <= set(page.browser.texts(".tree .name")))

    def node(label: str):
        return next(each for each in page.browser.all(".tree .node") if label in each.text.split())

    before = node("a").text.split()[-1]
    page.drag(lambda: node("b1"), lambda: node("a"))
    page.until(lambda: int(node("a").text.split()[-1]) == int(before) + 1)


# Verify


def test_a_bundle_is_verified_and_a_changed_one_is_not(page: Page, tmp_path: Path, capsys):
    public = tmp_path / "public"
    words = ["release", str(EXAMPLE), "-s", "8", "-k", "3", "--method", "additive", "-o", str(public), "--quiet"]
    assert main(words) == 0
    capsys.readouterr()
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", public)
    page.open("verify")
    page.drop(Path(archive))
    page.click("Verify")
    page.until(lambda: page.verdict == "HOLDS")
    assert len(page.browser.all("td.yes")) == 5
    page.click("Forget these files")
    page.until(lambda: page.verdict == "NOTHING YET")
    patterns = public / "patterns.csv"
    patterns.write_text(patterns.read_text() + "\n")
    for path in sorted(public.iterdir()):
        page.drop(path)
        page.until(lambda name=path.name: name in "".join(page.browser.texts("ul.files")))
    page.click("Verify")
    page.until(lambda: page.verdict == "DOES NOT HOLD")
    page.until(lambda: "patterns.csv was changed" in page.sentence)


# Long work


def test_work_is_found_again_after_a_reload_seen_from_two_tabs_and_cancelled(page: Page, endless: Path):
    page.open("hide")
    page.drop(endless)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    page.write("or paste them, one on each line", "1 2")
    page.write("Measure over itemsets from this support up", "3%")
    page.click("Compare the four methods")
    page.until(lambda: "Trying" in page.working)
    address = page.browser.driver.current_url
    page.browser.driver.refresh()
    page.until(lambda: page.working)
    one = page.browser.driver.current_window_handle
    page.browser.driver.switch_to.new_window("tab")
    page.browser.driver.get(address)
    page.until(lambda: page.working)
    page.click("Cancel")
    page.until(lambda: page.outcome == "Comparing the methods: cancelled")
    page.browser.driver.close()
    page.browser.driver.switch_to.window(one)
    page.until(lambda: page.outcome == "Comparing the methods: cancelled")
    page.write("or paste them, one on each line", "1 3")
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN")


def test_nothing_moves_when_work_begins_and_ends(page: Page, endless: Path):
    page.open("hide")
    page.drop(endless)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    page.write("or paste them, one on each line", "1 2")
    page.write("Measure over itemsets from this support up", "3%")
    page.until(lambda: "1 pattern still" in page.sentence)
    where = """[...document.querySelectorAll('.panel, .panel .q-btn')].filter((each) => each.offsetParent)
        .map((each) => each.getBoundingClientRect().top + scrollY)"""
    idle = page.until(lambda: page.outcome.startswith("Reading endless.dat: done") and page.browser.ask(where))
    page.click("Compare the four methods")
    page.until(lambda: "Trying" in page.working)
    assert page.browser.ask(where) == idle
    page.click("Cancel")
    page.until(lambda: page.outcome == "Comparing the methods: cancelled")
    assert page.browser.ask(where) == idle


def test_the_search_across_the_border_can_be_cancelled_and_nothing_is_then_called_safe(page: Page, endless: Path):
    page.open()
    page.drop(endless)
    page.until(lambda: page.verdict != "NOTHING YET")
    page.write("Lowest support to look at", "4%")
    page.click("Mine")
    page.until(lambda: page.outcome.startswith("Mining: done"))
    page.write("Support", "4%")
    page.until(lambda: page.browser.texts(".figures .fact b")[0] == "32,179")
    page.until(lambda: "Looking across the border" in page.working)
    assert page.button("Compare both ways to make it safe") is not None  # nobody has to wait for it
    page.click("Cancel")
    page.until(lambda: page.verdict == "NOT CHECKED")
    page.until(lambda: page.browser.texts(".figures .fact b")[-1] == "?")
    page.write("Support", "100%")
    page.until(lambda: page.verdict == "SAFE")


def test_a_second_file_replaces_the_first_even_while_that_is_worked_on(page: Page, endless: Path):
    page.open("hide")
    page.drop(endless)
    page.until(lambda: page.browser.all(".patterns tbody .q-checkbox"))
    page.write("or paste them, one on each line", "1 2")
    page.write("Measure over itemsets from this support up", "3%")
    page.click("Compare the four methods")
    page.until(lambda: "Trying" in page.working)
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.texts(".file") == ["running-example.dat"])
    page.until(lambda: page.outcome.startswith("Reading running-example.dat: done"))
    assert page.verdict == "NOTHING YET"


def test_two_tabs_are_two_desks_unless_they_have_the_same_address(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    address = page.browser.driver.current_url
    one = page.browser.driver.current_window_handle
    page.browser.driver.switch_to.new_window("tab")
    page.browser.driver.get(page.address)
    page.until(lambda: page.verdict == "NOTHING YET")
    page.browser.driver.get(address)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.browser.driver.close()
    page.browser.driver.switch_to.window(one)


# Manners


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.csv", b"", "empty.csv holds no rows"),
        ("noise.parquet", bytes(range(256)), "noise.parquet"),
        ("cut.dat.gz", b"\x1f\x8b\x08\x00 no gzip at all", "cut.dat.gz is damaged"),
        ("what.xyz", b"a b c\nd e", "give --format"),
    ],
)
def test_bad_files_are_told_in_the_sentences_of_the_command_line(
    page: Page, tmp_path: Path, name: str, content: bytes, sentence: str
):
    path = tmp_path / name
    path.write_bytes(content)
    page.open()
    page.drop(path)
    told = page.until(lambda: page.browser.texts(".refusal") or page.browser.texts(".q-field--error [role=alert]"))
    assert sentence in told[0]
    assert "discreet-ui" not in told[0]
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
    page.until(lambda: page.verdict in ("SAFE", "NOT SAFE"))
    assert set(page.browser.texts(".item")) <= used
    assert page.browser.all(".item *, main img, main iframe") == []
    for task in ("hide", "protect"):
        page.go(task)
        page.until(lambda: page.browser.texts("ol.rows"))
        if task == "protect":
            page.field("Sensitive items").send_keys("<img")
            page.until(lambda: page.browser.all(".q-menu .q-item"))[0].click()
            page.until(lambda: page.verdict in ("SAFE", "NOT SAFE"))
            assert page.browser.all(".tree img") == []
        assert page.browser.ask("document.documentElement.scrollWidth") <= PHONE[0]
    assert page.browser.ask("window.hacked") is None


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_page_fits_and_can_be_read(page: Page, size: tuple[int, int], dark: bool):
    page.open(size=size, dark=dark)
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    for task in ("publish", "hide", "protect", "verify"):
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
    for _ in range(6):
        page.browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        active = page.browser.driver.switch_to.active_element
        reached.append(active.get_attribute("type") or active.text)
    assert reached == [
        "discreet",
        "Publish patterns",
        "Hide patterns in rows",
        "Protect sensitive items",
        "Verify a bundle",
        "file",
    ]


def shown_commands(page: Page, place: int) -> tuple[list[list[str]], str]:
    """Return what one of the page's offers says: the words of its commands, and its Python."""
    command, python = page.browser.texts(".equivalent pre")[2 * place : 2 * place + 2]
    return [shlex.split(line)[1:] for line in command.splitlines()], python


def test_what_the_page_offers_to_copy_makes_the_same_patterns(page: Page, stays: Path, tmp_path, monkeypatch, capsys):
    source = tmp_path / "my stays.csv"  # a name that a shell takes apart
    shutil.copy(stays, source)
    page.open()
    page.drop(source)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.click("Compare both ways to make it safe")
    page.until(lambda: page.browser.all("table.costs"))
    page.write("Title of the report", "Stays, 2026")
    page.click("Make the bundle")
    bundle = page.bundle(tmp_path / "bundle")
    page.write("Support", "50%")  # what was made stays what it was
    page.until(lambda: page.field("Support").get_attribute("value") == "300")
    page.until(lambda: page.outcome)
    monkeypatch.chdir(tmp_path)
    (audit_words,), python = shown_commands(page, 0)
    assert main([*audit_words, "--json"]) == (0 if page.verdict == "SAFE" else 1)
    found = json.loads(capsys.readouterr().out)
    assert (found["min_support"], found["count"]) == (300, int(page.browser.texts(".figures .fact b")[1]))
    exec(python, {})  # noqa: S102 - it is what the page shows
    blocked, python = shown_commands(page, 1)
    for place, words in enumerate(blocked, start=1):
        assert main([*words, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["distortion"]["rows"]
        assert page.browser.texts(f"table.costs tbody tr:first-child > :nth-child({place + 1})") == [str(rows)]
    exec(python, {})  # noqa: S102
    (words,), python = shown_commands(page, 2)
    for run in (lambda: main(words) == 0, lambda: exec(python, {}) is None):  # noqa: S102
        assert run()
        for name in ("patterns.csv", "report.html"):
            assert (tmp_path / "public" / name).read_bytes() == (bundle / name).read_bytes()
        shutil.rmtree(tmp_path / "public")
        (tmp_path / "owner-report.html").unlink()


def test_what_the_page_offers_to_copy_hides_the_same(page: Page, tmp_path: Path, monkeypatch, capsys):
    page.open("hide")
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all(".patterns tbody tr"))
    page.write("or paste them, one on each line", "a b\nd e")
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN")
    make_again(page, tmp_path, monkeypatch, {"running-example.dat": EXAMPLE.read_bytes()}, ["private.txt"])
    capsys.readouterr()


def test_what_the_page_offers_to_copy_protects_the_same(page: Page, tmp_path: Path, monkeypatch, capsys):
    page.open("protect")
    page.drop(PRIVATE)
    page.until(lambda: "Mark the items" in page.sentence)
    mark(page, "alpha", "gamma")
    page.until(lambda: page.verdict == "NOT SAFE")
    page.click("Protect the rows")
    page.until(lambda: page.verdict == "SAFE")
    given = ["private.txt", "hierarchy.csv"]
    make_again(page, tmp_path, monkeypatch, {PRIVATE.name: PRIVATE.read_bytes()}, given)
    capsys.readouterr()


def make_again(page: Page, folder: Path, monkeypatch, files: dict[str, bytes], given: list[str]) -> None:
    """Paste what the page offers, beside the files that it gives, and compare the rows and the bundles."""
    bundle = page.bundle(folder / "bundle")
    commands, python = shown_commands(page, 0)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        rows = page.fetched(f"a[href$='safe-{name}']")
    for name in given:
        (folder / name).write_bytes(page.fetched(f"a[href$='-{name}']"))
    monkeypatch.chdir(folder)
    made = {path.name: path.read_bytes() for path in bundle.iterdir() if path.name.startswith(("rows", "report"))}
    assert len(made) == 2
    for words in commands:
        assert main(words) == 0
    (written,) = folder.glob("safe-*")
    assert written.read_bytes() == rows
    assert {name: (folder / "public" / name).read_bytes() for name in made} == made
    shutil.rmtree(folder / "public")
    exec(python, {})  # noqa: S102 - it is what the page shows
    assert {name: (folder / "public" / name).read_bytes() for name in made} == made

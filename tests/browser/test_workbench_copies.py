"""What the pages offer to copy, as a command and in Python, makes what the page made."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.main import main
from tests.browser.workbench_page import EXAMPLE, PRIVATE

if TYPE_CHECKING:
    from tests.browser.workbench_page import Page


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
    page.write("Support", "20%")  # of few itemsets, which are soon blocked
    page.until(lambda: page.field("Support").get_attribute("value") == "120")
    page.click("Compare both ways to make it safe")
    page.until(lambda: page.browser.all("table.costs"))
    page.write("Title of the report", "Stays, 2026")
    page.click("Make the bundle")
    bundle = page.bundle(tmp_path / "bundle")
    page.write("Support", "50%")  # what was made stays what it was
    page.until(lambda: page.field("Support").get_attribute("value") == "300")
    page.until(lambda: page.judged)  # the attacker has looked, too
    monkeypatch.chdir(tmp_path)
    (audit_words,), python = shown_commands(page, 0)
    assert main([*audit_words, "--json"]) == (0 if page.verdict.startswith("SAFE") else 1)
    found = json.loads(capsys.readouterr().out)
    assert (found["min_support"], found["count"]) == (300, int(page.fact("channels")))
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
    page.write("or paste them, one on each line", "a b @ 0.5\nd e")  # one with a share of its own
    page.click("Hide them")
    page.until(lambda: page.verdict == "PARTLY HIDDEN")
    assert page.sentence == "2 itemsets, 1 of them still in 4 of 8 rows (50 %), as allowed"
    make_again(page, "hidden", tmp_path, monkeypatch, {"running-example.dat": EXAMPLE.read_bytes()}, ["private.txt"])
    capsys.readouterr()


def test_what_the_page_offers_to_copy_protects_the_same(page: Page, tmp_path: Path, monkeypatch, capsys):
    page.open("protect")
    page.drop(PRIVATE)
    page.until(lambda: "Mark the items" in page.sentence)
    page.mark("alpha", "gamma")
    page.until(lambda: page.verdict == "NOT PROTECTED")
    page.click("Protect the rows")
    page.until(lambda: page.verdict == "PROTECTED")
    given = ["private.txt", "hierarchy.csv"]
    make_again(page, "protected", tmp_path, monkeypatch, {PRIVATE.name: PRIVATE.read_bytes()}, given)
    capsys.readouterr()


def test_what_the_page_offers_to_copy_verifies_the_same(page: Page, tmp_path: Path, monkeypatch, capsys):
    public = tmp_path / "public"
    shutil.copy(EXAMPLE, tmp_path)
    words = ["release", str(EXAMPLE), "-s", "8", "-k", "3", "--method", "additive", "-o", str(public), "--quiet"]
    assert main(words) == 0
    page.open("verify")
    page.drop(Path(shutil.make_archive(str(tmp_path / "packed"), "zip", public)))
    page.click("Verify")
    page.until(lambda: page.verdict == "HOLDS")
    monkeypatch.chdir(tmp_path)
    verify_again(page, ["verify", "public"])
    page.go("publish")
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.go("verify")
    assert page.verdict == "HOLDS"
    page.click("Verify")
    page.until(lambda: any("these rows" in each for each in page.browser.texts("table.answers th")))
    verify_again(page, ["verify", "public", "--data", "running-example.dat"])
    page.go("publish")
    page.drop(PRIVATE)  # what was said of the other rows is not said of these
    page.until(lambda: page.browser.texts(".file") == [PRIVATE.name])
    page.go("verify")
    page.until(lambda: page.verdict == "NOTHING YET")
    capsys.readouterr()


def verify_again(page: Page, expected: list[str]) -> None:
    """Paste what the page offers, and see that it is what was asked for, and that it holds."""
    (words,), python = shown_commands(page, 0)
    assert words == expected
    assert main(words) == 0
    exec(python, {})  # noqa: S102 - it is what the page shows


def make_again(page: Page, kind: str, folder: Path, monkeypatch, files: dict[str, bytes], given: list[str]) -> None:
    """Paste what the page offers, beside the files that it gives, and compare the rows and the bundles."""
    bundle = page.bundle(folder / "bundle")
    commands, python = shown_commands(page, 0)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        rows = page.fetched(f"a[href$='-{kind}-{name}']")
    for name in given:
        (folder / name).write_bytes(page.fetched(f"a[href$='-{name}']"))
    monkeypatch.chdir(folder)
    made = {path.name: path.read_bytes() for path in bundle.iterdir() if path.name.startswith(("rows", "report"))}
    assert len(made) == 2
    for words in commands:
        assert main(words) == 0
    (written,) = folder.glob(f"{kind}-*")
    assert written.read_bytes() == rows
    assert {name: (folder / "public" / name).read_bytes() for name in made} == made
    shutil.rmtree(folder / "public")
    exec(python, {})  # noqa: S102 - it is what the page shows
    assert {name: (folder / "public" / name).read_bytes() for name in made} == made

"""The four pages of the workbench in a browser: from a dropped file to a bundle that `discreet verify` accepts."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from selenium.webdriver.common.keys import Keys

from discreet.channels.audit import audit
from discreet.cli.main import main
from discreet.policy.policy import read_policy
from discreet.publishing.verifier import verify
from discreet.transactions.reading import read
from tests.browser.workbench_page import EXAMPLE, PRIVATE

if TYPE_CHECKING:
    from tests.browser.workbench_page import Page


def verified(bundle: Path, *options: str) -> bool:
    return main(["verify", str(bundle), *options, "--quiet"]) == 0


# Publish


def test_a_file_becomes_a_bundle_that_verifies(page: Page, stays: Path, tmp_path: Path, capsys):
    page.open()
    page.drop(stays)
    page.until(lambda: page.verdict == "NOT SAFE")
    assert "Read as baskets" in "".join(page.browser.texts("main"))
    page.write("Support", "20%")  # of few itemsets, which are soon blocked
    page.until(lambda: page.field("Support").get_attribute("value") == "120")
    found = audit(read(stays), k=10, min_support=120)
    groups = [*found.channels, *found.border]
    exposed = sum(any(each.base <= row and not row & each.absent for each in groups) for row in read(stays))
    told = f"as they are: {exposed:,} of 600 rows are in a group of 1 to 9 that anyone can compute"
    page.until(lambda: page.sentence == told)
    assert page.fact("exposed") == f"{exposed:,}"
    page.until(lambda: page.browser.texts(".way"))
    page.until(lambda: len(page.browser.texts(".patterns tbody tr")) > 5)
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


def test_a_policy_fills_the_page_and_is_written_for_what_is_published(page: Page, tmp_path: Path):
    policy = tmp_path / "discreet.toml"
    policy.write_text(
        "version = 1\nprotect.k = 3\npatterns = { min_support = 6, method = 'suppressive' }\n"
        "publish = { output = 'public', title = 'A small example' }\n"
    )
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.drop(policy)
    page.until(lambda: page.field("k").get_attribute("value") == "3")
    page.until(lambda: page.field("Support").get_attribute("value") == "6")
    assert "House rule: k = 3, from discreet.toml." in page.browser.texts(".panel .note")
    page.until(lambda: page.field("Title of the report").get_attribute("value") == "A small example")
    page.click("Make the bundle")
    page.until(lambda: page.browser.all(".links a[href$='patterns-discreet.toml']"))
    written = tmp_path / "written.toml"
    written.write_bytes(page.fetched(".links a[href$='patterns-discreet.toml']"))
    found = read_policy(written)
    assert (found.k, found.min_support.value, found.method, found.title) == (3, 6, "suppressive", "A small example")
    policy.write_text("version = 1\nprotect.kk = 3\n")
    page.drop(policy)
    page.until(lambda: "[protect] has no key 'kk'" in "".join(page.browser.texts("main")))


def test_the_verdict_follows_the_point_and_safe_is_said_only_after_the_attacker(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.write("k", "3")
    page.until(lambda: page.fact("attacker") == f"{len(audit(read(EXAMPLE), k=3, min_support=1).border)}")
    point = page.browser.one("circle.point")
    point.send_keys(Keys.END)
    page.until(lambda: point.get_attribute("aria-valuenow") == "12")
    page.until(lambda: page.verdict == "NOTHING TO PUBLISH")
    page.write("Support", "8")
    page.until(lambda: page.verdict == "NOT SAFE")
    assert page.until(lambda: page.browser.texts("svg.lattice .count"))
    assert "=" in page.browser.texts(".arithmetic")[0]


def test_what_is_proved_is_called_so_and_the_sums_of_what_follows_are_shown(page: Page, tmp_path: Path):
    kinds = tmp_path / "kinds.dat"
    kinds.write_text("a b\n" * 4 + "b c\n" * 4 + "c\n" * 4)
    page.open()
    page.drop(kinds)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.write("k", "3")
    page.until(lambda: page.verdict == "SAFE, PROVED")
    page.until(lambda: "none of 12 rows is in a group of 1 or 2" in page.sentence)
    assert any("may still be likely" in told for told in page.browser.texts(".note"))
    leaks = tmp_path / "leaks.dat"
    leaks.write_text("a c\na b\nb c\nb c\nb\nc\n")
    page.drop(leaks)
    page.until(lambda: page.browser.texts(".file") == ["leaks.dat"] and page.verdict == "NOT SAFE")
    page.write("Support", "2")
    page.write("k", "2")
    page.until(lambda: [page.fact(each) for each in ("closed", "channels", "attacker")] == ["4", "0", "10"])
    assert len(page.browser.all("ol.groups button")) == 6
    assert "It follows from published figures" in "".join(page.browser.texts(".picture"))


def test_a_channel_can_be_chosen_and_its_sum_is_right(page: Page):
    page.open()
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all("ol.groups button"))
    page.write("Support", "8")
    page.write("k", "3")
    page.until(lambda: page.fact("attacker") == f"{len(audit(read(EXAMPLE), k=3, min_support=8).border)}")
    groups = page.browser.all("ol.groups button")
    assert len(groups) == 6

    def clicked(group) -> bool:  # again where the page had moved under the pointer
        group.click()
        pressed = group.get_attribute("aria-pressed") == "true"
        return pressed and group == page.browser.driver.switch_to.active_element  # the next is a key away

    for group in groups:
        page.until(lambda group=group: clicked(group))
        for told in page.until(lambda: page.browser.texts(".arithmetic")):
            left, _, right = re.sub("^at (least|most) ", "", told).partition("=")
            assert eval(left.replace("−", "-").replace(",", "")) == int(right)  # noqa: S307 - digits and signs


def test_nobody_writes_into_a_field_while_somebody_types_there(page: Page, stays: Path):
    page.open()
    page.drop(stays)
    page.until(lambda: page.verdict == "NOT SAFE")
    page.write("Support", "20%")
    k = page.field("k")
    page.browser.ask("arguments[0].select()", k)
    k.send_keys("25")
    page.until(lambda: page.field("Support").get_attribute("value") == "120")
    page.press(".correct .q-item")
    intervals = page.until(lambda: page.field("Intervals"))
    page.until(intervals.is_displayed)
    assert page.field("k").get_attribute("value") == "25"
    page.until(lambda: page.fact("channels") == f"{len(audit(read(stays), k=25, min_support=120).channels)}")
    intervals.send_keys("age=4")
    page.click("Compare both ways to make it safe")
    page.until(lambda: page.browser.all("table.costs"))
    assert page.field("Intervals").get_attribute("value") == "age=4"


def test_a_guess_can_be_corrected_and_the_error_stands_beside_its_field(page: Page, tmp_path: Path):
    table = tmp_path / "people.csv"
    table.write_text("age,town\n" + "".join(f"{20 + row % 40},{'ab'[row % 2]}\n" for row in range(60)))
    page.open()
    page.drop(table)
    page.until(lambda: "Read as a table" in "".join(page.browser.texts("main")))
    page.press(".correct .q-item")
    page.write("Intervals", "age=forty")
    page.click("Read again")
    page.until(lambda: page.browser.texts(".correct .q-field--error [role=alert]"))
    assert "age" in page.browser.texts(".correct .q-field--error [role=alert]")[0]
    page.write("Intervals", "age=40")
    page.click("Read again")
    page.until(lambda: "<=40" in page.browser.texts(".cells td"))
    assert page.browser.texts(".correct .q-field--error") == []
    page.write("Quasi-identifiers", "town")
    page.until(lambda: page.fact("closed") == "2")


# Hide


def test_patterns_are_hidden_and_the_rows_bundled(page: Page, tmp_path: Path, capsys):
    page.open("hide")
    page.drop(EXAMPLE)
    page.press(".patterns tbody .q-checkbox")
    page.until(lambda: "1 pattern still" in page.sentence)
    page.write("or paste them, one on each line", "a b c")
    page.until(lambda: "2 patterns still" in page.sentence)
    page.until(lambda: page.verdict == "NOT HIDDEN")
    page.click("Compare the methods")
    page.until(lambda: page.browser.one(".curves").is_displayed())
    assert len(page.browser.all("polyline.line")) == 10  # two curves for each of five methods
    assert [row[: row.index("0")] for row in page.browser.texts("table.costs tbody tr")][:1] == ["naive"]
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN")
    safe = tmp_path / "safe.dat"
    safe.write_bytes(page.fetched("a[href$='hidden-running-example.dat']"))
    private = page.fetched("a[href$='private.txt']").decode().splitlines()
    rows = list(read(safe))
    assert len(private) == 2
    assert not any(set(line.split()) <= row for line in private for row in rows)
    bundle = page.bundle(tmp_path / "public")
    assert verified(bundle)
    assert Counter(read(bundle / "rows.dat")) == Counter(rows)
    capsys.readouterr()


def test_what_cannot_be_hidden_is_said_beside_the_field(page: Page):
    page.open("hide")
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all(".patterns tbody tr"))
    page.write("or paste them, one on each line", "no-such-label")
    page.click("Hide them")
    told = page.until(lambda: page.browser.texts(".q-field--error [role=alert]"))
    assert "'no-such-label', which is neither an item nor a column of the data" in told[0]


# Protect


def test_sensitive_items_are_protected_and_the_rows_bundled(page: Page, tmp_path: Path, capsys):
    page.open("protect")
    page.drop(PRIVATE)
    page.until(lambda: "Mark the items" in page.sentence)
    page.mark("alpha", "gamma")
    page.until(lambda: page.verdict == "NOT PROTECTED")
    page.until(lambda: "who has alpha also has gamma: 2 of 2 rows (100 %)" in page.sentence)
    page.click("Compare the methods")
    page.until(lambda: len(page.browser.all("table.costs tbody tr")) == 7)
    assert any("at face value" in row for row in page.browser.texts("table.costs tbody tr"))
    page.click("Protect the rows")
    page.until(lambda: page.verdict == "PROTECTED")
    bundle = page.bundle(tmp_path / "public")
    assert verified(bundle)
    kinds = page.browser.ask("[...document.querySelectorAll('.tree li')].map((each) => each.className)")
    assert {"kept"} <= set(kinds)
    private = tmp_path / "private.txt"
    private.write_text("alpha\ngamma\n")
    rows = tmp_path / "rows.dat"
    rows.write_bytes(page.fetched("a[href$='protected-uncertainty-example.dat']"))
    assert main(["check", str(rows), "--rho", "0.5", "--sensitive", str(private), "--ignore-unknown"]) == 0
    capsys.readouterr()


def test_a_tree_is_edited_by_keyboard_imported_and_exported(page: Page, tmp_path: Path):
    page.open("protect")
    page.drop(PRIVATE)
    page.until(lambda: "Mark the items" in page.sentence)
    page.mark("alpha")
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
    assert told[0].startswith("line 2 of broken.csv begins with the same item as line 1")


def test_files_and_branches_are_dragged_with_the_mouse(page: Page, tmp_path: Path):
    page.open("protect")
    page.again(lambda: page.drag_file(PRIVATE), until=lambda: "Mark the items" in page.sentence)
    page.mark("alpha")
    tree = tmp_path / "tree.csv"
    tree.write_text("a1;a;ALL\na2;a;ALL\nb1;b;ALL\nb2;b;ALL\ngamma;b;ALL\nbeta;b;ALL\n")
    page.until(lambda: page.browser.texts(".tree .name"))
    page.again(
        lambda: page.drag_file(tree, place=1), until=lambda: {"a", "b"} <= set(page.browser.texts(".tree .name"))
    )

    def node(label: str):
        (found,) = (each for each in page.browser.all(".tree .node") if label in each.text.split())
        return found

    before = int(page.until(lambda: node("a").text.split()[-1]))
    page.again(
        lambda: page.drag(lambda: node("b1"), lambda: node("a")),
        until=lambda: int(node("a").text.split()[-1]) == before + 1,
    )


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
    assert len(page.browser.all("td.yes")) == len(verify(public).checks)
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
    certificate = public / "certificate.json"
    certificate.write_text(re.sub(r'"form": \d+', '"form": 99', certificate.read_text()))
    page.drop(certificate)
    page.click("Verify")
    page.until(lambda: page.verdict == "CANNOT BE JUDGED")

"""What a page asks about a file before it judges it, and where files go that are not rows."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from discreet.publishing.release import release
from discreet.transactions.reading import read
from tests.browser.workbench_page import EXAMPLE

if TYPE_CHECKING:
    from tests.browser.workbench_page import Page


def test_a_file_is_asked_about_before_it_is_judged(page: Page, tmp_path: Path):
    table = tmp_path / "people.csv"
    lines = "".join(f"{'MF'[row % 2]},{'abc'[row % 3]},s{row:03}\n" for row in range(90))
    table.write_text(lines)
    page.open()
    page.drop(table)
    page.until(lambda: page.verdict == "NOT UNDERSTOOD")
    assert "M,a,s000" in page.browser.texts(".doubt pre")[0]
    page.click("The first line is data")
    page.until(lambda: page.judged and not page.browser.all(".doubt[aria-label='how to read it']"))
    assert any("different in every row" in words for words in page.browser.texts(".doubtful"))
    ids = "Leave out what is ticked"  # the ids are
    page.again(lambda: page.click(ids), until=lambda: not page.browser.all(".doubtful"))
    page.until(lambda: page.judged)
    assert len(page.browser.texts(".cells th")) == 2


def test_patterns_are_audited_and_a_bundle_is_verified_wherever_it_is_dropped(page: Page, tmp_path: Path):
    itemsets = tmp_path / "itemsets.csv"
    itemsets.write_text(
        "support,itemsets\n0.5,frozenset({'a'})\n0.4,frozenset({'b'})\n0.37,\"frozenset({'a', 'b'})\"\n"
    )
    page.open()
    page.drop(itemsets)
    page.until(lambda: page.verdict == "NOT UNDERSTOOD")
    page.until(lambda: "how many there are" in "".join(page.browser.texts(".q-field--error [role=alert]")))
    page.write("Rows in all", "100")
    page.click("Audit it")
    page.until(lambda: page.verdict == "NOT SAFE")
    assert b"NOT SAFE" in page.fetched("a[href$='audit-audit.html']")
    release(read(EXAMPLE), k=3, min_support=8, method="additive", output=tmp_path / "public")
    page.drop(Path(shutil.make_archive(str(tmp_path / "bundle"), "zip", tmp_path / "public")))
    page.until(lambda: "/verify/" in page.browser.driver.current_url and page.verdict == "HOLDS")


def test_ids_and_constants_are_answered_and_roles_are_ticked(page: Page, tmp_path: Path):
    table = tmp_path / "people.csv"
    ill = ["flu", "flu", "hiv", "cough"]
    lines = [f"r{row},{'mf'[row % 2]},{'abc'[row % 3]},{ill[row % 4]},north\n" for row in range(240)]
    table.write_text("id,sex,town,diagnosis,site\n" + "".join(lines))
    page.open()
    page.drop(table)
    page.until(lambda: page.browser.texts(".first strong") != ["NOTHING YET"] and page.browser.all(".columns-table"))
    assert len(page.browser.all(".columns-table .bars")) == 5
    asked = page.until(lambda: page.browser.texts(".doubt b"))
    assert asked == ["id is different in every row, as ids are.", "site is the same in every row."]
    page.write("Support", "100%")
    page.until(lambda: page.verdict == "NOT UNDERSTOOD")  # SAFE, if nothing smelled
    assert page.button("Make the bundle") is None
    page.click("That is right")
    page.until(lambda: len(page.browser.texts(".doubt b")) == 1)
    page.click("Leave it out")
    page.until(lambda: page.browser.texts(".columns-table th b") == ["sex", "town", "diagnosis", "site"])
    page.until(lambda: page.verdict.startswith("SAFE"))
    assert "was not answered" in "".join(page.browser.texts(".first small"))
    page.click("Yes")
    page.until(lambda: "240 people" in page.sentence)
    assert "was not answered" not in "".join(page.browser.texts(".first small"))
    for box in ("known sex", "sensitive diagnosis"):
        ticked = page.browser.one(f"input[aria-label='{box}']")
        page.browser.ask("arguments[0].click()", ticked)
    page.click("Use these roles")
    page.until(lambda: "about diagnosis with 50% or more" in page.sentence)
    assert page.field("Quasi-identifiers").get_attribute("value") == "sex"


PATTERN_FILES = {
    "spmf.txt": b"1 #SUP: 60\n2 #SUP: 50\n1 2 #SUP: 45\n",
    "spark.csv": b'items,freq\n"[a]",60\n"[b]",50\n"[a, b]",45\n',
    "arules.csv": b'"","items","support","count"\n"1","{a}",0.6,60\n"2","{b}",0.5,50\n"3","{a,b}",0.45,45\n',
}


@pytest.mark.parametrize("name", PATTERN_FILES)
def test_files_of_patterns_of_other_tools_are_audited_as_such(page: Page, tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes(PATTERN_FILES[name])
    page.open()
    page.drop(path)
    page.until(lambda: page.verdict not in ("NOTHING YET", "CHECKING") or page.browser.all(".q-field--error"))
    if page.verdict == "NOT UNDERSTOOD":
        page.write("Rows in all", "100")
        page.click("Audit it")
    page.until(lambda: page.verdict == "NOT SAFE")
    assert "5 " in "".join(page.browser.texts("ol.groups"))


def test_a_workbook_is_read(page: Page, tmp_path: Path):
    path = tmp_path / "people.xlsx"
    people = {"sex": ["m", "f"] * 30, "town": ["a", "b", "c"] * 20}
    pd.DataFrame(people).to_excel(path, index=False)
    page.open()
    page.drop(path)
    page.until(lambda: page.judged)
    assert page.browser.texts(".cells th") == ["sex", "town"]

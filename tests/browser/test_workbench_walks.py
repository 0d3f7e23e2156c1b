"""Whole walks: a steward to a signed bundle, a retailer to one copy for two recipients, a checker to the evidence."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from mlxtend.frequent_patterns import fpgrowth

from discreet import keygen, release, verify
from discreet.transactions.reading import read
from tests.browser.walks import check, file_box, retail, steward
from tests.browser.workbench_page import EXAMPLE, PRIVATE

if TYPE_CHECKING:
    from tests.browser.workbench_page import Page


def wide_stays(path: Path) -> Path:
    """Write hospital stays of 50 columns: ids, patients with several stays, drugs that hardly anyone gets."""
    chance = random.Random(4)
    drugs = [f"drug_{place}" for place in range(43)]
    heads = ["encounter_id", "patient_nbr", "race", "gender", "age", "readmitted", "site", *drugs]
    lines = [",".join(heads)]
    for row in range(900):
        known = [chance.choice("ABC"), chance.choice(["Male", "Female"]), f"[{10 * chance.randrange(3, 9)})"]
        taken = ["No" if chance.random() < 0.97 else chance.choice(["Up", "Steady"]) for _ in drugs]
        cells = [f"{100_000 + row}", f"{7_000 + chance.randrange(700)}", *known, chance.choice(["NO", ">30", "<30"])]
        lines.append(",".join([*cells, "north", *taken]))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_steward_comes_to_a_signed_bundle_without_typing_a_label(page: Page, tmp_path: Path):
    identity, public = keygen(tmp_path / "steward")
    stays = wide_stays(tmp_path / "stays.csv")
    asked = " ".join(steward(page, stays, identity))
    assert "encounter_id" in asked
    assert "patient_nbr" in asked
    signed = page.bundle(tmp_path / "signed")
    assert verify(signed, trust=public).holds
    assert "encounter_id" not in (signed / "patterns.csv").read_text()
    page.click("Verify")  # the key is gone once it was used, and the button with it
    assert page.button("Sign the bundle") is None
    page.go("publish")
    assert not {"encounter_id", "patient_nbr", "site"} & set(page.browser.texts(".cells th"))


def test_a_checker_comes_from_a_colleagues_itemsets_to_the_evidence(page: Page, tmp_path: Path):
    rows = [set(line.split()) for line in EXAMPLE.read_text().splitlines()]
    frame = pd.DataFrame({item: [item in row for row in rows] for item in sorted(set().union(*rows))})
    itemsets = tmp_path / "itemsets.csv"
    fpgrowth(frame, min_support=0.6, use_colnames=True).to_csv(itemsets)
    check(page, itemsets, len(rows))
    page.until(lambda: page.verdict == "NOT SAFE")
    assert "anyone can compute" in page.sentence
    assert " --" not in " ".join(page.browser.texts(".panel .note"))  # no option of the command line
    assert b"NOT SAFE" in page.fetched("a[href$='audit-audit.html']")
    evidence = json.loads(page.fetched("a[href$='audit-audit.json']"))
    assert (evidence["audit"]["verdict"], evidence["audit"]["n"]) == ("not-safe", len(rows))
    assert (evidence["read"]["name"], evidence["read"]["tool"]) == ("itemsets.csv", "mlxtend")  # and no folder
    assert evidence["read"]["bytes"] == len(itemsets.read_bytes())


def test_a_checker_asks_for_a_signature(page: Page, tmp_path: Path):
    (owner, public), (_, other) = (keygen(tmp_path / name) for name in ("owner", "other"))
    bundle = tmp_path / "public"
    release(read(EXAMPLE), min_support=8, k=3, method="additive", output=bundle, sign=owner)
    page.open("verify")
    page.drop(Path(shutil.make_archive(str(tmp_path / "packed"), "zip", bundle)))
    page.open_part("Who must have signed it")
    for key, verdict in ((public, "HOLDS"), (other, "DOES NOT HOLD")):
        renamed = shutil.copy(key, tmp_path / f"{key.parent.name}.pem")
        page.drop(Path(renamed), place=file_box(page, "public key"))
        page.until(lambda name=f"{key.parent.name}.pem": name in "".join(page.browser.texts("ul.files")))
        page.until(lambda: page.verdict == "NOTHING YET")  # what was verified without it does not count
        page.click("Verify")
        page.until(lambda verdict=verdict: page.verdict == verdict)
    assert "--trust owner.pem --trust other.pem" in "".join(page.browser.texts(".equivalent pre"))


def test_files_that_are_no_bundle_are_called_so(page: Page):
    page.open("verify")
    page.drop(EXAMPLE)
    page.click("Verify")
    page.until(lambda: page.verdict == "NO BUNDLE")
    assert "certificate.json" not in page.sentence


def test_a_retailer_gives_two_recipients_one_copy(page: Page, tmp_path: Path):
    retail(page, EXAMPLE, {"supplier": "a b d", "partner": "a b e"})
    told = " ".join(page.browser.texts(".panel:nth-child(3) table.costs"))
    assert "one for all" in told
    assert "supplier" in told
    assert "partner" in told
    assert any("is for all" in each for each in page.browser.texts(".panel:nth-child(3) p"))
    commands = "".join(page.browser.texts(".equivalent pre"))
    assert "--restrict supplier=private-1.txt --restrict partner=private-2.txt" in commands
    assert "discreet.hide_for(rows, recipients={'supplier': 'private-1.txt', 'partner': 'private-2.txt'}" in commands
    page.drop(PRIVATE)
    page.click("Keep what is here")  # nothing of it was saved yet
    assert page.verdict == "HIDDEN"
    assert page.fetched("a[href$='private-1.txt']") == b"a b d\n"
    assert verify(page.bundle(tmp_path / "public")).holds
    assert page.outcome.startswith("Hiding: done")
    assert len(page.browser.all(".verdict")) == 1  # one verdict at a time
    page.go("verify")
    page.until(lambda: page.outcome == "Nothing is under way")  # what was done for another page is told there

"""Whole walks: a steward to a signed bundle, a retailer to one copy for two recipients, a checker who trusts a key."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from discreet import keygen, release, verify
from discreet.transactions.reading import read
from tests.browser.workbench_page import EXAMPLE

if TYPE_CHECKING:
    from tests.browser.workbench_page import Page


def file_box(page: Page, words: str) -> int:
    """Return the place of the box for files that says so."""
    return page.until(lambda: [place for place, each in enumerate(page.browser.texts(".drop")) if words in each])[0]


def test_a_steward_comes_to_a_signed_bundle_without_typing_a_label(page: Page, stays: Path, tmp_path: Path):
    identity, public = keygen(tmp_path / "steward")
    page.open()
    page.drop(stays)
    page.until(lambda: page.judged)
    page.until(lambda: page.browser.all(".way"))
    page.click("Make the bundle")
    page.until(lambda: page.browser.all(".download a"))
    page.click("Verify or sign it")
    page.until(lambda: "/verify/" in page.browser.driver.current_url and page.verdict == "HOLDS")
    page.open_part("Sign it")
    page.drop(identity, place=file_box(page, "Drop your identity"))
    page.click("Sign the bundle")
    page.until(lambda: page.browser.texts(".download a") == ["Download the signed bundle (zip)"])
    signed = page.bundle(tmp_path / "signed")
    assert verify(signed, data=read(stays), trust=public).holds
    page.click("Verify")  # the key is gone once it was used, and the button with it
    assert page.button("Sign the bundle") is None


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
    page.open("hide")
    page.drop(EXAMPLE)
    page.until(lambda: page.browser.all(".patterns tbody tr"))
    page.open_part("Several recipients, one copy")
    for place, (name, lines) in enumerate((("supplier", "a b d"), ("partner", "a b e")), start=1):
        page.write(f"Name of recipient {place}", name)
        page.write(f"What recipient {place} must not mine, one on each line", lines)
    page.until(lambda: "2 patterns" in page.sentence)
    page.click("Hide them")
    page.until(lambda: page.verdict == "HIDDEN")
    told = " ".join(page.browser.texts(".panel:nth-child(3) table.costs"))
    assert "one for all" in told
    assert "supplier" in told
    assert "partner" in told
    assert any("is for all" in each for each in page.browser.texts(".panel:nth-child(3) p"))
    commands = "".join(page.browser.texts(".equivalent pre"))
    assert "--restrict supplier=private-1.txt --restrict partner=private-2.txt" in commands
    assert "discreet.hide_for(rows, recipients={'supplier': 'private-1.txt', 'partner': 'private-2.txt'}" in commands
    assert page.fetched("a[href$='private-1.txt']") == b"a b d\n"
    assert verify(page.bundle(tmp_path / "public")).holds

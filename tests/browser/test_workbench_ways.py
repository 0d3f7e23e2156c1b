"""What each promise costs: exact ways and noise on one page, in one chart and one table, without barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.axe import barriers
from tests.browser.chromium import PHONE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.workbench_page import Page

WAYS = [
    "additive",
    "suppressive",
    "datafly",
    "incognito",
    *(f"dp, epsilon {each}" for each in ("0.1", "0.5", "1", "2")),
]
COMPARE = "Compare all ways, with noise too"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a table of so many rows that noise at epsilon = 2 finds all of its few itemsets."""
    file = tmp_path / "people.csv"
    lines = [f"{30 + 10 * (row % 2)},{'AB'[row % 3 == 0]},{'flu' if row % 4 else 'cold'}" for row in range(6000)]
    file.write_text("\n".join(["age,area,illness", *lines]) + "\n", encoding="utf-8")
    return file


def test_all_ways_stand_side_by_side(page: Page, table: Path) -> None:
    page.open(dark=True)
    page.drop(table)
    page.until(lambda: page.judged)
    page.write("Quasi-identifiers", "age,area")
    page.until(lambda: page.judged and "age,area" in page.sentence)
    page.click(COMPARE)
    names = page.until(lambda: page.browser.texts(".compared tbody th"))
    assert names == WAYS
    heads = page.browser.texts(".compared thead th")
    assert heads[:4] == ["way", "kept", "lost", "invented"]
    assert heads[-2:] == ["what it promises", "against whom"]
    cells = page.browser.texts(".compared tbody td")
    lines = dict(zip(names, (cells[at : at + 7] for at in range(0, len(cells), 7)), strict=True))
    assert lines["additive"][1:3] == ["0", "0"]
    assert lines["dp, epsilon 2"][0] == lines["additive"][0]
    assert "exp(0.5)" in lines["dp, epsilon 0.5"][5]
    assert lines["dp, epsilon 1"][6] == "everyone, whatever they know or will know"
    drawn = "".join(page.browser.texts(".wide-picture svg desc"))
    assert all(f"{name}: " in drawn for name in names)
    assert "publish none of these figures" in "".join(page.browser.texts(".wide"))
    assert "discreet compare people.csv" in "".join(page.browser.texts(".wide .code"))
    assert not barriers(page.browser)
    page.browser.order(
        "Emulation.setDeviceMetricsOverride", width=PHONE[0], height=PHONE[1], deviceScaleFactor=1, mobile=False
    )
    page.until(lambda: page.browser.ask("document.documentElement.scrollWidth <= innerWidth"))
    page.write("Support", "50%")
    page.until(lambda: page.browser.all(".wide .stale"))

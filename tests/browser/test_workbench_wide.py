"""Tables with very many values: pages are sent little of them, and the server searches; and what gives items away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from discreet.transactions.generate import hospital
from discreet.transactions.writing import write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.workbench_page import Page

ROWS = 4_000


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table with thousands of different values."""
    path = tmp_path_factory.mktemp("rows") / "wide.csv"
    lines = (
        f"{row % 1900},town{row * 7 % 1900},street{row * 11 % 1999},{'yes' if row % 50 == 0 else 'no'}\n"
        for row in range(ROWS)
    )
    path.write_text("visit,town,street,ill\n" + "".join(lines))
    return path


def received(page: Page) -> tuple[int, int]:
    """Return how many bytes came over the websocket since the last time: in all, and in the largest message."""
    sizes = [0]
    for entry in page.browser.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.webSocketFrameReceived":
            sizes.append(len(message["params"]["response"]["payloadData"]))
    return sum(sizes), max(sizes)


def test_a_page_is_sent_a_part_of_many_labels(page: Page, wide: Path):
    page.open("protect")
    received(page)
    page.drop(wide)
    page.until(lambda: "Mark the items" in page.sentence)
    assert received(page)[0] < 100_000  # the labels alone have about as many bytes, the tree far more
    field = page.field("Sensitive items")
    field.send_keys("ill=y")
    page.until(lambda: page.browser.texts(".found li") == ["ill=yes"])
    page.press(".found li")
    page.until(lambda: page.browser.texts(".chosen li span") == ["ill=yes"])
    assert field.get_attribute("value") == ""  # what was typed does not stay
    field.send_keys("ill=n")
    page.until(lambda: page.browser.texts(".found li") == ["ill=no"])
    page.until(lambda: page.browser.texts(".tree .name"))
    page.until(lambda: page.verdict == "NOT PROTECTED")
    assert page.browser.texts(".tree .name") == ["ALL", "visit=*", "town=*", "street=*", "ill=*"]
    total, largest = received(page)
    assert total < 200_000
    assert largest < 50_000
    labels = page.browser.ask("document.documentElement.outerHTML.match(/town\\d+/g) ?? []")
    assert len(set(labels)) < 60  # those of the first rows, and of what gives the item away


def test_groups_of_a_tree_open_on_demand_and_items_are_found(page: Page, wide: Path):
    page.open("protect")
    page.drop(wide)
    page.until(lambda: "Mark the items" in page.sentence)
    page.mark("ill=yes")
    page.until(lambda: page.browser.texts(".tree .name"))
    received(page)
    page.until(lambda: [each for each in page.browser.all(".tree button") if "town=*" in each.text])[0].click()
    page.until(lambda: len(page.browser.texts(".tree .name")) > 5)
    assert len(page.browser.texts(".tree .name")) <= 60
    assert received(page)[1] < 50_000
    page.field("Find in the tree").send_keys("street=street1234")
    page.until(lambda: page.browser.texts(".label-search .found li") == ["street=street1234"])
    page.press(".label-search .found li")
    page.until(lambda: "street=street1234" in page.browser.texts(".tree .chosen .name"))


def test_what_gives_an_item_away_is_offered_and_undone(page: Page, tmp_path: Path):
    rows = tmp_path / "hospital.csv"
    write(hospital(rows=2000, seed=1), rows)
    page.open("protect")
    page.drop(rows)
    page.until(lambda: "Mark the items" in page.sentence)
    page.mark("diagnosis depression")
    told = page.until(lambda: page.browser.texts(".proxy"))
    assert "drug sertraline" in told[0]
    assert "diagnosis depression" in told[0]
    page.click("Mark it too")
    page.until(lambda: "drug sertraline" in page.browser.texts(".chosen li span"))
    page.until(lambda: not any("drug sertraline" in each for each in page.browser.texts(".proxy")))
    page.click("Undo")
    page.until(lambda: page.browser.texts(".chosen li span") == ["diagnosis depression"])
    page.click("Redo")
    page.until(lambda: len(page.browser.texts(".chosen li span")) == 2)


def test_what_is_lost_is_drawn_over_rho_and_the_only_way_is_told(page: Page, tmp_path: Path):
    rows = tmp_path / "pairs.dat"
    rows.write_text("tea pill\n" * 5 + "milk pill\n" * 5 + "tea milk water\n" * 2)
    page.open("protect")
    page.drop(rows)
    page.until(lambda: "Mark the items" in page.sentence)
    page.mark("pill")
    page.until(lambda: page.verdict == "NOT PROTECTED")
    page.click("Show the loss over rho")
    page.until(lambda: page.browser.all(".curves .line"))
    page.until(lambda: any("dropping every sensitive item loses" in each for each in page.browser.texts(".note")))
    page.click("Protect the rows")
    page.until(lambda: page.verdict == "PROTECTED")
    assert any("drop all you marked" in each for each in page.browser.texts(".doubtful"))

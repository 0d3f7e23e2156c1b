"""The browser that tests of pages share; tests/browser/set_up.sh sees to it that there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.transactions.generate import hospital
from discreet.transactions.writing import write
from tests.browser.chromium import Chromium, installed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.browser.workbench_page import Page, Workbenches


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """Return a headless Chromium."""
    found = installed()
    if found is None:
        pytest.skip(
            "there is no Chromium with its driver; install chromium and chromium-driver, or run make test as root"
        )
    chromium = Chromium(*found, profile=tmp_path_factory.mktemp("chromium"))
    yield chromium
    chromium.quit()


@pytest.fixture(scope="session")
def workbenches() -> Iterator[Workbenches]:
    """Return the workbenches that tests share as long as no bundle has left them."""
    pytest.importorskip("nicegui", reason="the workbench needs NiceGUI: pip install '.[workbench]'")
    from tests.browser.workbench_page import Workbenches

    made = Workbenches()
    yield made
    made.close()


@pytest.fixture
def workbench(workbenches: Workbenches) -> str:
    """Return the address of a workbench that no bundle has left, token included."""
    return workbenches.address


@pytest.fixture
def page(browser: Chromium, workbenches: Workbenches, workbench: str) -> Iterator[Page]:
    """Return a page of the workbench; afterwards, nothing was said in the console, and nothing asked for elsewhere."""
    from tests.browser.workbench_page import Page

    browser.logs()
    opened = Page(browser, workbench)
    yield opened
    browser.close_other_tabs()  # those of a test that failed would go on asking for its workbench
    said, asked = browser.logs()
    browser.driver.get("about:blank")
    if opened.made_something:
        workbenches.close()
    assert said == []
    home = workbench.partition("/?")[0]
    assert [each for each in asked if not each.startswith((home, home.replace("http", "ws"), "blob:", "data:"))] == []


@pytest.fixture(scope="session")
def stays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of made-up hospital stays."""
    path = tmp_path_factory.mktemp("rows") / "hospital.csv"
    write(hospital(rows=600, seed=3), path)
    return path


@pytest.fixture(scope="session")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return rows with so many itemsets that comparing the methods of hiding takes a while."""
    dense = np.random.default_rng(5).random((4_000, 30)) < 0.5
    path = tmp_path_factory.mktemp("rows") / "endless.dat"
    path.write_text("\n".join(" ".join(map(str, np.flatnonzero(row))) for row in dense))
    return path

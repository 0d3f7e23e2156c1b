"""The browser that tests of pages share; tests/browser/set_up.sh sees to it that there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.chromium import Chromium, installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.browser.workbench_page import Page


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
def workbench() -> Iterator[str]:
    """Return the address of a workbench, token included."""
    pytest.importorskip("nicegui", reason="the workbench needs NiceGUI: pip install '.[workbench]'")
    from tests.browser.workbench_page import served

    with served() as (address, _):
        yield address


@pytest.fixture
def page(browser: Chromium, workbench: str) -> Iterator[Page]:
    """Return a page of the workbench; afterwards, nothing was said in the console, and nothing asked for elsewhere."""
    from tests.browser.workbench_page import Page

    browser.logs()
    yield Page(browser, workbench)
    said, asked = browser.logs()
    browser.driver.get("about:blank")
    assert said == []
    home = workbench.partition("/?")[0]
    assert [each for each in asked if not each.startswith((home, home.replace("http", "ws"), "blob:", "data:"))] == []

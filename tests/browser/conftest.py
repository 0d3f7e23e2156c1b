"""The browser that tests of pages share; tests/browser/set_up.sh sees to it that there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.chromium import Chromium, installed

if TYPE_CHECKING:
    from collections.abc import Iterator


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
